"""Pai gow poker at the table, N.J.A.C. 13:69F-11: each statement that a program can hold, and the worked examples."""

from typing import Any

import pytest
from msgspec.structs import replace

from tablectl.cards import UNSEEN, cards
from tablectl.dice import DieFault, Roll
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement
from tablectl.events.codec import encode
from tablectl.events.facts import Fact
from tablectl.games import rulebook_text
from tablectl.money import Direction, Odds, Rounding
from tablectl.rulebook import HouseFile, Outcome, Rulebook, Standing
from tablectl.table import Table
from tablectl.terms import Dealing, Limits, Sight, Wagers
from tests.tables import BANKED, BONUS, IMPERIAL, SURRENDER, Bench, terms

MAIN = "pai gow poker"
CALLED: Any = {"sight": Sight.CALLED}
SHAKER = ("stack-shoe", "shaker")


def table(variant: str = "base", **changes: Any) -> Bench:
    if variant != "base":
        changes.setdefault("house", BONUS)
    return Bench(terms("pai-gow-poker", variant, **changes))


def bet(bench: Bench, *hands: str, wager: str = MAIN, amount: int | None = 10000) -> None:
    for hand in hands:
        bench.say(say.PlaceWager(hand, wager, amount))


def stacks(bench: Bench) -> list[str]:
    """Dispense and take every stack that is due, and return who got one, in order."""
    served = []
    while due := next((due for due in bench.table.commands.values() if isinstance(due, fact.StackDue)), None):
        bench.read("stack-shoe", read.ShoeStackDispensed(due.command, due.stack, due.size, due.left - due.size))
        bench.read("stack-shoe", read.ShoeStackTaken(due.stack))
        served.append(due.hand)
    return served


def stub(bench: Bench) -> int:
    """Release the stub, and return how many cards must be in it."""
    due = next(due for due in bench.table.commands.values() if isinstance(due, fact.StubDue))
    bench.read("stack-shoe", read.ShoeStubReleased(due.command, due.left))
    return due.left


def dealt(*hands: str, total: int = 11, **changes: Any) -> Bench:
    """Return a base table at which every hand was dealt and the stub counted."""
    bench = table(**changes)
    bet(bench, *hands, amount=None if bench.terms.wagers is Wagers.PRESENCE else 10000)
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(total))
    stacks(bench)
    bench.say(say.CountStub(stub(bench)))
    return bench


def bonus(*hands: str, variant: str = "bonus", **changes: Any) -> Bench:
    """Return a bonus table at which every hand has its seven cards and the stub is out."""
    bench = table(variant, **changes)
    bet(bench, *hands)
    bench.say(say.NoMoreBets())
    stacks(bench)
    if variant == "bonus-hand":
        stub(bench)
        bench.say(say.ConfirmDealt())
    else:
        stub(bench)
    return bench


def refusal(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    refused = facts[-1]
    assert isinstance(refused, fact.AnnouncementRefused)
    return refused


def awaited(bench: Bench) -> fact.RoundStepAwaited:
    return bench.table._awaited()


# The base game: dice, seven stacks, exactly four cards


@pytest.mark.parametrize(
    ("total", "order"),
    [
        (8, "dealer 1 2 3 4 5 6"),  # 1
        (14, "1 2 3 4 5 6 dealer"),  # 2
        (11, "4 5 6 dealer 1 2 3"),  # 3
        (3, "5 6 dealer 1 2 3 4"),
        (15, "dealer 1 2 3 4 5 6"),
        (18, "4 5 6 dealer 1 2 3"),
    ],
)
def test_31_10_d_worked_examples_1_to_3(total: int, order: str) -> None:
    """The dice total names the start counterclockwise; the stacks of seven go clockwise to all seven places.

    Sections 11.8B, 11.8C, 31.10(a), 31.11(b)2, 31.11(b)3.
    """
    bench = table()
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(total))
    assert stacks(bench) == order.split()
    assert {due.size for due in bench.all(fact.StackDue)} == {7}
    assert stub(bench) == 4


def test_31_10_b_2_no_stack_before_no_more_bets_and_the_dice() -> None:
    """The shoe is ordered nothing while wagers are open or the dice have not named the start."""
    bench = table()
    bet(bench, "2")
    assert not bench.all(fact.StackDue)
    bench.say(say.NoMoreBets())
    assert not bench.all(fact.StackDue)
    bench.say(say.AnnounceTotal(8))
    assert [due.hand for due in bench.all(fact.StackDue)] == ["dealer"]


def test_each_stack_is_ordered_when_the_last_was_taken() -> None:
    """One stack is out at a time: the next is due only when the gate is empty, whoever says so twice."""
    bench = table()
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    due = bench.all(fact.StackDue)[0]
    bench.read("stack-shoe", read.ShoeStackDispensed(due.command, 1, 7, 46))
    assert len(bench.all(fact.StackDue)) == 1
    bench.read("stack-shoe", read.ShoeStackTaken(1))
    due = bench.all(fact.StackDue)[1]
    bench.read("stack-shoe", read.ShoeStackDispensed(due.command, 2, 7, 39))
    bench.read("stack-shoe", read.ShoeStackTaken(1))
    assert len(bench.all(fact.StackDue)) == 2


def test_31_11_b_three_shakes_before_the_lid() -> None:
    """The shaker is ordered three shakes; dice uncovered after two are no roll, and it is shaken again.

    Sections 11.4, 34.4(a)1.
    """
    bench = table(devices=SHAKER)
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    assert [due.times for due in bench.all(fact.RollDue)] == [3]
    bench.read("shaker", read.ShakerShaken(2))
    told = bench.read("shaker", read.ShakerRolled(Roll(3, 4, 5)))
    assert any(isinstance(found, fact.DiceNoRoll) for found in told)
    assert len(bench.all(fact.RollDue)) == 2


@pytest.mark.parametrize("fault", list(DieFault))
def test_34_14_a_dice_that_are_not_flat_are_no_roll(fault: DieFault) -> None:
    """One die that is cocked, unread or out makes no roll, whatever the others show, with the clause (34.14(b))."""
    bench = table(devices=SHAKER)
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerRolled(Roll(6, 6, fault)))
    assert [told.clause for told in bench.all(fact.DiceNoRoll)] == ["13:69F-34.14(a)"]
    assert refusal(bench.say(say.AnnounceTotal(12))).code == "dice"


