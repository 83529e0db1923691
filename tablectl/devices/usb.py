"""USB devices, ``usb:1209:4f54:OT-42?port=1-1.2``: bulk or interrupt endpoints through pyusb.

pyusb waits, so it waits in threads: one reads the IN endpoint, one does all else. Both are daemons and look every
quarter of a second whether they are still wanted, so that no transfer keeps the process from ending.
"""

import asyncio
import concurrent.futures
import contextlib
import errno
import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import msgspec

from tablectl.devices.contract import Link, Loss
from tablectl.devices.link import WRITE_DEADLINE, Cable, Url
from tablectl.devices.serial_port import ownership
from tablectl.errors import ConfigError, LinkLost

try:
    import usb.backend.libusb1
    import usb.core
    import usb.util
except ImportError as error:  # an extra: a table of serial devices needs no USB library
    raise ConfigError(f"usb: links need pyusb ({error}); install tablectl[usb]") from error

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
_NODES = Path("/dev/bus/usb")
_REASONS = {
    errno.ENODEV: Loss.UNPLUGGED,
    errno.ENXIO: Loss.UNPLUGGED,
    errno.ENOENT: Loss.MISSING,
    errno.EACCES: Loss.PERMISSION,
    errno.EPERM: Loss.PERMISSION,
    errno.EBUSY: Loss.PORT_BUSY,
    errno.ETIMEDOUT: Loss.STUCK,
}
_FOREIGN = {0x03: "keyboard or mouse", 0x08: "storage", 0x0E: "camera", 0xE0: "network"}
"""Classes of interfaces that no table device has: whoever offers one may be a tool of an attack."""
_VENDOR_CLASS = 0xFF
_NETWORKS = {(0x02, 0x06), (0x02, 0x0D), (0x02, 0x0E)}


class UsbOptions(msgspec.Struct, forbid_unknown_fields=True):
    """port: where it must be plugged in, bus and ports, ``1-1.2``; interface: its number, else the first that fits."""

    port: str = ""
    interface: int | None = None


class Wanted(msgspec.Struct, frozen=True):
    """Which device is meant. serial: empty for any."""

    vendor: int
    product: int
    serial: str
    port: str
    interface: int | None

    @classmethod
    def of(cls, url: Url) -> Self:
        """Read a URL.

        Raises:
            ConfigError: no such form.
        """
        options = url.options(UsbOptions)
        vendor, _, rest = url.place.partition(":")
        product, _, serial = rest.partition(":")
        try:
            return cls(int(vendor, 16), int(product, 16), serial, options.port, options.interface)
        except ValueError as error:
            raise ConfigError(f"{url.place!r} is no VENDOR:PRODUCT[:SERIAL] in hex, such as 1209:4f54:OT-42") from error

    def __str__(self) -> str:
        return f"usb:{self.vendor:04x}:{self.product:04x}" + (f":{self.serial}" if self.serial else "")


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


def system_backend() -> Any:
    """Return libusb, that of the system or that of the package libusb-package.

    Raises:
        ConfigError: there is none.
    """
    found = usb.backend.libusb1.get_backend()
    if found is None:
        with contextlib.suppress(ImportError):
            import libusb_package  # noqa: PLC0415 - where the system has none

            found = usb.backend.libusb1.get_backend(find_library=libusb_package.find_library)
    if found is None:
        raise ConfigError("usb: links need libusb; install libusb-1.0-0, or tablectl[usb]")
    return found


class Worker:
    """One daemon thread that does one thing after another. waiting: how many it has still to do."""

    def __init__(self, name: str) -> None:
        self.waiting = 0
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    async def do(self, act: Callable[[], Any]) -> Any:
        """Have something done; return, or raise, what came of it."""
        done = self._loop.create_future()
        self.waiting += 1
        self._work.put((act, done))
        try:
            return await done
        finally:
            self.waiting -= 1

    def stop(self) -> None:
        """End when all is done."""
        self._work.put(None)

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


