"""What therefore happened: every fact the table can state, in the past tense.

The name of a fact is its topic on MQTT: ``RoundOpened`` is ``round.opened`` is ``evt/round/opened``. Money is in minor
units; a hand is ``"3"``, ``"dealer"`` or the name of a community area; a clause is a citation such as
``13:69F-6.5(d)``.
"""

from enum import StrEnum

import msgspec

from tablectl.cards import Card
from tablectl.dice import Roll
from tablectl.events.announcements import DeckSource, WagerForm
from tablectl.events.readings import Condition
from tablectl.events.word import Word
from tablectl.money import Odds
from tablectl.rulebook import Outcome


class Fact(Word):
    """One thing that happened."""


# Intents: what a device is to do; each is committed before the device is told


class ShuffleDue(Fact):
    """The shuffler is to shuffle this deck."""

    command: str
    device: str
    deck: str


class StackDue(Fact):
    """The stack shoe is to dispense one stack. left: cards that must be in the shoe before it."""

    command: str
    device: str
    stack: int
    size: int
    left: int
    hand: str


class StubDue(Fact):
    """The stack shoe is to release the rest of the deck."""

    command: str
    device: str
    left: int


class CardDue(Fact):
    """The card shoe is unlocked for one card; face_up: it may tell the card's face."""

    command: str
    device: str
    hand: str
    face_up: bool


class CardsLocked(Fact):
    """The card shoe is locked: no card is due."""

    command: str
    device: str


class RollDue(Fact):
    """The shaker is to be shaken, at least so many times."""

    command: str
    device: str
    times: int


class CommandEnded(Fact):
    """A command came to its end: ``done``, ``refused``, ``unknown``, or ``not-done`` as counted by people."""

    command: str
    outcome: str
    reason: str = ""


# What outlives a round


class Place(StrEnum):
    """Where a deck is."""

    RACK = "rack"
    SHUFFLER = "shuffler"
    READY = "ready"
    SHOE = "shoe"
    REMOVED = "removed"


class Counted(StrEnum):
    """What is known of a deck's number since its last shuffle (13:69F-11.17(i)); only ``ok`` waives the stub count."""

    OK = "ok"
    WRONG = "wrong"
    NOT = "not-counted"
    UNKNOWN = "unknown"


class Deck(msgspec.Struct, frozen=True, omit_defaults=True):
    """One deck of this table. shuffle: how often it was shuffled here; last_round: the last round dealt from it;
    rounds_since_count: rounds played since its number was last known; left: cards left in the shoe, None if unknown;
    burned_for: the dealer for whom a card of it was burned; players: who may wager where mid-shoe entry is barred, as
    ``hand/owner``. Both since the last shuffle, None where nothing of the kind happened yet. in_shuffler: the deck was
    removed while it was shuffled, and the machine has not finished; received: when it came to the table, in nanoseconds
    since 1970; miscounted: a number that one count by hand found and a second one has not borne out.
    """

    deck: str
    back: str
    source: DeckSource
    place: Place
    counted: Counted = Counted.NOT
    counted_by: str = ""
    shuffled: bool = False
    shuffle: int = 0
    last_round: int = 0
    rounds_since_count: int = 0
    left: int | None = None
    cut_card_out: bool = False
    burned_for: str | None = None
    players: tuple[str, ...] | None = None
    in_shuffler: bool = False
    received: int = 0
    seal: str = ""
    miscounted: int | None = None


class DiceSet(msgspec.Struct, frozen=True, omit_defaults=True):
    """The dice in the shaker. received, inspected: when they came and were last looked at, in nanoseconds since 1970, 0
    for never.
    """

    dice: str
    received: int
    inspected: int = 0


class FloorCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call for the supervisor that nobody answered yet. at: when, in nanoseconds since 1970; hold: play waits."""

    reason: str
    at: int
    hold: bool = False


class Device(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the table knows of one device. boot, number: the last event of it that was taken; out: why it is out of
    service, empty while it serves; meant: the serial number that must answer since a swap, over the table file's;
    untested: why it must pass a test before it is used, empty once it has.
    """

    device: str
    online: bool = False
    reason: str = "not seen yet"
    model: str = ""
    serial: str = ""
    firmware: str = ""
    kinds: tuple[str, ...] = ()
    boot: str = ""
    number: int = 0
    conditions: tuple[Condition, ...] = ()
    out: str = ""
    meant: str = ""
    untested: str = ""
    detail: str = ""


