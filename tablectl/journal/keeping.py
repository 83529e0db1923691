"""What keeps a journal over the years: it is mended when it is opened, and proven while it is used."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import structlog

from tablectl.journal.files import JournalDamaged
from tablectl.journal.journal import Journal
from tablectl.journal.mend import mend
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Head

RESERVE = 4 * 1024 * 1024
"""Bytes of room for the record below which no more is dealt: enough for some rounds, and for what people then say."""

_AT_ONCE, _PAUSE = 50, 0.01  # entries proven in one go, and seconds between two: an hour of play in some seconds

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
        except JournalDamaged as damage:
            _log.error("record.damaged", reason=str(damage))
            lost = await asyncio.to_thread(mend, path, table, str(damage))
            journal = await stack.enter_async_context(Journal.open(path, table=table))
        yield journal, lost


async def prove(reader: Reader) -> None:
    """Recompute the chain of a whole journal, a little at a time: its opening proves only what the start rests on.

    Raises:
        JournalDamaged: names the first row that is missing, altered or unreadable.
    """
    for number, _ in enumerate(reader.verifying(Head(0, 0, reader.genesis))):
        if number % _AT_ONCE == 0:
            await asyncio.sleep(_PAUSE)
