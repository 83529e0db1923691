"""Under-voltage drops devices: what the board tells of its power stands in the record beside the loss."""

from pathlib import Path

import pytest

from tablectl.events.facts import AlarmCleared, AlarmRaised, DeviceWentOffline
from tablectl.rehearsal import Plan
from tablectl.telemetry.power import Power
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import floor

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
        await table.doubles["card-shoe"].kill()
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
