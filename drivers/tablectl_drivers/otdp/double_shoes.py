"""The doubles of the two shoes."""

from collections.abc import Mapping
from typing import ClassVar

from tablectl.cards import UNSEEN, Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.events.readings import (
    CommandRefused,
    ShoeCuttingCardOut,
    ShoeEmptied,
    ShoeLoaded,
    ShoeStackDispensed,
    ShoeStackTaken,
    ShoeStubReleased,
)
from tablectl_drivers.otdp.machine import Machine
from tablectl_drivers.otdp.wire import Answer, Arm, CardDrawn, Lock, Release, Result, Unlock

# Seconds of life
_CARD = 0.3
_TAKE = 0.8
_FILL = 5.0


class StackShoeDouble(Machine):
    """A shoe that dispenses stacks into its gate."""

    kinds: ClassVar[tuple[Kind, ...]] = (Kind.STACK_SHOE,)
    model = "OTDP stack shoe (double)"
    spouts: ClassVar[tuple[str, ...]] = (".gate",)

    def __init__(self, options: DoubleOptions, now: float) -> None:
        self.gate = 0
        self.stack = 0
        self._going = 0
        super().__init__(options, now)
        self.abilities = ("idempotent_commands", "counts")
        self.orders = {Arm: self._arm, Release: self._arm}

    def _arm(self, order: Arm | Release) -> Answer:
        if problem := self._problem(order):
            return self.refuse(order.command, problem)
        self.state = State.ARMED
        return self.arm(order.command, lambda: self._start(order))

    def _problem(self, order: Arm | Release) -> str:
        """Return why an order cannot be carried out: it must fit what is there, or it is not the order meant."""
        held = len(self.inside)
        if self.conditions:
            return self.conditions[0].value
        if self.moving():
            return "busy"
        if self.gate:
            return "stack in the gate"
        if order.left != held:
            return f"{held} left, not {order.left}"
        if isinstance(order, Arm) and not 0 < order.size <= held:
            return f"a stack of {order.size} from {held}"
        return "" if held else "empty"

    def _start(self, order: Arm | Release) -> None:
        self.state = State.DISPENSING
        size = self._going = order.size if isinstance(order, Arm) else len(self.inside)
        self.motion(size * _CARD, lambda: self._ended_at_gate(order, size))

    def _ended_at_gate(self, order: Arm | Release, size: int) -> None:
        self._into_gate(size)
        self.memory.keep(order.command, Result.DONE)
        if isinstance(order, Arm):
            self.stack = order.stack
            left = len(self.inside)
            self.happened(ShoeStackDispensed(order.command, order.stack, size, left), State.STACK_READY)
        else:
            self.happened(ShoeStubReleased(order.command, size), State.REMAINDER)
        if not self.inside:
            self.happened(ShoeEmptied())

    def _into_gate(self, count: int) -> None:
        self.slide(count, self.places[1])
        self.gate += count
        self.people(_TAKE, self.spout_cleared)

    def stopped(self) -> None:
        """Leave in the gate what had slipped out when the power went."""
        self.stack = 0
        if slipped := self.chance.randint(0, self._going):
            self._into_gate(slipped)

    def find(self, piles: Mapping[str, tuple[Card, ...]], now: float) -> None:
        """Look into hopper and gate."""
        there = len(piles.get(self.places[1], ()))
        if self.gate and not there:
            self.spout_cleared()
        self.gate = there
        super().find(piles, now)

    def spout_cleared(self) -> None:
        """Notice that the stack, or the stub, was taken."""
        self.gate = 0
        if self.stack:
            self.happened(ShoeStackTaken(self.stack), State.STACK_TAKEN)
        self.stack = 0
        if not self.inside:
            self.state = State.EMPTIED
            self.people(_FILL, self.reload)

    def filled(self) -> None:
        """Count what was put in."""
        self.happened(ShoeLoaded(len(self.inside)), State.LOADED)

    def drawn(self, cards: tuple[Card, ...]) -> None:
        """Notice that people emptied the hopper."""
        if cards and not self.inside:
            self.happened(ShoeEmptied(), State.EMPTY)

    def settle(self) -> None:
        """Tell by what lies where."""
        loaded = State.LOADED if self.inside else State.EMPTY
        self.state = State.STACK_READY if self.gate else loaded
        if self.gate:
            self.people(_TAKE, self.spout_cleared)


class CardShoeOptions(DoubleOptions, frozen=True, kw_only=True):
    """reads: whether it reads faces; cut: how many cards lie behind the cutting card, 0 without one."""

    reads: bool = True
    cut: int = 0


class CardShoeDouble(Machine):
    """A shoe from which people draw one card at a time, when it lets them."""

    kinds = (Kind.CARD_SHOE,)
    model = "OTDP card shoe (double)"
    options = CardShoeOptions

    def __init__(self, options: CardShoeOptions, now: float) -> None:
        self._unlocked: Unlock | None = None
        self._reads, self._cut = options.reads, options.cut
        super().__init__(options, now)
        self.abilities = ("idempotent_commands", "counts", *(("reads_cards",) if options.reads else ()))
        self.orders = {Unlock: self._unlock, Lock: self._lock}

    def _unlock(self, order: Unlock) -> Answer:
        if self.conditions:
            return self.refuse(order.command, self.conditions[0].value)
        if self._unlocked or not self.inside:
            return self.refuse(order.command, "unlocked already" if self._unlocked else "empty")
        self._unlocked = order
        self.allow(1)
        self.state = State.LOADED
        self.people(_TAKE, lambda: self.drawn(self.slide(1, "")))
        return self.memory.keep(order.command, Result.MOVING)

    def _lock(self, order: Lock) -> Answer:
        if self._unlocked:
            self.refuse(self._unlocked.command, "locked")
            self.happened(CommandRefused(self._unlocked.command, "locked"))
        self._shut()
        return self.memory.keep(order.command, Result.DONE)

    def _shut(self) -> None:
        self._unlocked = None
        self.timers.stop("people")
        self.allow(0)
        self.state = State.LOCKED

    def drawn(self, cards: tuple[Card, ...]) -> None:
        """Say which card left under which command."""
        order = self._unlocked
        if order:
            self.strokes += 1
            self.memory.keep(order.command, Result.DONE)
            self._shut()
            face = cards[0] if order.face_up and self._reads else UNSEEN
            self.happened(CardDrawn(order.command, face, len(self.inside)), State.LOCKED)
        if self._cut and len(self.inside) == self._cut:
            self.happened(ShoeCuttingCardOut())
        if not self.inside:
            self.happened(ShoeEmptied(), State.EMPTY)
            self.people(_FILL, self.reload)

    def filled(self) -> None:
        """Count what was put in; nothing is due yet."""
        self.happened(ShoeLoaded(len(self.inside)), State.LOCKED)

    def power_up(self, *, forget: bool = False) -> None:
        """Lock: what was unlocked in the last boot is so no longer."""
        self._unlocked = None
        self.timers.stop("people")
        self.allow(0)
        super().power_up(forget=forget)

    def settle(self) -> None:
        """Tell by the lock."""
        self.state = State.LOADED if self._unlocked else State.LOCKED
