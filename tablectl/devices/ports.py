"""Which serial ports there are, and the names that stay theirs."""

from pathlib import Path

import msgspec
from serial.tools import list_ports

BY_ID, BY_PATH = "by-id", "by-path"
NAMES = Path("/dev/serial")
"""Where udev keeps names that outlast a reboot: by what the adapter says of itself, and by where it is plugged in."""


class Port(msgspec.Struct, frozen=True):
    """One serial port. usb: vendor and product, empty for a port that is no USB adapter; number: the adapter's serial
    number; by_id, by_path: its lasting names, where udev gave it such.
    """

    node: str
    text: str = ""
    usb: str = ""
    number: str = ""
    by_id: str = ""
    by_path: str = ""

    @property
    def name(self) -> str:
        """Return the name to configure: by-id only where a serial number makes it its own."""
        return (self.by_id if self.number else "") or self.by_path or self.node


def ports() -> list[Port]:
    """Return the serial ports of this machine, by their nodes."""
    by_id, by_path = _names(BY_ID), _names(BY_PATH)
    found = (
        Port(
            info.device,
            info.description if info.description != "n/a" else "",
            f"{info.vid:04x}:{info.pid:04x}" if info.vid is not None and info.pid is not None else "",
            info.serial_number or "",
            by_id.get(info.device, ""),
            by_path.get(info.device, ""),
        )
        for info in list_ports.comports()
    )
    return sorted(found, key=lambda port: port.node)


def _names(kind: str) -> dict[str, str]:
    """Return the lasting name of each node."""
    return {str(link.resolve()): str(link) for link in sorted((NAMES / kind).glob("*"))}


def alike(path: Path) -> list[str]:
    """Return the ports that a by-id name could mean, if it could mean more than one: equal adapters without a serial
    number share one name, and udev gives it to whichever came last.
    """
    if path.parent.name != BY_ID or not path.exists():
        return []
    there = ports()
    meant = next((port for port in there if port.node == str(path.resolve())), None)
    if meant is None or not meant.usb or meant.number:
        return []
    same = [port.by_path or port.node for port in there if port.usb == meant.usb and not port.number]
    return same if len(same) > 1 else []
