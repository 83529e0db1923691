"""Rounds on bad lines while the daemon's process is killed under them: `make soak`."""

import asyncio
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tablectl.devices.bench import run
from tablectl.devices.pty import open_pty
from tablectl.events.announcements import EndDoubt, Role, VoidRound
from tablectl.events.facts import CommandEnded, Fact, RoundEnded, RoundOpened, StackDue, StubDue
from tablectl.events.readings import DeviceEventsLost, ShoeStackDispensed, ShoeStubReleased
from tablectl.journal import Reader
from tablectl.publisher.payloads import Envelope
from tablectl.rehearsal import Plan
from tablectl.rehearsal.plan import STUB, port, serial
from tablectl.replay import Replayed, replay
from tests.brokers import running
from tests.drivers.tables import make
from tests.system.harness import Floor, floor

SHOE, GATE = "stack-shoe", "stack-shoe.gate"
SPEED = "20"
LINE = {"drop": "0.2", "duplicate": "0.1", "reorder": "0.05"}
TROUBLE = {"reset": 0.03, "SIGKILL": 0.008, "SIGTERM": 0.002}
"""How probably each befalls the shoe, or the daemon, while a command is carried out."""
ENDED = {"SIGKILL": (-signal.SIGKILL,), "SIGTERM": (0, -signal.SIGTERM)}
"""How the daemon has ended then; one that has only begun to start knows no better end at SIGTERM."""
TROUBLE_IN = 0.6
"""Seconds after a command became due in which its trouble comes: about as long as it takes on such a line."""
STALLED = 180
"""Seconds in which a round must end."""
TABLES, ROUNDS = 32, 313


class People:
    """Who keeps one table going: its daemon ends and its shoe is reset at moments that a seed chooses, and people count
    what nobody can tell.
    """

    def __init__(self, table: Floor, seed: int) -> None:
        self.table = table
        self.happened: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._due: dict[str, StackDue | StubDue] = {}
        self._ordered: asyncio.Queue[str] = asyncio.Queue()
        self._doubts: asyncio.Queue[StackDue | StubDue] = asyncio.Queue()
        self._calm = asyncio.Lock()
        table.line.on_event(self._hear)

    def _hear(self, _: Envelope, happened: Fact) -> None:
        match happened:
            case RoundOpened():
                self.table.line.forget()
            case RoundEnded():
                self.happened["rounds"] += 1
            case StackDue(command=command) | StubDue(command=command):
                self._due[command] = happened
                self._ordered.put_nowait(command)
            case CommandEnded(command=command, outcome=outcome):
                self.happened[outcome] += 1
                due = self._due.pop(command, None)
                if due and outcome == "unknown":
                    self._doubts.put_nowait(due)

    def played_more(self, rounds: int) -> bool:
        """Tell whether more than so many rounds were played."""
        return self.happened["rounds"] > rounds

    async def make_trouble(self) -> None:
        """Keep a daemon; while a command is carried out, kill or stop it now and then, or reset the shoe."""
        self.daemon = await self.table.daemon()
        while await self._ordered.get():
            await asyncio.sleep(self._chance.uniform(0, TROUBLE_IN))
            async with self._calm:
                for what, probability in TROUBLE.items():
                    if self._chance.random() < probability:
                        await self._befall(what)

    async def _befall(self, what: str) -> None:
        self.happened[what] += 1
        if what == "reset":
            await self.table.guest.act(SHOE, what)
            return
        assert self.daemon.process.returncode is None, self.daemon.log()
        self.daemon.process.send_signal(signal.Signals[what])
        assert await self.daemon.ended() in ENDED[what], self.daemon.log()
        self.daemon = await self.table.daemon()

    async def end_doubts(self) -> None:
        """Count what came out; a part of a stack voids the round."""
        while True:
            due = await self._doubts.get()
            size = due.size if isinstance(due, StackDue) else due.left
            out = await self._come_out(due)
            ended = EndDoubt(due.command, done=out == size, counted_by=("dealer", "supervisor"))
            ruling = ended if out in (0, size) else VoidRound("a part of a stack came out")
            self.happened[ruling.name()] += await self.table.line.say(ruling, Role.SUPERVISOR)

    async def _come_out(self, due: StackDue | StubDue) -> int:
        """Carry what came out to where it belongs, and count it; what is left of a stub is taken out by hand."""
        guest = self.table.guest
        lying = len((await guest.look(GATE)).cards)
        if isinstance(due, StackDue):
            if lying == due.size:
                await guest.move(GATE, due.hand)
            return lying
        if lying:
            await guest.move(GATE, STUB)
        if not (await guest.look(STUB)).cards:
            return 0
        if (await guest.look(SHOE)).cards:
            await guest.move(SHOE, STUB)
        return due.left

    async def finish(self, shoe: Any) -> None:
        """Let the table finish undisturbed, and stop it when its record holds all that its shoe has said."""
        await self._calm.acquire()
        await self.table.finish()
        while shoe.memory.acknowledged < shoe.memory.last:  # noqa: ASYNC110 - a double tells nobody
            await asyncio.sleep(0.1)
        assert await self.daemon.stop() == 0, self.daemon.log()


