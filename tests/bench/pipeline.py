"""From the bytes of a card on a terminal to an MQTT subscriber: what journal and rules cost, beside a bare bridge.

A red dog table is played at full speed: a shoe in this process, the daemon and mosquitto as processes of their own,
with a journal on the disk. Timed is each card, from its frame written to ``evt/cards/dealt`` received. The bare bridge
gets the same frames at the same pace, and passes each on with aiomqtt at QoS 1: no journal, no rules, no contract.
Both are measured in one run, since a busy machine slows both; aims are ratios.

``PYTHONPATH=. python tests/bench/pipeline.py [ROUNDS]``
"""

import asyncio
import contextlib
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec
from paho.mqtt.client import MQTTMessage
from tablectl_drivers.otdp import wire
from tablectl_drivers.otdp.peer import Peer

from tablectl.cards import Card
from tablectl.devices.contract import Kind, State
from tablectl.devices.pty import PtyLine, open_pty
from tablectl.devices.timers import Timers
from tablectl.events import announcements as say
from tablectl.events.announcements import Announcement, Role
from tablectl.events.readings import ShoeCuttingCardOut
from tests.brokers import Mosquitto, running

ROUNDS, WARM = 300, 20
ROUNDS_A_SHOE = 50
STARTS = 5
BASE = "tablectl/v1/bench/pit1/t01"
BRIDGE, BRIDGED = Path(__file__).with_name("_bridge.py"), "bench/frames"
PAIR = (Card("2h"), Card("3s"))
"""The cards of every round: consecutive ranks push at once (13:69F-6.5(e)), so that a round is two cards."""
TABLE = """\
version = 1
mode = "rehearsal"
[table]
site = "bench"
pit = "pit1"
id = "t01"
positions = 6
[game]
name = "red-dog"
dealing = "shoe"
wagers = "amounts"
cards = {{ community = "exposed" }}
house = "house.toml"
[[device]]
id = "shoe1"
kind = "card-shoe"
driver = "otdp-card-shoe"
url = "serial:{folder}/shoe?baud=115200"
[mqtt]
port = {port}
[journal]
path = "{folder}/journal.db"
"""
HOUSE = Path("tablectl/rehearsal/house/red-dog.base.toml")


class Measured(msgspec.Struct):
    """What one way cost. seconds: of each card; events: that reached the subscriber; span: from first to last."""

    seconds: list[float] = []
    events: int = 0
    span: float = 0.0
    processor: float = 0.0
    resident: float = 0.0
    ready: list[float] = []

    def lines(self) -> dict[str, float]:
        worst = statistics.quantiles(self.seconds, n=100)[98]
        return {
            "p50 ms": 1000 * statistics.median(self.seconds),
            "p99 ms": 1000 * worst,
            "events a second": self.events / self.span,
            "CPU s per 1,000 events": 1000 * self.processor / self.events,
            "resident MB": self.resident,
            "ready s": statistics.median(self.ready),
        }


class Shoe(Peer):
    """A card shoe whose cards are drawn by this program."""

    kinds = (Kind.CARD_SHOE,)
    model = "bench shoe"

    def __init__(self, line: PtyLine) -> None:
        super().__init__("BENCH", Timers(time.monotonic()))
        self.orders = {wire.Unlock: self._unlock, wire.Lock: self._lock}
        self._line = line
        self._unlocked: asyncio.Queue[str] = asyncio.Queue()
        self.state = State.LOCKED
        self.power_up()

    def _unlock(self, order: wire.Unlock) -> wire.Answer:
        self._unlocked.put_nowait(order.command)
        return self.memory.keep(order.command, wire.Result.MOVING)

    def _lock(self, order: wire.Lock) -> wire.Answer:
        return self.memory.keep(order.command, wire.Result.DONE)

    async def listen(self) -> None:
        """Answer the host, for ever; without its heartbeat a driver takes a shoe for dead."""
        while True:
            await self._line.write(self.output())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.2):
                    self.receive(await self._line.read(), time.monotonic())
            self.advance(time.monotonic())

    async def draw(self, card: Card) -> tuple[float, bytes]:
        """Draw the card that is due; return when its frame was written, and the frame."""
        command = await self._unlocked.get()
        self.memory.keep(command, wire.Result.DONE)
        self.happened(wire.CardDrawn(command, card, None), State.LOCKED)
        frame = self.output()
        began = time.perf_counter()
        await self._line.write(frame)
        return began, frame

    async def cut(self) -> None:
        """Let the cutting card come out."""
        self.happened(ShoeCuttingCardOut())
        await self._line.write(self.output())


