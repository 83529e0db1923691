"""Many rounds of the same script as the table's, dealt by chance, on all cores."""

import os
import random
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

from tablectl.cards import Card
from tablectl.events.facts import Fact, WagerPlaced
from tablectl.odds.croupier import Croupier
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.kinds import kinds_of
from tablectl.odds.tally import Bookkeeper, Tally, add_to
from tablectl.odds.walk import TOLD, Walk

BATCH = 2_000
"""Rounds that a process plays before it reports; what comes out depends on seed and rounds, not on the cores."""
COMPARED = 500
"""Of so many rounds the first is played at the table, too, by word and answer."""
Progress = Callable[[int, Tally], None]
"""Hears how many rounds are played, and what they come to."""


def simulate(  # noqa: PLR0913 - each changes how rounds are played
    inquiry: Inquiry,
    rounds: int,
    seed: int,
    *,
    cores: int = 0,
    progress: Progress | None = None,
    begun: tuple[int, Tally] | None = None,
) -> Tally:
    """Play so many rounds. cores: how many to use, 0 for all; begun: batches that were played before, and their tally,
    which is added to.
    """
    number, whole = begun or (0, {})
    batches = [(at, min(BATCH, rounds - at * BATCH)) for at in range(number, -(-rounds // BATCH))]
    done = number * BATCH
    for (_, size), tally in zip(batches, _played(inquiry, seed, batches, cores or os.cpu_count() or 1), strict=True):
        add_to(whole, tally)
        done += size
        if progress:
            progress(done, whole)
    return whole


def _played(inquiry: Inquiry, seed: int, batches: list[tuple[int, int]], cores: int) -> Iterator[Tally]:
    """Yield what each batch comes to, in order."""
    if cores == 1 or len(batches) <= 1:
        for number, size in batches:
            yield play(inquiry, f"{seed}/{number}", size)
        return
    with ProcessPoolExecutor(min(cores, len(batches)), get_context("spawn")) as pool:
        waiting: deque[Future[Tally]] = deque(
            pool.submit(play, inquiry, f"{seed}/{number}", size) for number, size in batches
        )
        try:
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def play(inquiry: Inquiry, seed: str, rounds: int) -> Tally:
    """Play so many rounds in this process, each from a fresh shuffle.

    Raises:
        RuntimeError: a round that the table plays in another way.
    """
    walk, croupier, books, kinds = Walk(inquiry), Croupier(inquiry), Bookkeeper(inquiry), kinds_of(inquiry)
    chance = random.Random(seed)  # noqa: S311 - a figure can be recomputed; no money depends on it
    deck = list(inquiry.terms.composition.cards())
    for number in range(rounds):
        dealt = shuffled(deck, chance)
        facts = walk.play(dealt)
        if number % COMPARED == 0:
            compare(facts, croupier.play(iter(deck)))
        books.book(facts, kind=kinds.of(walk.hands, dealt) if kinds else "")
    return books.tally


def compare(walked: list[Fact], played: list[Fact]) -> None:
    """Hold a round against what the table says of the same cards.

    Raises:
        RuntimeError: they differ, with the first difference.
    """
    told = sorted((fact for fact in played if isinstance(fact, TOLD)), key=_wagers_first)
    walked = sorted(walked, key=_wagers_first)
    if walked != told:
        ours, theirs = next((pair for pair in zip(walked, told, strict=False) if pair[0] != pair[1]), ("", ""))
        raise RuntimeError(f"a round of {len(walked)} facts is one of {len(told)} at the table: {ours} or {theirs}")


def _wagers_first(fact: Fact) -> tuple[str, ...]:
    """Return where a fact is compared: wagers by their place, since players lay them down in any order."""
    return ("", fact.hand, fact.wager) if isinstance(fact, WagerPlaced) else ("then",)


def shuffled(deck: list[Card], chance: random.Random) -> Iterator[Card]:
    """Yield the cards of a deck by chance, as far as they are asked for; the deck is left in another order."""
    last, below = len(deck), chance.random
    for place in range(last):
        other = place + int(below() * (last - place))
        deck[place], deck[other] = deck[other], deck[place]
        yield deck[place]
