"""What lies on a broker when the daemon comes: commands of yesterday, a store that was damaged; or no broker at all."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec
import pytest

from tablectl.events.announcements import CloseTable, OpenTable, Role
from tablectl.events.facts import AnnouncementTurnedAway, CardsDealt, DealerSignedOn, Fact, RecordRead, TableOpened
from tablectl.journal import Reader
from tablectl.publisher.payloads import Command
from tablectl.rehearsal import Plan
from tablectl.replay import Replayed, replay
from tests.brokers import Mosquitto, mosquitto, proxied, running
from tests.system.harness import BASE, Floor, PersistentLine, Program, floor, tablectl
from tests.system.test_contract_record import at_the_table, table_file, until
from tests.system.test_run import RETAINED, assert_states_join

__all__ = ["mosquitto"]

BONUS = Plan(game="pai-gow-poker", variant="bonus", speed=float("inf"))
OPEN = OpenTable(("Dealer 7", "Supervisor 3"))
RETOLD_IN = 5.0


# Commands


def command(key: str, **data: Any) -> bytes:
    return msgspec.json.encode(Command(v=1, key=key, by="s04", data=data, reply_to="console"))


def heard_of(line: PersistentLine, kind: type[Fact], count: int) -> bool:
    return len(line.found(kind)) == count


async def leave_retained(port: int) -> None:
    """Leave two commands on a broker: one that a console had retained, and one that is the will of a console which lost
    its power.
    """
    async with aiomqtt.Client("127.0.0.1", port) as console:
        await console.subscribe(f"{BASE}/cmd/#", qos=1)
        opening = command("retained", inspected_by=["Dealer 7", "Supervisor 3"])
        await console.publish(f"{BASE}/cmd/supervisor/open-table", opening, qos=1, retain=True)
        will = aiomqtt.Will(f"{BASE}/cmd/dealer/sign-on", command("will", dealer="d17"), qos=1, retain=True)
        async with proxied(port) as proxy, asyncio.timeout(10):
            with suppress(aiomqtt.MqttError):
                async with aiomqtt.Client("127.0.0.1", proxy.port, will=will):
                    proxy.cut()
            async for message in console.messages:
                if message.topic.value.endswith("sign-on"):
                    return


@pytest.mark.parametrize("protocol", ["5", '"3.1.1"'])
async def test_a_command_that_lay_on_the_broker_is_never_carried_out(
    tmp_path: Path, mosquitto: Mosquitto, protocol: str
) -> None:
    """Retained by a console, or left by one that died: each start of the daemon refuses it, the record says so and
    names who, and nothing of it happens; what is said anew is done.
    """
    await leave_retained(mosquitto.port)
    file = table_file(tmp_path, mosquitto.port, tmp_path / "journal.db")
    file.write_text(file.read_text().replace("[mqtt]", f"[mqtt]\nprotocol = {protocol}"))
    async with at_the_table(mosquitto.port) as line:
        for start in (1, 2):
            daemon = await tablectl(tmp_path, f"run{start}", "run", str(file))
            await until(line, partial(heard_of, line, AnnouncementTurnedAway, 2 * start))
            await until(line, lambda: line.online and line.state.at_seq >= line.at_seq)
            assert (line.state.open, line.found(TableOpened), line.found(DealerSignedOn)) == (False, [], [])
            if start == 2:
                assert await line.say(OPEN, Role.SUPERVISOR), line.refused
            assert await daemon.stop() == 0, daemon.log()
    refused = sorted((away.announcement, away.by, away.code) for away in line.found(AnnouncementTurnedAway))
    assert refused == [("open-table", "s04", "retained")] * 2 + [("sign-on", "s04", "retained")] * 2
    assert isinstance(replay(tmp_path / "journal.db"), Replayed)


async def test_a_retained_command_that_comes_live_is_done_once_at_most(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """MQTT 3.1.1 does not show a running daemon that a command is retained: it is done, and by no later start again."""
    file = table_file(tmp_path, mosquitto.port, tmp_path / "journal.db")
    file.write_text(file.read_text().replace("[mqtt]", '[mqtt]\nprotocol = "3.1.1"'))
    async with at_the_table(mosquitto.port) as line:
        daemon = await tablectl(tmp_path, "run", "run", str(file))
        await until(line, lambda: line.online)
        async with aiomqtt.Client("127.0.0.1", mosquitto.port) as console:
            await console.publish(f"{BASE}/cmd/auditor/read", command("live", what="round 1"), qos=1, retain=True)
        await until(line, lambda: line.found(RecordRead))
        assert await daemon.stop() == 0, daemon.log()
        await until(line, lambda: not line.online)
        again = await tablectl(tmp_path, "again", "run", str(file))
        await until(line, lambda: line.online)
        assert await line.say(CloseTable("to be answered after what lay there"), Role.SUPERVISOR) in (True, False)
        assert await again.stop() == 0, again.log()
    assert len(line.found(RecordRead)) == 1


FLOOD, AT_EASE = 600, 50
"""Commands at once: more than are kept waiting, and fewer than mosquitto keeps for one client; and fewer than wait."""


async def ask_for(keys: set[str], port: int, reply_to: str) -> None:
    """Have another program say an auditor's word under each key, as fast as it can."""
    said = [Command(v=1, key=key, by="a9", data={"what": key}, reply_to=reply_to) for key in sorted(keys)]
    lines = b"\n".join(map(msgspec.json.encode, said))
    words = ("mosquitto_pub", "-p", str(port), "-q", "1", "-t", f"{BASE}/cmd/auditor/read", "-l")
    program = await asyncio.create_subprocess_exec(*words, stdin=asyncio.subprocess.PIPE)
    await program.communicate(lines + b"\n")
    assert program.returncode == 0


