"""What people say to the table: the dealer's calls, the players' decisions, the supervisor's rulings.

The name of an announcement is its verb on MQTT: ``NoMoreBets`` is ``cmd/dealer/no-more-bets``.
"""

from enum import StrEnum
from typing import ClassVar

import msgspec

from tablectl.cards import Card
from tablectl.events.word import Word, kebab
from tablectl.rulebook import Outcome


class Role(StrEnum):
    """Who may say what; the broker's access list holds each role to its own topics."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    SERVICE = "service"
    AUDITOR = "auditor"
    SYSTEM = "system"


class Announcement(Word, tag=kebab):
    """One thing that a person says; ``roles`` says who may."""

    roles: ClassVar[frozenset[Role]] = frozenset({Role.DEALER, Role.SUPERVISOR})


class Ruling(Announcement):
    """What only a supervisor may say. reason: in words, for the record."""

    roles: ClassVar[frozenset[Role]] = frozenset({Role.SUPERVISOR})


class System(Announcement):
    """What the daemon says of itself."""

    roles: ClassVar[frozenset[Role]] = frozenset({Role.SYSTEM})


# The system


class Configure(System):
    """The table's whole configuration as text, journalled so that replay needs only the journal.

    table_file, rulebook, house_file: the texts as read; program: the version that plays by them.
    """

    table_file: str
    rulebook: str
    house_file: str
    program: str


class Resume(System):
    """The daemon started again on an open record; boot: its new process id."""

    boot: str


class Stop(System):
    """The daemon was told to stop: nobody will see a card that leaves the shoe until it starts again."""


class ReportBroker(System):
    """The local broker was reached, with an empty reason, or is lost."""

    lost: str = ""


class ReportPower(System):
    """The board has too little power or is too hot, or neither any more, with an empty trouble."""

    trouble: str = ""


class DoubtRecord(System):
    """The record may not be whole, or was not understood as it was written; a supervisor decides what goes on."""

    reason: str


class Due(StrEnum):
    """What waits for a time of day, or for an age."""

    GAMING_DAY = "gaming-day"
    SHIFT = "shift"
    DICE = "dice"


class TimeReached(System):
    """A due time came: the rules have no clock of their own. what: the date of the gaming day, the name of the shift,
    or the dice that are too old.
    """

    due: Due
    what: str


class ReportClock(System):
    """What the machine's clock says of itself. synchronised: a time server steers it; error: the most that it may be
    off, by its own account, in milliseconds.
    """

    synchronised: bool
    error: int


# The table's day


class OpenTable(Ruling):
    """The table opens for play; inspected_by: both names of the deck inspection, which differ."""

    inspected_by: tuple[str, ...] = ()


class CloseTable(Ruling):
    """No further round is opened."""

    reason: str = ""


class BeginDay(Announcement):
    """A gaming day begins, after the round under way. day: its date, ``2026-11-30``; shift: its first, if named."""

    roles: ClassVar[frozenset[Role]] = frozenset({Role.SERVICE, Role.SUPERVISOR})

    day: str
    shift: str = ""


class BeginShift(Announcement):
    """A shift begins, after the round under way."""

    roles: ClassVar[frozenset[Role]] = frozenset({Role.SERVICE, Role.SUPERVISOR})

    shift: str


class DeadGame(Announcement):
    """Nobody plays at the open table; the next wager ends that."""


class SignOn(Announcement):
    """A dealer takes over the table, and relieves who dealt before."""

    dealer: str


# Dice of the shaker


class ReceiveDice(Announcement):
    """A set of dice came to the table in its shaker. dice: its id."""

    dice: str


class InspectDice(Ruling):
    """A pit boss looked at dice and shaker (13:69E-1.16A(b)). tampering: the evidence of it, if any; license: the
    number of who found it.
    """

    dice: str
    tampering: str = ""
    license: str = ""


class RemoveDice(Ruling):
    """The dice leave the table."""

    dice: str
    reason: str


# Decks


class DeckSource(StrEnum):
    """How a deck was made fit for play (13:69E-1.18(e)1; (e)2 with (r))."""

    INSPECTED = "inspected"
    PRE_SHUFFLED = "pre-shuffled"


class ReceiveDeck(Announcement):
    """A deck came to the table. deck: its id; back: colour of its backs; seal: the container's seal if pre-shuffled."""

    deck: str
    back: str
    source: DeckSource = DeckSource.INSPECTED
    seal: str = ""


