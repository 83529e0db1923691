"""The doubles of plain devices: what they do, and the few words that they have for it."""

import random
from collections.abc import Callable, Mapping
from typing import ClassVar

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.devices.timers import Timers
from tablectl.devices.world import Acted, Arrange, Deed, Move, Moved, News, Show
from tablectl.dice import Roll
from tablectl.events.readings import Condition
from tablectl_drivers.line import wire
from tablectl_drivers.line.wire import Line, Splitter, encode

# Seconds of life
_CARD = 0.3
_TAKE = 0.8
_FILL = 5.0
_SHUFFLE = 30.0
_SHAKE = 1.2
_SETTLE = 1.0
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


class LineShoeDouble(LineDouble):
    """A stack shoe."""

    kind = Kind.STACK_SHOE
    model = "Plain shoe (double)"
    spouts = (".gate",)

    def __init__(self, options: DoubleOptions, now: float) -> None:
        self.gate = 0
        super().__init__(options, now)

    def problem(self, line: Line) -> str:
        """Return why a stack cannot come."""
        if self.gate:
            return "stack in the gate"
        match line:
            case wire.Deal(size=size):
                return "" if 0 < size <= len(self.inside) else f"{len(self.inside)} left"
            case wire.Eject():
                return "" if self.inside else "empty"
        return "what?"

    def obey(self, line: Line) -> None:
        """Deal, or let all out."""
        size = line.size if isinstance(line, wire.Deal) else len(self.inside)
        self.state = State.DISPENSING
        self.motion(size * _CARD, lambda: self._at_gate(line, size))

    def _at_gate(self, line: Line, size: int) -> None:
        self.slide(size, self.places[1])
        self.gate = size
        self.state = State.STACK_READY
        self.say(wire.Dealt(size, len(self.inside)) if isinstance(line, wire.Deal) else wire.Ejected(size))
        if not self.inside:
            self.say(wire.Empty())
        self.people(_TAKE, self.spout_cleared)

    def spout_cleared(self) -> None:
        """Notice that the stack was taken."""
        self.gate = 0
        self.settle()
        self.say(wire.Taken())
        if not self.inside:
            self.people(_FILL, lambda: self.put(self.new_deck()))

    def filled(self) -> None:
        """Count what was put in."""
        self.settle()
        self.say(wire.Loaded(len(self.inside)))


class LineShufflerDouble(LineDouble):
    """A shuffler."""

    kind = Kind.SHUFFLER
    model = "Plain shuffler (double)"

    def __init__(self, options: DoubleOptions, now: float) -> None:
        self._waiting = False
        super().__init__(options, now)
        self.acts = {"start": self._start}

    def problem(self, line: Line) -> str:
        """Return why it cannot shuffle."""
        return "" if isinstance(line, wire.Shuffle) and not self._waiting else "what?"

    def obey(self, line: Line) -> None:  # noqa: ARG002 - it can only shuffle
        """Shuffle now, or as soon as a deck is in."""
        self._waiting = True
        self.filled()

    def filled(self) -> None:
        """Start if somebody waits for it."""
        self.settle()
        if self._waiting and self.inside:
            self._start()

    def _start(self) -> None:
        if self.moving() or not self.inside:
            return
        self._waiting = False
        self.state = State.SHUFFLING
        self.say(wire.Started())
        self.motion(_SHUFFLE, self._finished)

    def _finished(self) -> None:
        self.chance.shuffle(self.inside)
        self._deeds.append(Arrange(place=self.name, cards=tuple(self.inside)))
        good = len(self.inside) == self.deck.size
        self.state = State.COUNT_OK if good else State.COUNT_BAD
        self.say(wire.Done(len(self.inside), wire.Verdict.GOOD if good else wire.Verdict.BAD))
        if not good:
            self.begin(Condition.COUNT_WRONG)
        self.people(_FILL, self._swap)

    def _swap(self) -> None:
        self.slide(len(self.inside), "")
        self.drawn()
        self.people(_FILL, lambda: self.put(self.new_deck()))

    def drawn(self) -> None:
        """Notice that the deck was taken out."""
        self.settle()
        self.say(wire.Out())

    def cut_power(self, now: float) -> None:
        """Forget, besides, what was to be shuffled."""
        self._waiting = False
        super().cut_power(now)


class LineShakerDouble(LineDouble):
    """A shaker."""

    kind = Kind.SHAKER
    model = "Plain shaker (double)"
    holds = False

    def __init__(self, options: DoubleOptions, now: float) -> None:
        self._open = False
        self._times = 0
        super().__init__(options, now)
        self.settle()
        self.acts = {"lift-lid": self._lift, "close-lid": self._close}

    def problem(self, line: Line) -> str:
        """Return why it cannot shake."""
        if not isinstance(line, wire.Shake):
            return "what?"
        return "lid open" if self._open else ""

    def obey(self, line: Line) -> None:
        """Shake."""
        assert isinstance(line, wire.Shake)
        times = line.times
        self.state = State.SHAKING
        self.motion(times * _SHAKE, lambda: self._shaken(times))

    def _shaken(self, times: int) -> None:
        self._times += times
        self.settle()
        self.say(wire.Shaken(self._times))
        self.people(_TAKE, self._lift)

    def _lift(self) -> None:
        if self._open or self.moving():
            return
        self._open = True
        self.settle()
        self.say(wire.LidOpen())
        if self._times:
            self.timers.set("settle", _SETTLE / self._pace, self._read)
        self.people(_FILL, self._close)

    def _read(self) -> None:
        roll = [self.chance.randint(1, 6) for _ in range(3)]
        self._deeds.append(Show(place=self.name, roll=Roll.of(*roll)))
        self.say(wire.Dice(*(wire.Face(str(die)) for die in roll)))

    def _close(self) -> None:
        if self._open:
            self._open, self._times = False, 0
            self.settle()
            self.say(wire.LidClosed())

    def settle(self) -> None:
        """Tell the state by the lid."""
        self.state = State.LID_OPEN if self._open else State.LID_CLOSED
