"""What devices of each kind do on command, and what people must do between two commands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tablectl.devices.contract import Kind
from tablectl.events.facts import CardDue, Fact, RollDue, ShuffleDue, StackDue
from tablectl.events.readings import (
    Reading,
    ShakerLidClosed,
    ShakerShaken,
    ShoeCardDrawn,
    ShoeStackDispensed,
    ShoeStackTaken,
    ShufflerDeckOut,
    ShufflerFinished,
)

SIZE = 2
"""Cards of a stack that the kit orders."""
SHAKES = 3


@dataclass(frozen=True)
class Trade:
    """due: makes an order, from a command id and the cards inside; done: says that it was carried out; verb: of the
    driver. size: cards that come out; counted: the order names how many are left. before, people: what people do for
    it and after it; after: says that they did.
    """

    due: Callable[[str, int], Fact]
    done: type[Reading]
    verb: str
    size: int = 0
    counted: bool = False
    before: str = ""
    people: str = ""
    after: type[Reading] | None = None


TRADES: Mapping[Kind, Trade] = {
    Kind.STACK_SHOE: Trade(
        lambda command, left: StackDue(command, "device", 1, SIZE, left, "1"),
        ShoeStackDispensed,
        "dispense",
        size=SIZE,
        counted=True,
        people="take the stack out of the gate",
        after=ShoeStackTaken,
    ),
    Kind.CARD_SHOE: Trade(
        lambda command, _: CardDue(command, "device", "1", face_up=False),
        ShoeCardDrawn,
        "unlock",
        size=1,
        before="draw one card",
    ),
    Kind.SHUFFLER: Trade(
        lambda command, _: ShuffleDue(command, "device", "A"),
        ShufflerFinished,
        "shuffle",
        before="put a deck in",
        people="take the deck out",
        after=ShufflerDeckOut,
    ),
    Kind.SHAKER: Trade(
        lambda command, _: RollDue(command, "device", SHAKES),
        ShakerShaken,
        "shake",
        people="lift the lid and close it again",
        after=ShakerLidClosed,
    ),
}
