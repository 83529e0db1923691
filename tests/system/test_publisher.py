"""The publisher against a real mosquitto: what is told, what is taken in, and what a lost broker costs."""

import asyncio
import gc
import socket
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tablectl.devices.contract import Counters
from tablectl.devices.contract import State as DeviceState
from tablectl.errors import JournalError
from tablectl.events.announcements import NoMoreBets
from tablectl.events.codec import Input
from tablectl.events.facts import AnnouncementRefused, CardsDealt, Fact, RoundWagersClosed
from tablectl.events.readings import ShoeStackTaken
from tablectl.events.record import TurnAway
from tablectl.journal import Journal
from tablectl.journal.files import Anchor, write_anchor
from tablectl.publisher import Address, Publisher
from tablectl.publisher.broker import WINDOW, Outgoing, connected
from tablectl.publisher.commands import LARGEST, RECORDED
from tablectl.publisher.payloads import DeviceHealth, Meta
from tablectl.publisher.publisher import BACKOFF
from tablectl.view import State
from tests.altered import tamper
from tests.brokers import Mosquitto, mosquitto, proxied, running

__all__ = ["mosquitto"]

TABLE = "demo/pit1/t01"
BASE = f"tablectl/v1/{TABLE}"
STATUS = f"{BASE}/status"
RETAINED = {f"{BASE}/{name}" for name in ("status", "meta", "state", "device/shoe1", "alarms")}


class Floor:
    """A table that closes wagers once and refuses it ever after; everything else about it is real."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.round = 7
        self.phase = "wagers"
        self.frames = 0
        self.number = 0
        self.submitted: list[Input] = []
        self.turned_away: list[TurnAway] = []
        self.reasons: list[str] = []
        self.behind: list[int] = []
        self.failure: JournalError | None = None
        self.changed = asyncio.Event()

    async def submit(self, said: Input) -> tuple[Fact, ...]:
        if self.failure is not None:
            raise self.failure
        if isinstance(said.body, TurnAway):
            self.turned_away.append(said.body)
            return ()
        facts: tuple[Fact, ...] = (RoundWagersClosed(clause="13:69F-6.4(c)"),)
        if self.submitted:
            text = "wagers are closed"
            facts = (AnnouncementRefused("no-more-bets", "not-awaited", "card", text, "13:69F-6.5(d)"),)
        self.submitted.append(said)
        entry = await self.journal.append(said, facts, in_round=self.round)
        return tuple(stated.fact for stated in entry.facts)

    async def deal(self, count: int = 1) -> None:
        for _ in range(count):
            self.number += 1
            said = Input(ShoeStackTaken(stack=1), time.time_ns(), "shoe1", self.journal.boot, self.number)
            await self.journal.append(said, [CardsDealt(hand=str(self.number), cards=())], in_round=self.round)

    def state(self) -> State:
        seq = self.journal.head.seq
        return State(1, TABLE, self.journal.epoch, seq, "2026-11-30T12:00:00.000Z", round=self.round, phase=self.phase)

    def meta(self) -> Meta:
        return Meta(1, TABLE, "0.1.0", "red-dog", "base", "rehearsal", 6, "presence", {"dealer": "exposed"})

    def devices(self) -> list[DeviceHealth]:
        counters = Counters(frames_in=self.frames)
        return [
            DeviceHealth(1, TABLE, "shoe1", ("stack-shoe",), online=True, state=DeviceState.LOADED, counters=counters)
        ]

    def broker_changed(self, reason: str) -> None:
        self.reasons.append(reason)
        self.changed.set()

    def journal_behind(self, at_seq: int) -> None:
        self.behind.append(at_seq)

    async def until(self, online: bool) -> None:  # noqa: FBT001 - reads well
        async with asyncio.timeout(10):
            while not self.reasons or (self.reasons[-1] == "") is not online:
                self.changed.clear()
                await self.changed.wait()


class Ear:
    """A client that keeps what it hears."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.heard: list[aiomqtt.Message] = []
        self._task = asyncio.create_task(self._listen())
        self._news = asyncio.Event()

    async def _listen(self) -> None:
        async for message in self.client.messages:
            self.heard.append(message)
            self._news.set()

    def payloads(self, start: str = "") -> list[Any]:
        return [decoded(message) for message in self.heard if str(message.topic).startswith(f"{BASE}/{start}")]

    def topics(self) -> set[str]:
        return {str(message.topic) for message in self.heard}

    async def until(self, done: Callable[["Ear"], Any], seconds: float = 10) -> Any:
        async with asyncio.timeout(seconds):
            while not (result := done(self)):
                self._news.clear()
                await self._news.wait()
        return result

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


