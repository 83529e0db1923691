"""What every link promises, tried with each: serial, USB, TCP, in process, and played back from a trace.

To try a link of your own, add a bench to BENCHES.
"""

import asyncio
import os
import resource
import threading
import tty
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tablectl.devices import descriptor, usb_claim
from tablectl.devices import usb as usb_module
from tablectl.devices.contract import Link, Loss
from tablectl.devices.framing import LONGEST
from tablectl.devices.link import Pipe, open_link
from tablectl.devices.tcp import TcpLine, listen
from tablectl.devices.trace import Piece, Trace, TraceLink
from tablectl.devices.usb import UsbLink
from tablectl.devices.usb_claim import Wanted
from tablectl.devices.usb_double import INTERRUPT, PRODUCT, VENDOR, Bus, DoubleBackend, UsbLine
from tablectl.errors import LinkLost

FRAME = bytes(range(256)) * 64


@dataclass
class Bench:
    """A peer, and what plugs a link into it. unplug: pulls the cable; stick: lets the peer take nothing any more, which
    no peer in this process does; unstick: lets it take all that waits.
    """

    plug: Callable[[], Awaitable[Link]]
    send: Callable[[bytes], Awaitable[None]]
    hear: Callable[[], Awaitable[bytes]]
    unplug: Callable[[], Awaitable[None]]
    stick: Callable[[], None] | None = None
    unstick: Callable[[], None] = lambda: None


@asynccontextmanager
async def serial(_: Path) -> AsyncGenerator[Bench]:
    master, slave = os.openpty()
    tty.setraw(slave)
    there = [master, slave]
    loop = asyncio.get_running_loop()

    async def send(data: bytes) -> None:
        while data:
            data = data[await loop.run_in_executor(None, os.write, master, data) :]

    async def unplug() -> None:
        while there:
            os.close(there.pop())

    yield Bench(
        lambda: open_link(f"serial:{os.ttyname(slave)}"),
        send,
        lambda: loop.run_in_executor(None, os.read, master, 4096),
        unplug,
        lambda: None,
    )
    await unplug()


@asynccontextmanager
async def tcp(_: Path) -> AsyncGenerator[Bench]:
    line = listen("127.0.0.1:0")
    stuck = asyncio.Event()

    async def hear() -> bytes:
        if stuck.is_set():
            await asyncio.Event().wait()
        return await line.read()

    async def send(data: bytes) -> None:
        while not line._host:  # noqa: ASYNC110 - the kernel says nothing
            await asyncio.sleep(0)
        await line.write(data)

    async def plug() -> Link:
        await line.hang_up()  # a peer that is stuck does not notice that its host has gone
        return await open_link(f"tcp:127.0.0.1:{line.port}")

    yield Bench(plug, send, hear, line.hang_up, stuck.set, stuck.clear)
    await line.close()


@asynccontextmanager
async def usb(_: Path, kind: int = 2) -> AsyncGenerator[Bench]:
    line = UsbLine(Bus("OT-1", kind=kind))
    backend = DoubleBackend(line)

    async def send(data: bytes) -> None:
        while len(line._said) + len(data) > 60000:  # noqa: ASYNC110 - a thread takes it
            await asyncio.sleep(0.001)
        await line.write(data)

    async def unplug() -> None:
        line.unplug()

    yield Bench(
        lambda: UsbLink.open(Wanted(VENDOR, PRODUCT, "OT-1", "1-1.2", None), backend),
        send,
        line.read,
        unplug,
        lambda: setattr(line.bus, "stuck", True),
        line.unstick,
    )
    assert line.bus.open_handles == 0, "every handle was given back"


@asynccontextmanager
async def usb_interrupt(path: Path) -> AsyncGenerator[Bench]:
    async with usb(path, INTERRUPT) as bench:
        yield bench


@asynccontextmanager
async def in_process(_: Path) -> AsyncGenerator[Bench]:
    pipes: list[Pipe] = []

    async def plug() -> Link:
        here, there = Pipe.pair()
        pipes.append(there)
        return here

    async def send(data: bytes) -> None:
        while len(pipes[-1].other._received) + len(data) > 60000:  # noqa: ASYNC110 - as a maker would
            await asyncio.sleep(0)
        await pipes[-1].write(data)

    async def hear() -> bytes:
        return await pipes[-1].read()

    async def unplug() -> None:
        await pipes[-1].hang_up()

    yield Bench(plug, send, hear, unplug)


BENCHES = (serial, tcp, usb, usb_interrupt, in_process)


@pytest.fixture(params=BENCHES, ids=lambda bench: bench.__name__)
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Bench]:
    async with request.param(tmp_path) as bench:
        yield bench


