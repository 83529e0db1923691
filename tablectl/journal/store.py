"""The one writer of a journal: opens or creates the database, and turns entries into rows, a batch a transaction."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from functools import reduce
from importlib import resources
from pathlib import Path
from secrets import token_hex

import msgspec

from tablectl.errors import JournalError
from tablectl.events.codec import VERSION, Input, encode
from tablectl.events.facts import Fact, RoundEnded
from tablectl.events.record import ContinueRecord
from tablectl.journal.files import (
    Anchor,
    JournalDamaged,
    beside,
    damage_told,
    read_anchor,
    sync_directory,
    write_anchor,
)
from tablectl.journal.migrate import FORMAT, demand_format, migrate
from tablectl.journal.packing import packed
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Entry, Head, Row, Stated, Written, chained, leaving, with_facts
from tablectl.journal.volumes import following, present, volumes

_SOUND = {"quick_check": ("ok",), "journal_mode": ("wal", "delete")}
"""What a file must be; a volume that is written no more keeps no log."""
_WRITE_VERSION, _WRITE_VERSIONS = 18, (b"\1", b"\2")
_FULL = 2
INSERT = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_PUBLISHED_LAG = 64  # facts after which the broker's progress is worth a page of a commit; at most so many come twice


class Pending(msgspec.Struct, frozen=True):
    """An entry that waits for its commit, already in JSON so that nothing can fail for its content later."""

    said: Input
    facts: tuple[Fact, ...]
    round: int
    mono: int
    said_json: str
    facts_json: tuple[str, ...]

    @classmethod
    def of(cls, said: Input, facts: Sequence[Fact], in_round: int) -> "Pending":
        """Take an entry in, stamped with the monotonic clock."""
        facts_json = tuple(encode(fact).decode() for fact in facts)
        return cls(said, tuple(facts), in_round, time.monotonic_ns(), encode(said.body).decode(), facts_json)


class KillPoint:
    """Kills the process at its n-th write point: before BEGIN, before COMMIT, after COMMIT before anybody is told.

    n: from the environment variable TABLECTL_KILL_AT_WRITE, for tests of what a power cut leaves; unset: never.
    """

    def __init__(self) -> None:
        self._left = int(os.environ.get("TABLECTL_KILL_AT_WRITE", "0"))

    def passed(self) -> None:
        """Count one write point."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class Store:
    """The volume that is written, open for writing; used by one thread at a time. boot: names this process start; file:
    the volume; path: of the record.

    Raises:
        JournalError: damaged, of another table, or written by a later version.
    """

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        self.boot = token_hex(4)
        self._table = table
        self._round_ended = False
        self._kill = KillPoint()
        with damage_told(path):
            if not volumes(path):
                _begin(path, table)
            self.file = present(path)
            migrate(self.file)
            # Read only at first: to open a damaged file for writing would fold its log in, and change the evidence.
            self.epoch, self._before, self.head, self.published = _checked(path, self.file, table)
            self._database = _opened(self.file)
            self._boot = self._begin_boot(self._database)

    def _begin_boot(self, database: sqlite3.Connection) -> int:
        insert = "INSERT INTO boot (id, wall) VALUES (?, ?) RETURNING number"
        return int(database.execute(insert, (self.boot, time.time_ns())).fetchone()[0])

    def write(self, batch: Sequence[Pending], published: int, *, all_of_it: bool = False) -> list[Written]:
        """Commit the batch, durably and in order; an entry that continues the record begins a new volume.

        all_of_it: also the broker's progress, however small.

        Raises:
            sqlite3.Error, OSError: what is not durable yet does not count, and the store is not to be used again.
        """
        turns = [place for place, entry in enumerate(batch) if isinstance(entry.said.body, ContinueRecord)]
        if not turns:
            return self._commit(batch, published, all_of_it=all_of_it)
        first = turns[0]
        before = self._commit(batch[:first], published)
        return [*before, self._turn(batch[first]), *self.write(batch[first + 1 :], published, all_of_it=all_of_it)]

    def _commit(self, batch: Sequence[Pending], published: int, *, all_of_it: bool = False) -> list[Written]:
        """Commit the batch as a whole."""
        progress = published - self.published
        tell = progress > 0 if all_of_it else progress >= _PUBLISHED_LAG
        if not batch and not tell:
            return []
        self._kill.passed()
        self._database.execute("BEGIN IMMEDIATE")
        written = [self._insert(self._database, entry) for entry in batch]
        if tell:
            self._database.execute("UPDATE meta SET value = ? WHERE name = 'published'", (str(published),))
            self.published = published
        self._kill.passed()
        self._database.execute("COMMIT")
        self._kill.passed()
        self._round_ended |= any(isinstance(fact, RoundEnded) for entry in batch for fact in entry.facts)
        return written

    def anchor(self) -> None:
        """Keep the head outside the file, if a round has ended since: after its facts were told, which wait for no more
        than the commit.

        Raises:
            OSError: the store is not to be used again.
        """
        if self._round_ended:
            write_anchor(self.path, Anchor(self.epoch, self.head, self._before))
            self._round_ended = False

    def _turn(self, entry: Pending) -> Written:
        """Begin the next volume with this entry. Until it has its name, the record ends with the volume before."""
        self._kill.passed()
        written: list[Written] = []

        def fill(database: sqlite3.Connection) -> None:
            self._boot = self._begin_boot(database)
            written.append(self._insert(database, entry))

        self._before = self.head
        meta = begun(self.epoch, self._table, self.head, self.published)
        file = following(self.path)
        fresh = make(file, meta, fill)
        self._kill.passed()
        fresh.rename(file)
        sync_directory(file.parent)
        self._kill.passed()
        self._database.close()
        self.file, self._database = file, _opened(file)
        write_anchor(self.path, Anchor(self.epoch, self.head, self._before))
        return written[0]

    def _insert(self, database: sqlite3.Connection, entry: Pending) -> Written:
        rows = with_facts(self._row(entry), entry.facts_json, self.head.seq + 1)
        seq, hashed = self.head.seq + len(rows) - 1, reduce(chained, rows, self.head.hash)
        said, words = rows[0], packed(row.body for row in rows)
        who = (said.source, said.event_boot, said.event, said.by, said.key)
        columns = (said.number, self._boot, said.wall, said.mono, said.round, *who, said.version)
        database.execute(INSERT, (*columns, words, seq, hashed))
        stated = tuple(Stated(number, fact) for number, fact in enumerate(entry.facts, self.head.seq + 1))
        self.head = Head(rows[-1].number, seq, hashed)
        kept = Entry(number=said.number, boot=self.boot, round=entry.round, said=entry.said, facts=stated)
        return Written(kept, tuple(leaving(said.source, rows[1:])))

    def _row(self, entry: Pending) -> Row:
        said = entry.said
        return Row(
            number=self.head.number + 1,
            boot=self.boot,
            wall=said.at,
            mono=entry.mono,
            table=self._table,
            round=entry.round,
            cause=None,
            source=said.source,
            event_boot=said.boot,
            event=said.number,
            by=said.by,
            key=said.key,
            version=VERSION,
            body=entry.said_json,
            seq=None,
        )

    def close(self) -> None:
        """Fold the write-ahead log in and let go of the file."""
        self._database.close()


