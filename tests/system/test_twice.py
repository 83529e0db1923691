"""A broker may deliver twice whatever it delivers, whatever the quality of service says."""

from collections import Counter
from pathlib import Path

import pytest

from tablectl.rehearsal import SETUPS, Plan
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import floor
from tests.system.test_kills import kill_and_restart, prove

__all__ = ["mosquitto"]

REHEARSED = ("pai-gow-poker", "bonus"), ("spanish-21", "base")
SETS = [setup if setup in REHEARSED else pytest.param(*setup, marks=pytest.mark.soak) for setup in SETUPS]


@pytest.mark.parametrize(("game", "variant"), SETS)
async def test_every_command_delivered_twice_has_one_effect(
    tmp_path: Path, mosquitto: Mosquitto, game: str, variant: str
) -> None:
    """All that people say from opening to closing comes twice: each is answered twice, alike, and done once; money and
    cards are conserved, each motion is one command, and the record replays.
    """
    async with floor(Plan(game=game, variant=variant, speed=float("inf")), tmp_path, mosquitto.port) as table:
        table.line.copies = 2
        await kill_and_restart(table, ())

        prove(table)
        assert min(Counter(reply.key for reply in table.line.replies).values()) >= 2
