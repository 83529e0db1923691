"""What every double has inside, whatever it speaks: cards, a motor that takes time, and people who come and go."""

import random
from collections.abc import Callable
from typing import ClassVar

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import State
from tablectl.devices.timers import Timers
from tablectl.devices.world import Acted, Deed, Move, Moved, News
from tablectl.events.readings import Condition

TROUBLE = {
    "jam-recovering": Condition.JAM_RECOVERING,
    "jam": Condition.JAM,
    "open-door": Condition.DOOR_OPEN,
    "tamper": Condition.TAMPER,
    "block": Condition.BLOCKED,
    "hopper-empty": Condition.HOPPER_EMPTY,
    "maintain": Condition.MAINTENANCE,
}
"""What people can do to any machine that stops it, and the condition that follows."""
TROUBLE_OVER = {"close-door": Condition.DOOR_OPEN}
STATES = {
    condition: State.COUNT_BAD if condition is Condition.COUNT_WRONG else State(condition.value)
    for condition in Condition
}
"""The state of a machine while a condition holds."""
RESET, FORGET, CLEAR = "reset", "forget", "clear"


class Mechanism:
    """The machine of a device model, in the world of its cards.

    inside: the cards it holds, the top one first; cards_in, cards_out: how many came and went; strokes: how often its
    motor ran to the end. Without a world it has a deck and people of its own, who act as soon as the machine lets them.
    """

    options: ClassVar[type[DoubleOptions]] = DoubleOptions
    spouts: ClassVar[tuple[str, ...]] = ()
    """Endings of the names of its other places, ``.gate`` for example."""

    def __init__(self, options: DoubleOptions, kind: str, now: float) -> None:
        # Rehearsal must be repeatable; no chance of a real table comes from here.
        self.chance = random.Random(options.seed)  # noqa: S311
        self.timers = Timers(now)
        self.name = options.name or kind
        self.places = (self.name, *(self.name + spout for spout in self.spouts))
        self.alone = not options.world
        self.deck = options.composition
        self.inside: list[Card] = []
        self.cards_in = 0
        self.cards_out = 0
        self.strokes = 0
        self.conditions: tuple[Condition, ...] = ()
        self.acts: dict[str, Callable[[], None]] = {}
        self._pace = options.pace
        self._deeds: list[Deed] = []
        self._held: Callable[[], None] | None = None

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

    # Cards

    def new_deck(self) -> tuple[Card, ...]:
        """Return a deck in any order."""
        cards = list(self.deck.cards())
        self.chance.shuffle(cards)
        return tuple(cards)

    def put(self, cards: tuple[Card, ...]) -> None:
        """Take cards in."""
        self.inside += cards
        self.cards_in += len(cards)
        self.filled()

    def reload(self) -> None:
        """Let people put a new deck in."""
        self.put(self.new_deck())

    def slide(self, count: int, to: str) -> tuple[Card, ...]:
        """Move cards off the top to another place."""
        cards = tuple(self.inside[:count])
        self._let_go(count)
        self.did(Move(source=self.name, to=to, count=count))
        return cards

    def _let_go(self, count: int) -> None:
        del self.inside[:count]
        self.cards_out += count

    def filled(self) -> None:
        """Notice cards that were put in."""

    def drawn(self, cards: tuple[Card, ...]) -> None:
        """Notice cards that people took out."""

    def spout_cleared(self) -> None:
        """Notice that what lay in the spout was taken."""

    # The world

    def did(self, deed: Deed) -> None:
        """Note what it does to the world."""
        self._deeds.append(deed)

    def deeds(self) -> list[Deed]:
        """Return, and forget, what it did to the world."""
        deeds, self._deeds = self._deeds, []
        return deeds

    def hear(self, news: News, now: float) -> None:
        """Feel cards come and go, and what else people do."""
        self.advance(now)
        match news:
            case Moved(to=to, cards=cards) if to == self.name:
                self.put(cards)
            case Moved(source=source, cards=cards) if source == self.name:
                self._let_go(len(cards))
                self.drawn(cards)
            case Moved(source=source) if source in self.places:
                self.spout_cleared()
            case Acted(act=act):
                self.feel(act)
        self.advance(now)

    def feels(self) -> tuple[str, ...]:
        """Return what people can do to it."""
        return (*TROUBLE, *TROUBLE_OVER, CLEAR, RESET, FORGET, *self.acts)

    def feel(self, act: str) -> None:
        """Feel what somebody does to it; what it has no part for does nothing."""
        if act in {RESET, FORGET}:
            self.cut_power(self.timers.now, forget=act == FORGET)
        elif act in TROUBLE:
            self.begin(TROUBLE[act])
        elif act in TROUBLE_OVER:
            self.end(TROUBLE_OVER[act])
        elif act == CLEAR:
            for condition in self.conditions:
                self.end(condition)
        elif act in self.acts:
            self.acts[act]()

    # Trouble, which each family tells in its own words

    def cut_power(self, now: float, *, forget: bool = False) -> None:
        """Take the power away and give it back; what moved stops where it is. forget: its memory is lost too."""
        raise NotImplementedError

    def begin(self, condition: Condition) -> None:
        """Stop for a condition, unless it holds already; what moved goes on when the last is over."""
        raise NotImplementedError

    def end(self, condition: Condition) -> None:
        """Go on when no condition is left."""
        raise NotImplementedError
