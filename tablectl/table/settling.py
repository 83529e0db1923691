"""Wagers get their decision, and cards go to the discard rack."""

from collections.abc import Iterable

from tablectl.events.announcements import Call
from tablectl.events.codec import Input
from tablectl.events.facts import CardsDiscarded, PayoutHeld, RoundBonusPaid, RoundStepAwaited, WagerSettled
from tablectl.ledger import Wager
from tablectl.money import format_amount, parse_amount
from tablectl.rulebook import Clause
from tablectl.script import Discard, Pay, PayBand, PayOdds, Settle, Verify
from tablectl.table.dealing import name
from tablectl.table.procedure import WAIT, Kind, Procedure
from tablectl.table.rulings import PAYOUT
from tablectl.terms import Hold, Refused

VERIFIES = "a supervisor verifies"
"""What a suspension says that waits for a look at a payout or a hand."""
NO_HOLD = Hold()


class Payout(Procedure[Kind]):
    """Pays what the terms do not hold; a large payout waits once, with the cards face up, until it was verified."""

    asked = False

    def waits(self, wagers: Iterable[Wager], clause: Clause) -> bool:
        """Tell whether one of these wagers is paid so much that a supervisor looks at it first."""
        hold = self.table.terms.hold
        if self.asked or clause.odds is None or hold == NO_HOLD:
            return False
        odds, self.asked = clause.odds, True
        large = [(wager, wager.amount and wager.amount * odds.ratio) for wager in wagers]
        large = [(wager, pays) for wager, pays in large if hold.covers(pays, odds)]
        for wager, pays in large:
            amount = None if pays is None else int(pays)
            self.table.tell(PayoutHeld(wager.hand, wager.name, clause.cites, odds, amount, wager.owner))
            text = f"the {wager.name} wager of {name(wager.hand)} pays {odds}: {VERIFIES} ({clause.cites})"
            self.table.suspend(PAYOUT, text)
        return bool(large)


BELOW, LIMIT = "below", "limit"
"""What a dealer calls of winnings under a limit, where the table does not know the amount."""


class Settling(Payout[Settle]):
    """Decides every open wager that the step names. Of wagers without an amount the dealer calls whether a limit on
    payouts cuts their winnings, where it may; limits: what was called, by player and limit.
    """

    def begin(self) -> None:
        """Have no limit called yet."""
        self.limits: dict[tuple[str, str], str] = {}

    def advance(self) -> object:
        """Settle and answer, at once but for a large payout, or one that a limit may cut."""
        step = self.step
        wagers = self.round.ledger.open(step.hand, step.wager, step.owner)
        if step.clause.odds and (self.waits(wagers, step.clause) or self._unsure()):
            return WAIT
        settle = self._settle_capped if self.table.terms.caps else self.round.ledger.settle
        self.table.tell_all([settle(wager, step.clause) for wager in wagers])
        return None

    def _settle_capped(self, wager: Wager, clause: Clause) -> WagerSettled:
        """Settle a wager up to what is left of the limit that it is under, if any."""
        ledger, key = self.round.ledger, self._limit(wager)
        cap = self.table.terms.caps.get(key[1])
        if cap is None or (wager.amount is None and self.limits.get(key) != LIMIT):
            return ledger.settle(wager, clause)
        paid = ledger.paid_under.get(key, 0)
        settled = ledger.settle(wager, clause, cap - paid)
        ledger.paid_under[key] = paid + (settled.paid or 0)
        return settled

    def _limit(self, wager: Wager) -> tuple[str, str]:
        """Return whose limit on payouts a wager is under, and its name, empty where it is under none."""
        terms = self.table.terms
        return wager.player, terms.rules.cap_of.get(wager.name, "") if terms.caps else ""

    def _unsure(self) -> list[Wager]:
        """Return the wagers of the next player of whom only the dealer can tell whether a limit cuts the winnings."""
        step, ledger = self.step, self.round.ledger
        if step.clause.odds is None or not self.table.terms.caps:
            return []
        under: dict[tuple[str, str], list[Wager]] = {}
        for wager in ledger.open(step.hand, step.wager, step.owner):
            if wager.amount is None and self._limit(wager) not in self.limits:
                under.setdefault(self._limit(wager), []).append(wager)
        return next((wagers for key, wagers in under.items() if self._may_reach(key[1], wagers)), [])

    def _may_reach(self, name: str, wagers: list[Wager]) -> bool:
        """Tell whether these wagers, within their limits, may win more than the cap of this name."""
        terms, odds = self.table.terms, self.step.clause.odds
        if name not in terms.caps or odds is None:
            return False
        most = [terms.limits[wager.name].maximum for wager in wagers if wager.name in terms.limits]
        return len(most) < len(wagers) or sum(most) * odds.ratio > terms.caps[name]

    def take(self, said: Input) -> bool:
        """Take whether the limit is reached."""
        wagers = self._unsure()
        match said.body:
            case Call(what=what, hand=hand, answer=answer) if wagers and what == self._limit(wagers[0])[1]:
                if hand not in ("", wagers[0].hand) or answer not in (BELOW, LIMIT):
                    awaited = f"{BELOW} or {LIMIT}, for {name(wagers[0].hand)}"
                    raise Refused("call", awaited, f"winnings are not called {answer}", self.step.clause.cites)
                self.limits[self._limit(wagers[0])] = answer
                return True
        return False

    def awaited(self) -> RoundStepAwaited:
        """Ask whether the winnings reach the limit."""
        wagers, terms = self._unsure(), self.table.terms
        if not wagers:
            return super().awaited()
        _, limit = self._limit(wagers[0])
        owner = f" of {wagers[0].owner}" if wagers[0].owner else ""
        most = format_amount(terms.caps[limit], terms.currency)
        prompt = (
            f"Does {name(wagers[0].hand)}{owner} win more than {most} at {self.step.clause.odds}? {most} is the limit."
        )
        return RoundStepAwaited(
            "call",
            "dealer",
            prompt,
            Call.name(),
            limit,
            wagers[0].hand,
            answers=(BELOW, LIMIT),
            clause=terms.rules.caps[limit].cites,
        )


