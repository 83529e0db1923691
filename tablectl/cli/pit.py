"""``tablectl pit``: show every table of a pit on one page."""

import asyncio
import re
import signal
import ssl
from collections.abc import Coroutine
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tablectl.errors import ConfigError
from tablectl.pit import serve
from tablectl.publisher import Address

EX_CONFIG = 78
"""sysexits.h: starting again would not help."""


class Protocol(StrEnum):
    """The versions of MQTT that a broker may speak."""

    V5 = "5"
    V311 = "3.1.1"


def address(text: str, default_port: int | None = None) -> tuple[str, int]:
    """Read ``HOST:PORT``, IPv6 in brackets; without a default the port must be there.

    >>> address("[::1]:8080"), address("broker", 1883)
    (('::1', 8080), ('broker', 1883))

    Raises:
        typer.BadParameter: anything else.
    """
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^\s:\[\]]+))(?::(\d{1,5}))?", text)
    port = int(found[3]) if found and found[3] else default_port
    if not found or port is None or port > 65535:  # noqa: PLR2004 - a port has sixteen bits
        raise typer.BadParameter(
            f'awaited {"HOST:PORT" if default_port is None else "HOST or HOST:PORT"}, not "{text}"'
        )
    return found[1] or found[2], port


def _broker(text: str) -> tuple[str, int]:
    host, port = address(text, default_port=1883)
    if port == 0:
        raise typer.BadParameter(f'awaited a port above 0, not "{text}"')
    return host, port


def _id(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]{1,32}", text):
        raise typer.BadParameter(f'awaited 1 to 32 of a-z, 0-9 and -, not "{text}"')
    return text


def _password(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path}: {error}") from error


def _trusting(path: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=path)
    except OSError as error:
        raise typer.BadParameter(f"{path}: not a file of PEM certificates: {error}") from error


def _until_terminated(work: Coroutine[Any, Any, None]) -> None:
    """Run until SIGINT or SIGTERM, and then end in order."""

    async def run() -> None:
        task = asyncio.create_task(work)
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    asyncio.run(run())


def pit(  # noqa: PLR0913, PLR0917 - each is one option of the command
    broker: Annotated[
        Any, typer.Option(parser=_broker, metavar="HOST[:PORT]", help="The broker that hears every table of the pit.")
    ],
    site: Annotated[str, typer.Option(parser=_id, metavar="ID", help="The site, as the table files name it.")] = "demo",
    pit: Annotated[str, typer.Option(parser=_id, metavar="ID", help="The pit, as the table files name it.")] = "pit1",
    listen: Annotated[
        Any, typer.Option(parser=address, metavar="HOST:PORT", help="Where the page is served.")
    ] = "127.0.0.1:8080",
    protocol: Annotated[Protocol, typer.Option(help="The broker's version of MQTT.")] = Protocol.V5,
    username: Annotated[str | None, typer.Option(help="The display's name at the broker.")] = None,
    password: Annotated[
        str | None, typer.Option("--password-file", parser=_password, metavar="FILE", help="Its password.")
    ] = None,
    tls: Annotated[
        Any, typer.Option("--tls-ca", parser=_trusting, metavar="FILE", help="PEM certificates to trust; turns TLS on.")
    ] = None,
) -> None:
    """Show every table of a pit on one page, live. Nothing is ever published."""
    host, port = broker
    where = Address(host, port, protocol.value, username, password, tls)
    try:
        _until_terminated(serve(where, site=site, pit=pit, host=listen[0], port=listen[1]))
    except ConfigError as error:
        typer.echo(f"tablectl pit: {error}", err=True)
        raise typer.Exit(EX_CONFIG) from error
