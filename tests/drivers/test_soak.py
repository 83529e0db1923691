"""Long runs on bad lines: `make soak`. A short run of the same stands among the ordinary tests."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tablectl.devices.bench import socket
from tablectl.devices.contract import Mark
from tablectl.devices.link import Url
from tablectl.devices.registry import driver
from tablectl.devices.roster import Configured
from tablectl.events.codec import Input
from tablectl.events.facts import StackDue
from tablectl.events.readings import CommandRefused, CommandUnknown, DeviceEventsLost, ShoeStackDispensed
from tablectl.upkeep import Upkeep

Warp = Callable[[Coroutine[Any, Any, Any]], Any]
LINE = "drop=0.2&duplicate=0.1&reorder=0.05"
RESET, RESTART = 0.03, 0.03
STACKS, SIZE = 7, 7
SHORT = 40


class Rounds:
    """A daemon that plays round after round of seven stacks, and people who count where nobody knows."""

    def __init__(self, seed: int) -> None:
        self.url = f"double:stack-shoe?seed={seed}&serial=soak{seed}&deck=53&speed=20&{LINE}"
        self.chance = random.Random(seed)
        self.shoe: Any = socket(Url.parse(self.url)).double
        self.open: dict[str, StackDue] = {}
        self.last = Mark()
        self.outcomes: Counter[str] = Counter()
        self.done: set[str] = set()
        self.twice: list[str] = []
        self.lost_events = self.resets = self.restarts = self.next = 0
        self.ended = asyncio.Event()

    async def mark(self) -> Mark:
        return Mark(self.last.boot, self.last.number, tuple(self.open.values()))

    async def accept(self, said: Input) -> None:
        if said.number:
            self.last = Mark(said.boot, said.number)
        self.lost_events += isinstance(said.body, DeviceEventsLost)
        if isinstance(said.body, ShoeStackDispensed | CommandRefused | CommandUnknown):
            command = said.body.command
            if isinstance(said.body, ShoeStackDispensed):
                self.twice += [command] * (command in self.done)
                self.done.add(command)
            if self.open.pop(command, None):
                self.outcomes[type(said.body).__name__] += 1
                self.ended.set()

    def start(self) -> None:
        configured = Configured("shoe1", driver("otdp-shoe"), self.url)
        self.upkeep = Upkeep(configured, self.mark, self.accept, chance=lambda: 0.5)
        self.keeping = asyncio.create_task(self.upkeep.keep())

    async def stop(self) -> None:
        self.keeping.cancel()
        await asyncio.wait([self.keeping])

    async def play(self, rounds: int) -> None:
        self.start()
        for _ in range(rounds):
            await self._fill()
            for stack in range(1, STACKS + 1):
                await self._order(stack)
        await asyncio.sleep(30)
        await self.stop()

    async def _fill(self) -> None:
        """People take out what is left and put a whole deck in."""
        await self._clear()
        now = asyncio.get_running_loop().time()
        self.shoe.cards_out += len(self.shoe.inside)
        self.shoe.inside.clear()
        self.shoe.advance(now)
        self.shoe.reload()

    async def _clear(self) -> None:
        while self.shoe.gate or self.shoe.moving():  # noqa: ASYNC110 - people look
            await asyncio.sleep(0.2)

    async def _order(self, stack: int) -> None:
        await self._clear()
        if len(self.shoe.inside) < SIZE:
            return
        self.next += 1
        due = StackDue(f"c{self.next}", "shoe1", stack, SIZE, len(self.shoe.inside), str(stack))
        self.open[due.command] = due
        self.ended.clear()
        self.upkeep.perform(due)
        await self._trouble()
        while not self.ended.is_set():
            try:
                await asyncio.wait_for(self.ended.wait(), 60)
            except TimeoutError:
                raise AssertionError(f"{due} did not end in a minute; {self.url}") from None

    async def _trouble(self) -> None:
        await asyncio.sleep(self.chance.uniform(0, 0.3))
        if self.chance.random() < RESET:
            self.resets += 1
            self.shoe.cut_power(asyncio.get_running_loop().time())
        if self.chance.random() < RESTART and not self.ended.is_set():
            self.restarts += 1
            await self.stop()
            self.start()


def figures_of(rounds: Rounds, played: int) -> str:
    told = dict(rounds.outcomes)
    return (
        f"{played} rounds, {rounds.next} commands, {rounds.shoe.strokes} strokes, {len(rounds.done)} done, {told}, "
        f"{rounds.resets} resets, {rounds.restarts} restarts of the daemon"
    )


def check(rounds: Rounds, figures: str) -> None:
    assert rounds.shoe.strokes == len(rounds.done), figures
    assert rounds.twice == [], figures
    assert not rounds.open
    assert sum(rounds.outcomes.values()) == rounds.next
    assert rounds.lost_events == 0
    assert rounds.shoe.cards_in == rounds.shoe.cards_out + len(rounds.shoe.inside)


@pytest.mark.parametrize(
    ("played", "seed"),
    [(SHORT, 1), (SHORT, 2), pytest.param(10_000, 3, marks=pytest.mark.soak)],
)
def test_strokes_are_commands_that_were_done(
    warp: Warp, capsys: pytest.CaptureFixture[str], played: int, seed: int
) -> None:
    """A fifth of the frames lost, a tenth doubled, some late, 3 % of commands under a reset, 3 % under a restart of
    the daemon: the motor ran once for each command that is told as done, and for no other.
    """

    async def main() -> Rounds:
        rounds = Rounds(seed)
        await rounds.play(played)
        return rounds

    rounds = warp(main())
    figures = figures_of(rounds, played)
    with capsys.disabled():
        print(f"\n{figures}" if played > SHORT else "", end="")  # noqa: T201 - what `make soak` is for
    check(rounds, figures)
