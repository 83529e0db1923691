"""The port to the broker: one connection, acknowledged publishes, and every way to lose it as one error.

Over aiomqtt, whose publish neither wakes at a disconnect nor reads the broker's reason code; so publishes go to the
client beneath it, and one connection is one client object, never entered twice.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from functools import lru_cache
from typing import Any, Literal

import aiomqtt
import msgspec
from aiomqtt import Message, ProtocolVersion
from paho.mqtt.client import Client as PahoClient
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

PATIENCE = 2.0
"""Seconds for whatever the broker has to answer; also bounds a stop while it does not."""

WINDOW = 20
"""Publishes that may wait for their acknowledgement."""

KEEPALIVE = 10  # seconds; the last will is out one and a half times as long after a power cut
_UNREAD = 100  # messages that wait to be read

_FIRST_REFUSAL = 0x80  # among MQTT's reason codes

_PROTOCOLS = {"5": ProtocolVersion.V5, "3.1.1": ProtocolVersion.V311}


class BrokerLost(Exception):  # noqa: N818 - what happened
    """The broker cannot be reached, went away, or does not answer."""


class PublishRefused(BrokerLost):
    """The broker will not take this topic from us."""


class Address(msgspec.Struct, frozen=True):
    """Where the broker is and how it is spoken to. tls: None for plain TCP, which is for loopback."""

    host: str = "127.0.0.1"
    port: int = 1883
    protocol: Literal["5", "3.1.1"] = "5"
    username: str | None = None
    password: str | None = None
    tls: ssl.SSLContext | None = None


class Outgoing(msgspec.Struct, frozen=True):
    """One message to publish at QoS 1. schema: id of its payload. expiry: seconds worth delivering, 0 for ever."""

    topic: str
    payload: bytes
    schema: str = ""
    retain: bool = False
    expiry: int = 0
    correlation: bytes = b""


class _Inbox(asyncio.Queue[Message]):
    """What waits to be read. What finds no room is dropped though the broker thinks it delivered: its sender gets no
    reply, and asks again under the same key.
    """

    dropped = 0

    def put_nowait(self, item: Message) -> None:
        if self.full():
            self.dropped += 1
        else:
            super().put_nowait(item)


class Broker:
    """One living connection."""

    def __init__(self, client: aiomqtt.Client, protocol: str) -> None:
        self._client = client
        self._paho: PahoClient = client._client  # noqa: SLF001 - for the reason codes, see above
        self._paho.on_publish = self._acknowledged
        self._paho.on_socket_register_write = _at_once(client._on_socket_register_write)  # noqa: SLF001 - its own way, for the rest
        self._five = protocol == "5"
        self._waiting: dict[int, asyncio.Future[ReasonCode]] = {}

    async def publish(self, message: Outgoing) -> None:
        """Send a message and wait until the broker has it; raises as `publish_all` does."""
        await self.publish_all((message,))

    async def publish_all(self, messages: Iterable[Outgoing]) -> None:
        """Send messages in order, each as soon as it is given, and wait until the broker has all of them.

        Raises:
            PublishRefused: the broker says that it will not have one (MQTT 5 only; before, it cannot say).
            BrokerLost: no acknowledgement in time.
        """
        sent = [(message.topic, self._send(message)) for message in messages]
        topic = ""
        try:
            async with asyncio.timeout(PATIENCE):
                for topic, taken in sent:
                    code = await taken
                    if code.is_failure:
                        raise PublishRefused(f"the broker refuses {topic}: {code}")
        except TimeoutError:
            raise BrokerLost(f"no acknowledgement of {topic} in {PATIENCE:g} s") from None

    def _send(self, message: Outgoing) -> "asyncio.Future[ReasonCode]":
        """Send a message; the future is done with the broker's answer."""
        properties = _properties(message.schema, message.expiry, message.correlation) if self._five else None
        sent = self._paho.publish(message.topic, message.payload, 1, message.retain, properties)
        if sent.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise BrokerLost(f"{message.topic} was not sent: {sent.rc.name}")
        taken = self._waiting[sent.mid] = asyncio.get_running_loop().create_future()
        return taken

    async def subscribe(self, *topics: str) -> None:
        """Receive what is published there, with the retained flag as its sender set it.

        Raises:
            BrokerLost: refused, or no answer in time.
        """
        options = SubscribeOptions(qos=1, retainAsPublished=True)
        wanted: Any = [(topic, options if self._five else 1) for topic in topics]
        try:
            granted: Any = await self._client.subscribe(wanted)
        except aiomqtt.MqttError as error:
            raise BrokerLost(f"subscribe: {error}") from error
        for topic, code in zip(topics, granted, strict=True):
            if getattr(code, "value", code) >= _FIRST_REFUSAL:
                raise BrokerLost(f"the broker refuses to let us read {topic}: {code}")

    async def unsubscribe(self, *topics: str) -> None:
        """Receive no more of what is published there.

        Raises:
            BrokerLost: no answer in time.
        """
        try:
            await self._client.unsubscribe(list(topics))
        except aiomqtt.MqttError as error:
            raise BrokerLost(f"unsubscribe: {error}") from error

    async def messages(self) -> AsyncIterator[Message]:
        """Yield what arrives.

        Raises:
            BrokerLost: at once when the connection is gone.
        """
        try:
            async for message in self._client.messages:
                yield message
        except aiomqtt.MqttError as error:
            raise BrokerLost(f"the connection ended: {error.__cause__ or error}") from error

    def dropped(self) -> int:
        """Return how many messages found no room since this was last asked; 0 as long as some are still unread."""
        inbox = self._client._queue  # noqa: SLF001 - its type is ours
        assert isinstance(inbox, _Inbox)
        if not inbox.empty():
            return 0
        count, inbox.dropped = inbox.dropped, 0
        return count

    def _acknowledged(self, _client: PahoClient, _data: Any, mid: int, code: ReasonCode, _more: Properties) -> None:
        taken = self._waiting.pop(mid, None)
        if taken is not None and not taken.done():
            taken.set_result(code)


