"""What devices say, and what their links say of them.

A reading is a claim of its device: a count or an "OK" in it was never verified by us. Which device said it, in which of
its boots and under which number stands in the :class:`~tablectl.events.codec.Input` around it.
"""

from enum import StrEnum

from tablectl.cards import UNSEEN, Card
from tablectl.dice import Roll
from tablectl.events.word import Word


class Reading(Word):
    """One thing that a device says."""


class ShoeLoaded(Reading):
    """Cards were put into the shoe; count: how many it says it holds, None where it cannot count."""

    count: int | None = None


class ShoeStackDispensed(Reading):
    """A stack lies in the gate. command: the id it was ordered with; stack: its index in the round, from 1;
    size: cards in it; left: cards left in the shoe.
    """

    command: str
    stack: int
    size: int
    left: int


class ShoeStackTaken(Reading):
    """The stack was lifted out of the gate."""

    stack: int


class ShoeStubReleased(Reading):
    """The rest of the deck came out under a release command; count: how many it says, None where it cannot count."""

    command: str
    count: int | None = None


class ShoeEmptied(Reading):
    """The last card left the shoe."""


class ShoeCardDrawn(Reading):
    """One card left a card shoe. card: its face where the shoe reads and was unlocked face up, else unseen;
    left: cards left, None where it cannot count.
    """

    card: Card = UNSEEN
    left: int | None = None


class ShoeCuttingCardOut(Reading):
    """The cutting card came out of the shoe."""


class ShoeFaceUpFound(Reading):
    """The shoe found a card lying face up."""


class ShufflerStarted(Reading):
    """A shuffle began; command: the id it was ordered with, empty when started at the machine."""

    command: str = ""


class ShufflerFinished(Reading):
    """A shuffle ended. count: the device's count of the deck, None where it does not count;
    complete: whether it claims to have recognised every card of the deck, None where it does not look.
    """

    command: str = ""
    count: int | None = None
    complete: bool | None = None


class ShufflerDeckOut(Reading):
    """The shuffled deck was taken out of the shuffler."""


class ShakerShaken(Reading):
    """The shaker was shaken; times: how often since its lid was last closed."""

    times: int
    command: str = ""


class ShakerLidOpened(Reading):
    """The lid came off."""


class ShakerLidClosed(Reading):
    """The lid is on."""


class ShakerRolled(Reading):
    """The dice were read with the lid off. A die that is cocked, out or unread is an ordinary outcome."""

    roll: Roll


class ReaderCardSeen(Reading):
    """A card reader at the table saw an exposed card; area: where, ``dealer`` or a position."""

    area: str
    card: Card


class ReaderAnswered(Reading):
    """A reader that tells no card answered a question of the rules: ``peek`` with ``no blackjack``."""

    what: str
    answer: str


class WagerSensed(Reading):
    """Chips were put down where this wager is placed, or taken away."""

    hand: str
    wager: str
    present: bool


class Condition(StrEnum):
    """A state of a device that stops or disturbs it."""

    JAM_RECOVERING = "jam-recovering"
    JAM = "jam"
    DOOR_OPEN = "door-open"
    BLOCKED = "blocked"
    HOPPER_EMPTY = "hopper-empty"
    TAMPER = "tamper"
    COUNT_WRONG = "count-wrong"
    MAINTENANCE = "maintenance"


class DeviceConditionBegan(Reading):
    """A condition holds from now on."""

    condition: Condition


class DeviceConditionEnded(Reading):
    """A condition no longer holds."""

    condition: Condition


class DeviceFound(Reading):
    """The link is up and the device has said who it is. kinds: what it can be (one machine may be several things)."""

    model: str
    serial: str
    firmware: str
    kinds: tuple[str, ...]


class DeviceLost(Reading):
    """The link is down; reason: ``unplugged``, ``silent``, ``port-shared``, ``permission``, ``wrong-device`` ...
    detail: who answers, where it is another device than the one meant.
    """

    reason: str
    detail: str = ""


class DeviceEventsLost(Reading):
    """The device no longer holds events first to last, which were never acknowledged; last: 0 if nobody knows."""

    first: int
    last: int


class DeviceRecordBehind(Reading):
    """The record ends with event `last` of the device, which was told that those up to `kept` are in a record."""

    last: int
    kept: int


class CommandRefused(Reading):
    """The device would not do it, and nothing moved; reason in its words."""

    command: str
    reason: str


class CommandUnknown(Reading):
    """Whether it was done cannot be known (link or device lost in mid-motion). Never sent again; people count."""

    command: str
    reason: str


class ReadingFailed(Reading):
    """Our own program could not take what the device said. reading: as JSON; error: in the program's words."""

    reading: str
    error: str


READINGS: tuple[type[Reading], ...] = tuple(
    word for word in globals().values() if isinstance(word, type) and issubclass(word, Reading) and word is not Reading
)
"""Every reading there is."""
