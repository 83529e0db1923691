"""13:69F-6.5: spreads, and where the third card falls."""

from collections import Counter
from itertools import combinations_with_replacement

import pytest

from tablectl.cards import Card, Rank
from tablectl.hands.red_dog import SPREADS, between, spread_of, trips

ONE_SUIT = [card for card in Card if card.suit == "s"]


def test_every_pair_of_ranks() -> None:
    """Of the 91 unordered pairs of ranks, 13 are pairs, 12 consecutive and 12 - s have a spread of s."""
    found = Counter(spread_of(left, right) for left, right in combinations_with_replacement(ONE_SUIT, 2))

    assert found == {"pair": 13, "consecutive": 12} | {str(spread): 12 - spread for spread in range(1, 12)}
    assert found.keys() == set(SPREADS)


@pytest.mark.parametrize(
    ("left", "right", "spread"),
    [
        ("Kd", "Ac", "consecutive"),
        ("Ac", "2d", "11"),
        ("2d", "3c", "consecutive"),
        ("9h", "5d", "3"),
        ("8h", "8d", "pair"),
    ],
)
def test_section_6_5_g(left: str, right: str, spread: str) -> None:
    """The ace is high, and the order of the two cards has no say."""
    assert spread_of(Card(left), Card(right)) == spread
    assert spread_of(Card(right), Card(left)) == spread


@pytest.mark.parametrize(
    ("middle", "fell"), [("7c", "between"), ("9c", "not between"), ("5c", "not between"), ("Ac", "not between")]
)
def test_section_6_5_i(middle: str, fell: str) -> None:
    """Only a third card strictly between the two wins."""
    assert between(Card("9h"), Card(middle), Card("5d")) == fell


@pytest.mark.parametrize(("middle", "made"), [("9c", "three of a kind"), ("8c", "no three of a kind")])
def test_section_6_5_f(middle: str, made: str) -> None:
    """A third card of the pair's own value makes three of a kind."""
    assert trips(Card("9h"), Card(middle), Card("9d")) == made


@pytest.mark.parametrize("card", ["Jk", "??"])
def test_no_value(card: str) -> None:
    """A card without a value is refused by name."""
    assert Card(card).rank is Rank.JOKER
    with pytest.raises(ValueError, match="a card of rank two to ace was awaited"):
        spread_of(Card("9h"), Card(card))
