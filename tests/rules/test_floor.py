"""The procedures of a floor: late entries, rulings, devices out of service, payouts on hold, corrections."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tablectl.cards import UNSEEN, Card, cards
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.announcements import Role
from tablectl.events.codec import Input
from tablectl.events.facts import Counted, Fact, Place
from tablectl.ledger import Ledger, Wager
from tablectl.money import Direction, Odds, Rounding
from tablectl.rulebook import Clause, HouseFile, Notice, Outcome, Standing
from tablectl.script import Chosen
from tablectl.table import Table
from tablectl.terms import Dealing, Hold, Mode, Sight, Wagers, lowered
from tests.tables import IMPERIAL, SURRENDER, Bench, Habit, terms

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


# Owners


def two_owners(**changes: Any) -> Bench:
    """Return a table at which ann and bob share position 2."""
    bench = pai_gow(sight=Sight.CALLED, house=SURRENDER, **changes)
    bench.say(say.PlaceWager("2", MAIN, 1000, "ann"))
    bench.say(say.PlaceWager("2", MAIN, 3000, "bob"))
    return bench


def play_to(bench: Bench, step: str) -> None:
    """Play by habit until the table awaits this."""
    habit = Habit(bench, 1)
    if awaited(bench).step == "wagers":
        bench.say(say.NoMoreBets())
    while awaited(bench).step != step:
        habit.go_on()


def test_two_owners_of_a_hand_choose_each_for_themselves() -> None:
    """One surrenders and loses at once; the other's wager is played, and its result is the hand's."""
    bench = two_owners()
    play_to(bench, "offer")
    assert bench.say(say.Decide("2", "surrender", owner="ann"))[0] == fact.RoundDecided("2", "surrender", None, "ann")
    bench.say(say.CloseOffer())
    assert [(told.owner, told.outcome) for told in bench.found(fact.WagerSettled)] == [("ann", Outcome.LOSE)]
    bench.say(say.Call("result", "win", "2"))
    assert [(told.owner, told.paid) for told in bench.all(fact.WagerSettled)][1:] == [("bob", 2850)]


def test_a_hand_is_given_up_only_by_all_its_owners() -> None:
    """A decision without a name is that of all who have not chosen yet."""
    bench = two_owners()
    play_to(bench, "offer")
    bench.say(say.Decide("2", "surrender"))
    bench.say(say.CloseOffer())
    assert {told.outcome for told in bench.all(fact.WagerSettled)} == {Outcome.LOSE}
    assert not bench.all(fact.RoundJudged)


def test_a_bonus_wager_rests_on_its_own_owner_s_wager() -> None:
    """Beside another's base wager a bonus is refused, and one's own is not taken from under it."""
    bench = two_owners()
    assert refusal(bench.say(say.PlaceWager("2", "imperial", 500, "eve"))).awaited == f"the {MAIN} wager first"
    bench.say(say.PlaceWager("2", "imperial", 500, "ann"))
    assert refusal(bench.say(say.TakeBackWager("2", MAIN, "ann"))).code == "wager"
    assert isinstance(bench.say(say.TakeBackWager("2", MAIN, "bob"))[0], fact.WagerTakenBack)


@given(
    places=st.lists(st.tuples(st.sampled_from("123"), st.sampled_from(("", "ann", "bob"))), unique=True),
    data=st.data(),
)
def test_what_was_chosen_is_the_first_offered_of_a_hand_and_whole_only_when_all_chose_it(
    places: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Every choice is kept by its owner; a hand stands under the one offered first, and is whole if nobody differs."""
    by_owner = {place: data.draw(st.sampled_from(("bet", "fold"))) for place in places if data.draw(st.booleans())}
    chosen = Chosen(by_owner, places, ("bet", "fold"))
    for hand, choice in chosen.items():
        made = [by_owner.get(place) for place in places if place[0] == hand]
        assert choice == ("bet" if "bet" in made else "fold")
        assert (hand in chosen.whole(choice)) == (set(made) == {choice})
    assert sorted(chosen.places("bet") + chosen.places("fold")) == sorted(by_owner)


# Money


def test_11_20_d_the_limit_is_one_for_all_hands_of_a_player() -> None:
    """A named player is paid up to the limit once, over all positions; another player has a limit of the own."""
    house = replace(IMPERIAL, options={"two areas": True})
    plays_by = terms("pai-gow-poker", sight=Sight.CALLED, house=house)
    bench = Bench(replace(plays_by, caps={"imperial": 4_000_000}))
    for hand, owner in (("1", "ann"), ("2", "ann"), ("3", "bob")):
        bench.say(say.PlaceWager(hand, MAIN, 1000, owner))
        bench.say(say.PlaceWager(hand, "imperial", 3000, owner))
    play_to(bench, "offer")
    bench.say(say.CloseOffer())
    bench.say(say.CallOthers("result", "push"))
    bench.say(say.Call("imperial banker hand", "nothing"))
    bench.say(say.CallOthers("imperial player hand", "five aces"))
    paid = {told.hand: (told.paid, told.capped) for told in bench.all(fact.WagerSettled) if told.wager == "imperial"}
    assert paid == {"3": (3_000_000, False), "2": (3_000_000, False), "1": (1_000_000, True)}