class Alarm(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that people must know of. alarm: its id; latched: only a supervisor clears it."""

    alarm: str
    text: str
    clause: str = ""
    latched: bool = False


class BankRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who may bank. banked: the player who banked the last round, empty if the dealer did; offered: whom the bank was
    offered to last; wagers: those of the last round that the dealer banked.
    """

    banked: str = ""
    offered: str = ""
    wagers: tuple["Placed", ...] = ()


class Snapshot(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that outlives a round; with the round's inputs it is enough to rebuild the table.

    ordered_of: by command, the boot of its device in which it was ordered; sensed: where a sensor sees chips, as hand
    and wager; last_paid: hand, owner, wager and winnings of the last round.
    """

    round: int = 0
    open: bool = False
    dealer: str = ""
    suspended: dict[str, str] = msgspec.field(default_factory=dict)
    decks: tuple[Deck, ...] = ()
    devices: tuple[Device, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    last_wagers: tuple["Placed", ...] = ()
    commands: tuple[ShuffleDue | StubDue, ...] = ()
    ordered_of: dict[str, str] = msgspec.field(default_factory=dict)
    sensed: tuple[tuple[str, str], ...] = ()
    last_paid: tuple[tuple[str, str, str, int | None], ...] = ()
    bank: BankRecord = BankRecord()
    day: str = ""
    shift: str = ""
    dice: DiceSet | None = None
    call: FloorCall | None = None


class Placed(msgspec.Struct, frozen=True, omit_defaults=True):
    """One wager as it lies on the layout."""

    hand: str
    wager: str
    amount: int | None = None
    owner: str = ""
    form: WagerForm = WagerForm.CHIPS


# The table


class TableConfigured(Fact):
    """The rules and limits in force from now on. unconfirmed: clauses that are not confirmed New Jersey text,
    each as "name: standing"; hashes: SHA-256 of rulebook, house file and table file.
    """

    game: str
    variant: str
    mode: str
    positions: int
    currency: str
    program: str
    hashes: dict[str, str]
    unconfirmed: tuple[str, ...] = ()


class TableChangeDue(Fact):
    """A change that lowers payouts was asked for before its time, and waits: it is asked for again when it is due.

    effective: RFC 3339; lowers: what it lowers; by: both names of its notice (13:69F-8.3).
    """

    effective: str
    lowers: tuple[str, ...]
    by: tuple[str, ...]
    clause: str


class TableOpened(Fact):
    """The table is open for play. inspected_by: who inspected its decks."""

    by: str = ""
    inspected_by: tuple[str, ...] = ()


class TableClosed(Fact):
    """No further round is opened."""

    by: str = ""
    reason: str = ""


class TableSuspended(Fact):
    """Nothing goes on until the reason is gone or a supervisor lifts it."""

    reason: str
    clause: str = ""


class TableResumed(Fact):
    """Play goes on where it stood."""

    reason: str = ""
    by: str = ""


class DayDue(Fact):
    """A gaming day or a shift begins as soon as the round under way has ended."""

    day: str
    shift: str = ""
    by: str = ""


class DayBegan(Fact):
    """A gaming day began, between two rounds. day: its date; shift: its first, if named."""

    day: str
    shift: str = ""
    by: str = ""


class ShiftBegan(Fact):
    """A shift of the gaming day began, between two rounds."""

    day: str
    shift: str
    by: str = ""


class GameDead(Fact):
    """Nobody plays at the open table; the next wager ends that."""

    by: str = ""


class DealerSignedOn(Fact):
    """A dealer took over the table. relieved: who dealt before."""

    dealer: str
    relieved: str = ""


class FloorCalled(Fact):
    """The dealer asked for the supervisor. hold: play waits."""

    reason: str
    hold: bool = False


class FloorAnswered(Fact):
    """The supervisor came. reason: of the call; waited: milliseconds since it."""

    by: str
    reason: str = ""
    waited: int = 0


class FloorRuled(Fact):
    """A supervisor ruled. ruling: the announcement's name; hand, wager, owner: what it is about, if not the table."""

    ruling: str
    reason: str
    by: str
    clause: str = ""
    hand: str = ""
    wager: str = ""
    owner: str = ""


# Decks


class DeckReceived(Fact):
    """A deck came to the table and may be used once shuffled."""

    deck: str
    back: str
    source: DeckSource
    seal: str = ""
    size: int = 0


class DeckShuffleBegan(Fact):
    """The deck is being shuffled."""

    deck: str


class DeckShuffled(Fact):
    """The deck was shuffled. count: the number that claimed_by reports, None if nobody counted."""

    deck: str
    shuffle: int
    counted: Counted
    count: int | None = None
    expected: int = 0
    claimed_by: str = ""


class DeckDiscardsShuffled(Fact):
    """The shoe ran out in mid-round: the discards were shuffled and cut to finish it. count: how many they must be."""

    deck: str
    count: int
    clause: str


class DeckLoaded(Fact):
    """The deck lies in the shoe, or in the dealer's hand, ready to deal."""

    deck: str
    left: int | None = None


class DeckCounted(Fact):
    """The deck's number was found out by people; expected is told after the blind count."""

    deck: str
    count: int
    expected: int
    clause: str = ""
    by: str = ""


class DeckMoved(Fact):
    """The deck is somewhere else now."""

    deck: str
    place: Place


class DeckRemoved(Fact):
    """The deck left the table and never returns."""

    deck: str
    reason: str
    clause: str = ""


class DeckCuttingCardOut(Fact):
    """The cutting card came out: this round is finished, then the deck is shuffled."""

    deck: str
    clause: str = ""


# The round


class RoundOpened(Fact):
    """Wagers may be placed."""

    round: int
    deck: str
    snapshot: Snapshot
    dealer: str = ""
    clause: str = ""
    day: str = ""
    shift: str = ""


class RoundStepAwaited(Fact):
    """What comes next. step: ``wagers``, ``deal``, ``roll``, ``call``, ``turn``, ``offer``, ``count``, ``expose``,
    ``set`` or ``clear``; who: ``dealer``, ``players``, ``device`` or ``supervisor``; prompt: for the dealer, in
    plain words; verb: the announcement that answers it; what, hand, answers: what that announcement may hold; count:
    cards for each hand, 0 where the step is not about so many.
    """

    step: str
    who: str
    prompt: str
    verb: str = ""
    what: str = ""
    hand: str = ""
    hands: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    clause: str = ""
    count: int = 0


class RoundWagersClosed(Fact):
    """No wager may be placed, changed or taken back."""

    clause: str
    by: str = ""


class RoundSettled(Fact):
    """Every wager of the round has its decision."""

    staked: int
    paid: int
    collected: int


class RoundEntered(Fact):
    """A round that was played unrecorded was entered afterwards, as people remember it; it has no number."""

    what: str
    reason: str
    by: str
    staked: int
    paid: int
    collected: int


class RoundVoided(Fact):
    """All hands are void; unsettled wagers go back."""

    reason: str
    clause: str
    by: str = ""


class RoundEnded(Fact):
    """The layout is clear. result: ``settled``, ``void`` or ``dead`` (nobody wagered). dealer, day, shift: the round's;
    the dealer may have been relieved since it was opened, and day or shift have begun before its first wager.
    """

    result: str
    dealer: str = ""
    day: str = ""
    shift: str = ""


# Wagers


class WagerPlaced(Fact):
    """A wager counts. amount: minor units, None where only its presence is known."""

    hand: str
    wager: str
    amount: int | None = None
    owner: str = ""
    form: WagerForm = WagerForm.CHIPS


class WagerShared(Fact):
    """Another person wagers at a position, by the dealer's word with the consent of whoever wagered there first."""

    hand: str
    owner: str
    first: str
    clause: str


class WagerTakenBack(Fact):
    """A wager was taken back in time."""

    hand: str
    wager: str
    owner: str = ""


class WagerLate(Fact):
    """Chips came too late: no action, and the deal goes on."""

    hand: str
    wager: str
    clause: str
    amount: int | None = None
    owner: str = ""


class WagerSettled(Fact):
    """A wager has its decision. returned: what of the stake goes back to the owner; paid: the winnings after vigorish;
    fee: the vigorish as a part of the winnings; forfeit: the part of a losing stake that is collected, all of it if
    None; amounts are None with by_chips: the dealer pays what lies there at these odds. capped: no more than the
    limit on payouts is paid on all wagers under it together.
    """

    hand: str
    wager: str
    outcome: Outcome
    clause: str
    owner: str = ""
    odds: Odds | None = None
    fee: Odds | None = None
    amount: int | None = None
    returned: int | None = None
    paid: int | None = None
    vigorish: int = 0
    capped: bool = False
    by_chips: bool = False
    forfeit: Odds | None = None


class WagerCorrected(Fact):
    """What became of a wager was set right; the fact that told of it stands. was, due: what was paid, and had to be."""

    round: int
    hand: str
    wager: str
    outcome: Outcome
    was: int | None
    due: int | None
    clause: str
    reason: str
    by: str
    owner: str = ""


class BankTaken(Fact):
    """A player banks this round. shared: the house covers half of it (co-banking)."""

    hand: str
    shared: bool
    clause: str


class BankSettled(Fact):
    """What a player's bank came to: collected from losers and paid to winners, both by the whole bank; due: what its
    player won after the vigorish, or lost if below zero. None with by_chips: amounts are not known.
    """

    hand: str
    clause: str
    collected: int | None = None
    paid: int | None = None
    due: int | None = None
    vigorish: int = 0
    shared: bool = False
    by_chips: bool = False


class PayoutHeld(Fact):
    """A large payout waits until a supervisor has verified it. amount: of the winnings, None where it is not known."""

    hand: str
    what: str
    clause: str
    odds: Odds | None = None
    amount: int | None = None
    owner: str = ""


# Dice


class DiceReceived(Fact):
    """A set of dice came to the table in its shaker."""

    dice: str


class DiceInspected(Fact):
    """A pit boss looked at dice and shaker. tampering: the evidence of it, empty where there is none."""

    dice: str
    by: str
    clause: str
    tampering: str = ""
    license: str = ""


class DiceRemoved(Fact):
    """The dice left the table."""

    dice: str
    reason: str
    by: str = ""


class DiceRolled(Fact):
    """The dice were read by a sensor or announced by the dealer."""

    roll: Roll
    device: str = ""


class DiceNoRoll(Fact):
    """The roll does not count; the dice are shaken again."""

    reason: str
    clause: str


class DiceStart(Fact):
    """The dice name the starting position. count: from the dealer as one, counterclockwise; hand: who starts."""

    total: int
    count: int
    hand: str
    clause: str


# Cards


class CardsDealt(Fact):
    """Cards went to a hand; each card is unseen unless it was dealt face up to an exposed area."""

    hand: str
    cards: tuple[Card, ...]
    deck: str = ""
    stack: int = 0
    left: int | None = None
    clause: str = ""


class CardsExposed(Fact):
    """Cards of a hand lie face up. late: they did so before, and were named only after others were dealt."""

    hand: str
    cards: tuple[Card, ...]
    device: str = ""
    late: bool = False


class CardsTakenAway(Fact):
    """Cards went from a hand to the discard rack, unused: they had lain face up."""

    hand: str
    cards: tuple[Card, ...]
    clause: str = ""


class CardsDiscarded(Fact):
    """Cards went to the discard rack, in this order, from which the hands can be rebuilt."""

    hand: str
    cards: tuple[Card, ...]
    clause: str = ""


class CardsStubCounted(Fact):
    """The stub was counted face down; wrong_hands: sizes of hands that do not hold what is due."""

    count: int
    expected: int
    clause: str
    wrong_hands: dict[str, int] = msgspec.field(default_factory=dict)


class CardsSet(Fact):
    """A hand was set into five high and two low. by: ``player`` or ``house way``."""

    hand: str
    high: tuple[Card, ...]
    low: tuple[Card, ...]
    by: str
    foul: bool = False


# Judgements and decisions


class RoundJudged(Fact):
    """A question of the rules has its answer. by: ``cards`` when computed, ``dealer`` when called."""

    what: str
    answer: str
    by: str
    hand: str = ""
    clause: str = ""


class RoundDecided(Fact):
    """A player decided. owner: who, where the hand has several and this is one's own decision."""

    hand: str
    choice: str
    amount: int | None = None
    owner: str = ""


class RoundHandSplit(Fact):
    """A hand of two cards became two hands, each with its wager."""

    hand: str
    into: tuple[str, str]
    clause: str = ""


class RoundBonusPaid(Fact):
    """Something was paid that no wager of its own was placed for: a fixed amount, or odds on the amount of a wager.

    amount: None with by_chips: the dealer pays these odds on what lay there.
    """

    hand: str
    amount: int | None
    clause: str
    owner: str = ""
    wager: str = ""
    odds: Odds | None = None
    by_chips: bool = False


class RoundOfferClosed(Fact):
    """Decisions are closed: "Raises closed."."""

    what: str
    clause: str = ""


# What is out of order


class IrregularityFound(Fact):
    """Something happened that nobody awaited: part of the game, never an error of the program."""

    reading: str
    awaited: str
    text: str
    clause: str = ""
    device: str = ""


class AnnouncementRefused(Fact):
    """An announcement does not count. code: for programs; awaited: what would have been right; clause: the rule."""

    announcement: str
    code: str
    awaited: str
    text: str
    clause: str = ""


class AnnouncementUndone(Fact):
    """The last announcement was taken back; facts: how many it had caused, which no longer hold."""

    announcement: str
    facts: int
    by: str = ""


class AlarmRaised(Fact):
    """People must know."""

    alarm: str
    text: str
    clause: str = ""
    latched: bool = False


class AlarmCleared(Fact):
    """The alarm is over."""

    alarm: str
    by: str = ""
    reason: str = ""


# Devices


class DeviceCameOnline(Fact):
    """The device answers and is the one that the table expects."""

    device: str
    model: str
    serial: str
    firmware: str
    kinds: tuple[str, ...]
    boot: str


class DeviceWentOffline(Fact):
    """The device does not answer. detail: who answers in its place."""

    device: str
    reason: str
    detail: str = ""


class DeviceConditionChanged(Fact):
    """A condition of the device began or ended."""

    device: str
    condition: Condition
    active: bool


class DeviceTakenOut(Fact):
    """The device is out of service: the round is finished by hand."""

    device: str
    reason: str
    by: str = ""
    clause: str = ""


class DeviceReturned(Fact):
    """The device is in service again. old_serial, new_serial: where another one stands in its place."""

    device: str
    reason: str
    by: str = ""
    old_serial: str = ""
    new_serial: str = ""


class DeviceTestDue(Fact):
    """The device is not used until it has passed a test with the table closed, or a supervisor waives that."""

    device: str
    reason: str


class DeviceTestBegan(Fact):
    """The device is tested. cards: in the deck that people counted for it by hand, 0 where it holds none."""

    device: str
    cards: int
    by: str = ""


class DeviceTested(Fact):
    """The test is over. ordered: what the device was to do; claimed: what it says that it did; counted: what people
    found, before they were told either: cards of each stack and of the rest, of the deck, or the three dice.
    """

    device: str
    passed: bool
    text: str
    by: str = ""
    ordered: tuple[int, ...] = ()
    claimed: tuple[int, ...] = ()
    counted: tuple[int, ...] = ()


class DeviceTestWaived(Fact):
    """A supervisor lets the device be used untested."""

    device: str
    reason: str
    by: str
    clause: str = ""


class DeviceEventsMissing(Fact):
    """Events of the device are lost for good."""

    device: str
    first: int
    last: int


# Beside the game


class ClockTold(Fact):
    """What the table's clock said of itself: at each start, every hour, and when it changes."""

    synchronised: bool
    error: int


class ClockCompared(Fact):
    """Another clock was held against the table's. ahead: milliseconds by which it shows a later time."""

    clock: str
    ahead: int
    by: str


class RecordRead(Fact):
    """An auditor read something; nothing changed."""

    what: str
    by: str


class RecordContinued(Fact):
    """The record went on in a new volume, between two rounds. round: the last one that the volumes before it hold."""

    round: int


class RecordDropped(Fact):
    """A volume was kept for as long as it had to be, was proven, and is deleted. first, last: numbers of its rows;
    hash: of the last, in hexadecimal; days: for which it was kept.
    """

    file: str
    first: int
    last: int
    hash: str
    days: int


class AnnouncementTurnedAway(Fact):
    """A command came too late, for another round, from the wrong role or under a used key: the table never heard it.
    code: for programs; awaited: what would have been right.
    """

    announcement: str
    role: str
    by: str
    code: str
    awaited: str
    text: str


ASIDE = (ClockTold, ClockCompared, RecordRead, RecordDropped, AnnouncementTurnedAway)
"""Facts beside the game: no undo takes them back, and none is in their way."""

FACTS: tuple[type[Fact], ...] = tuple(
    word for word in globals().values() if isinstance(word, type) and issubclass(word, Fact) and word is not Fact
)
"""Every fact there is."""
