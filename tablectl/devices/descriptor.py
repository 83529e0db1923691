"""A link over a descriptor that does not block: a serial port, or a pseudo-terminal that stands for one."""

import asyncio
import os
from collections import deque
from collections.abc import Callable

from tablectl.devices.contract import Loss
from tablectl.devices.link import WRITE_DEADLINE, Inlet
from tablectl.errors import LinkLost

_CHUNK = 4096
_ROOM = 16 * _CHUNK
FRAMES_WAITING = 32
"""Frames that wait for the peer; one more is refused."""


class DescriptorLink(Inlet):
    """Reads and writes a descriptor from the event loop, which is never kept waiting by the peer.

    name: for messages; release: gives the descriptor back.
    """

    def __init__(self, descriptor: int, name: str, release: Callable[[], None]) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._name = name
        self._release = release
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[memoryview, asyncio.Future[None]]] = deque()
        self._open = True
        self._full = self._blocked = False
        self._loop.add_reader(descriptor, self._receive)

    async def write(self, data: bytes) -> None:
        """Hand bytes over."""
        if self._lost:
            raise self._lost
        if len(self._waiting) >= FRAMES_WAITING:
            raise LinkLost(Loss.STUCK, f"{self._name}: {FRAMES_WAITING} frames wait and none is taken")
        taken = self._loop.create_future()
        self._waiting.append((memoryview(data), taken))
        if len(self._waiting) == 1:
            self._send()
        if taken.done():
            # Nearly always, and then nothing is waited for, not even a turn of the loop.
            taken.result()
            return
        try:
            async with asyncio.timeout(WRITE_DEADLINE):
                await taken
        except TimeoutError:
            stuck = LinkLost(Loss.STUCK, f"{self._name}: nothing was taken in {WRITE_DEADLINE:g} s")
            self.lose(stuck)
            raise stuck from None

    async def close(self) -> None:
        """Close, without waiting for anybody."""
        self.drop()

    def drop(self) -> None:
        """Close at once."""
        self.lose(LinkLost(Loss.CLOSED, f"{self._name}: closed"))
        if self._open:
            self._open = False
            self._release()

    def doubt(self) -> LinkLost | None:
        """Tell why the descriptor was ready without data, None where that means nothing."""
        return None

    def make_room(self) -> None:
        """Watch the descriptor again."""
        if self._full and not self._lost:
            self._full = False
            self._loop.add_reader(self._descriptor, self._receive)

    def _receive(self) -> None:
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            data = None
        except OSError as error:
            self.lose(LinkLost(Loss.UNPLUGGED, f"{self._name}: {error.strerror}"))
            return
        if data:
            self.arrive(data)
        elif lost := self.doubt():
            self.lose(lost)
        elif data is not None:
            self.lose(LinkLost(Loss.UNPLUGGED, f"{self._name}: hung up"))

    def arrive(self, data: bytes) -> None:
        """Take bytes, and no more for now when there is no room."""
        super().arrive(data)
        if len(self._received) >= _ROOM:
            self._full = True
            self._loop.remove_reader(self._descriptor)

    def _send(self) -> None:
        """Give the system as much as it takes; the rest goes when it is ready again."""
        while self._waiting:
            data, taken = self._waiting[0]
            try:
                count = os.write(self._descriptor, data)
            except BlockingIOError:
                count = 0
            except OSError as error:
                self.lose(LinkLost(Loss.UNPLUGGED, f"{self._name}: {error.strerror}"))
                return
            if count < len(data):
                self._waiting[0] = data[count:], taken
                self._blocked = True
                self._loop.add_writer(self._descriptor, self._send)
                return
            self._waiting.popleft()
            if not taken.done():
                taken.set_result(None)
        if self._blocked:
            self._blocked = False
            self._loop.remove_writer(self._descriptor)

    def lose(self, lost: LinkLost) -> None:
        """Stop watching the descriptor: one that is gone is always ready and would spin the loop."""
        if self._lost:
            return
        super().lose(lost)
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        for _, taken in self._waiting:
            if not taken.done():
                taken.set_exception(lost)
        self._waiting.clear()
