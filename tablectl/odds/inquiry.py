"""What is asked, and the table that answers it: any house, no devices, cards that lie open to it."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from tablectl.errors import ConfigError
from tablectl.games import GAMES, rulebook_text
from tablectl.money import EXACT
from tablectl.odds.strategies import STRATEGIES, Strategy
from tablectl.rulebook import HouseFile, Option, PayTable, Rulebook, Standing
from tablectl.terms import Dealing, Mode, Sight, Terms, Wagers

STAKE = 277_20
"""What is wagered first, in minor units: a number that 1 to 12 and 20 divide, so that odds on it are paid exactly."""
DECKS = "decks"
ALONE = 1
FULL = 6
POSITIONS = {"red-dog": ALONE}
"""How many play: a full table, but where all of them win and lose together."""


class Inquiry(msgspec.Struct, frozen=True, dict=True):
    """What is asked: the odds of one variant of a game.

    house: the text of a house file, empty for the legal minimum; decks: None for as many as the rules say; strategy:
    its name, empty for the best there is.

    Raises:
        ConfigError: something that cannot be asked, and what was awaited.
    """

    game: str
    variant: str = "base"
    house: str = ""
    decks: int | None = None
    strategy: str = ""

    def __post_init__(self) -> None:
        _known("GAME", self.game, STRATEGIES)
        _known("--variant", self.variant, self._book.variants)
        if self.strategy:
            _known("--strategy", self.strategy, STRATEGIES[self.game])
        if self.decks is not None and DECKS not in self._book.options:
            raise ConfigError(f"--decks: the rules leave no choice of decks in {self._book.title}")
        if missing := self._missing():
            raise ConfigError(f"--house: the rules leave to the house, and nothing says, {', '.join(missing)}")

    def _missing(self) -> list[str]:
        """Return what only a house file could say, and does not."""
        offered = [table for table in self.rules.tables.values() if self.rules.offers(table.wager)]
        parts: Iterable[Option | PayTable] = (*self.rules.options.values(), *offered)
        return [part.name for part in parts if part.standing is Standing.MISSING]

    @cached_property
    def _book(self) -> Rulebook:
        return Rulebook.parse(rulebook_text(self.game))

    @cached_property
    def rules(self) -> Rulebook:
        """Return the rules as they are played."""
        rules = self._book.of(self.variant)
        return rules.under(self._own) if self._own else rules

    @cached_property
    def _own(self) -> HouseFile | None:
        """Return what the house plays by, if that is not the legal minimum."""
        house = HouseFile.parse(self.house) if self.house else None
        if self.decks is None:
            return house
        house = house or HouseFile(self.game, "the legal minimum", Standing.DEMONSTRATION)
        return msgspec.structs.replace(house, options={**house.options, DECKS: self.decks})

    @property
    def house_name(self) -> str:
        """Return whose rules are played."""
        return HouseFile.parse(self.house).name if self.house else "the legal minimum"

    @cached_property
    def strategy_name(self) -> str:
        """Return the name of the strategy that is played."""
        return self.strategy or next(iter(STRATEGIES[self.game]))

    @property
    def plays(self) -> Strategy:
        """Return how every player plays."""
        return STRATEGIES[self.game][self.strategy_name]

    @cached_property
    def wagers(self) -> tuple[str, ...]:
        """Return the wagers with which a round begins, the one that the figures are about first."""
        return tuple(kind.name for kind in self.rules.opening)

    @cached_property
    def terms(self) -> Terms:
        """Return what the table plays by. Limits, caps and rounding are a house's, and no part of a pay table."""
        dealing = self._dealing
        return Terms(
            table="odds/odds/odds",
            positions=POSITIONS.get(self.game, FULL),
            mode=Mode.REHEARSAL,
            game=GAMES[self.game],
            variant=self.variant,
            rules=self.rules,
            dealing=dealing,
            wagers=Wagers.AMOUNTS,
            cards=dict.fromkeys(("dealer", "community", "players"), Sight.EXPOSED),
            currency="USD",
            limits={},
            rounding=EXACT,
            caps={},
            devices={"card-shoe": SHOE} if dealing is Dealing.SHOE else {},
            hashes={},
        )

    @property
    def _dealing(self) -> Dealing:
        """Return from the hand, which takes the fewest words; out of a shoe where the game knows nothing else."""
        ways: Mapping[str, object] = dict.fromkeys(self.rules.variants[self.variant].dealing)
        return Dealing.SHOE if list(ways) == [Dealing.SHOE] else Dealing.HAND


SHOE = "shoe"


def _known(what: str, name: str, known: Mapping[str, object]) -> None:
    if name not in known:
        raise ConfigError(f'{what}: awaited one of {", ".join(known)}, found "{name}"')
