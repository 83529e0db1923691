"""The evaluator: a ranking is an order of categories, and a table of worths that fills itself.

A card is a number that holds a count of one for its rank and one for its suit, three bits each, so that a hand is the
sum of its cards. Few sums differ once a flush is told from no flush: under eight thousand for five cards of 53. Each
is judged once, slowly and plainly; from then on a hand costs one look-up.

    bits 15...53  how many of each rank, 2 to ace
    bits 12...14  how many jokers
    bits  0...11  how many of each suit
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations

from tablectl.cards import JOKER, PACK, Card, Rank, Suit
from tablectl.hands.worth import Category, Worth

_FIELD = 3
_JOKER_AT = 12
_RANKS_AT = 15
_COUNT = (1 << _FIELD) - 1
_RANKED: tuple[Rank, ...] = tuple(rank for rank in Rank if rank is not Rank.JOKER)
_RANK_SHIFTS: dict[Rank, int] = {rank: _RANKS_AT + _FIELD * place for place, rank in enumerate(_RANKED)}
_SUIT_SHIFTS = {suit: _FIELD * place for place, suit in enumerate(Suit)}
_ONE_JOKER = 1 << _JOKER_AT
_SUITS = (1 << _RANKS_AT) - 1

CODES = {card: (1 << _RANK_SHIFTS[card.rank]) + (1 << _SUIT_SHIFTS[card.suit]) for card in PACK if card.suit}
"""Each card as a number; a higher rank is a higher number, and the joker is the lowest."""
CODES[JOKER] = _ONE_JOKER

_COMPLETED = frozenset({Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH, Category.FLUSH, Category.STRAIGHT})
_ALIKE = {
    (5,): Category.FIVE_ACES,
    (4,): Category.FOUR_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (3,): Category.THREE_OF_A_KIND,
    (2, 2): Category.TWO_PAIR,
    (2,): Category.PAIR,
    (): Category.HIGH_CARD,
}
"""How many cards of a rank there are, singles left out, and what that is called."""


class Ranking:
    """The hands of one game, for hands of one size, out of one pack with or without a joker.

    The joker is an ace, or any card that completes a straight, a flush or a straight flush; in a flush it takes the
    highest rank missing. An ace also stands below the two in a straight.

    size: cards in a hand; order: the categories, highest first, a hand being the highest of these that it can be;
    low_straight_second: A-2-3-4-5 ranks between the ace-high and the king-high straight, not last.
    """

    def __init__(self, size: int, order: Collection[Category], *, low_straight_second: bool = False) -> None:
        self.size = size
        self.order = tuple(order)
        self.low_straight_second = low_straight_second
        self._strengths = {category: place for place, category in enumerate(reversed(self.order))}
        self._one_suit = frozenset(
            (size - jokers << shift) + jokers * _ONE_JOKER for shift in _SUIT_SHIFTS.values() for jokers in (0, 1)
        )
        self._highest = cache(self._find_highest)
        self._mixed = _Table(self, suited=False)
        self._suited = _Table(self, suited=True)

    def worth(self, cards: Collection[Card]) -> Worth:
        """Judge one hand.

        Raises:
            ValueError: not as many cards as the hand has, a card not yet seen, or two jokers.
        """
        if len(cards) != self.size:
            raise ValueError(f"a hand of {self.size} cards was awaited, not {len(cards)}")
        total = sum(codes(cards))
        return (self._suited if total & _SUITS in self._one_suit else self._mixed)[total >> _JOKER_AT]

    def best(self, cards: Collection[Card]) -> Worth:
        """Judge the best hand that can be chosen from these cards.

        Raises:
            ValueError: as :meth:`worth`.
        """
        if len(cards) < self.size:
            raise ValueError(f"at least {self.size} cards were awaited, not {len(cards)}")
        return max(self.worths_of(map(sum, combinations(codes(cards), self.size))))

    def worths_of(self, totals: Iterable[int]) -> list[Worth]:
        """Judge hands given as sums of their cards' :data:`CODES`, many at a time."""
        mixed, suited, one_suit = self._mixed, self._suited, self._one_suit
        return [(suited if total & _SUITS in one_suit else mixed)[total >> _JOKER_AT] for total in totals]

    def judge(self, ranks: Sequence[Rank], *, suited: bool) -> Worth:
        """Judge ranks without a joker, slowly."""
        groups = sorted([(ranks.count(rank), rank) for rank in dict.fromkeys(ranks)], reverse=True)
        ordered = tuple([rank for count, rank in groups for _ in range(count)])
        straight = self._as_straight(ordered)
        alike = tuple([count for count, _ in groups if count > 1])
        category = self._highest(alike, suited, straight[:2])
        counting = straight if straight and category in _COMPLETED else ordered
        return Worth(self._strengths[category], counting, category)

    def judge_with_joker(self, ranks: Sequence[Rank], *, suited: bool) -> Worth:
        """Judge ranks and a joker, slowly. suited: the others are of one suit."""
        as_ace = self.judge([*ranks, Rank.ACE], suited=False)
        if len(set(ranks)) < len(ranks):
            return as_ace
        stand_ins = [[*ranks, rank] for rank in _RANKED if rank not in ranks]
        completed = [
            self.judge(hand, suited=suited)
            for hand in stand_ins
            if suited or self._as_straight(tuple(sorted(hand, reverse=True)))
        ]
        return max([as_ace, *(worth for worth in completed if worth.category in _COMPLETED)])

    def _find_highest(self, alike: tuple[int, ...], suited: bool, top: tuple[Rank, ...]) -> Category:  # noqa: FBT001 - a cache knows places, no names
        names = {_ALIKE[alike], *_in_line(top, suited=suited)}
        return max(names & self._strengths.keys(), key=self._strengths.__getitem__)

    def _as_straight(self, ordered: tuple[Rank, ...]) -> tuple[Rank, ...]:
        """Return the ranks in the order in which they count in a straight; empty if they are none."""
        if len(set(ordered)) < self.size:
            return ()
        if ordered[0] - ordered[-1] == self.size - 1:
            return ordered
        if ordered[0] is Rank.ACE and ordered[1] == self.size:
            return ordered if self.low_straight_second else (*ordered[1:], Rank.ACE)
        return ()


