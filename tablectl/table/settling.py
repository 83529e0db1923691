"""Wagers get their decision, and cards go to the discard rack."""

from tablectl.events.facts import CardsDiscarded, RoundBonusPaid
from tablectl.ledger import Wager
from tablectl.script import Discard, Pay, PayOdds, Settle
from tablectl.table.procedure import Procedure


class Settling(Procedure[Settle]):
    """Decides every open wager that the step names."""

    def advance(self) -> object:
        """Settle and answer at once."""
        step = self.step
        for wager in self.round.ledger.open(step.hand, step.wager):
            self._settle(wager)
        return None

    def _settle(self, wager: Wager) -> None:
        terms, ledger = self.table.terms, self.round.ledger
        name = terms.rules.cap_of.get(wager.name, "")
        cap = terms.caps.get(name)
        if cap is None:
            self.table.tell(ledger.settle(wager, self.step.clause))
            return
        key = (wager.hand, wager.owner, name)
        paid = ledger.paid_under.get(key, 0)
        settled = ledger.settle(wager, self.step.clause, cap - paid)
        ledger.paid_under[key] = paid + (settled.paid or 0)
        self.table.tell(settled)


class Paying(Procedure[Pay]):
    """Pays a fixed amount to every owner on the hands that the step names."""

    def advance(self) -> object:
        """Pay and answer at once."""
        step, ledger = self.step, self.round.ledger
        owners = {(wager.hand, wager.owner): None for wager in ledger.wagers.values() if wager.hand in step.hands}
        for hand, owner in owners:
            ledger.paid += step.amount
            self.table.tell(RoundBonusPaid(hand, step.amount, step.clause.cites, owner))
        return None


class PayingOdds(Procedure[PayOdds]):
    """Pays odds on the amount of a wager, settled or not."""

    def advance(self) -> object:
        """Pay and answer at once."""
        step, ledger = self.step, self.round.ledger
        for wager in ledger.on(step.hand, step.wager):
            paid, clause = ledger.pay_odds(wager, step.clause), step.clause
            self.table.tell(
                RoundBonusPaid(
                    step.hand, paid, clause.cites, wager.owner, wager.name, clause.odds, by_chips=paid is None
                )
            )
        return None


class Discarding(Procedure[Discard]):
    """Collects cards hand by hand."""

    def advance(self) -> object:
        """Collect and answer at once."""
        hands = tuple(self.round.hands) if self.step.hands is None else self.step.hands
        for hand in hands:
            for area in (hand, f"{hand}.high", f"{hand}.low"):
                cards = self.round.hands.pop(area, None)
                if cards:
                    self.table.tell(CardsDiscarded(area, tuple(cards), self.step.clause.cites))
        return None
