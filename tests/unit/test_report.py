"""What a shift, the decks and wrong counts come to, told from a record."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from typer.testing import CliRunner

from tablectl.cli.report import report as report_command
from tablectl.errors import JournalError
from tablectl.events import announcements as say
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement, Role
from tablectl.events.codec import Input, timestamp
from tablectl.events.record import TurnAway
from tablectl.money import Odds
from tablectl.report import Report, Span, text, told
from tablectl.terms import Dealing, Hold
from tests.recalled import AT, SECOND, recorded
from tests.tables import Bench, terms

MONDAY, TUESDAY = "2026-11-30", "2026-12-01"


def red_dog() -> Bench:
    """Return a table that is open for its first day, with its deck and dealer, and holds large payouts."""
    bench = Bench(replace(terms("red-dog", dealing=Dealing.SHOE), hold=Hold(odds=Odds(4, 1))), ready=False)
    bench.say(say.BeginDay(MONDAY, "day"), by="s04")
    bench.say(say.OpenTable(("s04", "d17")), by="s04")
    bench.say(say.SignOn("d17"))
    bench.accept(Input(say.ReceiveDeck("red-1", "red", seal="S-4711"), AT, Role.DEALER, by="d17"))
    bench.say(say.ConfirmShuffle("red-1"))
    bench.load()
    return bench


def play(bench: Bench, rounds: int = 1) -> None:
    for _ in range(rounds):
        bench.say(say.PlaceWager("1", "original", 2500))
        bench.draw("5s 6d")


def of(bench: Bench, folder: Path, **span: Any) -> Report:
    return told(recorded(bench, folder / "journal.db"), Span(**span))


def test_a_shift_is_told_with_its_names(tmp_path: Path) -> None:
    """Rounds, sums, dealers, voids, rulings, payouts, calls and outages stand in it, each once, with who it was."""
    bench = red_dog()
    play(bench, 2)
    bench.say(say.SignOn("d22"))
    bench.say(say.PlaceWager("1", "original", 2500))
    bench.draw("5s 7d")
    bench.say(say.CloseOffer())
    bench.draw("6c")
    bench.say(say.VerifyPayout("looked"), by="s04")
    bench.say(say.CallFloor("colour change"))
    bench.read("card-shoe", read.DeviceLost("unplugged"))
    bench.say(say.AnswerFloor(), by="s07")
    bench.read("card-shoe", read.DeviceFound("model", "1", "1.0", ("card-shoe",)))
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("5s")
    bench.say(say.Hold("dispute"))
    bench.say(say.PlayStands("the raise lay in time"), by="s04")
    bench.say(say.VoidRound("opened by mistake"), by="s04")

    report = of(bench, tmp_path)

    rounds = report.rounds
    assert (rounds.first, rounds.settled, rounds.void, rounds.staked, rounds.paid) == (1, 3, 1, 7500, 12500)
    assert [(stint.dealer, stint.rounds) for stint in report.dealers] == [("d17", 2), ("d22", 2)]
    assert [(wait.by, wait.waited) for wait in report.payouts] == [("s04", 1000)]
    assert [(wait.text, wait.by, wait.waited) for wait in report.calls] == [
        ("colour change", "s07", 2000),
        ("dispute (play waits)", "s04", 1000),
    ]
    assert [(outage.what, outage.lasted) for outage in report.outages] == [("card-shoe", 2000)]
    assert [line.by for line in report.rulings] == ["s04"]
    assert [line.text for line in report.voids] == ["Round void: opened by mistake"]
    assert "verified by s04 after 1 s" in " ".join(text.shift(report).split())


def test_what_was_turned_away_is_counted_as_refused(tmp_path: Path) -> None:
    """A command that never reached the table is refused like one that did, and stands in no other section."""
    bench = red_dog()
    bench.say(TurnAway("no-more-bets", "dealer", "d17", "k1", "{}", "other-round", "round 1", "it is for round 7"))
    play(bench)
    report = of(bench, tmp_path)
    assert report.refusals == 1
    assert "Clocks" not in text.shift(report)


def test_what_was_taken_back_counts_for_nothing(tmp_path: Path) -> None:
    """A sign-on that was undone leaves no dealer behind; the record still holds both."""
    bench = red_dog()
    play(bench)
    bench.say(say.SignOn("d99"))
    bench.say(say.Undo())
    play(bench)
    report = of(bench, tmp_path)
    assert [line.text for line in report.table_lines if "d99" in line.text] == []
    assert report.rounds.settled == 2


def test_a_day_and_a_shift_hold_only_their_own_rounds(tmp_path: Path) -> None:
    """Each round is reported under the day and shift in which it was played, and the last day is the usual one."""
    bench = red_dog()
    play(bench, 2)
    bench.say(say.BeginShift("swing"))
    play(bench, 3)
    bench.say(say.PlaceWager("1", "original", 2500))
    bench.say(say.BeginDay(TUESDAY, "day"))
    bench.draw("5s 6d")
    play(bench)
    path = recorded(bench, tmp_path / "journal.db")
    counts = {
        (day, shift): told(path, Span(day, shift)).rounds.settled
        for day, shift in ((MONDAY, ""), (MONDAY, "day"), (MONDAY, "swing"), (TUESDAY, ""), ("", ""))
    }
    assert list(counts.values()) == [6, 2, 4, 1, 1]
    assert told(path, Span(since=AT)).rounds.settled == 7
    last = len(bench.inputs) - 1
    assert told(path, Span(since=AT + last * SECOND)).rows[1] == told(path, Span(since=AT)).rows[1]


@pytest.mark.parametrize(
    ("span", "says"),
    [(Span(day="2025-01-01"), f"it holds {MONDAY} to {MONDAY}"), (Span(shift="grave"), "shift grave")],
)
def test_a_day_that_is_not_there_is_named_with_those_that_are(tmp_path: Path, span: Span, says: str) -> None:
    """A wrong day or shift is refused, with what the record holds."""
    path = recorded(red_dog(), tmp_path / "journal.db")
    with pytest.raises(JournalError, match=says):
        told(path, span)


def test_a_record_that_knows_no_days_is_reported_whole(tmp_path: Path) -> None:
    """Without a gaming day the report is of everything."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    play(bench, 2)
    report = of(bench, tmp_path)
    assert (report.day, report.rounds.settled) == ("", 2)


