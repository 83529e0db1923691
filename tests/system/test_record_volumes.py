"""A table whose record goes on in new volumes while it is played at."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tablectl.cards import cards
from tablectl.config import build_terms, load
from tablectl.daemon import Controller
from tablectl.events import announcements as say
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement
from tablectl.events.codec import Input
from tablectl.events.facts import RecordContinued, RecordDropped, RoundOpened, TableResumed
from tablectl.events.record import TurnRecord
from tablectl.journal import Journal, Reader, Record, prove, volumes
from tablectl.recall import Wanted, recall
from tablectl.replay import Replayed, recover, replay
from tablectl.table import Table
from tests.altered import alter
from tests.table_files import RED_DOG, RED_DOG_HOUSE
from tests.tables import role_of

SHOE = "shoe1"


class Player:
    """Plays red dog at a controller; every input comes one second after the one before."""

    def __init__(self, controller: Controller, number: int = 0) -> None:
        self.controller = controller
        self.number = number

    async def say(self, word: Announcement) -> None:
        role = role_of(word)
        await self.controller.submit(Input(word, 1, role, by=role))

    async def hear(self, reading: read.Reading) -> None:
        self.number += 1
        await self.controller.submit(Input(reading, 1, SHOE, "b1", self.number))

    async def open(self) -> None:
        await self.hear(read.DeviceFound("model", "1", "1", ("card-shoe",)))
        for word in (
            say.OpenTable(("supervisor", "dealer")),
            say.ReceiveDeck("red", "red"),
            say.ConfirmShuffle("red"),
            say.LoadDeck("red"),
        ):
            await self.say(word)

    async def play(self) -> None:
        await self.say(say.PlaceWager("3", "original", 1000))
        await self.deal()

    async def deal(self) -> None:
        for card in cards("5s 6d"):
            await self.hear(read.ShoeCardDrawn(card))


@asynccontextmanager
async def opened(folder: Path, journal: str = "") -> AsyncIterator[Controller]:
    (folder / "table.toml").write_text(RED_DOG + journal)
    (folder / "house.toml").write_text(RED_DOG_HOUSE)
    configured, settings = load(folder / "table.toml")
    async with Journal.open(settings.journal, table=settings.table) as record:
        controller = Controller(settings, record)
        await controller.start(configured)
        yield controller


async def turn(player: Player, path: Path) -> None:
    """Have the record go on while a wager lies there, and play that round to its end."""
    before = len(volumes(path))
    await player.say(say.PlaceWager("3", "original", 1000))
    await player.say(TurnRecord())
    await player.controller.journal.flush()
    assert len(volumes(path)) == before, "a round that is open is ended first"
    await player.deal()
    await player.controller.journal.flush()
    assert len(volumes(path)) == before + 1


async def test_rounds_of_three_volumes_are_one_record(tmp_path: Path) -> None:
    """Each round stands whole in one volume; recall finds it in any, replay agrees over all and over each alone."""
    path = tmp_path / "journal.db"
    async with opened(tmp_path) as controller:
        player = Player(controller)
        await player.open()
        for _ in range(2):
            await player.play()
            await turn(player, path)
        await player.play()
    with Record(path) as record:
        assert [fact.round for reader in record for _, fact in reader.all(RecordContinued)] == [2, 4]
        assert [[fact.round for _, fact in reader.all(RoundOpened)] for reader in record] == [[1, 2], [3, 4], [5, 6]]

    done = replay(path)
    assert isinstance(done, Replayed)
    assert done.rounds == 6
    stories = recall(path, Wanted(last=9))
    assert [(story.round, story.result) for story in stories][:5] == [(n, "settled") for n in range(1, 6)]
    assert recall(path, Wanted(round=2)) == stories[1:2]
    for file in volumes(path):
        assert isinstance(replay(file), Replayed)
    assert prove(path).number


async def test_a_start_right_behind_a_border_finds_the_table_where_it_stood(tmp_path: Path) -> None:
    """The volume's first words are all that is needed; round numbers, decks and devices go on."""
    path = tmp_path / "journal.db"
    async with opened(tmp_path) as controller:
        player = Player(controller)
        await player.open()
        await player.say(say.CloseTable("the day is over"))
        await player.play()
        await player.say(TurnRecord())
        await controller.journal.flush()
        stood = controller.table._snapshot(controller.table.round_number)
    async with Journal.open(path, table=controller.settings.table) as journal:
        table = Table(build_terms)
        with Record(path) as record:
            assert recover(record, table) is None
        assert table._snapshot(table.round_number) == stood
        assert journal.marks.last(SHOE) == ("b1", player.number)
    assert len(volumes(path)) == 2


