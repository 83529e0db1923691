"""Whatever is done to the files, the beginning that can be proven is kept, and nothing else passes for it."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablectl.errors import JournalError
from tablectl.events.announcements import Configure, Resume
from tablectl.events.codec import Input
from tablectl.events.facts import CardsDealt, Fact, RoundEnded
from tablectl.events.readings import ShoeStackTaken
from tablectl.journal import Entry, Journal, JournalDamaged, Reader, mend, rows
from tests.altered import alter

TABLE = "demo/pit1/t01"
ENTRIES = 120
Change = Callable[[bytes], bytes]


async def _write(path: Path, snapshot: Path | None) -> None:
    async with Journal.open(path, table=TABLE) as journal:
        long = "rulebook " * 400  # goes on in other pages
        await journal.append(Input(Configure(long, "", "", "1"), at=1, source="system"), [], in_round=0)
        await journal.append(Input(Resume(journal.boot), at=2, source="system"), [], in_round=0)
        for number in range(1, ENTRIES - 1):
            said = Input(ShoeStackTaken(stack=number), at=number, source="shoe1", boot="9f3a", number=number)
            facts: list[Fact] = [CardsDealt(hand="1", cards=())]
            facts += [RoundEnded(result="settled")] if number == 60 else []
            await journal.append(said, facts, in_round=1)
        if snapshot is not None:
            shutil.copytree(path.parent, snapshot)  # as a power cut would leave it: the log not yet folded in


@cache
def original(*, cut: bool) -> Path:
    directory = Path(tempfile.mkdtemp()) / "journal"
    directory.mkdir()
    snapshot = directory.parent / "cut" if cut else None
    asyncio.run(_write(directory / "journal.db", snapshot))
    return snapshot or directory


@cache
def truth(*, cut: bool = False) -> list[Entry]:
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(original(cut=cut), directory, dirs_exist_ok=True)
        with Reader(Path(directory) / "journal.db") as reader:
            return list(reader.entries())


async def opened(path: Path) -> tuple[list[Entry], str, bool]:
    """Open a journal as the daemon does; returns what it holds, what was said to be lost, and whether the damage was
    found before anything was written.
    """
    lost, is_untouched = "", True
    for _ in range(2):
        try:
            async with Journal.open(path, table=TABLE) as journal:
                is_untouched = is_untouched and bool(lost)
                journal.reader.verify()
                said = Input(ShoeStackTaken(stack=1), at=1, source="shoe1", boot="beef", number=1)
                entries = list(journal.reader.entries())
                await journal.append(said, [], in_round=1)
                return entries, lost, is_untouched
        except JournalDamaged as damage:
            lost = mend(path, TABLE, str(damage))
    raise AssertionError(f"a mended journal does not open: {lost}")


def after(change: Change, name: str, *, cut: bool) -> tuple[int, str]:
    """Return how many entries a damaged copy still tells, each of them true, and what was said of the rest."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "copy"
        shutil.copytree(original(cut=cut), copy)
        damaged = change((copy / name).read_bytes())
        (copy / name).write_bytes(damaged)
        entries, lost, is_untouched = asyncio.run(opened(copy / "journal.db"))
        kept = next(copy.glob("journal.db.damaged-*Z"), None)
        assert bool(kept) == bool(lost)
        prove_behind(copy, cut=cut)
        if kept and name == "journal.db" and is_untouched:
            assert kept.read_bytes() == damaged, "the evidence was touched"
    assert [(e.number, e.said, e.facts) for e in entries] == [
        (e.number, e.said, e.facts) for e in truth(cut=cut)[: len(entries)]
    ]
    return len(entries), lost


@cache
def exported(*, cut: bool = False) -> list[bytes]:
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(original(cut=cut), directory, dirs_exist_ok=True)
        return list(rows(Path(directory) / "journal.db"))


def prove_behind(folder: Path, *, cut: bool) -> None:
    """What was set aside as proven behind the damage is word for word what was written."""
    for file in folder.glob("*.rows"):
        assert set(file.read_bytes().splitlines()) <= set(exported(cut=cut))


places = st.floats(min_value=0, max_value=1, exclude_max=True)
names = st.sampled_from([("journal.db", False), ("journal.db", True), ("journal.db-wal", True)])


