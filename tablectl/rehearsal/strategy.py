"""How players of the poker games decide: plain habits of the floor, not best play."""

from collections import Counter
from collections.abc import Callable

import msgspec

from tablectl.cards import Card, Rank
from tablectl.events.facts import RoundStepAwaited
from tablectl.games import blackjack as family
from tablectl.games import four_card_poker as four_card
from tablectl.games import mini_tex_3_card_holdem as mini_tex
from tablectl.games import mississippi_stud as stud
from tablectl.hands.blackjack import is_pair, total
from tablectl.hands.poker import FOUR_CARDS
from tablectl.hands.worth import Category
from tablectl.script import DRAW

Cards = tuple[Card, ...]
Decision = tuple[str, int]
"""A choice, and how many times the first wager it stakes; 0 where that is no choice."""


class Strategy(msgspec.Struct, frozen=True):
    """How a question is answered. shown: places whose cards everybody sees; by: decides by own cards and shown ones."""

    shown: tuple[str, ...]
    by: Callable[[Cards, Cards], Decision]


def stud_street(own: Cards, shown: Cards) -> Decision:
    """Bet three times with a pair that cannot lose any more, once with a lower pair or a high card, else fold."""
    pairs = [rank for rank, count in Counter(card.rank for card in own + shown).items() if count > 1]
    if any(rank >= Rank.SIX for rank in pairs):
        return stud.BET, 3
    hopeful = pairs or any(card.rank >= Rank.JACK for card in own)
    return (stud.BET, 1) if hopeful else (stud.FOLD, 0)


def mini_tex_stage(own: Cards, shown: Cards) -> Decision:
    """Stay with a pair or a high card, else fold."""
    ranks = [card.rank for card in own]
    paired = len({card.rank for card in own + shown}) < len(own + shown)
    return (mini_tex.BET, 0) if paired or max(ranks) >= Rank.TEN else (mini_tex.FOLD, 0)


def four_card_play(own: Cards, _: Cards) -> Decision:
    """Play three times with a pair of tens or better, once with a lower pair, else forfeit."""
    best = FOUR_CARDS.best(own)
    if best.category is Category.HIGH_CARD:
        return four_card.FORFEIT, 0
    low = best.category is Category.PAIR and best.ranks[0] < Rank.TEN
    return four_card.PLAY, 1 if low else 3


WEAK = range(2, 7)
"""What a dealer's exposed card counts that often goes over 21."""


def blackjack_turn(own: Cards, up: Card, awaited: RoundStepAwaited) -> str:
    """Choose for a hand of the blackjack games, or ``draw``; where that is no choice, stand."""
    (points, soft), dealer = total(own), total((up,)).points
    if family.RESCUE in awaited.answers:
        return family.RESCUE if points < 17 and dealer not in WEAK else family.STAND  # noqa: PLR2004 - a poor hand
    if family.SPLIT in awaited.answers and is_pair(own) and own[0].rank in (Rank.ACE, Rank.EIGHT, Rank.SEVEN):
        return family.SPLIT
    if points in (10, 11) and dealer < 10:  # noqa: PLR2004 - a good hand to double
        return family.DOUBLE
    if family.SURRENDER in awaited.answers and points == 16 and not soft and dealer not in WEAK:  # noqa: PLR2004 - the worst
        return family.SURRENDER
    enough = 18 if soft else 13 if dealer in WEAK else 17
    return DRAW if awaited.count and points < enough else family.STAND


STRATEGIES: dict[tuple[str, str], Strategy] = {
    (four_card.GAME.name, four_card.PLAY): Strategy((), four_card_play),
    **{
        (stud.GAME.name, street): Strategy(stud.STREETS[:number], stud_street)
        for number, street in enumerate(stud.STREETS)
    },
    **{
        (mini_tex.GAME.name, stage): Strategy(tuple(mini_tex.BOARD)[:number], mini_tex_stage)
        for number, stage in enumerate(mini_tex.STAGES)
    },
}
"""By the game and what is on offer."""
