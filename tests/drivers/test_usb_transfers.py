"""USB transfers that end early, and devices that are pulled in the middle of one."""

import asyncio
import ctypes
import errno
from array import array
from types import SimpleNamespace
from typing import Any

import pytest
import usb.backend.libusb1
import usb.core

from tablectl.devices.contract import Loss
from tablectl.devices.framing import Deframer, frame
from tablectl.devices.usb import UsbLink
from tablectl.devices.usb_claim import Wanted, claim
from tablectl.devices.usb_double import BULK, IN, INTERRUPT, PRODUCT, VENDOR, Bus, DoubleBackend, UsbLine
from tablectl.errors import LinkLost

WANTED = Wanted(VENDOR, PRODUCT, "OT-1", "1-1.2", None)
BODY = bytes(range(40))


async def read(link: UsbLink, count: int) -> bytes:
    got = b""
    async with asyncio.timeout(5):
        while len(got) < count:
            got += await link.read()
    return got


@pytest.mark.parametrize("kind", [BULK, INTERRUPT])
async def test_a_frame_cut_by_a_timeout_is_completed_by_the_next_read(kind: int) -> None:
    """Three bytes, then a timeout, then the rest: wherever a frame is so cut, it is whole, and no other is lost."""
    line = UsbLine(Bus("OT-1", kind=kind))
    link = await UsbLink.open(WANTED, DoubleBackend(line))
    deframer, whole = Deframer(), frame(BODY)
    for at in range(1, len(whole)):
        await line.write(whole[:at])
        first = await read(link, at)
        line.bus.fail_reads += [errno.ETIMEDOUT] * 2
        await line.write(whole[at:])
        assert deframer.feed(first) + deframer.feed(await read(link, len(whole) - at)) == [BODY], f"cut after {at}"
    assert deframer.bad == 0
    await link.close()


class Libusb:
    """The C library, as far as a read needs it: the timeout comes when three bytes are there."""

    def libusb_init(self, _: Any) -> int:
        return 0

    def libusb_exit(self, _: Any) -> None:
        pass

    def libusb_bulk_transfer(self, *words: Any) -> int:
        _, _, buffer, _, transferred, _ = words
        ctypes.memmove(buffer, b"abc", 3)
        transferred._obj.value = 3
        return int(usb.backend.libusb1.LIBUSB_ERROR_TIMEOUT)

    libusb_interrupt_transfer = libusb_bulk_transfer


@pytest.mark.parametrize("call", ["bulk_read", "intr_read"])
def test_pyusb_hands_over_what_came_before_a_timeout(call: str) -> None:
    """The frame rests on it: a version of pyusb that called this a timeout would have lost the three bytes."""
    backend = usb.backend.libusb1._LibUSB(Libusb())
    room = array("B", bytes(64))
    count = getattr(backend, call)(SimpleNamespace(handle=None), IN, 0, room, 250)
    assert bytes(room[:count]) == b"abc"


class Pulled(DoubleBackend):
    """A bus on which whatever would give a pulled device back fails, as on the real one. failed: the calls that did;
    opened: how many handles there were so far.
    """

    def __init__(self, line: UsbLine) -> None:
        super().__init__(line)
        self.failed: list[str] = []
        self.opened = 0

    def open_device(self, dev: UsbLine) -> UsbLine:
        self.opened += 1
        return super().open_device(dev)

    def release_interface(self, dev_handle: UsbLine, intf: int) -> None:
        self._note("release", dev_handle)
        super().release_interface(dev_handle, intf)

    def attach_kernel_driver(self, dev_handle: UsbLine, intf: int) -> None:
        self._note("attach", dev_handle)
        self._there(dev_handle)
        super().attach_kernel_driver(dev_handle, intf)

    def _note(self, call: str, line: UsbLine) -> None:
        if not line.bus.plugged:
            self.failed.append(call)


async def test_a_device_pulled_in_mid_read_is_let_go_and_found_anew() -> None:
    """ENODEV at the read, and again at each attempt to give the device back: one loss, no error beside it and no handle
    left open; plugged in again it is opened anew.
    """
    line = UsbLine(Bus("OT-1", kernel=True))
    backend = Pulled(line)
    link = await UsbLink.open(WANTED, backend)
    reading = asyncio.ensure_future(link.read())
    await asyncio.sleep(0)
    line.unplug()
    with pytest.raises(LinkLost) as lost:
        await reading
    await link.close()
    assert lost.value.reason == Loss.UNPLUGGED
    assert backend.failed == ["release", "attach"]
    assert (line.bus.open_handles, line.bus.claimed) == (0, False)

    with pytest.raises(LinkLost) as missing:
        await UsbLink.open(WANTED, backend)
    assert missing.value.reason == Loss.MISSING
    line.bus.plugged = True
    again = await UsbLink.open(WANTED, backend)
    await line.write(b"here")
    assert await read(again, 4) == b"here"
    assert (backend.opened, line.bus.open_handles) == (2, 1)
    await again.close()


async def test_giving_a_pulled_device_back_never_fails() -> None:
    """Released twice, and after it went: nothing is raised in the thread that does it."""
    line = UsbLine(Bus("OT-1", kernel=True))
    backend = Pulled(line)
    claimed = claim(WANTED, backend)
    line.unplug()
    claimed.release()
    claimed.release()
    assert "release" in backend.failed
    assert line.bus.open_handles == 0
