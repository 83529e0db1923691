"""``tablectl check``: what a table file would play, or everything that is wrong with it."""

from pathlib import Path
from typing import Annotated

import typer


def check(table_file: Annotated[Path, typer.Argument(metavar="TABLE.toml", help="The table file.")]) -> None:
    """Say what a table file would play, or everything that is wrong with it and its house file.

    Ends with 0 when the table could be run, 1 when something is wrong.
    """
    from tablectl.cli import summary  # noqa: PLC0415 - the command line starts fast
    from tablectl.config import load  # noqa: PLC0415
    from tablectl.errors import ConfigError  # noqa: PLC0415

    try:
        configured, settings = load(table_file)
    except ConfigError as error:
        summary.tell_mistakes(error)
        raise typer.Exit(1) from None
    summary.tell_play(configured, settings)
