"""The journal keeps what it acknowledged, in order, and says when it cannot."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from importlib import resources
from pathlib import Path

import pytest

from tablectl.errors import JournalError
from tablectl.events.announcements import NoMoreBets
from tablectl.events.codec import Input
from tablectl.events.facts import CardsDealt, DealerSignedOn, Fact, RoundEnded, RoundOpened, RoundWagersClosed, Snapshot
from tablectl.events.readings import ShoeStackTaken
from tablectl.journal import Entry, Journal, JournalBusy, Reader, set_aside
from tests.altered import tamper

TABLE = "demo/pit1/t01"
AT = 1_796_000_000_000_000_000


def taken(number: int, boot: str = "9f3a", device: str = "shoe1") -> Input:
    return Input(ShoeStackTaken(stack=number), at=AT + number, source=device, boot=boot, number=number)


def no_more_bets(key: str = "k1") -> Input:
    return Input(NoMoreBets(), at=AT, source="dealer", by="Dealer 7", key=key)


def dealt(number: int) -> Fact:
    return CardsDealt(hand=str(number), cards=())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[Journal]:
    async with Journal.open(path, table=TABLE) as journal:
        yield journal


@pytest.fixture
def reader(journal: Journal) -> Iterator[Reader]:
    with Reader(journal.reader.path) as reader:
        yield reader


async def test_an_acknowledged_entry_is_read_back_as_it_was_said(journal: Journal, reader: Reader) -> None:
    """Input, person, key, round and facts come back unchanged from another connection."""
    entry = await journal.append(no_more_bets(), [RoundWagersClosed(clause="13:69F-6.4(c)"), dealt(1)], in_round=7)

    assert [entry] == list(reader.entries())
    assert (no_more_bets(), 7, journal.boot) == (entry.said, entry.round, entry.boot)
    assert [stated.seq for stated in entry.facts] == [1, 2]


async def test_order_is_the_order_of_the_calls(journal: Journal, reader: Reader) -> None:
    """Entries queued at once are numbered as they were given, whoever waits for them."""
    waiters = [journal.append(taken(number), [dealt(number)], in_round=1) for number in range(1, 200)]
    entries = await asyncio.gather(*reversed(waiters))

    assert list(range(1, 200)) == [entry.said.number for entry in reader.entries()]
    assert list(range(1, 398, 2)) == sorted(entry.number for entry in entries)
    assert list(range(1, 200)) == [fact.seq for entry in reader.entries() for fact in entry.facts]


async def test_a_commit_outlives_its_waiter(journal: Journal, reader: Reader) -> None:
    """Cancelling who waits does not cancel what was said."""
    waiter = journal.append(taken(1), [dealt(1)], in_round=1)
    waiter.cancel()
    await journal.flush()

    assert [taken(1)] == [entry.said for entry in reader.entries()]


async def test_a_repeated_event_is_known_while_it_waits_and_after_a_restart(path: Path) -> None:
    """An event or key is a repetition from the moment it was queued, in this process and the next."""
    async with Journal.open(path, table=TABLE) as journal:
        waiter = journal.append(taken(5), [], in_round=1)
        keyed = journal.append(no_more_bets("k1"), [], in_round=1)
        assert journal.has(taken(5))
        assert journal.has(no_more_bets("k1"))
        await asyncio.gather(waiter, keyed)
    async with Journal.open(path, table=TABLE) as journal:
        assert journal.has(taken(5))
        assert journal.has(taken(4)), "events of a boot come in order"
        assert not journal.has(taken(6))
        assert not journal.has(taken(1, boot="beef"))
        assert journal.has(no_more_bets("k1"))
        assert not journal.has(no_more_bets("k2"))
        with pytest.raises(JournalError, match="shoe1:9f3a:5 was taken before"):
            await journal.append(taken(5), [], in_round=1)


async def test_what_has_no_origin_may_be_said_again(journal: Journal) -> None:
    """Words about a link carry no number, and two alike both count."""
    said = Input(ShoeStackTaken(stack=1), at=AT, source="shoe1", boot="9f3a")
    await journal.append(said, [], in_round=1)
    await journal.append(said, [], in_round=1)

    assert journal.head.number == 2
    assert not journal.has(said)


async def test_marks_name_the_last_event_of_the_present_boot(path: Path) -> None:
    """A driver is opened with the last (boot, number), also when the new boot counts from one again."""
    async with Journal.open(path, table=TABLE) as journal:
        for said in (taken(40), taken(2, boot="beef"), taken(9, device="shaker1")):
            await journal.append(said, [], in_round=1)
        assert journal.marks.last("shoe1") == ("beef", 2)
    async with Journal.open(path, table=TABLE) as journal:
        assert journal.marks.last("shoe1") == ("beef", 2)
        assert journal.marks.last("shaker1") == ("9f3a", 9)
        assert journal.marks.last("shuffler1") == ("", 0)


async def test_recovery_finds_the_last_word_of_a_kind(journal: Journal) -> None:
    """The last input or fact that says a word is found, and the one before any row."""
    for number in (1, 2):
        await journal.append(taken(number), [dealt(number), RoundEnded(result="settled")], in_round=number)
    last = journal.reader.last(RoundEnded)

    assert last is not None
    assert (last.number, last.round) == (6, 2)
    earlier = journal.reader.last(RoundEnded, before=last.number)
    assert earlier is not None
    assert earlier.number == 3
    before = journal.reader.last(ShoeStackTaken, before=last.number - 2)
    assert before is not None
    assert before.number == 1
    assert journal.reader.last(NoMoreBets) is None
    assert [taken(2)] == [entry.said for entry in journal.reader.entries(after=3)]


async def test_the_outbox_goes_on_where_the_broker_stopped(path: Path) -> None:
    """Facts leave by seq, however many inputs had none; progress survives a clean end."""
    async with Journal.open(path, table=TABLE) as journal:
        for number in range(1, 40):
            await journal.append(taken(number), [dealt(number)] * (number % 3), in_round=number)
        journal.mark_published(7)
    async with Journal.open(path, table=TABLE) as journal:
        assert journal.published == 7
        assert [fact.seq for fact in journal.reader.unpublished(7, 3)] == [8, 9, 10]
        assert list(range(1, 40)) == [fact.seq for fact in journal.reader.unpublished(0, 1000)]
        assert journal.reader.unpublished(39, 3) == []
        assert journal.reader.unpublished(7, 1)[0].source == "shoe1"


async def test_a_broker_is_told_the_same_from_memory_as_from_the_file(journal: Journal) -> None:
    """However far behind the broker is, it gets the facts that the file holds, each once and in order."""
    for number in range(1, 90):
        opened = [RoundOpened(number + 1, "red", Snapshot())] * (number % 9 == 0)
        await journal.append(taken(number), [*[dealt(number)] * (number % 4), *opened], in_round=number)
    for published in range(journal.head.seq + 1):
        journal.published = published
        for limit in (1, 7, 1000):
            assert journal.unpublished(limit) == journal.reader.unpublished(published, limit)


async def test_followers_see_each_entry_once(journal: Journal) -> None:
    """What was committed before and what comes later is yielded in order, without a gap."""
    await journal.append(taken(1), [dealt(1)], in_round=1)
    seen: list[Entry] = []

    async def follow() -> None:
        async for entry in journal.follow():
            seen.append(entry)
            if entry.said.number == 30:
                return

    follower = asyncio.create_task(follow())
    for number in range(2, 31):
        await journal.append(taken(number), [dealt(number)], in_round=1)
    await follower

    assert list(range(1, 31)) == [entry.said.number for entry in seen]


async def test_after_a_failure_nothing_is_taken(journal: Journal, reader: Reader) -> None:
    """A full disk fails the append, everything queued behind it and all that comes later; what was durable stays."""
    await journal.append(taken(1), [], in_round=1)
    pages = journal._store._database.execute("PRAGMA page_count").fetchone()[0]
    journal._store._database.execute(f"PRAGMA max_page_count = {pages}").fetchone()
    waiters = [journal.append(taken(number), [dealt(each) for each in range(500)], in_round=1) for number in (2, 3)]

    for waiter in waiters:
        with pytest.raises(JournalError, match="database or disk is full"):
            await waiter
    with pytest.raises(JournalError, match="full"):
        await journal.append(taken(4), [], in_round=1)
    with pytest.raises(JournalError, match="full"):
        await journal.flush()
    with pytest.raises(JournalError, match="full"):
        await journal.beyond(0)
    assert [taken(1)] == [entry.said for entry in reader.entries()]


async def test_one_writer_only(path: Path, journal: Journal) -> None:
    """A second writer is refused at once, and the first loses nothing."""
    with pytest.raises(JournalBusy, match="another process writes it"):
        async with Journal.open(path, table=TABLE):
            pass
    await journal.append(taken(1), [], in_round=1)


async def test_a_journal_of_another_table_is_refused(path: Path) -> None:
    """Swapped storage is no evidence for this table."""
    async with Journal.open(path, table=TABLE):
        pass
    with pytest.raises(JournalError, match="belongs to table demo/pit1/t01, awaited demo/pit1/t02"):
        async with Journal.open(path, table="demo/pit1/t02"):
            pass


async def _two_rounds(path: Path) -> None:
    async with Journal.open(path, table=TABLE) as journal:
        for number in (1, 2):
            await journal.append(taken(number), [dealt(number), RoundEnded(result="settled")], in_round=number)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("UPDATE entry SET words = packed(replace(told(words), '2', '3')) WHERE number = 4", "of rows 4 to 6, one was"),
        ("UPDATE entry SET words = packed('[{]') WHERE number = 4", "the words of row 4 were altered"),
        ("UPDATE entry SET words = packed('[]') WHERE number = 4", "the words of row 4 were altered"),
        ("UPDATE entry SET words = substr(words, 2) WHERE number = 4", "the words of row 4 were altered"),
        ("UPDATE entry SET words = CAST(words || 'x' AS BLOB) WHERE number = 4", "the words of row 4 were altered"),
        ("UPDATE entry SET wall = wall + 1 WHERE number = 1", "of rows 1 to 3, one"),
        ("UPDATE boot SET id = 'other'", "of rows 1 to 3, one"),
        ("DELETE FROM entry WHERE number = 1", "row 1 is missing"),
        (
            "UPDATE entry SET words = packed(substr(told(words), 1, 38) || ']') WHERE number = 4",
            "row 4 is missing",
        ),
        ("UPDATE entry SET hash = zeroblob(32) WHERE number = 4", "of rows 4 to 6, one"),
    ],
)
async def test_the_chain_names_the_first_bad_row(path: Path, statement: str, text: str) -> None:
    """Whatever is changed in whatever column, verification says where the record stops being true."""
    await _two_rounds(path)
    tamper(path, statement)

    with Reader(path) as reader, pytest.raises(JournalError, match=text):
        reader.verify()


async def test_rows_are_only_added(path: Path) -> None:
    """The database itself refuses to change or drop a row."""
    await _two_rounds(path)
    with closing(sqlite3.connect(path)) as database:
        for statement in ("UPDATE entry SET round = 9", "DELETE FROM entry"):
            with pytest.raises(sqlite3.IntegrityError, match="only added to"):
                database.execute(statement)


async def test_a_record_can_be_read_without_this_program(path: Path) -> None:
    """SQLite, zlib and the lines of words.txt are enough to read every word that the journal holds."""
    await _two_rounds(path)
    lines = resources.files("tablectl.journal").joinpath("words.txt").read_text("utf-8").splitlines()
    with closing(sqlite3.connect(path)) as database:
        stored = [words for (words,) in database.execute("SELECT words FROM entry ORDER BY number")]
    read = [zlib.decompressobj(-15, ",".join(lines).encode()).decompress(words) for words in stored]
    with Reader(path) as reader:
        rows = [json.loads(row.body) for row in reader.rows()]

    assert [row for words in read for row in json.loads(words)] == rows
    assert len(rows) == 6


async def test_a_lost_end_is_found_by_the_anchor(path: Path) -> None:
    """A journal that ends before its last finished round does not open, and says what is lost."""
    await _two_rounds(path)
    tamper(path, "DELETE FROM entry WHERE number > 1")

    with pytest.raises(JournalError, match="lost after row 3, awaited 6"):
        async with Journal.open(path, table=TABLE):
            pass


def _zeroed(path: Path) -> bytes:
    content = path.read_bytes()[:1024].ljust(path.stat().st_size, b"\0")
    path.write_bytes(content)
    return content


async def test_a_damaged_journal_is_kept_and_a_new_one_begins(path: Path) -> None:
    """Zeroed pages are found when opening; the file is set aside whole, and the new journal has another epoch."""
    await _two_rounds(path)
    with Reader(path) as reader:
        epoch = reader.epoch
    content = _zeroed(path)

    with pytest.raises(JournalError, match=r"journal\.db"):
        async with Journal.open(path, table=TABLE):
            pass
    kept = set_aside(path)
    assert kept.read_bytes() == content
    async with Journal.open(path, table=TABLE) as journal:
        assert epoch != journal.epoch
        assert journal.head.number == 0


WRITER = """
import asyncio, sys
from pathlib import Path
from tablectl.events.codec import Input
from tablectl.events.facts import CardsDealt, RoundEnded
from tablectl.events.readings import ShoeStackTaken
from tablectl.journal import Journal

