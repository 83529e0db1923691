"""A round is told as it was played: everything of it, in order, and nothing that nobody saw."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tablectl.cards import UNSEEN, Card, cards
from tablectl.cli.recall import recall as recall_command
from tablectl.errors import JournalError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events.announcements import Role
from tablectl.events.codec import Input
from tablectl.events.facts import Fact
from tablectl.journal import Reader
from tablectl.recall import Round, Wanted, only, recall
from tablectl.recall.forms import Stake
from tablectl.recall.page import as_page
from tablectl.recall.story import Happened, strike
from tablectl.recall.text import WIDTH, as_text
from tablectl.rulebook import Outcome
from tablectl.terms import Dealing, Sight, Wagers
from tablectl.view import View
from tests.recalled import AT, SECOND, recorded
from tests.rules.test_pai_gow_poker import dealt
from tests.tables import Bench, Habit, terms

THREE = (("5", "As Ks Qs Js 9s", "2d 2h"), ("3", "Ad Kd Qd Jd 9d", "3s 3h"), ("1", "Kh Kc 8c 5c 4h", "Ah Qh"))
"""Three positions as their players set them, in the order in which they are turned."""


def pai_gow(**changes: Any) -> Bench:
    """Play one round of pai gow poker with three positions; each wagered 100.00."""
    bench = dealt("1", "3", "5", **changes)
    bench.say(say.CloseOffer())
    bench.say(say.ExposeCards("dealer", cards("Qc Tc 8h 7h 5s 3d 2c")))
    for hand, high, low in THREE:
        bench.say(say.SetHand(hand, cards(high), cards(low)))
    return bench


def red_dog(**changes: Any) -> Bench:
    """Play one round of red dog with a raise."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE, **changes))
    for hand in ("2", "4"):
        bench.say(say.PlaceWager(hand, "original", 2500))
    bench.draw("5s Td")
    bench.say(say.Decide("4", "raise", 2500))
    bench.say(say.CloseOffer())
    bench.draw("7c")
    return bench


def told(bench: Bench, folder: Path, **wanted: Any) -> list[Round]:
    return recall(recorded(bench, folder / "journal.db"), Wanted(**wanted))


def test_a_round_is_told_whole(tmp_path: Path) -> None:
    """Wagers, cards, decisions, judgements and payments stand in the story as they stand in the facts, with clauses."""
    bench = red_dog()
    (story,) = told(bench, tmp_path, round=1)

    assert (story.round, story.game, story.result) == (1, "red-dog", "settled")
    assert {name: [lying.card for lying in hand.cards] for name, hand in story.hands.items() if hand.cards} == {
        "left": list(cards("5s")),
        "right": list(cards("Td")),
        "middle": list(cards("7c")),
    }
    settled = [(each.hand, each.wager, each.outcome, each.paid, each.clause) for each in story.stakes]
    facts = [(each.hand, each.wager, each.outcome, each.paid, each.clause) for each in bench.all(fact.WagerSettled)]
    assert sorted(settled) == sorted(facts)
    assert all(each.clause for each in story.stakes)
    assert [each.hand for each in story.discards] == [each.hand for each in bench.all(fact.CardsDiscarded)]
    assert (story.staked, story.paid) == (7500, sum(each.paid or 0 for each in story.stakes))


def test_the_text_fits_a_terminal(tmp_path: Path) -> None:
    """No line is wider than 80 columns, and what a dispute is about can be read in it."""
    (story,) = told(pai_gow(), tmp_path)
    text = as_text(story)

    assert max(map(len, text.splitlines())) <= WIDTH
    assert "Position 3           high A♦ K♦ Q♦ J♦ 9♦ · low 3♠ 3♥" in text
    assert "wins at 1 to 1 pays 95.00 after 5.00 vigorish" in text
    assert "Deck red, shuffle 1 at this table" in text
    assert re.search(r"Dice total 11: position 4 starts +13:69F-31.11\(b\)\n", text)
    assert story.hash in text


