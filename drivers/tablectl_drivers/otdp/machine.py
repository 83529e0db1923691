"""What the doubles have in common besides the protocol: memory of the world, power, and what goes wrong."""

from collections.abc import Mapping

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import State
from tablectl.devices.mechanism import STATES, Mechanism
from tablectl.devices.world import Allow
from tablectl.events.readings import Condition, DeviceConditionBegan, DeviceConditionEnded
from tablectl_drivers.otdp.peer import Peer


class Machine(Mechanism, Peer):
    """A mechanism that speaks OTDP."""

    def __init__(self, options: DoubleOptions, now: float) -> None:
        Mechanism.__init__(self, options, self.kinds[0].value, now)
        Peer.__init__(self, options.serial or f"D{options.seed:04d}", self.timers)
        self._before = State.INIT
        self.power_up()
        if self.alone and self.left() is not None:
            self.put(self.new_deck())

    def left(self) -> int | None:
        """Return how many cards are inside."""
        return len(self.inside)

    def cut_power(self, now: float, *, forget: bool = False) -> None:
        """Take the power away and give it back; what moved stops where it is."""
        self.advance(now)
        if self.moving():
            self.stopped()
        self._held = None
        self.conditions = ()
        self.power_up(forget=forget)

    def stopped(self) -> None:
        """Leave things as they lie when the power goes in mid-motion."""

    # The world

    def allow(self, count: int) -> None:
        """Lock what is inside, but for so many cards."""
        self.did(Allow(place=self.name, count=count))

    def find(self, piles: Mapping[str, tuple[Card, ...]], now: float) -> None:
        """Start from what lies in its places."""
        self.advance(now)
        there = piles.get(self.name, ())
        if tuple(self.inside) != there:
            self.cards_out += len(self.inside)
            self.inside.clear()
            self.put(there)

    # Trouble

    def begin(self, condition: Condition) -> None:
        """Stop for a condition; what moved goes on when it is over."""
        if condition in self.conditions:
            return
        if not self.conditions:
            self._before = self.state
        self.conditions += (condition,)
        self._held = self.timers.stop("motion") or self._held
        self.happened(DeviceConditionBegan(condition), STATES[condition])

    def end(self, condition: Condition) -> None:
        """Go on when no condition is left."""
        if condition not in self.conditions:
            return
        self.conditions = tuple(each for each in self.conditions if each is not condition)
        if self.conditions:
            self.state = STATES[self.conditions[-1]]
        elif self._held:
            self.state = self._before
            self.timers.set("motion", 0, self._held)
            self._held = None
        else:
            self.settle()
        self.happened(DeviceConditionEnded(condition))
