"""``tablectl run``: the daemon of one table."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tablectl.telemetry.logs import Style


def run(
    table_file: Annotated[Path, typer.Argument(metavar="TABLE.toml", help="The table file.")],
    log: Annotated[
        Style | None, typer.Option(help="How the log looks; console on a terminal, else JSON lines.")
    ] = None,
) -> None:
    """Run the table of a table file until it is told to stop.

    Ends with 0 when stopped, 75 when another process runs this table or holds one of its ports, 78 when the table file
    cannot be played by, 1 when the record cannot be kept.
    """
    import asyncio  # noqa: PLC0415 - the command line starts fast

    from tablectl.daemon import PortBusy  # noqa: PLC0415
    from tablectl.daemon import run as run_table  # noqa: PLC0415
    from tablectl.errors import ConfigError, TablectlError, first_of  # noqa: PLC0415
    from tablectl.journal import JournalBusy  # noqa: PLC0415

    statuses: dict[type[BaseException], int] = {JournalBusy: 75, PortBusy: 75, ConfigError: 78}
    try:
        asyncio.run(run_table(table_file, log or Style.of(sys.stdout)))
    except* TablectlError as group:
        error = first_of(group)
        typer.echo(f"tablectl run {table_file}: {error}", err=True)
        raise typer.Exit(statuses.get(type(error), 1)) from None
