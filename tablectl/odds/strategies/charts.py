"""Charts of basic strategy as books print them: a row for each total, a column for each card of the dealer."""

from collections.abc import Mapping, Sequence

from tablectl.cards import Card, Rank
from tablectl.games.blackjack import DOUBLE, STAND, SURRENDER
from tablectl.hands.blackjack import total
from tablectl.script import DRAW

UP_CARDS = "2 3 4 5 6 7 8 9 T A"
"""The columns; T is every card that counts ten."""

_DOES = {"D": DOUBLE, "S": STAND, "R": SURRENDER, "H": DRAW}
_MANY = 99
_TENS = frozenset((Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING))

Chart = Mapping[tuple[int, str], tuple[str, int]]
"""By total and dealer's card: what to do, and on fewer cards than how many."""


def chart(rows: Mapping[int, str], draws_below: int) -> Chart:
    """Read rows. H draws, S stands, D doubles, R surrenders; with a number, only on fewer cards than that, and draws on
    more. A total that is not named draws below this one, and stands from it on.
    """
    found = {
        (points, up): ("H" if points < draws_below else "S", _MANY)
        for points in range(2, 22)
        for up in UP_CARDS.split()
    }
    for points, row in rows.items():
        for up, text in zip(UP_CARDS.split(), row.split(), strict=True):
            found[points, up] = (text[0], int(text[1:] or _MANY))
    return found


def column(card: Card) -> str:
    """Return in which column a card of the dealer's stands."""
    return "T" if card.rank in _TENS else card.rank.letter


def act(hard: Chart, soft: Chart, cards: Sequence[Card], up: str, answers: tuple[str, ...]) -> str:
    """Return what the charts say, or else to draw, or else to stand, as far as that is on offer."""
    points, is_soft = total(cards)
    does, fewer_than = (soft if is_soft else hard)[points, up]
    choice = _DOES[does] if len(cards) < fewer_than else DRAW
    return next(name for name in (choice, DRAW, STAND) if name in answers)
