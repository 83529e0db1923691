"""Rounds of the poker games, with people and devices played by the test."""

from collections.abc import Iterable
from typing import Any

from tablectl.cards import cards
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.facts import Fact
from tablectl.rulebook import HouseFile, Standing
from tests.tables import Bench


def house(game: str, **fields: Any) -> HouseFile:
    return HouseFile(game, "Test House", Standing.HOUSE, **fields)


def wager(bench: Bench, hand: str, **amounts: int | None) -> None:
    """Place wagers, named with underscores."""
    for name, amount in amounts.items():
        bench.say(say.PlaceWager(hand, name.replace("_", " ").replace("three card", "three-card"), amount))


def run_shoe(bench: Bench) -> None:
    """Let the shoe do what is due, until people are awaited."""
    while due := next((due for due in bench.table.commands.values() if due.device == "stack-shoe"), None):
        match due:
            case fact.StackDue():
                bench.read("stack-shoe", read.ShoeStackDispensed(due.command, due.stack, due.size, due.left - due.size))
                bench.read("stack-shoe", read.ShoeStackTaken(due.stack))
            case fact.StubDue():
                bench.read("stack-shoe", read.ShoeStubReleased(due.command, due.left))


def close(bench: Bench) -> None:
    """Say “No more bets” and deal until people are awaited."""
    bench.say(say.NoMoreBets())
    run_shoe(bench)


def confirm(bench: Bench) -> None:
    """Confirm what was dealt by hand, and deal on."""
    bench.say(say.ConfirmDealt())
    run_shoe(bench)


def show(bench: Bench, hand: str, text: str) -> tuple[Fact, ...]:
    return bench.say(say.ExposeCards(hand, cards(text)))


def awaited(bench: Bench) -> fact.RoundStepAwaited:
    found: fact.RoundStepAwaited = bench.table._awaited()
    return found


def last_round(bench: Bench, kind: type[Fact]) -> list[Any]:
    """Return facts of the round that ended last, or still runs."""
    opened = [at for at, told in enumerate(bench.facts) if isinstance(told, fact.RoundOpened)]
    return [told for told in bench.facts[opened[-1] :] if isinstance(told, kind)]


def settled(bench: Bench) -> dict[tuple[str, str], fact.WagerSettled]:
    """Return what became of each wager of the last round, by hand and name."""
    return {(told.hand, told.wager): told for told in last_round(bench, fact.WagerSettled)}


def net(bench: Bench, hand: str, wagers: Iterable[str] = ()) -> int:
    """Return what the player of a hand won or lost in the last round, on these wagers or on all, bonuses included."""
    names = tuple(wagers)
    of_hand = [told for told in settled(bench).values() if told.hand == hand and (not names or told.wager in names)]
    bonuses = [told.amount or 0 for told in last_round(bench, fact.RoundBonusPaid) if told.hand == hand and not names]
    return sum((told.paid or 0) + (told.returned or 0) - (told.amount or 0) for told in of_hand) + sum(bonuses)


def refusal(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    refused = facts[-1]
    assert isinstance(refused, fact.AnnouncementRefused), refused
    return refused


def touches(bench: Bench, since: int) -> int:
    """Return how often the dealer touched the screen since so many inputs; players' wagers are seen by the layout."""
    return sum(
        isinstance(said.body, say.Announcement) and not isinstance(said.body, say.PlaceWager)
        for said in bench.inputs[since:]
    )
