"""Every message of OTDP, in both directions, as docs/protocol.md describes it.

A message's class is its layout: each field says how it looks in bytes. A frame's body is the message's code, the link
number and the fields in order.
"""

from enum import Enum, IntEnum
from typing import Annotated, Any, ClassVar, get_type_hints

import msgspec

from tablectl.cards import JOKER, PACK, UNSEEN, Card
from tablectl.devices.contract import Kind, State
from tablectl.dice import Die, DieFault, Roll
from tablectl.errors import WireError
from tablectl.events import readings
from tablectl.events.readings import Condition, Reading
from tablectl_drivers.otdp.fields import Choice, Cursor, Field, Number, Several, String

VERSION = 1

# Fields


class Result(Enum):
    """What a device knows of a command."""

    UNSEEN = "unseen"
    ARMED = "armed"
    MOVING = "moving"
    DONE = "done"
    REFUSED = "refused"
    DOUBT = "doubt"
    EXPIRED = "expired"


class Refusal(IntEnum):
    """Why a request was not understood."""

    NOT_UNDERSTOOD = 1
    NO_SESSION = 2
    NOT_FOR_THIS_KIND = 3


STATES = {state: number for number, state in enumerate(State) if state not in (State.OFFLINE, State.IDENTIFYING)}
KINDS = {kind: bit for bit, kind in enumerate(Kind)}
CONDITIONS = {condition: number for number, condition in enumerate(Condition)}
RESULTS = {result: number for number, result in enumerate(Result)}
CARDS = {UNSEEN: 0, **{card: number for number, card in enumerate(PACK, 1)}, JOKER: 53}
DICE: dict[Die, int] = {
    **{face: face for face in range(1, 7)},
    DieFault.COCKED: 16,
    DieFault.UNREAD: 17,
    DieFault.OUT: 18,
}
ABILITIES = {"idempotent_commands": 0, "counts": 1, "verifies_composition": 2, "reads_cards": 3}
COMPLETE = {False: 0, True: 1, None: 2}

_U8, _U16, _U32 = Number(1), Number(2), Number(4)
_COUNT = Number(2, absent=True)
_COMMAND, _AREA, _TEXT = String(32), String(32), String(64)
_DIE = Choice("die", DICE)

U8 = Annotated[int, _U8]
U16 = Annotated[int, _U16]
U32 = Annotated[int, _U32]
Count = Annotated[int | None, _COUNT]
Command = Annotated[str, _COMMAND]
Text = Annotated[str, _TEXT]
Flag = Annotated[bool, Choice("flag", {False: 0, True: 1})]
StateField = Annotated[State, Choice("state", STATES)]
ResultField = Annotated[Result, Choice("result", RESULTS)]
RefusalField = Annotated[Refusal, Choice("refusal", {refusal: refusal.value for refusal in Refusal})]
CardField = Annotated[Card, Choice("card", CARDS)]
Kinds = Annotated[tuple[Kind, ...], Several("kind", KINDS)]
Abilities = Annotated[tuple[str, ...], Several("ability", ABILITIES)]
Conditions = Annotated[tuple[Condition, ...], Several("condition", CONDITIONS, size=2)]


class Dice:
    """Three dice, one byte each."""

    def write(self, value: Roll) -> bytes:
        """Return the three dice."""
        return b"".join(_DIE.write(die) for die in value.dice)

    def read(self, cursor: Cursor) -> Roll:
        """Take three dice."""
        return Roll(_DIE.read(cursor), _DIE.read(cursor), _DIE.read(cursor))


class CardDrawn(msgspec.Struct, frozen=True):
    """A card left the shoe under an unlock command. No reading: the driver first drops a face that is not due."""

    command: str
    card: Card
    left: int | None


Said = Reading | CardDrawn

EVENTS: dict[int, tuple[type[Said], dict[str, Field]]] = {
    0x01: (readings.DeviceEventsLost, {"first": _U32, "last": _U32}),
    0x02: (readings.CommandRefused, {"command": _COMMAND, "reason": _TEXT}),
    0x03: (readings.CommandUnknown, {"command": _COMMAND, "reason": _TEXT}),
    0x04: (readings.DeviceConditionBegan, {"condition": Choice("condition", CONDITIONS)}),
    0x05: (readings.DeviceConditionEnded, {"condition": Choice("condition", CONDITIONS)}),
    0x10: (readings.ShoeLoaded, {"count": _COUNT}),
    0x11: (readings.ShoeStackDispensed, {"command": _COMMAND, "stack": _U8, "size": _U8, "left": _U16}),
    0x12: (readings.ShoeStackTaken, {"stack": _U8}),
    0x13: (readings.ShoeStubReleased, {"command": _COMMAND, "count": _COUNT}),
    0x14: (readings.ShoeEmptied, {}),
    0x15: (CardDrawn, {"command": _COMMAND, "card": Choice("card", CARDS), "left": _COUNT}),
    0x16: (readings.ShoeCuttingCardOut, {}),
    0x17: (readings.ShoeFaceUpFound, {}),
    0x20: (readings.ShufflerStarted, {"command": _COMMAND}),
    0x21: (
        readings.ShufflerFinished,
        {"command": _COMMAND, "count": _COUNT, "complete": Choice("answer", COMPLETE)},
    ),
    0x22: (readings.ShufflerDeckOut, {}),
    0x30: (readings.ShakerShaken, {"times": _U8, "command": _COMMAND}),
    0x31: (readings.ShakerLidOpened, {}),
    0x32: (readings.ShakerLidClosed, {}),
    0x33: (readings.ShakerRolled, {"roll": Dice()}),
    0x40: (readings.ReaderCardSeen, {"area": _AREA, "card": Choice("card", CARDS)}),
    0x41: (readings.ReaderAnswered, {"what": _AREA, "answer": _TEXT}),
}
"""Every event: its number, its word and the fields behind it."""

