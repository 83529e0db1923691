"""``tablectl journal``: a record proven, counted, written out or told."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from tablectl.cli.reading import By, note_reading
from tablectl.cli.recall import recall

File = Annotated[Path, typer.Argument(metavar="JOURNAL", help="The journal of a table.")]

journal = typer.Typer(
    help="Prove a journal, write it out, say what it holds, tell a round or who read it; nothing is changed.",
    no_args_is_help=True,
)


_STATUS = "Ends with 0 when it is whole, 1 when it is damaged, 2 when it cannot be read."


def _add(name: str, task: Callable[[Path], None]) -> None:
    """Make a command of what is done with a journal."""

    def command(file: File, by: By = "") -> None:
        from tablectl.errors import JournalError  # noqa: PLC0415 - the command line starts fast
        from tablectl.journal import JournalDamaged  # noqa: PLC0415

        try:
            note_reading(file, by, f"journal {name}")
            task(file)
        except JournalError as error:
            typer.echo(f"tablectl journal {name}: {error}", err=True)
            raise typer.Exit(1 if isinstance(error, JournalDamaged) else 2) from None

    journal.command(name, help=f"{task.__doc__}\n\n{_STATUS}")(command)


def _verify(file: Path) -> None:
    """Prove it by its chain of hashes."""
    from tablectl.journal import prove, readings  # noqa: PLC0415

    head, read = prove(file), sum(1 for _ in readings(file))
    typer.echo(f"Whole: {head.number} rows, {head.seq} events, hash {head.hash.hex()}")
    if read:
        typer.echo(f"Read by name {read} times, none taken out")


def _export(file: Path) -> None:
    """Write a JSON line for each row."""
    import sys  # noqa: PLC0415

    from tablectl.journal import rows  # noqa: PLC0415

    for row in rows(file):
        sys.stdout.buffer.write(row + b"\n")


def _stat(file: Path) -> None:
    """Count what each volume holds."""
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
    """List who read it by name."""
    from tablectl.journal import readings  # noqa: PLC0415

    for reading in readings(file):
        typer.echo(f"{reading.at}  {reading.by:16} {reading.what}, up to row {reading.row}")


for _name, _task in (("verify", _verify), ("export", _export), ("stat", _stat), ("reads", _reads)):
    _add(_name, _task)
journal.command("recall")(recall)
