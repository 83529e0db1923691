"""The journal as the daemon uses it: entries in, durable entries out, in the order in which they were given."""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from tablectl.errors import JournalError
from tablectl.events.codec import Input, origin_of
from tablectl.events.facts import Fact
from tablectl.journal.files import JournalDamaged, locked
from tablectl.journal.marks import Keys, Marks
from tablectl.journal.reader import Reader
from tablectl.journal.record import Record
from tablectl.journal.rows import Entry, Head, Outgoing, Written
from tablectl.journal.store import Pending, Store
from tablectl.journal.volumes import volumes

_RECENT = 100
"""Facts that are kept at hand for a broker that keeps up; one that was away is told from the file."""


class _Job:
    """What the writer is asked for: an entry to commit, or None to be told that all before it is durable."""

    def __init__(self, entry: Pending | None, waiter: "asyncio.Future[Any]", *, last: bool = False) -> None:
        self.entry = entry
        self.waiter = waiter
        self.last = last


class Journal:
    """One open journal.

    boot: names this process start. epoch: names the journal. reader: reads what is committed in the present volume, at
    once, from the event loop; a read is some microseconds. path: of the record. head: the last committed row.
    published: the last seq that the broker took. marks: the last event of each device, those in the queue included.
    """

    def __init__(self, store: Store, reader: Reader) -> None:
        self.path = store.path
        self.boot = store.boot
        self.epoch = reader.epoch
        self.reader = reader
        self.marks: Marks = reader.marks()
        self.head: Head = store.head
        self.published = store.published
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._keys = _keys(store.path)
        self._recent: deque[Outgoing] = deque(maxlen=_RECENT)
        self._news = asyncio.Event()
        self._failure: JournalError | None = None
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)
        self._thread.start()

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path, *, table: str) -> AsyncIterator["Journal"]:
        """Open or create the journal of a table, ``site/pit/id``; leaving makes everything durable and closes it.

        Raises:
            JournalBusy: another process writes it.
            JournalError: it is damaged (with what is lost), of another table or of a later version.
        """
        with locked(path):
            store = await asyncio.to_thread(Store, path, table)
            journal = cls(store, Reader(store.file))
            try:
                yield journal
            finally:
                await journal._close()

    def append(self, said: Input, facts: Sequence[Fact], *, in_round: int) -> "asyncio.Future[Entry]":
        """Queue an input and its facts at once, in call order; the future is done when they are durable.

        A `ContinueRecord` begins a new volume. Cancelling the future cancels only the waiting.

        Raises:
            JournalError: from the call or the future: it is here already, or nothing will be committed any more.
        """
        if self._failure is not None:
            raise self._failure
        if self.has(said):
            raise JournalError(f"journal {self._store.path}: {said.origin} was taken before")
        waiter: asyncio.Future[Entry] = self._loop.create_future()
        self._jobs.put(_Job(Pending.of(said, facts, in_round), waiter))
        if said.boot and said.number:
            self.marks.take(said.source, said.boot, said.number)
        if said.key:
            self._keys.take(said.origin, 0)
        return waiter

    def has(self, said: Input) -> bool:
        """Tell whether this input is in the journal or queued for it; only a flush makes it durable."""
        if said.boot and said.number:
            return self.marks.holds(said)
        return bool(said.key) and self._keys.holds(said.origin)

    def keyed(self, source: str, key: str) -> Entry | None:
        """Return what this role said under this key, with its facts; None where nothing of it is committed."""
        number = self._keys.row(origin_of(source, key)) if key else 0
        if number == 0:
            return None
        if number > self.reader.before.number:
            return self.reader.entry(number)
        with Record(self.path) as record:
            return record.holding(number).entry(number)

    def unpublished(self, limit: int) -> list[Outgoing]:
        """Return facts that the broker has not taken yet, at most so many, in order; what cannot be read is passed
        over, and told by whoever proves the record.
        """
        found = self._next(limit)
        if not found:
            self.mark_published(self.head.seq)
        return found

    def _next(self, limit: int) -> list[Outgoing]:
        place = self.published + 1 - self._recent[0].seq if self._recent else -1
        if place >= 0:
            return list(islice(self._recent, place, place + limit))
        if self.published >= self.reader.before.seq:
            return self.reader.unpublished(self.published, limit)
        try:
            with Record(self.path) as record:
                return record.unpublished(self.published, limit)
        except JournalDamaged:
            return self.reader.unpublished(self.reader.before.seq, limit)

    async def flush(self) -> None:
        """Wait until everything queued so far is durable, the broker's progress included.

        Raises:
            JournalError: it never will be.
        """
        await self._ask(last=False)

    def mark_published(self, seq: int) -> None:
        """Note that the broker took all facts up to this seq; kept with a later commit, a flush, or at the end."""
        self.published = max(self.published, seq)

    async def beyond(self, seq: int) -> None:
        """Wait until facts after this seq are committed.

        Raises:
            JournalError: nothing will be committed any more.
        """
        while self.head.seq <= seq:
            await self._change()

    async def follow(self, after: int = 0) -> AsyncGenerator[Entry]:
        """Yield the entries after this row number, those committed and then each that will be, without end.

        Raises:
            JournalError: nothing will be committed any more, after all that was has been yielded.
        """
        while True:
            with Record(self.path) as record:
                for entry in record.entries(after):
                    yield entry
                    after = entry.last
            while self.head.number <= after:
                await self._change()

    async def _change(self) -> None:
        if self._failure is not None:
            raise self._failure
        await self._news.wait()

    async def _ask(self, *, last: bool) -> None:
        if self._failure is not None:
            raise self._failure
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._jobs.put(_Job(None, waiter, last=last))
        await asyncio.shield(waiter)

    async def _close(self) -> None:
        self.reader.close()  # first: the last connection to close folds the log in, and this one may not write
        with suppress(JournalError):
            await self._ask(last=True)
        await asyncio.to_thread(self._thread.join)
        self._dead([], JournalError("the journal was closed"))

    # On the writer's thread

    def _write(self) -> None:
        """Commit whatever was queued while the last commit ran, until asked to end or the first failure."""
        with closing(self._store):
            while True:
                jobs = self._take()
                entries = [job.entry for job in jobs if job.entry is not None]
                try:
                    written = self._store.write(entries, self.published, all_of_it=len(entries) < len(jobs))
                    self._tell(self._committed, jobs, written, self._store.head, self._store.file)
                    self._store.anchor()
                except Exception as error:  # noqa: BLE001 - whatever it was, what is durable is now unknown
                    self._tell(self._dead, jobs, JournalError(f"journal {self._store.path}: {error}"))
                    return
                if jobs[-1].last:
                    return

    def _take(self) -> list[_Job]:
        jobs = [self._jobs.get()]
        with suppress(Empty):
            while not jobs[-1].last:
                jobs.append(self._jobs.get_nowait())
        return jobs

    def _tell(self, news: Callable[..., None], *values: object) -> None:
        with suppress(RuntimeError):  # the loop is gone, and with it everybody who waited
            self._loop.call_soon_threadsafe(news, *values)

    # Back on the event loop

    def _committed(self, jobs: Sequence[_Job], written: Sequence[Written], head: Head, file: Path) -> None:
        self.head = head
        if file != self.reader.path:
            self._turned(file)
        for each in written:
            self._recent.extend(each.leaving)
            if each.entry.said.key:
                self._keys.take(each.entry.said.origin, each.entry.number)
        self._announce()  # the broker first: nobody else waits so long for what follows
        entries = iter(written)
        for job in jobs:
            entry = None if job.entry is None else next(entries).entry
            if not job.waiter.done():
                job.waiter.set_result(entry)

    def _turned(self, file: Path) -> None:
        """Read from the new volume from now on."""
        before, self.reader = self.reader, Reader(file)
        before.close()
        self._keys.forget(before.before.number)

    def _dead(self, jobs: list[_Job], error: JournalError) -> None:
        self._failure = self._failure or error
        with suppress(Empty):
            while True:
                jobs.append(self._jobs.get_nowait())
        for job in jobs:
            if not job.waiter.done():
                job.waiter.set_exception(error)
        self._announce()

    def _announce(self) -> None:
        """Wake everybody who waits for news, and begin to wait for the next."""
        self._news.set()
        self._news = asyncio.Event()


def _keys(path: Path) -> Keys:
    """Return what was said under a key in the present volume and in the one before."""
    *before, present = volumes(path)[-2:]
    keys = Keys()
    for file in before:
        with suppress(JournalDamaged):  # whoever proves the record tells of it; the present volume stands by itself
            _take(keys, file)
    _take(keys, present)
    return keys


def _take(keys: Keys, file: Path) -> None:
    with Reader(file) as reader:
        for source, key, number in reader.keyed():
            keys.take(origin_of(source, key), number)
