"""The steps that a round is written in.

A game is a coroutine that reads in the order the dealer works. It awaits steps; the table carries each out and sends
back its answer. A script holds no odds, no money and no device, and never looks at a card to branch: it asks for a
judgement, which the table computes from exposed faces or the dealer calls.
"""

from collections.abc import Callable, Collection, Coroutine, Generator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec

from tablectl.cards import Card, Composition
from tablectl.rulebook import Clause, Rulebook, WagerKind

Answer = TypeVar("Answer")

DEALER = "dealer"
STUB = "stub"
BURN = "burn"


class Step(msgspec.Struct, Generic[Answer], frozen=True, gc=False):
    """One thing to be done at the table before the script goes on."""

    def __await__(self) -> Generator["Step[Answer]", Answer, Answer]:
        """Hand the step to the table and return its answer."""
        return (yield self)


@cache
def positions(number: int) -> tuple[str, ...]:
    """Return the positions of a table, clockwise from the dealer's left."""
    return tuple(str(position) for position in range(1, number + 1))


MOST_POSITIONS = 12
"""No table has more of them."""


def is_position(hand: str) -> bool:
    """Tell whether a hand lies at a position: ``3`` and ``3.1`` do, ``dealer`` and ``3rd street`` do not."""
    return hand.partition(".")[0].isdecimal()


class Layout(msgspec.Struct, frozen=True):
    """What lies on the layout when wagers are closed. positions: how many the table has; wagers: names by hand."""

    positions: int
    wagers: Mapping[str, tuple[str, ...]]

    @property
    def all_hands(self) -> tuple[str, ...]:
        """Return every position, clockwise from the dealer's left."""
        return positions(self.positions)

    def having(self, wager: str) -> tuple[str, ...]:
        """Return the hands with this wager, clockwise from the dealer's left."""
        return tuple([hand for hand in self.all_hands if wager in self.wagers.get(hand, ())])


class Seating(msgspec.Struct, frozen=True):
    """Who may wager where. positions: at most so many for one player, side by side where ``adjacent``; owners: at most
    so many players at one position, by the consent of the first of them, or None for any number by nobody's. Only
    players who are named are told apart.
    """

    clause: Clause
    positions: int = 1
    owners: int | None = 1
    adjacent: bool = False


class Bank(msgspec.Struct, frozen=True):
    """Who banks a round: the dealer, or a player at this position; shared: the house covers half (co-banking)."""

    hand: str = DEALER
    shared: bool = False


class OfferBank(Step[Bank], frozen=True):
    """Offer the bank to one player after another, none twice in a row. wager: who placed it in the last round that the
    dealer banked may bank; shared: whether the house shares a bank on request.
    """

    wager: str
    shared: bool
    clause: Clause


class SettleBank(Step[None], frozen=True):
    """Add up what the bank won or lost on these wagers; the clause names the vigorish on its net winnings."""

    bank: Bank
    wager: str
    clause: Clause


class OpenWagers(Step[Layout], frozen=True):
    """Let wagers be placed until the dealer closes them, or until the first card leaves the shoe for ``first_card``: an
    area, or the first hand with this wager.

    seating: who may wager where, None for anybody anywhere; burn: the section by which a card is burned after a shuffle
    and for a new dealer; entry: the section by which nobody who sat out comes in before the next shuffle; bank: a
    player's, who places none of these wagers, and against whom the house may place the first.
    """

    kinds: tuple[WagerKind, ...]
    closes: Clause
    first_card: str = ""
    seating: Seating | None = None
    burn: Clause | None = None
    entry: Clause | None = None
    bank: Bank = Bank()


class RollDice(Step[str], frozen=True):
    """Shake, uncover and announce three dice, count their total counterclockwise from ``first`` as one, every place
    counted; the answer is the hand that starts. shakes: at least so many; generator: a number generator's number, one
    for each place, is announced instead.
    """

    first: str
    shakes: int
    clause: Clause
    no_roll: Clause
    generator: bool = False