class ConfirmShuffle(Announcement):
    """The dealer shuffled and cut by hand, or finished a shuffle that no sensor saw."""

    deck: str


class LoadDeck(Announcement):
    """The dealer put this deck into the shoe, or took it in hand, where no sensor sees it."""

    deck: str


class RemoveDeck(Ruling):
    """The deck leaves the table for good (13:69E-1.18)."""

    deck: str
    reason: str


class CountDeck(Announcement):
    """The whole deck was counted face down by hand."""

    deck: str
    count: int


# Wagers


class WagerForm(StrEnum):
    """What a wager consists of."""

    CHIPS = "chips"
    MATCH_PLAY = "match-play"
    CASH_BY_VOICE = "cash-by-voice"


class PlaceWager(Announcement):
    """A wager lies on the layout. hand: the position, ``"3"``; amount: minor units, None where the table
    only knows that it is there; owner: who, where two persons share a position.
    """

    hand: str
    wager: str
    amount: int | None = None
    owner: str = ""
    form: WagerForm = WagerForm.CHIPS


class TakeBackWager(Announcement):
    """A wager was taken back before wagers closed."""

    hand: str
    wager: str
    owner: str = ""


class RepeatWagers(Announcement):
    """Every wager of the last round lies there again: one touch."""


class NoMoreBets(Announcement):
    """The dealer closes wagers."""


# Dice


class AnnounceTotal(Announcement):
    """The dealer announces the dice. total: None confirms the sensor's figure with one touch."""

    total: int | None = None


class NoRoll(Announcement):
    """The dealer calls "No roll"; it stands over any sensor (13:69F-34.14)."""

    reason: str = ""


# Cards


class ConfirmDealt(Announcement):
    """The dealer dealt what was due where no sensor sees it; cards: face up ones where the area is exposed."""

    cards: tuple[Card, ...] = ()


class ExposeCards(Announcement):
    """Cards of an area lie face up. hand: the area, ``"3"``, ``"dealer"`` or ``"left"``."""

    hand: str
    cards: tuple[Card, ...]


class SetHand(Announcement):
    """A pai gow hand lies face up as it was set: five cards high, two low."""

    hand: str
    high: tuple[Card, ...]
    low: tuple[Card, ...]


class CountStub(Announcement):
    """The stub was counted face down. wrong_hands: sizes of the hands that do not hold what is due, if any."""

    count: int
    wrong_hands: dict[str, int] = msgspec.field(default_factory=dict)


class ReportFaceUp(Announcement):
    """A card was found face up while dealing."""


class ReportIrregularity(Announcement):
    """Something went wrong for which the rules have a clause. what: the clause, ``dealer exposed``; hand: where."""

    what: str
    hand: str = ""


# Calls and decisions


class Call(Announcement):
    """The dealer calls what the cards show: ``spread`` ``"3"``, ``result`` of hand ``"4"`` ``"win"``."""

    what: str
    answer: str
    hand: str = ""


class CallOthers(Announcement):
    """The same call for every hand not called yet: "all others lose"."""

    what: str
    answer: str


class Decide(Announcement):
    """A player's decision, entered for the hand; amount: minor units where the decision is a wager of free size;
    owner: whose, where two persons share a position and decide differently.
    """

    hand: str
    choice: str
    amount: int | None = None
    owner: str = ""


class DecideOthers(Announcement):
    """The same decision for every hand that has not decided: "all others play".

    times: so many times the wager that it backs, where amounts are known and the choice leaves them to the player.
    """

    choice: str
    times: int | None = None


class CloseOffer(Announcement):
    """The dealer closes what is on offer: "Raises closed."."""


# Help


class CallFloor(Announcement):
    """The dealer asks for the supervisor; the round goes on."""

    reason: str


class Hold(Announcement):
    """The dealer stops the round and asks for the supervisor."""

    reason: str


class Undo(Announcement):
    """Take back the last announcement, as long as no card or die has moved since."""


# Devices


class ReturnDevice(Announcement):
    """A device is back in service, between rounds. old_serial, new_serial: where another one stands in its place."""

    roles: ClassVar[frozenset[Role]] = frozenset({Role.SERVICE, Role.SUPERVISOR})

    device: str
    reason: str
    old_serial: str = ""
    new_serial: str = ""


class TestDevice(Announcement):
    """The device is tested, with the table closed. cards: in the deck that was counted for it by hand, 0 for dice;
    size: of each stack.
    """

    roles: ClassVar[frozenset[Role]] = frozenset({Role.SERVICE, Role.SUPERVISOR})

    device: str
    cards: int = 0
    size: int = 7


