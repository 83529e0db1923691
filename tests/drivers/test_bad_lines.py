"""Bad lines, resets and restarts: cards move once for each command, and every command has one outcome."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablectl.devices.bench import socket
from tablectl.devices.contract import Mark
from tablectl.devices.link import Url
from tablectl.devices.registry import driver
from tablectl.devices.roster import Configured
from tablectl.events.codec import Input
from tablectl.events.facts import StackDue
from tablectl.events.readings import CommandRefused, CommandUnknown, DeviceEventsLost, ShoeStackDispensed
from tablectl.upkeep import Upkeep

_URLS = itertools.count()
COMMANDS = 20


class Table:
    """What a daemon does, as far as a device can tell: it journals, orders, and orders again after a refusal."""

    def __init__(self, url: str) -> None:
        self.device = Configured("shoe1", driver("otdp-shoe"), url)
        self.double: Any = socket(Url.parse(url)).double
        self.journal: list[Input] = []
        self.open: dict[str, StackDue] = {}
        self.outcomes: list[tuple[str, str]] = []
        self.ended = asyncio.Event()

    async def mark(self) -> Mark:
        numbered = [each for each in self.journal if each.number]
        last = numbered[-1] if numbered else None
        return Mark(last.boot if last else "", last.number if last else 0, tuple(self.open.values()))

    async def accept(self, said: Input) -> None:
        self.journal.append(said)
        match said.body:
            case (
                ShoeStackDispensed(command=command) | CommandRefused(command=command) | CommandUnknown(command=command)
            ):
                self.open.pop(command, None)
                self.outcomes.append((command, type(said.body).__name__))
                self.ended.set()

    def start(self) -> tuple[Upkeep, asyncio.Task[None]]:
        upkeep = Upkeep(self.device, self.mark, self.accept, chance=lambda: 0.5)
        return upkeep, asyncio.create_task(upkeep.keep())

    async def order(self, upkeep: Upkeep, number: int) -> None:
        """Order one stack once the gate is clear, with the count that people would have made of what is left."""
        while self.double.gate or self.double.moving():  # noqa: ASYNC110 - people look
            await asyncio.sleep(1)
        due = StackDue(f"c{number}", "shoe1", number, 7, len(self.double.inside), "1")
        self.open[due.command] = due
        self.ended.clear()
        upkeep.perform(due)


async def play(url: str, seed: int, troubles: Callable[[Table, random.Random], Any]) -> Table:
    table, chance = Table(url), random.Random(seed)
    upkeep, keeping = table.start()
    for number in range(1, COMMANDS + 1):
        await table.order(upkeep, number)
        while not table.ended.is_set():
            await asyncio.sleep(chance.expovariate(2))
            if troubles(table, chance) == "restart" and not table.ended.is_set():
                keeping.cancel()
                await asyncio.wait([keeping])
                upkeep, keeping = table.start()
    keeping.cancel()
    await asyncio.wait([keeping])
    return table


def check(table: Table) -> None:
    double = table.double
    told = Counter(command for command, _ in table.outcomes)
    assert told == Counter(f"c{number}" for number in range(1, COMMANDS + 1)), "one outcome for each command"
    done = [command for command, outcome in table.outcomes if outcome == "ShoeStackDispensed"]
    assert double.strokes == len(done), "the motor ran once for each command that was done, and for no other"
    assert double.cards_in == double.cards_out + len(double.inside), "no card is lost or made"
    origins = Counter(each.origin for each in table.journal if each.number)
    assert set(origins.values()) <= {1}, "no event was journalled twice"
    numbers = [each.number for each in table.journal if each.number]
    assert numbers == list(range(1, len(numbers) + 1)), "events came in order and without a gap"


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**20))
def test_a_lossy_line_moves_no_card_twice(warp: Callable[[Coroutine[Any, Any, Any]], Any], seed: int) -> None:
    """A fifth of the frames lost, a tenth doubled, some late or damaged: motor strokes equal commands done."""
    faults = "drop=0.2&duplicate=0.1&reorder=0.05&flip=0.02&split=0.2"
    url = f"double:stack-shoe?seed={seed}&serial=lossy{next(_URLS)}&deck=8x52&{faults}"
    table = warp(play(url, seed, lambda *_: None))
    check(table)
    assert table.double.strokes == COMMANDS, "with neither reset nor restart, every command is done in the end"


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**20))
def test_resets_and_restarts_move_no_card_twice(warp: Callable[[Coroutine[Any, Any, Any]], Any], seed: int) -> None:
    """The same while the device is reset in mid-motion and the daemon is killed: what cannot be known is unknown."""

    def troubles(table: Table, chance: random.Random) -> str:
        if chance.random() < 0.05:
            table.double.cut_power(asyncio.get_running_loop().time())
        return "restart" if chance.random() < 0.1 else ""

    url = f"double:stack-shoe?seed={seed}&serial=reset{next(_URLS)}&deck=8x52&drop=0.1&duplicate=0.1&reorder=0.05"
    table = warp(play(url, seed, troubles))
    check(table)
    assert not [each for each in table.journal if isinstance(each.body, DeviceEventsLost)]


@pytest.mark.parametrize("seed", range(5))
def test_a_lost_memory_ends_in_doubt_not_in_a_second_stack(
    warp: Callable[[Coroutine[Any, Any, Any]], Any], seed: int
) -> None:
    """A device that loses its memory with its power: its open command becomes unknown, and is not sent again."""

    def troubles(table: Table, chance: random.Random) -> None:
        if chance.random() < 0.2:
            table.double.cut_power(asyncio.get_running_loop().time(), forget=True)

    table = warp(play(f"double:stack-shoe?seed={seed}&serial=forget{next(_URLS)}&deck=8x52", seed, troubles))
    told = Counter(command for command, _ in table.outcomes)
    assert told == Counter(f"c{number}" for number in range(1, COMMANDS + 1))
    done = sum(outcome == "ShoeStackDispensed" for _, outcome in table.outcomes)
    unknown = sum(outcome == "CommandUnknown" for _, outcome in table.outcomes)
    assert unknown
    assert done <= table.double.strokes <= done + unknown
    assert table.double.cards_in == table.double.cards_out + len(table.double.inside)
