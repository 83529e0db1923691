"""A table whose record is damaged or cannot be kept: nothing is dealt on an unwritten record, and all see why."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tablectl.events.announcements import OpenTable, PlaceWager, Role, SignOn
from tablectl.events.facts import DeviceEventsMissing, RoundEnded, TableSuspended
from tablectl.journal import Entry, Reader, prove
from tablectl.publisher.payloads import Alarms, Status
from tablectl.rehearsal import Plan
from tablectl.replay import Replayed, replay
from tablectl.view import State
from tests.altered import alter
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import BASE, PersistentLine, Program, floor, hearing
from tests.system.test_contract import overhearing
from tests.table_files import RED_DOG, RED_DOG_HOUSE

__all__ = ["mosquitto"]

OPEN = OpenTable(("Dealer 7", "Supervisor 3"))
SIZE = 12 * 1024 * 1024
TABLE = RED_DOG.split("[[device]]")[0].replace('site = "test"', 'site = "demo"')


def table_file(folder: Path, broker: int, journal: Path) -> Path:
    """Write the file of a table at which people do everything."""
    mqtt = f"\n[mqtt]\nport = {broker}\n\n[journal]\npath = {str(journal)!r}\n"
    (folder / "house.toml").write_text(RED_DOG_HOUSE)
    (folder / "table.toml").write_text(TABLE + mqtt)
    return folder / "table.toml"


class Disk:
    """A small file system that only one process sees, and those that enter its namespace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "disk"
        self.folder.mkdir()
        self._holder: subprocess.Popen[bytes] | None = None

    def mount(self, how: str = f"mount -t tmpfs -o size={SIZE} tmpfs") -> None:
        mount = f"{how} {self.folder} && echo ready && exec sleep infinity"
        self._holder = subprocess.Popen(["unshare", "-m", "sh", "-c", mount], stdout=subprocess.PIPE)
        assert self._holder.stdout
        assert self._holder.stdout.readline() == b"ready\n"

    def inside(self, *command: str) -> tuple[str, ...]:
        assert self._holder
        return ("nsenter", "-t", str(self._holder.pid), "-m", *command)

    def run(self, *command: str) -> None:
        subprocess.run(self.inside("sh", "-c", " ".join(command)), check=True, cwd="/", capture_output=True)

    def fill(self, left: int) -> None:
        """Leave so many bytes free."""
        free = f"$(df -B1 --output=avail {self.folder} | tail -1)"
        self.run(f"head -c $(({free} - {left} > 0 ? {free} - {left} : 0)) /dev/zero >> {self.folder}/full || true")

    def close(self) -> None:
        if self._holder:
            self._holder.kill()
            self._holder.communicate()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path)
    disk.mount()
    yield disk
    disk.close()


@pytest.fixture
def card(tmp_path: Path) -> Iterator[Disk]:
    """Mount a file system as a Pi mounts its card: the kernel turns it read-only at the first error that it finds."""
    image = tmp_path / "card"
    with image.open("wb") as file:
        file.truncate(2 * SIZE)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)
    card = Disk(tmp_path)
    card.mount(f"mount -o loop,errors=remount-ro {image}")
    yield card
    card.close()


@asynccontextmanager
async def running(
    disk: Disk, folder: Path, broker: int, name: str = "run", **environment: str
) -> AsyncIterator[Program]:
    file = table_file(folder, broker, disk.folder / "journal.db")
    words = disk.inside(sys.executable, "-m", "tablectl", "run", str(file))
    program = await Program.start(folder, name, *words, **environment)
    try:
        yield program
    finally:
        await program.kill()


def last(heard: dict[str, list[bytes]], topic: str) -> bytes:
    return heard[f"{BASE}/{topic}"][-1]


@asynccontextmanager
async def at_the_table(port: int, heard: dict[str, list[bytes]] | None = None) -> AsyncIterator[PersistentLine]:
    """Hear and say at a table, and overhear every payload."""
    async with overhearing(port, {} if heard is None else heard), hearing(port) as line:
        listening = asyncio.create_task(line.listen())
        try:
            yield line
        finally:
            listening.cancel()
            await asyncio.wait([listening])


async def until(line: PersistentLine, true: Callable[[], Any]) -> None:
    async with asyncio.timeout(20):
        await line.until(true)


def prove_told(heard: dict[str, list[bytes]], reason: str) -> None:
    status = msgspec.json.decode(last(heard, "status"), type=Status)
    alarms = msgspec.json.decode(last(heard, "alarms"), type=Alarms).alarms

    assert (status.state, status.reason) == ("offline", "record")
    assert [alarm.alarm for alarm in alarms if alarm.alarm == "record"] == ["record"]
    assert reason in alarms[-1].text


