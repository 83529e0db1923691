"""Whoever listens is away, slow or blocked for a while: devices go on, the record waits, and memory does not grow."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal import Record
from tablectl.rehearsal import Plan
from tests.brokers import Mosquitto, Proxy, proxied, running
from tests.system.harness import BASE, Floor, Program, floor
from tests.system.test_mosquitto_samples import SAMPLES

QUEUE = next(line for line in (SAMPLES / "tablectl.conf").read_text().splitlines() if line.startswith("max_queued"))
"""What a table's own broker holds for who listens more slowly than an outage is told afterwards."""
Trouble = Callable[[Proxy, float], Coroutine[Any, Any, None]]
PACE = 0.02
"""Seconds between two readings of the device: some hundred facts a second."""
STATE_PACE = 0.1
"""Seconds between two states: of those in between nobody is told."""
GROWTH = 8.0
"""Megabytes: less than what a minute of facts takes as text."""
KEPT = 0.0005
"""Megabytes for a fact of the open round, which is kept until its end so that it can be undone."""


@pytest.fixture
async def mosquitto(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with running(tmp_path, QUEUE) as broker:
        yield broker


async def away(proxy: Proxy, seconds: float) -> None:
    """Answer nothing, and take no new connection's word either."""
    proxy.hold()
    proxy.cut()
    await asyncio.sleep(seconds)


async def slow(proxy: Proxy, seconds: float) -> None:
    """Pass on what comes for a moment in each second: fewer events than there are."""
    for _ in range(round(seconds)):
        proxy.hold()
        await asyncio.sleep(0.98)
        proxy.resume()
        await asyncio.sleep(0.02)
    proxy.hold()


async def blocked(proxy: Proxy, seconds: float) -> None:
    """Leave the broker alone, and let a display listen to it that reads nothing any more."""
    display = await asyncio.create_subprocess_exec(
        "mosquitto_sub", "-p", str(proxy.target), "-q", "1", "-t", f"{BASE}/#", stdout=asyncio.subprocess.DEVNULL
    )
    display.send_signal(signal.SIGSTOP)
    await asyncio.sleep(seconds)
    display.kill()
    await display.wait()


def resident_megabytes(daemon: Program) -> float:
    status = Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines()
    (line,) = (line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def open_and_close(table: Floor, enough: asyncio.Event) -> None:
    """Have a device say something, until it is enough."""
    while not enough.is_set():
        for act in ("open-door", "close-door"):
            await table.guest.act("card-shoe", act)
            await asyncio.sleep(PACE)
    await asyncio.Event().wait()


async def endure(folder: Path, broker: Mosquitto, trouble: Trouble, warm: int, seconds: float) -> str:
    """Let the broker be in trouble for so long, after so many facts, and prove what was heard and kept; return figures,
    in words.
    """
    plan = Plan("red-dog", speed=float("inf"))
    async with proxied(broker.port) as proxy, floor(plan, folder, broker.port, by=proxy.port) as table:
        daemon = await table.daemon()
        await table.until(lambda: table.line.online and table.line.health)
        enough = asyncio.Event()
        table.background(open_and_close(table, enough))
        await table.until(lambda: table.line.at_seq > warm, 120)
        before, begun, states = resident_megabytes(daemon), table.line.at_seq, table.line.states
        clock = asyncio.get_running_loop().time
        began = clock()
        await table.unless_failed(trouble(proxy, seconds), seconds + 60)
        grown = resident_megabytes(daemon) - before
        heard, told = table.line.at_seq, len(table.line.told)
        proxy.resume()
        await table.until(lambda: table.line.at_seq > heard and table.line.online, 60)
        enough.set()
        await table.until(lambda: table.line.at_seq >= table.line.state.at_seq > heard, 600)
        assert await daemon.stop() == 0, daemon.log()
        with Record(table.journal) as record:
            head = record.head().seq
        await table.until(lambda: table.line.at_seq >= head, 120)
        assert table.line.states - states <= (clock() - began) / STATE_PACE + 2

    numbers = [envelope.seq for envelope in table.line.told]
    assert list(dict.fromkeys(numbers)) == list(range(1, head + 1))
    assert len(numbers) - told >= head - heard
    figures = f"{grown:.1f} MB more after {head - begun} facts"
    assert grown < GROWTH + KEPT * (head - begun), figures
    return figures


@pytest.mark.parametrize("trouble", [away, slow])
async def test_a_broker_in_trouble_costs_no_event_and_no_memory(
    tmp_path: Path, mosquitto: Mosquitto, trouble: Trouble
) -> None:
    """What happened while the broker was away, or too slow for it, is told afterwards: all of it, in order; but only
    the last of the states.
    """
    await endure(tmp_path, mosquitto, trouble, 50, 2)


@pytest.mark.soak
@pytest.mark.parametrize("trouble", [away, slow, blocked])
async def test_ten_minutes_of_a_broker_in_trouble_cost_no_event_and_no_memory(
    tmp_path: Path, mosquitto: Mosquitto, trouble: Trouble, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same holds for ten minutes, in which some sixty thousand facts are recorded. A display that reads nothing for
    as long costs the others nothing.
    """
    figures = await endure(tmp_path, mosquitto, trouble, 1000, 600)
    with capsys.disabled():
        print(f"\n{trouble.__name__}: {figures}")  # noqa: T201 - what `make soak` is for
