"""The files beside the database: the lock that keeps a second process out, and the anchor that proves a lost end."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tablectl.errors import JournalError
from tablectl.journal.rows import Head
from tablectl.journal.volumes import present


class JournalBusy(JournalError):  # noqa: N818 - not a mistake: another process holds the journal
    """Another process writes this journal."""


class JournalDamaged(JournalError):  # noqa: N818 - what was found
    """The files of the journal are not what was written: something is lost or altered."""


_HINDRANCES = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)
"""Errors of SQLite that say nothing of the file's content."""


def beside(path: Path, suffix: str) -> Path:
    """Return the file that accompanies the journal: ``journal.db.lock``."""
    return path.with_name(path.name + suffix)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other process from writing this journal, until left or killed.

    The lock is a file of its own: closing any descriptor of the database itself would drop SQLite's locks.

    Raises:
        JournalBusy: another process holds it.
        JournalError: its folder cannot be made or written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = beside(path, ".lock").open("a")
    except OSError as error:
        raise JournalError(f"journal {path}: {error.strerror}: {error.filename}") from error
    with held as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalBusy(f"journal {path}: another process writes it") from None
        yield


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Turn what SQLite and its wrapper raise on a file into the error that names the journal.

    Raises:
        JournalDamaged: says what was found.
        JournalError: the file cannot be read or written, whatever it holds.
    """
    try:
        yield
    # One bit makes a name that is no UTF-8, a ValueError, or a text that is a number, a TypeError.
    except (sqlite3.Error, ValueError, TypeError, LookupError, OverflowError) as error:
        hindered = getattr(error, "sqlite_errorcode", 0) & 0xFF in _HINDRANCES
        raise (JournalError if hindered else JournalDamaged)(f"journal {path}: {error}") from error


class Anchor(msgspec.Struct, frozen=True):
    """A head that was durable once, and of which journal: one that ends before it has lost its end. before: the last
    row before the volume in which it stands, None where there was none.
    """

    epoch: str
    head: Head
    before: Head | None = None


def read_anchor(path: Path) -> Anchor | None:
    """Return the anchor of the journal, None where it has none yet.

    Raises:
        JournalDamaged: the anchor file is.
    """
    file = beside(path, ".anchor")
    try:
        return msgspec.json.decode(file.read_bytes(), type=Anchor)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise JournalDamaged(f"anchor {file}: {error}; awaited epoch and head") from error


def write_anchor(path: Path, anchor: Anchor) -> None:
    """Replace the anchor, durably and as a whole."""
    fresh = beside(path, ".anchor.new")
    with fresh.open("wb") as file:
        file.write(msgspec.json.encode(anchor))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(beside(path, ".anchor"))
    sync_directory(path.parent)


def room(path: Path) -> int:
    """Return how many bytes may still be written beside the journal.

    Raises:
        JournalError: the file system does not say.
    """
    try:
        system = os.statvfs(path.parent)
    except OSError as error:
        raise JournalError(f"journal {path}: {error.strerror}") from error
    return 0 if system.f_flag & os.ST_RDONLY else system.f_bavail * system.f_frsize


def lying(path: Path) -> os.stat_result:
    """Return what lies where a volume is written.

    Raises:
        JournalError: nothing that could be looked at.
    """
    try:
        return path.stat()
    except OSError as error:
        raise JournalError(f"journal {path}: {error.strerror}") from error


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def set_aside(path: Path) -> Path:
    """Rename a damaged volume, the present one of a record, with all its files, so that it is kept as evidence and
    another can take its place.

    Returns:
        where the database stands now: ``journal.db.damaged-20261130T120000Z``.

    Raises:
        JournalBusy: another process holds the record.
    """
    file = present(path)
    kept = beside(file, f".damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    with locked(path):
        for suffix in ("-wal", "-shm", ""):
            _move(beside(file, suffix), beside(kept, suffix))
        _move(beside(path, ".anchor"), beside(kept, ".anchor"))
        sync_directory(path.parent)
    return kept


def _move(file: Path, to: Path) -> None:
    if file.exists():
        file.rename(to)
