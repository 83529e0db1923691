"""A damaged volume: it is set aside whole, and what can be proven of it begins another."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path
from secrets import token_hex
from typing import Any

import msgspec

from tablectl.errors import JournalError
from tablectl.journal.files import Anchor, beside, read_anchor, set_aside, sync_directory, write_anchor
from tablectl.journal.pages import read, records
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Head, Stored, chained
from tablectl.journal.store import INSERT, begun, make
from tablectl.journal.volumes import present, volumes

_ENTRY, _BOOT, _META = 15, 3, 2
"""Columns of each table, by which its rows are known."""


class Salvage:
    """Whatever could be made out of a journal's files. Nothing in it is proven yet."""

    def __init__(self, path: Path) -> None:
        self.entries: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        self.boots: dict[int, dict[str, int]] = defaultdict(dict)
        self.meta: dict[str, list[str]] = defaultdict(list)
        for rowid, values in records(read(path), read(beside(path, "-wal"))):
            self._take(rowid, values)

    def _take(self, rowid: int, values: tuple[Any, ...]) -> None:
        match values:
            case (None, *_) if len(values) == _ENTRY:
                values = _as_stored(values)
                if values not in self.entries[rowid]:
                    self.entries[rowid].append(values)
                self._take_resume(values)
            case (None, str(boot), int(wall)):
                self.boots[rowid][boot] = wall
            case (str(name), str(value)):
                self.meta[name].append(value)

    def _take_resume(self, values: tuple[Any, ...]) -> None:
        """Learn the name of a boot from the first words of that start, should its own row be lost."""
        said = values[11]
        if isinstance(said, str) and said.startswith('{"type":"resume"'):
            try:
                self.boots[values[1]].setdefault(json.loads(said)["boot"], values[2])
            except (ValueError, KeyError, TypeError):
                return


