"""A clock that jumps in mid-round changes what time it was, and nothing else."""

import sys
from collections.abc import Coroutine, Iterable
from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace

from tablectl.events.facts import CardsDealt, Fact, RoundEnded, RoundOpened, RoundStepAwaited
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


async def played(folder: Path, broker: Mosquitto, steps: tuple[int, ...]) -> tuple[list[Fact], list[int]]:
    """Return what was told of so many rounds, and by how much time passed between inputs.

    steps: by how many nanoseconds the clock is ahead once the first card of a round lies; one for each round.
    """
    clock = Clock(folder)
    async with floor(Plan("red-dog", speed=float("inf"), seed=5), folder, broker.port) as table:
        table.dealer._players = InTurn(table.plan, table.line, table.guest)
        command = (sys.executable, str(PROGRAM), "run", str(table.table_file))
        daemon = await Program.start(folder, "run", *command, STEPPED_CLOCK=str(clock.file))
        try:
            await play(table, clock, steps)
            assert await daemon.stop() == 0, daemon.log()
        finally:
            await daemon.kill()
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
