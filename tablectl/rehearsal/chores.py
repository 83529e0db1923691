"""What a dealer does on the side: cards are picked up, shuffled and put back into the shoe, one thing after another."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from tablectl.devices.contract import State
from tablectl.devices.world import Arrange
from tablectl.devices.world_socket import WorldClient
from tablectl.events import facts as fact
from tablectl.events.announcements import ConfirmShuffle
from tablectl.events.facts import Fact
from tablectl.publisher.payloads import Envelope
from tablectl.rehearsal.line import Line
from tablectl.rehearsal.plan import RACK, SHAKER, SHUFFLER, STUB, Plan, box
from tablectl.script import DEALER
from tablectl.table.trial import TEST

IN_HAND = "in hand"
A_WHILE = 120.0
"""Seconds in which a machine has let go of its cards."""


class Chores:
    """Follows the events and does what they ask for with cards, in their order."""

    def __init__(self, plan: Plan, line: Line, world: WorldClient) -> None:
        self._plan, self._line, self._world = plan, line, world
        self._chance = plan.chance("chores")
        self._places = {deck: box(deck) for deck in plan.setup.decks}
        self._ready: list[str] = []
        self._jobs: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()
        positions = [str(position) for position in range(1, plan.terms.positions + 1)]
        self._layout = (*positions, DEALER, *plan.terms.game.boxes, STUB, f"{plan.setup.shoe}.gate")
        line.on_event(self._hear)

    def _hear(self, _: Envelope, happened: Fact) -> None:
        job = JOBS.get(type(happened))
        if job and getattr(happened, "deck", "") != TEST:
            self._jobs.put_nowait(partial(job, self, happened))

    async def work(self) -> None:
        """Do what is to be done, for ever."""
        while True:
            job = await self._jobs.get()
            await job()
            self._jobs.task_done()

    async def done(self) -> None:
        """Wait until everything that was asked for so far is done."""
        await self._jobs.join()

    async def pick_up(self, happened: fact.CardsDiscarded) -> None:
        """Put the cards of a hand into the discard rack."""
        await self._take(happened.hand.removesuffix(".high").removesuffix(".low"), RACK)

    async def clear(self, _: fact.RoundEnded) -> None:
        """Put whatever still lies there into the rack, the stub last."""
        if self._line.is_due(fact.StubDue):
            await self._world.move(f"{self._plan.setup.shoe}.gate", STUB, wait=A_WHILE)
        for place in self._layout:
            await self._take(place, RACK)

    async def _take(self, source: str, to: str) -> None:
        """Move what lies at a place, if anything does."""
        if (await self._world.look(source)).cards:
            await self._plan.pause(0.5, self._chance)
            await self._world.move(source, to)

    async def cover_dice(self, _: fact.DiceNoRoll) -> None:
        """Put the lid back on dice that do not count."""
        await self._plan.pause(1.0, self._chance)
        await self._world.act(SHAKER, "close-lid")

    async def came(self, happened: fact.DeckReceived) -> None:
        """Have a new deck shuffled."""
        await self._shuffle_by_hand(happened.deck)

    async def went_out_of_play(self, happened: fact.DeckMoved) -> None:
        """Have a deck shuffled again that was dealt, with what the shoe still holds of it, and load the other.

        It is lifted out of the rack, where the discards of the next round will lie.
        """
        if not self._plan.setup.feeds_itself:
            await self._take(self._plan.setup.shoe, RACK)
        self._places[happened.deck] = aside = f"{RACK}-{happened.deck}"
        await self._take(RACK, aside)
        await self._shuffle_by_hand(happened.deck)
        await self._load()

    async def _shuffle_by_hand(self, deck: str) -> None:
        """Wash and riffle a deck, where no machine does it."""
        if self._plan.setup.tray:
            return
        place = self._places[deck]
        cards = list((await self._world.look(place)).cards)
        await self._plan.pause(20.0, self._chance)
        self._chance.shuffle(cards)
        await self._world.do(Arrange(place=place, cards=tuple(cards)))
        await self._line.say(ConfirmShuffle(deck))

    async def feed(self, happened: fact.ShuffleDue) -> None:
        """Put a deck into the shuffler that is to shuffle it."""
        tray = self._plan.setup.tray
        await self._plan.pause(2.0, self._chance)
        await self._world.move(self._places[happened.deck], tray, wait=A_WHILE)
        self._places[happened.deck] = tray

    async def shuffled(self, happened: fact.DeckShuffled) -> None:
        """Load a deck that was shuffled, if the shoe is free."""
        self._ready.append(happened.deck)
        await self._load()

    async def _load(self) -> None:
        """Put a shuffled deck into the shoe, unless one is in it, or the machine does so by itself.

        The shoe gets it once the shuffler shows that it is empty: it will be told to shuffle again at once.
        """
        shoe = self._plan.setup.shoe
        if self._plan.setup.feeds_itself or not self._ready or shoe in self._places.values():
            return
        deck = self._ready.pop(0)
        await self._plan.pause(1.5, self._chance)
        await self._world.move(self._places[deck], IN_HAND, wait=A_WHILE)
        if self._places[deck] == SHUFFLER:
            await self._line.until(lambda: self._line.shows(SHUFFLER, State.EMPTY))
        await self._plan.pause(1.5, self._chance)
        await self._world.move(IN_HAND, shoe)
        self._places[deck] = shoe


JOBS: dict[type[Fact], Callable[[Chores, Any], Awaitable[None]]] = {
    fact.CardsDiscarded: Chores.pick_up,
    fact.RoundEnded: Chores.clear,
    fact.DiceNoRoll: Chores.cover_dice,
    fact.DeckReceived: Chores.came,
    fact.DeckMoved: Chores.went_out_of_play,
    fact.ShuffleDue: Chores.feed,
    fact.DeckShuffled: Chores.shuffled,
}
"""What each event asks a dealer to do."""
