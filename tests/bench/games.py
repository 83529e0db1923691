"""How many rounds a second the rules play on one core: full tables, one accept for each thing said.

Rounds are played by people who think; what they said is then said again to a new table, and only that is timed, in
processor time: script, ledger and facts; no device, no disk, and the collector as the daemon has it. Beside it, in the
same run, PokerKit plays six-seat no-limit hold'em hands to the showdown, with its own automation.

``PYTHONPATH=. python tests/bench/games.py [ROUNDS]``
"""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast
from unittest.mock import patch

import msgspec
import pokerkit

from tablectl.cards import Card
from tablectl.daemon.process import spare_collector
from tablectl.events.announcements import Configure, ConfirmShuffle, LoadDeck
from tablectl.events.codec import Input
from tablectl.events.facts import Fact
from tablectl.events.readings import ShoeCuttingCardOut
from tablectl.games import GAMES
from tablectl.odds import croupier
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.strategies import STRATEGIES
from tablectl.table import Table
from tablectl.terms import Terms

POSITIONS = {"red-dog": 7}
FULL = 6
AIMS = {"red-dog": 20_000, "mississippi-stud": 5_000, "spanish-21": 5_000, "pai-gow-poker": 2_000}
SHOE = {"red-dog": 60, "spanish-21": 8, "triple-attack-blackjack": 8}
"""Rounds from one shoe; the other games shuffle after every round."""
HOUSE = {"supreme-pai-gow": Path("config/house/supreme-pai-gow.toml")}
"""House files of games that cannot be played without one."""
WARM = 200
"""Rounds before the clock starts: the tables of hands fill as hands are met."""


class Heard:
    """A table, and what it was told."""

    def __init__(self, build: Callable[[Configure], Terms]) -> None:
        self.table = Table(build)
        self.inputs: list[Input] = []

    def accept(self, said: Input) -> tuple[Fact, ...]:
        self.inputs.append(said)
        return self.table.accept(said)


class People(croupier.Croupier):
    """Who deal so many rounds from one shoe, where the odds would want a fresh one for each."""

    round = 0

    def play_on(self, deck: tuple[Card, ...], rounds: int) -> None:
        self._begin(deck)
        place = self.round % rounds
        if place == 0:
            self._say(ConfirmShuffle(croupier.DECK))
            self._say(LoadDeck(croupier.DECK))
        if self._from_shoe and place == rounds - 1:
            self._read(ShoeCuttingCardOut())
        while not self._ended:
            croupier.STEPS[self._awaited.step](self, self._awaited)
        self.round += 1


def rounds_a_second(game: str, rounds: int) -> float:
    """Return how many rounds of a full table are played in a second of processor time."""
    house = HOUSE.get(game)
    inquiry = Inquiry(game, house=house.read_text(encoding="utf-8") if house else "")
    inquiry.__dict__["terms"] = terms = msgspec.structs.replace(inquiry.terms, positions=POSITIONS.get(game, FULL))
    with patch.object(croupier, "Table", Heard):
        people = People(inquiry)
    heard = cast("Heard", people._table)
    said = heard.inputs
    chance, deck, warm = random.Random(7), list(terms.composition.cards()), 0
    for number in range(WARM + rounds):
        chance.shuffle(deck)
        people.play_on(tuple[Card, ...](deck), SHOE.get(game, 1))
        warm = len(said) if number < WARM else warm
    table = Table(lambda _: terms)
    for one in said[:warm]:
        table.accept(one)
    spare_collector()
    began = time.process_time()
    for one in said[warm:]:
        table.accept(one)
    spent = time.process_time() - began
    assert table.round_number == heard.table.round_number, "other rounds were played than the first time"
    return rounds / spent


def hands_a_second(hands: int) -> float:
    """Return how many hands PokerKit plays in a second of processor time: six seats, everybody calls."""
    blinds, least = (1, 2), 2
    game = pokerkit.NoLimitTexasHoldem(
        tuple(pokerkit.Automation),
        ante_trimming_status=True,
        raw_antes=0,
        raw_blinds_or_straddles=blinds,
        min_bet=least,
    )
    began = time.process_time()
    for _ in range(hands):
        state = game((200,) * 6, 6)
        while state.actor_index is not None:
            state.check_or_call()
    return hands / (time.process_time() - began)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    beside = hands_a_second(max(20, rounds // 20))
    sys.stdout.write(f"{'PokerKit, six seats':32}{beside:10,.0f} hands a second\n")
    for game in (name for name in GAMES if name in STRATEGIES):
        rate = rounds_a_second(game, rounds)
        aim = f", aim {AIMS[game]:,}" if game in AIMS else ""
        sys.stdout.write(f"{game:32}{rate:10,.0f} rounds a second, {rate / beside:6.1f} times PokerKit{aim}\n")


if __name__ == "__main__":
    main()