def test_34_14_the_dealer_s_no_roll_stands_over_the_sensor() -> None:
    """A valid roll that the dealer calls off does not count; the next one does."""
    bench = table(devices=SHAKER)
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerRolled(Roll(3, 4, 5)))
    bench.say(say.NoRoll("a die was touched"))
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerRolled(Roll(1, 1, 1)))
    bench.say(say.AnnounceTotal())
    assert bench.all(fact.DiceStart) == [fact.DiceStart(3, 3, "5", "13:69F-31.11(b)")]


def test_a_sensor_s_total_counts_only_when_the_dealer_announces_it() -> None:
    """Until one touch confirms it no hand starts; another figure than the sensor's is refused."""
    bench = table(devices=SHAKER)
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerRolled(Roll(3, 4, 5)))
    assert not bench.all(fact.DiceStart)
    assert refusal(bench.say(say.AnnounceTotal(11))).clause == "13:69F-31.11(b)"
    bench.say(say.AnnounceTotal())
    assert bench.all(fact.DiceStart)[0].total == 12


@pytest.mark.parametrize("total", [2, 19, None])
def test_31_11_b_a_total_that_three_dice_cannot_show_is_refused(total: int | None) -> None:
    """Without a sensor the dealer announces 3 to 18."""
    bench = table()
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    assert refusal(bench.say(say.AnnounceTotal(total))).awaited == "a total from 3 to 18"


@pytest.mark.parametrize(("dealing", "devices"), [(Dealing.SHOE, ("card-shoe",)), (Dealing.HAND, ("none",))])
def test_31_8_c_and_11_8_a_one_card_after_another_or_out_of_the_hand(
    dealing: Dealing, devices: tuple[str, ...]
) -> None:
    """Round the table card by card out of a manual shoe, or by the dealer's word (11.8A): seven each, four left."""
    plays_by = terms("pai-gow-poker", dealing=dealing, devices=devices, **CALLED)
    bench = Bench(plays_by if dealing is Dealing.SHOE else replace(plays_by, devices={}))
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(14))
    order = [*"123456", "dealer"]
    if dealing is Dealing.SHOE:
        for _ in range(49):
            bench.read("card-shoe", read.ShoeCardDrawn())
        assert [told.hand for told in bench.found(fact.CardsDealt)] == order * 7
    else:
        bench.say(say.ConfirmDealt())
        assert [(told.hand, len(told.cards)) for told in bench.found(fact.CardsDealt)] == [(hand, 7) for hand in order]
    bench.say(say.CountStub(4))
    assert awaited(bench).what == "hands"


def test_11_12_two_adjacent_areas_where_the_licensee_allows_them() -> None:
    """27.6(e), 34.13(a): side by side and two at most; without the licensee's word one, on every kind of table."""
    for variant in ("base", "bonus"):
        own = BONUS if variant == "bonus" else IMPERIAL
        bench = table(variant, house=own)
        bench.say(say.PlaceWager("2", MAIN, 1000, "ann"))
        assert refusal(bench.say(say.PlaceWager("3", MAIN, 1000, "ann"))).clause == "13:69F-11.12"
        bench = table(variant, house=replace(own, options={"two areas": True}))
        bench.say(say.PlaceWager("2", MAIN, 1000, "ann"))
        assert refusal(bench.say(say.PlaceWager("4", MAIN, 1000, "ann"))).clause == "13:69F-11.12"
        assert isinstance(bench.say(say.PlaceWager("3", MAIN, 1000, "ann"))[0], fact.WagerPlaced)
        assert refusal(bench.say(say.PlaceWager("1", MAIN, 1000, "ann"))).clause == "13:69F-11.12"


def test_31_10_e_1_cards_of_positions_without_a_wager_are_collected_unseen() -> None:
    """After a good count the hands without a wager go to the rack unexposed, before anybody sets (31.8(d)1)."""
    bench = dealt("2", "5")
    collected = [told for told in bench.all(fact.CardsDiscarded) if told.clause == "13:69F-31.10(e)1"]
    assert [told.hand for told in collected] == ["1", "3", "4", "6"]
    assert {told.cards for told in collected} == {(UNSEEN,) * 7}
    assert awaited(bench).step == "offer"


def test_the_remainder_is_counted_every_round_of_the_base_game() -> None:
    """A counting shuffler does not waive the base game's remainder of four (11.8, 31.8(d))."""
    bench = table(devices=("stack-shoe", "shuffler"))
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    stacks(bench)
    stub(bench)
    assert (awaited(bench).step, awaited(bench).clause) == ("count", "13:69F-31.10(e)")


# Wagers


@pytest.mark.parametrize("wager", ["imperial", "three-card bonus", "seven-card bonus"])
def test_11_17_a_an_optional_wager_is_placed_only_where_it_is_offered(wager: str) -> None:
    """A table whose house offers no bonus takes none (11.15, 11.19)."""
    bench = table()
    bet(bench, "2")
    assert refusal(bench.say(say.PlaceWager("2", wager, 500))).code == "wager"


def test_11_17_d_cards_go_only_to_those_with_the_base_wager() -> None:
    """A bonus wager without the base wager beside it is refused; taking the base wager from under one, too."""
    bench = table("bonus")
    assert refusal(bench.say(say.PlaceWager("2", "three-card bonus", 500))).code == "wager"
    bet(bench, "2")
    bet(bench, "2", wager="three-card bonus")
    assert refusal(bench.say(say.TakeBackWager("2", MAIN))).awaited == "the three-card bonus wager taken back first"
    bench.say(say.TakeBackWager("2", "three-card bonus"))
    assert fact.WagerTakenBack("2", MAIN) in bench.say(say.TakeBackWager("2", MAIN))


def test_11_17_a_bonus_and_imperial_exclude_each_other() -> None:
    """A house that offers both is refused with the section."""
    house = replace(BONUS, offers=("three-card bonus", "imperial"))
    with pytest.raises(ConfigError, match=r"13:69F-11\.17\(a\)"):
        Rulebook.parse(rulebook_text("pai-gow-poker")).under(house)