class Claimed(msgspec.Struct, frozen=True):
    """A device with one of its interfaces claimed. driver: a driver of the kernel had it before."""

    device: Any
    interface: int
    into: Any
    out: Any
    driver: bool
    where: str

    def write(self, data: bytes) -> None:
        """Send bytes, all of them; a stalled endpoint is set going again, once."""
        rest, stalls = data, 0
        while rest:
            try:
                rest = rest[self.out.write(rest, int(WRITE_DEADLINE * 1000)) :]
            except usb.core.USBError as error:
                stalls += 1
                if error.errno != errno.EPIPE or stalls > 1:
                    raise
                self.device.clear_halt(self.out.bEndpointAddress)
                # What the device took of the frame is lost with the stall: it hears it from the beginning.
                rest = data

    def release(self) -> None:
        """Give all back; a device that is gone has nothing to give back."""
        with contextlib.suppress(usb.core.USBError, NotImplementedError):
            usb.util.release_interface(self.device, self.interface)
        if self.driver:
            with contextlib.suppress(usb.core.USBError, NotImplementedError):
                self.device.attach_kernel_driver(self.interface)
        with contextlib.suppress(usb.core.USBError, NotImplementedError):
            usb.util.dispose_resources(self.device)


def claim(wanted: Wanted, backend: Any) -> Claimed:
    """Find, open and claim a device; it waits, so it is for a thread.

    Raises:
        LinkLost: as :func:`open_usb`.
    """
    device = _find(wanted, backend)
    try:
        return _claim(device, wanted)
    except usb.core.USBError as error:
        with contextlib.suppress(usb.core.USBError):
            usb.util.dispose_resources(device)
        raise _lost(device, error) from error
    except LinkLost:
        usb.util.dispose_resources(device)
        raise


def _find(wanted: Wanted, backend: Any) -> Any:
    there = list(usb.core.find(find_all=True, backend=backend, idVendor=wanted.vendor, idProduct=wanted.product))
    there = [each for each in there if wanted.port in ("", port_of(each))]
    if wanted.serial:
        there = [each for each in there if serial_of(each) == wanted.serial]
    if not there:
        raise LinkLost(Loss.MISSING, f"{wanted}: nothing of that name is plugged in")
    if len(there) > 1:
        ports = " or ".join(f"?port={port_of(each)}" for each in there)
        raise LinkLost(Loss.AMBIGUOUS, f"{wanted}: {len(there)} devices have this name; say which by {ports}")
    return there[0]


def port_of(device: Any) -> str:
    """Return where a device is plugged in: ``1-1.2``."""
    return f"{device.bus}-{'.'.join(map(str, device.port_numbers or ()))}"


def serial_of(device: Any) -> str:
    """Return a device's serial number, empty where it has none.

    Raises:
        LinkLost: ``permission``: it cannot be asked.
    """
    try:
        return str(device.serial_number or "")
    except usb.core.USBError as error:
        raise _lost(device, error) from error
    except ValueError as error:
        # What pyusb says when it may not open a device, or when the device has no texts at all.
        if device.iSerialNumber and not os.access(node_of(device), os.W_OK):
            raise LinkLost(Loss.PERMISSION, f"usb {port_of(device)}: {error}; {ownership(node_of(device))}") from error
        return ""


def node_of(device: Any) -> str:
    """Return the device's node."""
    return str(_NODES / f"{device.bus or 0:03d}" / f"{device.address or 0:03d}")


def _lost(device: Any, error: OSError) -> LinkLost:
    where = f"usb {port_of(device)}"
    reason = _REASONS.get(error.errno or 0, Loss.UNUSABLE)
    more = f"; {ownership(node_of(device))}" if reason is Loss.PERMISSION else ""
    more = "; another program has claimed it" if reason is Loss.PORT_BUSY else more
    return LinkLost(reason, f"{where}: {error.strerror}{more}")


def _claim(device: Any, wanted: Wanted) -> Claimed:
    try:
        configuration = device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno is not None:
            raise
        device.set_configuration()
        configuration = device.get_active_configuration()
    _check_classes(device, configuration)
    number, into, out = _endpoints(device, configuration, wanted)
    driver = _detach(device, number)
    usb.util.claim_interface(device, number)
    return Claimed(device, number, into, out, driver, f"usb {port_of(device)}")


def _check_classes(device: Any, configuration: Any) -> None:
    for each in configuration:
        kind = _FOREIGN.get(each.bInterfaceClass)
        if (each.bInterfaceClass, each.bInterfaceSubClass) in _NETWORKS:
            kind = "network"
        if kind:
            text = f"usb {port_of(device)}: it is also a {kind}, which no device of a table is"
            raise LinkLost(Loss.WRONG_DEVICE, text)


