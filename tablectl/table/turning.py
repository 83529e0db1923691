"""One hand acts: it draws, chooses, or has come to its end."""

from collections.abc import Callable

from tablectl.cards import Card
from tablectl.events.announcements import Call, Decide
from tablectl.events.codec import Input
from tablectl.events.facts import RoundDecided, RoundHandSplit, RoundJudged, RoundStepAwaited, WagerPlaced
from tablectl.script import DRAW, OVER, Choice, Split, Turn
from tablectl.table.dealing import due_card, is_card, many, name
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Refused


class Turning(Procedure[Turn]):
    """Takes a choice or a call for the hand; a card that is drawn is handed on to the deal that follows."""

    answer = ""
    judged = False

    def advance(self) -> object:
        """Answer with what the cards, the player or the dealer decided."""
        step = self.step
        if step.wager and not self.round.ledger.open(step.hand, step.wager):
            return OVER
        self._judge()
        if self.answer:
            return self.answer
        if step.draws and not self.table.is_short(1, self.round.waiting):
            due_card(self.table, step.hand, face_up=True)
        return WAIT

    def _judge(self) -> None:
        """Let the cards end the turn, where all of them are seen; asked once, since a card drawn ends the turn too."""
        step = self.step
        if self.judged or self.answer or not self.round.seen(*step.of):
            return
        self.judged = True
        shown = step.by(*[tuple(self.round.hands[area]) for area in step.of])
        if shown in step.ends:
            self._end(shown, "cards")

    def _end(self, shown: str, by: str) -> None:
        self.answer = shown
        self.round.judged(self.step.of)
        self.table.tell(RoundJudged(self.step.what, shown, by, self.step.hand, self.step.clause.cites))

    def take(self, said: Input) -> bool:
        """Take the card, the choice or the call."""
        step = self.step
        if self.answer:
            return False
        match said.body:
            case _ if step.draws and is_card(self.table, said, step.clause.cites):
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
        if self.round.seen(*step.of):
            raise Refused("call", "a decision", f"the cards do not show {shown}", step.clause.cites)
        self._end(shown, "dealer")

    def _choose(self, hand: str, name_: str, amount: int | None) -> None:
        step = self.step
        choice = step.choices.get(name_)
        if hand != step.hand:
            raise Refused("hand", f"hand {step.hand}", f"it is not the turn of hand {hand}", step.clause.cites)
        if name_ == DRAW and step.draws:
            raise Refused(
                "choice", "the card itself", "a card that is drawn needs no word before it", step.clause.cites
            )
        if choice is None:
            raise Refused("choice", f"one of {', '.join(step.choices)}", f"{name_} is not on offer", step.clause.cites)
        if choice.fits and not self._fits(choice.fits):
            clause, cards = choice.clause or step.clause, " ".join(self.round.hands[hand])
            raise Refused("choice", "another choice", f"{name_} is not allowed with {cards}", clause.cites)
        amounts = self._stake(choice, amount)
        self.answer = name_
        self.table.tell(RoundDecided(hand, name_, amounts[0] if len(amounts) == 1 else None))

    def _fits(self, fits: Callable[[tuple[Card, ...]], bool]) -> bool:
        """Tell whether the hand's cards allow this, as far as they are seen."""
        hand = self.step.hand
        return not self.round.seen(hand) or fits(tuple(self.round.hands[hand]))

    def _stake(self, choice: Choice, amount: int | None) -> list[int | None]:
        """Place what the choice stakes, for every owner on the hand, and return the amounts."""
        stake = choice.stake
        if stake is None:
            return []
        hand, ledger, cites = self.step.hand, self.round.ledger, (choice.clause or self.step.clause).cites
        if amount is not None and len(ledger.open(hand, stake.of)) > 1:
            raise Refused("amount", "no amount where several persons share a hand", "each adds by the own wager", cites)
        under = self.step.clause.cites
        wagers = [ledger.wager_for((hand, it.owner), stake, amount, under) for it in ledger.open(hand, stake.of)]
        for wager in wagers:
            ledger.lay(wager)
            self.table.tell(WagerPlaced(hand, wager.name, wager.amount, wager.owner))
        return [wager.amount for wager in wagers]

    def awaited(self) -> RoundStepAwaited:
        """Say whose turn it is and what may be chosen."""
        step = self.step
        choices = [name_ for name_, choice in step.choices.items() if not choice.fits or self._fits(choice.fits)]
        draws = (DRAW,) if step.draws else ()
        unread = f" Which card lies at {name(self.round.unread[0])}?" if self.round.unread else ""
        whose, held = name(step.hand), sum([len(self.round.hands[area]) for area in step.of])
        return RoundStepAwaited(
            "turn",
            "dealer",
            f"{whose[:1].upper()}{whose[1:]} with {many(held)}: {', '.join((*draws, *choices))}.{unread}",
            Decide.name() if choices else "",
            step.what,
            step.hand,
            answers=(*draws, *choices, *step.ends),
            clause=step.clause.cites,
            count=int(step.draws),
        )


class Splitting(Procedure[Split]):
    """Makes two hands of one."""

    def advance(self) -> object:
        """Split and answer at once."""
        step = self.step
        self.round.split(step.hand, step.into)
        self.round.ledger.split(step.hand, step.into, step.wagers, step.added)
        self.table.tell(RoundHandSplit(step.hand, step.into, step.clause.cites))
        return None
