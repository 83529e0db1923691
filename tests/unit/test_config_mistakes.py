"""What is wrong with a table file or its house file is found: all of it, where it stands, and nothing else."""

import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.config import load, read
from tablectl.errors import ConfigError
from tests.table_files import PAI_GOW, PAI_GOW_HOUSE, RED_DOG, RED_DOG_HOUSE, mistakes_of, places_of, spoil, write


class Slip(NamedTuple):
    """What is right, what was written instead, and where that is found."""

    right: str
    wrong: str
    place: str


IN_TABLE = [
    Slip("version = 1", "version = 2", "table.toml:1 version"),
    Slip('mode = "rehearsal"', 'mode = "rehersal"', "table.toml:2 mode"),
    Slip('site = "test"', 'site = "Test Site"', "table.toml:5 table.site"),
    Slip("positions = 6", "positions = 6.0", "table.toml:8 table.positions"),
    Slip('dealing = "shoe"', 'dealing = "hand"', "table.toml:12 game.dealing"),
    Slip('wagers = "amounts"', 'wagers = "amount"', "table.toml:13 game.wagers"),
    Slip("{ community =", "{ comunity =", "table.toml:14 game.cards.comunity"),
    Slip('minimum = "10.00"', "minimum = 10.00", "table.toml:19 limits.original.minimum"),
    Slip('maximum = "500.00"', 'maxmum = "500.0"', "table.toml:20 limits.original.maxmum"),
    Slip('id = "shoe1"', 'id = ""', "table.toml:23 device[1].id"),
    Slip('driver = "otdp-card-shoe"', 'driver = "otdp-cardshoe"', "table.toml:25 device[1].driver"),
    Slip('url = "double:shuffler?seed=1"', 'url = "shuffler"', "table.toml:32 device[2].url"),
    Slip("port = 1883", "port = 0", "table.toml:35 mqtt.port"),
    Slip('protocol = "3.1.1"', 'protocol = "3.1"', "table.toml:36 mqtt.protocol"),
    Slip('path = "journal.db"', "", "table.toml:38 journal.path"),
]
IN_HOUSE = [
    Slip('standing = "house"', 'standing = "read"', "house.toml:3 standing"),
    Slip('1 = "6 to 1"', '1 = "4 to 1"', "house.toml:6 tables.spread.1"),
    Slip("decks = 6", "decks = 9", "house.toml:9 options.decks"),
    Slip('"ace high" = true', '"ace hihg" = true', 'house.toml:10 options."ace hihg"'),
    Slip('"rounding unit" = "0.50"', '"rounding unit" = "0.505"', 'house.toml:11 options."rounding unit"'),
    Slip('"rounding direction" = "up"', '"rounding direction" = 1', 'house.toml:12 options."rounding direction"'),
    Slip('"face up" = "test"', 'spread = "test"', "house.toml:18 confirmed.spread"),
]
EXTRA = {"table.toml:20 limits.original.maxmum": "table.toml:18 limits.original.maximum"}
"""A misspelt key that is needed is also missing, from its table."""


def test_right_files_have_no_mistakes(tmp_path: Path) -> None:
    """The files that these tests spoil are right."""
    assert mistakes_of(tmp_path, RED_DOG, RED_DOG_HOUSE) == []
    assert mistakes_of(tmp_path, PAI_GOW, PAI_GOW_HOUSE) == []


