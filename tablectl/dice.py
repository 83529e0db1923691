"""Three dice under a shaker's lid, as a sensor or a dealer reads them."""

from enum import StrEnum
from typing import Any

import msgspec


class DieFault(StrEnum):
    """Why a die has no value: leaning, unreadable by the sensor, or fallen out of the shaker."""

    COCKED = "cocked"
    UNREAD = "unread"
    OUT = "out"


Die = int | DieFault


class Roll(msgspec.Struct, frozen=True, array_like=True):
    """What three dice show when the lid comes off, written ``[4, 5, "cocked"]``.

    Raises:
        ValueError: a value that no die has.
    """

    first: Die
    second: Die
    third: Die

    def __post_init__(self) -> None:
        for die in self.dice:
            if isinstance(die, int) and not 1 <= die <= 6:  # noqa: PLR2004 - a die has six faces
                raise ValueError(f"a die shows 1 to 6, not {die}")

    @property
    def dice(self) -> tuple[Die, Die, Die]:
        """Return the three dice."""
        return self.first, self.second, self.third

    @property
    def flat(self) -> bool:
        """Tell whether all three dice lie flat and were read (13:69F-34.14(a): otherwise "No roll")."""
        return all(isinstance(die, int) for die in self.dice)

    @property
    def total(self) -> int:
        """Return the sum of three flat dice, 3 to 18.

        Raises:
            ValueError: not all dice are flat, so that there is no total.
        """
        values = [die for die in self.dice if isinstance(die, int)]
        if len(values) != len(self.dice):
            raise ValueError(f"no total: the dice show {self}")
        return sum(values)

    def __str__(self) -> str:
        return "-".join(str(die) for die in self.dice)

    @classmethod
    def of(cls, *dice: Any) -> "Roll":
        """Read a roll from plain values, as JSON holds it.

        >>> Roll.of(4, 5, "cocked").flat
        False
        """
        return msgspec.convert(list(dice), cls)


def counting_position(total: int, *, places: int = 7) -> int:
    """Return the count k at which the dealing starts: 1 is the dealer, counted counterclockwise (13:69F-31.11(b)2).

    >>> [counting_position(total) for total in (3, 8, 14, 15, 18)]
    [3, 1, 7, 1, 4]
    """
    return (total - 1) % places + 1
