"""What keeps a journal over the years: it is mended when it is opened, and proven while it is used."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import msgspec
import structlog

from tablectl.errors import JournalError
from tablectl.events.announcements import DoubtRecord
from tablectl.journal.audit import checking
from tablectl.journal.files import JournalBusy, JournalDamaged, beside, sync_directory
from tablectl.journal.journal import Journal
from tablectl.journal.mend import mend
from tablectl.journal.migrate import demand_format
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Head
from tablectl.journal.volumes import present, volumes

RESERVE = 4 * 1024 * 1024
"""Bytes of room for the record below which no more is dealt: enough for some rounds, and for what people then say."""

_AT_ONCE, _PAUSE = 50, 0.01  # entries proven in one go, and seconds between two: an hour of play in some seconds
_DAY = 86_400 * 10**9  # nanoseconds

_log = structlog.get_logger()


@asynccontextmanager
async def opened(path: Path, table: str) -> AsyncIterator[tuple[Journal, str]]:
    """Open the journal of a table, mended where it is damaged; beside it stands what is lost, in words.

    Raises:
        JournalBusy: another process writes it.
        JournalError: it cannot be written, is of another table or of a later version.
    """
    lost = ""
    async with AsyncExitStack() as stack:
        try:
            journal = await stack.enter_async_context(Journal.open(path, table=table))
        except JournalBusy:
            raise
        except Exception as error:  # noqa: BLE001 - an altered row may look like anything; a sound record raises it again
            lost = await asyncio.to_thread(_overcome, error, path, table)
            journal = await stack.enter_async_context(Journal.open(path, table=table))
        yield journal, lost


def _overcome(error: Exception, path: Path, table: str) -> str:
    """Mend what is damaged; raise the error where that is not why the record cannot be opened."""
    lost = _mended(path, table, error) if isinstance(error, JournalDamaged) else mended(path, table)
    if not lost:
        raise error
    return lost


def mended(path: Path, table: str) -> str:
    """Prove the whole of the present volume, which nobody may have open, and mend it where it is damaged; return what
    is lost, in words, empty where it is whole or no proof can be made, as on a disk that is read-only.

    Raises:
        JournalError: it cannot be mended.
    """
    try:
        with Reader(present(path)) as reader:
            demand_format(reader)
            reader.verify()
    except JournalDamaged as damage:
        return _mended(path, table, damage)
    except JournalError as error:
        _log.error("record.unproven", reason=str(error))
    return ""


def _mended(path: Path, table: str, damage: JournalDamaged) -> str:
    _log.error("record.damaged", reason=str(damage))
    return mend(path, table, str(damage))


async def faults(path: Path) -> AsyncIterator[JournalDamaged]:
    """Recompute the chain of a whole record, a little at a time, and yield all that is wrong in it: its opening proves
    only what the start rests on.
    """
    for number, (_, fault) in enumerate(checking(path)):
        if fault:
            yield fault
        if number % _AT_ONCE == 0:
            await asyncio.sleep(_PAUSE)


def doubted(path: Path) -> set[str]:
    """Return every reason for which the record was doubted so far."""
    reasons: set[str] = set()
    for file in volumes(path):
        with suppress(JournalDamaged), Reader(file) as reader:
            reasons.update(doubt.reason for doubt in reader.all_said(DoubtRecord))
    return reasons


class Old(msgspec.Struct, frozen=True):
    """A volume that need not be kept any more. first: its first row; head: its last."""

    file: Path
    first: int
    head: Head


def droppable(path: Path, days: int, published: int) -> Old | None:
    """Return the oldest volume of a record if it was kept for so many days, is whole and was told to the broker.

    As many volumes as days are kept whatever the clock says: it may have been set.

    Raises:
        JournalDamaged: it is not whole.
    """
    files = volumes(path)
    if len(files) <= max(days, 2):
        return None
    with Reader(files[0]) as reader, Reader(files[1]) as following:
        if time.time_ns() - reader.last_wall() < days * _DAY or published < reader.head().seq:
            return None
        head = reader.verify()
        if following.before != head:
            raise JournalDamaged(f"journal {files[1]}: it does not begin where {files[0].name} ends")
        return Old(files[0], reader.before.number + 1, head)


def drop(old: Old) -> None:
    """Delete a volume, durably."""
    for suffix in ("-wal", "-shm", ""):
        beside(old.file, suffix).unlink(missing_ok=True)
    sync_directory(old.file.parent)
