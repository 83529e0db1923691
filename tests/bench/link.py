"""How long a command takes on a serial line, beside the same bytes echoed by pyserial alone.

One trip is ARM, its answer, GO, its answer, the event, its commit to a journal on disk, and the acknowledgement as it
reaches the device. The echo writes the bytes of one trip to a terminal whose other end sends them back, and reads them,
with nothing else.
"""

import asyncio
import os
import statistics
import tempfile
import threading
import time
import tty
from collections.abc import Awaitable, Callable
from pathlib import Path

import serial
from tablectl_drivers.otdp.double import StackShoeDouble

from tablectl.devices.bench import DoubleOptions, run
from tablectl.devices.contract import Mark
from tablectl.devices.link import Url, open_link
from tablectl.devices.pty import open_pty
from tablectl.devices.registry import driver
from tablectl.devices.roster import Configured
from tablectl.devices.trace import Piece, Recorder
from tablectl.events.codec import Input
from tablectl.events.facts import StackDue
from tablectl.events.readings import ShoeLoaded, ShoeStackDispensed, ShoeStackTaken
from tablectl.journal import Journal
from tablectl.upkeep import Upkeep

TRIPS = 300
WARM = 20
WORDS = 3
"""Of the host in one trip: ARM, GO, ACK."""


class Shoe(StackShoeDouble):
    """A shoe that says when an event of its own was acknowledged."""

    def __init__(self, options: DoubleOptions, now: float) -> None:
        self.kept = asyncio.Event()
        super().__init__(options, now)

    def _acknowledge(self, number: int) -> None:
        super()._acknowledge(number)
        self.kept.set()


class Rig:
    """A shoe that takes no time behind a terminal, kept by the daemon's own upkeep, with a journal on disk."""

    def __init__(self, path: Path, journal: Journal, shoe: Shoe) -> None:
        self.path = path
        self.journal = journal
        self.shoe = shoe
        self.events: dict[type, asyncio.Event] = {
            word: asyncio.Event() for word in (ShoeLoaded, ShoeStackDispensed, ShoeStackTaken)
        }
        self.seconds: list[float] = []

    async def mark(self) -> Mark:
        return Mark()

    async def accept(self, said: Input) -> None:
        await asyncio.shield(self.journal.append(said, (), in_round=0))
        if type(said.body) in self.events:
            self.events[type(said.body)].set()

    async def until(self, word: type) -> None:
        await self.events[word].wait()
        self.events[word].clear()

    async def trip(self, upkeep: Upkeep, number: int, left: int) -> int:
        due = StackDue(f"bench{number:08d}", "shoe1", 1, 1, left, "1")
        began = time.perf_counter()
        self.shoe.kept.clear()
        upkeep.perform(due)
        await self.until(ShoeStackDispensed)
        await self.shoe.kept.wait()
        self.seconds.append(time.perf_counter() - began)
        await self.until(ShoeStackTaken)
        if left > 1:
            return left - 1
        await self.until(ShoeLoaded)
        return 52


async def measure(folder: Path) -> list[float]:
    """Return the seconds of each trip."""
    options = Url("double", "stack-shoe", {"speed": "max"}).options(Shoe.options)
    line = open_pty(folder / "shoe")
    shoe = Shoe(options, asyncio.get_running_loop().time())
    running = asyncio.create_task(run(shoe, line, options))
    async with Journal.open(folder / "journal.db", table="bench") as journal:
        rig = Rig(folder / "shoe", journal, shoe)
        upkeep = Upkeep(Configured("shoe1", driver("otdp-shoe"), f"serial:{rig.path}"), rig.mark, rig.accept)
        keeping = asyncio.create_task(upkeep.keep())
        await rig.until(ShoeLoaded)
        left = 52
        for number in range(WARM + TRIPS):
            left = await rig.trip(upkeep, number, left)
        keeping.cancel()
        await asyncio.wait([keeping])
    running.cancel()
    await asyncio.wait([running])
    await line.close()
    return rig.seconds[WARM:]


