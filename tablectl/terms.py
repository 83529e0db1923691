"""What one table plays by: its game and rules, its limits, its devices, and what it can see."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from fractions import Fraction

import msgspec

from tablectl.cards import Composition
from tablectl.events.facts import AnnouncementRefused
from tablectl.money import Odds, Rounding
from tablectl.rulebook import Clause, Notice, PayTable, Rulebook
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


EXPOSED = Sight.EXPOSED


class Limits(msgspec.Struct, frozen=True):
    """Least and most of one wager, in minor units."""

    minimum: int
    maximum: int


class Hold(msgspec.Struct, frozen=True):
    """From when on a payout waits for a supervisor: an amount in minor units, odds, or either."""

    amount: int | None = None
    odds: Odds | None = None

    def covers(self, paid: Fraction | int | None, odds: Odds | None) -> bool:
        """Tell whether a payout of this amount, None where it is not known, at these odds waits."""
        large = self.amount is not None and paid is not None and paid >= self.amount
        return large or (self.odds is not None and odds is not None and odds.ratio >= self.odds.ratio)


class Terms(msgspec.Struct, frozen=True):
    """Everything that the rules of one table rest on. table: ``site/pit/id``; cards: sight by ``dealer``,
    ``community`` and ``players``; caps: most paid on a
    wager in a round, in minor units; devices: device id by kind; serials: the number with which
    a device must answer, by id, where the table file names one; hold: which payouts wait for a supervisor;
    notice: of a change that lowers payouts.
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
    serials: Mapping[str, str] = {}
    hold: Hold = Hold()
    notice: Notice | None = None

    @property
    def composition(self) -> Composition:
        """Return what each deck must hold."""
        return self.game.composition(self.rules)

    def exposed(self, area: str) -> bool:
        """Tell whether the faces of this area's cards reach the table."""
        kind = "dealer" if area.startswith(DEALER) else "community" if area in self.game.boxes else "players"
        return self.cards[kind] is EXPOSED


def lowered(old: Terms, new: Terms) -> tuple[str, ...]:
    """Return what the new terms of a table pay less than the old ones, each with both odds or limits."""
    if (old.game.name, old.variant) != (new.game.name, new.variant):
        return ()
    before, after = _odds(old.rules), _odds(new.rules)
    odds = [
        f"{name}: {was} to be {after.get(name, 'none')}"
        for name, was in before.items()
        if name not in after or after[name].ratio < was.ratio
    ]
    caps = [
        f"limit of {name}: {old.caps.get(name, 'none')} to be {cap}"
        for name, cap in new.caps.items()
        if name not in old.caps or cap < old.caps[name]
    ]
    return (*odds, *caps)


def _odds(rules: Rulebook) -> dict[str, Odds]:
    """Return everything that is paid, by what it is paid for."""
    parts: list[Clause | PayTable] = [*rules.clauses.values(), *rules.tables.values()]
    return {name: odds for part in parts for name, odds in _odds_of(part)}


def _odds_of(part: Clause | PayTable) -> Iterator[tuple[str, Odds]]:
    if isinstance(part, PayTable):
        yield from ((f"{part.name}, {line}", odds) for line, odds in part.lines.items())
    elif part.odds:
        yield part.name, part.odds