def _as_stored(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row with texts where texts belong: one bit tells them from bytes, and the chain proves what they say."""
    *columns, hashed = values
    return (*(column.decode(errors="replace") if isinstance(column, bytes) else column for column in columns), hashed)


class Proven(msgspec.Struct):
    """The longest beginning of a volume whose chain holds. before: the row that it is chained to."""

    before: Head
    head: Head
    rows: list[tuple[Any, ...]]
    boots: dict[int, tuple[str, int]]


def mend(path: Path, table: str, damage: str) -> str:
    """Set a damaged volume aside and put a new one in its place with all of it that is proven; returns what is lost, in
    words. path: of the record, whose last volume it is.

    Raises:
        JournalBusy: another process holds it.
        JournalError: the new one cannot be written.
    """
    file = present(path)
    anchor = _anchor(path)
    salvage = Salvage(file)
    proven = _best(salvage, table, _beginnings(path, salvage, anchor))
    published = _published(salvage, proven.head.seq)
    kept = set_aside(path)
    try:
        epoch = _begin(file, table, proven, published)
        if proven.head.number:
            write_anchor(path, Anchor(epoch, proven.head, proven.before))
    except (sqlite3.Error, OSError) as error:
        raise JournalError(f"journal {file}: {error}; the damaged one is {kept}") from error
    return _told(damage, proven, anchor, kept)


def _told(damage: str, proven: Proven, anchor: Anchor | None, kept: Path) -> str:
    first, head = proven.before.number + 1, proven.head
    held = f"rows {first} to {head.number} were kept, to event {head.seq}" if proven.rows else _NOTHING
    lost = ""
    if anchor and anchor.head.number > head.number:
        lost = f", lost after {head.number}: it had at least {anchor.head.number}"
    return f"The record was damaged: {held}{lost}. {damage}. The damaged file is {kept.name}."


_NOTHING = "nothing of it could be kept"


def _anchor(path: Path) -> Anchor | None:
    try:
        return read_anchor(path)
    except JournalError:
        return None


def _beginnings(path: Path, salvage: Salvage, anchor: Anchor | None) -> list[Head]:
    """Return every row that this volume may follow: as it says itself, by the anchor, and where the one before ends.

    The last is what it follows if nothing else can be found.
    """
    told = [head for text in salvage.meta["before"] if (head := _head(text))]
    if anchor and anchor.before:
        told.append(anchor.before)
    epochs = [*salvage.meta["origin"], *salvage.meta["epoch"], *([anchor.epoch] if anchor else [])]
    earlier = volumes(path)[:-1]
    if earlier:
        with suppress(JournalError), Reader(earlier[-1]) as reader:
            return [*told, reader.head()]
    return [*told, *map(Head.of_nothing, epochs)]


def _head(text: str) -> Head | None:
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(text, type=Head)
    return None


def _best(salvage: Salvage, table: str, beginnings: list[Head]) -> Proven:
    proofs = [_proven(salvage, table, before) for before in dict.fromkeys(beginnings)]
    found = max(proofs, key=lambda proof: len(proof.rows), default=None)
    if found and found.rows:
        return found
    return proofs[-1] if proofs and proofs[-1].before.number else _proven(salvage, table, Head.of_nothing(token_hex(8)))


def _proven(salvage: Salvage, table: str, before: Head) -> Proven:
    """Follow the chain as far as rows can be found that continue it."""
    proven = Proven(before, before, [], {})
    while found := next(_next(salvage, table, proven), None):
        stored, values, boot = found
        proven.head = Head(proven.head.number + len(stored.rows()), stored.seq, stored.hash)
        proven.rows.append((stored.said.number, *values[1:]))
        proven.boots[values[1]] = boot
    return proven


def _next(salvage: Salvage, table: str, proven: Proven) -> Iterator[tuple[Stored, tuple[Any, ...], tuple[str, int]]]:
    """Yield what may stand next and continues the chain."""
    number = proven.head.number + 1
    for values in salvage.entries.get(number, ()):
        for boot, wall in _boots(salvage, proven, values[1]):
            stored = _stored(number, boot, table, values)
            if stored and _continues(proven.head, stored):
                yield stored, values, (boot, wall)


def _boots(salvage: Salvage, proven: Proven, number: Any) -> Iterable[tuple[str, int]]:
    """Return the boots that this number may mean: its own if that can be read, or else any."""
    if number in proven.boots:
        return [proven.boots[number]]
    others = (boot for boots in salvage.boots.values() for boot in boots.items())
    return dict.fromkeys((*salvage.boots.get(number, {}).items(), *others))


def _stored(number: int, boot: str, table: str, values: tuple[Any, ...]) -> Stored | None:
    _, _, wall, mono, round_, *said, facts, seq, hashed = values
    columns = [number, boot, wall, mono, table, round_, None, *said, None]
    try:
        return msgspec.convert(
            {"said": columns, "facts": facts, "seq": seq, "hash": hashed}, Stored, builtin_types=(bytes,)
        )
    except msgspec.ValidationError:
        return None


def _continues(head: Head, stored: Stored) -> bool:
    try:
        rows = stored.rows()
        return stored.seq == head.seq + len(rows) - 1 and stored.hash == reduce(chained, rows, head.hash)
    except (JournalError, TypeError, ValueError):
        return False


def _published(salvage: Salvage, most: int) -> int:
    """Return how far the broker is known to have come, the lowest of all that can be read."""
    told = [int(value) for value in salvage.meta["published"] if value.isdecimal()]
    return min([*told, most]) if told else most


def _begin(file: Path, table: str, proven: Proven, published: int) -> str:
    """Write the new volume, which gets its name when it is whole; returns its epoch."""

    def fill(database: sqlite3.Connection) -> None:
        boots = [(number, *boot) for number, boot in sorted(proven.boots.items())]
        database.executemany("INSERT INTO boot VALUES (?, ?, ?)", boots)
        database.executemany(INSERT, proven.rows)

    epoch = token_hex(8)
    make(file, begun(epoch, table, proven.before, published), fill).rename(file)
    sync_directory(file.parent)
    return epoch