async def test_a_full_disk_ends_play_with_an_alarm(tmp_path: Path, mosquitto: Mosquitto, disk: Disk) -> None:
    """What could not be written is answered so and has no effect; displays show why the table is down, also while each
    start fails anew; with room again it goes on where the record ends.
    """
    heard: dict[str, list[bytes]] = {}
    async with at_the_table(mosquitto.port, heard) as line:
        async with running(disk, tmp_path, mosquitto.port) as daemon:
            await until(line, lambda: line.online)
            assert await line.say(OPEN, Role.SUPERVISOR), line.refused
            disk.fill(0)
            saying = asyncio.create_task(say_until_refused(line))
            assert await daemon.ended(30) == 1, daemon.log()
            assert await asyncio.wait_for(saying, 20) == "journal-failed"
        prove_told(heard, "full")
        state = msgspec.json.decode(last(heard, "state"), type=State)
        assert "The record cannot be kept" in state.suspended
        async with running(disk, tmp_path, mosquitto.port, "again") as again:
            assert await again.ended(30) == 1, again.log()
        prove_told(heard, "full")

        before, dealer = line.at_seq, line.state.dealer
        disk.run(f"rm -f {disk.folder}/full")
        async with running(disk, tmp_path, mosquitto.port, "on") as on:
            await until(line, lambda: line.online and line.state.at_seq > before)
            assert line.state.open
            assert line.state.dealer == dealer
            assert [alarm.text for alarm in line.state.alarms if "cannot be kept" in alarm.text] == []
            assert await on.stop() == 0, on.log()
    disk.run(f"cat {disk.folder}/journal.db > {tmp_path}/copy.db")
    assert prove(tmp_path / "copy.db").seq >= before


async def test_a_read_only_disk_is_told_at_the_start(tmp_path: Path, mosquitto: Mosquitto, disk: Disk) -> None:
    """A card that the system mounted read-only: the table does not start, says so, and mends nothing."""
    heard: dict[str, list[bytes]] = {}
    async with at_the_table(mosquitto.port, heard) as line:
        async with running(disk, tmp_path, mosquitto.port) as daemon:
            await until(line, lambda: line.online)
            assert await daemon.stop() == 0, daemon.log()
        disk.run(f"mount -o remount,ro {disk.folder}")
        async with running(disk, tmp_path, mosquitto.port, "again") as again:
            assert await again.ended(30) == 1, again.log()

        prove_told(heard, "ead-only")
        disk.run(f"mount -o remount,rw {disk.folder}")
        disk.run(f"! ls {disk.folder} | grep damaged")
        async with running(disk, tmp_path, mosquitto.port, "on") as on:
            await until(line, lambda: line.online)
            assert await on.stop() == 0, on.log()


async def test_a_card_that_fails_in_mid_play_ends_it(tmp_path: Path, mosquitto: Mosquitto, card: Disk) -> None:
    """The kernel finds an error and lets nothing be written any more: what is said next is answered so and has no
    effect, displays show why, and nothing is dealt.
    """
    heard: dict[str, list[bytes]] = {}
    async with at_the_table(mosquitto.port, heard) as line, running(card, tmp_path, mosquitto.port) as daemon:
        await until(line, lambda: line.online)
        assert await line.say(OPEN, Role.SUPERVISOR), line.refused
        card.run(f"echo 1 > /sys/fs/ext4/$(basename $(findmnt -no SOURCE {card.folder}))/trigger_fs_error")
        before = line.at_seq
        assert not await line.say(SignOn("Dealer 9"))

        assert line.refused[-1][1].code == "journal-failed"
        assert await daemon.ended(30) == 1, daemon.log()
        prove_told(heard, "cannot be kept")
        assert line.at_seq == before


async def say_until_refused(line: PersistentLine) -> str:
    """Say things until one is refused because it cannot be recorded; returns the code."""
    number = 0
    while True:
        number += 1
        await line.say(SignOn(f"Dealer {number} " + "x" * 3000))
        for _, refusal in line.refused:
            if refusal.code == "journal-failed":
                return refusal.code


async def test_little_room_suspends_the_table_while_it_can_still_say_so(
    tmp_path: Path, mosquitto: Mosquitto, disk: Disk
) -> None:
    """With a few megabytes left the table is suspended by a fact of the record, and no wager is taken."""
    often = {"WATCHDOG_USEC": "200000"}
    async with at_the_table(mosquitto.port) as line, running(disk, tmp_path, mosquitto.port, **often) as daemon:
        await until(line, lambda: line.online)
        assert await line.say(OPEN, Role.SUPERVISOR), line.refused
        disk.fill(1024 * 1024)
        await until(line, lambda: line.found(TableSuspended) and line.state.suspended)

        assert "kB are left for the record" in line.state.suspended
        assert not await line.say(PlaceWager("1", "original", 2500))
        assert await daemon.stop() == 0, daemon.log()


@pytest.mark.parametrize("replaced", [False, True], ids=["deleted", "replaced"])
async def test_a_record_that_is_taken_away_ends_the_play(
    tmp_path: Path, mosquitto: Mosquitto, *, replaced: bool
) -> None:
    """What is written into a file that nobody can open any more is no record: the table ends and says why."""
    heard: dict[str, list[bytes]] = {}
    async with at_the_table(mosquitto.port, heard) as line, floor(Plan("red-dog"), tmp_path, mosquitto.port) as table:
        daemon = await table.daemon(WATCHDOG_USEC="200000")
        await until(line, lambda: line.online)
        take_away(tmp_path, replaced=replaced)

        assert await daemon.ended(30) == 1, daemon.log()
        prove_told(heard, "in its place" if replaced else "No such file")
        assert "Traceback" not in daemon.log()


