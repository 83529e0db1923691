"""Every deal there is, where that can be counted: for each game and wager, what all of them come to."""

from collections.abc import Callable

import msgspec

from tablectl.errors import ConfigError
from tablectl.odds.exact import blackjack, pai_gow_poker, red_dog
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.tally import Account


class Exact(msgspec.Struct, frozen=True):
    """How one wager is counted out. by: counts; best: by best play, whatever the strategy; text: what is counted."""

    by: Callable[[Inquiry], Account]
    text: str
    best: bool = False


ENUMERATIONS: dict[tuple[str, str], Exact] = {
    ("red-dog", "original"): Exact(red_dog.every_deal, "every deal played at the table, suits apart"),
    ("pai-gow-poker", "three-card bonus"): Exact(pai_gow_poker.three_cards, "all hands of three cards"),
    ("pai-gow-poker", "seven-card bonus"): Exact(pai_gow_poker.seven_cards, "all hands of seven cards"),
    ("spanish-21", "insurance"): Exact(blackjack.insurance, "every hole card beside the dealer's ace"),
}
"""By the game and the wager."""


def enumeration(inquiry: Inquiry, wager: str) -> Exact:
    """Return how a wager is counted out.

    Raises:
        ConfigError: nobody counts it out, or only for best play.
    """
    found = ENUMERATIONS.get((inquiry.game, wager))
    if found is None:
        known = [name for game, name in ENUMERATIONS if game == inquiry.game]
        where = f"; awaited --wager with one of {', '.join(known)}" if known else "; leave --exact out to simulate it"
        raise ConfigError(f"--exact: the {wager} wager of {inquiry.game} is not counted out{where}")
    if found.best and inquiry.strategy:
        raise ConfigError(f"--exact: the {wager} wager is counted out by best play; awaited no --strategy")
    return found
