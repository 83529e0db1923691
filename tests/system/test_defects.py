"""A defect of our own holds the table; it neither ends the daemon nor is it forgotten."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from tablectl.config import load
from tablectl.daemon import Controller
from tablectl.events import announcements as say
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement, Role, Ruling
from tablectl.events.codec import Input
from tablectl.events.facts import AnnouncementRefused
from tablectl.games import GAMES
from tablectl.journal import Journal
from tablectl.replay import Difference, replay
from tablectl.rulebook import Rulebook
from tablectl.script import OpenWagers
from tests.table_files import RED_DOG, RED_DOG_HOUSE

SHOE = "shoe1"


async def broken(rules: Rulebook) -> None:
    """A script that breaks as soon as wagers are closed."""
    await OpenWagers(rules.opening, rules["wagers close"], first_card="left")
    raise ZeroDivisionError("a defect")


async def broken_by_a_call(rules: Rulebook) -> None:
    """The same, but "No more bets" closes them."""
    await OpenWagers(rules.opening, rules["wagers close"])
    raise ZeroDivisionError("a defect")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Controller]:
    (folder / "table.toml").write_text(RED_DOG)
    (folder / "house.toml").write_text(RED_DOG_HOUSE)
    configured, settings = load(folder / "table.toml")
    async with Journal.open(settings.journal, table=settings.table) as journal:
        controller = Controller(settings, journal)
        await controller.start(configured)
        yield controller


async def bring_up(controller: Controller) -> None:
    await heard(controller, 1, read.DeviceFound("model", "1", "1", ("card-shoe",)))
    for word in (
        say.OpenTable(("supervisor", "dealer")),
        say.ReceiveDeck("red", "red"),
        say.ConfirmShuffle("red"),
        say.LoadDeck("red"),
        say.PlaceWager("3", "original", 1000),
    ):
        await said(controller, word)


async def said(controller: Controller, word: Announcement) -> tuple[object, ...]:
    role = Role.SUPERVISOR if isinstance(word, Ruling) else Role.DEALER
    return await controller.submit(Input(word, 1, role, by=role))


async def heard(controller: Controller, number: int, reading: read.Reading) -> tuple[object, ...]:
    return await controller.submit(Input(reading, 1, SHOE, "b1", number))


async def test_a_reading_that_breaks_the_rules_is_kept_and_holds_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event counts as taken, the table waits for a supervisor, goes on when told, and the record replays."""
    monkeypatch.setitem(GAMES, "red-dog", replace(GAMES["red-dog"], scripts={"base": broken}))
    async with opened(tmp_path) as controller:
        await bring_up(controller)
        drawn = Input(read.ShoeCardDrawn(), 1, SHOE, "b1", 2)
        await controller.submit(drawn)
        assert "ZeroDivisionError: a defect" in controller.table.suspended["defect"]
        assert controller.journal.has(drawn)
        await said(controller, say.VoidRound("a defect"))
        assert "defect" not in controller.table.suspended
    assert not isinstance(replay(tmp_path / "journal.db"), Difference)


async def test_an_announcement_that_breaks_the_rules_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller is told, the table stands as before and waits for a supervisor, and the record replays."""
    monkeypatch.setitem(GAMES, "red-dog", replace(GAMES["red-dog"], scripts={"base": broken_by_a_call}))
    async with opened(tmp_path) as controller:
        await bring_up(controller)
        facts = await said(controller, say.NoMoreBets())
        assert isinstance(facts[0], AnnouncementRefused)
        assert facts[0].code == "defect"
        assert controller.table.suspended
        assert controller.table.round is not None
        assert controller.table.round.ledger.staked == 1000
    assert not isinstance(replay(tmp_path / "journal.db"), Difference)
