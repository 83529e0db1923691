"""``tablectl run`` as a process, with doubles on pseudo-terminals, a real mosquitto, and mosquitto's own clients."""

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tablectl.events.announcements import EndDoubt, LiftSuspension, Role
from tablectl.events.codec import timestamp
from tablectl.events.facts import (
    AlarmCleared,
    AlarmRaised,
    CardsDealt,
    CommandEnded,
    DeviceCameOnline,
    RoundEnded,
    RoundWagersClosed,
    StackDue,
    TableSuspended,
    WagerLate,
)
from tablectl.journal import Reader
from tablectl.publisher import Address
from tablectl.publisher.payloads import Envelope
from tablectl.rehearsal import Plan
from tablectl.table import troubles
from tablectl.view import State, View
from tests.brokers import Mosquitto, mosquitto, proxied
from tests.system.harness import BASE, Floor, floor, hearing, tablectl

__all__ = ["mosquitto"]

RED_DOG = Plan(game="red-dog", speed=float("inf"))
BONUS = Plan(game="pai-gow-poker", variant="bonus", speed=float("inf"))
RETAINED = {f"{BASE}/{name}" for name in ("status", "meta", "state", "alarms", "device/shoe1", "device/shuffler1")}


class Sub:
    """A ``mosquitto_sub``: heard are topics and payloads, in order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.heard: list[tuple[str, Any]] = []
        self._process = process

    async def until(self, topic: str, seconds: float = 10, **fields: Any) -> Any:
        """Return the next payload of a topic that holds these fields."""
        async with asyncio.timeout(seconds):
            while True:
                heard, payload = await self.next()
                if heard == f"{BASE}/{topic}" and fields.items() <= payload.items():
                    return payload

    async def next(self) -> tuple[str, Any]:
        assert self._process.stdout is not None
        line = (await self._process.stdout.readline()).decode()
        assert line, "mosquitto_sub ended"
        topic, _, payload = line.partition(" ")
        self.heard.append((topic, json.loads(payload)))
        return self.heard[-1]

    def payloads(self, start: str) -> list[Any]:
        return [payload for topic, payload in self.heard if topic.startswith(f"{BASE}/{start}")]


@asynccontextmanager
async def subscribed(broker: int) -> AsyncIterator[Sub]:
    """Run a subscriber to everything of the table; it is heard to listen by a retained word of our own."""
    at = ("-V", "mqttv5", "-p", str(broker), "-q", "1")
    await (await asyncio.create_subprocess_exec("mosquitto_pub", *at, "-t", "test/here", "-m", "{}", "-r")).wait()
    topics = ("-v", "-t", f"{BASE}/#", "-t", "test/here")
    process = await asyncio.create_subprocess_exec(
        "mosquitto_sub", *at, *topics, stdout=asyncio.subprocess.PIPE, limit=2**20
    )
    sub = Sub(process)
    while await sub.next() != ("test/here", {}):
        pass
    try:
        yield sub
    finally:
        process.kill()
        await process.wait()


async def ask(broker: int, topic: str, **command: Any) -> Any:
    """Publish a command as any client can, and return the reply."""
    words = ("mosquitto_rr", "-V", "mqttv5", "-p", str(broker), "-q", "1", "-W", "10")
    topics = ("-t", f"{BASE}/cmd/{topic}", "-e", "test/reply", "-m", json.dumps({"v": 1, **command}))
    process = await asyncio.create_subprocess_exec(*words, *topics, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    return json.loads(output)


async def test_a_table_is_heard_from_birth_to_end(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """A subscriber sees every kind of topic; events are numbered without gaps by their ids, under which those that were
    on their way at the end come again; each state is the fold of the facts up to its number; each device is online
    since it came; at SIGTERM the last word is ``offline``, within 3 s; no process and no file is left where it ran.
    """
    async with floor(BONUS, tmp_path, mosquitto.port) as table, subscribed(mosquitto.port) as sub:
        daemon = await table.daemon()
        await table.play_until(RoundEnded, 2)
        children = daemon.children()
        began = time.monotonic()
        status = await daemon.stop()
        took = time.monotonic() - began
        last = await sub.until("status", state="offline")

        assert (status, last["reason"]) == (0, "stopped")
        assert took < 3
        assert children == []
        assert list((tmp_path / "empty").iterdir()) == []
        kinds = {topic.removeprefix(f"{BASE}/").split("/")[0] for topic, _ in sub.heard if topic.startswith(BASE)}
        assert {"status", "meta", "state", "alarms", "device", "evt", "cmd", "rsp"} == kinds
        events = {payload["id"]: msgspec.convert(payload, Envelope) for payload in sub.payloads("evt/")}
        assert list(range(1, len(events) + 1)) == [event.seq for event in events.values()]
        assert_states_join(sub.payloads("state"), table)
        came = {(event["data"]["device"], event["ts"]) for event in sub.payloads("evt/device/came-online")}
        told = {(device["device"], device["since"]) for device in sub.payloads("device/") if device["online"]}
        assert told == came


def assert_states_join(states: list[Any], table: Floor) -> None:
    """Hold each state against the facts of the journal, some of which hold more than what was told."""
    with Reader(table.journal) as reader:
        view = View(reader.table, reader.epoch)
        facts = [(entry.said.at, stated) for entry in reader.entries() for stated in entry.facts]
    for state in states:
        while view.state.at_seq < state["at_seq"]:
            at, stated = facts[view.state.at_seq]
            view.fold(stated.fact, stated.seq, timestamp(at))
        assert view.state == msgspec.convert(state, State)


@pytest.mark.parametrize(
    ("plan", "wager", "clause"),
    [(BONUS, "pai gow poker", "13:69F-11.17(c)"), (RED_DOG, "original", "13:69F-6.5(d)")],
    ids=["after no more bets", "after the first card"],
)
async def test_a_late_wager_is_refused_with_its_section_and_the_deal_goes_on(
    tmp_path: Path, mosquitto: Mosquitto, plan: Plan, wager: str, clause: str
) -> None:
    """Chips that come late are a fact without action, their announcement is refused with the clause that closed
    wagers, and the round is played to its end.
    """
    async with floor(plan, tmp_path, mosquitto.port) as table:
        await table.daemon()
        await table.play_until(RoundWagersClosed)
        data = {"hand": "2", "wager": wager, "amount": 2500}
        reply = await ask(mosquitto.port, "dealer/place-wager", key="late", by="d17", data=data)
        await table.until_told(WagerLate)
        table.play()
        await table.until_told(RoundEnded)

        assert (False, "late-wager", clause) == (reply["ok"], reply["error"]["code"], reply["error"]["clause"])
        assert [WagerLate("2", wager, clause, 2500)] == table.line.found(WagerLate)
        assert table.line.found(TableSuspended) == []


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
async def test_a_record_replays_equal_wherever_it_is_replayed(
    tmp_path: Path, mosquitto: Mosquitto, hash_seed: str
) -> None:
    """Another process, which hashes in another way, recomputes every fact of a round as it stands in the journal."""
    async with floor(BONUS, tmp_path, mosquitto.port) as table:
        daemon = await table.daemon(PYTHONHASHSEED="0")
        await table.play_until(RoundEnded)
        await daemon.stop()
        replay = await tablectl(tmp_path, "replay", "replay", str(table.journal), PYTHONHASHSEED=hash_seed)

        assert await replay.ended() == 0, replay.log()
        with Reader(table.journal) as reader:
            facts = sum(len(entry.facts) for entry in reader.entries())
        assert f"{facts} facts." in replay.log()


async def test_a_killed_daemon_is_told_offline_at_once(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """After SIGKILL the broker tells the will within a second, and the next start is online with another boot."""
    async with floor(RED_DOG, tmp_path, mosquitto.port) as table, subscribed(mosquitto.port) as sub:
        daemon = await table.daemon()
        first = await sub.until("status", state="online")
        daemon.process.send_signal(signal.SIGKILL)
        will = await sub.until("status", seconds=1, state="offline")
        await table.daemon()
        second = await sub.until("status", state="online")

        assert ("lost", first["boot"]) == (will["reason"], will["boot"])
        assert first["epoch"] == second["epoch"]
        assert first["boot"] != second["boot"]


async def _retained(port: int, topic: str) -> Any:
    """Return what stands on a topic."""
    command = ("mosquitto_sub", "-p", str(port), "-t", topic, "-C", "1", "-W", "10")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    told, _ = await process.communicate()
    return json.loads(told)


async def test_a_second_daemon_of_a_table_leaves_the_first_alone(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """It ends with 75 and says that the journal is taken; the first stays online, and its device stays found."""
    async with floor(RED_DOG, tmp_path, mosquitto.port) as table, subscribed(mosquitto.port) as sub:
        first = await table.daemon()
        await table.until_told(DeviceCameOnline)
        second = await table.daemon()
        status = await second.ended()
        await first.stop()
        await sub.until("status", state="offline", reason="stopped")

        assert status == os.EX_TEMPFAIL
        assert f"journal {table.journal}: another process writes it" in second.log()
        assert [payload["state"] for payload in sub.payloads("status")] == ["online", "offline"]
        assert len(table.line.found(DeviceCameOnline)) == 1


async def test_a_second_table_on_the_same_port_is_turned_away(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """It ends with 75 and names the device whose port is held, and the pit is told so too, not that the record failed;
    the first loses nothing by it.
    """
    other = tmp_path / "other.toml"
    async with floor(RED_DOG, tmp_path, mosquitto.port) as table:
        await table.daemon()
        await table.until_told(DeviceCameOnline)
        text = table.table_file.read_text()
        other.write_text(text.replace('id = "t01"', 'id = "t02"').replace("journal.db", "other.db"))
        second = await table.daemon(other)
        status = await second.ended()
        await table.play_until(RoundEnded)

        assert status == os.EX_TEMPFAIL
        assert "the port of shoe1 is held by another process" in second.log()
        told = await _retained(mosquitto.port, BASE.replace("t01", "t02") + "/status")
        assert (told["state"], told["reason"]) == ("offline", "port-busy")
        assert table.line.found(TableSuspended) == []


async def test_a_bad_table_file_is_refused_with_every_mistake(tmp_path: Path) -> None:
    """It ends with 78 and names file, line and key of each mistake; no journal is begun."""
    text = RED_DOG.table_file(Address(), tmp_path)
    (tmp_path / "house.toml").write_text(RED_DOG.house)
    bad = tmp_path / "bad.toml"
    bad.write_text(text.replace("positions = 6", "positions = 60\nspeed = 3"))
    daemon = await tablectl(tmp_path, "bad", "run", str(bad))

    assert await daemon.ended() == os.EX_CONFIG
    assert "bad.toml:7: table.positions" in daemon.log()
    assert "bad.toml:8: table.speed" in daemon.log()
    assert not (tmp_path / "journal.db").exists()


async def test_a_lost_shoe_holds_the_round_until_people_have_counted(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """A shoe that loses its power while a stack is due is told offline with the reason within 5 s; when it is back
    without its memory, the stack is in doubt and is not dispensed until two persons have counted, and then once.
    """
    async with floor(BONUS, tmp_path, mosquitto.port, speeds={"stack-shoe": "1"}) as table:
        line = table.line
        await table.daemon()
        await table.play_until(StackDue, 2)
        due = line.found(StackDue)[-1]
        await table.unplug("stack-shoe")
        await table.until(lambda: line.state.suspended == troubles.offline("shoe1", "unplugged"), 5)
        await table.until(lambda: not line.health["shoe1"].online, 1)
        await table.double("stack-shoe")
        await table.until(
            lambda: CommandEnded(due.command, "unknown", "the device has lost its memory") in line.facts, 5
        )
        await table.until(lambda: line.health["shoe1"].online, 1)
        before = strokes(table)
        lifted = await line.say(LiftSuspension("too early"), Role.SUPERVISOR)
        await line.say(EndDoubt(due.command, done=False, counted_by=("d17", "s04")), Role.SUPERVISOR)
        await line.say(LiftSuspension("counted"), Role.SUPERVISOR)
        table.play()
        await table.until_told(RoundEnded)

        assert not lifted
        assert before == 1
        stacks = [dealt.stack for dealt in line.found(CardsDealt) if dealt.stack]
        assert list(range(1, len(stacks) + 1)) == stacks
        assert strokes(table) == len(stacks) + 1, "each stack once, and the stub"


def strokes(table: Floor) -> int:
    return sum(by_device and source == "stack-shoe" for source, _, _, by_device in table.world.motions)


async def test_a_broker_that_comes_back_empty_is_told_everything(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """While the broker is away the table goes on and alarms; within 5 s of its return all that is retained stands
    there, equal to what is live, and every event since is told, none twice under another number.
    """
    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(proxied(mosquitto.port))
        table = await stack.enter_async_context(floor(BONUS, tmp_path, mosquitto.port, by=proxy.port))
        await table.daemon()
        await table.play_until(CardsDealt)
        await mosquitto.kill()
        await table.guest.act("stack-shoe", "open-door")
        await in_journal(table, AlarmRaised, "broker", "door-open:shoe1")
        proxy.hold()  # until somebody listens: events are not retained
        await mosquitto.start()
        line = await stack.enter_async_context(hearing(mosquitto.port))
        table.listen(line)
        proxy.resume()
        async with asyncio.timeout(5):
            await line.until(lambda: line.online)
            await line.until(lambda: any(cleared.alarm == "broker" for cleared in line.found(AlarmCleared)))
            await line.until(lambda: line.state.at_seq == line.at_seq)
        sub = await stack.enter_async_context(subscribed(mosquitto.port))
        retained = dict(sub.heard)
        while not retained.keys() >= RETAINED:
            topic, payload = await sub.next()
            retained[topic] = payload

        assert {"broker", "door-open:shoe1"} <= {raised.alarm for raised in line.found(AlarmRaised)}
        assert [alarm["alarm"] for alarm in retained[f"{BASE}/alarms"]["alarms"]] == ["door-open:shoe1"]
        assert line.state == msgspec.convert(retained[f"{BASE}/state"], State)
        told = {envelope.seq: envelope for envelope in (*table.line.told, *line.told)}
        assert list(range(1, line.at_seq + 1)) == sorted(told)
        assert all(told[envelope.seq] == envelope for envelope in table.line.told)


async def in_journal(table: Floor, kind: type[AlarmRaised], *alarms: str) -> None:
    """Wait until these alarms stand in the journal; it tells nobody outside its process."""
    async with asyncio.timeout(10):
        while True:
            with Reader(table.journal) as reader:
                facts = [stated.fact for entry in reader.entries() for stated in entry.facts]
            if set(alarms) <= {fact.alarm for fact in facts if isinstance(fact, kind)}:
                return
            await asyncio.sleep(0.02)


async def test_systemd_is_told_how_the_daemon_is(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """It hears READY once the table stands, WATCHDOG as often as the unit asks, and STOPPING at the end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
        service.bind(str(tmp_path / "notify"))
        service.settimeout(0)
        async with floor(RED_DOG, tmp_path, mosquitto.port) as table:
            loop = asyncio.get_running_loop()
            heard: list[str] = []
            daemon = await table.daemon(NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="200000")
            while heard.count("WATCHDOG=1") < 3:
                heard.append((await loop.sock_recv(service, 100)).decode())
            daemon.process.terminate()
            while heard[-1] != "STOPPING=1":
                heard.append((await loop.sock_recv(service, 100)).decode())

        assert heard[:4] + heard[-1:] == ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]


async def test_a_record_that_was_set_back_is_found_out(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """An older copy of the journal, with its anchor, does not pass for the record, even if it lacks no more than what a
    start writes anew: the table is held, and says after which fact the record is lost.
    """
    async with floor(RED_DOG, tmp_path, mosquitto.port) as table, subscribed(mosquitto.port) as sub:
        await start_and_stop(table, sub)
        kept = contents(table)
        head = head_of(table)
        await start_and_stop(table, sub)
        remembered = sub.payloads("state")[-1]["at_seq"]
        for file, content in kept.items():
            file.write_bytes(content)
        await table.daemon()
        said = f"The record ended at {head}, but the broker remembers {remembered}: lost after {head}."
        while said not in (await sub.until("state")).get("suspended", ""):
            pass

        assert sub.payloads("alarms")[-1]["alarms"][-1] == {"alarm": "record", "text": said, "latched": True}


async def start_and_stop(table: Floor, sub: Sub) -> None:
    daemon = await table.daemon()
    await sub.until("status", state="online")
    await daemon.stop()
    await sub.until("status", state="offline")


def contents(table: Floor) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in table.folder.glob("journal.db*")}


def head_of(table: Floor) -> int:
    with Reader(table.journal) as reader:
        return reader.head().seq
