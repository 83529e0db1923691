"""What one table plays by: its game and rules, its limits, its devices, and what it can see."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from tablectl.cards import Composition
from tablectl.events.facts import AnnouncementRefused
from tablectl.money import Rounding
from tablectl.rulebook import Rulebook
from tablectl.script import DEALER, Game


class Refused(Exception):  # noqa: N818 - what happened to the announcement
    """An announcement that does not count; nothing was changed. Becomes the fact of the same fields."""

    def __init__(self, code: str, awaited: str, text: str, clause: str = "") -> None:
        super().__init__(text)
        self.code, self.awaited, self.text, self.clause = code, awaited, text, clause

    def fact(self, announcement: str) -> AnnouncementRefused:
        """Return the fact that tells it."""
        return AnnouncementRefused(announcement, self.code, self.awaited, self.text, self.clause)


class Mode(StrEnum):
    """Live play, or rehearsal on rules that nobody confirmed."""

    LIVE = "live"
    REHEARSAL = "rehearsal"


class Dealing(StrEnum):
    """How cards reach the hands."""

    AUTOMATED = "automated"
    SHOE = "shoe"
    HAND = "hand"


class Wagers(StrEnum):
    """What the table knows of a wager: its amount, or only that it lies there."""

    AMOUNTS = "amounts"
    PRESENCE = "presence"


class Sight(StrEnum):
    """What the table knows of the cards of an area: their faces, or only what the dealer calls."""

    EXPOSED = "exposed"
    CALLED = "called"


class Limits(msgspec.Struct, frozen=True):
    """Least and most of one wager, in minor units."""

    minimum: int
    maximum: int


class Terms(msgspec.Struct, frozen=True):
    """Everything that the rules of one table rest on. table: ``site/pit/id``; cards: sight by ``dealer``,
    ``community`` and ``players``; caps: most paid on a
    wager in a round, in minor units; devices: device id by kind.
    """

    table: str
    positions: int
    mode: Mode
    game: Game
    variant: str
    rules: Rulebook
    dealing: Dealing
    wagers: Wagers
    cards: Mapping[str, Sight]
    currency: str
    limits: Mapping[str, Limits]
    rounding: Rounding
    caps: Mapping[str, int]
    devices: Mapping[str, str]
    hashes: Mapping[str, str]

    @property
    def composition(self) -> Composition:
        """Return what each deck must hold."""
        return self.game.composition(self.rules)

    def exposed(self, area: str) -> bool:
        """Tell whether the faces of this area's cards reach the table."""
        kind = "dealer" if area.startswith(DEALER) else "community" if area in self.game.boxes else "players"
        return self.cards[kind] is Sight.EXPOSED
