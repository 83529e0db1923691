"""docs/adding-a-game.md: the game on the page plays, so that whoever follows the page has one that does."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tablectl.games import GAMES
from tablectl.rulebook import HouseFile, Rulebook, Standing
from tests import tables

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-game.md"


def blocks(language: str) -> list[str]:
    """Return what stands on the page in one language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@cache
def module(number: int) -> dict[str, Any]:
    """Run one of the page's modules."""
    names: dict[str, Any] = {"__name__": f"page_{number}"}
    exec(compile(blocks("python")[number], str(PAGE), "exec"), names)
    return names


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the page's game where the tests of the rules find it."""
    book = blocks("toml")[0]
    monkeypatch.setitem(GAMES, "high-card", module(0)["GAME"])
    monkeypatch.setattr(tables, "rulebook_text", lambda _: book)


def test_the_rulebook_and_the_house_file_fit() -> None:
    """The page's house file may say what it says, and what it invents keeps a live table closed."""
    book, house = blocks("toml")[:2]
    rules = Rulebook.parse(book).under(HouseFile.parse(house))

    invented = [name for name, option in rules.options.items() if option.standing is Standing.DEMONSTRATION]
    assert invented == ["rounding unit"]
    assert len(rules.uncertain()) == len(invented)


def test_the_tests_on_the_page_pass() -> None:
    """Whoever copies the page's tests sees them pass."""
    checks = module(1)
    compared = checks["test_the_higher_card_wins"]
    for case in compared.pytestmark[0].args[1]:
        compared(*case)
    checks["test_exceptions_are_called_first"]()


def test_the_strategy_on_the_page_decides_nothing() -> None:
    """The page's strategy is one that the odds take."""
    (strategy,) = module(4)["STRATEGIES"].values()
    assert not strategy.decides
