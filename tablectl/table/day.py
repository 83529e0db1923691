"""The table's day: opening and closing, gaming day and shift, dealers, dice, calls for the floor, and who reads."""

from collections.abc import Callable, Collection, Iterator
from datetime import date
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tablectl.events import announcements as say
from tablectl.events.announcements import Due
from tablectl.events.codec import Input
from tablectl.events.facts import (
    AnnouncementTurnedAway,
    ClockCompared,
    ClockTold,
    DayBegan,
    DayDue,
    DealerSignedOn,
    DiceInspected,
    DiceReceived,
    DiceRemoved,
    DiceSet,
    Fact,
    FloorAnswered,
    FloorCall,
    FloorCalled,
    GameDead,
    IrregularityFound,
    RecordDropped,
    RecordRead,
    ShiftBegan,
    TableClosed,
    TableOpened,
)
from tablectl.events.record import DropRecord, TurnAway
from tablectl.terms import Refused

if TYPE_CHECKING:
    from tablectl.table.table import Table

Handler = Callable[["Table", Any, Input], None]

DICE_CHECK = "13:69E-1.16A(b)"
DICE_AGE = "13:69E-1.13B"
"""The shaker's section; that dice stay no longer than a day is inferred from the same rule of Pennsylvania."""
DICE_LIFE = 24 * 3600 * 10**9
"""Nanoseconds for which a set of dice may stay at a table."""


def open_table(table: "Table", said: say.OpenTable, by: Input) -> None:
    """Open the table for play."""
    if table.open:
        raise Refused("table", "a closed table", "the table is open")
    if not are_two(said.inspected_by):
        raise Refused("names", "the two names of those who inspected the decks", "a deck inspection has two names")
    untested = [f"{device.device}: {device.untested}" for device in table.devices.values() if device.untested]
    if table.trial or untested:
        text = "; ".join(untested) or f"{table.trial.device if table.trial else ''} is being tested"
        raise Refused("test", "every device tested, or a supervisor's waiver", text)
    table.open = True
    table.tell(TableOpened(by.by, said.inspected_by))


def are_two(names: Collection[str]) -> bool:
    """Tell whether these are the names of two persons."""
    return len(names) == len({name for name in names if name}) == 2  # noqa: PLR2004 - two persons


def close_table(table: "Table", said: say.CloseTable, by: Input) -> None:
    """Close the table; a round that runs is finished first."""
    if not table.open:
        raise Refused("table", "an open table", "the table is closed")
    table.open = False
    table.tell(TableClosed(by.by, said.reason))


def dead_game(table: "Table", said: say.DeadGame, by: Input) -> None:
    """Note that nobody plays."""
    if not table.open:
        raise Refused("table", "an open table", "the table is closed")
    if table.in_play:
        raise Refused("round", "the end of the round", "there are wagers on the layout")
    table.tell(GameDead(by.by))
    del said


def sign_on(table: "Table", said: say.SignOn, by: Input) -> None:
    """Change the dealer."""
    if not said.dealer:
        raise Refused("dealer", "the dealer's name or number", "nobody signed on")
    relieved = table.dealer if table.dealer != said.dealer else ""
    table.dealer = said.dealer
    table.tell(DealerSignedOn(said.dealer, relieved))
    del by


# Gaming day and shift


def begin_day(table: "Table", said: say.BeginDay, by: Input) -> None:
    """Begin a gaming day, with the round number going on."""
    if not _is_date(said.day) or said.day == table.day:
        awaited = f"a date like 2026-11-30, other than {table.day or 'none'}"
        raise Refused("day", awaited, f"{said.day!r} begins no gaming day")
    _begin(table, DayBegan(said.day, said.shift, by.by))


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def begin_shift(table: "Table", said: say.BeginShift, by: Input) -> None:
    """Begin a shift of the gaming day."""
    day = table.coming.day if table.coming else table.day
    if not day:
        raise Refused("day", "the gaming day first", "no gaming day has begun")
    if not said.shift or said.shift == table.shift:
        raise Refused("shift", f"a shift other than {table.shift or 'none'}", f"{said.shift!r} begins no shift")
    if isinstance(table.coming, DayBegan):
        _begin(table, replace(table.coming, shift=said.shift))
    else:
        _begin(table, ShiftBegan(day, said.shift, by.by))


def _begin(table: "Table", began: DayBegan | ShiftBegan) -> None:
    """Begin it, or have it begin when the round under way is over."""
    table.coming = began
    if table.in_play:
        table.tell(DayDue(began.day, began.shift, began.by))
    else:
        table.turn_day()


# Time


def take_time(table: "Table", said: say.TimeReached, by: Input) -> None:
    """Do what was due at this time, unless people did it before."""
    match said.due:
        case Due.GAMING_DAY if _is_date(said.what) and said.what > table.day:
            _begin(table, DayBegan(said.what))
        case Due.SHIFT if said.what != table.shift and (table.day or table.coming):
            begin_shift(table, say.BeginShift(said.what), by)
        case Due.DICE if said in due(table, by.at):
            text = f"dice {said.what} have been at the table for 24 hours; replace them"
            table.raise_alarm(f"dice:{said.what}", text, DICE_AGE)


