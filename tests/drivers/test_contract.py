"""What every driver promises, tried with each driver against its double: in this process, and over a real terminal.

To try a driver of your own, add its row to DEVICES.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tablectl.devices import registry
from tablectl.devices.bench import Double, run
from tablectl.devices.contract import Driver, Event, Link, Loss, Mark, State
from tablectl.devices.link import Pipe, Url, open_link
from tablectl.devices.pty import open_pty
from tablectl.errors import LinkLost
from tablectl.events.facts import CardDue, Fact, RollDue, ShuffleDue, StackDue
from tablectl.events.readings import (
    CommandRefused,
    CommandUnknown,
    DeviceEventsLost,
    DeviceRecordBehind,
    Reading,
    ShakerShaken,
    ShoeCardDrawn,
    ShoeStackDispensed,
    ShufflerFinished,
)
from tablectl.upkeep import VERBS


@dataclass(frozen=True)
class Device:
    driver: str
    double: str
    due: Callable[[str], Fact]
    done: type[Reading]


DEVICES = (
    Device("otdp-shoe", "stack-shoe", lambda id_: StackDue(id_, "d", 1, 7, 53, "1"), ShoeStackDispensed),
    Device("otdp-card-shoe", "card-shoe", lambda id_: CardDue(id_, "d", "left", face_up=True), ShoeCardDrawn),
    Device("otdp-shuffler", "shuffler", lambda id_: ShuffleDue(id_, "d", "A"), ShufflerFinished),
    Device("otdp-shaker", "shaker", lambda id_: RollDue(id_, "d", 3), ShakerShaken),
)
QUERY = {"speed": "max", "deck": "53", "serial": "OT-7"}


@dataclass
class Rig:
    """A driver's class, and a device that stays while hosts come and go."""

    device: Device
    double: Any
    plug: Callable[[], Awaitable[Link]]

    def driver(self, link: Link) -> Driver:
        return registry.driver(self.device.driver)(link)

    @asynccontextmanager
    async def opened(self, mark: Mark = Mark()) -> AsyncGenerator[Driver]:  # noqa: B008 - frozen
        driver = self.driver(await self.plug())
        try:
            await driver.open(mark)
            yield driver
        finally:
            await driver.close()

    def state(self) -> State:
        return State(self.double.state)

    async def order(self, driver: Driver, due: Fact) -> None:
        await getattr(driver, VERBS[type(due)])(due)


def make(device: Device) -> tuple[Double, Any]:
    double = registry.double(device.double)
    options = Url("double", device.double, QUERY).options(double.options)
    return double(options, asyncio.get_running_loop().time()), options


@asynccontextmanager
async def in_process(device: Device, _: Path) -> AsyncGenerator[Rig]:
    double, options = make(device)
    running: list[asyncio.Task[None]] = []

    async def plug() -> Link:
        host, line = Pipe.pair()
        running.append(asyncio.create_task(run(double, line, options)))
        return host

    try:
        yield Rig(device, double, plug)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@asynccontextmanager
async def over_terminal(device: Device, path: Path) -> AsyncGenerator[Rig]:
    double, options = make(device)
    line = open_pty(path / "port")
    running = asyncio.create_task(run(double, line, options))
    try:
        yield Rig(device, double, lambda: open_link(f"serial:{path / 'port'}"))
    finally:
        running.cancel()
        await asyncio.wait([running])
        await line.close()


@pytest.fixture(params=DEVICES, ids=lambda device: device.driver)
def device(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=[in_process, over_terminal], ids=["in-process", "terminal"])
async def rig(request: pytest.FixtureRequest, device: Device, tmp_path: Path) -> AsyncGenerator[Rig]:
    async with request.param(device, tmp_path) as rig:
        yield rig


async def until(driver: Driver, wanted: type[Reading]) -> list[Event]:
    """Take, and acknowledge, what the device says up to a reading of this kind."""
    events: list[Event] = []
    async with asyncio.timeout(5), aclosing(driver.readings()) as readings:
        async for event in readings:
            events.append(event)
            if isinstance(event.reading, wanted):
                return events
    raise AssertionError(f"no {wanted.__name__}")


async def test_a_device_says_who_it_is(rig: Rig) -> None:
    """The identity names serial, kind and boot, and the kind is the driver's."""
    driver = rig.driver(await rig.plug())
    identity = await driver.open(Mark())
    await driver.close()
    assert identity.serial == "OT-7"
    assert driver.kind in identity.kinds
    assert identity.boot


