"""What a report is made of. Times are RFC 3339, spans milliseconds, amounts minor units."""

import msgspec

from tablectl.events.announcements import DeckSource
from tablectl.events.facts import Counted, Place, RoundOpened


class Line(msgspec.Struct, omit_defaults=True):
    """One thing that happened. row: where it stands in the record; by: who said it."""

    ts: str
    row: int
    round: int
    text: str
    by: str = ""
    clause: str = ""


class Rounds(msgspec.Struct, omit_defaults=True):
    """Rounds that ended in the span. Amounts are of wagers whose amounts are known."""

    first: int = 0
    last: int = 0
    settled: int = 0
    void: int = 0
    dead: int = 0
    entered: int = 0
    staked: int = 0
    paid: int = 0
    collected: int = 0

    @property
    def played(self) -> int:
        """Return how many ended."""
        return self.settled + self.void + self.dead


class Stint(msgspec.Struct):
    """A dealer at the table. since: of the first round, or of the sign-on; rounds: that ended meanwhile."""

    dealer: str
    since: str
    rounds: int = 0


class Wait(msgspec.Struct, omit_defaults=True):
    """A call, or a payout on hold. by: who came; waited: milliseconds, None while nobody came."""

    ts: str
    row: int
    round: int
    text: str
    by: str = ""
    clause: str = ""
    waited: int | None = None


class Outage(msgspec.Struct, omit_defaults=True):
    """Something did not serve: a device, the controller, the table itself. lasted: milliseconds, None if it goes on."""

    what: str
    ts: str
    row: int
    reason: str
    lasted: int | None = None


class DeckLife(msgspec.Struct, omit_defaults=True):
    """A deck at the table. received: empty where the record does not say; age: milliseconds since, at the end of the
    span or at its removal; rounds: dealt from it in the span; shuffles: since it came; counted_right: how often people
    found it whole in the span, last_right: when last; counts: those that were wrong.
    """

    deck: str
    back: str
    size: int
    place: Place
    counted: Counted
    source: DeckSource
    seal: str = ""
    received: str = ""
    received_by: str = ""
    age: int | None = None
    shuffles: int = 0
    rounds: int = 0
    counted_right: int = 0
    last_right: str = ""
    counts: list[Line] = msgspec.field(default_factory=list)
    removed: Line | None = None


class DiceLife(msgspec.Struct, omit_defaults=True):
    """A set of dice at the table, as a deck's. inspections: with the names of who looked."""

    dice: str
    received: str = ""
    age: int | None = None
    inspections: list[Line] = msgspec.field(default_factory=list)
    removed: Line | None = None


class Discrepancy(msgspec.Struct, omit_defaults=True):
    """A count that was wrong. counted, expected: cards, None where a device told in words; wrong_hands: sizes of hands
    that did not hold what was due; followed: what was done about it, up to the next round.
    """

    ts: str
    row: int
    round: int
    day: str
    shift: str
    dealer: str
    what: str
    said_by: str
    clause: str
    deck: str = ""
    back: str = ""
    shuffle: int = 0
    received: str = ""
    counted: int | None = None
    expected: int | None = None
    awaited: str = ""
    wrong_hands: dict[str, int] = msgspec.field(default_factory=dict)
    followed: list[Line] = msgspec.field(default_factory=list)


class Report(msgspec.Struct, omit_defaults=True):
    """All that a span of the record comes to. rows: its first and last; opening: the last round opened before it."""

    table: str
    game: str
    variant: str
    mode: str
    currency: str
    program: str
    day: str
    shift: str
    began: str
    ended: str
    rows: tuple[int, int]
    opening: RoundOpened | None = None
    rounds: Rounds = msgspec.field(default_factory=Rounds)
    dealers: list[Stint] = msgspec.field(default_factory=list)
    table_lines: list[Line] = msgspec.field(default_factory=list)
    irregularities: list[Line] = msgspec.field(default_factory=list)
    voids: list[Line] = msgspec.field(default_factory=list)
    rulings: list[Line] = msgspec.field(default_factory=list)
    payouts: list[Wait] = msgspec.field(default_factory=list)
    calls: list[Wait] = msgspec.field(default_factory=list)
    outages: list[Outage] = msgspec.field(default_factory=list)
    held: list[Outage] = msgspec.field(default_factory=list)
    reads: list[Line] = msgspec.field(default_factory=list)
    clocks: list[Line] = msgspec.field(default_factory=list)
    refusals: int = 0
    decks: dict[str, DeckLife] = msgspec.field(default_factory=dict)
    dice: list[DiceLife] = msgspec.field(default_factory=list)
    discrepancies: list[Discrepancy] = msgspec.field(default_factory=list)
