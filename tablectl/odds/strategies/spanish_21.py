"""Spanish 21: basic strategy where the dealer stands on every 17, a hand is doubled once on any number of cards, and
four hands, rescue and late surrender are allowed; charts of the kind that books print, worked out for these rules.
"""

from collections.abc import Sequence
from fractions import Fraction

from tablectl.cards import Card, Suit
from tablectl.games.blackjack import INSURANCE, RESCUE, SPLIT, STAND
from tablectl.hands.blackjack import is_pair, total
from tablectl.odds.strategies.charts import UP_CARDS, act, chart, column
from tablectl.odds.strategies.strategy import Decision, Hands, Strategy
from tablectl.script import DEALER, DRAW

HARD = chart(
    {
        9: "H  H  H  H  D4 H  H  H  H  H",
        10: "D5 D5 D6 D6 D6 D4 D3 H  H  H",
        11: "D4 D5 D5 D5 D5 D4 D4 D4 D3 D3",
        14: "H  H  S4 S5 S4 H  H  H  H  H",
        15: "S4 S5 S5 S6 S6 H  H  H  H  H",
        16: "S5 S6 S6 S  S  H  H  H  H  H",
        17: "S  S  S  S  S  S  S6 S6 S6 R",
    },
    draws_below=14,
)
SOFT = chart(
    {
        16: "H  H  H  H  D4 H  H  H  H  H",
        17: "H  H  D3 D4 D5 H  H  H  H  H",
        18: "S4 S4 D4 D5 D5 S6 S4 H  H  H",
        19: "S  S  S  S  S  S  S  S  S6 S",
    },
    draws_below=16,
)
SPLITS = {
    2: "2 3 4 5 6 7 8",
    3: "2 3 4 5 6 7 8",
    6: "4 5 6",
    7: "2 3 4 5 6 7",
    8: UP_CARDS,
    9: "3 4 5 6 8 9",
    11: UP_CARDS,
}
"""By what one card of a pair counts: against which cards it is split."""
HOPES: dict[tuple[int, ...], str] = {(6, 8): "4 5 6", (7, 8): "2 3"}
"""Two cards that one more makes 6-7-8: against which cards they draw, although their total stands."""
SPADES: dict[tuple[int, ...], str] = {(7, 8): "4"}
"""The same where both are spades."""
RESCUES = {"8": 16, "9": 16, "T": 16, "A": 17}
"""By the dealer's card: the highest total after doubling that is rescued."""


def basic(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Act by the charts."""
    cards, up = hands[hand], column(hands[DEALER][0])
    if RESCUE in answers:
        return (RESCUE if total(cards).points <= RESCUES.get(up, 0) else STAND), 0
    if SPLIT in answers and is_pair(cards) and up in SPLITS.get(total(cards[:1]).points, "").split():
        return SPLIT, 0
    if _hopes(cards, up):
        return DRAW, 0
    return act(HARD, SOFT, cards, up, answers), 0


def _hopes(cards: Sequence[Card], up: str) -> bool:
    """Tell whether two cards draw for a 6-7-8."""
    ranks: tuple[int, ...] = tuple(sorted(card.rank for card in cards))
    against = HOPES.get(ranks, "")
    if all(card.suit is Suit.SPADES for card in cards):
        against += f" {SPADES.get(ranks, '')}"
    return up in against.split()


def insure(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Insure for half of the wager."""
    del hands, hand, answers
    return INSURANCE, Fraction(1, 2)


STRATEGIES = {
    "basic": Strategy("plays basic strategy and takes no insurance", {"hand": basic}),
    "basic-insured": Strategy("plays basic strategy and always insures", {"hand": basic, INSURANCE: insure}),
}
