"""A rehearsal from end to end: the table is put up, played at, and taken down."""

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from tablectl.devices.world import World
from tablectl.devices.world_socket import enter, serve
from tablectl.errors import TablectlError
from tablectl.publisher import Address
from tablectl.rehearsal.broker import LOOPBACK, broker, free_port, opened
from tablectl.rehearsal.children import Children, Fallen
from tablectl.rehearsal.chores import Chores
from tablectl.rehearsal.dealer import Dealer
from tablectl.rehearsal.line import Line, hear
from tablectl.rehearsal.plan import TABLE, Plan, port, serial
from tablectl.rehearsal.players import Players
from tablectl.rehearsal.supervisor import Supervisor
from tablectl.rehearsal.tally import Tally
from tablectl.rehearsal.technician import Technician

PIT_PORT = 8080
LAST_WORDS = 1.0
"""Seconds in which a process that broke down has ended."""
STALLED = 120.0
"""Seconds, at the pace of life, in which something happens at a table that is played at."""


class Stalled(TablectlError):  # noqa: N818 - what happened
    """Nothing happens any more."""


class Stage(msgspec.Struct, frozen=True):
    """What an audience sees. broker: its address; page: of the pit display, empty without one."""

    plan: Plan
    line: Line
    tally: Tally
    broker: str
    page: str = ""


Audience = Callable[[Stage], Coroutine[Any, Any, None]]


async def rehearse(plan: Plan, audience: Audience) -> Tally:
    """Rehearse until the rounds are played, or SIGINT or SIGTERM comes, before an audience that watches all the while.

    Raises:
        ConfigError: the rehearsal cannot be put up.
        Fallen: one of its processes broke down.
        Stalled: nothing happens any more.
    """
    stopping = asyncio.Event()
    for stop in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop, stopping.set)
    with TemporaryDirectory(prefix="tablectl-") as folder, _logged(Path(folder, "rehearsal.log")):
        return await _play(plan, Path(folder), audience, stopping)


@contextmanager
def _logged(log: Path) -> Iterator[None]:
    """Keep what libraries say of a broken line off the screen: what broke down is told once, by us."""
    handler = logging.FileHandler(log, encoding="utf-8")
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()


async def _play(plan: Plan, folder: Path, audience: Audience, stopping: asyncio.Event) -> Tally:
    async with AsyncExitStack() as stack:
        # Left in the opposite order: the table says goodbye while there are devices and a broker.
        await stack.enter_async_context(serve(World(plan.piles()), folder / "world"))
        services = await stack.enter_async_context(Children(folder))
        address = await stack.enter_async_context(broker(plan.broker, folder, services))
        children = await stack.enter_async_context(Children(folder))
        line = await stack.enter_async_context(hear(address, TABLE))
        world = await stack.enter_async_context(enter(folder / "world"))
        tally = Tally(line)
        page = await _put_up(plan, folder, children, address)
        chores = Chores(plan, line, world)
        dealer = Dealer(plan, line, world, chores, Players(plan, line, world))
        supervisor = Supervisor(plan, line)
        technician = Technician(plan, line, world) if plan.tests else None
        stage = Stage(plan, line, tally, f"{address.host}:{address.port}", page)
        work: list[Coroutine[Any, Any, None]] = [
            *(child.watch() for child in (*services.all, *children.all)),
            line.listen(),
            chores.work(),
            _people(line, technician, dealer, supervisor),
            audience(stage),
            _watchdog(plan, line),
        ]
        await _until_over(work, stopping, line, lambda: plan.rounds is not None and tally.rounds >= plan.rounds)
        return tally


async def _put_up(plan: Plan, folder: Path, children: Children, address: Address) -> str:
    """Start the doubles, the table and the pit display; return the address of its page."""
    (folder / "house.toml").write_text(plan.house, encoding="utf-8")
    table = folder / "table.toml"
    table.write_text(plan.table_file(address, folder), encoding="utf-8")
    for kind in plan.setup.devices:
        await children.tablectl(kind, *_double(plan, folder, kind))
    await children.tablectl("table", "run", str(table))
    if not plan.pit:
        return ""
    pit_port = free_port(PIT_PORT)
    listen = f"{LOOPBACK}:{pit_port}"
    site, pit, _ = TABLE.split("/")
    at = ("--broker", f"{address.host}:{address.port}", "--protocol", address.protocol, "--listen", listen)
    await opened(await children.tablectl("pit", "pit", "--site", site, "--pit", pit, *at), LOOPBACK, pit_port)
    return f"http://{listen}/"


def _double(plan: Plan, folder: Path, kind: str) -> tuple[str, ...]:
    """Return the command that runs one double."""
    setup, speed = plan.setup, "max" if plan.speed == float("inf") else str(plan.speed)
    trouble = setup.trouble.get(kind, ()) if plan.rounds is None else ()
    options = [word for option in (*setup.options.get(kind, ()), *trouble) for word in ("--set", option)]
    deck = plan.terms.composition
    where = ("--pty", str(port(folder, kind)), "--world", str(folder / "world"))
    what = ("--deck", f"{deck.decks}x{deck.size // deck.decks}")
    return (
        "double",
        kind,
        *where,
        *what,
        "--seed",
        str(plan.seed),
        "--serial",
        serial(kind),
        "--speed",
        speed,
        *options,
    )


async def _people(line: Line, technician: Technician | None, dealer: Dealer, supervisor: Supervisor) -> None:
    """Come to the table when it answers, open it and play."""
    await line.until(lambda: line.online)
    if technician:
        await technician.work()
    await supervisor.open()
    await dealer.open()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(dealer.work(), name="dealer")
        tasks.create_task(supervisor.work(), name="supervisor")


async def _watchdog(plan: Plan, line: Line) -> None:
    """Watch that something happens.

    Raises:
        Stalled: nothing does.
    """
    patience = STALLED / min(plan.speed, 4.0)
    while True:
        before = line.at_seq
        try:
            async with asyncio.timeout(patience):
                await line.until(lambda: line.at_seq > before)  # noqa: B023 - awaited in this turn of the loop
        except TimeoutError:
            awaited = line.awaited
            asked = f"{awaited.prompt} ({awaited.clause})" if awaited else "nothing yet"
            raise Stalled(f"nothing has happened for {patience:g} s; awaited was: {asked}") from None


async def _until_over(
    work: list[Coroutine[Any, Any, None]], stopping: asyncio.Event, line: Line, over: Callable[[], bool]
) -> None:
    """Do all this until one of it fails, all rounds are over, or somebody stops it."""
    tasks = {asyncio.ensure_future(each) for each in work}
    ends = {asyncio.ensure_future(stopping.wait()), asyncio.ensure_future(line.until(over))}
    try:
        done, _ = await asyncio.wait(tasks | ends, return_when=asyncio.FIRST_COMPLETED)
        if not done & ends:
            # A process that falls takes its connections along: its own word comes last, and says most.
            await asyncio.wait(tasks - done, timeout=LAST_WORDS)
    finally:
        for task in tasks | ends:
            task.cancel()
        await asyncio.wait(tasks | ends)
    failed = [error for task in tasks if not task.cancelled() and (error := task.exception())]
    if failed:
        raise min(failed, key=lambda error: not isinstance(error, Fallen))
