"""Which part of a record is reported: a gaming day, one of its shifts, or all since a moment."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from tablectl.errors import JournalError
from tablectl.events.codec import timestamp
from tablectl.events.facts import DayBegan, RoundOpened, ShiftBegan, TableConfigured
from tablectl.journal import Reader, Record, Row
from tablectl.recall.story import Happened, happened, strike
from tablectl.report.fold import Fold
from tablectl.report.story import Report


class Span(msgspec.Struct, frozen=True):
    """What is wanted. day: a gaming day, empty for the last; shift: of that day, empty for all; since: instead of a
    day, all since this moment, in nanoseconds since 1970.
    """

    day: str = ""
    shift: str = ""
    since: int | None = None


def told(path: Path, span: Span) -> Report:
    """Tell what happened in a span of a record.

    Raises:
        JournalError: the record cannot be read, or holds no such day or shift, and which it holds.
    """
    with Record(path) as record:
        if span.since is not None:
            facts = list(_later(record, span.since))
        else:
            after, day = _day(record, span.day)
            span = msgspec.structs.replace(span, day=day)
            facts = list(_within(record, after, span))
        if not facts:
            raise JournalError(f"journal {path}: nothing is in it of {_named(span)}; {_held(record)}")
        strike(facts)
        fold = Fold(_begin(record, facts[0], span))
        for each in facts:
            fold.take(each)
        return fold.report


def _named(span: Span) -> str:
    if span.since is not None:
        return f"the time since {timestamp(span.since)}"
    shift = f", shift {span.shift}" if span.shift else ""
    return f"gaming day {span.day}{shift}" if span.day else f"the last gaming day{shift}"


def _held(record: Record) -> str:
    """Say which gaming days a record holds."""
    days = list(dict.fromkeys(began.day for _, began in _days(record)))[::-1]
    return f"it holds {days[0]} to {days[-1]}" if days else "no gaming day has begun in it"


def _days(record: Record) -> Iterator[tuple[Row, DayBegan]]:
    """Yield each beginning of a gaming day, the last first."""
    row = record.last(DayBegan)
    while row:
        began = row.stated()
        assert isinstance(began, DayBegan)
        yield row, began
        row = record.last(DayBegan, row.number)


def _day(record: Record, day: str) -> tuple[int, str]:
    """Return the row after which a gaming day begins, and its date; without one, all of a record that knows no days.

    Raises:
        JournalError: no such day.
    """
    for row, began in _days(record):
        if day in ("", began.day):
            return (row.cause or 1) - 1, began.day
    if day:
        raise JournalError(f"journal {record.path}: gaming day {day} did not begin in it; {_held(record)}")
    return 0, ""


def _later(record: Record, moment: int) -> Iterator[Happened]:
    """Yield the facts since a moment, from the last volume on that begins before it."""
    before = (reader.before.number for reader in reversed(record) if _begins(reader) < moment)
    return happened(entry for entry in record.entries(next(before, 0)) if entry.said.at >= moment)


def _begins(reader: Reader) -> int:
    first = next(reader.entries(reader.before.number), None)
    return first.said.at if first else 0


def _within(record: Record, after: int, span: Span) -> Iterator[Happened]:
    """Yield the facts of a gaming day, which ends where another begins, or those of its shift."""
    day, shift = _period(record, after)
    for each in happened(record.entries(after)):
        if isinstance(each.fact, (DayBegan, ShiftBegan)):
            if day == span.day != each.fact.day:
                return
            day, shift = each.fact.day, each.fact.shift
        if day == span.day and span.shift in ("", shift):
            yield each


def _period(record: Record, after: int) -> tuple[str, str]:
    """Return the gaming day and shift in which a row stands."""
    rows = [row for word in (DayBegan, ShiftBegan) if (row := record.last(word, after + 1))]
    last = max(rows, key=lambda row: row.number).stated() if rows else None
    return (last.day, last.shift) if isinstance(last, (DayBegan, ShiftBegan)) else ("", "")


def _begin(record: Record, first: Happened, span: Span) -> Report:
    """Return what is known before the first fact of a span."""
    row = record.last(TableConfigured, first.row + 1) or record.first(TableConfigured)
    rules = row.stated() if row else None
    assert isinstance(rules, TableConfigured), "the first row of every journal configures the table"
    opening = record.last(RoundOpened, first.row)
    opened = opening.stated() if opening else None
    known = opened if isinstance(opened, RoundOpened) else None
    return Report(
        table=record.table,
        game=rules.game,
        variant=rules.variant,
        mode=rules.mode,
        currency=rules.currency,
        program=rules.program,
        day=span.day,
        shift=span.shift,
        began=timestamp(first.entry.said.at),
        ended="",
        rows=(first.row, 0),
        opening=known,
    )
