"""The dealer: does what the table awaits, as it is published, and nothing before."""

from collections import Counter
from collections.abc import Awaitable, Callable

from tablectl.cards import Card
from tablectl.devices.world_socket import WorldClient
from tablectl.errors import TablectlError
from tablectl.events import announcements as say
from tablectl.events.announcements import DeckSource
from tablectl.events.facts import Fact, RollDue, RoundHandSplit, RoundStepAwaited
from tablectl.games import blackjack as family
from tablectl.games import pai_gow_poker as pai_gow
from tablectl.games import spanish_21 as spanish
from tablectl.games import supreme_pai_gow as supreme
from tablectl.games import triple_attack_blackjack as attack
from tablectl.games.paying import NOTHING
from tablectl.hands.blackjack import NO_BLACKJACK, peek
from tablectl.publisher.payloads import Envelope
from tablectl.rehearsal.chores import A_WHILE, Chores
from tablectl.rehearsal.judgement import questions
from tablectl.rehearsal.line import Line
from tablectl.rehearsal.plan import RACK, SHAKER, STUB, Plan
from tablectl.rehearsal.players import Players
from tablectl.rehearsal.strategy import blackjack_turn
from tablectl.script import BURN, DEALER, DRAW

STACK, APART = "stack", "apart"
"""Places of cards on their way: a stack between the gate and its hand, a pair that is split."""


class AtALoss(TablectlError):  # noqa: N818 - what the dealer is
    """The table awaits something that this dealer never learned."""


