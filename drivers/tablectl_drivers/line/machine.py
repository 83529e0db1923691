"""What the doubles of plain devices have in common: the line, power without a memory, and trouble."""

from collections.abc import Mapping
from typing import ClassVar

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.devices.mechanism import STATES, Mechanism
from tablectl.events.readings import Condition
from tablectl_drivers.line import wire
from tablectl_drivers.line.wire import Line, Splitter, encode


class LineDouble(Mechanism):
    """A plain device. It remembers nothing, and does again what it is told again."""

    kind: ClassVar[Kind]
    model: ClassVar[str]
    holds: ClassVar[bool] = True

    def __init__(self, options: DoubleOptions, now: float) -> None:
        super().__init__(options, self.kind.value, now)
        self.serial = options.serial or f"L{options.seed:04d}"
        self.state = State.EMPTY
        self._splitter = Splitter()
        self._output = bytearray()
        if self.alone and self.holds:
            self.put(self.new_deck())
        self._output.clear()

    # The wire

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the host."""
        self.advance(now)
        for line in self._splitter.feed(data):
            self._answer(line)
        self.advance(now)

    def _answer(self, line: Line) -> None:
        match line:
            case wire.AskId():
                self.say(wire.Id(self.kind, self.model, self.serial, "double 1"))
            case wire.AskStatus():
                state = STATES[self.conditions[-1]] if self.conditions else self.state
                self.say(wire.Status(state, len(self.inside) if self.holds else None))
            case _ if problem := self._problem(line):
                self.say(wire.No(problem))
            case _:
                self.say(wire.Ok())
                self.obey(line)

    def _problem(self, line: Line) -> str:
        if self.conditions:
            return str(self.conditions[0])
        if self.moving():
            return "busy"
        return self.problem(line)

    def problem(self, line: Line) -> str:
        """Return why an order cannot be carried out."""
        raise NotImplementedError

    def obey(self, line: Line) -> None:
        """Carry an order out."""
        raise NotImplementedError

    def say(self, line: Line) -> None:
        """Write a line."""
        self._output += encode(line)

    def output(self) -> bytes:
        """Return, and forget, the bytes for the host."""
        data, self._output = bytes(self._output), bytearray()
        return data

    # Power

    def cut_power(self, now: float, *, forget: bool = False) -> None:  # noqa: ARG002 - it never remembers anything
        """Take the power away and give it back: what moved stops where it is, and nothing is remembered."""
        self.advance(now)
        self.timers.stop("motion")
        self._held = None
        self.conditions = ()
        self._splitter = Splitter()
        self._output.clear()
        self.say(wire.Ready())
        self.settle()

    def settle(self) -> None:
        """Tell the state by what lies where."""
        self.state = State.LOADED if self.inside else State.EMPTY

    # The world

    def find(self, piles: Mapping[str, tuple[Card, ...]], now: float) -> None:
        """Start from what lies in its place."""
        self.advance(now)
        self.inside = []
        if there := piles.get(self.name, ()):
            self.put(there)

    def begin(self, condition: Condition) -> None:
        """Stop for a condition; what moved goes on when it is over."""
        if condition in self.conditions:
            return
        self.conditions = (*self.conditions, condition)
        self._held = self.timers.stop("motion") or self._held
        self.say(wire.Begin(condition))

    def end(self, condition: Condition) -> None:
        """Go on when no condition is left."""
        if condition not in self.conditions:
            return
        self.conditions = tuple(each for each in self.conditions if each is not condition)
        self.say(wire.End(condition))
        if self._held and not self.conditions:
            self.timers.set("motion", 0, self._held)
            self._held = None
