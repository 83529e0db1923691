"""What the record costs an SD card: bytes of log and database, counted in the files."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from tablectl.events.announcements import Announcement
from tablectl.events.codec import Input
from tablectl.events.facts import Fact, RoundEnded
from tablectl.journal import Journal
from tablectl.rulebook import HouseFile
from tablectl.terms import Dealing, Terms
from tests.properties.test_table import TABLES
from tests.tables import BANKED, IMPERIAL, Bench, Habit, terms

PER_COMMIT = 1_300
"""Bytes of the log, at most, for a commit of play on average: its row's page, and two more for every third row."""
PER_ROUND = 64_000
"""Bytes of log and database, at most, for a round."""

PLAYS: dict[str, Callable[[], Terms]] = {
    **{plays: TABLES[plays] for plays in TABLES if "called" not in plays},
    "pai gow poker, card by card": lambda: card_by_card(IMPERIAL),
    "pai gow poker, banked, card by card": lambda: card_by_card(BANKED),
}
ROUNDS = 2


def card_by_card(house: HouseFile) -> Terms:
    by_card = terms("pai-gow-poker", dealing=Dealing.SHOE, house=house, devices=("card-shoe", "shaker"))
    return replace(by_card, devices={"card-shoe": "shoe1", "shaker": "shaker"})


def played(seats: Terms) -> list[tuple[Input, tuple[Fact, ...]]]:
    """Play some rounds; what people and devices say has keys and boots as they make them."""
    bench = Bench(seats)
    habit = Habit(bench, 7)
    while len(bench.all(RoundEnded)) <= ROUNDS:
        habit.go_on()
    said = [keyed(said, number) for number, said in enumerate(bench.inputs)]
    return list(zip(said, bench.answers, strict=True))


def keyed(said: Input, number: int) -> Input:
    if isinstance(said.body, Announcement):
        return replace(said, key=str(UUID(int=number << 64)), by="D-1173")
    return replace(said, boot="9f3a12c4.17", source="shoe1")


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


@pytest.mark.parametrize("plays", PLAYS)
async def test_a_card_lives_with_what_is_written(tmp_path: Path, plays: str) -> None:
    """Each game stays within its budget, with every input committed on its own."""
    rounds = played(PLAYS[plays]())
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
    assert (log + pages) / ROUNDS <= PER_ROUND
