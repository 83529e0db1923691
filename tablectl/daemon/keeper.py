"""What the record needs while the table runs: room, proof, new volumes, and old ones dropped."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from tablectl.errors import JournalError
from tablectl.events.announcements import DoubtRecord, System
from tablectl.events.record import DropRecord, TurnRecord
from tablectl.journal import Journal, JournalDamaged, room
from tablectl.journal.files import lying
from tablectl.journal.keeping import RESERVE, doubted, drop, droppable, faults
from tablectl.journal.store import fold

VOLUME = 32 * 1024 * 1024
"""Bytes after which a volume ends before the gaming day does."""

_log = structlog.get_logger()


class Keeper:
    """Keeps one record. say: says something as the system. keep_days: for which a volume is kept, 0 for ever."""

    def __init__(self, journal: Journal, say: Callable[[System], Awaitable[None]], keep_days: int) -> None:
        self._journal = journal
        self._say = say
        self._keep_days = keep_days
        self._turned = asyncio.Event()
        self._short_of_room = False
        self._written = journal.reader.path, lying(journal.reader.path).st_ino

    def turned(self, _: object) -> None:
        """Note that a new volume was begun."""
        self._turned.set()

    async def run(self) -> None:
        """Prove the record, then look after each volume that was ended, until cancelled."""
        await self._prove()
        while True:
            self._turned.clear()
            await asyncio.to_thread(fold, self._journal.path)
            if self._keep_days:
                await self._drop()
            await self._turned.wait()

    async def _prove(self) -> None:
        """Hold the table for whatever is wrong in the record, once: what a supervisor has lifted stays lifted."""
        path = self._journal.path
        async for fault in faults(path):
            doubt = DoubtRecord(f"The record is not what was written: {fault}")
            _log.error("record.damaged", reason=str(fault))
            if doubt.reason not in await asyncio.to_thread(doubted, path):
                await self._say(doubt)

    async def _drop(self) -> None:
        """Delete what was kept long enough; the record says so first."""
        path, days = self._journal.path, self._keep_days
        try:
            while old := await asyncio.to_thread(droppable, path, days, self._journal.published):
                await self._say(DropRecord(old.file.name, old.first, old.head.number, old.head.hash.hex(), days))
                await asyncio.to_thread(drop, old)
                _log.info("record.dropped", file=old.file.name)
        except JournalDamaged as damage:
            _log.error("record.kept", reason=str(damage))

    async def watch(self) -> None:
        """Suspend the table while its record can still say why, and end a volume that has grown large.

        Raises:
            JournalError: the volume is gone, or another file stands in its place; what is written is lost with it.
        """
        left = room(self._journal.path)
        if left < RESERVE and not self._short_of_room:
            _log.error("record.room", bytes_left=left)
            await self._say(DoubtRecord(f"Only {left // 1024:,} kB are left for the record."))
        self._short_of_room = left < RESERVE
        if self._size() > VOLUME:
            await self._say(TurnRecord())

    def _size(self) -> int:
        path = self._journal.reader.path
        file = lying(path)
        if self._written == (path, file.st_ino) or self._written[0] != path:
            self._written = path, file.st_ino
            return file.st_size
        raise JournalError(f"journal {path}: another file was put in its place")
