"""Cards are turned, and judged by what they show."""

from collections.abc import Iterable

from tablectl.cards import Card
from tablectl.events.announcements import Call, CallOthers, ExposeCards, SetHand
from tablectl.events.codec import Input
from tablectl.events.facts import CardsSet, IrregularityFound, RoundJudged, RoundStepAwaited
from tablectl.events.readings import ReaderAnswered, ReaderCardSeen
from tablectl.rulebook import Outcome
from tablectl.script import Expose, Judge, Set
from tablectl.table.dealing import many, name
from tablectl.table.procedure import WAIT, Kind, Procedure
from tablectl.terms import Refused


class Showing(Procedure[Kind]):
    """Takes faces of cards, from people or a reader, for the hands that this step is about."""

    def take_faces(self, said: Input, hands: tuple[str, ...]) -> bool:
        """Turn cards of one of these hands."""
        match said.body:
            case ExposeCards(hand=hand, cards=cards) if hand in hands:
                self.table.show(hand, cards, "")
            case ReaderCardSeen(area=hand, card=card) if hand in hands and self.round.unseen(hand):
                self.table.show(hand, (card,), said.source)
            case _:
                return False
        return True

    def take_setting(self, said: Input, hands: tuple[str, ...]) -> bool:
        """Lay open a hand as its player set it."""
        match said.body:
            case SetHand(hand=hand, high=high, low=low) if hand in hands:
                self.round.arrange(hand, high, low)
                self.table.tell(CardsSet(hand, high, low, "player"))
                return True
        return False


class Exposing(Showing[Expose]):
    """Turns the cards of one hand; where the dealer calls, there is nothing to wait for."""

    def advance(self) -> object:
        """Answer when all cards of an exposed area lie face up that are to be turned."""
        return WAIT if self.table.terms.exposed(self.step.hand) and self._left > 0 else None

    @property
    def _left(self) -> int:
        return self.round.unseen(self.step.hand) - self.step.hidden

    def take(self, said: Input) -> bool:
        """Take faces, no more than are to be turned."""
        hand, left = self.step.hand, self._left
        match said.body:
            case ExposeCards(hand=area, cards=cards) if area == hand and len(cards) > left:
                raise Refused("cards", f"1 to {left} cards", f"{left} cards of hand {hand} are turned now")
        return self.take_faces(said, (hand,))

    def awaited(self) -> RoundStepAwaited:
        """Say whose cards are turned."""
        hand = self.step.hand
        what = many(self._left) if self.step.hidden else "the card" if self._left == 1 else "the cards"
        prompt = f"Turn {what} of {name(hand)}."
        return RoundStepAwaited(
            "expose", "dealer", prompt, ExposeCards.name(), hand=hand, clause=self.step.clause.cites, count=self._left
        )


class Setting(Showing[Set]):
    """Lays a pai gow hand open in two parts; the dealer's is set by the house way, whoever laid it."""

    def advance(self) -> object:
        """Answer when the hand lies in two parts, or its area is called."""
        hand = self.step.hand
        if f"{hand}.high" in self.round.hands or not self.table.terms.exposed(hand):
            return None
        due = self._due(self.round.hands[hand]) if self.round.seen(hand) else None
        if due is None:
            return WAIT
        self._house(*due)
        return None

    def _due(self, cards: Iterable[Card]) -> tuple[tuple[Card, ...], tuple[Card, ...]] | None:
        """Return how the house way sets these cards, None where it cannot: a misdealt hand is never set."""
        try:
            return self.step.way(tuple(cards)) if self.step.way else None
        except ValueError:
            return None

    def take(self, said: Input) -> bool:
        """Take faces, or the hand as it was set."""
        hands = (self.step.hand,)
        match said.body:
            case SetHand(hand=hand, high=high, low=low) if self.step.way and hand == self.step.hand:
                self._house(high, low)
                return True
        return self.take_faces(said, hands) or self.take_setting(said, hands)

    def _house(self, high: tuple[Card, ...], low: tuple[Card, ...]) -> None:
        """Set the dealer's cards again where they were not laid by the house way."""
        hand, due = self.step.hand, self._due(high + low)
        if due is None:
            raise Refused("cards", "seven cards, all seen", f"the house way cannot set {' '.join(high + low)}")
        due_high, due_low = due
        self.round.arrange(hand, high, low)
        if set(due_low) != set(low):
            text = f"the dealer's hand was set with {' '.join(low)} low; the house way is {' '.join(due_low)}"
            self.table.tell(IrregularityFound(SetHand.name(), "the house way", text, self.step.clause.cites))
            self.round.hands[f"{hand}.high"], self.round.hands[f"{hand}.low"] = list(due_high), list(due_low)
        self.table.tell(CardsSet(hand, due_high, due_low, "house way"))

    def awaited(self) -> RoundStepAwaited:
        """Say whose hand is laid open."""
        hand = self.step.hand
        verb = ExposeCards.name() if self.step.way else SetHand.name()
        prompt = f"Turn and set the cards of {name(hand)}."
        return RoundStepAwaited("set", "dealer", prompt, verb, hand=hand, clause=self.step.clause.cites)


