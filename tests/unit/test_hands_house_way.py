"""The house way: what the common one does, and how a licensee's own is read and refused."""

import tomllib
from typing import Any

import msgspec
import pytest

from tablectl.cards import cards
from tablectl.hands.common_way import COMMON_WAY
from tablectl.hands.house_way import HouseWay, set_hand


@pytest.mark.parametrize(
    ("dealt", "setting"),
    [
        ("As Kd Qh 9c 7d 5s 3c", "As 9c 7d 5s 3c / Kd Qh"),
        ("As Ks Qh 9s 7s 5s 3c", "As Ks 9s 7s 5s / Qh 3c"),
        ("As Kd Qh 9c 7d 5s 5c", "Qh 9c 7d 5s 5c / As Kd"),
        ("8s 8d 7h 6c 5d 4s Kc", "8s 7h 6c 5d 4s / Kc 8d"),
        ("5c 5d 4h 4s Kd 3c 2h", "5d 5c 4s 4h 2h / Kd 3c"),
        ("5c 5d 4h 4s Qd 3c 2h", "Qd 5d 5c 3c 2h / 4s 4h"),
        ("9c 9d 8h 8s Kd 3c 2h", "Kd 9d 9c 3c 2h / 8s 8h"),
        ("9c 9d 8h 8s Ad 3c 2h", "9d 9c 8s 8h 2h / Ad 3c"),
        ("Kc Kd 8h 8s Ad 3c 2h", "Ad Kd Kc 3c 2h / 8s 8h"),
        ("Kc Kd 8h 8s 4d 4c 2h", "8s 8h 4d 4c 2h / Kd Kc"),
        ("Jk As Ah 9c 7d 4h 2s", "As Ah 7d 4h 2s / 9c Jk"),
        ("9c 9d 9h Ks Qd 4c 2h", "9h 9d 9c 4c 2h / Ks Qd"),
        ("9c 9d 9h 5s 5d 3c 3h", "9h 9d 9c 3h 3c / 5s 5d"),
        ("9c 9d 9h 5s 5d 5c 2h", "5s 5d 5c 2h 9h / 9d 9c"),
        ("4c 4d 4h 4s Kd Qc 3h", "4s 4h 4d 4c 3h / Kd Qc"),
        ("9c 9d 9h 9s Kd Qc 3h", "Kd Qc 9s 9h 3h / 9d 9c"),
        ("9c 9d 9h 9s Ad Qc 3h", "9s 9h 9d 9c 3h / Ad Qc"),
        ("4c 4d 4h 4s 3d 3c 3h", "4s 4h 4d 4c 3h / 3d 3c"),
        ("Ac Ad Ah As 3d 3c 5h", "As Ah 5h 3d 3c / Ad Ac"),
        ("Ac Ad Ah As Jk Kd Kc", "As Ah Ad Ac Jk / Kd Kc"),
        ("Ac Ad Ah As Jk Qd Qc", "As Ah Ad Qd Qc / Ac Jk"),
        ("Ac Ad Ah As Jk Qd 5c", "As Ah Ad Qd 5c / Ac Jk"),
    ],
)
def test_common_way(dealt: str, setting: str) -> None:
    """The common way sets these seven cards as its rules say."""
    found = set_hand(cards(dealt), COMMON_WAY)
    high, low = setting.split(" / ")

    assert (set(cards(high)), set(cards(low))) == (set(found.high), set(found.low))


def test_a_way_is_read_from_a_house_file() -> None:
    """A licensee's way in TOML is followed: this one never splits two pair, and says so in words."""
    text = """
        [[house_way]]
        holding = "two pair"
        ranks = ["2-K", "2-K"]
        high = ["two pair"]
        [[house_way]]
    """
    way = HouseWay.parse(tomllib.loads(text)["house_way"])

    assert str(set_hand(cards("Kc Kd 8h 8s 4d 3c 2h"), way)) == "Kd Kc 8s 8h 2h / 4d 3c"
    assert str(way.rules[0]) == "two pair (2-K and 2-K): two pair high"


def test_the_common_way_can_be_written_down() -> None:
    """The way that is shipped reads the same from plain data, so that a house file can begin with it."""
    assert HouseWay.parse(msgspec.to_builtins(COMMON_WAY.rules)).rules == COMMON_WAY.rules


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([], "the last rule of a house way is for any cards"),
        ([{"holding": "pair"}], "the last rule of a house way is for any cards"),
        ([{"holding": "paar"}, {}], r"house way: Invalid enum value 'paar' - at `\$\[0\].holding`"),
        ([{"hold": "pair"}, {}], r"unknown field `hold` - at `\$\[0\]`"),
        ([{"holding": "pair", "high": ["sair"]}, {}], r"'sair' - at `\$\[0\].high\[0\]`"),
        ([{"holding": "pair", "ranks": ["A", "2"]}, {}], 'rule 1: "pair" has fewer groups of equal rank than A, 2'),
        ([{"ranks": ["A"]}, {}], 'rule 1: "anything" has fewer groups of equal rank than A'),
        ([{}, {"holding": "pair", "ranks": ["1"]}, {}], 'rule 2: "1" is no rank; ranks are 2 3 4'),
        ([{"holding": "pair", "ranks": ["T-7"]}, {}], 'rule 1: ranks are written from low to high, not "T-7"'),
        ([{"low": "AKQ"}, {}], 'rule 1: a low hand has two ranks, not "AKQ"'),
        ([{"low": "KA"}, {}], 'rule 1: a low hand is written from high to low, not "KA"'),
    ],
)
def test_refused_ways(rules: Any, message: str) -> None:
    """A way that cannot be followed is refused with the rule and the word that is wrong."""
    with pytest.raises(ValueError, match=message):
        HouseWay.parse(rules)


@pytest.mark.parametrize("dealt", ["As Kd Qh 9c 7d 5s", "As As Qh 9c 7d 5s 3c", "As Kd Qh 9c 7d 5s 3c 2c"])
def test_refused_cards(dealt: str) -> None:
    """Only seven different cards are set."""
    with pytest.raises(ValueError, match="seven different cards were awaited, not As"):
        set_hand(cards(dealt), COMMON_WAY)
