"""The record goes on in a new volume between any two rounds, and nothing that outlives a round is left behind."""

from random import Random
from typing import Any

import pytest

from tablectl.events.announcements import Role
from tablectl.events.codec import Input
from tablectl.events.record import ContinueRecord, TurnRecord
from tablectl.table import Table
from tests.properties.test_table import TABLES
from tests.tables import Bench, Habit, dump

FORGOTTEN = ("_history", "_opened", "_opened_under", "_prompt", "_commands_given", "turning")
"""What no longer matters between two rounds: nothing is taken back any more, the prompt is told anew, and each round
counts its commands from one.
"""


def outliving(table: Table) -> dict[str, Any]:
    table.ordered_of = {command: boot for command, boot in table.ordered_of.items() if command in table.commands}
    _, fields = dump(table)
    return {name: value for name, value in fields.items() if name.strip("'") not in FORGOTTEN}


def restored(bench: Bench, words: ContinueRecord) -> dict[str, Any]:
    table = Table(bench.build)
    table._restore(words.configured, words.snapshot)
    return outliving(table)


@pytest.mark.parametrize("plays", TABLES)
def test_a_volume_holds_all_that_outlives_a_round(plays: str) -> None:
    """Whenever a volume ends: the table stands as before, also one that hears the new volume alone, and what then
    happens is the same for both.
    """
    bench = Bench(TABLES[plays]())
    habit, random, turns, alone = Habit(bench, 5), Random(7), 0, Table(bench.build)
    while turns < 2:
        heard = len(bench.inputs)
        if random.random() < 0.05:
            bench.say(TurnRecord())
        if words := bench.table.continuation():
            assert restored(bench, words) == outliving(bench.table)
            bench.accept(Input(words, 0, Role.SYSTEM))
            assert not bench.table.turning
            alone, heard, turns = Table(bench.build), len(bench.inputs) - 1, turns + 1
        habit.go_on()
        assert turns == 0 or list(map(alone.accept, bench.inputs[heard:])) == bench.answers[heard:]
