"""A player may bank a round: play against all others, and pay and collect what they win and lose."""

from collections import deque
from fractions import Fraction

from msgspec.structs import replace

from tablectl.events.announcements import CloseOffer, Decide
from tablectl.events.codec import Input
from tablectl.events.facts import BankSettled, BankTaken, RoundDecided, RoundStepAwaited, WagerSettled
from tablectl.rulebook import Outcome
from tablectl.script import DEALER, Bank, OfferBank, SettleBank, positions
from tablectl.table.dealing import name
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Refused

BANK, CO_BANK, DECLINE = "bank", "co-bank", "decline"


class Banking(Procedure[OfferBank]):
    """Offers the bank counterclockwise, from where the last offer ended; the dealer banks where nobody takes it."""

    def begin(self) -> None:
        """Find out who may bank, in the order in which they are asked."""
        record = self.table.bank
        ring = positions(self.table.terms.positions)[::-1]
        first = ring.index(record.offered) + 1 if record.offered in ring else 0
        wagered = {wager.hand for wager in record.wagers} - {record.banked}
        self.left = deque(hand for hand in ring[first:] + ring[:first] if hand in wagered)
        self.taken = Bank()

    def advance(self) -> object:
        """Answer once somebody banks, or nobody is left."""
        return WAIT if self.left else self.taken

    def take(self, said: Input) -> bool:
        """Take an answer of the one who is asked, or the end of the offer."""
        match said.body:
            case Decide(hand=hand, choice=choice) if self.left:
                self._decide(hand, choice)
            case CloseOffer() if self.left:
                self.left.clear()
            case _:
                return False
        return True

    @property
    def _answers(self) -> tuple[str, ...]:
        return (BANK, CO_BANK, DECLINE) if self.step.shared else (BANK, DECLINE)

    def _decide(self, hand: str, choice: str) -> None:
        cites = self.step.clause.cites
        if hand != self.left[0]:
            raise Refused("hand", f"hand {self.left[0]}", f"the bank is not offered to hand {hand} now", cites)
        if choice not in self._answers:
            raise Refused("choice", f"one of {', '.join(self._answers)}", f"{choice} is not on offer", cites)
        self.table.bank = replace(self.table.bank, offered=hand)
        self.table.tell(RoundDecided(hand, choice))
        self.left.popleft()
        if choice != DECLINE:
            self.left.clear()
            self.taken = Bank(hand, shared=choice == CO_BANK)
            self.table.tell(BankTaken(hand, choice == CO_BANK, cites))

    def awaited(self) -> RoundStepAwaited:
        """Ask the next player."""
        hand = self.left[0] if self.left else ""
        prompt = f"The bank is offered to {name(hand)}. Its chips must cover all wagers."
        return RoundStepAwaited(
            "bank",
            "players",
            prompt,
            Decide.name(),
            BANK,
            hand,
            tuple(self.left),
            self._answers,
            self.step.clause.cites,
        )


class BankSettling(Procedure[SettleBank]):
    """Adds up what the bank collected and paid, and remembers who may bank next."""

    def advance(self) -> object:
        """Settle and answer at once."""
        step, record = self.step, self.table.bank
        told = [one for one in self.round.ledger.told.values() if one.wager == step.wager]
        if step.bank.hand == DEALER:
            wagers = tuple(wager for wager in self.round.ledger.placed() if wager.wager == step.wager)
            self.table.bank = replace(record, banked="", wagers=wagers)
            return None
        self.table.bank = replace(record, banked=step.bank.hand)
        known = all(one.amount is not None for one in told)
        self.table.tell(self._settled(told) if known else BankSettled(step.bank.hand, step.clause.cites, by_chips=True))
        return None

    def _settled(self, told: list[WagerSettled]) -> BankSettled:
        """Return what the bank won, after the vigorish on its net winnings; half of all if the house shares it."""
        step = self.step
        collected = sum((one.amount or 0) - (one.returned or 0) for one in told)
        paid = sum((one.paid or 0) + one.vigorish for one in told if one.outcome is Outcome.WIN)
        net = Fraction(collected - paid, 2 if step.bank.shared else 1)
        fee = net * step.clause.vigorish.ratio if step.clause.vigorish and net > 0 else Fraction(0)
        due = min(self.table.terms.rounding.apply(net - fee), int(net)) if fee else int(net)
        return BankSettled(step.bank.hand, step.clause.cites, collected, paid, due, int(net) - due, step.bank.shared)
