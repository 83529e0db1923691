"""What devices say outside the step that awaits them: decks, conditions, links and commands. One function each."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tablectl.events import readings as say
from tablectl.events.codec import Input
from tablectl.events.facts import (
    CommandEnded,
    Counted,
    DeckCuttingCardOut,
    DeviceCameOnline,
    DeviceConditionChanged,
    DeviceEventsMissing,
    IrregularityFound,
    Place,
    ShuffleDue,
)
from tablectl.table.floor import face_up
from tablectl.terms import Refused

if TYPE_CHECKING:
    from tablectl.table.table import Table

Handler = Callable[["Table", Any, Input], None]

STOPPING = frozenset(
    {
        say.Condition.JAM,
        say.Condition.DOOR_OPEN,
        say.Condition.BLOCKED,
        say.Condition.HOPPER_EMPTY,
        say.Condition.TAMPER,
        say.Condition.MAINTENANCE,
    }
)
"""Conditions under which a device that is needed holds the table; a jam it is clearing by itself does not."""

QUIET = (
    say.ShoeStackTaken,
    say.ShoeEmptied,
    say.ShoeStubReleased,
    say.ShufflerDeckOut,
    say.ShakerShaken,
    say.ShakerLidOpened,
    say.ShakerLidClosed,
)
"""Readings that change nothing when no step awaits them: a shake after the deal is no result."""


def loaded(table: "Table", said: say.ShoeLoaded, by: Input) -> None:
    """Bind what is in the shoe to the deck that was ready."""
    deck = table.custody.at(Place.READY)
    if said.count is not None and deck and said.count != table.custody.size:
        text = f"the shoe counts {said.count} of {table.custody.size} cards of deck {deck.deck}"
        table.custody.decks[deck.deck] = replace(deck, counted=Counted.WRONG, counted_by=by.source)
        table.raise_alarm(f"deck:{deck.deck}", text + "; remove it", table.count_clause, latched=True)
        table.tell(IrregularityFound(said.name(), f"{table.custody.size} cards", text, table.count_clause, by.source))
        return
    table.tell(*table.custody.load(count=said.count))


def shuffle_began(table: "Table", said: say.ShufflerStarted, by: Input) -> None:
    """Note the shuffle, ordered by us or started at the machine."""
    table.end_shuffle()
    if not table.custody.at(Place.SHUFFLER):
        table.tell(*table.custody.shuffle_began())
    del said, by


def shuffled(table: "Table", said: say.ShufflerFinished, by: Input) -> None:
    """Take the shuffler's count as its claim; a wrong one latches until the deck is removed (13:69F-11.17(i))."""
    table.end_shuffle()
    facts = table.custody.shuffled(by.source, said.count)
    table.tell(*facts)
    deck = table.custody.at(Place.READY)
    if deck and deck.counted is Counted.WRONG:
        text = f"{by.source} counts {said.count} of {table.custody.size} cards in deck {deck.deck}; remove the deck"
        table.raise_alarm(f"deck:{deck.deck}", text, table.count_clause, latched=True)


def cutting_card(table: "Table", said: say.ShoeCuttingCardOut, by: Input) -> None:
    """Finish the round, then shuffle."""
    deck = table.custody.cut_card()
    if deck is None:
        raise Refused("deck", "a deck in the shoe", "the cutting card came out of an empty shoe")
    cites = table.terms.rules["cutting card"].cites if "cutting card" in table.terms.rules.clauses else ""
    table.tell(DeckCuttingCardOut(deck.deck, cites))
    del said, by


def found_face_up(table: "Table", said: say.ShoeFaceUpFound, by: Input) -> None:
    """Put the card aside."""
    face_up(table, by.source)
    del said


def condition_began(table: "Table", said: say.DeviceConditionBegan, by: Input) -> None:
    """Hold the table where the device is needed; tampering waits for a supervisor."""
    device = table.devices[by.source]
    if said.condition not in device.conditions:
        table.devices[by.source] = replace(device, conditions=(*device.conditions, said.condition))
        table.tell(DeviceConditionChanged(by.source, said.condition, active=True))
    text = f"{by.source}: {said.condition.replace('-', ' ')}"
    if said.condition in STOPPING:
        latched = said.condition is say.Condition.TAMPER
        table.raise_alarm(f"{said.condition}:{by.source}", text, latched=latched)
        if table.needs(by.source):
            table.suspend(f"device:{by.source}:{said.condition}", text)


def condition_ended(table: "Table", said: say.DeviceConditionEnded, by: Input) -> None:
    """Let go what the condition held."""
    device = table.devices[by.source]
    if said.condition in device.conditions:
        left = tuple(condition for condition in device.conditions if condition is not said.condition)
        table.devices[by.source] = replace(device, conditions=left)
        table.tell(DeviceConditionChanged(by.source, said.condition, active=False))
    alarm = table.alarms.get(f"{said.condition}:{by.source}")
    if alarm and not alarm.latched:
        table.clear_alarm(alarm.alarm)
    table.release(f"device:{by.source}:{said.condition}")


def found(table: "Table", said: say.DeviceFound, by: Input) -> None:
    """Take the device as online."""
    device = table.devices[by.source]
    table.devices[by.source] = replace(
        device,
        online=True,
        reason="",
        model=said.model,
        serial=said.serial,
        firmware=said.firmware,
        kinds=said.kinds,
    )
    table.tell(DeviceCameOnline(by.source, said.model, said.serial, said.firmware, said.kinds, by.boot))
    table.clear_alarm(f"offline:{by.source}")
    table.release(f"device:{by.source}")


def lost(table: "Table", said: say.DeviceLost, by: Input) -> None:
    """Hold the table where the device is needed; a deck in a lost shuffler has an unknown number."""
    table.offline(by.source, said.reason)


def events_lost(table: "Table", said: say.DeviceEventsLost, by: Input) -> None:
    """Suspend: something happened that nobody can tell any more."""
    table.tell(DeviceEventsMissing(by.source, said.first, said.last))
    if table.round:
        table.suspend("events", f"{by.source} lost its events {said.first} to {said.last}")


def refused(table: "Table", said: say.CommandRefused, by: Input) -> None:
    """Nothing moved: people look, and the command is given anew when the suspension is lifted."""
    due = table.commands.pop(said.command, None)
    if due is None:
        return
    table.tell(CommandEnded(said.command, "refused", said.reason))
    if not isinstance(due, ShuffleDue):
        table.suspend("refused", f"{by.source} refused: {said.reason}")


def unknown(table: "Table", said: say.CommandUnknown, by: Input) -> None:
    """Nobody can tell whether it moved: never sent again, people count."""
    due = table.commands.pop(said.command, None)
    if due is None:
        return
    table.tell(CommandEnded(said.command, "unknown", said.reason))
    if not isinstance(due, ShuffleDue):
        table.doubts[said.command] = due
        table.suspend(f"doubt:{said.command}", f"{by.source}: {said.reason}; count the cards")


HANDLERS: dict[type[say.Reading], Handler] = {
    say.ShoeLoaded: loaded,
    say.ShufflerStarted: shuffle_began,
    say.ShufflerFinished: shuffled,
    say.ShoeCuttingCardOut: cutting_card,
    say.ShoeFaceUpFound: found_face_up,
    say.DeviceConditionBegan: condition_began,
    say.DeviceConditionEnded: condition_ended,
    say.DeviceFound: found,
    say.DeviceLost: lost,
    say.DeviceEventsLost: events_lost,
    say.CommandRefused: refused,
    say.CommandUnknown: unknown,
}
