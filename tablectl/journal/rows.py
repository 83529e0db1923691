"""What stands in the journal, row by row, and how each row is chained to the one before."""

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from tablectl.events.codec import Input, decode_body, decode_fact
from tablectl.events.facts import Fact

INPUT = "input"
FACT = "fact"


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One row. number: from 1, without gaps. boot: the process start that wrote it. wall: when the input was said,
    nanoseconds since 1970. mono: monotonic clock of that boot when it was written. cause: for a fact, the number of its
    input. origin: what makes an input unique, or empty. version: of the words in body. body: JSON, of an
    :class:`~tablectl.events.codec.Input` or a fact. seq: for a fact, its number among the facts, without gaps.
    """

    number: int
    boot: str
    wall: int
    mono: int
    table: str
    round: int
    cause: int | None
    origin: str
    kind: str
    version: int
    body: str
    seq: int | None


class Head(msgspec.Struct, frozen=True):
    """The last row: its number, the last fact's seq, and the hash that stands for all rows up to here."""

    number: int
    seq: int
    hash: bytes


class Stated(msgspec.Struct, frozen=True):
    """A fact as it stands in the journal."""

    seq: int
    fact: Fact


class Entry(msgspec.Struct, frozen=True):
    """An input and the facts that followed, which were committed together. number: of the input's row."""

    number: int
    boot: str
    round: int
    said: Input
    facts: tuple[Stated, ...]

    @property
    def last(self) -> int:
        """Return the number of the entry's last row."""
        return self.number + len(self.facts)


class Outgoing(msgspec.Struct, frozen=True):
    """A fact on its way to the broker. wall: nanoseconds since 1970; source: the device or role that caused it."""

    seq: int
    wall: int
    round: int
    source: str
    body: str


def genesis(epoch: str) -> bytes:
    """Return the hash that the first row of a journal is chained to."""
    return hashlib.sha256(epoch.encode()).digest()


def chained(before: bytes, row: Row) -> bytes:
    """Return the hash of a row: SHA-256 over the hash before it and the row as a JSON array of its columns."""
    return hashlib.sha256(before + msgspec.json.encode(row)).digest()


class _Said(Input, frozen=True):
    """An input as it is read: its body stays JSON until the codec has told reading from announcement."""

    body: msgspec.Raw  # type: ignore[assignment]  # narrowed for the decoder, never seen outside


_said = msgspec.json.Decoder(_Said)


def decode_input(body: str) -> Input:
    """Read an input as it stands in a row.

    Raises:
        msgspec.ValidationError: not an input of this version.
    """
    said = _said.decode(body)
    return Input(**msgspec.structs.asdict(said) | {"body": decode_body(bytes(said.body))})


def entries(rows: Iterable[Row]) -> Iterator[Entry]:
    """Put inputs together with their facts; facts before the first input are skipped."""
    said: Row | None = None
    facts: list[Stated] = []
    for row in rows:
        if row.kind == INPUT:
            if said is not None:
                yield _entry(said, facts)
            said, facts = row, []
        elif said is not None and row.seq is not None:
            facts.append(Stated(seq=row.seq, fact=decode_fact(row.body)))
    if said is not None:
        yield _entry(said, facts)


def _entry(row: Row, facts: list[Stated]) -> Entry:
    return Entry(number=row.number, boot=row.boot, round=row.round, said=decode_input(row.body), facts=tuple(facts))
