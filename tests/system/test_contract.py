"""A rehearsal heard by somebody who believes nothing but the published schemas."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt
import pytest

from tablectl.events.facts import RoundEnded
from tablectl.publisher.schemas import RETAINED
from tablectl.rehearsal import SETUPS, Plan
from tablectl.rehearsal.dealer import Dealer
from tablectl.rehearsal.players import Players
from tablectl.terms import Sight, Wagers
from tests.brokers import Mosquitto, mosquitto
from tests.contract import faults, schema_of
from tests.system.harness import floor

__all__ = ["mosquitto"]

Knowing = tuple[Wagers, Sight]
KNOWING: list[Knowing] = [(Wagers.AMOUNTS, Sight.EXPOSED), (Wagers.PRESENCE, Sight.CALLED)]
IN_TURN = [(*setup, knows) for setup, knows in zip(SETUPS, itertools.cycle(KNOWING), strict=False)]
EVERYTHING = "tablectl/v1/#"


@asynccontextmanager
async def overhearing(port: int, heard: dict[str, list[bytes]]) -> AsyncIterator[None]:
    """Collect every payload by its topic."""
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, timeout=5) as client:
        await client.subscribe(EVERYTHING, qos=1)
        task = asyncio.create_task(keep(client, heard))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])


async def keep(client: aiomqtt.Client, heard: dict[str, list[bytes]]) -> None:
    async for message in client.messages:
        assert isinstance(message.payload, bytes)
        heard.setdefault(str(message.topic), []).append(message.payload)


async def play(plan: Plan, folder: Path, broker: Mosquitto, rounds: int) -> dict[str, list[bytes]]:
    """Return all that was said and told while so many rounds were played, from birth to farewell."""
    heard: dict[str, list[bytes]] = {}
    async with overhearing(broker.port, heard), floor(plan, folder, broker.port) as table:
        # Not the floor's own dealer, who looks twice at each hand, for tests that restart the daemon.
        dealer = Dealer(plan, table.line, table.guest, table.chores, Players(plan, table.line, table.guest))
        daemon = await table.daemon()
        await table.until(lambda: table.line.online)
        table.background(table.chores.work())
        await table.supervisor.open()
        await dealer.open()
        table.background(dealer.work())
        await table.until(lambda: len(table.line.found(RoundEnded)) >= rounds, 30 + 10 * rounds)
        await table.finish()
        assert await daemon.stop() == 0, daemon.log()
        await table.until(lambda: not table.line.online)
    return heard


def prove(heard: dict[str, list[bytes]]) -> None:
    found = [
        fault
        for topic, payloads in heard.items()
        for payload in dict.fromkeys(payloads)
        for fault in faults(topic, payload)
    ]
    kinds = {schema_of(topic) for topic in heard}

    assert found == []
    assert {*RETAINED, "reply", "round.opened", "wager.settled", "cards.dealt", "command/open-table"} <= kinds


@pytest.mark.parametrize(("game", "variant", "knows"), IN_TURN)
async def test_every_payload_keeps_the_contract(
    tmp_path: Path, mosquitto: Mosquitto, game: str, variant: str, knows: Knowing
) -> None:
    """Two rounds of each game: all that is published, commands and replies too, validates and has no field more."""
    plan = Plan(game, variant, *knows, speed=float("inf"))

    prove(await play(plan, tmp_path, mosquitto, 2))


@pytest.mark.soak
@pytest.mark.parametrize("knows", KNOWING)
@pytest.mark.parametrize(("game", "variant"), SETUPS)
async def test_twenty_rounds_keep_the_contract(
    tmp_path: Path, mosquitto: Mosquitto, game: str, variant: str, knows: Knowing
) -> None:
    """The same holds for twenty rounds of each game, whatever the table knows of wagers and cards."""
    plan = Plan(game, variant, *knows, speed=float("inf"), seed=7)

    prove(await play(plan, tmp_path, mosquitto, 20))
