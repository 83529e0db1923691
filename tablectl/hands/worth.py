"""What a hand is called and how it compares: the words of the regulation and a value that orders."""

from enum import StrEnum
from typing import NamedTuple

from tablectl.cards import Rank


class Category(StrEnum):
    """The kinds of hand, in the words of the regulation; which beats which is said by each :class:`.Ranking`."""

    FIVE_ACES = "five aces"
    ROYAL_FLUSH = "royal flush"
    STRAIGHT_FLUSH = "straight flush"
    FOUR_OF_A_KIND = "four of a kind"
    FULL_HOUSE = "full house"
    FLUSH = "flush"
    STRAIGHT = "straight"
    THREE_OF_A_KIND = "three of a kind"
    TWO_PAIR = "two pair"
    PAIR = "pair"
    HIGH_CARD = "high card"


class Worth(NamedTuple):
    """What a hand is worth within one ranking; equal worth is a copy, or a tie.

    strength: the category's place in the ranking, 0 for the lowest; ranks: every card's rank in the order in which it
    counts, the joker as what it stands for: ``K K A 8 7`` for a pair of kings, ``A 5 4 3 2`` for a straight that
    ranks second, ``5 4 3 2 A`` for one that ranks last.

    A low hand compares with a high hand, since a shorter hand with equal ranks counts as the lower.
    """

    strength: int
    ranks: tuple[Rank, ...]
    category: Category

    def __str__(self) -> str:
        return f"{self.category}, {' '.join(rank.letter for rank in self.ranks)}"
