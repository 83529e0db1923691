"""Daemons that start at the same instant: one has the table, all others are turned away, and the one loses nothing."""

import asyncio
import fcntl
import os
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import pytest

from tablectl.events.facts import DeviceWentOffline, RoundEnded
from tablectl.journal import Reader
from tablectl.publisher import Address
from tablectl.rehearsal import Plan
from tablectl.rehearsal.plan import port, serial
from tablectl.replay import Replayed, replay
from tests.brokers import Mosquitto, mosquitto
from tests.drivers.tables import behind_terminal
from tests.system.harness import floor, tablectl

__all__ = ["mosquitto"]

MANY = 6
TIMES = pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.soak)])
RED_DOG = Plan(game="red-dog", speed=float("inf"))
BONUS = Plan(variant="bonus", speed=float("inf"))

AT_ONCE = """
import os, sys
import tablectl.daemon, tablectl.cli.run
from tablectl.__main__ import main

wait, go = os.pipe()
children = {}
for file in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        os.close(go)
        log = os.open(file + ".log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.argv[1:] = ["run", file]
        os.read(wait, 1)
        main()
    children[child] = file
os.close(go)
while children:
    child, status = os.wait()
    print(child, os.waitstatus_to_exitcode(status), children.pop(child), flush=True)
    if len(children) == 1:
        print(*children, 0, *children.values(), flush=True)
"""
"""Starts a daemon for each file, from processes that have loaded everything and wait for one word; tells who ends."""


class Started:
    """Daemons that were started at once. ended: the file and status of each that has ended; owner: the last one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.ended: list[tuple[str, int]] = []
        self.owner = 0, ""

    @classmethod
    async def at_once(cls, files: list[Path]) -> "Started":
        words = (sys.executable, "-c", AT_ONCE, *map(str, files))
        started = cls(await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE))
        while len(started.ended) < len(files) - 1:
            _, status, file = await started.line()
            started.ended.append((file, status))
        pid, _, file = await started.line()
        started.owner = pid, file
        return started

    async def line(self) -> tuple[int, int, str]:
        assert self.process.stdout
        async with asyncio.timeout(30):
            pid, status, file = (await self.process.stdout.readline()).decode().split()
        return int(pid), int(status), file

    async def stop(self) -> int:
        os.kill(self.owner[0], signal.SIGTERM)
        _, status, _ = await self.line()
        await self.process.wait()
        return status


def log_of(file: Path | str) -> str:
    return Path(f"{file}.log").read_text()


@TIMES
async def test_of_daemons_that_start_on_one_journal_at_once_one_is_left(
    tmp_path: Path, mosquitto: Mosquitto, times: int
) -> None:
    """A restart that races kills the old one, or leaves two. Six daemons of one table file are let go at the same
    instant: one has the journal, the others end with 75 and say that it is taken, before they could touch the port;
    the one plays its rounds, and no byte, event or fact of it is missing.
    """
    async with floor(RED_DOG, tmp_path, mosquitto.port, devices=()) as table:
        deck = RED_DOG.terms.composition
        cards = f"{deck.decks}x{deck.size // deck.decks}"
        where = {"world": str(tmp_path / "world"), "serial": serial("card-shoe"), "deck": cards, "cut": "70"}
        async with behind_terminal("card-shoe", port(tmp_path, "card-shoe"), **where) as (shoe, _):
            for _ in range(times):
                started = await Started.at_once([table.table_file] * MANY)
                assert {status for _, status in started.ended} == {os.EX_TEMPFAIL}
                await table.play_until(RoundEnded, 1 + len(table.line.found(RoundEnded)))
                assert await started.stop() == 0
            refusals = log_of(table.table_file).count(f"journal {table.journal}: another process writes it")
            assert refusals == times * (MANY - 1)
            assert shoe._deframer.bad == 0
            said = numbers(table.journal, "shoe1")
            assert said == list(range(1, len(said) + 1))
            assert isinstance(replay(table.journal), Replayed)


def numbers(journal: Path, device: str) -> list[int]:
    """Prove a record, and return the numbers of a device's events in it."""
    with Reader(journal) as reader:
        reader.verify()
        return [each.said.number for each in reader.entries() if each.said.source == device and each.said.number]


@TIMES
async def test_of_daemons_that_start_on_the_same_ports_at_once_one_is_left(tmp_path: Path, times: int) -> None:
    """Tables with journals of their own, and the same two ports: one has both, and the others end with 75 and name a
    device whose port is held. No two of them keep a port each and end both, and the one that is left hears every byte.
    """
    async with AsyncExitStack() as stack:
        doubles = [
            (await stack.enter_async_context(behind_terminal(kind, port(tmp_path, kind), serial=serial(kind))))[0]
            for kind in BONUS.setup.devices
        ]
        (tmp_path / "house.toml").write_text(BONUS.house)
        for turn in range(times):
            files = [tmp_path / f"table{turn}-{number}.toml" for number in range(MANY)]
            for file in files:
                text = BONUS.table_file(Address(port=9), tmp_path)
                file.write_text(text.replace("journal.db", f"{file.stem}.db"))
            started = await Started.at_once(files)
            assert {status for _, status in started.ended} == {os.EX_TEMPFAIL}, log_of(files[0])
            for loser, _ in started.ended:
                assert "is held by another process" in log_of(loser)
            journal = tmp_path / f"{Path(started.owner[1]).stem}.db"
            for double in doubles:
                for act in ("open-door", "clear") * 3:
                    double.feel(act)
            await recorded(journal, {"shoe1": doubles[0].memory.last, "shuffler1": doubles[1].memory.last})
            assert await started.stop() == 0
            assert [double._deframer.bad for double in doubles] == [0, 0]


async def recorded(journal: Path, last: dict[str, int]) -> None:
    """Wait until the last event of each device stands in a record, and none is missing before it."""
    async with asyncio.timeout(20):
        while any((numbers(journal, device) or [0])[-1] < number for device, number in last.items()):  # noqa: ASYNC110 - it tells nobody outside its process
            await asyncio.sleep(0.05)
    for device, number in last.items():
        said = numbers(journal, device)
        assert said == list(range(number - len(said) + 1, number + 1))
    with Reader(journal) as reader:
        lost = [stated.fact for entry in reader.entries() for stated in entry.facts]
    assert {fact.reason for fact in lost if isinstance(fact, DeviceWentOffline)} <= {"the controller restarted"}


async def test_who_finds_one_port_held_touches_no_other(tmp_path: Path) -> None:
    """Two daemons that want the same two ports, and each have one, would both end. Ports are opened in one order, and
    whoever finds one held opens none of those behind it.
    """
    first, second = sorted(port(tmp_path, kind) for kind in BONUS.setup.devices)
    (tmp_path / "house.toml").write_text(BONUS.house)
    (tmp_path / "table.toml").write_text(BONUS.table_file(Address(port=9), tmp_path))
    with terminal(first) as (_, held), terminal(second) as (watched, _):
        fcntl.flock(held, fcntl.LOCK_EX)
        fcntl.ioctl(watched, termios.TIOCPKT, (1).to_bytes(4, sys.byteorder))
        daemon = await tablectl(tmp_path, "late", "run", str(tmp_path / "table.toml"))
        assert await daemon.ended() == os.EX_TEMPFAIL
        with pytest.raises(BlockingIOError):
            os.read(watched, 100)  # whoever opens a port clears it, which is heard here


@contextmanager
def terminal(path: Path) -> Iterator[tuple[int, int]]:
    """Make path a port; yield its two ends."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    path.symlink_to(os.ttyname(slave))
    yield master, slave
    os.close(slave)
    os.close(master)