def test_11_18_no_bonus_without_the_operator_s_odds() -> None:
    """The odds of 11.18 were not found, so that a house that names none is refused."""
    house = replace(BONUS, tables={})
    with pytest.raises(ConfigError, match=r"were not found in 13:69F-11\.18"):
        Rulebook.parse(rulebook_text("pai-gow-poker")).of("bonus").under(house)


def test_11_17_c_a_wager_after_no_more_bets_has_no_action() -> None:
    """A late wager is told with the clause that closed wagers, and the deal goes on (31.8(a))."""
    bench = table("bonus")
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    told = bench.say(say.PlaceWager("4", MAIN, 10000))
    assert told[0] == fact.WagerLate("4", MAIN, "13:69F-11.17(c)", 10000)
    assert refusal(told).clause == "13:69F-11.17(c)"
    assert stacks(bench)[:2] == ["2", "dealer"]


# A table with bonus wagers


@pytest.mark.parametrize(("variant", "sizes"), [("bonus", [3] * 4 + [4] * 4), ("bonus-hand", [3] * 4)])
def test_11_17_b_to_g_worked_example_4(variant: str, sizes: list[int]) -> None:
    """Wagers on 2, 4, 5: threes to 2, 4, 5, dealer without dice; 41 left; then fours in the same order; stub 25.

    Sections 11.17(e), 11.17(g)1, 11.17(g)2, 11.8A(b).
    """
    bench = table(variant)
    bet(bench, "5", "2", "4")
    bench.say(say.NoMoreBets())
    order = stacks(bench)
    assert order == ["2", "4", "5", "dealer"] * (len(sizes) // 4)
    assert [due.size for due in bench.all(fact.StackDue)] == sizes
    assert [told.left for told in bench.all(fact.CardsDealt)][3] == 41
    released = stub(bench)
    if variant == "bonus-hand":
        assert released == 41
        assert awaited(bench).clause == "13:69F-11.17(g)1"
        bench.say(say.ConfirmDealt())
        assert [(told.hand, len(told.cards)) for told in bench.all(fact.CardsDealt)[4:]] == [
            (hand, 4) for hand in order
        ]
    assert bench.table.deck_in_shoe().left == 25
    assert not bench.all(fact.RollDue) + bench.all(fact.DiceStart)


def three_card_round(sight: Sight, variant: str = "bonus") -> Bench:
    """Return a table with three-card wagers on 1, 2, 4 before the next four cards."""
    bench = table(variant, sight=sight)
    bet(bench, "1", "2", "4", "5")
    bet(bench, "1", "2", "4", wager="three-card bonus", amount=500)
    bench.say(say.NoMoreBets())
    stacks(bench)
    return bench


@pytest.mark.parametrize("variant", ["bonus", "bonus-hand"])
def test_11_17_f_losers_first_then_winners_before_the_next_four_cards(variant: str) -> None:
    """All losing three-card wagers are collected before any winner is paid, and no fourth card is due before."""
    bench = three_card_round(Sight.CALLED, variant)
    assert awaited(bench).clause == "13:69F-11.17(f)"
    bench.say(say.Call("three-card bonus", "pair", "1"))
    bench.say(say.Call("three-card bonus", "three of a kind", "4"))
    assert len(bench.all(fact.StackDue)) == 5
    assert not bench.all(fact.StubDue)
    bench.say(say.CallOthers("three-card bonus", "nothing"))
    settled = [(told.hand, told.outcome, told.paid) for told in bench.all(fact.WagerSettled)]
    assert settled == [("2", Outcome.LOSE, 0), ("1", Outcome.WIN, 500), ("4", Outcome.WIN, 15000)]


def test_11_17_f_cards_seen_and_cards_called_settle_alike() -> None:
    """A winner who lays his cards open is settled as one whose hand the dealer calls."""
    called, seen = three_card_round(Sight.CALLED), three_card_round(Sight.EXPOSED)
    called.say(say.Call("three-card bonus", "pair", "1"))
    seen.say(say.ExposeCards("1", cards("Ks Kd 2c")))
    for bench in (called, seen):
        bench.say(say.CallOthers("three-card bonus", "nothing"))
    assert called.all(fact.WagerSettled) == seen.all(fact.WagerSettled)


def test_11_17_f_three_cards_are_not_set_as_seven() -> None:
    """A hand of three cannot be laid open as five and two before it has seven."""
    bench = three_card_round(Sight.EXPOSED)
    assert refusal(bench.say(say.SetHand("1", cards("Ks Kd"), cards("2c")))).code == "not-awaited"
    assert bench.table.round
    assert bench.table.round.hands["1"] == [UNSEEN] * 3


def test_11_17_a_the_three_card_bonus_has_no_bearing_on_other_wagers() -> None:
    """A void after the three-card bonus was paid returns what is open and leaves what was settled."""
    bench = three_card_round(Sight.CALLED)
    bench.say(say.CallOthers("three-card bonus", "pair"))
    paid = bench.all(fact.WagerSettled)
    bench.say(say.VoidRound("misdeal"))
    void = bench.all(fact.WagerSettled)[len(paid) :]
    assert [told.wager for told in paid] == ["three-card bonus"] * 3
    assert {(told.wager, told.outcome, told.returned) for told in void} == {(MAIN, Outcome.VOID, 10000)}


@pytest.mark.parametrize("variant", ["bonus", "bonus-hand"])
@pytest.mark.parametrize(
    ("count", "wrong", "clause", "removed"),
    [
        (24, {}, "13:69F-11.17(h)2, 13:69E-1.18", True),  # 5
        (24, {"4": 8}, "13:69F-11.17(h)2", False),  # 6
        (26, {"4": 6}, "13:69F-11.17(h)2", False),
        (25, {"4": 8}, "13:69F-11.17(h)2, 13:69E-1.18", True),
        (26, {"4": 8}, "13:69F-11.17(h)2, 13:69E-1.18", True),
        (25, {"4": 8, "5": 6}, "13:69F-11.17(h)2", False),
    ],
)
def test_11_17_h_worked_examples_5_and_6(
    variant: str,
    count: int,
    wrong: dict[str, int],
    clause: str,
    *,
    removed: bool,
) -> None:
    """A wrong stub voids all hands; the deck leaves the table only when the number is wrong in all (11.11(h))."""
    bench = fifth_round(variant, "2", "4", "5")
    bench.say(say.CountStub(count, wrong))
    assert not bench.all(fact.RoundVoided), "a wrong figure is asked for again"
    bench.say(say.CountStub(count, wrong))
    assert [told.clause for told in bench.all(fact.RoundVoided)] == [clause]
    place = bench.table.custody.decks["red"].place
    assert place is (fact.Place.REMOVED if removed else fact.Place.RACK)
    void = [told for told in bench.all(fact.WagerSettled) if told.outcome is Outcome.VOID]
    assert {(told.returned, told.clause) for told in void} == {(10000, clause)}


def fifth_round(variant: str, *hands: str) -> Bench:
    """Return a table whose deck's stub must be counted in this round."""
    bench = table(variant)
    deck = bench.table.custody.decks["red"]
    bench.table.custody.decks["red"] = replace(deck, rounds_since_count=4)
    bet(bench, *hands)
    bench.say(say.NoMoreBets())
    stacks(bench)
    stub(bench)
    if variant == "bonus-hand":
        bench.say(say.ConfirmDealt())
    assert awaited(bench).step == "count"
    return bench


def test_11_17_h_1_a_good_count_goes_on() -> None:
    """The right figure is taken at once, and the round goes on."""
    bench = fifth_round("bonus", "2", "4", "5")
    bench.say(say.CountStub(25))
    assert bench.all(fact.CardsStubCounted) == [fact.CardsStubCounted(25, 25, "13:69F-11.17(h)")]
    assert awaited(bench).step == "offer"


def test_a_count_is_blind() -> None:
    """The prompt and the refusal of nothing tell what must be left before the figure was given."""
    bench = fifth_round("bonus", "2", "4", "5")
    told = bench.say(say.CountStub(24))
    assert b"25" not in encode(awaited(bench)) + b"".join(map(encode, told))


def test_a_hand_that_a_count_cannot_name_is_refused() -> None:
    """Only a hand of this round that holds something else than seven can be wrong."""
    bench = fifth_round("bonus", "2", "4", "5")
    for wrong in ({"3": 8}, {"4": 7}, {"4": -1}):
        assert refusal(bench.say(say.CountStub(24, wrong))).code == "count"
    assert refusal(bench.say(say.CountStub(-1))).code == "count"


# Settlement


@pytest.mark.parametrize(
    ("call", "outcome", "paid", "vigorish", "clause"),
    [
        ("win", Outcome.WIN, 9500, 500, "13:69F-11.9"),  # 11
        ("push", Outcome.PUSH, 0, 0, "13:69F-11.9"),  # 12, 14
        ("lose", Outcome.LOSE, 0, 0, "13:69F-11.9"),  # 13
        ("foul", Outcome.LOSE, 0, 0, "13:69F-11.9"),  # 15
    ],
)
def test_11_9_worked_examples_11_to_15(call: str, outcome: Outcome, paid: int, vigorish: int, clause: str) -> None:
    """A win pays even money less five percent, a push goes back, a loss and a foul are collected."""
    bench = dealt("3", **CALLED)
    bench.say(say.CloseOffer())
    bench.say(say.Call("result", call, "3"))
    told = bench.all(fact.WagerSettled)[0]
    assert (told.outcome, told.paid, told.vigorish, told.clause) == (outcome, paid, vigorish, clause)


def test_11_9_hands_are_compared_from_the_dealer_s_far_right() -> None:
    """Counterclockwise: 6 before 4 before 1, and each is settled before the next is asked for."""
    bench = dealt("1", "4", "6", **CALLED)
    bench.say(say.CloseOffer())
    asked = []
    for call in ("lose", "win", "push"):
        asked.append(awaited(bench).hand)
        bench.say(say.Call("result", call))
    assert asked == ["6", "4", "1"] == [told.hand for told in bench.all(fact.WagerSettled)]


def test_a_hand_that_was_settled_is_not_called_again() -> None:
    """A call for a hand behind the one that is due is refused; one for a hand to come is kept."""
    bench = dealt("1", "4", "6", **CALLED)
    bench.say(say.CloseOffer())
    bench.say(say.Call("result", "lose", "6"))
    assert refusal(bench.say(say.Call("result", "win", "6"))).awaited == "one of 4, 1"
    assert awaited(bench).hands == ("4", "1")
    bench.say(say.Call("result", "win", "1"))
    bench.say(say.Call("result", "push", "4"))
    assert [told.outcome for told in bench.all(fact.WagerSettled)] == [Outcome.LOSE, Outcome.PUSH, Outcome.WIN]


def test_11_9_the_dealer_s_hand_is_shown_after_all_have_set() -> None:
    """The dealer's cards are not turned while players set (621a.8(c))."""
    bench = dealt("3")
    assert refusal(bench.say(say.ExposeCards("dealer", cards("9s 9d Ac 6h 3d Kc Qd")))).code == "not-awaited"
    bench.say(say.CloseOffer())
    assert (awaited(bench).step, awaited(bench).hand) == ("set", "dealer")


def seen(bench: Bench, dealer: str) -> None:
    bench.say(say.CloseOffer())
    bench.say(say.ExposeCards("dealer", cards(dealer)))


def test_11_9_a_dealer_s_hand_set_otherwise_is_set_again() -> None:
    """The house way decides how the dealer's cards lie, and the difference is told (621a.8(c))."""
    bench = dealt("3")
    bench.say(say.CloseOffer())
    bench.say(say.SetHand("dealer", cards("9s 9d Kc Qd 3d"), cards("Ac 6h")))
    assert bench.all(fact.IrregularityFound)[0].awaited == "the house way"
    assert bench.all(fact.CardsSet)[0].low == cards("Ac Kc")


@pytest.mark.parametrize(
    ("high", "low", "result"),
    [
        ("Ts Th 8c 5d 2s", "As Kd", "push"),
        ("Ts Th 8c 8d 4s", "Ah Jk", "win"),
        ("8s 8h 7c 5d 2s", "Ah Jh", "lose"),
        ("Ah Kd Qh 4s 2c", "7c 7d", "foul"),
    ],
)
def test_11_9_cards_seen_are_judged_against_the_dealer_s(high: str, low: str, result: str) -> None:
    """Both hands higher wins, one pushes, none loses; a copy is the dealer's; high below low is foul."""
    bench = dealt("3")
    seen(bench, "9s 9d Ac Kc Qd 6h 3d")
    bench.say(say.SetHand("3", cards(high), cards(low)))
    assert [(told.answer, told.by) for told in bench.all(fact.RoundJudged)] == [(result, "cards")]


@pytest.mark.parametrize(
    ("high", "low"),
    [
        ("9s Th 8c 5d 2s", "As Kd"),
        ("Ts Ts 8c 5d 2s", "As Kd"),
        ("Ts Th 8c 5d", "As Kd"),
        ("Ts Th 8c 5d ??", "As Kd"),
        ("Jk Jk 8c 5d 2s", "As Kd"),
    ],
)
def test_cards_that_cannot_lie_there_are_refused(high: str, low: str) -> None:
    """The dealer's card, one twice, six cards, an unseen one and a second joker are no hand."""
    bench = dealt("3")
    seen(bench, "9s 9d Ac Kc Qd 6h 3d")
    assert refusal(bench.say(say.SetHand("3", cards(high), cards(low)))).code == "cards"


def test_surrender_before_the_dealer_shows() -> None:
    """Where the house allows it a wager given up is collected at once, and the hand is not compared."""
    bench = dealt("2", "5", house=SURRENDER, **CALLED)
    bench.say(say.Decide("2", "surrender"))
    bench.say(say.CloseOffer())
    assert [(told.hand, told.outcome) for told in bench.all(fact.WagerSettled)] == [("2", Outcome.LOSE)]
    assert awaited(bench).hands == ("5",)
    assert refusal(dealt("2").say(say.Decide("2", "surrender"))).code == "choice"


def test_two_owners_of_one_position_share_its_result() -> None:
    """Both wagers on a position follow its hand, each by its own amount."""
    bench = table(**CALLED)
    bench.say(say.PlaceWager("3", MAIN, 10000, "ann"))
    bench.say(say.PlaceWager("3", MAIN, 4000, "bob"))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    stacks(bench)
    bench.say(say.CountStub(stub(bench)))
    bench.say(say.CloseOffer())
    bench.say(say.Call("result", "win", "3"))
    assert [(told.owner, told.paid) for told in bench.all(fact.WagerSettled)] == [("ann", 9500), ("bob", 3800)]


def test_presence_carries_clause_odds_and_fee_by_chips() -> None:
    """Where only presence is known a payment names its clause, odds and vigorish, and no sum."""
    bench = dealt("3", wagers=Wagers.PRESENCE, **CALLED)
    bench.say(say.CloseOffer())
    bench.say(say.CallOthers("result", "win"))
    told = bench.all(fact.WagerSettled)[0]
    assert (told.by_chips, told.clause, told.odds, told.fee) == (True, "13:69F-11.9", Odds(1, 1), Odds(5, 100))
    assert told.amount is told.paid is told.returned is None


# The imperial bonus


def imperial(amount: int, player: str, dealer: str, cap: int | None = None) -> fact.WagerSettled:
    plays_by = terms("pai-gow-poker", house=IMPERIAL, sight=Sight.EXPOSED)
    bench = Bench(replace(plays_by, caps={} if cap is None else {"imperial": cap}))
    bet(bench, "3")
    bet(bench, "3", wager="imperial", amount=amount)
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    stacks(bench)
    bench.say(say.CountStub(stub(bench)))
    seen(bench, dealer)
    held = cards(player)
    bench.say(say.SetHand("3", held[:5], held[5:]))
    settled: fact.WagerSettled = bench.all(fact.WagerSettled)[1]
    return settled


def test_11_20_b_worked_example_8() -> None:
    """Five aces on five dollars win 5,000 dollars (11.19)."""
    told = imperial(500, "Jk Ah As Ad Ac 9h 4c", "Ks Kd Qc 9s 7h 6d 2c")
    assert (told.outcome, told.paid, told.odds) == (Outcome.WIN, 500_000, Odds(1000, 1))
    assert told.clause == "13:69F-11.20(b)"


def test_11_20_b_c_worked_example_9() -> None:
    """A straight against a nine-high banker wins by both parts of one wager: 20 and 1,000 dollars on ten."""
    told = imperial(1000, "Ah Kd Qc Js Th 4c 2s", "9s 8h 7d 6c 4s 3h 2d")
    assert (told.paid, told.clause) == (102_000, "13:69F-11.20(b), 13:69F-11.20(c)")


def test_11_20_no_part_won_loses() -> None:
    """Two pair pays nothing: the whole wager is collected."""
    told = imperial(1000, "Ah Ad Qc Qs 9h 4c 2s", "Ks Kd Qd 9s 7h 6d 2c")
    assert (told.outcome, told.returned) == (Outcome.LOSE, 0)


@pytest.mark.parametrize(("cap", "paid", "capped"), [(4_000_000, 4_000_000, True), (5_500_000, 5_000_000, False)])
def test_11_20_d_the_cap_covers_what_is_paid(cap: int, paid: int, *, capped: bool) -> None:
    """Winnings above the cap are cut to it and say so; the stake comes back beside them."""
    told = imperial(5000, "Jk Ah As Ad Ac 9h 4c", "Ks Kd Qc 9s 7h 6d 2c", cap)
    assert (told.paid, told.capped, told.returned) == (paid, capped, 5000)


def by_chips(odds: str, maximum: int | None) -> Bench:
    """Return a table that knows no amounts, after the dealer called this of the player's hand; the cap is 40,000."""
    limits = {} if maximum is None else {"imperial": Limits(500, maximum)}
    plays_by = terms("pai-gow-poker", house=IMPERIAL, wagers=Wagers.PRESENCE, limits=limits, **CALLED)
    bench = Bench(replace(plays_by, caps={"imperial": 4_000_000}))
    bench.say(say.PlaceWager("3", "pai gow poker"))
    bench.say(say.PlaceWager("3", "imperial"))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    stacks(bench)
    bench.say(say.CountStub(stub(bench)))
    bench.say(say.CloseOffer())
    bench.say(say.Call("result", "win", "3"))
    bench.say(say.Call("imperial banker hand", "nothing"))
    bench.say(say.Call("imperial player hand", odds, "3"))
    return bench


@pytest.mark.parametrize("answer", ["below", "limit"])
def test_11_20_d_without_amounts_the_dealer_calls_whether_the_limit_is_reached(answer: str) -> None:
    """Asked only where the wager's limits allow it; the answer stands with the payment, and any other is refused."""
    bench = by_chips("five aces", 5000)
    awaited = bench.table._awaited()
    assert (awaited.verb, awaited.what, awaited.hand) == ("call", "imperial", "3")
    assert (awaited.answers, awaited.clause) == (("below", "limit"), "13:69F-11.20(d)")
    assert "win more than 40,000.00 at 1,000 to 1" in awaited.prompt
    assert isinstance(bench.say(say.Call("imperial", "much", "3"))[-1], fact.AnnouncementRefused)
    bench.say(say.Call("imperial", answer, "3"))
    told = bench.all(fact.WagerSettled)[-1]
    assert (told.wager, told.by_chips, told.paid, told.capped) == ("imperial", True, None, answer == "limit")


@pytest.mark.parametrize(
    ("odds", "maximum", "asked"),
    [("five aces", 4000, False), ("five aces", 4001, True), ("straight", 5000, False), ("five aces", None, True)],
)
def test_11_20_d_nothing_is_asked_where_the_limit_cannot_be_reached(
    odds: str, maximum: int | None, *, asked: bool
) -> None:
    """40 dollars at 1,000 to 1 win the limit and no more; without limits on the wager nobody can tell."""
    assert (by_chips(odds, maximum).table._awaited().what == "imperial") == asked


def test_11_20_b_imperial_odds_are_fixed() -> None:
    """A house may set no odds of its own on the imperial bonus."""
    house = HouseFile("pai-gow-poker", "Test", Standing.HOUSE, tables={"imperial player hand": {"flush": "5 to 1"}})
    with pytest.raises(ConfigError, match=r"13:69F-11\.20\(b\) fixes these odds"):
        Rulebook.parse(rulebook_text("pai-gow-poker")).of("base").under(house)


# What the record may hold, and what the dealer has to touch


def test_no_card_identity_reaches_a_fact_before_it_is_shown() -> None:
    """Every fact up to the dealer's exposure holds unseen cards only."""
    bench = dealt("3")
    bench.say(say.CloseOffer())
    dealt_cards = [card for told in bench.all(fact.CardsDealt) for card in told.cards]
    assert dealt_cards == [UNSEEN] * 49
    assert not bench.all(fact.CardsExposed) + bench.all(fact.CardsSet)


@pytest.mark.parametrize(("wagers", "amount"), [(Wagers.PRESENCE, None), (Wagers.AMOUNTS, 10000)])
def test_touch_budget_an_ordinary_round_takes_six_touches_and_one_for_each_exception(
    wagers: Wagers, amount: int | None
) -> None:
    """With sensors for shuffle, dice and stacks and one winner among six, the dealer touches the screen seven times."""
    devices = ("stack-shoe", "shuffler", "shaker")
    bench = Bench(terms("pai-gow-poker", wagers=wagers, devices=devices, **CALLED))
    bet(bench, "1", "2", "3", "4", "5", "6", amount=amount)
    before = sum(isinstance(said.body, Announcement) for said in bench.inputs)
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerRolled(Roll(3, 4, 5)))
    bench.say(say.AnnounceTotal())
    stacks(bench)
    bench.say(say.CountStub(stub(bench)))
    bench.say(say.CloseOffer())
    bench.say(say.Call("result", "win", "3"))
    bench.say(say.CallOthers("result", "lose"))
    assert bench.all(fact.RoundEnded)
    assert sum(isinstance(said.body, Announcement) for said in bench.inputs) - before <= 6 + 1