class EnterTest(Announcement):
    """What people found when the device had done its part: cards of each stack in the order they came, the rest last;
    all cards of a card shoe or a shuffler; or the three dice.
    """

    roles: ClassVar[frozenset[Role]] = frozenset({Role.DEALER, Role.SERVICE, Role.SUPERVISOR})

    counts: tuple[int, ...]


# Readers of the record


class Aside(Announcement):
    """What is said of the record and its clocks by those who read it; it changes nothing at the table."""

    roles: ClassVar[frozenset[Role]] = frozenset({Role.AUDITOR})


class Read(Aside):
    """An auditor read something. what: ``rounds 1180 to 1190``."""

    what: str


class CompareClocks(Aside):
    """Another clock was held against the table's. clock: which, ``video``; ahead: milliseconds by which it shows a
    later time than the table, below zero where it is behind.
    """

    roles: ClassVar[frozenset[Role]] = frozenset({Role.AUDITOR, Role.SUPERVISOR})

    ahead: int
    clock: str = "video"


# Rulings


class WaiveTest(Ruling):
    """A device that was swapped or returned is used without a test."""

    device: str
    reason: str
    clause: str = ""


class AnswerFloor(Ruling):
    """The supervisor is at the table, called or held."""


class LiftSuspension(Ruling):
    """The round, or the table, goes on."""

    reason: str


class VoidRound(Ruling):
    """Everything unsettled goes back to its owner; the cards are collected."""

    reason: str


class VoidHand(Ruling):
    """The unsettled wagers of one hand go back to their owners. clause: the section, or its name in the rulebook."""

    hand: str
    reason: str
    clause: str = ""


class DeadHand(Ruling):
    """A hand is out of the round: its unsettled wagers lose."""

    hand: str
    reason: str
    clause: str = ""


class FoulHand(Ruling):
    """A hand was set or handled against the rules and is judged foul."""

    hand: str
    reason: str
    clause: str = ""


class ReturnWager(Ruling):
    """One wager goes back to its owner, void."""

    hand: str
    wager: str
    reason: str
    clause: str = ""
    owner: str = ""


class NoAction(Ruling):
    """One wager never counted and goes back."""

    hand: str
    wager: str
    reason: str
    clause: str = ""
    owner: str = ""


class PlayStands(Ruling):
    """What was out of order changes nothing: play goes on as it stood."""

    reason: str
    clause: str = ""


class NextCard(Ruling):
    """The card that came out of turn is the next one dealt."""

    reason: str
    clause: str = ""


class BurnCard(Ruling):
    """The card that came out of turn is burned, or else the next one."""

    reason: str
    clause: str = ""


class VerifyPayout(Ruling):
    """A supervisor has looked at a large payout, which may go out."""

    reason: str
    clause: str = ""


class EnterRound(Ruling):
    """A round was played while nobody recorded it. what: how it went; staked, paid, collected: minor units."""

    what: str
    reason: str
    staked: int
    paid: int
    collected: int
    clause: str = ""


class CorrectWager(Ruling):
    """What became of a wager is set right after the fact. was, due: what was paid and what is, minor units, None where
    amounts are not known; outcome: what it should have been.
    """

    round: int
    hand: str
    wager: str
    outcome: Outcome
    was: int | None
    due: int | None
    reason: str
    clause: str = ""
    owner: str = ""


class TakeOutOfService(Ruling):
    """A device is left out, and the round finished by hand; no further one is dealt until it is back."""

    device: str
    reason: str
    clause: str = ""


class AdmitPlayer(Ruling):
    """A player who sat out is let in before the next shuffle. hand: the position."""

    hand: str
    reason: str
    owner: str = ""


class EndDoubt(Ruling):
    """A command whose outcome nobody could tell: people counted. done: whether the cards moved;
    counted_by: the dealer, who counted face down, and the supervisor, who verified.
    """

    command: str
    done: bool
    counted_by: tuple[str, str]


class ClearAlarm(Ruling):
    """An alarm that waits for a supervisor is answered."""

    alarm: str
    reason: str


ANNOUNCEMENTS: tuple[type[Announcement], ...] = tuple(
    word
    for word in globals().values()
    if isinstance(word, type) and issubclass(word, Announcement) and word not in (Announcement, Ruling, System, Aside)
)
"""Every announcement there is."""
