"""USB devices, ``usb:1209:4f54:OT-42?port=1-1.2``: bulk or interrupt endpoints through pyusb.

pyusb waits, so it waits in threads: one reads the IN endpoint, one does all else. Both are daemons and look every
quarter of a second whether they are still wanted, so that no transfer keeps the process from ending.
"""

import asyncio
import concurrent.futures
import contextlib
import errno
import queue
import threading
from collections.abc import Callable
from typing import Any, Self

from tablectl.devices.contract import Link, Loss
from tablectl.devices.link import WRITE_DEADLINE, Inlet, Url
from tablectl.devices.usb_claim import REASONS, Claimed, TimedOut, Wanted, claim, system_backend
from tablectl.errors import LinkLost

POLL = 250
"""Milliseconds that a read waits before it looks whether anybody still wants it."""
PIECES_WAITING = 64
"""Pieces that wait for the event loop; further ones stay in the device."""
FRAMES_WAITING = 32
"""Frames that wait for the device; one more is refused."""
ERRORS_IN_A_ROW = 3
"""Failed reads after which a device counts as unplugged: a bad cable recovers, one that is gone does not."""
_PACKETS = 16
"""Packets that one read has room for; a read with less room than a packet would overflow."""


async def open_usb(url: Url) -> Link:
    """Open a USB device for ourselves alone; ``usb:double:KIND`` is a double behind a backend of its own.

    Raises:
        ConfigError: the URL names no device, or there is no USB library.
        LinkLost: ``missing``, ``ambiguous``, ``permission``, ``port-busy``, ``wrong-device`` (it offers what no table
            device does) or ``unusable``.
    """
    if url.place.startswith("double:"):
        from tablectl.devices.usb_double import open_usb_double  # noqa: PLC0415 - only where one is asked for

        return await open_usb_double(url)
    return await UsbLink.open(Wanted.of(url), system_backend())


class Worker:
    """One daemon thread that does one thing after another. waiting: how many it has still to do."""

    def __init__(self, name: str) -> None:
        self.waiting = 0
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    async def do(self, act: Callable[[], Any]) -> Any:
        """Have something done; return, or raise, what came of it."""
        self.waiting += 1
        try:
            return await self._ask(act)
        finally:
            self.waiting -= 1

    def end(self, act: Callable[[], None]) -> asyncio.Future[None]:
        """Have one last thing done, whether or not anybody waits for it, and end."""
        done = self._ask(act)
        self._work.put(None)
        return done

    def _ask(self, act: Callable[[], Any]) -> asyncio.Future[Any]:
        done = self._loop.create_future()
        self._work.put((act, done))
        return done

    def _run(self) -> None:
        while work := self._work.get():
            act, done = work
            outcome: concurrent.futures.Future[Any] = concurrent.futures.Future()
            try:
                outcome.set_result(act())
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
                outcome.set_exception(error)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(_settle, done, outcome)


def _settle(done: asyncio.Future[Any], outcome: concurrent.futures.Future[Any]) -> None:
    if done.done():
        return
    if error := outcome.exception():
        done.set_exception(error)
    else:
        done.set_result(outcome.result())


async def claimed_by(worker: Worker, wanted: Wanted, backend: Any) -> Claimed:
    """Claim a device in a worker's thread; what it claims though nobody waits any more is given back.

    Raises:
        LinkLost: as :func:`open_usb`; the worker has ended.
    """
    got: list[Claimed] = []

    def give_back() -> None:
        for claimed in got:
            claimed.release()

    try:
        await worker.do(lambda: got.append(claim(wanted, backend)))
    except BaseException:
        _ = worker.end(give_back)  # nobody waits for it
        raise
    return got[0]


