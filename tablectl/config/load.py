"""A table file read from disk, with everything beside it that the daemon needs."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from tablectl import __version__
from tablectl.config import devices as fleet
from tablectl.config.form import Day, Device, Metrics, Mqtt, TableFile, Tls
from tablectl.config.review import Review, house_path
from tablectl.config.source import Source
from tablectl.errors import ConfigError
from tablectl.events.announcements import Configure
from tablectl.games import rulebook_text
from tablectl.rulebook import HouseFile, Problem


class Broker(msgspec.Struct, frozen=True):
    """Where the broker is and how it is spoken to. tls: None for plain TCP, which is for loopback."""

    host: str
    port: int
    protocol: str
    username: str | None
    password: str | None
    tls: ssl.SSLContext | None


class Settings(msgspec.Struct, frozen=True):
    """What the daemon needs beside the rules. table: ``site/pit/id``; journal: the path of its record; keep_days:
    for which a volume of it is kept, 0 for ever; metrics_listen, metrics_file: where figures are told, empty and None
    for nowhere; day: when gaming days begin, None where people say so.
    """

    table: str
    devices: tuple[Device, ...]
    mqtt: Broker
    journal: Path
    keep_days: int = 0
    metrics_listen: str = ""
    metrics_file: Path | None = None
    day: Day | None = None


def read(path: Path) -> Configure:
    """Read a table file, its house file and the rulebook of its game; paths in it are relative to it.

    Raises:
        ConfigError: everything that is wrong, each with file, line and key.
    """
    return load(path)[0]


def load(path: Path) -> tuple[Configure, Settings]:
    """Read a table file, with what the daemon needs beside the rules; paths in it are relative to it.

    Raises:
        ConfigError: everything that is wrong, each with file, line and key.
    """
    text = _text(path)
    table = Source(str(path), text, TableFile)
    house, house_text = _house(table, path)
    game = table.part(str, "game", "name")
    rulebook = rulebook_text(game) if game else ""
    review = Review(table, house, rulebook)
    table.refuse(fleet.unknown(review.devices))
    mqtt = _broker(table, path)
    table.refuse(_idle_metrics(table))
    table.refuse(_unknown_zone(table))
    file = review.conclude().file
    record = file.journal.path if file.journal else f"/var/lib/tablectl/{file.table.id}/journal.db"
    configured = Configure(text, rulebook, house_text, __version__)
    figures = file.metrics or Metrics()
    told = _beside(path, figures.file) if figures.file else None
    kept = (file.journal and file.journal.keep_days) or 0
    place = file.table.name, file.device, mqtt, _beside(path, record)
    settings = Settings(*place, kept, figures.listen, told, file.day)
    return configured, settings


def _idle_metrics(table: Source) -> Iterator[Problem]:
    if table.part(Metrics, "metrics") == Metrics():
        yield Problem(("metrics",), "awaited listen, file or both; without this section nothing is told")


def _unknown_zone(table: Source) -> Iterator[Problem]:
    zone = table.part(str, "day", "zone")
    try:
        ZoneInfo(zone or "UTC")
    except (LookupError, ValueError, OSError):
        yield Problem(("day", "zone"), f"awaited a time zone like America/New_York, found {zone!r}")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {_reason(error)}") from error


def _house(table: Source, path: Path) -> tuple[Source | None, str]:
    named = house_path(table)
    if not named:
        return None, ""
    try:
        text = _text(_beside(path, named))
    except ConfigError as error:
        table.refuse([Problem(("game", "house"), str(error))])
        return None, ""
    return Source(str(_beside(path, named)), text, HouseFile), text


def _broker(table: Source, path: Path) -> Broker:
    """Return how the broker is spoken to; what is wrong with the files that this needs is noted."""
    mqtt = table.part(Mqtt, "mqtt") or Mqtt()
    table.refuse(_missing_username(mqtt))
    return Broker(
        mqtt.host,
        mqtt.port,
        str(mqtt.protocol),
        mqtt.username or None,
        _password(table, mqtt, path),
        _tls(table, mqtt.tls, path),
    )


def _missing_username(mqtt: Mqtt) -> Iterator[Problem]:
    if mqtt.password_file and not mqtt.username:
        yield Problem(("mqtt", "username"), "missing; a password goes with one")


def _password(table: Source, mqtt: Mqtt, path: Path) -> str | None:
    if not mqtt.password_file:
        return None
    try:
        return _text(_beside(path, mqtt.password_file)).rstrip("\r\n")
    except ConfigError as error:
        table.refuse([Problem(("mqtt", "password_file"), str(error))])
        return None


def _tls(table: Source, tls: Tls | None, path: Path) -> ssl.SSLContext | None:
    if tls is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ca, cert, key = (_beside(path, named) if named else None for named in (tls.ca, tls.cert, tls.key))
    try:
        context.load_verify_locations(ca)
    except OSError as error:
        table.refuse([Problem(("mqtt", "tls", "ca"), f"{ca}: {_reason(error)}")])
    try:
        if cert:
            # An empty password: a key that needs one is refused, where it would be asked for on a terminal.
            context.load_cert_chain(cert, key, "")
    except OSError as error:
        table.refuse([Problem(("mqtt", "tls", "cert"), f"{cert} with {key or 'its key'}: {_reason(error)}")])
    return context


def _beside(path: Path, named: str) -> Path:
    """Return a path as the table file means it."""
    return path.parent / Path(named).expanduser()


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "no UTF-8 text"
    return getattr(error, "strerror", None) or str(error)
