"""docs/protocol.md says what the code does: layouts, numbers and test vectors."""

import re
from collections.abc import Iterable
from pathlib import Path

from tablectl_drivers.otdp import memory, peer, session, wire
from tablectl_drivers.otdp.fields import Choice, Field, Number, Several, String
from tablectl_drivers.otdp.wire import Dice, EventBody, Message

from tablectl.cards import Card
from tablectl.devices.contract import Kind, State
from tablectl.devices.framing import LONGEST, LONGEST_BODY, frame
from tablectl.devices.session import SILENCE
from tablectl.dice import DieFault, Roll
from tablectl.events.readings import Condition, ShakerRolled, ShoeStackDispensed
from tablectl.events.word import kebab

DOCUMENT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
HOST = (wire.Hello, wire.Resume, wire.Query, wire.Ack, *(m for m in wire.LAYOUTS if 0x10 <= m.code < 0x20))

VECTORS: tuple[tuple[int, Message], ...] = (
    (1, wire.Hello(1, 0x12345678)),
    (
        1,
        wire.Identity(
            nonce=0x12345678,
            version=1,
            kinds=(Kind.STACK_SHOE,),
            abilities=("idempotent_commands", "counts"),
            memory=0x9F3A12C4,
            boot=17,
            last_event=41,
            state=State.LOADED,
            conditions=(),
            window=16,
            model="Shoe One",
            serial="OT-42",
            firmware="1.0.3",
        ),
    ),
    (2, wire.Resume(0x9F3A12C4, 40)),
    (2, wire.Resumed(40, 40)),
    (3, wire.Query("a1b2c3")),
    (3, wire.Answer("a1b2c3", wire.Result.UNSEEN)),
    (4, wire.Arm("a1b2c3", 3, 7, 39)),
    (4, wire.Answer("a1b2c3", wire.Result.ARMED)),
    (5, wire.Go("a1b2c3")),
    (5, wire.Answer("a1b2c3", wire.Result.MOVING)),
    (0, wire.Event(17, 42, State.STACK_READY, ShoeStackDispensed("a1b2c3", 3, 7, 32))),
    (0, wire.Ack(42)),
    (6, wire.Release("d4", 32)),
    (6, wire.Answer("d4", wire.Result.REFUSED, "31 left, not 32")),
    (0, wire.Heartbeat(17, 42, State.STACK_READY, (Condition.DOOR_OPEN,), 53, 21, 32, 2)),
    (0, wire.Event(17, 43, State.LOCKED, wire.CardDrawn("e5", Card("As"), 311))),
    (0, wire.Event(17, 44, State.LID_OPEN, ShakerRolled(Roll(4, 5, DieFault.COCKED)))),
    (7, wire.Nak(wire.Refusal.NO_SESSION)),
)


def kind(field: Field) -> str:
    match field:
        case Number(size=size, absent=absent):
            return f"u{8 * size}{'?' if absent else ''}"
        case String(longest=longest):
            return f"text{longest}"
        case Choice(name=name):
            return name
        case Several(name=name):
            return f"{name} bits{' u16' if name == 'condition' else ''}"
        case Dice():
            return "die die die"
        case EventBody():
            return "event"
    raise TypeError(field)


def layout(fields: dict[str, Field]) -> str:
    return ", ".join(f"{name} `{kind(field)}`" for name, field in fields.items()) or "nothing"


def title(message: type[Message]) -> str:
    return kebab(message.__name__).upper()


def message_rows() -> list[str]:
    return [
        f"| `{message.code:#04x}` | {title(message)} | {'host' if message in HOST else 'device'} | {layout(fields)} |"
        for message, fields in sorted(wire.LAYOUTS.items(), key=lambda each: each[0].code)
    ]


def event_rows() -> list[str]:
    return [f"| `{number:#04x}` | {kebab(word.__name__)} | {layout(fields)} |" for number, (word, fields) in EVENTS]


EVENTS = sorted(wire.EVENTS.items())


def number_row(name: str, numbers: Iterable[tuple[object, int]]) -> str:
    words = ", ".join(f"{number} {value}" for value, number in numbers)
    return f"| {name} | {words} |"


def number_rows() -> list[str]:
    return [
        number_row("state", wire.STATES.items()),
        number_row("condition", wire.CONDITIONS.items()),
        number_row("result", ((result.value, number) for result, number in wire.RESULTS.items())),
        number_row("refusal", ((kebab(r.name.title().replace("_", "")), r.value) for r in wire.Refusal)),
        number_row("kind", wire.KINDS.items()),
        number_row("ability", ((name.replace("_", "-"), bit) for name, bit in wire.ABILITIES.items())),
        number_row("die", wire.DICE.items()),
        number_row(
            "answer", (({True: "yes", False: "no", None: "does not look"}[k], v) for k, v in wire.COMPLETE.items())
        ),
    ]


def vector_rows() -> list[str]:
    return [f"{title(type(message)):<9} {frame(wire.encode(message, link)).hex(' ')}" for link, message in VECTORS]


def missing(rows: Iterable[str]) -> list[str]:
    lines = set(DOCUMENT.splitlines())
    return [row for row in rows if row not in lines]


def test_every_message_is_described_as_it_is() -> None:
    """Each message's code, sender and fields stand in the document."""
    assert missing(message_rows()) == []


def test_every_event_is_described_as_it_is() -> None:
    """Each event's number and fields stand in the document."""
    assert missing(event_rows()) == []


def test_every_number_is_described_as_it_is() -> None:
    """States, conditions, results and the rest have the numbers that the document gives them."""
    assert missing(number_rows()) == []


def test_the_vectors_are_what_the_code_writes() -> None:
    """Each frame of the document is the one written, and no other stands there."""
    assert missing(vector_rows()) == []
    there = re.findall(r"^[A-Z]+ +00 [0-9a-f ]+ 00$", DOCUMENT, re.MULTILINE)
    assert there == vector_rows()


def test_the_times_and_bounds_are_those_of_the_code() -> None:
    """The document's figures are those by which both sides run."""
    assert (
        missing(
            [
                f"| longest frame, with both zeros | {LONGEST} bytes |",
                f"| longest body | {LONGEST_BODY} bytes |",
                f"| host repeats a request after | {session.PATIENCE * 1000:g} ms |",
                f"| device sends a heartbeat every | {peer.HEARTBEAT:g} s |",
                f"| host takes the device for dead after | {SILENCE:g} s |",
                f"| a command stays armed for | {peer.ARMED:g} s |",
                f"| device sends unacknowledged events again after | {peer.AGAIN:g} s |",
                f"| commands whose result is remembered, at least | {memory.RESULTS} |",
                f"| events that are remembered, at least | {memory.RING} |",
            ]
        )
        == []
    )
    assert f"{wire.CARDS[Card('2c')]} is the two of clubs" in DOCUMENT
    assert f"{wire.CARDS[Card('As')]} the ace of spades" in DOCUMENT
    assert f"{wire.CARDS[Card.JOKER]} a joker" in DOCUMENT


def test_every_state_and_ability_has_its_meaning() -> None:
    """A maker finds the number of each state, and guesses when to be in it: each has its row, and each ability its
    clause.
    """
    _, _, rows = DOCUMENT.partition("| state | while |")
    told = [state for row in rows.partition("\n\n")[0].splitlines()[2:] for state in row.split("|")[1].split(",")]
    assert sorted(state.strip() for state in told) == sorted(map(str, wire.STATES))
    abilities = next(line for line in DOCUMENT.splitlines() if "*abilities*:" in line)
    assert [ability for ability in wire.ABILITIES if ability.replace("_", "-") not in abilities] == []
