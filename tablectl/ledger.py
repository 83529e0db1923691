"""Who has what on which wager, and what becomes of it: to the cent, and no cent lost."""

from collections.abc import Iterable
from fractions import Fraction

import msgspec

from tablectl.events.announcements import WagerForm
from tablectl.events.facts import Placed, WagerSettled
from tablectl.money import Odds, Rounding
from tablectl.rulebook import Clause, Outcome
from tablectl.script import Place, Stake
from tablectl.terms import Limits, Refused, Wagers

WIN, LOSE, VOID, PRESENCE = Outcome.WIN, Outcome.LOSE, Outcome.VOID, Wagers.PRESENCE
Key = tuple[str, str, str]
"""A wager is known by hand, owner and name."""


class Wager(msgspec.Struct, gc=False):
    """A wager on the layout; settled once it has its decision. moved_from: hand and name of it before a split."""

    hand: str
    owner: str
    name: str
    amount: int | None
    form: WagerForm = WagerForm.CHIPS
    settled: bool = False
    moved_from: tuple[str, str] | None = None

    @property
    def player(self) -> str:
        """Return whose wager it is: a name, or the position of somebody who has none, whatever hands lie there."""
        return self.owner or self.hand.partition(".")[0]


class Ledger:
    """The wagers of one round.

    Conservation: what was staked is returned, collected or still open; the house pays winnings beside it.

    told: what was told of each wager that has its decision; paid_on: what was paid on it, as corrected; paid_under:
    what was paid to a player under a limit on payouts, by :attr:`Wager.player` and the limit's name.
    """

    def __init__(self, mode: Wagers, rounding: Rounding) -> None:
        self.mode = mode
        self.rounding = rounding
        self.wagers: dict[Key, Wager] = {}
        self.told: dict[Key, WagerSettled] = {}
        self.paid_on: dict[Key, int | None] = {}
        self.staked = self.returned = self.collected = self.paid = 0
        self.paid_under: dict[tuple[str, str], int] = {}
        self._on: dict[str, dict[Key, Wager]] = {}

    def place(self, wager: Wager, limits: Limits | None, clause: str) -> None:
        """Take a wager, or more of one that lies there already.

        Raises:
            Refused: no amount where amounts are known, or one outside the limits.
        """
        self.check(wager, limits, clause)
        self.lay(wager)

    def lay(self, wager: Wager) -> None:
        """Take a wager that was checked, or more of one that lies there already."""
        before = self.wagers.get((wager.hand, wager.owner, wager.name))
        self.staked += wager.amount or 0
        if before and before.amount is not None:
            wager.amount = before.amount + (wager.amount or 0)
        self._put(wager)

    def _put(self, wager: Wager) -> None:
        key = wager.hand, wager.owner, wager.name
        self.wagers[key] = self._on.setdefault(wager.hand, {})[key] = wager

    def _lift(self, key: Key) -> Wager:
        wager = self.wagers.pop(key)
        del self._on[wager.hand][key]
        return wager

    def check(self, wager: Wager, limits: Limits | None, clause: str) -> None:
        """Refuse a wager that may not lie there, alone or with what lies there already.

        Raises:
            Refused: as :meth:`place`, which changes nothing before it has asked here.
        """
        before = self.wagers.get((wager.hand, wager.owner, wager.name))
        if self.mode is PRESENCE and wager.amount is None:
            return
        if wager.amount is None or wager.amount <= 0:
            raise Refused("amount", "an amount above zero, in minor units", f"the {wager.name} wager has no amount")
        amount = wager.amount + ((before.amount or 0) if before else 0)
        if limits and not limits.minimum <= amount <= limits.maximum:
            raise Refused(
                "limits",
                f"{limits.minimum} to {limits.maximum} on the {wager.name} wager",
                f"{amount} on the {wager.name} wager is outside its limits",
                clause,
            )

    def wager_for(self, place: Place, stake: Stake, amount: int | None, clause: str, times: int | None = None) -> Wager:
        """Return the wager that a choice places, its amount following from the stake where that leaves no freedom.

        times: the amount as so many times what is backed.

        Raises:
            Refused: an amount outside its limits.
        """
        hand, owner = place
        wager, limits = Wager(hand, owner, stake.kind.name, amount), None
        base = self.amount(hand, owner, (stake.of, *stake.beside))
        if base:
            least, most = _times(base, stake.least), _times(base, stake.most)
            if times is not None:
                wager.amount = base * times
            elif amount is None and (stake.full or stake.least == stake.most):
                wager.amount = most
            if amount and stake.whole and amount % base:
                awaited = f"{stake.least} to {stake.most} times {base}, whole times"
                raise Refused("amount", awaited, f"{amount} is no multiple of the {stake.of} wager", clause)
            limits = Limits(max(1, least), most)
        self.check(wager, limits, clause)
        return wager

    def take_back(self, hand: str, owner: str, name: str) -> Wager:
        """Give a wager back before wagers are closed.

        Raises:
            Refused: no such wager lies there.
        """
        if (hand, owner, name) not in self.wagers:
            raise Refused("no-wager", f"a {name} wager at position {hand}", f"no {name} wager lies at position {hand}")
        wager = self._lift((hand, owner, name))
        self.staked -= wager.amount or 0
        return wager

    def on(self, hand: str, name: str) -> list[Wager]:
        """Return the wagers of this name on this hand, of every owner."""
        return [wager for wager in self._on.get(hand, {}).values() if wager.name == name]

    def at(self, hand: str) -> tuple[Wager, ...]:
        """Return every wager on this hand, in the order in which they came."""
        return tuple(self._on.get(hand, {}).values())

    def open(self, hand: str = "", name: str = "", owner: str | None = None) -> list[Wager]:
        """Return the wagers that have no decision yet; hand, name, owner: only these."""
        lying = self._on.get(hand) if hand else self.wagers
        if not lying:
            return []
        return [
            wager
            for wager in lying.values()
            if not wager.settled and (not name or wager.name == name) and (owner is None or wager.owner == owner)
        ]

    def amount(self, hand: str, owner: str, names: Iterable[str]) -> int:
        """Return how much an owner's wagers of these names come to that have no decision yet."""
        amount = 0
        for name in names:
            wager = self.wagers.get((hand, owner, name))
            if wager and not wager.settled:
                amount += wager.amount or 0
        return amount

    def split(self, hand: str, into: tuple[str, str], wagers: tuple[str, ...], added: str) -> None:
        """Move these wagers of a hand to the first of two; what was added lies on the second as the first of them."""
        moves = {name: (into[0], name) for name in wagers} | {added: (into[1], wagers[0])}
        for key in [key for key in self.wagers if key[0] == hand and key[2] in moves]:
            moved = self._lift(key)
            moved.moved_from = moved.moved_from or (hand, moved.name)
            moved.hand, moved.name = moves[moved.name]
            self._put(moved)

    def names(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the wagers on each hand, in the order in which they were placed."""
        found: dict[str, list[str]] = {}
        for hand, _, name in self.wagers:
            found.setdefault(hand, []).append(name)
        return {hand: tuple(names) for hand, names in found.items()}

    def placed(self) -> tuple[Placed, ...]:
        """Return every wager as it was placed."""
        return tuple(
            [Placed(*(w.moved_from or (w.hand, w.name)), w.amount, w.owner, w.form) for w in self.wagers.values()]
        )

    def settle(self, wager: Wager, clause: Clause, cap: int | None = None) -> WagerSettled:
        """Decide a wager as the clause says; cap: most that may be paid, in minor units; of a wager whose amount is not
        known, given only where it would be more.
        """
        outcome, amount = clause.outcome or VOID, wager.amount
        wager.settled = True
        returned, paid, vigorish, capped = amount, None if amount is None else 0, 0, amount is None and cap is not None
        if amount is not None:
            if outcome is WIN:
                paid, vigorish, capped = self._winnings(amount, clause, cap)
                self.paid += paid
            elif outcome is LOSE:
                returned = self._left_over(amount, clause.forfeit) if clause.forfeit else 0
            self.returned += returned or 0
            self.collected += amount - (returned or 0)
        told = WagerSettled(
            wager.hand,
            wager.name,
            outcome,
            clause.cites,
            wager.owner,
            clause.odds,
            clause.vigorish,
            amount,
            returned,
            paid,
            vigorish,
            capped,
            amount is None,
            clause.forfeit,
        )
        key = wager.hand, wager.owner, wager.name
        self.told[key], self.paid_on[key] = told, paid
        return told

    def _left_over(self, amount: int, forfeit: Odds) -> int:
        """Return what a loser gets back."""
        return self.rounding.apply(amount - share(amount, forfeit))

    def pay_odds(self, wager: Wager, clause: Clause) -> int | None:
        """Pay odds on the amount of a wager beside what becomes of it, None where only its presence is known."""
        if wager.amount is None:
            return None
        paid, _, _ = self._winnings(wager.amount, clause, None)
        self.paid += paid
        return paid

    def _winnings(self, amount: int, clause: Clause, cap: int | None) -> tuple[int, int, bool]:
        won = share(amount, clause.odds) if clause.odds else 0
        if cap is None and not clause.vigorish:
            return self.rounding.apply(won), 0, False
        capped = cap is not None and won > cap
        if capped and cap is not None:
            won = cap
        fee = share(won, clause.vigorish) if clause.vigorish else 0
        paid = self.rounding.apply(won - fee)
        # Rounding up pays what chips can pay: never above a limit, nor back more than the vigorish takes.
        paid = min(paid, int(won)) if fee else paid
        paid = min(paid, cap) if cap is not None else paid
        return paid, int(won) - paid if fee else 0, capped


def share(amount: int | Fraction, odds: Odds) -> int | Fraction:
    """Return what these odds make of an amount, exactly: a whole number wherever it is one, which is far quicker."""
    whole, rest = divmod(amount * odds.win, odds.stake)
    return Fraction(amount * odds.win, odds.stake) if rest else whole


def _times(amount: int, ratio: Fraction | int) -> int:
    """Return so many times an amount, without the odd part of a minor unit."""
    return amount * ratio.numerator // ratio.denominator
