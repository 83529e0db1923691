"""Supreme pai gow: four cards set as two and two (13:69F-34.3), and the four-card bonus hands (34.12).

Only the matching pairs were read. What is below them, what a joker is beside another card, and how hands are set is
the licensee's, and stands in a :class:`Way`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from tablectl.cards import JOKER, Card, Rank
from tablectl.hands.poker import FOUR_CARDS
from tablectl.hands.worth import Category

Cards = tuple[Card, ...]
Worth = tuple[int, ...]
"""What two cards are worth; the greater ranks higher, and equal ones are a copy."""

HAND, HALF = 4, 2
_ABOVE_ACES = Rank.ACE + 1
_FACES = Rank.TEN
"""From the ten on a card has no points."""
_POINTS = 10


def _points(ranks: Sequence[int]) -> Worth:
    """Return the last digit of the sum, the ace as one, tens and faces and a joker above the aces as none."""
    return (sum(1 if rank == Rank.ACE else 0 if rank >= _FACES else rank for rank in ranks) % _POINTS,)


def _high_card(ranks: Sequence[int]) -> Worth:
    return tuple(sorted(ranks, reverse=True))


CRITERIA: dict[str, Callable[[Sequence[int]], Worth]] = {"points": _points, "high card": _high_card}
"""By what two cards that match no pair may be compared."""
JOKERS = ("above the aces", "an ace")
"""What a joker may be beside another card; two jokers are the highest pair in any case (34.3(a)1i)."""
SETTINGS: dict[str, Callable[[tuple[Worth, Worth]], Worth]] = {
    "highest low hand": lambda worths: worths[1] + worths[0],
    "highest high hand": lambda worths: worths[0] + worths[1],
}
"""How a dealer's four cards may be set: which of the two hands is made as high as it can be, the other after it."""


class Way(msgspec.Struct, frozen=True):
    """What a house says that the rules do not. below: by what hands without a pair are compared, one after another;
    joker: what it is beside another card; setting: how the dealer's cards are set.
    """

    below: tuple[str, ...]
    joker: str
    setting: str

    def worth(self, two: Collection[Card]) -> Worth:
        """Return what two cards are worth.

        Raises:
            ValueError: not two cards, or a card not yet seen.
        """
        if len(two) != HALF:
            raise ValueError(f"a hand of two cards was awaited, not {len(two)}")
        jokers = sum(card is JOKER for card in two)
        ranks = [self._rank(card, alone=jokers < HALF) for card in two]
        if ranks[0] == ranks[1]:
            return 1, ranks[0]
        below = (value for name in self.below for value in CRITERIA[name](ranks))
        return 0, *below

    def _rank(self, card: Card, *, alone: bool) -> int:
        if card is JOKER:
            return Rank.ACE if alone and self.joker == JOKERS[1] else _ABOVE_ACES
        if card.suit is None:
            raise ValueError(f"only a card that was seen has a worth, not {card}")
        return int(card.rank)

    def set_hand(self, cards: Collection[Card]) -> tuple[Cards, Cards]:
        """Set four cards as the house does, high and low.

        Raises:
            ValueError: not four cards, or a card not yet seen.
        """
        if len(cards) != HAND:
            raise ValueError(f"four cards were awaited, not {len(cards)}")
        by = SETTINGS[self.setting]
        return max(self._settings(tuple(cards)), key=lambda laid: by((self.worth(laid[0]), self.worth(laid[1]))))

    def _settings(self, cards: Cards) -> Iterator[tuple[Cards, Cards]]:
        """Yield each way to lay four cards as two and two, the higher first."""
        first, *rest = cards
        for other in rest:
            one = first, other
            two = tuple(card for at, card in enumerate(cards) if at not in (0, cards.index(other, 1)))
            yield (one, two) if self.worth(one) >= self.worth(two) else (two, one)


def bonus_hands(cards: Collection[Card]) -> tuple[str, ...]:
    """Return everything that four cards are, highest first, by 34.12(a); the jokers stand for nothing else.

    Raises:
        ValueError: not four cards, or a card not yet seen.
    """
    if len(cards) != HAND or any(card.suit is None and card is not JOKER for card in cards):
        raise ValueError(f"four cards, all seen, were awaited, not {' '.join(cards)}")
    natural = [card for card in cards if card is not JOKER]
    found = _with_jokers(natural) if len(natural) < HAND else _natural(natural)
    return tuple(name for name in BONUS_HANDS if name in found)


BONUS_HANDS = (
    "four aces",
    "royal flush",
    "two jokers and two aces",
    "four of a kind",
    "straight flush",
    "three of a kind",
    "flush",
    "straight",
    "two pair",
)
"""The hands that a bonus table may name, highest first; below four of a kind none was read (34.12(a))."""


def _with_jokers(natural: Collection[Card]) -> set[str]:
    ranks = Counter(card.rank for card in natural)
    if ranks == {Rank.ACE: 2}:
        return {"two jokers and two aces"}
    return {"three of a kind"} if HAND - 1 in ranks.values() else set()


def _natural(cards: Collection[Card]) -> set[str]:
    """Return what four cards without a joker are."""
    worth = FOUR_CARDS.worth(cards)
    found = {str(worth.category)}
    if worth.category is Category.FOUR_OF_A_KIND:
        found |= {"three of a kind", "two pair", *(("four aces",) if worth.ranks[0] is Rank.ACE else ())}
    if worth.category is Category.STRAIGHT_FLUSH:
        found |= {"flush", "straight", *(("royal flush",) if worth.ranks[:2] == (Rank.ACE, Rank.KING) else ())}
    return found