def miscounted(bench: Bench) -> None:
    """Replace the deck by one that is counted wrong, twice."""
    bench.say(say.CloseTable("end of the shift"), by="s04")
    bench.say(say.VoidRound("closed"), by="s04")
    bench.say(say.RemoveDeck("red-1", "worn"), by="s04")
    bench.say(say.ReceiveDeck("red-2", "blue"), by="d22")
    for _ in range(2):
        bench.say(say.CountDeck("red-2", 311), by="d22")


def test_decks_are_listed_with_their_age_and_a_label_when_removed(tmp_path: Path) -> None:
    """13:69E-1.18: each deck with when and from whom it came; one that was removed gets the label of its container."""
    bench = red_dog()
    play(bench)
    miscounted(bench)
    report = of(bench, tmp_path)
    first, second = report.decks["red-1"], report.decks["red-2"]
    assert (first.seal, first.received_by, first.rounds, first.age) == ("S-4711", "d17", 2, 8000)
    assert first.removed
    assert (first.removed.by, second.removed is None) == ("s04", False)
    written = text.decks(report)
    assert written.count("label of its container") == 2
    assert "counted 311 of" in written


def test_counts_that_were_right_are_numbered_and_not_listed(tmp_path: Path) -> None:
    """A day of stub counts fits a line: how many were right, and when the last was."""
    bench = red_dog()
    bench.say(say.CloseTable())
    bench.say(say.VoidRound("recount"))
    for _ in range(3):
        bench.say(say.CountDeck("red-1", bench.table.custody.size))
    report = of(bench, tmp_path)
    assert (report.decks["red-1"].counted_right, report.decks["red-1"].counts) == (3, [])
    assert "counted by people and right: 3, last" in text.decks(report)


def test_a_deck_of_more_than_a_day_is_on_the_list(tmp_path: Path) -> None:
    """13:69E-1.18(b): a deck in use on an open table for more than 24 hours is named, with a mark."""
    report = of(red_dog(), tmp_path)
    report.decks["red-1"].age = 24 * 3600 * 1000
    assert "24 hours at" in text.decks(report)
    assert ": none" in text.decks(report)
    report.decks["red-1"].age += 1
    assert ": red-1" in text.decks(report)
    assert "! red-1" in text.decks(report)


