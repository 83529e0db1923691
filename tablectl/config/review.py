"""A configuration under review: what can be read of its files is checked, and whatever is wrong is noted in them."""

from typing import Any, TypeVar

from tablectl.config import devices as fleet
from tablectl.config import rules as law
from tablectl.config.form import Device, Limit, Place, Play, TableFile
from tablectl.config.source import Source
from tablectl.errors import ConfigError
from tablectl.rulebook import HouseFile, Rulebook, Variant
from tablectl.terms import Dealing, Mode

Form = TypeVar("Form")


class Review:
    """Reads the files of one table. A part that cannot be read is None, and what rests on it is not judged.

    variant, rules: what the table would play by; own: its house file.
    """

    variant: Variant | None = None
    rules: Rulebook | None = None
    own: HouseFile | None = None

    def __init__(self, table: Source, house: Source | None, rulebook: str) -> None:
        self.table, self.house = table, house
        self.mode, self.place, self.play = (
            table.part(Mode, "mode"),
            table.part(Place, "table"),
            table.part(Play, "game"),
        )
        self.limits: dict[str, Limit] = _parts(table, Limit, "limits")
        self.devices: dict[int, Device] = _parts(table, Device, "device")
        self._check_devices()
        if self.play:
            self._choose(Rulebook.parse(rulebook), self.play)
            self._check_play(self.play)

    def conclude(self) -> TableFile:
        """Return the table file, which nothing is wrong with.

        Raises:
            ConfigError: everything that is wrong, in the order of the files.
        """
        sources = [self.table, self.house] if self.house else [self.table]
        mistakes = [mistake for source in sources for mistake in sorted(source.mistakes, key=lambda each: each.line)]
        file = self.table.part(TableFile)
        if mistakes or not file:
            raise ConfigError(*mistakes)
        return file

    def _choose(self, book: Rulebook, play: Play) -> None:
        """Find the rules of the variant, under the house file."""
        self.table.refuse(law.wrong_variant(play, book))
        self.variant = book.variants.get(play.variant)
        rules = book.of(play.variant)
        if self.variant is None:
            return
        if self.house is None:
            self.rules = rules if self.table.is_sound("game", "house") else None
            return
        self.own = self.house.part(HouseFile)
        if self.own:
            self.house.refuse(rules.problems(self.own))
            self.house.refuse(law.wrong_values(self.own, play.currency))
            self.rules = rules.under(self.own) if self.house.is_sound() else None

    def _check_devices(self) -> None:
        self.table.refuse(fleet.repeated(self.devices))
        if self.mode is Mode.LIVE:
            self.table.refuse(fleet.not_live(self.devices))

    def _check_play(self, play: Play) -> None:
        """Check what rests on the game, the variant, and the rules, as far as each is known."""
        for name, limit in self.limits.items():
            self.table.refuse(law.wrong_limit(limit, ("limits", name), play.currency))
        if self.variant:
            self._check_variant(play, self.variant)
        if self.rules:
            self._check_rules(play, self.rules)

    def _check_variant(self, play: Play, variant: Variant) -> None:
        if self.place:
            self.table.refuse(law.wrong_positions(self.place, variant))
        self.table.refuse(law.wrong_dealing(play, variant))
        if self.table.is_sound("game", "dealing"):
            self._check_fleet(law.dealing_of(play, variant), variant)

    def _check_fleet(self, dealing: Dealing, variant: Variant) -> None:
        self.table.refuse(fleet.useless(self.devices, dealing, variant))
        if self.table.is_sound("device"):
            self.table.refuse(fleet.missing(self.devices, dealing))

    def _check_rules(self, play: Play, rules: Rulebook) -> None:
        """Check what the rules say of the table's wagers, and whether it may be live."""
        self.table.refuse(law.not_offered(self.limits, rules))
        self.table.refuse(law.missing_rounding(rules, play.currency))
        if self.variant:
            (self.house or self.table).refuse(law.missing_offers(play, rules, self.variant))
        if self.own and self.house:
            self.house.refuse(law.low_caps(self.own, rules, self.limits, play.currency))
        if self.mode is Mode.LIVE:
            self.table.refuse(law.not_live(rules, self.own))


def house_path(table: Source) -> str:
    """Return where the table file says that its house file is, empty where it names none that can be read."""
    play = table.part(Play, "game")
    return play.house if play and table.is_sound("game", "house") else ""


def _parts(source: Source, form: type[Form], key: str) -> dict[Any, Form]:
    """Return the parts of a table or an array of tables that can be read, by name or index."""
    found = {name: source.part(form, key, name) for name in source.names(key)}
    return {name: part for name, part in found.items() if part is not None}
