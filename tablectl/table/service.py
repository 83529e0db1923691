"""Devices leave service in the middle of a round, and come back between rounds."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tablectl.events import announcements as say
from tablectl.events.codec import Input
from tablectl.events.facts import CommandEnded, Device, DeviceReturned, DeviceTakenOut, ShuffleDue, StackDue, StubDue
from tablectl.events.readings import (
    CommandRefused,
    CommandUnknown,
    DeviceConditionBegan,
    DeviceConditionEnded,
    DeviceEventsLost,
    DeviceFound,
    DeviceLost,
)
from tablectl.terms import Refused

if TYPE_CHECKING:
    from tablectl.table.table import Table

OF_ITSELF = (
    CommandRefused,
    CommandUnknown,
    DeviceConditionBegan,
    DeviceConditionEnded,
    DeviceEventsLost,
    DeviceFound,
    DeviceLost,
)
"""What is heard of a device that is out of service; cards and dice are people's then."""


def take_out(table: "Table", said: say.TakeOutOfService, by: Input) -> None:
    """Finish the round without the device: the dealer does and confirms what it did."""
    device = _known(table, said.device)
    if device.out:
        raise Refused("device", "a device in service", f"{said.device} is out of service: {device.out}")
    doubtful = [*_orders(table.doubts, said.device), *_orders(table.commands, said.device)]
    if doubtful:
        text = f"nobody has counted yet what became of {', '.join(doubtful)}"
        raise Refused("doubt", "the doubt ended by a count", text)
    _drop_commands(table, said.device)
    table.devices[said.device] = replace(device, out=said.reason)
    table.tell(DeviceTakenOut(said.device, said.reason, by.by, said.clause))
    for key in [key for key in table.suspended if key == f"device:{said.device}" or f":{said.device}:" in key]:
        table.release(key)
    if table.round:
        table.round.go_on_by_hand()


def _known(table: "Table", name: str) -> Device:
    device = table.devices.get(name)
    if device is None:
        raise Refused("device", f"one of {', '.join(table.devices) or 'none'}", f"{name} is no device of this table")
    return device


def _orders(commands: dict[str, object], device: str) -> list[str]:
    """Return the commands by which the device moves cards that nobody else counts."""
    return [key for key, due in commands.items() if isinstance(due, (StackDue, StubDue)) and due.device == device]


def _drop_commands(table: "Table", device: str) -> None:
    for command in [command for command, due in table.commands.items() if due.device == device]:
        due = table.commands.pop(command)
        table.tell(CommandEnded(command, "unknown", f"{device} is out of service"))
        if isinstance(due, ShuffleDue):
            table.custody.shuffle_failed(due.deck)


def return_device(table: "Table", said: say.ReturnDevice, by: Input) -> None:
    """Put a device back, or another one in its place."""
    device = _known(table, said.device)
    if table.round and table.round.closed_by:
        raise Refused("round", "the end of the round", f"{said.device} comes back between rounds")
    if not (device.out or said.new_serial):
        raise Refused("device", "a device out of service, or a new serial number", f"{said.device} is in service")
    if said.new_serial and (said.new_serial == said.old_serial or said.old_serial != device.serial):
        awaited = f"{device.serial or 'no number'} as the old serial number, and another as the new one"
        raise Refused("serial", awaited, f"{said.old_serial} is not replaced by {said.new_serial}")
    table.devices[said.device] = replace(device, out="", serial=said.new_serial or device.serial)
    table.tell(DeviceReturned(said.device, said.reason, by.by, said.old_serial, said.new_serial))


def stranded(table: "Table", command: str) -> bool:
    """Tell whether a command is out that its device, which does not answer, can no longer tell of."""
    due = table.commands.get(command)
    return isinstance(due, (StackDue, StubDue)) and not table.devices[due.device].online
