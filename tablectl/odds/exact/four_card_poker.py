"""Four-card poker by best play, over every five cards of the player, the dealer's card that is seen, and five unseen.

The dealer's hands are counted by inclusion and exclusion. Of all hands of six that beat a given worth it is known how
many hold each set of cards; those that hold the card seen and none of the player's five are a sum, with signs, over
the sets of the five. Worths are gone through from the highest down, so that hands are only ever added to those above.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations, permutations
from math import comb

import msgspec
import numpy as np

from tablectl.cards import Card
from tablectl.games.four_card_poker import ACES_UP, ANTE, BONUS, FORFEIT, PLAY, choices
from tablectl.hands.four_card_poker import four_card_hand
from tablectl.hands.poker import FOUR_CARDS
from tablectl.odds.exact.paying import by_pay_table, hit, lost
from tablectl.odds.exact.sets import Numbers, Rows, binomials, number_of, numbers, sets, worths
from tablectl.odds.inquiry import STAKE, Inquiry
from tablectl.odds.tally import Account
from tablectl.rulebook import Rulebook

FOUR, FIVE, SIX = 4, 5, 6
MANY = 4_000
"""Hands of a player that are looked at together, so that memory stays small."""


class Duel(msgspec.Struct, frozen=True):
    """Players' hands of one worth. rows: the hands; times: how many hands each stands for; above, equal: for each hand
    and each card of the dealer that may be seen, how many of the dealer's hands are worth more, and as much.
    """

    rows: Rows
    times: Numbers
    above: Numbers
    equal: Numbers


class FourCards:
    """Every hand of four, five and six cards of a pack. pack: whole suits, one after another."""

    def __init__(self, pack: Sequence[Card]) -> None:
        self.pack = tuple(pack)
        self._four = worths(pack, FOUR_CARDS)

    def _best(self, size: int) -> Numbers:
        """Return the worth of the best four cards of each hand."""
        rows = sets(len(self.pack), size)
        best = np.zeros(len(rows), self._four.dtype)
        for kept in combinations(range(size), FOUR):
            np.maximum(best, self._four[numbers([rows[:, column] for column in kept])], out=best)
        return best

    @cached_property
    def players(self) -> Numbers:
        """Return the worth of each hand of five."""
        return self._best(FIVE)

    @cached_property
    def dealers(self) -> Numbers:
        """Return the worth of each hand of six."""
        return self._best(SIX)

    def named(self) -> Counter[str]:
        """Return how many hands of five are what; hands that are worth the same are called the same."""
        rows = sets(len(self.pack), FIVE)
        _, first, number = np.unique(self.players, return_index=True, return_counts=True)
        counts = Counter[str]()
        for row, times in zip(rows[first].tolist(), number.tolist(), strict=True):
            counts[self.name(row)] += times
        return counts

    def name(self, row: Sequence[int]) -> str:
        """Return what a hand of five is."""
        return str(four_card_hand([self.pack[place] for place in row]))

    def costs(self, own: Sequence[int], dealer: Sequence[int], rules: Rulebook, bet: int) -> int:
        """Return what one deal loses, given both hands by their places in the pack; bet: in antes, 0 to forfeit."""
        if not bet:
            return lost(rules[FORFEIT])
        player, other = self.players[number_of(own)], self.dealers[number_of(dealer)]
        result = "win" if player > other else "tie" if player == other else "lose"
        table, name = rules.table(BONUS), self.name(own)
        return (1 + bet) * lost(rules[result]) + (lost(table[name]) if name in table.lines else 0)

    def duels(self) -> Iterator[Duel]:
        """Yield the players' hands, one for all that differ in suits alone, against every hand of the dealer's."""
        hands, times = self._without_suits()
        beating = Beating(len(self.pack), self.dealers)
        order = np.argsort(-self.players[hands], kind="stable")
        worth_of = self.players[hands][order]
        for part in np.split(order, np.flatnonzero(np.diff(worth_of)) + 1):
            worth = int(self.players[hands[part[0]]])
            beating.include_above(worth)
            above = [beating.meeting(rows) for rows in self._some(hands[part])]
            beating.include_above(worth - 1)
            for rows, more, at in zip(self._some(hands[part]), above, range(0, len(part), MANY), strict=True):
                yield Duel(rows, times[part][at : at + MANY], more, beating.meeting(rows) - more)

    def _some(self, hands: Numbers) -> Iterator[Rows]:
        rows = sets(len(self.pack), FIVE)
        return (rows[hands[at : at + MANY]] for at in range(0, len(hands), MANY))

    def _without_suits(self) -> tuple[Numbers, Numbers]:
        """Return one hand for all that differ in suits alone, and how many those are."""
        rows = sets(len(self.pack), FIVE)
        suits = [card.suit for card in self.pack]
        length = suits.count(suits[0])
        least = np.arange(len(rows))
        for order in permutations(range(len(suits) // length)):
            moved = np.sort(np.array(order, np.int8)[rows // length] * length + rows % length, axis=1)
            np.minimum(least, numbers([moved[:, column] for column in range(FIVE)]), out=least)
        return np.unique(least, return_counts=True)


class Beating:
    """The dealer's hands above a worth: how many of them hold each set of up to six cards."""

    def __init__(self, cards: int, dealers: Numbers) -> None:
        self._cards = cards
        self._dealers = dealers
        self._worth = int(dealers.max())
        self._order = np.argsort(dealers, kind="stable")
        self._sorted = dealers[self._order]
        self._left = len(dealers)
        self._holding = [np.zeros(comb(cards, size), np.int64) for size in range(SIX)]

    def include_above(self, worth: int) -> None:
        """Count in every hand above this worth; it is never higher than the last time."""
        start = int(np.searchsorted(self._sorted, worth, side="right"))
        rows = sets(self._cards, SIX)[self._order[start : self._left]]
        self._left, self._worth = start, worth
        for size in range(1, SIX):
            for columns in combinations(range(SIX), size):
                np.add.at(self._holding[size], numbers([rows[:, column] for column in columns]), 1)

    def meeting(self, rows: Rows) -> Numbers:
        """Return for each hand of five and each other card how many of these hands hold that card and none of the five.

        The other cards stand from low to high.
        """
        others = self._others(rows)
        found = np.zeros(others.shape, np.int64)
        for size in range(FIVE + 1):
            for columns in combinations(range(FIVE), size):
                found += (-1) ** size * self._hold(rows[:, columns].astype(np.int64), others)
        return found

    def _others(self, rows: Rows) -> Numbers:
        held = np.zeros((len(rows), self._cards), bool)
        np.put_along_axis(held, rows.astype(np.int64), values=True, axis=1)
        return np.nonzero(~held)[1].reshape(len(rows), -1)

    def _hold(self, some: Numbers, others: Numbers) -> Numbers:
        """Return how many hands hold some cards and one other."""
        table, size = binomials(), some.shape[1]
        below = np.zeros(others.shape, np.int64)
        number = np.zeros(others.shape, np.int64)
        for place in range(size):
            card = some[:, place, None]
            under = others < card
            number += table[place + 1 + under, card]
            below += ~under
        number += table[below + 1, others]
        if size == FIVE:
            return (self._dealers[number] > self._worth).astype(np.int64)
        return np.asarray(self._holding[size + 1][number])


