"""``tablectl monitor``: what passes between a driver and its device."""

from pathlib import Path
from typing import Annotated

import typer

from tablectl.cli.writing import writable


def monitor(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="serial:/dev/ttyUSB0, usb:1209:4f54, tcp:HOST:PORT, trace:FILE ...")
    ],
    driver: Annotated[str, typer.Option(help="The driver to open it with; else whichever fits.")] = "",
    record: Annotated[Path | None, typer.Option(help="Keep it as a trace in this file.", callback=writable)] = None,
    *,
    rehearsal: Annotated[bool, typer.Option("--rehearsal", help="No live cards: show devices that read.")] = False,
    acknowledge: Annotated[bool, typer.Option("--acknowledge", help="Take events: no table gets them.")] = False,
) -> None:
    """Show what a device says, message by message, until stopped. It moves nothing and acknowledges nothing.

    A device that reads cards is refused unless --rehearsal is given. Ends with 0 when stopped or when the link ends,
    1 when there is nothing to look at.
    """
    import asyncio  # noqa: PLC0415 - the command line starts fast
    import signal  # noqa: PLC0415

    from tablectl.devices.monitor import Monitor, fitting, until  # noqa: PLC0415
    from tablectl.errors import TablectlError  # noqa: PLC0415

    async def look() -> None:
        name = driver or await fitting(url)
        monitor = Monitor(name, typer.echo, live=not rehearsal, acknowledge=acknowledge)
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await until(stop, asyncio.create_task(monitor.look(url, record)))

    try:
        asyncio.run(look())
    except TablectlError as error:
        typer.echo(f"tablectl monitor: {error}", err=True)
        raise typer.Exit(1) from error
