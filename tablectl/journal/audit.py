"""A journal as an auditor wants it: proven, counted, and written out row by row."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from tablectl.errors import JournalError
from tablectl.events.facts import RoundOpened
from tablectl.journal.files import JournalDamaged, beside, read_anchor
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Head, Row, chained
from tablectl.journal.store import demand_sound

_STARTS = f'{{"type":"{RoundOpened.name()}"'


class Stat(msgspec.Struct):
    """What a journal holds. bytes: of all its files; first, last: nanoseconds since 1970, 0 where it is empty."""

    table: str
    epoch: str
    head: Head
    entries: int
    rounds: int
    boots: int
    published: int
    bytes: int
    first: int
    last: int


def prove(path: Path) -> Head:
    """Prove a whole journal: its file, its chain and its anchor; returns where it ends.

    Raises:
        JournalDamaged: names the first row that is missing, altered or unreadable.
        JournalError: it cannot be read.
    """
    with Reader(path) as reader:
        anchor = read_anchor(path)  # before the rest: the journal may be written meanwhile
        head = reader.verify()
        demand_sound(reader)
        if anchor and anchor.epoch == reader.epoch and anchor.head.number > head.number:
            raise JournalDamaged(f"journal {path}: lost after row {head.number}, awaited {anchor.head.number}")
        return head


def count(path: Path) -> Stat:
    """Count what a journal holds, without proving it.

    Raises:
        JournalError: it cannot be read.
    """
    with Reader(path) as reader:
        entries, first, last, rounds, boots = reader.totals(_STARTS)
        size = sum(file.stat().st_size for file in _files(path))
        return Stat(
            reader.table,
            reader.epoch,
            reader.head(),
            entries,
            rounds,
            boots,
            reader.published,
            size,
            first or 0,
            last or 0,
        )


def _files(path: Path) -> Iterator[Path]:
    return (file for suffix in ("", "-wal", ".anchor") if (file := beside(path, suffix)).exists())


def rows(path: Path) -> Iterator[bytes]:
    """Yield each row as a JSON object, with its hash, by which the chain can be followed.

    Raises:
        JournalError: it cannot be read further.
    """
    with Reader(path) as reader:
        before = reader.genesis
        for row in chain.from_iterable(stored.rows() for stored in reader.stored()):
            before = chained(before, row)
            yield msgspec.json.encode(_object(row, before))


def _object(row: Row, hashed: bytes) -> dict[str, Any]:
    """Name the columns of a row, and leave its words as they were hashed."""
    named = dict(zip(row.__struct_fields__, msgspec.structs.astuple(row), strict=True))
    try:
        msgspec.json.decode(row.body)
    except msgspec.DecodeError as error:
        raise JournalError(f"row {row.number} was altered: {error}") from error
    return {**named, "body": msgspec.Raw(row.body), "hash": hashed.hex()}
