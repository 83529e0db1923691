"""A round is walked through at once: every step of the script is answered as soon as it is awaited.

What the table does by itself, its own ledger, rulebook and procedures do here, too. Left out is what a round by chance
needs none of: devices, prompts, the record, and the checks of what people say. :mod:`tablectl.odds.simulation` plays
some of the rounds through ``Table.accept`` as well, and holds both against each other, fact by fact.
"""

from collections.abc import Callable, Iterator
from typing import Any

from tablectl.cards import Card
from tablectl.errors import ConfigError
from tablectl.events.announcements import Configure, Role
from tablectl.events.codec import Input
from tablectl.events.facts import (
    Fact,
    RoundBonusPaid,
    RoundDecided,
    RoundHandSplit,
    RoundJudged,
    WagerPlaced,
    WagerSettled,
)
from tablectl.ledger import Wager
from tablectl.odds.inquiry import STAKE, Inquiry
from tablectl.odds.strategies import STAY
from tablectl.script import (
    DRAW,
    Bank,
    Chosen,
    CountStub,
    Deal,
    Discard,
    Expose,
    Judge,
    Layout,
    Offer,
    OfferBank,
    OpenWagers,
    ReleaseStub,
    RollDice,
    Set,
    Settle,
    SettleBank,
    Step,
    Turn,
    Verify,
)
from tablectl.table import Table
from tablectl.table.procedure import WAIT
from tablectl.table.round import Round
from tablectl.table.table import PROCEDURES
from tablectl.terms import Dealing

TOLD = (WagerPlaced, RoundJudged, RoundDecided, RoundHandSplit, WagerSettled, RoundBonusPaid)
"""The facts of a round that is walked through."""