@asynccontextmanager
async def table(folder: Path, seed: int) -> AsyncIterator[tuple[People, Any]]:
    """Put up a table with a broker of its own, and a shoe on a bad line whose motor can be watched."""
    plan = Plan(variant="bonus-hand", speed=float("inf"), seed=seed)
    async with running(folder) as broker, floor(plan, folder, broker.port, devices=()) as there:
        where = {"world": str(folder / "world"), "serial": serial(SHOE), "seed": str(seed), "speed": SPEED}
        shoe, options = make(SHOE, **where, **LINE)
        wire = open_pty(port(folder, SHOE))
        people = People(there, seed)
        for work in (run(shoe, wire, options), there.supervisor.work(), people.make_trouble(), people.end_doubts()):
            there.background(work)
        yield people, shoe
    await wire.close()


async def play(folder: Path, seed: int, rounds: int) -> Counter[str]:
    """Play rounds at one table, prove what is on record, and return the figures."""
    async with table(folder, seed) as (people, shoe):
        there = people.table
        await there.until(lambda: there.line.online, STALLED)
        await there.open()
        there.play()
        try:
            while (played := people.happened["rounds"]) < rounds:
                await there.until(partial(people.played_more, played), STALLED)
            await people.finish(shoe)
        except (AssertionError, TimeoutError) as broken:
            story = f"seed {seed}, {dict(people.happened)}, daemon {people.daemon.process.returncode}"
            raise AssertionError(f"{story}\n{people.daemon.log()}") from broken
        people.happened["strokes"] = shoe.strokes
        people.happened["completed"] = prove(there, shoe.strokes, f"seed {seed}, {dict(people.happened)}")
        return people.happened


def prove(there: Floor, strokes: int, figures: str) -> int:
    """Return how many commands the shoe completed: each once, for one stroke of its motor."""
    with Reader(there.journal) as reader:
        reader.verify()
        said = [entry.said for entry in reader.entries()]
    bodies = [each.body for each in said]
    done = Counter(body.command for body in bodies if isinstance(body, ShoeStackDispensed | ShoeStubReleased))

    assert strokes == len(done), figures
    assert set(done.values()) == {1}, figures
    assert not any(isinstance(body, DeviceEventsLost) for body in bodies), figures
    assert [each.number for each in said if each.number] == list(range(1, 1 + sum(each.number > 0 for each in said)))
    assert isinstance(replay(there.journal), Replayed), figures
    assert Counter(card for pile in there.world.piles().values() for card in pile) == Counter(
        card for pile in there.plan.piles().values() for card in pile
    )
    return len(done)


@pytest.mark.soak
async def test_strokes_are_commands_however_often_the_daemon_is_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fifth of the frames lost, a tenth doubled, some late, 3 % of commands under a reset of the shoe, 1 % under the
    end of the daemon's process: the motor ran once for each command on record as done, and for no other.
    """
    folders = [tmp_path / str(number) for number in range(TABLES)]
    for folder in folders:
        folder.mkdir()
    async with asyncio.TaskGroup() as tasks:
        playing = [tasks.create_task(play(folder, seed, ROUNDS)) for seed, folder in enumerate(folders, 1)]
    figures = sum((each.result() for each in playing), Counter())
    with capsys.disabled():
        print(f"\n{dict(figures)}")  # noqa: T201 - what `make soak` is for
