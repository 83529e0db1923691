"""Spanish 21: basic strategy where the dealer stands on every 17, a hand is doubled once on any number of cards, and
four hands, rescue and late surrender are allowed; charts of the kind that books print, worked out for these rules.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tablectl.cards import Card, Rank, Suit
from tablectl.games.blackjack import DOUBLE, INSURANCE, RESCUE, SPLIT, STAND, SURRENDER
from tablectl.hands.blackjack import is_pair, total
from tablectl.odds.strategies.strategy import Decision, Hands, Strategy
from tablectl.script import DEALER, DRAW

UP_CARDS = "2 3 4 5 6 7 8 9 T A"
"""The columns of the charts."""

HARD = {
    10: "D4 D5 D5 D6 D6 D4 D3 H  H  H ",
    11: "D4 D5 D5 D5 D5 D4 D4 D4 D3 D3",
    14: "H  H  S4 S4 S4 H  H  H  H  H ",
    15: "S4 S4 S5 S6 S6 H  H  H  H  H ",
    16: "S5 S6 S6 S6 S6 H  H  H  H  H ",
    17: "S  S  S  S  S  S  S6 S6 S6 R ",
}
"""By the hard total. H draws, S stands, D doubles, R surrenders or else draws; with a number, only on fewer cards than
that, and draws on more. What is not named draws below 14 and stands above 17.
"""
SOFT = {
    16: "H  H  H  H  D4 H  H  H  H  H ",
    17: "H  H  D3 D4 D5 H  H  H  H  H ",
    18: "S4 S4 D4 D5 D5 S6 S4 H  H  H ",
    19: "S  S  S  S  S  S  S  S  S6 S6",
}
"""By the soft total; below 16 draws, above 19 stands."""
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

_DOES = {"D": DOUBLE, "S": STAND, "R": SURRENDER, "H": DRAW}
_MANY = 99

Entry = tuple[str, int]
"""What to do, and with fewer cards than how many."""


def _chart(rows: Mapping[int, str], draws_below: int) -> dict[tuple[int, str], Entry]:
    """Return what to do by total and dealer's card."""
    chart = {
        (points, up): ("H" if points < draws_below else "S", _MANY)
        for points in range(2, 22)
        for up in UP_CARDS.split()
    }
    for points, row in rows.items():
        for up, text in zip(UP_CARDS.split(), row.split(), strict=True):
            chart[points, up] = (text[0], int(text[1:] or _MANY))
    return chart


_HARD, _SOFT = _chart(HARD, 14), _chart(SOFT, 16)
_FACES = frozenset((Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING))


def basic(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Act by the charts."""
    cards, up = hands[hand], _letter(hands[DEALER][0])
    points, soft = total(cards)
    if RESCUE in answers:
        return (RESCUE if points <= RESCUES.get(up, 0) else STAND), 0
    if SPLIT in answers and is_pair(cards) and up in SPLITS.get(total(cards[:1]).points, "").split():
        return SPLIT, 0
    if _hopes(cards, up):
        return DRAW, 0
    does, fewer_than = (_SOFT if soft else _HARD)[points, up]
    choice = _DOES[does] if len(cards) < fewer_than else DRAW
    return (choice if choice in answers else DRAW), 0


def _hopes(cards: Sequence[Card], up: str) -> bool:
    """Tell whether two cards draw for a 6-7-8."""
    ranks: tuple[int, ...] = tuple(sorted(card.rank for card in cards))
    against = HOPES.get(ranks, "")
    if all(card.suit is Suit.SPADES for card in cards):
        against += f" {SPADES.get(ranks, '')}"
    return up in against.split()


def _letter(card: Card) -> str:
    return "T" if card.rank in _FACES else card.rank.letter


def insure(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Insure for half of the wager."""
    del hands, hand, answers
    return INSURANCE, Fraction(1, 2)


STRATEGIES = {
    "basic": Strategy("plays basic strategy and takes no insurance", {"hand": basic}),
    "basic-insured": Strategy("plays basic strategy and always insures", {"hand": basic, INSURANCE: insure}),
}
