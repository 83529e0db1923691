"""What stands on the dealer's screen when a device fails."""

from tablectl.devices.contract import Loss
from tablectl.events.readings import Condition
from tablectl.table.troubles import CONDITIONS, LOSSES, offline

OURS = {Loss.CLOSED}
"""Never told: we did it ourselves."""
NO_HOLD = {Condition.JAM_RECOVERING, Condition.COUNT_WRONG}
"""One clears itself, the other speaks through its deck."""


def test_every_loss_has_words_for_the_dealer() -> None:
    """A shoe drops from the bus, and the dealer reads a code: each reason says what happened and what to do."""
    assert LOSSES.keys() == {*map(str, Loss)} - OURS
    assert all(what and advice for what, advice in LOSSES.values())


def test_every_condition_that_holds_the_table_says_what_to_do() -> None:
    """A machine stops, and nobody knows what it waits for: each condition has its word."""
    assert CONDITIONS.keys() == {*Condition} - NO_HOLD
    assert all("; " in text for text in CONDITIONS.values())


def test_a_loss_names_who_answers_instead() -> None:
    """Two shoes were swapped: the dealer reads which one answers, not only that it is a wrong one."""
    assert offline("shoe1", "wrong-device", "OT-43 answers") == "shoe1 is offline: OT-43 answers; plug in the right one"
    assert offline("shoe1", "silent").startswith("shoe1 is offline: it does not answer; ")
    assert offline("shoe1", "the controller restarted") == "shoe1 is offline: the controller restarted"