async def test_an_order_is_carried_out_and_told(rig: Rig) -> None:
    """The outcome of a verb arrives as a reading with boot and number, and nothing moved before the order."""
    async with rig.opened() as driver:
        assert rig.double.strokes == 0
        await rig.order(driver, rig.device.due("c1"))
        last = (await until(driver, rig.device.done))[-1]
    assert last.boot
    assert last.number > 0
    assert rig.double.strokes == 1


async def test_a_repeated_command_moves_nothing(rig: Rig) -> None:
    """The same command id, ten times and after the port was opened again, moves the device once."""
    async with rig.opened() as driver:
        for _ in range(10):
            await rig.order(driver, rig.device.due("c1"))
        await until(driver, rig.device.done)
    async with rig.opened() as driver:
        await rig.order(driver, rig.device.due("c1"))
    assert rig.double.strokes == 1


async def test_what_was_not_acknowledged_comes_again(rig: Rig) -> None:
    """A host that goes away before it has kept an event gets it again, with the same boot and number."""
    due = rig.device.due("c1")
    async with rig.opened() as driver:
        await rig.order(driver, due)
        first = await until(driver, rig.device.done)
    # The generator was closed at the last one: it was never acknowledged.
    kept = first[-2] if len(first) > 1 else Event(first[-1].reading, first[-1].boot, first[-1].number - 1)
    async with rig.opened(Mark(kept.boot, kept.number, (due,))) as driver:
        again = await until(driver, rig.device.done)
    assert again[0] == first[-1]


async def test_what_was_acknowledged_never_comes_again(rig: Rig) -> None:
    """A host whose mark is the device's last event hears nothing of the past."""
    async with rig.opened() as driver:
        await rig.order(driver, rig.device.due("c1"))
        await until(driver, rig.device.done)
        await asyncio.sleep(0)
    last = rig.double.memory.last
    boot = rig.double.memory
    async with rig.opened(Mark(f"{boot.number:08x}.{boot.boot}", last)) as driver:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await anext(driver.readings())


async def test_a_record_that_was_set_back_is_told(rig: Rig) -> None:
    """A host that comes back with an earlier mark than it acknowledged is told how far it was, however near; at every
    coming back, until its record is there again.
    """
    async with rig.opened() as driver:
        await rig.order(driver, rig.device.due("c1"))
        await until(driver, rig.device.done)
        driver._session.acknowledge(rig.double.memory.last)  # type: ignore[attr-defined]
        await kept(rig)
    memory = rig.double.memory
    boot, last = f"{memory.number:08x}.{memory.boot}", memory.last
    for _ in range(2):
        async with rig.opened(Mark(boot, last - 1)) as driver:
            said = [event.reading for event in await until(driver, DeviceRecordBehind)]
        assert said[-1] == DeviceRecordBehind(last=last - 1, kept=last)
    async with rig.opened(Mark(boot, last)) as driver:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await anext(driver.readings())


async def kept(rig: Rig) -> None:
    """Wait until the device knows that all its events are kept."""
    async with asyncio.timeout(5):
        while rig.double.memory.kept < rig.double.memory.last:  # noqa: ASYNC110 - a device tells no event of it
            await asyncio.sleep(0.01)


async def test_an_open_command_that_was_never_seen_may_be_sent(rig: Rig) -> None:
    """Of a mark's open commands, one the device never saw is unsent; one that was done is not, nor moves again."""
    due = rig.device.due("c1")
    async with rig.opened() as driver:
        memory = rig.double.memory
        mark = Mark(f"{memory.number:08x}.{memory.boot}", 0, (due,))
    async with rig.opened(mark) as driver:
        assert driver.unsent == (due,)
        await rig.order(driver, due)
        await until(driver, rig.device.done)
    async with rig.opened(mark) as driver:
        assert driver.unsent == ()
    assert rig.double.strokes == 1


async def test_a_device_without_memory_leaves_open_commands_in_doubt(rig: Rig) -> None:
    """After the device has lost its memory, open commands are unknown, lost events are said, and nothing is sent."""
    due = rig.device.due("c1")
    mark = Mark("0badcafe.3", 17, (due,))
    async with rig.opened(mark) as driver:
        assert driver.unsent == ()
        said = [event.reading for event in await until(driver, CommandUnknown)]
    assert said[0] == DeviceEventsLost(first=18, last=0)
    assert said[-1] == CommandUnknown("c1", "the device has lost its memory")
    assert rig.double.strokes == 0