def decoded(message: aiomqtt.Message) -> Any:
    payload = message.payload
    assert isinstance(payload, bytes)
    return msgspec.json.decode(payload) if payload else None


@asynccontextmanager
async def listening(port: int, *topics: str) -> AsyncIterator[Ear]:
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, timeout=5) as client:
        ear = Ear(client)
        for topic in topics or (f"{BASE}/#",):
            await client.subscribe(topic, qos=1)
        try:
            yield ear
        finally:
            await ear.close()


@pytest.fixture
async def floor(tmp_path: Path) -> AsyncIterator[Floor]:
    async with Journal.open(tmp_path / "journal.db", table=TABLE) as journal:
        yield Floor(journal)


@asynccontextmanager
async def publishing(floor: Floor, port: int, protocol: Any = "5") -> AsyncIterator[Publisher]:
    publisher = Publisher(Address(port=port, protocol=protocol), floor.journal, floor)
    task = asyncio.create_task(publisher.run())
    try:
        yield publisher
    finally:
        publisher.stop()
        async with asyncio.timeout(10):
            await task


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_birth_comes_after_everything_retained(floor: Floor, mosquitto: Mosquitto, protocol: str) -> None:
    """Who sees "online" finds the whole retained set already there; who leaves says why."""
    async with listening(mosquitto.port) as ear:
        async with publishing(floor, mosquitto.port, protocol):
            await floor.until(online=True)
        await ear.until(lambda ear: ear.payloads("status")[-1:] and ear.payloads("status")[-1]["state"] == "offline")

        first = [str(message.topic) for message in ear.heard][: len(RETAINED)]
        assert set(first) == RETAINED
        assert first[-1] == f"{BASE}/status"
        statuses = [(status["state"], status.get("reason", "")) for status in ear.payloads("status")]
        assert statuses == [("online", ""), ("offline", "stopped")]
        assert ear.payloads("status")[0]["boot"] == floor.journal.boot


async def test_events_are_numbered_without_a_gap(floor: Floor, mosquitto: Mosquitto) -> None:
    """Each fact is told once, in order, with its envelope and the properties that MQTT 5 knows."""
    async with listening(mosquitto.port) as ear, publishing(floor, mosquitto.port):
        await floor.deal(100)
        await ear.until(lambda ear: len(ear.payloads("evt/")) == 100)

        event = ear.payloads("evt/")[0]
        assert [event["seq"] for event in ear.payloads("evt/")] == list(range(1, 101))
        assert (event["type"], event["table"], event["round"], event["src"]) == ("cards.dealt", TABLE, 7, "shoe1")
        assert event["id"] == f"{TABLE}:{floor.journal.epoch}:1"
        assert event["data"] == {"hand": "1", "cards": []}
        message = next(message for message in ear.heard if "/evt/cards/dealt" in str(message.topic))
        properties: Any = message.properties
        assert properties.ContentType == "application/json"
        assert properties.UserProperty == [("schema", "cards.dealt/1")]
        assert properties.MessageExpiryInterval <= 86_400
        assert not message.retain


async def test_the_last_will_speaks_when_the_daemon_cannot(floor: Floor, mosquitto: Mosquitto) -> None:
    """A connection that dies leaves "offline", with the boot that died."""
    async with proxied(mosquitto.port) as proxy, listening(mosquitto.port, f"{BASE}/status") as ear:
        publisher = Publisher(Address(port=proxy.port), floor.journal, floor)
        task = asyncio.create_task(publisher.run())
        await floor.until(online=True)
        task.cancel()
        proxy.cut()
        await asyncio.wait([task])
        status = await ear.until(lambda ear: len(ear.payloads("status")) > 1 and ear.payloads("status")[-1])

        assert status["state"] == "offline"
        assert status["boot"] == floor.journal.boot


