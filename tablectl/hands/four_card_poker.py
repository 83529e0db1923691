"""What counts in four-card poker: the best four of the cards held (13:69F-27.10(d))."""

from collections.abc import Collection

from tablectl.cards import Card, Rank
from tablectl.hands.poker import FOUR_CARDS
from tablectl.hands.worth import Category, Worth

PAIR_OF_ACES = "pair of aces"
PLAYER, DEALER = 5, 6
"""Cards that a player and the dealer hold."""


def four_card_hand(cards: Collection[Card]) -> str:
    """Return what the best four of a player's cards are; a pair of aces is told from lower pairs.

    Raises:
        ValueError: not five cards, or a card not yet seen.
    """
    best = _best(cards, PLAYER)
    return PAIR_OF_ACES if best.category is Category.PAIR and best.ranks[0] is Rank.ACE else best.category


def compare(player: Collection[Card], dealer: Collection[Card]) -> str:
    """Return ``win``, ``lose`` or ``tie`` for the player's best four cards against the dealer's.

    Raises:
        ValueError: not five cards against six, or a card not yet seen.
    """
    own, other = _best(player, PLAYER), _best(dealer, DEALER)
    return "tie" if own == other else "win" if own > other else "lose"


def _best(cards: Collection[Card], size: int) -> Worth:
    if len(cards) != size:
        raise ValueError(f"{size} cards were awaited, not {len(cards)}")
    return FOUR_CARDS.best(cards)