# A player banks (section 11.10 was not found: inferred, and off by default)


def banked(**options: Any) -> Bench:
    """Return a table where players may bank, after a round that the dealer banked with wagers on 2, 3 and 6."""
    bench = table(house=replace(BANKED, offers=("imperial",), options={**BANKED.options, **options}), **CALLED)
    for hand, amount in (("2", 1000), ("3", 2000), ("6", 3000)):
        bet(bench, hand, amount=amount)
    finish_round(bench, "push")
    return bench


def finish_round(bench: Bench, result: str, dealer: str = "") -> None:
    """Close, deal, and call this result for all, and another for the house's wager; then bring the deck back."""
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(11))
    stacks(bench)
    bench.say(say.CountStub(stub(bench)))
    bench.say(say.CloseOffer())
    if dealer:
        bench.say(say.Call("result", dealer, "dealer"))
    bench.say(say.CallOthers("result", result))
    bench.say(say.ConfirmShuffle("red"))
    bench.load()


def test_11_10_the_dealer_banks_the_first_round_and_every_round_of_a_table_without_the_option() -> None:
    """Nobody is asked before a round was played, nor ever where the house offers no bank."""
    assert awaited(table(house=BANKED)).step == "wagers"
    bench = banked(bank=False)
    assert awaited(bench).step == "wagers"