async def test_a_broker_that_forgot_everything_is_told_everything(floor: Floor, mosquitto: Mosquitto) -> None:
    """Within five seconds after an empty broker came back, every retained topic is there, and online last; also when it
    was away for so long that it is tried as seldom as can be.
    """
    async with publishing(floor, mosquitto.port) as publisher:
        await floor.until(online=True)
        await mosquitto.kill()
        await floor.until(online=False)
        await floor.deal(3)
        while publisher._delay < BACKOFF[1]:  # noqa: ASYNC110 - an attempt in vain tells nobody
            await asyncio.sleep(0.05)
        await mosquitto.start()
        began = time.monotonic()
        async with listening(mosquitto.port) as ear:
            seen = await ear.until(lambda ear: {str(message.topic) for message in ear.heard} >= RETAINED and ear.heard)
            assert time.monotonic() - began < 5
            assert [message.topic.value for message in seen if "/evt/" not in str(message.topic)][-1].endswith(
                "/status"
            )
            assert ear.payloads("state")[-1]["at_seq"] == 3


@pytest.mark.parametrize("cut_after", [3_000, 9_000, 20_000])
async def test_numbers_survive_a_cut(floor: Floor, mosquitto: Mosquitto, cut_after: int) -> None:
    """Cut in mid-stream, the events come at least once, and without repetitions they are gapless and in order."""
    async with proxied(mosquitto.port) as proxy, listening(mosquitto.port, f"{BASE}/evt/#") as ear:
        proxy.cut_after = cut_after
        async with publishing(floor, proxy.port):
            await asyncio.gather(floor.deal(150))
            await ear.until(lambda ear: any(event["seq"] == 150 for event in ear.payloads("evt/")))
        assert proxy.connections == 2

        seqs = [event["seq"] for event in ear.payloads("evt/")]
        assert list(dict.fromkeys(seqs)) == list(range(1, 151))
        assert len(seqs) <= 150 + 20, "no more than a window comes twice"
        assert floor.journal.published == 150


async def test_a_slow_broker_gets_every_message_whole_and_in_order(mosquitto: Mosquitto) -> None:
    """What a socket that is full does not take at once follows when it does: nothing is lost, cut or overtaken."""
    told = [Outgoing(f"{BASE}/evt/{number}", b"%d" % number * 50_000) for number in range(2 * WINDOW)]
    async with listening(mosquitto.port, f"{BASE}/evt/#") as ear, proxied(mosquitto.port) as proxy:
        async with connected(Address(port=proxy.port), "slow", Outgoing("will/of/a/tester", b"")) as broker:
            port: Any = broker._paho.socket()
            port.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            proxy.hold()
            sending = asyncio.create_task(broker.publish_all(told))
            await asyncio.sleep(0)  # one turn, in which all are sent
            assert broker._paho.want_write()
            proxy.resume()
            await sending
        await ear.until(lambda ear: len(ear.heard) == len(told))
        assert [(str(message.topic), message.payload) for message in ear.heard] == [
            (message.topic, message.payload) for message in told
        ]


@pytest.mark.parametrize("altered", [(1, 3), (5, 7), (1, 3, 5, 7)])
async def test_what_cannot_be_read_keeps_back_nothing_else(
    tmp_path: Path, mosquitto: Mosquitto, altered: tuple[int, ...]
) -> None:
    """Rows that were altered while the broker was away are passed over: what else there is comes, and what follows."""
    async with Journal.open(tmp_path / "journal.db", table=TABLE) as journal:
        await Floor(journal).deal(5)
    rows = ", ".join(map(str, altered))
    tamper(tmp_path / "journal.db", f"UPDATE entry SET words = x'00ff' WHERE number IN ({rows})")
    write_anchor(tmp_path / "journal.db", Anchor(journal.epoch, journal.head))
    async with Journal.open(tmp_path / "journal.db", table=TABLE) as journal:
        floor = Floor(journal)
        async with listening(mosquitto.port, f"{BASE}/evt/#") as ear, publishing(floor, mosquitto.port):
            await floor.until(online=True)
            await floor.deal(3)
            await ear.until(lambda ear: any(event["seq"] == 8 for event in ear.payloads("evt/")))
        told = [event["seq"] for event in ear.payloads("evt/")]
        assert told == [seq for seq in range(1, 9) if 2 * seq - 1 not in altered]
        assert journal.published == 8


