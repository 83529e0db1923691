"""Players choose in any order: until the dealer closes, or until everybody has chosen."""

from tablectl.events.announcements import CloseOffer, Decide, DecideOthers, PlaceWager
from tablectl.events.codec import Input
from tablectl.events.facts import RoundDecided, RoundOfferClosed, RoundStepAwaited, WagerPlaced
from tablectl.ledger import Wager
from tablectl.script import Offer, Stake
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Limits, Refused, Wagers


class Offering(Procedure[Offer]):
    """Takes one choice of every owner of a hand."""

    def __init__(self, *fields: object) -> None:
        super().__init__(*fields)  # type: ignore[arg-type]
        self.chosen: dict[str, str] = {}
        self.owners: set[tuple[str, str]] = set()
        self.closed = not self.step.hands

    def advance(self) -> object:
        """Answer with what was chosen."""
        return self.chosen if self.closed else WAIT

    def take(self, said: Input) -> bool:
        """Take choices, and their end."""
        match said.body:
            case Decide(hand=hand, choice=choice, amount=amount):
                self._choose(hand, choice, amount)
            case DecideOthers(choice=choice):
                self._choose_others(choice)
            case PlaceWager(hand=hand, wager=name, amount=amount, owner=owner) if self._choice(name):
                self._choose(hand, self._choice(name), amount, owner)
            case CloseOffer() if self.step.closing:
                self._close()
            case _:
                return False
        if not self.step.closing and not self.undecided:
            self._close()
        return True

    @property
    def undecided(self) -> tuple[str, ...]:
        """Return the hands that have not chosen."""
        return tuple(hand for hand in self.step.hands if hand not in self.chosen)

    def _close(self) -> None:
        self.closed = True
        self.table.tell(RoundOfferClosed(self.step.what, self.step.clause.cites))

    def _choice(self, wager: str) -> str:
        """Return the choice that places this wager."""
        return next((name for name, stake in self.step.choices.items() if stake and stake.kind.name == wager), "")

    def _choose_others(self, choice: str) -> None:
        """Check every hand before the first one chooses, so that a refusal changes nothing."""
        for hand in self.undecided:
            self._check(hand, choice, None)
        for hand in self.undecided:
            self._choose(hand, choice, None)

    def _choose(self, hand: str, choice: str, amount: int | None, owner: str = "") -> None:
        wager = self._check(hand, choice, amount, owner)
        if wager:
            self.round.ledger.place(wager, None, self.step.clause.cites)
            self.table.tell(WagerPlaced(hand, wager.name, wager.amount, owner))
        self.chosen[hand] = choice
        self.owners.add((hand, owner))
        self.table.tell(RoundDecided(hand, choice, wager.amount if wager else None))

    def _check(self, hand: str, choice: str, amount: int | None, owner: str = "") -> Wager | None:
        """Return the wager that the choice places.

        Raises:
            Refused: not on offer, not this hand's turn, or an amount outside its limits.
        """
        step = self.step
        if choice not in step.choices:
            raise Refused("choice", f"one of {', '.join(step.choices)}", f"{choice} is not on offer", step.clause.cites)
        if hand not in step.hands or (hand, owner) in self.owners:
            due = ", ".join(self.undecided) or "none"
            raise Refused("hand", f"hands still to choose: {due}", f"hand {hand} has no choice here", step.clause.cites)
        stake = step.choices[choice]
        return self._staked(hand, stake, amount, owner) if stake else None

    def _staked(self, hand: str, stake: Stake, amount: int | None, owner: str) -> Wager:
        wager = Wager(hand, owner, stake.kind.name, amount)
        base = sum(w.amount or 0 for w in self.round.ledger.on(hand, stake.of) if owner in ("", w.owner))
        if self.table.terms.wagers is Wagers.AMOUNTS or amount is not None:
            if amount is None and stake.least == stake.most:
                wager.amount = int(base * stake.most)
            limits = Limits(max(1, int(base * stake.least)), int(base * stake.most))
            self.round.ledger.check(wager, limits, self.step.clause.cites)
        return wager

    def awaited(self) -> RoundStepAwaited:
        """Say what is on offer, to whom, and how it is closed."""
        step = self.step
        return RoundStepAwaited(
            "offer",
            "players",
            f"{step.prompt} Then “{step.closing}”" if step.closing else step.prompt,
            CloseOffer.name() if step.closing else Decide.name(),
            step.what,
            hands=self.undecided,
            answers=tuple(step.choices),
            clause=step.clause.cites,
        )
