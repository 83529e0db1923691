"""Triple attack blackjack, as a published guide tells its payouts: when to add a wager, and how to play on; charts
worked out for a dealer who draws to a soft 17 and pushes with 22.
"""

from tablectl.games.blackjack import DOUBLE, SPLIT
from tablectl.games.triple_attack_blackjack import SECOND, THIRD
from tablectl.hands.blackjack import is_pair, total
from tablectl.odds.strategies.charts import UP_CARDS, act, chart, column
from tablectl.odds.strategies.strategy import STAY, Decision, Hands, Strategy
from tablectl.script import DEALER

SECOND_ON = "T A"
"""First cards on which a second attack is made."""
THIRD_ON = {"2": "6", "8": "6 7", "9": "5 6 7 8", "T": "2 3 4 5 6 7 8 9", "A": UP_CARDS}
"""By the first card: against which cards of the dealer a third attack is made."""
HARD = chart(
    {
        10: "H  D3 D4 D4 D4 H  H  H  H  H",
        11: "D3 D4 D4 D4 D4 D3 H  H  H  H",
        14: "H  H  H  H  S4 H  H  H  H  H",
        15: "H  H  S5 S5 S5 H  H  H  H  H",
        16: "H  S5 S5 S5 S5 H  H  H  H  H",
        17: "S5 S  S  S  S  S  S5 S5 S5 H",
    },
    draws_below=14,
)
SOFT = chart(
    {18: "H  S3 S3 S3 D3 S4 S3 H  H  H", 19: "S4 S4 S4 S4 S4 S4 S4 S4 S4 S4", 20: " ".join(["S5"] * 10)},
    draws_below=18,
)
SPLITS = {2: "6 7", 3: "6 7", 7: "4 5 6 7", 8: "2 3 4 5 6 7 8 9 T", 9: "6 8 9", 11: "2 3 4 5 6 7 8 9 T"}
"""By what one card of a pair counts: against which cards it is split."""
FIVE, MOST_FOR_SIX = 5, 15
"""Five cards that no sixth takes over 21 are doubled, since six always win; a soft hand never goes over."""


def second(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Attack again on a card that wins more often than not."""
    del answers
    return (SECOND, 0) if column(hands[hand][0]) in SECOND_ON.split() else STAY


def third(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Attack once more when the dealer's card is known."""
    del answers
    against = THIRD_ON.get(column(hands[hand][0]), "")
    return (THIRD, 0) if column(hands[DEALER][0]) in against.split() else STAY


def basic(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Act by the charts."""
    cards, up = hands[hand], column(hands[DEALER][0])
    points, soft = total(cards)
    if SPLIT in answers and is_pair(cards) and up in SPLITS.get(total(cards[:1]).points, "").split():
        return SPLIT, 0
    if DOUBLE in answers and len(cards) == FIVE and (soft or points <= MOST_FOR_SIX):
        return DOUBLE, 0
    return act(HARD, SOFT, cards, up, answers), 0


_DECIDES = {"hand": basic, SECOND: second, THIRD: third}
STRATEGIES = {
    "basic": Strategy("attacks again where that wins, plays basic strategy and takes no insurance", _DECIDES),
    "one-attack": Strategy("attacks once, plays basic strategy and takes no insurance", {"hand": basic}),
}
