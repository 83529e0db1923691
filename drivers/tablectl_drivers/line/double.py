"""The doubles of plain devices: what they do, and the few words that they have for it."""

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.devices.world import Arrange, Show
from tablectl.dice import Roll
from tablectl.events.readings import Condition
from tablectl_drivers.line import wire
from tablectl_drivers.line.machine import LineDouble
from tablectl_drivers.line.wire import Line

# Seconds of life
_CARD = 0.3
_TAKE = 0.8
_FILL = 5.0
_SHUFFLE = 30.0
_SHAKE = 1.2
_SETTLE = 1.0


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
        self.state = State.STACK_READY if isinstance(line, wire.Deal) else State.REMAINDER
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
            self.people(_FILL, self.reload)

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
        self.did(Arrange(place=self.name, cards=tuple(self.inside)))
        good = len(self.inside) == self.deck.size
        self.state = State.COUNT_OK if good else State.COUNT_BAD
        self.say(wire.Done(len(self.inside), wire.Verdict.GOOD if good else wire.Verdict.BAD))
        if not good:
            self.begin(Condition.COUNT_WRONG)
        self.people(_FILL, self._swap)

    def _swap(self) -> None:
        self.slide(len(self.inside), "")
        self.drawn(())
        self.people(_FILL, self.reload)

    def drawn(self, cards: tuple[Card, ...]) -> None:  # noqa: ARG002 - whichever they are
        """Notice that the deck was taken out."""
        self.settle()
        self.say(wire.Out())

    def cut_power(self, now: float, *, forget: bool = False) -> None:
        """Forget, besides, what was to be shuffled."""
        self._waiting = False
        super().cut_power(now, forget=forget)


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
        self.did(Show(place=self.name, roll=Roll.of(*roll)))
        self.say(wire.Dice(*(wire.Face(str(die)) for die in roll)))

    def _close(self) -> None:
        if self._open:
            self._open, self._times = False, 0
            self.settle()
            self.say(wire.LidClosed())

    def settle(self) -> None:
        """Tell the state by the lid."""
        self.state = State.LID_OPEN if self._open else State.LID_CLOSED
