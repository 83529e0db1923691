"""What stands behind a damaged spot: rows that follow from each other, though not from what is left before them."""

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import chain

import msgspec

from tablectl.errors import JournalError
from tablectl.journal.rows import Head, Row, Stored, chained


class Tail(msgspec.Struct):
    """Entries that are chained to each other. before: where the entry ends that the first of them is chained to."""

    before: Head
    entries: list[Stored]
    head: Head

    def rows(self) -> Iterator[tuple[Row, bytes]]:
        """Yield each row with its hash."""
        hashed = self.before.hash
        for row in chain.from_iterable(stored.rows() for stored in self.entries):
            hashed = chained(hashed, row)
            yield row, hashed


def follows(head: Head, stored: Stored) -> Head | None:
    """Return where an entry ends if it continues the chain from here, None where it does not."""
    try:
        rows = stored.rows()
        proven = stored.seq == head.seq + len(rows) - 1 and stored.hash == reduce(chained, rows, head.hash)
    except (JournalError, TypeError, ValueError):
        return None
    return Head(head.number + len(rows), stored.seq, stored.hash) if proven else None


def tails(entries: Iterable[list[Stored]]) -> list[Tail]:
    """Return the runs of entries that prove each other. entries: what may stand at each number, in order.

    The first entry of a run proves nothing but the hash that it ends with, and is left out.
    """
    found: list[Tail] = []
    ends: list[Head] = []
    for candidates in entries:
        last = found[-1] if found else None
        if last and (step := _step([last.head], candidates)):
            last.entries.append(step[1])
            last.head = step[2]
        elif step := _step(ends, candidates):
            found.append(Tail(step[0], [step[1]], step[2]))
        ends = [end for stored in candidates if (end := _end(stored))]
    return found


def _step(heads: list[Head], candidates: list[Stored]) -> tuple[Head, Stored, Head] | None:
    steps = (
        (head, stored, end)
        for head in heads
        for stored in candidates
        if stored.said.number == head.number + 1 and (end := follows(head, stored))
    )
    return next(steps, None)


def _end(stored: Stored) -> Head | None:
    """Return where an entry says that it ends."""
    try:
        return Head(stored.said.number + len(stored.rows()) - 1, stored.seq, stored.hash)
    except JournalError:
        return None
