"""Money in minor units and exact odds."""

from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.money import MINOR_UNITS, Direction, Odds, Rounding, format_amount, parse_amount


@pytest.mark.parametrize(("text", "win", "stake"), [("3 to 2", 3, 2), ("1,000 to 1", 1000, 1), (" 0 to 1 ", 0, 1)])
def test_odds_are_read_as_a_layout_prints_them(text: str, win: int, stake: int) -> None:
    """Thousands may be set apart, and what is read is written the same way again."""
    odds = Odds.parse(text)
    assert odds == Odds(win, stake)
    assert Odds.parse(str(odds)) == odds


@pytest.mark.parametrize("text", ["3 for 2", "3:2", "3 to", "1.5 to 1", "-1 to 1", "1 to 0", "one to one", ""])
def test_odds_that_no_layout_may_print_are_refused(text: str) -> None:
    """11.20(a): odds are stated with "to", never "for"; a stake of nothing has no odds."""
    with pytest.raises(ValueError, match="odds"):
        Odds.parse(text)


def test_odds_are_a_pair_in_json() -> None:
    """A consumer reads two whole numbers."""
    assert msgspec.json.encode(Odds(3, 2)) == b"[3,2]"


@given(st.integers(0, 10**12), st.sampled_from(list(MINOR_UNITS)))
def test_an_amount_that_is_written_is_read_back(amount: int, currency: str) -> None:
    """Writing and reading lose no minor unit in any currency."""
    assert parse_amount(format_amount(amount, currency).replace(",", ""), currency) == amount


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("15.0", "USD"),
        ("15.000", "USD"),
        ("15.", "USD"),
        ("1,500", "USD"),
        ("-5", "USD"),
        ("15.00", "JPY"),
        ("", "USD"),
    ],
)
def test_an_amount_with_other_digits_than_its_currency_is_refused(text: str, currency: str) -> None:
    """The error shows how an amount of this currency is written."""
    with pytest.raises(ValueError, match=f"an amount in {currency} is written"):
        parse_amount(text, currency)


def test_an_unknown_currency_is_refused_with_the_known_ones() -> None:
    """The program knows how many digits a currency has, or says so."""
    with pytest.raises(ValueError, match="unknown currency 'XYZ'; known are USD"):
        format_amount(1, "XYZ")


@pytest.mark.parametrize(
    ("direction", "amount", "paid"),
    [
        (Direction.DOWN, "1012", 1000),
        (Direction.UP, "1001", 1025),
        (Direction.NEAREST, "1012", 1000),
        (Direction.NEAREST, "25/2", 25),
        (Direction.UP, "1000", 1000),
    ],
)
def test_a_payout_is_rounded_as_the_house_chose(direction: Direction, amount: str, paid: int) -> None:
    """Down, up, or to the nearer unit, a half going up; what chips can pay is left alone."""
    assert Rounding(25, direction).apply(Fraction(amount)) == paid


@given(st.fractions(0, 10**9), st.integers(1, 500), st.sampled_from(list(Direction)))
def test_rounding_stays_within_one_unit(amount: Fraction, unit: int, direction: Direction) -> None:
    """What is paid is a multiple of the unit, less than one unit away, and on the side that the direction names."""
    paid = Rounding(unit, direction).apply(amount)
    assert paid % unit == 0
    assert abs(paid - amount) < unit
    assert paid <= amount or direction is not Direction.DOWN
    assert paid >= amount or direction is not Direction.UP
