"""The double of a shuffler that is the stack shoe too: one identity, two decks in its cycle."""

from tablectl.cards import Card
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.devices.world import Arrange, Move, Moved, News
from tablectl.events.readings import (
    Condition,
    DeviceConditionBegan,
    DeviceConditionEnded,
    ShoeLoaded,
    ShufflerDeckOut,
    ShufflerFinished,
    ShufflerStarted,
)
from tablectl_drivers.otdp.double_shoes import StackShoeDouble
from tablectl_drivers.otdp.wire import Answer, Result, Shuffle

# Seconds of life
_FILL = 5.0
_SHUFFLE = 30.0


class ShufflerShoeDouble(StackShoeDouble):
    """Deals one deck from its shoe while it shuffles another; the shuffled one drops into the shoe when that is empty.

    Two motors: a shuffle may end in mid-round of the other deck, and a jam in one stops both. A wrong count stops the
    tray alone, until its deck is taken out.
    """

    kinds = (Kind.STACK_SHOE, Kind.SHUFFLER)
    model = "OTDP shuffler and stack shoe (double)"
    spouts = (".gate", ".in")

    def __init__(self, options: DoubleOptions, now: float) -> None:
        self.below: list[Card] = []
        self._ready = self._bad = False
        self._waiting: str | None = None
        self._shuffling: str | None = None
        super().__init__(options, now)
        self.abilities = ("idempotent_commands", "counts", "verifies_composition")
        self.orders = {**self.orders, Shuffle: self._shuffle}

    def left(self) -> int | None:
        """Return how many cards are in the shoe."""
        return len(self.inside)

    def _shuffle(self, order: Shuffle) -> Answer:
        if self.conditions:
            return self.refuse(order.command, self.conditions[0].value)
        if self._bad:
            return self.refuse(order.command, Condition.COUNT_WRONG.value)
        if self._waiting is not None or self._shuffling is not None or self._ready:
            return self.refuse(order.command, "busy")
        self._waiting = order.command
        answer = self.memory.keep(order.command, Result.MOVING)
        if self.below:
            self._begin_shuffle()
        else:
            self.people_at_tray()
        return answer

    def people_at_tray(self) -> None:
        """Let people lay another deck into the tray, where nobody else plays them."""
        if self.alone:
            self.timers.set("tray", _FILL / self._pace, lambda: self.lay(self.new_deck()))

    def lay(self, cards: tuple[Card, ...]) -> None:
        """Take a deck into the tray."""
        self.below += cards
        self.cards_in += len(cards)
        if self._waiting is not None:
            self._begin_shuffle()

    def _begin_shuffle(self) -> None:
        self._shuffling, self._waiting = self._waiting, None
        self.happened(ShufflerStarted(self._shuffling or ""))
        self.timers.set("shuffle", _SHUFFLE / self._pace, self._shuffled)

    def _shuffled(self) -> None:
        self.strokes += 1
        command, self._shuffling = self._shuffling or "", None
        self.chance.shuffle(self.below)
        self.did(Arrange(place=self.places[2], cards=tuple(self.below)))
        self.memory.keep(command, Result.DONE)
        complete = self.deck.difference(self.below) == ((), ())
        self.happened(ShufflerFinished(command, len(self.below), complete=complete))
        self._ready = complete
        if complete:
            self._drop()
        else:
            self._bad = True
            self.happened(DeviceConditionBegan(Condition.COUNT_WRONG))
        if self.alone and self.below:
            self.timers.set("tray", _FILL / self._pace, self.lift)

    def lift(self) -> None:
        """Let people take the deck out of the tray by hand."""
        self._ready = False
        self.cards_out += len(self.below)
        self.below.clear()
        self.happened(ShufflerDeckOut())
        if self._bad:
            self._bad = False
            self.happened(DeviceConditionEnded(Condition.COUNT_WRONG))

    def _drop(self) -> None:
        """Let the shuffled deck down into the shoe, as soon as that is empty and its gate clear."""
        if not self._ready or self.inside or self.gate or self.moving():
            return
        self._ready = False
        self.inside, self.below = self.below, []
        self.did(Move(source=self.places[2], to=self.name, count=len(self.inside)))
        self.timers.stop("tray")
        self.happened(ShufflerDeckOut())
        self.happened(ShoeLoaded(len(self.inside)), State.LOADED)

    def spout_cleared(self) -> None:
        """Let the next deck down when the last cards were taken."""
        super().spout_cleared()
        self._drop()

    def reload(self) -> None:
        """Let people fill the shoe only where no deck comes from above."""
        if not self._ready and self._shuffling is None:
            super().reload()

    def hear(self, news: News, now: float) -> None:
        """Feel a deck laid into the tray, and all else as a shoe does."""
        tray = self.places[2]
        match news:
            case Moved(to=to, cards=cards) if to == tray:
                self.advance(now)
                self.lay(cards)
                self.advance(now)
            case Moved(source=source) if source == tray:
                self.advance(now)
                self.lift()
            case _:
                super().hear(news, now)

    def power_up(self, *, forget: bool = False) -> None:
        """Forget what was to be shuffled."""
        self._waiting = self._shuffling = None
        self._ready = self._bad = False
        super().power_up(forget=forget)
