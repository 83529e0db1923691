"""README.md: it names what there is."""

from pathlib import Path

import pytest

from tablectl.__main__ import COMMANDS
from tablectl.games import GAMES

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_line(command: str) -> None:
    """Whoever adds a command tells of it."""
    assert f"\n| `tablectl {command}" in README


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_line(game: str) -> None:
    """Whoever adds a game tells of it, by the name that the command line takes."""
    assert f" | `{game}` | " in README