async def test_a_silent_broker_is_left(floor: Floor, mosquitto: Mosquitto) -> None:
    """A broker that takes bytes and answers nothing is noticed within seconds, and the events wait in the journal."""
    async with proxied(mosquitto.port) as proxy, publishing(floor, proxy.port):
        await floor.until(online=True)
        proxy.hold()
        await floor.deal(5)
        await floor.until(online=False)
        assert "no acknowledgement" in floor.reasons[-1]
        assert floor.journal.published == 0
        proxy.cut()
        proxy.resume()
        async with listening(mosquitto.port, f"{BASE}/evt/#") as ear:
            await ear.until(lambda ear: any(event["seq"] == 5 for event in ear.payloads("evt/")))


async def test_state_is_paced_but_not_its_phases(floor: Floor, mosquitto: Mosquitto) -> None:
    """A burst of changes is told at most every 100 ms, a new phase at once, and the last state always."""
    async with listening(mosquitto.port, f"{BASE}/state") as ear, publishing(floor, mosquitto.port) as publisher:
        await floor.until(online=True)
        began = time.monotonic()
        while time.monotonic() - began < 0.5:
            await floor.deal()
            publisher.refresh()
        await ear.until(lambda ear: ear.payloads("state")[-1]["at_seq"] == floor.journal.head.seq)
        assert floor.number > 20
        assert len(ear.heard) <= 2 + (time.monotonic() - began) / 0.1

        floor.phase = "dealing"
        publisher.refresh()
        began = time.monotonic()
        await ear.until(lambda ear: ear.payloads("state")[-1]["phase"] == "dealing")
        assert time.monotonic() - began < 0.09


async def test_counters_alone_do_not_chatter(floor: Floor, mosquitto: Mosquitto) -> None:
    """A device whose counters run is not told at each of them."""
    async with listening(mosquitto.port, f"{BASE}/device/+") as ear, publishing(floor, mosquitto.port) as publisher:
        await floor.until(online=True)
        for _ in range(5):
            floor.frames += 1
            publisher.refresh()
            await floor.deal()
        assert len(ear.heard) == 1


async def test_what_an_earlier_configuration_left_is_cleared(floor: Floor, mosquitto: Mosquitto) -> None:
    """A retained device that the table does not have is gone after the connection; its own are not."""
    async with listening(mosquitto.port, f"{BASE}/device/+") as ear:
        await ear.client.publish(f"{BASE}/device/shoe9", b'{"device":"shoe9"}', qos=1, retain=True)
        async with publishing(floor, mosquitto.port):
            await ear.until(lambda ear: None in ear.payloads("device/shoe9"))
            await floor.until(online=True)
    async with listening(mosquitto.port, f"{BASE}/device/+", f"{BASE}/meta") as ear:
        await ear.until(lambda ear: ear.payloads("meta"))
        assert ear.payloads("device/shoe9") == []


async def test_a_foreign_status_is_set_right(floor: Floor, mosquitto: Mosquitto) -> None:
    """Whoever overwrites the status, as a late will of the last connection does, is corrected at once."""
    async with listening(mosquitto.port, f"{BASE}/status") as ear, publishing(floor, mosquitto.port):
        await floor.until(online=True)
        await ear.client.publish(f"{BASE}/status", b'{"state":"offline"}', qos=1, retain=True)
        await ear.until(
            lambda ear: [status["state"] for status in ear.payloads("status")][-2:] == ["offline", "online"]
        )


async def test_a_broker_that_remembers_more_is_believed(floor: Floor, mosquitto: Mosquitto) -> None:
    """A retained state further than the journal means that the journal lost its end."""
    async with listening(mosquitto.port, f"{BASE}/state") as ear:
        held = msgspec.json.encode({"epoch": floor.journal.epoch, "at_seq": 99})
        await ear.client.publish(f"{BASE}/state", held, qos=1, retain=True)
    async with publishing(floor, mosquitto.port):
        await floor.until(online=True)
    assert floor.behind == [99]


NO_JSON = (
    b"\xff",
    b"\0",
    b"null",
    b"1e999",
    b"[" * 16_000,
    b'{"x":' * 3_000,
    b'{"data":' * 1_800,
    b'{"epoch":"\xc3(","at_seq":1}',
)
"""What JSON readers choke on; the nested ones are deeper than Python goes."""


