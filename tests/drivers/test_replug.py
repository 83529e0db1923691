"""A link that goes for a moment, whatever it is made of: told once, found again, and nothing moves twice."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tablectl.devices.bench import run, socket
from tablectl.devices.faults import Line
from tablectl.devices.link import Url
from tablectl.devices.pty import open_pty
from tablectl.devices.tcp import listen
from tablectl.devices.usb_double import line_of
from tablectl.events.facts import StackDue
from tablectl.events.readings import DeviceFound, ShoeLoaded, ShoeStackDispensed, ShoeStackTaken
from tests.drivers.tables import Kept, configured, make

AWAY = 0.2
"""Seconds without a link: less than between two looks at it."""
SPEED = "4"
"""At which a stack of seven takes half a second: the link goes in its middle."""

Plugged = tuple[str, Any, Callable[[], Awaitable[None]]]
"""A URL, the double behind it, and what pulls the plug and puts it back."""


@asynccontextmanager
async def at(line: Line, url: str) -> AsyncGenerator[Plugged]:
    shoe, options = make("stack-shoe", speed=SPEED, serial="replug")
    running = asyncio.create_task(run(shoe, line, options))
    yield url, shoe, line.hang_up
    running.cancel()
    await asyncio.wait([running])
    await line.close()


def serial(path: Path) -> AbstractAsyncContextManager[Plugged]:
    return at(open_pty(path / "shoe"), f"serial:{path / 'shoe'}")


def tcp(_: Path) -> AbstractAsyncContextManager[Plugged]:
    line = listen("127.0.0.1:0")
    return at(line, f"tcp:127.0.0.1:{line.port}")


@asynccontextmanager
async def usb(_: Path) -> AsyncGenerator[Plugged]:
    url = f"usb:double:stack-shoe?speed={SPEED}&deck=53&serial=replug"
    line = line_of(url)

    async def replug() -> None:
        line.unplug()
        await asyncio.sleep(AWAY)
        line.bus.plugged = True

    yield url, socket(Url("double", "stack-shoe", Url.parse(url).query)).double, replug


@pytest.mark.parametrize("plug", [serial, tcp, usb], ids=["serial", "tcp", "usb"])
async def test_a_moment_without_a_link_costs_nothing(plug: Any, tmp_path: Path) -> None:
    """Pulled in mid-stack and plugged in again at once: one loss, the device is found without a restart, what moved
    meanwhile is told once, and the next order is carried out.
    """
    async with plug(tmp_path) as (url, shoe, replug), Kept(configured("shoe1", "otdp-shoe", url)) as kept:
        journal, upkeep = kept.journals["shoe1"], kept.upkeeps["shoe1"]
        await journal.until(ShoeLoaded)
        for number, left in ((1, 53), (2, 46)):
            due = StackDue(f"replug{number}", "shoe1", number, 7, left, str(number))
            journal.open = (due,)
            upkeep.perform(due)
            async with asyncio.timeout(10):
                while not shoe.moving():  # noqa: ASYNC110 - people look
                    await asyncio.sleep(0.01)
            await replug()
            await journal.until(ShoeStackTaken, number)
            await journal.until(DeviceFound, number + 1)
            journal.open = ()
        # One that is not back at the first attempt is told as missing, too.
        assert [loss for loss in journal.losses() if loss != "missing"] == ["unplugged", "unplugged"]
        assert journal.words().count(ShoeStackDispensed.__name__) == shoe.strokes == 2
