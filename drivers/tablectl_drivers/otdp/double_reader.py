"""The double of a card reader."""

from tablectl.cards import UNSEEN
from tablectl.devices.bench import DoubleOptions
from tablectl.devices.contract import Kind, State
from tablectl.devices.world import Acted, Moved, News
from tablectl.events.readings import ReaderCardSeen
from tablectl_drivers.otdp.machine import Machine


class ReaderOptions(DoubleOptions, frozen=True, kw_only=True):
    """areas: what it looks at, separated by commas: piles of the world on which cards are laid face up."""

    areas: str = "dealer"


class ReaderDouble(Machine):
    """A reader over some areas of the layout; ``show`` lays a card of its own before it."""

    kinds = (Kind.READER,)
    model = "OTDP card reader (double)"
    options = ReaderOptions

    def __init__(self, options: ReaderOptions, now: float) -> None:
        super().__init__(options, now)
        self.places = tuple(options.areas.split(","))
        self.abilities = ("idempotent_commands", "reads_cards")
        self.acts = {"show": lambda: self._see(self.places[0], 1)}

    def left(self) -> int | None:
        """Return None: it holds no cards."""
        return None

    def hear(self, news: News, now: float) -> None:
        """See what is laid before it."""
        self.advance(now)
        match news:
            case Moved(to=area, cards=cards) if area in self.places:
                for card in cards:
                    self.happened(ReaderCardSeen(area, card), State.LOADED)
            case Acted(act=act):
                self.feel(act)
        self.advance(now)

    def _see(self, area: str, count: int) -> None:
        for card in self.new_deck()[:count]:
            assert card != UNSEEN
            self.happened(ReaderCardSeen(area, card), State.LOADED)

    def settle(self) -> None:
        """Wait for cards."""
        self.state = State.EMPTY
