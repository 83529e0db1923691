"""What the four doubles have in common: cards inside, motion that takes time, people, and what goes wrong."""

import random
from collections.abc import Callable, Mapping
from typing import ClassVar

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import State
from tablectl.devices.world import Acted, Allow, Deed, Move, Moved, News
from tablectl.events.readings import Condition, DeviceConditionBegan, DeviceConditionEnded
from tablectl_drivers.otdp.peer import Peer

_TROUBLE = {
    "jam-recovering": Condition.JAM_RECOVERING,
    "jam": Condition.JAM,
    "open-door": Condition.DOOR_OPEN,
    "tamper": Condition.TAMPER,
    "block": Condition.BLOCKED,
    "hopper-empty": Condition.HOPPER_EMPTY,
    "maintain": Condition.MAINTENANCE,
}
"""What people can do to any machine that stops it, and the condition that follows."""
_TROUBLE_OVER = {"close-door": Condition.DOOR_OPEN}


class Machine(Peer):
    """A device model. inside: the cards it holds, the top one first; strokes: how often its motor ran to the end.

    Without a world it has a deck and people of its own: they act as soon as the machine lets them.
    """

    options: ClassVar[type[DoubleOptions]] = DoubleOptions
    spouts: ClassVar[tuple[str, ...]] = ()
    """Endings of the names of its other places, ``.gate`` for example."""

    def __init__(self, options: DoubleOptions, now: float) -> None:
        # Rehearsal must be repeatable; no chance of a real table comes from here.
        chance = random.Random(options.seed)  # noqa: S311
        super().__init__(options.serial or f"D{options.seed:04d}", chance, now)
        self.name = options.name or self.kinds[0].value
        self.places = (self.name, *(self.name + spout for spout in self.spouts))
        self.alone = not options.world
        self.strokes = 0
        self.inside: list[Card] = []
        self.deck = options.composition
        self.acts: dict[str, Callable[[], None]] = {}
        self._pace = options.pace
        self._deeds: list[Deed] = []
        self._held: Callable[[], None] | None = None
        self._before = State.INIT
        self.power_up()
        if self.alone and self.left() is not None:
            self._put(self._new_deck())

    def left(self) -> int | None:
        """Return how many cards are inside."""
        return len(self.inside)

    # Motion and people

    def moving(self) -> bool:
        """Tell whether the motor runs, or would if nothing held it."""
        return "motion" in self.timers or self._held is not None

    def motion(self, seconds: float, then: Callable[[], None]) -> None:
        """Run the motor for so many seconds of life."""
        self.timers.set("motion", seconds / self._pace, lambda: self._ended(then))

    def people(self, seconds: float, act: Callable[[], None]) -> None:
        """Let people act after so many seconds of life, where nobody else plays them."""
        if self.alone:
            self.timers.set("people", seconds / self._pace, act)

    def _ended(self, then: Callable[[], None]) -> None:
        self.strokes += 1
        then()

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

    # Cards

    def slide(self, count: int, to: str) -> tuple[Card, ...]:
        """Move cards off the top to another place."""
        cards = tuple(self.inside[:count])
        del self.inside[:count]
        self.cards_out += len(cards)
        self._deeds.append(Move(source=self.name, to=to, count=count))
        return cards

    def allow(self, count: int) -> None:
        """Lock what is inside, but for so many cards."""
        self._deeds.append(Allow(place=self.name, count=count))

    def filled(self) -> None:
        """Notice cards that were put in."""

    def drawn(self, cards: tuple[Card, ...]) -> None:
        """Notice cards that people took out."""

    def spout_cleared(self) -> None:
        """Notice that what lay in the spout was taken."""

    def _new_deck(self) -> tuple[Card, ...]:
        cards = list(self.deck.cards())
        self.chance.shuffle(cards)
        return tuple(cards)

    def _put(self, cards: tuple[Card, ...]) -> None:
        self.inside += cards
        self.cards_in += len(cards)
        self.filled()

    def reload(self) -> None:
        """Let people put a new deck in."""
        self._put(self._new_deck())

    # The world

    def find(self, piles: Mapping[str, tuple[Card, ...]], now: float) -> None:
        """Start from what lies in its places."""
        self.advance(now)
        there = piles.get(self.name, ())
        if tuple(self.inside) != there:
            self.cards_out += len(self.inside)
            self.inside.clear()
            self._put(there)

    def hear(self, news: News, now: float) -> None:
        """Feel cards come and go, and what else people do."""
        self.advance(now)
        match news:
            case Moved(to=to, cards=cards) if to == self.name:
                self._put(cards)
            case Moved(source=source, cards=cards) if source == self.name:
                del self.inside[: len(cards)]
                self.cards_out += len(cards)
                self.drawn(cards)
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
        """Feel what somebody does to the machine; what it has no part for does nothing."""
        if act in ("reset", "forget"):
            self.cut_power(self.timers.now, forget=act == "forget")
        elif act in _TROUBLE:
            self.begin(_TROUBLE[act])
        elif act in _TROUBLE_OVER:
            self.end(_TROUBLE_OVER[act])
        elif act == "clear":
            for condition in self.conditions:
                self.end(condition)
        elif act in self.acts:
            self.acts[act]()

    # Trouble

    def begin(self, condition: Condition) -> None:
        """Stop for a condition; what moved goes on when it is over."""
        if condition in self.conditions:
            return
        if not self.conditions:
            self._before = self.state
        self.conditions += (condition,)
        self._held = self.timers.stop("motion") or self._held
        self.happened(DeviceConditionBegan(condition), _STATES[condition])

    def end(self, condition: Condition) -> None:
        """Go on when no condition is left."""
        if condition not in self.conditions:
            return
        self.conditions = tuple(each for each in self.conditions if each is not condition)
        if self.conditions:
            self.state = _STATES[self.conditions[-1]]
        elif self._held:
            self.state = self._before
            self.timers.set("motion", 0, self._held)
            self._held = None
        else:
            self.settle()
        self.happened(DeviceConditionEnded(condition))


_STATES: dict[Condition, State] = {
    condition: State.COUNT_BAD if condition is Condition.COUNT_WRONG else State(condition.value)
    for condition in Condition
}
