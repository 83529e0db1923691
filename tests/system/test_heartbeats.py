"""A device that only says that it lives costs the record nothing, however long it says so."""

from pathlib import Path

from tablectl.events.facts import AlarmRaised, DeviceCameOnline
from tablectl.events.readings import DeviceConditionBegan, DeviceFound, ShoeLoaded
from tablectl.journal import Record
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import tablectl
from tests.system.test_contract_record import at_the_table, table_file, until

__all__ = ["mosquitto"]

HASTE = """
[[fault]]
at = 1.5
every = 0.05
what = "clock-step"
lasts = 150
[[fault]]
at = 3
what = "open-door"
"""
"""A second and a half in which the device lives for more than an hour, and then has something to say."""
SHOE = """
[[device]]
id = "shoe1"
kind = "card-shoe"
driver = "otdp-card-shoe"
url = "double:card-shoe?deck=6x52&speed=max&faults={plan}"
"""
BEATS = 3600
A_TENTH = BEATS * 10
"""Bytes: a tenth of what rows of so many heartbeats would take."""


async def test_an_hour_of_heartbeats_is_not_recorded(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """A table at rest hears one device's heart for an hour: not a row and not a byte for it in the record, which holds
    what the device said before and after; its health tells how many frames there were.
    """
    plan = tmp_path / "haste.toml"
    plan.write_text(HASTE)
    file = table_file(tmp_path, mosquitto.port, tmp_path / "journal.db")
    file.write_text(file.read_text() + SHOE.format(plan=plan))
    async with at_the_table(mosquitto.port) as line:
        daemon = await tablectl(tmp_path, "run", "run", str(file))
        await until(line, lambda: line.online and line.found(DeviceCameOnline))
        before = size(tmp_path)
        await until(line, lambda: any(raised.alarm == "door-open:shoe1" for raised in line.found(AlarmRaised)))
        assert await daemon.stop() == 0, daemon.log()
        await until(line, lambda: not line.online)
        counters = line.health["shoe1"].counters
    assert counters is not None
    assert counters.frames_in > BEATS
    with Record(tmp_path / "journal.db") as record:
        said = [entry.said for entry in record.entries()]
    assert [type(each.body) for each in said if each.source == "shoe1"] == [
        DeviceFound,
        ShoeLoaded,
        DeviceConditionBegan,
    ]
    assert size(tmp_path) - before < A_TENTH


def size(folder: Path) -> int:
    """Return the bytes of the record, with its log."""
    return sum(file.stat().st_size for file in folder.glob("journal.db*") if not file.name.endswith("-shm"))