def _at_once(later: Callable[..., None]) -> Callable[..., None]:
    """Have a packet written when it is sent; later: what aiomqtt does with it, two turns of the loop after that."""

    def write(client: PahoClient, data: object, port: object) -> None:
        if client.loop_write() == MQTTErrorCode.MQTT_ERR_SUCCESS and client.want_write():
            later(client, data, port)

    return write


class _Packed(msgspec.Struct, frozen=True):
    """Properties as they go over the wire."""

    octets: bytes

    def pack(self) -> bytes:
        return self.octets


@lru_cache(maxsize=256)  # for the schemas there are; building and packing them costs more than publishing
def _properties(schema: str, expiry: int, correlation: bytes) -> Any:
    """Return what paho needs of a message's properties."""
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.ContentType = "application/json"
    properties.PayloadFormatIndicator = 1
    if schema:
        properties.UserProperty = ("schema", schema)
    if expiry:
        properties.MessageExpiryInterval = expiry
    if correlation:
        properties.CorrelationData = correlation
    return _Packed(properties.pack())  # type: ignore[no-untyped-call]


@asynccontextmanager
async def connected(address: Address, client_id: str, will: Outgoing) -> AsyncIterator[Broker]:
    """Connect, and disconnect in order when left; the will is out only if neither side said goodbye.

    Raises:
        BrokerLost: with the reason.
    """
    client = aiomqtt.Client(
        address.host,
        address.port,
        username=address.username,
        password=address.password,
        identifier=client_id,
        protocol=_PROTOCOLS[address.protocol],
        will=aiomqtt.Will(will.topic, will.payload, qos=1, retain=True),
        timeout=PATIENCE,
        keepalive=KEEPALIVE,
        queue_type=_Inbox,
        max_inflight_messages=WINDOW,
        max_queued_incoming_messages=_UNREAD,
        tls_context=address.tls,
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
    )
    paho = client._client  # noqa: SLF001 - neither bound is reachable otherwise
    paho.connect_timeout = PATIENCE
    try:
        try:
            await client.__aenter__()
        except aiomqtt.MqttError as error:
            raise BrokerLost(f"{address.host}:{address.port}: {error}") from error
        try:
            yield Broker(client, address.protocol)
        finally:
            with suppress(aiomqtt.MqttError):  # already gone, or silent
                await client.__aexit__(None, None, None)
    finally:
        if client._disconnected.done():  # noqa: SLF001 - else asyncio complains of an error that nobody asked for
            client._disconnected.exception()  # noqa: SLF001
        paho._sock_close()  # noqa: SLF001 - a silent peer would keep it open
