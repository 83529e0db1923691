"""A record as an auditor wants it: proven, counted, and written out row by row."""

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from tablectl.errors import JournalError
from tablectl.events.facts import RecordDropped, RoundOpened
from tablectl.journal.files import JournalDamaged, beside, read_anchor
from tablectl.journal.reader import Reader
from tablectl.journal.record import Record
from tablectl.journal.rows import Head, Row, chained
from tablectl.journal.store import demand_sound
from tablectl.journal.volumes import volumes

_STARTS = f'{{"type":"{RoundOpened.name()}"'


class Stat(msgspec.Struct):
    """What a volume holds. bytes: of all its files; first, last: nanoseconds since 1970, 0 where it is empty; before:
    the last row before it.
    """

    file: str
    table: str
    epoch: str
    before: Head
    head: Head
    entries: int
    rounds: int
    boots: int
    published: int
    bytes: int
    first: int
    last: int


def prove(path: Path) -> Head:
    """Prove a whole record: its files, its chain and its anchor; returns where it ends.

    Raises:
        JournalDamaged: names the first row that is missing, altered or unreadable.
        JournalError: it cannot be read.
    """
    anchor = read_anchor(path)  # before the rest: the journal may be written meanwhile
    with Record(path) as record:
        epoch, head = record.epoch, record.newest.before
    head = next(iter(deque(proving(path), maxlen=1)), head)
    if anchor and anchor.epoch == epoch and anchor.head.number > head.number:
        raise JournalDamaged(f"journal {path}: lost after row {head.number}, awaited {anchor.head.number}")
    return head


def proving(path: Path) -> Iterator[Head]:
    """Recompute the chain of a record entry by entry, and yield where each ends; raises as ``prove`` does."""
    for head, fault in checking(path):
        if fault:
            raise fault
        yield head


def checking(path: Path) -> Iterator[tuple[Head, JournalDamaged | None]]:
    """Recompute the chain of a record past whatever is wrong in it; yield where each entry ends, and what is wrong.

    Raises:
        JournalError: it cannot be read.
    """
    files = volumes(path)
    if not files:
        raise JournalError(f"journal {path}: there is no such file")
    yield from _undropped(path)
    end: Head | None = None
    for file in files:
        try:
            with Reader(file) as reader:
                if end and reader.before != end:
                    yield reader.before, _apart(reader, end)
                end = reader.before
                for end, fault in reader.checking(end):  # noqa: B020 - where it goes on is where it ended
                    yield end, fault
                demand_sound(reader)
        except JournalDamaged as damage:
            yield end or Head(0, 0, b""), damage
            end = None  # nobody knows where it ended; the next volume begins where it says


def _apart(reader: Reader, end: Head) -> JournalDamaged:
    text = f"it begins after row {reader.before.number}, awaited {end.number} with the hash before it"
    return JournalDamaged(f"journal {reader.path}: {text}")


def _undropped(path: Path) -> Iterator[tuple[Head, JournalDamaged]]:
    """Tell of a beginning that is gone though the record does not name it as deleted; one later volume by itself begins
    where it begins.
    """
    with suppress(JournalDamaged), Record(path) as record:
        before = record.oldest.before
        if before.number == 0 or record.oldest.path == record.path:
            return
        dropped = (fact for reader in record for _, fact in reader.all(RecordDropped))
        if (before.number, before.hash.hex()) not in ((fact.last, fact.hash) for fact in dropped):
            text = f"journal {record.path}: rows 1 to {before.number} are missing, and were not dropped"
            yield before, JournalDamaged(text)


def count(path: Path) -> list[Stat]:
    """Count what each volume of a record holds, without proving it.

    Raises:
        JournalError: it cannot be read.
    """
    with Record(path) as record:
        return [_counted(reader) for reader in record]


def _counted(reader: Reader) -> Stat:
    entries, first, last, rounds, boots = reader.totals(_STARTS)
    return Stat(
        reader.path.name,
        reader.table,
        reader.epoch,
        reader.before,
        reader.head(),
        entries,
        rounds,
        boots,
        reader.published,
        sum(file.stat().st_size for file in _files(reader.path)),
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
    with Record(path) as record:
        for reader in record:
            before = reader.before.hash
            for row in reader.rows():
                before = chained(before, row)
                yield exported(row, before)


def exported(row: Row, hashed: bytes) -> bytes:
    """Return a row as a JSON object: its columns by name, its words as they were hashed, and its hash.

    Raises:
        JournalError: its words are no JSON.
    """
    named = dict(zip(row.__struct_fields__, msgspec.structs.astuple(row), strict=True))
    try:
        msgspec.json.decode(row.body)
    except msgspec.DecodeError as error:
        raise JournalError(f"row {row.number} was altered: {error}") from error
    return msgspec.json.encode({**named, "body": msgspec.Raw(row.body), "hash": hashed.hex()})
