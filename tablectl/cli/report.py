"""``tablectl report``: what a shift, the decks and wrong counts come to, told from the record."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tablectl.cli.reading import By, note_reading
from tablectl.cli.recall import moment


class Kind(StrEnum):
    """What is reported."""

    SHIFT = "shift"
    DECKS = "decks"
    DISCREPANCY = "discrepancy"


def report(  # noqa: PLR0913, PLR0917 - each is one option of the command
    kind: Annotated[
        Kind, typer.Argument(help="shift: what it came to. decks: those at the table. discrepancy: counts gone wrong.")
    ],
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="The journal of a table.")],
    day: Annotated[str, typer.Option("--day", metavar="DATE", help="This gaming day, else the last.")] = "",
    shift: Annotated[str, typer.Option("--shift", metavar="NAME", help="This shift of it, else all.")] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="All since then: 2026-11-30T14:05, local unless it says Z.")
    ] = "",
    by: By = "",
    json: Annotated[bool, typer.Option("--json", help="As JSON, all three in one.")] = False,  # noqa: FBT002
) -> None:
    """Tell what a gaming day or shift came to: rounds, irregularities, rulings with names, calls, decks, wrong counts.

    Ends with 0 when it was told, 2 when the journal holds no such day, or cannot be read.
    """
    import msgspec  # noqa: PLC0415 - the command line starts fast

    from tablectl.errors import TablectlError  # noqa: PLC0415
    from tablectl.report import Span, text, told  # noqa: PLC0415

    try:
        found = told(journal, Span(day, shift, moment(since)))
        note_reading(journal, by, f"{kind} report of rows {found.rows[0]} to {found.rows[1]}")
    except (TablectlError, ValueError) as error:
        typer.echo(f"tablectl report: {error}", err=True)
        raise typer.Exit(2) from None
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(found), indent=2))
    else:
        typer.echo(getattr(text, kind.value)(found), nl=False)