def test_a_deck_that_came_on_another_day_keeps_its_age(tmp_path: Path) -> None:
    """What came before the span is known from the last opening before it."""
    bench = red_dog()
    play(bench, 2)
    bench.say(say.BeginDay(TUESDAY))
    play(bench)
    (deck,) = of(bench, tmp_path).decks.values()
    assert (deck.received, deck.seal, deck.rounds) == (timestamp(AT), "S-4711", 1)
    assert (deck.age or 0) > 10_000


@pytest.mark.parametrize(
    "word", [say.InspectDice("d1"), say.RemoveDice("d1", "worn"), say.InspectDice("d1", "shaved", "NJ-1")]
)
@pytest.mark.parametrize("rounds", [0, 1])
def test_dice_that_came_on_another_day_are_told(tmp_path: Path, word: Announcement, rounds: int) -> None:
    """What happens to them stands in the report, and they do so once, whether or not a round was played since."""
    bench = red_dog()
    bench.say(say.ReceiveDice("d1"))
    bench.say(say.BeginDay(TUESDAY))
    play(bench, rounds)
    bench.say(word, by="s04")
    report = of(bench, tmp_path)

    (dice,) = report.dice
    assert (dice.dice, len(dice.inspections) + (dice.removed is not None)) == ("d1", 1)
    assert "d1" in text.decks(report)


def test_a_discrepancy_is_filled_in_from_the_record(tmp_path: Path) -> None:
    """A wrong count stands with what was awaited, its section, deck and names, and what followed."""
    bench = red_dog()
    miscounted(bench)
    first, second = of(bench, tmp_path).discrepancies
    assert (first.counted, first.said_by, first.deck) == (311, "d22", "red-2")
    assert (second.counted, second.clause, second.deck, second.day) == (311, "13:69E-1.18", "red-2", MONDAY)
    assert second.expected == bench.table.custody.size
    assert any("removed" in line.text for line in second.followed)
    form = text.discrepancy(of(bench, tmp_path / "again"))
    assert "Supervisor        ____" in form


WORDS = st.lists(
    st.sampled_from(
        (
            say.CallFloor("x" * 90),
            say.AnswerFloor(),
            say.Hold("why"),
            say.LiftSuspension("so"),
            say.BeginShift("swing"),
            say.SignOn("a dealer with a name that goes on and on for more than a line of the report holds"),
            say.ReceiveDice("d1"),
            say.InspectDice("d1", "shaved", "NJ-1"),
            say.RemoveDice("d1", "old"),
            say.PlaceWager("1", "original", 500),
            say.DeadGame(),
            say.VoidRound("v"),
            say.ReportFaceUp(),
            say.CloseTable("c"),
            say.Undo(),
        )
    ),
    max_size=12,
)


@settings(max_examples=20)
@given(WORDS)
def test_every_report_fits_the_paper(tmp_path_factory: pytest.TempPathFactory, said: list[Announcement]) -> None:
    """Whatever happened, all three fit 80 columns, and JSON reads back as the same."""
    bench = red_dog()
    for body in said:
        bench.say(body, by="s04")
    bench.accept(Input(say.Read("everything"), 0, Role.AUDITOR, by="a01"))
    report = of(bench, tmp_path_factory.mktemp("record"))
    for write in (text.shift, text.decks, text.discrepancy):
        assert max(map(len, write(report).splitlines())) <= text.WIDTH
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
    assert [line.by for line in report.reads] == ["a01"]


def test_the_command_tells_or_says_why_not(tmp_path: Path) -> None:
    """Text or JSON with 0; a day that is not there, a wrong time and no journal with 2."""
    app = typer.Typer()
    app.command()(report_command)
    bench = red_dog()
    play(bench)
    path = str(recorded(bench, tmp_path / "journal.db"))
    run = CliRunner().invoke
    assert "Shift report" in run(app, ["shift", path]).stdout
    assert msgspec.json.decode(run(app, ["decks", path, "--json"]).stdout)["rounds"]["settled"] == 1
    for wrong in (["--day", "2020-01-01"], ["--since", "noon"]):
        assert run(app, ["shift", path, *wrong]).exit_code == 2
    assert run(app, ["shift", str(tmp_path / "no.db")]).exit_code == 2