def test_11_10_the_bank_is_offered_counterclockwise_to_those_who_wagered() -> None:
    """From the dealer's far right on, each may decline; when nobody is left the dealer banks, and the next goes on."""
    bench = banked()
    asked = []
    while awaited(bench).step == "bank":
        asked.append(awaited(bench).hand)
        bench.say(say.Decide(awaited(bench).hand, "decline"))
    assert asked == ["6", "3", "2"]
    assert not bench.all(fact.BankTaken)
    bet(bench, "6", "3", amount=1000)
    finish_round(bench, "push")
    assert awaited(bench).hand == "6"


def test_11_10_no_player_banks_twice_in_a_row() -> None:
    """After 6 banked, the offer goes on with 3; who did not wager against the dealer last is not asked."""
    bench = banked()
    bench.say(say.Decide("6", "bank"))
    bet(bench, "1", "3", amount=1000)
    finish_round(bench, "push")
    assert (awaited(bench).hand, awaited(bench).hands) == ("3", ("3", "2"))
    bench.say(say.CloseOffer())
    assert awaited(bench).step == "wagers"


def test_only_the_player_who_is_asked_answers_and_only_what_is_offered() -> None:
    """Another hand, another word, or a shared bank where the house shares none is refused with the section."""
    bench = banked(**{"co-bank": False})
    for hand, choice in (("3", "bank"), ("6", "fold"), ("6", "co-bank")):
        assert refusal(bench.say(say.Decide(hand, choice))).clause == "13:69F-11.10"