@pytest.mark.parametrize("payload", NO_JSON, ids=lambda payload: repr(payload[:20]))
async def test_bytes_that_are_no_json_harm_nothing(floor: Floor, mosquitto: Mosquitto, payload: bytes) -> None:
    """Where the state stands, where a device's health does, and as a command: the table starts, refuses and goes on."""
    async with listening(mosquitto.port, f"{BASE}/rsp/console") as ear:
        for topic in ("state", "device/shoe1", "device/gone", "status"):
            await ear.client.publish(f"{BASE}/{topic}", payload, qos=1, retain=True)
        async with publishing(floor, mosquitto.port):
            await floor.until(online=True)
            refused = await send(ear, payload)
            done = await ask(ear)

    assert (refused["ok"], refused["error"]["code"]) == (False, "malformed")
    assert done["ok"]
    assert floor.reasons == [""]


async def test_a_topic_that_the_broker_refuses_is_an_error(floor: Floor, tmp_path: Path) -> None:
    """An access list that drops our events is not mistaken for success: nothing counts as published."""
    rules = tmp_path / "acl"
    rules.write_text(f"topic readwrite {BASE}/#\ntopic deny {BASE}/evt/#\n")
    async with running(tmp_path, f"acl_file {rules}") as broker, publishing(floor, broker.port):
        await floor.deal()
        async with asyncio.timeout(10):
            while "refuses" not in "".join(floor.reasons):
                floor.changed.clear()
                await floor.changed.wait()
    assert floor.journal.published == 0
    assert "evt/cards/dealt" in "".join(floor.reasons)


def _descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def test_attempts_leave_nothing_open(floor: Floor) -> None:
    """A port that takes connections and never speaks MQTT costs no descriptor, however often it is tried."""
    silent: list[asyncio.StreamWriter] = []
    tried = asyncio.Event()

    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        silent.append(writer)
        tried.set()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    opened = []
    async with publishing(floor, server.sockets[0].getsockname()[1]):
        for _ in range(3):
            tried.clear()
            await tried.wait()
            opened.append(_descriptors() - len(silent))
    for writer in silent:
        writer.transport.abort()
    server.close()
    await server.wait_closed()

    assert len(set(opened)) == 1
    assert "timed out" in floor.reasons[-1]


# Commands


async def ask(ear: Ear, verb: str = "dealer/no-more-bets", *, retain: bool = False, **fields: Any) -> Any:
    """Send a command as an MQTT 5 client does, and return the reply."""
    payload = msgspec.json.encode({"v": 1, "key": "k1", "by": "Dealer 7", "data": {}} | fields)
    return await send(ear, payload, verb, retain=retain)


async def send(ear: Ear, payload: bytes, verb: str = "dealer/no-more-bets", *, retain: bool = False) -> Any:
    """Send bytes as a command, and return the reply."""
    properties: Any = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.ResponseTopic = f"{BASE}/rsp/console"
    properties.CorrelationData = str(time.monotonic_ns()).encode()
    await ear.client.publish(f"{BASE}/cmd/{verb}", payload, qos=1, retain=retain, properties=properties)

    def answer(ear: Ear) -> Any:
        for message in ear.heard:
            if getattr(message.properties, "CorrelationData", None) == properties.CorrelationData:
                return decoded(message)
        return None

    return await ear.until(answer)


@pytest.fixture
async def console(floor: Floor, mosquitto: Mosquitto) -> AsyncIterator[Ear]:
    async with publishing(floor, mosquitto.port):
        await floor.until(online=True)
        async with listening(mosquitto.port, f"{BASE}/rsp/console") as ear:
            yield ear


async def test_a_command_is_done_and_answered(floor: Floor, console: Ear) -> None:
    """What was announced reaches the table with its person, and the reply names the fact that shows the effect."""
    reply = await ask(console, round=7, expires="2999-01-01T00:00:00Z")

    assert reply == {"v": 1, "key": "k1", "ok": True, "seq": 1}
    said = floor.submitted[0]
    assert (said.body, said.source, said.by, said.key) == (NoMoreBets(), "dealer", "Dealer 7", "k1")


