"""Rulebooks: what stands in them, how well it is known, and what a house may add."""

from typing import Any

import pytest
from msgspec.structs import replace

from tablectl.errors import ConfigError
from tablectl.games import GAMES, rulebook_text
from tablectl.money import Odds
from tablectl.rulebook import HouseFile, Outcome, Rulebook, Standing

RED_DOG = Rulebook.parse(rulebook_text("red-dog"))
PAI_GOW = Rulebook.parse(rulebook_text("pai-gow-poker"))
PLAIN = HouseFile("red-dog", "Test House", Standing.HOUSE)


def problems(rules: Rulebook, house: HouseFile) -> list[str]:
    return [str(problem) for problem in rules.problems(house)]


@pytest.mark.parametrize("game", GAMES)
def test_every_shipped_rulebook_says_where_each_part_stands(game: str) -> None:
    """Each clause, wager, table and option has a citation, and what was not read says what it rests on."""
    rules = Rulebook.parse(rulebook_text(game))
    parts: list[Any] = [
        *rules.clauses.values(),
        *rules.wagers.values(),
        *rules.tables.values(),
        *rules.options.values(),
    ]
    assert [part.name for part in parts if not part.cites] == []
    doubtful = [part for part in parts if part.standing in (Standing.INFERRED, Standing.DEMONSTRATION)]
    assert [part.name for part in doubtful if not part.basis] == []


@pytest.mark.parametrize("game", GAMES)
def test_every_wager_of_a_shipped_rulebook_finds_what_it_names(game: str) -> None:
    """The wagers it needs and the tables that settle it stand in the same rulebook."""
    rules = Rulebook.parse(rulebook_text(game))
    for kind in rules.wagers.values():
        assert not kind.needs or kind.needs in rules.wagers
        assert set(kind.tables) <= rules.tables.keys()
        assert not kind.excludes or kind.exclusion


def test_what_is_no_line_of_a_table_loses() -> None:
    """A pay table settles every answer: by its line's odds, or as lost."""
    spread = RED_DOG.table("spread")
    assert (spread["1"].outcome, spread["1"].odds) == (Outcome.WIN, Odds(5, 1))
    assert (spread["12"].outcome, spread["12"].odds) == (Outcome.LOSE, None)


def test_odds_below_the_legal_minimum_are_refused_with_the_section() -> None:
    """6.5(i)3: a house may pay more than the table, never less."""
    less = replace(PLAIN, tables={"spread": {"3": "3 to 2"}})
    (found,) = problems(RED_DOG, less)
    assert found.startswith("tables.spread.3: ")
    assert "13:69F-6.5(i)2 allows no less than 2 to 1" in found
    more = RED_DOG.under(replace(PLAIN, tables={"spread": {"3": "5 to 2"}}))
    assert more.table("spread").lines["3"] == Odds(5, 2)
    assert more.table("spread").standing is Standing.HOUSE
    assert RED_DOG.table("spread").lines["3"] == Odds(2, 1), "the rulebook itself stays as it is"


def test_all_mistakes_are_told_at_once_each_with_its_place() -> None:
    """An operator corrects a house file in one pass."""
    wrong = replace(
        PLAIN,
        offers=("insurance",),
        caps={"raise": "5.00"},
        tables={"spread": {"12": "1 to 1", "1": "5 for 1"}, "pairs": {}},
        options={"decks": 9, "ace high": "yes", "jokers": 2},
        confirmed={"weather": "letter 7"},
    )
    found = problems(RED_DOG, wrong)
    places = [problem.split(": ")[0] for problem in found]
    assert places == [
        "offers",
        "caps.raise",
        "tables.spread.12",
        "tables.spread.1",
        "tables.pairs",
        "options.decks",
        'options."ace high"',
        "options.jokers",
        "confirmed.weather",
    ]
    with pytest.raises(ConfigError):
        RED_DOG.under(wrong)


def test_a_number_of_decks_is_no_truth_value() -> None:
    """``true`` is not 1: an option takes a value of its own kind."""
    assert problems(RED_DOG, replace(PLAIN, options={"decks": True}))


def test_another_game_s_house_file_is_refused_as_a_whole() -> None:
    """Nothing else is said about a file for another game."""
    assert len(problems(RED_DOG, replace(PLAIN, game="pai-gow-poker", options={"decks": 9}))) == 1


def test_a_live_table_knows_what_it_may_not_be_opened_on() -> None:
    """Inferred parts are named with their sections until the licensee confirms each; a missing table stays missing."""
    named = RED_DOG.uncertain()
    assert any(part.startswith("decks (13:69F-6.1): inferred") for part in named)
    assert not any("6.5(e)" in part for part in named)
    sure = RED_DOG.under(replace(PLAIN, confirmed={"decks": "letter 7"}))
    assert len(sure.uncertain()) == len(named) - 1


def test_a_part_that_is_not_offered_is_not_uncertain() -> None:
    """The odds of a bonus that the house does not offer keep no table closed."""
    assert not any("bonus" in part for part in PAI_GOW.of("base").uncertain())


def test_a_variant_has_only_its_own_parts() -> None:
    """Dice belong to the base game, three cards to the tables of 11.17."""
    assert "starting position" in PAI_GOW.of("base").clauses
    assert "starting position" not in PAI_GOW.of("bonus").clauses
    assert "three cards" not in PAI_GOW.of("base").clauses


def test_the_wagers_that_open_a_round() -> None:
    """Later and unoffered wagers do not open a round."""
    assert [kind.name for kind in RED_DOG.opening] == ["original"]
    assert [kind.name for kind in PAI_GOW.opening] == ["pai gow poker"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("game = ", "Invalid"),
        ('game = "x"\ntitle = "x"\nchapter = "x"\ncolour = "red"', "colour"),
        ('game = "x"\ntitle = "x"\nchapter = "x"\n[clauses.win]\ncites = "1"\nodds = "3 for 2"', 'written "3 to 2"'),
        ('game = "x"\ntitle = "x"\nchapter = "x"\n[clauses.win]\nodds = "3 to 2"', "cites"),
    ],
)
def test_a_rulebook_that_cannot_be_read_says_why(text: str, found: str) -> None:
    """Broken TOML, an unknown key, wrong odds and a missing citation are each named."""
    with pytest.raises(ConfigError, match=found):
        Rulebook.parse(text)


def test_a_rulebook_tells_what_a_card_found_face_up_means() -> None:
    """The table asks for that clause in every game, so a rulebook without it is refused when it is read."""
    text = 'game = "ninth"\ntitle = "Ninth"\nchapter = "13:69F-99"\n'
    with pytest.raises(ConfigError, match="ninth has no clause 'face up'"):
        Rulebook.parse(text)