class UsbLink(Inlet):
    """A claimed device."""

    def __init__(self, claimed: Claimed, worker: Worker) -> None:
        super().__init__()
        self._claimed = claimed
        self._worker = worker
        self._loop = asyncio.get_running_loop()
        self._pieces = 0
        self._stop = threading.Event()
        self._room = threading.Semaphore(PIECES_WAITING)
        self._open = True
        self._reader = threading.Thread(target=self._run, name=f"read {claimed.where}", daemon=True)
        self._reader.start()

    @classmethod
    async def open(cls, wanted: Wanted, backend: Any) -> Self:
        """Open a device.

        Raises:
            LinkLost: as :func:`open_usb`.
        """
        worker = Worker(f"write {wanted}")
        return cls(await claimed_by(worker, wanted, backend), worker)

    async def write(self, data: bytes) -> None:
        """Hand bytes over."""
        if self._lost:
            raise self._lost
        if self._worker.waiting >= FRAMES_WAITING:
            raise LinkLost(Loss.STUCK, f"{self._claimed.where}: {FRAMES_WAITING} frames wait and none is taken")
        try:
            async with asyncio.timeout(WRITE_DEADLINE + POLL / 1000):
                await self._worker.do(lambda: self._write(data))
        except TimeoutError:
            self.lose(LinkLost(Loss.STUCK, f"{self._claimed.where}: nothing was taken in {WRITE_DEADLINE:g} s"))
        except OSError as error:
            reason = REASONS.get(error.errno or 0, Loss.UNPLUGGED)
            self.lose(LinkLost(reason, f"{self._claimed.where}: {error.strerror}"))
        if self._lost:
            raise self._lost

    async def close(self) -> None:
        """Close. The device is given back also when that takes longer than anybody waits here."""
        self.lose(LinkLost(Loss.CLOSED, f"{self._claimed.where}: closed"))
        if not self._open:
            return
        self._open = False
        await asyncio.wait([self._worker.end(self._release)], timeout=2 * POLL / 1000)

    def lose(self, lost: LinkLost) -> None:
        """End the cable, and the threads that wait at it."""
        super().lose(lost)
        self._stop.set()

    def make_room(self) -> None:
        """Let the reading thread go on, if it waits."""
        self._room.release(self._pieces or 1)
        self._pieces = 0

    def arrive(self, data: bytes) -> None:
        """Take a piece that the reading thread handed over."""
        super().arrive(data)
        self._pieces += 1

    # In threads

    def _release(self) -> None:
        """Let the reader end first, for a handle may not go while somebody reads from it."""
        self._reader.join()
        self._claimed.release()

    def _write(self, data: bytes) -> None:
        """Write, unless the link was lost while this waited for its turn."""
        if self._stop.is_set():
            return
        try:
            self._claimed.write(data)
        except OSError:
            self._stop.set()
            raise

    def _run(self) -> None:
        if lost := self._read_until_lost():
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self.lose, lost)

    def _read_until_lost(self) -> LinkLost | None:
        into = self._claimed.into
        size, errors = into.wMaxPacketSize * _PACKETS, 0
        while not self._stop.is_set():
            try:
                data = bytes(into.read(size, POLL))
                errors = 0
            except TimedOut:
                continue
            except OSError as error:
                errors += 1
                if lost := self._failed(error, errors):
                    return lost
                continue
            if data and not self._hand_over(data):
                break
        return None

    def _failed(self, error: OSError, errors: int) -> LinkLost | None:
        """Tell whether the device is gone. A stall is lifted; an overflow lost bytes, which the framing will notice."""
        if error.errno not in (errno.ENODEV, errno.ENXIO) and errors <= ERRORS_IN_A_ROW:
            if error.errno == errno.EPIPE:
                with contextlib.suppress(OSError, NotImplementedError):
                    self._claimed.device.clear_halt(self._claimed.into.bEndpointAddress)
            self._stop.wait(0.01 * errors)
            return None
        return LinkLost(Loss.UNPLUGGED, f"{self._claimed.where}: {error.strerror}")

    def _hand_over(self, data: bytes) -> bool:
        """Give a piece to the event loop, as soon as there is room; tell whether anybody wants it."""
        while not self._room.acquire(timeout=POLL / 1000):
            if self._stop.is_set():
                return False
        try:
            self._loop.call_soon_threadsafe(self.arrive, data)
        except RuntimeError:  # the loop has ended
            return False
        return True
