"""A claim about machines that are shoe and shuffler: two decks go round in them, and neither disturbs the other."""

from tablectl.devices.conformance.check import NotTried, expect
from tablectl.devices.conformance.orders import COUNTED_IN
from tablectl.devices.conformance.rig import Rig, Talk
from tablectl.devices.conformance.trades import TRADES
from tablectl.devices.contract import Kind
from tablectl.devices.registry import kinds
from tablectl.events.facts import StackDue, StubDue
from tablectl.events.readings import (
    ShoeLoaded,
    ShoeStubReleased,
    ShufflerDeckOut,
    ShufflerFinished,
    ShufflerStarted,
)


async def cycle(rig: Rig) -> None:
    """Deal a deck out while another one is shuffled behind it, and see that one come down."""
    if not {Kind.STACK_SHOE, Kind.SHUFFLER} <= set(kinds(rig.driver)):
        raise NotTried("it is not both shoe and shuffler")
    async with rig.opened() as talk:
        due = await talk.due()
        assert isinstance(due, StackDue)
        await _shuffle_behind(talk)
        await talk.do(due)
        left = due.left - due.size
        await talk.until(lambda: talk.driver.claims.left == left, f"a count of {left}, of one deck alone", COUNTED_IN)
        released = await _release(talk, left)
        await talk.until(lambda: bool(_loaded(talk, released)), "the shuffled deck in the shoe")
        _as_shuffled(talk.said(ShufflerFinished), _loaded(talk, released)[0])


async def _shuffle_behind(talk: Talk) -> None:
    shuffler = TRADES[Kind.SHUFFLER]
    await talk.order(shuffler.due(talk.rig.command(), 0), shuffler.verb)
    await talk.rig.hands.ask("put another deck in, and leave it there")
    await talk.until(lambda: bool(talk.said(ShufflerStarted)), ShufflerStarted.name())


async def _release(talk: Talk, left: int) -> int:
    """Let the rest of the deck out; return how many events there were until then.

    Raises:
        NotTried: somebody took the other deck out meanwhile.
    """
    await talk.order(StubDue(talk.rig.command(), "device", left), "release_stub")
    await talk.until(lambda: bool(talk.said(ShoeStubReleased)), ShoeStubReleased.name())
    words = [type(event.reading) for event in talk.events]
    if ShufflerDeckOut in words[: words.index(ShoeStubReleased)]:
        raise NotTried("the shuffled deck was taken out by hand")
    await talk.rig.hands.ask("take the rest out of the gate")
    return words.index(ShoeStubReleased)


def _loaded(talk: Talk, after: int) -> list[ShoeLoaded]:
    return [event.reading for event in talk.events[after:] if isinstance(event.reading, ShoeLoaded)]


def _as_shuffled(finished: list[ShufflerFinished], loaded: ShoeLoaded) -> None:
    expect(len(finished) == 1, f"the shuffle ended {len(finished)} times")
    counts = finished[0].count, loaded.count
    text = f"{counts[0]} cards were shuffled, and {counts[1]} came into the shoe"
    expect(None in counts or counts[0] == counts[1], text)
