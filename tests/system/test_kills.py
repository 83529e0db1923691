"""While a table is played at, its daemon is killed again and again: at writes of the journal and at random moments."""

import asyncio
import random
import signal
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import msgspec
import pytest

from tablectl.events import readings as read
from tablectl.events.codec import encode
from tablectl.events.facts import (
    CommandEnded,
    Fact,
    RoundEnded,
    RoundOpened,
    RoundSettled,
    TableSuspended,
    WagerSettled,
)
from tablectl.events.readings import Reading
from tablectl.journal import Entry, Record
from tablectl.rehearsal import SETUPS, Plan
from tablectl.replay import Replayed, replay
from tests.brokers import Mosquitto, mosquitto
from tests.system.harness import Floor, Program, floor

__all__ = ["mosquitto"]

FIRST, STRIDE, KILLS = 3, 17, 2
"""Write points at which `make test` kills the daemon: for each table others, so that all kinds of point come up."""
POINTS = {setup: range(FIRST + number, 400, STRIDE)[:KILLS] for number, setup in enumerate(SETUPS)}
RESTARTED = "the controller restarted"

SOAKED = 100
"""Kills of each table in the soak."""
MOST_WRITES, MOST_HEARD = 80, 40
"""Write points, or events told, before which a daemon is killed at random."""
MOMENT, LONGEST_START = 0.005, 1.5
"""Seconds: on average from an event to the kill; within which a start is killed."""


Kill = Callable[[Floor], Awaitable[Program]]


def at_write(point: int) -> Kill:
    """Kill the daemon at a write point of its journal."""

    async def kill(table: Floor) -> Program:
        daemon = await table.daemon(kill_at=point)
        await table.unless_failed(daemon.process.wait(), 60)
        return daemon

    return kill


async def while_it_starts(table: Floor) -> Program:
    """Kill the daemon within the time that a start takes, and may take on a busy machine."""
    daemon = await table.daemon()
    await table.unless_failed(asyncio.sleep(random.uniform(0, LONGEST_START)))
    await daemon.kill()
    return daemon


async def while_it_plays(table: Floor) -> Program:
    """Kill the daemon when it has told some events, and a moment later."""
    daemon = await table.daemon()
    heard = table.line.at_seq + random.randrange(MOST_HEARD)
    await table.until(lambda: table.line.at_seq > heard, 60)
    await table.unless_failed(asyncio.sleep(random.expovariate(1 / MOMENT)))
    await daemon.kill()
    return daemon


def at_random() -> Kill:
    """Kill the daemon at any moment, more often where something is being written."""
    kinds = at_write(random.randrange(1, MOST_WRITES)), while_it_plays, while_it_starts
    return random.choices(kinds, weights=(4, 5, 1))[0]


async def kill_and_restart(table: Floor, kills: Iterable[Kill]) -> None:
    """Kill the daemon again and again while people play on, then let them finish with one that lives."""
    table.background(play(table))
    for kill in kills:
        daemon = await kill(table)
        assert daemon.process.returncode == -signal.SIGKILL, daemon.log()
    daemon = await table.daemon()
    await table.until_told(RoundEnded, len(table.line.found(RoundEnded)) + 1)
    await table.finish()
    assert await daemon.stop() == 0, daemon.log()
    with Record(table.journal) as record:
        last = record.head().seq
    await table.until(lambda: table.line.at_seq >= last)


async def play(table: Floor) -> None:
    await table.open()
    await table.dealer.work()


def prove(table: Floor) -> None:
    with Record(table.journal) as record:
        entries, epoch = list(record.entries()), record.epoch
        for volume in record:
            volume.verify()
    facts = [stated for entry in entries for stated in entry.facts]
    assert list(range(1, len(facts) + 1)) == [stated.seq for stated in facts]
    prove_origins(entries)
    prove_told(table, epoch, {stated.seq: stated.fact for stated in facts})
    prove_replies(table, entries)
    prove_cards(table, entries)
    prove_money([stated.fact for stated in facts])
    held = {happened.reason for happened in table.line.found(TableSuspended)}
    assert {reason for reason in held if RESTARTED not in reason} == set()
    assert isinstance(replay(table.journal), Replayed)


def prove_origins(entries: list[Entry]) -> None:
    """Every event of every device stands in the journal once, in order, none is missing; no key counts twice."""
    numbers = defaultdict(list)
    for entry in entries:
        if entry.said.number:
            numbers[entry.said.source, entry.said.boot].append(entry.said.number)
    keys = Counter(entry.said.origin for entry in entries if entry.said.key)

    assert numbers
    for taken in numbers.values():
        assert list(range(1, len(taken) + 1)) == taken
    assert {1} == set(keys.values())
    assert not any(isinstance(entry.said.body, read.DeviceEventsLost | read.CommandUnknown) for entry in entries)


