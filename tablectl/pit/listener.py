"""The display's ear on the broker: it subscribes, comes back when the broker does, and never publishes."""

import asyncio
import random
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import aiomqtt
import msgspec
import structlog

from tablectl.errors import ConfigError
from tablectl.pit.board import Board

HEARD = ("status", "meta", "state", "device/+", "alarms", "bridge", "evt/#")
"""What a display needs of each table; commands and replies are none of its business."""

KEEPALIVE = 2
"""Seconds; a broker that answers no more is found out after at most twice as long."""

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 2.0
"""Seconds between attempts to connect: a broker that returns is heard again within five seconds."""

log = structlog.get_logger(__name__)


class Broker(msgspec.Struct, frozen=True):
    """Where the broker is and how it is spoken to. protocol: ``5`` or ``3.1.1``; tls_ca: PEM file, None for no TLS."""

    host: str
    port: int = 1883
    protocol: Literal["5", "3.1.1"] = "5"
    username: str | None = None
    password: str | None = None
    tls_ca: Path | None = None

    def client(self) -> aiomqtt.Client:
        """Return a client for one connection; a used one may deliver what belongs to the last.

        Raises:
            ConfigError: the certificate file cannot be read.
        """
        return aiomqtt.Client(
            self.host,
            self.port,
            username=self.username,
            password=self.password,
            protocol=aiomqtt.ProtocolVersion.V5 if self.protocol == "5" else aiomqtt.ProtocolVersion.V311,
            tls_context=self._tls(),
            keepalive=KEEPALIVE,
            timeout=2,
        )

    def _tls(self) -> ssl.SSLContext | None:
        try:
            return ssl.create_default_context(cafile=self.tls_ca) if self.tls_ca else None
        except OSError as error:
            raise ConfigError(f"{self.tls_ca}: not a file of PEM certificates: {error}") from error


def now() -> str:
    """Return the wall clock as all of tablectl writes it: RFC 3339, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def listen(broker: Broker, board: Board) -> None:
    """Tell the board all that the broker says of its pit, for ever.

    Raises:
        ConfigError: the certificate file cannot be read.
    """
    pause = FIRST_PAUSE
    while True:
        try:
            async with broker.client() as client:
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


async def _subscribe(client: aiomqtt.Client, board: Board) -> None:
    """Subscribe to each part of every table; the board is told first, for what is retained follows at once."""
    board.connected(now())
    log.info("broker.connected", site=board.site, pit=board.pit)
    tables = f"tablectl/v1/{board.site}/{board.pit}/+"
    await client.subscribe([(f"{tables}/{part}", 1) for part in HEARD])


def _bytes(payload: object) -> bytes:
    return payload if isinstance(payload, bytes) else b""
