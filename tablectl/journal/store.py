"""The one writer of a journal: opens or creates the database, and turns entries into rows, a batch a transaction."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import reduce
from importlib import resources
from pathlib import Path
from secrets import token_hex
from types import MappingProxyType

import msgspec

from tablectl.errors import JournalError
from tablectl.events.codec import VERSION, Input, encode
from tablectl.events.facts import Fact, RoundEnded
from tablectl.journal.files import Anchor, JournalDamaged, damage_told, read_anchor, sync_directory, write_anchor
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Entry, Head, Row, Stated, chained, with_facts

FORMAT = 1
"""Version of the tables in the file."""

_SOUND = {"user_version": FORMAT, "quick_check": "ok", "journal_mode": "wal"}
"""What a file must be; the version first, since a later one may be anything else."""
_FULL = 2
_LATEST = 99  # a version that this program will never see, unless the file is damaged

INSERT = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

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
    """The database, open for writing; used by one thread at a time. boot: names this process start.

    Raises:
        JournalError: damaged, of another table, or written by a later version.
    """

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        self.boot = token_hex(4)
        self.published = 0
        self._kill = KillPoint()
        with damage_told(path):
            if not path.exists():
                _begin(path, table)
            # Read only at first: to open a damaged file for writing would fold its log in, and change the evidence.
            self.epoch, self.head = _checked(path, table)
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                _demand(self._database, path)
                self._begin_boot(table)
            except BaseException:
                self._database.close()
                raise

    def _begin_boot(self, table: str) -> None:
        self._table = table
        with Reader(self.path) as reader:
            self.published = reader.published
        insert = "INSERT INTO boot (id, wall) VALUES (?, ?)"
        self._boot = self._database.execute(insert, (self.boot, time.time_ns())).lastrowid

    def write(self, batch: Sequence[Pending], published: int, *, all_of_it: bool = False) -> list[Entry]:
        """Commit the batch, durably and as a whole; all_of_it: also the broker's progress, however small.

        Raises:
            sqlite3.Error, OSError: nothing of the batch counts, and the store is not to be used again.
        """
        progress = published - self.published
        tell = progress > 0 if all_of_it else progress >= _PUBLISHED_LAG
        if not batch and not tell:
            return []
        self._kill.passed()
        self._database.execute("BEGIN IMMEDIATE")
        written = [self._insert(entry) for entry in batch]
        if tell:
            self._database.execute("UPDATE meta SET value = ? WHERE name = 'published'", (str(published),))
            self.published = published
        self._kill.passed()
        self._database.execute("COMMIT")
        self._kill.passed()
        if any(isinstance(fact, RoundEnded) for entry in batch for fact in entry.facts):
            write_anchor(self.path, Anchor(self.epoch, self.head))
        return written

    def _insert(self, entry: Pending) -> Entry:
        rows = with_facts(self._row(entry), entry.facts_json, self.head.seq + 1)
        seq, hashed = self.head.seq + len(rows) - 1, reduce(chained, rows, self.head.hash)
        said, facts = rows[0], f"[{','.join(entry.facts_json)}]"
        who = (said.source, said.event_boot, said.event, said.by, said.key)
        columns = (said.number, self._boot, said.wall, said.mono, said.round, *who, said.version, said.body)
        self._database.execute(INSERT, (*columns, facts, seq, hashed))
        stated = tuple(Stated(number, fact) for number, fact in enumerate(entry.facts, self.head.seq + 1))
        self.head = Head(rows[-1].number, seq, hashed)
        return Entry(number=said.number, boot=self.boot, round=entry.round, said=entry.said, facts=stated)

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


def _demand(database: sqlite3.Connection, path: Path) -> None:
    """Ask for durability, and check that it was granted."""
    database.execute("PRAGMA synchronous = FULL")
    granted = database.execute("PRAGMA synchronous").fetchone()[0]
    if granted != _FULL:
        raise JournalError(f"journal {path}: synchronous is {granted}, awaited {_FULL}")


def demand_sound(reader: Reader) -> None:
    """Check that the file is sound and of this format.

    Raises:
        JournalDamaged: says what was found.
        JournalError: a later version wrote it.
    """
    for pragma, value in _SOUND.items():
        found = reader.pragma(pragma)
        if pragma == "user_version" and FORMAT < found <= _LATEST:
            raise JournalError(f"journal {reader.path}: of a later version, {found}; awaited {value}")
        if found != value:
            raise JournalDamaged(f"journal {reader.path}: {pragma} is {found}, awaited {value}")


def _begin(path: Path, table: str) -> None:
    """Make a new journal, where there is no trace of an earlier one.

    Raises:
        JournalDamaged: its file is gone, and what stood beside it is still there.
    """
    anchor = read_anchor(path)
    if anchor:
        raise JournalDamaged(f"journal {path}: the file is gone, awaited {anchor.head.number} rows of {anchor.epoch}")
    create(path, table)


def _nothing(_: sqlite3.Connection) -> None:
    """Leave the new journal empty."""


def create(
    path: Path,
    table: str,
    more: Mapping[str, str] = MappingProxyType({}),
    fill: Callable[[sqlite3.Connection], None] = _nothing,
) -> str:
    """Make a journal and return its epoch; it gets its name only when whole, so that a crash leaves none or all of it.

    more: rows of its ``meta`` beside the usual; fill: writes its first entries.
    """
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with closing(sqlite3.connect(fresh, isolation_level=None)) as database:
        database.execute("PRAGMA page_size = 512")
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(resources.files("tablectl.journal").joinpath("schema.sql").read_text())
        meta = {"epoch": token_hex(8), "table": table, "published": "0", **more}
        database.execute("BEGIN")
        database.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        fill(database)
        database.execute("COMMIT")
        database.execute(f"PRAGMA user_version = {FORMAT}")
    fresh.rename(path)
    sync_directory(path.parent)
    return meta["epoch"]


def _checked(path: Path, table: str) -> tuple[str, Head]:
    """Prove the journal against its anchor, or from its beginning where it has none.

    Raises:
        JournalError: says what is lost or altered.
    """
    with Reader(path) as reader:
        demand_sound(reader)
        if reader.table != table:
            reader.verify()  # a damaged name does not pass: each row was hashed with it
            raise JournalError(f"journal {path}: belongs to table {reader.table}, awaited {table}")
        anchor = read_anchor(path)
        if anchor is None or anchor.epoch != reader.epoch:
            return reader.epoch, reader.verify()
        if reader.head().number < anchor.head.number:
            raise JournalDamaged(f"journal {path}: lost after row {reader.head().number}, awaited {anchor.head.number}")
        return reader.epoch, reader.verify(after=anchor.head)
