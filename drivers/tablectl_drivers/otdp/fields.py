"""What the fields of a message look like in bytes; each kind of field writes and reads side by side.

Numbers are unsigned, the most significant byte first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tablectl.errors import WireError


class Cursor:
    """Reads a body from front to back.

    Raises:
        WireError: the body ends before a field does.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        taken = self._data[self._at : self._at + count]
        if len(taken) < count:
            raise WireError(f"the message ends after {len(self._data)} bytes, {count - len(taken)} too early")
        self._at += count
        return taken

    def end(self) -> None:
        """Check that nothing is left."""
        if self._at < len(self._data):
            raise WireError(f"{len(self._data) - self._at} bytes too many at the end of the message")


class Field(Protocol):
    """One kind of field."""

    def write(self, value: Any) -> bytes:
        """Return the value in bytes.

        Raises:
            ValueError: the field cannot hold it.
        """
        ...

    def read(self, cursor: Cursor) -> Any:
        """Take the value off the cursor.

        Raises:
            WireError: the bytes there are no such value.
        """
        ...


@dataclass(frozen=True)
class Number:
    """A number of so many bytes; with absent, its greatest value says None."""

    size: int
    absent: bool = False

    @property
    def greatest(self) -> int:
        """Return the greatest value that the bytes can hold."""
        return int(256**self.size) - 1

    def write(self, value: int | None) -> bytes:
        """Return the number, most significant byte first."""
        if value is None and self.absent:
            value = self.greatest
        elif value is None or not 0 <= value <= self.greatest - self.absent:
            raise ValueError(f"{value} does not fit in {self.size} bytes")
        return value.to_bytes(self.size, "big")

    def read(self, cursor: Cursor) -> int | None:
        """Take a number."""
        value = int.from_bytes(cursor.take(self.size), "big")
        return None if self.absent and value == self.greatest else value


@dataclass(frozen=True)
class String:
    """Text in UTF-8 after one byte with its length in bytes."""

    longest: int

    def write(self, value: str) -> bytes:
        """Return the length and the text."""
        data = value.encode()
        if len(data) > self.longest:
            raise ValueError(f"{value!r} is longer than {self.longest} bytes")
        return bytes([len(data)]) + data

    def read(self, cursor: Cursor) -> str:
        """Take a text."""
        length = cursor.take(1)[0]
        if length > self.longest:
            raise WireError(f"a text of {length} bytes, at most {self.longest} are allowed")
        try:
            return cursor.take(length).decode()
        except UnicodeDecodeError as error:
            raise WireError(f"a text that is no UTF-8: {error}") from error


class Choice:
    """One of several values, each with its number, in one byte."""

    def __init__(self, name: str, numbers: Mapping[Any, int]) -> None:
        self.name = name
        self.numbers = numbers
        self._values = {number: value for value, number in numbers.items()}

    def write(self, value: Any) -> bytes:
        """Return the value's number."""
        if value not in self.numbers:
            raise ValueError(f"{value!r} is no {self.name}")
        return bytes([self.numbers[value]])

    def read(self, cursor: Cursor) -> Any:
        """Take a number that stands for a value."""
        number = cursor.take(1)[0]
        if number not in self._values:
            raise WireError(f"{number:#04x} is no {self.name}")
        return self._values[number]


class Several:
    """Any number of values, each with a bit of its own, in so many bytes."""

    def __init__(self, name: str, bits: Mapping[Any, int], size: int = 1) -> None:
        self.name = name
        self.bits = bits
        self._number = Number(size)

    def write(self, value: Iterable[Any]) -> bytes:
        """Return the bits of the values."""
        return self._number.write(sum(1 << self.bits[each] for each in set(value)))

    def read(self, cursor: Cursor) -> tuple[Any, ...]:
        """Take bits, each of which stands for a value."""
        number = self._number.read(cursor) or 0
        if unknown := number & ~sum(1 << bit for bit in self.bits.values()):
            raise WireError(f"{unknown:#x} is no {self.name}")
        return tuple(value for value, bit in self.bits.items() if number >> bit & 1)
