"""``tablectl journal``: a record proven, counted or written out."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tablectl.cli.reading import By, note_reading


class Task(StrEnum):
    """What is done with a journal."""

    VERIFY = "verify"
    EXPORT = "export"
    STAT = "stat"
    READS = "reads"


HELP = "verify: prove it. export: a JSON line for each row. stat: count it. reads: who read it by name."


def journal(
    task: Annotated[Task, typer.Argument(help=HELP)],
    file: Annotated[Path, typer.Argument(metavar="JOURNAL", help="The journal of a table.")],
    by: By = "",
) -> None:
    """Prove a journal by its chain of hashes, write it out, or say what it holds or who read it; nothing is changed.

    Ends with 0 when it is whole, 1 when it is damaged, 2 when it cannot be read.
    """
    from tablectl.errors import JournalError  # noqa: PLC0415 - the command line starts fast
    from tablectl.journal import JournalDamaged  # noqa: PLC0415

    try:
        note_reading(file, by, f"journal {task}")
        _TASKS[task](file)
    except JournalError as error:
        typer.echo(f"tablectl journal {task}: {error}", err=True)
        raise typer.Exit(1 if isinstance(error, JournalDamaged) else 2) from None


def _verify(file: Path) -> None:
    from tablectl.journal import prove, readings  # noqa: PLC0415

    head, read = prove(file), sum(1 for _ in readings(file))
    typer.echo(f"Whole: {head.number} rows, {head.seq} events, hash {head.hash.hex()}")
    if read:
        typer.echo(f"Read by name {read} times, none taken out")


def _export(file: Path) -> None:
    import sys  # noqa: PLC0415

    from tablectl.journal import rows  # noqa: PLC0415

    for row in rows(file):
        sys.stdout.buffer.write(row + b"\n")


def _stat(file: Path) -> None:
    from tablectl.events.codec import timestamp  # noqa: PLC0415
    from tablectl.journal import count  # noqa: PLC0415

    for stat in count(file):
        lines = {
            "file": stat.file,
            "table": stat.table,
            "epoch": stat.epoch,
            "rows": f"{stat.head.number - stat.before.number:,}, of {stat.entries:,} inputs and"
            f" {stat.head.seq - stat.before.seq:,} facts",
            "numbers": f"{stat.before.number + 1:,} to {stat.head.number:,}",
            "rounds": f"{stat.rounds:,}",
            "starts": f"{stat.boots:,}",
            "published": f"{stat.published:,} at least",
            "bytes": f"{stat.bytes:,}",
            "from": timestamp(stat.first) if stat.entries else "",
            "to": timestamp(stat.last) if stat.entries else "",
            "head": stat.head.hash.hex(),
        }
        for name, text in lines.items():
            typer.echo(f"{name:12}{text}")


def _reads(file: Path) -> None:
    from tablectl.journal import readings  # noqa: PLC0415

    for reading in readings(file):
        typer.echo(f"{reading.at}  {reading.by:16} {reading.what}, up to row {reading.row}")


_TASKS: dict[Task, Callable[[Path], None]] = {
    Task.VERIFY: _verify,
    Task.EXPORT: _export,
    Task.STAT: _stat,
    Task.READS: _reads,
}
