"""Bytes and frames that come where none should, and replies that never come."""

import asyncio
import random
import re
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tablectl_drivers.otdp import wire

from tablectl.devices import registry
from tablectl.devices.bench import socket
from tablectl.devices.conformance.wires import NOISE, Through
from tablectl.devices.contract import Link, Loss, Mark, State
from tablectl.devices.faults import MODEM
from tablectl.devices.framing import Deframer, frame
from tablectl.devices.link import Url, open_link
from tablectl.devices.registry import driver
from tablectl.errors import LinkLost
from tablectl.events.facts import StackDue
from tablectl.events.readings import DeviceConditionBegan, ShoeLoaded, ShoeStackDispensed
from tablectl.upkeep import VERBS
from tests.drivers.tables import make
from tests.drivers.test_contract import DEVICES, Device

Warp = Callable[[Coroutine[Any, Any, Any]], Any]


def stack(number: int, left: int) -> StackDue:
    return StackDue(f"f{number}", "shoe1", number, 7, left, "1")


SPOILED = 100
"""Frames in each direction that come after a stray byte."""


FRAMES = {"otdp": rb"\x00[^\x00]+\x00", "line": rb"[^\r\n]+\r\n"}


class Strays:
    """A byte of chance before each of the first frames in one direction, over as many links as it takes."""

    def __init__(self, family: str, seed: int) -> None:
        self.frames = re.compile(FRAMES[family])
        self.chance = random.Random(seed)
        self.spoiled = 0

    def put_into(self, data: bytes) -> bytes:
        return self.frames.sub(self._after_one, data)

    def _after_one(self, frame: re.Match[bytes]) -> bytes:
        if self.spoiled == SPOILED:
            return frame[0]
        self.spoiled += 1
        return self.chance.randbytes(1) + frame[0]


class Stray(Through):
    """A link on which strays stand before what is heard and before what is said."""

    def __init__(self, link: Link, heard: Strays, said: Strays) -> None:
        super().__init__(link)
        self.heard, self.said = heard, said

    async def read(self) -> bytes:
        return self.heard.put_into(await self.link.read())

    async def write(self, data: bytes) -> None:
        await self.link.write(self.said.put_into(data))


@pytest.mark.parametrize("seed", range(4))
def test_a_stray_byte_before_each_of_a_hundred_frames_hangs_nobody(warp: Warp, seed: int) -> None:
    """One byte that did not belong there once kept a host from starting for ever. Before each of the first hundred
    frames in each direction stands one, the first of all before HELLO and its answer: the start takes less than five
    seconds, nothing is asked twice because of it, and each order is carried out once.
    """

    async def main() -> None:
        url = f"double:stack-shoe?deck=8x52&speed=max&serial=stray{seed}"
        heard, said = Strays("otdp", seed), Strays("otdp", -seed)
        told: Any = driver("otdp-shoe")(Stray(await open_link(url), heard, said))
        async with asyncio.timeout(5):
            await told.open(Mark())
        readings = told.readings()
        for number in range(30):
            await told.dispense(stack(number, 416 - 7 * number))
            while not isinstance((await anext(readings)).reading, ShoeStackDispensed):
                pass
        await asyncio.sleep(60)
        shoe: Any = socket(Url.parse(url)).double
        assert (heard.spoiled, said.spoiled) == (SPOILED, SPOILED)
        assert shoe.strokes == 30
        assert told.counters.retries == 0
        await told.close()

    warp(main())


def test_a_stray_byte_before_each_of_a_hundred_lines_is_told_in_time(warp: Warp) -> None:
    """A line has nothing in front that ends the noise: a stray byte spoils it. No start waits longer than five seconds
    for an answer that is never sound; it is told as silent, and the first start behind the strays finds the device.
    """
    url = "double:line-shoe?deck=53&speed=max&serial=stray"

    async def main() -> None:
        heard, said = Strays("line", 1), Strays("line", 2)
        starts = 0
        while True:
            told: Any = driver("line-shoe")(Stray(await open_link(url), heard, said))
            async with asyncio.timeout(5):
                try:
                    await told.open(Mark())
                    break
                except LinkLost as lost:
                    assert lost.reason == Loss.SILENT  # noqa: PT017 - a start that is silent is not the last
                    await told.close()
                    starts += 1
        assert starts > 10
        await told.dispense(stack(1, 53))
        shoe: Any = socket(Url.parse(url)).double
        assert shoe.strokes == 1
        await told.close()

    warp(main())


@pytest.mark.parametrize("kind", registry.names("tablectl.doubles"))
def test_a_modem_manager_moves_nothing(warp: Warp, kind: str) -> None:
    """A program that takes every new port for a modem writes AT commands to it, whole and in pieces, and noise after
    them: no device of any family moves a card or a die for that.
    """

    async def main() -> None:
        double, _ = make(kind, deck="52")
        now = asyncio.get_running_loop().time()
        for words in (MODEM, *(bytes([byte]) for byte in MODEM), NOISE, b"AT\r", b"\r\n"):
            double.receive(words, now)
        double.advance(now + 600)
        assert (double.strokes, double.moving()) == (0, False)

    warp(main())


