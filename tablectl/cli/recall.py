"""``tablectl recall``: a round told from the record."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from tablectl.cli.reading import By, note_reading


def recall(  # noqa: PLR0913, PLR0917 - each is one option of the command
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="The journal of a table.")],
    round_: Annotated[int | None, typer.Option("--round", min=1, help="This round.")] = None,
    last: Annotated[int, typer.Option("--last", min=1, help="The last N rounds.")] = 1,
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="All since then: 2026-11-30T14:05, local unless it says Z.")
    ] = "",
    position: Annotated[int | None, typer.Option("--position", min=1, help="Only what concerns this position.")] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,  # noqa: FBT002 - an option
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="As a page that needs no other file.")
    ] = None,
    by: By = "",
) -> None:
    """Tell what happened in a round: who had what, each decision and each payment with its clause.

    Ends with 0 when it was told, 1 when there is no such round, 2 when the journal or TIME cannot be read.
    """
    import msgspec  # noqa: PLC0415 - the command line starts fast

    from tablectl.errors import TablectlError  # noqa: PLC0415
    from tablectl.recall import Wanted, only  # noqa: PLC0415
    from tablectl.recall import recall as recalled  # noqa: PLC0415
    from tablectl.recall.page import as_page  # noqa: PLC0415
    from tablectl.recall.text import as_text  # noqa: PLC0415

    try:
        rounds = recalled(journal, Wanted(round_, last, moment(since)))
        if rounds:
            note_reading(journal, by, f"recall of rounds {rounds[0].round} to {rounds[-1].round}")
    except (TablectlError, ValueError) as error:
        typer.echo(f"tablectl recall: {error}", err=True)
        raise typer.Exit(2) from None
    if position:
        rounds = [only(each, position) for each in rounds]
    if not rounds:
        typer.echo("tablectl recall: no round was played then", err=True)
        raise typer.Exit(1)
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(rounds), indent=2))
    if html:
        _write(html, as_page(rounds))
    if not (json or html):
        typer.echo(f"\n{'=' * 80}\n\n".join(map(as_text, rounds)), nl=False)


def _write(file: Path, page: str) -> None:
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        typer.echo(f"tablectl recall: --html {file}: {error.strerror}", err=True)
        raise typer.Exit(2) from None


def moment(since: str) -> int | None:
    """Read a moment, in nanoseconds since 1970.

    Raises:
        ValueError: it is none.
    """
    if not since:
        return None
    try:
        return int(datetime.fromisoformat(since).astimezone().timestamp() * 1e9)
    except ValueError:
        raise ValueError(f"--since: awaited a time like 2026-11-30T14:05, found {since!r}") from None
