"""The stub is counted: blind, face down, and twice before a wrong figure voids anything."""

from tablectl.events.announcements import CountStub as CountStubSaid
from tablectl.events.codec import Input
from tablectl.events.facts import CardsStubCounted, IrregularityFound, RoundStepAwaited
from tablectl.script import CountStub
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Refused


class Counting(Procedure[CountStub]):
    """Compares the stub with what must be left; a figure that differs is asked for again before it counts."""

    done = False
    first: CountStubSaid | None = None

    def advance(self) -> object:
        """Answer when the stub was counted, or need not be."""
        deck = self.table.deck_in_shoe()
        return None if self.done or not self.table.custody.count_due(deck, self.step.every) else WAIT

    def take(self, said: Input) -> bool:
        """Take a count."""
        if not isinstance(said.body, CountStubSaid):
            return False
        count = said.body
        self._check(count)
        if self._whole(count) or count == self.first:
            self._decide(count)
        else:
            self.first = count
            text = f"the stub was counted as {count.count}; count it once more"
            self.table.tell(IrregularityFound(count.name(), "a second count", text, self.step.clause.cites))
        return True

    def _check(self, said: CountStubSaid) -> None:
        if said.count < 0:
            raise Refused("count", "a number of cards", f"a stub never holds {said.count} cards")
        for hand, size in said.wrong_hands.items():
            due = self._held.get(hand)
            if due is None or size == due or size < 0:
                awaited = f"hands that do not hold what is due: {', '.join(self.step.held)}"
                raise Refused("count", awaited, f"hand {hand} cannot be wrong with {size} cards")

    @property
    def _due(self) -> int:
        """Return what must be left when every hand holds what is due, whatever a shoe counted out."""
        return self.table.custody.size - sum(self._held.values()) - self.round.aside

    @property
    def _held(self) -> dict[str, int]:
        """Return what each hand should hold; one that a supervisor took out of the round, what lies there."""
        ruled, hands = self.round.ruled, self.round.hands
        return {hand: len(hands[hand]) if hand in ruled else due for hand, due in self.step.held.items()}

    def _whole(self, said: CountStubSaid) -> bool:
        return said.count == self._due and not said.wrong_hands

    def _decide(self, said: CountStubSaid) -> None:
        """Hold the table of equipment rules, "Stub and deck counts": hands right or wrong, deck whole or not."""
        step, deck = self.step, self.table.deck_in_shoe()
        self.table.tell(CardsStubCounted(said.count, self._due, step.clause.cites, said.wrong_hands))
        self.done = True
        shift = sum(size - self._held[hand] for hand, size in said.wrong_hands.items())
        whole = said.count + shift == self._due
        if whole:
            self.table.custody.counted(deck.deck, in_round=True)
        if self._whole(said):
            self.round.stub_counted = True
            for hand, size in self._held.items():
                if hand in self.round.hands:
                    self.round.hold(hand, size)
            return
        if not whole:
            self.table.remove_deck(deck.deck, f"the stub held {said.count} cards", step.removal.cites)
        reason = "a hand holds a wrong number of cards" if said.wrong_hands else "the deck is not complete"
        self.table.void(reason, (step.misdeal if whole else step.removal).cites)

    def awaited(self) -> RoundStepAwaited:
        """Ask for the count without telling what is due."""
        again = " again" if self.first else ""
        return RoundStepAwaited(
            "count", "dealer", f"Count the stub{again}, face down.", CountStubSaid.name(), clause=self.step.clause.cites
        )
