"""Claims about opening, listening and closing."""

import asyncio

from tablectl.devices.conformance.check import Broken, NotTried, expect
from tablectl.devices.conformance.rig import Rig, Talk
from tablectl.devices.conformance.wires import Bytewise, Noisy
from tablectl.errors import LinkLost

OPENED_IN = 5.0
"""Seconds in which a device must have said who it is, noise or not."""
CLOSED_IN = 2.0
MOST_FRAMES = 30
"""Frames a second that a device may send while it has nothing to do."""


async def identity(rig: Rig) -> None:
    """Open and look."""
    async with asyncio.timeout(OPENED_IN), rig.opened() as talk:
        for name in ("model", "serial", "boot"):
            expect(bool(getattr(talk.identity, name)), f"its {name} is empty")
        kinds = ", ".join(talk.identity.kinds) or "nothing"
        expect(rig.driver.kind in talk.identity.kinds, f"it says that it is {kinds}, not {rig.driver.kind}")


async def identity_again(rig: Rig) -> None:
    """Open twice."""
    async with rig.opened() as talk:
        first = talk.identity
    async with rig.opened() as talk:
        second = talk.identity
    expect(first.serial == second.serial, f"serial {first.serial!r} became {second.serial!r}")
    if first.capabilities.idempotent_commands:
        expect(first.boot == second.boot, f"boot {first.boot} became {second.boot} though nobody reset it")
    expect(second.last_event >= first.last_event, f"event {second.last_event} came after event {first.last_event}")


async def still(rig: Rig) -> None:
    """Open and order nothing."""
    done = rig.trade.done
    async with rig.opened() as talk:
        before = len(talk.said(done))
        await talk.rest()
        expect(len(talk.said(done)) == before, f"{done.name()} without an order")


async def noise(rig: Rig) -> None:
    """Let it hear noise before the host."""
    async with asyncio.timeout(OPENED_IN + rig.quiet), rig.opened(wrap=Noisy) as talk:
        await _nothing_moved(rig, talk)


async def _nothing_moved(rig: Rig, talk: Talk) -> None:
    await talk.rest()
    try:
        done = rig.trade.done
    except NotTried:
        return
    expect(not talk.said(done), f"{done.name()} without an order")


async def bytewise(rig: Rig) -> None:
    """Let every byte come alone."""
    async with rig.opened(wrap=Bytewise) as talk:
        await talk.do(await talk.due())


async def calm(rig: Rig) -> None:
    """Listen while it has nothing to do."""
    async with rig.opened() as talk:
        before = talk.driver.counters.frames_in
        await asyncio.sleep(rig.idle)
        frames = talk.driver.counters.frames_in - before
        if talk.lost:
            raise talk.lost
        expect(frames > 0, f"not a word in {rig.idle:g} s: it cannot be told from a dead one")
        expect(frames <= most(rig), f"{frames} frames in {rig.idle:g} s with nothing to say, at most {most(rig):g}")


def most(rig: Rig) -> float:
    """Return how many frames a device may send while the kit listens to it at rest."""
    return MOST_FRAMES * rig.idle


async def close(rig: Rig) -> None:
    """Close at once."""
    clock = asyncio.get_running_loop().time
    driver = rig.driver(await rig.plug())
    began = clock()
    await driver.close()
    await driver.close()
    expect(clock() - began < CLOSED_IN, f"closing took {clock() - began:.1f} s")
    try:
        await anext(driver.readings())
    except LinkLost:
        return
    raise Broken("it goes on talking after it was closed")
