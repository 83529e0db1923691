"""The display's ear on the broker: it subscribes, comes back when the broker does, and never publishes."""

import asyncio
import random
from datetime import UTC, datetime

import aiomqtt
import structlog

from tablectl.pit.board import Board
from tablectl.publisher.broker import Address
from tablectl.publisher.topics import Topics

KEEPALIVE = 2
"""Seconds; a broker that answers no more is found out after at most twice as long."""

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 2.0
"""Seconds between attempts to connect: a broker that returns is heard again within five seconds."""

REFUSED = 0x80
"""Where MQTT's refusals begin."""

log = structlog.get_logger(__name__)


def now() -> str:
    """Return the wall clock as all of tablectl writes it: RFC 3339, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def listen(broker: Address, board: Board) -> None:
    """Tell the board all that the broker says of its pit, for ever."""
    pause = FIRST_PAUSE
    while True:
        try:
            async with _client(broker) as client:
                await _subscribe(client, board)
                pause = FIRST_PAUSE
                async for message in client.messages:
                    board.hear(message.topic.value, _bytes(message.payload), now())
        except aiomqtt.MqttError as error:
            if board.link.up or pause == FIRST_PAUSE:
                log.warning("broker.lost", host=broker.host, port=broker.port, error=str(error))
            board.disconnected(f"no connection to the broker: {error}", now())
        await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads attempts, guards nothing
        pause = min(2 * pause, LONGEST_PAUSE)


def _client(broker: Address) -> aiomqtt.Client:
    """Return a client for one connection; a used one may deliver what belongs to the last.

    Its queue is unbounded: what is retained for a whole pit comes at once, and no part of it may be dropped.
    """
    return aiomqtt.Client(
        broker.host,
        broker.port,
        username=broker.username,
        password=broker.password,
        protocol=aiomqtt.ProtocolVersion.V5 if broker.protocol == "5" else aiomqtt.ProtocolVersion.V311,
        tls_context=broker.tls,
        keepalive=KEEPALIVE,
        timeout=2,
    )


async def _subscribe(client: aiomqtt.Client, board: Board) -> None:
    """Subscribe to what a display shows of each table; commands and replies are none of its business.

    Raises:
        aiomqtt.MqttError: refused, or no answer in time.
    """
    tables = Topics(f"{board.site}/{board.pit}/+")
    told = tables.status, tables.meta, tables.state, tables.alarms, tables.device("+"), tables.event("#")
    board.connected(now())  # before the subscription: what is retained follows it at once
    granted = await client.subscribe([(topic, 1) for topic in (*told, f"{tables.base}/bridge")])
    if any((code if isinstance(code, int) else code.value) >= REFUSED for code in granted):
        raise aiomqtt.MqttError("it refuses to let this display read the tables")
    log.info("broker.connected", site=board.site, pit=board.pit)


def _bytes(payload: object) -> bytes:
    return payload if isinstance(payload, bytes) else b""
