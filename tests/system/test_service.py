"""A shoe is swapped and tested at a real table: doubles on pseudo-terminals, mosquitto, the daemon killed between."""

from pathlib import Path

from tablectl.events.announcements import OpenTable, ReturnDevice, Role
from tablectl.events.facts import DeviceTested, RoundEnded, RoundOpened
from tablectl.rehearsal import Plan
from tablectl.rehearsal.plan import serial
from tablectl.rehearsal.technician import Technician
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import Floor, floor, tablectl

__all__ = ["mosquitto"]

BONUS = Plan(game="pai-gow-poker", variant="bonus", speed=float("inf"))
OLD, NEW = serial("stack-shoe"), "OT-43"


async def put_in(table: Floor, number: str) -> None:
    """Unplug the shoe and plug in the one of this number."""
    await table.doubles["stack-shoe"].kill()
    await table.until(lambda: not table.line.health["shoe1"].online)
    await table.double("stack-shoe", number=number)


async def test_a_swapped_shoe_is_tested_and_outlives_the_daemon(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """Another shoe is the wrong device until it is named by a swap, from then on the old one is; the table opens when
    the new one has passed its test, and all that stands after a kill, over the table file, which `check` tells.
    """
    async with floor(BONUS, tmp_path, mosquitto.port) as table:
        line = table.line
        technician = Technician(table.plan, line, table.guest)
        daemon = await table.daemon()
        await table.until(lambda: "shoe1" in line.health and line.health["shoe1"].online)
        await put_in(table, NEW)
        await table.until(lambda: f"'{NEW}' answers, awaited was serial '{OLD}'" in line.health["shoe1"].detail)
        await line.say(ReturnDevice("shoe1", "worn out", OLD, NEW), Role.SERVICE)
        await table.until(lambda: line.health["shoe1"].serial == NEW and line.health["shoe1"].online)

        assert not await line.say(OpenTable(("ann", "bob")), Role.SUPERVISOR)
        assert [test.device for test in line.state.tests] == ["shoe1"]
        await table.unless_failed(technician.work())
        tested = [(told.device, told.passed) for told in line.found(DeviceTested)]
        assert tested == [("shoe1", True), ("shuffler1", True)]
        await table.play_until(RoundEnded)
        await daemon.kill()
        check = await tablectl(tmp_path, "check", "check", str(table.table_file))
        assert await check.ended() == 0
        assert f"But {NEW} must answer" in " ".join(check.log().split())

        await table.daemon()
        await table.until_told(RoundOpened, len(line.found(RoundOpened)))
        await table.until(lambda: line.health["shoe1"].online and line.health["shoe1"].serial == NEW)
        await put_in(table, OLD)
        await table.until(lambda: f"'{OLD}' answers, awaited was serial '{NEW}'" in line.health["shoe1"].detail)
