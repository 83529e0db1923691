"""Devices are swapped by name and number, and tested with a hand-counted deck before they are used."""

from typing import Any

import pytest
from msgspec.structs import replace

from tablectl.dice import Roll
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.announcements import Configure, Role
from tablectl.events.codec import Input
from tablectl.events.facts import Fact, Place
from tablectl.table import Table
from tablectl.terms import Dealing, Sight, Wagers
from tests.tables import IMPERIAL, Bench, Habit, terms

FULL = ("stack-shoe", "shuffler", "shaker")


def pai_gow(*devices: str, serial: str = "") -> Bench:
    """Return a closed table. serial: what the table file names for the shoe."""
    made = terms("pai-gow-poker", devices=devices or FULL, house=IMPERIAL, sight=Sight.CALLED, wagers=Wagers.PRESENCE)
    if serial:
        made = replace(made, serials={"stack-shoe": serial})
    return Bench(made, ready=False)


def refusal(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    refused = facts[-1]
    assert isinstance(refused, fact.AnnouncementRefused)
    return refused


def answer(bench: Bench, kind: str, serial: str) -> tuple[Fact, ...]:
    return bench.read(kind, read.DeviceFound("model", serial, "1.0", (kind,)), boot=f"b{serial}")


def swap(bench: Bench, kind: str = "stack-shoe", old: str = "1", new: str = "2") -> tuple[Fact, ...]:
    return bench.accept(Input(say.ReturnDevice(kind, "worn out", old, new), 0, Role.SERVICE, by="tom"))


# Swap


def test_a_swap_names_the_old_and_the_new_device() -> None:
    """Another serial number takes the place of the one that is known, with reason and name, and of no other."""
    bench = pai_gow()
    good = say.ReturnDevice("stack-shoe", "worn out", "1", "2")
    wrong = [replace(good, old_serial="7"), replace(good, new_serial="1"), replace(good, device="shoe9")]
    for body in (*wrong, say.ReturnDevice("stack-shoe", "nothing to do")):
        assert isinstance(bench.accept(Input(body, 0, Role.SERVICE, by="tom"))[-1], fact.AnnouncementRefused)
    assert swap(bench)[0] == fact.DeviceReturned("stack-shoe", "worn out", "tom", "1", "2")


def test_after_a_swap_only_the_new_device_is_the_one_meant() -> None:
    """The old one is offline at once, and the wrong device when it comes back; the table file does not matter."""
    bench = pai_gow(serial="1")
    told = swap(bench)
    assert fact.DeviceWentOffline("stack-shoe", "wrong-device", "2 is awaited") in told
    assert answer(bench, "stack-shoe", "1")[0] == fact.DeviceWentOffline(
        "stack-shoe", "wrong-device", "1 answers, awaited was 2"
    )
    assert bench.table.alarms["offline:stack-shoe"].text.endswith("1 answers, awaited was 2; plug in the right one")
    assert isinstance(answer(bench, "stack-shoe", "2")[0], fact.DeviceCameOnline)
    assert bench.table.meant("stack-shoe") == "2"


def test_a_device_that_was_put_in_without_a_word_is_named_afterwards() -> None:
    """Where the table file names no number the new device may answer before anybody says that it was swapped."""
    bench = pai_gow()
    answer(bench, "stack-shoe", "2")
    assert not any(isinstance(told, fact.DeviceWentOffline) for told in swap(bench))
    assert bench.table.devices["stack-shoe"].online
    assert bench.table.meant("stack-shoe") == "2"


def test_a_swap_outlives_rounds_restarts_and_replay() -> None:
    """It stands in the opening of each round, from which a table is rebuilt; a second swap rests on the first."""
    bench = pai_gow(serial="1")
    swap(bench)
    answer(bench, "stack-shoe", "2")
    bench.say(say.WaiveTest("stack-shoe", "seen"))
    bench.say(say.OpenTable(("ann", "bob")))
    habit = Habit(bench, 1)
    while not bench.table.round:
        habit.go_on()
    opened = bench.all(fact.RoundOpened)[-1]
    restored = Table(bench.build)
    restored.restore(Configure("", "", "", "test"), opened)
    assert restored.meant("stack-shoe") == "2"
    again = Table(bench.build)
    assert [again.accept(said) for said in bench.inputs] == bench.answers
    assert refusal(swap(bench, old="1", new="3")).awaited.startswith("2 as the old serial number")


def test_the_table_file_speaks_again_when_it_names_another_device() -> None:
    """Updated to the new number nothing changes; a number that nobody has seen is a device to be tested."""
    bench = pai_gow(serial="1")
    bench.others |= {number: replace(bench.terms, serials={"stack-shoe": number}) for number in ("2", "3")}
    swap(bench)
    answer(bench, "stack-shoe", "2")
    bench.say(say.WaiveTest("stack-shoe", "seen"))
    bench.say(Configure("", "", "", "test"))
    assert bench.table.meant("stack-shoe") == "2"
    bench.say(Configure("2", "", "", "test"))
    assert (bench.table.meant("stack-shoe"), bench.table.devices["stack-shoe"].untested) == ("2", "")
    told = bench.say(Configure("3", "", "", "test"))
    assert fact.DeviceTestDue("stack-shoe", "the table file names another device") in told
    assert bench.table.meant("stack-shoe") == "3"


def test_what_a_swapped_device_held_is_not_with_the_new_one() -> None:
    """Its orders are unknown, its deck is to be shuffled again, its conditions are over."""
    bench = pai_gow()
    bench.say(say.ReceiveDeck("blue", "blue"))
    order = next(due for due in bench.table.commands.values() if isinstance(due, fact.ShuffleDue))
    bench.read("shuffler", read.ShufflerStarted(order.command))
    bench.read("shuffler", read.DeviceConditionBegan(read.Condition.JAM))
    told = swap(bench, "shuffler")
    assert fact.DeviceConditionChanged("shuffler", read.Condition.JAM, active=False) in told
    assert bench.table.custody.at(Place.SHUFFLER) is None
    answer(bench, "shuffler", "2")
    assert not bench.table.commands, "an untested shuffler gets no order"
    bench.say(say.WaiveTest("shuffler", "seen"))
    again = next(due for due in bench.table.commands.values() if isinstance(due, fact.ShuffleDue))
    assert again.command != order.command


# Test


def begin(bench: Bench, kind: str = "stack-shoe", cards: int = 53, size: int = 7) -> tuple[Fact, ...]:
    return bench.accept(Input(say.TestDevice(kind, cards, size), 0, Role.SERVICE, by="tom"))


def orders(bench: Bench, kind: type[Fact]) -> Any:
    return [due for due in bench.table.commands.values() if isinstance(due, kind)][-1]


def stacks(bench: Bench, *, short: int = 0) -> None:
    """Let the shoe dispense what is ordered in its test. short: the stack of which it says one card less."""
    bench.read("stack-shoe", read.ShoeLoaded(53))
    for number in range(1, 8):
        due = orders(bench, fact.StackDue)
        assert (due.stack, due.left) == (number, 53 - 7 * (number - 1))
        left = due.left - due.size
        size = due.size - (number == short)
        bench.read("stack-shoe", read.ShoeStackDispensed(due.command, number, size, left))
        bench.read("stack-shoe", read.ShoeStackTaken(number))
    bench.read("stack-shoe", read.ShoeStubReleased(orders(bench, fact.StubDue).command, 4))
    bench.read("stack-shoe", read.ShoeEmptied())


def shuffles(bench: Bench) -> None:
    bench.read("shuffler", read.ShufflerStarted(orders(bench, fact.ShuffleDue).command))
    bench.read("shuffler", read.ShufflerFinished(orders(bench, fact.ShuffleDue).command, 53))
    bench.read("shuffler", read.ShufflerDeckOut())


def shakes(bench: Bench) -> None:
    """A die that leans is shaken again."""
    for roll in (Roll.of(4, 5, "cocked"), Roll(4, 5, 2)):
        bench.read("shaker", read.ShakerShaken(3, orders(bench, fact.RollDue).command))
        bench.read("shaker", read.ShakerLidOpened())
        bench.read("shaker", read.ShakerRolled(roll))
        bench.read("shaker", read.ShakerLidClosed())


COUNTS = (7, 7, 7, 7, 7, 7, 7, 4)
TESTS: dict[str, tuple[Any, int, tuple[int, ...]]] = {
    "stack-shoe": (stacks, 53, COUNTS),
    "shuffler": (shuffles, 53, (53,)),
    "shaker": (shakes, 0, (4, 5, 2)),
}


@pytest.mark.parametrize("kind", TESTS)
def test_a_device_that_was_swapped_passes_its_test_before_the_table_opens(kind: str) -> None:
    """It does all that it can with a deck that people counted, they count again, blind, and the result is a fact."""
    does, cards, counts = TESTS[kind]
    bench = pai_gow()
    swap(bench, kind)
    answer(bench, kind, "2")
    assert refusal(bench.say(say.OpenTable(("ann", "bob")))).text == f"{kind}: another device stands in its place"
    begin(bench, kind, cards)
    assert refusal(bench.say(say.OpenTable(("ann", "bob")))).code == "test"
    assert refusal(bench.say(say.EnterTest(counts))).code == "not-awaited"
    does(bench)
    assert bench.table._awaited().verb == "enter-test"
    assert not set(map(str, counts)) & set(bench.table._awaited().prompt.split()), "the count is blind"
    (told, *_) = bench.say(say.EnterTest(counts), by="ann")
    assert isinstance(told, fact.DeviceTested)
    assert (told.passed, told.claimed, told.counted, told.by) == (True, counts, counts, "ann")
    assert isinstance(bench.say(say.OpenTable(("ann", "bob")))[0], fact.TableOpened)
    again = Table(bench.build)
    assert [again.accept(said) for said in bench.inputs] == bench.answers


def test_a_card_shoe_is_tested_card_by_card() -> None:
    """It is unlocked for one card after another, face down, until the deck is out."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE), ready=False)
    begin(bench, "card-shoe", 5)
    bench.read("card-shoe", read.ShoeLoaded(5))
    for _ in range(5):
        assert not orders(bench, fact.CardDue).face_up
        bench.read("card-shoe", read.ShoeCardDrawn())
    bench.read("card-shoe", read.ShoeEmptied())
    assert not bench.table.commands
    (told, *_) = bench.say(say.EnterTest((5,)))
    assert (told.passed, told.claimed) == (True, (5,))  # type: ignore[attr-defined]


def test_a_test_ends_with_the_controller() -> None:
    """A shoe that is unlocked for its test is locked when the controller is told to stop; that ends the test."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE), ready=False)
    begin(bench, "card-shoe", 5)
    bench.read("card-shoe", read.ShoeLoaded(5))
    due = orders(bench, fact.CardDue)
    (locked, *_) = bench.say(say.Stop())
    assert isinstance(locked, fact.CardsLocked)
    assert locked.device == due.device
    bench.say(say.Resume("b2"))
    bench.read("card-shoe", read.DeviceFound("model", "1", "1.0", ("card-shoe",)))
    bench.read("card-shoe", read.CommandRefused(due.command, "locked"))
    assert [(told.passed, told.text) for told in bench.all(fact.DeviceTested)] == [(False, "card-shoe: locked")]
    assert not bench.table.suspended


def test_one_machine_is_tested_as_both() -> None:
    """The deck that it shuffled drops into its shoe, and is counted as it comes out of that."""
    made = terms("pai-gow-poker", house=IMPERIAL, sight=Sight.CALLED, wagers=Wagers.PRESENCE)
    bench = Bench(replace(made, devices={"stack-shoe": "shoe1", "shuffler": "shoe1"}), ready=False)
    begin(bench, "shoe1")
    shuffles(bench)
    stacks(bench)
    (told, *_) = bench.say(say.EnterTest(COUNTS))
    assert (told.passed, told.ordered) == (True, COUNTS)  # type: ignore[attr-defined]


FAILURES: dict[str, tuple[Any, tuple[int, ...], str]] = {
    "people count another stack": (
        stacks,
        (7, 7, 6, 7, 7, 7, 7, 4),
        "number 3 of 8: 7 due, stack-shoe says 7, people found 6",
    ),
    "people count nothing": (stacks, (), "0 counts were entered of 8"),
    "the shoe claims another stack": (
        lambda bench: stacks(bench, short=2),
        COUNTS,
        "number 2 of 8: 7 due, stack-shoe says 6, people found 7",
    ),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_test_fails_where_order_claim_and_count_disagree(what: str) -> None:
    """The result names the first place; the device stays out of play until it passes, or a supervisor waives that."""
    does, counts, text = FAILURES[what]
    bench = pai_gow("stack-shoe")
    begin(bench)
    does(bench)
    (told, *_) = bench.say(say.EnterTest(counts))
    assert (told.passed, told.text) == (False, text)  # type: ignore[attr-defined]
    assert refusal(bench.say(say.OpenTable(("ann", "bob")))).code == "test"
    begin(bench)
    stacks(bench)
    assert bench.say(say.EnterTest(COUNTS))[0].passed  # type: ignore[attr-defined]
    assert isinstance(bench.say(say.OpenTable(("ann", "bob")))[0], fact.TableOpened)


@pytest.mark.parametrize("body", [read.CommandRefused("?", "jam"), read.CommandUnknown("?", "silent")])
def test_an_order_that_is_not_carried_out_ends_the_test(body: Any) -> None:
    """Refused or unknown, no doubt is left for the table: the test has failed, and nothing is suspended."""
    bench = pai_gow("stack-shoe")
    begin(bench)
    bench.read("stack-shoe", read.ShoeLoaded(53))
    due = orders(bench, fact.StackDue)
    told = bench.read("stack-shoe", replace(body, command=due.command))
    assert any(isinstance(each, fact.DeviceTested) and not each.passed for each in told)
    assert (bench.table.suspended, bench.table.doubts, bench.table.commands) == ({}, {}, {})


REFUSED: dict[str, tuple[say.TestDevice, str]] = {
    "no such device": (say.TestDevice("shoe9", 53), "device"),
    "no cards": (say.TestDevice("stack-shoe"), "cards"),
    "cards for dice": (say.TestDevice("shaker", 53), "cards"),
    "stacks of nothing": (say.TestDevice("stack-shoe", 53, 0), "cards"),
    "a device that moves nothing": (say.TestDevice("wager-sensor", 53), "device"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_tested_is_refused(what: str) -> None:
    """With what was awaited; nothing changes."""
    body, code = REFUSED[what]
    bench = pai_gow(*FULL, "wager-sensor")
    assert refusal(bench.accept(Input(body, 0, Role.SERVICE, by="tom"))).code == code
    assert bench.table.trial is None


def test_nothing_is_tested_while_the_table_is_open() -> None:
    """Nor by the dealer alone, nor a device that does not answer."""
    bench = pai_gow("stack-shoe")
    assert refusal(bench.accept(Input(say.TestDevice("stack-shoe", 53), 0, Role.DEALER))).code == "role"
    bench.read("stack-shoe", read.DeviceLost("unplugged"))
    assert refusal(begin(bench)).text == "stack-shoe: unplugged"
    bench.read("stack-shoe", read.DeviceFound("model", "1", "1.0", ("stack-shoe",)))
    bench.say(say.OpenTable(("ann", "bob")))
    assert refusal(begin(bench)).awaited == "a closed table"


def test_a_sensor_that_moves_nothing_needs_no_test() -> None:
    """It is back as soon as somebody says so."""
    bench = pai_gow("stack-shoe", "wager-sensor")
    told = swap(bench, "wager-sensor")
    assert not any(isinstance(each, fact.DeviceTestDue) for each in told)
    assert isinstance(bench.say(say.OpenTable(("ann", "bob")))[0], fact.TableOpened)


def test_an_untested_device_does_nothing_for_the_table() -> None:
    """A supervisor may let it in by name and reason; until then the round is dealt by hand."""
    bench = pai_gow("stack-shoe")
    bench.say(say.OpenTable(("ann", "bob")))
    bench.new_deck("red")
    assert bench.table.round
    swap(bench)
    answer(bench, "stack-shoe", "2")
    bench.say(say.PlaceWager("2", "pai gow poker"))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    assert bench.table._awaited().verb == "confirm-dealt"
    assert not bench.table.commands
    assert refusal(bench.say(say.WaiveTest("stack-shoe", "seen"))).code == "round"
