"""A shoe is swapped and tested at a real table: doubles on pseudo-terminals, mosquitto, the daemon killed between."""

import asyncio
from pathlib import Path

from tablectl.events import announcements as say
from tablectl.events.announcements import OpenTable, ReturnDevice, Role
from tablectl.events.facts import (
    CardsDealt,
    DeckLoaded,
    DeckReceived,
    DeviceTested,
    Fact,
    RoundEnded,
    RoundOpened,
    ShuffleDue,
    StackDue,
    StubDue,
)
from tablectl.rehearsal import Plan
from tablectl.rehearsal.plan import serial
from tablectl.rehearsal.technician import Technician
from tablectl.replay import Replayed, replay
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import Floor, floor, tablectl

__all__ = ["mosquitto"]

BONUS = Plan(game="pai-gow-poker", variant="bonus", speed=float("inf"))
OLD, NEW = serial("stack-shoe"), "OT-43"


async def put_in(table: Floor, number: str) -> None:
    """Unplug the shoe and plug in the one of this number."""
    await table.unplug("stack-shoe")
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


KILLED_AT: tuple[tuple[type[Fact], int], ...] = ((StackDue, 1), (StackDue, 5), (StubDue, 1), (ShuffleDue, 1))
"""Facts, and how many of them, at which the daemon is killed: a machine is just moving what is tested."""
STACKS = [7, 7, 7, 7, 7, 7, 7, 4]


def strokes(table: Floor) -> list[int]:
    return [count for source, _, count, by_device in table.world.motions if source == "stack-shoe" and by_device]


def prove_no_round(table: Floor) -> None:
    """No card of a test belongs to a round or to a deck of the table."""
    told = [type(fact) for fact in table.line.facts]
    assert not {RoundOpened, CardsDealt, DeckReceived, DeckLoaded} & set(told)
    assert isinstance(replay(table.journal), Replayed)


async def test_a_test_outlives_the_daemon(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """Killed again and again while shoe and shuffler are tested, the daemon goes on where the test was: each stack
    leaves the shoe once, what people count is what was ordered, and nothing of it is dealt.
    """
    async with floor(BONUS, tmp_path, mosquitto.port) as table:

        async def kill() -> None:
            for due, count in KILLED_AT:
                daemon = await table.daemon()
                await table.until_told(due, count)
                await daemon.kill()
            await table.daemon()

        async def test() -> None:
            await asyncio.gather(kill(), Technician(table.plan, table.line, table.guest).work())

        await table.unless_failed(test(), 90)
        told = table.line.found(DeviceTested)
        assert [(tested.device, tested.passed, list(tested.counted)) for tested in told] == [
            ("shoe1", True, STACKS),
            ("shuffler1", True, [53]),
        ]
        assert strokes(table) == STACKS
        prove_no_round(table)


async def test_a_test_of_a_shoe_that_forgot_ends_as_unknown(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """Daemon and shoe lose their power in mid-stack of a test, and the shoe its memory: the test ends, the shoe has not
    passed it, no stack is ordered again, and another test may begin.
    """
    async with floor(BONUS, tmp_path, mosquitto.port, speeds={"stack-shoe": "0.2"}) as table:
        line = table.line
        daemon = await table.daemon()
        await table.until(lambda: "shoe1" in line.health and line.health["shoe1"].online)
        assert await line.say(say.TestDevice("shoe1", 53), Role.SERVICE), line.refused
        await table.guest.move("box-red", "stack-shoe")
        await table.until_told(StackDue)
        await daemon.kill()
        await table.unplug("stack-shoe")
        await table.double("stack-shoe")
        await table.daemon()
        await table.until_told(DeviceTested)

        (tested,) = line.found(DeviceTested)
        assert (tested.passed, tested.text) == (False, "shoe1: the device has lost its memory")
        assert len(line.found(StackDue)) == 1
        assert await line.say(say.TestDevice("shoe1", 53), Role.SERVICE), line.refused
        prove_no_round(table)
