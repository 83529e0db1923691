"""The devices of one table as its file names them, and what they need to know of each other."""

from collections.abc import Callable, Iterable

import msgspec

from tablectl.devices.contract import Driver, Identity, Loss
from tablectl.errors import LinkLost


class Configured(msgspec.Struct, frozen=True):
    """One device of the table file. serial: what it must answer with, empty for any."""

    id: str
    driver: type[Driver]
    url: str
    serial: str = ""


class Roster:
    """What the devices of one table need to know of each other, so that a mix-up is called by its name.

    meant: returns the serial number that must answer for a device, empty for any; the table file's, if left out.
    """

    def __init__(
        self, devices: Iterable[Configured] = (), meant: Callable[[Configured], str] = lambda device: device.serial
    ) -> None:
        self._devices = tuple(devices)
        self._meant = meant
        self._online: dict[str, tuple[str, str]] = {}

    def admit(self, device: Configured, identity: Identity) -> None:
        """Take a device as the one meant.

        Raises:
            LinkLost: ``wrong-device``, another one answers; ``same-device``, it answers at another place too.
        """
        self.check(device, identity)
        who = f"{identity.model} {identity.serial!r} answers"
        key = identity.model, identity.serial
        for other, online in self._online.items():
            if identity.serial and online == key and other != device.id:
                raise LinkLost(Loss.SAME_DEVICE, f"{who} as {other} already; two devices cannot be one")
        self._online[device.id] = key

    def check(self, device: Configured, identity: Identity) -> None:
        """Hold who answers against who is meant now.

        Raises:
            LinkLost: ``wrong-device``.
        """
        meant = self._meant(device)
        if meant in ("", identity.serial):
            return
        other = next((each.id for each in self._devices if self._meant(each) == identity.serial), "")
        swapped = f", which is {other}: are the two swapped?" if other else ""
        who = f"{identity.model} {identity.serial!r} answers"
        raise LinkLost(Loss.WRONG_DEVICE, f"{who}, awaited was serial {meant!r}{swapped}")

    def leave(self, device: str) -> None:
        """Note that a device does not answer any more."""
        self._online.pop(device, None)
