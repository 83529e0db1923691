"""The bonus wagers of pai gow poker: the first three cards, all seven, and the two sides of imperial pai gow."""

from collections.abc import Collection
from enum import StrEnum

from tablectl.cards import JOKER, Card, Rank, Suit
from tablectl.hands.pai_gow import high_hand
from tablectl.hands.poker import THREE_CARDS
from tablectl.hands.ranking import Ranking
from tablectl.hands.worth import Category

_SEVEN = 7
_KING_QUEEN = (Rank.KING, Rank.QUEEN)


class BonusHand(StrEnum):
    """The hands that only a bonus wager knows."""

    SEVEN_CARD_STRAIGHT_FLUSH = "seven-card straight flush"
    ROYAL_FLUSH_WITH_SUITED_KING_QUEEN = "royal flush with suited king-queen"
    SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER = "seven-card straight flush with joker"
    NATURAL_STRAIGHT_FLUSH = "natural straight flush"
    STRAIGHT_FLUSH_WITH_JOKER = "straight flush with joker"
    NINE_HIGH = "nine high"
    TEN_HIGH = "10 high"
    JACK_HIGH = "jack high"


_STRAIGHT_ABOVE_THREE = high_hand()
_THREE_ABOVE_STRAIGHT = Ranking(
    5,
    (
        Category.FIVE_ACES,
        Category.ROYAL_FLUSH,
        Category.STRAIGHT_FLUSH,
        Category.FOUR_OF_A_KIND,
        Category.FULL_HOUSE,
        Category.FLUSH,
        Category.THREE_OF_A_KIND,
        Category.STRAIGHT,
        Category.TWO_PAIR,
        Category.PAIR,
        Category.HIGH_CARD,
    ),
)
_IN_A_ROW = tuple(
    frozenset(Rank.ACE if value == 1 else Rank(value) for value in range(lowest, lowest + _SEVEN))
    for lowest in range(1, Rank.ACE - _SEVEN + 2)
)
"""Every seven ranks in a row, the ace at either end."""
_BANKER_HIGHS = {
    Rank.NINE: BonusHand.NINE_HIGH,
    Rank.TEN: BonusHand.TEN_HIGH,
    Rank.JACK: BonusHand.JACK_HIGH,
}


def three_card_bonus(cards: Collection[Card]) -> Category | BonusHand:
    """Return what three cards are, three of a kind ranking between the straight flush without and with the joker.

    Raises:
        ValueError: not three cards, or a card not yet seen.
    """
    category = THREE_CARDS.worth(cards).category
    if category is not Category.STRAIGHT_FLUSH:
        return category
    return BonusHand.STRAIGHT_FLUSH_WITH_JOKER if JOKER in cards else BonusHand.NATURAL_STRAIGHT_FLUSH


def seven_card_bonus(cards: Collection[Card]) -> Category | BonusHand:
    """Return the highest that seven cards hold, by the trade's order: three of a kind ranks above a straight.

    Raises:
        ValueError: not seven cards, or a card not yet seen.
    """
    category = _best(cards, _THREE_ABOVE_STRAIGHT)
    if category not in (Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH):
        return category
    if _is_seven_card_straight_flush(cards):
        joker = BonusHand.SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER
        return joker if JOKER in cards else BonusHand.SEVEN_CARD_STRAIGHT_FLUSH
    return BonusHand.ROYAL_FLUSH_WITH_SUITED_KING_QUEEN if _is_royal_with_king_queen(cards) else category


def imperial_player_hand(cards: Collection[Card]) -> Category:
    """Return the highest category that a player's seven cards hold (13:69F-11.20(b)).

    Raises:
        ValueError: not seven cards, or a card not yet seen.
    """
    return _best(cards, _STRAIGHT_ABOVE_THREE)


def imperial_banker_hand(cards: Collection[Card]) -> Category | BonusHand:
    """Return ``nine high``, ``10 high`` or ``jack high`` if seven cards hold no better, otherwise their category.

    The joker is an ace, so it never qualifies (13:69F-11.20(c)).

    Raises:
        ValueError: not seven cards, or a card not yet seen.
    """
    category = _best(cards, _STRAIGHT_ABOVE_THREE)
    if category is not Category.HIGH_CARD:
        return category
    return _BANKER_HIGHS.get(_STRAIGHT_ABOVE_THREE.best(cards).ranks[0], category)


def _best(cards: Collection[Card], ranking: Ranking) -> Category:
    if len(cards) != _SEVEN:
        raise ValueError(f"seven cards were awaited, not {len(cards)}")
    return ranking.best(cards).category


def _is_seven_card_straight_flush(cards: Collection[Card]) -> bool:
    natural = [card for card in cards if card is not JOKER]
    return len({card.suit for card in natural}) == 1 and any(
        row.issuperset(card.rank for card in natural) for row in _IN_A_ROW
    )


def _is_royal_with_king_queen(cards: Collection[Card]) -> bool:
    """Tell whether a king and a queen of one suit lie beside a royal flush, the joker being in the royal flush."""
    return any(
        _THREE_ABOVE_STRAIGHT.worth(five).category is Category.ROYAL_FLUSH
        for suit in Suit
        if len(five := [card for card in cards if card.suit is not suit or card.rank not in _KING_QUEEN]) == _SEVEN - 2
    )
