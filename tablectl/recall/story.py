"""A round told: who had what, in the order in which it happened, with the clause of each decision and payment.

Steps count the lines of a round from 1: a card that was dealt at step 12 and turned at step 31 lies face down between
them. A card that nobody has seen is ``??``, here as in the record.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from tablectl.cards import UNSEEN
from tablectl.events import facts as fact
from tablectl.events.codec import timestamp
from tablectl.events.facts import Fact
from tablectl.journal import Entry
from tablectl.recall.forms import Decided, Discard, Hand, Judged, Line, Lying, Round, Stake
from tablectl.rulebook import Outcome
from tablectl.words import LOUD, UNTOLD, tell


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


def tell_later(round_: Round, corrections: Iterable[Happened]) -> Round:
    """Tell what was set right after a round had ended."""
    round_.lines.extend(_line(round_, each) for each in corrections)
    return round_


def tell_entered(round_: Round, entered: Happened) -> Round:
    """Tell a round that people played by hand, as far as they entered it. round_: what is known of it before."""
    told = entered.fact
    assert isinstance(told, fact.RoundEntered)
    round_.reason, round_.staked, round_.paid, round_.collected = told.reason, told.staked, told.paid, told.collected
    round_.lines.append(_line(round_, entered))
    return round_


def only(round_: Round, position: int) -> Round:
    """Return the round as it concerns one position: its hands, wagers and lines, and those of the whole table."""

    def concerns(hand: str) -> bool:
        base = hand.partition(".")[0]
        return not base.isdecimal() or base == str(position)

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
    said, corrects = each.entry.said, _corrected(round_, each.fact)
    text = _text(each.fact, data, round_.currency)
    return Line(
        step=len(round_.lines) + 1,
        row=each.row,
        seq=each.seq,
        ts=timestamp(said.at),
        who=said.source if said.by in ("", said.source) else f"{said.by}, {said.source}",
        text=f"{text}. It corrects event {corrects}" if corrects else text,
        clause=data.get("clause", ""),
        hand="" if isinstance(each.fact, fact.DiceStart) else data.get("hand", ""),
        loud=each.fact.name() in LOUD,
        taken_back=each.taken_back,
        corrects=corrects,
    )


def _corrected(round_: Round, told: Fact) -> int:
    """Return the seq of the fact that this one sets right, 0 where it sets none right."""
    if isinstance(told, fact.WagerCorrected):
        place = told.hand, told.wager, told.owner
        settled = [each.settled for each in round_.stakes if (each.hand, each.wager, each.owner) == place]
        return round_.lines[settled[-1] - 1].seq if settled and settled[-1] else 0
    return 0


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