@settings(max_examples=30)
@given(place=places, bit=st.integers(0, 7), where=names)
@example(place=0.0, bit=0, where=("journal.db", False))
@example(place=0.3462481129826305, bit=0, where=("journal.db", False))  # a text that became bytes
def test_a_flipped_bit_costs_no_more_than_what_follows_it(place: float, bit: int, where: tuple[str, bool]) -> None:
    """What is told is true; where anything is missing, it is said; and the first pages lead to nothing worth losing."""

    def flip(content: bytes) -> bytes:
        at = int(place * len(content))
        return content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]

    count, lost = after(flip, where[0], cut=where[1])
    assert count == ENTRIES or lost or where[1]


@settings(max_examples=20)
@given(place=places, length=st.integers(1, 4096), where=names)
def test_a_zeroed_stretch_keeps_what_stands_before_it(place: float, length: int, where: tuple[str, bool]) -> None:
    """The same for zeros of any length anywhere."""

    def zero(content: bytes) -> bytes:
        at = int(place * len(content))
        return content[:at] + bytes(min(length, len(content) - at)) + content[at + length :]

    count, lost = after(zero, where[0], cut=where[1])
    assert count == ENTRIES or lost or where[1]


@settings(max_examples=30)
@given(place=places, where=names)
def test_a_shortened_file_keeps_what_is_left(place: float, where: tuple[str, bool]) -> None:
    """A file that ends early keeps the rows before its end, and what the anchor knew is said to be lost."""
    count, lost = after(lambda content: content[: int(place * len(content))], where[0], cut=where[1])

    assert count == ENTRIES or lost or where[1]
    if count < 60:
        assert f"lost after {truth(cut=where[1])[count - 1].last if count else 0}: it had at least" in lost


@pytest.mark.parametrize("page", range(1, 8))
def test_losing_one_of_the_first_pages_loses_little(page: int) -> None:
    """Schema, meta, boots and roots of trees can each be lost: no entry that lies elsewhere goes with them."""

    def zero(content: bytes) -> bytes:
        return content[: (page - 1) * 512] + bytes(512) + content[page * 512 :]

    count, lost = after(zero, "journal.db", cut=False)

    assert lost
    assert count == ENTRIES or page in OWN_PAGES


OWN_PAGES = {5, 6}
"""Pages among the first that hold the first entry itself: without it, nothing is proven."""


def test_a_deleted_file_is_missed(tmp_path: Path) -> None:
    """A database that is gone does not pass for a new table where its anchor is still there."""
    shutil.copytree(original(cut=False), tmp_path / "copy")
    (tmp_path / "copy" / "journal.db").unlink()
    entries, lost, _ = asyncio.run(opened(tmp_path / "copy" / "journal.db"))

    assert entries == []
    assert "nothing of it could be kept, lost after 0: it had at least 123" in lost


def test_a_mended_journal_has_a_new_epoch_and_the_old_hashes(tmp_path: Path) -> None:
    """Subscribers see that the record was cut; a head that was noted elsewhere still proves the part that is left."""
    copy = tmp_path / "copy"
    shutil.copytree(original(cut=False), copy)
    path = copy / "journal.db"
    with Reader(path) as reader:
        epoch, hashes = reader.epoch, [stored.hash for stored in reader.stored()]
    alter(path, '"stack":100', '"stack":900')

    with pytest.raises(JournalDamaged, match="one was altered"), Reader(path) as reader:
        reader.verify()
    lost = mend(path, TABLE, "one was altered")
    with Reader(path) as reader:
        kept = [stored.hash for stored in reader.stored()]
        assert reader.verify().number == truth()[100].last
        assert reader.epoch != epoch
    assert kept == hashes[:101]
    assert f"rows 1 to {truth()[100].last} were kept" in lost
    (behind,) = copy.glob("*.rows")
    first, last = truth()[102].number, truth()[-1].last
    assert behind.read_bytes().splitlines() == exported()[first - 1 :]
    assert f"Rows {first} to {last} behind the damage prove each other, and stand in {behind.name}." in lost


def test_another_tables_journal_is_no_damaged_one(tmp_path: Path) -> None:
    """A journal under the wrong table's name is refused and left alone."""
    shutil.copytree(original(cut=False), tmp_path / "copy")

    async def open_as_another() -> None:
        async with Journal.open(tmp_path / "copy" / "journal.db", table="demo/pit1/t02"):
            pass

    with pytest.raises(JournalError, match="belongs to table demo/pit1/t01") as refused:
        asyncio.run(open_as_another())
    assert not isinstance(refused.value, JournalDamaged)