async def main():
    async with Journal.open(Path(sys.argv[1]), table="demo/pit1/t01") as journal:
        async def write(number):
            said = Input(ShoeStackTaken(stack=number), at=number, source="shoe1", boot=journal.boot, number=number)
            facts = [CardsDealt(hand="1", cards=()), RoundEnded(result="settled")]
            entry = await journal.append(said, facts, in_round=number)
            print(entry.last, flush=True)
        for number in range(1, 100, 3):
            await asyncio.gather(*(write(number + more) for more in range(3)))

asyncio.run(main())
"""


def _run_until_killed(path: Path, write_point: int) -> int:
    """Run a writer that kills itself, and return the last row that it acknowledged."""
    killed = subprocess.run(
        [sys.executable, "-c", WRITER, str(path)],
        env={**os.environ, "TABLECTL_KILL_AT_WRITE": str(write_point)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    return max((int(line) for line in killed.stdout.split()), default=0)


@pytest.mark.parametrize("write_point", range(1, 8))
async def test_a_kill_loses_nothing_acknowledged(path: Path, write_point: int) -> None:
    """Killed before, in or after any commit, the journal opens again, whole, with every acknowledged row."""
    for _ in range(2):
        acknowledged = _run_until_killed(path, write_point)
        async with Journal.open(path, table=TABLE) as journal:
            assert acknowledged <= journal.head.number
            assert journal.head == journal.reader.verify()


async def test_a_small_commit_is_small(journal: Journal) -> None:
    """An input with one fact costs at most 2 kB of writing, so that an SD card lasts."""
    log = journal.reader.path.with_name("journal.db-wal")
    journal._store._database.execute("PRAGMA wal_autocheckpoint = 0").fetchone()
    await journal.append(taken(1), [dealt(1)], in_round=1)
    before = log.stat().st_size
    for number in range(2, 102):
        await journal.append(taken(number), [dealt(number)], in_round=1182)

    assert (log.stat().st_size - before) / 100 <= 2_000


async def test_facts_behind_an_opening_belong_to_the_round_that_it_opens(tmp_path: Path) -> None:
    """One input may end a round and open the next: each fact stands in its own round, and the chain holds."""
    facts = (RoundEnded("settled"), RoundOpened(8, "red", Snapshot()), DealerSignedOn("D-17"))
    async with Journal.open(tmp_path / "journal.db", table="demo/pit1/t01") as journal:
        await journal.append(Input(NoMoreBets(), 1, "dealer"), facts, in_round=7)
        rounds = [row.round for row in journal.reader.rows()]
        assert rounds == [7, 7, 8, 8]
        assert [leaving.round for leaving in journal.reader.unpublished(0, 9)] == [7, 8, 8]
        assert journal.reader.verify() == journal.head
