"""A configuration under review: what can be read of its files is checked, and whatever is wrong is noted in them."""

from typing import NamedTuple

from tablectl.config import devices as fleet
from tablectl.config import rules as law
from tablectl.config.form import Payouts, Play, TableFile
from tablectl.config.source import Source
from tablectl.errors import ConfigError
from tablectl.rulebook import HouseFile, Rulebook, Standing, Variant
from tablectl.terms import Dealing, Mode


class Basis(NamedTuple):
    """What a table plays by. own: its house file, if it has one."""

    file: TableFile
    variant: Variant
    rules: Rulebook
    own: HouseFile | None


class Review:
    """Reads the files of one table. A part that cannot be read is None, and what rests on it is not judged.

    variant, rules: what the table would play by; own: its house file.
    """

    variant: Variant | None = None
    rules: Rulebook | None = None
    own: HouseFile | None = None

    def __init__(self, table: Source, house: Source | None, rulebook: str) -> None:
        self.table, self.house = table, house
        self.play = table.part(Play, "game")
        self.is_live = table.part(Mode, "mode") is Mode.LIVE
        self.minima = table.column(str, "limits", "minimum")
        self.devices = fleet.Devices.of(table)
        self._check_devices()
        if self.play:
            self._choose(Rulebook.parse(rulebook), self.play)
            self._check_play(self.play)

    def conclude(self) -> Basis:
        """Return what the table plays by, when nothing is wrong with its files.

        Raises:
            ConfigError: everything that is wrong, in the order of the files.
        """
        sources = [self.table, self.house] if self.house else [self.table]
        mistakes = [mistake for source in sources for mistake in sorted(source.mistakes, key=lambda each: each.line)]
        file = self.table.part(TableFile)
        if mistakes or not (file and self.variant and self.rules):
            raise ConfigError(*mistakes)
        return Basis(file, self.variant, self.rules, self.own)

    def _choose(self, book: Rulebook, play: Play) -> None:
        """Find the rules of the variant, under the house file."""
        if self.table.is_sound("game", "variant"):
            self.table.refuse(law.wrong_variant(play, book))
            self.variant = book.variants.get(play.variant)
        if not self.variant:
            return
        rules = book.of(play.variant)
        if self.house:
            self.rules = self._under_house(rules, self.house, play.name)
        elif self.table.is_sound("game", "house"):
            self.table.refuse(law.missing_house(rules))
            self.rules = rules

    def _under_house(self, rules: Rulebook, house: Source, game: str) -> Rulebook | None:
        self.own = house.part(HouseFile, game=game, name="", standing=Standing.HOUSE)
        if self.own:
            house.refuse(rules.problems(self.own))
            if self.currency:
                house.refuse(law.wrong_values(self.own, self.currency))
        return rules.under(self.own) if self.own and house.is_sound() else None

    @property
    def currency(self) -> str:
        """Return the currency of the table, empty where it cannot be read."""
        return self.play.currency if self.play and self.table.is_sound("game", "currency") else ""

    def _check_devices(self) -> None:
        self.table.refuse(fleet.repeated(self.devices))
        if self.is_live:
            self.table.refuse(fleet.not_live(self.devices))

    def _check_play(self, play: Play) -> None:
        """Check what rests on the currency, the variant and the rules, as far as each is known."""
        if self.currency:
            maxima = self.table.column(str, "limits", "maximum")
            self.table.refuse(law.wrong_limits(self.minima, maxima, self.currency))
            self.table.refuse(law.wrong_hold(self.table.part(Payouts, "payouts") or Payouts(), self.currency))
        if self.variant:
            self._check_variant(play, self.variant)
        if self.variant and self.rules:
            self._check_rules(self.variant, self.rules)

    def _check_variant(self, play: Play, variant: Variant) -> None:
        positions = self.table.part(int, "table", "positions")
        if positions:
            self.table.refuse(law.wrong_positions(positions, variant))
        self.table.refuse(law.wrong_dealing(play, variant))
        if self.table.is_sound("game", "dealing"):
            self._check_fleet(law.dealing_of(play, variant), variant)

    def _check_fleet(self, dealing: Dealing, variant: Variant) -> None:
        if self.table.is_sound("device"):
            self.table.refuse(fleet.missing(self.devices, dealing, variant))
        self.table.refuse(fleet.useless(self.devices, dealing, variant))

    def _check_rules(self, variant: Variant, rules: Rulebook) -> None:
        """Check what the rules say of the table's wagers, and whether it may be live."""
        self.table.refuse(law.not_offered(self.table.names("limits"), rules))
        if self.house:
            self.house.refuse(law.missing_offers(rules, variant, ("offers",)))
        else:
            self.table.refuse(law.missing_offers(rules, variant, ("game", "house")))
        if self.currency:
            self._check_amounts(rules, self.currency)
        if self.is_live:
            self.table.refuse(law.not_live(rules, self.own))

    def _check_amounts(self, rules: Rulebook, currency: str) -> None:
        self.table.refuse(law.missing_rounding(rules, currency))
        if self.house and self.own and self.table.is_sound("limits"):
            self.house.refuse(law.low_caps(self.own, rules, self.minima, currency))


def house_path(table: Source) -> str:
    """Return where the table file says that its house file is, empty where it names none that can be read."""
    play = table.part(Play, "game")
    return play.house if play and table.is_sound("game", "house") else ""
