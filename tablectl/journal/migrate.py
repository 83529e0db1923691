"""Volumes of an earlier format: they are read as they are, and rewritten before they are written to."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from tablectl.errors import JournalError
from tablectl.journal.files import JournalDamaged, beside, sync_directory
from tablectl.journal.packing import repacked
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Head

FORMAT = 3
"""Version of the tables in a volume.

1: had an index over keys, and no row that says what stands before the volume. 2: kept the words plain, and had a
view that showed them.
"""
_LATEST = 99  # a format that this program will never see, unless the file is damaged


def _to_2(database: sqlite3.Connection) -> None:
    meta = dict(database.execute("SELECT name, value FROM meta"))
    before = Head.of_nothing(meta.get("origin", meta["epoch"]))
    database.execute("DROP INDEX keyed")
    database.execute("DELETE FROM meta WHERE name = 'origin'")
    database.execute("INSERT INTO meta VALUES ('before', ?)", (msgspec.json.encode(before).decode(),))


def _to_3(database: sqlite3.Connection) -> None:
    database.create_function("repacked", 2, repacked, deterministic=True)
    for statement in _TO_3:
        database.execute(statement)


_TO_3 = (
    "DROP VIEW journal",
    "DROP TRIGGER entry_stands",
    "DROP TRIGGER entry_stays",
    "ALTER TABLE entry RENAME TO plain",
    (
        "CREATE TABLE entry (number INTEGER PRIMARY KEY, boot INTEGER NOT NULL REFERENCES boot (number),"
        " wall INTEGER NOT NULL, mono INTEGER NOT NULL, round INTEGER NOT NULL, source TEXT NOT NULL,"
        " event_boot TEXT NOT NULL, event INTEGER NOT NULL, by TEXT NOT NULL, key TEXT NOT NULL,"
        " version INTEGER NOT NULL, words BLOB NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL) STRICT"
    ),
    (
        "INSERT INTO entry SELECT number, boot, wall, mono, round, source, event_boot, event, by, key, version,"
        " repacked(said, facts), seq, hash FROM plain ORDER BY number"
    ),
    "DROP TABLE plain",
    "CREATE TRIGGER entry_stands BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END",
    "CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END",
)

_STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _to_2, 2: _to_3}
"""How a volume of each earlier format becomes one of the next."""


def demand_format(reader: Reader) -> int:
    """Return the format of a volume.

    Raises:
        JournalDamaged: no program wrote such a format.
        JournalError: a later version wrote it.
    """
    found = int(reader.pragma("user_version"))
    if FORMAT < found <= _LATEST:
        raise JournalError(f"journal {reader.path}: of a later version, {found}; awaited {FORMAT}")
    if not (found == FORMAT or found in _STEPS):
        raise JournalDamaged(f"journal {reader.path}: user_version is {found}, awaited {FORMAT}")
    return found


def migrate(file: Path) -> None:
    """Rewrite a volume of an earlier format; what it was is kept beside it, as ``journal.db.format-1``.

    Raises:
        JournalError: it is damaged, of a later version, or cannot be rewritten.
    """
    with Reader(file) as reader:
        found = demand_format(reader)
        if found == FORMAT:
            return
        head = reader.verify()
    _fold(file)
    fresh, kept = beside(file, ".new"), beside(file, f".format-{found}")
    for copy in (fresh, kept):
        shutil.copyfile(file, copy)
    with closing(sqlite3.connect(fresh, isolation_level=None)) as database:
        database.execute("BEGIN")
        for step in range(found, FORMAT):
            _STEPS[step](database)
        database.execute(f"PRAGMA user_version = {FORMAT}")
        database.execute("COMMIT")
    with Reader(fresh) as reader:
        if reader.verify() != head:
            raise JournalError(f"journal {file}: rewritten from format {found} it proves other rows; it is left alone")
    for copy in (fresh, kept):
        _sync(copy)
    for suffix in ("-wal", "-shm"):
        beside(fresh, suffix).unlink(missing_ok=True)
    fresh.replace(file)
    sync_directory(file.parent)


def _fold(file: Path) -> None:
    """Fold the log in, so that the file is whole by itself."""
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _sync(file: Path) -> None:
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