_NUMBERS = {word: number for number, (word, _) in EVENTS.items()}


class EventBody:
    """The number of an event, then its fields."""

    def write(self, value: Said) -> bytes:
        """Return the event."""
        number = _NUMBERS[type(value)]
        return bytes([number]) + _write(value, EVENTS[number][1])

    def read(self, cursor: Cursor) -> Said:
        """Take an event."""
        number = cursor.take(1)[0]
        if number not in EVENTS:
            raise WireError(f"{number:#04x} is no event")
        word, layout = EVENTS[number]
        return word(**_read(cursor, layout))


# Messages


class Message(msgspec.Struct, frozen=True):
    """One message. code: its first byte; answer: what a request is answered with."""

    code: ClassVar[int] = 0

    answer: ClassVar["type[Message] | None"] = None


class Nak(Message, frozen=True):
    """Device: the request with this link number was not understood, and nothing was done."""

    code = 0x8F
    refusal: RefusalField


class Identity(Message, frozen=True):
    """Device: who it is. nonce: that of the HELLO, 0 when the device speaks first after its reset."""

    code = 0x81
    nonce: U32
    version: U8
    kinds: Kinds
    abilities: Abilities
    memory: U32
    boot: U32
    last_event: U32
    state: StateField
    conditions: Conditions
    window: U8
    model: Text
    serial: Text
    firmware: Text


class Hello(Message, frozen=True):
    """Host: say who you are."""

    code = 0x01
    answer = Identity
    version: U8
    nonce: U32


class Resumed(Message, frozen=True):
    """Device: events follow from the one behind this number. kept: the highest that was ever acknowledged, before."""

    code = 0x82
    number: U32
    kept: U32


class Resume(Message, frozen=True):
    """Host: send events from the one behind this number; memory 0 when the host knows of none."""

    code = 0x02
    answer = Resumed
    memory: U32
    number: U32


class Answer(Message, frozen=True):
    """Device: how a command stands. reason: why it was refused, in one or two words."""

    code = 0x83
    command: Command
    result: ResultField
    reason: Text = ""


class Query(Message, frozen=True):
    """Host: say how this command stands."""

    code = 0x03
    answer = Answer
    command: Command


class Arm(Message, frozen=True):
    """Host: make ready stack number stack, of size cards; left cards must be in the shoe before it."""

    code = 0x10
    answer = Answer
    command: Command
    stack: U8
    size: U8
    left: U16


class Release(Message, frozen=True):
    """Host: make ready to let the rest of the deck out, which must be left cards."""

    code = 0x11
    answer = Answer
    command: Command
    left: U16


class Go(Message, frozen=True):
    """Host: move what was made ready."""

    code = 0x12
    answer = Answer
    command: Command


class Unlock(Message, frozen=True):
    """Host: let one card out; its face may be told only if face_up."""

    code = 0x13
    answer = Answer
    command: Command
    face_up: Flag


class Lock(Message, frozen=True):
    """Host: let no card out."""

    code = 0x14
    answer = Answer
    command: Command


class Shuffle(Message, frozen=True):
    """Host: shuffle the deck that is in, or the next that is put in."""

    code = 0x15
    answer = Answer
    command: Command


class Shake(Message, frozen=True):
    """Host: shake the dice, at least so many times."""

    code = 0x16
    answer = Answer
    command: Command
    times: U8


class Ack(Message, frozen=True):
    """Host: every event up to this number is kept for good. Never answered."""

    code = 0x04
    number: U32


class Event(Message, frozen=True):
    """Device: something happened; boot and number are its own for ever, state is what it led to."""

    code = 0x20
    boot: U32
    number: U32
    state: StateField
    reading: Annotated[Said, EventBody()]


class Heartbeat(Message, frozen=True):
    """Device, each second: alive, and what it has counted. left: cards inside, None where it cannot count."""

    code = 0x90
    boot: U32
    last_event: U32
    state: StateField
    conditions: Conditions
    cards_in: U32
    cards_out: U32
    left: Count
    bad_frames: U32


MESSAGES: dict[int, type[Message]] = {message.code: message for message in Message.__subclasses__()}
"""Every message by its code."""


def _layout(message: type[Message]) -> dict[str, Field]:
    hints = get_type_hints(message, include_extras=True)
    return {name: hints[name].__metadata__[0] for name in message.__struct_fields__}


LAYOUTS = {message: _layout(message) for message in MESSAGES.values()}
"""The fields of every message, in the order in which they are written."""


def _write(word: Any, layout: dict[str, Field]) -> bytes:
    return b"".join(field.write(getattr(word, name)) for name, field in layout.items())


def _read(cursor: Cursor, layout: dict[str, Field]) -> dict[str, Any]:
    return {name: field.read(cursor) for name, field in layout.items()}


def encode(message: Message, link: int = 0) -> bytes:
    """Write a message as the body of a frame. link: 1 to 255 for a request and its answer, else 0.

    Raises:
        ValueError: a value that its field cannot hold.
    """
    return bytes([message.code, link]) + _write(message, LAYOUTS[type(message)])


def decode(body: bytes) -> tuple[Message, int]:
    """Read the body of a frame: the message and its link number.

    Raises:
        WireError: no message of this version of the protocol, and why.
    """
    cursor = Cursor(body)
    code, link = cursor.take(2)
    if code not in MESSAGES:
        raise WireError(f"{code:#04x} is no message of OTDP {VERSION}")
    message = MESSAGES[code]
    fields = _read(cursor, LAYOUTS[message])
    cursor.end()
    return message(**fields), link
