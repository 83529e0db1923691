"""Pai gow poker: seven cards set as five and two, and who wins (13:69F-11.3 and 11.9, inferred)."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from tablectl.cards import Card
from tablectl.hands.ranking import Ranking
from tablectl.hands.worth import Category, Worth

Result = Literal["win", "lose", "push"]

LOW_HAND = Ranking(2, (Category.PAIR, Category.HIGH_CARD))
"""Two cards: a pair or none; straights and flushes do not count, and the joker is an ace."""


@cache
def high_hand(*, low_straight_second: bool = True) -> Ranking:
    """Return the ranking of five cards: every category in the order in which :class:`.Category` lists them."""
    return Ranking(5, tuple(Category), low_straight_second=low_straight_second)


class Setting(NamedTuple):
    """Seven cards as they were set: five high, two low, if they were set well."""

    high: Sequence[Card]
    low: Sequence[Card]

    def __str__(self) -> str:
        return f"{' '.join(self.high)} / {' '.join(self.low)}"


def is_foul(setting: Setting, *, low_straight_second: bool = True) -> bool:
    """Tell whether the cards are not five and two, or the high hand ranks below the low hand.

    Raises:
        ValueError: a card not yet seen.
    """
    return _worths(setting, high_hand(low_straight_second=low_straight_second)) is None


def compare(player: Setting, dealer: Setting, *, low_straight_second: bool = True) -> Result:
    """Settle a player's setting against the dealer's or the bank's: a copy goes to the dealer, a foul hand loses.

    Raises:
        ValueError: a card not yet seen, or a dealer's setting that is foul and must be set again.
    """
    ranking = high_hand(low_straight_second=low_straight_second)
    due, held = _worths(dealer, ranking), _worths(player, ranking)
    if due is None:
        raise ValueError(f"the dealer's hands are foul and are set again by the house way: {dealer}")
    if held is None:
        return "lose"
    return _RESULTS[(held[0] > due[0]) + (held[1] > due[1])]


_RESULTS: tuple[Result, ...] = ("lose", "push", "win")
"""By how many of the two hands the player won."""


def _worths(setting: Setting, ranking: Ranking) -> tuple[Worth, Worth] | None:
    """Return what the high and the low hand are worth; None if they are foul."""
    return _worths_of(tuple(setting.high), tuple(setting.low), ranking)


@lru_cache(16)  # the hands of one table: each is asked for a foul, and one is held against all others
def _worths_of(high: tuple[Card, ...], low: tuple[Card, ...], ranking: Ranking) -> tuple[Worth, Worth] | None:
    if (len(high), len(low)) != (ranking.size, LOW_HAND.size):
        return None
    worths = ranking.worth(high), LOW_HAND.worth(low)
    return worths if worths[0] >= worths[1] else None
