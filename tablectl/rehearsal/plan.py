"""What is rehearsed: the table, its devices and files, and how fast people act."""

import asyncio
import json
import random
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Self

import msgspec

from tablectl.cards import Card
from tablectl.config import build_terms
from tablectl.errors import ConfigError
from tablectl.events.announcements import Configure
from tablectl.games import rulebook_text
from tablectl.publisher import Address
from tablectl.terms import Sight, Terms, Wagers

TABLE = "demo/pit1/t01"
RACK, STUB = "rack", "stub"
"""Places in the world that are no device's."""
SHUFFLER, SHAKER = "shuffler", "shaker"
"""Places of devices to which people do something."""
STACK_SHOE, BOTH = "stack-shoe", "shuffler-shoe"
"""The double of a stack shoe, and of one that is the shuffler too."""

DRIVERS: dict[str, tuple[str, str, str | list[str]]] = {
    STACK_SHOE: ("shoe1", "otdp-shoe", "stack-shoe"),
    "card-shoe": ("shoe1", "otdp-card-shoe", "card-shoe"),
    SHUFFLER: ("shuffler1", "otdp-shuffler", "shuffler"),
    BOTH: ("shoe1", "otdp-shuffler-shoe", ["stack-shoe", "shuffler"]),
    SHAKER: ("shaker1", "otdp-shaker", "shaker"),
}
"""The id, the driver and the kind of a device, by its double."""


class Setup(msgspec.Struct, frozen=True):
    """How one variant of a game is put up.

    devices: by their doubles, the shoe first; decks: by the colour of their backs; house: the house file; options: of
    the doubles; trouble: options for a rehearsal without end, in which things may go wrong.
    """

    devices: tuple[str, ...]
    decks: tuple[str, ...]
    house: str
    options: Mapping[str, tuple[str, ...]] = {}
    trouble: Mapping[str, tuple[str, ...]] = {}

    @property
    def shoe(self) -> str:
        """Return the place of its shoe."""
        return STACK_SHOE if self.feeds_itself else self.devices[0]

    @property
    def tray(self) -> str:
        """Return the place into which a deck is laid to be shuffled, empty where people shuffle."""
        return f"{STACK_SHOE}.in" if self.feeds_itself else SHUFFLER if SHUFFLER in self.devices else ""

    @property
    def feeds_itself(self) -> bool:
        """Tell whether the shoe takes each deck from the shuffler in the same machine."""
        return self.devices[0] == BOTH

    def combined(self) -> Self:
        """Return this with one machine as shoe and shuffler.

        Raises:
            ConfigError: it has not both.
        """
        if self.devices[:2] != (STACK_SHOE, SHUFFLER):
            raise ConfigError("--combined: awaited a game that is dealt from a stack shoe and shuffled by a shuffler")
        return msgspec.structs.replace(self, devices=(BOTH, *self.devices[2:]))


SETUPS: dict[tuple[str, str], Setup] = {
    ("red-dog", "base"): Setup(("card-shoe",), ("red",), "red-dog.base", {"card-shoe": ("cut=70",)}),
    ("pai-gow-poker", "base"): Setup(
        ("stack-shoe", "shuffler", "shaker"),
        ("red", "blue"),
        "pai-gow-poker.base",
        trouble={"shaker": ("cocked=0.02",)},
    ),
    ("pai-gow-poker", "bonus"): Setup(("stack-shoe", "shuffler"), ("red", "blue"), "pai-gow-poker.bonus"),
    ("pai-gow-poker", "bonus-hand"): Setup(("stack-shoe",), ("red",), "pai-gow-poker.bonus"),
    ("supreme-pai-gow", "base"): Setup(
        ("stack-shoe", "shuffler", "shaker"),
        ("red", "blue"),
        "supreme-pai-gow.base",
        trouble={"shaker": ("cocked=0.02",)},
    ),
    ("four-card-poker", "base"): Setup(("stack-shoe", "shuffler"), ("red", "blue"), "four-card-poker.base"),
    ("mississippi-stud", "base"): Setup(("stack-shoe", "shuffler"), ("red", "blue"), "mississippi-stud.base"),
    ("mini-tex-3-card-holdem", "base"): Setup(("stack-shoe",), ("red",), "mini-tex-3-card-holdem.base"),
    ("spanish-21", "base"): Setup(("card-shoe",), ("red",), "spanish-21.base", {"card-shoe": ("cut=60",)}),
    ("triple-attack-blackjack", "base"): Setup(
        ("card-shoe",), ("red",), "triple-attack-blackjack.base", {"card-shoe": ("cut=90",)}
    ),
}
"""Every variant that can be rehearsed; ``bonus-hand`` is shuffled by hand, so that its stub must be counted."""

STAKES = {"main": (1500, 2500, 5000, 10000), "side": (500, 1000, 2500)}
"""Minor units that players wager, on the wager that a round begins with and on those beside it."""


