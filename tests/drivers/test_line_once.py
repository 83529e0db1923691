"""An order to a plain device is given at most once, whatever is lost, reset or started anew, and when."""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import count
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
from tablectl.events.facts import RollDue, ShuffleDue, StackDue
from tablectl.events.readings import (
    CommandRefused,
    CommandUnknown,
    ShakerShaken,
    ShoeStackDispensed,
    ShufflerFinished,
)
from tablectl.upkeep import Upkeep

Warp = Callable[[Coroutine[Any, Any, Any]], Any]
DUES: dict[str, Callable[[str, Any], Any]] = {
    "line-shoe": lambda command, double: StackDue(command, "device1", 1, 7, len(double.inside), "1"),
    "line-shuffler": lambda command, _: ShuffleDue(command, "device1", "red"),
    "line-shaker": lambda command, _: RollDue(command, "device1", 3),
}
DONE = ShoeStackDispensed | ShufflerFinished | ShakerShaken
_NUMBERS = count()


class Daemon:
    """Keeps one plain device on a bad line, and a record that outlives every start."""

    def __init__(self, kind: str, chances: str) -> None:
        number = next(_NUMBERS)
        self.kind = kind
        self.url = f"double:{kind}?seed={number}&serial=once{number}&deck=53&speed=20{chances}"
        self.double: Any = socket(Url.parse(self.url)).double
        self.open: dict[str, Any] = {}
        self.last = Mark()
        self.given = self.refused = 0
        self.start()

    async def mark(self) -> Mark:
        return Mark(self.last.boot, self.last.number, tuple(self.open.values()))

    async def accept(self, said: Input) -> None:
        if said.number:
            self.last = Mark(said.boot, said.number)
        if isinstance(said.body, DONE | CommandRefused | CommandUnknown):
            self.refused += isinstance(said.body, CommandRefused) and said.body.command in self.open
            self.open.pop(said.body.command, None)

    def start(self) -> None:
        configured = Configured("device1", driver(self.kind), self.url)
        self.upkeep = Upkeep(configured, self.mark, self.accept, chance=lambda: 0.5)
        self.keeping = asyncio.create_task(self.upkeep.keep())

    async def stop(self) -> None:
        self.keeping.cancel()
        await asyncio.wait([self.keeping])

    async def order(self) -> None:
        """Commit an order as the table does, one at a time."""
        if not self.open:
            self.given += 1
            due = DUES[self.kind](f"c{self.given}", self.double)
            self.open[due.command] = due
            self.upkeep.perform(due)

    async def restart(self) -> None:
        """Be killed, and started again."""
        await self.stop()
        self.start()

    async def reset(self) -> None:
        """Let the device lose its power."""
        self.double.cut_power(asyncio.get_running_loop().time())


ACTS = {"order": Daemon.order, "restart": Daemon.restart, "reset": Daemon.reset}
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("order", "order", *ACTS)), st.sampled_from((0.0, 0.001, 0.02, 0.1, 0.5, 2.0, 8.0, 30.0))
    ),
    min_size=2,
    max_size=12,
)
LINES = st.sampled_from(("", "&drop=0.3", "&drop=0.15&delay=0.4", "&reorder=0.2&split=0.3"))


@pytest.mark.parametrize("kind", DUES)
def test_an_order_is_given_at_most_once(warp: Warp, kind: str) -> None:
    """The motor never runs more often than orders were committed and not refused: not for an answer that was lost, not
    for a device that was reset, and not for a daemon that was killed at any moment between its commit and the end.
    """

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STEPS, LINES)
    def at_most_once(steps: list[tuple[str, float]], line: str) -> None:
        async def main() -> None:
            daemon = Daemon(kind, line)
            for act, wait in steps:
                await ACTS[act](daemon)
                await asyncio.sleep(wait)
            await asyncio.sleep(60)
            await daemon.stop()
            assert daemon.double.strokes <= daemon.given - daemon.refused

        warp(main())

    at_most_once()