class Dealer:
    """Plays the dealer. chores: what is done on the side; players: those who are waited for."""

    def __init__(self, plan: Plan, line: Line, world: WorldClient, chores: Chores, players: Players) -> None:
        self._plan, self._line, self._world = plan, line, world
        self._chores, self._players = chores, players
        self._chance = plan.chance("dealer")
        self._questions = questions(plan.game, plan.terms.rules)
        self._shown: dict[str, Counter[Card]] = {}
        self._into: tuple[str, ...] = ()
        line.on_event(self._hear)

    async def open(self) -> None:
        """Come to the table, with its decks."""
        await self._line.say(say.SignOn("D-17"))
        for deck in self._plan.setup.decks:
            await self._line.say(say.ReceiveDeck(deck, deck, DeckSource.INSPECTED))

    async def work(self) -> None:
        """Do what is awaited, for ever.

        Raises:
            AtALoss: it is nothing that a dealer of these games does.
        """
        done = 0
        while True:
            done, awaited = await self._line.step(after=done)
            act = STEPS.get((awaited.step, awaited.verb))
            if act is None:
                raise AtALoss(f"the table awaits {awaited.verb or awaited.step}: {awaited.prompt}")
            await act(self, awaited)

    async def wait(self, _: RoundStepAwaited) -> None:
        """Do nothing: it is somebody else's turn."""

    # Wagers

    async def close_wagers(self, awaited: RoundStepAwaited) -> None:
        """Close wagers once they lie there."""
        await self._wagers(awaited)
        await self._pause(1.5)
        await self._line.say(say.NoMoreBets())

    async def first_card(self, awaited: RoundStepAwaited) -> None:
        """Close wagers, once they lie there, by drawing the first card."""
        if awaited.hand == BURN:
            await self._chores.done()
            await self._draw(BURN)
            return
        playing = await self._wagers(awaited)
        first, *_ = self._plan.terms.game.boxes or playing
        await self._draw(first)

    async def _wagers(self, awaited: RoundStepAwaited) -> list[str]:
        """Wait for the players, and for the layout to be clear; return the hands that play."""
        self._shown.clear()
        playing = await self._players.wager(awaited)
        await self._chores.done()
        return playing

    async def close_offer(self, awaited: RoundStepAwaited) -> None:
        """Wait until everybody has chosen."""
        await self._players.choose(awaited)
        await self._pause(1.0)
        await self._line.say(say.CloseOffer())

    async def take_decisions(self, awaited: RoundStepAwaited) -> None:
        """Wait until everybody has decided; the last decision closes the offer."""
        await self._players.choose(awaited)

    async def turn(self, awaited: RoundStepAwaited) -> None:
        """Call the end of a hand that the table does not see; else let its player act, or draw for the dealer."""
        found = "" if self._plan.exposed else await self._judge(awaited, awaited.hand)
        if found in awaited.answers and found not in {family.STAND, DRAW}:
            await self._pause(1.0)
            await self._line.say(say.Call(awaited.what, found, awaited.hand))
        elif awaited.hand == DEALER:
            await self._draw(DEALER)
        else:
            await self._act(awaited)

    async def _act(self, awaited: RoundStepAwaited) -> None:
        """Draw for a player, or take the decision."""
        own, (up, *_) = await self._look(awaited.hand), await self._look(DEALER)
        choice = blackjack_turn(own, up, awaited)
        await self._pause(3.0)
        if choice == DRAW:
            await self._draw(awaited.hand)
            return
        if await self._line.say(say.Decide(awaited.hand, choice)) and choice == family.SPLIT:
            await self._split(awaited.hand)

    async def _split(self, hand: str) -> None:
        """Lay the two cards of a hand apart, where the table says."""
        await self._world.move(hand, APART)
        for place in self._into:
            await self._world.move(APART, place, 1)

    def _hear(self, _: Envelope, happened: Fact) -> None:
        if isinstance(happened, RoundHandSplit):
            self._into = happened.into

    # Dice

    async def lift_lid(self, awaited: RoundStepAwaited) -> None:
        """Uncover the dice once they were shaken; covering them again is a chore."""
        if self._line.is_due(RollDue) or awaited.what == "cover":
            return
        await self._pause(1.0)
        await self._world.act(SHAKER, "lift-lid")

    async def announce_dice(self, _: RoundStepAwaited) -> None:
        """Read the dice, confirm the total, cover the shaker and shake it once."""
        await self._pause(1.5)
        roll = (await self._world.look(SHAKER)).roll
        assert roll is not None
        await self._line.say(say.AnnounceTotal(roll.total))
        for act in ("close-lid", "shake"):
            await self._world.act(SHAKER, act)

    # Cards

    async def deal(self, awaited: RoundStepAwaited) -> None:
        """Carry to its hand what the shoe gives: a stack, the stub, or one card."""
        if awaited.hand == STUB:
            await self._world.move(self._gate, STUB, wait=A_WHILE)
        elif awaited.who == "dealer" and self._plan.setup.shoe == "card-shoe":
            await self._draw(awaited.hand)
        elif awaited.who == "dealer":
            await self._pause(0.8)
            # Lifted whole: the next stack is in the gate as soon as this one is out of it.
            await self._world.move(self._gate, STACK)
            await self._world.move(STACK, awaited.hand, awaited.count)
            if await self._look(STACK):
                await self._world.move(STACK, RACK)

    @property
    def _gate(self) -> str:
        return f"{self._plan.setup.shoe}.gate"

    async def _draw(self, hand: str) -> None:
        await self._pause(1.2)
        await self._world.move(self._plan.setup.shoe, hand, 1, wait=A_WHILE)

    async def deal_by_hand(self, awaited: RoundStepAwaited) -> None:
        """Deal out of the stub; a card is burned before others."""
        for hand in awaited.hands:
            await self._pause(1.5)
            await self._world.move(STUB, hand, 1 if hand == BURN else awaited.count)
        await self._line.say(say.ConfirmDealt())

    async def count_stub(self, _: RoundStepAwaited) -> None:
        """Count what is left, blind."""
        await self._pause(6.0)
        await self._line.say(say.CountStub(len(await self._look(STUB))))

    async def expose(self, awaited: RoundStepAwaited) -> None:
        """Turn the cards of a hand that lie face down, the last ones where not all are turned."""
        cards = await self._look(awaited.hand)
        hidden = Counter(cards) - self._shown.get(awaited.hand, Counter())
        await self._pause(1.5)
        await self._show(awaited.hand, tuple(card for card in cards if card in hidden)[-awaited.count :])

    async def _turn(self, hand: str) -> None:
        await self._pause(1.5)
        await self._show(hand, await self._look(hand))

    async def _show(self, hand: str, cards: tuple[Card, ...]) -> None:
        if await self._line.say(say.ExposeCards(hand, cards)):
            self._shown.setdefault(hand, Counter()).update(cards)

    async def _lay_open(self, hand: str) -> None:
        """Lay a player's cards open as they were set, the low hand's two last."""
        cards = await self._look(hand)
        await self._pause(1.5)
        await self._line.say(say.SetHand(hand, cards[:-2], cards[-2:]))

    async def _look_under(self, _: str) -> None:
        """Look at the hole card, and turn it only where it makes a blackjack."""
        up, hole = await self._look(DEALER), await self._look(family.HOLE)
        if peek(up, hole) != NO_BLACKJACK:
            await self._turn(family.HOLE)
            return
        await self._pause(1.5)
        await self._line.say(say.Call(family.PEEK, NO_BLACKJACK))

    async def _call_band(self, hand: str) -> None:
        """Say how much a wager is that nobody told the table: these players wager more than $5 and less than $25."""
        await self._line.say(say.Call(spanish.MAIN, "super bonus from 5", hand))

    async def _look(self, place: str) -> tuple[Card, ...]:
        return (await self._world.look(place)).cards

    # Calls

    async def call(self, awaited: RoundStepAwaited) -> None:
        """Answer a question: show the cards where the table sees them, else call what they are."""
        if self._plan.exposed:
            show = SHOWS.get((self._plan.game, awaited.what), Dealer._turn)
            await show(self, awaited.hand)
        elif awaited.hands:
            await self._call_by_exception(awaited)
        else:
            await self._pause(1.5)
            await self._line.say(say.Call(awaited.what, await self._judge(awaited, awaited.hand), awaited.hand))

    async def _call_by_exception(self, awaited: RoundStepAwaited) -> None:
        """Call the hands that are not like most, and then all others at once."""
        found = {hand: await self._judge(awaited, hand) for hand in awaited.hands}
        ((most, _),) = Counter(found.values()).most_common(1)
        for hand, answer in found.items():
            if answer != most:
                await self._pause(1.5)
                await self._line.say(say.Call(awaited.what, answer, hand))
        await self._pause(1.5)
        await self._line.say(say.CallOthers(awaited.what, most))

    async def _judge(self, awaited: RoundStepAwaited, hand: str) -> str:
        """Look at the cards and say what they are, in the words that are awaited."""
        question = self._questions[awaited.what]
        found = str(question.by(*[await self._look(place) for place in question.of(hand)]))
        return found if found in awaited.answers else NOTHING

    async def _pause(self, seconds: float) -> None:
        await self._plan.pause(seconds, self._chance)