@pytest.mark.parametrize("form", ["text", "page", "json"])
@pytest.mark.parametrize("sight", [Sight.CALLED, Sight.EXPOSED])
def test_what_nobody_saw_is_told_in_no_form(tmp_path: Path, form: str, sight: Sight) -> None:
    """A hand that was never turned stays face down, though everything else of the round is told."""
    bench = dealt("1", "3", sight=sight)
    bench.say(say.VoidRound("the dealer was exposed"))
    (story,) = told(bench, tmp_path)
    written = {"text": as_text(story), "page": as_page([story]), "json": str(msgspec.to_builtins(story))}[form]

    lying = [each.card for hand in story.hands.values() for each in hand.cards]
    assert len(lying) == 49
    assert set(lying) == {UNSEEN}
    faces = [str(card) for card in Card if card is not UNSEEN]
    names = {f"'{face}'" for face in faces} | {f"{face[0]}{sign}" for face in faces for sign in "♣♦♥♠"}
    assert [name for name in names if name in written] == []
    assert "face-up" not in written
    assert 'data-face="up"' not in written


def test_how_many_cards_the_shoe_held_is_left_out(tmp_path: Path) -> None:
    """The shoe may be live still while its last round is told to a player."""
    (story,) = told(red_dog(), tmp_path, round=1)

    assert story.deck.left is None
    assert '"left":' not in msgspec.json.encode(story.deck).decode()


def test_what_was_taken_back_is_struck_and_has_no_effect(tmp_path: Path) -> None:
    """An undone wager stands among the lines, marked, and nowhere else."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    bench.say(say.PlaceWager("2", "original", 2500))
    bench.say(say.PlaceWager("3", "original", 9900))
    bench.say(say.Undo())
    bench.draw("5s 6d")
    (story,) = told(bench, tmp_path, round=1)

    assert [(each.hand, each.outcome) for each in story.stakes] == [("2", Outcome.VOID)]
    assert [line.text for line in story.lines if line.taken_back] == ["Position 3: original 99.00 placed"]
    assert any(line.text.startswith("Taken back") for line in story.lines)
    assert "x " in as_text(story)


def test_an_undoing_of_an_undoing_reaches_further_back() -> None:
    """Two undoings take back the last two announcements, not the same one twice."""
    wagers = [fact.WagerPlaced(hand, "original") for hand in ("1", "2", "3")]
    undone = fact.AnnouncementUndone("place-wager", 1)
    nowhere: Any = None
    story = [Happened(nowhere, 0, 0, each) for each in (*wagers, undone, undone)]
    strike(story)

    assert [each.taken_back for each in story] == [False, True, True, False, False]


def test_one_position_is_told_with_what_concerns_all(tmp_path: Path) -> None:
    """--position leaves out the other positions, and keeps dealer, dice and table."""
    (story,) = told(pai_gow(), tmp_path)
    third = only(story, 3)

    assert {name for name in third.hands if name[0].isdigit()} == {"3"}
    assert "dealer" in third.hands
    assert {stake.hand for stake in third.stakes} == {"3"}
    assert not any("osition 5:" in line.text for line in third.lines)
    assert any("Dice total" in line.text for line in third.lines)


def test_rounds_are_found_by_number_by_count_and_by_time(tmp_path: Path) -> None:
    """Each way of asking gives the rounds that were meant, the oldest first."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    for _ in range(4):
        bench.say(say.PlaceWager("2", "original", 2500))
        bench.draw("5s 6d")
    path = recorded(bench, tmp_path / "journal.db")
    openings = [n for n, facts in enumerate(bench.answers) if any(isinstance(each, fact.RoundOpened) for each in facts)]

    def found(**wanted: Any) -> list[int]:
        return [each.round for each in recall(path, Wanted(**wanted))]

    assert found(round=2) == [2]
    assert found(last=3) == [3, 4, 5]
    assert found(last=99) == [1, 2, 3, 4, 5]
    assert found(since=AT + openings[3] * SECOND) == [4, 5]
    assert found(since=AT + (openings[3] + 1) * SECOND) == [5]
    assert [each.result for each in recall(path, Wanted(last=2))] == ["settled", "open"]
    with pytest.raises(JournalError, match="no round 7; it holds 1 to 5"):
        found(round=7)


