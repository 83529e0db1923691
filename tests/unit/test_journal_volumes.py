"""A record goes on in volumes: nothing is lost at a border, whoever dies there, and each volume stands by itself."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tablectl.events.announcements import Configure, NoMoreBets, Role
from tablectl.events.codec import Input
from tablectl.events.facts import CardsDealt, Device, RecordDropped, Snapshot
from tablectl.events.readings import ShoeStackTaken
from tablectl.events.record import ContinueRecord
from tablectl.journal import Journal, JournalDamaged, Reader, Record, count, mend, prove, rows, volumes
from tablectl.journal.keeping import drop, droppable
from tablectl.journal.store import fold
from tests.altered import alter

TABLE = "demo/pit1/t01"
AT = 1_796_000_000_000_000_000


def taken(number: int) -> Input:
    return Input(ShoeStackTaken(stack=number), at=AT + number, source="shoe1", boot="9f3a", number=number)


def continued(known: int = 0) -> Input:
    """Say that the record goes on; known: the number of the last event that the table had of its shoe."""
    devices = (Device("shoe1", boot="9f3a", number=known),)
    return Input(ContinueRecord(Configure("", "", "", "1"), Snapshot(7, devices=devices)), AT, Role.SYSTEM)


async def write(path: Path, *said: Input, published: int = 0) -> None:
    async with Journal.open(path, table=TABLE) as journal:
        journal.mark_published(published)
        for each in said:
            await journal.append(each, [CardsDealt("1", ())], in_round=7)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


async def test_numbers_epoch_and_chain_go_on(path: Path) -> None:
    """Three volumes are one record: numbered without a gap, proven as a whole, and each by itself."""
    await write(path, taken(1), continued(), taken(2), taken(3), continued())
    await write(path, taken(4))

    assert [file.name for file in volumes(path)] == ["journal.db", "journal.0002.db", "journal.0003.db"]
    with Record(path) as record:
        assert [entry.number for entry in record.entries()] == [1, 3, 5, 7, 9, 11]
        assert [entry.facts[0].seq for entry in record.entries()] == [1, 2, 3, 4, 5, 6]
        assert len({reader.epoch for reader in record}) == 1
        assert prove(path) == record.head()
    for file in volumes(path):
        with Reader(file) as reader:
            assert reader.verify() == reader.head()
    assert prove(path.with_name("journal.0002.db")).number == 8
    assert prove(path.parent) == prove(path)
    assert [stat.head.number for stat in count(path)] == [2, 8, 12]
    assert len(list(rows(path))) == 12


async def test_what_the_broker_has_not_taken_is_told_across_the_border(path: Path) -> None:
    """The outbox reads on from the volume before, in order, whether the program was started anew or not."""
    async with Journal.open(path, table=TABLE) as journal:
        for each in (taken(1), taken(2), continued(), taken(3)):
            await journal.append(each, [CardsDealt("1", ())], in_round=7)
        journal.mark_published(1)
        assert [fact.seq for fact in journal.unpublished(10)] == [2, 3, 4]
    async with Journal.open(path, table=TABLE) as journal:
        assert [fact.seq for fact in journal.unpublished(10)] == [2]
        journal.mark_published(2)
        assert [fact.seq for fact in journal.unpublished(10)] == [3, 4]


async def test_a_key_and_an_event_are_known_across_the_border(path: Path) -> None:
    """A command repeated after the record went on gets its first answer, and an event is no news."""
    said = Input(NoMoreBets(), AT, Role.DEALER, key="k1")
    async with Journal.open(path, table=TABLE) as journal:
        first = await journal.append(said, [CardsDealt("1", ())], in_round=7)
        await journal.append(taken(4), [], in_round=7)
        await journal.append(continued(4), [], in_round=7)
        assert journal.keyed("dealer", "k1") == first
        assert journal.has(said)
    async with Journal.open(path, table=TABLE) as journal:
        assert journal.keyed("dealer", "k1") == first
        assert journal.has(taken(4))
        assert journal.marks.last("shoe1") == ("9f3a", 4)
        await journal.append(continued(4), [], in_round=7)
        assert not journal.has(said), "two volumes later it is history"


async def test_followers_pass_the_border(path: Path) -> None:
    """Who follows the record sees every entry once, those of the next volume too."""
    seen = []

    async def follow(journal: Journal) -> None:
        async for entry in journal.follow():
            seen.append(entry.number)
            if entry.number == 9:
                return

    async with Journal.open(path, table=TABLE) as journal, asyncio.timeout(20):
        follower = asyncio.create_task(follow(journal))
        for each in (taken(1), continued(), taken(2), continued(), taken(3)):
            await journal.append(each, [CardsDealt("1", ())], in_round=7)
        await follower
    assert seen == [1, 3, 5, 7, 9]


@pytest.mark.parametrize("order", [(0, 2), (1, 0, 2)])
async def test_a_missing_or_foreign_volume_is_found(path: Path, order: tuple[int, ...]) -> None:
    """Volumes that do not follow each other are no record, whoever put them there."""
    await write(path, taken(1), continued(), taken(2), continued(), taken(3))
    files = volumes(path)
    for place, file in enumerate(files):
        file.rename(path.with_name(f"kept{place}"))
    for place, volume in enumerate(order):
        path.with_name(f"kept{volume}").rename(files[place])

    with pytest.raises(JournalDamaged, match="it begins after row"):
        prove(path)


WRITER = """
import asyncio, sys
from pathlib import Path
from tablectl.journal import Journal
from tests.unit.test_journal_volumes import TABLE, continued, taken

