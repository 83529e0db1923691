"""Finding and claiming a USB device through pyusb. All of it waits, so it is for a thread."""

import contextlib
import errno
import os
from pathlib import Path
from typing import Any, Self

import msgspec

from tablectl.devices.contract import Loss
from tablectl.devices.link import WRITE_DEADLINE, Url
from tablectl.devices.serial_port import ownership
from tablectl.errors import ConfigError, LinkLost

try:
    import usb.backend.libusb1
    import usb.core
    import usb.util
except ImportError as error:  # an extra: a table of serial devices needs no USB library
    raise ConfigError(f"usb: links need pyusb ({error}); install tablectl[usb]") from error

TimedOut: type[OSError] = usb.core.USBTimeoutError
"""Nothing came in time."""
_NODES = Path("/dev/bus/usb")
REASONS = {
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
    reason = REASONS.get(error.errno or 0, Loss.UNUSABLE)
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