def _opened(file: Path) -> sqlite3.Connection:
    """Open a volume for writing."""
    database = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    try:
        _demand_durable(database, file)
    except BaseException:
        database.close()
        raise
    return database


def _demand_durable(database: sqlite3.Connection, file: Path) -> None:
    """Ask for durability, and check that it was granted."""
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    granted = database.execute("PRAGMA synchronous").fetchone()[0]
    if granted != _FULL:
        raise JournalError(f"journal {file}: synchronous is {granted}, awaited {_FULL}")


def demand_sound(reader: Reader) -> None:
    """Check that the file is sound and of a format that can be read.

    Raises:
        JournalDamaged: says what was found.
        JournalError: a later version wrote it.
    """
    demand_format(reader)
    for pragma, awaited in _SOUND.items():
        found = reader.pragma(pragma)
        if found not in awaited:
            raise JournalDamaged(f"journal {reader.path}: {pragma} is {found}, awaited {' or '.join(awaited)}")
    _demand_writable(reader.path)


def _demand_writable(file: Path) -> None:
    """Check the one byte of the header for which SQLite takes a damaged file for one that may only be read."""
    with file.open("rb") as opened:
        opened.seek(_WRITE_VERSION)
        found = opened.read(1)
    if found not in _WRITE_VERSIONS:
        raise JournalDamaged(f"journal {file}: byte {_WRITE_VERSION} is {found.hex()}, awaited 01 or 02")