async def commits(folder: Path) -> list[float]:
    """Return the seconds of each commit of what a shoe says, alone."""
    seconds = []
    async with Journal.open(folder / "commits.db", table="bench") as journal:
        for number in range(1, 1 + TRIPS):
            said = Input(ShoeStackDispensed(f"bench{number:08d}", 1, 1, 51), time.time_ns(), "shoe1", "1.1", number)
            began = time.perf_counter()
            await journal.append(said, (), in_round=0)
            seconds.append(time.perf_counter() - began)
    return seconds


async def bytes_of_a_trip() -> list[Piece]:
    """Return what passes over the link for one command."""
    pieces: list[Piece] = []
    shoe = driver("otdp-shoe")(Recorder(await open_link("double:stack-shoe?speed=max&serial=bench"), pieces.append))
    await shoe.open(Mark())
    readings = shoe.readings()
    await anext(readings)
    before = len(pieces)
    await _dispense(shoe)(StackDue("bench00000000", "shoe1", 1, 1, 52, "1"))
    await anext(readings)
    # Asking for the next one acknowledges this one.
    await anext(readings)
    await _acknowledged(pieces, before)
    await readings.aclose()
    await shoe.close()
    return pieces[before:]


async def _acknowledged(pieces: list[Piece], before: int) -> None:
    while sum(piece.way == ">" for piece in pieces[before:]) < WORDS:  # noqa: ASYNC110 - a list tells nothing
        await asyncio.sleep(0)


def _dispense(shoe: object) -> Callable[[StackDue], Awaitable[None]]:
    verb: Callable[[StackDue], Awaitable[None]] = getattr(shoe, "dispense")  # noqa: B009 - of stack shoes only
    return verb


def echo(path: Path, pieces: list[Piece]) -> list[float]:
    """Return the seconds in which pyserial alone writes these bytes and reads as many back, as often."""
    line = open_terminal(path)
    out = b"".join(piece.data for piece in pieces if piece.way == ">")
    back = b"".join(piece.data for piece in pieces if piece.way == "<")
    stop = threading.Event()
    threading.Thread(target=_answer, args=(line, len(out), back, stop), daemon=True).start()
    seconds = []
    with serial.Serial(str(path), 115200, timeout=2) as port:
        for _ in range(WARM + TRIPS):
            began = time.perf_counter()
            port.write(out)
            assert len(port.read(len(back))) == len(back)
            seconds.append(time.perf_counter() - began)
    stop.set()
    return seconds[WARM:]


def open_terminal(path: Path) -> int:
    """Make a terminal behind path; return its other end."""

    master, slave = os.openpty()
    tty.setraw(slave)
    path.symlink_to(os.ttyname(slave))
    return master


def _answer(master: int, awaited: int, back: bytes, stop: threading.Event) -> None:

    got = 0
    while not stop.is_set():
        got += len(os.read(master, 4096))
        if got >= awaited:
            got -= awaited
            os.write(master, back)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pieces = asyncio.run(bytes_of_a_trip())
        trips = asyncio.run(measure(folder))
        durable = asyncio.run(commits(folder))
        bare = echo(folder / "echo", pieces)
    sizes = " + ".join(str(sum(len(piece.data) for piece in pieces if piece.way == way)) for way in "><")
    trip, alone = statistics.median(trips) * 1000, statistics.median(bare) * 1000
    worst = statistics.quantiles(trips, n=100)[98] * 1000
    print(f"command on a terminal, journalled, acknowledged: median {trip:.2f} ms, 99 % under {worst:.2f} ms")  # noqa: T201
    print(f"a commit to the journal, by itself: median {statistics.median(durable) * 1000:.2f} ms")  # noqa: T201
    print(f"echo of its {sizes} bytes by pyserial alone: median {alone:.3f} ms")  # noqa: T201
    print(f"ratio {trip / alone:.1f}")  # noqa: T201


if __name__ == "__main__":
    main()
