"""Reports as plain text, 80 columns wide."""

from collections.abc import Callable, Iterable, Iterator
from statistics import median
from textwrap import wrap
from typing import TypeVar

from tablectl.events.facts import Place
from tablectl.money import format_amount
from tablectl.report.story import DeckLife, DiceLife, Discrepancy, Line, Outage, Report, Stint, Wait
from tablectl.words import duration

WIDTH = 80
LIST_AGE = 24 * 3600 * 1000
"""Milliseconds after which a deck goes on the list of 13:69E-1.18(b)."""
_PLACES = {
    Place.RACK: "in the rack",
    Place.SHUFFLER: "in the shuffler",
    Place.READY: "ready",
    Place.SHOE: "in the shoe",
    Place.REMOVED: "removed",
}
_BLANK = "_" * 24
_INDENT = " " * 20

Part = Iterator[str]
Item = TypeVar("Item")


def shift(report: Report) -> str:
    """Write what a shift or day came to."""
    return _paper(
        _head("Shift report", report),
        _rounds(report),
        _section("The table", report.table_lines, _line),
        _section("Dealers", report.dealers, _stint),
        _section("Irregularities", report.irregularities, _line),
        _section("Void rounds", report.voids, _line),
        _section("Rulings and overrides", report.rulings, _line),
        _waits("Large payouts", report.payouts, "verified"),
        _waits("Calls for the floor", report.calls, "answered"),
        _section("Out of service", report.outages, _outage),
        _section("Play was held", report.held, _outage),
        _section("Read from the record", report.reads, _line),
        _section("Clocks", report.clocks, _line),
        _foot(report),
    )


def decks(report: Report) -> str:
    """Write which decks and dice were at the table, how old they are, and a label for each deck that was removed."""
    lives = list(report.decks.values())
    return _paper(
        _head("Decks and dice", report),
        _section("Decks", lives, _deck),
        _section("Dice", report.dice, _dice),
        _old(report),
        *(_label(report, deck) for deck in lives if deck.removed),
        _foot(report),
    )


def discrepancy(report: Report) -> str:
    """Write a form for each count that was wrong."""
    forms = [_form(report, number, found) for number, found in enumerate(report.discrepancies, 1)]
    none = iter(["No count was wrong."])
    return _paper(_head("Discrepancy report", report), *(forms or [none]), _foot(report))


def _paper(*parts: Part) -> str:
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part) + "\n"


def _head(title: str, report: Report) -> Part:
    day = f"gaming day {report.day}" if report.day else "no gaming day"
    of = f"{day}, shift {report.shift}" if report.shift else day
    yield f"{title} · {report.table} · {of}"
    game = report.game.replace("-", " ")
    variant = "" if report.variant == "base" else f", {report.variant.replace('-', ' ')}"
    yield f"{game}{variant} · {report.began[:10]}, {report.began[11:19]} to {_until(report)} UTC"
    if report.mode != "live":
        yield f"{report.mode.capitalize()}, not live play."


def _until(report: Report) -> str:
    same = report.ended[:10] == report.began[:10]
    return report.ended[11:19] if same else f"{report.ended[:10]}, {report.ended[11:19]}"


def _rounds(report: Report) -> Part:
    rounds = report.rounds
    if not rounds.played:
        yield "No round ended."
        return
    kinds = ((rounds.settled, "settled"), (rounds.void, "void"), (rounds.dead, "without a wager"))
    told = ", ".join(f"{number:,} {kind}" for number, kind in kinds if number)
    yield _row("Rounds", f"{rounds.played:,}, numbers {rounds.first} to {rounds.last}: {told}")
    if rounds.entered:
        yield _row("Entered later", f"{rounds.entered:,}, of which people told; their amounts are in the sums")
    if rounds.staked:
        sums = (format_amount(amount, report.currency) for amount in (rounds.staked, rounds.paid, rounds.collected))
        yield _row("Amounts", "staked {}, paid {}, collected {} {}".format(*sums, report.currency))
    else:
        yield _row("Amounts", "not known: the table sees that wagers lie there, not how much")
    yield _row("Refused", f"{report.refusals:,} announcements")


def _row(name: str, text: str) -> str:
    return f"{name:18}{text}"


def _section(title: str, items: Iterable[Item], write: Callable[[Item], Part]) -> Part:
    listed = list(items)
    if listed:
        yield f"{title} ({len(listed)})"
    for item in listed:
        yield from write(item)


def _told(left: str, text: str, right: str = "") -> Part:
    """Write a text behind its label, and what belongs to it at the right edge, or below where there is no room."""
    indent = " " * len(left)
    lines = wrap(text, WIDTH - len(left)) or [""]
    if right and len(left) + len(lines[-1]) + 1 + len(right) <= WIDTH:
        lines[-1] += f"{right:>{WIDTH - len(left) - len(lines[-1])}}"
    elif right:
        lines.append(f"{right:>{WIDTH - len(left)}}")
    yield left + lines[0]
    yield from (indent + line for line in lines[1:])


def _line(line: Line) -> Part:
    number = str(line.round) if line.round else ""
    by = "" if line.by in line.text else line.by
    yield from _told(f"  {line.ts[11:19]} {number:>7}  ", line.text, ", ".join(filter(None, (by, line.clause))))


def _stint(stint: Stint) -> Part:
    yield from _told(f"  {stint.since[11:19]} {'':7}  ", stint.dealer or "nobody signed on", f"{stint.rounds} rounds")


