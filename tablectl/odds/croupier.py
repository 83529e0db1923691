"""A table is played through ``Table.accept`` alone: one who deals given cards, and says all that people would say."""

from collections.abc import Callable, Iterator
from typing import Any

from tablectl.cards import UNSEEN, Card
from tablectl.events import announcements as say
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement, Role
from tablectl.events.codec import Input
from tablectl.events.facts import (
    AnnouncementRefused,
    CardDue,
    CardsDealt,
    CardsDiscarded,
    CardsExposed,
    CardsLocked,
    CardsSet,
    Fact,
    IrregularityFound,
    RoundEnded,
    RoundHandSplit,
    RoundStepAwaited,
)
from tablectl.odds.inquiry import SHOE, STAKE, Inquiry
from tablectl.odds.strategies import STAY
from tablectl.script import BURN, DEALER, DRAW
from tablectl.table import Table
from tablectl.terms import Dealing

DECK = "deck"
DICE, NUMBER = 8, 1
"""The total of every roll, and what a generator shows: the count of the first. Where the deal starts changes no hand's
chances."""


class Croupier:
    """Plays round after round at one table; every player has every wager that is offered, and the same strategy."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._terms = inquiry.terms
        self._strategy = inquiry.plays
        self._sets = self._strategy.sets and self._strategy.sets(inquiry.rules)
        self._from_shoe = self._terms.dealing is Dealing.SHOE
        self._table = Table(lambda _: self._terms)
        self._awaited = RoundStepAwaited("between", DEALER, "")
        self._again = False
        self._begin(())
        self._say(say.Configure("", "", "", "odds"), Role.SYSTEM)
        if self._from_shoe:
            self._read(read.DeviceFound("", "", "", ("card-shoe",)))
        self._say(say.OpenTable(("supervisor", "dealer")), Role.SUPERVISOR)
        self._say(say.ReceiveDeck(DECK, DECK))

    def _begin(self, deck: Iterator[Card] | tuple[Card, ...]) -> None:
        self._deck = iter(deck)
        self._facts: list[Fact] = []
        self._hands: dict[str, list[Card]] = {}
        self._open: dict[str, list[Card]] = {}
        self._hidden: dict[str, list[Card]] = {}
        self._drawn: Card | None = None
        self._unlocked = False
        self._taken = 0
        self._wagered = False
        self._ended = False

    def play(self, deck: Iterator[Card] | tuple[Card, ...]) -> list[Fact]:
        """Play one round out of a deck that was just shuffled, and return all that happened.

        Raises:
            RuntimeError: the table refused something, or awaits what nobody here can say.
        """
        self._begin(deck)
        self._say(say.ConfirmShuffle(DECK))
        self._say(say.LoadDeck(DECK))
        if self._from_shoe:
            self._read(read.ShoeCuttingCardOut())
        while not self._ended:
            step = STEPS.get(self._awaited.step)
            if step is None:
                raise RuntimeError(f"nobody answers: {self._awaited}")
            step(self, self._awaited)
        return self._facts

    # Saying and hearing

    def _say(self, body: Announcement, role: Role = Role.DEALER) -> None:
        self._hear(self._table.accept(Input(body, 0, role, by=role)))

    def _read(self, body: read.Reading) -> None:
        self._hear(self._table.accept(Input(body, 0, SHOE)))

    def _hear(self, facts: tuple[Fact, ...]) -> None:
        self._facts += facts
        for fact in facts:
            hears = HEARS.get(type(fact))
            if hears:
                hears(self, fact)

    def _dealt(self, fact: CardsDealt) -> None:
        for card in fact.cards:
            face = (self._drawn or self._next()) if card is UNSEEN else card
            lies = self._hidden if card is UNSEEN else self._open
            lies.setdefault(fact.hand, []).append(face)
            self._hands.setdefault(fact.hand, []).append(face)
            self._drawn = None

    def _exposed(self, fact: CardsExposed) -> None:
        left = self._hidden.get(fact.hand, [])
        self._hidden[fact.hand] = left[len(fact.cards) :]
        self._open.setdefault(fact.hand, []).extend(fact.cards)

    def _set(self, fact: CardsSet) -> None:
        self._hidden.pop(fact.hand, None)

    def _discarded(self, fact: CardsDiscarded) -> None:
        """Burn out of the hand; out of a shoe the card was drawn before."""
        if fact.hand == BURN and not self._from_shoe:
            for _ in fact.cards:
                self._next()

    def _unlock(self, fact: CardDue) -> None:
        del fact
        self._unlocked = True

    def _lock(self, fact: CardsLocked) -> None:
        del fact
        self._unlocked = False

    def _split(self, fact: RoundHandSplit) -> None:
        first, second = self._hands.pop(fact.hand)
        self._hands[fact.into[0]], self._hands[fact.into[1]] = [first], [second]

    def _refused(self, fact: AnnouncementRefused) -> None:
        raise RuntimeError(f"{fact.announcement} was refused: {fact.text}; awaited {fact.awaited} ({fact.clause})")

    def _irregular(self, fact: IrregularityFound) -> None:
        raise RuntimeError(f"{fact.text}; awaited {fact.awaited} ({fact.clause})")

    def _awaits(self, fact: RoundStepAwaited) -> None:
        self._awaited = fact

    def _end(self, fact: RoundEnded) -> None:
        del fact
        self._ended = True

    def _next(self) -> Card:
        self._taken += 1
        return next(self._deck)

    # What is awaited

    def wager(self, awaited: RoundStepAwaited) -> None:
        """Put every wager down, and close."""
        if not self._wagered:
            self._place(awaited)
        elif awaited.verb:
            self._say(say.NoMoreBets())
        else:
            self._draw()

    def _place(self, awaited: RoundStepAwaited) -> None:
        self._wagered = True
        if self._again:
            self._say(say.RepeatWagers())
            return
        self._again = len(awaited.answers) == 1
        for hand in awaited.hands:
            for wager in awaited.answers:
                self._say(say.PlaceWager(hand, wager, STAKE))

    def _draw(self) -> None:
        """Draw the next card out of the shoe."""
        self._drawn, self._unlocked = self._next(), False
        self._read(read.ShoeCardDrawn(self._drawn))

    def roll(self, awaited: RoundStepAwaited) -> None:
        """Announce the dice, or the number of a generator."""
        del awaited
        rules = self._terms.rules
        generated = "start by" in rules.options and rules.option("start by") == "generator"
        self._say(say.AnnounceTotal(NUMBER if generated else DICE))

    def bank(self, awaited: RoundStepAwaited) -> None:
        """Let nobody bank."""
        del awaited
        self._say(say.CloseOffer())

    def deal(self, awaited: RoundStepAwaited) -> None:
        """Deal what is due: one card out of a shoe, or all that the step is about out of the hand."""
        del awaited
        if self._from_shoe:
            self._draw()
        else:
            self._say(say.ConfirmDealt())

    def count(self, awaited: RoundStepAwaited) -> None:
        """Count the stub."""
        del awaited
        self._say(say.CountStub(self._terms.composition.size - self._taken))

    def expose(self, awaited: RoundStepAwaited) -> None:
        """Turn the cards that are due, all of the hand where no number is said."""
        hidden = self._hidden[awaited.hand]
        self._say(say.ExposeCards(awaited.hand, tuple(hidden[: awaited.count or len(hidden)])))

    def call(self, awaited: RoundStepAwaited) -> None:
        """Lay open what the question is about: a player's seven cards as the player set them, else as they lie."""
        hand = next(area for area in (awaited.hand, DEALER, *self._hidden) if self._hidden.get(area))
        if self._sets and hand != DEALER and awaited.what == RESULT:
            self._say(say.SetHand(hand, *self._sets(tuple(self._hands[hand]))))
        else:
            self._say(say.ExposeCards(hand, tuple(self._hidden[hand])))

    def offer(self, awaited: RoundStepAwaited) -> None:
        """Let every player choose, and close what does not close by itself."""
        for hand in awaited.hands:
            self._decide(awaited, hand)
        if awaited.verb == say.CloseOffer.name():
            self._say(say.CloseOffer())

    def turn(self, awaited: RoundStepAwaited) -> None:
        """Let a player choose, or draw; the dealer draws."""
        if awaited.hand == DEALER or self._decide(awaited, awaited.hand) == DRAW:
            self._draw()

    def _decide(self, awaited: RoundStepAwaited, hand: str) -> str:
        decide = self._strategy.decides.get(awaited.what)
        seen = {**self._open, hand: self._hands[hand]} if hand in self._hands else self._open
        answers = (*awaited.answers, DRAW) if self._unlocked else awaited.answers
        choice, times = decide(seen, hand, answers) if decide else STAY
        if choice and choice != DRAW:
            self._say(say.Decide(hand, choice, int(times * STAKE) or None))
        return choice

    def lift(self, awaited: RoundStepAwaited) -> None:
        """Verify, as a supervisor, what the table holds for."""
        self._say(say.LiftSuspension(awaited.prompt), Role.SUPERVISOR)


