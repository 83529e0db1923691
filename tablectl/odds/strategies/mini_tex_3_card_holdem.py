"""Mini-tex 3 card hold'em: a plain strategy, found by playing every hand on and asking which lost more than a fold.

Since a dealer without a pair pays whoever is still in, few hands fold, and none between flop and river.
"""

from collections.abc import Sequence

from tablectl.cards import Card, Rank
from tablectl.games.mini_tex_3_card_holdem import BET, BOARD, FLOP, FOLD, PLAY, RIVER
from tablectl.hands.mini_tex import best_hand
from tablectl.hands.worth import Category
from tablectl.odds.strategies.strategy import Decision, Hands, Strategy

HIGHEST_TO_FOLD = Rank.NINE
IN_LINE = (Rank.THREE, Rank.FOUR)
"""What stands near enough to a two for a straight."""


def is_hopeless(own: Sequence[Card]) -> bool:
    """Tell whether two cards fold at once: a two with a card up to nine, of two suits and no straight in sight."""
    low, high = sorted(own, key=lambda card: card.rank)
    apart = low.suit is not high.suit and high.rank not in IN_LINE
    return low.rank is Rank.TWO and high.rank <= HIGHEST_TO_FOLD and apart


def before_flop(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Fold what is hopeless."""
    del answers
    return (FOLD if is_hopeless(hands[hand]) else BET), 0


def before_dealer(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Fold nine high or less."""
    del answers
    board = tuple(card for area in BOARD for card in hands[area])
    best = best_hand(tuple(hands[hand]), board)
    weak = best.category is Category.HIGH_CARD and best.ranks[0] <= HIGHEST_TO_FOLD
    return (FOLD if weak else BET), 0


def go_on(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Stay in."""
    del hands, hand, answers
    return BET, 0


_PLAIN = {FLOP: before_flop, RIVER: go_on, PLAY: before_dealer}
STRATEGIES = {
    "plain": Strategy("folds a low two of another suit at once, and nine high or less at the end", _PLAIN),
    "never-folds": Strategy("never folds", dict.fromkeys(_PLAIN, go_on)),
}
