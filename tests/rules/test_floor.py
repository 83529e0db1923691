"""The procedures of a floor: late entries, rulings, devices out of service, payouts on hold, corrections."""

from typing import Any

import pytest

from tablectl.cards import UNSEEN, Card, cards
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.facts import Fact
from tablectl.terms import Dealing, Sight
from tests.tables import Bench, Habit, terms

MAIN = "pai gow poker"


def red_dog(**changes: Any) -> Bench:
    return Bench(terms("red-dog", dealing=Dealing.SHOE, **changes))


def pai_gow(**changes: Any) -> Bench:
    return Bench(terms("pai-gow-poker", **changes))


def refusal(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    refused = facts[-1]
    assert isinstance(refused, fact.AnnouncementRefused), refused
    return refused


def awaited(bench: Bench) -> fact.RoundStepAwaited:
    return bench.table._awaited()


def unread(bench: Bench) -> tuple[Fact, ...]:
    """Draw a card that the shoe could not read."""
    return bench.read("card-shoe", read.ShoeCardDrawn())


# Faces that are named late


def test_the_deal_waits_for_no_screen() -> None:
    """A card whose face nobody named does not hold the next one; named after it, it counts and is marked late."""
    bench = red_dog()
    unread(bench)
    unread(bench)
    bench.say(say.ExposeCards("right", cards("9d")))
    bench.say(say.ExposeCards("left", cards("4s")))
    assert [(told.hand, told.late) for told in bench.all(fact.CardsExposed)] == [("right", False), ("left", True)]
    assert bench.found(fact.RoundJudged)[0].answer == "4"


def test_a_face_is_named_once_and_only_where_a_card_lies_face_up() -> None:
    """More faces than cards that want one, or a face for a card that lies face down, are refused."""
    bench = red_dog()
    bench.draw("4s")
    assert refusal(bench.say(say.ExposeCards("left", cards("5s")))).code == "not-awaited"
    unread(bench)
    assert refusal(bench.say(say.ExposeCards("right", cards("5s6s")))).awaited == "1 to 1 cards"


def test_a_call_settles_what_nobody_named() -> None:
    """Where a face stays unnamed the dealer's call answers, and the face may still follow."""
    bench = red_dog()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s")
    unread(bench)
    bench.say(say.Call("spread", "4"))
    assert awaited(bench).step == "offer"
    assert bench.say(say.ExposeCards("right", cards("9d")))[0] == fact.CardsExposed("right", cards("9d"), late=True)


# Cards found face up


def test_a_card_that_the_shoe_counted_is_not_counted_again() -> None:
    """Reported face up, the last card goes to the rack and its hand gets another; no third card left the deck."""
    bench = red_dog(sight=Sight.CALLED)
    unread(bench)
    left = bench.table.deck_in_shoe().left
    bench.say(say.ReportFaceUp())
    assert bench.table.deck_in_shoe().left == left
    assert bench.found(fact.CardsTakenAway) == [fact.CardsTakenAway("left", (UNSEEN,), "13:69F-36.14(a)")]
    assert awaited(bench).hand == "left"
    unread(bench)
    assert awaited(bench).hand == "right"
    assert [told.hand for told in bench.found(fact.CardsDealt)] == ["left", "left"]


def test_a_card_is_reported_before_anything_follows_from_it() -> None:
    """Once the cards were judged, or none came, a card face up is a supervisor's matter."""
    bench = red_dog()
    assert refusal(bench.say(say.ReportFaceUp())).code == "card"
    bench.draw("4s9d")
    assert refusal(bench.say(say.ReportFaceUp())).clause == "13:69F-36.14(a)"


def test_a_card_in_hand_was_counted_by_nobody() -> None:
    """Without a shoe the card is put aside before it is dealt, so that it leaves the deck with the report."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE, devices=("reader",)))
    left = bench.table.deck_in_shoe().left or 0
    bench.say(say.ReportFaceUp())
    assert bench.table.deck_in_shoe().left == left - 1


def test_no_card_lies_face_up_once_the_stub_was_counted() -> None:
    """After a good count each card has its place, and a report is refused."""
    bench = pai_gow(sight=Sight.CALLED)
    habit = Habit(bench, 1)
    while not bench.found(fact.CardsStubCounted):
        habit.go_on()
    assert refusal(bench.say(say.ReportFaceUp())).code == "count"


def test_a_stack_is_short_of_the_card_that_lay_face_up() -> None:
    """A stack shoe gives no single card, so that a supervisor rules on the hand; the deck's number holds."""
    bench = pai_gow()
    bench.say(say.PlaceWager("2", MAIN, 1000))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    (due,) = bench.all(fact.StackDue)
    bench.read("stack-shoe", read.ShoeStackDispensed(due.command, 1, 7, 46))
    bench.say(say.ReportFaceUp())
    assert awaited(bench).who == "supervisor"
    assert bench.table.deck_in_shoe().left == 46
    assert len(bench.table.round.hands["dealer"]) == 6  # type: ignore[union-attr]


@pytest.mark.parametrize("card", [Card.JOKER, Card.UNSEEN])
def test_a_display_shows_the_hand_without_the_card(card: Card) -> None:
    """The state that is shown loses the card that lay face up, and no other."""
    from tablectl.view import View

    view = View("t", "e")
    for number, told in enumerate(
        (
            fact.CardsDealt("left", (Card.ACE_OF_SPADES, card)),
            fact.CardsTakenAway("left", (card,)),
        )
    ):
        view.fold(told, number, "")
    assert view.state.areas["left"].cards == [Card.ACE_OF_SPADES]