class Display:
    """The subscriber: counts what it hears, and tells when its library handed over what was waited for; in a queue that
    came behind it, a message would wait for those after it.
    """

    def __init__(self, client: aiomqtt.Client) -> None:
        self._client = client
        client._client.on_message = self._hear
        self.heard = 0
        self._awaited: dict[str, asyncio.Future[float]] = {}
        self._keys = 0

    def _hear(self, _client: object, _data: object, message: MQTTMessage) -> None:
        now, topic = time.perf_counter(), message.topic
        self.heard += topic.startswith((f"{BASE}/evt/", BRIDGED))
        if waiting := self._awaited.pop(topic, None):
            waiting.set_result(now)

    def next(self, topic: str) -> "asyncio.Future[float]":
        """Return the time at which a topic will be heard next."""
        return self._awaited.setdefault(topic, asyncio.get_running_loop().create_future())

    async def say(self, body: Announcement, role: Role = Role.DEALER) -> None:
        """Say something to the table and wait for its reply."""
        self._keys += 1
        data = msgspec.to_builtins(body)
        topic = f"{BASE}/cmd/{role}/{data.pop('type')}"
        command = {"v": 1, "key": f"k{self._keys}", "by": str(role), "data": data, "reply_to": "bench"}
        answered = self.next(f"{BASE}/rsp/bench")
        await self._client.publish(topic, msgspec.json.encode(command), qos=1)
        await answered


@asynccontextmanager
async def displaying(port: int, *topics: str) -> AsyncIterator[Display]:
    nodelay = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=nodelay) as client:
        display = Display(client)
        await client.subscribe([(topic, 1) for topic in topics])
        yield display


