"""Money in whole minor units, and odds as exact ratios. No float comes near either."""

import re
from enum import StrEnum
from fractions import Fraction

import msgspec


class Odds(msgspec.Struct, frozen=True, array_like=True):
    """What a winning wager pays, "3 to 2", as JSON ``[3, 2]``. Odds are never "for" (13:69F-11.20(a)).

    Raises:
        ValueError: a side that is not positive.
    """

    win: int
    stake: int

    def __post_init__(self) -> None:
        if self.win < 0 or self.stake <= 0:
            raise ValueError(f"odds of {self.win} to {self.stake} pay nothing sensible")

    @classmethod
    def parse(cls, text: str) -> "Odds":
        """Read odds as a layout prints them.

        >>> Odds.parse("3 to 2")
        Odds(win=3, stake=2)

        Raises:
            ValueError: anything but "N to M".
        """
        found = re.fullmatch(r"([\d,]+) to ([\d,]+)", text.strip())
        if not found:
            raise ValueError(f'odds are written "3 to 2", not {text!r}')
        win, stake = (int(side.replace(",", "")) for side in found.groups())
        return cls(win, stake)

    @property
    def ratio(self) -> Fraction:
        """Return the winnings on a stake of one."""
        return Fraction(self.win, self.stake)

    def __str__(self) -> str:
        return f"{self.win:,} to {self.stake:,}"


class Direction(StrEnum):
    """Which way an amount that chips cannot pay exactly is rounded; the licensee's choice."""

    DOWN = "down"
    UP = "up"
    NEAREST = "nearest"


class Rounding(msgspec.Struct, frozen=True):
    """How a payout that is not a whole number of units is rounded: unit in minor units, and the direction."""

    unit: int = 1
    direction: Direction = Direction.DOWN

    def apply(self, amount: Fraction | int) -> int:
        """Round an exact amount of minor units to what is paid.

        >>> Rounding(25, Direction.UP).apply(Fraction(1001))
        1025
        """
        if self.unit == 1 and isinstance(amount, int):
            return amount
        whole, rest = divmod(amount, self.unit)
        if rest == 0:
            return int(whole) * self.unit
        match self.direction:
            case Direction.DOWN:
                up = False
            case Direction.UP:
                up = True
            case Direction.NEAREST:
                up = 2 * rest >= self.unit
        return (int(whole) + up) * self.unit


EXACT = Rounding()
MINOR_UNITS = {"USD": 2, "EUR": 2, "GBP": 2, "CAD": 2, "JPY": 0}
"""Digits behind the point, by ISO 4217 code."""


def parse_amount(text: str, currency: str = "USD") -> int:
    """Read an amount as a table file writes it, into minor units.

    >>> parse_amount("15.00")
    1500

    Raises:
        ValueError: not a plain decimal number with that currency's digits, or an unknown currency.
    """
    digits = digits_of(currency)
    found = re.fullmatch(r"(\d+)(?:\.(\d+))?", text)
    if not found or len(found[2] or "") not in (0, digits):
        shape = "15" if digits == 0 else "15." + "0" * digits
        raise ValueError(f'an amount in {currency} is written "{shape}", not {text!r}')
    return int(found[1] + (found[2] or "0" * digits))


def format_amount(amount: int, currency: str = "USD") -> str:
    """Write minor units as people read them, without the currency's name.

    >>> format_amount(123456), format_amount(-500)
    ('1,234.56', '-5.00')
    """
    digits = digits_of(currency)
    sign, amount = ("-" if amount < 0 else ""), abs(amount)
    whole, rest = divmod(amount, 10**digits)
    return f"{sign}{whole:,}" + (f".{rest:0{digits}d}" if digits else "")


def digits_of(currency: str) -> int:
    """Return how many digits stand behind the point.

    Raises:
        ValueError: a currency that the program does not know.
    """
    if currency not in MINOR_UNITS:
        raise ValueError(f"unknown currency {currency!r}; known are {', '.join(MINOR_UNITS)}")
    return MINOR_UNITS[currency]
