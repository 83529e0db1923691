"""Whatever is done to the file, the journal tells the truth or says that it cannot."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablectl.errors import JournalError
from tablectl.events.codec import Input
from tablectl.events.facts import CardsDealt, RoundEnded
from tablectl.events.readings import ShoeStackTaken
from tablectl.journal import Entry, Journal

TABLE = "demo/pit1/t01"


async def _write(path: Path, snapshot: Path | None) -> None:
    async with Journal.open(path, table=TABLE) as journal:
        for number in range(1, 16):
            said = Input(ShoeStackTaken(stack=number), at=number, source="shoe1", boot="9f3a", number=number)
            facts = [CardsDealt(hand="1", cards=()), *([RoundEnded(result="settled")] if number == 10 else [])]
            await journal.append(said, facts, in_round=1)
        if snapshot is not None:
            shutil.copytree(path.parent, snapshot)  # as a power cut would leave it: the log not yet folded in


@cache
def _original(*, cut: bool) -> Path:
    """Return a directory with a journal of 15 entries, closed in order or cut off."""
    directory = Path(tempfile.mkdtemp()) / "journal"
    directory.mkdir()
    snapshot = directory.parent / "cut" if cut else None
    asyncio.run(_write(directory / "journal.db", snapshot))
    return snapshot or directory


async def _opened(path: Path) -> list[Entry]:
    async with Journal.open(path, table=TABLE) as journal:
        journal.reader.verify()
        return list(journal.reader.entries())


def _entries_after(damage: Callable[[Path], None], *, cut: bool) -> list[int] | str:
    """Return the events that a damaged copy still tells, or the text with which it refuses."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "copy"
        shutil.copytree(_original(cut=cut), copy)
        damage(copy)
        try:
            entries = asyncio.run(_opened(copy / "journal.db"))
        except JournalError as error:
            return str(error)
    for place, entry in enumerate(entries, 1):
        assert entry.said.number == entry.said.at == place
        assert len(entry.facts) == (2 if place == 10 else 1)
    return [entry.said.number for entry in entries]


def _bytes(change: Callable[[bytes], bytes], name: str) -> Callable[[Path], None]:
    def damage(copy: Path) -> None:
        (copy / name).write_bytes(change((copy / name).read_bytes()))

    return damage


places = st.floats(min_value=0, max_value=1, exclude_max=True)


@settings(deadline=None, max_examples=60)
@given(place=places, bit=st.integers(0, 7), cut=st.booleans())
@example(place=0.640625, bit=0, cut=False)  # within the facts of an entry
def test_a_flipped_bit_is_found_or_without_meaning(place: float, bit: int, *, cut: bool) -> None:
    """One bit anywhere in the database: all 15 entries are told unchanged, or opening is refused with the reason."""

    def flip(content: bytes) -> bytes:
        at = int(place * len(content))
        return content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]

    told = _entries_after(_bytes(flip, "journal.db"), cut=cut)
    assert told == list(range(1, 16)) or "journal" in told


@settings(deadline=None, max_examples=40)
@given(place=places, fill=st.booleans())
def test_a_cut_or_zeroed_file_is_refused(place: float, *, fill: bool) -> None:
    """A database that ends early, or in zeros, never passes for a shorter truth."""

    def shorten(content: bytes) -> bytes:
        kept = content[: int(place * len(content))]
        return kept.ljust(len(content), b"\0") if fill else kept

    told = _entries_after(_bytes(shorten, "journal.db"), cut=False)
    assert isinstance(told, str)


@settings(deadline=None, max_examples=60)
@given(place=places, fill=st.booleans())
def test_a_cut_log_loses_whole_entries_after_the_anchor_only(place: float, *, fill: bool) -> None:
    """A write-ahead log that ends anywhere: entries go whole from the end, and never one of a finished round."""

    def shorten(content: bytes) -> bytes:
        kept = content[: int(place * len(content))]
        return kept.ljust(len(content), b"\0") if fill else kept

    told = _entries_after(_bytes(shorten, "journal.db-wal"), cut=True)
    if isinstance(told, str):
        assert "lost after row" in told or "awaited" in told
    else:
        assert told == list(range(1, len(told) + 1))
        assert len(told) >= 10