def test_worked_example_16_the_count_begins_with_the_bank() -> None:
    """P3 banks, total 11: P3, P2, P1, dealer; the dealer's position gets the first hand, then clockwise."""
    bench = banked()
    bench.say(say.Decide("6", "decline"))
    bench.say(say.Decide("3", "bank"))
    bet(bench, "1")
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(11))
    assert bench.all(fact.DiceStart)[-1] == fact.DiceStart(11, 4, "dealer", "13:69F-31.11(b)")
    assert stacks(bench) == ["dealer", "1", "2", "3", "4", "5", "6"]


def test_11_10_the_bank_wagers_nothing_and_the_house_no_more_than_its_last_wager() -> None:
    """The bank's own position takes no wager; against it the house wagers its last amount at most, or nothing."""
    bench = banked()
    bench.say(say.Decide("6", "bank"))
    assert refusal(bench.say(say.PlaceWager("6", MAIN, 1000))).code == "position"
    assert refusal(bench.say(say.PlaceWager("dealer", MAIN, 3001))).code == "amount"
    assert isinstance(bench.say(say.PlaceWager("dealer", MAIN, 2000))[0], fact.WagerPlaced)
    assert refusal(bench.say(say.PlaceWager("dealer", MAIN, 1001))).code == "amount"
    assert refusal(bench.say(say.PlaceWager("dealer", "imperial", 500))).code == "position"


