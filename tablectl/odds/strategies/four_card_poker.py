"""Four-card poker: a strategy by pairs alone, as it is taught. Best play is in no words; ``--exact`` counts it."""

from functools import partial

from tablectl.cards import Rank
from tablectl.games.four_card_poker import FORFEIT, PLAY
from tablectl.hands.poker import FOUR_CARDS
from tablectl.hands.worth import Category
from tablectl.odds.strategies.strategy import Decision, Hands, Strategy

LEAST_FOR_THREE = Rank.TEN


def by_pairs(least: Rank, hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Play three times the ante from this pair on, once with a lower pair, else forfeit."""
    del answers
    best = FOUR_CARDS.best(hands[hand])
    if best.category is Category.HIGH_CARD:
        return FORFEIT, 0
    low = best.category is Category.PAIR and best.ranks[0] < least
    return PLAY, 1 if low else 3


STRATEGIES = {
    "by-pairs": Strategy(
        "plays three times from a pair of tens on, once with a lower pair, and else forfeits",
        {PLAY: partial(by_pairs, LEAST_FOR_THREE)},
    )
}
