"""A damaged volume: it is set aside whole, and what can be proven of it begins another."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

import msgspec

from tablectl.errors import JournalError
from tablectl.journal.audit import exported
from tablectl.journal.files import Anchor, beside, read_anchor, set_aside, sync_directory, write_anchor
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Head
from tablectl.journal.salvage import Found, Salvage
from tablectl.journal.store import INSERT, begun, make
from tablectl.journal.tails import Tail, follows, tails
from tablectl.journal.volumes import present, volumes


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
    behind = tails(salvage.behind(proven.head.number + 1, table))
    try:
        _write(behind, beside(kept, ".rows"))
        epoch = _begin(file, table, proven, published)
        if proven.head.number:
            write_anchor(path, Anchor(epoch, proven.head, proven.before))
    except (sqlite3.Error, OSError) as error:
        raise JournalError(f"journal {file}: {error}; the damaged one is {kept}") from error
    return _told(damage, proven, anchor, kept) + _told_behind(behind, beside(kept, ".rows"))


def _told(damage: str, proven: Proven, anchor: Anchor | None, kept: Path) -> str:
    first, head = proven.before.number + 1, proven.head
    held = f"rows {first} to {head.number} were kept, to event {head.seq}" if proven.rows else _NOTHING
    lost = ""
    if anchor and anchor.head.number > head.number:
        lost = f", lost after {head.number}: it had at least {anchor.head.number}"
    return f"The record was damaged: {held}{lost}. {damage}. The damaged file is {kept.name}."


def _told_behind(behind: list[Tail], file: Path) -> str:
    ranges = " and ".join(f"{tail.before.number + 1} to {tail.head.number}" for tail in behind)
    return f" Rows {ranges} behind the damage prove each other, and stand in {file.name}." if behind else ""


def _write(behind: list[Tail], file: Path) -> None:
    """Write the rows of tails as an export does."""
    if behind:
        with file.open("wb") as lines:
            lines.writelines(exported(*row) + b"\n" for tail in behind for row in tail.rows())


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
    while found := _next(salvage, table, proven):
        entry, proven.head = found
        proven.rows.append(entry.values)
        proven.boots[entry.values[1]] = entry.boot
    return proven


def _next(salvage: Salvage, table: str, proven: Proven) -> tuple[Found, Head] | None:
    """Return what stands next and continues the chain, and where that ends."""
    candidates = salvage.found(proven.head.number + 1, table, proven.boots)
    steps = ((found, end) for found in candidates if (end := follows(proven.head, found.stored)))
    return next(steps, None)


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
