"""``tablectl replay``: the record recomputed."""

from pathlib import Path
from typing import Annotated

import typer


def replay(journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="The journal of a table.")]) -> None:
    """Recompute every fact of a journal, and stop at the first that differs.

    Ends with 0 when life and replay agree, 1 when they differ, 2 when the journal cannot be read.
    """
    from tablectl.errors import TablectlError  # noqa: PLC0415 - the command line starts fast
    from tablectl.replay import Difference  # noqa: PLC0415
    from tablectl.replay import replay as replayed  # noqa: PLC0415

    try:
        result = replayed(journal)
    except TablectlError as error:
        typer.echo(f"tablectl replay: {error}", err=True)
        raise typer.Exit(2) from error
    if isinstance(result, Difference):
        typer.echo(f"Replay differs from the record at {result}")
        raise typer.Exit(1)
    typer.echo(f"No difference: {result.rounds} rounds, {result.inputs} inputs, {result.facts} facts.")
