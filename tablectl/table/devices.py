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
    DeckShuffled,
    DeviceCameOnline,
    DeviceEventsMissing,
    IrregularityFound,
    Place,
    ShuffleDue,
    WagerLate,
)
from tablectl.script import is_position
from tablectl.table import conditions, discards
from tablectl.table.floor import face_up
from tablectl.terms import Refused, Wagers

if TYPE_CHECKING:
    from tablectl.table.table import Table

Handler = Callable[["Table", Any, Input], None]

QUIET = (
    say.ShoeStackTaken,
    say.ShoeStubReleased,
    say.ShakerShaken,
    say.ShakerLidOpened,
    say.ShakerLidClosed,
)
"""Readings that change nothing when no step awaits them: a shake after the deal is no result."""

_LOOK = "look what lies there, then lift the suspension"
"""What people do where a machine cannot tell what happened."""


def loaded(table: "Table", said: say.ShoeLoaded, by: Input) -> None:
    """Bind what is in the shoe to the deck that was ready, or to the discards that finish a round.

    A shuffler that is the shoe too lets the next deck down once the stub of the last one is out, in mid-round: that
    deck counts as loaded when the round has ended.
    """
    if table.round and by.source == table.device("shuffler") and _is_emptied(table):
        table.round.next_deck = replace(by, boot="", number=0)
        return
    if discards.awaits_shoe(table):
        discards.loaded(table, said, by.source)
        return
    deck = None if table.custody.at(Place.SHOE) else table.custody.at(Place.READY)
    if said.count is not None and deck and said.count != table.custody.size:
        text = f"the shoe counts {said.count} of {table.custody.size} cards of deck {deck.deck}"
        table.custody.decks[deck.deck] = replace(deck, counted=Counted.WRONG, counted_by=by.source)
        table.raise_alarm(f"deck:{deck.deck}", text + "; remove it", table.count_clause, latched=True)
        table.tell(IrregularityFound(said.name(), f"{table.custody.size} cards", text, table.count_clause, by.source))
        return
    table.tell_all(table.custody.load(count=said.count))


def _is_emptied(table: "Table") -> bool:
    """Tell whether the deck that is being dealt has left the shoe."""
    return bool(table.round and table.round.stub_out) or not table.deck_in_shoe().left


def shuffle_began(table: "Table", said: say.ShufflerStarted, by: Input) -> None:
    """Note the shuffle, ordered by us or started at the machine."""
    table.end_shuffle()
    if not table.custody.shuffle_goes_on():
        table.tell_all(table.custody.shuffle_began())
    deck = table.custody.at(Place.SHUFFLER)
    if deck:
        table.clear_alarm(f"shuffle:{deck.deck}")
    del said, by


def shuffled(table: "Table", said: say.ShufflerFinished, by: Input) -> None:
    """Take the shuffler's count as its claim; a wrong one latches until the deck is removed (13:69F-11.17(i))."""
    facts = table.custody.shuffled(by.source, said.count)
    table.end_shuffle()
    table.tell_all(facts)
    for shuffle in facts:
        if isinstance(shuffle, DeckShuffled):
            table.clear_alarm(f"shuffle:{shuffle.deck}")
            if shuffle.counted is Counted.WRONG:
                text = f"{by.source} counts {said.count} of {shuffle.expected} cards in deck {shuffle.deck}; remove it"
                table.raise_alarm(f"deck:{shuffle.deck}", text, table.count_clause, latched=True)


def deck_out(table: "Table", said: say.ShufflerDeckOut, by: Input) -> None:
    """Forget a deck that was removed while it was shuffled, or that the shuffler was lost with."""
    table.custody.shuffler_emptied()
    del said, by


def cutting_card(table: "Table", said: say.ShoeCuttingCardOut, by: Input) -> None:
    """Finish the round, then shuffle."""
    deck = table.custody.cut_card()
    if deck is None:
        raise Refused("deck", "a deck in the shoe", "the cutting card came out of an empty shoe")
    cites = table.terms.rules["cutting card"].cites if "cutting card" in table.terms.rules.clauses else ""
    table.tell(DeckCuttingCardOut(deck.deck, cites))
    del said, by


def emptied(table: "Table", said: say.ShoeEmptied, by: Input) -> None:
    """Shuffle a card shoe's deck after this round, although its cutting card never came out."""
    deck = table.custody.at(Place.SHOE)
    if by.source != table.device("card-shoe") or deck is None or deck.cut_card_out:
        return
    table.custody.cut_card()
    table.tell(IrregularityFound(said.name(), "the cutting card", f"{by.source} is empty", device=by.source))


def found_face_up(table: "Table", said: say.ShoeFaceUpFound, by: Input) -> None:
    """Put the card aside."""
    face_up(table, by.source)
    del said


def seen_early(table: "Table", said: say.ReaderCardSeen, by: Input) -> None:
    """Hold the round where a card of all was seen before its time: whether it counts is a supervisor's ruling."""
    held = table.round and table.round.unseen(said.area) and not is_position(said.area)
    text = f"{by.source} saw a card at {said.area} before its time"
    table.tell(IrregularityFound(said.name(), "cards face down", text, device=by.source))
    if held:
        table.suspend("irregularity", text)


