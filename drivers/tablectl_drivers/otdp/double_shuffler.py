"""The double of a shuffler."""

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.devices.world import Arrange
from tablectl.events.readings import (
    Condition,
    ShufflerDeckOut,
    ShufflerFinished,
    ShufflerStarted,
)
from tablectl_drivers.otdp.machine import Machine
from tablectl_drivers.otdp.wire import Answer, Result, Shuffle

# Seconds of life
_FILL = 5.0
_SHUFFLE = 30.0


class ShufflerOptions(DoubleOptions, frozen=True, kw_only=True):
    """looks: whether it recognises every card; counts: whether it counts; auto: whether it starts by itself."""

    looks: bool = True
    counts: bool = True
    auto: bool = False


class ShufflerDouble(Machine):
    """A shuffler for one deck, which it counts."""

    kinds = (Kind.SHUFFLER,)
    model = "OTDP shuffler (double)"
    options = ShufflerOptions

    def __init__(self, options: ShufflerOptions, now: float) -> None:
        self._looks, self._counts, self._auto = options.looks, options.counts, options.auto
        self._waiting: str | None = None
        self._shuffling: str | None = None
        super().__init__(options, now)
        self.abilities = (
            "idempotent_commands",
            *(("counts",) if options.counts else ()),
            *(("verifies_composition",) if options.looks else ()),
        )
        self.orders = {Shuffle: self._shuffle}
        self.acts = {"start": lambda: self._start("")}

    def _shuffle(self, order: Shuffle) -> Answer:
        """Shuffle now, or as soon as a deck is in: the order may come before the dealer has put it there."""
        if self.conditions:
            return self.refuse(order.command, self.conditions[0].value)
        if self.moving() or self._waiting:
            return self.refuse(order.command, "busy")
        answer = self.memory.keep(order.command, Result.MOVING)
        self._waiting = order.command
        if self.inside:
            self._start(order.command)
        return answer

    def _start(self, command: str) -> None:
        if self.moving() or self.conditions or not self.inside:
            return
        self._waiting, self._shuffling = None, command
        self.happened(ShufflerStarted(command), State.SHUFFLING)
        self.motion(_SHUFFLE, self._finished)

    def _finished(self) -> None:
        command, self._shuffling = self._shuffling or "", None
        self.chance.shuffle(self.inside)
        self.did(Arrange(place=self.name, cards=tuple(self.inside)))
        if command:
            self.memory.keep(command, Result.DONE)
        complete = self.deck.difference(self.inside) == ((), ())
        right = complete if self._looks else len(self.inside) == self.deck.size
        self.happened(
            ShufflerFinished(
                command, len(self.inside) if self._counts else None, complete=complete if self._looks else None
            ),
            State.COUNT_OK if right or not self._counts else State.COUNT_BAD,
        )
        if not right and self._counts:
            self.begin(Condition.COUNT_WRONG)
        self.people(_FILL, self._swap)

    def _swap(self) -> None:
        """Let people take the deck out and put another in."""
        self.slide(len(self.inside), "")
        self.drawn(())
        self.people(_FILL, self.reload)

    def filled(self) -> None:
        """Start, if somebody waits for it."""
        self.settle()
        if self.inside and (self._waiting is not None or self._auto):
            self._start(self._waiting or "")

    def drawn(self, cards: tuple[Card, ...]) -> None:  # noqa: ARG002 - a machine for one deck
        """Notice that the deck was taken out."""
        self.happened(ShufflerDeckOut(), State.EMPTY)

    def power_up(self, *, forget: bool = False) -> None:
        """Forget what was to be shuffled."""
        self._waiting = self._shuffling = None
        super().power_up(forget=forget)

    def settle(self) -> None:
        """Tell by what lies inside."""
        self.state = State.LOADED if self.inside else State.EMPTY