async def test_old_volumes_leave_the_record_which_says_so(tmp_path: Path) -> None:
    """With `keep_days` the oldest volume is proven, named in the record with its last hash, and deleted."""
    path = tmp_path / "journal.db"
    async with opened(tmp_path, "keep_days = 1\n") as controller, asyncio.timeout(30):
        player = Player(controller)
        await player.open()
        for _ in range(3):
            await turn(player, path)
        controller.journal.mark_published(controller.journal.head.seq)
        with Reader(path) as reader:
            head = reader.head()
        keeping = asyncio.create_task(controller.keeper.run())
        async for entry in controller.journal.follow():
            if dropped := [stated.fact for stated in entry.facts if isinstance(stated.fact, RecordDropped)]:
                break
        keeping.cancel()
        await asyncio.wait([keeping])
    assert dropped == [RecordDropped("journal.db", 1, head.number, head.hash.hex(), 1)]
    assert [file.name for file in volumes(path)][-1] == "journal.0004.db"
    assert prove(path).number
    assert isinstance(replay(path), Replayed)


async def test_a_gaming_day_begins_a_volume(tmp_path: Path) -> None:
    """The day that is due begins behind the round under way, and the first round of it stands in the new volume."""
    path = tmp_path / "journal.db"
    async with opened(tmp_path) as controller:
        player = Player(controller)
        await player.open()
        await player.say(say.PlaceWager("3", "original", 1000))
        await player.say(say.BeginDay("2026-12-01"))
        await player.say(say.PlaceWager("4", "original", 1000))
        await player.deal()
        await player.say(say.BeginShift("night"))
        await player.play()
    with Record(path) as record:
        days = [[fact.day for _, fact in reader.all(RoundOpened)] for reader in record]
    assert days == [[""], ["2026-12-01"] * 2]


async def test_what_was_altered_long_ago_holds_the_table_once(tmp_path: Path) -> None:
    """Each altered row is told, not only the first; what a supervisor has lifted is not told again at every start."""
    path = tmp_path / "journal.db"
    async with opened(tmp_path) as controller:
        player = Player(controller)
        await player.open()
        for _ in range(3):
            await player.play()
    alter(path, '"inspected_by":["supervisor"', '"inspected_by":["superviser"')
    alter(path, '"hand":"3","wager":"original","amount":1000', '"hand":"2","wager":"original","amount":1000')

    async with opened(tmp_path) as controller:
        await controller.keeper._prove()
        doubts = [said.reason for said in controller.journal.reader.all_said(say.DoubtRecord)]
        assert len(doubts) == 2
        assert all("one was altered" in reason for reason in doubts)
        player = Player(controller, player.number)
        await player.hear(read.DeviceFound("model", "1", "1", ("card-shoe",)))
        await player.say(say.LiftSuspension("the rows were compared with the export"))
        assert "record" not in controller.table.suspended
    async with opened(tmp_path) as controller:
        await controller.keeper._prove()
        assert "record" not in controller.table.suspended
        (ruling,) = controller.journal.reader.all(TableResumed)
        assert ruling[1].by == "supervisor"