def prove_told(table: Floor, epoch: str, facts: dict[int, Fact]) -> None:
    """Every fact reached the subscriber, and what was told again under a number said the same."""
    told = {envelope.seq: envelope for envelope in table.line.told}

    assert {epoch} == {envelope.epoch for envelope in table.line.told}
    assert facts.keys() == told.keys()
    for envelope in table.line.told:
        assert told[envelope.seq] == envelope
    for seq, fact in facts.items():
        said = msgspec.json.decode(encode(fact))
        if isinstance(fact, RoundOpened):
            said.pop("snapshot")
        assert said == {"type": told[seq].type, **told[seq].data}


def prove_replies(table: Floor, entries: list[Entry]) -> None:
    """What was answered stands in the journal, and a key got the same answer however often it was asked."""
    answers = defaultdict(set)
    for reply in table.line.replies:
        answers[reply.key].add((reply.ok, reply.error))

    assert dict.fromkeys(answers, 1) == {key: len(given) for key, given in answers.items()}
    assert answers.keys() <= {entry.said.key for entry in entries}


def prove_cards(table: Floor, entries: list[Entry]) -> None:
    """Each motion of a machine is one reading, and each stack one command; no card came or went."""
    world, shoe = table.world, table.plan.setup.shoe
    spoken = [entry.said.body for entry in entries if isinstance(entry.said.body, Reading)]
    stacks = [said for said in spoken if isinstance(said, read.ShoeStackDispensed | read.ShoeStubReleased)]
    strokes = [count for source, _, count, by_device in world.motions if source == shoe and by_device]
    draws = [count for source, _, count, by_hand in world.motions if shoe == source == "card-shoe" and count == 1]
    done = [
        ended.command
        for entry in entries
        for ended in (stated.fact for stated in entry.facts)
        if isinstance(ended, CommandEnded) and ended.outcome == "done"
    ]

    assert strokes == [said.size if isinstance(said, read.ShoeStackDispensed) else said.count for said in stacks]
    assert len(stacks) == len({said.command for said in stacks})
    assert {said.command for said in stacks} <= set(done)
    assert len(draws) == sum(isinstance(said, read.ShoeCardDrawn) for said in spoken)
    assert world.shuffled.count("shuffler") == sum(isinstance(said, read.ShufflerFinished) for said in spoken)
    assert world.rolled == sum(isinstance(said, read.ShakerRolled) for said in spoken)
    decks = [card for pile in table.plan.piles().values() for card in pile]
    assert Counter(decks) == Counter(card for pile in world.piles().values() for card in pile)


def prove_money(facts: list[Fact]) -> None:
    """In each round every wager is settled once, and what was staked went back or was collected."""
    wagers: list[WagerSettled] = []
    settled = 0
    for happened in facts:
        match happened:
            case RoundOpened():
                wagers.clear()
            case WagerSettled():
                wagers.append(happened)
            case RoundSettled(staked=staked, collected=collected):
                settled += 1
                assert len(wagers) == len({(wager.hand, wager.owner, wager.wager) for wager in wagers})
                assert staked == sum(wager.amount or 0 for wager in wagers)
                assert staked - collected == sum(wager.returned or 0 for wager in wagers)
    assert settled


@pytest.mark.parametrize(("game", "variant"), SETUPS)
async def test_a_kill_loses_nothing_and_does_nothing_twice(
    tmp_path: Path, mosquitto: Mosquitto, game: str, variant: str
) -> None:
    """Whichever write the daemon dies at, in whatever game: every device event and fact is kept once and told, every
    motion is one reading and one command, money and cards are conserved, play goes on without anybody's help, and
    replay agrees.
    """
    plan = Plan(game=game, variant=variant, speed=float("inf"))
    async with floor(plan, tmp_path, mosquitto.port) as table:
        await kill_and_restart(table, map(at_write, POINTS[game, variant]))

        prove(table)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "variant"), SETUPS)
async def test_a_hundred_kills_at_any_moment_do_no_harm(
    tmp_path: Path, mosquitto: Mosquitto, game: str, variant: str
) -> None:
    """The same holds for a hundred kills of each table at random moments, the start among them: a thousand in all."""
    plan = Plan(game=game, variant=variant, speed=float("inf"), seed=random.randrange(1000))
    async with floor(plan, tmp_path, mosquitto.port) as table:
        await kill_and_restart(table, (at_random() for _ in range(SOAKED)))

        prove(table)
