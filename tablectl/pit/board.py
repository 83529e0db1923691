"""What each table of one pit last told, and since when it is silent. No clock and no I/O: both are passed in."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
import structlog

from tablectl.events.facts import Alarm
from tablectl.pit.words import LOUD, UNTOLD, tell
from tablectl.view import State

VERSION = 1
LARGEST_PAYLOAD = 64 * 1024
MOST_TABLES = 64
EVENTS_KEPT = 40
LINK = ("", "link")
GONE = "gone"

UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
"""What reading a stranger's bytes may raise."""

Key = tuple[str, str]
"""What changed: a table and one of its parts, GONE, or LINK."""

log = structlog.get_logger(__name__)


class Status(msgspec.Struct, omit_defaults=True):
    """The retained ``status`` of a table; reason: why it is offline."""

    state: str
    reason: str = ""


class DeviceStatus(msgspec.Struct, omit_defaults=True):
    """What is shown of the retained ``device/{id}``: its counters and its own figures are not for a display."""

    health: str = ""
    online: bool | None = None
    reason: str = ""
    kinds: list[str] = msgspec.field(default_factory=list)
    model: str = ""
    serial: str = ""
    firmware: str = ""
    conditions: list[str] = msgspec.field(default_factory=list)


class Alarms(msgspec.Struct):
    """The retained ``alarms``."""

    alarms: list[Alarm]


class Envelope(msgspec.Struct):
    """One numbered event; data: the fields of the fact."""

    type: str
    epoch: str
    seq: int
    ts: str
    round: int = 0
    data: dict[str, Any] = msgspec.field(default_factory=dict)


class Told(msgspec.Struct, omit_defaults=True):
    """One event as a page shows it."""

    id: str
    ts: str
    text: str
    round: int = 0
    loud: bool = False


class Silence(msgspec.Struct):
    """Why a table is not shown as live. since: RFC 3339, empty where this display never heard it live."""

    since: str
    reason: str


class Link(msgspec.Struct):
    """The display's own connection to the broker. since: RFC 3339; reason: why it is down."""

    up: bool
    since: str
    reason: str = ""


class Table(msgspec.Struct):
    """The latest of one table, part by part as the pages get it, and what decides whether it is live.

    status: None until heard on the present connection; bridge: what a bridge says of itself, see docs/pit.md.
    """

    silent: Silence | None
    meta: Any = None
    state: State | None = None
    devices: dict[str, DeviceStatus] = msgspec.field(default_factory=dict)
    alarms: list[Alarm] | None = None
    events: tuple[Told, ...] = ()
    faults: dict[str, str] = msgspec.field(default_factory=dict)
    status: Status | None = None
    bridge: str = ""
    last: tuple[str, int] = ("", 0)

    def why_silent(self, link: Link) -> str:
        """Return why the table is not live, empty if it is."""
        if not link.up:
            return link.reason
        if self.bridge == "0":
            return "bridge to this broker is down"
        if self.status is None:
            return "not heard from since the broker came back"
        return "" if self.status.state == "online" else self.status.reason or self.status.state


PARTS = ("silent", "meta", "state", "devices", "alarms", "events", "faults")
"""What a page gets of a table."""