class Deal(Step[None], frozen=True):
    """Deal so many cards to each hand in this order: a stack each from a stack shoe, else one card after another.

    by_hand: out of the stub in the dealer's hand where a stack shoe dealt so far; burn: cards that go to the discard
    rack before these, not out of a stack shoe; stack: size of the stack out of which so many cards go to the hand and
    the others to the discard rack, 0 where the stack is as large as the hand's share.
    """

    to: tuple[str, ...]
    clause: Clause
    count: int = 1
    face_up: bool = False
    by_hand: bool = False
    burn: int = 0
    stack: int = 0


class ReleaseStub(Step[None], frozen=True):
    """Take the rest of the deck out of the shoe."""

    clause: Clause


class CountStub(Step[None], frozen=True):
    """Count the rest of the deck, blind. every: 1 for each round, 5 for at least once in five rounds of this deck.

    held: what each hand should hold, for a misdeal; misdeal, removal: what follows when the number is wrong.
    """

    held: Mapping[str, int]
    clause: Clause
    misdeal: Clause
    removal: Clause
    every: int = 1


class Expose(Step[None], frozen=True):
    """Turn the hand's cards face up, but for so many ``hidden``; nothing is awaited where the dealer calls instead."""

    hand: str
    clause: Clause
    hidden: int = 0


Way = Callable[[tuple[Card, ...]], tuple[tuple[Card, ...], tuple[Card, ...]]]
"""How a house sets seven cards: five high, two low."""


class Set(Step[None], frozen=True):
    """Lay a hand open as it was set, into ``hand.high`` and ``hand.low``. way: the house way, for the dealer's hand."""

    hand: str
    clause: Clause
    way: Way | None = None


class Judge(Step[str], frozen=True):
    """Find out what cards show: computed by ``by`` when all cards ``of`` these areas are seen, else the dealer calls.

    calls: what may be called; hand: whose question it is; among: hands for which the same may be called beforehand,
    in the order in which they are judged; moot: the answer where no wager is open on the hand any more, so
    that nothing is asked.
    """

    what: str
    of: tuple[str, ...]
    by: Callable[..., str]
    calls: tuple[str, ...]
    clause: Clause
    hand: str = ""
    among: tuple[str, ...] = ()
    moot: str = ""


class Stake(msgspec.Struct, frozen=True):
    """The wager that a choice places. of: the wager on the same hand whose amount limits it, ``least`` to ``most``
    times, as whole numbers where they are; where both are the same, the amount follows by itself; whole: only whole
    multiples of it; beside: wagers whose amounts count with it; full: without an amount, it is the most.
    """

    kind: WagerKind
    of: str
    least: Fraction | int = 0
    most: Fraction | int = 1
    whole: bool = False
    beside: tuple[str, ...] = ()
    full: bool = False


class Choice(msgspec.Struct, frozen=True):
    """What a player may choose. stake: the wager that it places; fits: whether the hand's cards allow it, asked only
    when all of them are seen; clause: the section that allows or forbids it, the step's own if None.
    """

    stake: Stake | None = None
    fits: Callable[[tuple[Card, ...]], bool] | None = None
    clause: Clause | None = None


Place = tuple[str, str]
"""Who chooses: a hand and, where several persons share the position, the owner of the wager there."""


class Chosen(dict[str, str]):
    """What was chosen, by hand; of choices that owners of one hand made differently, the one offered first.

    by_owner: each choice by hand and owner; asked: everybody who could choose.
    """

    def __init__(self, by_owner: Mapping[Place, str], asked: Collection[Place], offered: Sequence[str]) -> None:
        self.by_owner, self.asked = by_owner, asked
        for (hand, _), choice in by_owner.items():
            if hand not in self or offered.index(choice) < offered.index(self[hand]):
                self[hand] = choice

    def places(self, choice: str) -> tuple[Place, ...]:
        """Return who chose this."""
        return tuple(place for place, chosen in self.by_owner.items() if chosen == choice)

    def whole(self, choice: str) -> tuple[str, ...]:
        """Return the hands on which everybody chose this."""
        others = {hand for hand, owner in self.asked if self.by_owner.get((hand, owner)) != choice}
        return tuple(hand for hand in self if hand not in others)


