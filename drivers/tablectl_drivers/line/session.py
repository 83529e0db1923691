"""The host's side of plain devices: one question at a time, lines as they come, a pulse by asking."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

from tablectl.devices.contract import Counters, Event, Link, Loss
from tablectl.devices.session import SILENCE
from tablectl.errors import LinkLost
from tablectl_drivers.line.wire import AskId, AskStatus, Id, Line, No, Ok, Ready, Splitter, encode

Said = TypeVar("Said", bound=Line)
PULSE = 1.0
"""Seconds between questions how it is."""
ANSWERED_IN = 1.0
TRIES = 4
"""Times that a question is asked. An order is given once."""


class LineSession:
    """One connection. take: is called with each line that is no answer, once the device has said who it is."""

    def __init__(self, link: Link, take: Callable[[Line], None]) -> None:
        self.counters = Counters()
        self.lost: LinkLost | None = None
        self._link = link
        self._take = take
        self._splitter = Splitter()
        self._known = False
        self._wanted: tuple[type[Line], ...] = ()
        self._answer: asyncio.Future[Line] | None = None
        self._turn = asyncio.Lock()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._tasks = [asyncio.create_task(self._read(), name="read the link")]

    async def who(self) -> Id:
        """Ask who is there; what came before the answer is forgotten.

        Raises:
            LinkLost: nobody answers.
        """
        answer = await self._ask(AskId(), (Id,), TRIES)
        if not isinstance(answer, Id):
            self.lose(LinkLost(Loss.SILENT, f"no answer to ID? in {TRIES * ANSWERED_IN:g} s"))
            raise self.lost or LinkLost(Loss.SILENT)
        self._known = True
        self._tasks.append(asyncio.create_task(self._feel(), name="ask how it is"))
        return answer

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
                await self._send(line)
                await asyncio.wait([self._answer], timeout=ANSWERED_IN)
                if self._answer.done():
                    return self._answer.result()
        if self.lost:
            raise self.lost
        return None

    async def _send(self, line: Line) -> None:
        if self.lost:
            raise self.lost
        try:
            await self._link.write(encode(line))
        except LinkLost as lost:
            self.lose(lost)
            raise
        self.counters.frames_out += 1

    def put(self, event: Event) -> None:
        """Append to what the device said."""
        self._events.put_nowait(event)

    async def next(self) -> Event:
        """Return the next event.

        Raises:
            LinkLost: the session is over, after all that came before.
        """
        event = await self._events.get()
        if event is None:
            self._events.put_nowait(None)
            raise self.lost or LinkLost(Loss.CLOSED)
        return event

    def lose(self, lost: LinkLost) -> None:
        """End the session; the first reason holds."""
        if self.lost:
            return
        self.lost = lost
        self._events.put_nowait(None)
        if self._answer and not self._answer.done():
            self._answer.set_exception(lost)
            # Nobody may be waiting any more.
            self._answer.exception()

    async def close(self) -> None:
        """End the session and give the link back."""
        self.lose(LinkLost(Loss.CLOSED))
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await self._link.close()

    async def _read(self) -> None:
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(SILENCE) as silence:
                while True:
                    for line in self._splitter.feed(await self._link.read()):
                        silence.reschedule(clock() + SILENCE)
                        self.counters.frames_in += 1
                        self._hear(line)
                    self.counters.bad_frames = self._splitter.bad
        except LinkLost as lost:
            self.lose(lost)
        except TimeoutError:
            self.lose(LinkLost(Loss.SILENT, f"no line for {SILENCE:g} s"))

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
                await self._send(AskStatus())
                await asyncio.sleep(PULSE)
