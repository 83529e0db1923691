"""Mini-tex 3 card hold'em: the best three of five cards with at least one of one's own two, and the two alone."""

from collections.abc import Callable

from tablectl.cards import Card, Rank
from tablectl.hands.poker import THREE_CARDS
from tablectl.hands.ranking import codes
from tablectl.hands.worth import Category, Worth

Cards = tuple[Card, ...]

_OWN, _BOARD = 2, 3


def best_hand(own: Cards, board: Cards) -> Worth:
    """Return the worth of the best three cards; the three community cards by themselves are no hand (13:69F-37.1).

    Raises:
        ValueError: not two cards and three, or a card not yet seen.
    """
    if (len(own), len(board)) != (_OWN, _BOARD):
        raise ValueError(f"two cards and three were awaited, not {len(own)} and {len(board)}")
    (first, second), (one, two, three) = codes(own), codes(board)
    pairs = (one + two, one + three, two + three)
    both = first + second
    totals = (
        *(first + pair for pair in pairs),
        *(second + pair for pair in pairs),
        both + one,
        both + two,
        both + three,
    )
    return max(THREE_CARDS.worths_of(totals))


def reaches(least: Category, hand: Worth) -> bool:
    """Tell whether a three-card hand is of this category or a higher one."""
    order = THREE_CARDS.order
    return order.index(hand.category) <= order.index(least)


def _pair_of(rank: Rank) -> Callable[[Card, Card], bool]:
    return lambda one, two: one.rank is two.rank is rank


def _ace_and(rank: Rank, *, suited: bool) -> Callable[[Card, Card], bool]:
    def holds(one: Card, two: Card) -> bool:
        return {one.rank, two.rank} == {Rank.ACE, rank} and (not suited or one.suit is two.suit)

    return holds


def _many(rank: Rank) -> str:
    return "sixes" if rank is Rank.SIX else f"{rank.word}s"


def _suited(one: Card, two: Card) -> bool:
    return one.suit is two.suit


def _connected(one: Card, two: Card) -> bool:
    """Tell whether two cards follow each other; the ace stands above the king and below the two."""
    return abs(one.rank - two.rank) in (1, Rank.ACE - Rank.TWO)


_COURT = (Rank.KING, Rank.QUEEN, Rank.JACK)

POCKET_HANDS: dict[str, Callable[[Card, Card], bool]] = {
    **{f"pair of {_many(rank)}": _pair_of(rank) for rank in reversed(Rank) if rank is not Rank.JOKER},
    "pair": lambda one, two: one.rank is two.rank,
    **{f"ace-{rank.word} suited": _ace_and(rank, suited=True) for rank in _COURT},
    "suited connectors": lambda one, two: _suited(one, two) and _connected(one, two),
    **{f"ace-{rank.word}": _ace_and(rank, suited=False) for rank in _COURT},
    "suited": _suited,
    "connectors": _connected,
    "ace": lambda one, two: Rank.ACE in (one.rank, two.rank),
}
"""What two cards may be called on a pay table of the pocket poker wager, highest first. No table was found in the
rules, so this is only what a licensee's own table may be made of.
"""


def pocket_hand(lines: tuple[str, ...], cards: Cards) -> str:
    """Return the first of these lines that two cards are, empty if they are none.

    Raises:
        ValueError: not two cards.
    """
    one, two = cards
    return next((line for line in lines if POCKET_HANDS[line](one, two)), "")
