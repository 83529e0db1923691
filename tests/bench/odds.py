"""Hold the figures of pay tables against those that others have published: counted ones exactly, played ones by chance.

    python tests/bench/odds.py [STANDARD ERROR IN PERCENT]

Rounds are played until the standard error is as small as asked for, 0.02 % if nothing is; at that it takes long.
"""

import sys
import time
from collections.abc import Callable, Iterable
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from tablectl.odds import Figures, Inquiry, count
from tablectl.odds.simulation import simulate
from tablectl.odds.tally import Account, Tally, add_up

BONUS = Path(__file__).parents[2].joinpath("config/house/pai-gow-poker-bonus.toml").read_text(encoding="utf-8")
PAI_GOW = Inquiry("pai-gow-poker", "bonus", BONUS)

Quantity = Callable[[Figures], str]


def percent(digits: int) -> Quantity:
    return lambda figures: f"{100 * figures.house_edge:.{digits}f} %"


def exact(figures: Figures) -> str:
    return f"{figures.house_edge_exact} = {percent(6)(figures)}"


def risk(figures: Figures) -> str:
    return f"{100 * figures.element_of_risk:.6f} %"


def stud(figures: Figures) -> str:
    return f"{percent(6)(figures)}; {figures.average_wager:.6f}"


class Counted(NamedTuple):
    """One published figure that every deal gives."""

    inquiry: Inquiry
    wager: str
    published: str
    quantity: Quantity


COUNTED = (
    Counted(Inquiry("red-dog", decks=1), "", "523/16575 = 3.155354 %", exact),
    Counted(Inquiry("red-dog", decks=8), "", "30721/1116765 = 2.750892 %", exact),
    Counted(Inquiry("red-dog", decks=1), "", "2.671775 %", risk),
    Counted(PAI_GOW, "three-card bonus", "3.858960 %", percent(6)),
    Counted(PAI_GOW, "seven-card bonus", "7.827854 %", percent(6)),
    Counted(Inquiry("mississippi-stud"), "", "4.914858 %; 3.589772", stud),
    Counted(Inquiry("four-card-poker"), "", "2.787853 %", percent(6)),
    Counted(Inquiry("spanish-21"), "insurance", "24.7387 %", percent(4)),
)


class Played(NamedTuple):
    """One published figure that rounds by chance come near. least, most: in percent, as two sources say."""

    name: str
    inquiry: Inquiry
    least: float
    most: float
    of: Callable[[Account], float]


def edge(account: Account) -> float:
    return 100 * float(account.house_edge)


def share(shown: str) -> Callable[[Account], float]:
    return lambda account: 100 * sum(n for hit, n in account.hits.items() if hit.shown == shown) / account.stakes


SPANISH, SETTING = Inquiry("spanish-21"), Inquiry("pai-gow-poker")
PLAYED = (
    Played("house edge", SPANISH, 0.359, 0.37, edge),
    Played("player wins", SETTING, 28.61, 28.70, share("win")),
    Played("push", SETTING, 41.36, 41.48, share("push")),
    Played("player loses", SETTING, 29.91, 29.94, share("lose")),
)
BLOCK, FEWEST = 20_000, 20
"""Rounds in a block, and the fewest blocks whose figures tell, by how they differ, what the standard error is."""


def main(target: float = 0.02) -> None:
    """Print each row, and stop at the first that is not met."""
    for row in COUNTED:
        check_counted(row)
    for inquiry in (SPANISH, SETTING):
        check_played(inquiry, [row for row in PLAYED if row.inquiry is inquiry], target)


def check_counted(row: Counted) -> None:
    begun = time.perf_counter()
    found = row.quantity(count(row.inquiry, row.wager))
    taken = time.perf_counter() - begun
    say(f"{row.inquiry.game:18} {row.wager:18} {found:30} published {row.published:30} {taken:6.1f} s")
    assert found == row.published


def check_played(inquiry: Inquiry, rows: list[Played], target: float) -> None:
    begun = time.perf_counter()
    blocks: list[Tally] = []
    while len(blocks) < FEWEST or max(standard_error(blocks, row) for row in rows) > target:
        blocks.append(simulate(inquiry, BLOCK, seed=len(blocks)))
        told = "; ".join(f"{row.name} {found(blocks, row):.3f} % ± {standard_error(blocks, row):.3f}" for row in rows)
        say(f"{inquiry.game:18} {BLOCK * len(blocks):,} rounds, {time.perf_counter() - begun:,.0f} s: {told}", end="\r")
    say("")
    for row in rows:
        wide = 3 * standard_error(blocks, row)
        say(f"{inquiry.game:18} {row.name}: {found(blocks, row):.3f} %, published {row.least} to {row.most} %")
        assert row.least - wide <= found(blocks, row) <= row.most + wide


def found(blocks: Iterable[Tally], row: Played) -> float:
    return row.of(add_up(blocks)[row.inquiry.wagers[0]])


def standard_error(blocks: list[Tally], row: Played) -> float:
    """Return how far the mean of all blocks is off, by how far the blocks are off each other."""
    each = [row.of(block[row.inquiry.wagers[0]]) for block in blocks]
    if len(each) < 2:
        return float("inf")
    mean = sum(each) / len(each)
    return sqrt(sum((one - mean) ** 2 for one in each) / (len(each) - 1) / len(each))


def say(text: str, end: str = "\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
