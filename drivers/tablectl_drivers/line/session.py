"""The host's side of plain devices: one question at a time, lines as they come, a pulse by asking."""

import asyncio
import contextlib
from collections.abc import Callable

from tablectl.devices.contract import Link, Loss
from tablectl.devices.session import Session
from tablectl.errors import LinkLost
from tablectl_drivers.line.wire import END, AskId, AskStatus, Id, Line, No, Ok, Ready, Splitter, encode

PULSE = 1.0
"""Seconds between questions how it is."""
ANSWERED_IN = 1.0
TRIES = 4
"""Times that a question is asked. An order is given once."""


class LineSession:
    """One connection. take: is called with each line that is no answer, once the device has said who it is."""

    def __init__(self, link: Link, take: Callable[[Line], None]) -> None:
        self._take = take
        self._known = False
        self._wanted: tuple[type[Line], ...] = ()
        self._answer: asyncio.Future[Line] | None = None
        self._turn = asyncio.Lock()
        self._session = Session(link, Splitter(), self._hear, self._dropped)
        self._feeling: asyncio.Task[None] | None = None
        self.counters = self._session.counters
        self.put = self._session.put
        self.next = self._session.next

    async def who(self) -> Id:
        """Ask who is there; what came before the answer is forgotten.

        Raises:
            LinkLost: nobody answers.
        """
        # Ends whatever lay in the line, which would spoil the question.
        await self._session.send(END)
        answer = await self._ask(AskId(), (Id,), TRIES)
        if not isinstance(answer, Id):
            silent = self._session.silence(f"no answer to ID? in {TRIES * ANSWERED_IN:g} s")
            self._session.lose(silent)
            raise silent
        self._known = True
        self._feeling = asyncio.create_task(self._feel(), name="ask how it is")
        return answer

    @property
    def lost(self) -> LinkLost | None:
        """Return why the session is over, None while it holds."""
        return self._session.lost

    async def order(self, line: Line) -> Line | None:
        """Give an order, once; return OK or NO, None where neither came.

        Raises:
            LinkLost: the link is gone; the order may have been heard.
        """
        return await self._ask(line, (Ok, No), 1)

    async def _ask(self, line: Line, wanted: tuple[type[Line], ...], tries: int) -> Line | None:
        async with self._turn:
            for _ in range(tries):
                self._wanted, self._answer = wanted, asyncio.get_running_loop().create_future()
                await self._session.send(encode(line))
                await asyncio.wait([self._answer], timeout=ANSWERED_IN)
                if self._answer.done():
                    return self._answer.result()
        if self._session.lost:
            raise self._session.lost
        return None

    async def close(self) -> None:
        """End the session and give the link back."""
        if self._feeling:
            self._feeling.cancel()
            await asyncio.wait([self._feeling])
        await self._session.close()

    def _dropped(self, lost: LinkLost) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_exception(lost)
            # Nobody may be waiting any more.
            self._answer.exception()

    def _hear(self, line: Line) -> None:
        if self._answer and not self._answer.done() and isinstance(line, self._wanted):
            self._answer.set_result(line)
        elif isinstance(line, Ready) and self._known:
            raise LinkLost(Loss.RESTARTED, "the device was reset")
        elif self._known:
            self._take(line)

    async def _feel(self) -> None:
        with contextlib.suppress(LinkLost):
            while True:
                await self._session.send(encode(AskStatus()))
                await asyncio.sleep(PULSE)
