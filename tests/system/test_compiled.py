"""The wheel of ``make fast``: its table is machine code, and must not be told from the one that is read."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from tablectl.cards import Card
from tablectl.events import announcements as say
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement
from tablectl.events.codec import encode
from tablectl.events.readings import Reading
from tests.properties.test_table import TABLES, made
from tests.tables import Bench, Habit

ROOT = Path(__file__).parents[2]
WHICH = "import tablectl.table.table as it, tests.system.test_compiled as told; print(it.__file__, told.digest())"
HANDS = ("1", "2", "6", "9", "1.1", "dealer")


def meddling(bench: Bench, chance: Random) -> Announcement | Reading:
    """Return something that anybody may say at any time, and that is mostly refused."""
    hand, card = chance.choice(HANDS), Card(chance.choice(bench.terms.composition.cards()))
    wager, amount = chance.choice(list(bench.terms.rules.wagers)), chance.choice([None, 100, 500])
    words: list[Announcement | Reading] = [
        say.PlaceWager(hand, wager, amount),
        say.TakeBackWager(hand, wager),
        say.RepeatWagers(),
        say.NoMoreBets(),
        say.Decide(hand, chance.choice(["bet", "fold", "stand", "double", "split", "surrender"]), amount),
        say.CloseOffer(),
        say.Call("result", "win", hand),
        say.CallOthers("result", "lose"),
        say.CountStub(4),
        say.ExposeCards(hand, (card,)),
        say.ConfirmDealt(),
        say.ReportFaceUp(),
        say.Undo(),
        say.Hold("a question"),
        say.VoidHand(hand=hand, reason="misplayed"),
        say.DeadHand(hand=hand, reason="misplayed"),
        say.NextCard(reason="in order"),
        read.ShoeCardDrawn(card),
        read.WagerSensed(hand, wager, present=chance.random() < 0.5),
        read.ReaderCardSeen("dealer", card),
    ]
    return chance.choice(words)


def digest() -> str:
    """Return a hash over every fact at every table of some rounds that are played out of order."""
    told = sha256()
    for plays in TABLES:
        for seed in range(5):
            bench, chance = Bench(made(plays)), Random(seed)
            habit = Habit(bench, seed)
            for _ in range(150):
                if chance.random() > 0.15:
                    habit.go_on()
                elif isinstance(word := meddling(bench, chance), Announcement):
                    bench.say(word)
                else:
                    bench.read(next(iter(bench.terms.devices), "reader"), word)
            told.update(b"".join(map(encode, bench.facts)))
    return told.hexdigest()


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], env=os.environ | environment, cwd=ROOT, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.soak
def test_a_compiled_table_states_the_same_facts(tmp_path: Path) -> None:
    """At every table, whatever is said in whatever order, the compiled table states what the one from source does."""
    pip, wheels, there = ("-m", "pip", "--quiet"), tmp_path / "wheels", tmp_path / "installed"
    here = ("--no-build-isolation", "--no-deps")
    run(*pip, "wheel", *here, "--wheel-dir", str(wheels), ".", HATCH_BUILD_HOOK_ENABLE_CUSTOM="true")
    run(*pip, "install", "--no-deps", "--target", str(there), *map(str, wheels.iterdir()))

    source, _, read_told = run("-P", "-c", WHICH, PYTHONPATH=str(ROOT)).partition(" ")
    code, _, compiled_told = run("-P", "-c", WHICH, PYTHONPATH=f"{there}:{ROOT}").partition(" ")

    assert (Path(source).suffix, Path(code).suffix) == (".py", ".so")
    assert read_told == compiled_told
