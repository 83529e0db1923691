"""A device is tested before play: it moves a deck that people counted by hand, and people count again, blind.

The cards of a test are none of the table's decks, so that nothing here touches custody.
"""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tablectl.events import readings as say
from tablectl.events.announcements import EnterTest
from tablectl.events.codec import Input
from tablectl.events.facts import (
    CardDue,
    CommandEnded,
    DeviceTested,
    RollDue,
    RoundStepAwaited,
    ShuffleDue,
    StackDue,
    StubDue,
)
from tablectl.terms import Refused

if TYPE_CHECKING:
    from tablectl.table.table import Table

TEST = "test"
"""In orders, where the deck or the hand stands at other times."""
SHAKES = 3
TESTED = ("shuffler", "stack-shoe", "card-shoe", "shaker")
"""Kinds that move something, in the order in which a machine of several is tested."""


class Trial:
    """One test of one device.

    left: its kinds that are still to be tested, the one under way first; inside: cards in the hopper, None until it was
    filled; ordered, claimed: what it was to do and says that it did; command: of the order under way; wrong: the first
    thing that went wrong; stack: how many stacks came.
    """

    def __init__(self, table: "Table", device: str, cards: int, size: int) -> None:
        self.table = table
        self.device = device
        self.cards, self.size = cards, size
        self.left = deque(kind for kind in TESTED if table.terms.devices.get(kind) == device)
        self.inside: int | None = None
        self.ordered: list[int] = []
        self.claimed: list[int] = []
        self.command = ""
        self.wrong = ""
        self.stack = 0
        self.in_gate = False
        self._begin()

    @property
    def kind(self) -> str:
        """Return what is being tested, empty when the device has done its part."""
        return self.left[0] if self.left else ""

    def _begin(self) -> None:
        """Order what needs no filled hopper."""
        match self.kind:
            case "shuffler":
                self._order(ShuffleDue(self.table.new_command(), self.device, TEST))
            case "shaker":
                self._order(RollDue(self.table.new_command(), self.device, SHAKES))

    def _order(self, due: Any) -> None:
        self.command = due.command
        self.table.order(due)

    # What the device says

    def take(self, said: Input) -> bool:
        """Take what the device says of its test, and tell whether it was that."""
        body = said.body
        handler = HEARD.get((self.kind, type(body))) or HEARD.get(("", type(body)))
        if said.source != self.device or handler is None or not self._is_meant(body):
            return False
        handler(self, body)
        return True

    def _is_meant(self, body: Any) -> bool:
        """Tell whether a reading is about the order under way, as far as it says about which it is."""
        return getattr(body, "command", "") in ("", self.command)

    def shuffled(self, body: say.ShufflerFinished) -> None:
        """Note what the shuffler counts; where it is the shoe too, the deck drops there."""
        self._done()
        self._note(self.cards, self.cards if body.count is None else body.count)
        if body.complete is False:
            self._blame(f"{self.device} does not recognise the deck as complete")
        self._next()

    def filled(self, body: say.ShoeLoaded) -> None:
        """Go on when the hand-counted deck is in the hopper."""
        if self.inside is not None:
            return
        self.inside = self.cards
        if body.count not in (None, self.cards):
            self._blame(f"{self.device} counts {body.count} of {self.cards} cards in its hopper")
        self._draw() if self.kind == "card-shoe" else self._dispense()

    def _dispense(self) -> None:
        """Order the next stack, or the rest."""
        inside, command = self.inside or 0, self.table.new_command()
        if inside >= self.size:
            self._order(StackDue(command, self.device, self.stack + 1, self.size, inside, TEST))
        elif inside:
            self._order(StubDue(command, self.device, inside))
        else:
            self._next()

    def dispensed(self, body: say.ShoeStackDispensed) -> None:
        """Note what the shoe says of a stack."""
        self._done()
        self.stack, self.in_gate = self.stack + 1, True
        self.inside = (self.inside or 0) - self.size
        self._note(self.size, body.size)
        if body.left != self.inside:
            self._blame(f"{self.device} says that {body.left} of {self.inside} cards are left")

    def taken(self, _: say.ShoeStackTaken) -> None:
        """Go on with the next stack."""
        if self.in_gate:
            self.in_gate = False
            self._dispense()

    def released(self, body: say.ShoeStubReleased) -> None:
        """Note what the shoe says of the rest."""
        self._done()
        rest = self.inside or 0
        self._note(rest, rest if body.count is None else body.count)
        self._next()

    def _draw(self) -> None:
        """Unlock the shoe for one card more, face down."""
        self._order(CardDue(self.table.new_command(), self.device, TEST, face_up=False))

    def drawn(self, _: say.ShoeCardDrawn) -> None:
        """Count a card; the last one empties the shoe."""
        if not self.command:
            return
        self._done()
        self.inside = (self.inside or 0) - 1
        if self.inside:
            self._draw()
        else:
            self._note(self.cards, self.cards)
            self._next()

    def emptied(self, _: say.ShoeEmptied) -> None:
        """Note that the card shoe is empty while cards should be in it."""
        if self.inside:
            self._drop()
            self._note(self.cards, self.cards - self.inside)
            self._next()

    def rolled(self, body: say.ShakerRolled) -> None:
        """Note the dice, or have them shaken again where one does not count."""
        self._drop()
        if body.roll.flat:
            dice = [die for die in body.roll.dice if isinstance(die, int)]
            self.ordered, self.claimed = [], dice
            self._next()
        else:
            self._begin()

    def shaken(self, body: say.ShakerShaken) -> None:
        """Note that the shake was carried out; the dice come when the lid is off."""
        if body.command == self.command:
            self._done()

    def failed(self, body: say.CommandRefused | say.CommandUnknown) -> None:
        """End the test: what was ordered was not done, or nobody knows."""
        self._drop()
        self.end(f"{self.device}: {body.reason}")

    def ignored(self, _: say.Reading) -> None:
        """Leave alone what says nothing about the test."""

    def _note(self, ordered: int, claimed: int) -> None:
        self.ordered.append(ordered)
        self.claimed.append(claimed)

    def _blame(self, text: str) -> None:
        self.wrong = self.wrong or text

    def _done(self) -> None:
        command, self.command = self.command, ""
        self.table.end(command)

    def _drop(self) -> None:
        """Forget the order under way."""
        if self.table.commands.pop(self.command, None):
            self.table.tell(CommandEnded(self.command, "unknown", f"the test of {self.device} goes on without it"))
        self.command = ""

    def _next(self) -> None:
        """Test what else the machine is; the cards that it shuffled are dealt, so that they count once."""
        self.left.popleft()
        if self.kind == "stack-shoe" and self.ordered:
            if self.claimed != self.ordered:
                self._blame(f"{self.device} counts {self.claimed[0]} of {self.cards} cards")
            self.ordered, self.claimed = [], []
        self._begin()

    # What people say

    def enter(self, counts: tuple[int, ...], by: str) -> None:
        """Hold what people found against what was ordered and what the device says.

        Raises:
            Refused: the device has not done its part yet.
        """
        if self.left:
            raise Refused("not-awaited", self.awaited().prompt, f"{self.device} has not done its part of the test")
        self.end(self.wrong or self._difference(counts), counts, by)

    def _difference(self, counts: tuple[int, ...]) -> str:
        """Return where the three disagree first, empty where they do not."""
        ordered = self.ordered or self.claimed
        if len(counts) != len(ordered):
            return f"{len(counts)} counts were entered of {len(ordered)}"
        for number, (due, says, found) in enumerate(zip(ordered, self.claimed, counts, strict=True), 1):
            if not due == says == found:
                return f"number {number} of {len(ordered)}: {due} due, {self.device} says {says}, people found {found}"
        return ""

    def end(self, wrong: str, counts: tuple[int, ...] = (), by: str = "") -> None:
        """State the result; only a device that passed is used again."""
        self._drop()
        self.table.trial = None
        text = wrong or f"{self.device} did what was ordered, and says what people found"
        self.table.tested(self.device, passed=not wrong)
        told = (tuple(self.ordered), tuple(self.claimed), counts)
        self.table.tell(DeviceTested(self.device, not wrong, text, by, *told))

    def awaited(self) -> RoundStepAwaited:
        """Say what comes next, and nothing of what was ordered or what the device counts."""
        who, verb = ("dealer", EnterTest.name()) if not self.left else ("device", "")
        return RoundStepAwaited(TEST, who, self._prompt(), verb, what=self.device)

    def _prompt(self) -> str:
        if self.kind in ("stack-shoe", "card-shoe") and self.inside is None:
            return f"Put the hand-counted deck into {self.device}."
        return _PROMPTS[self.kind if self.left else DONE[self.tested]].format(device=self.device)

    @property
    def tested(self) -> str:
        """Return what the device is, by what it did last."""
        return [kind for kind in TESTED if self.table.terms.devices.get(kind) == self.device][-1]