def due(table: "Table", at: int) -> Iterator[say.TimeReached]:
    """Yield what is due at this time by its age. at: nanoseconds since 1970."""
    dice = table.dice
    if dice and at - dice.received >= DICE_LIFE and f"dice:{dice.dice}" not in table.alarms:
        yield say.TimeReached(Due.DICE, dice.dice)


# Dice


def receive_dice(table: "Table", said: say.ReceiveDice, by: Input) -> None:
    """Take a set of dice to the table; a shaker holds one."""
    if not said.dice:
        raise Refused("dice", "the id of the dice", "dice have an id")
    if table.dice:
        raise Refused("dice", "the dice at the table removed", f"dice {table.dice.dice} are in the shaker")
    table.dice = DiceSet(said.dice, by.at)
    table.tell(DiceReceived(said.dice))


def _dice(table: "Table", named: str) -> DiceSet:
    if table.dice is None or table.dice.dice != named:
        at_table = table.dice.dice if table.dice else "none"
        raise Refused("dice", f"the dice at the table, {at_table}", f"dice {named} are not at this table")
    return table.dice


def inspect_dice(table: "Table", said: say.InspectDice, by: Input) -> None:
    """Note the pit boss's look at dice and shaker; evidence of tampering holds the table."""
    dice = _dice(table, said.dice)
    if not by.by or (said.tampering and not said.license):
        awaited = "who found it, by name and license number" if said.tampering else "the name of who looked"
        raise Refused("names", awaited, "an inspection has a name", DICE_CHECK)
    table.dice = replace(dice, inspected=by.at)
    table.tell(DiceInspected(dice.dice, by.by, DICE_CHECK, said.tampering, said.license))
    if said.tampering:
        text = f"dice {dice.dice}: {said.tampering}; report it to the Division at once"
        table.tell(IrregularityFound(said.name(), "dice and shaker as they were", said.tampering, DICE_CHECK))
        table.raise_alarm(f"tampering:{dice.dice}", text, DICE_CHECK, latched=True)
        table.suspend("dice", text)


def remove_dice(table: "Table", said: say.RemoveDice, by: Input) -> None:
    """Take the dice away."""
    dice = _dice(table, said.dice)
    table.dice = None
    table.tell(DiceRemoved(dice.dice, said.reason, by.by))
    table.clear_alarm(f"dice:{dice.dice}", by.by, said.reason)
    table.release("dice")


# Calls for the floor


def call_floor(table: "Table", said: say.CallFloor, by: Input) -> None:
    """Ask for the supervisor; play goes on."""
    _call(table, FloorCall(said.reason, by.at))
    table.raise_alarm("floor", f"Floor called: {said.reason}")


def hold(table: "Table", said: say.Hold, by: Input) -> None:
    """Stop the round and ask for the supervisor."""
    _call(table, FloorCall(said.reason, by.at, hold=True))
    table.suspend("hold", said.reason)


def _call(table: "Table", call: FloorCall) -> None:
    """Note a call; one that nobody answered yet is waited for since the first."""
    first = table.call
    table.call = replace(call, at=first.at, hold=first.hold or call.hold) if first else call
    table.tell(FloorCalled(call.reason, call.hold))


def answer_floor(table: "Table", said: say.AnswerFloor, by: Input) -> None:
    """Note that the supervisor came, and how long that took."""
    if table.call is None:
        raise Refused("floor", "a call for the floor", "nobody called")
    answered(table, by)
    del said


def answered(table: "Table", by: Input) -> None:
    """Take a call, if one is open, as answered; the clock may have been set back meanwhile."""
    call, table.call = table.call, None
    if call:
        table.tell(FloorAnswered(by.by, call.reason, max(0, by.at - call.at) // 1_000_000))
        table.clear_alarm("floor", by.by)


HANDLERS: dict[type[say.Announcement], Handler] = {
    say.OpenTable: open_table,
    say.CloseTable: close_table,
    say.DeadGame: dead_game,
    say.SignOn: sign_on,
    say.BeginDay: begin_day,
    say.BeginShift: begin_shift,
    say.TimeReached: take_time,
    say.ReceiveDice: receive_dice,
    say.InspectDice: inspect_dice,
    say.RemoveDice: remove_dice,
    say.CallFloor: call_floor,
    say.AnswerFloor: answer_floor,
    say.Hold: hold,
}

ASIDE: dict[type[Any], Callable[[Any, Input], Fact]] = {
    say.ReportClock: lambda said, _: ClockTold(said.synchronised, said.error),
    say.CompareClocks: lambda said, by: ClockCompared(said.clock, said.ahead, by.by),
    say.Read: lambda said, by: RecordRead(said.what, by.by),
    TurnAway: lambda said, _: AnnouncementTurnedAway(said.verb, said.role, said.by, said.code, said.awaited, said.text),
    DropRecord: lambda said, _: RecordDropped(said.file, said.first, said.last, said.hash, said.days),
}
"""What is said beside the game, and the fact that it becomes: the table stays as it was."""
