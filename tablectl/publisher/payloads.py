"""What is written on the topics, but for the state, which is :class:`tablectl.view.State`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from tablectl.devices.contract import Counters, State
from tablectl.events.facts import Alarm, RoundOpened
from tablectl.events.readings import Condition

V = 1
"""Raised when a payload changes in a way that older readers would misread."""

UNTOLD: dict[str, tuple[str, ...]] = {RoundOpened.name(): ("snapshot",)}
"""Fields of facts that never leave the record, by the fact's name: players could count a live shoe by them."""

Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.-]{1,64}$(?!\n)")]  # Python's $ lets a line end pass

Number = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
"""What every reader of JSON holds exactly."""

Plain = str | Number | float | bool | None
Value = Plain | Sequence[Plain] | Mapping[str, Plain]
"""What a field of an announcement may hold; what is nested deeper is refused where it begins."""

Payload = TypeVar("Payload")


class Envelope(msgspec.Struct, frozen=True):
    """One fact on its ``evt`` topic.

    id: ``table:epoch:seq``. type: the fact's name. seq: without gaps as long as epoch is the same. ts: when the input
    was said that caused it. round: 0 before the first. src: the device or role that caused it. data: the fact.
    """

    v: int
    id: str
    type: str
    table: str
    epoch: str
    seq: int
    ts: str
    round: int
    src: str
    data: dict[str, Any]


class Status(msgspec.Struct, frozen=True, omit_defaults=True):
    """Birth and last will. boot: this process start. reason: of ``offline``: ``lost`` (the will), ``stopped``,
    ``record`` where the record cannot be kept, or ``port-busy`` where another program had a device's port at the start.
    """

    v: int
    state: Literal["online", "offline"]
    boot: str
    epoch: str
    program: str
    reason: str = ""


class DeviceMeta(msgspec.Struct, frozen=True, omit_defaults=True):
    """A device that the table is configured with. serial: the number that must answer, empty for any; in_file: what
    the table file says instead, where a swap stands over it.
    """

    device: str
    kinds: tuple[str, ...]
    driver: str
    serial: str = ""
    in_file: str | None = None


class Meta(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the table is.

    title: of the game, as people say it. wagers, cards: what the table can know. unconfirmed: clauses that are not
    confirmed text, each as "name: standing".
    checks_off: what this table cannot check. schemas: ids of all payloads that it publishes.
    """

    v: int
    table: str
    program: str
    game: str
    variant: str
    mode: str
    positions: int
    wagers: str
    cards: dict[str, str]
    currency: str = "USD"
    devices: tuple[DeviceMeta, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    checks_off: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    title: str = ""


class DeviceHealth(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a device is. reason: why it is offline, empty while online; detail: who answers in its place. since: of
    online or offline. line: how its serial line is set, as the system told.
    """

    v: int
    table: str
    device: str
    kinds: tuple[str, ...]
    online: bool
    state: State
    reason: str = ""
    detail: str = ""
    since: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    boot: str = ""
    line: str = ""
    conditions: tuple[Condition, ...] = ()
    counters: Counters | None = None


class Alarms(msgspec.Struct, frozen=True):
    """All active alarms."""

    v: int
    table: str
    at_seq: int
    alarms: list[Alarm]


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request on a ``cmd`` topic, which names role and verb.

    key: the caller's own id of it; a repeated key has no second effect and gets the first reply. by: the person.
    round: the round it is meant for. expires: from then on it must not be done. data: the announcement's fields.
    reply_to: names the topic ``rsp/{reply_to}`` where no Response Topic can be given.
    """

    v: Literal[1]
    key: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    by: Annotated[str, msgspec.Meta(max_length=64)] = ""
    round: Number | None = None
    expires: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    data: Mapping[str, Value] = {}
    reply_to: Id | None = None


class Refusal(msgspec.Struct, frozen=True):
    """Why not. code: for programs. awaited: what would have been right. clause: the rule, empty where none is."""

    code: str
    awaited: str
    clause: str
    text: str


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a command. seq: the last fact when it was done; a display that has read it shows the effect."""

    v: int
    key: str
    ok: bool
    seq: int
    error: Refusal | None = None


def read(payload: bytes, shape: type[Payload]) -> Payload:
    """Read what a stranger sent.

    Raises:
        msgspec.DecodeError: it is no such payload, and where not.
    """
    try:
        return msgspec.json.decode(payload, type=shape)
    except RecursionError as error:
        raise msgspec.DecodeError("JSON is nested too deeply") from error
