"""What a start shows of the record: its last rounds."""

from pathlib import Path
from typing import Any

import pytest

from tablectl.events import facts as fact
from tablectl.journal import Record
from tablectl.replay import last_rounds
from tablectl.terms import Dealing, Sight, Wagers
from tablectl.view import State, View
from tests.recalled import recorded
from tests.tables import ATTACK, IMPERIAL, SPANISH, Bench, Habit, terms

ROUNDS = 4
PLAYED: dict[str, dict[str, Any]] = {
    "red-dog": {"dealing": Dealing.SHOE},
    "spanish-21": {"dealing": Dealing.SHOE, "house": SPANISH},
    "triple-attack-blackjack": {"dealing": Dealing.SHOE, "house": ATTACK},
    "pai-gow-poker": {"house": IMPERIAL},
    "mississippi-stud": {},
    "four-card-poker": {},
}


@pytest.mark.parametrize("knows", [(Wagers.AMOUNTS, Sight.EXPOSED), (Wagers.PRESENCE, Sight.CALLED)])
@pytest.mark.parametrize("game", PLAYED)
def test_the_layout_is_shown_as_it_lies_whatever_played_round_the_fold_begins_with(
    tmp_path: Path, game: str, knows: tuple[Wagers, Sight]
) -> None:
    """The input that opens a round may have ended the one before, by a card that was turned or taken; nothing of that
    is looked for on a layout that the fold never saw.
    """
    wagers, sight = knows
    bench = Bench(terms(game, wagers=wagers, sight=sight, **PLAYED[game]))
    habit = Habit(bench, 7)
    while len(bench.all(fact.RoundEnded)) < ROUNDS:
        habit.go_on()
    with Record(recorded(bench, tmp_path / "journal.db")) as record:
        whole, opened, *parts = [shown(record, rounds) for rounds in (ROUNDS + 9, *range(1, ROUNDS + 2))]

    assert opened.round == whole.round
    assert [(part.positions, part.areas, part.awaited) for part in parts] == [
        (whole.positions, whole.areas, whole.awaited)
    ] * len(parts)


def shown(record: Record, rounds: int) -> State:
    view = View(record.table, record.epoch)
    for entry in last_rounds(record, rounds):
        for stated in entry.facts:
            view.fold(stated.fact, stated.seq, "")
    return view.state
