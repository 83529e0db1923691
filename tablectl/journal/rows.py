"""What stands in the journal, row by row, and how each row is chained to the one before."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from tablectl.errors import JournalError
from tablectl.events.codec import Input, decode_body, decode_fact
from tablectl.events.facts import Fact, RoundOpened
from tablectl.journal.packing import texts

W = TypeVar("W")


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One row: an input, or a fact that followed from one.

    number: from 1, without gaps. boot: the process start that wrote it. wall: when the input was said, nanoseconds
    since 1970. mono: monotonic clock of that boot when it was queued. cause: of a fact, the number of its input.
    source, event_boot, event, by, key: of an input, as in :class:`~tablectl.events.codec.Input`. version: of the words.
    body: the reading, announcement or fact as JSON. seq: of a fact, its number among the facts, without gaps.
    """

    number: int
    boot: str
    wall: int
    mono: int
    table: str
    round: int
    cause: int | None
    source: str
    event_boot: str
    event: int
    by: str
    key: str
    version: int
    body: str
    seq: int | None

    def said(self) -> Input:
        """Return the input that this row holds.

        Raises:
            JournalError: its words cannot be read, or not by this version.
        """
        return Input(
            body=self._decoded(decode_body),
            at=self.wall,
            source=self.source,
            boot=self.event_boot,
            number=self.event,
            by=self.by,
            key=self.key,
        )

    def stated(self) -> Fact:
        """Return the fact that this row holds.

        Raises:
            JournalError: its words cannot be read, or not by this version.
        """
        return self._decoded(decode_fact)

    def _decoded(self, decode: Callable[[str], W]) -> W:
        try:
            return decode(self.body)
        except msgspec.DecodeError as error:
            raise JournalError(f"row {self.number}, words of version {self.version}: {error}") from error


class Head(msgspec.Struct, frozen=True):
    """The last row: its number, the last fact's seq, and the hash that stands for all rows up to here."""

    number: int
    seq: int
    hash: bytes

    @classmethod
    def of_nothing(cls, epoch: str) -> "Head":
        """Return what the first row of a record is chained to."""
        return cls(0, 0, hashlib.sha256(epoch.encode()).digest())


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


class Written(msgspec.Struct, frozen=True):
    """An entry that was committed, and its facts as the broker is to hear of them."""

    entry: Entry
    leaving: tuple[Outgoing, ...]


def leaving(source: str, facts: Iterable[Row]) -> Iterator[Outgoing]:
    """Yield facts as they leave for the broker. source: who said the input that they followed from."""
    return (Outgoing(row.seq or 0, row.wall, row.round, source, row.body) for row in facts)


def chained(before: bytes, row: Row) -> bytes:
    """Return the hash of a row: SHA-256 over the hash before it and the row as a JSON array of its columns."""
    return hashlib.sha256(before + msgspec.json.encode(row)).digest()


def with_facts(said: Row, facts: Iterable[str], first: int) -> list[Row]:
    """Return the row of an input and the rows of its facts, those behind the opening of a round in that round.

    first: the seq of the first fact.
    """
    row = msgspec.structs.replace(said, cause=said.number, source="", event_boot="", event=0, by="", key="")
    rows, in_round = [said], said.round
    for place, body in enumerate(facts):
        if body.startswith(_OPENING):
            in_round = _opened.decode(body).round
        rows.append(
            msgspec.structs.replace(row, number=said.number + 1 + place, body=body, seq=first + place, round=in_round)
        )
    return rows


class _Opened(msgspec.Struct):
    round: int


_opened = msgspec.json.Decoder(_Opened)
_OPENING = f'{{"type":"{RoundOpened.name()}"'


def to_entry(rows: Sequence[Row]) -> Entry:
    """Read an input's row and those of its facts.

    Raises:
        JournalError: names a row whose words cannot be read, or not by this version.
    """
    said, *facts = rows
    stated = tuple(Stated(row.seq or 0, row.stated()) for row in facts)
    return Entry(number=said.number, boot=said.boot, round=said.round, said=said.said(), facts=stated)


class Stored(msgspec.Struct, frozen=True):
    """An entry as the database holds it, folded into one row. said: without its words; words: packed; seq, hash: after
    its last row.
    """

    said: Row
    words: bytes
    seq: int
    hash: bytes

    def rows(self) -> list[Row]:
        """Return the rows of the input and of its facts.

        Raises:
            JournalError: the words were altered.
        """
        try:
            said, *facts = texts(self.words)
        except ValueError as error:
            raise JournalError(f"the words of row {self.said.number} were altered: {error}") from error
        return with_facts(msgspec.structs.replace(self.said, body=said), facts, self.seq - len(facts) + 1)
