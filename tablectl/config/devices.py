"""Whether the devices of a table are those that its game is dealt with."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple, Self, cast

from tablectl.config.fit import nearest, shown
from tablectl.config.form import Kinds, all_of
from tablectl.config.source import Source
from tablectl.devices import registry
from tablectl.devices.contract import Kind
from tablectl.devices.link import Url
from tablectl.errors import ConfigError
from tablectl.rulebook import Key, Problem, Variant, dotted
from tablectl.terms import Dealing


class Devices(NamedTuple):
    """The devices of a table, column by column: what could be read of each, by its place in the file."""

    ids: Mapping[int, str]
    kinds: Mapping[int, tuple[Kind, ...]]
    drivers: Mapping[int, str]
    urls: Mapping[int, str]

    @classmethod
    def of(cls, table: Source) -> Self:
        """Read what can be read of them."""
        return cls(
            table.column(str, "device", "id"),
            {index: all_of(kind) for index, kind in table.column(cast("type[Kinds]", Kinds), "device", "kind").items()},
            table.column(str, "device", "driver"),
            table.column(str, "device", "url"),
        )

    def each_kind(self) -> Iterator[tuple[int, Kind]]:
        """Yield every kind of every device, with the device's place in the file."""
        return chain.from_iterable(((index, kind) for kind in kinds) for index, kinds in self.kinds.items())


SHOES = {Dealing.AUTOMATED: Kind.STACK_SHOE, Dealing.SHOE: Kind.CARD_SHOE}
_UNREAL = ("double:", "usb:double:", "trace:")
_PASSING = re.compile(r"serial:/dev/tty(USB|ACM)\d")


def repeated(devices: Devices) -> Iterator[Problem]:
    """Refuse a second device with the id, the kind or the place of another."""
    columns = {"id": devices.ids.items(), "kind": devices.each_kind(), "url": devices.urls.items()}
    for name, column in columns.items():
        first: dict[str, int] = {}
        for index, value in column:
            if value in first:
                other = dotted(("device", first[value]))
                yield Problem(("device", index, name), f"{shown(value)} is {other} already; each {name} stands once")
            first.setdefault(value, index)


def useless(devices: Devices, dealing: Dealing, variant: Variant) -> Iterator[Problem]:
    """Refuse a device that this table has no use for, and would yet wait for."""
    shoe = (SHOES[dealing],) if dealing in SHOES else ()
    useful = (*shoe, Kind.SHUFFLER, Kind.READER, Kind.WAGER_SENSOR, *((Kind.SHAKER,) if variant.dice else ()))
    for index, kind in devices.each_kind():
        if kind not in useful:
            text = f"a table with {dealing} dealing has no use for a {kind}; awaited one of {', '.join(useful)}"
            yield Problem(("device", index, "kind"), text)


def missing(devices: Devices, dealing: Dealing, variant: Variant) -> Iterator[Problem]:
    """Refuse automated dealing without a shoe that deals, and a way of dealing for which a machine must shuffle without
    one; elsewhere the dealer's word does.
    """
    kinds = [kind for _, kind in devices.each_kind()]
    if dealing is Dealing.AUTOMATED and Kind.STACK_SHOE not in kinds:
        yield Problem(("game", "dealing"), f"{dealing} needs a device of kind {Kind.STACK_SHOE}; there is none")
    if dealing in variant.shuffler and Kind.SHUFFLER not in kinds:
        text = f"{dealing} needs a device of kind {Kind.SHUFFLER}; there is none ({variant.cites})"
        yield Problem(("game", "dealing"), text)


def not_live(devices: Devices) -> Iterator[Problem]:
    """Refuse, for live play, doubles, and ports under names that change with the order of plugging in."""
    for index, url in devices.urls.items():
        key = ("device", index, "url")
        if url.startswith(_UNREAL):
            yield Problem(key, f"live play is not open on a double, found {shown(url)}")
        if _PASSING.match(url):
            text = f"awaited a name that stays, /dev/serial/by-path/..., for live play; found {shown(url)}"
            yield Problem(key, text)


def unknown(devices: Devices) -> Iterator[Problem]:
    """Refuse drivers that are not installed or drive something else, and links that nobody opens."""
    for index, driver in devices.drivers.items():
        yield from _wrong_driver(driver, devices.kinds.get(index, ()), ("device", index, "driver"))
    for index, url in devices.urls.items():
        try:
            Url.parse(url)
        except ConfigError as error:
            yield Problem(("device", index, "url"), str(error))


def _wrong_driver(driver: str, kinds: tuple[Kind, ...], key: Key) -> Iterator[Problem]:
    try:
        driven = registry.kinds(registry.driver(driver))
    except ConfigError as error:
        yield Problem(key, f"{error}{nearest(driver, registry.names(registry.DRIVERS))}")
    else:
        if any(kind not in driven for kind in kinds):
            text = f"{shown(driver)} drives a {' and a '.join(driven)}; this device is a {' and a '.join(kinds)}"
            yield Problem(key, text)