class Overheard(Through):
    """Puts stale bytes before what comes first, and before what answers HELLO and RESUME; keeps what the host says."""

    def __init__(self, link: Link, stale: bytes) -> None:
        super().__init__(link)
        self.stale = self.always = stale
        self.said: list[wire.Message] = []

    async def read(self) -> bytes:
        data = await self.link.read()
        stale, self.stale = self.stale, b""
        return stale + data

    async def write(self, data: bytes) -> None:
        self.said += [wire.decode(body)[0] for body in Deframer().feed(data)]
        if isinstance(self.said[-1], wire.Hello | wire.Resume):
            self.stale = self.always
        await self.link.write(data)


def test_events_before_the_hello_are_told_again_after_it(warp: Warp) -> None:
    """What comes before the device has said who it is, or since when it tells, may be old: the answer to an earlier
    hello, 4 kB of sound EVENT frames under the very numbers that are due, and events that the device sends of itself
    because an earlier host never acknowledged them. None of it is believed or acknowledged; after the hello the device
    tells its own events again, by number, and each is taken once.
    """
    url = "double:stack-shoe?deck=53&speed=max&serial=early"

    async def main() -> None:
        shoe: Any = socket(Url.parse(url)).double
        before: Any = driver("otdp-shoe")(await open_link(url))
        await before.open(Mark())
        shoe.feel("open-door")
        assert (await before.readings().__anext__()).number == 1
        await before.close()
        lies = (ShoeStackDispensed("lie", number, 7, 46) for number in range(1, 200))
        frames = [frame(wire.encode(wire.Event(1, n, State.LOADED, lie))) for n, lie in enumerate(lies, 1)]
        host = await open_link(url)
        shoe.serial = "another"
        frames.insert(0, frame(wire.encode(shoe._identity(host.nonce ^ 1), 1)))
        shoe.serial = "early"
        stale = b"".join(frames)[:4096]
        link = Overheard(host, stale)
        told: Any = driver("otdp-shoe")(link)
        await asyncio.sleep(3)
        assert told.counters.frames_in > len(Deframer().feed(stale)) > 100, "they were sound, and the device spoke too"
        assert link.said == []
        identity = await told.open(Mark())
        assert identity.serial == "early"
        assert [type(message) for message in link.said] == [wire.Hello, wire.Resume]
        readings = told.readings()
        taken = [await anext(readings) for _ in range(2)]
        assert [each.number for each in taken] == [1, 2]
        assert [type(each.reading) for each in taken] == [ShoeLoaded, DeviceConditionBegan]
        shoe.feel("clear")
        assert (await anext(readings)).number == 3
        assert any(isinstance(message, wire.Ack) for message in link.said[2:])
        assert shoe.memory.kept == 2
        await told.close()

    warp(main())


class Unanswered(Through):
    """Loses answers to one command. lose: tells of the answer with this number, from 1, whether it is lost."""

    def __init__(self, link: Link, lose: Callable[[int], bool]) -> None:
        super().__init__(link)
        self.lose = lose
        self.answers = 0
        self.deframer = Deframer()

    async def read(self) -> bytes:
        while True:
            heard = self.deframer.feed(await self.link.read())
            if kept := b"".join(frame(body) for body in heard if not self.is_lost(body)):
                return kept

    def is_lost(self, body: bytes) -> bool:
        message, _ = wire.decode(body)
        if not isinstance(message, wire.Answer) or message.command != "c1":
            return False
        self.answers += 1
        return self.lose(self.answers)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.driver)
@pytest.mark.parametrize(
    ("lose", "reason"),
    [(lambda number: number % 2 == 1, None), (lambda _: True, Loss.SILENT)],
    ids=["each first reply", "every reply"],
)
def test_an_order_whose_replies_are_lost_is_carried_out_once(
    warp: Warp, device: Device, lose: Callable[[int], bool], reason: Loss | None
) -> None:
    """A device that cannot tell a repeated order from a new one moves twice when its reply is lost. Each request is
    repeated under its id and answered out of the device's memory; where no reply ever comes the link is given up, and
    at the next the device is asked what became of the order: one motion, and one event that tells of it.
    """

    async def main() -> None:
        url = f"double:{device.double}?deck=53&speed=max&serial=unanswered-{reason}"
        double: Any = socket(Url.parse(url)).double
        due = device.due("c1")
        told: Any = driver(device.driver)(Unanswered(await open_link(url), lose))
        identity = await told.open(Mark())
        await getattr(told, VERBS[type(due)])(due)
        assert (told.lost.reason if told.lost else None) == reason
        assert told.counters.retries >= 1
        await told.close()

        again: Any = driver(device.driver)(await open_link(url))
        await again.open(Mark(identity.boot, 0, (due,)))
        for unsent in again.unsent:
            await getattr(again, VERBS[type(due)])(unsent)
        readings = again.readings()
        async with asyncio.timeout(30):
            while not isinstance((await anext(readings)).reading, device.done):
                pass
        await asyncio.sleep(30)
        assert double.strokes == 1
        await again.close()

    warp(main())
