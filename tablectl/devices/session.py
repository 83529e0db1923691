"""One connection as every framed protocol has it: one task reads the link, what the device says waits in a queue."""

import asyncio
from collections.abc import Callable

from tablectl.devices.contract import Counters, Event, Link, Loss
from tablectl.devices.framing import Deframer, frame
from tablectl.errors import LinkLost, WireError

SILENCE = 4.5
"""Seconds without a sound frame after which the device is taken for dead."""


class Session:
    """Reads frames from a link until it is lost; the first reason holds.

    take: is called with the body of each sound frame and must not wait; a WireError or LinkLost that it raises ends
    the session. dropped: is called once, when the session ends.
    """

    def __init__(self, link: Link, take: Callable[[bytes], None], dropped: Callable[[LinkLost], None]) -> None:
        self.counters = Counters()
        self.lost: LinkLost | None = None
        self._link = link
        self._take = take
        self._dropped = dropped
        self._deframer = Deframer()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._reader = asyncio.create_task(self._read(), name="read the link")

    async def send(self, body: bytes) -> None:
        """Write one frame.

        Raises:
            LinkLost: the session is over, or ends with this.
        """
        if self.lost:
            raise self.lost
        try:
            await self._link.write(frame(body))
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
            self.lose(LinkLost(Loss.SILENT, f"no sound frame for {SILENCE:g} s"))

    async def _receive(self) -> None:
        """Take frames as they come; noise does not count as a sign of life."""
        clock = asyncio.get_running_loop().time
        async with asyncio.timeout(SILENCE) as silence:
            while True:
                for body in self._deframer.feed(await self._link.read()):
                    silence.reschedule(clock() + SILENCE)
                    self.counters.frames_in += 1
                    self._take(body)
                self.counters.bad_frames = self._deframer.bad