async def collect(read: Callable[[], Awaitable[bytes]], count: int) -> bytes:
    got = bytearray()
    async with asyncio.timeout(10):
        while len(got) < count:
            got += await read()
    return bytes(got)


async def lost(attempt: Awaitable[object]) -> str:
    """Return the reason with which an attempt fails."""
    with pytest.raises(LinkLost) as raised:
        async with asyncio.timeout(5):
            await attempt
    return raised.value.reason


async def test_every_byte_passes_in_both_directions(bench: Bench) -> None:
    """What one end writes the other reads, in order, whatever the bytes."""
    everything = bytes(range(256))
    link = await bench.plug()
    await link.write(everything)
    assert await collect(bench.hear, 256) == everything
    await bench.send(everything)
    assert await collect(link.read, 256) == everything
    await link.close()


async def test_a_flood_keeps_its_order(bench: Bench) -> None:
    """A quarter of a megabyte arrives whole, also when the reader is slower than the device."""
    link = await bench.plug()
    chunks = [bytes([number % 256]) * 1000 for number in range(250)]

    async def flood() -> None:
        for chunk in chunks:
            await bench.send(chunk)

    flooding = asyncio.create_task(flood())
    got = b""
    while len(got) < 250_000:
        got += await link.read()
        await asyncio.sleep(0)
    assert got == b"".join(chunks)
    await flooding
    await link.close()


async def test_close_is_quick_and_final(bench: Bench) -> None:
    """Closing ends a waiting read, may be repeated, and after it nothing goes; the next open works."""
    link = await bench.plug()
    reading = asyncio.ensure_future(link.read())
    await asyncio.sleep(0.05)
    began = asyncio.get_running_loop().time()
    await link.close()
    await link.close()
    assert asyncio.get_running_loop().time() - began < 1
    assert await lost(reading) == Loss.CLOSED
    assert await lost(link.read()) == Loss.CLOSED
    assert await lost(link.write(b"x")) == Loss.CLOSED
    again = await bench.plug()
    await again.write(b"hello")
    assert await collect(bench.hear, 5) == b"hello"
    assert again.nonce != link.nonce
    assert 0 < again.nonce < 2**32
    assert again.trouble() is None
    await again.close()


async def test_unplugged_is_said_once_and_costs_nothing(bench: Bench) -> None:
    """What arrived before is still read; then every call says unplugged, without spinning."""
    link = await bench.plug()
    await bench.send(b"last words")
    assert await collect(link.read, 10) == b"last words"
    reading = asyncio.ensure_future(link.read())
    await asyncio.sleep(0.02)
    await bench.unplug()
    assert await lost(reading) == Loss.UNPLUGGED
    assert await lost(link.read()) == Loss.UNPLUGGED
    if link.settings or not isinstance(link, Pipe):
        assert await lost(link.write(b"x")) == Loss.UNPLUGGED
    before = resource.getrusage(resource.RUSAGE_SELF)
    await asyncio.sleep(0.3)
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.3 * 0.05 + 0.02
    await link.close()


async def test_a_peer_that_stops_reading_stops_nobody(bench: Bench) -> None:
    """The loop keeps its time, the write ends at its deadline as stuck, close takes less than two seconds."""
    if bench.stick is None:
        return
    bench.stick()
    assert await largest_lag(await bench.plug()) < 0.05


