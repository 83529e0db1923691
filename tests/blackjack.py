"""What tests of the two blackjack games do and look at."""

from typing import Any

from tablectl.cards import cards
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events.facts import Fact
from tests.tables import Bench

HOLE = "dealer.hole"


def act(bench: Bench, *deeds: str) -> None:
    """Act for whoever's turn it is: a card is drawn, a word is the decision."""
    for deed in deeds:
        try:
            drawn = cards(deed)
        except ValueError:
            bench.say(say.Decide(bench.table._awaited().hand, deed))
        else:
            bench.draw("".join(drawn))


def dealer(bench: Bench, hole: str, drawn: str = "") -> None:
    """Turn the hole card and draw to it."""
    bench.say(say.ExposeCards(HOLE, cards(hole)))
    bench.draw(drawn)


def last_round(bench: Bench, kind: type[Fact]) -> list[Any]:
    """Return facts of the round that ended last, or still runs."""
    opened = [at for at, told in enumerate(bench.facts) if isinstance(told, fact.RoundOpened)]
    over = bench.table._awaited().step == "wagers" and len(opened) > 1 and not bench.found(fact.WagerPlaced)
    return [told for told in bench.facts[opened[-2 if over else -1] :] if isinstance(told, kind)]


def settled(bench: Bench, hand: str = "", wager: str = "") -> list[fact.WagerSettled]:
    found = last_round(bench, fact.WagerSettled)
    return [told for told in found if hand in ("", told.hand) and wager in ("", told.wager)]


def won(bench: Bench, hand: str = "") -> int:
    """Return what was won or lost at a hand, bonuses and all."""
    wagers = sum((told.paid or 0) + (told.returned or 0) - (told.amount or 0) for told in settled(bench, hand))
    bonuses = [told.amount or 0 for told in last_round(bench, fact.RoundBonusPaid) if hand in ("", told.hand)]
    return wagers + sum(bonuses)


def outcomes(bench: Bench) -> list[tuple[str, str, str]]:
    return [(told.hand, told.wager, told.outcome.value) for told in settled(bench)]


def refused(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    told = facts[-1]
    assert isinstance(told, fact.AnnouncementRefused), told
    return told


def awaited(bench: Bench) -> fact.RoundStepAwaited:
    return bench.table._awaited()
