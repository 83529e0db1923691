"""A whole table for tests: broker, world, doubles and people stay, while the daemon and single devices come and go."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import aiomqtt
import msgspec
from msgspec.structs import replace

from tablectl.cards import Card
from tablectl.config import load
from tablectl.daemon import Controller
from tablectl.daemon.process import started
from tablectl.devices.world import World
from tablectl.devices.world_socket import WorldClient, enter, serve
from tablectl.dice import Roll
from tablectl.events.announcements import Announcement, CloseTable, Role
from tablectl.events.facts import (
    CardsDealt,
    CardsDiscarded,
    Fact,
    Place,
    RoundHandSplit,
    RoundOpened,
    RoundStepAwaited,
    ShuffleDue,
    WagerPlaced,
)
from tablectl.publisher import Address
from tablectl.publisher.payloads import Command, Envelope, Reply
from tablectl.publisher.topics import Topics
from tablectl.rehearsal.chores import Chores
from tablectl.rehearsal.dealer import STEPS, Dealer
from tablectl.rehearsal.line import Line
from tablectl.rehearsal.plan import STUB, TABLE, Plan, port, serial
from tablectl.rehearsal.players import Players
from tablectl.rehearsal.supervisor import Supervisor

BASE = f"tablectl/v1/{TABLE}"
ASK_AGAIN = 0.3
"""Seconds after which a command that nobody answered is said again."""

SPEEDS = MappingProxyType({"shuffler": "200"})
"""Of devices that are not as fast as can be. A shuffler that takes no time may shuffle before it has noticed that
people took one deck out and put another in.
"""

F = TypeVar("F", bound=Fact)


class Program:
    """A process of ours, which writes into a log. It runs in a folder of its own, which it should leave empty."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self.process = process
        self._log = log

    @classmethod
    async def start(cls, folder: Path, name: str, *command: str, **environment: str) -> "Program":
        log, empty = folder / f"{name}.log", folder / "empty"
        empty.mkdir(exist_ok=True)
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=empty,
                env={**os.environ, **environment},
            )
        return cls(process, log)

    def log(self) -> str:
        return self._log.read_text()

    def children(self) -> list[str]:
        return Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()

    async def ended(self, seconds: float = 20) -> int:
        async with asyncio.timeout(seconds):
            return await self.process.wait()

    async def stop(self, seconds: float = 20) -> int:
        """Ask it to end, and return its status."""
        self.process.terminate()
        return await self.ended(seconds)

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


async def tablectl(folder: Path, name: str, *words: str, **environment: str) -> Program:
    return await Program.start(folder, name, sys.executable, "-m", "tablectl", *words, **environment)


class Witness(World):
    """A world that remembers what was done in it.

    motions: from where, to where, how many cards, and whether a device did it. shuffled: places. rolled: how often.
    """

    def __init__(self, piles: dict[str, tuple[Card, ...]]) -> None:
        super().__init__(piles)
        self.motions: list[tuple[str, str, int, bool]] = []
        self.shuffled: list[str] = []
        self.rolled = 0

    def move(self, source: str, to: str, count: int | None = None, *, owner: bool = False) -> tuple[Card, ...]:
        cards = super().move(source, to, count, owner=owner)
        self.motions.append((source, to, len(cards), owner))
        return cards

    def arrange(self, place: str, cards: Iterable[Card]) -> None:
        super().arrange(place, cards)
        self.shuffled.append(place)

    def show(self, place: str, roll: Roll) -> None:
        super().show(place, roll)
        self.rolled += 1