RESULT = "result"

HEARS: dict[type[Fact], Callable[[Croupier, Any], None]] = {
    CardsDealt: Croupier._dealt,  # noqa: SLF001 - the table of the class above
    CardsExposed: Croupier._exposed,  # noqa: SLF001 - the same
    CardsDiscarded: Croupier._discarded,  # noqa: SLF001 - the same
    CardDue: Croupier._unlock,  # noqa: SLF001 - the same
    CardsLocked: Croupier._lock,  # noqa: SLF001 - the same
    CardsSet: Croupier._set,  # noqa: SLF001 - the same
    RoundHandSplit: Croupier._split,  # noqa: SLF001 - the same
    AnnouncementRefused: Croupier._refused,  # noqa: SLF001 - the same
    IrregularityFound: Croupier._irregular,  # noqa: SLF001 - the same
    RoundStepAwaited: Croupier._awaits,  # noqa: SLF001 - the same
    RoundEnded: Croupier._end,  # noqa: SLF001 - the same
}
STEPS: dict[str, Callable[[Croupier, RoundStepAwaited], None]] = {
    "wagers": Croupier.wager,
    "bank": Croupier.bank,
    "roll": Croupier.roll,
    "deal": Croupier.deal,
    "count": Croupier.count,
    "expose": Croupier.expose,
    "set": Croupier.expose,
    "call": Croupier.call,
    "offer": Croupier.offer,
    "turn": Croupier.turn,
    "suspended": Croupier.lift,
}
"""What is said to each step that is awaited."""
