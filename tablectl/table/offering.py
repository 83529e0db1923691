"""Players choose in any order, until the dealer closes."""

from tablectl.events.announcements import CloseOffer, Decide, DecideOthers, PlaceWager, WagerForm
from tablectl.events.codec import Input
from tablectl.events.facts import RoundDecided, RoundOfferClosed, RoundStepAwaited, WagerPlaced
from tablectl.ledger import Wager
from tablectl.rulebook import WagerKind
from tablectl.script import Offer
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Limits, Refused, Wagers


class Offering(Procedure[Offer]):
    """Takes one choice a hand at most."""

    def __init__(self, *fields: object) -> None:
        super().__init__(*fields)  # type: ignore[arg-type]
        self.chosen: dict[str, str] = {}
        self.closed = not self.step.hands

    def advance(self) -> object:
        """Answer with what was chosen, once the dealer closed."""
        return self.chosen if self.closed else WAIT

    def take(self, said: Input) -> bool:
        """Take choices, and their end."""
        match said.body:
            case Decide(hand=hand, choice=choice, amount=amount):
                self._choose(hand, choice, amount)
            case DecideOthers(choice=choice):
                for hand in self.step.hands:
                    if hand not in self.chosen:
                        self._choose(hand, choice, self._most(hand))
            case PlaceWager(hand=hand, wager=name, amount=amount, owner=owner) if self._choice(name):
                self._choose(hand, self._choice(name), amount, owner)
            case CloseOffer():
                self.closed = True
                self.table.tell(RoundOfferClosed(self.step.what, self.step.clause.cites))
            case _:
                return False
        return True

    def _choice(self, wager: str) -> str:
        """Return the choice that places this wager."""
        return next((choice for choice, kind in self.step.choices.items() if kind and kind.name == wager), "")

    def _most(self, hand: str) -> int | None:
        """Return the most that this hand's choice may stake, None where amounts are not known."""
        amounts = [wager.amount for wager in self.round.ledger.on(hand, self.step.up_to) if wager.amount]
        return sum(amounts) if amounts else None

    def _choose(self, hand: str, choice: str, amount: int | None, owner: str = "") -> None:
        step = self.step
        if choice not in step.choices:
            raise Refused("choice", f"one of {', '.join(step.choices)}", f"{choice} is not on offer", step.clause.cites)
        if hand not in step.hands or hand in self.chosen:
            due = ", ".join(other for other in step.hands if other not in self.chosen) or "none"
            raise Refused("hand", f"hands still to choose: {due}", f"hand {hand} has no choice here", step.clause.cites)
        kind = step.choices[choice]
        if kind:
            self._stake(hand, kind, amount, owner)
        self.chosen[hand] = choice
        self.table.tell(RoundDecided(hand, choice, amount))

    def _stake(self, hand: str, kind: WagerKind, amount: int | None, owner: str) -> None:
        most = self._most(hand)
        known = self.table.terms.wagers is Wagers.AMOUNTS
        limits = Limits(1, most) if known and most is not None else None
        wager = Wager(hand, owner, kind.name, amount, WagerForm.CHIPS)
        self.round.ledger.place(wager, limits, self.step.clause.cites)
        self.table.tell(WagerPlaced(hand, kind.name, amount, owner))

    def awaited(self) -> RoundStepAwaited:
        """Say what is on offer, to whom, and how it is closed."""
        return RoundStepAwaited(
            "offer",
            "players",
            f"{self.step.prompt} Then “{self.step.closing}”",
            CloseOffer.name(),
            self.step.what,
            hands=tuple(hand for hand in self.step.hands if hand not in self.chosen),
            answers=tuple(self.step.choices),
            clause=self.step.clause.cites,
        )