@given(
    amount=st.integers(1, 10**7),
    odds=st.builds(Odds, st.integers(1, 1000), st.integers(1, 20)),
    fee=st.one_of(st.none(), st.builds(Odds, st.integers(1, 10), st.just(100))),
    cap=st.one_of(st.none(), st.integers(0, 10**7)),
    rounding=st.builds(Rounding, st.sampled_from((1, 25, 100, 500)), st.sampled_from(list(Direction))),
)
def test_rounding_never_pays_above_a_limit_nor_more_than_the_vigorish_takes(
    amount: int, odds: Odds, fee: Odds | None, cap: int | None, rounding: Rounding
) -> None:
    """However winnings are rounded, no limit is exceeded and no vigorish is negative."""
    ledger = Ledger(Wagers.AMOUNTS, rounding)
    wager = Wager("1", "", "imperial", amount)
    ledger.place(wager, None, "")
    told = ledger.settle(wager, Clause("x", outcome=Outcome.WIN, odds=odds, vigorish=fee), cap)
    assert told.paid == ledger.paid
    assert cap is None or ledger.paid <= cap
    assert told.vigorish >= 0


# Decks, days and late wagers


def test_a_deck_removed_in_the_shuffler_is_not_the_one_that_comes_out() -> None:
    """The end of its shuffle counts for no other deck; the next shuffle does."""
    bench = pai_gow(devices=("stack-shoe", "shuffler"))
    bench.say(say.ReceiveDeck("blue", "blue"))
    bench.read("shuffler", read.ShufflerStarted())
    bench.say(say.RemoveDeck("blue", "torn"))
    bench.say(say.VoidRound("no deck beside it"))
    told = bench.read("shuffler", read.ShufflerFinished(count=53))
    assert isinstance(told[0], fact.IrregularityFound)
    assert bench.table.custody.find("red").place is Place.RACK
    bench.read("shuffler", read.ShufflerStarted())
    told = bench.read("shuffler", read.ShufflerFinished(count=53))
    assert (told[0].deck, told[0].counted) == ("red", Counted.OK)  # type: ignore[attr-defined]


def test_a_removed_deck_waits_for_no_shuffle() -> None:
    """The order to shuffle a deck ends with the deck, so that the next one can be shuffled."""
    bench = Bench(terms("pai-gow-poker", devices=("stack-shoe", "shuffler")), ready=False)
    bench.say(say.ReceiveDeck("red", "red"))
    bench.say(say.RemoveDeck("red", "torn"))
    bench.say(say.ReceiveDeck("blue", "blue"))
    assert [due.deck for due in bench.all(fact.ShuffleDue)] == ["red", "blue"]


@pytest.mark.parametrize("names", [(), ("ann",), ("ann", "ann"), ("ann", ""), ("ann", "bob", "eve")])
def test_a_table_opens_on_an_inspection_by_two(names: tuple[str, ...]) -> None:
    """Fewer or more than two different names open no table; two stand in the record.

    Sections 1.18(e)1, 11.5, 27.4, 34.5(a), (b), 35.3(a), (b), 36.3(a).
    """
    bench = Bench(terms("pai-gow-poker"), ready=False)
    assert refusal(bench.say(say.OpenTable(names))).code == "names"
    assert bench.say(say.OpenTable(("ann", "bob")))[0] == fact.TableOpened("supervisor", ("ann", "bob"))


def test_a_live_table_deals_only_for_a_dealer_who_signed_on() -> None:
    """In live play each round names its dealer; a relief names the next one."""
    bench = Bench(replace(terms("pai-gow-poker"), mode=Mode.LIVE))
    assert awaited(bench).prompt == "No dealer has signed on."
    bench.say(say.SignOn("D-17"))
    assert bench.found(fact.RoundOpened)[0].dealer == "D-17"


def test_a_wager_that_comes_late_while_the_table_is_held_is_late_too() -> None:
    """Chips on the felt are told as no action, held or not; what may still be wagered later is not."""
    bench = red_dog(sight=Sight.CALLED)
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s")
    bench.say(say.Hold("look"))
    told = bench.say(say.PlaceWager("2", "original", 1000))
    assert told[0] == fact.WagerLate("2", "original", "13:69F-6.5(d)", 1000)
    assert [type(found) for found in bench.say(say.PlaceWager("1", "raise", 1000))] == [fact.AnnouncementRefused]


