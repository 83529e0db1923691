"""A stack shoe deals stacks, and gives up the rest of the deck; where there is none, people deal."""

from collections import deque
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tablectl.cards import UNSEEN
from tablectl.events.codec import Input
from tablectl.events.facts import IrregularityFound, RoundStepAwaited, StackDue, StubDue
from tablectl.events.readings import ShoeStackDispensed, ShoeStackTaken, ShoeStubReleased
from tablectl.script import STUB, Deal, ReleaseStub
from tablectl.table.dealing import DealByHand, DealCards, many, name
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Dealing

if TYPE_CHECKING:
    from tablectl.table.round import Round
    from tablectl.table.table import Table


class DealStacks(Procedure[Deal]):
    """Orders one stack after another; the next follows when the last was taken."""

    def begin(self) -> None:
        """Line up the hands that get a stack."""
        self.left = deque(self.step.to)
        self.command = ""
        self.in_gate = False

    def advance(self) -> object:
        """Order the next stack when the gate is empty."""
        if not self.left and not self.in_gate:
            return None
        waits = self.in_gate or self.command in self.table.commands
        if self.left and not waits and not self.table.is_short(self._size):
            self._order(self.left[0])
        return WAIT

    def _order(self, hand: str) -> None:
        device = self.table.device("stack-shoe")
        self.command = self.table.new_command()
        left = self.table.custody.size - self.round.dealt
        self.table.order(StackDue(self.command, device, self.round.stacks + 1, self._size, left, hand))

    @property
    def _size(self) -> int:
        return self.step.stack or self.step.count

    def take(self, said: Input) -> bool:
        """Take the stack out of the shoe, and its leaving the gate."""
        match said.body:
            case ShoeStackDispensed(command=command) as dispensed if self.command and command == self.command:
                self._dispensed(dispensed)
            case ShoeStackTaken(stack=stack) if stack == self.round.stacks:
                self.in_gate = False
            case _:
                return False
        return True

    def _dispensed(self, stack: ShoeStackDispensed) -> None:
        self.table.end(stack.command)
        hand = self.left.popleft()
        self.in_gate = True
        self.command = ""
        self.round.stacks += 1
        self.round.carried_out.add(stack.command)
        share = min(stack.size, self.step.count) if self.step.stack else stack.size
        self.table.deal(hand, (UNSEEN,) * share, self.step.clause, stack=self.round.stacks, left=stack.left)
        if share < stack.size:
            self.table.discard("shoe", stack.size - share, self.step.clause.cites)
        self.table.check_stack(stack, self._size)

    def by_hand(self) -> Procedure[Deal]:
        """Deal by hand to those who got no stack yet; one in the gate was counted. A shoe that serves goes on."""
        if self.table.device("stack-shoe"):
            return self
        return DealByHand(self.table, self.round, replace(self.step, to=tuple(self.left)))

    def awaited(self) -> RoundStepAwaited:
        """Say whose stack is in the gate, or comes next."""
        if self.in_gate:
            last = self.step.to[len(self.step.to) - len(self.left) - 1]
            prompt = f"Stack to {name(last)}."
            if self.step.stack:
                prompt = (
                    f"{many(self.step.count).capitalize()} of the stack to {name(last)}, the rest to the discard rack."
                )
            return RoundStepAwaited(
                "deal", "dealer", prompt, hand=last, clause=self.step.clause.cites, count=self.step.count
            )
        hand = self.left[0] if self.left else ""
        return RoundStepAwaited(
            "deal", "device", f"Stack for {name(hand)} is coming.", hand=hand, clause=self.step.clause.cites
        )


class StubRelease(Procedure[ReleaseStub]):
    """Takes the rest of the deck out of the stack shoe; elsewhere the dealer simply has it."""

    command = ""
    done = False

    def advance(self) -> object:
        """Order the release where a stack shoe holds the stub."""
        device = self.table.device("stack-shoe")
        left = self.table.custody.size - self.round.dealt
        if self.done or not device or left == 0:
            return None
        if self.command not in self.table.commands:
            self.command = self.table.new_command()
            self.table.order(StubDue(self.command, device, left))
        return WAIT

    def take(self, said: Input) -> bool:
        """Take the stub's release."""
        if not (isinstance(said.body, ShoeStubReleased) and said.body.command == self.command):
            return False
        due, claim = self.table.commands.get(self.command), said.body.count
        self.table.end(self.command)
        self.done = self.round.stub_out = True
        if isinstance(due, StubDue) and claim not in (None, due.left):
            text = f"{said.source} counts {claim} cards in the stub"
            self.table.tell(IrregularityFound(said.body.name(), f"{due.left} cards", text, self.step.clause.cites))
        return True

    def awaited(self) -> RoundStepAwaited:
        """Say that the stub comes out."""
        return RoundStepAwaited("deal", "device", "The stub is coming out.", hand=STUB, clause=self.step.clause.cites)


def dealing(table: "Table", round_: "Round", step: Deal) -> Procedure[Deal]:
    """Choose how the table deals this step."""
    way = table.terms.dealing
    if way is Dealing.SHOE:
        return DealCards(table, round_, step)
    if way is Dealing.HAND or step.by_hand or not table.device("stack-shoe"):
        return DealByHand(table, round_, step)
    return DealStacks(table, round_, step)
