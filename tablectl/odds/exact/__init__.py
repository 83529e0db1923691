"""Every deal there is, where that can be counted: for each game and wager, what all of them come to."""

from importlib import import_module

import msgspec

from tablectl.errors import ConfigError
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.tally import Account


class Exact(msgspec.Struct, frozen=True):
    """How one wager is counted out. function: ``module.name`` here, imported only when it is asked for, since some need
    numpy; best: by best play, whatever the strategy.
    """

    function: str
    best: bool = False

    def by(self, inquiry: Inquiry) -> Account:
        """Count.

        Raises:
            ConfigError: numpy is needed and not installed, or odds cannot be counted exactly.
        """
        module, _, name = self.function.partition(".")
        try:
            counts = getattr(import_module(f"{__name__}.{module}"), name)
        except ModuleNotFoundError as error:
            raise ConfigError(f"--exact: {error.name} counts this; awaited pip install {error.name}") from error
        account: Account = counts(inquiry)
        return account


ENUMERATIONS: dict[tuple[str, str], Exact] = {
    ("red-dog", "original"): Exact("red_dog.every_deal"),
    ("pai-gow-poker", "three-card bonus"): Exact("pai_gow_poker.three_cards"),
    ("pai-gow-poker", "seven-card bonus"): Exact("pai_gow_poker.seven_cards"),
    ("supreme-pai-gow", "bonus"): Exact("supreme_pai_gow.four_cards"),
    ("mississippi-stud", "ante"): Exact("mississippi_stud.best_play", best=True),
    ("mississippi-stud", "three-card bonus"): Exact("mississippi_stud.three_cards"),
    ("four-card-poker", "ante"): Exact("four_card_poker.best_play", best=True),
    ("four-card-poker", "aces up"): Exact("four_card_poker.aces_up"),
    ("spanish-21", "insurance"): Exact("blackjack.insurance"),
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
