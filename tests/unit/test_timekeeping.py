"""Which gaming day and shift it is, and what the record learns of the clock."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.config import load
from tablectl.events.announcements import Due, ReportClock, System, TimeReached
from tablectl.timekeeping import TOLD_EVERY, Calendar, Timekeeper, kernel_clock
from tests.table_files import RED_DOG, RED_DOG_HOUSE, mistakes_of, write

SHIFTS = {"day": "06:00", "swing": "14:00", "grave": "22:00"}
HOUSE = Calendar.of("06:00", SHIFTS, "America/New_York")
GOOD = ReportClock(synchronised=True, error=3)


def wall(text: str, zone: str = "America/New_York") -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()) * 10**9


@pytest.mark.parametrize(
    ("at", "day", "shift"),
    [
        ("2026-11-30 06:00", "2026-11-30", "day"),
        ("2026-11-30 05:59", "2026-11-29", "grave"),
        ("2026-11-30 14:00", "2026-11-30", "swing"),
        ("2026-12-01 00:30", "2026-11-30", "grave"),
        ("2026-12-01 06:00", "2026-12-01", "day"),
    ],
)
def test_a_gaming_day_lasts_until_the_next_begins(at: str, day: str, shift: str) -> None:
    """The hours after midnight belong to the gaming day before, by the clock of the house."""
    period = HOUSE.at(wall(at))
    assert (period.day, period.shift) == (day, shift)


def test_before_the_first_shift_there_is_none() -> None:
    """A day that begins before its first shift has none until then."""
    calendar = Calendar.of("04:00", {"day": "08:00"}, "UTC")
    assert calendar.at(wall("2026-11-30 05:00", "UTC")).shift == ""
    assert calendar.at(wall("2026-12-01 03:59", "UTC")).shift == "day"


@given(st.integers(0, 4 * 10**18), st.integers(0, 3 * 3600 * 10**9))
def test_time_only_goes_on(at: int, later: int) -> None:
    """Where no summer time interferes, a later moment never lies in an earlier period."""
    calendar = Calendar(timedelta(hours=6), {"a": timedelta(hours=6), "b": timedelta(hours=18)}, UTC)
    assert calendar.at(at) <= calendar.at(at + later)


class Told:
    """A timekeeper without a clock of its own, and what it said."""

    def __init__(self, known: str = "", due: Iterable[TimeReached] = ()) -> None:
        self.said: list[System] = []
        self.keeper = Timekeeper(HOUSE, lambda _: due, self._say, HOUSE.at(wall(known)) if known else None)

    async def _say(self, body: System) -> None:
        self.said.append(body)

    async def at(self, text: str, monotonic: float = 0.0, clock: ReportClock | None = None) -> list[System]:
        self.said = []
        await self.keeper.look(wall(text), monotonic, clock)
        return self.said


async def test_a_day_and_its_shifts_come_due_once() -> None:
    """At the first look the present day and shift are said, later each as it begins, and nothing twice."""
    told = Told()
    assert await told.at("2026-11-30 15:00") == [
        TimeReached(Due.GAMING_DAY, "2026-11-30"),
        TimeReached(Due.SHIFT, "swing"),
    ]
    assert await told.at("2026-11-30 15:01") == []
    assert await told.at("2026-11-30 22:00") == [TimeReached(Due.SHIFT, "grave")]
    assert await told.at("2026-12-01 06:00") == [
        TimeReached(Due.GAMING_DAY, "2026-12-01"),
        TimeReached(Due.SHIFT, "day"),
    ]


async def test_what_people_began_stands_over_a_start() -> None:
    """A start in the same period says nothing, so that a shift that was announced early is not taken back."""
    assert await Told(known="2026-11-30 13:00").at("2026-11-30 13:50") == []
    assert await Told(known="2026-11-30 13:00").at("2026-11-30 14:10") == [TimeReached(Due.SHIFT, "swing")]


async def test_a_clock_set_back_begins_nothing() -> None:
    """An hour that comes twice begins its shift once."""
    told = Told(known="2026-11-30 14:10")
    assert await told.at("2026-11-30 13:10") == []
    assert await told.at("2026-11-30 14:10") == []


async def test_the_clock_is_told_of_when_it_changes_and_every_hour() -> None:
    """The first look tells of it, a change at once, the same again only after an hour."""
    told, lost = Told(known="2026-11-30 15:00"), ReportClock(synchronised=False, error=16_000)
    moment = "2026-11-30 15:00"
    assert await told.at(moment, 0, GOOD) == [GOOD]
    assert await told.at(moment, 9, ReportClock(synchronised=True, error=4)) == []
    assert await told.at(moment, 10, lost) == [lost]
    assert await told.at(moment, 10 + TOLD_EVERY - 1, lost) == []
    assert await told.at(moment, 10 + TOLD_EVERY, lost) == [lost]


async def test_what_the_table_says_is_due_is_said() -> None:
    """Dice that are too old come due whatever the calendar says."""
    dice = TimeReached(Due.DICE, "d1")
    assert await Told(known="2026-11-30 15:00", due=[dice]).at("2026-11-30 15:00") == [dice]


def test_the_kernel_tells_of_its_clock() -> None:
    """Linux answers without any privilege, whichever program steers the clock."""
    told = kernel_clock()
    assert told is not None
    assert told.error >= 0


def test_the_table_file_says_when_a_day_begins(tmp_path: Path) -> None:
    """The section is optional, and what cannot be is refused with its place."""
    assert load(write(tmp_path, RED_DOG, RED_DOG_HOUSE))[1].day is None
    section = '\n[day]\nbegins = "06:00"\nzone = "America/New_York"\nshifts = { day = "06:00", swing = "14:00" }\n'
    day = load(write(tmp_path, RED_DOG + section, RED_DOG_HOUSE))[1].day
    assert day is not None
    assert day.shifts == {"day": "06:00", "swing": "14:00"}
    for spoilt, mistake in (
        (section.replace("America/New_York", "Atlantis"), "day.zone: awaited a time zone like America/New_York"),
        (
            section.replace('begins = "06:00"', 'begins = "6:00"'),
            'day.begins: awaited a time of day in quotes like "06',
        ),
        (section.replace("14:00", "24:00"), "day.shifts.swing: awaited a time of day"),
    ):
        found = [str(each) for each in mistakes_of(tmp_path, RED_DOG + spoilt, RED_DOG_HOUSE)]
        assert any(mistake in each for each in found), found
