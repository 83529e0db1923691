"""A change that lowers payouts waits for its time in a daemon that runs, and is then in force without help."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tablectl.daemon import controller as daemon
from tablectl.daemon.controller import Controller
from tablectl.events import announcements as say
from tablectl.events.announcements import Announcement, Role, Ruling
from tablectl.events.codec import Input
from tablectl.events.facts import RoundOpened, TableChangeDue, TableConfigured
from tablectl.journal import Record
from tablectl.money import Odds
from tablectl.replay import Replayed, replay
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import controlled
from tests.table_files import RED_DOG, RED_DOG_HOUSE

__all__ = ["mosquitto"]

TABLE = RED_DOG.split("[[device]]")[0] + '[journal]\npath = "journal.db"\n[mqtt]\n'
LESS = RED_DOG_HOUSE.replace('1 = "6 to 1"', '1 = "5 to 1"')
NOTICE = '\n[notice]\ngiven = {given}\neffective = {effective}\nby = ["ann", "bob"]\n'


def noticed(effective: datetime) -> str:
    given = effective - timedelta(hours=1)
    return LESS + NOTICE.format(given=given.isoformat(), effective=effective.isoformat())


@asynccontextmanager
async def run(folder: Path, broker: int, house: str) -> AsyncIterator[Controller]:
    """Run the daemon of a table under this house file."""
    (folder / "table.toml").write_text(f"{TABLE}port = {broker}\n")
    (folder / "house.toml").write_text(house)
    async with controlled(folder / "table.toml") as controller:
        yield controller


async def said(controller: Controller, *words: Announcement) -> None:
    for word in words:
        role = Role.SUPERVISOR if isinstance(word, Ruling) else Role.DEALER
        await controller.submit(Input(word, 1, role, by=role))


def facts(folder: Path, kind: type) -> int:
    with Record(folder / "journal.db") as record:
        return sum(isinstance(stated.fact, kind) for entry in record.entries() for stated in entry.facts)


async def until_asked_again(controller: Controller) -> None:
    """Wait until the configuration was said a second time."""
    async with asyncio.timeout(30):
        while True:
            with Record(controller.journal.path) as record:
                last = next(row for reader in reversed(record) if (row := reader.last(say.Configure)))
                before = next(row for reader in reversed(record) if (row := reader.last(TableChangeDue)))
            if last.number > before.number:
                return
            await asyncio.sleep(0.1)


OPEN = (
    say.OpenTable(("supervisor", "dealer")),
    say.ReceiveDeck("red", "red"),
    say.ConfirmShuffle("red"),
    say.LoadDeck("red"),
    say.PlaceWager("3", "original", 1000),
)


async def test_a_noticed_change_is_in_force_at_its_time_and_after_the_round(
    tmp_path: Path, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told at the start, it is asked for again when its time comes; the round that runs is settled by the old odds and
    not held up. Whoever starts meanwhile goes on under the old ones too, and the record replays.
    """
    monkeypatch.setattr(daemon, "WATCHDOG", 0.05)
    async with run(tmp_path, mosquitto.port, RED_DOG_HOUSE) as controller:
        await said(controller, *OPEN)
    async with run(tmp_path, mosquitto.port, noticed(datetime.now(UTC) + timedelta(hours=1))) as controller:
        assert controller.table.terms.rules.table("spread").lines["1"] == Odds(6, 1)
        await said(controller, say.VoidRound("to open another one"), say.PlaceWager("3", "original", 1000))
    async with run(tmp_path, mosquitto.port, noticed(datetime.now(UTC) + timedelta(seconds=4))) as controller:
        assert controller.table.terms.rules.table("spread").lines["1"] == Odds(6, 1)
        await said(controller, say.VoidRound("to open another one"), say.PlaceWager("3", "original", 1000))
        await until_asked_again(controller)
        assert not controller.table.suspended
        await said(controller, say.VoidRound("the round is over"))
        assert controller.table.terms.rules.table("spread").lines["1"] == Odds(5, 1)

    assert facts(tmp_path, TableChangeDue) == 2
    assert facts(tmp_path, RoundOpened) == 4
    assert facts(tmp_path, TableConfigured) == 2
    assert isinstance(replay(tmp_path / "journal.db"), Replayed)