def take_away(folder: Path, *, replaced: bool) -> None:
    """Delete the record's files, and perhaps put copies in their place."""
    for file in folder.glob("journal.db*"):
        copy = file.read_bytes()
        file.unlink()
        if replaced:
            file.write_bytes(copy)


async def test_a_damaged_record_is_mended_at_the_start_and_a_supervisor_is_told(
    tmp_path: Path, mosquitto: Mosquitto
) -> None:
    """Rows that no longer hold are lost with a word: the table is suspended, the epoch is new, the old file is kept,
    and the new record proves and replays.
    """
    plan = Plan("red-dog", speed=float("inf"))
    async with floor(plan, tmp_path, mosquitto.port) as table:
        daemon = await table.daemon()
        await table.play_until(RoundEnded, 2)
        await daemon.kill()
        epoch = table.line.told[0].epoch
        log = table.journal.with_name("journal.db-wal")
        content = bytearray(log.read_bytes())
        content[len(content) // 3 : 2 * len(content) // 3] = bytes(2 * len(content) // 3 - len(content) // 3)
        log.write_bytes(content)

        daemon = await table.daemon()
        await table.until(lambda: table.line.online and "The record was damaged" in table.line.state.suspended)

        told = table.line.state.suspended
        assert table.line.state.epoch != epoch
        assert await daemon.stop() == 0, daemon.log()
    (kept,) = await asyncio.to_thread(lambda: list(tmp_path.glob("journal.db.damaged-*Z")))
    assert kept.name in told
    assert prove(table.journal).number > 0
    assert isinstance(replay(table.journal), Replayed)


async def test_a_row_altered_long_ago_is_found_while_the_table_runs(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """The start proves only what it rests on; what lies before is proven soon after, and names the row."""
    plan = Plan("red-dog", speed=float("inf"))
    async with floor(plan, tmp_path, mosquitto.port) as table:
        daemon = await table.daemon()
        await table.play_until(RoundEnded, 2)
        assert await daemon.stop() == 0, daemon.log()
        altered = await asyncio.to_thread(renamed, table.journal)

        daemon = await table.daemon()
        await table.until(lambda: table.line.online and "not what was written" in table.line.state.suspended)

        assert f"of rows {altered.number} to {altered.last}, one was altered" in table.line.state.suspended
        assert await daemon.stop() == 0, daemon.log()


def renamed(journal: Path) -> Entry:
    """Give a dealer another name in the first entry that names one, and return it."""
    alter(journal, '"D-17"', '"D-87"')
    with Reader(journal) as reader:
        return next(entry for entry in reader.entries() if "D-87" in str(entry))


@pytest.mark.soak
async def test_a_record_that_was_set_back_is_found_by_its_devices(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """An older copy with its own anchor, at a broker that has forgotten it: the shoe no longer has the events behind
    the copy's last, and the table is held, with the number of the first that nobody has any more.
    """
    plan, copy = Plan("pai-gow-poker", speed=float("inf")), tmp_path.with_name("copy")
    async with floor(plan, tmp_path, mosquitto.port) as table:
        daemon = await table.daemon()
        await table.play_until(RoundEnded, 1)
        assert await daemon.stop() == 0, daemon.log()
        await asyncio.to_thread(set_back, table.journal, copy)
        with Reader(copy / table.journal.name) as reader:
            number = reader.marks().last("shoe1")[1]
        daemon = await table.daemon()
        await table.until(lambda: table.line.online)
        table.play()
        await table.unless_failed(table.line.until(lambda: len(table.line.found(RoundEnded)) == 25), 120)
        table.pause()
        assert await daemon.stop() == 0, daemon.log()

        await asyncio.to_thread(set_back, copy / table.journal.name, tmp_path)
        forgotten = msgspec.json.encode(msgspec.structs.replace(table.line.state, epoch="another", at_seq=0))
        await table.line._client.publish(f"{BASE}/state", forgotten, qos=1, retain=True)
        daemon = await table.daemon()
        missing = DeviceEventsMissing.name()
        await table.until(lambda: missing in [envelope.type for envelope in table.line.told])
        assert await daemon.stop() == 0, daemon.log()
    with Reader(table.journal) as reader:
        told = next(fact for _, fact in reader.all(DeviceEventsMissing) if fact.device == "shoe1")
        held = [fact.reason for _, fact in reader.all(TableSuspended)]
    assert told.first == number + 1
    assert any(each.startswith(f"shoe1 lost its events from {told.first} to {told.last}; ") for each in held)


def set_back(journal: Path, to: Path) -> None:
    """Put a record, as a stopped daemon left it, in the place of another one."""
    to.mkdir(exist_ok=True)
    for file in (journal, journal.with_name(f"{journal.name}.anchor")):
        shutil.copy(file, to)
