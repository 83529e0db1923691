"""A small journal is cut, zeroed and flipped at every offset of each of its files: it starts, and says what is lost."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from structlog.testing import capture_logs

from tablectl.events.codec import Input
from tablectl.events.facts import CardsDealt, Fact, RoundEnded
from tablectl.events.readings import ShoeStackTaken
from tablectl.journal import Entry, Journal, Reader
from tablectl.journal.keeping import faults, opened

TABLE = "demo/pit1/t01"
ENTRIES, ANCHORED = 5, 3
"""How many entries there are, and at which the round ended: what the anchor knows of cannot be lost in silence."""


def cut(content: bytes, at: int) -> bytes:
    return content[:at]


def zeroed(content: bytes, at: int) -> bytes:
    """Leave zeros from there on, as a card does that has not written all its pages."""
    return content[:at].ljust(len(content), b"\0")


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :]


Damage = Callable[[bytes, int], bytes]


def said(number: int) -> Input:
    return Input(ShoeStackTaken(stack=number), at=number, source="shoe1", boot="9f3a", number=number)


async def write(path: Path) -> None:
    """Write a journal, closed in order in its folder, and as a power cut leaves it in the folder ``torn`` beside."""
    async with Journal.open(path, table=TABLE) as journal:
        for number in range(1, ENTRIES + 1):
            facts: list[Fact] = [CardsDealt(hand="1", cards=())]
            facts += [RoundEnded(result="settled")] if number == ANCHORED else []
            await journal.append(said(number), facts, in_round=1)
        shutil.copytree(path.parent, path.parent.with_name("torn"))


def told(path: Path) -> list[Entry]:
    with Reader(path) as reader:
        return list(reader.entries())


async def start(path: Path) -> tuple[list[Entry], str, str]:
    """Open a damaged journal as the daemon does, write on, and prove it; return what it holds, what was said to be lost
    at the start, and what the proof then finds wrong.
    """
    with capture_logs():
        async with opened(path, TABLE) as (journal, lost):
            await journal.append(said(99), [], in_round=1)
            wrong = " ".join([str(fault) async for fault in faults(path)])
    assert bool(lost) == any(path.parent.glob("*.damaged-*")), "what is set aside is said, and nothing else"
    assert not (lost and wrong), "a mended journal is whole"
    return [] if wrong else told(path)[:-1], lost, wrong


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory, where thousands of starts wait for no disk."""
    with TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


FILES = ("journal.db", "torn/journal.db", "torn/journal.db-wal", "journal.db.anchor")
CASES = [(name, damage) for name in FILES for damage in (cut, zeroed, flipped)]
QUICK = ("journal.db.anchor", flipped)
"""What `make test` has time for; the rest, thirty thousand starts, is soaked."""


@pytest.mark.parametrize(
    ("name", "damage"), [case if case == QUICK else pytest.param(*case, marks=pytest.mark.soak) for case in CASES]
)
async def test_damage_at_any_offset_is_survived_and_said(memory: Path, name: str, damage: Damage) -> None:
    """Wherever a file of the record is damaged, the start keeps the beginning that is proven, sets the damaged file
    aside and says what is lost; only what came after the last round in a log that ends early is lost in silence.
    """
    (memory / "whole").mkdir()
    await write(memory / "whole" / "journal.db")
    torn = name.startswith("torn/")
    source = memory / ("torn" if torn else "whole")
    file = name.removeprefix("torn/")
    truth, content, copy = told(memory / "whole" / "journal.db"), (source / file).read_bytes(), memory / "copy"
    for at in range(len(content)):
        shutil.copytree(source, copy)
        (copy / file).write_bytes(damage(content, at))
        found, lost, wrong = await start(copy / "journal.db")
        shutil.rmtree(copy)
        where = f"{damage.__name__} at {at} of {len(content)}: {len(found)} entries; {lost}{wrong}"
        if not wrong:
            assert [(e.said, e.facts) for e in found] == [(e.said, e.facts) for e in truth[: len(found)]], where
        if not (lost or wrong):
            assert len(found) >= (ANCHORED if torn else ENTRIES), where
