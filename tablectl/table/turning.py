"""One hand acts: it draws, chooses, or has come to its end."""

from tablectl.events.announcements import Call, ConfirmDealt, Decide
from tablectl.events.codec import Input
from tablectl.events.facts import RoundDecided, RoundHandSplit, RoundJudged, RoundStepAwaited, WagerPlaced
from tablectl.events.readings import ShoeCardDrawn
from tablectl.script import DRAW, Choice, Split, Turn
from tablectl.table.dealing import due_card, name
from tablectl.table.offering import staked
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Refused


class Turning(Procedure[Turn]):
    """Takes a choice or a call for the hand; a card that is drawn is handed on to the deal that follows."""

    answer = ""
    judged = False

    def advance(self) -> object:
        """Answer with what the cards, the player or the dealer decided."""
        step = self.step
        if not self.judged and not self.answer and self.round.seen(*step.of):
            self.judged = True
            shown = step.by(*(tuple(self.round.hands[area]) for area in step.of))
            if shown in step.ends:
                self._end(shown, "cards")
        if self.answer:
            return self.answer
        if step.draws:
            due_card(self.table, step.hand, face_up=True)
        return WAIT

    def _end(self, shown: str, by: str) -> None:
        self.answer = shown
        self.table.tell(RoundJudged(self.step.what, shown, by, self.step.hand, self.step.clause.cites))

    def take(self, said: Input) -> bool:
        """Take the card, the choice or the call."""
        step = self.step
        match said.body:
            case ShoeCardDrawn() | ConfirmDealt() if step.draws:
                self.answer, self.round.again = DRAW, said
            case Decide(hand=hand, choice=choice, amount=amount) if step.choices:
                self._choose(hand, choice, amount)
            case Call(what=step.what, answer=shown, hand=hand) if hand in ("", step.hand):
                self._call(shown)
            case _:
                return False
        return True

    def _call(self, shown: str) -> None:
        step = self.step
        if shown not in step.ends:
            raise Refused("call", f"one of {', '.join(step.ends)}", f"{step.what} is never {shown}", step.clause.cites)
        self._end(shown, "dealer")

    def _choose(self, hand: str, name_: str, amount: int | None) -> None:
        step = self.step
        choice = step.choices.get(name_)
        if hand != step.hand:
            raise Refused("hand", f"hand {step.hand}", f"it is not the turn of hand {hand}", step.clause.cites)
        if choice is None:
            raise Refused("choice", f"one of {', '.join(step.choices)}", f"{name_} is not on offer", step.clause.cites)
        self._check_cards(name_, choice)
        amounts = self._stake(choice, amount)
        self.answer = name_
        self.table.tell(RoundDecided(hand, name_, amounts[0] if len(amounts) == 1 else None))

    def _check_cards(self, name_: str, choice: Choice) -> None:
        """Refuse what the hand's cards do not allow, where all of them are seen."""
        hand = self.step.hand
        if choice.fits and self.round.seen(hand) and not choice.fits(tuple(self.round.hands[hand])):
            clause = choice.clause or self.step.clause
            cards = " ".join(self.round.hands[hand])
            raise Refused("choice", "another choice", f"{name_} is not allowed with {cards}", clause.cites)

    def _stake(self, choice: Choice, amount: int | None) -> list[int | None]:
        """Place what the choice stakes, for every owner on the hand, and return the amounts."""
        stake = choice.stake
        if stake is None:
            return []
        hand, ledger, cites = self.step.hand, self.round.ledger, (choice.clause or self.step.clause).cites
        wagers = [staked(self, (hand, wager.owner), stake, amount) for wager in ledger.open(hand, stake.of)]
        for wager in wagers:
            ledger.place(wager, None, cites)
            self.table.tell(WagerPlaced(hand, wager.name, wager.amount, wager.owner))
        return [wager.amount for wager in wagers]

    def awaited(self) -> RoundStepAwaited:
        """Say whose turn it is and what may be chosen."""
        step = self.step
        draws = (DRAW,) if step.draws else ()
        return RoundStepAwaited(
            "turn",
            "dealer",
            f"Turn of {name(step.hand)}: {', '.join((*draws, *step.choices))}.",
            Decide.name() if step.choices else "",
            step.what,
            step.hand,
            answers=(*step.choices, *step.ends),
            clause=step.clause.cites,
        )


class Splitting(Procedure[Split]):
    """Makes two hands of one."""

    def advance(self) -> object:
        """Split and answer at once."""
        step = self.step
        self.round.split(step.hand, step.into)
        self.round.ledger.split(step.hand, step.into, step.wager, step.added)
        self.table.tell(RoundHandSplit(step.hand, step.into, step.clause.cites))
        return None
