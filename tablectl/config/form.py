"""The form of a table file: its sections, the keys in them and what each may be."""

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from tablectl.devices.contract import Kind
from tablectl.games import GAMES
from tablectl.money import MINOR_UNITS
from tablectl.terms import Dealing, Mode, Sight, Wagers


def _one_of(choices: Iterable[str]) -> msgspec.Meta:
    """Return what a text must be that is one of these; misspellings are told the nearest."""
    listed = tuple(choices)
    return msgspec.Meta(pattern=f"^({'|'.join(listed)})$", extra={"choices": listed})


Id = Annotated[str, msgspec.Meta(pattern="^[a-z0-9-]{1,32}$", description="1 to 32 of a-z, 0-9 and -")]
Amount = Annotated[str, msgspec.Meta(pattern=r"^\d+(\.\d+)?$", description='an amount in quotes like "15.00"')]
Text = Annotated[str, msgspec.Meta(min_length=1, description="text in quotes")]
GameName = Annotated[str, _one_of(GAMES)]
Currency = Annotated[str, _one_of(MINOR_UNITS)]
Positions = Annotated[int, msgspec.Meta(ge=1, le=12, description="a whole number from 1 to 12")]
Kinds = Kind | Annotated[tuple[Kind, ...], msgspec.Meta(min_length=1)]
"""What a device is; a list where one machine is several."""
Listen = Annotated[str, msgspec.Meta(pattern=r"^(.+:\d{1,5})?$", description='a host and a port like "127.0.0.1:9464"')]
Days = Annotated[int, msgspec.Meta(ge=1, description="a whole number of days")]
TimeOfDay = Annotated[
    str, msgspec.Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description='a time of day in quotes like "06:00"')
]
Port = Annotated[int, msgspec.Meta(ge=1, le=65535, description="a whole number from 1 to 65535")]


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section of the file."""


class Place(Form, frozen=True):
    """Which table it is. positions: betting positions on its layout."""

    site: Id
    pit: Id
    id: Id
    positions: Positions

    @property
    def name(self) -> str:
        """Return ``site/pit/id``."""
        return f"{self.site}/{self.pit}/{self.id}"


class Areas(Form, frozen=True):
    """What the table sees of the cards of each area."""

    dealer: Sight = Sight.CALLED
    community: Sight = Sight.CALLED
    players: Sight = Sight.CALLED


class Play(Form, frozen=True):
    """What is played. dealing: None for the usual way of the variant; house: path of the house file, if any."""

    name: GameName
    variant: str = "base"
    dealing: Dealing | None = None
    wagers: Wagers = Wagers.PRESENCE
    cards: Sight | Areas = Sight.CALLED
    house: str = ""
    currency: Currency = "USD"


class Limit(Form, frozen=True):
    """Least and most of one wager, in major units."""

    minimum: Amount
    maximum: Amount


class Payouts(Form, frozen=True):
    """From which amount or which odds on a payout waits until a supervisor has verified it."""

    hold_amount: Amount | None = None
    hold_odds: Text | None = None


class Device(Form, frozen=True):
    """One device. url: where it is; serial: the number it must answer with, empty for any."""

    id: Id
    kind: Kinds
    driver: Text
    url: Text
    serial: str = ""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return everything that it is."""
        return all_of(self.kind)


def all_of(kinds: Kinds) -> tuple[Kind, ...]:
    """Return the kinds of a device, of which most have one."""
    return (kinds,) if isinstance(kinds, Kind) else kinds


class Tls(Form, frozen=True):
    """How the broker is recognised, and how it recognises the table: paths of PEM files."""

    ca: Text
    cert: str = ""
    key: str = ""


class Mqtt(Form, frozen=True):
    """Where the broker is and how it is spoken to."""

    host: Text = "127.0.0.1"
    port: Port = 1883
    protocol: Literal[5, "3.1.1"] = 5
    username: str = ""
    password_file: str = ""
    tls: Tls | None = None


class Record(Form, frozen=True):
    """Where the journal is kept. keep_days: for which each of its volumes is, None for ever."""

    path: Text
    keep_days: Days | None = None


class Day(Form, frozen=True):
    """When gaming days and shifts begin. zone: a name of the world's time zones, empty for the machine's own."""

    begins: TimeOfDay
    zone: str = ""
    shifts: dict[str, TimeOfDay] = msgspec.field(default_factory=dict)


class Metrics(Form, frozen=True):
    """Where figures for Prometheus are told: on a port, in a file, or both."""

    listen: Listen = ""
    file: str = ""


class TableFile(Form, frozen=True):
    """A table file."""

    version: Literal[1]
    mode: Mode
    table: Place
    game: Play
    limits: dict[str, Limit] = msgspec.field(default_factory=dict)
    payouts: Payouts = Payouts()
    device: tuple[Device, ...] = ()
    mqtt: Mqtt = Mqtt()
    journal: Record | None = None
    metrics: Metrics | None = None
    day: Day | None = None
