"""How players play: named strategies for each game, the best first."""

from tablectl.odds.strategies import (
    four_card_poker,
    mini_tex_3_card_holdem,
    mississippi_stud,
    pai_gow_poker,
    red_dog,
    spanish_21,
    supreme_pai_gow,
    triple_attack_blackjack,
)
from tablectl.odds.strategies.strategy import STAY, Cards, Decision, Hands, Strategy

__all__ = ["STAY", "STRATEGIES", "Cards", "Decision", "Hands", "Strategy"]

STRATEGIES: dict[str, dict[str, Strategy]] = {
    "red-dog": red_dog.STRATEGIES,
    "pai-gow-poker": pai_gow_poker.STRATEGIES,
    "mississippi-stud": mississippi_stud.STRATEGIES,
    "four-card-poker": four_card_poker.STRATEGIES,
    "supreme-pai-gow": supreme_pai_gow.STRATEGIES,
    "mini-tex-3-card-holdem": mini_tex_3_card_holdem.STRATEGIES,
    "spanish-21": spanish_21.STRATEGIES,
    "triple-attack-blackjack": triple_attack_blackjack.STRATEGIES,
}
"""By the game and the strategy's name."""