class Walk:
    """A table at which nothing is awaited. Every player has every wager that is offered, and the same strategy.

    hands: what lies where in this round; nothing is taken up.
    """

    def __init__(self, inquiry: Inquiry) -> None:
        self._table = Table(lambda _: inquiry.terms)
        self._table.accept(Input(Configure("", "", "", "odds"), 0, Role.SYSTEM))
        self._terms, self._tell = inquiry.terms, self._table.tell
        strategy = inquiry.plays
        self._decides = strategy.decides
        self._sets = strategy.sets and strategy.sets(inquiry.rules)
        self._one_by_one = self._terms.dealing is Dealing.SHOE
        self.hands: dict[str, list[Card]] = {}

    def play(self, deck: Iterator[Card]) -> list[Fact]:
        """Play one round out of a deck that was just shuffled; return what was wagered, judged, decided and paid."""
        script = self._terms.game.scripts[self._terms.variant](self._terms.rules)
        self._table.round = self._now = Round(1, script, self._terms)
        self._ledger, self._deck, facts = self._now.ledger, deck, self._table.start()
        self.hands = self._now.hands
        self._open: dict[str, list[Card]] = {}
        answer = None
        try:
            while True:
                step = script.send(answer)
                carry_out: Callable[[Walk, Any], Any] = ANSWERS.get(type(step), Walk.carry_out)
                answer = carry_out(self, step)
        except StopIteration:
            return facts

    def carry_out(self, step: Step[Any]) -> Any:
        """Let the table's own procedure do what it does by itself.

        Raises:
            RuntimeError: it awaits something, which nobody here can say.
        """
        answer = PROCEDURES[type(step)](self._table, self._now, step).advance()
        if answer is WAIT:
            raise RuntimeError(f"nobody answers: {step}")
        return answer

    def pass_over(self, step: Step[Any]) -> None:
        """Leave out what changes no wager."""

    # Cards

    def deal_out(self, step: Deal) -> None:
        """Deal a card to each hand again and again out of a shoe, out of the hand all cards of each at once."""
        for _ in range(step.burn):
            next(self._deck)
        turns, each = (step.count, 1) if self._one_by_one else (1, step.count)
        for _ in range(turns):
            for hand in step.to:
                cards = [next(self._deck) for _ in range(each)]
                self.hands.setdefault(hand, []).extend(cards)
                if step.face_up:
                    self._open.setdefault(hand, []).extend(cards)

    def expose(self, step: Expose) -> None:
        """Turn all cards of a hand but the last ones, if some stay hidden."""
        cards = self.hands[step.hand]
        self._open[step.hand] = cards[: len(cards) - step.hidden]

    def set_dealer(self, step: Set) -> None:
        """Set the dealer's hand by the house way."""
        if step.way:
            self._arrange(step.hand, *step.way(tuple(self.hands[step.hand])))

    def _arrange(self, hand: str, high: tuple[Card, ...], low: tuple[Card, ...]) -> None:
        del self.hands[hand]
        self.hands[f"{hand}.high"], self.hands[f"{hand}.low"] = list(high), list(low)

    def judge(self, step: Judge) -> str:
        """Judge the cards; a player who sets a hand does so when it is compared.

        Raises:
            ConfigError: nothing but the dealer's call answers this.
        """
        if step.moot and not self._ledger.open(step.hand):
            return step.moot
        hands = self.hands
        if self._sets and step.hand in hands and step.of[0] not in hands:
            self._arrange(step.hand, *self._sets(tuple(hands[step.hand])))
        try:
            answer = step.by(*[tuple(hands[area]) for area in step.of])
        except ValueError as error:
            raise ConfigError(f"{step.what}: {error}; awaited wagers that are settled by cards") from error
        self._tell(RoundJudged(step.what, answer, "cards", step.hand, step.clause.cites))
        return answer

    # Players

    def open_wagers(self, step: OpenWagers) -> Layout:
        """Put every wager down at every position."""
        if step.burn:
            next(self._deck)
        for hand in self._now.layout.all_hands:
            for kind in step.kinds:
                self._place(Wager(hand, "", kind.name, STAKE), step.closes.cites)
        return self._now.layout

    def _place(self, wager: Wager, clause: str) -> None:
        self._ledger.place(wager, None, clause)
        self._tell(WagerPlaced(wager.hand, wager.name, wager.amount))

    def offer_bank(self, step: OfferBank) -> Bank:
        """Decline the bank."""
        del step
        return Bank()

    def roll(self, step: RollDice) -> str:
        """Start where the count begins: who gets the first cards changes no hand's chances."""
        return step.first

    def offer(self, step: Offer) -> Chosen:
        """Let every player choose."""
        answers = (*step.choices, DRAW) if step.next_card else tuple(step.choices)
        of = step.wager or next((choice.stake.of for choice in step.choices.values() if choice.stake), "")
        asked = [hand for hand in step.hands if not of or self._ledger.open(hand, of)]
        chosen = {(hand, ""): self._choose(step, hand, answers) for hand in asked}
        made = {place: choice for place, choice in chosen.items() if choice in step.choices}
        return Chosen(made, chosen, tuple(step.choices))

    def turn(self, step: Turn) -> str:
        """Let the cards end a turn, else a player choose or draw; the dealer draws."""
        hands = self.hands
        shown = step.by(*[tuple(hands[area]) for area in step.of])
        if shown in step.ends:
            self._tell(RoundJudged(step.what, shown, "cards", step.hand, step.clause.cites))
            return shown
        if not step.choices:
            return DRAW
        cards = tuple(hands[step.hand])
        may = [name for name, choice in step.choices.items() if not choice.fits or choice.fits(cards)]
        return self._choose(step, step.hand, (*may, *step.ends, DRAW) if step.draws else (*may, *step.ends))

    def _choose(self, step: Offer | Turn, hand: str, answers: tuple[str, ...]) -> str:
        decide = self._decides.get(step.what)
        seen = {**self._open, hand: self.hands[hand]} if hand in self.hands else self._open
        name, times = decide(seen, hand, answers) if decide else STAY
        if not name or name == DRAW:
            return name
        choice, amount = step.choices[name], None
        if choice.stake:
            clause = (choice.clause or step.clause).cites
            wager = self._ledger.wager_for((hand, ""), choice.stake, int(times * STAKE) or None, clause)
            self._place(wager, clause)
            amount = wager.amount
        self._tell(RoundDecided(hand, name, amount))
        return name

    # Money

    def settle(self, step: Settle) -> None:
        """Settle wagers as the clause says."""
        ledger = self._ledger
        for wager in ledger.open(step.hand, step.wager, step.owner):
            self._tell(ledger.settle(wager, step.clause))


ANSWERS: dict[type[Step[Any]], Callable[[Walk, Any], Any]] = {
    OpenWagers: Walk.open_wagers,
    OfferBank: Walk.offer_bank,
    RollDice: Walk.roll,
    Deal: Walk.deal_out,
    ReleaseStub: Walk.pass_over,
    CountStub: Walk.pass_over,
    Expose: Walk.expose,
    Set: Walk.set_dealer,
    Judge: Walk.judge,
    Offer: Walk.offer,
    Turn: Walk.turn,
    Settle: Walk.settle,
    SettleBank: Walk.pass_over,
    Verify: Walk.pass_over,
    Discard: Walk.pass_over,
}
"""What takes the place of a table's procedure where that waits for people or devices, or is played most often."""
