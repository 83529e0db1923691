"""What counts in Mississippi stud: five cards against a pay table, and the three community cards by themselves."""

from collections.abc import Collection
from enum import StrEnum

from tablectl.cards import Card, Rank
from tablectl.hands.poker import FIVE_CARDS, THREE_CARDS
from tablectl.hands.worth import Category


class StudHand(StrEnum):
    """The hands that only this game tells apart."""

    HIGH_PAIR = "pair of jacks or better"
    MIDDLE_PAIR = "pair of sixes to tens"
    MINI_ROYAL = "mini royal"


_PAIRS = {rank: StudHand.HIGH_PAIR if rank >= Rank.JACK else StudHand.MIDDLE_PAIR for rank in Rank if rank >= Rank.SIX}


def five_card_hand(cards: Collection[Card]) -> Category | StudHand:
    """Return what five cards are; pairs that count are told apart (13:69F-35.11).

    Raises:
        ValueError: not five cards, or a card not yet seen.
    """
    worth = FIVE_CARDS.worth(cards)
    return _PAIRS.get(worth.ranks[0], Category.PAIR) if worth.category is Category.PAIR else worth.category


def three_card_hand(cards: Collection[Card]) -> Category | StudHand:
    """Return what three cards are; A-K-Q of one suit is a mini royal.

    Raises:
        ValueError: not three cards, or a card not yet seen.
    """
    worth = THREE_CARDS.worth(cards)
    royal = worth.category is Category.STRAIGHT_FLUSH and worth.ranks[0] is Rank.ACE
    return StudHand.MINI_ROYAL if royal else worth.category