async def test_the_33rd_frame_that_waits_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers that grow while a peer takes nothing give it old orders later. 32 frames wait; one more is refused at
    once and is never sent, and when the peer takes bytes again it gets every other one, and the link goes on.
    """
    if bench.stick is None:
        return
    for module in (descriptor, usb_module, usb_claim):
        monkeypatch.setattr(module, "WRITE_DEADLINE", 30)
    link = await bench.plug()
    bench.stick()
    taken, waiting = await fill(link)
    refused = asyncio.ensure_future(link.write(b"refused"))
    await asyncio.sleep(0)
    assert refused.done()
    assert await lost(refused) == Loss.STUCK
    bench.unstick()
    heard = await collect(bench.hear, (taken + len(waiting)) * len(FRAME))
    await asyncio.gather(*waiting)
    await link.write(b"and on")
    heard += await collect(bench.hear, len(b"and on"))
    assert heard == FRAME * (taken + 32) + b"and on"
    await link.close()


async def fill(link: Link) -> tuple[int, list[asyncio.Future[None]]]:
    """Write until 32 frames wait; return how many the system took before, and those that wait."""
    taken, waiting = 0, list[asyncio.Future[None]]()
    while len(waiting) < 32:
        write = asyncio.ensure_future(link.write(FRAME))
        await asyncio.sleep(0)
        if write.done():
            write.result()
            taken += 1
        else:
            waiting.append(write)
    return taken, waiting


def waited_for_a_core() -> float:
    """Return the seconds for which this thread could have run, but for others that did; 0 where nobody counts them."""
    counted = Path("/proc/thread-self/schedstat")
    return int(counted.read_text().split()[1]) / 1e9 if counted.exists() else 0.0


async def largest_lag(link: Link) -> float:
    """Flood a peer that takes nothing, close, and return by how many seconds the event loop made itself late."""
    clock = asyncio.get_running_loop().time
    lags = [0.0]

    async def tick() -> None:
        while True:
            began, waited = clock(), waited_for_a_core()
            await asyncio.sleep(0.01)
            lags.append(clock() - began - 0.01 - (waited_for_a_core() - waited))

    async def flood() -> None:
        while True:
            await link.write(bytes(LONGEST))
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    assert await lost(flood()) == Loss.STUCK
    began = clock()
    await link.close()
    assert clock() - began < 2
    ticking.cancel()
    return max(lags)


async def test_a_dead_peer_leaves_no_thread_that_matters(bench: Bench) -> None:
    """After close no thread is left that would keep the process from ending."""
    link = await bench.plug()
    await link.close()
    others = [each for each in threading.enumerate() if each is not threading.main_thread()]
    assert [each.name for each in others if not each.daemon and not each.name.startswith("asyncio_")] == []


class Held(DoubleBackend):
    """A bus on which one call waits until it is let go, as on a busy machine; it tells when a handle is closed."""

    def __init__(self, line: UsbLine, call: str) -> None:
        super().__init__(line)
        self.entered, self.go, self.given_back = threading.Event(), threading.Event(), threading.Event()
        held = getattr(self, call)

        def wait(*words: Any) -> Any:
            self.entered.set()
            self.go.wait()
            return held(*words)

        setattr(self, call, wait)

    def close_device(self, dev_handle: UsbLine) -> None:
        super().close_device(dev_handle)
        self.given_back.set()


@pytest.mark.parametrize("call", ["enumerate_devices", "open_device", "claim_interface", "bulk_read"])
async def test_a_device_is_given_back_however_slow_the_bus(call: str) -> None:
    """Who gives up while it opens, or closes while it reads, does not wait; the claim ends once the bus answers."""
    line = UsbLine(Bus("OT-1"))
    backend = Held(line, call)
    wanted = Wanted(VENDOR, PRODUCT, "OT-1", "1-1.2", None)
    opening = asyncio.create_task(UsbLink.open(wanted, backend))
    assert await asyncio.to_thread(backend.entered.wait, 5)
    async with asyncio.timeout(1):
        if call == "bulk_read":
            await (await opening).close()
        else:
            opening.cancel()
            await asyncio.wait([opening])
    assert not backend.given_back.is_set()
    backend.go.set()
    assert await asyncio.to_thread(backend.given_back.wait, 5)
    assert (line.bus.claimed, line.bus.open_handles) == (False, 0)
    link = await UsbLink.open(wanted, backend)
    await link.close()


async def test_a_further_host_is_turned_away() -> None:
    """A serial server's line belongs to one host; who comes second is hung up, and the first loses nothing."""
    line: TcpLine = listen("127.0.0.1:0")
    first = await open_link(f"tcp:127.0.0.1:{line.port}")
    await first.write(b"a")
    assert await line.read() == b"a"
    second = await open_link(f"tcp:127.0.0.1:{line.port}")
    assert await lost(second.read()) == Loss.UNPLUGGED
    await line.write(b"b")
    assert await first.read() == b"b"
    await first.close()
    await second.close()
    await line.close()


@pytest.mark.parametrize("place", ["127.0.0.1:1", "[::1]:1"])
async def test_a_server_that_is_not_there_is_missing(place: str) -> None:
    """A refused connection is told as missing, with its address."""
    with pytest.raises(LinkLost, match=r"refused|assign|unreachable") as missing:
        await open_link(f"tcp:{place}")
    assert missing.value.reason == Loss.MISSING


async def test_a_trace_keeps_the_rules_of_links_as_far_as_it_can() -> None:
    """It says what the device said, in order, then how the link was lost; what the host says changes nothing."""
    pieces = (Piece(0, ">", b"hi"), Piece(0.1, "<", b"one"), Piece(0.2, "<", b"two"))
    link = TraceLink(Trace({"nonce": "77"}, pieces, "silent no sound frame for 4.5 s"))
    assert link.nonce == 77
    await link.write(b"something else")
    assert await link.read() == b"one"
    assert await link.read() == b"two"
    for _ in range(2):
        with pytest.raises(LinkLost, match=r"no sound frame for 4\.5 s") as ended:
            await link.read()
        assert ended.value.reason == Loss.SILENT
    await link.close()
