"""One connection as every protocol has it: one task reads the link, what the device says waits in a queue."""

import asyncio
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from tablectl.devices.contract import Counters, Event, Link, Loss
from tablectl.errors import LinkLost, WireError

Said = TypeVar("Said")


SILENCE = 4.5
"""Seconds without a sound frame after which the device is taken for dead."""


class Finder(Protocol[Said]):
    """Finds frames, or lines, in bytes that arrive in any pieces. bad: pieces that were none; fault: why the last of
    them was none, or why no piece has ended.
    """

    bad: int

    @property
    def fault(self) -> str:
        """Say it in a clause."""
        ...

    def feed(self, data: bytes) -> list[Said]:
        """Take more bytes; return what they complete."""
        ...


class Session(Generic[Said]):
    """Reads frames from a link until it is lost; the first reason holds.

    finder: finds them, a :class:`~tablectl.devices.framing.Deframer` for example. take: is called with each and must
    not wait; a WireError or LinkLost that it raises ends the session. dropped: is called once, when the session ends.
    """

    def __init__(
        self, link: Link, finder: Finder[Said], take: Callable[[Said], None], dropped: Callable[[LinkLost], None]
    ) -> None:
        self.counters = Counters()
        self.lost: LinkLost | None = None
        self._link = link
        self._heard = 0
        self._finder = finder
        self._take = take
        self._dropped = dropped
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._reader = asyncio.create_task(self._read(), name="read the link")

    async def send(self, data: bytes) -> None:
        """Write one frame, whole.

        Raises:
            LinkLost: the session is over, or ends with this.
        """
        if self.lost:
            raise self.lost
        try:
            await self._link.write(data)
        except LinkLost as lost:
            self.lose(lost)
            raise
        self.counters.frames_out += 1

    @property
    def waiting(self) -> int:
        """Return how many events wait to be taken."""
        return self._events.qsize()

    def put(self, event: Event) -> None:
        """Append an event to what the device said."""
        self._events.put_nowait(event)

    async def next(self) -> Event:
        """Return the next event.

        Raises:
            LinkLost: the session is over, and everything that came before was returned.
        """
        event = await self._events.get()
        if event is None:
            self._events.put_nowait(None)
            raise self.lost or LinkLost(Loss.CLOSED)
        return event

    def lose(self, lost: LinkLost) -> None:
        """End the session; whoever waits is told the reason."""
        if self.lost:
            return
        self.lost = lost
        self._events.put_nowait(None)
        self._dropped(lost)

    def silence(self, text: str) -> LinkLost:
        """Return the loss of a device that does not say what it should, with what it says instead."""
        return LinkLost(Loss.SILENT, f"{text}; {self._said()}")

    def _said(self) -> str:
        if not self._heard:
            return "not a byte came"
        if not self.counters.frames_in:
            return f"{self._heard} bytes came (another speed, or another protocol?): {self._finder.fault}"
        bad = f"; {self._finder.fault}" if self._finder.bad else ""
        return f"{self.counters.frames_in} frames or lines came, and not this{bad}"

    async def close(self) -> None:
        """End the session and give the link back."""
        self.lose(LinkLost(Loss.CLOSED))
        self._reader.cancel()
        await asyncio.wait([self._reader])
        await self._link.close()

    async def _read(self) -> None:
        try:
            await self._receive()
        except LinkLost as lost:
            self.lose(lost)
        except WireError as error:
            self.lose(LinkLost(Loss.PROTOCOL, str(error)))
        except TimeoutError:
            self.lose(self.silence(f"no sound frame for {SILENCE:g} s, and one is due each second"))

    async def _receive(self) -> None:
        """Take frames as they come; noise does not count as a sign of life."""
        clock = asyncio.get_running_loop().time
        async with asyncio.timeout(SILENCE) as silence:
            while True:
                data, bad = await self._link.read(), self._finder.bad
                self._heard += len(data)
                for said in self._finder.feed(data):
                    silence.reschedule(clock() + SILENCE)
                    self.counters.frames_in += 1
                    self._take(said)
                if self._finder.bad > bad:
                    self._suspect()

    def _suspect(self) -> None:
        """Look at once whether the line was changed under us: that damages frames, and every byte until then is lost.

        Raises:
            LinkLost: it was.
        """
        self.counters.bad_frames = self._finder.bad
        if lost := self._link.trouble():
            raise lost
