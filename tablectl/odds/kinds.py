"""Rounds of a kind: what the dealer's hand decides, and how often each hand comes.

In a blackjack game the dealer's hand decides most of what a round costs all players together. How often each comes is
known exactly, whatever the players do: they draw without knowing what is left, and so leave the dealer cards as good as
the first ones of the deck. A round is told apart by that hand, its kind is weighed as often as it should come, and so a
third of the rounds tell as much.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import NamedTuple, Protocol

from tablectl.cards import Card, Composition
from tablectl.games.blackjack import HOLE, dealer_by
from tablectl.hands.blackjack import DRAW, total
from tablectl.odds.inquiry import STAKE, Inquiry
from tablectl.odds.tally import Account
from tablectl.script import DEALER

SOFT_17 = "hits soft 17"
Cards = tuple[Card, ...]
Judged = Callable[[Cards, Cards], str]


class Estimate(NamedTuple):
    """What the house keeps of a first wager, and the standard error of that."""

    edge: Fraction
    error: float


class Kinds(Protocol):
    """How rounds of a game are told apart. chances: how often each kind comes, exactly."""

    chances: Mapping[str, Fraction]

    def of(self, hands: Mapping[str, Sequence[Card]], deck: Iterator[Card]) -> str:
        """Return the kind of a round by what lies where, and by what would have come next."""


class DealersHand:
    """Tells rounds apart by the dealer's exposed card, by what it counts, and the hand that it became."""

    def __init__(self, inquiry: Inquiry) -> None:
        rules = inquiry.rules
        self._by = dealer_by(SOFT_17 in rules.options and rules.option(SOFT_17))
        self.chances = _chances(inquiry.terms.composition, self._by)

    def of(self, hands: Mapping[str, Sequence[Card]], deck: Iterator[Card]) -> str:
        """Return a round's kind; where the dealer had no need to draw, by the cards that would have come next."""
        up, hole = tuple(hands[DEALER]), tuple(hands[HOLE])
        while (found := self._by(up, hole)) == DRAW:
            up = (*up, next(deck))
        return _kind(up[0], found)


KINDS: dict[str, Callable[[Inquiry], Kinds]] = {
    "spanish-21": DealersHand,
    "triple-attack-blackjack": DealersHand,
}
"""By the game."""


def kinds_of(inquiry: Inquiry) -> Kinds | None:
    """Return how rounds of this game are told apart, None where they are not."""
    made = KINDS.get(inquiry.game)
    return made and made(inquiry)


def estimate(inquiry: Inquiry, account: Account) -> Estimate:
    """Return what rounds by chance say: each kind as often as it should come, once all kinds came twice."""
    kinds = kinds_of(inquiry)
    chances = kinds.chances if kinds else {}
    if not chances or any(kind not in account.kinds or account.kinds[kind].weight < 2 for kind in chances):  # noqa: PLR2004 - twice
        return Estimate(account.house_edge, account.standard_error)
    hands = Fraction(account.stakes, account.weight) * STAKE
    parts = [(chance, account.kinds[kind]) for kind, chance in chances.items()]
    edge = sum(chance * part.mean for chance, part in parts) / hands
    # The second term is for the numbers of each kind, which are chance, too.
    within = sum(float(chance) * part.variance for chance, part in parts) / account.weight
    among = sum(float(1 - chance) * part.variance for chance, part in parts) / account.weight**2
    return Estimate(Fraction(edge), sqrt(within + among) / float(hands))


def _kind(up: Card, found: str) -> str:
    return f"{total((up,)).points} {found}"


@cache
def _chances(deck: Composition, by: Judged) -> Mapping[str, Fraction]:
    """Return how often each kind comes out of a whole deck: cards that count alike are one."""
    alike = {total((card,)).points: card for card in deck.cards()}
    left = Counter(alike[total((card,)).points] for card in deck.cards())
    found: dict[str, Fraction] = defaultdict(Fraction)
    for cards, chance in _dealt((), Fraction(1), left, by):
        found[_kind(cards[0], by(cards[:1], cards[1:]))] += chance
    return found


def _dealt(cards: Cards, chance: Fraction, left: Counter[Card], by: Judged) -> Iterator[tuple[Cards, Fraction]]:
    """Yield every hand that the dealer stands with, in the order in which it comes, and how often it does."""
    if len(cards) > 1 and by(cards[:1], cards[1:]) != DRAW:
        yield cards, chance
        return
    size = left.total()
    for card, number in tuple(left.items()):
        if number:
            left[card] -= 1
            yield from _dealt((*cards, card), chance * Fraction(number, size), left, by)
            left[card] += 1
