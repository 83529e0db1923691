"""Journal to table again: every fact is recomputed and compared, and a table is rebuilt to where it stood."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from tablectl import __version__
from tablectl.config import build_terms, hashes_of
from tablectl.errors import JournalError
from tablectl.events.announcements import Announcement, Configure
from tablectl.events.codec import encode
from tablectl.events.facts import Fact, RoundOpened, TableConfigured
from tablectl.events.readings import Reading
from tablectl.events.record import ContinueRecord
from tablectl.journal import Entry, Record, Row
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
    with Record(path) as record:
        for entry in record.entries():
            program = _program(entry.said.body, program)
            difference = _compare(entry, table.accept(entry.said), program)
            if difference:
                return difference
            done.inputs += 1
            done.facts += len(entry.facts)
            done.rounds += sum(isinstance(stated.fact, RoundOpened) for stated in entry.facts)
    return done


def recover(record: Record, table: Table) -> Difference | None:
    """Put a new table where the record ends: from the last round that was opened, then by every input since.

    Raises:
        JournalError: the record begins with something else than a configuration.
    """
    program = ""
    for entry in _since_last_round(record, table):
        program = _program(entry.said.body, program)
        difference = _compare(entry, table.accept(entry.said), program)
        if difference:
            return difference
    return None


def _program(said: Reading | Announcement, before: str) -> str:
    """Return the version at the table from here on."""
    match said:
        case Configure(program=program) | ContinueRecord(configured=Configure(program=program)):
            return program
    return before


def _since_last_round(record: Record, table: Table) -> Iterator[Entry]:
    """Return the inputs since the last round was opened, or since the last volume began; to the first of these a table
    that knows nothing may listen.
    """
    for reader in reversed(record):
        if row := reader.last(RoundOpened):
            return _since(record, row, table)
        if row := reader.last(ContinueRecord):
            return record.entries(row.number - 1)
    return record.entries()


def _since(record: Record, row: Row, table: Table) -> Iterator[Entry]:
    """Let the table open this round again, and return the inputs behind it."""
    opened, configured = row.stated(), _configured(record, row.number)
    if configured is None or not isinstance(opened, RoundOpened):
        raise JournalError(f"journal {record.path}: row {row.number} opens a round, but no configuration stands before")
    table.restore(configured, opened)
    cause = row.cause or row.number
    entry = next(record.entries(cause - 1))
    return record.entries(entry.last)


def _configured(record: Record, before: int) -> Configure | None:
    """Return the configuration that was in force at this row: not one that had come before its time, or waited."""
    reader = record.holding(before)
    row = reader.last(TableConfigured, before)
    told = row.stated() if row else None
    row = reader.last(Configure, before)
    while row:
        said = row.said().body
        if isinstance(said, Configure) and _is_in_force(said, told):
            return said
        row = reader.last(Configure, row.number)
    row = reader.last(ContinueRecord, before)
    begun = row.said().body if row else None
    return begun.configured if isinstance(begun, ContinueRecord) else None


def _is_in_force(said: Configure, told: Fact | None) -> bool:
    """Tell whether the record says of this configuration that it is in force."""
    return isinstance(told, TableConfigured) and (told.program, told.hashes) == (said.program, hashes_of(said))


def last_rounds(record: Record, count: int) -> Iterator[Entry]:
    """Yield the record from where so many last rounds begin, or from its own beginning.

    One input may end a round and open the next: what it brought before the first round opened is left out, since it
    tells of cards and wagers that lay there earlier.
    """
    opened = record.last(RoundOpened)
    for _ in range(count - 1):
        opened = opened and record.last(RoundOpened, opened.number)
    after, first = ((opened.cause or 1) - 1, opened.seq or 0) if opened else (0, 0)
    for entry in record.entries(after):
        yield replace(entry, facts=tuple(stated for stated in entry.facts if stated.seq >= first))


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
