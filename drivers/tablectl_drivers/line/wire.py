"""The lines of plain devices, in both directions: ``DEALT,7,46`` and a line's end. ASCII, at most 80 bytes.

A line's class is its form: the word in front, then its fields in order. Nothing here has an id or a check sum.
"""

from enum import StrEnum
from typing import ClassVar

import msgspec

from tablectl.devices.contract import Kind, State
from tablectl.errors import WireError
from tablectl.events.readings import Condition

LONGEST = 80
END = b"\r\n"
_SHOWN = 20
_PRINTABLE = range(0x20, 0x7F)


class Verdict(StrEnum):
    """What a shuffler says of a deck."""

    GOOD = "good"
    BAD = "bad"


class Face(StrEnum):
    """What a die shows."""

    ONE = "1"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    COCKED = "cocked"
    UNREAD = "unread"
    OUT = "out"


class Line(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One line. word: what stands in front."""

    word: ClassVar[str] = ""


# From the host


class AskId(Line, frozen=True):
    """Say who you are."""

    word = "ID?"


class AskStatus(Line, frozen=True):
    """Say how you are; asked each second."""

    word = "STATUS?"


class Deal(Line, frozen=True):
    """Let a stack of so many cards out."""

    word = "DEAL"
    size: int


class Eject(Line, frozen=True):
    """Let the rest of the deck out."""

    word = "EJECT"


class Shuffle(Line, frozen=True):
    """Shuffle the deck that is in, or the next."""

    word = "SHUFFLE"


class Shake(Line, frozen=True):
    """Shake the dice so often."""

    word = "SHAKE"
    times: int


# From the device


class Id(Line, frozen=True):
    """Who it is."""

    word = "ID"
    kind: Kind
    model: str
    serial: str
    firmware: str


class Status(Line, frozen=True):
    """How it is. left: cards inside, where it counts them."""

    word = "STATUS"
    state: State
    left: int | None = None


class Ok(Line, frozen=True):
    """It will be done."""

    word = "OK"


class No(Line, frozen=True):
    """It will not be done."""

    word = "NO"
    reason: str


class Ready(Line, frozen=True):
    """It was just switched on."""

    word = "READY"


class Loaded(Line, frozen=True):
    """Cards were put in; count: how many are inside now."""

    word = "LOADED"
    count: int


class Dealt(Line, frozen=True):
    """A stack is in the gate."""

    word = "DEALT"
    size: int
    left: int


class Taken(Line, frozen=True):
    """It was taken."""

    word = "TAKEN"


class Ejected(Line, frozen=True):
    """The rest is out."""

    word = "EJECTED"
    count: int


class Empty(Line, frozen=True):
    """The last card is out."""

    word = "EMPTY"


class Started(Line, frozen=True):
    """A shuffle began."""

    word = "STARTED"


class Done(Line, frozen=True):
    """A shuffle ended; count: of the deck."""

    word = "DONE"
    count: int
    verdict: Verdict


class Out(Line, frozen=True):
    """The deck was taken out."""

    word = "OUT"


class Shaken(Line, frozen=True):
    """The dice were shaken; times: since the lid was closed."""

    word = "SHAKEN"
    times: int


class LidOpen(Line, frozen=True):
    """The lid came off."""

    word = "LID-OPEN"


class LidClosed(Line, frozen=True):
    """The lid is on."""

    word = "LID-CLOSED"


class Dice(Line, frozen=True):
    """What the dice show."""

    word = "DICE"
    first: Face
    second: Face
    third: Face


class Begin(Line, frozen=True):
    """Something stops it from now on."""

    word = "BEGIN"
    condition: Condition


class End(Line, frozen=True):
    """It no longer does."""

    word = "END"
    condition: Condition


LINES: dict[str, type[Line]] = {line.word: line for line in Line.__subclasses__()}
"""Every line by its word."""


def encode(line: Line) -> bytes:
    """Write a line with its end."""
    fields = ("" if value is None else str(value) for value in msgspec.structs.astuple(line))
    return ",".join((line.word, *fields)).encode() + END


def decode(data: bytes) -> Line:
    """Read a line without its end.

    Raises:
        WireError: it is none, and why.
    """
    if len(data) > LONGEST or any(byte not in _PRINTABLE for byte in data):
        raise WireError(f"{data[:_SHOWN]!r} is no line of plain text")
    word, *fields = data.decode().split(",")
    if word not in LINES:
        raise WireError(f"{word!r} is no word of plain devices")
    try:
        return msgspec.convert([field or None for field in fields], LINES[word], strict=False)
    except msgspec.ValidationError as error:
        raise WireError(f"{data.decode()!r}: {error}") from error


class Splitter:
    """Finds the lines in bytes that arrive in any pieces. bad: pieces that were none; fault: why the last was none."""

    def __init__(self) -> None:
        self.bad = 0
        self.fault = "no line ended"
        self._rest = b""

    def feed(self, data: bytes) -> list[Line]:
        """Take more bytes; return the lines that they complete. What is no line is counted and skipped."""
        *pieces, rest = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        self._rest = rest[: LONGEST + 1]
        return [line for piece in pieces if piece and (line := self._line(piece))]

    def _line(self, piece: bytes) -> Line | None:
        try:
            return decode(piece)
        except WireError as error:
            self.bad += 1
            self.fault = str(error)
            return None