def _begin(path: Path, table: str) -> None:
    """Make a new journal, where there is no trace of an earlier one.

    Raises:
        JournalDamaged: its file is gone, and what stood beside it is still there.
    """
    anchor = read_anchor(path)
    if anchor:
        raise JournalDamaged(f"journal {path}: the file is gone, awaited {anchor.head.number} rows of {anchor.epoch}")
    epoch = token_hex(8)
    make(path, begun(epoch, table, Head.of_nothing(epoch))).rename(path)
    sync_directory(path.parent)


def begun(epoch: str, table: str, before: Head, published: int = 0) -> dict[str, str]:
    """Return what a new volume says of itself, as rows of its ``meta``."""
    return {
        "epoch": epoch,
        "table": table,
        "published": str(published),
        "before": msgspec.json.encode(before).decode(),
    }


def _nothing(_: sqlite3.Connection) -> None:
    """Leave the new volume empty."""


def make(file: Path, meta: Mapping[str, str], fill: Callable[[sqlite3.Connection], None] = _nothing) -> Path:
    """Make a volume, durably, under a name for the time being; whoever asked gives it its own, so that a crash leaves
    none or all of it.

    fill: writes its first entries.
    """
    fresh = beside(file, ".new")
    fresh.unlink(missing_ok=True)
    with closing(sqlite3.connect(fresh, isolation_level=None)) as database:
        database.execute("PRAGMA page_size = 512")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(resources.files("tablectl.journal").joinpath("schema.sql").read_text())
        database.execute("BEGIN")
        database.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        fill(database)
        database.execute("COMMIT")
        database.execute(f"PRAGMA user_version = {FORMAT}")
    return fresh


def fold(path: Path) -> None:
    """Make one plain file of each volume that is written no more; one that somebody reads is left for another time,
    and one that is damaged as it is.
    """
    for file in volumes(path)[:-1]:
        if beside(file, "-wal").exists():
            with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(file, timeout=0)) as database:
                database.execute("PRAGMA journal_mode = DELETE")


def _checked(path: Path, file: Path, table: str) -> tuple[str, Head, Head, int]:
    """Prove the volume against the anchor, or from its beginning where there is none; returns its epoch, the row before
    it, its head, and how far the broker is known to have come.

    Raises:
        JournalError: says what is lost or altered.
    """
    with Reader(file) as reader:
        demand_sound(reader)
        if reader.table != table:
            reader.verify()  # a damaged name does not pass: each row was hashed with it
            raise JournalError(f"journal {file}: belongs to table {reader.table}, awaited {table}")
        anchor = read_anchor(path)
        if anchor is None or anchor.epoch != reader.epoch or anchor.head.number <= reader.before.number:
            return reader.epoch, reader.before, reader.verify(), reader.published
        if reader.head().number < anchor.head.number:
            raise JournalDamaged(f"journal {file}: lost after row {reader.head().number}, awaited {anchor.head.number}")
        return reader.epoch, reader.before, reader.verify(after=anchor.head), reader.published
