"""What a pay table costs its players: by chance through the same script as the table's, or by counting every deal."""

from pathlib import Path

from tablectl.errors import ConfigError
from tablectl.odds.exact import enumeration
from tablectl.odds.figures import Figures, enumerated, simulated
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.kept import About, Kept
from tablectl.odds.simulation import BATCH, Progress, simulate
from tablectl.odds.tally import Tally

__all__ = ["Figures", "Inquiry", "count", "play"]


def count(inquiry: Inquiry, wager: str = "") -> Figures:
    """Count every deal. wager: the one that a round begins with if empty.

    Raises:
        ConfigError: nobody counts this wager out.
    """
    wager = wager or inquiry.wagers[0]
    exact = enumeration(inquiry, wager)
    return enumerated(inquiry, wager, exact.by(inquiry), best=exact.best)


def play(  # noqa: PLR0913 - each is one option of the command
    inquiry: Inquiry,
    rounds: int,
    seed: int = 0,
    *,
    wager: str = "",
    cores: int = 0,
    progress: Progress | None = None,
    keep: Path | None = None,
) -> Figures:
    """Play so many rounds by chance. keep: a file that holds what was played, from which a run goes on; then rounds are
    played in whole batches.

    Raises:
        ConfigError: a wager with which no round of this table begins, or a file that does not fit.
    """
    wager = wager or inquiry.wagers[0]
    if wager not in inquiry.wagers:
        raise ConfigError(f'--wager: awaited one of {", ".join(inquiry.wagers)}, found "{wager}"')
    kept = Kept(keep, About.of(inquiry, seed)) if keep else None
    rounds = -(-rounds // BATCH) * BATCH if kept else rounds

    def tell(done: int, tally: Tally) -> None:
        if kept:
            kept.keep(done, tally, last=done == rounds)
        if progress:
            progress(done, tally)

    begun = (kept.batches, kept.tally) if kept else None
    return simulated(inquiry, wager, simulate(inquiry, rounds, seed, cores=cores, progress=tell, begun=begun), seed)