class Fixed(Procedure[Kind]):
    """Pays fixed amounts."""

    def minor(self, amount: str) -> int:
        """Return an amount of a clause in minor units."""
        return parse_amount(amount, self.table.terms.currency)

    def holders(self, hand: str) -> set[str]:
        """Return who holds a hand."""
        return {wager.player for wager in self.round.ledger.wagers.values() if wager.hand == hand}

    def pay(self, hand: str, owner: str, clause: Clause) -> None:
        """Pay the clause's amount."""
        paid = self.minor(clause.amount)
        self.round.ledger.paid += paid
        self.table.tell(RoundBonusPaid(hand, paid, clause.cites, owner))


class Paying(Fixed[Pay]):
    """Pays a fixed amount to every player at the positions that the step names."""

    def advance(self) -> object:
        """Pay and answer at once."""
        holders, first = self.holders(self.step.winner), dict[str, str]()
        for wager in self.round.ledger.wagers.values():
            position = wager.hand.partition(".")[0]
            if position in self.step.hands and wager.player not in holders and wager.player not in first:
                first[wager.player] = position
                self.pay(position, wager.owner, self.step.clause)
        return None


NO_BAND = "below"
"""What a dealer calls when a wager reaches no band."""


class Banding(Fixed[PayBand]):
    """Pays each player once, by the first wager that reaches a band."""

    def begin(self) -> None:
        """Find out who is paid."""
        holders, ledger = self.holders(self.step.winner), self.round.ledger
        lying = [wager for hand in self.step.hands for wager in ledger.on(hand, self.step.wager)]
        self.left = [wager for wager in lying if wager.player not in holders]
        self.called = ""
        self.paid = False

    def advance(self) -> object:
        """Pay each owner whose band is known; tell whether anybody was paid."""
        while self.left:
            wager, *others = self.left
            if wager.amount is None and not self.called:
                return WAIT
            band = self._band(wager.amount)
            if band:
                self.pay(wager.hand, wager.owner, band)
                self.paid = True
            self.called = ""
            self.left = [other for other in others if not (band and other.player == wager.player)]
        return self.paid

    def _band(self, amount: int | None) -> Clause | None:
        """Return the highest band that this amount reaches, or the one that was called."""
        if amount is None:
            return next((band for band in self.step.bands if band.name == self.called), None)
        return next((band for band in reversed(self.step.bands) if amount >= self.minor(band.least)), None)

    def take(self, said: Input) -> bool:
        """Take the band that the dealer calls."""
        step = self.step
        match said.body:
            case Call(what=step.wager, hand=hand, answer=answer) if hand in ("", self._hand):
                if answer not in self._answers:
                    awaited = f"one of {', '.join(self._answers)}"
                    raise Refused("call", awaited, f"no band is called {answer}", step.clause.cites)
                self.called = answer
                return True
        return False

    @property
    def _hand(self) -> str:
        return self.left[0].hand if self.left else ""

    @property
    def _answers(self) -> tuple[str, ...]:
        return (NO_BAND, *(band.name for band in self.step.bands))

    def awaited(self) -> RoundStepAwaited:
        """Ask how much the wager is."""
        step = self.step
        owner = f" of {self.left[0].owner}" if self.left and self.left[0].owner else ""
        bands = "; ".join(f"{band.name}: from {band.least}" for band in step.bands)
        prompt = f"How much is the {step.wager} wager{owner} at {name(self._hand)}? {bands}."
        return RoundStepAwaited(
            "call",
            "dealer",
            prompt,
            Call.name(),
            step.wager,
            self._hand,
            answers=self._answers,
            clause=step.clause.cites,
        )


class Verifying(Procedure[Verify]):
    """Holds the table once; a supervisor lifts it."""

    asked = False

    def advance(self) -> object:
        """Hold the table, and go on when it is let go."""
        if self.asked:
            return None
        self.asked = True
        whose = f" of {name(self.step.hand)}" if self.step.hand else ""
        self.table.tell(PayoutHeld(self.step.hand, self.step.what, self.step.clause.cites))
        self.table.suspend("verify", f"{self.step.what}{whose}: {VERIFIES} ({self.step.clause.cites})")
        return WAIT


class PayingOdds(Payout[PayOdds]):
    """Pays odds on the amount of a wager, settled or not."""

    def advance(self) -> object:
        """Pay and answer, at once but for a large payout."""
        step, ledger = self.step, self.round.ledger
        wagers = ledger.on(step.hand, step.wager)
        if self.waits(wagers, step.clause):
            return WAIT
        for wager in wagers:
            paid, clause = ledger.pay_odds(wager, step.clause), step.clause
            self.table.tell(
                RoundBonusPaid(
                    step.hand, paid, clause.cites, wager.owner, wager.name, clause.odds, by_chips=paid is None
                )
            )
        return None


PARTS = ("", ".high", ".low")
"""A hand, and what it is set into."""


class Discarding(Procedure[Discard]):
    """Collects cards hand by hand."""

    def advance(self) -> object:
        """Collect and answer at once."""
        hands = self.step.hands
        areas = list(self.round.hands) if hands is None else [hand + part for hand in hands for part in PARTS]
        for area in areas:
            cards = self.round.hands.pop(area, None)
            if cards:
                self.table.tell(CardsDiscarded(area, tuple(cards), self.step.clause.cites))
        return None
