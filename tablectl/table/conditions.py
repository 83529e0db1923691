"""What ails a device: jams, open doors and the like, and what of it holds the table."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tablectl.events import readings as say
from tablectl.events.codec import Input
from tablectl.events.facts import DeviceConditionChanged
from tablectl.table.troubles import CONDITIONS

if TYPE_CHECKING:
    from tablectl.table.table import Table


def began(table: "Table", said: say.DeviceConditionBegan, by: Input) -> None:
    """Hold the table where the device is needed; tampering waits for a supervisor."""
    device = table.devices[by.source]
    if said.condition not in device.conditions:
        table.devices[by.source] = replace(device, conditions=(*device.conditions, said.condition))
        table.tell(DeviceConditionChanged(by.source, said.condition, active=True))
    if said.condition in CONDITIONS:
        text = f"{by.source}: {CONDITIONS[said.condition]}"
        latched = said.condition is say.Condition.TAMPER
        table.raise_alarm(f"{said.condition}:{by.source}", text, latched=latched)
        if table.needs(by.source):
            table.suspend(f"device:{by.source}:{said.condition}", text)


def ended(table: "Table", said: say.DeviceConditionEnded, by: Input) -> None:
    """Let go what the condition held."""
    end(table, by.source, said.condition)


def end(table: "Table", source: str, condition: say.Condition) -> None:
    """End a condition; after tampering the table still waits for a supervisor."""
    device = table.devices[source]
    if condition not in device.conditions:
        return
    left = tuple(other for other in device.conditions if other is not condition)
    table.devices[source] = replace(device, conditions=left)
    table.tell(DeviceConditionChanged(source, condition, active=False))
    alarm = table.alarms.get(f"{condition}:{source}")
    if alarm and not alarm.latched:
        table.clear_alarm(alarm.alarm)
    elif alarm and table.needs(source):
        table.suspend(f"{condition}:{source}", alarm.text)
    table.release(f"device:{source}:{condition}")


def restarted(table: "Table", source: str) -> None:
    """Forget what held before the device was reset; what still holds it says again."""
    for condition in table.devices[source].conditions:
        end(table, source, condition)