class Judging(Showing[Judge]):
    """Computes an answer from exposed cards, or takes the dealer's call; calls for other hands may come first, and of
    questions that were asked before as long as some hand has no answer.
    """

    def begin(self) -> None:
        """Ask for this hand and those after it."""
        hand, among = self.step.hand, self.step.among
        self._left = among[among.index(hand) :] if hand in among else (hand,)
        self.round.asked[self.step.what] = self.step, self._hands

    def advance(self) -> object:
        """Answer from the cards, or from the call."""
        answer = self._answer()
        if not answer:
            return WAIT
        self.round.asked[self.step.what] = self.step, self._hands[1:]
        return answer

    def _answer(self) -> str:
        """Return the answer, empty while there is none."""
        step = self.step
        if step.moot and not self.round.ledger.open(step.hand):
            return step.moot
        ruled = self.round.ruled.get(step.hand, "")
        if ruled in step.calls:
            return self._tell(ruled, "supervisor")
        computed = self._computed()
        if computed:
            return self._tell(computed, "cards")
        called = self.round.calls.pop((step.what, step.hand), "")
        return called and self._tell(called, "dealer")

    def _computed(self) -> str:
        """Return what the cards show, empty while any is unseen; a hand of a wrong size is the dealer's to call."""
        if not self.round.seen(*self.step.of):
            return ""
        try:
            return self.step.by(*[tuple(self.round.hands[area]) for area in self.step.of])
        except ValueError:
            return ""

    def _tell(self, answer: str, by: str) -> str:
        self.round.judged(self.step.of)
        self.table.tell(RoundJudged(self.step.what, answer, by, self.step.hand, self.step.clause.cites))
        return answer

    def take(self, said: Input) -> bool:
        """Take faces and calls, for this hand and those after it."""
        match said.body:
            case Call(what=what, answer=answer, hand=hand) if self._due(what):
                self._call(what, hand or self.step.hand, answer)
            case CallOthers(what=what, answer=answer) if self._due(what):
                for hand in self._due(what):
                    if (what, hand) not in self.round.calls:
                        self._call(what, hand, answer)
            case SetHand(hand=hand) if hand in self._hands and f"{self.step.hand}.high" in self.step.of:
                return self.take_setting(said, self._hands)
            case ReaderAnswered(what=self.step.what, answer=answer) if answer in self.step.calls:
                self._call(self.step.what, self.step.hand, answer)
            case _:
                areas = (*self.step.of, *self._hands)
                return self.take_faces(said, tuple([area for area in areas if area in self.round.hands]))
        return True

    @property
    def _unturned(self) -> str:
        """Return the first hand whose faces should reach the table and have not; a call may come instead."""
        for area in self.step.of:
            whole = area.removesuffix(".high").removesuffix(".low")
            if self.round.unseen(whole) and self.table.terms.exposed(whole):
                return whole
        return ""

    @property
    def _hands(self) -> tuple[str, ...]:
        """Return the hands not judged yet, this one first; they are judged in the order of ``among``."""
        left = self._left
        return left if not self.round.ruled else (left[0], *self._unruled(left[1:]))

    def _unruled(self, hands: tuple[str, ...]) -> tuple[str, ...]:
        """Return the hands that no supervisor took out of the round."""
        return tuple(hand for hand in hands if self.round.ruled.get(hand) not in (Outcome.VOID, Outcome.LOSE))

    def _due(self, what: str) -> tuple[str, ...]:
        """Return the hands for which a question was asked and has no answer yet."""
        return self.round.asked[what][1] if what in self.round.asked else ()

    def _call(self, what: str, hand: str, answer: str) -> None:
        step, due = self.round.asked[what]
        if answer not in step.calls:
            raise Refused("call", f"one of {', '.join(step.calls)}", f"{what} is never {answer}", step.clause.cites)
        if hand not in due:
            raise Refused("call", f"one of {', '.join(due)}", f"{what} of {hand or 'the round'} is not due")
        self.round.calls[what, hand] = answer

    def awaited(self) -> RoundStepAwaited:
        """Ask the dealer's question."""
        step = self.step
        whose = f" of {name(step.hand)}" if step.hand else ""
        call = f"Call the {step.what}{whose}."
        return RoundStepAwaited(
            "call",
            "dealer",
            f"Turn the cards of {name(self._unturned)}." if self._unturned else call,
            Call.name(),
            step.what,
            step.hand,
            self._hands if step.among else (),
            step.calls,
            step.clause.cites,
        )
