"""The games: for each one script (how a round goes) and one rulebook (what it is played by)."""

from importlib.resources import files

from tablectl.games import (
    four_card_poker,
    mini_tex_3_card_holdem,
    mississippi_stud,
    pai_gow_poker,
    red_dog,
    spanish_21,
    supreme_pai_gow,
    triple_attack_blackjack,
)
from tablectl.script import Game

GAMES: dict[str, Game] = {
    game.name: game
    for game in (
        red_dog.GAME,
        pai_gow_poker.GAME,
        mississippi_stud.GAME,
        mini_tex_3_card_holdem.GAME,
        four_card_poker.GAME,
        spanish_21.GAME,
        supreme_pai_gow.GAME,
        triple_attack_blackjack.GAME,
    )
}
"""Every game, by its name on the command line."""


def rulebook_text(game: str) -> str:
    """Return the rulebook that stands beside a game's script."""
    return files(__package__).joinpath(f"{game.replace('-', '_')}.toml").read_text(encoding="utf-8")
