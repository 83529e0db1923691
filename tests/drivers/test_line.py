"""Plain devices: each order is given once, what was not heard is unknown, and people end the doubt."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tablectl_drivers.line import wire
from tablectl_drivers.line.wire import LINES, Line, Splitter, decode, encode

from tablectl.devices.contract import Loss, Mark, State
from tablectl.devices.link import Pipe
from tablectl.devices.registry import driver
from tablectl.devices.trace import Recorder
from tablectl.errors import LinkLost, WireError
from tablectl.events.facts import RollDue, StackDue
from tablectl.events.readings import (
    CommandRefused,
    CommandUnknown,
    DeviceEventsLost,
    Reading,
    ShakerRolled,
    ShoeStackDispensed,
    ShoeStackTaken,
)

Warp = Callable[[Coroutine[Any, Any, Any]], Any]
DUE = StackDue("c1", "shoe1", 3, 7, 53, "1")


class Device:
    """The other end of the wire in the hands of a test."""

    def __init__(self, line: Pipe) -> None:
        self._line = line
        self._splitter = Splitter()
        self.heard: list[Line] = []
        self.silent = False

    async def run(self) -> None:
        while True:
            for line in self._splitter.feed(await self._line.read()):
                self.heard.append(line)
                if isinstance(line, wire.AskId):
                    await self.say("ID,stack-shoe,Old One,L-7,1.0")
                if isinstance(line, wire.AskStatus) and not self.silent:
                    await self.say("STATUS,loaded,53")

    async def say(self, *lines: str) -> None:
        await self._line.write("".join(f"{line}\r\n" for line in lines).encode())

    def orders(self) -> list[Line]:
        return [line for line in self.heard if not isinstance(line, wire.AskId | wire.AskStatus)]


class Told:
    def __init__(self, shoe: Any, device: Device) -> None:
        self.shoe = shoe
        self.device = device
        self.readings: list[Reading] = []
        self.lost = ""

    async def listen(self) -> None:
        try:
            async for event in self.shoe.readings():
                self.readings.append(event.reading)
        except LinkLost as lost:
            self.lost = lost.reason


@asynccontextmanager
async def connected(mark: Mark = Mark(), name: str = "line-shoe") -> AsyncGenerator[Told]:  # noqa: B008 - frozen
    host, line = Pipe.pair()
    device = Device(line)
    shoe = driver(name)(Recorder(host, lambda _: None))
    told = Told(shoe, device)
    tasks = [asyncio.create_task(device.run())]
    try:
        await shoe.open(mark)
        tasks.append(asyncio.create_task(told.listen()))
        await asyncio.sleep(1.5)
        yield told
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await shoe.close()


def test_an_order_whose_end_is_heard_is_done(warp: Warp) -> None:
    """DEAL is answered, then told as dealt: the reading carries the command and the stack that were ordered."""

    async def main() -> None:
        async with connected() as told:
            ordering = asyncio.create_task(told.shoe.dispense(DUE))
            await asyncio.sleep(0.1)
            await told.device.say("OK")
            await ordering
            await told.device.say("DEALT,7,46", "TAKEN")
            await asyncio.sleep(0.1)
            assert told.readings == [ShoeStackDispensed("c1", 3, 7, 46), ShoeStackTaken(3)]
            assert told.device.orders() == [wire.Deal(7)]
            assert told.shoe.state is State.STACK_TAKEN

    warp(main())


def test_an_order_is_given_once_whatever_is_heard(warp: Warp) -> None:
    """No answer: unknown, and in a minute nothing is sent again; a late word is still taken and ends the doubt."""

    async def main() -> None:
        async with connected() as told:
            await told.shoe.dispense(DUE)
            await asyncio.sleep(60)
            assert told.readings == [CommandUnknown("c1", "the device did not say whether it will do it")]
            await told.device.say("DEALT,7,46")
            await asyncio.sleep(0.1)
            assert told.readings[1:] == [ShoeStackDispensed("c1", 3, 7, 46)]
            assert told.device.orders() == [wire.Deal(7)]

    warp(main())


def test_an_order_that_never_ends_is_unknown(warp: Warp) -> None:
    """OK and then nothing: after its time the command is unknown, once."""

    async def main() -> None:
        async with connected() as told:
            ordering = asyncio.create_task(told.shoe.dispense(DUE))
            await asyncio.sleep(0.1)
            await told.device.say("OK")
            await ordering
            await asyncio.sleep(300)
            assert told.readings == [CommandUnknown("c1", "nothing was heard of it for 20 s")]

    warp(main())


def test_a_refusal_and_a_wrong_count_move_nothing(warp: Warp) -> None:
    """NO is a refusal with its reason; a count that differs is refused by the driver, before anything is sent."""

    async def main() -> None:
        async with connected() as told:
            await told.shoe.dispense(StackDue("c0", "shoe1", 1, 7, 46, "1"))
            assert told.device.orders() == []
            ordering = asyncio.create_task(told.shoe.dispense(DUE))
            await asyncio.sleep(0.1)
            await told.device.say("NO,jam")
            await ordering
            await asyncio.sleep(0.1)
            assert told.readings == [CommandRefused("c0", "53 left, not 46"), CommandRefused("c1", "jam")]

    warp(main())


def test_what_was_open_is_a_doubt_and_what_was_missed_is_lost(warp: Warp) -> None:
    """At the next opening every open command is unknown, lost events are said, and nothing is sent."""

    async def main() -> None:
        async with connected(Mark("0badcafe", 7, (DUE,))) as told:
            assert told.readings == [
                DeviceEventsLost(8, 0),
                CommandUnknown("c1", "the device keeps no record of its commands"),
            ]
            assert told.shoe.unsent == ()
            assert told.device.orders() == []

    warp(main())


@pytest.mark.parametrize(("line", "reason"), [("READY", Loss.RESTARTED), ("", Loss.SILENT)], ids=["reset", "silent"])
def test_a_device_that_was_reset_or_is_silent_is_lost(warp: Warp, line: str, reason: Loss) -> None:
    """READY in mid-session is a reset; a device that does not answer how it is is silent after its time."""

    async def main() -> None:
        async with connected() as told:
            told.device.silent = True
            if line:
                await told.device.say(line)
            await asyncio.sleep(6)
            assert told.lost == reason

    warp(main())


def test_noise_between_lines_is_counted_and_skipped(warp: Warp) -> None:
    """What is no line changes nothing, and is no sign of life."""

    async def main() -> None:
        async with connected() as told:
            await told.device.say("DEALT,x,46", "nonsense", "\xff" * 200, "DEALT,7,46,9", "TAKEN")
            await asyncio.sleep(0.1)
            assert told.readings == [ShoeStackTaken(0)]
            assert told.shoe.counters.bad_frames == 4

    warp(main())


def test_dice_say_what_they_are(warp: Warp) -> None:
    """A die that leans is read as cocked; the shake carries the command that ordered it."""

    async def main() -> None:
        host, line = Pipe.pair()
        shaker: Any = driver("line-shaker")(host)

        async def answer() -> None:
            splitter = Splitter()
            while True:
                for each in splitter.feed(await line.read()):
                    words = {wire.AskId: "ID,shaker,Old,L-8,1", wire.Shake: "OK\r\nSHAKEN,3\r\nDICE,4,5,cocked"}
                    if type(each) in words:
                        await line.write(f"{words[type(each)]}\r\n".encode())

        answering = asyncio.create_task(answer())
        await shaker.open(Mark())
        await shaker.shake(RollDue("r1", "shaker1", 3))
        readings = shaker.readings()
        assert (await anext(readings)).reading.command == "r1"
        rolled = (await anext(readings)).reading
        assert isinstance(rolled, ShakerRolled)
        assert str(rolled.roll) == "4-5-cocked"
        answering.cancel()
        await asyncio.wait([answering])
        await shaker.close()

    warp(main())


LINE = st.sampled_from(sorted(LINES)).flatmap(
    lambda word: st.builds(
        LINES[word],
        **{
            name: st.integers(0, 999)
            for name in LINES[word].__struct_fields__
            if name in ("size", "left", "count", "times")
        },
        **({"reason": st.text("abc ", min_size=1, max_size=20)} if word == "NO" else {}),
        **(
            {name: st.text("ABC-1", min_size=1, max_size=12) for name in ("model", "serial", "firmware")}
            if word == "ID"
            else {}
        ),
    )
)


@given(LINE, st.data())
def test_lines_survive_the_wire(line: Line, data: st.DataObject) -> None:
    """What is written is read again, in any pieces and after any noise."""
    text = encode(line)
    noise = data.draw(st.binary(max_size=20).map(lambda each: each.replace(b"\r", b"").replace(b"\n", b"")))
    whole = noise + b"\r\n" + text
    at = data.draw(st.integers(0, len(whole)))
    splitter = Splitter()
    found = splitter.feed(whole[:at]) + splitter.feed(whole[at:])
    assert found[-1] == line


@given(st.binary(max_size=100))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    """Whatever comes is a line or a WireError."""
    try:
        decode(data)
    except WireError:
        return
    assert data[:1].isalpha()