def test_a_void_hand_is_asked_for_no_result() -> None:
    """After its wagers went back, neither its result nor its bonus is called."""
    bench = pai_gow(sight=Sight.CALLED, house=IMPERIAL)
    for hand in ("1", "2"):
        bench.say(say.PlaceWager(hand, MAIN, 1000))
    bench.say(say.PlaceWager("2", "imperial", 500))
    play_to(bench, "offer")
    bench.say(say.CloseOffer())
    bench.say(say.VoidHand("2", "cards mixed up"))
    assert (awaited(bench).hand, awaited(bench).hands) == ("1", ("1",))
    bench.say(say.Call("result", "win", "1"))
    bench.say(say.Call("imperial banker hand", "nothing"))
    assert bench.all(fact.RoundEnded)


# Devices out of service


def stacks(bench: Bench, number: int) -> None:
    """Let the shoe dispense stacks, which are taken."""
    for _ in range(number):
        due = next(due for due in bench.table.commands.values() if isinstance(due, fact.StackDue))
        bench.read("stack-shoe", read.ShoeStackDispensed(due.command, due.stack, due.size, due.left - due.size))
        bench.read("stack-shoe", read.ShoeStackTaken(due.stack))


def broken_shoe() -> Bench:
    """Return a table whose shoe is lost after three of seven stacks, the fourth under way."""
    bench = pai_gow(sight=Sight.CALLED)
    bench.say(say.PlaceWager("2", MAIN, 1000))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    stacks(bench, 3)
    bench.read("stack-shoe", read.DeviceLost("unplugged"))
    return bench


@pytest.mark.parametrize("done", [True, False])
def test_a_round_is_finished_by_hand_without_its_shoe(*, done: bool) -> None:
    """What became of the stack under way is counted; the rest is dealt by hand, and no card is lost or dealt twice."""
    bench = broken_shoe()
    out = say.TakeOutOfService("stack-shoe", "the motor is dead")
    assert refusal(bench.say(out)).code == "doubt"
    (command,) = bench.table.commands
    bench.say(say.EndDoubt(command, done, ("ann", "bob")))
    assert bench.say(out)[0] == fact.DeviceTakenOut("stack-shoe", "the motor is dead", "supervisor")
    assert (awaited(bench).verb, len(awaited(bench).hands)) == ("confirm-dealt", 3 if done else 4)
    bench.say(say.ConfirmDealt())
    bench.say(say.CountStub(4))
    assert {len(told.cards) for told in bench.all(fact.CardsDealt)} == {7}
    assert [told.hand for told in bench.all(fact.CardsDealt)] == ["dealer", "1", "2", "3", "4", "5", "6"]
    assert awaited(bench).step == "offer"


def test_no_further_round_is_dealt_without_the_shoe_until_it_is_returned() -> None:
    """Answering again is not enough: service or a supervisor puts the device back, between rounds, by name."""
    bench = broken_shoe()
    (command,) = bench.table.commands
    bench.say(say.EndDoubt(command, done=False, counted_by=("ann", "bob")))
    bench.say(say.TakeOutOfService("stack-shoe", "the motor is dead"))
    bench.read("stack-shoe", read.DeviceFound("model", "1", "1.0", ("stack-shoe",)))
    back = say.ReturnDevice("stack-shoe", "mended")
    assert refusal(bench.accept(Input(back, 0, Role.DEALER, by="tom"))).code == "role"
    assert refusal(bench.accept(Input(back, 0, Role.SERVICE, by="tom"))).code == "round"
    told = bench.read("stack-shoe", read.ShoeStackDispensed("", 4, 7, 25))
    assert isinstance(told[0], fact.IrregularityFound)
    bench.say(say.VoidRound("no shoe"))
    bench.say(say.ConfirmShuffle("red"))
    bench.say(say.LoadDeck("red"))
    assert awaited(bench).prompt == "Stack-shoe is out of service: the motor is dead"
    told = bench.accept(Input(back, 0, Role.SERVICE, by="tom"))
    assert told[:2] == (
        fact.DeviceReturned("stack-shoe", "mended", "tom"),
        fact.DeviceTestDue("stack-shoe", "back in service"),
    )
    assert awaited(bench).prompt == "Stack-shoe must be tested while the table is closed: back in service"
    told = bench.say(say.WaiveTest("stack-shoe", "seen by two technicians"))
    assert told[0] == fact.DeviceTestWaived("stack-shoe", "seen by two technicians", "supervisor")
    assert isinstance(told[1], fact.RoundOpened)