Act = Callable[[Dealer, RoundStepAwaited], Awaitable[None]]

STEPS: dict[tuple[str, str], Act] = {
    ("between", ""): Dealer.wait,
    ("suspended", ""): Dealer.wait,
    ("wagers", "no-more-bets"): Dealer.close_wagers,
    ("wagers", ""): Dealer.first_card,
    ("offer", "close-offer"): Dealer.close_offer,
    ("offer", "decide"): Dealer.take_decisions,
    ("roll", ""): Dealer.lift_lid,
    ("roll", "announce-total"): Dealer.announce_dice,
    ("deal", ""): Dealer.deal,
    ("deal", "confirm-dealt"): Dealer.deal_by_hand,
    ("count", "count-stub"): Dealer.count_stub,
    ("expose", "expose-cards"): Dealer.expose,
    ("set", "expose-cards"): Dealer.expose,
    ("call", "call"): Dealer.call,
    ("turn", ""): Dealer.turn,
    ("turn", "decide"): Dealer.turn,
}
"""What a dealer does for each step that is awaited, by the verb that answers it."""

SHOWS: dict[tuple[str, str], Callable[[Dealer, str], Awaitable[None]]] = {
    (pai_gow.GAME.name, "result"): Dealer._lay_open,  # noqa: SLF001 - the table of the class above
    (supreme.GAME.name, supreme.RESULT): Dealer._lay_open,  # noqa: SLF001 - the same
    (spanish.GAME.name, family.PEEK): Dealer._look_under,  # noqa: SLF001 - the same
    (spanish.GAME.name, spanish.MAIN): Dealer._call_band,  # noqa: SLF001 - the same
    (attack.GAME.name, family.PEEK): Dealer._look_under,  # noqa: SLF001 - the same
}
"""How cards are shown for a question of a game that the table then answers itself, where they are not simply turned."""
