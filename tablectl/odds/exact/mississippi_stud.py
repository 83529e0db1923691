"""Mississippi stud by best play: backwards from every five cards to every two, then forwards again.

What a hand is worth depends on the cards that its player sees and on what was wagered so far, not on which of the cards
are the player's own; so a street is every set of the cards seen, for each total wagered.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from math import comb, factorial

import numpy as np

from tablectl.cards import Card
from tablectl.games.mississippi_stud import ANTE, BET, BONUS, FOLD, HAND, STREETS, choices
from tablectl.hands.mississippi_stud import five_card_hand, three_card_hand
from tablectl.odds.exact.paying import by_pay_table, hit, lost
from tablectl.odds.exact.sets import Numbers, judged, number_of, numbers, over, sets
from tablectl.odds.inquiry import STAKE, Inquiry
from tablectl.odds.tally import Account
from tablectl.rulebook import Clause, Rulebook

OWN, FIVE = 2, 5
Wagered = int
"""How many antes a hand has wagered so far, the ante with them."""
Plan = dict[tuple[int, Wagered], Numbers]
"""Best play, by the number of cards seen and what was wagered: for each set how many antes to bet, 0 to fold."""


class Stud:
    """The game over one pack. pays: what each name of a hand of five loses for each ante."""

    def __init__(self, rules: Rulebook, pack: tuple[Card, ...]) -> None:
        self.pack = pack
        self.bets = _bets(rules)
        self.names, self._kinds = judged(pack, FIVE, five_card_hand)
        self.clauses = [rules.table(HAND)[name] for name in self.names]
        self._lost = np.array([lost(clause) for clause in self.clauses], np.int64)[self._kinds]

    def number(self, cards: Iterable[Card]) -> int:
        """Return where a set of cards stands among all of this size."""
        return number_of(map(self.pack.index, cards))

    def costs(self, five: Iterable[Card]) -> int:
        """Return what a hand of five loses for each ante wagered on it."""
        return int(self._lost[self.number(five)])

    def totals(self, seen: int) -> Iterable[Wagered]:
        """Return all that may have been wagered when so many cards are seen."""
        streets = seen - OWN
        return range(1 + streets * min(self.bets), 2 + streets * max(self.bets))

    def plan(self) -> Plan:
        """Return best play; of choices that cost the same, the one that wagers most."""
        plan: Plan = {}
        costs: Mapping[Wagered, Numbers] = {wagered: wagered * self._lost for wagered in self.totals(FIVE)}
        for seen in range(FIVE - 1, OWN - 1, -1):
            following = {wagered: over(len(self.pack), seen + 1, cost) for wagered, cost in costs.items()}
            costs = {}
            for wagered in self.totals(seen):
                plan[seen, wagered], costs[wagered] = self._choose(seen, wagered, following)
        return plan

    def _choose(self, seen: int, wagered: Wagered, following: Mapping[Wagered, Numbers]) -> tuple[Numbers, Numbers]:
        """Return the best bet on each set, and what it costs, summed over all cards that may yet come."""
        choice = np.zeros(comb(len(self.pack), seen), np.int64)
        cost = np.full(len(choice), wagered * STAKE * self._orders(seen), np.int64)
        for bet in self.bets:
            better = following[wagered + bet] <= cost
            choice[better], cost[better] = bet, following[wagered + bet][better]
        return choice, cost

    def _orders(self, seen: int) -> int:
        """Return in how many orders the cards that are not seen yet can come."""
        left = len(self.pack) - seen
        return factorial(left) // factorial(left - (FIVE - seen))

    def account(self, plan: Plan, rules: Rulebook) -> Account:
        """Return what a plan comes to, over every two cards and every order of three others."""
        account = Account()
        reached: Mapping[Wagered, Numbers] = {1: np.ones(comb(len(self.pack), OWN), np.int64)}
        for seen in range(OWN, FIVE):
            following = {total: np.zeros(comb(len(self.pack), seen + 1), np.int64) for total in self.totals(seen + 1)}
            for wagered, ways in reached.items():
                choice = plan[seen, wagered]
                self._fold(account, rules["fold"], int(ways[choice == 0].sum()) * self._orders(seen), wagered, seen)
                for bet in self.bets:
                    following[wagered + bet] += self._onward(seen, np.where(choice == bet, ways, 0))
            reached = following
        for wagered, ways in reached.items():
            self._show(account, ways, wagered)
        account.stakes = account.weight
        return account

    def _onward(self, seen: int, ways: Numbers) -> Numbers:
        """Return in how many ways each set of one card more is reached."""
        rows = sets(len(self.pack), seen + 1)
        columns = range(seen + 1)
        return sum(
            (ways[numbers([rows[:, kept] for kept in columns if kept != new])] for new in columns),
            np.zeros(len(rows), np.int64),
        )

    def _fold(self, account: Account, clause: Clause, deals: int, wagered: Wagered, seen: int) -> None:
        if deals:
            _book(account, deals, wagered, STAKE)
            account.hits[hit(ANTE, f"{FOLD} on {STREETS[seen - OWN]}", clause)] += deals

    def _show(self, account: Account, ways: Numbers, wagered: Wagered) -> None:
        for kind, number in enumerate(np.bincount(self._kinds, ways, len(self.names)).astype(np.int64).tolist()):
            if number:
                clause = self.clauses[kind]
                _book(account, number, wagered, lost(clause))
                account.hits[hit(ANTE, self.names[kind], clause)] += number


def _book(account: Account, deals: int, wagered: Wagered, each: int) -> None:
    account.weight += deals
    account.staked += deals * wagered * STAKE
    account.lost += deals * wagered * each
    account.squares += deals * (wagered * each) ** 2


def _bets(rules: Rulebook) -> tuple[int, ...]:
    """Return what may be bet on a street, in antes."""
    stake = choices(rules, STREETS[0])[BET].stake
    assert stake
    return tuple(range(int(stake.least), int(stake.most) + 1))


def best_play(inquiry: Inquiry) -> Account:
    """Count every deal by best play."""
    stud = Stud(inquiry.rules, inquiry.terms.composition.cards())
    return stud.account(stud.plan(), inquiry.rules)


def three_cards(inquiry: Inquiry) -> Account:
    """Judge all 22,100 sets of community cards."""
    hands = combinations(inquiry.terms.composition.cards(), 3)
    return by_pay_table(inquiry.rules.table(BONUS), Counter(str(three_card_hand(hand)) for hand in hands))