class Board:
    """Every table of one pit. changed: called with the key of each part that is no longer what it was."""

    def __init__(self, site: str, pit: str, changed: Callable[[Key], None], now: str) -> None:
        self.site, self.pit = site, pit
        self.link = Link(up=False, since=now, reason="not connected to the broker yet")
        self.tables: dict[str, Table] = {}
        self._changed = changed

    def connected(self, now: str) -> None:
        """Take it that the broker answers: each table is live once its status is heard on this connection.

        Devices are forgotten, since one that was cleared while nobody listened would linger; all else is overwritten.
        """
        for table_id, table in self.tables.items():
            table.status, table.bridge, table.devices = None, "", {}
            self._changed((table_id, "devices"))
        self._set_link(Link(up=True, since=now), now)

    def disconnected(self, reason: str, now: str) -> None:
        """Take it that nothing is heard any more; a second failure to connect does not change since when."""
        since = self.link.since if not self.link.up else now
        self._set_link(Link(up=False, since=since, reason=reason), now)

    def hear(self, topic: str, payload: bytes, now: str) -> None:
        """Take one message, ``tablectl/v1/site/pit/table/part…``. What cannot be read becomes a fault of that part."""
        table_id, _, part = topic.removeprefix(f"tablectl/v1/{self.site}/{self.pit}/").partition("/")
        part, _, name = part.partition("/")
        if part not in _READERS or not re.fullmatch(r"[a-z0-9-]{1,32}", table_id):
            log.warning("topic.unknown", topic=topic)
            return
        if not payload and (part == "status" or table_id not in self.tables):
            self._forget(table_id)
            return
        table = self._table(table_id)
        if table is None:
            log.warning("table.too-many", topic=topic, most=MOST_TABLES)
            return
        self._read(table_id, table, part, name, payload)
        self._judge(table_id, table, now)

    def part(self, key: Key) -> Any:
        """Return what a page is to show for a key, None where it is gone."""
        if key == LINK:
            return self.link
        table = self.tables.get(key[0])
        return getattr(table, key[1], None)

    def whole(self) -> dict[str, Any]:
        """Return everything, as a page gets it first."""
        tables = {name: {part: getattr(table, part) for part in PARTS} for name, table in sorted(self.tables.items())}
        return {"site": self.site, "pit": self.pit, "link": self.link, "tables": tables}

    def _table(self, table_id: str) -> Table | None:
        if table_id not in self.tables and len(self.tables) < MOST_TABLES:
            self.tables[table_id] = Table(silent=Silence("", "status not heard yet"))
        return self.tables.get(table_id)

    def _forget(self, table_id: str) -> None:
        """Drop a table: an empty ``status`` says that it left the pit."""
        if self.tables.pop(table_id, None):
            self._changed((table_id, GONE))

    def _read(self, table_id: str, table: Table, part: str, name: str, payload: bytes) -> None:
        faults = dict(table.faults)
        faults.pop(part, None)
        try:
            shown = _READERS[part](table, name, _bounded(payload))
        except UNREADABLE as error:
            log.warning("payload.unreadable", table=table_id, part=part, name=name, error=str(error))
            shown, faults[part] = "", f"{part} cannot be read: {error}"
        if faults != table.faults:
            table.faults = faults
            self._changed((table_id, "faults"))
        if shown:
            self._changed((table_id, shown))

    def _judge(self, table_id: str, table: Table, now: str) -> None:
        """Settle whether the table is silent; it stays silent since it first was, whatever the reason is now."""
        reason = table.why_silent(self.link)
        if table.silent is None:
            silent = Silence(now, reason) if reason else None
        else:
            silent = Silence(table.silent.since or (table.state.ts if table.state else ""), reason) if reason else None
        if silent != table.silent:
            table.silent = silent
            self._changed((table_id, "silent"))

    def _set_link(self, link: Link, now: str) -> None:
        self.link = link
        self._changed(LINK)
        for table_id, table in self.tables.items():
            self._judge(table_id, table, now)


def _bounded(payload: bytes) -> bytes:
    if len(payload) > LARGEST_PAYLOAD:
        raise ValueError(f"{len(payload)} bytes, at most {LARGEST_PAYLOAD} are awaited")
    return payload


def _status(table: Table, _: str, payload: bytes) -> str:
    table.status = msgspec.json.decode(payload, type=Status)
    return ""


def _meta(table: Table, _: str, payload: bytes) -> str:
    table.meta = msgspec.json.decode(payload, type=dict[str, Any]) if payload else None
    return "meta"


def _state(table: Table, _: str, payload: bytes) -> str:
    state = msgspec.json.decode(payload, type=State) if payload else None
    if state and state.v != VERSION:
        raise ValueError(f"version {state.v}, this display reads version {VERSION}")
    table.state = state
    return "state"


def _device(table: Table, name: str, payload: bytes) -> str:
    if payload:
        table.devices = {**table.devices, name: msgspec.json.decode(payload, type=DeviceStatus)}
    else:
        table.devices = {other: status for other, status in table.devices.items() if other != name}
    return "devices"


def _alarms(table: Table, _: str, payload: bytes) -> str:
    found = msgspec.json.decode(payload or b"[]", type=list[Alarm] | Alarms)
    table.alarms = found.alarms if isinstance(found, Alarms) else found
    return "alarms"


def _bridge(table: Table, _: str, payload: bytes) -> str:
    table.bridge = payload.decode(errors="replace").strip()
    return ""


def _event(table: Table, _: str, payload: bytes) -> str:
    event = msgspec.json.decode(payload, type=Envelope)
    epoch, seq = table.last
    if event.type in UNTOLD or (event.epoch == epoch and event.seq <= seq):
        return ""
    table.last = (event.epoch, event.seq)
    currency = table.state.currency if table.state else "USD"
    text = tell(event.type, event.data, currency)
    told = Told(f"{event.epoch}:{event.seq}", event.ts, text, round=event.round, loud=event.type in LOUD)
    table.events = (told, *table.events)[:EVENTS_KEPT]
    return "events"


_READERS: dict[str, Callable[[Table, str, bytes], str]] = {
    "status": _status,
    "meta": _meta,
    "state": _state,
    "device": _device,
    "alarms": _alarms,
    "bridge": _bridge,
    "evt": _event,
}
"""What each topic changes; a reader returns the part that pages show anew."""
