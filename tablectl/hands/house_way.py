"""The house way: how the dealer must set seven cards, as rules that a licensee writes and an engine reads.

A rule says which cards it is for and what the setting must be. The first rule for these cards by which they can be set
at all is the one that holds; of the settings it leaves open, the best low hand decides, then the best high hand. A
foul setting is never among them. In a house file the same rules read::

    [[house_way]]
    holding = "two pair"
    ranks = ["2-6", "2-6"]
    high = ["two pair"]
    low = "K"
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Any, NamedTuple

import msgspec

from tablectl.cards import Card, Rank
from tablectl.hands.pai_gow import LOW_HAND, Setting, high_hand
from tablectl.hands.ranking import CODES, codes
from tablectl.hands.worth import Category, Worth

_SEVEN = 7
_LETTERS = {rank.letter: rank for rank in Rank if rank is not Rank.JOKER}


class Holding(StrEnum):
    """What seven cards hold by ranks alone, the joker counting as an ace."""

    ANYTHING = "anything"
    NO_PAIR = "no pair"
    PAIR = "pair"
    TWO_PAIR = "two pair"
    THREE_PAIR = "three pair"
    THREE_OF_A_KIND = "three of a kind"
    FULL_HOUSE = "full house"
    FULL_HOUSE_AND_PAIR = "full house and pair"
    TWO_THREES_OF_A_KIND = "two threes of a kind"
    FOUR_OF_A_KIND = "four of a kind"
    FOUR_OF_A_KIND_AND_PAIR = "four of a kind and pair"
    FOUR_AND_THREE_OF_A_KIND = "four and three of a kind"
    FIVE_ACES = "five aces"
    FIVE_ACES_AND_PAIR = "five aces and pair"


_COUNTS = {
    (): Holding.NO_PAIR,
    (2,): Holding.PAIR,
    (2, 2): Holding.TWO_PAIR,
    (2, 2, 2): Holding.THREE_PAIR,
    (3,): Holding.THREE_OF_A_KIND,
    (3, 2): Holding.FULL_HOUSE,
    (3, 2, 2): Holding.FULL_HOUSE_AND_PAIR,
    (3, 3): Holding.TWO_THREES_OF_A_KIND,
    (4,): Holding.FOUR_OF_A_KIND,
    (4, 2): Holding.FOUR_OF_A_KIND_AND_PAIR,
    (4, 3): Holding.FOUR_AND_THREE_OF_A_KIND,
    (5,): Holding.FIVE_ACES,
    (5, 2): Holding.FIVE_ACES_AND_PAIR,
}
"""Cards of each rank, singles left out, and what that is called."""
_GROUPS = {holding: len(counts) for counts, holding in _COUNTS.items()}


class Rule(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One rule of a house way.

    holding: the cards it is for; ranks: of each pair, three or four of a kind that they hold, the larger and then the
    higher first, the ranks for which it holds, ``A`` or ``7-T``; high: what the high hand must be, one of these; low:
    the least that the low hand must be, ``A`` for ace high, ``AQ``, ``22`` for any pair. What is left out is free.
    """

    holding: Holding = Holding.ANYTHING
    ranks: tuple[str, ...] = ()
    high: tuple[Category, ...] = ()
    low: str = ""

    def __str__(self) -> str:
        ranks = f" ({' and '.join(self.ranks)})" if self.ranks else ""
        low = f", at least {self.low} low" if self.low else ""
        return f"{self.holding}{ranks}: {' or '.join(self.high) or 'anything'} high{low}"


_Candidate = tuple[Worth, Worth, tuple[int, int]]
"""One way to set seven cards: low hand, high hand, and which two cards are low. The better is the greater."""


class _Group(NamedTuple):
    """Cards of one rank; the larger group, then the higher, is the greater."""

    size: int
    rank: Rank


class _Test(NamedTuple):
    """A rule as it is applied."""

    spans: tuple[range, ...]
    high: frozenset[Category]
    low: Worth

    def is_for(self, groups: Sequence[_Group]) -> bool:
        return all(group.rank in span for group, span in zip(groups, self.spans, strict=False))

    def best(self, candidates: Iterable[_Candidate]) -> _Candidate | None:
        wanted, least = self.high, self.low
        admitted = [each for each in candidates if each[1].category in wanted and each[0] >= least]
        return max(admitted, default=None)


