"""A link that goes for a moment, whatever it is made of: told once, found again, and nothing moves twice."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tablectl.devices import registry
from tablectl.devices.bench import run, socket
from tablectl.devices.faults import Line
from tablectl.devices.link import Url
from tablectl.devices.pty import open_pty
from tablectl.devices.tcp import listen
from tablectl.devices.usb_double import line_of
from tablectl.events.facts import CardDue, RollDue, ShuffleDue, StackDue
from tablectl.events.readings import (
    CommandUnknown,
    DeviceConditionEnded,
    DeviceFound,
    ShoeLoaded,
    ShoeStackDispensed,
    ShoeStackTaken,
)
from tests.drivers.tables import Kept, behind_terminal, configured, make

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
        assert journal.losses() == ["unplugged", "unplugged"]
        assert journal.words().count(ShoeStackDispensed.__name__) == shoe.strokes == 2


ORDERS: dict[str, tuple[str, Callable[[Any], Any] | None]] = {
    "otdp-shoe": ("stack-shoe", lambda shoe: StackDue("c", "d", 1, 7, len(shoe.inside), "1")),
    "otdp-card-shoe": ("card-shoe", lambda _: CardDue("c", "d", "left", face_up=True)),
    "otdp-shuffler": ("shuffler", lambda _: ShuffleDue("c", "d", "red")),
    "otdp-shaker": ("shaker", lambda _: RollDue("c", "d", 3)),
    "otdp-reader": ("reader", None),
    "otdp-shuffler-shoe": ("shuffler-shoe", lambda shoe: StackDue("c", "d", 1, 7, len(shoe.inside), "1")),
    "line-shoe": ("line-shoe", lambda shoe: StackDue("c", "d", 1, 7, len(shoe.inside), "1")),
    "line-shuffler": ("line-shuffler", lambda _: ShuffleDue("c", "d", "red")),
    "line-shaker": ("line-shaker", lambda _: RollDue("c", "d", 3)),
}
"""The double of every driver, and what it can be ordered."""


async def test_an_order_at_the_moment_of_the_loss_is_done_once_or_in_doubt(tmp_path: Path) -> None:
    """After a fault on the bus every command failed until a restart. An order that is given when its device has just
    gone, before anybody knows, is carried out when the device is back, once; a device without command ids is not
    trusted to have missed it: the order is in doubt, and nothing moves.
    """
    async with AsyncExitStack() as stack:
        behind = {
            name: await stack.enter_async_context(behind_terminal(double, tmp_path / name, serial=name))
            for name, (double, order) in ORDERS.items()
            if order
        }
        devices = (configured(name, name, f"serial:{tmp_path / name}") for name in behind)
        kept = await stack.enter_async_context(Kept(*devices))
        for name, (double, _) in behind.items():
            await kept.journals[name].until(DeviceFound)
            double.feel("open-door")
            double.feel("clear")
        for journal in kept.journals.values():
            await journal.until(DeviceConditionEnded)
        for name, (double, line) in behind.items():
            await line.hang_up()
            if order := ORDERS[name][1]:
                due = order(double)
                kept.journals[name].open = (due,)
                kept.upkeeps[name].perform(due)
        for name, (double, _) in behind.items():
            journal = kept.journals[name]
            await journal.until(DeviceFound, 2)
            if name.startswith("line-"):
                await journal.until(CommandUnknown)
            else:
                await until_moved(double)
            assert journal.losses() == ["unplugged"]
        assert {name: double.strokes for name, (double, _) in behind.items()} == {
            name: int(name.startswith("otdp-")) for name in behind
        }


async def until_moved(double: Any) -> None:
    async with asyncio.timeout(10):
        while not double.strokes:  # noqa: ASYNC110 - people look
            await asyncio.sleep(0.01)


def test_every_driver_is_tried() -> None:
    """No driver that is installed is left out below."""
    assert tuple(sorted(ORDERS)) == registry.names("tablectl.drivers")


@pytest.mark.parametrize("first", ["the cable", "the link"])
async def test_every_driver_comes_back(first: str, tmp_path: Path) -> None:
    """A client that had let go of its transport before the loss was told never connected again. Whatever device it is,
    and whether its cable goes or its link is closed under the driver before that, one loss is told, the device is found
    again without a restart, and an order is carried out, once.
    """
    async with AsyncExitStack() as stack:
        behind = {
            name: await stack.enter_async_context(behind_terminal(double, tmp_path / name, serial=name))
            for name, (double, _) in ORDERS.items()
        }
        devices = (configured(name, name, f"serial:{tmp_path / name}") for name in ORDERS)
        kept = await stack.enter_async_context(Kept(*devices))
        for journal in kept.journals.values():
            await journal.until(DeviceFound)
        for name, (_, line) in behind.items():
            driver: Any = kept.upkeeps[name]._driver
            if first == "the link":
                await driver._session._session._link.close()
            await line.hang_up()
        for name, journal in kept.journals.items():
            await journal.until(DeviceFound, 2)
            assert (name, journal.losses()) == (name, ["unplugged" if first == "the cable" else "closed"])
        for name, (double, _) in behind.items():
            if order := ORDERS[name][1]:
                kept.upkeeps[name].perform(order(double))
                await until_moved(double)
        assert {name: double.strokes for name, (double, _) in behind.items() if double.strokes != 1} == {
            "otdp-reader": 0
        }