async def test_an_order_is_as_old_as_the_boot_it_was_given_in(rig: Rig) -> None:
    """What became of an order is told by the memory in which it was given, not by that of the last event: a device that
    had told nothing yet may be given its first order again, and one that has lost it meanwhile may not.
    """
    due, other = rig.device.due("c1"), "0badcafe.3"
    async with rig.opened():
        memory = rig.double.memory
        boot = f"{memory.number:08x}.{memory.boot}"
    async with rig.opened(Mark(other, 17, (due,), {"c1": boot})) as driver:
        assert driver.unsent == (due,)
    async with rig.opened(Mark("", 0, (due,), {"c1": boot})) as driver:
        assert driver.unsent == (due,)
    async with rig.opened(Mark(boot, 0, (due,), {"c1": other})) as driver:
        assert driver.unsent == ()
        assert (await until(driver, CommandUnknown))[-1].reading.name() == "command.unknown"
    assert rig.double.strokes == 0


@pytest.mark.parametrize("device", [DEVICES[1]], ids=["otdp-card-shoe"], indirect=True)
async def test_a_shoe_that_was_left_unlocked_gives_no_card_that_is_not_due(rig: Rig) -> None:
    """The host went away before it could lock a shoe: the next one locks it before it says or orders anything else, and
    the card that is due then comes; one that is still due stays so.
    """
    rig.double.alone = False  # nobody draws
    first, other = rig.device.due("c1"), rig.device.due("c2")
    async with rig.opened() as driver:
        await rig.order(driver, first)
    async with rig.opened(Mark(open_commands=(first,))) as driver:
        assert driver.unsent == ()
        assert rig.state() is State.LOADED
    async with rig.opened() as driver:
        refused = (await until(driver, CommandRefused))[-1]
        assert refused.reading == CommandRefused("c1", "locked")
        assert rig.state() is State.LOCKED
        await rig.order(driver, other)
        assert rig.state() is State.LOADED


@pytest.mark.parametrize("device", [DEVICES[1]], ids=["otdp-card-shoe"], indirect=True)
async def test_a_card_that_came_for_an_earlier_order_leaves_the_shoe_open_for_one(rig: Rig) -> None:
    """A card was drawn for an order of long ago just before the shoe was locked, and taken for the one that is due; the
    next order is not refused because the shoe is still unlocked for the last: that one is taken back.
    """
    rig.double.alone = False  # nobody draws
    async with rig.opened() as driver:
        await rig.order(driver, rig.device.due("c1"))
        await rig.order(driver, rig.device.due("c2"))
        assert rig.state() is State.LOADED
        assert rig.double._unlocked.command == "c2"
        refused = (await until(driver, CommandRefused))[-1]
        assert refused.reading == CommandRefused("c1", "locked")


async def test_a_refusal_is_a_reading(rig: Rig) -> None:
    """A jammed device refuses; the refusal names the command and a reason, and nothing moves."""
    async with rig.opened() as driver:
        rig.double.feel("jam")
        await rig.order(driver, rig.device.due("c1"))
        last = (await until(driver, CommandRefused))[-1].reading
    assert last == CommandRefused("c1", "jam")
    assert rig.double.strokes == 0


async def test_a_reset_ends_the_connection(rig: Rig) -> None:
    """When the device is reset, readings end with the reason and the driver moves nothing by itself."""
    async with rig.opened() as driver:
        rig.double.cut_power(asyncio.get_running_loop().time())
        # Whatever the driver asks of a device that has forgotten the connection tells it.
        await rig.order(driver, rig.device.due("c1"))
        with pytest.raises(LinkLost) as lost:
            await until(driver, CommandRefused)
    assert lost.value.reason == Loss.RESTARTED
    assert rig.double.strokes == 0


async def test_a_driver_closes_at_any_time(rig: Rig) -> None:
    """Closing twice, or before opening, is quick and raises nothing; reading afterwards says that it is closed."""
    driver = rig.driver(await rig.plug())
    async with asyncio.timeout(2):
        await driver.close()
        await driver.close()
    with pytest.raises(LinkLost):
        await anext(driver.readings())


async def test_a_driver_for_another_kind_refuses(rig: Rig) -> None:
    """A driver says at open that the device is of another kind."""
    other = next(each for each in DEVICES if each is not rig.device)
    driver = registry.driver(other.driver)(await rig.plug())
    with pytest.raises(LinkLost, match=f"awaited was a {driver.kind}") as lost:
        await driver.open(Mark())
    assert lost.value.reason == Loss.WRONG_DEVICE
    await driver.close()
