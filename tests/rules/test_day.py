"""The table's day: gaming day and shift, dealers, dice, blind counts, calls for the floor, and who reads."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events.announcements import Announcement, Due, Role
from tablectl.events.codec import Input, encode
from tablectl.events.facts import Fact
from tablectl.money import Odds
from tablectl.table import Table
from tablectl.table.day import due
from tablectl.terms import Dealing, Hold
from tablectl.view import View
from tests.tables import Bench, role_of, terms

SECOND = 10**9
DAY = 24 * 3600 * SECOND
MONDAY, TUESDAY = "2026-11-30", "2026-12-01"


def red_dog(**changes: Any) -> Bench:
    return Bench(terms("red-dog", dealing=Dealing.SHOE, **changes))


def refusal(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    refused = facts[-1]
    assert isinstance(refused, fact.AnnouncementRefused), refused
    return refused


def say_at(bench: Bench, at: int, body: Announcement, by: str = "s04") -> tuple[Fact, ...]:
    return bench.accept(Input(body, at, role_of(body), by=by))


def wager(bench: Bench, hand: str = "1") -> None:
    bench.say(say.PlaceWager(hand, "original", 1000))


def finish(bench: Bench) -> None:
    """Deal two consecutive cards, after which wagers go back."""
    bench.draw("5s 6d")


def recovered(bench: Bench) -> Table:
    """Return the table as a start after a crash rebuilds it: from the last opening, and the inputs since."""
    openings = [
        (number, told)
        for number, facts in enumerate(bench.answers)
        for told in facts
        if isinstance(told, fact.RoundOpened)
    ]
    number, opened = openings[-1]
    table = Table(bench.build)
    configured = bench.inputs[0].body
    assert isinstance(configured, say.Configure)
    table.restore(configured, opened)
    for said in bench.inputs[number + 1 :]:
        table.accept(said)
    return table


# Gaming day and shift


def test_a_gaming_day_begins_between_rounds_and_the_round_number_goes_on() -> None:
    """Announced while nobody has wagered it begins at once; the next round carries it, under the next number."""
    bench = red_dog()
    told = bench.say(say.BeginDay(MONDAY, "day"), by="s04")
    assert told[0] == fact.DayBegan(MONDAY, "day", "s04")
    wager(bench)
    finish(bench)
    (first, second) = bench.all(fact.RoundOpened)
    assert (first.day, second.round, second.day, second.shift) == ("", 2, MONDAY, "day")
    assert bench.all(fact.RoundEnded)[0].day == MONDAY


def test_a_gaming_day_never_begins_inside_a_round() -> None:
    """Announced after a wager, or reached by time, it is due, and begins when the round has ended, before the next."""
    for body in (say.BeginDay(TUESDAY), say.TimeReached(Due.GAMING_DAY, TUESDAY)):
        bench = red_dog()
        bench.say(say.BeginDay(MONDAY))
        wager(bench)
        assert bench.say(body)[0] == fact.DayDue(TUESDAY, by="supervisor" if isinstance(body, say.BeginDay) else "")
        finish(bench)
        after = bench.facts[bench.facts.index(bench.all(fact.RoundEnded)[0]) :]
        words = [word.name() for word in after if word.name() in ("round.ended", "day.began", "round.opened")]
        assert words == ["round.ended", "day.began", "round.opened"]
        assert [ended.day for ended in bench.all(fact.RoundEnded)] == [MONDAY]
        assert bench.all(fact.RoundOpened)[-1].day == TUESDAY


def test_a_shift_that_follows_its_day_into_a_round_begins_with_it() -> None:
    """Day and shift that come due in one round begin together."""
    bench = red_dog()
    wager(bench)
    bench.say(say.TimeReached(Due.GAMING_DAY, MONDAY))
    bench.say(say.TimeReached(Due.SHIFT, "swing"))
    finish(bench)
    assert bench.all(fact.DayBegan) == [fact.DayBegan(MONDAY, "swing")]
    assert bench.table.shift == "swing"


def test_a_shift_begins_within_its_day() -> None:
    """A shift needs a gaming day, differs from the last, and is carried by the rounds after it."""
    bench = red_dog()
    assert refusal(bench.say(say.BeginShift("day"))).code == "day"
    bench.say(say.BeginDay(MONDAY, "day"))
    assert refusal(bench.say(say.BeginShift("day"))).code == "shift"
    assert bench.say(say.BeginShift("swing"), by="s04")[0] == fact.ShiftBegan(MONDAY, "swing", "s04")


@pytest.mark.parametrize("day", ["", "monday", "2026-13-01", "20261130", MONDAY])
def test_a_gaming_day_is_a_date_that_is_not_this_one(day: str) -> None:
    """What is no date, and the day that it is already, are refused and change nothing."""
    bench = red_dog()
    bench.say(say.BeginDay(MONDAY))
    assert refusal(bench.say(say.BeginDay(day))).code == "day"
    assert bench.table.day == MONDAY


@given(st.lists(st.sampled_from((MONDAY, TUESDAY, "2026-12-02")), max_size=8))
def test_time_never_takes_the_gaming_day_back(reached: list[str]) -> None:
    """However a clock jumps, the days that it reaches begin in order, each once; only people name an earlier one."""
    bench = red_dog()
    for day in reached:
        bench.say(say.TimeReached(Due.GAMING_DAY, day))
    began = [told.day for told in bench.all(fact.DayBegan)]
    assert began == sorted(set(began))
    bench.say(say.BeginDay("2026-11-01"))
    assert bench.table.day == "2026-11-01"


def test_a_start_in_mid_round_knows_what_is_due() -> None:
    """A table rebuilt from the last opening stands in the same day and shift, with the same day to come."""
    bench = red_dog()
    bench.say(say.BeginDay(MONDAY, "day"))
    bench.say(say.ReceiveDice("d1"))
    bench.say(say.CallFloor("colour change"))
    wager(bench)
    finish(bench)
    wager(bench)
    bench.say(say.BeginDay(TUESDAY, "day"))
    rebuilt = recovered(bench)
    for name in ("day", "shift", "coming", "dice", "call", "dealer"):
        assert getattr(rebuilt, name) == getattr(bench.table, name), name


# Dealers and dead games


def test_relief_is_named_on_the_round_that_it_falls_into() -> None:
    """A round names who opened and who ended it; who signs on relieves the dealer before."""
    bench = red_dog()
    assert bench.say(say.SignOn("d17"))[0] == fact.DealerSignedOn("d17")
    wager(bench)
    assert bench.say(say.SignOn("d22"))[0] == fact.DealerSignedOn("d22", "d17")
    finish(bench)
    assert bench.all(fact.RoundEnded)[0].dealer == "d22"
    assert bench.say(say.SignOn("d22"))[0] == fact.DealerSignedOn("d22")


def test_a_game_is_dead_only_while_nobody_has_wagered() -> None:
    """A dead game needs an open table and an empty layout; the next wager ends it on every display."""
    bench = red_dog()
    view = View("test/pit1/t01", "e")
    assert isinstance(bench.say(say.DeadGame())[0], fact.GameDead)
    for seq, told in enumerate(bench.facts):
        view.fold(told, seq, "")
    assert view.state.dead
    wager(bench)
    view.fold(bench.facts[-1], 99, "")
    assert not view.state.dead
    assert refusal(bench.say(say.DeadGame())).code == "round"
    finish(bench)
    bench.say(say.CloseTable())
    assert refusal(bench.say(say.DeadGame())).code == "table"


# Calls for the floor


def test_a_call_is_answered_with_the_time_that_it_took() -> None:
    """The answer carries the reason and the milliseconds since the first call, and ends its alarm."""
    bench = red_dog()
    say_at(bench, 5 * SECOND, say.CallFloor("colour change"))
    say_at(bench, 9 * SECOND, say.CallFloor("still waiting"))
    told = say_at(bench, 65 * SECOND, say.AnswerFloor())
    assert told[0] == fact.FloorAnswered("s04", "still waiting", 60_000)
    assert "floor" not in bench.table.alarms
    assert refusal(bench.say(say.AnswerFloor())).code == "floor"


@pytest.mark.parametrize("ruling", [say.LiftSuspension("looked"), say.VoidRound("misdeal"), say.PlayStands("looked")])
def test_a_hold_is_a_call_that_its_ruling_answers(ruling: Announcement) -> None:
    """Play waits from the hold on; whatever a supervisor rules on it also answers it, with the time that it took."""
    bench = red_dog()
    wager(bench)
    assert say_at(bench, 0, say.Hold("dispute"))[:2] == (
        fact.FloorCalled("dispute", hold=True),
        fact.TableSuspended("dispute"),
    )
    assert fact.FloorAnswered("s04", "dispute", 90_000) in say_at(bench, 90 * SECOND, ruling)
    assert bench.table.call is None


def test_a_clock_set_back_makes_no_time_below_zero() -> None:
    """An answer stamped before its call waited no time."""
    bench = red_dog()
    say_at(bench, 100 * SECOND, say.CallFloor("fill"))
    assert say_at(bench, SECOND, say.AnswerFloor())[0] == fact.FloorAnswered("s04", "fill", 0)


def test_a_display_shows_since_when_a_call_waits() -> None:
    """The state holds the reason and time of an open call, over the opening of a round too, and none after it."""
    bench, view = red_dog(), View("test/pit1/t01", "e")
    for at, body in ((5, say.CallFloor("fill")), (9, say.CallFloor("fill"))):
        for told in say_at(bench, at * SECOND, body):
            view.fold(told, 1, f"{at}")
    assert (view.state.floor_called, view.state.floor_since) == ("fill", "5")
    wager(bench)
    finish(bench)
    view.fold(bench.all(fact.RoundOpened)[-1], 2, "20")
    assert (view.state.floor_called, view.state.floor_since) == ("fill", "1970-01-01T00:00:05.000Z")
    for told in bench.say(say.AnswerFloor()):
        view.fold(told, 3, "30")
    assert (view.state.floor_called, view.state.floor_since) == ("", "")


# Decks and dice


def test_a_deck_knows_when_it_came() -> None:
    """13:69E-1.18(b): the time at which a deck came to the table outlives rounds, and is shown (1.18(b)2)."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE), ready=False)
    bench.say(say.OpenTable(("s04", "d17")))
    say_at(bench, 7 * SECOND, say.ReceiveDeck("red", "red", seal="S-1"))
    bench.say(say.ConfirmShuffle("red"))
    bench.load()
    opened = bench.all(fact.RoundOpened)[-1]
    (deck,) = opened.snapshot.decks
    assert (deck.received, deck.seal) == (7 * SECOND, "S-1")
    view = View("test/pit1/t01", "e")
    view.fold(opened, 1, "")
    assert view.state.decks[0].received == "1970-01-01T00:00:07.000Z"


