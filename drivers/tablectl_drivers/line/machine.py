"""What the doubles of plain devices have in common: the line, motion that takes time, cards, people and trouble."""

import random
from collections.abc import Callable, Mapping
from typing import ClassVar

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.devices.timers import Timers
from tablectl.devices.world import Acted, Deed, Move, Moved, News
from tablectl.events.readings import Condition
from tablectl_drivers.line import wire
from tablectl_drivers.line.wire import Line, Splitter, encode

_TROUBLE = {
    "jam": Condition.JAM,
    "open-door": Condition.DOOR_OPEN,
    "tamper": Condition.TAMPER,
    "block": Condition.BLOCKED,
}


class LineDouble:
    """A plain device. It remembers nothing, and does again what it is told again.

    strokes: how often its motor ran to the end. Without a world it has a deck and people of its own.
    """

    options: ClassVar[type[DoubleOptions]] = DoubleOptions
    kind: ClassVar[Kind]
    model: ClassVar[str]
    spouts: ClassVar[tuple[str, ...]] = ()
    holds: ClassVar[bool] = True

    def __init__(self, options: DoubleOptions, now: float) -> None:
        # Rehearsal must be repeatable; no chance of a real table comes from here.
        self.chance = random.Random(options.seed)  # noqa: S311
        self.serial = options.serial or f"L{options.seed:04d}"
        self.name = options.name or self.kind.value
        self.places = (self.name, *(self.name + spout for spout in self.spouts))
        self.alone = not options.world
        self.deck = options.composition
        self.timers = Timers(now)
        self.state = State.EMPTY
        self.conditions: tuple[Condition, ...] = ()
        self.inside: list[Card] = []
        self.strokes = 0
        self.acts: dict[str, Callable[[], None]] = {}
        self._pace = options.pace
        self._splitter = Splitter()
        self._output = bytearray()
        self._deeds: list[Deed] = []
        self._held: Callable[[], None] | None = None
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
                self.say(wire.Status(self.state, len(self.inside) if self.holds else None))
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

    # Time

    def advance(self, now: float) -> None:
        """Let time pass."""
        self.timers.advance(now)

    def due(self) -> float | None:
        """Return when :meth:`advance` will have something to do."""
        return self.timers.next()

    def moving(self) -> bool:
        """Tell whether the motor runs, or would if nothing held it."""
        return "motion" in self.timers or self._held is not None

    def motion(self, seconds: float, then: Callable[[], None]) -> None:
        """Run the motor for so many seconds of life."""

        def ended() -> None:
            self.strokes += 1
            then()

        self.timers.set("motion", seconds / self._pace, ended)

    def people(self, seconds: float, act: Callable[[], None]) -> None:
        """Let people act after so many seconds of life, where nobody else plays them."""
        if self.alone:
            self.timers.set("people", seconds / self._pace, act)

    def cut_power(self, now: float) -> None:
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

    # Cards and people

    def new_deck(self) -> tuple[Card, ...]:
        """Return a deck in any order."""
        cards = list(self.deck.cards())
        self.chance.shuffle(cards)
        return tuple(cards)

    def put(self, cards: tuple[Card, ...]) -> None:
        """Take cards in."""
        self.inside += cards
        self.filled()

    def filled(self) -> None:
        """Notice cards that were put in."""

    def drawn(self) -> None:
        """Notice that people took cards out."""

    def spout_cleared(self) -> None:
        """Notice that what lay in the spout was taken."""

    def slide(self, count: int, to: str) -> None:
        """Move cards off the top to another place."""
        del self.inside[:count]
        self._deeds.append(Move(source=self.name, to=to, count=count))

    def find(self, piles: Mapping[str, tuple[Card, ...]], now: float) -> None:
        """Start from what lies in its place."""
        self.advance(now)
        self.inside = []
        if there := piles.get(self.name, ()):
            self.put(there)

    def hear(self, news: News, now: float) -> None:
        """Feel cards come and go, and what else people do."""
        self.advance(now)
        match news:
            case Moved(to=to, cards=cards) if to == self.name:
                self.put(cards)
            case Moved(source=source, cards=cards) if source == self.name:
                del self.inside[: len(cards)]
                self.drawn()
            case Moved(source=source) if source in self.places:
                self.spout_cleared()
            case Acted(act=act):
                self.feel(act)
        self.advance(now)

    def deeds(self) -> list[Deed]:
        """Return, and forget, what it did to the world."""
        deeds, self._deeds = self._deeds, []
        return deeds

    def feel(self, act: str) -> None:
        """Feel what somebody does to it; what it has no part for does nothing."""
        if act in ("reset", "forget"):
            self.cut_power(self.timers.now)
        elif act in _TROUBLE:
            self.begin(_TROUBLE[act])
        elif act in ("clear", "close-door"):
            for condition in self.conditions:
                self.end(condition)
        elif act in self.acts:
            self.acts[act]()

    def begin(self, condition: Condition) -> None:
        """Stop for a condition; what moved goes on when it is over."""
        self.conditions = (*self.conditions, condition)
        self._held = self.timers.stop("motion") or self._held
        self.say(wire.Begin(condition))

    def end(self, condition: Condition) -> None:
        """Go on when no condition is left."""
        self.conditions = tuple(each for each in self.conditions if each is not condition)
        self.say(wire.End(condition))
        if self._held and not self.conditions:
            self.timers.set("motion", 0, self._held)
            self._held = None
