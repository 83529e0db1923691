"""The broker of a rehearsal: mosquitto where there is one, else one in this process, or one that runs already."""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from getpass import getuser
from importlib.util import find_spec
from pathlib import Path

from tablectl.errors import ConfigError
from tablectl.publisher import Address
from tablectl.rehearsal.children import Child, Children

EMBEDDED = "embedded"
LOOPBACK = "127.0.0.1"
SBIN = os.pathsep.join(("/usr/local/sbin", "/usr/sbin", "/sbin"))
"""Where Debian keeps mosquitto, and a user's PATH does not look."""
PATIENCE = 30.0
"""Seconds in which a broker or the pit display has opened its port."""


@asynccontextmanager
async def broker(wanted: str, folder: Path, children: Children) -> AsyncIterator[Address]:
    """Give the address of a broker. wanted: ``HOST:PORT``, ``embedded``, or empty.

    Raises:
        ConfigError: there is none, and what helps.
    """
    mosquitto = shutil.which("mosquitto", path=os.environ.get("PATH", "") + os.pathsep + SBIN)
    if wanted and wanted != EMBEDDED:
        yield await _found(wanted)
    elif mosquitto and not wanted:
        yield await _mosquitto(mosquitto, folder, children)
    else:
        async with _embedded() as address:
            yield address


async def _found(wanted: str) -> Address:
    host, _, port = wanted.rpartition(":")
    if not (host and port.isdecimal()):
        raise ConfigError(f"--broker {wanted}: awaited HOST:PORT, or {EMBEDDED}")
    address = Address(host.strip("[]"), int(port))
    try:
        await _answers(address.host, address.port)
    except TimeoutError:
        raise ConfigError(f"--broker {wanted}: nobody answers there") from None
    return address


async def _mosquitto(program: str, folder: Path, children: Children) -> Address:
    """Start a mosquitto that only this machine can reach and that forgets everything."""
    address = Address(LOOPBACK, free_port())
    config = folder / "mosquitto.conf"
    config.write_text(
        f"listener {address.port} {LOOPBACK}\n"
        "allow_anonymous true\n"
        "persistence false\n"
        "set_tcp_nodelay true\n"  # without it a burst of messages waits 40 ms for an acknowledgement
        f"user {getuser()}\n",
        encoding="utf-8",
    )
    child = await children.start("mosquitto", program, "-c", str(config))
    await opened(child, address.host, address.port)
    return address


@asynccontextmanager
async def _embedded() -> AsyncIterator[Address]:
    """Run a broker in this process; it speaks MQTT 3.1.1."""
    if not find_spec("amqtt"):
        raise ConfigError(
            "there is no broker: install mosquitto, or pip install amqtt, or name one by --broker HOST:PORT"
        )
    from amqtt.broker import Broker  # noqa: PLC0415 - an extra

    address = Address(LOOPBACK, free_port(), protocol="3.1.1")
    embedded = Broker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"{LOOPBACK}:{address.port}"}},
            "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
        }
    )
    await embedded.start()
    try:
        yield address
    finally:
        await embedded.shutdown()


def free_port(wanted: int = 0) -> int:
    """Return a port that nobody listens on: the wanted one if it is free."""
    with suppress(OSError), socket.create_server((LOOPBACK, wanted)) as server:
        return int(server.getsockname()[1])
    return free_port()


async def opened(child: Child, host: str, port: int) -> None:
    """Wait until a process has opened its port.

    Raises:
        Fallen: it ended before.
        TimeoutError: the port stays closed.
    """
    answered = asyncio.create_task(_answers(host, port))
    fell = asyncio.create_task(child.watch())
    done, _ = await asyncio.wait((answered, fell), return_when=asyncio.FIRST_COMPLETED)
    for task in (answered, fell):
        task.cancel()
    for task in done:
        task.result()


async def _answers(host: str, port: int) -> None:
    """Wait until a port is open: one that opens tells nobody.

    Raises:
        TimeoutError: it stays closed.
    """
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection(host, port)
                writer.close()
                await writer.wait_closed()
                return
            await asyncio.sleep(0.01)