async def test_a_refusal_of_the_table_names_its_rule(console: Ear) -> None:
    """What was awaited and the clause arrive at the caller."""
    await ask(console)
    reply = await ask(console, key="k2")

    assert reply["ok"] is False
    assert reply["error"] == {
        "code": "not-awaited",
        "awaited": "card",
        "clause": "13:69F-6.5(d)",
        "text": "wagers are closed",
    }


UNFIT: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("dealer/no-more-bets", {"round": 6}, "other-round", "the command is for round 6"),
    ("dealer/no-more-bets", {"expires": "2026-01-01T00:00:00Z"}, "expired", "2026-01-01"),
    ("dealer/no-more-bets", {"expires": "soon"}, "malformed", "$.expires"),
    ("dealer/no-more-bets", {"expires": "2999-01-01T00:00:00"}, "malformed", "$.expires"),
    ("dealer/no-more-bets", {"key": ""}, "malformed", "$.key"),
    ("dealer/no-more-bets", {"v": 2}, "malformed", "$.v"),
    ("dealer/no-more-bets", {"expire": "x"}, "malformed", "expire"),
    ("dealer/no-more-bets", {"data": {"loud": True}}, "malformed", "loud"),
    ("dealer/count-stub", {"data": {"count": "4"}}, "malformed", "$.count"),
    ("dealer/no-more-bets", {"data": {"type": "void-round", "reason": "x"}}, "malformed", "reason"),
    ("dealer/count-stub", {"data": {"count": 10**20}}, "malformed", "$.data"),
    ("dealer/no-more-bets", {"data": {"loud": [[]]}}, "malformed", "$.data"),
    ("dealer/no-more-bets", {"reply_to": "console\n"}, "malformed", "$.reply_to"),
    ("dealer/call-floor", {"data": {"reason": "x" * LARGEST}}, "malformed", "bytes"),
    ("dealer/dance", {}, "unknown-verb", "dance"),
    ("dealer/void-round", {"data": {"reason": "x"}}, "role-not-allowed", "dealer may not say void-round"),
    ("service/no-more-bets", {}, "role-not-allowed", "service"),
    ("system/time-reached", {"data": {"due": "shift", "what": "x"}}, "role-not-allowed", "system"),
    ("dealer/no-more-bets", {"retain": True}, "retained", "retained"),
)


@pytest.mark.parametrize("case", UNFIT, ids=lambda case: f"{case[2]}-{case[3]}")
async def test_what_must_not_reach_the_table(floor: Floor, console: Ear, case: tuple[Any, ...]) -> None:
    """Each kind of unfit command is refused with its place and reason, and the table hears nothing; one that could
    have been done stands in the record, with who said it, and the malformed does not.
    """
    verb, fields, code, text = case
    reply = await ask(console, verb, **fields)

    assert (reply["ok"], reply["error"]["code"]) == (False, code)
    assert text in reply["error"]["text"]
    assert floor.submitted == []
    role, _, word = verb.partition("/")
    awaited = [(word, role, "Dealer 7", code)] if code in RECORDED else []
    assert [(away.verb, away.role, away.by, away.code) for away in floor.turned_away] == awaited


@pytest.mark.parametrize(
    ("verb", "data", "awaited"),
    [
        ("dealer/place-wager", {"position": 3}, "{hand, wager, [amount], [owner], [form]}"),
        ("dealer/place-wagr", {}, "place-wager"),
    ],
)
async def test_a_misspelt_command_is_told_what_was_meant(
    floor: Floor, console: Ear, verb: str, data: dict[str, Any], awaited: str
) -> None:
    """Wrong data is answered with the fields that the verb takes, a verb that is none with those that are like it."""
    del floor
    reply = await ask(console, verb, data=data)
    assert reply["error"]["awaited"].startswith(awaited)


async def test_a_repeated_key_has_one_effect(floor: Floor, console: Ear, mosquitto: Mosquitto) -> None:
    """Delivered twice, in this process and after a restart, a command is done once and gets the same reply."""
    replies = [await ask(console), await ask(console)]
    again = Floor(floor.journal)
    async with publishing(again, mosquitto.port):
        await again.until(online=True)
        replies.append(await ask(console))

    assert replies == [{"v": 1, "key": "k1", "ok": True, "seq": 1}] * 3
    assert len(floor.submitted) == 1
    assert again.submitted == []


