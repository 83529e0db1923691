"""The daemon's process while its devices take nothing, or are gone: it ends when asked, and it rests."""

import asyncio
import os
import sys
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablectl.devices.bench import run
from tablectl.devices.pty import open_pty
from tablectl.events.facts import (
    CardsDealt,
    CommandEnded,
    DeviceCameOnline,
    DeviceWentOffline,
    RoundEnded,
    StackDue,
)
from tablectl.rehearsal import Plan
from tablectl.rehearsal.plan import port, serial
from tests.brokers import Mosquitto, mosquitto
from tests.drivers.tables import make
from tests.system.harness import Program, behind_usb, floor

__all__ = ["mosquitto"]

RED_DOG = Plan(game="red-dog", speed=float("inf"))
ENDED_IN = 2.0
BONUS = Plan(variant="bonus", speed=float("inf"))
SHOE = "stack-shoe"
PULLED = 5
"""Seconds for which a cable is pulled out."""
GONE = 60
"""Seconds for which the devices are gone."""


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[Path]:
    """A port that takes nothing any more: its output is stopped."""
    path = port(tmp_path, "card-shoe")
    master, slave = os.openpty()
    tty.setraw(slave)
    path.symlink_to(os.ttyname(slave))
    termios.tcflow(slave, termios.TCOOFF)
    yield path
    os.close(slave)
    os.close(master)


@pytest.mark.usefixtures("stopped")
async def test_a_device_that_takes_nothing_does_not_keep_the_daemon(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """It is told as stuck, and SIGTERM ends the daemon within two seconds, for all that was never taken."""
    async with floor(RED_DOG, tmp_path, mosquitto.port, devices=()) as table:
        daemon = await table.daemon()
        await table.until(lambda: any(lost.reason == "stuck" for lost in table.line.found(DeviceWentOffline)))
        began, status = time.monotonic(), await daemon.stop()
        assert (status, time.monotonic() - began < ENDED_IN) == (0, True)


TELLS_THREADS = """
import threading
from tablectl.__main__ import main
try:
    main()
finally:
    print("left:", *[each.name for each in threading.enumerate() if not each.daemon])
"""
"""``tablectl``, which says at its end which threads would keep its process from ending."""


async def test_a_read_that_waits_on_the_bus_does_not_keep_the_daemon(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """SIGTERM while a USB read is under way, which nobody can call off: the daemon ends within two seconds, in order,
    and no thread is left that others would have to wait for.
    """
    async with floor(RED_DOG, tmp_path, mosquitto.port, devices=()) as table:
        behind_usb(table)
        daemon = await Program.start(tmp_path, "run", sys.executable, "-c", TELLS_THREADS, "run", str(table.table_file))
        await table.until_told(DeviceCameOnline)
        began, status = time.monotonic(), await daemon.stop()
        assert (status, time.monotonic() - began < ENDED_IN) == (0, True)
    assert daemon.log().splitlines()[-1] == "left: MainThread"


def busy(daemon: Program) -> float:
    """Return the seconds of a core that a process has taken so far."""
    after = Path(f"/proc/{daemon.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after[11]) + int(after[12])) / os.sysconf("SC_CLK_TCK")


async def test_a_shoe_that_is_pulled_out_in_mid_stack_is_lost_once(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """A reader that cannot notice that its port has gone spins, or tells the loss again and again. The cable is pulled
    while a stack slides out: one fact says so, the daemon takes under 5 % of a core for five seconds, the round is
    suspended with the stacks that were dealt and the one that is due on record. Plugged in again, the shoe tells of
    that stack, once, and was given no order before; how its line was set displays could read.
    """
    others = tuple(kind for kind in BONUS.setup.devices if kind != SHOE)
    async with floor(BONUS, tmp_path, mosquitto.port, devices=others) as table:
        shoe, options = make(SHOE, world=str(tmp_path / "world"), serial=serial(SHOE), speed="1")
        path, away = port(tmp_path, SHOE), tmp_path / "away"
        wire = open_pty(path)
        table.background(run(shoe, wire, options))
        daemon, line = await table.daemon(), table.line
        await table.play_until(StackDue, 2)
        due = line.found(StackDue)[1]
        async with asyncio.timeout(10):
            while not shoe.moving():  # noqa: ASYNC110 - a motor tells nobody
                await asyncio.sleep(0.01)
        settings = line.health["shoe1"].line
        await wire.hang_up()
        path.rename(away)
        await table.until(lambda: line.state.suspended.startswith("shoe1 is offline: its cable"), 5)
        before = busy(daemon)
        await asyncio.sleep(PULLED)
        share = (busy(daemon) - before) / PULLED
        told = [lost.reason for lost in line.found(DeviceWentOffline) if lost.device == "shoe1"]
        dealt = [stack.stack for stack in line.found(CardsDealt)]

        assert settings == "115200 8N1"
        assert share < 0.05
        assert told[told.index("unplugged") :] == ["unplugged"]
        assert (dealt, due.stack, due.size, due.left) == ([1], 2, 3, 50)

        asked, shoe._pace = list(shoe.memory.answers), float("inf")
        away.rename(path)
        await table.until(lambda: any(stack.stack == 2 for stack in line.found(CardsDealt)))
        assert list(shoe.memory.answers) == asked
        assert next(each for each in line.found(CommandEnded) if each.command == due.command).outcome == "done"
        table.play()
        await table.until_told(RoundEnded)
        stacks = [stack.stack for stack in line.found(CardsDealt) if stack.stack]
        assert stacks == list(range(1, len(stacks) + 1))
        assert shoe.strokes == len(stacks) + 1, "each stack once, and the stub"
    await wire.close()


@pytest.mark.soak
async def test_devices_that_are_gone_cost_nothing(
    tmp_path: Path, mosquitto: Mosquitto, capsys: pytest.CaptureFixture[str]
) -> None:
    """With every device pulled out in mid-play, the whole daemon takes less than 5 % of a core for a minute."""
    plan = Plan(variant="base", speed=float("inf"))
    async with floor(plan, tmp_path, mosquitto.port) as table:
        daemon = await table.daemon()
        await table.until(lambda: table.line.online)
        await table.open()
        table.play()
        await table.until(lambda: table.line.state.round == 2)
        table.pause()
        for kind in table.doubles:
            await table.unplug(kind)
        await table.until(
            lambda: len({lost.device for lost in table.line.found(DeviceWentOffline)}) == len(table.doubles)
        )
        before = busy(daemon)
        await asyncio.sleep(GONE)
        share = (busy(daemon) - before) / GONE
        assert share < 0.05
        assert await daemon.stop() == 0
    with capsys.disabled():
        print(f"\n{share:.2%} of a core for {GONE} s without devices")  # noqa: T201 - what `make soak` is for