def test_dice_are_announced_without_their_shaker() -> None:
    """With the shaker out of service the dealer's total counts."""
    bench = pai_gow(devices=("stack-shoe", "shaker"))
    bench.say(say.PlaceWager("2", MAIN, 1000))
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.DeviceLost("silent"))
    bench.say(say.TakeOutOfService("shaker", "dead"))
    assert bench.say(say.AnnounceTotal(8))[0] == fact.DiceStart(8, 1, "dealer", "13:69F-31.11(b)")


def test_cards_are_confirmed_without_their_shoe() -> None:
    """A card shoe that is out of service is drawn from by hand, one confirmed card after another."""
    bench = red_dog(sight=Sight.CALLED)
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.read("card-shoe", read.DeviceLost("unplugged"))
    bench.say(say.TakeOutOfService("card-shoe", "unplugged for good"))
    bench.say(say.ConfirmDealt())
    bench.say(say.ConfirmDealt())
    assert awaited(bench).what == "spread"
    assert isinstance(unread(bench)[0], fact.IrregularityFound)


# Wager sensors


def sensed(*hands: str) -> Bench:
    """Return a presence table with sensors under its betting areas, and chips on these."""
    bench = pai_gow(sight=Sight.CALLED, wagers=Wagers.PRESENCE, house=IMPERIAL, devices=("stack-shoe", "wager-sensor"))
    for hand in hands:
        sense(bench, hand)
    return bench


def sense(bench: Bench, hand: str, wager: str = MAIN, *, present: bool = True) -> tuple[Fact, ...]:
    return bench.read("wager-sensor", read.WagerSensed(hand, wager, present))


def test_chips_on_a_sensor_are_a_wager_without_a_touch() -> None:
    """Put down, they are placed; taken away in time, they are taken back; said twice, they are one."""
    bench = sensed("2", "5", "5")
    assert [told.hand for told in bench.all(fact.WagerPlaced)] == ["2", "5"]
    assert sense(bench, "5", present=False)[0] == fact.WagerTakenBack("5", MAIN)
    assert not bench.table.round.ledger.on("5", MAIN)  # type: ignore[union-attr]


def test_a_bonus_put_down_first_waits_for_the_wager_that_it_needs() -> None:
    """Chips come in any order: the bonus counts with the base wager, goes with it, and alone is no action."""
    bench = sensed()
    sense(bench, "2", "imperial")
    assert not bench.all(fact.WagerPlaced)
    sense(bench, "2")
    assert [told.wager for told in bench.all(fact.WagerPlaced)] == [MAIN, "imperial"]
    sense(bench, "3")
    sense(bench, "2", present=False)
    assert [told.wager for told in bench.all(fact.WagerTakenBack)] == ["imperial", MAIN]
    told = bench.say(say.NoMoreBets())
    assert fact.WagerLate("2", "imperial", "13:69F-11.17(c)") in told


def test_chips_that_come_or_go_after_the_close_change_no_wager() -> None:
    """Late ones have no action; those of an open wager that are taken away are an irregularity."""
    bench = sensed("2")
    bench.say(say.NoMoreBets())
    assert sense(bench, "4")[0] == fact.WagerLate("4", MAIN, "13:69F-11.17(c)")
    told = sense(bench, "2", present=False)[0]
    assert isinstance(told, fact.IrregularityFound)
    assert told.clause == "13:69F-11.17(c)"
    assert bench.table.round.ledger.on("2", MAIN)  # type: ignore[union-attr]


def test_chips_that_stay_lie_in_the_next_round_too() -> None:
    """What the sensors still see when a round opens is wagered in it, as after a restart; nobody repeats wagers."""
    bench = sensed("2", "5")
    bench.say(say.NoMoreBets())
    bench.say(say.VoidRound("misdeal"))
    sense(bench, "5", present=False)
    bench.say(say.ConfirmShuffle("red"))
    bench.load()
    bench.read("stack-shoe", read.ShoeStubReleased(next(iter(bench.table.commands)), 53))
    assert [told.hand for told in bench.found(fact.WagerPlaced)] == ["2"]
    again = Table(bench.build)
    again.restore(say.Configure("", "", "", "test"), bench.all(fact.RoundOpened)[-1])
    assert again.round.ledger.on("2", MAIN)  # type: ignore[union-attr]


def test_where_amounts_are_known_a_sensor_places_nothing() -> None:
    """A sensor tells no amount, so that at such a table its word changes no wager."""
    bench = pai_gow(devices=("stack-shoe", "wager-sensor"))
    sense(bench, "2")
    assert not bench.all(fact.WagerPlaced)


# Rulings


