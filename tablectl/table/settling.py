"""Wagers get their decision, and cards go to the discard rack."""

from tablectl.events.facts import CardsDiscarded, RoundBonusPaid
from tablectl.script import Discard, Pay, Settle
from tablectl.table.procedure import Procedure


class Settling(Procedure[Settle]):
    """Decides every open wager that the step names."""

    def advance(self) -> object:
        """Settle and answer at once."""
        step, ledger = self.step, self.round.ledger
        for wager in ledger.open(step.hand, step.wager):
            self.table.tell(ledger.settle(wager, step.clause, self.table.terms.caps.get(wager.name)))
        return None


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
