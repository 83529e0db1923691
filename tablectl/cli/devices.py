"""``tablectl devices``: what is plugged in, under which name it stays, and who answers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablectl.cli.writing import writable

if TYPE_CHECKING:
    from tablectl.devices.discovery import Found


def devices(
    urls: Annotated[
        list[str] | None, typer.Argument(metavar="URL...", help="Where to ask who is there: serial:/dev/ttyUSB0 ...")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the list for machines here.", callback=writable)] = None,
    *,
    ask_all: Annotated[bool, typer.Option("--ask-all", help="Say hello on every port found.")] = False,
) -> None:
    """List serial ports and USB devices; say hello where it is allowed, and only there.

    Whoever is named, or all with --ask-all, is asked who it is; nothing moves. For each that answers, what to write
    into the table file is shown. Ends with 1 if somebody who was named does not answer, 78 if a URL cannot be right.
    """
    import asyncio  # noqa: PLC0415 - the command line starts fast

    import msgspec  # noqa: PLC0415

    from tablectl.devices.discovery import find, places, unlisted  # noqa: PLC0415
    from tablectl.errors import ConfigError  # noqa: PLC0415

    named = [*(urls or ())]
    try:
        everywhere = [found.url for found in places()] if ask_all else []
        found = asyncio.run(find(dict.fromkeys((*named, *everywhere))))
    except ConfigError as error:
        typer.echo(f"tablectl devices: {error}", err=True)
        raise typer.Exit(78) from error
    if json:
        json.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    typer.echo("\n\n".join(map(_text, found)) or "No serial port and no USB device of a vendor's own class is there.")
    if why := unlisted():
        typer.echo(f"tablectl devices: no USB device is listed: {why}", err=True)
    raise typer.Exit(1 if any(each.url in named and not each.identity for each in found) else 0)


def _text(found: "Found") -> str:
    from tablectl.devices.discovery import stanza  # noqa: PLC0415

    lines = [found.url, f"  {found.text}" if found.text else ""]
    if found.identity is None:
        lines.append(f"  {found.why}")
    else:
        who = found.identity
        lines.append(f"  {who.model}, serial {who.serial}, firmware {who.firmware}: {' and '.join(who.kinds)}")
        lines.append(f"  driver: {', '.join(found.drivers) or 'none that is installed fits'}")
        lines.append(stanza(found))
    return "\n".join(line for line in lines if line)
