"""What is shown: a fold of committed facts, for the state topic, the terminal, the pages and the recall of a round."""

import msgspec

from tablectl.cards import Card
from tablectl.dice import Roll
from tablectl.events.facts import Alarm, Counted, Outcome, Place
from tablectl.money import Odds


class WagerView(msgspec.Struct, omit_defaults=True):
    """One wager on the layout. amount: minor units, None where only its presence is known; outcome: None while open."""

    wager: str
    amount: int | None = None
    owner: str = ""
    outcome: Outcome | None = None
    paid: int | None = None
    odds: Odds | None = None
    clause: str = ""


class HandView(msgspec.Struct, omit_defaults=True):
    """The cards of one hand, ``??`` for each that nobody has seen; result and decision in the words of the game."""

    cards: list[Card] = msgspec.field(default_factory=list)
    high: list[Card] = msgspec.field(default_factory=list)
    low: list[Card] = msgspec.field(default_factory=list)
    decision: str = ""
    result: str = ""


class PositionView(msgspec.Struct, omit_defaults=True):
    """One betting position, counted clockwise from the dealer's left."""

    position: int
    wagers: list[WagerView] = msgspec.field(default_factory=list)
    hands: dict[str, HandView] = msgspec.field(default_factory=dict)


class DiceView(msgspec.Struct, omit_defaults=True):
    """The dice of this round. no_roll: why the last roll did not count; count: from the dealer as one."""

    roll: Roll | None = None
    no_roll: str = ""
    total: int | None = None
    count: int | None = None
    start: str = ""


class AwaitedView(msgspec.Struct, omit_defaults=True):
    """What comes next, as :class:`~tablectl.events.facts.RoundStepAwaited` says it."""

    step: str
    who: str
    prompt: str
    verb: str = ""
    what: str = ""
    hand: str = ""
    hands: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    clause: str = ""


class DeckView(msgspec.Struct, omit_defaults=True):
    """One deck of the table. How many cards a live shoe holds is not shown: players can see the display."""

    deck: str
    back: str
    place: Place
    counted: Counted
    rounds_since_count: int = 0


class RoundSummary(msgspec.Struct, omit_defaults=True):
    """How a round ended. staked, paid, collected: minor units, of wagers whose amounts are known."""

    round: int
    result: str
    staked: int = 0
    paid: int = 0
    collected: int = 0
    text: str = ""


class State(msgspec.Struct, omit_defaults=True):
    """The whole table in one message, the payload of the retained ``state`` topic.

    table: ``site/pit/id``; at_seq: the last event folded in; phase: ``closed``, ``between``, ``wagers``, ``dealing``,
    ``decisions``, ``settling`` or ``clearing``; suspended: the reason, empty while play goes on; areas: the dealer's
    hand and the community boxes by name; calls: what the cards were judged to be, in order.
    """

    v: int
    table: str
    epoch: str
    at_seq: int
    ts: str
    game: str = ""
    variant: str = ""
    mode: str = ""
    currency: str = "USD"
    unconfirmed: int = 0
    open: bool = False
    suspended: str = ""
    floor_called: str = ""
    dealer: str = ""
    round: int = 0
    phase: str = "closed"
    awaited: AwaitedView | None = None
    positions: list[PositionView] = msgspec.field(default_factory=list)
    areas: dict[str, HandView] = msgspec.field(default_factory=dict)
    dice: DiceView | None = None
    calls: list[str] = msgspec.field(default_factory=list)
    decks: list[DeckView] = msgspec.field(default_factory=list)
    alarms: list[Alarm] = msgspec.field(default_factory=list)
    last: list[RoundSummary] = msgspec.field(default_factory=list)
