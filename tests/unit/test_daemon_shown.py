"""What `meta` says that a table is, and what it cannot check."""

from pathlib import Path

import pytest

from tablectl.config import build_terms, load
from tablectl.daemon.shown import meta
from tests.table_files import PAI_GOW, PAI_GOW_HOUSE, spoil, write

HOLD = '[payouts]\nhold_amount = "10000.00"\nhold_odds = "500 to 1"\n\n[[device]]'


@pytest.mark.parametrize(
    ("wagers", "hold", "off"),
    [
        ("presence", False, ("limits by amount",)),
        ("presence", True, ("limits by amount", "hold_amount")),
        ("amounts", True, ()),
    ],
)
def test_what_rests_on_amounts_is_off_where_nobody_tells_them(
    tmp_path: Path, wagers: str, off: tuple[str, ...], *, hold: bool
) -> None:
    """Limits and the amount from which a payout waits; a cap is asked of the dealer, and odds are always known."""
    text = spoil(PAI_GOW, 'house = "house.toml"', f'house = "house.toml"\nwagers = "{wagers}"')
    text = spoil(text, "[[device]]", HOLD) if hold else text
    configured, settings = load(write(tmp_path, text, PAI_GOW_HOUSE))
    assert meta(build_terms(configured), settings, lambda _: "").checks_off == off


def test_a_device_that_was_swapped_is_shown_beside_what_the_file_says(tmp_path: Path) -> None:
    """The number that must answer, and the file's only where that is another."""
    text = spoil(PAI_GOW, 'driver = "otdp-shoe"', 'driver = "otdp-shoe"\nserial = "OT-42"')
    configured, settings = load(write(tmp_path, text, PAI_GOW_HOUSE))
    terms = build_terms(configured)
    (same,) = meta(terms, settings, lambda _: "OT-42").devices
    (swapped,) = meta(terms, settings, lambda _: "OT-43").devices
    assert (same.serial, same.in_file) == ("OT-42", None)
    assert (swapped.serial, swapped.in_file) == ("OT-43", "OT-42")