def ruled(bench: Bench) -> fact.FloorRuled:
    """Return the last ruling."""
    last: fact.FloorRuled = bench.all(fact.FloorRuled)[-1]
    return last


def called_round(*hands: str) -> Bench:
    """Return a table at which these hands have an imperial wager beside the base wager, before results are called."""
    bench = pai_gow(sight=Sight.CALLED, house=IMPERIAL)
    for hand in hands:
        bench.say(say.PlaceWager(hand, MAIN, 1000))
        bench.say(say.PlaceWager(hand, "imperial", 500))
    play_to(bench, "offer")
    bench.say(say.CloseOffer())
    return bench


def outcomes(bench: Bench) -> dict[tuple[str, str], Outcome]:
    return {(told.hand, told.wager): told.outcome for told in bench.all(fact.WagerSettled)}


def test_a_ruling_is_told_with_its_clause_its_reason_and_its_name() -> None:
    """The record says who ruled what, on which section, and why; a clause of the rulebook may be named."""
    bench = called_round("1", "2")
    bench.say(say.DeadHand("1", "the cards left the table", "comparison"), "sue")
    assert ruled(bench) == fact.FloorRuled("dead-hand", "the cards left the table", "sue", "13:69F-11.9", "1")
    bench.say(say.VoidHand("2", "cards mixed up", "13:69F-11.11"), "sue")
    assert ruled(bench).clause == "13:69F-11.11"
    for body, by in ((say.PlayStands(""), "sue"), (say.VerifyPayout("fine"), "")):
        assert isinstance(bench.accept(Input(body, 0, Role.SUPERVISOR, by=by))[-1], fact.AnnouncementRefused)


def test_a_dead_hand_loses_and_a_void_hand_goes_back() -> None:
    """The one is collected, the other returned; the rest of the round is played."""
    bench = called_round("1", "2", "3")
    bench.say(say.DeadHand("1", "touched after setting"))
    bench.say(say.VoidHand("2", "exposed by the dealer"))
    assert awaited(bench).hands == ("3",)
    assert {told.outcome for told in bench.all(fact.WagerSettled) if told.hand == "1"} == {Outcome.LOSE}
    assert {told.outcome for told in bench.all(fact.WagerSettled) if told.hand == "2"} == {Outcome.VOID}
    assert refusal(bench.say(say.DeadHand("1", "again"))).code == "hand"


def test_a_foul_hand_loses_its_comparison_and_keeps_its_bonus() -> None:
    """What the cards alone decide still stands."""
    bench = called_round("1", "2")
    bench.say(say.FoulHand("1", "set low over high"))
    bench.say(say.Call("result", "win", "2"))
    assert [(told.hand, told.answer, told.by) for told in bench.found(fact.RoundJudged)] == [
        ("2", "win", "dealer"),
        ("1", "foul", "supervisor"),
    ]
    bench.say(say.Call("imperial banker hand", "nothing"))
    bench.say(say.CallOthers("imperial player hand", "flush"))
    assert (outcomes(bench)["1", MAIN], outcomes(bench)["1", "imperial"]) == (Outcome.LOSE, Outcome.WIN)
    assert refusal(red_dog_open().say(say.FoulHand("1", "set wrongly"))).awaited == "a game in which hands are set"


def red_dog_open() -> Bench:
    """Return red dog with a wager and its first card."""
    bench = red_dog(sight=Sight.CALLED)
    bench.say(say.PlaceWager("1", "original", 1000))
    unread(bench)
    return bench


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (say.ReturnWager("1", "imperial", "placed on the wrong area"), Outcome.VOID),
        (say.NoAction("1", "imperial", "came after the close"), Outcome.NO_ACTION),
    ],
)
def test_one_wager_is_returned_and_the_others_of_the_hand_play(body: Any, outcome: Outcome) -> None:
    """Void and no action are two things; either gives back this wager alone, once."""
    bench = called_round("1")
    (told,) = [found for found in bench.say(body) if isinstance(found, fact.WagerSettled)]
    assert (told.wager, told.outcome, told.returned) == ("imperial", outcome, 500)
    assert refusal(bench.say(body)).code == "wager"
    assert awaited(bench).what == "result"


def test_wagers_that_are_still_open_to_change_are_taken_back_and_not_ruled_on() -> None:
    """Before the close there is nothing to rule."""
    bench = pai_gow()
    bench.say(say.PlaceWager("1", MAIN, 1000))
    for body in (say.ReturnWager("1", MAIN, "x"), say.DeadHand("1", "x"), say.FoulHand("1", "x")):
        assert refusal(bench.say(body)).code == "round"


