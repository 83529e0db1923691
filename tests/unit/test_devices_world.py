"""The physical world: cards only move, locks hold, and everybody concerned hears of it."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tablectl.cards import WITH_JOKER_53, cards
from tablectl.devices.world import Acted, Allow, Arrange, Impossible, Moved, Show, World
from tablectl.devices.world_socket import WorldServer, enter, serve
from tablectl.dice import Roll
from tablectl.errors import LinkLost

PLACES = st.sampled_from(["shuffler", "stack-shoe", "stack-shoe.gate", "3", "rack"])


class Conservation(RuleBasedStateMachine):
    """Whatever is done or refused, the same cards are somewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World({"shuffler": WITH_JOKER_53.cards()})

    @rule(source=PLACES, to=PLACES, count=st.none() | st.integers(-1, 60), owner=st.booleans())
    def move(self, source: str, to: str, count: int | None, *, owner: bool) -> None:
        before = self.world.cards(source)
        possible = self.world.can_move(source, count, owner=owner)
        try:
            moved = self.world.move(source, to, count, owner=owner)
        except Impossible:
            assert not possible
            assert self.world.cards(source) == before
        else:
            assert possible
            assert moved == before[: len(moved)]

    @rule(place=PLACES, count=st.none() | st.integers(0, 5))
    def allow(self, place: str, count: int | None) -> None:
        self.world.allow(place, count)

    @rule(place=PLACES, reverse=st.booleans())
    def arrange(self, place: str, *, reverse: bool) -> None:
        order = self.world.cards(place)
        self.world.arrange(place, order[::-1] if reverse else order)

    @invariant()
    def every_card_is_somewhere(self) -> None:
        there = Counter(card for pile in self.world.piles().values() for card in pile)
        assert there == Counter(WITH_JOKER_53.cards())


TestConservation = Conservation.TestCase
TestConservation.settings = settings(max_examples=40, stateful_step_count=30)


def test_a_hand_lists_its_cards_as_they_were_dealt() -> None:
    """Cards come off the top, and later cards lie behind earlier ones."""
    world = World({"shoe": cards("As Kd 7c 2h")})
    world.move("shoe", "3", 1)
    world.move("shoe", "3", 2)
    assert world.cards("3") == cards("As Kd 7c")
    assert world.cards("shoe") == cards("2h")


def test_a_lock_holds_drawn_cards_and_nothing_else() -> None:
    """Of a locked pile others draw what is allowed; its owner, or whoever lifts it whole, is not held."""
    world = World({"shoe": cards("As Kd 7c 2h 3h")})
    world.allow("shoe", 1)
    assert world.can_move("shoe", 1)
    world.move("shoe", "3", 1)
    assert not world.can_move("shoe", 1)
    with pytest.raises(Impossible, match="shoe is locked"):
        world.move("shoe", "3", 1)
    world.move("shoe", "gate", 1, owner=True)
    world.move("shoe", "rack")
    assert world.cards("rack") == cards("7c 2h 3h")


def test_shuffling_changes_no_card() -> None:
    """An order with another card in it is refused."""
    world = World({"shuffler": cards("As Kd")})
    with pytest.raises(Impossible, match="shuffling changes no card"):
        world.arrange("shuffler", cards("As Ad"))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[tuple[WorldServer, Path]]:
    world = World({"shuffler": cards("As Kd 7c 2h 3h")})
    async with serve(world, tmp_path / "world") as server:
        yield server, tmp_path / "world"


async def test_guests_move_cards_and_owners_hear_of_it(server: tuple[WorldServer, Path]) -> None:
    """A bot gets the very cards that it moved, and the double that watches the place hears which; the bot does not."""
    async with enter(server[1]) as double, enter(server[1]) as bot:
        assert await double.watch(["shuffler"]) == {"shuffler": cards("As Kd 7c 2h 3h")}
        assert await bot.move("shuffler", "stack-shoe", 2) == cards("As Kd")
        assert await double.hear() == Moved("shuffler", "stack-shoe", cards("As Kd"))
        await bot.act("shuffler", "start")
        assert await double.hear() == Acted("shuffler", "start")
        assert (await bot.look("stack-shoe")).cards == cards("As Kd")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await bot.hear()


async def test_a_bot_waits_for_cards(server: tuple[WorldServer, Path]) -> None:
    """A move that is impossible now is done as soon as the cards are there, or allowed."""
    async with enter(server[1]) as double, enter(server[1]) as bot:
        await double.watch(["shuffler", "shuffler.gate"])
        taking = asyncio.ensure_future(bot.move("shuffler.gate", "3"))
        await double.do(Allow(place="shuffler", count=0))
        drawing = asyncio.ensure_future(bot.move("shuffler", "4", 1))
        assert not (await asyncio.wait([taking, drawing], timeout=0.05))[0]
        await double.move("shuffler", "shuffler.gate", 2)
        assert await taking == cards("As Kd")
        await double.do(Allow(place="shuffler", count=1))
        assert await drawing == cards("7c")


async def test_what_stays_impossible_is_refused_in_time(server: tuple[WorldServer, Path]) -> None:
    """A move that does not become possible raises after its wait and says why."""
    async with enter(server[1]) as bot:
        with pytest.raises(Impossible, match="rack holds 0 cards, asked for were all"):
            await bot.move("rack", "shuffler", wait=0.05)
        with pytest.raises(Impossible, match="shuffler holds 5 cards, asked for were 6"):
            await bot.move("shuffler", "rack", 6, wait=0)


async def test_everybody_may_see_the_dice(server: tuple[WorldServer, Path]) -> None:
    """Dice that a shaker shows are seen by those who look."""
    async with enter(server[1]) as double, enter(server[1]) as bot:
        assert (await bot.look("shaker")).roll is None
        await double.do(Show(place="shaker", roll=Roll(4, 5, 2)))
        assert (await bot.look("shaker")).roll == Roll(4, 5, 2)


async def test_a_guest_that_talks_nonsense_harms_nobody(server: tuple[WorldServer, Path]) -> None:
    """A line that is no request is answered with what is wrong, and the next one is served."""
    reader, writer = await asyncio.open_unix_connection(server[1])
    writer.write(b'{"do":"teleport"}\n{"do":"look","place":"shuffler","id":7}\n')
    assert b"no request" in await reader.readline()
    assert b'"id":7' in await reader.readline()
    writer.close()


async def test_the_end_of_the_world_is_told(tmp_path: Path) -> None:
    """A guest who waits when the world ends gets LinkLost, and so does one who comes later."""
    async with serve(World({}), tmp_path / "world") as _:
        guest = enter(tmp_path / "world")
        bot = await guest.__aenter__()
        waiting = asyncio.ensure_future(bot.move("rack", "shuffler", wait=60))
        await asyncio.sleep(0.05)
    with pytest.raises(LinkLost):
        await waiting
    with pytest.raises(LinkLost):
        await bot.hear()
    await guest.__aexit__(None, None, None)
    with pytest.raises(LinkLost, match="No such file"):
        async with enter(tmp_path / "world"):
            pass


async def test_a_shuffle_is_seen_in_the_world(server: tuple[WorldServer, Path]) -> None:
    """The order that a shuffler arranges is the order in which its cards are dealt."""
    async with enter(server[1]) as double, enter(server[1]) as bot:
        await double.watch(["shuffler"])
        await double.do(Arrange(place="shuffler", cards=cards("3h 2h 7c Kd As")))
        assert await bot.move("shuffler", "3", 1) == cards("3h")
