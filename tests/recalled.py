"""Journals of rounds that a bench played, for tests of what is told of them."""

import asyncio
from pathlib import Path

import msgspec

from tablectl.events.facts import RoundOpened
from tablectl.journal import Journal
from tests.tables import Bench

AT = 1_796_000_000_000_000_000
SECOND = 1_000_000_000


async def write(bench: Bench, path: Path, *, first: int = 0) -> Path:
    """Record what a bench did from this input on, one second each."""
    async with Journal.open(path, table=bench.terms.table) as journal:
        round_ = 0
        for number, (said, facts) in enumerate(zip(bench.inputs, bench.answers, strict=True)):
            opened = [fact.round for fact in facts if isinstance(fact, RoundOpened)]
            round_ = opened[-1] if opened else round_
            if number >= first:
                await journal.append(msgspec.structs.replace(said, at=AT + number * SECOND), facts, in_round=round_)
    return path


def recorded(bench: Bench, path: Path) -> Path:
    return asyncio.run(write(bench, path))
