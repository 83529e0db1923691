"""A whole record, read as if it were one file."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from tablectl.errors import JournalError
from tablectl.events.word import Word
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Entry, Head, Outgoing, Row, Stored
from tablectl.journal.volumes import volumes


class Record:
    """All volumes of a record, each opened when something in it is looked for.

    Raises:
        JournalError: there is none, or it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = volumes(path)
        if not self.files:
            raise JournalError(f"journal {path}: there is no such file")
        self._readers: dict[Path, Reader] = {}
        self._stack = ExitStack()
        self.newest = self._reader(self.files[-1])
        self.table, self.epoch = self.newest.table, self.newest.epoch

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stack.close()

    def __iter__(self) -> Iterator[Reader]:
        return map(self._reader, self.files)

    def __reversed__(self) -> Iterator[Reader]:
        return map(self._reader, reversed(self.files))

    def _reader(self, file: Path) -> Reader:
        if file not in self._readers:
            self._readers[file] = self._stack.enter_context(Reader(file))
        return self._readers[file]

    @property
    def oldest(self) -> Reader:
        """Return the first volume that there is."""
        return self._reader(self.files[0])

    def head(self) -> Head:
        """Return the last row's number, seq and hash."""
        return self.newest.head()

    def holding(self, number: int) -> Reader:
        """Return the volume in which this row stands, or would; the oldest for what is no longer there."""
        found = next((reader for reader in reversed(self) if reader.before.number < number), None)
        return found or self.oldest

    def stored(self, after: int = 0, chunk: int = 500) -> Iterator[Stored]:
        """Yield the entries whose input stands after this number, as they are stored."""
        return (stored for reader in self.since(after) for stored in reader.stored(after, chunk))

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the inputs after this number, each with its facts."""
        return (entry for reader in self.since(after) for entry in reader.entries(after))

    def since(self, after: int) -> Iterator[Reader]:
        """Yield the volumes that hold what stands after this number."""
        first = self.files.index(self.holding(after + 1).path)
        return map(self._reader, self.files[first:])

    def last(self, word: type[Word], before: int | None = None) -> Row | None:
        """Return the last row that says this word (and stands before this number), None where none does."""
        readers = (each for each in reversed(self) if before is None or each.before.number + 1 < before)
        return next((row for reader in readers if (row := reader.last(word, before))), None)

    def first(self, word: type[Word]) -> Row | None:
        """Return the first row whose fact says this word, None where none does."""
        return next((row for reader in self if (row := reader.first(word))), None)

    def opening(self, round_: int) -> Row | None:
        """Return the row that opens this round, None where none does."""
        return next((row for reader in reversed(self) if (row := reader.opening(round_))), None)

    def unpublished(self, after: int, limit: int) -> list[Outgoing]:
        """Return facts that follow this seq, at most so many, in order; none only where there are none."""
        reader = next((each for each in reversed(self) if each.before.seq <= after), None)
        return (reader or self.oldest).unpublished(after, limit)