class Offer(Step[Chosen], frozen=True):
    """Let each of these hands choose once, in any order; the answer holds who chose what.

    prompt: what is asked; closing: what the dealer says to close, empty where every hand must choose; next_card: where
    the card goes that closes it, too; wager: whose owners choose, each for themselves, where no choice places a wager;
    reveals: the area that is turned next, which a reader may see before the last choice was entered.
    """

    what: str
    hands: tuple[str, ...]
    choices: Mapping[str, Choice]
    clause: Clause
    prompt: str
    closing: str = ""
    next_card: str = ""
    wager: str = ""
    reveals: str = ""


DRAW = "draw"
"""The answer of a turn in which a card was drawn: drawing it is the decision."""
OVER = "over"
"""The answer of a turn that nobody plays any more, since the wager was returned."""


class Turn(Step[str], frozen=True):
    """Let one hand act once: a choice, a card drawn (``DRAW``), or an end that the cards ``of`` it show by themselves.

    by, ends: how seen cards are judged, and which judgements end the turn; unseen ones are called by the dealer; draws:
    whether a card may be drawn; wager: what is played for, without which the turn is ``OVER``.
    """

    hand: str
    choices: Mapping[str, Choice]
    what: str
    of: tuple[str, ...]
    by: Callable[..., str]
    ends: tuple[str, ...]
    clause: Clause
    draws: bool = True
    wager: str = ""


class Split(Step[None], frozen=True):
    """Make two hands of one with two cards. wagers: what lies on it, and stays with the first; added: what lies beside
    them for the second, and becomes the first of those wagers there.
    """

    hand: str
    into: tuple[str, str]
    wagers: tuple[str, ...]
    added: str
    clause: Clause


class Pay(Step[None], frozen=True):
    """Pay the clause's fixed amount, once, to everybody who wagered at these positions, whatever becomes of the wager.

    winner: the hand for which others are paid, not those who hold it.
    """

    hands: tuple[str, ...]
    clause: Clause
    winner: str = ""


class PayBand(Step[bool], frozen=True):
    """Pay everybody on these hands, once, the fixed amount of the highest band that a wager there reaches; tell whether
    anybody was paid.

    bands: clauses with ``amount`` and ``least``, lowest first; where an amount is not known, the dealer calls the band;
    winner: the hand for which others are paid, not those who hold it.
    """

    hands: tuple[str, ...]
    wager: str
    bands: tuple[Clause, ...]
    clause: Clause
    winner: str = ""


class Verify(Step[None], frozen=True):
    """Hold the table until a supervisor has looked at this: a large payout, or what the rules do not decide."""

    what: str
    clause: Clause
    hand: str = ""


class PayOdds(Step[None], frozen=True):
    """Pay the clause's odds on the amount of a wager beside what becomes of it, even if it lost."""

    clause: Clause
    hand: str
    wager: str


class Settle(Step[None], frozen=True):
    """Settle wagers as the clause says, up to the table's cap. hand, wager: which, empty for all; owner: whose, None
    for everybody's.
    """

    clause: Clause
    hand: str = ""
    wager: str = ""
    owner: str | None = None


class Discard(Step[None], frozen=True):
    """Collect cards in an order from which each hand can be rebuilt. hands: which, in order; none for all that lie."""

    clause: Clause
    hands: tuple[str, ...] | None = None


Script = Callable[[Rulebook], Coroutine[Step[Any], Any, None]]
"""A round of a game, from the first wager to the last card in the discard rack."""


class Game(msgspec.Struct, frozen=True):
    """One game as the table knows it. scripts: by variant; composition: what its deck holds; boxes: community areas;
    reshuffle: after every ``round``, or after each ``shoe`` when the cutting card comes out.
    """

    name: str
    scripts: Mapping[str, Script]
    composition: Callable[[Rulebook], Composition]
    boxes: tuple[str, ...] = ()
    reshuffle: str = "round"
