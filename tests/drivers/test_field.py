"""Failures reported from the field that stand in no other file here: resets at open, late repeats, clocks that jump."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tablectl.devices.bench import run, socket
from tablectl.devices.contract import Link, Mark
from tablectl.devices.link import Pipe, Url
from tablectl.devices.registry import driver
from tablectl.devices.roster import Configured
from tablectl.events.facts import ShuffleDue, StackDue
from tablectl.events.readings import CommandUnknown, DeviceFound, ShoeStackDispensed, ShufflerFinished
from tablectl.upkeep import Upkeep
from tests.drivers.tables import Journal, Kept, configured, make

Warp = Callable[[Coroutine[Any, Any, Any]], Any]


def stack(number: int, left: int = 53) -> StackDue:
    return StackDue(f"f{number}", "shoe1", number, 7, left, "1")


def test_a_device_that_is_reset_by_opening_its_port(warp: Warp) -> None:
    """DTR resets many boards: the host waits for its boot, what was moving is a doubt, and nothing moves again."""

    async def main() -> None:
        shoe, options = make("stack-shoe", speed="1")
        clock = asyncio.get_running_loop().time
        tasks: list[asyncio.Task[None]] = []

        async def plug() -> Link:
            host, line = Pipe.pair()
            shoe.cut_power(clock())

            async def boot() -> None:
                await asyncio.sleep(2)  # it boots, and hears nothing meanwhile
                while line._received:
                    await line.read()
                await run(shoe, line, options)

            tasks.append(asyncio.create_task(boot()))
            return host

        told: Any = driver("otdp-shoe")(await plug())
        first = await told.open(Mark())
        await told.dispense(stack(1))
        await asyncio.sleep(0.5)
        await told.close()
        again: Any = driver("otdp-shoe")(await plug())
        second = await again.open(Mark(first.boot, first.last_event, (stack(1),)))
        assert second.boot != first.boot
        readings = again.readings()
        async with asyncio.timeout(30):
            while not isinstance((await anext(readings)).reading, CommandUnknown):
                pass
        assert again.unsent == ()
        assert shoe.strokes == 0
        await again.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    warp(main())


def test_a_late_repeat_moves_nothing(warp: Warp) -> None:
    """The same command ten minutes later, and after a restart of the daemon, with fifty others between: one motion."""
    url = "double:stack-shoe?deck=8x52&speed=max&serial=late"

    async def main() -> None:
        shoe: Any = socket(Url.parse(url)).double
        async with Kept(configured("shoe1", "otdp-shoe", url)) as kept:
            journal = kept.journals["shoe1"]
            for number in range(50):
                kept.upkeeps["shoe1"].perform(stack(number, 416 - 7 * number))
                await journal.until(ShoeStackDispensed, number + 1)
                await asyncio.sleep(1)
            await asyncio.sleep(600)
            kept.upkeeps["shoe1"].perform(stack(0, 416))
            await asyncio.sleep(10)
        async with Kept(configured("shoe1", "otdp-shoe", url)) as kept:
            await kept.journals["shoe1"].until(DeviceFound)
            kept.upkeeps["shoe1"].perform(stack(0, 416))
            await asyncio.sleep(10)
        assert shoe.strokes == 50

    warp(main())


@pytest.mark.parametrize("step", [3 * 365 * 86400, -3600])
def test_a_wall_clock_that_jumps_during_a_shuffle_changes_nothing(warp: Warp, step: int) -> None:
    """Three years ahead, or an hour back: no wait ends early or never, and the order of events is their numbers'."""
    url = f"double:shuffler?deck=53&serial=clock{step}"

    async def main() -> None:
        clock = asyncio.get_running_loop().time
        journal = Journal()
        wall = [1_700_000_000]
        device = Configured("shuffler1", driver("otdp-shuffler"), url)
        upkeep = Upkeep(device, journal.mark, journal.accept, wall=lambda: (wall[0] + int(clock())) * 10**9)
        keeping = asyncio.create_task(upkeep.keep())
        await journal.until(DeviceFound)
        began = clock()
        upkeep.perform(ShuffleDue("s1", "shuffler1", "A"))
        await asyncio.sleep(5)
        wall[0] += step
        await journal.until(ShufflerFinished, seconds=60)
        assert 29 < clock() - began < 33, "a shuffle takes half a minute"
        await asyncio.sleep(60)
        assert journal.losses() == []
        numbers = [each.number for each in journal.inputs if each.number]
        assert numbers == sorted(set(numbers))
        keeping.cancel()
        await asyncio.wait([keeping])

    warp(main())


def test_without_the_usb_library_the_link_says_what_to_install() -> None:
    """A table without USB needs no pyusb; who asks for a USB link without it is told how to get it."""
    code = (
        "import asyncio, sys; sys.modules['usb'] = None\n"
        "from tablectl.devices.link import open_link\n"
        "asyncio.run(open_link('usb:1209:4f54'))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ConfigError: usb: links need pyusb" in ended.stderr
    assert "install tablectl[usb]" in ended.stderr


async def test_no_line_waits_for_a_drain() -> None:
    """Nothing on the event loop calls drain or flush on a port: both may wait for ever."""
    root = Path(__file__).parents[2] / "tablectl" / "devices"
    waits = ("tcdrain", ".drain(", "port.flush(")
    calls = [path.name for path in root.rglob("*.py") if any(word in path.read_text() for word in waits)]
    assert calls == []


RESTING = (
    ("stack-shoe", "otdp-shoe"),
    ("card-shoe", "otdp-card-shoe"),
    ("shuffler", "otdp-shuffler"),
    ("shaker", "otdp-shaker"),
    ("reader", "otdp-reader"),
    ("line-shoe", "line-shoe"),
    ("line-shuffler", "line-shuffler"),
    ("line-shaker", "line-shaker"),
)


@pytest.mark.parametrize("seconds", [600, pytest.param(86_400, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("kind", "driven_by"), RESTING)
def test_a_device_at_rest_gives_the_record_nothing(warp: Warp, kind: str, driven_by: str, seconds: int) -> None:
    """Its heart beats, or it is asked each second how it is; in ten minutes, or a day, no reading comes of it."""

    async def main() -> None:
        async with Kept(configured("one", driven_by, f"double:{kind}?deck=53&serial=rest{seconds}")) as kept:
            journal, upkeep = kept.journals["one"], kept.upkeeps["one"]
            await journal.until(DeviceFound)
            await asyncio.sleep(60)
            said, frames = len(journal.inputs), upkeep.counters.frames_in
            await asyncio.sleep(seconds)
            assert len(journal.inputs) == said
            assert upkeep.counters.frames_in - frames >= seconds - 2

    warp(main())
