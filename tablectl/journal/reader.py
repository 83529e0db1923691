"""Reading a journal, while it is written or long after; each read sees committed rows only."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import reduce
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import msgspec

from tablectl.errors import JournalError
from tablectl.events.facts import Device
from tablectl.events.record import ContinueRecord
from tablectl.events.word import Word
from tablectl.journal.files import JournalDamaged, damage_told
from tablectl.journal.marks import Marks
from tablectl.journal.packing import repacked, told
from tablectl.journal.rows import Entry, Head, Outgoing, Row, Stored, chained, leaving, to_entry

W = TypeVar("W", bound=Word)

_CHUNK = 500  # rows in one read: a long read transaction would keep the write-ahead log from being folded in

_LAST = "SELECT number + json_array_length(told(words)) - 1, seq, hash FROM entry"
_TOTALS = (
    "SELECT count(*), min(wall), max(wall), sum((length(told) - length(replace(told, ?, ''))) / ?) AS found"
    " FROM (SELECT wall, told(words) AS told FROM entry)"
)
_STORED = (
    "SELECT entry.number, boot.id, entry.wall, mono, round, NULL, source, event_boot, event, by, key, version, '',"
    " words, seq, hash FROM entry JOIN boot ON boot.number = entry.boot"
)

PLAIN = (1, 2)
"""Formats that kept the words plain."""
_REPACKED = (
    "CREATE TEMP VIEW entry AS SELECT number, boot, wall, mono, round, source, event_boot, event, by, key, version,"
    " repacked(said, facts) AS words, seq, hash FROM main.entry"
)
"""Stands before the table of that name, so that every read finds what the present format has."""


class Reader:
    """A read-only view of one volume. epoch: names the record; table: ``site/pit/id``; before: the last row before this
    volume, or what stands for none.

    Raises:
        JournalError: there is no journal, or it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reached = -1, 0
        if not path.exists():
            raise JournalError(f"journal {path}: there is no such file")
        with damage_told(path):
            self._database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
            try:
                self._database.create_function("told", 1, told, deterministic=True)
                if self.pragma("user_version") in PLAIN:
                    self._database.create_function("repacked", 2, repacked, deterministic=True)
                    self._database.execute(_REPACKED)
                meta: dict[str, str] = dict(self._database.execute("SELECT name, value FROM meta"))
                self.epoch, self.table = meta["epoch"], meta["table"]
                self.before = _before(meta)
            except BaseException:
                self._database.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _unfolded(self, stored: Stored) -> list[Row]:
        """Return the rows of an entry; what was altered in it is told with the journal's name."""
        try:
            return stored.rows()
        except JournalError as error:
            raise JournalDamaged(f"journal {self.path}: {error}") from error

    def _select(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with damage_told(self.path):
            return self._database.execute(query, values).fetchall()

    def pragma(self, name: str) -> Any:
        """Return what SQLite says of the file under this name."""
        return self._select(f"PRAGMA {name}")[0][0]

    @property
    def published(self) -> int:
        """Return the last seq that the broker is known to have taken; the true one may be some facts further."""
        with damage_told(self.path):
            return int(self._select("SELECT value FROM meta WHERE name = 'published'")[0][0])

    def head(self) -> Head:
        """Return the last row's number, seq and hash.

        Raises:
            JournalDamaged: the words of the last entry cannot be read, so that nobody knows how many rows it has.
        """
        last = self._select(f"{_LAST} ORDER BY number DESC LIMIT 1")
        if last and last[0][0] is None:
            raise JournalDamaged(f"journal {self.path}: the last entry was altered")
        return Head(*last[0]) if last else self.before

    def first_round(self) -> int:
        """Return the round that was the last one when this volume began."""
        return int(self._select("SELECT coalesce((SELECT round FROM entry ORDER BY number LIMIT 1), 0)")[0][0])

    def last_wall(self) -> int:
        """Return when the last input was said, in nanoseconds since 1970, 0 where there is none."""
        return int(self._select("SELECT coalesce((SELECT wall FROM entry ORDER BY number DESC LIMIT 1), 0)")[0][0])

    def stored(self, after: int = 0, chunk: int = _CHUNK) -> Iterator[Stored]:
        """Yield the entries whose input stands after this number, as they are stored, so many in one read.

        Raises:
            JournalDamaged: a value is of another type than was written, by one bit of its row's head.
        """
        while True:
            found = self._select(f"{_STORED} WHERE entry.number > ? ORDER BY entry.number LIMIT ?", after, chunk)
            for *said, words, seq, hashed in found:
                if not (isinstance(words, bytes) and isinstance(seq, int) and isinstance(hashed, bytes)):
                    raise JournalDamaged(f"journal {self.path}: row {said[0]} was altered")
                yield Stored(Row(*[*said[:4], self.table, *said[4:], None]), words, seq, hashed)
            if len(found) < chunk:
                return
            after = found[-1][0]

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Yield the rows of all entries whose input stands after this number."""
        return (row for stored in self.stored(after) for row in self._unfolded(stored))

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the inputs after this number, each with its facts.

        Raises:
            JournalError: names a row whose words cannot be read, or not by this version.
        """
        return (to_entry(self._unfolded(stored)) for stored in self.stored(after))

    def entry(self, number: int) -> Entry:
        """Return the entry whose input stands at this number."""
        return to_entry(self._rows_of(number))

    def keyed(self) -> list[tuple[str, str, int]]:
        """Return role, key and row of everything that was said under a key."""
        return self._select("SELECT source, key, number FROM entry WHERE key <> ''")

    def last(self, word: type[Word], before: int | None = None) -> Row | None:
        """Return the last row that says this word (and stands before this number), None where none does."""
        start, limit = f'{{"type":"{word.name()}"', before or self.head().number + 1
        query = "SELECT max(number) FROM entry WHERE number < ? AND instr(told(words), ?)"
        number = limit
        while number := self._select(query, number, start)[0][0]:
            said = [row for row in self._rows_of(number) if row.number < limit and row.body.startswith(start)]
            if said:
                return said[-1]
        return None

    def first(self, word: type[Word]) -> Row | None:
        """Return the first row whose fact says this word, None where none does."""
        return self._saying(f'{{"type":"{word.name()}"')

    def all(self, word: type[W]) -> Iterator[tuple[Row, W]]:
        """Yield every fact of a kind, with the row in which it stands."""
        start = f'{{"type":"{word.name()}"'
        for (number,) in self._select("SELECT number FROM entry WHERE instr(told(words), ?) ORDER BY number", start):
            for row in self._rows_of(number)[1:]:
                if row.body.startswith(start):
                    yield row, cast("W", row.stated())

    def all_said(self, word: type[W]) -> Iterator[W]:
        """Yield every input of a kind."""
        start = f'{{"type":"{word.name()}"'
        for (number,) in self._select(
            "SELECT number FROM entry WHERE instr(told(words), ?) = 2 ORDER BY number", start
        ):
            yield cast("W", self._rows_of(number)[0].said().body)

    def opening(self, round_: int) -> Row | None:
        """Return the row that opens this round, None where none does."""
        return self._saying(f'{{"type":"round.opened","round":{round_},')

    def _saying(self, start: str) -> Row | None:
        """Return the first row whose fact begins like this."""
        number = self._select("SELECT min(number) FROM entry WHERE instr(told(words), ?)", start)[0][0]
        return number and next(row for row in self._rows_of(number)[1:] if row.body.startswith(start))

    def totals(self, start: str) -> tuple[Any, ...]:
        """Count entries, first and last time said, facts that begin like this, and starts of the program."""
        counts = self._select(_TOTALS, start, len(start))
        return (*counts[0][:3], counts[0][3] or 0, self._select("SELECT count(*) FROM boot")[0][0])

    def marks(self) -> Marks:
        """Return the last event of each device that was committed."""
        marks = Marks()
        for device in self._continued():
            marks.take(device.device, device.boot, device.number)
        found = self._select(
            "SELECT source, event_boot, max(event) FROM entry WHERE event > 0 AND event_boot <> ''"
            " GROUP BY source, event_boot ORDER BY max(number)",
        )
        for source, boot, event in found:
            marks.take(source, boot, event)
        return marks

    def _continued(self) -> tuple[Device, ...]:
        """Return what the volumes before this one knew of the devices."""
        row = self.last(ContinueRecord)
        said = row.said().body if row else None
        return said.snapshot.devices if isinstance(said, ContinueRecord) else ()

    def unpublished(self, after: int, limit: int) -> list[Outgoing]:
        """Return the facts that follow this seq, at most so many, in order, without those of an entry that cannot be
        read; quickest where the last call ended.
        """
        facts = (
            (stored.said.number, fact)
            for stored in self.stored(self._from_entry(after) - 1, limit)
            for fact in self._leaving(stored)
            if fact.seq > after
        )
        found = list(islice(facts, limit))
        if found:
            entry, last = found[-1]
            self._reached = last.seq, entry
        return [outgoing for _, outgoing in found]

    def _leaving(self, stored: Stored) -> Iterator[Outgoing]:
        with suppress(JournalDamaged):
            yield from leaving(stored.said.source, self._unfolded(stored)[1:])

    def _from_entry(self, after: int) -> int:
        """Return the number of an entry in or before that which holds the fact after this seq, and not long before."""
        seq, entry = self._reached
        return entry if seq == after else self._entry_of(after + 1)

    def verify(self, after: Head | None = None) -> Head:
        """Recompute the chain, from its beginning or from a trusted head, and return where it ends.

        Raises:
            JournalDamaged: names the first row that is missing, altered or unreadable.
        """
        head = after or self.before
        for proven in self.verifying(head):
            head = proven
        return head

    def verifying(self, head: Head) -> Iterator[Head]:
        """Recompute the chain entry by entry, and yield where each ends; raises as ``verify`` does."""
        for end, fault in self.checking(head):
            if fault:
                raise fault
            yield end

    def checking(self, head: Head) -> Iterator[tuple[Head, JournalDamaged | None]]:
        """Recompute the chain past whatever is wrong in it; yield where each entry ends, and what is wrong with it.

        Raises:
            JournalDamaged: it cannot be read on.
        """
        # Of the entries alone: a damaged boot hides them from every other query.
        awaited = self._select("SELECT max(number) FROM entry")[0][0] or 0
        entries = self.stored(head.number)
        while stored := self._read_on(entries, head):
            try:
                head = self._proven(stored, head)
                yield head, None
            except JournalDamaged as fault:
                head = self._claimed(stored)
                yield head, fault
        if head.number < awaited:
            yield head, JournalDamaged(f"journal {self.path}: row {head.number + 1} is missing")

    def _proven(self, stored: Stored, head: Head) -> Head:
        rows = self._unfolded(stored)
        number, last = stored.said.number, head.number + len(rows)
        if number != head.number + 1 or stored.seq != head.seq + len(rows) - 1:
            raise JournalDamaged(f"journal {self.path}: row {head.number + 1} is missing")
        if stored.hash != reduce(chained, rows, head.hash):
            raise JournalDamaged(f"journal {self.path}: of rows {number} to {last}, one was altered")
        return Head(last, stored.seq, stored.hash)

    def _claimed(self, stored: Stored) -> Head:
        """Return where an entry ends that does not prove, going by itself and by the one behind it."""
        behind = self._select("SELECT min(number) FROM entry WHERE number > ?", stored.said.number)[0][0]
        return Head(behind - 1 if behind else stored.said.number, stored.seq, stored.hash)

    def _read_on(self, entries: Iterator[Stored], head: Head) -> Stored | None:
        try:
            return next(entries, None)
        except JournalDamaged as error:
            raise JournalDamaged(f"{error}; rows 1 to {head.number} could be read") from error

    def _rows_of(self, number: int) -> list[Row]:
        return self._unfolded(next(self.stored(number - 1, 1)))

    def _entry_of(self, seq: int) -> int:
        """Return the number of the entry that holds a fact: the first up to which so many facts stand."""
        low = max(seq, self.before.number + 1)
        high = max(low, self.head().number + 1)
        while low < high:
            middle = (low + high) // 2
            found = self._select("SELECT seq FROM entry WHERE number <= ? ORDER BY number DESC LIMIT 1", middle)
            low, high = (low, middle) if found and found[0][0] >= seq else (middle + 1, high)
        return low


def _before(meta: Mapping[str, str]) -> Head:
    """Return the head that a volume follows; one of format 1 has none, but may have been cut."""
    if "before" in meta:
        return msgspec.json.decode(meta["before"], type=Head)
    return Head.of_nothing(meta.get("origin", meta["epoch"]))
