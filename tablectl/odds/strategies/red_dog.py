"""Red dog: whether to raise."""

from functools import partial

from tablectl.games.red_dog import LEFT, RIGHT, spread_of
from tablectl.odds.strategies.strategy import STAY, Decision, Hands, Strategy

BEST = 7
"""The least spread on which half of the cards that are left win, or more."""


def raise_from(least: int, hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    """Raise by the whole wager from this spread on."""
    del hand, answers
    return ("raise", 1) if int(spread_of(tuple(hands[LEFT]), tuple(hands[RIGHT]))) >= least else STAY


def _strategy(least: int, text: str) -> Strategy:
    return Strategy(text, {"raise": partial(raise_from, least)})


STRATEGIES = {
    "best": _strategy(BEST, f"raises by the whole wager from a spread of {BEST} on"),
    "never-raises": Strategy("never raises"),
    "always-raises": _strategy(1, "raises by the whole wager on every spread"),
}
