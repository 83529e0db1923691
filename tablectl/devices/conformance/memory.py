"""Claims about what a device remembers: its events until they are kept, its commands over a reset."""

import asyncio
from collections import defaultdict

from tablectl.devices.conformance.check import Broken, NotTried, expect
from tablectl.devices.conformance.opening import most
from tablectl.devices.conformance.orders import idempotent, repeated
from tablectl.devices.conformance.rig import Rig, trade_command
from tablectl.devices.contract import Mark
from tablectl.events.readings import CommandUnknown, DeviceEventsLost, DeviceRecordBehind, Reading


async def again(rig: Rig) -> None:
    """Go away before its word was kept."""
    async with rig.opened() as talk:
        await idempotent(talk)
        due = await talk.due()
        await talk.rest()
        first = await talk.unkept(due)
        mark = Mark(first.boot, first.number - 1, (due,))
    async with rig.opened(mark) as talk:
        await talk.until(lambda: any(event.number for event in talk.events), f"{first.reading.name()}, never kept,")
        found = next(event for event in talk.events if event.number)
        text = f"event {first.number} of boot {first.boot} came again as {found.number} of {found.boot}"
        expect((found.boot, found.number) == (first.boot, first.number), text)
        expect(found.reading == first.reading, f"{first.reading} came again as {found.reading}")
        await talk.outcome(due)
        await talk.clear()


async def acknowledged(rig: Rig) -> None:
    """Come back with the mark of its last word."""
    async with rig.opened() as talk:
        await idempotent(talk)
        await talk.do(await talk.due())
        await talk.rest()
        last = next(event for event in reversed(talk.events) if event.number)
    async with rig.opened(Mark(last.boot, last.number)) as talk:
        await talk.rest()
        old = [event for event in talk.events if event.number and event.number <= last.number]
        expect(not old, f"event {old[0].number if old else 0} came again though {last.number} was acknowledged")
        lost = talk.said(DeviceEventsLost)
        expect(not lost, f"it says that events are lost, though its last one, {last.number}, was the host's")
        for behind in talk.said(DeviceRecordBehind):
            text = f"it says that {behind.kept} was acknowledged before"
            raise Broken(f"{text}, and no host has acknowledged more than {last.number}")


async def listens(rig: Rig) -> None:
    """Stay after its last word was acknowledged."""
    async with rig.opened() as talk:
        await idempotent(talk)
        await talk.do(await talk.due())
        await talk.rest()
        before = talk.driver.counters.duplicates
        await asyncio.sleep(rig.idle)
        again = talk.driver.counters.duplicates - before
        expect(not again, f"{again} times in {rig.idle:g} s it sends an event that was acknowledged")


async def numbers(rig: Rig) -> None:
    """Look at all numbers that came so far."""
    if not rig.heard:
        raise NotTried("it numbers nothing")
    known: dict[tuple[str, int], Reading] = {}
    places: dict[int, set[str]] = defaultdict(set)
    for event in rig.heard:
        place = event.boot.partition(".")[0], event.number
        held = known.setdefault(place, event.reading)
        expect(held == event.reading, f"event {event.number} was {held} and later {event.reading}")
        places[event.number].add(event.boot)
    for number, boots in places.items():
        memories = {boot.partition(".")[0] for boot in boots}
        expect(len(memories) == len(boots), f"number {number} was given twice, in boots {' and '.join(sorted(boots))}")


async def unseen(rig: Rig) -> None:
    """Ask after a command that was never sent."""
    async with rig.opened() as talk:
        capable, boot = talk.identity.capabilities.idempotent_commands, talk.identity.boot
        due = await talk.due()
    async with rig.opened(Mark(boot, talk.identity.last_event, (due,))) as talk:
        await talk.rest()
        if capable:
            expect(talk.driver.unsent == (due,), "a command that it never saw is not told as never carried out")
        else:
            doubts = [each.command for each in talk.said(CommandUnknown)]
            expect(
                doubts == [trade_command(due)], "a device without memory of commands cannot be sure, yet no doubt came"
            )
            expect(talk.driver.unsent == (), "a device without memory of commands cannot say that one was never sent")
        expect(not talk.strokes(), "being asked moved it")


async def known(rig: Rig) -> None:
    """Ask after a command that was done."""
    async with rig.opened() as talk:
        await idempotent(talk)
        due = await talk.due()
        await talk.do(due)
        boot, last = talk.identity.boot, talk.identity.last_event
    async with rig.opened(Mark(boot, last, (due,))) as talk:
        expect(talk.driver.unsent == (), "a command that it has carried out is told as never carried out")
        await talk.rest()
        expect(not talk.said(CommandUnknown), "a command that it has carried out is unknown to it")


async def patient(rig: Rig) -> None:
    """Acknowledge nothing for a while."""
    async with rig.opened() as talk:
        await idempotent(talk)
        due = await talk.due()
        first = await talk.unkept(due)
        before = talk.driver.counters.frames_in
        await asyncio.sleep(rig.idle)
        frames = talk.driver.counters.frames_in - before
        text = f"{frames} frames in {rig.idle:g} s while nobody acknowledges, at most {most(rig):g}"
        expect(frames <= most(rig), text)
        mark = Mark(first.boot, first.number - 1)
    async with rig.opened(mark) as talk:
        await talk.outcome(due)
        await talk.clear()


async def restart(rig: Rig) -> None:
    """Cut its power while it rests."""
    _needs_power_cut(rig)
    async with rig.opened() as talk:
        due = await talk.due()
        await talk.do(due)
        first = talk.identity
    await rig.hands.cut_power()
    async with rig.opened() as talk:
        expect(talk.identity.boot != first.boot, f"its boot is still {first.boot} after a reset")
        if talk.identity.capabilities.idempotent_commands:
            await repeated(talk, due, before=talk.strokes())
        await talk.do(await talk.due())


async def restart_in_motion(rig: Rig) -> None:
    """Cut its power in mid-motion."""
    _needs_power_cut(rig)
    async with rig.opened() as talk:
        await idempotent(talk)
        due = await talk.due()
        last = max((event.number for event in talk.events), default=talk.identity.last_event)
        mark = Mark(talk.identity.boot, last, (due,))
        await talk.order(due)
        await rig.hands.cut_power()
    async with rig.opened(mark) as talk:
        unsent = due in talk.driver.unsent
        if not unsent:
            await talk.until(lambda: bool(talk.ends(trade_command(due))), "what became of the command")
        await talk.rest()
        ends = [each.name() for each in talk.ends(trade_command(due))]
        expect(len(ends) == (not unsent), f"the command is {'never sent and ' * unsent}{' and '.join(ends) or 'lost'}")


def _needs_power_cut(rig: Rig) -> None:
    if not rig.hands.cuts_power:
        raise NotTried("nobody is there to cut its power")
