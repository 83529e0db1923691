"""A round as plain text, 80 columns wide."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from textwrap import wrap

from tablectl.cards import Card
from tablectl.events.facts import Counted
from tablectl.money import format_amount
from tablectl.recall.forms import Hand, Line, Round, Stake
from tablectl.rulebook import Outcome

WIDTH = 80
_CLAUSE = 24
_DAY = 24 * 3600 * 1000  # milliseconds
_SUITS = str.maketrans({"c": "♣", "d": "♦", "h": "♥", "s": "♠"})

_COUNTED = {
    Counted.OK: "its number was right",
    Counted.WRONG: "its number was wrong",
    Counted.NOT: "not counted since",
    Counted.UNKNOWN: "its number was not known",
}

_OUTCOMES = {
    Outcome.WIN: "wins",
    Outcome.LOSE: "loses",
    Outcome.PUSH: "push",
    Outcome.VOID: "void, goes back",
    Outcome.NO_ACTION: "no action, goes back",
}


def as_text(round_: Round) -> str:
    """Write a round for a terminal or a printer."""
    parts = (_head(round_), _hands(round_), _stakes(round_), _lines(round_), _discards(round_), _foot(round_))
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part) + "\n"


def heading(round_: Round) -> str:
    """Say which round it is, and how it ended."""
    game = round_.game.replace("-", " ")
    variant = "" if round_.variant == "base" else f", {round_.variant.replace('-', ' ')}"
    why = f": {round_.reason}" if round_.reason else ""
    return f"Round {round_.round} · {round_.table} · {game}{variant} · {round_.result}{why}"


def about(round_: Round) -> list[str]:
    """Say when it was, by the table's clock and on video, who dealt, and from which deck and shuffle."""
    until = f" to {round_.ended[11:19]}" if round_.ended else ""
    when = f"{round_.opened[:10]}, {round_.opened[11:19]}{until} UTC"
    dealer = f", dealer {', then '.join(round_.dealers)}" if round_.dealers else ""
    deck = round_.deck
    if not deck.deck:
        return [when, *_times(round_), "Played by hand, as it was entered afterwards"]
    back = f" ({deck.back} backs)" if deck.back not in ("", deck.deck) else ""
    shuffle = f"shuffle {deck.shuffle} at this table" if deck.shuffle else "not shuffled at this table"
    by = f", counted by {deck.counted_by}" if deck.counted_by else ""
    return [f"{when}{dealer}", *_times(round_), f"Deck {deck.deck}{back}, {shuffle}; {_COUNTED[deck.counted]}{by}"]


def _times(round_: Round) -> Iterator[str]:
    """Say under which gaming day it was, where it stands on video, and whether the clock was none to trust."""
    if round_.day:
        yield f"Gaming day {round_.day}" + (f", shift {round_.shift}" if round_.shift else "")
    if round_.video is not None:
        way = "behind" if round_.video < 0 else "ahead of"
        moments = [_on_video(ts, round_.video) for ts in (round_.opened, round_.ended) if ts]
        yield f"On video {' to '.join(moments)}: its clock is {abs(round_.video) / 1000:.3f} s {way} the table's"
    if round_.synchronised is False:
        yield "No time server steered the table's clock."


def _on_video(ts: str, ahead: int) -> str:
    """Return the time of day on video, however far its clock is off: it may never have been set."""
    moment = datetime.fromisoformat(ts) + timedelta(milliseconds=ahead % _DAY)
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03}"


def place(hand: str) -> str:
    """Write a hand's name as people say it: ``Position 3``, ``Dealer``."""
    base, _, part = hand.partition(".")
    name = f"Position {base}" if base.isdecimal() else base.capitalize()
    return f"{name}, {f'hand {part}' if part.isdecimal() else part}" if part else name


def became(stake: Stake, currency: str) -> str:
    """Say what became of a wager."""
    if stake.taken_back:
        return "taken back in time"
    if stake.late:
        return "came late, no action"
    if stake.outcome is None:
        return "open"
    words = [_OUTCOMES[stake.outcome]]
    if stake.odds:
        words.append(f"at {stake.odds}")
    if stake.paid:
        words.append(f"pays {format_amount(stake.paid, currency)}")
    if stake.vigorish:
        words.append(f"after {format_amount(stake.vigorish, currency)} vigorish")
    if stake.by_chips and stake.odds:
        words.append("by the chips that lay there")
    return " ".join(words)


def staked(stake: Stake, currency: str) -> str:
    """Write a wager's amount; a dash where only its presence is known."""
    owner = f" of {stake.owner}" if stake.owner else ""
    return ("—" if stake.amount is None else format_amount(stake.amount, currency)) + owner


