"""A clock that jumps in mid-round changes what time it was, and nothing else."""

import sys
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from tablectl.events.facts import (
    CardsDealt,
    DeckShuffleBegan,
    DeckShuffled,
    DeviceWentOffline,
    Fact,
    RoundEnded,
    RoundOpened,
    RoundStepAwaited,
    TableSuspended,
)
from tablectl.journal import Record
from tablectl.rehearsal import Plan
from tablectl.rehearsal.players import Players
from tablectl.replay import Replayed, replay
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import Floor, Program, floor

__all__ = ["mosquitto"]

PROGRAM = Path(__file__).with_name("stepped_clock.py")
SECOND = 1_000_000_000
YEARS, HOUR = 3 * 365 * 86_400 * SECOND, 3600 * SECOND
ROUNDS = 3
AT_THE_TABLE = ("round", "wager", "cards")
"""Kinds of facts that a round consists of; days and clocks have their own, which are about time."""


class Clock:
    """How far the daemon's wall clock is ahead, in a file in a new folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.file = folder / "clock"
        self.step(0)

    def step(self, nanoseconds: int) -> None:
        fresh = self.file.with_suffix(".new")
        fresh.write_text(str(nanoseconds))
        fresh.replace(self.file)


class InTurn(Players):
    """Players of whom one acts after the other, so that two runs can be compared."""

    @staticmethod
    async def _all(deeds: Iterable[Coroutine[object, object, None]]) -> None:
        for deed in deeds:
            await deed


@asynccontextmanager
async def stepped(table: Floor, clock: Clock) -> AsyncIterator[None]:
    """Run the daemon of a table by this clock, and stop it cleanly."""
    command = (sys.executable, str(PROGRAM), "run", str(table.table_file))
    daemon = await Program.start(table.folder, "run", *command, STEPPED_CLOCK=str(clock.file))
    try:
        yield
        assert await daemon.stop() == 0, daemon.log()
    finally:
        await daemon.kill()


async def played(folder: Path, broker: Mosquitto, steps: tuple[int, ...]) -> tuple[list[Fact], list[int]]:
    """Return what was told of so many rounds, and by how much time passed between inputs.

    steps: by how many nanoseconds the clock is ahead once the first card of a round lies; one for each round.
    """
    clock = Clock(folder)
    async with floor(Plan("red-dog", speed=float("inf"), seed=5), folder, broker.port) as table:
        table.dealer._players = InTurn(table.plan, table.line, table.guest)
        async with stepped(table, clock):
            await play(table, clock, steps)
    assert isinstance(replay(table.journal), Replayed)
    with Record(table.journal) as record:
        moments = [entry.said.at for entry in record.entries()]
    return rounds(table.line.facts), [after - before for before, after in pairwise(moments)]


async def play(table: Floor, clock: Clock, steps: tuple[int, ...]) -> None:
    await table.until(lambda: table.line.online)
    await table.open()
    table.play()
    for number, step in enumerate(steps, 1):
        dealt = len(table.line.found(CardsDealt))
        await table.until_told(CardsDealt, dealt + 1)
        clock.step(step)
        await table.until_told(RoundEnded, number)
    await table.until_told(RoundEnded, ROUNDS)
    table.pause()


def rounds(facts: list[Fact]) -> list[Fact]:
    """Return what was told of the first rounds, from the opening of the first to the end of the last; a day that began
    meanwhile stands beside them.
    """
    told = [timeless(fact) for fact in facts if fact.name().partition(".")[0] in AT_THE_TABLE and not between(fact)]
    opened = next(place for place, fact in enumerate(told) if isinstance(fact, RoundOpened))
    ends = [place for place, fact in enumerate(told) if isinstance(fact, RoundEnded)]
    return told[opened : ends[ROUNDS - 1] + 1]


def timeless(told: Fact) -> Fact:
    return replace(told, day="", shift="") if isinstance(told, RoundOpened | RoundEnded) else told


def between(told: Fact) -> bool:
    return isinstance(told, RoundStepAwaited) and told.step == "between"


async def test_a_stepped_clock_changes_timestamps_and_nothing_else(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """Three years forward in one round and an hour back in the next: the same rounds as by a steady clock, fact by
    fact; the record shows the steps, and replays.
    """
    steady, even = await played(tmp_path / "steady", mosquitto, ())
    stepped, uneven = await played(tmp_path / "stepped", mosquitto, (YEARS, YEARS - HOUR))

    assert stepped == steady
    assert 0 <= min(even) <= max(even) < HOUR / 2
    assert max(uneven) > YEARS - HOUR
    assert min(uneven) < -HOUR / 2


@pytest.mark.parametrize("step", [YEARS, -HOUR])
async def test_a_clock_stepped_during_a_shuffle_ends_nothing_early_or_never(
    tmp_path: Path, mosquitto: Mosquitto, step: int
) -> None:
    """No patience with the shuffler is measured by the wall: it ends with a counted deck, in as long as it takes, and
    what was told has its order by number.
    """
    clock = Clock(tmp_path / "clock")
    plan = Plan("four-card-poker", speed=float("inf"))
    async with floor(plan, tmp_path, mosquitto.port, speeds={"shuffler": "10"}) as table, stepped(table, clock):
        await table.until(lambda: table.line.online)
        await table.open()
        await table.until_told(DeckShuffleBegan)
        before = len(table.line.facts)
        clock.step(step)
        await table.until_told(DeckShuffled)

        since = table.line.facts[before:]
        assert [told for told in since if isinstance(told, DeviceWentOffline | TableSuspended)] == []
        assert table.line.found(DeckShuffled)[0].count == plan.terms.composition.size
        numbers = [told.seq for told in table.line.told]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        moments = {told.ts[:13] for told in table.line.told}
        assert len(moments) > 1, "the step is in the record"
