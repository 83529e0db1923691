"""What tests of upkeep share: a journal that only remembers, and doubles behind terminals."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from tablectl.devices.bench import run
from tablectl.devices.contract import Mark
from tablectl.devices.link import Url
from tablectl.devices.pty import PtyLine, open_pty
from tablectl.devices.registry import double, driver
from tablectl.devices.roster import Configured, Roster
from tablectl.events.codec import Input
from tablectl.events.facts import Fact
from tablectl.events.readings import DeviceLost
from tablectl.upkeep import Upkeep


class Journal:
    """What was accepted, in order; a mark as the journal would give it."""

    def __init__(self) -> None:
        self.inputs: list[Input] = []
        self.open: tuple[Fact, ...] = ()
        self.added = asyncio.Condition()

    async def mark(self) -> Mark:
        last = next((each for each in reversed(self.inputs) if each.number), None)
        return Mark(last.boot, last.number, self.open) if last else Mark(open_commands=self.open)

    async def accept(self, said: Input) -> None:
        async with self.added:
            self.inputs.append(said)
            self.added.notify_all()

    async def until(self, word: type, times: int = 1, seconds: float = 30) -> None:
        async with asyncio.timeout(seconds), self.added:
            await self.added.wait_for(lambda: sum(isinstance(each.body, word) for each in self.inputs) >= times)

    def words(self) -> list[str]:
        return [type(each.body).__name__ for each in self.inputs]

    def losses(self) -> list[str]:
        return [each.body.reason for each in self.inputs if isinstance(each.body, DeviceLost)]


class Kept:
    """Devices under upkeep, each with a journal of its own."""

    def __init__(self, *devices: Configured) -> None:
        roster = Roster(devices)
        self.journals = {device.id: Journal() for device in devices}
        self.upkeeps = {
            device.id: Upkeep(device, journal.mark, journal.accept, wall=lambda: 1, chance=lambda: 0.0, roster=roster)
            for device, journal in zip(devices, self.journals.values(), strict=True)
        }
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(upkeep.keep()) for upkeep in self.upkeeps.values()]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def configured(name: str, driven_by: str, url: str, serial: str = "") -> Configured:
    return Configured(name, driver(driven_by), url, serial)


def make(kind: str, **query: str) -> tuple[Any, Any]:
    cls = double(kind)
    options = Url("double", kind, {"speed": "max", "deck": "53", **query}).options(cls.options)
    return cls(options, asyncio.get_running_loop().time()), options


@asynccontextmanager
async def behind_terminal(kind: str, path: Path, **query: str) -> AsyncGenerator[tuple[Any, PtyLine]]:
    """A double behind a pseudo-terminal: the double, and its end of the line."""
    model, options = make(kind, **query)
    line = open_pty(path)
    running = asyncio.create_task(run(model, line, options))
    try:
        yield model, line
    finally:
        running.cancel()
        await asyncio.wait([running])
        await line.close()
