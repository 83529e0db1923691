"""Reading a journal, while it is written or long after; each read sees committed rows only."""

import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tablectl.errors import JournalError
from tablectl.events.word import Word
from tablectl.journal.files import damage_told
from tablectl.journal.marks import Marks
from tablectl.journal.rows import Entry, Head, Outgoing, Row, chained, entries, genesis

_CHUNK = 500  # rows in one read: a long read transaction would keep the write-ahead log from being folded in


class Reader:
    """A read-only view of one journal. epoch: names the journal; table: ``site/pit/id``.

    Raises:
        JournalError: there is no journal, or it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            raise JournalError(f"journal {path}: there is no such file")
        with damage_told(path):
            self._database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
            try:
                meta: dict[str, str] = dict(self._database.execute("SELECT name, value FROM meta"))
                self.epoch, self.table = meta["epoch"], meta["table"]
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

    def _select(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with damage_told(self.path):
            return self._database.execute(query, values).fetchall()

    @property
    def published(self) -> int:
        """Return the last seq that the broker is known to have taken; the true one may be some facts further."""
        with damage_told(self.path):
            return int(self._select("SELECT value FROM meta WHERE name = 'published'")[0][0])

    def head(self) -> Head:
        """Return the last row's number, seq and hash."""
        last = self._select("SELECT number, hash FROM record ORDER BY number DESC LIMIT 1")
        if not last:
            return Head(0, 0, genesis(self.epoch))
        return Head(last[0][0], self._seq_at(last[0][0]), last[0][1])

    def hashed(self, after: int = 0) -> Iterator[tuple[Row, bytes]]:
        """Yield the rows after this number, each with the hash stored with it."""
        while True:
            chunk = self._select("SELECT * FROM journal WHERE number > ? ORDER BY number LIMIT ?", after, _CHUNK)
            for *columns, hashed in chunk:
                yield Row(*columns), hashed
            if len(chunk) < _CHUNK:
                return
            after = chunk[-1][0]

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Yield the rows after this number."""
        return (row for row, _ in self.hashed(after))

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the inputs after this number, each with its facts.

        Raises:
            JournalError: names a row whose words cannot be read, or not by this version.
        """
        return entries(self.rows(after))

    def keyed(self, source: str, key: str) -> Entry | None:
        """Return what this role said under this key, with its facts; None if it never did."""
        found = self._select("SELECT number FROM record WHERE key = ? AND key <> '' AND source = ?", key, source)
        return next(islice(self.entries(found[0][0] - 1), 1), None) if found else None

    def last(self, word: type[Word], before: int | None = None) -> Row | None:
        """Return the last row that says this word (and stands before this number), None where none does."""
        start = f'{{"type":"{word.name()}"'
        found = self._select(
            "SELECT number FROM record WHERE number < ? AND substr(body, 1, ?) = ? ORDER BY number DESC LIMIT 1",
            *(before or self.head().number + 1, len(start), start),
        )
        return next(self.rows(found[0][0] - 1), None) if found else None

    def marks(self) -> Marks:
        """Return the last event of each device that was committed."""
        found = self._select(
            "SELECT source, event_boot, max(event) FROM record WHERE event > 0 AND event_boot <> ''"
            " GROUP BY source, event_boot ORDER BY max(number)",
        )
        marks = Marks()
        for source, boot, event in found:
            marks.take(source, boot, event)
        return marks

    def unpublished(self, after: int, limit: int) -> list[Outgoing]:
        """Return the facts that follow this seq, at most so many, in order."""
        found = self._select(
            "SELECT fact.seq, fact.wall, fact.round, said.source, fact.body"
            " FROM record fact JOIN record said ON said.number = fact.cause"
            " WHERE fact.number > ? AND fact.seq > ? ORDER BY fact.number LIMIT ?",
            *(self._number_of(after), after, limit),
        )
        return [Outgoing(*columns) for columns in found]

    def verify(self, after: Head | None = None) -> Head:
        """Recompute the chain, from its beginning or from a trusted head, and return where it ends.

        Raises:
            JournalError: names the first row that is missing or altered.
        """
        head = after or Head(0, 0, genesis(self.epoch))
        for row, hashed in self.hashed(head.number):
            seq = head.seq + (row.seq is not None)
            if row.number != head.number + 1 or row.seq not in (None, seq):
                raise JournalError(f"journal {self.path}: row {head.number + 1} is missing")
            if hashed != chained(head.hash, row):
                raise JournalError(f"journal {self.path}: row {row.number} was altered: its hash does not fit")
            head = Head(row.number, seq, hashed)
        return head

    def _seq_at(self, number: int) -> int:
        """Return the seq of the last fact up to this row."""
        found = self._select(
            "SELECT seq FROM record WHERE number <= ? AND seq IS NOT NULL ORDER BY number DESC LIMIT 1", number
        )
        return int(found[0][0]) if found else 0

    def _number_of(self, seq: int) -> int:
        """Return the row number of a fact: the first row up to which so many facts stand."""
        low, high = seq, max(seq, self.head().number)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._seq_at(middle) >= seq else (middle + 1, high)
        return low
