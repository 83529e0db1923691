"""docs/rules.md: it says what the rulebooks and the tests say."""

import pytest

from tablectl.games import GAMES
from tests.rules_page import EQUIPMENT, PAGE, Section, checks_of, page, sections, sections_of_name, statements


def test_the_page_is_up_to_date() -> None:
    """Whoever changes a rule, or a test of one, writes docs/rules.md anew: ``python -m tests.rules_page``."""
    assert page() == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("game", [*GAMES, EQUIPMENT])
def test_every_numbered_statement_is_named_by_a_test_or_beyond_a_program(game: str) -> None:
    """Each statement that a game rests on is held by a test that names it; the others have a reason, and stand once."""
    known = statements()[game]
    beyond = [section for each in known.beyond for section in each.sections]
    assert known.unnamed(checks_of(game)) == []
    assert all(each.reason for each in known.beyond)
    assert len({*known.held, *beyond}) == len(known.held) + len(beyond)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("13:69F-6.5(f)1", {("6.5", "f", "1")}),
        ("13:69F-19.5(a)1, 2, 4, (e)", {("19.5", "a", "1"), ("19.5", "a", "2"), ("19.5", "a", "4"), ("19.5", "e")}),
        ("13:69F-11.17(h)2, 13:69E-1.18", {("11.17", "h", "2"), ("1.18",)}),
        ("13:69F-35.7, 35.8, 35.9", {("35.7",), ("35.8",), ("35.9",)}),
        ("9 NYCRR 5324.12(e)(1)", {("5324.12", "e", "1")}),
        ("58 Pa. Code 635a.2, 665a.1", {("635a.2",), ("665a.1",)}),
        ("S.D. Admin. R. 20:18:15:28", {("20:18:15:28",)}),
        ("19.5(f) and (g) are certain (27.10(b)).", {("19.5", "f"), ("19.5", "g"), ("27.10", "b")}),
        ("Example 3: 22 loses at once, at 21 in 2, 3 or 4 cards.", set()),
    ],
)
def test_sections_are_found_in_a_text(text: str, named: set[Section]) -> None:
    """Citations and prose name the sections that a reader would find in them, and no other."""
    assert set(sections(text)) == named


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("test_6_5_f_1_eleven_to_one_is_fixed", {("6.5", "f", "1")}),
        ("test_36_5_b_21_in_more_cards_wins_at_once", {("36.5", "b")}),
        ("test_36_14_b_a_ten_waits_for_a_supervisor", {("36.14", "b")}),
        ("test_11_20_b_c_worked_example_9", {("11.20", "b"), ("11.20", "c")}),
        ("test_27_7_and_27_8_manual_shoe_and_hand", {("27.7",), ("27.8",)}),
        ("test_19_5_a_and_b", {("19.5", "a"), ("19.5", "b")}),
        ("test_worked_examples_11_and_12", set()),
    ],
)
def test_sections_are_found_in_a_name(name: str, named: set[Section]) -> None:
    """A test's name names its sections, and the words behind them are none."""
    assert set(sections_of_name(name)) == named