def test_11_10_wagers_are_repeated_but_for_the_bank_s_own() -> None:
    """Against a player's bank the others repeat what they wagered against the dealer; the bank plays none."""
    bench = banked()
    bench.say(say.Decide("6", "bank"))
    bench.say(say.RepeatWagers())
    assert [(told.hand, told.amount) for told in bench.found(fact.WagerPlaced)] == [("2", 1000), ("3", 2000)]


def test_11_10_the_house_has_no_wager_against_a_bank_that_it_shares() -> None:
    """Co-banking: half is the house's already (621a.1)."""
    bench = banked()
    assert fact.BankTaken("6", shared=True, clause="13:69F-11.10") in bench.say(say.Decide("6", "co-bank"))
    assert refusal(bench.say(say.PlaceWager("dealer", MAIN, 1000))).code == "position"


@pytest.mark.parametrize(
    ("choice", "result", "house", "told"),
    [
        # 100.00 and 20.00 collected: 120.00 less 5 percent
        ("bank", "lose", "lose", (12000, 0, 11400, 600)),
        # 20.00 from the house, 100.00 paid: no vigorish on a loss
        ("bank", "win", "lose", (2000, 10000, -8000, 0)),
        # half of 100.00 less 5 percent
        ("co-bank", "lose", "", (10000, 0, 4750, 250)),
        ("bank", "push", "push", (0, 0, 0, 0)),
    ],
)
def test_11_10_the_bank_s_net_winnings(choice: str, result: str, house: str, told: tuple[int, ...]) -> None:
    """What the bank collected and paid is told to the cent, with 5 percent of its net winnings kept (621a.1)."""
    bench = banked()
    bench.say(say.Decide("6", choice))
    bet(bench, "1", amount=10000)
    if house:
        bench.say(say.PlaceWager("dealer", MAIN, 2000))
    finish_round(bench, result, house)
    (settled,) = bench.all(fact.BankSettled)
    assert (settled.collected, settled.paid, settled.due, settled.vigorish) == told
    assert settled.shared == (choice == "co-bank")


def test_the_bank_s_cards_are_what_others_are_compared_with() -> None:
    """Seen cards settle against the bank's setting; the dealer's cards are collected where the house does not play."""
    bench = table(house=replace(BANKED, offers=()))
    bench.table.bank = fact.BankRecord(wagers=(fact.Placed("6", MAIN, 3000),))
    bench.say(say.VoidRound("so that the bank is offered"))
    stub(bench)
    bench.say(say.ConfirmShuffle("red"))
    bench.load()
    bench.say(say.Decide("6", "bank"))
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    stacks(bench)
    bench.say(say.CountStub(stub(bench)))
    assert "dealer" in {told.hand for told in bench.found(fact.CardsDiscarded)}
    bench.say(say.CloseOffer())
    assert (awaited(bench).step, awaited(bench).hand) == ("set", "6")
    bench.say(say.SetHand("6", cards("9s9dAc6h3d"), cards("KcQd")))
    bench.say(say.SetHand("2", cards("TsTh8c5d2s"), cards("AhJs")))
    assert [(told.hand, told.outcome) for told in bench.all(fact.WagerSettled)] == [("2", Outcome.WIN)]
    assert bench.all(fact.BankSettled)[0].due == -10000


def test_a_void_round_leaves_the_bank_where_it_was() -> None:
    """Who may bank follows from rounds that were settled."""
    bench = banked()
    bench.say(say.Decide("6", "bank"))
    bet(bench, "1")
    bench.say(say.VoidRound("misdeal"))
    assert bench.table.bank.banked == ""


def test_a_restarted_table_knows_who_may_bank() -> None:
    """The record of the bank outlives a round, as the round's opening tells."""
    bench = banked()
    again = Table(bench.build)
    again.restore(say.Configure("", "", "", "test"), bench.all(fact.RoundOpened)[-1])
    assert again._awaited() == awaited(bench)


def test_a_bank_by_chips_is_told_without_amounts() -> None:
    """Where amounts are not known the bank adds up its own chips."""
    bench = table(house=replace(BANKED, offers=()), wagers=Wagers.PRESENCE, **CALLED)
    bet(bench, "2", "6", amount=None)
    finish_round(bench, "push")
    bench.say(say.Decide("6", "bank"))
    bet(bench, "2", amount=None)
    finish_round(bench, "lose")
    assert bench.all(fact.BankSettled) == [fact.BankSettled("6", "13:69F-11.10", by_chips=True)]