class PersistentLine(Line):
    """Says everything again, under the same key, until it is answered; keeps every event and reply as it came.

    states: how many were told; copies: how often each command is sent each time.
    """

    def __init__(self, client: aiomqtt.Client, topics: Topics) -> None:
        super().__init__(client, topics)
        self.told: list[Envelope] = []
        self.facts: list[Fact] = []
        self.replies: list[Reply] = []
        self.states = 0
        self.copies = 1
        self.on_event(lambda _, happened: self.facts.append(happened))

    async def say(self, body: Announcement, role: Role = Role.DEALER) -> bool:
        key = f"{self._name}-{next(self._keys)}"
        data = msgspec.to_builtins(body)
        topic = f"{self._topics.base}/cmd/{role}/{data.pop('type')}"
        command = msgspec.json.encode(Command(v=1, key=key, by=str(role), data=data, reply_to=self._name))
        answer = self._replies[key] = asyncio.get_running_loop().create_future()
        while not answer.done():
            for _ in range(self.copies):
                await self._client.publish(topic, command, qos=1)
            await asyncio.wait([answer], timeout=ASK_AGAIN)
        reply = self._replies.pop(key).result()
        await self.until(lambda: self.at_seq >= reply.seq)
        if reply.error:
            self.refused.append((body, reply.error))
        return reply.ok

    def forget(self) -> None:
        """Forget what was told and answered so far, in a play that is too long to remember."""
        for kept in (self.told, self.facts, self.replies):
            kept.clear()

    def found(self, kind: type[F]) -> list[F]:
        """Return every fact of a kind that was heard, each once."""
        return [happened for happened in self.facts if isinstance(happened, kind)]

    def _take(self, topic: str, payload: bytes) -> None:
        if topic == self._topics.reply(self._name):
            reply = msgspec.json.decode(payload, type=Reply)
            self.replies.append(reply)
            if reply.key not in self._replies or self._replies[reply.key].done():
                return  # the answer to an earlier asking
        elif topic.startswith(self._topics.event("")):
            self.told.append(msgspec.json.decode(payload, type=Envelope))
        self.states += topic == self._topics.state
        super()._take(topic, payload)


class CarefulChores(Chores):
    """Puts no deck into the shuffler that was put there for the same command: after a restart it is told again."""

    def __init__(self, plan: Plan, line: Line, world: WorldClient) -> None:
        super().__init__(plan, line, world)
        self._fed: set[str] = set()

    def _hear(self, told: Envelope, happened: Fact) -> None:
        if isinstance(happened, ShuffleDue):
            if happened.command in self._fed:
                return
            self._fed.add(happened.command)
        super()._hear(told, happened)


class CarefulDealer(Dealer):
    """Looks at the layout before moving a card or asking for wagers: after a restart the table may ask for what was
    done already. Whatever lies there and was not told yet will be told; and once a card is told, what was awaited
    before it is so no longer.
    """

    def __init__(self, plan: Plan, line: Line, world: WorldClient, chores: Chores, players: Players) -> None:
        self._told: Counter[str] = Counter()
        self._wagered: set[str] = set()
        self._asked: RoundStepAwaited | None = None
        super().__init__(plan, line, world, chores, players)

    def _hear(self, told: Envelope, happened: Fact) -> None:
        super()._hear(told, happened)
        match happened:
            case RoundOpened():
                self._told.clear()
                self._wagered.clear()
            case WagerPlaced(hand=hand):
                self._wagered.add(hand)
            case RoundStepAwaited():
                self._asked = happened
            case CardsDealt(hand=hand, cards=cards):
                self._told[hand] += len(cards)
                self._asked = None
            case CardsDiscarded(hand=hand):
                del self._told[hand]
                self._asked = None
            case RoundHandSplit(hand=hand, into=into):
                self._told |= dict.fromkeys(into, 1)
                self._told[hand] = hand in into

    async def work(self) -> None:
        done = 0
        while True:
            done, self._awaited = await self._line.step(after=done)
            awaited = self._awaited
            if awaited.verb == "confirm-dealt":
                awaited = replace(awaited, hands=await self._not_dealt(awaited.hands))
            if awaited.step not in ("deal", "turn") or awaited.verb == "confirm-dealt" or await self._is_due(awaited):
                await STEPS[awaited.step, awaited.verb](self, awaited)

    async def _wagers(self, awaited: RoundStepAwaited) -> list[str]:
        if self._wagered:
            await self._chores.done()
            return sorted(self._wagered)
        return await super()._wagers(awaited)

    async def _draw(self, hand: str) -> None:
        if await self._lacks(hand):
            await super()._draw(hand)

    async def _not_dealt(self, hands: Iterable[str]) -> tuple[str, ...]:
        """Return the hands to which nothing was dealt that is not told yet."""
        return tuple([hand for hand in hands if await self._lying(hand) <= self._told[hand]])

    async def _is_due(self, awaited: RoundStepAwaited) -> bool:
        """Tell whether a card may be moved to the hand; out of a gate, whether what is in it is still to be carried."""
        lying = await self._lying(awaited.hand)
        if awaited.hand == STUB:
            return lying == 0
        if self._plan.setup.shoe == "card-shoe":
            return await self._lacks(awaited.hand)
        return lying < self._told[awaited.hand]

    async def _lacks(self, hand: str) -> bool:
        """Tell whether the card that is awaited was not drawn yet."""
        return await self._lying(hand) == self._told[hand] and self._asked is self._awaited

    async def _lying(self, hand: str) -> int:
        return len(await self._look(hand))


