"""Table files and house files that are right, for tests that spoil them."""

from pathlib import Path

from tablectl.config import Mistake, build_terms, load
from tablectl.errors import ConfigError
from tablectl.terms import Terms

RED_DOG = """\
version = 1
mode = "rehearsal"

[table]
site = "test"
pit = "pit1"
id = "t01"
positions = 6

[game]
name = "red-dog"
dealing = "shoe"
wagers = "amounts"
cards = { community = "exposed" }
house = "house.toml"
currency = "USD"

[limits.original]
minimum = "10.00"
maximum = "500.00"

[[device]]
id = "shoe1"
kind = "card-shoe"
driver = "otdp-card-shoe"
url = "double:card-shoe?seed=1"

[[device]]
id = "shuffler1"
kind = "shuffler"
driver = "otdp-shuffler"
url = "double:shuffler?seed=1"

[mqtt]
port = 1883
protocol = "3.1.1"

[journal]
path = "journal.db"
"""

RED_DOG_HOUSE = """\
game = "red-dog"
name = "Test rules"
standing = "house"

[tables.spread]
1 = "6 to 1"

[options]
decks = 6
"ace high" = true
"rounding unit" = "0.50"
"rounding direction" = "up"
"several positions" = false
"people at a position" = 3
burn = false

[confirmed]
"face up" = "test"
"shoe empty" = "test"
seating = "test"
burn = "test"
"""

PAI_GOW = """\
version = 1
mode = "rehearsal"

[table]
site = "test"
pit = "pit1"
id = "t02"
positions = 6

[game]
name = "pai-gow-poker"
variant = "base"
house = "house.toml"

[limits.imperial]
minimum = "5.00"
maximum = "100.00"

[[device]]
id = "shoe1"
kind = "stack-shoe"
driver = "otdp-shoe"
url = "double:stack-shoe?seed=1"
"""

PAI_GOW_HOUSE = """\
game = "pai-gow-poker"
name = "Test rules"
standing = "house"
offers = ["imperial"]
[caps]
imperial = "40000.00"
"""


def write(folder: Path, table: str, house: str | None = None) -> Path:
    path = folder / "table.toml"
    path.write_text(table, encoding="utf-8")
    if house is not None:
        (folder / "house.toml").write_text(house, encoding="utf-8")
    return path


def mistakes_of(folder: Path, table: str, house: str | None = None) -> list[Mistake]:
    """Return everything that is found wrong with a table file, nothing when it is right."""
    try:
        load(write(folder, table, house))
    except ConfigError as error:
        return list(error.args)
    return []


def places_of(folder: Path, table: str, house: str | None = None) -> list[str]:
    """Return what is found wrong as ``file:line key``."""
    return [f"{Path(each.file).name}:{each.line} {each.place}" for each in mistakes_of(folder, table, house)]


def terms_of(folder: Path, table: str, house: str | None = None) -> Terms:
    configured, _ = load(write(folder, table, house))
    return build_terms(configured)


def spoil(text: str, right: str, wrong: str) -> str:
    """Return the text with something else in one place of it."""
    assert text.count(right) == 1, f"{right!r} stands {text.count(right)} times in the text"
    return text.replace(right, wrong)
