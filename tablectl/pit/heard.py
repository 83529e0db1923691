"""What one table last told, part by part, and how each topic changes it."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from tablectl.events.facts import Alarm, CommandEnded
from tablectl.publisher.payloads import Alarms, DeviceHealth, Envelope, Meta, Payload, Status, V, read
from tablectl.view import State
from tablectl.words import LOUD, UNTOLD, tell

LARGEST_PAYLOAD = 64 * 1024
EVENTS_KEPT = 40

UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
"""What reading a stranger's bytes may raise."""


class Told(msgspec.Struct, omit_defaults=True):
    """One event as a page shows it."""

    id: str
    ts: str
    text: str
    round: int = 0
    loud: bool = False


class Silence(msgspec.Struct):
    """Why a table is not shown as live. since: RFC 3339, empty where nothing tells since when."""

    since: str
    reason: str


class Link(msgspec.Struct):
    """The display's own connection to the broker. since: RFC 3339; reason: why it is down."""

    up: bool
    since: str
    reason: str = ""


class Table(msgspec.Struct):
    """The latest of one table.

    faults: by part, what could not be read; events: newest first; last: epoch and number of the newest;
    status: None until heard on the present connection; bridge: ``0`` while a bridge says that it is down.
    """

    silent: Silence | None
    meta: Meta | None = None
    state: State | None = None
    devices: dict[str, DeviceHealth] = msgspec.field(default_factory=dict)
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
            return "its bridge to this broker is down"
        if self.status is None:
            return "not heard from since this display connected"
        return "" if self.status.state == "online" else _OFFLINE.get(self.status.reason, self.status.reason)


_OFFLINE = {
    "": "offline",
    "lost": "its connection was lost",
    "stopped": "stopped in order",
    "record": "its record cannot be kept",
    "port-busy": "another program has the port of one of its devices",
}


def _status(table: Table, _: str, payload: bytes) -> None:
    table.status = None
    table.status = _decode(payload, Status)


def _meta(table: Table, _: str, payload: bytes) -> None:
    table.meta = None
    table.meta = _decode(payload, Meta) if payload else None


def _state(table: Table, _: str, payload: bytes) -> None:
    table.state = None
    table.state = _decode(payload, State) if payload else None


def _device(table: Table, name: str, payload: bytes) -> None:
    table.devices = {other: health for other, health in table.devices.items() if other != name}
    if payload:
        table.devices[name] = msgspec.structs.replace(_decode(payload, DeviceHealth), counters=None)


def _alarms(table: Table, _: str, payload: bytes) -> None:
    table.alarms = None
    table.alarms = _decode(payload, Alarms).alarms if payload else None


def _bridge(table: Table, _: str, payload: bytes) -> None:
    table.bridge = payload.decode()


def _event(table: Table, _: str, payload: bytes) -> None:
    event = _decode(payload, Envelope)
    epoch, seq = table.last
    if event.type in UNTOLD or (event.epoch == epoch and event.seq <= seq):
        return
    table.last = (event.epoch, event.seq)
    if event.type == CommandEnded.name() and event.data.get("outcome") == "done":  # what it did is told beside it
        return
    text = tell(event.type, event.data, table.state.currency if table.state else "USD")
    told = Told(event.id, event.ts, text, round=event.round, loud=event.type in LOUD)
    table.events = (told, *table.events)[:EVENTS_KEPT]


class Reader(NamedTuple):
    """How a topic is read, and the part that pages show anew after it, empty if none."""

    read: Callable[[Table, str, bytes], None]
    shown: str = ""


READERS = {
    "status": Reader(_status),
    "meta": Reader(_meta, "meta"),
    "state": Reader(_state, "state"),
    "device": Reader(_device, "devices"),
    "alarms": Reader(_alarms, "alarms"),
    "bridge": Reader(_bridge),
    "evt": Reader(_event, "events"),
}
"""By the first word behind the table's id. A reader forgets what it replaces before it may fail:
what is old is never left standing as if it were the latest."""


class _Versioned(msgspec.Struct):
    v: int


def _decode(payload: bytes, shape: type[Payload]) -> Payload:
    """Read one payload.

    Raises:
        ValueError: too large, of another version, or of another shape, and where.
    """
    if len(payload) > LARGEST_PAYLOAD:
        raise ValueError(f"{len(payload)} bytes, at most {LARGEST_PAYLOAD} are awaited")
    version = read(payload, _Versioned).v
    if version != V:
        raise ValueError(f"version {version}, this display reads version {V}")
    return read(payload, shape)