@asynccontextmanager
async def started(folder: Path, *command: str, ready: list[float]) -> AsyncIterator[int]:
    """Run a program until left; note the seconds in which it told to be ready, as systemd is told."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service, (folder / "log").open("ab") as log:
        (folder / "notify").unlink(missing_ok=True)
        service.bind(str(folder / "notify"))
        service.settimeout(0)
        environment = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify")}
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=log, stderr=log)
        async with asyncio.timeout(30):
            while await asyncio.get_running_loop().sock_recv(service, 100) != b"READY=1":
                pass
        ready.append(time.perf_counter() - began)
        yield process.pid
        process.terminate()
        await process.wait()


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid: int) -> float:
    (line,) = (line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def measure(
    got: Measured, pid: int, display: Display, rounds: int, play: Callable[[int], Coroutine[Any, Any, None]]
) -> None:
    """Play so many rounds after some that do not count."""
    for number in range(WARM):
        await play(number)
    got.seconds.clear()
    heard, spent, began = display.heard, processor_seconds(pid), time.perf_counter()
    for number in range(WARM, WARM + rounds):
        await play(number)
    got.span = time.perf_counter() - began
    got.processor = processor_seconds(pid) - spent
    got.events = display.heard - heard
    got.resident = resident_megabytes(pid)


# The two ways


def prepared(folder: Path, broker: Mosquitto) -> tuple[str, ...]:
    """Write the files of a table; return the command that runs it."""
    (folder / "house.toml").write_text(HOUSE.read_text())
    (folder / "table.toml").write_text(TABLE.format(folder=folder, port=broker.port))
    return (sys.executable, "-m", "tablectl", "run", str(folder / "table.toml"))


async def table(folder: Path, broker: Mosquitto, rounds: int) -> tuple[Measured, list[bytes]]:
    """Measure the daemon; return also the frames of the cards."""
    got, frames, command = Measured(), list[bytes](), prepared(folder, broker)
    async with AsyncExitStack() as stack:
        shoe = Shoe(line := open_pty(folder / "shoe"))
        listening = asyncio.create_task(shoe.listen())
        topics = (f"{BASE}/evt/#", f"{BASE}/rsp/bench", f"{BASE}/status")
        display = await stack.enter_async_context(displaying(broker.port, *topics))
        online, opened = display.next(f"{BASE}/status"), display.next(f"{BASE}/evt/round/opened")
        pid = await stack.enter_async_context(started(folder, *command, ready=got.ready))
        await online
        await display.say(say.OpenTable(("s04", "d17")), Role.SUPERVISOR)
        await display.say(say.SignOn("d17"))
        await display.say(say.ReceiveDeck("red", "red", say.DeckSource.INSPECTED))
        await load(display)
        await opened

        async def play(number: int) -> None:
            await display.say(say.PlaceWager("1", "original", 2500))
            ended = display.next(f"{BASE}/evt/round/ended")
            for card in PAIR:
                dealt = display.next(f"{BASE}/evt/cards/dealt")
                written, frame = await shoe.draw(card)
                got.seconds.append(await dealt - written)
                frames.append(frame)
            await ended
            if number % ROUNDS_A_SHOE == ROUNDS_A_SHOE - 1:
                await renew(display, shoe)

        await measure(got, pid, display, rounds, play)
        listening.cancel()
        await asyncio.wait([listening])
        await line.close()
    return got, frames


async def load(display: Display) -> None:
    await display.say(say.ConfirmShuffle("red"))
    await display.say(say.LoadDeck("red"))


async def renew(display: Display, shoe: Shoe) -> None:
    """Play the round of the cutting card without counting it, and shuffle."""
    await display.say(say.PlaceWager("1", "original", 2500))
    moved = display.next(f"{BASE}/evt/deck/moved")
    await shoe.cut()
    for card in PAIR:
        await shoe.draw(card)
    await moved
    opened = display.next(f"{BASE}/evt/round/opened")
    await load(display)
    await opened


async def bare(folder: Path, broker: Mosquitto, rounds: int, frames: list[bytes]) -> Measured:
    """Measure the bridge with these frames."""
    got = Measured()
    line = open_pty(folder / "bare")
    command = (sys.executable, str(BRIDGE), str(folder / "bare"), str(broker.port))
    async with displaying(broker.port, BRIDGED) as display, started(folder, *command, ready=got.ready) as pid:

        async def play(number: int) -> None:
            for frame in frames[2 * number : 2 * number + 2]:
                heard, written = display.next(BRIDGED), time.perf_counter()
                await line.write(frame)
                got.seconds.append(await heard - written)

        await measure(got, pid, display, rounds, play)
    await line.close()
    return got


# The figures


def fsync_seconds(folder: Path) -> float:
    """Return the median of appending a commit's bytes to a file and having them on the disk."""
    seconds = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(200):
            began = time.perf_counter()
            file.write(bytes(2048))
            os.fsync(file.fileno())
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


async def starts(folder: Path, got: Measured, *command: str) -> None:
    """Start again, by a record that holds all the rounds; the first start of all had none."""
    for _ in range(STARTS):
        async with started(folder, *command, ready=got.ready):
            pass


async def compare(folder: Path, rounds: int) -> None:
    # A program that ended would be waited for without end.
    async with asyncio.timeout(60 + rounds), running(folder) as broker:
        ours, frames = await table(folder, broker, rounds)
        theirs = await bare(folder, broker, rounds, frames)
        await starts(folder, ours, *prepared(folder, broker))
    show(ours.lines(), theirs.lines(), 1000 * fsync_seconds(folder))


def show(ours: dict[str, float], theirs: dict[str, float], fsync: float) -> None:
    aims = {
        "p50 ms": 2 * theirs["p50 ms"] + fsync,
        "CPU s per 1,000 events": 3 * theirs["CPU s per 1,000 events"],
        "resident MB": 70,
        "ready s": 1.5,
    }
    print(f"{'':24}{'tablectl':>10}{'bridge':>10}{'ratio':>8}{'aim':>10}")  # noqa: T201
    for figure, value in ours.items():
        aim = f"{aims[figure]:10.3f}" if figure in aims else ""
        print(f"{figure:24}{value:10.3f}{theirs[figure]:10.3f}{value / theirs[figure]:8.2f}{aim}")  # noqa: T201
    print(f"one fsync of 2 kB: {fsync:.3f} ms")  # noqa: T201


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a program that is used starts from byte code
    Path("build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=Path("build").absolute()) as folder:  # /tmp may be no disk
        asyncio.run(compare(Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))


if __name__ == "__main__":
    main()
