"""Three dice, and where their total starts the deal."""

from collections import Counter
from itertools import product

import msgspec
import pytest

from tablectl.dice import DieFault, Roll, counting_position


@pytest.mark.parametrize("fault", list(DieFault))
def test_a_roll_with_a_fault_has_no_total(fault: DieFault) -> None:
    """34.14(a): not all three flat is no roll, and no sum of the others is offered."""
    roll = Roll.of(6, fault, 6)
    assert not roll.flat
    with pytest.raises(ValueError, match="no total"):
        _ = roll.total


def test_a_roll_is_a_list_in_json() -> None:
    """Values and faults stand in order, and are read back."""
    assert msgspec.json.encode(Roll.of(4, 5, "cocked")) == b'[4,5,"cocked"]'
    assert msgspec.json.decode(b'[4,5,"cocked"]', type=Roll) == Roll(4, 5, DieFault.COCKED)


@pytest.mark.parametrize("dice", [(0, 1, 2), (1, 7, 1), (1, 2), (1, 2, "flat"), (1, 2, 3.5)])
def test_what_no_die_shows_is_refused(dice: tuple[object, ...]) -> None:
    """0, 7, a missing die, an unknown fault and a fraction are no roll."""
    with pytest.raises((ValueError, msgspec.ValidationError)):
        Roll.of(*dice)


@pytest.mark.parametrize(
    ("total", "count"),
    [(3, 3), (7, 7), (8, 1), (9, 2), (11, 4), (14, 7), (15, 1), (16, 2), (18, 4)],
)
def test_31_11_b_the_count_of_a_total(total: int, count: int) -> None:
    """The total is counted with the dealer as one, over seven places."""
    assert counting_position(total) == count


def test_every_roll_starts_at_one_of_seven_places() -> None:
    """Of all 216 rolls 31 name each place but the seventh, which totals of 7 and 14 name: 30."""
    totals = [Roll(*dice).total for dice in product(range(1, 7), repeat=3)]
    starts = Counter(map(counting_position, totals))
    assert starts == {**dict.fromkeys(range(1, 7), 31), 7: 30}
    assert {total for total in totals if counting_position(total) == 7} == {7, 14}
