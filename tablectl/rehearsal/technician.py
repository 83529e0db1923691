"""The technician: tests each device with a counted deck before the table opens."""

import asyncio

from tablectl.devices.world_socket import WorldClient
from tablectl.events.announcements import EnterTest, Role, TestDevice
from tablectl.events.facts import CardDue, Fact, RollDue, RoundStepAwaited, StackDue, StubDue
from tablectl.publisher.payloads import Envelope
from tablectl.rehearsal.line import Line
from tablectl.rehearsal.plan import BOTH, DRIVERS, SHAKER, SHUFFLER, Plan, box
from tablectl.table.trial import TEST

A_WHILE = 120.0
"""Seconds in which a machine has let go of its cards."""


class Technician:
    """Plays the technician."""

    def __init__(self, plan: Plan, line: Line, world: WorldClient) -> None:
        self._plan, self._line, self._world = plan, line, world
        self._chance = plan.chance("technician")
        self._events: asyncio.Queue[Fact] = asyncio.Queue()
        self._piles = 0
        self._testing = False
        line.on_event(self._hear)

    def _hear(self, _: Envelope, happened: Fact) -> None:
        if self._testing and isinstance(happened, (StackDue, StubDue, CardDue, RollDue, RoundStepAwaited)):
            self._events.put_nowait(happened)

    async def work(self) -> None:
        """Test every device that moves something, one after another."""
        self._testing = True
        for double in self._plan.setup.devices:
            await self._test(double)
        self._testing = False

    async def _test(self, double: str) -> None:
        device, deck = DRIVERS[double][0], box(self._plan.setup.decks[0])
        await self._line.until(lambda: device in self._line.health and self._line.health[device].online)
        cards = 0 if double == SHAKER else len((await self._world.look(deck)).cards)
        await self._line.say(TestDevice(device, cards), Role.SERVICE)
        if cards:
            await self._plan.pause(3.0, self._chance)
            await self._world.move(deck, self._mouth(double))
        counts = await self._carry_out(double)
        await self._plan.pause(10.0, self._chance)
        await self._line.say(EnterTest(counts), Role.SERVICE)
        for pile in range(self._piles):
            await self._world.move(_pile(pile), deck)
        self._piles = 0

    def _mouth(self, double: str) -> str:
        """Return where a device takes its cards."""
        return self._plan.setup.tray if double in (BOTH, SHUFFLER) else self._plan.setup.shoe

    async def _carry_out(self, double: str) -> tuple[int, ...]:
        """Do what people do in a test until they are asked what they found, and return it."""
        counts: list[int] = []
        while True:
            match await self._events.get():
                case StackDue() | StubDue():
                    counts.append(await self._lay_apart(f"{self._plan.setup.shoe}.gate"))
                case CardDue():
                    await self._lay_apart(self._plan.setup.shoe, 1)
                    counts = [self._piles]
                case RollDue():
                    counts = []
                    await self._uncover()
                case RoundStepAwaited(step=step, verb=verb) if step == TEST and verb:
                    return tuple(counts) or await self._found(double)

    async def _lay_apart(self, place: str, count: int | None = None) -> int:
        """Lay the cards that come out on a pile of their own, and count them."""
        self._piles += 1
        return len(await self._world.move(place, _pile(self._piles - 1), count, wait=A_WHILE))

    async def _uncover(self) -> None:
        """Take the lid off dice that were shaken."""
        await self._world.act(SHAKER, "close-lid")
        await self._line.until(lambda: not self._line.is_due(RollDue))
        await self._world.act(SHAKER, "lift-lid")

    async def _found(self, double: str) -> tuple[int, ...]:
        """Return what lies in a device that has done its part."""
        if double != SHAKER:
            return (await self._lay_apart(self._mouth(double)),)
        roll = (await self._world.look(SHAKER)).roll
        await self._world.act(SHAKER, "close-lid")
        return tuple(die for die in (roll.dice if roll else ()) if isinstance(die, int))


def _pile(number: int) -> str:
    return f"{TEST}-{number}"
