"""The double of a dice shaker."""

from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.devices.faults import Probability
from tablectl.devices.world import Show
from tablectl.dice import Die, DieFault, Roll
from tablectl.events.readings import (
    ShakerLidClosed,
    ShakerLidOpened,
    ShakerRolled,
    ShakerShaken,
)
from tablectl_drivers.otdp.machine import Machine
from tablectl_drivers.otdp.wire import Answer, Result, Shake

# Seconds of life
_FILL = 5.0
_ONE_SHAKE = 1.2
_SETTLE = 1.0
_LIFT = 1.5


class ShakerOptions(DoubleOptions, frozen=True, kw_only=True):
    """cocked, unread, out: how probably each die leans, is not recognised by the sensor, or fell out."""

    cocked: Probability = 0
    unread: Probability = 0
    out: Probability = 0


class ShakerDouble(Machine):
    """A shaker with three dice under a lid."""

    kinds = (Kind.SHAKER,)
    model = "OTDP dice shaker (double)"
    options = ShakerOptions

    def __init__(self, options: ShakerOptions, now: float) -> None:
        self._open = False
        self._times = 0
        self._chances = {DieFault.COCKED: options.cocked, DieFault.UNREAD: options.unread, DieFault.OUT: options.out}
        super().__init__(options, now)
        self.orders = {Shake: self._shake}
        self.acts = {"lift-lid": self._lift, "close-lid": self._close, "shake": lambda: self._shaken("", 1)}

    def left(self) -> int | None:
        """Return None: it holds no cards."""
        return None

    def _shake(self, order: Shake) -> Answer:
        problem = self.conditions[0].value if self.conditions else "lid open" if self._open else ""
        if problem or self.moving():
            return self.refuse(order.command, problem or "busy")
        self.state = State.SHAKING
        self.motion(order.times * _ONE_SHAKE, lambda: self._shaken(order.command, order.times))
        return self.memory.keep(order.command, Result.MOVING)

    def _shaken(self, command: str, times: int) -> None:
        if self._open:
            return
        self._times += times
        if command:
            self.memory.keep(command, Result.DONE)
        self.happened(ShakerShaken(self._times, command), State.LID_CLOSED)
        self.people(_LIFT, self._lift)

    def _lift(self) -> None:
        if self._open or self.moving():
            return
        self._open = True
        self.happened(ShakerLidOpened(), State.LID_OPEN)
        if self._times:
            self.timers.set("settle", _SETTLE / self._pace, self._read)
        self.people(_FILL, self._close)

    def _read(self) -> None:
        truth = Roll(*(self._die() for _ in range(3)))
        self.did(Show(place=self.name, roll=truth))
        self.happened(ShakerRolled(Roll(*(self._sensed(die) for die in truth.dice))))

    def _die(self) -> Die:
        """Throw one die; one that lies flat may still not be recognised, see :meth:`_sensed`."""
        for fault in (DieFault.COCKED, DieFault.OUT):
            if self.chance.random() < self._chances[fault]:
                return fault
        return self.chance.randint(1, 6)

    def _sensed(self, die: Die) -> Die:
        return (
            DieFault.UNREAD if isinstance(die, int) and self.chance.random() < self._chances[DieFault.UNREAD] else die
        )

    def _close(self) -> None:
        if not self._open:
            return
        self._open, self._times = False, 0
        self.happened(ShakerLidClosed(), State.LID_CLOSED)

    def settle(self) -> None:
        """Tell by the lid."""
        self.state = State.LID_OPEN if self._open else State.LID_CLOSED