def test_the_hash_is_that_of_the_record_where_the_round_ended(tmp_path: Path) -> None:
    """Whoever holds the journal can check the story's hash, though later rounds follow."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    for _ in range(2):
        bench.say(say.PlaceWager("2", "original", 2500))
        bench.draw("5s 6d")
    path = recorded(bench, tmp_path / "journal.db")
    (story,) = recall(path, Wanted(round=1))
    with Reader(path) as reader:
        ended = next(each for each in reader.stored() if each.said.number <= story.rows[1] <= each.rows()[-1].number)

    assert story.hash == ended.hash.hex()


def test_a_page_needs_nothing_else(tmp_path: Path) -> None:
    """The page refers to no other file or host, and escapes what people entered."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    bench.say(say.PlaceWager("2", "original", 2500, owner="<b>&"))
    bench.draw("5s 6d")
    page = as_page(told(bench, tmp_path, round=1))

    assert re.findall(r"(?:https?:)?//[\w.]+", page.replace("//", "//", 1)) == []
    assert re.findall(r"\b(?:src|import)\b\s*[=\"(]|url\(", page) == []
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page


GAMES = [("red-dog", "base", Dealing.SHOE), ("pai-gow-poker", "base", Dealing.AUTOMATED)]


@settings(max_examples=25)
@given(st.sampled_from(GAMES), st.integers(0, 10_000), st.sampled_from(Wagers), st.sampled_from(Sight))
def test_whatever_is_played_is_told_as_the_display_showed_it(
    tmp_path_factory: pytest.TempPathFactory,
    game: tuple[str, str, Dealing],
    seed: int,
    wagers: Wagers,
    sight: Sight,
) -> None:
    """Cards and decisions of every hand, and every wager's outcome, agree with the view's own fold of the round."""
    name, variant, dealing = game
    bench = Bench(terms(name, variant, dealing=dealing, wagers=wagers, sight=sight))
    habit = Habit(bench, seed)
    while not bench.all(fact.RoundEnded):
        habit.go_on()
    story = told(bench, tmp_path_factory.mktemp("recall"), round=1)[0]
    view = View(bench.terms.table, "")
    for number, each in enumerate(up_to_the_end(bench.facts)):
        view.fold(each, number, "")

    shown = {name: hand for place in view.state.positions for name, hand in place.hands.items()} | view.state.areas
    for hand, seen in shown.items():
        assert [lying.card for lying in story.hands[hand].cards] == seen.cards
        assert (list(story.hands[hand].high), list(story.hands[hand].low)) == (seen.high, seen.low)
    lying = {(str(p.position), w.wager, w.owner): (w.outcome, w.paid) for p in view.state.positions for w in p.wagers}
    assert lying == {key(stake): (stake.outcome, stake.paid) for stake in story.stakes if is_wager(stake)}
    assert max(map(len, as_text(story).splitlines())) <= WIDTH


def up_to_the_end(facts: list[Fact]) -> list[Fact]:
    end = next(place for place, each in enumerate(facts) if isinstance(each, fact.RoundEnded))
    return facts[: end + 1]


def key(stake: Stake) -> tuple[str, str, str]:
    return stake.hand, stake.wager, stake.owner


def is_wager(stake: Stake) -> bool:
    return not (stake.late or stake.taken_back or stake.wager.startswith("bonus"))


