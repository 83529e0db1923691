"""What the record costs an SD card: bytes of log and database, counted in the files."""

from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from tablectl.events.announcements import Announcement
from tablectl.events.codec import Input
from tablectl.events.facts import Fact, RoundEnded
from tablectl.journal import Journal
from tests.properties.test_table import TABLES
from tests.tables import Bench, Habit

PER_COMMIT = 2_000
"""Bytes of the log, at most, for a commit of play on average."""
PER_ROUND = {
    "red dog, reading shoe": 64_000,
    "pai gow poker": 72_000,  # seven stacks dispensed and taken one by one: thirty commits of three pages each
    "pai gow poker, banked": 78_000,
    "supreme pai gow": 64_000,
    "bonus": 64_000,
    "spanish 21": 64_000,
    "triple attack": 64_000,
    "mississippi stud": 64_000,
    "four-card poker": 64_000,
    "mini-tex": 64_000,
}
"""Bytes of log and database, at most, for a round. No commit is less than three pages: its row's, and the first."""
ROUNDS = 2


def played(plays: str) -> list[tuple[Input, tuple[Fact, ...]]]:
    """Play some rounds; what people say has keys as callers make them."""
    bench = Bench(TABLES[plays]())
    habit = Habit(bench, 7)
    while len(bench.all(RoundEnded)) <= ROUNDS:
        habit.go_on()
    said = [keyed(said, number) for number, said in enumerate(bench.inputs)]
    return list(zip(said, bench.answers, strict=True))


def keyed(said: Input, number: int) -> Input:
    return replace(said, key=str(UUID(int=number << 64)), by="D-1173") if isinstance(said.body, Announcement) else said


class Meter:
    """Counts what was written. The log is not folded in meanwhile, so that its length is all that went into it."""

    def __init__(self, journal: Journal) -> None:
        self.file = journal.reader.path
        self.database = journal._store._database
        self.database.execute("PRAGMA wal_autocheckpoint = 0").fetchone()

    def log(self) -> int:
        return self.file.with_name(f"{self.file.name}-wal").stat().st_size

    def pages(self) -> int:
        """Return the bytes that fold into the database: each page once, however often it was logged."""
        return int(self.database.execute("PRAGMA page_count").fetchone()[0]) * 512


@pytest.mark.parametrize("plays", PER_ROUND)
async def test_a_card_lives_with_what_is_written(tmp_path: Path, plays: str) -> None:
    """Each game stays within its budget, with every input committed on its own."""
    rounds = played(plays)
    ends = [place for place, (_, facts) in enumerate(rounds) if any(isinstance(each, RoundEnded) for each in facts)]
    async with Journal.open(tmp_path / "journal.db", table="demo/pit1/t01") as journal:
        meter = Meter(journal)
        for said, facts in rounds[: ends[0] + 1]:
            await journal.append(said, facts, in_round=1182)
        log, pages = meter.log(), meter.pages()
        for said, facts in rounds[ends[0] + 1 : ends[-1] + 1]:
            await journal.append(said, facts, in_round=1183)
        log, pages = meter.log() - log, meter.pages() - pages
    commits = ends[-1] - ends[0]

    assert log / commits <= PER_COMMIT
    assert (log + pages) / ROUNDS <= PER_ROUND[plays]
