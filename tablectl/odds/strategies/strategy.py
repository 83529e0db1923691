"""How a player decides, as functions of the cards that the player may see."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import msgspec

from tablectl.cards import Card
from tablectl.rulebook import Rulebook

Cards = tuple[Card, ...]
Hands = Mapping[str, Sequence[Card]]
"""What lies where; a strategy looks only where its player may."""
Decision = tuple[str, int | Fraction]
"""A choice, and how many times the first wager it stakes: 0 where the choice says by itself how much."""
STAY: Decision = ("", 0)
"""Nothing is chosen."""
Decide = Callable[[Hands, str, tuple[str, ...]], Decision]
"""Decides for a hand: what lies where, the hand, and what is on offer."""
Way = Callable[[Cards], tuple[Cards, Cards]]


class Strategy(msgspec.Struct, frozen=True):
    """How one player plays. text: in a line; decides: by what is on offer or whose turn it is, what is not named being
    left alone; sets: how seven cards are set, by the rules of the table.
    """

    text: str
    decides: Mapping[str, Decide] = {}
    sets: Callable[[Rulebook], Way] | None = None
