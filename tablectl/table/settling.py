"""Wagers get their decision, and cards go to the discard rack."""

from collections.abc import Iterable

from tablectl.events.announcements import Call
from tablectl.events.codec import Input
from tablectl.events.facts import CardsDiscarded, PayoutHeld, RoundBonusPaid, RoundStepAwaited, WagerSettled
from tablectl.ledger import Wager
from tablectl.money import parse_amount
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


class Settling(Payout[Settle]):
    """Decides every open wager that the step names."""

    def advance(self) -> object:
        """Settle and answer, at once but for a large payout."""
        step = self.step
        wagers = self.round.ledger.open(step.hand, step.wager, step.owner)
        if self.waits(wagers, step.clause):
            return WAIT
        settle = self._settle_capped if self.table.terms.caps else self.round.ledger.settle
        self.table.tell(*[settle(wager, step.clause) for wager in wagers])
        return None

    def _settle_capped(self, wager: Wager, clause: Clause) -> WagerSettled:
        """Settle a wager up to what is left of the limit that it is under, if any."""
        terms, ledger = self.table.terms, self.round.ledger
        name = terms.rules.cap_of.get(wager.name, "")
        cap = terms.caps.get(name)
        if cap is None:
            return ledger.settle(wager, clause)
        key = (wager.player, name)
        paid = ledger.paid_under.get(key, 0)
        settled = ledger.settle(wager, clause, cap - paid)
        ledger.paid_under[key] = paid + (settled.paid or 0)
        return settled


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
        areas = tuple(self.round.hands) if hands is None else (hand + part for hand in hands for part in PARTS)
        for area in areas:
            cards = self.round.hands.pop(area, None)
            if cards:
                self.table.tell(CardsDiscarded(area, tuple(cards), self.step.clause.cites))
        return None