def _in_line(top: tuple[Rank, ...], *, suited: bool) -> Iterator[Category]:
    """Yield all that a hand is by its suit and its straight. top: the two highest of that, empty if it is none."""
    if suited:
        yield Category.FLUSH
    if top:
        yield Category.STRAIGHT
    if top and suited:
        yield Category.STRAIGHT_FLUSH
    if suited and top == (Rank.ACE, Rank.KING):
        yield Category.ROYAL_FLUSH


class _Table(dict[int, Worth]):
    """The worths found so far, by the counts of ranks and jokers; suited: of hands in one suit."""

    def __init__(self, ranking: Ranking, *, suited: bool) -> None:
        super().__init__()
        self._ranking = ranking
        self._is_suited = suited

    def __missing__(self, counts: int) -> Worth:
        jokers = counts & _COUNT
        ranks = [rank for rank in _RANKED for _ in range(counts >> _RANK_SHIFTS[rank] - _JOKER_AT & _COUNT)]
        if jokers > 1:
            raise ValueError(f"at most one joker was awaited, not {jokers}")
        judge = self._ranking.judge_with_joker if jokers else self._ranking.judge
        self[counts] = worth = judge(ranks, suited=self._is_suited)
        return worth


def codes(cards: Iterable[Card]) -> list[int]:
    """Return the numbers of these cards.

    Raises:
        ValueError: a card not yet seen.
    """
    try:
        return [CODES[card] for card in cards]
    except KeyError as error:
        raise ValueError(f"only a card that was seen has a worth, not {error.args[0]!s}") from error
