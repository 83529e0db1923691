"""A table on its own broker, and a pit that hears it over a bridge: losing the pit costs the table nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec
import pytest

from tablectl.events.facts import RoundEnded
from tablectl.rehearsal import Plan
from tests.brokers import Mosquitto, Proxy, proxied, running
from tests.system.harness import BASE, floor
from tests.system.test_mosquitto_samples import SAMPLES

QUEUE = next(line for line in (SAMPLES / "pit.conf").read_text().splitlines() if line.startswith("max_queued"))
SECURED = ("bridge_cafile", "remote_")


class Pit:
    """What a display hears at the pit's broker: status and bridge as they stand, numbers of events as they came."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self._client = client
        self._news = asyncio.Condition()
        self.shown: dict[str, Any] = {}
        self.bridge: list[bytes] = []
        self.numbers: list[int] = []

    async def listen(self) -> None:
        async for message in self._client.messages:
            assert isinstance(message.payload, bytes)
            self._take(str(message.topic).removeprefix(f"{BASE}/"), message.payload)
            async with self._news:
                self._news.notify_all()

    def _take(self, topic: str, payload: bytes) -> None:
        if topic == "bridge":
            self.bridge.append(payload)
        elif topic.startswith("evt/"):
            self.numbers.append(msgspec.json.decode(payload)["seq"])
        elif payload:
            self.shown[topic] = msgspec.json.decode(payload)

    async def until(self, true: Any, seconds: float = 30) -> None:
        async with asyncio.timeout(seconds), self._news:
            await self._news.wait_for(true)


@asynccontextmanager
async def hearing(port: int) -> AsyncIterator[Pit]:
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, timeout=5) as client:
        await client.subscribe("tablectl/v1/#", qos=1)
        pit = Pit(client)
        task = asyncio.create_task(pit.listen())
        try:
            yield pit
        finally:
            task.cancel()
            await asyncio.wait([task])


def bridge(pit: int) -> list[str]:
    """Return the sample bridge, towards a port of this machine, which asks for no certificate."""
    sample = (SAMPLES / "bridge.conf").read_text().replace("pit-broker.lan:8883", f"127.0.0.1:{pit}")
    lines = [line for line in sample.splitlines() if line and not line.startswith((*SECURED, "#"))]
    return [QUEUE, *lines]


@asynccontextmanager
async def two_brokers(folder: Path) -> AsyncIterator[tuple[Mosquitto, Proxy, Mosquitto]]:
    """Run the pit's broker, the way to it and the table's broker."""
    for name in ("table", "pit"):
        (folder / name).mkdir()
    async with (
        running(folder / "pit", QUEUE) as pit,
        proxied(pit.port) as way,
        running(folder / "table", *bridge(way.port)) as table,
    ):
        yield table, way, pit


async def cut(folder: Path, plan: Plan, seconds: float, rounds: int) -> None:
    """Play with the bridge cut for so long and so many rounds, then prove what the pit heard in the end."""
    async with (
        two_brokers(folder) as (local, way, pit_broker),
        hearing(pit_broker.port) as pit,
        floor(plan, folder, local.port) as table,
    ):
        daemon = await table.daemon()
        await table.until(lambda: table.line.online)
        await table.open()
        table.play()
        await table.until_told(RoundEnded, 1)
        await pit.until(lambda: "state" in pit.shown and pit.bridge)

        way.hold()
        way.cut()
        await pit.until(lambda: pit.bridge[-1] == b"0")
        unheard = table.line.at_seq
        await table.unless_failed(asyncio.sleep(seconds), seconds + 30)
        await table.until_told(RoundEnded, len(table.line.found(RoundEnded)) + rounds)
        assert max(pit.numbers) <= unheard
        way.resume()

        await table.finish()
        assert await daemon.stop() == 0, daemon.log()
        await pit.until(lambda: pit.shown["status"].get("reason") == "stopped", 60)
        await pit.until(lambda: max(pit.numbers) >= table.line.at_seq, 60)

    # Not in order: what a bridge that was cut still holds may be overtaken by what is new.
    assert sorted(set(pit.numbers)) == list(range(1, table.line.at_seq + 1))
    assert pit.bridge[-1] == b"1"
    assert pit.shown["state"] == msgspec.to_builtins(table.line.state)


async def test_a_cut_bridge_loses_no_event(tmp_path: Path) -> None:
    """Rounds go on while the pit hears nothing, and knows it; then it has every event, and the same state."""
    await cut(tmp_path, Plan("red-dog", speed=float("inf")), 0, 3)


@pytest.mark.soak
async def test_a_bridge_cut_for_ten_minutes_loses_no_event(tmp_path: Path) -> None:
    """The same holds after ten minutes of play at eight times the pace of life."""
    await cut(tmp_path, Plan("pai-gow-poker", speed=8), 600, 1)