def test_play_stands_where_only_people_hold_it() -> None:
    """An irregularity that changes nothing is lifted with its clause; a lost device is not."""
    bench = red_dog_open()
    bench.say(say.Hold("a card was seen"))
    assert isinstance(bench.say(say.PlayStands("nobody gained by it", "13:69F-36.14"))[-2], fact.TableResumed)
    assert ruled(bench).clause == "13:69F-36.14"
    bench.read("card-shoe", read.DeviceLost("silent"))
    assert refusal(bench.say(say.PlayStands("never mind"))).awaited == "the device back, or the doubt ended"


def out_of_turn() -> Bench:
    """Return a spread on which raises are open, and a card that left the shoe meanwhile."""
    bench = red_dog(sight=Sight.CALLED)
    bench.say(say.PlaceWager("1", "original", 1000))
    unread(bench)
    unread(bench)
    unread(bench)
    return bench


def test_a_card_out_of_turn_is_the_next_card() -> None:
    """It waits beside the shoe, is dealt on the dealer's word where the next one is due, and left the deck once."""
    bench = out_of_turn()
    left = bench.table.deck_in_shoe().left
    assert "the next card, or burned?" in awaited(bench).prompt
    bench.say(say.NextCard("it was due anyway"))
    bench.say(say.Call("spread", "4"))
    bench.say(say.CloseOffer())
    assert (awaited(bench).verb, awaited(bench).hand) == ("confirm-dealt", "middle")
    bench.say(say.ConfirmDealt())
    assert awaited(bench).what == "third card"
    assert bench.table.deck_in_shoe().left == left
    assert not bench.found(fact.CardsDiscarded)


def test_a_card_out_of_turn_is_burned() -> None:
    """It goes to the discard rack unseen, and the next one comes out of the shoe."""
    bench = out_of_turn()
    bench.say(say.BurnCard("it was exposed", "13:69F-36.14(a)"))
    assert bench.found(fact.CardsDiscarded) == [fact.CardsDiscarded("burn", (UNSEEN,), "13:69F-36.14(a)")]
    bench.say(say.Call("spread", "4"))
    bench.say(say.CloseOffer())
    unread(bench)
    assert awaited(bench).what == "third card"


def test_a_supervisor_burns_the_next_card() -> None:
    """With no card out of turn the next one from the shoe goes to the rack, then the deal goes on."""
    bench = red_dog_open()
    bench.say(say.BurnCard("a player saw it"))
    assert (awaited(bench).prompt, awaited(bench).hand) == ("Burn a card.", "burn")
    unread(bench)
    assert awaited(bench).hand == "right"
    assert refusal(pai_gow().say(say.BurnCard("no reason"))).code == "card"


def test_a_card_out_of_turn_that_nobody_ruled_on_goes_to_the_rack() -> None:
    """Lifted without a ruling, and at the round's end, it is put aside and told."""
    bench = out_of_turn()
    bench.say(say.LiftSuspension("go on"))
    assert [told.cards for told in bench.found(fact.CardsDiscarded)] == [(UNSEEN,)]
    bench = out_of_turn()
    bench.say(say.VoidRound("spoiled"))
    assert sum(len(told.cards) for told in bench.all(fact.CardsDiscarded)) == 3


# Payouts on hold


@pytest.mark.parametrize(
    ("hold", "answer", "waits"),
    [
        (Hold(odds=Odds(50, 1)), "straight flush", True),
        (Hold(odds=Odds(50, 1)), "four of a kind", False),
        (Hold(amount=100_000), "royal flush", True),
        (Hold(amount=100_001), "royal flush", False),
        (Hold(), "five aces", False),
    ],
)
def test_a_large_payout_waits_with_the_cards_face_up(hold: Hold, answer: str, *, waits: bool) -> None:
    """From the amount or the odds on nothing is paid or collected until a supervisor has verified it, by name."""
    bench = Bench(replace(terms("pai-gow-poker", sight=Sight.CALLED, house=IMPERIAL), hold=hold))
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.say(say.PlaceWager("1", "imperial", 500))
    play_to(bench, "offer")
    bench.say(say.CloseOffer())
    bench.say(say.Call("result", "push", "1"))
    bench.say(say.Call("imperial banker hand", "nothing"))
    bench.say(say.Call("imperial player hand", answer, "1"))
    assert (awaited(bench).who == "supervisor") == waits
    assert bool(bench.all(fact.RoundEnded)) != waits
    if not waits:
        assert refusal(bench.say(say.VerifyPayout("looked"))).code == "payout"
        return
    assert refusal(bench.say(say.LiftSuspension("go on"))).awaited == "the payout verified"
    told = bench.say(say.VerifyPayout("cards and camera agree"), "sue")
    assert told[0] == fact.FloorRuled("verify-payout", "cards and camera agree", "sue")
    assert any(isinstance(found, fact.WagerSettled) and found.paid for found in told)


