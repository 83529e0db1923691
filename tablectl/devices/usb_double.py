"""Doubles behind pyusb: a backend of libusb's kind that is all software, ``usb:double:stack-shoe?seed=7``.

pyusb itself runs as ever: it enumerates, configures, claims and transfers; only the bus below it is not there.
"""

import array
import asyncio
import errno
import os
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import usb.backend
import usb.core
import usb.util

from tablectl.devices.bench import Socket, run, socket
from tablectl.devices.contract import Loss
from tablectl.devices.link import Cable, Url
from tablectl.devices.usb import UsbLink, Worker, claimed_by
from tablectl.devices.usb_claim import Claimed, Wanted
from tablectl.errors import LinkLost

VENDOR, PRODUCT = 0x1209, 0x4F54
"""pid.codes, which open hardware shares; the product has no meaning outside this file."""
PACKET = 64
IN, OUT = 0x81, 0x02
BULK, INTERRUPT = 0x02, 0x03
VENDOR_CLASS = 0xFF
_ENGLISH = 0x0409
_TEXTS = {1: "the tablectl authors", 2: "double"}
_SERIAL = 3
_ROOM = 65536


class Descriptor:
    """A descriptor as libusb would hand it over: names and numbers."""

    extra_descriptors = b""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


@dataclass
class Bus:
    """What can go wrong on the bus of one double, changed by whoever tests.

    plugged: whether it is there; busy: another program has claimed it; kernel: a driver of the kernel has it;
    forbidden: we may not open it; fail_reads, fail_writes: errors of the next transfers; stuck: it takes nothing;
    halted: endpoints that are stalled; most: the most bytes that one read returns; classes: of its interfaces.
    """

    serial: str
    plugged: bool = True
    busy: bool = False
    kernel: bool = False
    forbidden: bool = False
    stuck: bool = False
    kind: int = BULK
    most: int = _ROOM
    fail_reads: deque[int] = field(default_factory=deque)
    fail_writes: deque[int] = field(default_factory=deque)
    halted: set[int] = field(default_factory=set)
    empty_packets: int = 0
    classes: tuple[tuple[int, int], ...] = ((VENDOR_CLASS, 0),)
    port: tuple[int, ...] = (1, 2)
    claimed: bool = False
    open_handles: int = 0


def _error(number: int) -> usb.core.USBError:
    kind = usb.core.USBTimeoutError if number == errno.ETIMEDOUT else usb.core.USBError
    return kind(os.strerror(number), None, number)


class UsbLine(Cable):
    """The device's end of the two endpoints: bytes cross from the event loop to pyusb's threads and back."""

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self.bus = bus
        self.loop = asyncio.get_running_loop()
        self._heard = bytearray()
        self._arrived = asyncio.Event()
        self._said = bytearray()
        self._change = threading.Condition()
        self._closed = False

    async def read(self) -> bytes:
        """Return what the host sent."""
        await self._arrived.wait()
        if self._closed:
            raise LinkLost(Loss.CLOSED)
        data = bytes(self._heard)
        self._heard.clear()
        self._arrived.clear()
        return data

    async def write(self, data: bytes) -> None:
        """Hold bytes for the host; what it does not fetch in time is lost."""
        with self._change:
            if len(self._said) + len(data) <= _ROOM:
                self._said += data
            self._change.notify_all()

    async def hang_up(self) -> None:
        """Pull the cable out and plug it in again."""
        self.unplug()
        self.bus.plugged = True

    async def fail(self) -> None:
        """Let the host's next reads fail, as a device does that loses its power."""
        with self._change:
            self.bus.fail_reads += [errno.EIO, errno.EPROTO] * 2
            self._change.notify_all()

    async def close(self) -> None:
        """Stop."""
        self._closed = True
        self._arrived.set()

    def unplug(self) -> None:
        """Pull the cable out: whoever waits for a transfer is told."""
        with self._change:
            self.bus.plugged = False
            self.bus.fail_reads.append(errno.ENODEV)
            self._change.notify_all()

    # For pyusb's threads

    def fetch(self, room: int, seconds: float) -> bytes:
        """Return up to so many bytes, waiting at most so long."""
        with self._change:
            ready = self._change.wait_for(self._ready, seconds)
            if self.bus.fail_reads:
                raise _error(self.bus.fail_reads.popleft())
            if IN in self.bus.halted:
                raise _error(errno.EPIPE)
            if self.bus.empty_packets:
                self.bus.empty_packets -= 1
                return b""
            if not ready:
                raise _error(errno.ETIMEDOUT)
            count = min(room, self.bus.most, len(self._said))
            data = bytes(self._said[:count])
            del self._said[:count]
            return data

    def _ready(self) -> bool:
        return bool(self._said or self.bus.fail_reads or self.bus.empty_packets or IN in self.bus.halted)

    def unstick(self) -> None:
        """Take bytes again."""
        with self._change:
            self.bus.stuck = False
            self._change.notify_all()

    def take(self, data: bytes, seconds: float) -> int:
        """Take bytes from the host; return how many."""
        with self._change:
            if not self._change.wait_for(lambda: not self.bus.stuck, seconds):
                raise _error(errno.ETIMEDOUT)
            if self.bus.fail_writes:
                raise _error(self.bus.fail_writes.popleft())
            if OUT in self.bus.halted:
                raise _error(errno.EPIPE)
        self.loop.call_soon_threadsafe(self._arrive, data)
        return len(data)

    def _arrive(self, data: bytes) -> None:
        self._heard += data
        self._arrived.set()