def run(*words: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(recall_command)
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.output


def test_the_command_tells_in_each_form(tmp_path: Path) -> None:
    """Text, JSON and a page come from the same options; what cannot be told is said, with a status of its own."""
    path = str(recorded(red_dog(), tmp_path / "journal.db"))
    page = tmp_path / "round.html"

    assert run(path, "--round", "1")[1].startswith("Round 1 · test/pit1/t01 · red dog · settled\n")
    assert [each["round"] for each in msgspec.json.decode(run(path, "--json", "--round", "1")[1])] == [1]
    assert run(path, "--html", str(page)) == (0, "")
    assert page.read_text().startswith("<!doctype html>")
    assert run(path, "--since", "2099-01-01T00:00Z")[0] == 1
    assert run(path, "--since", "yesterday")[1].endswith("awaited a time like 2026-11-30T14:05, found 'yesterday'\n")
    assert "no round 9" in run(path, "--round", "9")[1]
    assert run(str(tmp_path / "none.db")) == (
        2,
        f"tablectl recall: journal {tmp_path}/none.db: there is no such file\n",
    )


@pytest.mark.parametrize("hand", ["3\u00b2", "\u0663", "3rd", "3.1.x", "-1", "", "nobody"])
def test_a_wager_where_there_is_no_position_is_shown_and_recalled(tmp_path: Path, hand: str) -> None:
    """A name that only looks like a number is no position; a late wager is recorded wherever somebody said it lies."""
    bench = red_dog()
    bench.say(say.PlaceWager("1", "original", 500))
    bench.draw("5s")
    late = bench.say(say.PlaceWager(hand, "original", 500))
    assert isinstance(late[0], fact.WagerLate), late
    view = View("demo/pit1/t01", "e1")
    for seq, happened in enumerate((told for facts in bench.answers for told in facts), 1):
        view.fold(happened, seq, "2026-11-30T12:00:00.000Z")
    bench.draw("6d")

    assert "late" in "".join(as_text(each) for each in told(bench, tmp_path, last=9))


@pytest.mark.parametrize("ahead", [-(2**53), 2**53])
def test_a_video_clock_that_was_never_set_hides_no_round(tmp_path: Path, ahead: int) -> None:
    """However far it is off, the round is told."""
    bench = red_dog()
    bench.accept(Input(say.CompareClocks(ahead), 0, Role.AUDITOR, by="v02"))
    assert "On video" in as_text(told(bench, tmp_path)[0])


def test_a_round_is_found_on_video(tmp_path: Path) -> None:
    """The times on video stand beside the table's, by the last comparison before the round ended, else by a later one;
    the dealers and the gaming day stand there too.
    """
    bench = red_dog()
    bench.accept(Input(say.CompareClocks(-500), 0, Role.AUDITOR, by="v02"))
    bench.accept(Input(say.CompareClocks(9000, "cage"), 0, Role.AUDITOR, by="v02"))
    bench.say(say.BeginDay("2026-11-30", "day"))
    bench.say(say.SignOn("d17"))
    bench.say(say.PlaceWager("1", "original", 500))
    bench.say(say.SignOn("d22"))
    bench.draw("5s 6d")
    bench.accept(Input(say.CompareClocks(2000), 0, Role.AUDITOR, by="v02"))
    first, second = told(bench, tmp_path, last=3)[:2]
    assert (first.video, second.video) == (2000, -500)
    assert (second.dealers, second.day, second.shift) == (["d17", "d22"], "2026-11-30", "day")
    written = as_text(second)
    assert "0.500 s behind the table's" in written
    assert f"On video {clock(second.opened, -500)} to {clock(second.ended, -500)}" in written
    assert "dealer d17, then d22" in written


def clock(ts: str, ahead: int) -> str:
    moment = datetime.fromisoformat(ts) + timedelta(milliseconds=ahead)
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03}"


def test_a_correction_is_told_with_its_round_and_names_what_it_corrects(tmp_path: Path) -> None:
    """Rounds later a supervisor sets a payment right: the round's story ends with it, and the old fact stands."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    for _ in range(3):
        bench.say(say.PlaceWager("2", "original", 2500))
        bench.draw("5s 5d 5c")
    old = next(each for each in bench.all(fact.WagerSettled))
    bench.say(say.CorrectWager(3, "2", "original", old.outcome, old.paid, 100, "misread", "13:69F-6.6"))
    (story,) = told(bench, tmp_path, round=3)

    settled, line = next(each for each in story.lines if "pays 275.00" in each.text), story.lines[-1]
    assert line.corrects == settled.seq
    assert f"It corrects event {settled.seq}" in line.text
    assert only(story, 2).lines[-1] == line
    assert only(story, 3).lines[-1] != line


def test_a_round_played_by_hand_is_told_where_it_was_entered(tmp_path: Path) -> None:
    """An entered round has no number of its own: it is found behind the round in which it was entered."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    for _ in range(2):
        bench.say(say.PlaceWager("2", "original", 2500))
        bench.draw("5s 6d")
    bench.say(say.EnterRound("all lost", "the controller was down", 5000, 0, 5000))
    open_round, entered = told(bench, tmp_path, round=3)

    assert (open_round.result, entered.result) == ("open", "entered")
    assert (entered.staked, entered.collected, entered.reason) == (5000, 5000, "the controller was down")
    assert "all lost" in as_text(entered)
    assert "Deck" not in as_text(entered)
    assert "entered" in as_page([entered])
    assert [each.result for each in recall(tmp_path / "journal.db", Wanted(round=2))] == ["settled"]
    assert [each.result for each in recall(tmp_path / "journal.db", Wanted(last=2))][-1] == "entered"
