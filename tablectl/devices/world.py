"""The physical world of a rehearsal: which card lies where, and who may lift it.

Doubles and bots move real cards through it, and no driver ever sees it. A pile is named by its place: ``stack-shoe``,
``stack-shoe.gate``, ``rack``, a hand ``3``; its first card is on top. Cards are taken off the top and laid under what
is already there, so a hand lists its cards as they were dealt. Cards are conserved: they only move.

:mod:`~tablectl.devices.world_socket` lets other processes in.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from tablectl.cards import Card
from tablectl.dice import Roll
from tablectl.errors import TablectlError


class Impossible(TablectlError):  # noqa: N818 - what the world answers
    """Nobody can do this: the cards are not there, or a lock holds them."""


# What one can do


class Deed(msgspec.Struct, frozen=True, tag_field="do", tag=str.lower, omit_defaults=True, kw_only=True):
    """Something done to the world. id: comes back in the reply."""

    id: int = 0


class Move(Deed, frozen=True):
    """Move cards off the top of a pile. count: None for the whole pile, which must not be empty; wait: seconds in
    which that may become possible.
    """

    source: str
    to: str
    count: int | None = None
    wait: float = 0


class Arrange(Deed, frozen=True):
    """Put the cards of a pile into another order: shuffle them."""

    place: str
    cards: tuple[Card, ...]


class Allow(Deed, frozen=True):
    """Lock a pile so that others may draw so many cards; None unlocks it. Lifting the whole pile is no drawing."""

    place: str
    count: int | None


class Show(Deed, frozen=True):
    """Let everybody see the dice in a shaker."""

    place: str
    roll: Roll


class Act(Deed, frozen=True):
    """Do something with a device that moves no card: ``lift-lid``, ``close-lid``, ``start``, ``open-door``."""

    place: str
    act: str


class Look(Deed, frozen=True):
    """See what lies at a place: its cards, and the dice shown there."""

    place: str


class Watch(Deed, frozen=True):
    """Hear from now on of what others do at these places, which one owns: no lock holds their watcher."""

    places: tuple[str, ...]


Request = Move | Arrange | Allow | Show | Act | Look | Watch


class Moved(msgspec.Struct, frozen=True, tag_field="news", tag=str.lower):
    """Somebody moved these cards."""

    source: str
    to: str
    cards: tuple[Card, ...]


class Acted(msgspec.Struct, frozen=True, tag_field="news", tag=str.lower):
    """Somebody did something with a device."""

    place: str
    act: str


class Reply(msgspec.Struct, frozen=True, tag_field="news", tag=str.lower, omit_defaults=True):
    """What came of a request. cards: those moved or seen; piles: those watched; error: why it is impossible."""

    id: int
    cards: tuple[Card, ...] = ()
    roll: Roll | None = None
    piles: dict[str, tuple[Card, ...]] = {}
    error: str = ""


News = Moved | Acted


class World:
    """Every pile of a table. piles: the cards at the beginning; places not named are empty."""

    def __init__(self, piles: Mapping[str, Iterable[Card]]) -> None:
        self._piles = defaultdict(list, {place: list(cards) for place, cards in piles.items()})
        self._allowed: dict[str, int] = {}
        self._rolls: dict[str, Roll] = {}

    def cards(self, place: str) -> tuple[Card, ...]:
        """Return what lies at a place, the top card first."""
        return tuple(self._piles.get(place, ()))

    def piles(self) -> dict[str, tuple[Card, ...]]:
        """Return every pile that holds cards."""
        return {place: tuple(cards) for place, cards in self._piles.items() if cards}

    def roll(self, place: str) -> Roll | None:
        """Return the dice last shown at a place."""
        return self._rolls.get(place)

    def move(self, source: str, to: str, count: int | None = None, *, owner: bool = False) -> tuple[Card, ...]:
        """Move cards and return them. owner: a device that moves its own cards.

        Raises:
            Impossible: fewer cards lie there, or a lock holds them.
        """
        pile = self._piles[source]
        wanted = len(pile) if count is None else count
        if not 0 < wanted <= len(pile):
            raise Impossible(f"{source} holds {len(pile)} cards, asked for were {count or 'all'}")
        if count is not None and not owner:
            self._draw(source, count)
        cards = tuple(pile[:wanted])
        del pile[:wanted]
        self._piles[to] += cards
        return cards

    def can_move(self, source: str, count: int | None = None, *, owner: bool = False) -> bool:
        """Tell whether :meth:`move` would succeed now."""
        held = len(self._piles.get(source, ()))
        free = held if owner or count is None else self._allowed.get(source, held)
        return 0 < (held if count is None else count) <= min(held, free)

    def arrange(self, place: str, cards: Iterable[Card]) -> None:
        """Put the cards of a pile into another order.

        Raises:
            Impossible: they are other cards.
        """
        order = list(cards)
        if Counter(order) != Counter(self._piles[place]):
            raise Impossible(f"{place}: shuffling changes no card")
        self._piles[place] = order

    def allow(self, place: str, count: int | None) -> None:
        """Lock a pile but for so many cards; None unlocks it."""
        if count is None:
            self._allowed.pop(place, None)
        else:
            self._allowed[place] = count

    def show(self, place: str, roll: Roll) -> None:
        """Let the dice at a place be seen."""
        self._rolls[place] = roll

    def _draw(self, place: str, count: int) -> None:
        allowed = self._allowed.get(place)
        if allowed is None:
            return
        if count > allowed:
            raise Impossible(f"{place} is locked: {allowed} cards may be drawn, asked for were {count}")
        self._allowed[place] = allowed - count
