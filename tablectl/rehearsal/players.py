"""The players: each at a position of its own, with chips, habits and a pace of its own."""

import asyncio
from collections.abc import Coroutine, Iterable

from tablectl.devices.world import Arrange
from tablectl.devices.world_socket import WorldClient
from tablectl.events.announcements import Decide, PlaceWager
from tablectl.events.facts import RoundStepAwaited
from tablectl.games.pai_gow_poker import house_way
from tablectl.games.red_dog import LEFT, RIGHT, spread_of
from tablectl.hands.red_dog import CONSECUTIVE, PAIR
from tablectl.rehearsal.line import Line
from tablectl.rehearsal.plan import STAKES, Plan
from tablectl.terms import Wagers

SITS_OUT, PLAYS_SIDE = 0.15, 0.5
"""How often a player wagers nothing, and how often something beside the main wager."""
RAISES_FROM = 7
"""The least spread on which a raise wins more often than it loses."""


class Player:
    """One player. hand: the position."""

    def __init__(self, hand: str, plan: Plan, line: Line, world: WorldClient) -> None:
        self.hand = hand
        self._plan, self._line, self._world = plan, line, world
        self._chance = plan.chance(f"player {hand}")
        self._staked: int | None = None

    def wants_to_play(self) -> bool:
        """Tell whether the player wagers in this round."""
        return self._chance.random() >= SITS_OUT

    async def wager(self, kinds: tuple[str, ...]) -> None:
        """Wager on the first of these kinds, and perhaps on others."""
        main, *sides = kinds
        self._staked = self._stake("main")
        await self._place(main, self._staked)
        for side in sides:
            if self._chance.random() < PLAYS_SIDE:
                await self._place(side, self._stake("side"))

    def _stake(self, kind: str) -> int | None:
        """Return how much, None where the table only sees that chips lie there."""
        amount = self._chance.choice(STAKES[kind])
        return amount if self._plan.wagers is Wagers.AMOUNTS else None

    async def _place(self, wager: str, amount: int | None) -> None:
        await self._plan.pause(2.0, self._chance)
        await self._line.say(PlaceWager(self.hand, wager, amount))

    async def choose_raise(self) -> None:
        """Raise by as much as the first wager, where the spread favours it."""
        await self._plan.pause(2.5, self._chance)
        left, right = [(await self._world.look(box)).cards for box in (LEFT, RIGHT)]
        spread = spread_of(left, right)
        if spread not in (PAIR, CONSECUTIVE) and int(spread) >= RAISES_FROM:
            await self._line.say(Decide(self.hand, "raise", self._staked))

    async def set_hands(self) -> None:
        """Lay seven cards down as five and two, as the house would."""
        await self._plan.pause(8.0, self._chance)
        cards = (await self._world.look(self.hand)).cards
        high, low = house_way(self._plan.terms.rules)(cards)
        await self._world.do(Arrange(place=self.hand, cards=(*high, *low)))


CHOICES = {"raise": Player.choose_raise, "hands": Player.set_hands}
"""What players do when something is on offer, by what it is."""


class Players:
    """All who sit at the table."""

    def __init__(self, plan: Plan, line: Line, world: WorldClient) -> None:
        hands = [str(position) for position in range(1, plan.terms.positions + 1)]
        self._players = {hand: Player(hand, plan, line, world) for hand in hands}

    async def wager(self, awaited: RoundStepAwaited) -> None:
        """Let all who want to place their wagers; returns when the last chip lies. Somebody always plays."""
        playing = [player for player in self._players.values() if player.wants_to_play()]
        await self._all(player.wager(awaited.answers) for player in playing or [self._players[awaited.hands[0]]])

    async def choose(self, awaited: RoundStepAwaited) -> None:
        """Let all whose turn it is take their decision."""
        choose = CHOICES[awaited.what]
        await self._all(choose(self._players[hand]) for hand in awaited.hands)

    @staticmethod
    async def _all(deeds: Iterable[Coroutine[object, object, None]]) -> None:
        async with asyncio.TaskGroup() as tasks:
            for deed in deeds:
                tasks.create_task(deed)