class Settlement:
    """What the duels come to by best play, by the rules of one table."""

    def __init__(self, rules: Rulebook) -> None:
        self.account = Account()
        self._rules = rules
        self._bonus = rules.table(BONUS)
        self._bets = (0, *_bets(rules))

    def add(self, duel: Duel, name: str) -> None:
        """Add the hands of a duel, all called the same."""
        hands, results, times = self._results(duel)
        costs = self._costs(hands, results, name)
        chosen = len(costs) - 1 - costs[::-1].argmin(0)
        self.account.weight += hands * int(times.sum())
        for choice, bet in enumerate(self._bets):
            mine = chosen == choice
            self.account.lost += _total(costs[choice], times, mine)
            self.account.staked += hands * int(times[mine].sum()) * (1 + bet) * STAKE
        self._hit(name, results, times, chosen > 0)
        self._forfeit(hands * int(times[chosen == 0].sum()))

    def _results(self, duel: Duel) -> tuple[int, dict[str, Numbers], Numbers]:
        """Return how many hands a dealer may have, with how many of them each result comes, and how often that is."""
        above, equal, times = duel.above, duel.equal, duel.times[:, None]
        cards = above.shape[1]
        hands = comb(cards - 1, FIVE)
        if not self._rules.option("dealer card up"):
            above, equal, hands = above.sum(1, keepdims=True), equal.sum(1, keepdims=True), hands * cards
        results = {"win": hands - above - equal, "tie": equal, "lose": above}
        return hands, results, np.broadcast_to(times, above.shape)

    def _costs(self, hands: int, results: dict[str, Numbers], name: str) -> Numbers:
        """Return what each choice costs, forfeiting first."""
        each = sum((number * lost(self._rules[result]) for result, number in results.items()), np.int64(0))
        bonus = hands * lost(self._bonus[name]) if name in self._bonus.lines else 0
        forfeit = np.full_like(each, hands * lost(self._rules[FORFEIT]))
        return np.stack([forfeit, *((1 + bet) * each + bonus for bet in self._bets[1:])])

    def _hit(self, name: str, results: dict[str, Numbers], times: Numbers, playing: Numbers) -> None:
        found = {result: _total(number, times, playing) for result, number in results.items()}
        for result, number in found.items():
            self.account.hits[hit(ANTE, result, self._rules[result])] += number
        if name in self._bonus.lines:
            self.account.hits[hit(BONUS, name, self._bonus[name])] += sum(found.values())

    def _forfeit(self, deals: int) -> None:
        if deals:
            self.account.hits[hit(ANTE, FORFEIT, self._rules[FORFEIT])] += deals


def _total(values: Numbers, times: Numbers, where: Numbers) -> int:
    """Return a sum that may be larger than a machine's word."""
    return sum((values[where] * times[where]).tolist())


def _bets(rules: Rulebook) -> tuple[int, int]:
    """Return the least and the most that may be played, in antes; nothing between is ever better than both."""
    stake = choices(rules)[PLAY].stake
    assert stake
    return int(stake.least), int(stake.most)


def play_all(four: FourCards, rules: Rulebook) -> Account:
    """Count every deal out of a pack by best play: what playing costs follows from how many hands beat the player's."""
    settlement = Settlement(rules)
    for duel in four.duels():
        settlement.add(duel, four.name(duel.rows[0].tolist()))
    account = settlement.account
    account.stakes = account.weight
    return account


def best_play(inquiry: Inquiry) -> Account:
    """Count every deal by best play."""
    return play_all(FourCards(inquiry.terms.composition.cards()), inquiry.rules)


def aces_up(inquiry: Inquiry) -> Account:
    """Judge all 2,598,960 hands of five cards."""
    four = FourCards(inquiry.terms.composition.cards())
    return by_pay_table(inquiry.rules.table(ACES_UP), four.named())
