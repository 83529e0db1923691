"""The players: each at a position of its own, with chips, habits and a pace of its own."""

import asyncio
from collections.abc import Coroutine, Iterable

from tablectl.cards import Card
from tablectl.devices.world import Arrange
from tablectl.devices.world_socket import WorldClient
from tablectl.events.announcements import Decide, PlaceWager
from tablectl.events.facts import RoundStepAwaited
from tablectl.games import pai_gow_poker, supreme_pai_gow
from tablectl.games.blackjack import INSURANCE
from tablectl.games.red_dog import LEFT, RIGHT, spread_of
from tablectl.games.triple_attack_blackjack import SECOND, THIRD
from tablectl.hands.red_dog import CONSECUTIVE, PAIR
from tablectl.rehearsal.line import Line
from tablectl.rehearsal.plan import STAKES, Plan
from tablectl.rehearsal.strategy import STRATEGIES, Strategy
from tablectl.terms import Wagers

SITS_OUT, PLAYS_SIDE, ONLY_SIDE, INSURES = 0.15, 0.5, 0.1, 0.3
"""How often a player wagers nothing, something beside the main wager, or only that where it may stand alone, and how
often one insures.
"""
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
        """Wager on the first of these kinds, and perhaps on others; or only on one that needs no other."""
        main, *sides = kinds
        free = [side for side in sides if not self._plan.terms.rules.wager(side).needs]
        if free and self._chance.random() < ONLY_SIDE:
            await self._place(self._chance.choice(free), self._stake("side"))
            return
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

    async def choose(self, what: str) -> None:
        """Take the decision that is due, by habit or by a strategy."""
        habit = CHOICES.get(what)
        await (habit(self) if habit else self._follow(STRATEGIES[self._plan.game, what]))

    async def _follow(self, strategy: Strategy) -> None:
        await self._plan.pause(4.0, self._chance)
        own = await self._look(self.hand)
        shown = [card for place in strategy.shown for card in await self._look(place)]
        choice, times = strategy.by(own, tuple(shown))
        amount = self._staked * times if self._staked and times else None
        await self._line.say(Decide(self.hand, choice, amount))

    async def _look(self, place: str) -> tuple[Card, ...]:
        return (await self._world.look(place)).cards

    async def choose_raise(self) -> None:
        """Raise by as much as the first wager, where the spread favours it."""
        await self._plan.pause(2.5, self._chance)
        left, right = [await self._look(box) for box in (LEFT, RIGHT)]
        spread = spread_of(left, right)
        if spread not in (PAIR, CONSECUTIVE) and int(spread) >= RAISES_FROM:
            await self._line.say(Decide(self.hand, "raise", self._staked))

    async def set_hands(self) -> None:
        """Lay the cards down as a high and a low hand, as the house would."""
        await self._plan.pause(8.0, self._chance)
        cards = await self._look(self.hand)
        high, low = WAYS[self._plan.game](self._plan.terms.rules)(cards)
        await self._world.do(Arrange(place=self.hand, cards=(*high, *low)))

    async def choose_insurance(self) -> None:
        """Insure now and then, by half of the wager."""
        if self._chance.random() < INSURES:
            await self._line.say(Decide(self.hand, INSURANCE, self._staked // 2 if self._staked else None))

    async def add_second(self) -> None:
        """Add a second attack wager now and then."""
        await self._add(SECOND)

    async def add_third(self) -> None:
        """Add a third attack wager now and then."""
        await self._add(THIRD)

    async def _add(self, wager: str) -> None:
        if self._chance.random() < PLAYS_SIDE:
            await self._line.say(Decide(self.hand, wager))


WAYS = {
    pai_gow_poker.GAME.name: pai_gow_poker.house_way,
    supreme_pai_gow.GAME.name: supreme_pai_gow.set_by,
}
"""How a house sets a hand, by the game."""
CHOICES = {
    "raise": Player.choose_raise,
    "hands": Player.set_hands,
    INSURANCE: Player.choose_insurance,
    SECOND: Player.add_second,
    THIRD: Player.add_third,
}
"""What players do when something is on offer, by what it is; else they follow a strategy."""


class Players:
    """All who sit at the table."""

    def __init__(self, plan: Plan, line: Line, world: WorldClient) -> None:
        hands = [str(position) for position in range(1, plan.terms.positions + 1)]
        self._players = {hand: Player(hand, plan, line, world) for hand in hands}

    async def wager(self, awaited: RoundStepAwaited) -> list[str]:
        """Let all who want to place their wagers; return who plays when the last chip lies. Somebody always does."""
        playing = [hand for hand, player in self._players.items() if player.wants_to_play()] or [awaited.hands[0]]
        await self._all(self._players[hand].wager(awaited.answers) for hand in playing)
        return playing

    async def choose(self, awaited: RoundStepAwaited) -> None:
        """Let all whose turn it is take their decision."""
        await self._all(self._players[hand].choose(awaited.what) for hand in awaited.hands)

    @staticmethod
    async def _all(deeds: Iterable[Coroutine[object, object, None]]) -> None:
        async with asyncio.TaskGroup() as tasks:
            for deed in deeds:
                tasks.create_task(deed)