# The bonus wager of 11.15 and the envy bonus; the number generator


def bonus_round(*wagers: tuple[str, str, int | None], presence: bool = False) -> Bench:
    """Return a table at which results were called, with bonus wagers of these owners."""
    house = replace(BANKED, offers=("bonus",), options={**BANKED.options, "bank": False, "two areas": True})
    bench = table(house=house, wagers=Wagers.PRESENCE if presence else Wagers.AMOUNTS, **CALLED)
    for hand, owner, amount in wagers:
        bench.say(say.PlaceWager(hand, MAIN, None if presence else 1000, owner))
        bench.say(say.PlaceWager(hand, "bonus", amount, owner))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    stacks(bench)
    bench.say(say.CountStub(stub(bench)))
    bench.say(say.CloseOffer())
    bench.say(say.CallOthers("result", "push"))
    return bench


def test_11_15_a_premium_hand_pays_the_others_and_not_its_own_player() -> None:
    """Each other player with at least 5 dollars on the bonus gets the fixed amount; ann's other hand does not."""
    bench = bonus_round(("1", "ann", 500), ("2", "ann", 500), ("3", "bob", 500), ("4", "eve", 400))
    bench.say(say.Call("bonus", "five aces", "1"))
    bench.say(say.CallOthers("bonus", "nothing"))
    paid = [(told.hand, told.owner, told.amount) for told in bench.all(fact.RoundBonusPaid)]
    assert paid == [("3", "bob", 25000)]
    won = {told.hand: told.paid for told in bench.all(fact.WagerSettled) if told.wager == "bonus"}
    assert won == {"1": 200_000, "2": 0, "3": 0, "4": 0}


def test_11_15_a_player_with_two_hands_is_paid_once_for_a_premium_hand() -> None:
    """By the wager that is large enough, wherever it lies; unnamed players are told apart by their positions."""
    bench = bonus_round(("1", "ann", 400), ("2", "ann", 500), ("5", "bob", 500), ("6", "", 500))
    bench.say(say.Call("bonus", "five aces", "5"))
    bench.say(say.CallOthers("bonus", "nothing"))
    paid = [(told.hand, told.owner) for told in bench.all(fact.RoundBonusPaid)]
    assert paid == [("6", ""), ("2", "ann")]
    bench = bonus_round(("2", "ann", None), ("1", "ann", None), ("5", "bob", None), presence=True)
    bench.say(say.Call("bonus", "five aces", "5"))
    assert awaited(bench).hand == "2"
    bench.say(say.Call("bonus", "below", "2"))
    bench.say(say.Call("bonus", "from 5.00", "1"))
    assert [told.hand for told in bench.all(fact.RoundBonusPaid)] == ["1"]


@pytest.mark.parametrize(
    ("direction", "paid", "kept"), [(Direction.DOWN, 700, 50), (Direction.UP, 725, 25), (Direction.NEAREST, 725, 25)]
)
def test_11_9_the_vigorish_is_rounded_to_what_chips_can_pay(direction: Direction, paid: int, kept: int) -> None:
    """5 percent of 7.50 is 0.375: in quarters the winner gets 7.00 or 7.25, and what is kept makes up the rest."""
    plays_by = terms("pai-gow-poker", **CALLED)
    bench = Bench(replace(plays_by, rounding=Rounding(25, direction)))
    bet(bench, "1", amount=750)
    finish_round(bench, "win")
    (told,) = bench.all(fact.WagerSettled)
    assert (told.returned, told.paid, told.vigorish) == (750, paid, kept)


def test_11_15_each_premium_hand_pays_once() -> None:
    """Two premium hands envy each other, each once."""
    bench = bonus_round(("1", "ann", 500), ("2", "bob", 500))
    bench.say(say.Call("bonus", "five aces", "2"))
    bench.say(say.Call("bonus", "straight flush", "1"))
    assert [(told.hand, told.amount) for told in bench.all(fact.RoundBonusPaid)] == [("1", 25000), ("2", 5000)]


def test_11_15_by_chips_the_dealer_says_whether_the_wager_is_large_enough() -> None:
    """An amount decides the payout, so that it is asked for where it is not known."""
    bench = bonus_round(("1", "", None), ("2", "", None), presence=True)
    bench.say(say.Call("bonus", "five aces", "2"))
    assert awaited(bench).answers == ("below", "from 5.00")
    bench.say(say.Call("bonus", "from 5.00", "1"))
    assert [(told.hand, told.amount) for told in bench.all(fact.RoundBonusPaid)] == [("1", 25000)]


def test_11_15_no_bonus_without_the_operator_s_odds_nor_beside_those_of_11_17() -> None:
    """The odds of 11.16 were not found; a table of 11.17 has no such wager."""
    rules = Rulebook.parse(rulebook_text("pai-gow-poker"))
    with pytest.raises(ConfigError, match=r"were not found in 13:69F-11\.16"):
        rules.of("base").under(replace(BANKED, tables={}))
    with pytest.raises(ConfigError, match=r"13:69F-11\.17\(a\)"):
        rules.under(replace(BANKED, offers=("bonus", "three-card bonus")))


@pytest.mark.parametrize(("number", "start"), [(1, "dealer"), (2, "6"), (7, "1")])
def test_31_11_c_a_generator_s_number_is_announced_and_counted(number: int, start: str) -> None:
    """Its number from 1 to 7 is counted as a total; no dice are shaken, and no other number is taken.

    Sections 11.8C, 31.11(a).
    """
    bench = table(house=replace(IMPERIAL, options={"start by": "generator"}), devices=SHAKER)
    bet(bench, "2")
    bench.say(say.NoMoreBets())
    assert not bench.all(fact.RollDue)
    for wrong in (0, 8, None):
        assert refusal(bench.say(say.AnnounceTotal(wrong))).awaited == "a total from 1 to 7"
    assert bench.say(say.AnnounceTotal(number))[0] == fact.DiceStart(number, number, start, "13:69F-31.11(c)")
