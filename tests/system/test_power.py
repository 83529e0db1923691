"""Under-voltage drops devices: what the board tells of its power stands in the record beside the loss."""

import asyncio
import itertools
from pathlib import Path

import pytest

from tablectl.daemon import controller as daemon
from tablectl.devices.usb_double import UsbLine, line_of
from tablectl.events.facts import AlarmCleared, AlarmRaised, DeviceCameOnline, DeviceWentOffline, Fact
from tablectl.events.readings import DeviceConditionBegan, DeviceConditionEnded
from tablectl.journal import Record
from tablectl.rehearsal import Plan
from tablectl.telemetry.power import Power
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import behind_usb, controlled, floor
from tests.system.test_contract_outage import open_and_close

__all__ = ["mosquitto"]


@pytest.mark.parametrize(
    ("told", "understood"),
    [
        (("0",), ("",)),
        (("50005",), ("under-voltage, throttled",)),
        (("0x8\n",), ("too hot",)),
        (("0", "10000", "10000"), ("", "under-voltage for a moment", "")),
        (("50005", "50000", "50001"), ("under-voltage, throttled", "", "under-voltage")),
        (("a0002",), ("too hot for a moment",)),
        (("no number", ""), ("", "")),
    ],
)
def test_flags_are_told_in_words(tmp_path: Path, told: tuple[str, ...], understood: tuple[str, ...]) -> None:
    """What is wrong now, and what was wrong for a moment between two looks, once; nonsense is nothing."""
    power = Power(tmp_path / "throttled")
    assert power.look() == ""
    for text, words in zip(told, understood, strict=True):
        (tmp_path / "throttled").write_text(text)
        assert power.look() == words


async def test_a_loss_under_voltage_is_recorded_as_such(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """With the loss of a device comes the alarm that says why, and it ends when the power is good again."""
    flags = tmp_path / "throttled"
    flags.write_text("0")
    async with floor(Plan(game="red-dog", speed=float("inf")), tmp_path, mosquitto.port) as table:
        daemon = await table.daemon(TABLECTL_THROTTLED=str(flags), WATCHDOG_USEC="60000000")
        await table.until(lambda: table.line.health and all(each.online for each in table.line.health.values()))
        flags.write_text("50005")
        await table.unplug("card-shoe")
        await table.until(lambda: any(raised.alarm == "power" for raised in table.line.found(AlarmRaised)))
        lost, offline, power = table.line.facts[-3:]
        assert isinstance(lost, DeviceWentOffline)
        assert isinstance(offline, AlarmRaised)
        assert isinstance(power, AlarmRaised)
        assert power.text == "The board is under-voltage, throttled; devices may be lost"
        assert await daemon.stop() == 0
        flags.write_text("50000")
        await table.daemon(TABLECTL_THROTTLED=str(flags))
        await table.until(lambda: any(cleared.alarm == "power" for cleared in table.line.found(AlarmCleared)))


DROPPED = 0.3
"""Seconds for which the bus is gone."""


def sag(line: UsbLine, flags: Path) -> None:
    """Let the voltage sag: the board notes it, and what hangs on its bus is gone."""
    flags.write_text("50005")
    line.unplug()


async def test_a_bus_that_drops_under_load_comes_back_with_all_it_had_to_say(
    tmp_path: Path, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bus is gone for 300 ms while a device says something fifty times a second: one loss, with the board's flags
    in the record before the device is back, which it is without a restart; of what it said nothing is missing or twice.
    """
    monkeypatch.setenv("TABLECTL_THROTTLED", str(tmp_path / "throttled"))
    monkeypatch.setattr(daemon, "WATCHDOG", 60)  # else the flags may be seen before the loss
    async with floor(Plan(game="red-dog", speed=float("inf")), tmp_path, mosquitto.port, devices=()) as table:
        line = line_of(behind_usb(table))
        async with controlled(table.table_file):
            await table.until_told(DeviceCameOnline)
            table.background(open_and_close(table, asyncio.Event()))
            await table.until(lambda: table.line.at_seq > 50)
            sag(line, tmp_path / "throttled")
            await asyncio.sleep(DROPPED)
            line.bus.plugged = True
            await table.until_told(DeviceCameOnline, 2)
            heard = table.line.at_seq
            await table.until(lambda: table.line.at_seq > heard + 50)
    assert incident(table.line.facts) == ["offline: unplugged", "power: under-voltage, throttled", "online"]
    with Record(table.journal) as record:
        said = [entry.said for entry in record.entries() if entry.said.number]
    numbers = [each.number for each in said]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    kinds = [type(each.body) for each in said if isinstance(each.body, DeviceConditionBegan | DeviceConditionEnded)]
    assert kinds == list(itertools.islice(itertools.cycle([DeviceConditionBegan, DeviceConditionEnded]), len(kinds)))


def incident(facts: list[Fact]) -> list[str]:
    """Return what was told of the loss, without that the device was not back at the first attempt."""
    told = []
    for fact in facts:
        match fact:
            case DeviceWentOffline(reason=reason) if reason not in ("missing", "the controller restarted"):
                told.append(f"offline: {reason}")
            case AlarmRaised(alarm="power", text=text):
                told.append(f"power: {text.removeprefix('The board is ').partition(';')[0]}")
            case DeviceCameOnline() if told:
                told.append("online")
    return told
