"""Doubles with people around them: cards of the world, dice, trouble, and a process of its own."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tablectl.cards import UNSEEN, WITH_JOKER_53, Card, cards
from tablectl.devices.bench import run, socket
from tablectl.devices.contract import Mark, State
from tablectl.devices.link import Pipe, Url, open_link
from tablectl.devices.registry import double, driver
from tablectl.devices.world import Impossible, World
from tablectl.devices.world_socket import enter, serve
from tablectl.dice import DieFault
from tablectl.errors import LinkLost
from tablectl.events.facts import CardDue, CardsLocked, RollDue, ShuffleDue, StackDue, StubDue
from tablectl.events.readings import (
    CommandRefused,
    Condition,
    DeviceConditionBegan,
    DeviceConditionEnded,
    DeviceEventsLost,
    Reading,
    ShakerLidClosed,
    ShakerLidOpened,
    ShakerRolled,
    ShakerShaken,
    ShoeCardDrawn,
    ShoeCuttingCardOut,
    ShoeEmptied,
    ShoeLoaded,
    ShoeStackDispensed,
    ShoeStackTaken,
    ShoeStubReleased,
    ShufflerDeckOut,
    ShufflerFinished,
    ShufflerStarted,
)


class Said:
    """Reads what one driver says, and lets tests wait for it."""

    def __init__(self, told: Any) -> None:
        self.driver = told
        self.heard: list[Reading] = []
        self._at = 0
        self._news = asyncio.Condition()
        self.listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for event in self.driver.readings():
            async with self._news:
                self.heard.append(event.reading)
                self._news.notify_all()

    async def next(self, *words: type[Reading]) -> list[Any]:
        """Return the next readings, which must be of these kinds."""
        async with asyncio.timeout(5), self._news:
            await self._news.wait_for(lambda: len(self.heard) >= self._at + len(words))
        found = self.heard[self._at : self._at + len(words)]
        self._at += len(words)
        assert [type(each) for each in found] == list(words)
        return found


@asynccontextmanager
async def device(name: str, kind: str, **query: str) -> AsyncGenerator[tuple[Any, Any]]:
    """A driver that listens to a double of its own; yields what it says, and the double."""
    make = double(kind)
    options = Url("double", kind, {"speed": "max", **query}).options(make.options)
    model: Any = make(options, asyncio.get_running_loop().time())
    host, line = Pipe.pair()
    running = asyncio.create_task(run(model, line, options))
    told = driver(name)(host)
    await told.open(Mark())
    said = Said(told)
    try:
        yield said, model
    finally:
        said.listening.cancel()
        running.cancel()
        await asyncio.gather(said.listening, running, return_exceptions=True)
        await told.close()


async def test_a_deck_goes_around_the_table(tmp_path: Path) -> None:
    """A deck is shuffled, dealt in stacks of seven and collected by people: no card is lost, and each device counts."""
    path = tmp_path / "world"
    world = World({"rack": WITH_JOKER_53.cards()})
    places = {"world": str(path), "deck": "53"}
    async with (
        serve(world, path),
        enter(path) as people,
        device("otdp-shuffler", "shuffler", seed="3", **places) as (shuffler, _),
        device("otdp-shoe", "stack-shoe", **places) as (shoe, _),
    ):
        await people.move("rack", "shuffler")
        await shuffler.driver.shuffle(ShuffleDue("s1", "shuffler", "A"))
        _, finished = await shuffler.next(ShufflerStarted, ShufflerFinished)
        assert finished == ShufflerFinished("s1", 53, complete=True)
        order = world.cards("shuffler")
        assert order != WITH_JOKER_53.cards()
        await people.move("shuffler", "stack-shoe")
        await shuffler.next(ShufflerDeckOut)
        assert await shoe.next(ShoeLoaded) == [ShoeLoaded(53)]
        for stack in range(1, 8):
            await shoe.driver.dispense(StackDue(f"d{stack}", "shoe", stack, 7, 53 - 7 * (stack - 1), str(stack)))
            taken = await people.move("stack-shoe.gate", str(stack))
            assert taken == order[7 * (stack - 1) : 7 * stack]
            dispensed, _ = await shoe.next(ShoeStackDispensed, ShoeStackTaken)
            assert dispensed == ShoeStackDispensed(f"d{stack}", stack, 7, 53 - 7 * stack)
        await shoe.driver.release_stub(StubDue("stub", "shoe", 4))
        assert await people.move("stack-shoe.gate", "rack") == order[-4:]
        assert await shoe.next(ShoeStubReleased, ShoeEmptied) == [ShoeStubReleased("stub", 4), ShoeEmptied()]
        for hand in range(1, 8):
            await people.move(str(hand), "rack")
    assert Counter(world.cards("rack")) == Counter(WITH_JOKER_53.cards())


async def test_a_wrong_deck_is_found_and_latched(tmp_path: Path) -> None:
    """A deck with one card too few is said to be wrong, and the shuffler does nothing more until it is cleared."""
    path = tmp_path / "world"
    world = World({"rack": WITH_JOKER_53.cards()[1:]})
    async with (
        serve(world, path),
        enter(path) as people,
        device("otdp-shuffler", "shuffler", world=str(path), deck="53") as (shuffler, model),
    ):
        await people.move("rack", "shuffler")
        await people.act("shuffler", "start")
        _, finished, began = await shuffler.next(ShufflerStarted, ShufflerFinished, DeviceConditionBegan)
        assert finished == ShufflerFinished("", 52, complete=False)
        assert began == DeviceConditionBegan(Condition.COUNT_WRONG)
        assert model.state is State.COUNT_BAD
        await shuffler.driver.shuffle(ShuffleDue("s2", "shuffler", "A"))
        assert await shuffler.next(CommandRefused) == [CommandRefused("s2", "count-wrong")]
        await people.act("shuffler", "clear")
        await shuffler.next(DeviceConditionEnded)


async def test_a_face_down_card_never_leaves_the_driver(tmp_path: Path) -> None:
    """The shoe reads only the card that is due face up, and holds every card that is not due."""
    path = tmp_path / "world"
    world = World({"card-shoe": cards("As Kd 7c 2h")})
    async with (
        serve(world, path),
        enter(path) as people,
        device("otdp-card-shoe", "card-shoe", world=str(path), cut="1") as (shoe, model),
    ):
        await shoe.next(ShoeLoaded)
        with pytest.raises(Impossible, match="locked"):
            await people.move("card-shoe", "1", 1, wait=0)
        await shoe.driver.unlock(CardDue("c1", "shoe", "left", face_up=True))
        assert await people.move("card-shoe", "left", 1) == cards("As")
        assert await shoe.next(ShoeCardDrawn) == [ShoeCardDrawn(Card("As"), 3)]
        await shoe.driver.unlock(CardDue("c2", "shoe", "1", face_up=False))
        assert await people.move("card-shoe", "1", 1) == cards("Kd")
        assert await shoe.next(ShoeCardDrawn) == [ShoeCardDrawn(UNSEEN, 2)]
        await shoe.driver.unlock(CardDue("c3", "shoe", "1", face_up=False))
        await shoe.driver.lock(CardsLocked("c4", "shoe"))
        assert await shoe.next(CommandRefused) == [CommandRefused("c3", "locked")]
        with pytest.raises(Impossible, match="locked"):
            await people.move("card-shoe", "1", 1, wait=0)
        await shoe.driver.unlock(CardDue("c5", "shoe", "1", face_up=False))
        await people.move("card-shoe", "1", 1)
        assert await shoe.next(ShoeCardDrawn, ShoeCuttingCardOut) == [ShoeCardDrawn(UNSEEN, 1), ShoeCuttingCardOut()]
        assert "Kd" not in repr(model.memory), "the device itself keeps no face that was not due"


async def test_a_reading_shoe_that_tells_too_much_is_not_believed() -> None:
    """If a device tells the face of a card that was due face down, the driver drops it before anybody sees it."""
    async with device("otdp-card-shoe", "card-shoe") as (shoe, model):
        await shoe.next(ShoeLoaded)
        # A device that does not keep its word: it takes every card for one that is due face up.
        order = model.orders.copy()
        model.orders = {
            each: lambda message, obey=obey: obey(type(message)(message.command, face_up=True))
            for each, obey in order.items()
        }
        await shoe.driver.unlock(CardDue("c1", "shoe", "1", face_up=False))
        assert await shoe.next(ShoeCardDrawn) == [ShoeCardDrawn(UNSEEN, 51)]
        assert str(model.memory.events[-1].reading.card) != "??"


async def test_the_dealer_lifts_the_lid(tmp_path: Path) -> None:
    """The shaker shakes on command, the lid is lifted by hand, and sensor and people see the same dice."""
    path = tmp_path / "world"
    async with (
        serve(World({}), path),
        enter(path) as people,
        device("otdp-shaker", "shaker", world=str(path), seed="5") as (shaker, _),
    ):
        await shaker.driver.shake(RollDue("r1", "shaker", 3))
        assert await shaker.next(ShakerShaken) == [ShakerShaken(3, "r1")]
        await people.act("shaker", "lift-lid")
        _, rolled = await shaker.next(ShakerLidOpened, ShakerRolled)
        assert rolled.roll == (await people.look("shaker")).roll
        assert rolled.roll.flat
        await shaker.driver.shake(RollDue("r2", "shaker", 3))
        assert await shaker.next(CommandRefused) == [CommandRefused("r2", "lid open")]


async def test_dice_may_be_unread() -> None:
    """With the probability at one, every die lies flat for people and is unread by the sensor."""
    async with device("otdp-shaker", "shaker", unread="1") as (shaker, _):
        await shaker.driver.shake(RollDue("r1", "shaker", 3))
        *_, rolled = await shaker.next(ShakerShaken, ShakerLidOpened, ShakerRolled)
        assert rolled.roll.dice == (DieFault.UNREAD,) * 3


async def test_a_jam_stops_a_stack_and_its_end_lets_it_go_on() -> None:
    """A jam in mid-stack begins a condition; when it is cleared the same stack comes, and once."""
    async with device("otdp-shoe", "stack-shoe", speed="20") as (shoe, model):
        await shoe.next(ShoeLoaded)
        await shoe.driver.dispense(StackDue("d1", "shoe", 1, 7, 52, "1"))
        model.feel("jam")
        model.feel("clear")
        await shoe.driver.dispense(StackDue("d1", "shoe", 1, 7, 52, "1"))
        await shoe.next(DeviceConditionBegan, DeviceConditionEnded, ShoeStackDispensed)
        assert model.strokes == 1


async def test_a_shoe_that_holds_other_than_awaited_moves_nothing() -> None:
    """A stack is dispensed only if the count before it is the one expected; the refusal says both."""
    async with device("otdp-shoe", "stack-shoe") as (shoe, model):
        await shoe.next(ShoeLoaded)
        await shoe.driver.dispense(StackDue("d1", "shoe", 1, 7, 53, "1"))
        assert await shoe.next(CommandRefused) == [CommandRefused("d1", "52 left, not 53")]
        assert model.strokes == 0


async def test_two_doubles_of_one_seed_do_the_same() -> None:
    """The same seed gives the same dice and the same order of cards."""
    throws = []
    for _ in range(2):
        async with device("otdp-shaker", "shaker", seed="9") as (shaker, _):
            await shaker.driver.shake(RollDue("r1", "shaker", 3))
            throws.append((await shaker.next(ShakerShaken, ShakerLidOpened, ShakerRolled))[-1])
    assert throws[0] == throws[1]


async def test_events_that_were_dropped_are_said_to_be_lost() -> None:
    """After more events than a device remembers, the host hears which are lost, then the others in order."""
    make = double("shaker")
    options = Url("double", "shaker", {"speed": "max", "world": "elsewhere"}).options(make.options)
    model: Any = make(options, 0)
    for _ in range(200):
        model.feel("lift-lid")
        model.feel("close-lid")
    host, line = Pipe.pair()
    running = asyncio.create_task(run(model, line, msgspec.structs.replace(options, world="")))
    told = driver("otdp-shaker")(host)
    await told.open(Mark())
    said = Said(told)
    first, *_ = await said.next(DeviceEventsLost, *(ShakerLidOpened, ShakerLidClosed) * 128)
    assert first == DeviceEventsLost(1, 400 - 256)
    said.listening.cancel()
    running.cancel()
    await asyncio.gather(said.listening, running, return_exceptions=True)
    await told.close()


async def test_a_double_is_the_same_device_at_the_next_open() -> None:
    """A double behind a URL is one device: open once at a time, and with its memory when opened again."""
    url = "double:shuffler?serial=same&speed=max"
    link = await open_link(url)
    with pytest.raises(Exception, match="open already"):
        await open_link(url)
    await link.close()
    before = socket(Url.parse(url)).double
    link = await open_link(url)
    assert socket(Url.parse(url)).double is before
    await link.close()


async def test_a_double_ends_with_its_world(tmp_path: Path) -> None:
    """When the world ends the double does, with a reason, and its host sees the cable go."""
    path = tmp_path / "world"
    async with serve(World({}), path):
        link = await open_link(f"double:shuffler?serial=worldly&world={path}")
        told = driver("otdp-shuffler")(link)
        await told.open(Mark())
    with pytest.raises(LinkLost, match="the double broke down: world-ended"):
        await anext(told.readings())
    await told.close()


def start(path: Path, *more: str) -> subprocess.Popen[str]:
    code = "import typer; from tablectl.cli.double import double; typer.run(double)"
    command = [sys.executable, "-c", code, "stack-shoe", "--pty", str(path), "--speed", "max", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
async def test_a_double_runs_as_a_process_of_its_own(tmp_path: Path, stop: signal.Signals) -> None:
    """Behind a terminal it outlives its hosts, keeps its memory between them, and leaves nothing when stopped."""
    path = tmp_path / "shoe"
    process = start(path, "--serial", "OT-42", "--deck", "53")
    assert process.stdout
    assert process.stdout.readline() == f"{path} is a serial port now\n"
    boots = set()
    for stack in (1, 2):
        told: Any = driver("otdp-shoe")(await open_link(f"serial:{path}"))
        identity = await told.open(Mark())
        assert identity.serial == "OT-42"
        boots.add(identity.boot)
        await told.dispense(StackDue(f"d{stack}", "shoe", stack, 7, 53 - 7 * (stack - 1), "1"))
        async with asyncio.timeout(5):
            async for event in told.readings():
                if isinstance(event.reading, ShoeStackTaken):
                    break
        await told.close()
    assert len(boots) == 1
    process.send_signal(stop)
    assert process.wait(5) == 0
    assert process.stderr
    assert process.stderr.read() == ""
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - Path.iterdir waits in a coroutine too
    process.stdout.close()
    process.stderr.close()


def test_a_double_refuses_what_it_cannot_be(tmp_path: Path) -> None:
    """A wrong option, or a path that is taken, ends the program with one line that says so."""
    (tmp_path / "file").touch()
    for path, more, text in (
        (tmp_path / "file", (), "is there already and is no link to a terminal"),
        (tmp_path / "shoe", ("--set", "colour=red"), "unknown field `colour`"),
        (tmp_path / "shoe", ("--world", str(tmp_path / "none")), "No such file"),
    ):
        process = start(path, *more)
        _, error = process.communicate(timeout=10)
        assert process.returncode == 1
        assert text in error
        assert error.count("\n") == 1