DONE = {"stack-shoe": "count stacks", "card-shoe": "count deck", "shuffler": "count deck", "shaker": "read"}
_PROMPTS = {
    "shuffler": "Put the hand-counted deck into {device}; it shuffles.",
    "stack-shoe": "Take each stack out of {device} and lay it apart, face down, the rest last.",
    "card-shoe": "Draw card after card out of {device}, face down.",
    "shaker": "{device} shakes; take the lid off.",
    "count stacks": "Count each stack, in the order they came, and the rest; enter the numbers.",
    "count deck": "Count all cards that came out of {device}; enter the number.",
    "read": "Enter the three dice as they lie.",
}
HEARD: dict[tuple[str, type[Any]], Callable[[Trial, Any], None]] = {
    ("shuffler", say.ShufflerStarted): Trial.ignored,
    ("shuffler", say.ShufflerFinished): Trial.shuffled,
    ("stack-shoe", say.ShoeLoaded): Trial.filled,
    ("stack-shoe", say.ShoeStackDispensed): Trial.dispensed,
    ("stack-shoe", say.ShoeStackTaken): Trial.taken,
    ("stack-shoe", say.ShoeStubReleased): Trial.released,
    ("card-shoe", say.ShoeLoaded): Trial.filled,
    ("card-shoe", say.ShoeCardDrawn): Trial.drawn,
    ("card-shoe", say.ShoeEmptied): Trial.emptied,
    ("shaker", say.ShakerShaken): Trial.shaken,
    ("shaker", say.ShakerRolled): Trial.rolled,
    ("", say.CommandRefused): Trial.failed,
    ("", say.CommandUnknown): Trial.failed,
    ("", say.ShufflerDeckOut): Trial.ignored,
    ("", say.ShoeEmptied): Trial.ignored,
    ("", say.ShoeLoaded): Trial.ignored,
    ("", say.ShoeStackTaken): Trial.ignored,
    ("", say.ShoeCuttingCardOut): Trial.ignored,
    ("", say.ShakerShaken): Trial.ignored,
    ("", say.ShakerLidOpened): Trial.ignored,
    ("", say.ShakerLidClosed): Trial.ignored,
}
"""What a device says in its test, by the kind that is being tested; of any kind where that is empty."""
