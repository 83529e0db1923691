"""Many rounds of the same script as the table's, dealt by chance, on all cores."""

import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

from tablectl.cards import Card
from tablectl.odds.croupier import Croupier
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.tally import Bookkeeper, Tally, add_up

BATCH = 2_000
"""Rounds that a process plays before it reports; what comes out depends on seed and rounds, not on the cores."""
Progress = Callable[[int, Tally], None]
"""Hears how many rounds are played, and what they come to."""


def simulate(inquiry: Inquiry, rounds: int, seed: int, *, cores: int = 0, progress: Progress | None = None) -> Tally:
    """Play so many rounds. cores: how many to use, 0 for all."""
    batches = [(number, min(BATCH, rounds - start)) for number, start in enumerate(range(0, rounds, BATCH))]
    played: list[Tally] = []
    done = 0
    for (_, size), tally in zip(batches, _played(inquiry, seed, batches, cores or os.cpu_count() or 1), strict=True):
        played = [add_up([*played, tally])]
        done += size
        if progress:
            progress(done, played[0])
    return played[0]


def _played(inquiry: Inquiry, seed: int, batches: list[tuple[int, int]], cores: int) -> Iterator[Tally]:
    """Yield what each batch comes to, in order."""
    if cores == 1 or len(batches) == 1:
        for number, size in batches:
            yield play(inquiry, f"{seed}/{number}", size)
        return
    with ProcessPoolExecutor(min(cores, len(batches)), get_context("spawn")) as pool:
        waiting: list[Future[Tally]] = [pool.submit(play, inquiry, f"{seed}/{number}", n) for number, n in batches]
        try:
            for future in waiting:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def play(inquiry: Inquiry, seed: str, rounds: int) -> Tally:
    """Play so many rounds in this process, each from a fresh shuffle."""
    croupier, books = Croupier(inquiry), Bookkeeper(inquiry)
    chance = random.Random(seed)  # noqa: S311 - a figure can be recomputed; no money depends on it
    deck = list(inquiry.terms.composition.cards())
    for _ in range(rounds):
        books.book(croupier.play(shuffled(deck, chance)))
    return books.tally


def shuffled(deck: list[Card], chance: random.Random) -> Iterator[Card]:
    """Yield the cards of a deck by chance, as far as they are asked for; the deck is left in another order."""
    last, below = len(deck), chance.random
    for place in range(last):
        other = place + int(below() * (last - place))
        deck[place], deck[other] = deck[other], deck[place]
        yield deck[place]