def _endpoints(device: Any, configuration: Any, wanted: Wanted) -> tuple[int, Any, Any]:
    """Return the first interface with a way in and a way out, bulk before interrupt."""
    for kind in (usb.util.ENDPOINT_TYPE_BULK, usb.util.ENDPOINT_TYPE_INTR):
        for each in configuration:
            ways = {
                usb.util.endpoint_direction(end.bEndpointAddress): end
                for end in each
                if usb.util.endpoint_type(end.bmAttributes) == kind
            }
            if len(ways) > 1 and wanted.interface in (None, each.bInterfaceNumber):
                return each.bInterfaceNumber, ways[usb.util.ENDPOINT_IN], ways[usb.util.ENDPOINT_OUT]
    named = "" if wanted.interface is None else f" {wanted.interface}"
    raise LinkLost(Loss.UNUSABLE, f"usb {port_of(device)}: no interface{named} with an endpoint in and one out")


def _detach(device: Any, number: int) -> bool:
    with contextlib.suppress(NotImplementedError):
        if device.is_kernel_driver_active(number):
            device.detach_kernel_driver(number)
            return True
    return False


class UsbLink(Cable):
    """A claimed device."""

    def __init__(self, claimed: Claimed, worker: Worker) -> None:
        super().__init__()
        self._claimed = claimed
        self._worker = worker
        self._loop = asyncio.get_running_loop()
        self._received = bytearray()
        self._pieces = 0
        self._arrived = asyncio.Event()
        self._ended = asyncio.Event()
        self._stop = threading.Event()
        self._room = threading.Semaphore(PIECES_WAITING)
        self._lost: LinkLost | None = None
        self._open = True
        threading.Thread(target=self._run, name=f"read {claimed.where}", daemon=True).start()

    @classmethod
    async def open(cls, wanted: Wanted, backend: Any) -> Self:
        """Open a device.

        Raises:
            LinkLost: as :func:`open_usb`.
        """
        worker = Worker(f"write {wanted}")
        try:
            return cls(await worker.do(lambda: claim(wanted, backend)), worker)
        except BaseException:
            worker.stop()
            raise

    async def read(self) -> bytes:
        """Return what arrived."""
        await self._arrived.wait()
        if not self._received and self._lost:
            raise self._lost
        data = bytes(self._received)
        self._received.clear()
        self._room.release(self._pieces or 1)
        self._pieces = 0
        if not self._lost:
            self._arrived.clear()
        return data

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
            self._lose(LinkLost(Loss.STUCK, f"{self._claimed.where}: nothing was taken in {WRITE_DEADLINE:g} s"))
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, Loss.UNPLUGGED)
            self._lose(LinkLost(reason, f"{self._claimed.where}: {error.strerror}"))
        if self._lost:
            raise self._lost

    async def close(self) -> None:
        """Close: the reader ends first, for a handle may not go while somebody reads from it."""
        self._lose(LinkLost(Loss.CLOSED, f"{self._claimed.where}: closed"))
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2 * POLL / 1000):
                await self._ended.wait()
                await self._worker.do(self._claimed.release)
        self._worker.stop()

    def _lose(self, lost: LinkLost) -> None:
        self._lost = self._lost or lost
        self._stop.set()
        self._arrived.set()

    # In threads

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
        lost = self._read_until_lost()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            if lost:
                self._loop.call_soon_threadsafe(self._lose, lost)
            self._loop.call_soon_threadsafe(self._ended.set)

    def _read_until_lost(self) -> LinkLost | None:
        into = self._claimed.into
        size, errors = into.wMaxPacketSize * _PACKETS, 0
        while not self._stop.is_set():
            try:
                data = bytes(into.read(size, POLL))
                errors = 0
            except usb.core.USBTimeoutError:
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
            self._loop.call_soon_threadsafe(self._arrive, data)
        except RuntimeError:  # the loop has ended
            return False
        return True

    def _arrive(self, data: bytes) -> None:
        self._received += data
        self._pieces += 1
        self._arrived.set()


def candidates(backend: Any) -> list[tuple[str, str]]:
    """Return URL and text of each device with an interface of a vendor's own class."""
    found = []
    for device in usb.core.find(find_all=True, backend=backend):
        if any(each.bInterfaceClass == _VENDOR_CLASS for configuration in device for each in configuration):
            try:
                serial = serial_of(device)
            except LinkLost as lost:
                serial, text = "", f"its serial number cannot be read: {lost}"
            else:
                text = f"serial number {serial}" if serial else "no serial number"
            name = f"usb:{device.idVendor:04x}:{device.idProduct:04x}" + (f":{serial}" if serial else "")
            found.append((f"{name}?port={port_of(device)}", text))
    return found
