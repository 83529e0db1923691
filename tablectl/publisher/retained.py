"""What stands on the retained topics, and when each is due to be written again."""

from typing import Any

import msgspec

from tablectl.publisher.broker import Outgoing
from tablectl.publisher.payloads import Alarms, DeviceHealth, Meta, V
from tablectl.publisher.topics import Topics
from tablectl.view import State

_STATE_PACE = 0.1  # seconds between two states of one phase
_COUNTERS_PACE = 10.0  # seconds between two messages that differ in counters only

_encode = msgspec.json.Encoder().encode


class Shown(msgspec.Struct, frozen=True):
    """What a retained topic should say now. pace: seconds between two messages, unless urgent changed as well."""

    message: Outgoing
    pace: float = 0.0
    urgent: Any = None


def shown(topics: Topics, meta: Meta, state: State, devices: list[DeviceHealth]) -> list[Shown]:
    """Return everything retained but the status."""
    alarms = Alarms(v=V, table=state.table, at_seq=state.at_seq, alarms=state.alarms)
    return [
        Shown(_retained(topics.meta, meta, "meta")),
        *(_device(topics, device) for device in devices),
        Shown(_retained(topics.alarms, alarms, "alarms"), pace=_COUNTERS_PACE, urgent=alarms.alarms),
        Shown(_retained(topics.state, state, "state"), pace=_STATE_PACE, urgent=(state.round, state.phase)),
    ]


def _device(topics: Topics, device: DeviceHealth) -> Shown:
    message = _retained(topics.device(device.device), device, "device")
    return Shown(message, pace=_COUNTERS_PACE, urgent=msgspec.structs.replace(device, counters=None))


def _retained(topic: str, payload: msgspec.Struct, schema: str) -> Outgoing:
    return Outgoing(topic, _encode(payload), f"{schema}/{V}", retain=True)


class Board:
    """What one connection has written so far; a new connection begins with an empty one."""

    def __init__(self) -> None:
        self._written: dict[str, tuple[float, Shown]] = {}

    def due(self, wanted: list[Shown], now: float) -> tuple[list[Shown], float | None]:
        """Return what is to be written now, and when to look again, None if only a change can make something due."""
        due: list[Shown] = []
        later: list[float] = []
        for item in wanted:
            at, before = self._written.get(item.message.topic, (0.0, None))
            if before is None or (before.urgent != item.urgent) or (now >= at + item.pace and before != item):
                due.append(item)
            elif before != item:
                later.append(at + item.pace)
        return due, min(later, default=None)

    def write(self, item: Shown, now: float) -> None:
        """Note that the broker has it."""
        self._written[item.message.topic] = (now, item)