def answers(line: PersistentLine) -> set[str]:
    return {reply.key for reply in line.replies}


def answered(line: PersistentLine, keys: set[str]) -> bool:
    return keys <= answers(line)


def dropped(daemon: Program) -> int:
    """Return how many commands the daemon says that it dropped."""
    lines = map(json.loads, daemon.log().splitlines())
    return sum(line["count"] for line in lines if line["event"] == "commands.dropped")


async def test_a_command_dropped_in_a_flood_is_said_and_can_be_repeated(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """What comes faster than it can be read is dropped though the broker has delivered it: the daemon says how many,
    its sender gets no reply, and asks again under the same key; in the end each has had its effect once.
    """
    file = table_file(tmp_path, mosquitto.port, tmp_path / "journal.db")
    keys = {f"read-{number}" for number in range(FLOOD)}
    async with at_the_table(mosquitto.port) as line:
        daemon = await tablectl(tmp_path, "run", "run", str(file))
        await until(line, lambda: line.online)
        await ask_for(keys, mosquitto.port, line._name)
        async with asyncio.timeout(30):
            while len(line.replies) + dropped(daemon) < FLOOD:  # noqa: ASYNC110 - a log tells nobody
                await asyncio.sleep(0.05)
        missing = keys - answers(line)
        assert len(missing) == dropped(daemon) > 0
        for some in batched(sorted(missing), AT_EASE):
            await ask_for(set(some), mosquitto.port, line._name)
            await until(line, partial(answered, line, set(some)))
        await until(line, lambda: line.at_seq >= max(reply.seq for reply in line.replies))
        assert await daemon.stop() == 0, daemon.log()
    assert [reply.key for reply in line.replies if not reply.ok] == []
    assert Counter(read.what for read in line.found(RecordRead)) == dict.fromkeys(keys, 1)


def batched(keys: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


# The store


def cut(store: bytes) -> bytes:
    return store[: len(store) // 2]


def zeroed(store: bytes) -> bytes:
    return bytes(len(store))


def emptied(_: bytes) -> bytes:
    return b""


STORE = ("persistence true", "autosave_interval 1", "autosave_on_changes true")


async def retold(port: int, resume: Callable[[], None]) -> dict[str, Any]:
    """Let the daemon have its broker back, and return what is retained, in the order in which it was told, once there
    is all of it.
    """
    heard: dict[str, Any] = {}
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, timeout=5) as client:
        await client.subscribe(f"{BASE}/#", qos=1)
        resume()
        async with asyncio.timeout(RETOLD_IN):
            async for message in client.messages:
                if message.topic.value in RETAINED:
                    assert isinstance(message.payload, bytes)
                    heard[message.topic.value] = msgspec.json.decode(message.payload)
                if heard.keys() == RETAINED:
                    return heard
    raise AssertionError("the broker ended")


async def take_stack(table: Floor) -> None:
    """Let people take the stack out of the gate, and wait until the record holds the next."""
    before = len(dealt(table))
    await table.guest.move("stack-shoe.gate", "1", wait=10)
    async with asyncio.timeout(10):
        while len(dealt(table)) == before:  # noqa: ASYNC110 - without a broker, a daemon tells nobody
            await asyncio.sleep(0.02)


def dealt(table: Floor) -> list[CardsDealt]:
    with Reader(table.journal) as reader:
        facts = [stated.fact for entry in reader.entries() for stated in entry.facts]
    return [fact for fact in facts if isinstance(fact, CardsDealt)]


@pytest.mark.parametrize(
    "damage", [cut, pytest.param(zeroed, marks=pytest.mark.soak), pytest.param(emptied, marks=pytest.mark.soak)]
)
async def test_a_table_needs_nothing_of_what_its_broker_kept(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """The daemon starts without a broker, finds its devices and deals on. Then the broker comes, without the store that
    a power cut has spoilt, or with one that is empty: five seconds later all that is retained is what is live, and
    online came last.
    """
    folder = tmp_path / "store"
    folder.mkdir()
    store = folder / "mosquitto.db"
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(running(tmp_path, *STORE, f"persistence_location {folder}/"))
        proxy = await stack.enter_async_context(proxied(broker.port))
        table = await stack.enter_async_context(floor(BONUS, tmp_path, broker.port, by=proxy.port))
        daemon = await table.daemon()
        await table.play_until(CardsDealt)
        await daemon.kill()
        await broker.kill()
        store.write_bytes(damage(store.read_bytes()))

        daemon = await table.daemon()
        await take_stack(table)
        proxy.hold()  # until somebody listens
        if not await broker.starts():
            store.rename(store.with_suffix(".bad"))  # as whoever looks after it does
            await broker.start()
        told = await retold(broker.port, proxy.resume)

        assert list(told)[-1].endswith("/status")
        assert told[f"{BASE}/status"]["state"] == "online"
        assert told[f"{BASE}/device/shoe1"]["online"]
        assert_states_join([told[f"{BASE}/state"]], table)
        assert await daemon.stop() == 0, daemon.log()