async def test_a_refused_key_stays_refused(floor: Floor, console: Ear) -> None:
    """The same key gets the first reply, even if it would be right by now."""
    first = await ask(console, round=8)
    floor.round = 8
    second = await ask(console, round=8)

    assert first == second
    assert floor.submitted == []
    assert len(floor.turned_away) == 1
    assert (await ask(console, round=8, key="k2"))["ok"] is True


async def test_a_key_stands_for_one_verb(floor: Floor, console: Ear) -> None:
    """A key taken for another announcement is refused, not mistaken for a repetition."""
    await ask(console)
    reply = await ask(console, "dealer/no-roll")

    assert reply["error"]["code"] == "key-reused"
    assert len(floor.submitted) == 1


async def test_a_caller_without_response_topic_is_answered(console: Ear, mosquitto: Mosquitto) -> None:
    """A 3.1.1 client names itself in the payload."""
    payload = msgspec.json.encode({"v": 1, "key": "k1", "reply_to": "console"})
    async with aiomqtt.Client("127.0.0.1", mosquitto.port) as client:
        await client.publish(f"{BASE}/cmd/dealer/no-more-bets", payload, qos=1)
    reply = await console.until(lambda ear: ear.payloads("rsp/console"))

    assert [one["ok"] for one in reply] == [True]


async def test_a_reply_cannot_become_a_command(floor: Floor, console: Ear, mosquitto: Mosquitto) -> None:
    """A Response Topic inside the tables' own tree, other than for replies, is not written to."""
    async with listening(mosquitto.port, f"{BASE}/cmd/#", f"{BASE}/status") as spy:
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.ResponseTopic = f"{BASE}/status"
        payload = msgspec.json.encode({"v": 1, "key": "k1"})
        await console.client.publish(f"{BASE}/cmd/dealer/no-more-bets", payload, qos=1, properties=properties)
        await ask(console, key="k2")

        assert [status["state"] for status in spy.payloads("status")] == ["online"]
        assert len(floor.submitted) == 2


async def test_a_reply_cannot_cost_the_connection(floor: Floor, console: Ear) -> None:
    """Where the broker cuts off whoever publishes on a topic of so many levels, nothing is answered."""
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.ResponseTopic = "a/" * 250
    payload = msgspec.json.encode({"v": 1, "key": "k1"})
    await console.client.publish(f"{BASE}/cmd/dealer/no-more-bets", payload, qos=1, properties=properties)
    reply = await ask(console, key="k2")

    assert reply["key"] == "k2"
    assert floor.reasons == [""]


async def test_a_dead_journal_is_told(floor: Floor, console: Ear) -> None:
    """A command that cannot be kept is refused for that reason."""
    floor.failure = JournalError("journal: database or disk is full")
    reply = await ask(console)

    assert (reply["error"]["code"], reply["error"]["text"]) == ("journal-failed", "journal: database or disk is full")


async def test_a_command_whose_record_was_altered_is_told_so(floor: Floor, console: Ear) -> None:
    """Said again under a key whose row cannot be read any more, it is neither done again nor the end of anything."""
    await ask(console)
    tamper(floor.journal.path, "UPDATE entry SET words = x'00ff' WHERE number = 1")
    again, other = await ask(console), await ask(console, key="k2")

    assert (again["ok"], again["error"]["code"]) == (False, "journal-failed")
    assert other["error"]["code"] == "not-awaited"
    assert len(floor.submitted) == 2


def _living() -> int:
    """Return the bytes in use, without the cycles that an ended attempt to connect leaves for the collector."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


async def test_nothing_is_kept_for_an_absent_broker(floor: Floor, mosquitto: Mosquitto) -> None:
    """What waits for a broker is the journal: memory stays flat, and one line tells of the outage."""
    async with publishing(floor, mosquitto.port) as publisher:
        await floor.until(online=True)
        await mosquitto.kill()
        await floor.until(online=False)
        await floor.deal(200)
        tracemalloc.start()
        before = _living()
        for _ in range(30):
            await floor.deal(100)
            publisher.refresh()
        grown = _living() - before
        tracemalloc.stop()

    assert grown < 200_000
    assert len(floor.reasons) <= 3
