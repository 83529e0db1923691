"""Bytes to and from a device, whatever the cable.

A link is named by a URL, ``scheme:place?option=value``. To add a scheme, write a function that opens a :class:`Url`
and name it in ``SCHEMES``.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from pkgutil import resolve_name
from typing import Self, TypeVar
from urllib.parse import parse_qsl

import msgspec

from tablectl.devices.contract import Link, Loss
from tablectl.errors import ConfigError, LinkLost

SCHEMES = {
    "serial": "tablectl.devices.serial_port:open_serial",
    "usb": "tablectl.devices.usb:open_usb",
    "tcp": "tablectl.devices.tcp:open_tcp",
    "double": "tablectl.devices.bench:open_double",
    "trace": "tablectl.devices.trace:open_trace",
}
"""Where each scheme is opened; the module is imported when the first URL asks for it."""

WRITE_DEADLINE = 1.0
"""Seconds in which a peer must take what is written to it."""


Options = TypeVar("Options", bound=msgspec.Struct)


class Url(msgspec.Struct, frozen=True):
    """Where a device is: ``serial:/dev/ttyUSB0?baud=115200``. place: between the colon and the question mark."""

    scheme: str
    place: str
    query: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a URL.

        Raises:
            ConfigError: a scheme that nobody opens, or no place, or an option without a value.
        """
        scheme, _, rest = text.partition(":")
        place, _, query = rest.partition("?")
        if scheme not in SCHEMES:
            meant = f"; did you mean 'serial:{text}'?" if text.startswith("/dev/") else ""
            raise ConfigError(f"{text!r}: a link begins with one of {_listed(SCHEMES)}{meant}")
        if not place:
            raise ConfigError(f"{text!r}: nothing stands behind {scheme + ':'!r}")
        try:
            return cls(scheme, place, dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))))
        except ValueError as error:
            raise ConfigError(f"{text!r}: options are written ?name=value&name=value ({error})") from error

    def options(self, form: type[Options]) -> Options:
        """Return the options in their form.

        Raises:
            ConfigError: an option that the form does not know, or a value of the wrong type.
        """
        try:
            return msgspec.convert(self.query, form, strict=False)
        except msgspec.ValidationError as error:
            raise ConfigError(f"{self.scheme}:{self.place}: {error}; options are {_options(form)}") from error


def _listed(names: dict[str, str]) -> str:
    return ", ".join(f"{name}:" for name in sorted(names))


def _options(form: type[msgspec.Struct]) -> str:
    return ", ".join(form.__struct_fields__)


Opener = Callable[[Url], Awaitable[Link]]


async def open_link(text: str) -> Link:
    """Open the link that a URL names.

    Raises:
        ConfigError: the URL cannot be right.
        LinkLost: there is nothing there, or it cannot be had now.
    """
    url = Url.parse(text)
    opener: Opener = resolve_name(SCHEMES[url.scheme])
    return await opener(url)


class Cable:
    """What every link has; see :class:`tablectl.devices.contract.Link`."""

    settings = ""

    def __init__(self) -> None:
        self.nonce = secrets.randbelow(2**32 - 1) + 1

    def trouble(self) -> LinkLost | None:
        """Return None: nobody can exchange this cable unseen."""
        return None


class Inlet(Cable):
    """A cable whose bytes wait here until they are read; that it was lost is told after them."""

    def __init__(self) -> None:
        super().__init__()
        self._received = bytearray()
        self._arrived = asyncio.Event()
        self._lost: LinkLost | None = None

    async def read(self) -> bytes:
        """Return what arrived."""
        await self._arrived.wait()
        if not self._received and self._lost:
            raise self._lost
        data = bytes(self._received)
        self._received.clear()
        if not self._lost:
            self._arrived.clear()
        self.make_room()
        return data

    def arrive(self, data: bytes) -> None:
        """Take bytes from the other end."""
        self._received += data
        self._arrived.set()

    def lose(self, lost: LinkLost) -> None:
        """End the cable, after what it has received; the first reason holds."""
        self._lost = self._lost or lost
        self._arrived.set()

    def make_room(self) -> None:
        """Let more bytes come where that was stopped: everything was just read."""


class Pipe(Inlet):
    """One end of a cable inside this process. What the other end does not read in time is lost, as on a wire."""

    ROOM = 65536
    """Bytes that wait for a reader."""

    def __init__(self) -> None:
        super().__init__()
        self.other = self

    @classmethod
    def pair(cls) -> tuple["Pipe", "Pipe"]:
        """Return both ends."""
        here, there = cls(), cls()
        here.other, there.other = there, here
        return here, there

    async def write(self, data: bytes) -> None:
        """Hand bytes over."""
        if self._lost:
            raise self._lost
        self.other.arrive(data)

    def arrive(self, data: bytes) -> None:
        """Take bytes from the other end, as far as there is room."""
        if len(self._received) + len(data) <= self.ROOM:
            super().arrive(data)

    async def hang_up(self) -> None:
        """Let the other end see the cable go; it is plugged in again with the next pair."""
        self.other.lose(LinkLost(Loss.UNPLUGGED))

    async def fail(self) -> None:
        """Hang up: a pipe knows no other failure."""
        await self.hang_up()

    async def close(self) -> None:
        """Close, without waiting for anybody."""
        self.lose(LinkLost(Loss.CLOSED))
        self.other.lose(LinkLost(Loss.UNPLUGGED))