def written(cards: Iterable[Card]) -> str:
    """Write cards with their suits; ``??`` is one that nobody has seen."""
    signs = {"??": "??", "Jk": "Joker"}
    return " ".join(signs.get(card) or card.replace("T", "10").translate(_SUITS) for card in cards)


def _head(round_: Round) -> Iterator[str]:
    yield from wrap(heading(round_), WIDTH)
    for line in about(round_):
        yield from wrap(line, WIDTH)
    if round_.mode != "live":
        yield f"{round_.mode.capitalize()}, not live play."


def _hands(round_: Round) -> Iterator[str]:
    if round_.roll:
        start = f"; {place(round_.start)} gets the first cards" if round_.start else ""
        yield f"Dice {round_.roll}{start}"
    for call in round_.calls:
        yield call[:1].upper() + call[1:]
    for hand in by_place(round_):
        yield from _hand(hand)


def by_place(round_: Round) -> list[Hand]:
    """Return the hands by position, and the areas after them."""
    hands = list(round_.hands.values())
    at_positions = [hand for hand in hands if position_of(hand)]
    return sorted(at_positions, key=position_of) + [hand for hand in hands if hand not in at_positions]


def position_of(placed: Hand | Stake) -> tuple[int, ...]:
    """Return what sorts hands and wagers by position, nothing for an area."""
    return tuple(int(part) for part in placed.hand.split(".") if part.isdecimal())


def _hand(hand: Hand) -> Iterator[str]:
    label, indent = f"{place(hand.hand):20} ", " " * 21
    if hand.set_at:
        yield f"{label}high {written(hand.high)} · low {written(hand.low)}"
        yield f"{indent}set by {hand.set_by}"
    else:
        cards = written(lying.card for lying in hand.cards) or "no cards"
        yield from wrap(label + cards, WIDTH, subsequent_indent=indent)
    said = [decided.choice for decided in hand.decisions]
    said += [f"{judged.what}: {judged.answer}" for judged in hand.judged]
    yield from wrap(" · ".join(said), WIDTH, initial_indent=indent, subsequent_indent=indent)


def _stakes(round_: Round) -> Iterator[str]:
    if round_.stakes:
        yield "Wagers and payments"
    for stake in sorted(round_.stakes, key=position_of):
        wager = f"  {place(stake.hand)}: {stake.wager}"
        yield f"{wager:42} {staked(stake, round_.currency):>12}"
        yield _with_clause(f"    {became(stake, round_.currency)}", stake.clause)
    if round_.result == "settled" and round_.staked:
        sums = (format_amount(amount, round_.currency) for amount in (round_.staked, round_.paid, round_.collected))
        yield "  staked {}, paid {}, collected {}".format(*sums)


def _lines(round_: Round) -> Iterator[str]:
    yield "What happened"
    for line in round_.lines:
        yield from _line(line)


def _line(line: Line) -> Iterator[str]:
    """Write a line with its clause at the right edge, or below where there is no room."""
    mark = "x" if line.taken_back else "!" if line.loud else " "
    left = f"{mark} {line.ts[11:21]} {line.who[:14]:14} "
    texts = wrap(line.text, WIDTH - len(left)) or [""]
    if line.clause and len(left) + len(texts[-1]) + len(line.clause) < WIDTH:
        texts[-1] = f"{texts[-1]}{line.clause:>{WIDTH - len(left) - len(texts[-1])}}"
    elif line.clause:
        texts.append(f"{line.clause:>{WIDTH - len(left)}}")
    yield left + texts[0]
    yield from (" " * len(left) + text for text in texts[1:])


def _discards(round_: Round) -> Iterator[str]:
    if round_.discards:
        yield "Picked up, in this order"
    for number, discard in enumerate(round_.discards, 1):
        label = f"  {number:2} {place(discard.hand):18}"
        yield from wrap(f"{label} {written(discard.cards)}", WIDTH, subsequent_indent=" " * 24)


def record(round_: Round) -> list[str]:
    """Say where the round stands in the record, and under which rules it was played."""
    hashes = ", ".join(f"{name.replace('_', ' ')} {hashed[:8]}" for name, hashed in round_.hashes.items())
    return [
        f"Rows {round_.rows[0]} to {round_.rows[1]}, events {round_.seqs[0]} to {round_.seqs[1]}, epoch {round_.epoch}",
        f"Hash {round_.hash}",
        f"Program {round_.program}; {hashes}",
    ]


def _foot(round_: Round) -> Iterator[str]:
    yield "In the record"
    yield from (f"  {line}" for text in record(round_) for line in wrap(text, WIDTH - 2))


def _with_clause(text: str, clause: str) -> str:
    return f"{text:{WIDTH - _CLAUSE}}{clause:>{_CLAUSE}}" if clause else text