def test_a_slip_of_the_finger_costs_no_deck() -> None:
    """13:69E-1.18: a wrong count by hand is asked for once more, without the figure; found twice, the deck goes."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE), ready=False)
    bench.say(say.ReceiveDeck("red", "red"))
    size = bench.table.custody.size
    told = bench.say(say.CountDeck("red", size - 1))
    assert isinstance(told[0], fact.IrregularityFound)
    assert str(size) not in told[0].text.replace(str(size - 1), "")
    bench.say(say.CountDeck("red", size))
    assert bench.all(fact.DeckCounted)[-1].count == size
    bench.say(say.CountDeck("red", size - 1))
    assert not bench.all(fact.DeckRemoved)
    told = bench.say(say.CountDeck("red", size - 1), by="d17")
    assert told[0] == fact.DeckCounted("red", size - 1, size, "13:69E-1.18", "d17")
    assert isinstance(told[1], fact.DeckRemoved)


def test_dice_leave_the_shaker_after_a_day() -> None:
    """13:69E-1.13B: dice at the table for 24 hours raise an alarm, once, which their removal ends (1.16(b)2)."""
    bench = red_dog()
    say_at(bench, SECOND, say.ReceiveDice("d1"))
    table = bench.table
    assert not list(due(table, DAY))
    (reached,) = due(table, DAY + SECOND)
    say_at(bench, DAY, reached)
    assert not table.alarms
    say_at(bench, DAY + SECOND, reached)
    assert [alarm.alarm for alarm in table.alarms.values()] == ["dice:d1"]
    assert not list(due(table, DAY + 2 * SECOND))
    bench.say(say.RemoveDice("d1", "a day old"))
    assert not table.alarms
    assert table.dice is None


def test_a_shaker_holds_one_set_of_dice() -> None:
    """13:69E-1.13B: a second set waits until the first was removed; dice that are not there are neither."""
    bench = red_dog()
    assert refusal(bench.say(say.ReceiveDice(""))).code == "dice"
    bench.say(say.ReceiveDice("d1"))
    assert "d1" in refusal(bench.say(say.ReceiveDice("d2"))).text
    assert refusal(bench.say(say.RemoveDice("d2", "worn"))).code == "dice"
    assert refusal(bench.say(say.InspectDice("d2"))).code == "dice"


def test_a_pit_boss_looks_at_dice_and_shaker() -> None:
    """13:69E-1.16A(b): an inspection has a name; evidence of tampering has a license too, and holds the table."""
    bench = red_dog()
    bench.say(say.ReceiveDice("d1"))
    told = say_at(bench, 7, say.InspectDice("d1"), by="p02")
    assert told == (fact.DiceInspected("d1", "p02", "13:69E-1.16A(b)"),)
    assert bench.table.dice == fact.DiceSet("d1", 0, 7)
    tampered = say.InspectDice("d1", "a shaved edge")
    assert refusal(say_at(bench, 8, tampered, by="p02")).code == "names"
    say_at(bench, 9, replace(tampered, license="NJ-1"), by="p02")
    assert bench.table.alarms["tampering:d1"].latched
    assert "dice" in bench.table.suspended
    bench.say(say.RemoveDice("d1", "a shaved edge"))
    assert not bench.table.suspended
    bench.say(say.ClearAlarm("tampering:d1", "reported"))
    assert not bench.table.alarms


def test_a_large_payout_says_what_waits() -> None:
    """A payout on hold is told with what it pays; presence alone tells its odds and no amount."""
    bench = Bench(replace(terms("red-dog", dealing=Dealing.SHOE), hold=Hold(odds=Odds(4, 1))))
    wager(bench)
    bench.draw("5s 7d")
    bench.say(say.CloseOffer())
    bench.draw("6c")
    (held,) = bench.found(fact.PayoutHeld)
    assert (held.hand, held.what, held.amount, held.odds) == ("1", "original", 5000, Odds(5, 1))
    assert "payout" in bench.table.suspended


# Beside the game

ASIDE = (
    Input(say.Read("rounds 1 to 3"), 0, Role.AUDITOR, by="a01"),
    Input(say.CompareClocks(1240), 0, Role.AUDITOR, by="a01"),
    Input(say.ReportClock(synchronised=True, error=12), 0, Role.SYSTEM),
)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(ASIDE)), max_size=4))
def test_who_reads_changes_nothing(read: list[tuple[int, Input]]) -> None:
    """Wherever a reading or a clock is noted in a round, undo and play go as they go without it, on displays too."""
    bodies = [
        say.PlaceWager("1", "original", 1000),
        say.PlaceWager("2", "original", 1000),
        say.Undo(),
        say.TakeBackWager("1", "original"),
        say.Undo(),
        say.PlaceWager("3", "original", 500),
    ]
    plain, noted = red_dog(), red_dog()
    views = View("test/pit1/t01", "e"), View("test/pit1/t01", "e")
    for place, body in enumerate(bodies):
        for _, aside in (pair for pair in read if pair[0] == place):
            (told,) = noted.accept(aside)
            assert isinstance(told, fact.ASIDE)
        assert list(map(encode, plain.say(body))) == list(map(encode, noted.say(body)))
    for view, bench in zip(views, (plain, noted), strict=True):
        for told in bench.facts:
            view.fold(told, 0, "")
    assert views[0].state == views[1].state


@pytest.mark.parametrize("body", [say.Read("all"), say.CompareClocks(3), say.ReportClock(synchronised=True, error=0)])
def test_only_readers_note_what_they_read(body: Announcement) -> None:
    """A dealer, and whoever else a word is not for, is refused; an auditor says nothing that plays."""
    bench = red_dog()
    assert refusal(bench.accept(Input(body, 0, Role.DEALER, by="d17"))).code == "role"
    for playing in (say.CloseTable(), say.SignOn("a01"), say.VoidRound("x"), say.BeginDay(MONDAY)):
        assert refusal(bench.accept(Input(playing, 0, Role.AUDITOR, by="a01"))).code == "role"