def wager_sensed(table: "Table", said: say.WagerSensed, by: Input) -> None:
    """Note chips that come and go while no wager may: late ones have no action, and open ones are left alone."""
    place = said.hand, said.wager
    table.sensed.pop(place, None)
    if said.present:
        table.sensed[place] = True
    if table.terms.wagers is not Wagers.PRESENCE or not table.round or not table.round.closed_by:
        return
    lies = [wager for wager in table.round.ledger.on(*place) if not wager.settled]
    opening = any(kind.name == said.wager for kind in table.terms.rules.opening)
    if said.present and opening and not table.round.ledger.on(*place):
        table.tell(WagerLate(said.hand, said.wager, table.round.closed_by))
    elif lies and not said.present:
        text = f"chips of the {said.wager} wager at position {said.hand} were taken away"
        table.tell(IrregularityFound(said.name(), "wagers left alone", text, table.round.closed_by, by.source))


def found(table: "Table", said: say.DeviceFound, by: Input) -> None:
    """Take the device as online, if it is the one meant."""
    device, meant = table.devices[by.source], table.meant(by.source)
    if meant not in ("", said.serial):
        table.offline(by.source, "wrong-device", f"{said.serial} answers, awaited was {meant}")
        return
    table.devices[by.source] = replace(
        device,
        online=True,
        reason="",
        detail="",
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
    table.offline(by.source, said.reason, said.detail)


def events_lost(table: "Table", said: say.DeviceEventsLost, by: Input) -> None:
    """Suspend: something happened that nobody can tell any more. Between two rounds a device without memory is a new
    one, and does not matter; one that lost some of its events told them to a record that is gone.
    """
    table.tell(DeviceEventsMissing(by.source, said.first, said.last))
    if (table.round or said.last) and not table.devices[by.source].out:
        span = f"from {said.first}" + (f" to {said.last}" if said.last else " on")
        table.suspend("events", f"{by.source} lost its events {span}; {_LOOK}")


def record_behind(table: "Table", said: say.DeviceRecordBehind, by: Input) -> None:
    """Suspend: the end of the record is gone, or another host has taken what the device said."""
    if not table.devices[by.source].out:
        text = f"{by.source} was told that its events up to {said.kept} are kept: the record is lost after {said.last}"
        table.suspend("behind", f"{text}; {_LOOK}")


def refused(table: "Table", said: say.CommandRefused, by: Input) -> None:
    """Nothing moved: people look, and the command is given anew when the suspension is lifted."""
    due = table.commands.pop(said.command, None)
    if due is None:
        return
    table.tell(CommandEnded(said.command, "refused", said.reason))
    text = f"{by.source} refused: {said.reason}"
    if isinstance(due, ShuffleDue):
        _no_shuffle(table, due, text)
    else:
        table.suspend("refused", f"{text}; {_LOOK}")


def unknown(table: "Table", said: say.CommandUnknown, by: Input) -> None:
    """Nobody can tell whether it moved: never sent again, people count."""
    due = table.commands.pop(said.command, None)
    if due is None:
        return
    table.tell(CommandEnded(said.command, "unknown", said.reason))
    if isinstance(due, ShuffleDue):
        _no_shuffle(table, due, f"{by.source}: {said.reason}")
    else:
        table.doubts[said.command] = due
        table.suspend(f"doubt:{said.command}", f"{by.source}: {said.reason}; count the cards")


def _no_shuffle(table: "Table", due: ShuffleDue, text: str) -> None:
    """Order no shuffle of this deck until a supervisor clears the alarm, or people shuffle it (digest, item E9)."""
    table.custody.shuffle_failed(due.deck)
    table.raise_alarm(f"shuffle:{due.deck}", f"{text}; deck {due.deck} is not shuffled", latched=True)


def failed(table: "Table", said: say.ReadingFailed, by: Input) -> None:
    """Hold the table: what the device said was lost on us, and people must look."""
    text = f"What {by.source} said could not be taken: {said.error}"
    table.raise_alarm("defect", text, latched=True)
    table.suspend("defect", text)


HANDLERS: dict[type[say.Reading], Handler] = {
    say.ShoeLoaded: loaded,
    say.ShufflerStarted: shuffle_began,
    say.ShufflerFinished: shuffled,
    say.ShufflerDeckOut: deck_out,
    say.ShoeCuttingCardOut: cutting_card,
    say.ShoeEmptied: emptied,
    say.ShoeFaceUpFound: found_face_up,
    say.ReaderCardSeen: seen_early,
    say.WagerSensed: wager_sensed,
    say.DeviceConditionBegan: conditions.began,
    say.DeviceConditionEnded: conditions.ended,
    say.DeviceFound: found,
    say.DeviceLost: lost,
    say.DeviceEventsLost: events_lost,
    say.DeviceRecordBehind: record_behind,
    say.CommandRefused: refused,
    say.CommandUnknown: unknown,
    say.ReadingFailed: failed,
}