def _waits(title: str, waits: list[Wait], word: str) -> Part:
    yield from _section(title, waits, lambda wait: _wait(wait, word))
    took = [wait.waited for wait in waits if wait.waited is not None]
    if took:
        middle, longest = _span(int(median(took))), _span(max(took))
        yield f"{_INDENT}half within {middle}, the longest {longest}"


def _wait(wait: Wait, word: str) -> Part:
    came = "nobody came" if wait.waited is None else f"{word} by {wait.by} after {_span(wait.waited)}"
    number = str(wait.round) if wait.round else ""
    yield from _told(f"  {wait.ts[11:19]} {number:>7}  ", f"{wait.text}: {came}", wait.clause)


def _span(milliseconds: int) -> str:
    return duration(milliseconds // 1000)


def _outage(outage: Outage) -> Part:
    lasted = "still" if outage.lasted is None else _span(outage.lasted)
    what = "" if outage.what == "play" else f"{outage.what}: "
    yield from _told(f"  {outage.ts[11:19]} {'':7}  ", f"{what}{outage.reason}", lasted)


def _deck(deck: DeckLife) -> Part:
    mark = "! " if _is_old(deck) else "  "
    yield from _told(f"{mark}{deck.deck:12}", f"{deck.back} backs, {_PLACES[deck.place]}", _age(deck))
    came = f"received {_moment(deck.received)}" + (f" by {deck.received_by}" if deck.received_by else "")
    seal = f", seal {deck.seal}" if deck.seal else ""
    yield from _told(" " * 14, f"{came}, {deck.source.value}{seal}")
    yield f"{'':14}shuffled here: {deck.shuffles:,}; rounds in this report: {deck.rounds:,}"
    if deck.counted_right:
        yield f"{'':14}counted by people and right: {deck.counted_right:,}, last {deck.last_right[11:19]}"
    for line in (*deck.counts, *([deck.removed] if deck.removed else [])):
        yield from _told(" " * 14, f"{line.ts[11:19]} {line.text}", line.clause)


def _is_old(deck: DeckLife) -> bool:
    return not deck.removed and (deck.age or 0) > LIST_AGE


def _age(life: DeckLife | DiceLife) -> str:
    return "age not known" if life.age is None else f"{_span(life.age)} at the table"


def _moment(ts: str) -> str:
    return f"{ts[:10]}, {ts[11:19]}" if ts else "before this record"


def _dice(dice: DiceLife) -> Part:
    mark = "! " if not dice.removed and (dice.age or 0) > LIST_AGE else "  "
    yield from _told(f"{mark}{dice.dice:12}", f"received {_moment(dice.received)}", _age(dice))
    for line in (*dice.inspections, *([dice.removed] if dice.removed else [])):
        yield from _told(" " * 14, f"{line.ts[11:19]} {line.text}", line.clause)


def _old(report: Report) -> Part:
    """Name what is on the list of decks in use on an open table for more than a day."""
    old = [deck.deck for deck in report.decks.values() if _is_old(deck)]
    text = f"In use for more than 24 hours at {report.ended[11:19]}: {', '.join(old) or 'none'}"
    yield from _told("", text, "13:69E-1.18(b)")


def _label(report: Report, deck: DeckLife) -> Part:
    removed = deck.removed
    assert removed is not None
    yield "-" * WIDTH
    yield "Removed deck: label of its container"
    yield from _fields(
        ("Table", report.table),
        ("Game", report.game.replace("-", " ")),
        ("Deck", f"{deck.deck}, {deck.back} backs" + (f", {deck.size} cards due" if deck.size else "")),
        ("Date and time", f"{removed.ts[:10]}, {removed.ts[11:19]} UTC"),
        ("Gaming day", report.day),
        ("Reason", removed.text.partition(": ")[2]),
        ("Section", removed.clause),
        ("Removed by", removed.by),
        ("In the record", f"row {removed.row}, round {removed.round}"),
        ("Cards in it", ""),
        ("Dealer", ""),
        ("Supervisor", ""),
    )
    yield "-" * WIDTH


def _fields(*fields: tuple[str, str]) -> Part:
    """Write a form; what the record does not say is left to the pen."""
    for name, text in fields:
        yield from _told(f"  {name:18}", text or _BLANK)


def _form(report: Report, number: int, found: Discrepancy) -> Part:
    hands = ", ".join(f"{hand} held {size}" for hand, size in found.wrong_hands.items())
    cards = ((f"{found.counted} cards", found.counted), (f"{found.expected} cards", found.expected))
    counted, due = (text if amount is not None else "" for text, amount in cards)
    deck = ", ".join(filter(None, (found.deck, found.back and f"{found.back} backs")))
    yield f"{number}. {found.what[:1].upper()}{found.what[1:]}"
    yield from _fields(
        ("Table", report.table),
        ("Gaming day, shift", ", ".join(filter(None, (found.day, found.shift)))),
        ("Date and time", f"{found.ts[:10]}, {found.ts[11:19]} UTC"),
        ("Round", str(found.round) if found.round else "between rounds"),
        ("Dealer", found.dealer),
        ("Deck", f"{deck}, shuffle {found.shuffle} here" if found.shuffle else deck),
        ("Deck received", _moment(found.received) if found.received else ""),
        ("Counted", counted or found.what),
        ("Awaited", due or found.awaited),
        *((("Hands", hands),) if hands else ()),
        ("Said by", found.said_by),
        ("Section", found.clause),
        ("In the record", f"row {found.row}"),
    )
    yield from _section("  What followed", found.followed, _line)
    yield from _fields(("Counted again", ""), ("Supervisor", ""), ("Surveillance told", ""))


def _foot(report: Report) -> Part:
    yield from _told("", f"From rows {report.rows[0]} to {report.rows[1]} of the record; program {report.program}")
