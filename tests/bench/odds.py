"""Hold the figures of pay tables against those that others have published: counted ones exactly, played ones by chance.

    python tests/bench/odds.py [STANDARD ERROR IN PERCENT] [FOLDER]

Rounds are played until the standard error is as small as asked for, 0.02 % if nothing is: on two cores that takes more
than half an hour. With a folder it keeps there what was played, and goes on from it when it is started again.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tablectl.odds import Figures, Inquiry, count, play
from tablectl.odds.tally import Tally

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


Played = tuple[float, float]
"""A figure that was played and its standard error, both in percent."""


class Near(NamedTuple):
    """One published figure that rounds by chance come near. least, most: in percent, as two sources say."""

    name: str
    least: float
    most: float
    of: Callable[[Figures], Played]


def edge(figures: Figures) -> Played:
    return 100 * figures.house_edge, 100 * figures.standard_error


def share(shown: str) -> Callable[[Figures], Played]:
    def found(figures: Figures) -> Played:
        (each,) = (each for each in figures.frequencies if each.shown == shown)
        return 100 * each.frequency, 100 * each.standard_error

    return found


PLAYED = {
    Inquiry("pai-gow-poker"): (
        Near("player wins", 28.61, 28.70, share("win")),
        Near("push", 41.36, 41.48, share("push")),
        Near("player loses", 29.91, 29.94, share("lose")),
    ),
    Inquiry("spanish-21"): (Near("house edge", 0.359, 0.37, edge),),
}
BLOCK = 20_000
"""Rounds that tell how many more are needed."""


def main(target: str = "0.02", folder: str = "") -> None:
    """Print each row, and stop at the first that is not met."""
    for row in COUNTED:
        check_counted(row)
    with TemporaryDirectory() as own:
        for inquiry, rows in PLAYED.items():
            check_played(inquiry, rows, float(target), Path(folder or own) / f"{inquiry.game}.json")


def check_counted(row: Counted) -> None:
    begun = time.perf_counter()
    found = row.quantity(count(row.inquiry, row.wager))
    taken = time.perf_counter() - begun
    say(f"{row.inquiry.game:18} {row.wager:18} {found:30} published {row.published:30} {taken:6.1f} s")
    assert found == row.published


def check_played(inquiry: Inquiry, rows: tuple[Near, ...], target: float, kept: Path) -> None:
    begun = time.perf_counter()
    figures = played_until(inquiry, rows, target, kept)
    say(f"{inquiry.game:18} {figures.rounds:,} rounds, {time.perf_counter() - begun:,.0f} s")
    for row in rows:
        found, error = row.of(figures)
        say(f"{inquiry.game:18} {row.name}: {found:.4f} ± {error:.4f} %, published {row.least} to {row.most} %")
        assert row.least - 3 * error <= found <= row.most + 3 * error


def played_until(inquiry: Inquiry, rows: tuple[Near, ...], target: float, kept: Path) -> Figures:
    """Play until every standard error is as small as asked for, each time as many rounds as that should take."""
    rounds = BLOCK
    while True:
        figures = play(inquiry, rounds, keep=kept, progress=partial(tell, inquiry, rounds))
        error = max(row.of(figures)[1] for row in rows)
        if error <= target:
            return figures
        rounds = 1 + int(figures.rounds * max(1.01 * (error / target) ** 2, 1.0))


def tell(inquiry: Inquiry, rounds: int, done: int, tally: Tally) -> None:
    del tally
    if done % BLOCK == 0:
        say(f"{inquiry.game:18} {done:,} of {rounds:,} rounds", end="\r")


def say(text: str, end: str = "\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