async def main():
    async with Journal.open(Path(sys.argv[1]), table=TABLE) as journal:
        before = journal.marks.last("shoe1")[1]
        for number in range(before + 1, before + 6):
            entry = await journal.append(taken(number), [], in_round=7)
            print(entry.number, flush=True)
        entry = await journal.append(continued(5), [], in_round=7)
        print(entry.number, flush=True)

asyncio.run(main())
"""


def run_until_killed(path: Path, write_point: int) -> int:
    environment = {**os.environ, "TABLECTL_KILL_AT_WRITE": str(write_point)}
    command = [sys.executable, "-c", WRITER, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return max(map(int, done.stdout.split()), default=0)


@pytest.mark.parametrize("write_point", [16, 17, 18])
async def test_a_kill_at_any_step_of_a_turn_loses_nothing(path: Path, write_point: int) -> None:
    """Before the new volume is made, before and after it has its name: the record proves, and goes on from there."""
    acknowledged = run_until_killed(path, write_point)

    assert acknowledged == 5
    assert len(volumes(path)) == (2 if write_point == 18 else 1)
    async with Journal.open(path, table=TABLE) as journal:
        assert journal.head.number >= 5
        assert journal.marks.last("shoe1")[1] >= 4
        await journal.append(continued(5), [], in_round=7)
    assert prove(path).number > 5


async def test_a_volume_that_is_written_no_more_becomes_one_plain_file(path: Path) -> None:
    """A closed volume needs no log beside it, and can be read from a read-only medium."""
    await write(path, taken(1), continued())
    before = prove(path)
    fold(path)

    assert not path.with_name("journal.db-wal").exists()
    with Reader(path) as reader:
        assert reader.pragma("journal_mode") == "delete"
    assert prove(path) == before


async def test_a_damaged_volume_is_mended_from_where_it_began(path: Path) -> None:
    """What is kept of the present volume still follows the one before, whose last row it names or not."""
    await write(path, taken(1), continued(), taken(2), taken(3))
    (file,) = volumes(path)[1:]
    alter(file, '"stack":3', '"stack":9')
    file.write_bytes(file.read_bytes().replace(b"before{", b"bef\0re{"))

    lost = mend(path, TABLE, "one was altered")
    assert "rows 3 to 6 were kept" in lost
    assert prove(path).number == 6
    assert "The damaged file is journal.0002.db.damaged-" in lost


async def test_a_volume_is_dropped_when_it_is_old_whole_and_told(path: Path) -> None:
    """The oldest first, never the last two, and never one that is young, damaged, untold, or needed for the days."""
    await write(path, replace(taken(1), at=1), continued(), taken(2), continued(), taken(3), published=3)
    assert droppable(path, 3, 5) is None, "as many volumes as days are kept, whatever the clock says"
    assert droppable(path, 1, 0) is None, "the broker has not been told"
    assert droppable(path, 40_000, 5) is None, "it is too young"
    old = droppable(path, 1, 5)
    assert old
    assert (old.file, old.first, old.head.number) == (path, 1, 2)
    drop(old)
    assert [file.name for file in volumes(path)] == ["journal.0002.db", "journal.0003.db"]
    assert droppable(path, 1, 5) is None
    with Record(path) as record:
        assert [entry.number for entry in record.entries()] == [3, 5, 7, 9]
    with pytest.raises(JournalDamaged, match="rows 1 to 2 are missing"):
        prove(path)
    dropped = RecordDropped(path.name, 1, 2, old.head.hash.hex(), 1)
    async with Journal.open(path, table=TABLE) as journal:
        await journal.append(taken(4), [dropped], in_round=7)
    assert prove(path).number == 12


def test_a_damaged_volume_is_not_dropped(path: Path) -> None:
    """Evidence that does not prove is kept."""
    asyncio.run(write(path, replace(taken(1), at=1), continued(), taken(2), continued()))
    fold(path)
    alter(path, '"stack":1', '"stack":7')

    with pytest.raises(JournalDamaged, match="one was altered"):
        droppable(path, 1, 9)
