"""Journal to table again: every fact is recomputed and compared, and a table is rebuilt to where it stood."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from tablectl import __version__
from tablectl.config import build_terms
from tablectl.errors import JournalError
from tablectl.events.announcements import Configure
from tablectl.events.codec import encode
from tablectl.events.facts import Fact, RoundOpened
from tablectl.journal import Entry, Reader
from tablectl.table import Table


class Difference(msgspec.Struct, frozen=True):
    """Where life and replay part. number: the input's row; program: the version that was at the table then."""

    number: int
    said: str
    recorded: str
    recomputed: str
    program: str

    def __str__(self) -> str:
        lines = [
            f"row {self.number}, {self.said}:",
            f"  recorded   {self.recorded}",
            f"  recomputed {self.recomputed}",
        ]
        if self.program != __version__:
            lines.append(f"  The record was made by version {self.program}, this is version {__version__}.")
        return "\n".join(lines)


class Replayed(msgspec.Struct):
    """What a replay went through."""

    inputs: int = 0
    facts: int = 0
    rounds: int = 0


def replay(path: Path) -> Replayed | Difference:
    """Recompute a whole journal, and stop at the first difference.

    Raises:
        JournalError: it cannot be read.
    """
    table, done, program = Table(build_terms), Replayed(), ""
    with Reader(path) as reader:
        for entry in reader.entries():
            if isinstance(entry.said.body, Configure):
                program = entry.said.body.program
            difference = _compare(entry, table.accept(entry.said), program)
            if difference:
                return difference
            done.inputs += 1
            done.facts += len(entry.facts)
            done.rounds += sum(isinstance(stated.fact, RoundOpened) for stated in entry.facts)
    return done


def recover(reader: Reader, table: Table) -> Difference | None:
    """Put a new table where the journal ends: from the last round that was opened, then by every input since.

    Raises:
        JournalError: the journal begins with something else than a configuration.
    """
    program = ""
    for entry in _since_last_round(reader, table):
        if isinstance(entry.said.body, Configure):
            program = entry.said.body.program
        difference = _compare(entry, table.accept(entry.said), program)
        if difference:
            return difference
    return None


def _since_last_round(reader: Reader, table: Table) -> Iterator[Entry]:
    row = reader.last(RoundOpened)
    if row is None or row.cause is None:
        return reader.entries()
    configured = reader.last(Configure, before=row.number)
    opened = row.stated()
    if configured is None or not isinstance(opened, RoundOpened):
        raise JournalError(f"journal {reader.path}: row {row.number} opens a round, but no configuration stands before")
    body = configured.said().body
    assert isinstance(body, Configure)
    table.restore(body, opened)
    entry = next(reader.entries(row.cause - 1))
    return reader.entries(entry.last)


def _compare(entry: Entry, facts: tuple[Fact, ...], program: str) -> Difference | None:
    recorded = [encode(stated.fact).decode() for stated in entry.facts]
    recomputed = [encode(fact).decode() for fact in facts]
    if recorded == recomputed:
        return None
    place = next(
        (n for n, (one, other) in enumerate(zip(recorded, recomputed, strict=False)) if one != other),
        min(len(recorded), len(recomputed)),
    )
    return Difference(
        entry.number,
        entry.said.body.name(),
        recorded[place] if place < len(recorded) else "no further fact",
        recomputed[place] if place < len(recomputed) else "no further fact",
        program,
    )
