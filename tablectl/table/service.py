"""Devices leave service in mid-round, come back or are swapped between rounds, and are tested before play."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tablectl.events import announcements as say
from tablectl.events.codec import Input
from tablectl.events.facts import (
    CommandEnded,
    Device,
    DeviceReturned,
    DeviceTakenOut,
    DeviceTestBegan,
    DeviceTestDue,
    DeviceTestWaived,
    Place,
    ShuffleDue,
    StackDue,
    StubDue,
)
from tablectl.events.readings import (
    CommandRefused,
    CommandUnknown,
    DeviceConditionBegan,
    DeviceConditionEnded,
    DeviceEventsLost,
    DeviceFound,
    DeviceLost,
    DeviceRecordBehind,
)
from tablectl.table import conditions
from tablectl.table.trial import TESTED, Trial
from tablectl.terms import Refused

if TYPE_CHECKING:
    from tablectl.table.table import Table

WRONG_DEVICE = "wrong-device"
OF_ITSELF = (
    CommandRefused,
    CommandUnknown,
    DeviceConditionBegan,
    DeviceConditionEnded,
    DeviceEventsLost,
    DeviceFound,
    DeviceLost,
    DeviceRecordBehind,
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
    _go_on_without(table, said.device)


def _go_on_without(table: "Table", name: str) -> None:
    """Let people do what the device did; that it does not answer, or is blocked, holds nothing any more."""
    for key in [key for key in table.suspended if key == f"device:{name}" or f":{name}:" in key]:
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
    """Put a device back, or another one in its place; what moves cards or dice is used once it has passed a test."""
    device = _known(table, said.device)
    _check_between_rounds(table, said.device)
    if not (device.out or said.new_serial):
        raise Refused("device", "a device out of service, or a new serial number", f"{said.device} is in service")
    if said.new_serial:
        _check_swap(table, device, said)
    table.devices[said.device] = replace(device, out="", meant=said.new_serial or device.meant)
    table.tell(DeviceReturned(said.device, said.reason, by.by, said.old_serial, said.new_serial))
    if said.new_serial:
        _swap(table, said.device)
    _demand_test(table, said.device, "another device stands in its place" if said.new_serial else "back in service")


def _check_between_rounds(table: "Table", device: str) -> None:
    if table.round and table.round.closed_by:
        raise Refused("round", "the end of the round", f"{device} comes back between rounds")


def _check_swap(table: "Table", device: Device, said: say.ReturnDevice) -> None:
    """Refuse a swap that does not name the device that was meant until now; one that answers already may be the new."""
    old = table.meant(device.device) or device.serial
    known = said.old_serial == old or (device.serial == said.new_serial and not table.meant(device.device))
    if not known or said.new_serial == said.old_serial:
        awaited = f"{old or 'no number'} as the old serial number, and another as the new one"
        raise Refused("serial", awaited, f"{said.old_serial or 'no number'} is not replaced by {said.new_serial}")


def _swap(table: "Table", name: str) -> None:
    """Forget what the old device was about; it does not answer for the table any more."""
    _drop_commands(table, name)
    deck = table.custody.at(Place.SHUFFLER)
    if deck and table.terms.devices.get("shuffler") == name:
        table.custody.shuffle_failed(deck.deck)
    conditions.restarted(table, name)
    device = table.devices[name]
    if device.serial != device.meant:
        table.devices[name] = replace(table.devices[name], boot="", number=0)
        table.offline(name, WRONG_DEVICE, f"{device.meant} is awaited")


def _demand_test(table: "Table", name: str, reason: str) -> None:
    """Leave a device that moves something out of play until it was tested."""
    if not moves(table, name):
        return
    table.devices[name] = replace(table.devices[name], untested=reason)
    table.tell(DeviceTestDue(name, reason))
    _go_on_without(table, name)


def moves(table: "Table", name: str) -> bool:
    """Tell whether the device moves cards or dice."""
    return any(table.terms.devices.get(kind) == name for kind in TESTED)


def file_changed(table: "Table", before: Mapping[str, str]) -> None:
    """Let the table file speak again where it names another device than it did; a device nobody knew is tested."""
    after = table.terms.serials
    for name, device in table.devices.items():
        if before.get(name) == after.get(name):
            continue
        known = (device.meant, device.serial)
        table.devices[name] = replace(device, meant="")
        if after.get(name) and after[name] not in known and device.serial:
            _demand_test(table, name, "the table file names another device")


def test_device(table: "Table", said: say.TestDevice, by: Input) -> None:
    """Begin the test of a device; one that runs is over."""
    device = _known(table, said.device)
    _check_testable(table, device)
    _check_deck(table, said)
    if table.trial:
        table.trial.end("the test was begun anew")
    if table.terms.devices.get("stack-shoe") == said.device or table.terms.devices.get("card-shoe") == said.device:
        table.tell_all(table.custody.out_of_play())
    table.tell(DeviceTestBegan(said.device, said.cards, by.by))
    table.trial = Trial(table, said.device, said.cards, said.size)


def _check_testable(table: "Table", device: Device) -> None:
    name = device.device
    if table.open or table.round:
        raise Refused("table", "a closed table", f"{name} is tested while nobody plays")
    if device.out or not device.online:
        raise Refused("device", "a device in service that answers", f"{name}: {device.out or device.reason}")
    if not moves(table, name):
        raise Refused("device", "a device that moves cards or dice", f"{name} moves nothing that could be counted")
    shuffles = table.terms.devices.get("shuffler") == name and table.custody.at(Place.SHUFFLER)
    tried = table.trial.command if table.trial and table.trial.device == name else ""
    busy = any(due.device == name for key, due in table.commands.items() if key != tried)
    if shuffles or busy:
        raise Refused("device", "a device that is idle, and empty", f"{name} still has a deck or an order")


def _check_deck(table: "Table", said: say.TestDevice) -> None:
    """Refuse a test without the deck that was counted for it, or with stacks that it does not hold."""
    if table.terms.devices.get("shaker") == said.device:
        awaited, fits = "no cards", said.cards == 0
    else:
        awaited, fits = "the number of cards that were counted by hand", said.cards > 0
    if fits and table.terms.devices.get("stack-shoe") == said.device:
        awaited, fits = f"stacks of 1 to {said.cards} cards", 0 < said.size <= said.cards
    if not fits:
        raise Refused("cards", awaited, f"{said.device} is not tested with {said.cards} cards, {said.size} a stack")


def enter_test(table: "Table", said: say.EnterTest, by: Input) -> None:
    """Take what people found in a test."""
    if not table.trial:
        raise Refused("test", "a test that runs", "no device is being tested")
    table.trial.enter(said.counts, by.by)


def waive_test(table: "Table", said: say.WaiveTest, by: Input) -> None:
    """Use a device that was not tested, by a supervisor's word."""
    device = _known(table, said.device)
    _check_between_rounds(table, said.device)
    if not device.untested:
        raise Refused("device", "a device that must be tested", f"{said.device} may be used")
    if not (by.by and said.reason):
        raise Refused("ruling", "who rules, and why", "a ruling has a name and a reason")
    if table.trial and table.trial.device == said.device:
        table.trial.end("the test was waived")
    table.tested(said.device, passed=True)
    table.tell(DeviceTestWaived(said.device, said.reason, by.by, said.clause))


def stranded(table: "Table", command: str) -> bool:
    """Tell whether a command is out that its device, which does not answer, can no longer tell of."""
    due = table.commands.get(command)
    return isinstance(due, (StackDue, StubDue)) and not table.devices[due.device].online
