"""Mini-tex 3 card hold'em: a plain strategy by the best hand so far; nobody has published a better one."""

from collections.abc import Callable, Sequence
from functools import partial

from tablectl.cards import Card, Rank
from tablectl.games.mini_tex_3_card_holdem import BET, BOARD, FLOP, FOLD, PLAY, RIVER
from tablectl.hands.mini_tex import best_hand
from tablectl.hands.poker import THREE_CARDS
from tablectl.hands.worth import Category, Worth
from tablectl.odds.strategies.strategy import Decision, Hands, Strategy

Cards = Sequence[Card]

HIGH_BEFORE_FLOP, HIGH_AFTER_FLOP, HIGH_AFTER_RIVER = Rank.SEVEN, Rank.TEN, Rank.ACE
"""The least high card on which a hand without a pair goes on."""


def _reaches(hand: Worth, high: Rank) -> bool:
    return hand.category is not Category.HIGH_CARD or hand.ranks[0] >= high


def before_flop(own: Cards, board: Cards) -> bool:
    """Tell whether two cards go on: a pair, two of one suit, or a card that is high enough."""
    del board
    one, two = own
    return one.rank is two.rank or one.suit is two.suit or max(one.rank, two.rank) >= HIGH_BEFORE_FLOP


def before_river(own: Cards, board: Cards) -> bool:
    """Tell whether the best of two cards and two in common goes on."""
    four = [*own, *board]
    return _reaches(max(THREE_CARDS.worth([*four[:at], *four[at + 1 :]]) for at in range(4)), HIGH_AFTER_FLOP)


def before_dealer(own: Cards, board: Cards) -> bool:
    """Tell whether the best of all five cards goes on."""
    return _reaches(best_hand(tuple(own), tuple(board)), HIGH_AFTER_RIVER)


def _decide(goes_on: Callable[[Cards, Cards], bool], hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    del answers
    board = [card for area in BOARD for card in hands.get(area, ())]
    return (BET if goes_on(hands[hand], board) else FOLD), 0


_GOES_ON = {FLOP: before_flop, RIVER: before_river, PLAY: before_dealer}


def _always(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    del hands, hand, answers
    return BET, 0


STRATEGIES = {
    "plain": Strategy(
        "goes on with a pair or a high card", {stage: partial(_decide, by) for stage, by in _GOES_ON.items()}
    ),
    "never-folds": Strategy("never folds", dict.fromkeys(_GOES_ON, _always)),
}