class HouseWay:
    """A licensee's way of setting hands: rules in the order in which they are tried.

    Raises:
        ValueError: a rule that says what no rule can say, with its number; or a last rule with a condition, which
            would leave some hands unset.
    """

    def __init__(self, rules: Iterable[Rule], *, low_straight_second: bool = True) -> None:
        self.rules = tuple(rules)
        self.high_hand = high_hand(low_straight_second=low_straight_second)
        if not self.rules or self.rules[-1] != Rule():
            raise ValueError("the last rule of a house way is for any cards and has no condition")
        tests = [(rule.holding, _compile(rule, number)) for number, rule in enumerate(self.rules, start=1)]
        self._tests = {
            holding: tuple(test for wanted, test in tests if wanted in (holding, Holding.ANYTHING))
            for holding in Holding
        }

    @classmethod
    def parse(cls, rules: Any, *, low_straight_second: bool = True) -> "HouseWay":
        """Read a way as a house file holds it, a list of tables with the fields of :class:`Rule`.

        Raises:
            ValueError: as the class; or a field or word that a rule does not have, with its place.
        """
        try:
            known = msgspec.convert(rules, tuple[Rule, ...])
        except msgspec.ValidationError as error:
            raise ValueError(f"house way: {error}") from error
        return cls(known, low_straight_second=low_straight_second)

    def choose(self, groups: Sequence[_Group], candidates: Sequence[_Candidate]) -> _Candidate:
        """Return the setting that the first rule to allow one allows."""
        for test in self._tests[_COUNTS[tuple(group.size for group in groups)]]:
            if test.is_for(groups) and (best := test.best(candidates)):
                return best
        raise AssertionError("the last rule allows every setting")


def set_hand(cards: Sequence[Card], way: HouseWay) -> Setting:
    """Set seven cards by a house way, both hands from the highest card down; their order when dealt has no say.

    Raises:
        ValueError: not seven different cards of the deck, or a card not yet seen.
    """
    numbers = sorted(codes(cards), reverse=True)
    if len(set(numbers)) != len(numbers) or len(numbers) != _SEVEN:
        raise ValueError(f"seven different cards were awaited, not {' '.join(cards)}")
    _, _, pair = way.choose(_groups(cards), _candidates(numbers, way))
    high = (number for place, number in enumerate(numbers) if place not in pair)
    return Setting(tuple(map(_CARDS.__getitem__, high)), tuple(_CARDS[numbers[place]] for place in pair))


_CARDS = {number: card for card, number in CODES.items()}
_PLACES = tuple(combinations(range(_SEVEN), 2))


def _candidates(numbers: Sequence[int], way: HouseWay) -> list[_Candidate]:
    """Return every setting that is not foul."""
    total = sum(numbers)
    pairs = [first + second for first, second in combinations(numbers, 2)]
    lows, highs = LOW_HAND.worths_of(pairs), way.high_hand.worths_of([total - pair for pair in pairs])
    return [each for each in zip(lows, highs, _PLACES, strict=True) if each[1] >= each[0]]


def _groups(cards: Iterable[Card]) -> list[_Group]:
    counts = Counter([card.rank or Rank.ACE for card in cards])
    return sorted([_Group(count, rank) for rank, count in counts.items() if count > 1], reverse=True)


def _compile(rule: Rule, number: int) -> _Test:
    try:
        return _Test(_spans(rule), frozenset(rule.high or Category), _least(rule.low))
    except ValueError as error:
        raise ValueError(f"house way, rule {number}: {error}") from error


def _spans(rule: Rule) -> tuple[range, ...]:
    if len(rule.ranks) > _GROUPS.get(rule.holding, 0):
        raise ValueError(f'"{rule.holding}" has fewer groups of equal rank than {", ".join(rule.ranks)}')
    return tuple(map(_span, rule.ranks))


def _span(text: str) -> range:
    """Read ``A`` or ``7-T``."""
    lowest, _, highest = text.partition("-")
    first, last = _rank(lowest), _rank(highest or lowest)
    if first > last:
        raise ValueError(f'ranks are written from low to high, not "{text}"')
    return range(first, last + 1)


def _least(text: str) -> Worth:
    """Read the least low hand, ``A``, ``AQ`` or ``22``; a shorter one ranks below all that begin like it."""
    ranks = tuple(map(_rank, text))
    if len(ranks) > LOW_HAND.size:
        raise ValueError(f'a low hand has two ranks, not "{text}"')
    if list(ranks) != sorted(ranks, reverse=True):
        raise ValueError(f'a low hand is written from high to low, not "{text}"')
    category = Category.PAIR if ranks[:1] == ranks[1:] and ranks else Category.HIGH_CARD
    return Worth(LOW_HAND.order[::-1].index(category), ranks, category)


def _rank(letter: str) -> Rank:
    if letter not in _LETTERS:
        raise ValueError(f'"{letter}" is no rank; ranks are {" ".join(_LETTERS)}')
    return _LETTERS[letter]
