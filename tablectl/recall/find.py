"""Which rounds of a record are wanted, and all that the record says of each."""

from collections.abc import Iterator
from itertools import chain, takewhile
from pathlib import Path

import msgspec

from tablectl.errors import JournalError
from tablectl.events.announcements import CompareClocks, DeckSource
from tablectl.events.codec import timestamp
from tablectl.events.facts import (
    ClockCompared,
    ClockTold,
    Counted,
    Deck,
    Place,
    RoundEnded,
    RoundEntered,
    RoundOpened,
    Snapshot,
    TableConfigured,
    WagerCorrected,
)
from tablectl.journal import Record, Row
from tablectl.recall.forms import Round
from tablectl.recall.story import Happened, happened, tell_entered, tell_later, tell_round

VIDEO = CompareClocks(0).clock
"""The clock whose time stands beside the table's."""


class Wanted(msgspec.Struct, frozen=True):
    """Which rounds: this one, the last so many, or all since a moment, in nanoseconds since 1970."""

    round: int | None = None
    last: int = 1
    since: int | None = None


def recall(path: Path, wanted: Wanted) -> list[Round]:
    """Tell the wanted rounds, the oldest first.

    Raises:
        JournalError: the record cannot be read, or holds no such round, and which it holds.
    """
    with Record(path) as record:
        openings = _openings(record, wanted)
        found = [*openings, *_entered(record, wanted, openings)]
        return [_round(record, row) for row in sorted(found, key=lambda row: row.number)]


def _openings(record: Record, wanted: Wanted) -> list[Row]:
    if wanted.round is not None:
        return [_opening(record, wanted.round)]
    backwards = _backwards(record)
    if wanted.since is not None:
        since = wanted.since
        return list(takewhile(lambda row: row.wall >= since, backwards))[::-1]
    return [row for row, _ in zip(backwards, range(wanted.last), strict=False)][::-1]


def _backwards(record: Record) -> Iterator[Row]:
    row = record.last(RoundOpened)
    while row:
        yield row
        row = record.last(RoundOpened, row.number)


def _opening(record: Record, number: int) -> Row:
    row = record.opening(number)
    if row:
        return row
    last, first = record.last(RoundOpened), record.first(RoundOpened)
    held = f"it holds {_number(first)} to {_number(last)}" if first and last else "it holds none"
    raise JournalError(f"journal {record.path}: no round {number}; {held}")


def _number(row: Row) -> int:
    opened = row.stated()
    assert isinstance(opened, RoundOpened)
    return opened.round


def _entered(record: Record, wanted: Wanted, openings: list[Row]) -> Iterator[Row]:
    """Yield the rounds played by hand that were entered in or behind the wanted ones."""
    after = openings[0].number if openings else 0
    for reader in record.since(after):
        for row, _ in reader.all(RoundEntered):
            if wanted.round is not None and row.round > wanted.round:
                return
            if row.number > after and row.wall >= (wanted.since or 0):
                yield row


def _round(record: Record, row: Row) -> Round:
    told = row.stated()
    if isinstance(told, RoundEntered):
        entered = next(each for each in happened([record.holding(row.number).entry(_cause(row))]) if each.fact == told)
        known = _begin(record, row, RoundOpened(row.round, "", Snapshot()), [entered])
        known.result, known.ended = "entered", known.opened
        return tell_entered(known, entered)
    assert isinstance(told, RoundOpened)
    facts = _facts(record, row)
    story = tell_round(_begin(record, row, told, facts), facts)
    return tell_later(story, _corrections(record, story))


def _cause(row: Row) -> int:
    return row.cause or row.number


def _corrections(record: Record, story: Round) -> Iterator[Happened]:
    """Yield what was set right about a round after its end."""
    told = {line.row for line in story.lines}
    for reader in record.since(story.rows[0]):
        for row, correction in reader.all(WagerCorrected):
            if correction.round == story.round and row.number > story.rows[1] and row.number not in told:
                yield Happened(reader.entry(_cause(row)), row.number, row.seq or 0, correction)


def _facts(record: Record, opening: Row) -> list[Happened]:
    """Return the facts of a round, and those after it until nothing of it can be taken back any more."""
    facts: list[Happened] = []
    for entry in record.entries((opening.cause or 1) - 1):
        for each in happened([entry]):
            if isinstance(each.fact, RoundOpened) and each.row > opening.number:
                return facts
            if each.row >= opening.number:
                facts.append(each)
        if _over(facts):
            break
    return facts


def _over(facts: list[Happened]) -> bool:
    """Tell whether a round has ended, and nothing can be taken back any more: another input came since."""
    ended = next((each for each in facts if isinstance(each.fact, RoundEnded)), None)
    return ended is not None and facts[-1].entry.number > ended.entry.number


def _begin(record: Record, opening: Row, opened: RoundOpened, facts: list[Happened]) -> Round:
    """Return what is known of a round before anything happens in it."""
    row = record.last(TableConfigured, opening.number)
    rules = row.stated() if row else None
    assert isinstance(rules, TableConfigured), "the first row of every journal configures the table"
    last = next((each for each in facts if isinstance(each.fact, RoundEnded)), facts[-1])
    # How many cards a shoe held is left out: it may be live still, and players may see what is told of a dispute.
    decks = (msgspec.structs.replace(deck, left=None) for deck in opened.snapshot.decks if deck.deck == opened.deck)
    moment = timestamp(opening.wall)
    return Round(
        table=record.table,
        epoch=record.epoch,
        round=opened.round,
        game=rules.game,
        variant=rules.variant,
        mode=rules.mode,
        currency=rules.currency,
        program=rules.program,
        hashes=rules.hashes,
        opened=moment,
        ended="",
        dealer=opened.dealer,
        deck=next(chain(decks, [_unknown(opened.deck)])),
        clause=opened.clause,
        rows=(opening.number, last.row),
        seqs=(opening.seq or 0, last.seq),
        hash=next(record.stored(last.entry.number - 1, 1)).hash.hex(),
        day=opened.day,
        shift=opened.shift,
        dealers=[opened.dealer] if opened.dealer else [],
        video=_video(record, last.row),
        synchronised=_synchronised(record, last.row),
    )


def _video(record: Record, end: int) -> int | None:
    """Return by how much the video clock was found ahead, last before a round ended, or else the last time of all."""
    found = _compared(record, end + 1)
    return _compared(record, None) if found is None else found


def _compared(record: Record, before: int | None) -> int | None:
    row = record.last(ClockCompared, before)
    while row:
        compared = row.stated()
        if isinstance(compared, ClockCompared) and compared.clock == VIDEO:
            return compared.ahead
        row = record.last(ClockCompared, row.number)
    return None


def _synchronised(record: Record, before: int) -> bool | None:
    row = record.last(ClockTold, before + 1)
    clock = row.stated() if row else None
    return clock.synchronised if isinstance(clock, ClockTold) else None


def _unknown(deck: str) -> Deck:
    return Deck(deck, "", DeckSource.INSPECTED, Place.SHOE, Counted.UNKNOWN)
