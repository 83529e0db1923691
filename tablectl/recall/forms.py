"""What a told round consists of."""

import msgspec

from tablectl.cards import Card
from tablectl.dice import Roll
from tablectl.events.announcements import WagerForm
from tablectl.events.facts import Deck
from tablectl.money import Odds
from tablectl.rulebook import Outcome


class Line(msgspec.Struct, omit_defaults=True):
    """One thing that happened. row, seq: where it stands in the record; who: device or role, and the person; corrects:
    the seq of the fact that this one sets right, which stands as it was told.
    """

    step: int
    row: int
    seq: int
    ts: str
    who: str
    text: str
    clause: str = ""
    hand: str = ""
    loud: bool = False
    taken_back: bool = False
    corrects: int = 0


class Lying(msgspec.Struct, omit_defaults=True):
    """One card. dealt, shown: the steps at which it came and was seen; shown: None for one that never was."""

    card: Card
    dealt: int
    shown: int | None = None


class Judged(msgspec.Struct):
    """What cards were found or called to be: ``result``, ``win``."""

    what: str
    answer: str
    step: int


class Decided(msgspec.Struct):
    """What a player decided: ``fold``."""

    choice: str
    step: int


class Hand(msgspec.Struct, omit_defaults=True):
    """The cards of one hand or area. high, low: as it was set, at the step set_at."""

    hand: str
    cards: list[Lying] = msgspec.field(default_factory=list)
    high: tuple[Card, ...] = ()
    low: tuple[Card, ...] = ()
    set_at: int = 0
    set_by: str = ""
    decisions: list[Decided] = msgspec.field(default_factory=list)
    judged: list[Judged] = msgspec.field(default_factory=list)


class Stake(msgspec.Struct, omit_defaults=True):
    """One wager and what became of it, or a payment without one. Amounts: minor units, None where only its presence
    is known; placed, settled: the steps, settled: 0 while it is open; taken_back: it was, in time.
    """

    hand: str
    wager: str
    placed: int
    owner: str = ""
    amount: int | None = None
    form: WagerForm = WagerForm.CHIPS
    outcome: Outcome | None = None
    odds: Odds | None = None
    paid: int | None = None
    returned: int | None = None
    vigorish: int = 0
    by_chips: bool = False
    late: bool = False
    taken_back: bool = False
    settled: int = 0
    clause: str = ""


class Discard(msgspec.Struct):
    """Cards as they went to the rack."""

    hand: str
    cards: tuple[Card, ...]


class Round(msgspec.Struct, omit_defaults=True):
    """A whole round. result: ``settled``, ``void``, ``dead``, ``open``, or ``entered``
    for one that was played by hand, under the number of the round before; rows, seqs: first and
    last in the record; hash: of the record up to the end of the entry in which the round ended; hands: by name, in the
    order in which they got cards; dealers: who dealt, in turn; video: milliseconds by which the video clock was last
    found ahead, None where nobody looked; synchronised: whether a time server steered the table's clock, None where it
    did not say.
    """

    table: str
    epoch: str
    round: int
    game: str
    variant: str
    mode: str
    currency: str
    program: str
    hashes: dict[str, str]
    opened: str
    ended: str
    dealer: str
    deck: Deck
    clause: str
    rows: tuple[int, int]
    seqs: tuple[int, int]
    hash: str
    result: str = "open"
    reason: str = ""
    hands: dict[str, Hand] = msgspec.field(default_factory=dict)
    stakes: list[Stake] = msgspec.field(default_factory=list)
    roll: Roll | None = None
    rolled: int = 0
    start: str = ""
    calls: list[str] = msgspec.field(default_factory=list)
    discards: list[Discard] = msgspec.field(default_factory=list)
    staked: int = 0
    paid: int = 0
    collected: int = 0
    lines: list[Line] = msgspec.field(default_factory=list)
    day: str = ""
    shift: str = ""
    dealers: list[str] = msgspec.field(default_factory=list)
    video: int | None = None
    synchronised: bool | None = None