def test_odds_alone_hold_a_payout_where_no_amount_is_known() -> None:
    """By chips a payout waits by its odds; an amount cannot be checked."""
    for hold, waits in ((Hold(odds=Odds(50, 1)), True), (Hold(amount=1), False)):
        plays_by = terms("pai-gow-poker", sight=Sight.CALLED, house=IMPERIAL, wagers=Wagers.PRESENCE)
        bench = Bench(replace(plays_by, hold=hold))
        bench.say(say.PlaceWager("1", MAIN))
        bench.say(say.PlaceWager("1", "imperial"))
        play_to(bench, "offer")
        bench.say(say.CloseOffer())
        bench.say(say.Call("result", "push", "1"))
        bench.say(say.Call("imperial banker hand", "nothing"))
        bench.say(say.Call("imperial player hand", "five aces", "1"))
        assert (awaited(bench).who == "supervisor") == waits


# Corrections


def settled_round() -> Bench:
    """Return a table whose first round was settled and ended."""
    bench = called_round("1")
    bench.say(say.Call("result", "win", "1"))
    bench.say(say.Call("imperial banker hand", "nothing"))
    bench.say(say.Call("imperial player hand", "flush", "1"))
    assert bench.all(fact.RoundEnded)
    return bench


def test_a_correction_names_what_was_told_and_what_is_due() -> None:
    """The old fact stands and a new one names it; the next correction is held against this one."""
    bench = settled_round()
    body = say.CorrectWager(1, "1", MAIN, Outcome.LOSE, 950, 0, "the low hand was a copy", "comparison")
    told = bench.say(body, "sue")
    assert told[1] == fact.WagerCorrected(
        1, "1", MAIN, Outcome.LOSE, 950, 0, "13:69F-11.9", "the low hand was a copy", "sue"
    )
    assert refusal(bench.say(body)).awaited == "0 as what was paid"
    assert bench.say(replace(body, was=0, due=950, outcome=Outcome.WIN))[1].due == 950  # type: ignore[attr-defined]


def test_a_correction_of_something_else_is_refused() -> None:
    """Another sum, another wager, a round that was not played, or no sum where sums are known."""
    bench = settled_round()
    body = say.CorrectWager(1, "1", MAIN, Outcome.LOSE, 950, 0, "wrong")
    wrong = {
        "amount": [replace(body, was=900), replace(body, due=None)],
        "wager": [replace(body, wager="bonus"), replace(body, hand="2"), replace(body, owner="ann")],
        "round": [replace(body, round=0), replace(body, round=9)],
        "ruling": [replace(body, reason="")],
    }
    for code, bodies in wrong.items():
        assert {refusal(bench.say(each)).code for each in bodies} == {code}


def test_a_restarted_table_still_knows_the_last_round_s_payouts() -> None:
    """What was settled in the last round outlives the round, as its opening in the record tells."""
    bench = settled_round()
    bench.say(say.ConfirmShuffle("red"))
    bench.load()
    bench.read("stack-shoe", read.ShoeStubReleased(next(iter(bench.table.commands), ""), 53))
    again = Table(bench.build)
    again.restore(say.Configure("", "", "", "test"), bench.all(fact.RoundOpened)[-1])
    assert again.paid_in(1) == bench.table.paid_in(1) == {("1", "", MAIN): 950, ("1", "", "imperial"): 2000}


# Payouts that change


def raised_and_back(notice: Notice | None) -> Bench:
    """Return red dog that pays 6 to 1 on spread 1, and a configuration that pays 5 to 1 again."""
    house = HouseFile("red-dog", "Test House", Standing.HOUSE, tables={"spread": {"1": "6 to 1"}})
    bench = red_dog(house=house)
    bench.others["less"] = replace(terms("red-dog", dealing=Dealing.SHOE), notice=notice)
    return bench


NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)
NOTICED = Notice(NOON - timedelta(hours=1), NOON, ("ann", "bob"))
LESS = say.Configure("less", "", "", "test")


def nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp()) * 10**9


def test_8_3_worked_example_11_nothing_is_lowered_without_a_notice() -> None:
    """A decrease without a notice is refused with the section and changes nothing; back up needs none."""
    bench = raised_and_back(None)
    with pytest.raises(ConfigError, match=r"13:69F-8\.3.*spread, 1: 6 to 1 to be 5 to 1"):
        bench.say(LESS)
    assert bench.table.terms.rules.table("spread").lines["1"] == Odds(6, 1)


