"""A round told: who had what, in the order in which it happened, with the clause of each decision and payment.

Steps count the lines of a round from 1: a card that was dealt at step 12 and turned at step 31 lies face down between
them. A card that nobody has seen is ``??``, here as in the record.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from tablectl.cards import UNSEEN, Card
from tablectl.dice import Roll
from tablectl.events import facts as fact
from tablectl.events.announcements import WagerForm
from tablectl.events.codec import timestamp
from tablectl.events.facts import Deck, Fact
from tablectl.journal import Entry
from tablectl.money import Odds
from tablectl.rulebook import Outcome
from tablectl.words import LOUD, UNTOLD, tell


class Line(msgspec.Struct, omit_defaults=True):
    """One thing that happened. row, seq: where it stands in the record; who: device or role, and the person."""

    step: int
    row: int
    seq: int
    ts: str
    who: str
    text: str
    clause: str = ""
    hand: str = ""
    loud: bool = False
    taken_back: bool = False


class Lying(msgspec.Struct, omit_defaults=True):
    """One card. dealt, shown: the steps at which it came and was seen; shown: None for one that never was."""

    card: Card
    dealt: int
    shown: int | None = None


class Judged(msgspec.Struct):
    """What cards were found or called to be: ``result``, ``win``."""

    what: str
    answer: str
    step: int


class Decided(msgspec.Struct):
    """What a player decided: ``fold``."""

    choice: str
    step: int


class Hand(msgspec.Struct, omit_defaults=True):
    """The cards of one hand or area. high, low: as it was set, at the step set_at."""

    hand: str
    cards: list[Lying] = msgspec.field(default_factory=list)
    high: tuple[Card, ...] = ()
    low: tuple[Card, ...] = ()
    set_at: int = 0
    set_by: str = ""
    decisions: list[Decided] = msgspec.field(default_factory=list)
    judged: list[Judged] = msgspec.field(default_factory=list)


class Stake(msgspec.Struct, omit_defaults=True):
    """One wager and what became of it, or a payment without one. Amounts: minor units, None where only its presence
    is known; placed, settled: the steps, settled: 0 while it is open; taken_back: it was, in time.
    """

    hand: str
    wager: str
    placed: int
    owner: str = ""
    amount: int | None = None
    form: WagerForm = WagerForm.CHIPS
    outcome: Outcome | None = None
    odds: Odds | None = None
    paid: int | None = None
    returned: int | None = None
    vigorish: int = 0
    by_chips: bool = False
    late: bool = False
    taken_back: bool = False
    settled: int = 0
    clause: str = ""


class Discard(msgspec.Struct):
    """Cards as they went to the rack."""

    hand: str
    cards: tuple[Card, ...]


class Round(msgspec.Struct, omit_defaults=True):
    """A whole round. result: ``settled``, ``void``, ``dead``, or ``open`` while it is not over; rows, seqs: first and
    last in the record; hash: of the record up to the end of the entry in which the round ended; hands: by name, in the
    order in which they got cards; dealers: who dealt, in turn; video: milliseconds by which the video clock was last
    found ahead, None where nobody looked; synchronised: whether a time server steered the table's clock, None where it
    did not say.
    """

    table: str
    epoch: str
    round: int
    game: str
    variant: str
    mode: str
    currency: str
    program: str
    hashes: dict[str, str]
    opened: str
    ended: str
    dealer: str
    deck: Deck
    clause: str
    rows: tuple[int, int]
    seqs: tuple[int, int]
    hash: str
    result: str = "open"
    reason: str = ""
    hands: dict[str, Hand] = msgspec.field(default_factory=dict)
    stakes: list[Stake] = msgspec.field(default_factory=list)
    roll: Roll | None = None
    rolled: int = 0
    start: str = ""
    calls: list[str] = msgspec.field(default_factory=list)
    discards: list[Discard] = msgspec.field(default_factory=list)
    staked: int = 0
    paid: int = 0
    collected: int = 0
    lines: list[Line] = msgspec.field(default_factory=list)
    day: str = ""
    shift: str = ""
    dealers: list[str] = msgspec.field(default_factory=list)
    video: int | None = None
    synchronised: bool | None = None


class Happened(msgspec.Struct):
    """A fact with the entry that it stands in. taken_back: it no longer holds."""

    entry: Entry
    row: int
    seq: int
    fact: Fact
    taken_back: bool = False


def happened(entries: Iterable[Entry]) -> Iterator[Happened]:
    """Yield the facts of entries one by one."""
    for entry in entries:
        for place, stated in enumerate(entry.facts, 1):
            yield Happened(entry, entry.number + place, stated.seq, stated.fact)


def strike(facts: Iterable[Happened]) -> None:
    """Mark the facts that were taken back: the last so many before an undoing, but for those beside the game."""
    holding: list[Happened] = []
    for each in facts:
        if isinstance(each.fact, fact.AnnouncementUndone):
            for _ in range(min(each.fact.facts, len(holding))):
                holding.pop().taken_back = True
        elif not isinstance(each.fact, fact.ASIDE):
            holding.append(each)


def tell_round(round_: Round, facts: list[Happened]) -> Round:
    """Tell the facts of a round, from its opening to its end, into what is known of it before."""
    strike(facts)
    for each in facts:
        if _is_news(each.fact):
            round_.lines.append(_line(round_, each))
        if each.taken_back:
            continue
        handler = _TELLERS.get(type(each.fact))
        if handler:
            handler(round_, each.fact, max(1, len(round_.lines)))
        if isinstance(each.fact, fact.RoundEnded):
            break
    return round_


def only(round_: Round, position: int) -> Round:
    """Return the round as it concerns one position: its hands, wagers and lines, and those of the whole table."""

    def concerns(hand: str) -> bool:
        base = hand.partition(".")[0]
        return not base.isdigit() or base == str(position)

    return msgspec.structs.replace(
        round_,
        hands={name: hand for name, hand in round_.hands.items() if concerns(name)},
        stakes=[stake for stake in round_.stakes if concerns(stake.hand)],
        lines=[line for line in round_.lines if concerns(line.hand)],
    )


def _is_news(told: Fact) -> bool:
    """Leave out what is said elsewhere, or beside the game: the order of the rack, a reading of the record."""
    done = isinstance(told, fact.CommandEnded) and told.outcome == "done"
    return not (done or isinstance(told, (fact.CardsDiscarded, *fact.ASIDE)) or told.name() in UNTOLD)


def _text(told: Fact, data: dict[str, Any], currency: str) -> str:
    if isinstance(told, fact.CardsDealt) and set(told.cards) == {UNSEEN}:
        stack = f", stack {told.stack}" if told.stack else ""
        return tell(told.name(), data | {"cards": []}, currency) + f"{len(told.cards)} face down{stack}"
    if not data.get("paid"):
        data = {name: value for name, value in data.items() if name != "paid"}  # nothing is no payment
    return tell(told.name(), data, currency)


def _line(round_: Round, each: Happened) -> Line:
    data = msgspec.to_builtins(each.fact)
    said = each.entry.said
    return Line(
        step=len(round_.lines) + 1,
        row=each.row,
        seq=each.seq,
        ts=timestamp(said.at),
        who=said.source if said.by in ("", said.source) else f"{said.by}, {said.source}",
        text=_text(each.fact, data, round_.currency),
        clause=data.get("clause", ""),
        hand="" if isinstance(each.fact, fact.DiceStart) else data.get("hand", ""),
        loud=each.fact.name() in LOUD,
        taken_back=each.taken_back,
    )


def _hand(round_: Round, name: str) -> Hand:
    base = name.removesuffix(".high").removesuffix(".low")
    return round_.hands.setdefault(base, Hand(base))


def _stake(round_: Round, said: Any, step: int) -> Stake:
    """Return the open wager that a fact is about."""
    for stake in reversed(round_.stakes):
        if (stake.hand, stake.wager, stake.owner) == (said.hand, said.wager, said.owner) and not stake.taken_back:
            return stake
    stake = Stake(said.hand, said.wager, step, said.owner)
    round_.stakes.append(stake)
    return stake


def _placed(round_: Round, said: fact.WagerPlaced, step: int) -> None:
    stake = _stake(round_, said, step)
    stake.amount, stake.form = said.amount, said.form


def _taken_back(round_: Round, said: fact.WagerTakenBack, step: int) -> None:
    _stake(round_, said, step).taken_back = True


def _late(round_: Round, said: fact.WagerLate, step: int) -> None:
    late = Stake(said.hand, said.wager, step, said.owner, said.amount, late=True, settled=step, clause=said.clause)
    late.outcome = Outcome.NO_ACTION
    round_.stakes.append(late)


def _settled(round_: Round, said: fact.WagerSettled, step: int) -> None:
    stake = _stake(round_, said, step)
    stake.outcome, stake.odds, stake.clause, stake.settled = said.outcome, said.odds, said.clause, step
    stake.paid, stake.returned, stake.vigorish, stake.by_chips = said.paid, said.returned, said.vigorish, said.by_chips
    stake.amount = stake.amount if said.amount is None else said.amount


def _bonus(round_: Round, said: fact.RoundBonusPaid, step: int) -> None:
    name = f"bonus on {said.wager}" if said.wager else "bonus"
    stake = Stake(said.hand, name, step, said.owner, outcome=Outcome.WIN, odds=said.odds, settled=step)
    stake.paid, stake.clause, stake.by_chips = said.amount, said.clause, said.by_chips
    round_.stakes.append(stake)


def _dealt(round_: Round, said: fact.CardsDealt, step: int) -> None:
    lying = (Lying(card, step, None if card is UNSEEN else step) for card in said.cards)
    _hand(round_, said.hand).cards.extend(lying)


def _exposed(round_: Round, said: fact.CardsExposed, step: int) -> None:
    hidden = [lying for lying in _hand(round_, said.hand).cards if lying.card is UNSEEN]
    for lying, card in zip(hidden, said.cards, strict=False):
        lying.card, lying.shown = card, step


def _set(round_: Round, said: fact.CardsSet, step: int) -> None:
    hand = _hand(round_, said.hand)
    hand.high, hand.low, hand.set_at = said.high, said.low, step
    hand.set_by = f"{said.by}, foul" if said.foul else said.by


def _split(round_: Round, said: fact.RoundHandSplit, step: int) -> None:
    whole = round_.hands.pop(said.hand, Hand(said.hand))
    for name, card in zip(said.into, whole.cards, strict=False):
        round_.hands[name] = Hand(name, [card], decisions=list(whole.decisions))
    del step


def _decided(round_: Round, said: fact.RoundDecided, step: int) -> None:
    _hand(round_, said.hand).decisions.append(Decided(said.choice, step))


def _judged(round_: Round, said: fact.RoundJudged, step: int) -> None:
    if said.hand:
        _hand(round_, said.hand).judged.append(Judged(said.what, said.answer, step))
    else:
        round_.calls.append(f"{said.what}: {said.answer}")


def _rolled(round_: Round, said: fact.DiceRolled, step: int) -> None:
    round_.roll, round_.rolled = said.roll, step


def _start(round_: Round, said: fact.DiceStart, step: int) -> None:
    round_.start = said.hand
    del step


def _discarded(round_: Round, said: fact.CardsDiscarded, step: int) -> None:
    round_.discards.append(Discard(said.hand, said.cards))
    del step


def _sums(round_: Round, said: fact.RoundSettled, step: int) -> None:
    round_.staked, round_.paid, round_.collected = said.staked, said.paid, said.collected
    del step


def _voided(round_: Round, said: fact.RoundVoided, step: int) -> None:
    round_.reason = said.reason
    del step


def _ended(round_: Round, said: fact.RoundEnded, step: int) -> None:
    round_.result, round_.ended = said.result, round_.lines[step - 1].ts
    round_.day, round_.shift = said.day, said.shift


def _signed_on(round_: Round, said: fact.DealerSignedOn, step: int) -> None:
    if said.dealer not in round_.dealers:
        round_.dealers.append(said.dealer)
    del step


def _turned(round_: Round, said: fact.DayBegan | fact.ShiftBegan, step: int) -> None:
    round_.day, round_.shift = said.day, said.shift
    del step


_TELLERS: dict[type[Fact], Callable[[Round, Any, int], None]] = {
    fact.DealerSignedOn: _signed_on,
    fact.DayBegan: _turned,
    fact.ShiftBegan: _turned,
    fact.WagerPlaced: _placed,
    fact.WagerTakenBack: _taken_back,
    fact.WagerLate: _late,
    fact.WagerSettled: _settled,
    fact.RoundBonusPaid: _bonus,
    fact.CardsDealt: _dealt,
    fact.CardsExposed: _exposed,
    fact.CardsSet: _set,
    fact.RoundHandSplit: _split,
    fact.RoundDecided: _decided,
    fact.RoundJudged: _judged,
    fact.DiceRolled: _rolled,
    fact.DiceStart: _start,
    fact.CardsDiscarded: _discarded,
    fact.RoundSettled: _sums,
    fact.RoundVoided: _voided,
    fact.RoundEnded: _ended,
}
