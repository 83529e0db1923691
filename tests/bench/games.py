"""How many rounds a second the rules play on one core: full tables, one accept for each thing said.

Rounds are played by people who think; what they said is then said again to a new table, and only that is timed, in
processor time: script, ledger and facts; no device, no disk. Beside it, in the same run, PokerKit plays six-seat
no-limit hold'em hands to the showdown, with its own automation.

``PYTHONPATH=. python tests/bench/games.py [ROUNDS]``
"""

import random
import sys
import time
from unittest.mock import patch

import msgspec
import pokerkit

from tablectl.cards import Card
from tablectl.events.codec import Input
from tablectl.events.facts import Fact
from tablectl.games import GAMES
from tablectl.odds import croupier
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.strategies import STRATEGIES
from tablectl.table import Table

POSITIONS = {"red-dog": 7}
FULL = 6
AIMS = {"red-dog": 20_000, "mississippi-stud": 5_000, "spanish-21": 5_000, "pai-gow-poker": 2_000}
WARM = 200
"""Rounds before the clock starts: the tables of hands fill as hands are met."""


class Heard(Table):
    """A table that keeps what it was told."""

    inputs: list[Input]

    def accept(self, said: Input) -> tuple[Fact, ...]:
        self.__dict__.setdefault("inputs", []).append(said)
        return super().accept(said)


def rounds_a_second(game: str, rounds: int) -> float:
    """Return how many rounds of a full table are played in a second of processor time."""
    inquiry = Inquiry(game)
    inquiry.__dict__["terms"] = terms = msgspec.structs.replace(inquiry.terms, positions=POSITIONS.get(game, FULL))
    with patch.object(croupier, "Table", Heard):
        people = croupier.Croupier(inquiry)
    inputs = people._table.__dict__["inputs"]
    chance, deck = random.Random(7), list(terms.composition.cards())
    warm = 0
    for number in range(WARM + rounds):
        chance.shuffle(deck)
        people.play(tuple[Card, ...](deck))
        warm = len(inputs) if number < WARM else warm
    accept = Table(lambda _: terms).accept
    for said in inputs[:warm]:
        accept(said)
    began = time.process_time()
    for said in inputs[warm:]:
        accept(said)
    return rounds / (time.process_time() - began)


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
