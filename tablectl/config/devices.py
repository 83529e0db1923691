"""Whether the devices of a table are those that its game is dealt with."""

import re
from collections.abc import Iterator, Mapping

from tablectl.config.fit import nearest, shown
from tablectl.config.form import Device
from tablectl.devices import registry
from tablectl.devices.contract import Kind
from tablectl.devices.link import Url
from tablectl.errors import ConfigError
from tablectl.rulebook import Problem, Variant
from tablectl.terms import Dealing

Devices = Mapping[int, Device]
"""Devices by their place in the file, as far as they could be read."""

SHOES = {Dealing.AUTOMATED: Kind.STACK_SHOE, Dealing.SHOE: Kind.CARD_SHOE}
_PASSING = re.compile(r"serial:/dev/tty(USB|ACM)\d")
_ONCE = {
    "id": '"{value}" is the id of {first}; each device has its own',
    "kind": "{first} is the {value} of this table; it has one",
    "url": "{first} is there; a port is opened by one",
}


def repeated(devices: Devices) -> Iterator[Problem]:
    """Refuse a second device with the id, the kind or the place of another."""
    for key, text in _ONCE.items():
        first: dict[str, str] = {}
        for index, device in devices.items():
            value = str(getattr(device, key))
            if value in first:
                yield Problem(("device", index, key), text.format(value=value, first=f"device {shown(first[value])}"))
            first.setdefault(value, device.id)


def useless(devices: Devices, dealing: Dealing, variant: Variant) -> Iterator[Problem]:
    """Refuse a device that this table has no use for, and would yet wait for."""
    shoe = (SHOES[dealing],) if dealing in SHOES else ()
    useful = (*shoe, Kind.SHUFFLER, Kind.READER, *((Kind.SHAKER,) if variant.dice else ()))
    for index, device in devices.items():
        if device.kind not in useful:
            text = f"a table with {dealing} dealing has no use for a {device.kind}; awaited one of {', '.join(useful)}"
            yield Problem(("device", index, "kind"), text)


def missing(devices: Devices, dealing: Dealing) -> Iterator[Problem]:
    """Refuse automated dealing without a shoe that deals; elsewhere the dealer's word does."""
    if dealing is Dealing.AUTOMATED and all(device.kind is not Kind.STACK_SHOE for device in devices.values()):
        yield Problem(("game", "dealing"), f"{dealing} needs a device of kind {Kind.STACK_SHOE}; there is none")


def not_live(devices: Devices) -> Iterator[Problem]:
    """Refuse, for live play, doubles, and ports under names that change with the order of plugging in."""
    for index, device in devices.items():
        key = ("device", index, "url")
        if device.url.startswith("double:"):
            yield Problem(key, f"live play is not open on a double, found {shown(device.url)}")
        if _PASSING.match(device.url):
            text = f"awaited a name that stays, /dev/serial/by-path/..., for live play; found {shown(device.url)}"
            yield Problem(key, text)


def unknown(devices: Devices) -> Iterator[Problem]:
    """Refuse drivers that are not installed or drive something else, and links that nobody opens."""
    for index, device in devices.items():
        yield from _wrong_driver(device, index)
        try:
            Url.parse(device.url)
        except ConfigError as error:
            yield Problem(("device", index, "url"), str(error))


def _wrong_driver(device: Device, index: int) -> Iterator[Problem]:
    key = ("device", index, "driver")
    try:
        kind = registry.driver(device.driver).kind
    except ConfigError as error:
        yield Problem(key, f"{error}{nearest(device.driver, registry.names(registry.DRIVERS))}")
    else:
        if kind != device.kind:
            yield Problem(key, f"{shown(device.driver)} drives a {kind}; this device is a {device.kind}")
