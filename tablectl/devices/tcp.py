"""Serial servers, ``tcp:192.168.1.20:4001``: the bytes of a serial port over TCP. Both ends of it."""

import asyncio
import contextlib
import errno
import os
import socket
from typing import Any

import msgspec

from tablectl.devices.contract import Loss
from tablectl.devices.descriptor import DescriptorLink
from tablectl.devices.link import Cable, Url
from tablectl.errors import ConfigError, LinkLost

PATIENCE = 3.0
"""Seconds in which a server must take a connection."""
_DEAD_AFTER = 5000
"""Milliseconds after which the system gives up a connection that acknowledges nothing."""
_BACKLOG = 4
_LAST_PORT = 65535


class TcpOptions(msgspec.Struct, forbid_unknown_fields=True):
    """There are none: baud and parity are set at the serial server."""


async def open_tcp(url: Url) -> DescriptorLink:
    """Connect to a serial server.

    Raises:
        ConfigError: the place is no ``host:port``.
        LinkLost: ``missing``, nobody listens there; ``port-busy``, the server refuses another host.
    """
    url.options(TcpOptions)
    host, port = address(url.place)
    plug = await _connect(host, port)
    plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_AFTER)
    return DescriptorLink(plug.fileno(), url.place, plug.close)


def address(place: str) -> tuple[str, int]:
    """Read ``host:port``; an IPv6 host stands in brackets.

    Raises:
        ConfigError: it is something else.
    """
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal() or not 0 <= int(port) <= _LAST_PORT:
        raise ConfigError(f"{place!r} is no HOST:PORT, such as 192.168.1.20:4001")
    return host.removeprefix("[").removesuffix("]"), int(port)


async def _connect(host: str, port: int) -> socket.socket:
    loop = asyncio.get_running_loop()
    failure: OSError | None = None
    try:
        async with asyncio.timeout(PATIENCE):
            for family, kind, protocol, _, place in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                try:
                    return await _plug(socket.socket(family, kind, protocol), place)
                except OSError as error:
                    failure = error
    except TimeoutError:
        failure = OSError(errno.ETIMEDOUT, f"no connection in {PATIENCE:g} s")
    except OSError as error:
        failure = error
    raise LinkLost(Loss.MISSING, f"{host}:{port}: {_why(failure)}")


def _why(failure: OSError | None) -> str:
    if failure is None:
        return "no such host"
    named = failure.errno in errno.errorcode and not isinstance(failure, socket.gaierror)
    return os.strerror(failure.errno) if named and failure.errno else str(failure.strerror)


async def _plug(plug: socket.socket, place: Any) -> socket.socket:
    plug.setblocking(False)  # noqa: FBT003 - the standard library's
    try:
        await asyncio.get_running_loop().sock_connect(plug, place)
    except BaseException:
        plug.close()
        raise
    return plug


class TcpLine(Cable):
    """The device's end: a server that one host at a time is connected to, a further one is turned away."""

    def __init__(self, server: socket.socket) -> None:
        super().__init__()
        self._server = server
        self._plug = server
        self._host: DescriptorLink | None = None
        self._came = asyncio.Event()
        self._closed = False
        asyncio.get_running_loop().add_reader(server.fileno(), self._accept)

    @property
    def port(self) -> int:
        """Return the port on which it listens."""
        return int(self._server.getsockname()[1])

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            plug, _ = self._server.accept()
            plug.setblocking(False)  # noqa: FBT003 - the standard library's
            if self._host and not _hung_up(self._plug):
                plug.close()
                return
            if self._host:
                self._host.drop()
            self._plug = plug
            self._host = DescriptorLink(plug.fileno(), "host", plug.close)
            self._came.set()

    async def read(self) -> bytes:
        """Return what the host sends, whichever host it is."""
        while True:
            await self._came.wait()
            if self._closed or not self._host:
                raise LinkLost(Loss.CLOSED)
            host = self._host
            try:
                return await host.read()
            except LinkLost:
                if host is self._host:
                    await self.hang_up()

    async def write(self, data: bytes) -> None:
        """Send what the host takes; a device does not care whether one is there."""
        if self._host:
            with contextlib.suppress(LinkLost):
                await self._host.write(data)

    async def hang_up(self) -> None:
        """Drop the host; the next may come."""
        if self._closed:
            return
        self._came.clear()
        host, self._host = self._host, None
        if host:
            await host.close()

    async def fail(self) -> None:
        """Hang up: a connection knows no other failure."""
        await self.hang_up()

    async def close(self) -> None:
        """Stop listening."""
        await self.hang_up()
        self._closed = True
        self._came.set()
        with contextlib.suppress(OSError, ValueError):
            asyncio.get_running_loop().remove_reader(self._server.fileno())
        self._server.close()


def _hung_up(plug: socket.socket) -> bool:
    """Tell whether the host has gone, though nobody has read that yet."""
    try:
        return plug.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def listen(place: str) -> TcpLine:
    """Be a serial server at ``host:port``; port 0 takes any that is free.

    Raises:
        ConfigError: it cannot listen there.
    """
    host, port = address(place)
    try:
        server = socket.create_server((host, port), backlog=_BACKLOG)
    except OSError as error:
        raise ConfigError(f"nothing can listen at {place}: {error.strerror}") from error
    server.setblocking(False)  # noqa: FBT003 - the standard library's
    return TcpLine(server)
