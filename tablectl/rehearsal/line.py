"""What the people at the table hear and say: published events in, commands and their replies out."""

import asyncio
import itertools
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiomqtt
import msgspec

from tablectl.devices.contract import State as DeviceState
from tablectl.errors import LinkLost, TablectlError
from tablectl.events.announcements import Announcement, Role
from tablectl.events.codec import decode_fact
from tablectl.events.facts import (
    CommandEnded,
    Fact,
    RollDue,
    RoundOpened,
    RoundStepAwaited,
    ShuffleDue,
    StackDue,
    StubDue,
)
from tablectl.publisher import Address
from tablectl.publisher.payloads import Command, DeviceHealth, Envelope, Refusal, Reply, Status
from tablectl.publisher.topics import Topics
from tablectl.view import State

PATIENCE = 10.0
"""Seconds in which the table answers."""
_KEEPALIVE = 10

_UNPUBLISHED: dict[str, dict[str, Any]] = {RoundOpened.name(): {"snapshot": {}}}
"""Fields of facts that never leave the record: players could count a live shoe by them."""

Listener = Callable[[Envelope, Fact], None]


class Unanswered(TablectlError):  # noqa: N818 - what happened
    """The table did not answer a command."""


class Line:
    """The table as one hears of it; made by :func:`hear`.

    state: as it was last shown; at_seq: the last event heard, which may be newer; refused: every announcement that was
    not taken, and why.
    """

    def __init__(self, client: aiomqtt.Client, topics: Topics) -> None:
        self.health: dict[str, DeviceHealth] = {}
        self.refused: list[tuple[Announcement, Refusal]] = []
        self.online = False
        self.state = State(1, topics.table, "", 0, "")
        self.at_seq = 0
        self._client, self._topics = client, topics
        self._step: tuple[int, RoundStepAwaited] | None = None
        self._due: dict[str, type[Fact]] = {}
        self._listeners: list[Listener] = []
        self._heard = asyncio.Condition()
        self._name = f"rehearsal-{secrets.token_hex(4)}"
        self._keys = itertools.count(1)
        self._replies: dict[str, asyncio.Future[Reply]] = {}

    @property
    def awaited(self) -> RoundStepAwaited | None:
        """Return what is awaited now, None before the table has said so."""
        return self._step[1] if self._step else None

    def on_event(self, listener: Listener) -> None:
        """Call the listener for each event, in order."""
        self._listeners.append(listener)

    def is_due(self, intent: type[Fact]) -> bool:
        """Tell whether a device still has this to do."""
        return intent in self._due.values()

    def shows(self, kind: str, state: DeviceState) -> bool:
        """Tell whether the device of this kind shows this state."""
        return any(kind in health.kinds and health.state is state for health in self.health.values())

    async def until(self, true: Callable[[], Any]) -> None:
        """Wait until what one hears makes something true."""
        async with self._heard:
            await self._heard.wait_for(true)

    async def step(self, after: int) -> tuple[int, RoundStepAwaited]:
        """Return what is awaited, with its number in the stream, once that is something newer than this number."""
        await self.until(lambda: self._step and self._step[0] > after)
        assert self._step is not None
        return self._step

    async def say(self, body: Announcement, role: Role = Role.DEALER) -> bool:
        """Say something to the table, and tell whether it counts; what follows from it was heard by then.

        Raises:
            Unanswered: no reply in time.
            LinkLost: the broker is gone.
        """
        key = f"{self._name}-{next(self._keys)}"
        data = msgspec.to_builtins(body)
        command = Command(v=1, key=key, by=str(role), data=data, reply_to=self._name)
        topic = f"{self._topics.base}/cmd/{role}/{data.pop('type')}"
        answer = self._replies[key] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._client.publish(topic, msgspec.json.encode(command), qos=1)
                reply: Reply = await answer
                await self.until(lambda: self.at_seq >= reply.seq)
        except TimeoutError:
            raise Unanswered(f"the table did not answer {body.name()} in {PATIENCE:g} s") from None
        except aiomqtt.MqttError as error:
            raise _lost(error) from error
        finally:
            del self._replies[key]
        if reply.error:
            self.refused.append((body, reply.error))
        return reply.ok

    async def listen(self) -> None:
        """Hear the table until cancelled.

        Raises:
            LinkLost: the broker is gone.
        """
        try:
            async for message in self._client.messages:
                self._take(message.topic.value, bytes(message.payload or b""))
                async with self._heard:
                    self._heard.notify_all()
        except aiomqtt.MqttError as error:
            raise _lost(error) from error

    def _take(self, topic: str, payload: bytes) -> None:
        topics = self._topics
        if topic == topics.reply(self._name):
            reply = msgspec.json.decode(payload, type=Reply)
            if waiting := self._replies.get(reply.key):
                waiting.set_result(reply)
        elif topic.startswith(topics.event("")):
            self._take_event(msgspec.json.decode(payload, type=Envelope))
        elif topic == topics.status:
            self.online = bool(payload) and msgspec.json.decode(payload, type=Status).state == "online"
        elif topic == topics.state:
            self.state = msgspec.json.decode(payload, type=State)
        elif payload:
            health = msgspec.json.decode(payload, type=DeviceHealth)
            self.health[health.device] = health

    def _take_event(self, envelope: Envelope) -> None:
        if envelope.seq <= self.at_seq:
            return  # delivered once more
        data = {**_UNPUBLISHED.get(envelope.type, {}), **envelope.data, "type": envelope.type}
        fact = decode_fact(msgspec.json.encode(data))
        self.at_seq = envelope.seq
        match fact:
            case RoundStepAwaited():
                self._step = envelope.seq, fact
            case ShuffleDue() | StackDue() | StubDue() | RollDue():
                self._due[fact.command] = type(fact)
            case CommandEnded(command=command):
                self._due.pop(command, None)
        for listener in self._listeners:
            listener(envelope, fact)

    async def subscribe(self) -> None:
        """Ask the broker for everything that one hears at the table."""
        topics = self._topics
        heard = (topics.event("#"), topics.status, topics.state, topics.device("+"), topics.reply(self._name))
        await self._client.subscribe([(topic, 1) for topic in heard])


@asynccontextmanager
async def hear(broker: Address, table: str) -> AsyncIterator[Line]:
    """Open a line to a table, before or after the table is there.

    Raises:
        LinkLost: the broker cannot be reached.
    """
    protocol = aiomqtt.ProtocolVersion.V5 if broker.protocol == "5" else aiomqtt.ProtocolVersion.V311
    client = aiomqtt.Client(
        broker.host,
        broker.port,
        protocol=protocol,
        keepalive=_KEEPALIVE,
        timeout=PATIENCE,
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
    )
    try:
        async with client:
            line = Line(client, Topics(table))
            await line.subscribe()
            yield line
    except aiomqtt.MqttError as error:
        raise _lost(error) from error


def _lost(error: aiomqtt.MqttError) -> LinkLost:
    return LinkLost("broker-lost", f"the broker is gone: {error}")
