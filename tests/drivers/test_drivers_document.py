"""The driver in docs/drivers.md is whole, short, and works."""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from tablectl.devices.bench import DoubleOptions, run
from tablectl.devices.conformance import Report, Rig, conform
from tablectl.devices.contract import Link, Mark
from tablectl.devices.framing import Deframer, frame
from tablectl.devices.link import SCHEMES, Pipe
from tablectl.devices.pty import open_pty
from tablectl.devices.timers import Timers
from tablectl.events.facts import RollDue
from tablectl.events.readings import CommandUnknown

DOCUMENT = (Path(__file__).parents[2] / "docs" / "drivers.md").read_text()
(CODE,) = [code for code in re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL) if "class Tumbler" in code]


def driver() -> Any:
    module = ModuleType("tumbler")
    exec(compile(CODE, "docs/drivers.md", "exec"), module.__dict__)
    return module.__dict__["Tumbler"]


class Cup:
    """A Tumbler, as its maker would simulate it."""

    options: ClassVar[type[DoubleOptions]] = DoubleOptions
    places: tuple[str, ...] = ("cup",)

    def __init__(self, options: DoubleOptions, now: float) -> None:
        assert options.speed == "1", "it knows no other"
        self.timers = Timers(now)
        self.shakes = 0
        self._deframer = Deframer()
        self._output = b""
        self._tick()

    def feels(self) -> tuple[str, ...]:
        return ()

    def _tick(self) -> None:
        self._say(b".")
        self.timers.set("tick", 1, self._tick)

    def _say(self, body: bytes) -> None:
        self._output += frame(body)

    def receive(self, data: bytes, now: float) -> None:
        self.advance(now)
        for body in self._deframer.feed(data):
            if body == b"?":
                self._say(b"!T-1")
            elif body[:1] == b"S":
                self.shakes += 1
                self._say(b"s" + body[1:])
                self.timers.set("open", 1, lambda: self._say(b"o"))
                self.timers.set("read", 2, lambda: self._say(b"d\x04\x05\x06"))
                self.timers.set("close", 3, lambda: self._say(b"c"))

    def advance(self, now: float) -> None:
        self.timers.advance(now)

    def due(self) -> float | None:
        return self.timers.next()

    def output(self) -> bytes:
        data, self._output = self._output, b""
        return data

    def find(self, piles: Any, now: float) -> None:
        pass

    def hear(self, news: Any, now: float) -> None:
        pass

    def deeds(self) -> list[Any]:
        return []


def test_the_worked_driver_conforms(warp: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
    """Under 80 lines, and no claim of the kit that applies to it fails on a cup that keeps its maker's word."""
    assert len(CODE.splitlines()) < 80

    async def main() -> tuple[Report, int]:
        cup = Cup(DoubleOptions(), 0)
        running: list[asyncio.Task[None]] = []

        async def plug() -> Link:
            host, line = Pipe.pair()
            running.append(asyncio.create_task(run(cup, line, DoubleOptions())))
            return host

        report = await conform(Rig(driver(), plug, patience=30), "tumbler", "double")
        before = cup.shakes
        tumbler = driver()(await plug())
        await tumbler.open(Mark(open_commands=(RollDue("r9", "cup", 3),)))
        assert (await anext(tumbler.readings())).reading == CommandUnknown("r9", "the Tumbler keeps no record")
        await tumbler.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        return report, cup.shakes - before

    report, moved = warp(main())
    assert report.conforms, str(report)
    assert moved == 0


async def test_the_worked_driver_is_used_once_it_is_installed(tmp_path: Path) -> None:
    """A maker installs the driver as a package of its own, under the entry point that the page shows: conform and
    monitor find it by its name, and know that no family asks for its devices.
    """
    names = dict(re.findall(r'^(tumbler) = "acme\.(.*)"$', DOCUMENT, re.MULTILINE))
    (tmp_path / "tumbler.py").write_text(CODE)
    (tmp_path / "acme-1.0.dist-info").mkdir()
    (tmp_path / "acme-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    points = "".join(f"{name} = {place}\n" for name, place in names.items())
    (tmp_path / "acme-1.0.dist-info" / "entry_points.txt").write_text(f"[tablectl.drivers]\n{points}")
    line = open_pty(tmp_path / "cup")
    running = asyncio.create_task(run(Cup(DoubleOptions(), asyncio.get_running_loop().time()), line, DoubleOptions()))

    async def said(*words: str, lines: int) -> str:
        """Return so much of what a command says."""
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        command = await asyncio.create_subprocess_exec(
            sys.executable, *words, env=environment, stdout=asyncio.subprocess.PIPE
        )
        assert command.stdout
        told = [await command.stdout.readline() for _ in range(lines)]
        with contextlib.suppress(ProcessLookupError):
            command.terminate()
        await command.wait()
        return b"".join(told).decode()

    url, tablectl = f"serial:{tmp_path / 'cup'}", ("-m", "tablectl")
    conform = await said(*tablectl, "conform", url, "--driver", "tumbler", "--only", "identity", lines=2)
    assert "passed     identity" in conform
    assert " > 00" in await said(*tablectl, "monitor", url, "--driver", "tumbler", lines=1)
    speechless = "from tablectl.devices.registry import speechless; print(*speechless())"
    assert await said("-c", speechless, lines=1) == "tumbler\n"
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await line.close()


def test_the_worked_driver_is_clean(tmp_path: Path) -> None:
    """It passes the type checker as it stands."""
    (tmp_path / "tumbler.py").write_text(CODE + "\n\nCHECK: type[Shaker] = Tumbler\n")
    text = (tmp_path / "tumbler.py").read_text().replace("import Claims, Event,", "import Claims, Event, Shaker,")
    (tmp_path / "tumbler.py").write_text(text)
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(tmp_path / "tumbler.py")]
    checked = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_every_link_and_double_is_described() -> None:
    """No scheme of a link and no kind of double is missing from the page."""
    from tablectl.devices import registry
    from tablectl.devices.faults import Chances, What
    from tablectl.devices.mechanism import TROUBLE

    assert [scheme for scheme in SCHEMES if f"| `{scheme}:" not in DOCUMENT] == []
    words = (*registry.names(registry.DOUBLES), *What, *TROUBLE, *Chances.__struct_fields__)
    assert [word for word in words if f"`{word}`" not in DOCUMENT] == []