class Floor:
    """One table and its people. folder: of its files; line: what is heard and said; guest: moves cards by hand."""

    def __init__(self, plan: Plan, folder: Path, line: PersistentLine, world: Witness, guest: WorldClient) -> None:
        self.plan, self.folder, self.line, self.world, self.guest = plan, folder, line, world, guest
        self.table_file = folder / "table.toml"
        self.journal = folder / "journal.db"
        self.chores = CarefulChores(plan, line, guest)
        self.dealer = CarefulDealer(plan, line, guest, self.chores, Players(plan, line, guest))
        self.supervisor = Supervisor(plan, line)
        self.doubles: dict[str, Program] = {}
        self._programs: list[Program] = []
        self._background: list[asyncio.Task[None]] = []
        self._playing: asyncio.Task[None] | None = None

    # What runs

    async def daemon(self, file: Path | None = None, *, kill_at: int = 0, **environment: str) -> Program:
        """Start the daemon; kill_at: the write point of its journal at which it kills itself."""
        if kill_at:
            environment["TABLECTL_KILL_AT_WRITE"] = str(kill_at)
        file = file or self.table_file
        return await self._start(f"run-{file.stem}-{len(self._programs)}", "run", str(file), **environment)

    async def double(self, kind: str, speed: str = "max", number: str = "") -> Program:
        """Start a device. number: its serial number, that of the table file if left out."""
        deck = self.plan.terms.composition
        where = ("--pty", str(port(self.folder, kind)), "--world", str(self.folder / "world"))
        what = ("--deck", f"{deck.decks}x{deck.size // deck.decks}", "--speed", speed)
        who = ("--serial", number or serial(kind))
        options = [word for option in self.plan.setup.options.get(kind, ()) for word in ("--set", option)]
        name = f"{kind}-{len(self._programs)}"
        self.doubles[kind] = await self._start(name, "double", kind, *where, *what, *who, *options)
        return self.doubles[kind]

    async def unplug(self, kind: str) -> None:
        """Take a device away, and its port, as udev does: another device may have the number of the port by then."""
        await self.doubles[kind].kill()
        port(self.folder, kind).unlink(missing_ok=True)

    async def _start(self, name: str, *words: str, **environment: str) -> Program:
        program = await tablectl(self.folder, name, *words, **environment)
        self._programs.append(program)
        return program

    def background(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done until the end; if it fails, whoever waits at this table fails with it."""
        self._background.append(asyncio.create_task(work))

    def listen(self, line: PersistentLine) -> None:
        """Hear the table on a line of one's own, because the one before has ended."""
        self._background = [asyncio.create_task(line.listen())]

    async def close(self) -> None:
        for task in self._background:
            task.cancel()
        if self._background:
            await asyncio.wait(self._background)
        for program in reversed(self._programs):
            await program.kill()

    # Who plays

    async def open(self) -> None:
        """Have the chores done from now on, and open the table."""
        self.background(self.chores.work())
        await self.supervisor.open()
        await self.dealer.open()

    def play(self) -> None:
        """Let the dealer and the players work until somebody stops them."""
        self._playing = asyncio.create_task(self.dealer.work())
        self._background.append(self._playing)

    def pause(self) -> None:
        """Let the dealer and the players stop wherever they are."""
        if self._playing:
            self._background.remove(self._playing)
            self._playing.cancel()

    async def play_until(self, kind: type[Fact], count: int = 1) -> None:
        """Open the table and play until so many facts of a kind were told."""
        await self.until(lambda: self.line.online)
        await self.open()
        self.play()
        await self.until_told(kind, count)
        self.pause()

    async def finish(self) -> None:
        """Close the table, play the round to its end, and wait until every deck is ready for the next one."""
        await self.line.say(CloseTable("the test ends"), Role.SUPERVISOR)
        await self.until(lambda: self.line.awaited and self.line.awaited.prompt == "The table is closed.")
        await self.until(self._is_tidy)
        await self.chores.done()

    def _is_tidy(self) -> bool:
        state = self.line.state
        return state.at_seq >= self.line.at_seq and all(deck.place in (Place.READY, Place.SHOE) for deck in state.decks)

    # What is waited for

    async def until(self, true: Callable[[], Any], seconds: float = 30) -> None:
        """Wait until what is heard makes it true."""
        await self.unless_failed(self.line.until(true), seconds)

    async def until_told(self, kind: type[Fact], count: int = 1) -> None:
        """Wait until so many facts of a kind were told since the beginning."""
        await self.until(lambda: len(self.line.found(kind)) >= count)

    async def unless_failed(self, work: Coroutine[Any, Any, Any], seconds: float = 30) -> Any:
        """Do something that may wait, but not longer than the table works."""
        task = asyncio.create_task(work)
        try:
            await asyncio.wait([task, *self._background], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            for broken in self._background:
                if broken.done():
                    broken.result()
            assert task.done(), f"in {seconds} s nothing came of it; awaited is {self.line.awaited}"
            return task.result()
        finally:
            task.cancel()


def behind_usb(table: Floor) -> str:
    """Have the daemon find the shoe behind pyusb, on a bus in its own process; returns the URL."""
    shoe = table.plan.setup.devices[0]
    url = f"usb:double:{shoe}?deck=6x52&speed=max&serial={serial(shoe)}&world={table.folder / 'world'}"
    text = table.table_file.read_text()
    table.table_file.write_text(text.replace(f"serial:{port(table.folder, shoe)}?baud=115200", url))
    return url


@asynccontextmanager
async def hearing(broker: int) -> AsyncIterator[PersistentLine]:
    """Hear and say at a broker's port."""
    client = aiomqtt.Client("127.0.0.1", broker, protocol=aiomqtt.ProtocolVersion.V5, timeout=30)
    async with client:
        line = PersistentLine(client, Topics(TABLE))
        await line.subscribe()
        yield line


@asynccontextmanager
async def controlled(file: Path) -> AsyncIterator[Controller]:
    """Run the daemon of a table file in this process, for what cannot be done to another."""
    configured, settings = load(file)
    async with started(configured, settings) as controller:
        stopping = asyncio.Event()
        running = asyncio.create_task(controller.run(stopping))
        try:
            yield controller
        finally:
            stopping.set()
            await running


@asynccontextmanager
async def floor(  # noqa: PLR0913 - each is given by few tests, and by its name
    plan: Plan,
    folder: Path,
    broker: int,
    *,
    by: int = 0,
    devices: Iterable[str] | None = None,
    speeds: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[Floor]:
    """Put up a table but for its daemon. broker: the port for people; by: the daemon's, where it is another; devices:
    that have a process each, all where it is None; speeds: of devices that are to take their time.
    """
    async with AsyncExitStack() as stack:
        line = await stack.enter_async_context(hearing(broker))
        world = Witness(plan.piles())
        await stack.enter_async_context(serve(world, folder / "world"))
        guest = await stack.enter_async_context(enter(folder / "world"))
        (folder / "house.toml").write_text(plan.house)
        (folder / "table.toml").write_text(plan.table_file(Address(port=by or broker), folder))
        table = Floor(plan, folder, line, world, guest)
        stack.push_async_callback(table.close)
        for kind in plan.setup.devices if devices is None else devices:
            await table.double(kind, (SPEEDS | speeds).get(kind, "max"))
        table.background(line.listen())
        yield table
