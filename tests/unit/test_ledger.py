"""Wagers to the cent: nothing is lost, and a refused wager changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.ledger import Ledger, Wager
from tablectl.money import EXACT, Direction, Odds, Rounding
from tablectl.rulebook import Clause, Outcome
from tablectl.terms import Limits, Refused, Wagers

LIMITS = Limits(500, 2000)
WIN = Clause("1(a)", outcome=Outcome.WIN, odds=Odds(3, 2), vigorish=Odds(5, 100))
CLAUSES = [
    WIN,
    Clause("1(b)", outcome=Outcome.WIN, odds=Odds(1000, 1)),
    Clause("1(c)", outcome=Outcome.LOSE),
    Clause("1(d)", outcome=Outcome.PUSH),
    Clause("1(e)", outcome=Outcome.VOID),
]


def amounts(rounding: Rounding = EXACT) -> Ledger:
    return Ledger(Wagers.AMOUNTS, rounding)


def placed(amount: int | None, mode: Wagers = Wagers.AMOUNTS, rounding: Rounding = EXACT) -> tuple[Ledger, Wager]:
    ledger, wager = Ledger(mode, rounding), Wager("1", "", "main", amount)
    ledger.place(wager, None, "1")
    return ledger, wager


@given(
    st.lists(
        st.tuples(
            st.sampled_from("123"),
            st.sampled_from(("", "ann")),
            st.integers(1, 10**6),
            st.sampled_from([None, *CLAUSES]),
        ),
        max_size=12,
    ),
    st.sampled_from((EXACT, Rounding(25, Direction.UP), Rounding(25, Direction.NEAREST))),
    st.one_of(st.none(), st.integers(0, 10**6)),
)
def test_what_was_staked_is_returned_collected_or_open(
    played: list[tuple[str, str, int, Clause | None]], rounding: Rounding, cap: int | None
) -> None:
    """Whatever is placed, added to, and settled by whatever clause, no unit appears or is lost."""
    ledger = amounts(rounding)
    for hand, owner, amount, _ in played:
        ledger.place(Wager(hand, owner, "main", amount), None, "1")
    for hand, owner, _, clause in played:
        for wager in ledger.open(hand):
            if clause and wager.owner == owner:
                ledger.settle(wager, clause, cap)
    still = sum(wager.amount or 0 for wager in ledger.open())
    assert ledger.staked == sum(amount for _, _, amount, _ in played)
    assert ledger.staked == ledger.returned + ledger.collected + still


def test_a_win_pays_the_odds_less_the_vigorish_and_returns_the_stake() -> None:
    """3 to 2 on 10.00 less five percent of the winnings is 14.25."""
    ledger, wager = placed(1000)
    told = ledger.settle(wager, WIN)
    assert (told.returned, told.paid, told.vigorish) == (1000, 1425, 75)


def test_chips_that_cannot_pay_exactly_are_rounded_as_the_house_chose() -> None:
    """5 percent of 15.50 leaves 14.725: down to 14.50 in quarters, and the house keeps the rest."""
    ledger, wager = placed(1550, rounding=Rounding(25, Direction.DOWN))
    even = Clause("1", outcome=Outcome.WIN, odds=Odds(1, 1), vigorish=Odds(5, 100))
    told = ledger.settle(wager, even)
    assert (told.paid, told.vigorish) == (1450, 100)


def test_a_cap_cuts_the_winnings_and_says_so() -> None:
    """Winnings above the cap are the cap; at the cap nothing was cut."""
    for cap, capped in ((999_999, True), (1_000_000, False), (None, False)):
        ledger, wager = placed(1000)
        told = ledger.settle(wager, CLAUSES[1], cap)
        assert (told.paid, told.capped) == (min(1_000_000, cap or 1_000_000), capped)


def test_presence_settles_by_chips() -> None:
    """Without an amount the settlement carries clause and odds and no sum, and the sums stay at zero."""
    ledger, wager = placed(None, Wagers.PRESENCE)
    told = ledger.settle(wager, WIN)
    assert (told.by_chips, told.clause, told.odds, told.fee) == (True, "1(a)", Odds(3, 2), Odds(5, 100))
    assert told.amount is told.paid is told.returned is None
    assert (ledger.staked, ledger.paid, ledger.returned, ledger.collected) == (0, 0, 0, 0)


@pytest.mark.parametrize(("amount", "code"), [(None, "amount"), (0, "amount"), (-5, "amount"), (499, "limits")])
def test_a_wager_that_may_not_be_is_refused_and_changes_nothing(amount: int | None, code: str) -> None:
    """No amount, none above zero, or one outside the limits: the ledger stays as it was."""
    ledger = amounts()
    with pytest.raises(Refused) as refused:
        ledger.place(Wager("1", "", "main", amount), LIMITS, "8.3")
    assert refused.value.code == code
    assert (ledger.wagers, ledger.staked) == ({}, 0)


def test_limits_hold_for_all_that_lies_there() -> None:
    """More chips on the same wager count together: 15.00 and 10.00 are above 20.00."""
    ledger = amounts()
    ledger.place(Wager("1", "", "main", 1500), LIMITS, "8.3")
    with pytest.raises(Refused, match="2500 on the main wager is outside its limits"):
        ledger.place(Wager("1", "", "main", 1000), LIMITS, "8.3")
    ledger.place(Wager("1", "", "main", 500), LIMITS, "8.3")
    assert (ledger.staked, [wager.amount for wager in ledger.open()]) == (2000, [2000])


def test_a_wager_taken_back_was_never_staked() -> None:
    """What is taken back leaves no trace in the sums; what does not lie there cannot be taken back."""
    ledger, _ = placed(1000)
    ledger.take_back("1", "", "main")
    assert (ledger.staked, ledger.wagers) == (0, {})
    with pytest.raises(Refused, match="no main wager lies at position 1"):
        ledger.take_back("1", "", "main")


def test_owners_of_one_position_are_told_apart() -> None:
    """Two owners' wagers of one name on one hand are two wagers."""
    ledger = amounts()
    ledger.place(Wager("1", "ann", "main", 1000), None, "1")
    ledger.place(Wager("1", "bob", "main", 600), None, "1")
    assert [wager.amount for wager in ledger.on("1", "main")] == [1000, 600]
    ledger.take_back("1", "ann", "main")
    assert [(wager.owner, wager.amount) for wager in ledger.open()] == [("bob", 600)]
