"""A record of an earlier format is rewritten as a whole and proves the same; one of a later format is left alone."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from tablectl.errors import JournalError
from tablectl.events.announcements import NoMoreBets
from tablectl.events.codec import Input
from tablectl.journal import Journal, JournalDamaged, Reader, mend, prove
from tablectl.journal.migrate import FORMAT, migrate

FORMATS = Path(__file__).parents[1] / "formats"
"""One small journal of each format, as the program of its time wrote it, with its anchor."""
TABLE = "test/pit1/t01"


@pytest.fixture(params=range(1, FORMAT))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    shutil.copy(FORMATS / f"{request.param}.journal", tmp_path / "journal.db")
    shutil.copy(FORMATS / f"{request.param}.anchor", tmp_path / "journal.db.anchor")
    return tmp_path / "journal.db"


async def test_an_earlier_format_is_rewritten_and_the_old_file_is_kept(old: Path) -> None:
    """Rows, hashes and epoch are the same before and after; the record goes on, and knows what was said in it."""
    before, content = prove(old), await asyncio.to_thread(old.read_bytes)
    with Reader(old) as reader:
        epoch, rows, found = reader.epoch, list(reader.rows()), reader.pragma("user_version")
    said = next(Input(NoMoreBets(), 1, row.source, key=row.key) for row in rows if row.key)

    async with Journal.open(old, table=TABLE) as journal:
        assert (journal.head, journal.epoch) == (before, epoch)
        assert list(journal.reader.rows()) == rows
        assert journal.has(said)
        await journal.append(replace(said, key="new"), [], in_round=1)
        assert journal.reader.pragma("user_version") == FORMAT
    assert prove(old).number == before.number + 1
    kept = old.with_name(f"journal.db.format-{found}")
    assert await asyncio.to_thread(kept.read_bytes) == content


def test_the_present_format_reads_what_it_wrote_before(old: Path) -> None:
    """Whoever changes what is written, or the words it is packed against, makes another format."""
    present = old.with_name("present.db")
    shutil.copy(FORMATS / f"{FORMAT}.journal", present)
    assert prove(present) == prove(old)


async def opened(path: Path) -> None:
    async with Journal.open(path, table=TABLE):
        pass


def test_an_earlier_format_that_was_altered_is_not_rewritten(old: Path) -> None:
    """What does not prove is damaged, whatever its format."""
    content = old.read_bytes()
    old.write_bytes(content.replace(b'"amount":2500', b'"amount":9500', 1))

    with pytest.raises(JournalDamaged, match="one was altered"):
        asyncio.run(opened(old))
    assert [file.name for file in old.parent.glob("*.format-*")] == []


def test_an_earlier_format_that_was_altered_is_mended(old: Path) -> None:
    """What it still proves begins a volume of the present format."""
    with Reader(old) as reader:
        first = next(row for row in reader.rows() if '"amount":2500' in row.body)
    old.write_bytes(old.read_bytes().replace(b'"amount":2500', b'"amount":9500'))

    lost = mend(old, TABLE, "one was altered")
    assert f"rows 1 to {first.number - 1} were kept" in lost
    with Reader(old) as reader:
        assert reader.pragma("user_version") == FORMAT
    assert prove(old).number == first.number - 1


def test_a_later_format_is_refused_and_left_alone(old: Path) -> None:
    """A program that was set back does not touch what a later one wrote, and says which format it found."""
    with closing(sqlite3.connect(old)) as database:
        database.execute(f"PRAGMA user_version = {FORMAT + 1}")
    content = old.read_bytes()

    with pytest.raises(JournalError, match=f"of a later version, {FORMAT + 1}; awaited {FORMAT}") as refused:
        asyncio.run(opened(old))
    assert not isinstance(refused.value, JournalDamaged)
    assert old.read_bytes() == content


def test_a_file_of_this_format_is_left_as_it_is(old: Path) -> None:
    """Rewriting is done once."""
    migrate(old)
    content, inode = old.read_bytes(), old.stat().st_ino
    migrate(old)
    assert (old.read_bytes(), old.stat().st_ino) == (content, inode)