class DoubleBackend(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """A bus with doubles on it, by their lines."""

    def __init__(self, *lines: UsbLine) -> None:
        self.lines = list(lines)

    def enumerate_devices(self) -> Any:
        """Return what is plugged in."""
        return iter([line for line in self.lines if line.bus.plugged])

    def get_device_descriptor(self, dev: UsbLine) -> Descriptor:
        """Return the device's descriptor."""
        serial = _SERIAL if dev.bus.serial else 0
        return Descriptor(
            bLength=18, bDescriptorType=1, bcdUSB=0x200, bDeviceClass=0, bDeviceSubClass=0, bDeviceProtocol=0,
            bMaxPacketSize0=PACKET, idVendor=VENDOR, idProduct=PRODUCT, bcdDevice=0x100, iManufacturer=1, iProduct=2,
            iSerialNumber=serial, bNumConfigurations=1, address=self.lines.index(dev) + 1, bus=1,
            port_number=dev.bus.port[-1], port_numbers=dev.bus.port, speed=2,
        )  # fmt: skip

    def get_configuration_descriptor(self, dev: UsbLine, config: int) -> Descriptor:
        """Return the only configuration."""
        if config:
            raise IndexError(config)
        return Descriptor(
            bLength=9, bDescriptorType=2, wTotalLength=32, bNumInterfaces=len(dev.bus.classes), bConfigurationValue=1,
            iConfiguration=0, bmAttributes=0x80, bMaxPower=50,
        )  # fmt: skip

    def get_interface_descriptor(self, dev: UsbLine, intf: int, alt: int, config: int) -> Descriptor:
        """Return an interface."""
        if intf >= len(dev.bus.classes) or alt or config:
            raise IndexError(intf)
        kind, subclass = dev.bus.classes[intf]
        return Descriptor(
            bLength=9, bDescriptorType=4, bInterfaceNumber=intf, bAlternateSetting=0, bNumEndpoints=2,
            bInterfaceClass=kind, bInterfaceSubClass=subclass, bInterfaceProtocol=0, iInterface=0,
        )  # fmt: skip

    def get_endpoint_descriptor(self, dev: UsbLine, ep: int, intf: int, alt: int, config: int) -> Descriptor:
        """Return an endpoint."""
        if intf or alt or config:
            raise IndexError(intf)
        return Descriptor(
            bLength=7, bDescriptorType=5, bEndpointAddress=(IN, OUT)[ep], bmAttributes=dev.bus.kind,
            wMaxPacketSize=PACKET, bInterval=1, bRefresh=0, bSynchAddress=0,
        )  # fmt: skip

    def open_device(self, dev: UsbLine) -> UsbLine:
        """Open."""
        self._there(dev)
        if dev.bus.forbidden:
            raise _error(errno.EACCES)
        dev.bus.open_handles += 1
        return dev

    def close_device(self, dev_handle: UsbLine) -> None:
        """Close; what is gone can be closed too."""
        dev_handle.bus.open_handles -= 1

    def get_configuration(self, dev_handle: UsbLine) -> int:
        """Return the number of the active configuration."""
        self._there(dev_handle)
        return 1

    def set_configuration(self, dev_handle: UsbLine, config_value: int) -> None:  # noqa: ARG002 - there is one
        """Configure."""
        self._there(dev_handle)

    def claim_interface(self, dev_handle: UsbLine, intf: int) -> None:  # noqa: ARG002 - there is one
        """Claim; one at a time."""
        self._there(dev_handle)
        if dev_handle.bus.busy or dev_handle.bus.kernel or dev_handle.bus.claimed:
            raise _error(errno.EBUSY)
        dev_handle.bus.claimed = True

    def release_interface(self, dev_handle: UsbLine, intf: int) -> None:  # noqa: ARG002 - there is one
        """Release; on a device that is gone this fails, as on the real bus."""
        dev_handle.bus.claimed = False
        self._there(dev_handle)

    def is_kernel_driver_active(self, dev_handle: UsbLine, intf: int) -> bool:  # noqa: ARG002 - there is one
        """Tell whether the kernel has it."""
        return dev_handle.bus.kernel

    def detach_kernel_driver(self, dev_handle: UsbLine, intf: int) -> None:  # noqa: ARG002 - there is one
        """Take it from the kernel."""
        dev_handle.bus.kernel = False

    def attach_kernel_driver(self, dev_handle: UsbLine, intf: int) -> None:  # noqa: ARG002 - there is one
        """Give it back to the kernel."""
        dev_handle.bus.kernel = True

    def clear_halt(self, dev_handle: UsbLine, ep: int) -> None:
        """Set a stalled endpoint going again."""
        dev_handle.bus.halted.discard(ep)

    def bulk_read(self, dev_handle: UsbLine, ep: int, intf: int, buff: Any, timeout: int) -> int:  # noqa: ARG002
        """Read; what the device says in one packet must find room."""
        data = dev_handle.fetch(len(buff), timeout / 1000)
        buff[: len(data)] = array.array("B", data)
        return len(data)

    intr_read = bulk_read

    def bulk_write(self, dev_handle: UsbLine, ep: int, intf: int, data: Any, timeout: int) -> int:  # noqa: ARG002
        """Write."""
        self._there(dev_handle)
        return dev_handle.take(bytes(data), timeout / 1000)

    intr_write = bulk_write

    def ctrl_transfer(  # noqa: PLR0913, PLR0917 - libusb's own
        self, dev_handle: UsbLine, bmRequestType: int, bRequest: int, wValue: int, wIndex: int, data: Any, timeout: int  # noqa: ARG002, N803
    ) -> int:  # fmt: skip
        """Answer what descriptors of text are asked for."""
        self._there(dev_handle)
        text = _text(wValue & 0xFF, dev_handle.bus.serial)
        data[: len(text)] = array.array("B", text)
        return len(text)

    def _there(self, line: UsbLine) -> None:
        if not line.bus.plugged:
            raise _error(errno.ENODEV)


def _text(index: int, serial: str) -> bytes:
    text = (_TEXTS | {_SERIAL: serial}).get(index, "").encode("utf-16-le") if index else _ENGLISH.to_bytes(2, "little")
    return bytes([len(text) + 2, usb.util.DESC_TYPE_STRING]) + text


class _DoubleLink(UsbLink):
    """A link whose double runs as long as it is open."""

    def __init__(self, claimed: Claimed, worker: Worker, plugged: Socket, running: asyncio.Task[None]) -> None:
        super().__init__(claimed, worker)
        self._plugged = plugged
        self._running = running

    async def close(self) -> None:
        try:
            await super().close()
        finally:
            self._running.cancel()
            await asyncio.wait([self._running])
            self._plugged.taken = False


_lines: dict[int, UsbLine] = {}


def line_of(url: str) -> UsbLine:
    """Return the device's end of ``usb:double:KIND``; whoever tests does to its bus what they like."""
    return _line(_plugged(Url.parse(url)))


def _plugged(url: Url) -> Socket:
    return socket(Url("double", url.place.removeprefix("double:"), url.query))


def _line(plugged: Socket) -> UsbLine:
    """Return the line of a double, a new one when its event loop has ended."""
    line = _lines.get(id(plugged))
    if line is None or line.loop is not asyncio.get_running_loop():
        line = _lines[id(plugged)] = UsbLine(Bus(plugged.options.serial))
    return line


async def open_usb_double(url: Url) -> UsbLink:
    """Plug a double in and open it through pyusb.

    Raises:
        ConfigError: there is no such double.
        LinkLost: as :func:`tablectl.devices.usb.open_usb`.
    """
    plugged = _plugged(url)
    line = _line(plugged)
    worker = Worker("write usb:double")
    claimed = await claimed_by(worker, Wanted(VENDOR, PRODUCT, "", "", None), DoubleBackend(line))
    running = asyncio.create_task(run(plugged.double, line, plugged.options, plugged.schedule), name="run a double")
    return _DoubleLink(claimed, worker, plugged, running)