class Plan(msgspec.Struct, frozen=True, dict=True):
    """One rehearsal, as the command line asks for it.

    rounds: None until stopped; speed: how many times faster than life, infinite for no waiting; journal: where the
    record is kept, None to forget it; broker: ``HOST:PORT``, ``embedded``, or empty for the best there is; pit: whether
    the page is served; combined: whether shuffler and shoe are one machine; tests:
    whether every device is tested before the table opens.

    Raises:
        ConfigError: something that cannot be rehearsed, and what was awaited.
    """

    game: str = "pai-gow-poker"
    variant: str = "base"
    wagers: Wagers = Wagers.AMOUNTS
    cards: Sight = Sight.EXPOSED
    rounds: int | None = None
    speed: float = 1.0
    seed: int = 0
    journal: Path | None = None
    broker: str = ""
    pit: bool = True
    combined: bool = False
    tests: bool = False

    def __post_init__(self) -> None:
        games = tuple(dict.fromkeys(game for game, _ in SETUPS))
        if self.game not in games:
            raise ConfigError(f"--game {self.game}: awaited one of {', '.join(games)}")
        variants = [variant for game, variant in SETUPS if game == self.game]
        if self.variant not in variants:
            raise ConfigError(f"--variant {self.variant}: awaited one of {', '.join(variants)} for {self.game}")
        if not self.speed > 0:
            raise ConfigError(f"--speed {self.speed:g}: awaited a number above 0, or max")
        if self.journal and self.journal.exists():
            raise ConfigError(f"--journal {self.journal}: it is there already; a rehearsal begins a new one")
        if self.combined:
            SETUPS[self.game, self.variant].combined()

    @property
    def setup(self) -> Setup:
        """Return how this variant is put up."""
        setup = SETUPS[self.game, self.variant]
        return setup.combined() if self.combined else setup

    @cached_property
    def house(self) -> str:
        """Return the text of the house file."""
        return files(__package__).joinpath("house", f"{self.setup.house}.toml").read_text(encoding="utf-8")

    @cached_property
    def terms(self) -> Terms:
        """Return what the table plays by; where things are does not matter to it."""
        table = self.table_file(Address(), Path("/"))
        return build_terms(Configure(table, rulebook_text(self.game), self.house, ""))

    @property
    def exposed(self) -> bool:
        """Tell whether the table sees the cards; otherwise the dealer calls what they are."""
        return self.cards is Sight.EXPOSED

    def table_file(self, broker: Address, folder: Path) -> str:
        """Return the table file. folder: where the ports of the devices are, and the journal if it is forgotten."""
        return "\n".join(self._lines(broker, folder)) + "\n"

    def _lines(self, broker: Address, folder: Path) -> Iterator[str]:
        site, pit, table = TABLE.split("/")
        yield from ("version = 1", 'mode = "rehearsal"')
        yield from _section("[table]", site=site, pit=pit, id=table, positions=6)
        cards = str(self.cards)
        play = {"name": self.game, "variant": self.variant, "wagers": str(self.wagers), "cards": cards}
        yield from _section("[game]", **play, house="house.toml")
        for double in self.setup.devices:
            name, driver, kind = DRIVERS[double]
            url = f"serial:{port(folder, double)}?baud=115200"
            yield from _section("[[device]]", id=name, kind=kind, driver=driver, url=url, serial=serial(double))
        protocol = 5 if broker.protocol == "5" else broker.protocol
        yield from _section("[mqtt]", host=broker.host, port=broker.port, protocol=protocol)
        yield from _section("[day]", begins="06:00")
        yield from _section("[day.shifts]", day="06:00", swing="14:00", grave="22:00")
        yield from _section("[journal]", path=str((self.journal or folder / "journal.db").absolute()))

    def piles(self) -> dict[str, tuple[Card, ...]]:
        """Return where the cards lie at the beginning: each deck in its box."""
        return {box(deck): self.terms.composition.cards() for deck in self.setup.decks}

    def chance(self, who: str) -> random.Random:
        """Return the chance of one of those who act; each has its own, so that none depends on another's pace."""
        return random.Random(f"{self.seed}/{who}")  # noqa: S311 - a rehearsal can be repeated; no money depends on it

    async def pause(self, seconds: float, chance: random.Random) -> None:
        """Take the time that a person takes, more or less."""
        wait = seconds * chance.uniform(0.6, 1.4) / self.speed
        if wait:
            await asyncio.sleep(wait)


def port(folder: Path, kind: str) -> Path:
    """Return where the serial port of a device is."""
    return folder / f"tty-{kind}"


def serial(kind: str) -> str:
    """Return the serial number of a device."""
    return f"REHEARSAL-{kind.upper()}"


def box(deck: str) -> str:
    """Return the place where a deck comes from."""
    return f"box-{deck}"


def _section(title: str, **values: str | int | list[str]) -> Iterator[str]:
    yield title
    for name, value in values.items():
        yield f"{name} = {json.dumps(value)}"


def title(plan: Plan) -> str:
    """Return the game's name as people say it."""
    name = plan.terms.rules.title
    return name if plan.variant == "base" else f"{name}, {plan.variant}"
