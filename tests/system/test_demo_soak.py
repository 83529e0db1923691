"""The rehearsal at length: every game and variant, whatever the table sees, round after round."""

from pathlib import Path

import pytest

from tablectl.rehearsal import SETUPS
from tests.system.test_demo import SEEN, play

pytestmark = pytest.mark.soak


@pytest.mark.parametrize(("wagers", "cards"), SEEN)
@pytest.mark.parametrize(("game", "variant"), SETUPS)
def test_every_table_plays_on(tmp_path: Path, game: str, variant: str, wagers: str, cards: str) -> None:
    """Fifty rounds pass without an irregularity, a suspension or a refusal, and the record replays."""
    words = ("--game", game, "--variant", variant, "--wagers", wagers, "--cards", cards, "--seed", "7")

    play(tmp_path / "journal.db", *words, rounds=50, patience=900)
