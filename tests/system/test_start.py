"""A start on a record of which a row was altered: the table is rebuilt from what is left, now and at the next start."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tablectl.cards import Card
from tablectl.config import load
from tablectl.daemon.process import started
from tablectl.events import announcements as say
from tablectl.events.announcements import Announcement, DoubtRecord, Role
from tablectl.events.codec import Input
from tablectl.events.facts import RoundOpened
from tablectl.events.record import TurnRecord
from tablectl.journal import Reader, Record, prove
from tablectl.journal.keeping import faults
from tablectl.journal.store import fold
from tests.altered import alter, tamper
from tests.brokers import Mosquitto, mosquitto
from tests.properties.test_journal_every_offset import Damage, cut, flipped, memory, zeroed
from tests.system.harness import controlled
from tests.table_files import RED_DOG, RED_DOG_HOUSE, write

__all__ = ["memory", "mosquitto"]

TABLE = RED_DOG.split("[[device]]")[0] + '[journal]\npath = "journal.db"\n'
LOADED = say.LoadDeck("red")
DAY = (
    say.OpenTable(("supervisor", "dealer")),
    say.ReceiveDeck("red", "red"),
    say.ConfirmShuffle("red"),
    LOADED,
    say.PlaceWager("3", "original", 1000),
    say.PlaceWager("5", "original", 2500),
    say.ConfirmDealt(cards=(Card("4c"),)),
    say.CloseTable("no round follows"),
    say.VoidRound("a round that ended, to which the table goes back at its start"),
)
ALTERED = {
    "torn": "x'00ff'",
    "of other words": 'packed(replace(told(words), \'{"type":"\', \'{"type":"un\'))',
}
MORE = {"emptied": "packed('[]')", "told otherwise": "packed(replace(told(words), 'o', 'u'))"}
"""What has become of the words of a row: nothing that can be read, or something else."""


async def said(file: Path, *words: Announcement) -> str:
    """Start, say something and end; return why the table was held at the start."""
    configured, settings = load(file)
    with capture_logs():
        async with started(configured, settings) as controller:
            held = " ".join(controller.table.suspended.values())
            for word in words:
                role = next(role for role in (Role.SUPERVISOR, Role.DEALER, Role.SYSTEM) if role in word.roles)
                await controller.submit(Input(word, 1, role, by=role))
    return held


def of_last_round(journal: Path) -> list[int]:
    """Return the rows with which the entries begin that a table is rebuilt from."""
    with Record(journal) as record:
        opened = record.last(RoundOpened)
        assert opened is not None
        return [stored.said.number for stored in record.stored((opened.cause or 1) - 1)]


@pytest.mark.parametrize(
    "words",
    [*ALTERED.values(), *[pytest.param(words, marks=pytest.mark.soak) for words in MORE.values()]],
    ids=[*ALTERED, *MORE],
)
async def test_a_row_altered_in_the_last_round_is_no_end_of_the_table(tmp_path: Path, words: str) -> None:
    """Whichever row behind the opening of the last round was altered, and to what: the table starts and is held, says
    why, starts again, and what it then writes can be proven.
    """
    file = write(tmp_path, TABLE, RED_DOG_HOUSE)
    journal = tmp_path / "journal.db"
    assert await said(file, *DAY) == ""
    rows = of_last_round(journal)
    assert len(rows) == len(DAY) - DAY.index(LOADED)
    shutil.copytree(tmp_path, tmp_path / "kept")
    for row in rows:
        clear(tmp_path)
        shutil.copytree(tmp_path / "kept", tmp_path, dirs_exist_ok=True)
        tamper(journal, f"UPDATE entry SET words = {words} WHERE number = {row}")
        held = await said(file)
        assert "record" in held.lower(), f"row {row}: {held}"
        assert await said(file), f"row {row}: held until a supervisor has looked"
        if is_set_aside(tmp_path):
            prove(journal)


def clear(folder: Path) -> None:
    for path in folder.glob("journal*"):
        path.unlink()


def is_set_aside(folder: Path) -> bool:
    return any(folder.glob("journal.db.damaged-*Z"))


@pytest.mark.soak
@pytest.mark.parametrize("name", ["journal.db", "journal.0002.db"])
@pytest.mark.parametrize("damage", [cut, zeroed, flipped])
async def test_a_table_starts_wherever_its_record_was_damaged(memory: Path, damage: Damage, name: str) -> None:
    """Either volume of a record is cut, zeroed or flipped at every offset: the table starts. Where it is held it is so
    still at the next start; and unless the start or the proof that follows says what is wrong, nothing is.
    """
    file = write(memory, TABLE, RED_DOG_HOUSE)
    assert await said(file, *DAY, TurnRecord()) == ""
    assert await said(file, say.OpenTable(("supervisor", "dealer")), say.PlaceWager("3", "original", 1000)) == ""
    fold(memory / "journal.db")
    whole, content = hashes(memory / name), contents(memory / name)
    shutil.copytree(memory, memory / "kept")
    for at in range(len(content)):
        clear(memory)
        shutil.copytree(memory / "kept", memory, dirs_exist_ok=True)
        write_over(memory / name, damage(content, at))
        held = await said(file)
        wrong = [fault async for fault in faults(memory / "journal.db")]
        assert bool(held) <= bool(await said(file)), f"{damage.__name__} at {at}: {held}"
        assert held or wrong or hashes(memory / name)[: len(whole)] == whole, f"{damage.__name__} at {at}"


def hashes(volume: Path) -> list[bytes]:
    with Reader(volume) as reader:
        return [stored.hash for stored in reader.stored()]


def contents(file: Path) -> bytes:
    return file.read_bytes()


def write_over(file: Path, content: bytes) -> None:
    file.write_bytes(content)


async def test_a_volume_whose_first_words_were_altered_is_mended(tmp_path: Path) -> None:
    """The words with which a later volume begins hold all that outlives a round. Where they are no words of this
    program any more, and the opening had not proven them, the volume is mended, and the table held.
    """
    file = write(tmp_path, TABLE, RED_DOG_HOUSE)
    await said(file, *DAY, TurnRecord())
    await said(file, say.OpenTable(("supervisor", "dealer")), say.PlaceWager("3", "original", 1000), say.VoidRound("x"))
    alter(tmp_path / "journal.0002.db", '"rulebook"', '"ruuebook"')
    assert "damaged" in await said(file)
    assert "damaged" in await said(file)
    assert len(list(tmp_path.glob("journal.0002.db.damaged-*Z"))) == 1  # noqa: ASYNC240 - a test has time


async def test_a_text_that_became_a_number_is_damage(tmp_path: Path) -> None:
    """One bit of a row's head tells texts from numbers, whatever the schema says: what a volume says of itself may come
    as a number, and the start mends it.
    """
    file = write(tmp_path, TABLE, RED_DOG_HOUSE)
    await said(file, *DAY)
    kept = {path: contents(path) for path in (tmp_path / "journal.db", tmp_path / "journal.db.anchor")}
    for name in ("before", "epoch", "table", "published"):
        clear(tmp_path)
        for path, content in kept.items():
            write_over(path, content)
        become_number(tmp_path / "journal.db", name)
        assert "damaged" in await said(file), name


def become_number(file: Path, name: str) -> None:
    """Make what the volume says of itself under this name a number, as a flipped bit does."""
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        strict = "PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID"
        loose = "PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
        for one, other in ((strict, loose), (loose, strict)):
            database.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?)", (one, other))
            if one == strict:
                database.execute("PRAGMA schema_version = 999")
                database.execute("UPDATE meta SET value = 123 WHERE name = ?", (name,))


SPOILT: dict[str, Callable[[Path], object]] = {
    "zeroed": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "half zeroed": lambda file: file.write_bytes(zeroed(file.read_bytes(), file.stat().st_size // 2)),
    "cut": lambda file: os.truncate(file, file.stat().st_size // 2),
    "emptied": lambda file: os.truncate(file, 0),
    "gone": lambda file: file.unlink(),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
async def test_an_earlier_volume_that_is_damaged_is_no_end_of_the_table(
    tmp_path: Path, mosquitto: Mosquitto, spoil: Callable[[Path], object]
) -> None:
    """Whatever has become of the volume before the present one: the table starts and leaves both as they are, says what
    is wrong, once, and tells the broker all that came since.
    """
    file = write(tmp_path, TABLE + f"[mqtt]\nport = {mosquitto.port}\n", RED_DOG_HOUSE)
    assert await said(file, *DAY, TurnRecord()) == ""
    fold(tmp_path / "journal.db")
    spoil(tmp_path / "journal.db")
    for start in ("the first", "another"):
        with capture_logs():
            async with controlled(file) as controller:
                journal = controller.journal
                async with asyncio.timeout(10):
                    while "The record is not what was written" not in " ".join(controller.table.suspended.values()):
                        await journal.beyond(journal.head.seq)
                    while journal.published < journal.head.seq:  # noqa: ASYNC110 - what is published tells nobody
                        await asyncio.sleep(0.02)
        assert not is_set_aside(tmp_path), start
    with Reader(tmp_path / "journal.0002.db") as reader:
        assert len(list(reader.all_said(DoubtRecord))) == 1
        reader.verify()
