"""What rounds cost the house, added up in whole numbers: the same account for chance and for every deal there is."""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import Self

import msgspec

from tablectl.events.facts import Fact, RoundBonusPaid, RoundDecided, RoundJudged, WagerPlaced, WagerSettled
from tablectl.money import Odds
from tablectl.odds.inquiry import STAKE, Inquiry

FIXED = "fixed payments"
"""The account of amounts that are paid whatever the wager is."""


class Hit(msgspec.Struct, frozen=True, order=True):
    """What became of a wager. shown: what its cards were last judged to be, or what the hand last chose; outcome: in
    the rules' word; odds: as a layout prints them, empty where none are paid; clause: the section that says so.
    """

    wager: str
    shown: str
    outcome: str
    odds: str
    clause: str


class Part(msgspec.Struct):
    """What rounds come to. weight: how many they are or stand for; lost: in all of them, where a first wager is
    :data:`STAKE`; squares: of what was lost in each.
    """

    weight: int = 0
    lost: int = 0
    squares: int = 0

    def book(self, lost: int, weight: int) -> None:
        """Book a round that stands for so many."""
        self.weight += weight
        self.lost += weight * lost
        self.squares += weight * lost**2

    def add(self, other: Self) -> None:
        """Add what others come to."""
        self.weight += other.weight
        self.lost += other.lost
        self.squares += other.squares

    @property
    def mean(self) -> Fraction:
        """Return what one round loses."""
        return Fraction(self.lost, self.weight)

    @property
    def variance(self) -> float:
        """Return the variance of what one round loses; there must be two."""
        return _variance(self.weight, self.lost, self.squares)


class Account(Part):
    """One wager with all that is added to it. stakes: wagers placed first; staked: all that was wagered; hits: how
    often what became of which wager, and hit_squares: of how often it did in each round; kinds: the rounds of each kind
    by themselves, where they are told apart.
    """

    stakes: int = 0
    staked: int = 0
    hits: Counter[Hit] = msgspec.field(default_factory=Counter)
    hit_squares: Counter[Hit] = msgspec.field(default_factory=Counter)
    kinds: dict[str, Part] = msgspec.field(default_factory=dict)

    def add(self, other: Self) -> None:
        """Add another account to this one."""
        super().add(other)
        self.stakes += other.stakes
        self.staked += other.staked
        self.hits.update(other.hits)
        self.hit_squares.update(other.hit_squares)
        for kind, part in other.kinds.items():
            self.kinds.setdefault(kind, Part()).add(part)

    @property
    def house_edge(self) -> Fraction:
        """Return what the house keeps of a wager as it was placed first."""
        return self._share(self.lost, STAKE * self.stakes)

    @property
    def element_of_risk(self) -> Fraction:
        """Return what the house keeps of everything that was wagered."""
        return self._share(self.lost, self.staked)

    @property
    def average_wager(self) -> Fraction:
        """Return how many times the first wager is wagered in all."""
        return self._share(self.staked, STAKE * self.stakes)

    @property
    def standard_error(self) -> float:
        """Return the standard error of the house edge: rounds are independent, hands of a round are not."""
        return self._error(self.lost, self.squares) / STAKE

    def frequency(self, hit: Hit) -> float:
        """Return how often this comes for each wager placed first."""
        return self.hits[hit] / self.stakes

    def frequency_error(self, hit: Hit) -> float:
        """Return the standard error of :meth:`frequency`, in the same way."""
        return self._error(self.hits[hit], self.hit_squares[hit])

    def _error(self, whole: int, squares: int) -> float:
        """Return the standard error, for each wager placed first, of what came to so much over all rounds."""
        if self.weight <= 1:
            return 0.0
        return sqrt(_variance(self.weight, whole, squares) * self.weight) / self.stakes

    @staticmethod
    def _share(part: int, whole: int) -> Fraction:
        return Fraction(part, whole) if whole else Fraction(0)


def _variance(number: int, whole: int, squares: int) -> float:
    """Return the variance of so many numbers by their sum and that of their squares."""
    return float((squares - Fraction(whole**2, number)) / (number - 1))


Tally = dict[str, Account]
"""Accounts by the wager with which a round begins."""


class Bookkeeper:
    """Books what happened under the wagers with which rounds begin; what is placed later is the first one's."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._openings = inquiry.wagers
        self.tally: Tally = {name: Account() for name in self._openings}

    def book(self, facts: Iterable[Fact], weight: int = 1, kind: str = "") -> None:
        """Book a round that stands for so many. kind: which, where rounds are told apart."""
        lost: dict[str, int] = dict.fromkeys(self.tally, 0)
        shown: dict[str, tuple[int, str]] = {"": (-1, "")}
        hits: list[tuple[str, Hit]] = []
        for at, fact in enumerate(facts):
            match fact:
                case RoundJudged(hand=hand, answer=text) | RoundDecided(hand=hand, choice=text):
                    shown[hand] = (at, text)
                case WagerSettled(hand=hand, wager=wager):
                    name = self._account(wager)
                    lost[name] += self._settled(fact, self.tally[name], weight)
                    hits.append((name, _hit(wager, _last(shown, hand), fact.outcome, fact.odds, fact.clause)))
                case WagerPlaced(wager=wager) if wager in self._openings:
                    self.tally[wager].stakes += weight
                case RoundBonusPaid(hand=hand, wager=wager, amount=amount):
                    name = self._account(wager) if wager else FIXED
                    lost[name] = lost.get(name, 0) - (amount or 0)
                    hits.append((name, _hit(wager or name, _last(shown, hand), "paid", fact.odds, fact.clause)))
        self._close(lost, hits, weight)
        for name in self._openings if kind else ():
            self.tally[name].kinds.setdefault(kind, Part()).book(lost[name], weight)

    def _account(self, wager: str) -> str:
        return wager if wager in self.tally else self._openings[0]

    @staticmethod
    def _settled(fact: WagerSettled, account: Account, weight: int) -> int:
        """Book a wager, and return what its owner lost."""
        amount = fact.amount or 0
        account.staked += weight * amount
        return amount - (fact.returned or 0) - (fact.paid or 0)

    def _close(self, lost: Mapping[str, int], hits: Iterable[tuple[str, Hit]], weight: int) -> None:
        for name, amount in lost.items():
            self.tally.setdefault(name, Account()).book(amount, weight)
        for (name, hit), number in Counter(hits).items():
            account = self.tally[name]
            account.hits[hit] += weight * number
            account.hit_squares[hit] += weight * number**2


def _last(shown: Mapping[str, tuple[int, str]], hand: str) -> str:
    """Return what was last said of a hand, or of all."""
    return max(shown[""], shown.get(hand, shown[""]))[1]


@cache
def _hit(wager: str, shown: str, outcome: str, odds: Odds | None, clause: str) -> Hit:
    """Return a hit, the same one whenever the same becomes of a wager."""
    return Hit(wager, shown, outcome, str(odds or ""), clause)


def add_to(whole: Tally, tally: Tally) -> None:
    """Add one tally to another."""
    for name, account in tally.items():
        whole.setdefault(name, Account()).add(account)
