"""How players play: named strategies for each game, the best first."""

from tablectl.odds.strategies import pai_gow_poker, red_dog
from tablectl.odds.strategies.strategy import STAY, Cards, Decision, Hands, Strategy

__all__ = ["STAY", "STRATEGIES", "Cards", "Decision", "Hands", "Strategy"]

STRATEGIES: dict[str, dict[str, Strategy]] = {
    "red-dog": red_dog.STRATEGIES,
    "pai-gow-poker": pai_gow_poker.STRATEGIES,
}
"""By the game and the strategy's name."""