@given(st.sets(st.sampled_from(IN_TABLE)), st.sets(st.sampled_from(IN_HOUSE)))
def test_mistakes_are_found_alone_and_together(in_table: set[Slip], in_house: set[Slip]) -> None:
    """Whatever mistakes come together, each is found on its line, and no other: one run of the check is enough."""
    table, house = RED_DOG, RED_DOG_HOUSE
    for slip in in_table:
        table = spoil(table, slip.right, slip.wrong)
    for slip in in_house:
        house = spoil(house, slip.right, slip.wrong)
    awaited = {slip.place for slip in in_table | in_house}

    with tempfile.TemporaryDirectory() as folder:
        found = places_of(Path(folder), table, house)

    assert sorted(found) == sorted(awaited | {EXTRA[place] for place in awaited & EXTRA.keys()})


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('mode = "rehearsal"', 'mode = "rehersal"', 'one of live, rehearsal, found "rehersal"; did you mean "rehears'),
        ('mode = "rehearsal"', "", "mode: missing; awaited one of live, rehearsal"),
        ('name = "red-dog"', 'name = "reddog"', 'found "reddog"; did you mean "red-dog'),
        (
            'name = "red-dog"',
            'name = "red-dog"\nvariant = "bas"',
            'awaited one of base, found "bas"; did you mean "base',
        ),
        ('dealing = "shoe"', 'dealing = "automated"', 'awaited shoe, found "automated" (13:69F-6.5(d))'),
        ('minimum = "10.00"', "minimum = 10.00", 'an amount in quotes like "15.00", found 10.0'),
        ('minimum = "10.00"', 'minimum = "ten"', 'an amount in quotes like "15.00", found "ten"'),
        ('minimum = "10.00"', 'minimum = "10.0"', "an amount in USD is written \"15.00\", not '10.0'"),
        ('minimum = "10.00"', 'minimum = "0"', "awaited an amount above zero, found 0"),
        ('minimum = "10.00"', 'minimum = "501"', "500.00 is below the minimum of 501"),
        ("[limits.original]", "[limits.orignal]", 'awaited one of original, raise; did you mean "original"'),
        ('currency = "USD"', 'currency = "BTC"', 'awaited one of USD, EUR, GBP, CAD, JPY, found "BTC"'),
        ('cards = { community = "exposed" }', 'cards = "seen"', "one of exposed, called, or a table of dealer, commun"),
        ('site = "test"', 'sight = "test"', 'nothing of that name is awaited here; did you mean "site"?'),
        ('id = "t01"', 'id = "Table 1"', '1 to 32 of a-z, 0-9 and -, found "Table 1"'),
        ("positions = 6", "positions = 0", "a whole number from 1 to 12, found 0"),
        ('id = "shuffler1"', 'id = "shoe1"', '"shoe1" is device[1] already; each id stands once'),
        (
            'url = "double:shuffler?seed=1"',
            'url = "double:card-shoe?seed=1"',
            "is device[1] already; each url stands once",
        ),
        ('kind = "shuffler"', 'kind = "shaker"', "a table with shoe dealing has no use for a shaker"),
        ('driver = "otdp-shuffler"', 'driver = "otdp-shoe"', '"otdp-shoe" drives a stack-shoe; this device is a shuff'),
        ('driver = "otdp-shuffler"', 'driver = "otdp-shufler"', "is installed; there are line-shaker"),
        ('url = "double:shuffler?seed=1"', 'url = "tape:1"', "begins with one of double:, serial:"),
        ('house = "house.toml"', 'house = "hose.toml"', "hose.toml: No such file or directory"),
        ("port = 1883", 'password_file = "no.txt"\nusername = "x"', "no.txt: No such file or directory"),
        ("port = 1883", 'tls = { ca = "no.pem" }', "no.pem: No such file or directory"),
        ("port = 1883", "port =", "this is no TOML: Invalid value (at line 35, column 7)"),
    ],
)
def test_a_mistake_is_told_with_what_was_awaited(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    """A person who reads the message knows what to write instead."""
    texts = [str(mistake) for mistake in mistakes_of(tmp_path, spoil(RED_DOG, right, wrong), RED_DOG_HOUSE)]

    assert any(told in text for text in texts), texts


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A path that was mistyped is told as it was typed."""
    path = tmp_path / "none.toml"

    with pytest.raises(ConfigError, match=r"none\.toml: No such file or directory$"):
        read(path)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are no table file, and no traceback."""
    path = tmp_path / "table.toml"
    path.write_bytes(b"version = 1 \xff")

    with pytest.raises(ConfigError, match=r"table\.toml: no UTF-8 text$"):
        read(path)


def test_a_password_without_a_name_is_refused(tmp_path: Path) -> None:
    """A broker takes no password without a username, so neither does the table file."""
    (tmp_path / "password").write_text("secret\n")

    assert places_of(tmp_path, spoil(RED_DOG, "port = 1883", 'password_file = "password"'), RED_DOG_HOUSE) == [
        "table.toml:34 mqtt.username"
    ]


def test_paths_are_relative_to_the_table_file(tmp_path: Path) -> None:
    """A table file works wherever it is called from, with its password, its house file and its journal beside it."""
    (tmp_path / "password").write_text("secret\n")
    text = spoil(RED_DOG, "port = 1883", 'username = "t01"\npassword_file = "password"')

    _, settings = load(write(tmp_path, text, RED_DOG_HOUSE))

    assert (settings.mqtt.username, settings.mqtt.password, settings.mqtt.protocol) == ("t01", "secret", "3.1.1")
    assert tmp_path / "journal.db" == settings.journal
    assert settings.table == "test/pit1/t01"
    assert [device.id for device in settings.devices] == ["shoe1", "shuffler1"]


def test_a_number_in_quotes_is_told_from_the_number(tmp_path: Path) -> None:
    """What is awaited is written as the file would write it, where a text and a number look alike without quotes."""
    (mistake,) = mistakes_of(tmp_path, spoil(RED_DOG, 'protocol = "3.1.1"', 'protocol = "5"'), RED_DOG_HOUSE)
    assert mistake.text == 'awaited one of 5, "3.1.1", found "5"'
