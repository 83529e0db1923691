"""Who reads a record from the command line, noted beside it."""

import time
from pathlib import Path
from typing import Annotated

import typer

By = Annotated[
    str,
    typer.Option("--by", metavar="NAME", envvar="TABLECTL_READER", help="Who reads: noted beside the journal."),
]
"""The option of every command that tells from a record."""


def note_reading(journal: Path, by: str, what: str) -> None:
    """Note a reading by name; without a name nothing is noted.

    Raises:
        JournalError: it cannot be noted.
    """
    from tablectl.journal import note  # noqa: PLC0415 - the command line starts fast

    if by:
        note(journal, by, what, time.time_ns())