def test_8_3_a_decrease_waits_for_its_time_and_for_the_round_s_end() -> None:
    """Before the notice's time it is told and not in force; after it, it is in force between rounds."""
    bench = raised_and_back(NOTICED)
    told = bench.accept(Input(LESS, nanoseconds(NOON) - 1, Role.SYSTEM))
    lowers = ("spread, 1: 6 to 1 to be 5 to 1",)
    assert told[0] == fact.TableChangeDue("2030-01-31T12:00:00+00:00", lowers, ("ann", "bob"), "13:69F-8.3")
    assert bench.table.terms.notice is None
    bench.accept(Input(LESS, nanoseconds(NOON), Role.SYSTEM))
    assert bench.table.terms.notice is None
    bench.say(say.VoidRound("shift's end"))
    assert bench.table.terms.notice == NOTICED


def test_8_3_an_increase_takes_effect_at_the_next_round() -> None:
    """Higher odds need no notice."""
    bench = red_dog()
    house = HouseFile("red-dog", "Test House", Standing.HOUSE, tables={"spread": {"1": "6 to 1"}})
    bench.others["more"] = terms("red-dog", dealing=Dealing.SHOE, house=house)
    bench.say(say.Configure("more", "", "", "test"))
    bench.say(say.VoidRound("shift's end"))
    assert bench.table.terms.rules.table("spread").lines["1"] == Odds(6, 1)


def test_11_20_d_a_lower_limit_is_a_decrease_too() -> None:
    """A limit that is lowered, or set where there was none, needs the notice of 8.3."""
    plays_by = terms("pai-gow-poker", house=IMPERIAL)
    for before, after in (({}, {"imperial": 4_000_000}), ({"imperial": 5_000_000}, {"imperial": 4_000_000})):
        assert len(lowered(replace(plays_by, caps=before), replace(plays_by, caps=after))) == 1
        assert not lowered(replace(plays_by, caps=after), replace(plays_by, caps=before))


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        (replace(NOTICED, by=("ann",)), "notice.by"),
        (replace(NOTICED, by=("ann", "ann")), "notice.by"),
        (replace(NOTICED, given=NOON), "notice.effective"),
        (replace(NOTICED, given=datetime(2030, 1, 1)), "notice"),  # noqa: DTZ001 - a time without its zone
    ],
)
def test_8_3_a_notice_has_two_names_and_a_time_ahead(wrong: Notice, place: str) -> None:
    """One name, no time between, or times without a zone are no notice."""
    house = HouseFile("red-dog", "Test House", Standing.HOUSE, notice=wrong)
    assert [str(problem).partition(":")[0] for problem in terms("red-dog").rules.problems(house)] == [place]


# Wager forms


def test_6_5_b_cash_by_voice_counts_when_a_supervisor_confirms_it() -> None:
    """In red dog a spoken wager is a supervisor's to enter; the dealer's alone is refused with the section."""
    bench = red_dog()
    spoken = say.PlaceWager("1", "original", 1000, form=say.WagerForm.CASH_BY_VOICE)
    assert refusal(bench.say(spoken)).clause == "13:69F-6.5(b)"
    assert bench.accept(Input(spoken, 0, Role.SUPERVISOR, by="sue"))[0].form == "cash-by-voice"  # type: ignore[attr-defined]


@pytest.mark.parametrize("role", [Role.DEALER, Role.SUPERVISOR])
def test_11_7_no_cash_by_voice_in_pai_gow_poker(role: Role) -> None:
    """Where the rules accept no verbal wager, a supervisor makes it none either; a coupon is one."""
    bench = pai_gow()
    spoken = say.PlaceWager("1", MAIN, 1000, form=say.WagerForm.CASH_BY_VOICE)
    assert refusal(bench.accept(Input(spoken, 0, role, by="sue"))).code == "form"
    coupon = replace(spoken, form=say.WagerForm.MATCH_PLAY)
    assert bench.say(coupon)[0].form == "match-play"  # type: ignore[attr-defined]


# Rounds that nobody recorded


def test_a_round_played_without_the_controller_is_entered_and_marked() -> None:
    """It stands in the record with its name and reason, and changes no number, wager or total of recorded rounds."""
    bench = pai_gow()
    body = say.EnterRound("dealer won against 1 and 2", "power cut", 2000, 0, 2000)
    told = bench.say(body, "sue")
    assert told[:2] == (
        fact.FloorRuled("enter-round", "power cut", "sue"),
        fact.RoundEntered("dealer won against 1 and 2", "power cut", "sue", 2000, 0, 2000),
    )
    assert bench.table.round_number == 1
    for wrong in (replace(body, what=""), replace(body, collected=2001), replace(body, paid=-1)):
        assert refusal(bench.say(wrong)).code == "amount"
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.say(say.NoMoreBets())
    assert refusal(bench.say(body)).code == "round"
