"""The daemon is told to stop while a shoe is unlocked: its last order arrives, or is told as not answered."""

import asyncio
import os
import termios
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tablectl.devices.bench import run
from tablectl.devices.contract import State
from tablectl.devices.pty import open_pty
from tablectl.events.facts import (
    CardsDealt,
    CardsLocked,
    CommandEnded,
    DeviceCameOnline,
    DeviceWentOffline,
    Fact,
    RoundEnded,
    TableSuspended,
    WagerPlaced,
)
from tablectl.journal import Reader
from tablectl.rehearsal import Plan
from tablectl.rehearsal.plan import port, serial
from tests.brokers import Mosquitto, mosquitto
from tests.drivers.tables import make
from tests.system.harness import Floor, floor

__all__ = ["mosquitto"]

RED_DOG = Plan(game="red-dog", speed=float("inf"))
SHOE = "card-shoe"
ENDED_IN = 2.0


@asynccontextmanager
async def unlocked(folder: Path, broker: int) -> AsyncIterator[tuple[Floor, Any]]:
    """Put up a table whose shoe is unlocked for a card that nobody draws yet."""
    async with floor(RED_DOG, folder, broker, devices=()) as table:
        deck = RED_DOG.terms.composition
        where = {
            "world": str(folder / "world"),
            "serial": serial(SHOE),
            "deck": f"{deck.decks}x{deck.size // deck.decks}",
        }
        shoe, options = make(SHOE, **where, cut="70")
        line = open_pty(port(folder, SHOE))
        table.background(run(shoe, line, options))
        await table.daemon()
        await table.play_until(WagerPlaced)
        async with asyncio.timeout(10):
            while shoe.state is not State.LOADED:  # noqa: ASYNC110 - a lock tells nobody that it is open
                await asyncio.sleep(0.01)
        yield table, shoe
    await line.close()


async def stop(table: Floor) -> tuple[int, bool, str]:
    """Stop the daemon: its status, whether it was quick, and its log."""
    daemon = table._programs[-1]
    began, status = time.monotonic(), await daemon.stop()
    return status, time.monotonic() - began < ENDED_IN, daemon.log()


def recorded(table: Floor) -> list[Fact]:
    with Reader(table.journal) as reader:
        return [stated.fact for entry in reader.entries() for stated in entry.facts]


async def play_on(table: Floor, shoe: Any) -> None:
    """Start again, and play the round to its end without a supervisor, once the shoe is unlocked anew."""
    before = shoe._unlocked
    await table.daemon()
    async with asyncio.timeout(20):
        while shoe._unlocked in (None, before):  # noqa: ASYNC110 - a lock tells nobody that it is open
            await asyncio.sleep(0.01)
    table.play()
    await table.until_told(RoundEnded)


async def test_a_shoe_is_locked_before_the_daemon_ends(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """What is written just before a process ends may never arrive. A shoe that is unlocked when SIGTERM comes is
    locked, and has said so, before the daemon ends; the card is due again after the next start, and nobody has to rule,
    also where opening its port has reset the shoe, of which the record tells.
    """
    async with unlocked(tmp_path, mosquitto.port) as (table, shoe):
        assert (await stop(table))[:2] == (0, True)
        locked = next(told for told in reversed(recorded(table)) if isinstance(told, CardsLocked))
        assert shoe.state is State.LOCKED
        assert shoe.memory.recall(locked.command).result.value == "done"
        shoe.cut_power(asyncio.get_running_loop().time())
        await play_on(table, shoe)

        assert len({told.boot for told in table.line.found(DeviceCameOnline)}) == 2
        assert table.line.found(TableSuspended)[0].reason == "the controller stopped"
        assert [told for told in table.line.found(CommandEnded) if told.outcome != "done"] == []


async def test_a_shoe_that_cannot_be_locked_is_told(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """When the shoe takes no byte any more the daemon ends in under two seconds all the same, and neither log nor
    record is silent about the order that was not answered; the next start locks the shoe first.
    """
    async with unlocked(tmp_path, mosquitto.port) as (table, shoe):
        terminal = os.open(port(tmp_path, SHOE), os.O_RDWR | os.O_NOCTTY)
        termios.tcflow(terminal, termios.TCOOFF)
        status, quick, log = await stop(table)
        termios.tcflow(terminal, termios.TCOON)
        os.close(terminal)

        assert (status, quick) == (0, True)
        assert "device.unanswered" in log
        assert "cards.locked" in log
        assert shoe.state is State.LOADED, "it is unlocked still"
        text = "it did not answer its last order, cards.locked, before the controller stopped"
        assert DeviceWentOffline("shoe1", "silent", text) in recorded(table)
        before = shoe.strokes
        await play_on(table, shoe)
        dealt = sum(len(told.cards) for told in table.line.found(CardsDealt))
        assert (before, shoe.strokes) == (0, dealt)
