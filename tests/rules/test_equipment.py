"""Decks, shufflers, shoes and dice, N.J.A.C. 13:69E and the device clauses of 13:69F: the digest's worked examples."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from tablectl.cards import UNSEEN
from tablectl.dice import Roll
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement
from tablectl.events.facts import Counted, Fact, Place
from tablectl.events.readings import Condition, Reading
from tablectl.rulebook import Outcome
from tablectl.terms import Dealing, Sight, Wagers
from tests.tables import BONUS, Bench, Habit, terms

MAIN = "pai gow poker"
COUNTING = ("stack-shoe", "shuffler")


def bonus(devices: tuple[str, ...] = (), *, ready: bool = True) -> Bench:
    """Return a table of 11.17 whose dealer calls what cards show."""
    made = terms("pai-gow-poker", "bonus", house=BONUS, devices=devices, sight=Sight.CALLED, wagers=Wagers.PRESENCE)
    return Bench(made, ready=ready)


def base(devices: tuple[str, ...] = ("stack-shoe", "shaker")) -> Bench:
    return Bench(terms("pai-gow-poker", devices=devices, sight=Sight.CALLED, wagers=Wagers.PRESENCE))


def until(bench: Bench, kind: type[Fact], *, first: Any = None) -> list[Fact]:
    """Play by habit until a fact of this kind is told, and return all since; first: what to say first."""
    told: list[Fact] = list(first or ())
    habit = Habit(bench, 1)
    while not any(isinstance(found, kind) for found in told):
        told.extend(habit.go_on())
    return told


def due(bench: Bench, kind: type[Fact]) -> Any:
    return next(command for command in bench.table.commands.values() if isinstance(command, kind))


def shuffled(bench: Bench, count: int | None) -> tuple[Fact, ...]:
    command = due(bench, fact.ShuffleDue).command
    bench.read("shuffler", read.ShufflerStarted(command))
    return bench.read("shuffler", read.ShufflerFinished(command, count))


def refusal(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    refused = facts[-1]
    assert isinstance(refused, fact.AnnouncementRefused)
    return refused


def step(bench: Bench) -> str:
    return bench.table._awaited().step


# The shuffler's count


@pytest.mark.parametrize("count", [52, 54])
def test_11_17_i_worked_example_1(count: int) -> None:
    """A shuffler that counts anything but 53 latches: the deck opens no round, and only its removal ends the alarm."""
    bench = bonus(COUNTING, ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    told = shuffled(bench, count)
    assert fact.DeckShuffled("red", 1, Counted.WRONG, count, 53, "shuffler") in told
    alarm = next(found for found in told if isinstance(found, fact.AlarmRaised))
    assert (alarm.alarm, alarm.clause, alarm.latched) == ("deck:red", "13:69F-11.17(i)", True)
    bench.read("stack-shoe", read.ShoeLoaded(53))
    assert step(bench) == "between"
    assert refusal(bench.say(say.ClearAlarm("deck:red", "it looks fine"))).clause == "13:69E-1.18"
    assert refusal(bench.say(say.ConfirmShuffle("red"))).code == "deck"
    told = bench.say(say.RemoveDeck("red", "counted wrong"))
    assert any(isinstance(found, fact.AlarmCleared) for found in told)
    assert not bench.all(fact.RoundOpened)


def test_1_18_a_removed_deck_never_returns() -> None:
    """Its id is refused for ever: received, shuffled, loaded, counted or removed again."""
    bench = bonus(ready=False)
    bench.say(say.ReceiveDeck("red", "red"))
    bench.say(say.RemoveDeck("red", "worn"))
    again: list[Announcement] = [
        say.ReceiveDeck("red", "red"),
        say.ConfirmShuffle("red"),
        say.LoadDeck("red"),
        say.CountDeck("red", 53),
        say.RemoveDeck("red", "worn"),
    ]
    assert {refusal(bench.say(body)).clause for body in again} == {"13:69E-1.18"}
    assert isinstance(bench.say(say.ReceiveDeck("green", "green"))[0], fact.DeckReceived)


def test_11_17_i_worked_example_7_a_counting_shuffler_waives_the_stub_count() -> None:
    """Counted whole after every shuffle, the stub is never counted by people."""
    bench = bonus(COUNTING)
    for _ in range(7):
        until(bench, fact.RoundEnded)
    assert not bench.all(fact.CardsStubCounted)


def test_11_17_i_only_this_shuffle_s_own_count_waives() -> None:
    """A shuffler that does not count waives nothing: the fifth round's stub is counted."""
    bench = bonus(COUNTING, ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    for number in range(1, 6):
        shuffled(bench, None)
        bench.load()
        until(bench, fact.RoundEnded)
        assert bool(bench.found(fact.CardsStubCounted)) == (number == 5)


def test_11_17_h_worked_example_5_the_fifth_round_is_counted_before_the_sixth_opens() -> None:
    """Without a counting shuffler rounds 5 and 10 are counted, and no other; the next opens only after the count."""
    bench = bonus()
    for number in range(1, 11):
        told = until(bench, fact.RoundEnded)
        assert any(isinstance(found, fact.CardsStubCounted) for found in told) == (number in (5, 10)), number


def test_11_17_h_a_deck_counted_by_hand_owes_a_count_five_rounds_later() -> None:
    """A whole deck counted between rounds is counted again within its next five rounds, not six."""
    bench = bonus()
    for _ in range(2):
        until(bench, fact.RoundEnded)
    bench.say(say.CountDeck("red", 53))
    counted = [
        any(isinstance(found, fact.CardsStubCounted) for found in until(bench, fact.RoundEnded)) for _ in range(5)
    ]
    assert counted == [False, False, False, False, True]


def test_11_17_h_each_of_two_decks_owes_its_own_count() -> None:
    """With two decks taking turns each is counted in its own fifth round: rounds 9 and 10 of the table."""
    bench = bonus(COUNTING, ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    bench.say(say.ReceiveDeck("blue", "blue"))
    counted = []
    shuffled(bench, None)
    for number in range(1, 11):
        bench.load()
        shuffled(bench, None)
        told = until(bench, fact.RoundEnded)
        counted += [number for found in told if isinstance(found, fact.CardsStubCounted)]
    assert counted == [9, 10]


def test_worked_example_6_a_lost_shuffler_leaves_the_number_unknown() -> None:
    """Lost in mid-shuffle, the deck's number is unknown and its count falls to people again."""
    bench = bonus(COUNTING)
    until(bench, fact.RoundEnded)
    command = due(bench, fact.ShuffleDue).command
    bench.read("shuffler", read.ShufflerStarted(command))
    bench.read("shuffler", read.DeviceLost("silent"))
    assert bench.table.custody.find("red").counted is Counted.UNKNOWN
    bench.say(say.ConfirmShuffle("red"))
    assert not bench.table.alarms.keys() - {"offline:shuffler"}
    bench.load()
    assert bench.table.custody.count_due(bench.table.deck_in_shoe(), 1)
    assert bench.table.custody.find("red").counted is Counted.NOT
    assert step(bench) == "wagers", "a shuffler may fail: people shuffle"


TOLD: dict[str, tuple[Any, Place, int]] = {
    "the device finishes it": (read.ShufflerFinished("", 53), Place.READY, 0),
    "the device lets go of the deck": (read.ShufflerDeckOut(), Place.RACK, 0),
    "the dealer shuffles it": (say.ConfirmShuffle("red"), Place.READY, 0),
    "a supervisor has looked": (say.ClearAlarm("shuffle:red", "it never turned"), Place.RACK, 1),
}
"""Who may tell what became of a shuffle under which its device was lost; where the deck is then, and orders."""


@pytest.mark.parametrize("what", TOLD)
def test_e5_a_lost_shuffle_is_not_ordered_again_until_somebody_says_what_became_of_it(what: str) -> None:
    """Back from its loss a shuffler may still turn, or be done: it gets no second order for the deck on suspicion."""
    bench = bonus(COUNTING)
    until(bench, fact.RoundEnded)
    bench.read("shuffler", read.ShufflerStarted(due(bench, fact.ShuffleDue).command))
    bench.read("shuffler", read.DeviceLost("unplugged"))
    orders = len(bench.all(fact.ShuffleDue))
    for boot in ("b1", "b2"):
        bench.read("shuffler", read.DeviceFound("model", "1", "1.0", ("shuffler",)), boot)
        assert bench.table.custody.find("red").place is Place.SHUFFLER
        assert len(bench.all(fact.ShuffleDue)) == orders
    body, place, more = TOLD[what]
    bench.read("shuffler", body) if isinstance(body, read.Reading) else bench.say(body)
    assert bench.table.custody.find("red").place is place
    assert len(bench.all(fact.ShuffleDue)) == orders + more


def test_a_shuffler_that_comes_back_in_mid_round_is_told_at_once_to_shuffle() -> None:
    """The deck that waits in the rack is shuffled while the other is played, as if the shuffler had never been away;
    a round later both would lie in the rack.
    """
    bench = bonus(COUNTING, ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    for deck in ("red", "blue"):
        bench.say(say.ReceiveDeck(deck, deck))
    shuffled(bench, None)
    bench.load()
    shuffled(bench, None)
    bench.read("shuffler", read.DeviceLost("unplugged"))
    until(bench, fact.RoundEnded)
    bench.load()
    assert step(bench) == "wagers"
    told = bench.read("shuffler", read.DeviceFound("model", "1", "1.0", ("shuffler",)), "b2")
    assert [found.deck for found in told if isinstance(found, fact.ShuffleDue)] == ["red"]


@pytest.mark.parametrize("body", [read.CommandRefused("?", "door open"), read.CommandUnknown("?", "link lost")])
def test_e9_a_shuffle_that_was_not_done_waits_for_people(body: Any) -> None:
    """A refused or doubtful shuffle is not ordered again by itself: a supervisor or a hand shuffle answers it."""
    bench = bonus(COUNTING)
    until(bench, fact.RoundEnded)
    order = due(bench, fact.ShuffleDue)
    told = bench.read("shuffler", type(body)(order.command, body.reason))
    assert any(isinstance(found, fact.AlarmRaised) and found.alarm == "shuffle:red" for found in told)
    assert not bench.table.commands
    bench.say(say.ClearAlarm("shuffle:red", "the door was open"))
    assert due(bench, fact.ShuffleDue).command != order.command


# Shuffler and shoe in one machine


def one_machine() -> Bench:
    """Return a table in mid-round, the red deck dealt out by the machine that has shuffled the blue one meanwhile."""
    made = terms("pai-gow-poker", "bonus", house=BONUS, sight=Sight.CALLED, wagers=Wagers.PRESENCE)
    bench = Bench(replace(made, devices={"stack-shoe": "shoe1", "shuffler": "shoe1"}), ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    bench.say(say.ReceiveDeck("blue", "blue"))
    shuffled(bench, 53)
    bench.load()
    shuffled(bench, 53)
    habit = Habit(bench, 1)
    while not (bench.table.round and bench.table.round.stub_out):
        habit.go_on()
    return bench


def test_the_next_deck_drops_in_mid_round_and_is_dealt_after_it() -> None:
    """Blue is shuffled while red is dealt, and in the shoe before red is collected: no card of it counts for red."""
    bench = one_machine()
    bench.load()
    assert not bench.answers[-1]
    until(bench, fact.RoundEnded)
    assert not bench.all(fact.IrregularityFound)
    assert {found.deck for found in bench.all(fact.CardsDealt)} == {"red"}
    assert [found.deck for found in bench.all(fact.RoundOpened)] == ["red", "blue"]
    assert bench.table.custody.find("blue").left == 53
    assert due(bench, fact.ShuffleDue).deck == "red"


def test_a_deck_that_drops_and_counts_wrong_is_not_dealt() -> None:
    """What the shoe counts of a deck that dropped in mid-round is held against the deck when the round is over."""
    bench = one_machine()
    bench.read("stack-shoe", read.ShoeLoaded(52))
    until(bench, fact.RoundEnded)
    assert "deck:blue" in bench.table.alarms
    assert refusal(bench.say(say.LoadDeck("blue"))).clause == "13:69E-1.18"


# Decks taking turns


def test_23_2_b_worked_example_10() -> None:
    """The deck dealt last is not dealt again while another is in use; removing one leaves the other to play alone.

    Sections 27.2, 34.2(b), 35.2(b), 37.2(b), 5324.30(b)2.
    """
    bench = bonus(COUNTING, ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    bench.say(say.ReceiveDeck("blue", "blue"))
    shuffled(bench, 53)
    bench.load()
    shuffled(bench, 53)
    until(bench, fact.RoundEnded)
    bench.load()
    assert [told.deck for told in bench.all(fact.RoundOpened)] == ["red", "blue"]
    shuffled(bench, 52)
    until(bench, fact.RoundEnded)
    assert refusal(bench.say(say.LoadDeck("red"))).clause == "13:69E-1.18"
    bench.say(say.ConfirmShuffle("blue"))
    assert refusal(bench.say(say.LoadDeck("blue"))).clause == "13:69F-23.2(b)"
    assert "take turns" in refusal(bench.say(say.LoadDeck("blue"))).text
    bench.say(say.RemoveDeck("red", "counted 52"))
    bench.load()
    assert [told.deck for told in bench.all(fact.RoundOpened)] == ["red", "blue", "blue"]


@pytest.mark.parametrize(
    ("deck", "back", "devices"), [("blue", "red", COUNTING), ("blue", "blue", ()), ("red", "blue", COUNTING)]
)
def test_23_2_b_the_second_deck(deck: str, back: str, devices: tuple[str, ...]) -> None:
    """A second deck needs a shuffler, backs of another colour and its own id (27.2, 34.2(b), 35.2(b), 37.2(b))."""
    bench = bonus(devices, ready=False)
    bench.say(say.ReceiveDeck("red", "red"))
    assert refusal(bench.say(say.ReceiveDeck(deck, back))).code == "deck"


def test_1_18_a_pre_shuffled_deck_needs_no_first_shuffle_and_every_later_one() -> None:
    """A sealed pre-shuffled deck may be loaded at once; after its first round it is shuffled like any other.

    Sections 1.18(e)2, (r), 1.18A.
    """
    bench = bonus(ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red", say.DeckSource.PRE_SHUFFLED, "S-1"))
    bench.load()
    assert step(bench) == "wagers"
    until(bench, fact.RoundEnded)
    assert bench.table.custody.find("red").place is Place.RACK
    assert refusal(bench.say(say.LoadDeck("red"))).awaited == "a shuffled deck"


def test_14_5_a_the_deck_is_shuffled_after_each_round() -> None:
    """A one-deck game opens no round with an unshuffled deck."""
    bench = bonus()
    until(bench, fact.RoundEnded)
    assert (step(bench), len(bench.all(fact.RoundOpened))) == ("between", 1)


def test_a_deck_being_dealt_is_neither_removed_nor_counted() -> None:
    """While a round runs its deck leaves the table only by voiding the round."""
    bench = bonus()
    for body in (say.RemoveDeck("red", "worn"), say.CountDeck("red", 53)):
        assert refusal(bench.say(body)).code == "deck"


def test_a_deck_counted_wrong_by_hand_is_removed_with_its_alarm() -> None:
    """People's count of 52 removes the deck at once, and no alarm about it stays behind."""
    bench = bonus(COUNTING, ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    shuffled(bench, 52)
    told = bench.say(say.CountDeck("red", 52))
    assert any(isinstance(found, fact.DeckRemoved) for found in told)
    assert not bench.table.alarms


def test_a_shoe_that_counts_another_number_than_the_deck_has_latches() -> None:
    """Loaded with 52, the shoe is a claim against the deck: no round is opened with it."""
    bench = bonus(ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    bench.say(say.ConfirmShuffle("red"))
    told = bench.read("stack-shoe", read.ShoeLoaded(52))
    assert any(isinstance(found, fact.IrregularityFound) for found in told)
    assert (step(bench), list(bench.table.alarms)) == ("between", ["deck:red"])


# Stub and deck counts


def counted(held: str, stub: int, wrong: dict[str, int]) -> Bench:
    """Return a table with five players of which the stub was counted twice alike."""
    bench = bonus()
    deck = bench.table.custody.decks["red"]
    bench.table.custody.decks["red"] = replace(deck, rounds_since_count=4)
    for hand in held:
        bench.say(say.PlaceWager(hand, MAIN))
    until(bench, fact.StackDue, first=bench.say(say.NoMoreBets()))
    habit = Habit(bench, 1)
    while step(bench) != "count":
        habit.go_on()
    bench.say(say.CountStub(stub, wrong))
    if not bench.all(fact.CardsStubCounted):
        bench.say(say.CountStub(stub, wrong))
    return bench


@pytest.mark.parametrize(
    ("stub", "wrong", "void", "removed"),
    [
        (11, {}, False, False),  # 3: hands right, deck whole
        (10, {"4": 8}, True, False),  # 3: misdeal
        (10, {}, True, True),  # 3: deck removed
        (12, {"4": 8}, True, True),  # 4: both wrong
    ],
)
def test_worked_examples_3_and_4(stub: int, wrong: dict[str, int], *, void: bool, removed: bool) -> None:
    """The decision table: hands right or wrong against the sum right or wrong."""
    bench = counted("12345", stub, wrong)
    assert bool(bench.all(fact.RoundVoided)) == void
    assert bool(bench.all(fact.DeckRemoved)) == removed


@pytest.mark.parametrize(
    ("count", "wrong", "removed"), [(3, {"1": 8}, False), (3, {}, True), (4, {"1": 8}, True), (4, {}, None)]
)
def test_a_stack_of_eight_is_found_by_the_count(count: int, wrong: dict[str, int], *, removed: bool | None) -> None:
    """What must be left follows from seven for each hand, not from what the shoe said; people's count stands."""
    bench = base(("stack-shoe",))
    bench.say(say.PlaceWager("1", MAIN))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(14))
    order = due(bench, fact.StackDue)
    bench.read("stack-shoe", read.ShoeStackDispensed(order.command, 1, 8, 45))
    assert step(bench) == "suspended"
    bench.say(say.LiftSuspension("it looks like seven"))
    habit = Habit(bench, 1)
    while step(bench) != "count":
        habit.go_on()
    for _ in range(2):
        if step(bench) == "count":
            bench.say(say.CountStub(count, wrong))
    assert bool(bench.all(fact.RoundVoided)) == (removed is not None)
    assert bool(bench.all(fact.DeckRemoved)) == bool(removed)
    if removed is None:
        assert bench.table.round
        assert bench.table.round.hands["1"] == [UNSEEN] * 7


def test_a_face_up_card_is_part_of_the_sum() -> None:
    """A card put aside is not missing: with it aside three must be left."""
    bench = base(("stack-shoe",))
    bench.say(say.PlaceWager("1", MAIN))
    bench.read("stack-shoe", read.ShoeFaceUpFound())
    until(bench, fact.CardsStubCounted)
    assert bench.all(fact.CardsStubCounted)[0].expected == 3
    assert not bench.all(fact.RoundVoided)


# Shoes


def test_worked_example_2_the_profile_belongs_to_the_table() -> None:
    """54 is wrong at a table whose deck holds 53, whatever other game it would do for."""
    assert bonus().table.custody.size == 53


def test_a_stack_of_wrong_size_holds_the_round_before_it_is_delivered() -> None:
    """A stack of two where three are due suspends the round, and the next is not ordered."""
    bench = bonus()
    bench.say(say.PlaceWager("2", MAIN))
    bench.say(say.NoMoreBets())
    order = due(bench, fact.StackDue)
    told = bench.read("stack-shoe", read.ShoeStackDispensed(order.command, 1, 2, 51))
    assert any(isinstance(found, fact.IrregularityFound) for found in told)
    bench.read("stack-shoe", read.ShoeStackTaken(1))
    assert (step(bench), len(bench.all(fact.StackDue))) == ("suspended", 1)


def test_a_stack_told_twice_is_one_stack() -> None:
    """The same command's stack told again, even under a new number, moves no further card."""
    bench = bonus()
    bench.say(say.PlaceWager("2", MAIN))
    bench.say(say.NoMoreBets())
    order = due(bench, fact.StackDue)
    stack = read.ShoeStackDispensed(order.command, 1, 3, 50)
    bench.read("stack-shoe", stack)
    bench.read("stack-shoe", stack)
    assert bench.table.deck_in_shoe().left == 50
    assert step(bench) == "deal"


def test_a_stack_out_of_turn_told_twice_is_one_stack() -> None:
    """A late stack of a command that is no longer awaited is counted out once."""
    bench = bonus()
    for _ in range(2):
        bench.read("stack-shoe", read.ShoeStackDispensed("of an earlier round", 1, 3, 50))
    assert bench.table.deck_in_shoe().left == 50


def test_a_stack_in_any_other_state_is_an_event_for_the_supervisor() -> None:
    """A stack while wagers are open is counted out, told with what was awaited, and holds the table."""
    bench = bonus()
    told = bench.read("stack-shoe", read.ShoeStackDispensed("unasked", 1, 3, 50))
    found = next(found for found in told if isinstance(found, fact.IrregularityFound))
    assert (found.reading, found.clause) == ("shoe.stack-dispensed", "13:69F-11.17(c)")
    assert bench.table.deck_in_shoe().left == 50
    assert step(bench) == "suspended"


def test_a_card_out_of_the_shoe_between_rounds_puts_the_deck_out_of_play() -> None:
    """A one-deck game never opens a round with a deck that has lost cards since its shuffle."""
    bench = bonus()
    bench.say(say.CloseTable())
    bench.say(say.VoidRound("closing"))
    bench.say(say.ConfirmShuffle("red"))
    bench.load()
    bench.read("stack-shoe", read.ShoeStackDispensed("unasked", 1, 3, 50))
    assert bench.table.custody.find("red").place is Place.RACK


def test_a_deck_that_is_short_waits_for_the_round_to_be_voided() -> None:
    """No stack is ordered out of a deck that no longer holds one, and lifting the suspension does not change that."""
    bench = base(("stack-shoe",))
    bench.say(say.PlaceWager("1", MAIN))
    for _ in range(7):
        bench.read("stack-shoe", read.ShoeStackDispensed("", 0, 7, 0))
    bench.say(say.LiftSuspension("seen"))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    bench.say(say.LiftSuspension("seen"))
    assert list(bench.table.suspended) == ["short"]
    assert not bench.all(fact.StackDue)
    assert fact.RoundEnded("void") in bench.say(say.VoidRound("misdeal"))


@pytest.mark.parametrize(
    "condition", [Condition.JAM, Condition.DOOR_OPEN, Condition.BLOCKED, Condition.HOPPER_EMPTY, Condition.MAINTENANCE]
)
def test_a_jam_is_not_a_wrong_count(condition: Condition) -> None:
    """What stops a needed device holds the round, and the round goes on by itself when it ends."""
    bench = bonus()
    bench.say(say.PlaceWager("2", MAIN))
    bench.read("stack-shoe", read.DeviceConditionBegan(condition))
    assert refusal(bench.say(say.NoMoreBets())).code == "suspended"
    assert bench.table._awaited().who == "dealer", "who clears it; no supervisor is needed"
    assert refusal(bench.say(say.LiftSuspension("never mind"))).awaited == "the device back, or the doubt ended"
    bench.read("stack-shoe", read.DeviceConditionEnded(condition))
    assert (step(bench), bench.table.alarms) == ("wagers", {})


def test_what_is_told_to_hold_the_table_still_holds_it() -> None:
    """Two things stop the shoe, and the later ends first: the screen goes back to the one that people still wait for,
    and does not ask them to close a door that is closed.
    """
    bench = bonus()
    bench.read("stack-shoe", read.DeviceConditionBegan(Condition.JAM))
    bench.read("stack-shoe", read.DeviceConditionBegan(Condition.DOOR_OPEN))
    told = bench.read("stack-shoe", read.DeviceConditionEnded(Condition.DOOR_OPEN))
    assert fact.TableSuspended("stack-shoe: jam; clear it, no card exposed") in told
    bench.read("stack-shoe", read.DeviceConditionBegan(Condition.BLOCKED))
    told = bench.read("stack-shoe", read.DeviceConditionEnded(Condition.JAM))
    assert not [each for each in told if isinstance(each, fact.TableSuspended)], "what was told last still holds"


def test_a_jam_that_clears_by_itself_holds_nothing() -> None:
    """Recovering from a jam is told and does not stop the round."""
    bench = bonus()
    told = bench.read("stack-shoe", read.DeviceConditionBegan(Condition.JAM_RECOVERING))
    assert told == (fact.DeviceConditionChanged("stack-shoe", Condition.JAM_RECOVERING, active=True),)


def test_1_16_a_b_tampering_waits_for_a_supervisor_when_it_has_ended() -> None:
    """Tampering latches: its end alone neither clears the alarm nor lets play go on (1.16A(b))."""
    bench = base()
    bench.read("shaker", read.DeviceConditionBegan(Condition.TAMPER))
    assert refusal(bench.say(say.ClearAlarm("tamper:shaker", "seen"))).awaited == "the end of it at shaker"
    bench.read("shaker", read.DeviceConditionEnded(Condition.TAMPER))
    assert (step(bench), list(bench.table.alarms)) == ("suspended", ["tamper:shaker"])
    bench.say(say.LiftSuspension("reported to the Division"))
    bench.say(say.ClearAlarm("tamper:shaker", "reported to the Division"))
    assert (step(bench), bench.table.alarms) == ("wagers", {})


def test_a_reset_device_forgets_what_held_before() -> None:
    """A jam of an earlier boot does not hold the table for ever."""
    bench = bonus()
    bench.read("stack-shoe", read.DeviceConditionBegan(Condition.JAM))
    bench.read("stack-shoe", read.DeviceLost("restarted"))
    bench.read("stack-shoe", read.DeviceFound("model", "1", "1.0", ("stack-shoe",)), boot="b2")
    assert (step(bench), bench.table.suspended) == ("wagers", {})


def test_a_device_that_knows_of_a_longer_record_holds_the_table() -> None:
    """The end of the record is gone, or another host was at the device: people look, and lift it."""
    bench = bonus()
    bench.read("stack-shoe", read.DeviceRecordBehind(3, 5))
    text = "stack-shoe was told that its events up to 5 are kept: the record is lost after 3"
    text += "; look what lies there, then lift the suspension"
    assert (step(bench), bench.table.suspended) == ("suspended", {"behind": text})
    bench.say(say.LiftSuspension("the table was compared with the record"))
    assert (step(bench), bench.table.suspended) == ("wagers", {})


# Doubt


def in_doubt(bench: Bench, order: Any) -> None:
    bench.read("stack-shoe", read.DeviceLost("unplugged"))
    bench.read("stack-shoe", read.CommandUnknown(order.command, "unplugged in mid-motion"))
    bench.read("stack-shoe", read.DeviceFound("model", "1", "1.0", ("stack-shoe",)))
    assert step(bench) == "suspended"


def doubtful_stack() -> tuple[Bench, Any]:
    bench = bonus()
    bench.say(say.PlaceWager("2", MAIN))
    bench.say(say.NoMoreBets())
    order = due(bench, fact.StackDue)
    in_doubt(bench, order)
    return bench, order


@pytest.mark.parametrize(
    ("done", "left", "hand"), [(True, 50, "dealer"), (False, 53, "2")], ids=["cards moved", "nothing moved"]
)
def test_a_doubt_ends_with_two_names(*, done: bool, left: int, hand: str) -> None:
    """People count: the stack is dealt or ordered anew under another id, never sent again; one name does not do."""
    bench, order = doubtful_stack()
    assert refusal(bench.say(say.LiftSuspension("go on"))).code == "suspended"
    assert refusal(bench.say(say.EndDoubt(order.command, done, ("ann", "ann")))).code == "names"
    told = bench.say(say.EndDoubt(order.command, done, ("ann", "bob")))
    assert told[0] == fact.CommandEnded(order.command, "done" if done else "not-done", "ann and bob")
    again = due(bench, fact.StackDue)
    assert (again.hand, again.left, bench.table.deck_in_shoe().left) == (hand, left, left)
    assert again.command != order.command


def test_people_empty_a_shoe_whose_count_is_in_doubt() -> None:
    """A round voided in doubt, or in mid-stack, orders no release: with a count that is wrong it would wait, and throw
    out the next deck that has as many cards. With a count that is certain the shoe empties itself.
    """
    for end_in_doubt in (True, False):
        bench = bonus()
        bench.say(say.PlaceWager("2", MAIN))
        bench.say(say.NoMoreBets())
        if end_in_doubt:
            in_doubt(bench, due(bench, fact.StackDue))
        told = bench.say(say.VoidRound("a part of a stack came out"))
        assert not [found for found in told if isinstance(found, fact.StubDue)]
        assert any(isinstance(found, fact.CardsDiscarded) and found.hand == "stub" for found in told)
    bench, order = doubtful_stack()
    bench.say(say.EndDoubt(order.command, done=True, counted_by=("ann", "bob")))
    bench.read("stack-shoe", read.CommandRefused(due(bench, fact.StackDue).command, "door open"))
    told = bench.say(say.VoidRound("the door stays open"))
    assert [found.left for found in told if isinstance(found, fact.StubDue)] == [50]


def test_a_late_outcome_ends_a_doubt_by_itself() -> None:
    """A device that comes back and says that the stack went out needs no count."""
    bench, order = doubtful_stack()
    told = bench.read("stack-shoe", read.ShoeStackDispensed(order.command, 1, 3, 50))
    assert fact.CommandEnded(order.command, "done", "the device") in told
    assert step(bench) == "deal"


def test_a_late_outcome_after_people_counted_moves_no_card_twice() -> None:
    """A replayed event of a stack that people already counted changes nothing."""
    bench, order = doubtful_stack()
    bench.say(say.EndDoubt(order.command, done=True, counted_by=("ann", "bob")))
    bench.read("stack-shoe", read.ShoeStackDispensed(order.command, 1, 3, 50))
    bench.read("stack-shoe", read.ShoeStackTaken(1))
    assert (bench.table.deck_in_shoe().left, step(bench)) == (50, "deal")


def test_a_refused_stack_is_ordered_anew_when_people_have_looked() -> None:
    """Nothing moved: after the suspension is lifted the same stack is due under another id."""
    bench = bonus()
    bench.say(say.PlaceWager("2", MAIN))
    bench.say(say.NoMoreBets())
    order = due(bench, fact.StackDue)
    bench.read("stack-shoe", read.CommandRefused(order.command, "door open"))
    assert step(bench) == "suspended"
    bench.say(say.LiftSuspension("door closed"))
    again = due(bench, fact.StackDue)
    assert (again.stack, again.hand, again.left) == (order.stack, order.hand, order.left)
    assert again.command != order.command


@pytest.mark.parametrize("done", [True, False])
def test_a_doubt_about_one_card_of_a_card_shoe(*, done: bool) -> None:
    """A card that came while nobody could tell lies in its box unseen; one that did not is due again."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    bench.draw("4s")
    order = due(bench, fact.CardDue)
    bench.read("card-shoe", read.CommandUnknown(order.command, "silent"))
    bench.say(say.EndDoubt(order.command, done, ("ann", "bob")))
    assert [told.cards for told in bench.all(fact.CardsDealt)][1:] == ([(UNSEEN,)] if done else [])
    assert step(bench) == ("call" if done else "deal")


def test_a_void_tells_how_each_command_ended() -> None:
    """What was ordered and not done when the round is voided is unknown; people take the rest of the deck out."""
    bench = bonus()
    bench.say(say.PlaceWager("2", MAIN))
    bench.say(say.NoMoreBets())
    order = due(bench, fact.StackDue)
    told = bench.say(say.VoidRound("misdeal"))
    assert fact.CommandEnded(order.command, "unknown", "the round was voided") in told
    assert not bench.table.commands
    settled = next(found for found in told if isinstance(found, fact.WagerSettled))
    assert settled.outcome is Outcome.VOID


# Dice


def test_worked_example_8() -> None:
    """Shaken twice, 3-4-5 under an open lid is not valid, and the dice are shaken again."""
    bench = base()
    bench.say(say.PlaceWager("1", MAIN))
    bench.say(say.NoMoreBets())
    first = due(bench, fact.RollDue)
    bench.read("shaker", read.ShakerShaken(2, first.command))
    bench.read("shaker", read.ShakerLidOpened())
    told = bench.read("shaker", read.ShakerRolled(Roll(3, 4, 5)))
    assert any(isinstance(found, fact.DiceNoRoll) for found in told)
    bench.read("shaker", read.ShakerLidClosed())
    assert due(bench, fact.RollDue).command != first.command


def test_no_shake_is_ordered_under_an_open_lid() -> None:
    """After a "No roll" the shaker is told to shake when its lid is on again, and the dealer is told why it waits."""
    bench = base()
    bench.say(say.PlaceWager("1", MAIN))
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerLidOpened())
    bench.read("shaker", read.ShakerRolled(Roll.of(6, 6, "cocked")))
    assert not any(isinstance(command, fact.RollDue) for command in bench.table.commands.values())
    assert bench.table._awaited().prompt == "Put the lid on: the dice are shaken again."
    bench.read("shaker", read.ShakerLidClosed())
    assert due(bench, fact.RollDue)


def test_worked_example_9() -> None:
    """Two sixes flat and a leaning die are "No roll", even if its value could be read."""
    bench = base()
    bench.say(say.PlaceWager("1", MAIN))
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerRolled(Roll.of(6, 6, "cocked")))
    assert not bench.all(fact.DiceStart)
    assert bench.all(fact.DiceNoRoll)[0].clause == "13:69F-34.14(a)"


def test_a_no_roll_while_the_dice_are_shaken_orders_one_shake_only() -> None:
    """The dealer's call during a shake waits for that shake instead of ordering another beside it."""
    bench = base()
    bench.say(say.PlaceWager("1", MAIN))
    bench.say(say.NoMoreBets())
    bench.say(say.NoRoll("the lid slipped"))
    assert len(bench.all(fact.RollDue)) == 1
    until(bench, fact.RoundEnded)
    assert not any(isinstance(command, fact.RollDue) for command in bench.table.commands.values())


@pytest.mark.parametrize(
    "quiet", [read.ShakerLidClosed(), read.ShakerShaken(1), read.ShakerLidOpened(), read.ShufflerDeckOut()]
)
def test_31_11_b_4_the_one_shake_after_the_deal_is_no_result(quiet: Reading) -> None:
    """The lid on and one shake, before the next round, change nothing."""
    bench = base()
    assert bench.read("shaker", quiet) == ()


SHUFFLES = st.lists(
    st.sampled_from(("lost", "found", "began", "finished", "out", "refused", "unknown", "cleared", "restart")),
    max_size=25,
)


@given(SHUFFLES)
@example(["began", "lost", "found", "began", "out"])
def test_e5_no_deck_is_ordered_twice_on_suspicion(events: list[str]) -> None:
    """Whatever a shuffler says or fails to say: between two orders for one deck it told that the deck was shuffled, or
    a supervisor looked and cleared the alarm.
    """
    bench = bonus(COUNTING, ready=False)
    bench.say(say.ReceiveDeck("red", "red"))
    for event in events:
        command = next((key for key, what in bench.table.commands.items() if isinstance(what, fact.ShuffleDue)), "")
        told: dict[str, Callable[[], object]] = {
            "lost": lambda: bench.read("shuffler", read.DeviceLost("silent")),
            "found": lambda: bench.read("shuffler", read.DeviceFound("model", "1", "1.0", ("shuffler",))),
            "began": lambda: bench.read("shuffler", read.ShufflerStarted(command)),  # noqa: B023 - called in its turn
            "finished": lambda: bench.read("shuffler", read.ShufflerFinished(command, 53)),  # noqa: B023
            "out": lambda: bench.read("shuffler", read.ShufflerDeckOut()),
            "refused": lambda: bench.read("shuffler", read.CommandRefused(command, "busy")),  # noqa: B023
            "unknown": lambda: bench.read("shuffler", read.CommandUnknown(command, "silent")),  # noqa: B023
            "cleared": lambda: bench.say(say.ClearAlarm("shuffle:red", "looked")),
            "restart": lambda: bench.say(say.Resume("b2")),
        }
        told[event]()
    told_of = [
        type(happened)
        for happened in bench.facts
        if isinstance(happened, fact.ShuffleDue | fact.DeckShuffled)
        or (isinstance(happened, fact.AlarmCleared) and happened.alarm == "shuffle:red" and happened.by)
    ]
    assert (fact.ShuffleDue, fact.ShuffleDue) not in pairwise(told_of)
