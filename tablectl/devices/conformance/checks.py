"""The claims that every driver's device must keep, in the order in which they are tried."""

import asyncio
from collections import defaultdict

from tablectl.devices.conformance.check import Broken, Check, NotTried, expect
from tablectl.devices.conformance.rig import Rig, Talk, trade_command
from tablectl.devices.conformance.wires import Bytewise, Deaf, Noisy, Twice
from tablectl.devices.contract import Claims, Mark
from tablectl.errors import LinkLost
from tablectl.events.facts import Fact, StackDue
from tablectl.events.readings import CommandRefused, CommandUnknown, DeviceEventsLost, Reading, ShoeStackDispensed

OPENED_IN = 5.0
"""Seconds in which a device must have said who it is, noise or not."""
CLOSED_IN = 2.0
MOST_FRAMES = 30
"""Frames a second that a device may send while it has nothing to do."""
COUNTED_IN = 3.0
"""Seconds in which a count follows what it counts: the beat of a heart, and more."""
REPEATS = 3


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


async def order(rig: Rig) -> None:
    """Order once."""
    async with rig.opened() as talk:
        due = await talk.due()
        reading = await talk.do(due)
        await talk.rest()
        ends = talk.ends(trade_command(due))
        expect(len(ends) == 1, f"{due.name()} ended {len(ends)} times: {', '.join(each.name() for each in ends)}")
        if isinstance(due, StackDue) and isinstance(reading, ShoeStackDispensed):
            _as_ordered(due, reading)
        numbered = next(event for event in talk.events if event.reading == reading)
        if talk.identity.capabilities.idempotent_commands:
            expect(bool(numbered.boot and numbered.number), f"{reading.name()} has no boot or number")


def _as_ordered(due: StackDue, said: ShoeStackDispensed) -> None:
    asked, found = (due.stack, due.size, due.left - due.size), (said.stack, said.size, said.left)
    expect(asked[:2] == found[:2], f"stack {found[0]} of {found[1]} cards came, ordered was {asked[0]} of {asked[1]}")
    expect(asked[2] == found[2], f"{found[2]} cards are said to be left, {due.left} less {due.size} are {asked[2]}")


async def count(rig: Rig) -> None:
    """Compare what it says it holds before and after an order."""
    async with rig.opened() as talk:
        if not (talk.identity.capabilities.counts and rig.trade.size):
            raise NotTried("it does not claim to count what it deals")
        due = await talk.due()
        before = talk.driver.claims.left or 0
        await talk.do(due)
        wanted = before - rig.trade.size
        try:
            await talk.until(lambda: _adds_up(talk.driver.claims, wanted), "a count", COUNTED_IN)
        except Broken:
            found = talk.driver.claims
            text = f"{before} were inside and {rig.trade.size} came out; it says that {found.left} are left"
            raise Broken(f"{text}, {found.cards_in} in and {found.cards_out} out") from None


def _adds_up(claims: Claims, left: int) -> bool:
    sums = claims.cards_in is None or claims.cards_out is None or claims.cards_in - claims.cards_out == left
    return claims.left == left and sums


async def repeat(rig: Rig) -> None:
    """Order the same again and again."""
    async with rig.opened() as talk:
        await _idempotent(talk)
        due = await talk.due()
        await talk.do(due)
        await _repeated(talk, due)


async def repeat_later(rig: Rig) -> None:
    """Order the same again after the link was opened anew."""
    async with rig.opened() as talk:
        await _idempotent(talk)
        due = await talk.due()
        await talk.do(due)
    async with rig.opened() as talk:
        await _repeated(talk, due, before=talk.strokes())


async def _idempotent(talk: Talk) -> None:
    if not talk.identity.capabilities.idempotent_commands:
        raise NotTried("it does not claim to know its commands")


async def _repeated(talk: Talk, due: Fact, before: int = 1) -> None:
    for _ in range(REPEATS):
        await talk.order(due)
    await talk.rest()
    again = talk.strokes() - before
    expect(again <= 0, f"the same command moved it {again} times more")


async def lost_answers(rig: Rig) -> None:
    """Lose the first answer to each word of an order."""
    wires: list[Deaf] = []

    def deaf(link: object) -> Deaf:
        wires.append(Deaf(link))  # type: ignore[arg-type]  # a link, which wrap gives
        return wires[-1]

    async with rig.opened(wrap=deaf) as talk:
        await _idempotent(talk)
        due = await talk.due()
        await talk.rest()
        wires[-1].deaf = True
        await talk.do(due)
        await talk.rest()
        expect(talk.strokes() == 1, f"it moved {talk.strokes()} times for one command whose answer was lost")


async def twice(rig: Rig) -> None:
    """Let every frame come twice."""
    async with rig.opened(wrap=Twice) as talk:
        await _idempotent(talk)
        await talk.do(await talk.due())
        await talk.rest()
        expect(talk.strokes() == 1, f"it moved {talk.strokes()} times for one command that came twice")


async def again(rig: Rig) -> None:
    """Go away before its word was kept."""
    async with rig.opened() as talk:
        await _idempotent(talk)
        due = await talk.due()
        await talk.rest()
        talk.hold()
        await talk.order(due)
        await rig.hands.ask(rig.trade.before)
        first = await talk.held()
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
        await _idempotent(talk)
        await talk.do(await talk.due())
        await talk.rest()
        last = next(event for event in reversed(talk.events) if event.number)
    async with rig.opened(Mark(last.boot, last.number)) as talk:
        await talk.rest()
        old = [event for event in talk.events if event.number and event.number <= last.number]
        expect(not old, f"event {old[0].number if old else 0} came again though {last.number} was acknowledged")
        lost = talk.said(DeviceEventsLost)
        expect(not lost, f"it says that events are lost, though its last one, {last.number}, was the host's")


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
        await _idempotent(talk)
        due = await talk.due()
        await talk.do(due)
        boot, last = talk.identity.boot, talk.identity.last_event
    async with rig.opened(Mark(boot, last, (due,))) as talk:
        expect(talk.driver.unsent == (), "a command that it has carried out is told as never carried out")
        await talk.rest()
        expect(not talk.said(CommandUnknown), "a command that it has carried out is unknown to it")


async def absolute(rig: Rig) -> None:
    """Order a stack from another count than there is."""
    if not rig.trade.counted:
        raise NotTried("its orders name no count")
    async with rig.opened() as talk:
        await _idempotent(talk)
        right = await talk.due()
        assert isinstance(right, StackDue)
        wrong = StackDue(rig.command(), right.device, 1, right.size, right.left + 1, right.hand)
        await talk.order(wrong)
        await talk.until(lambda: bool(talk.ends(wrong.command)), "a refusal")
        await talk.rest()
        end = talk.ends(wrong.command)[0]
        text = f"it was told that {wrong.left} cards are left, holds {right.left}, and says {end.name()}"
        expect(isinstance(end, CommandRefused) and not talk.strokes(), text)
        expect(isinstance(end, CommandRefused) and bool(end.reason), "it refuses without a reason")


async def calm(rig: Rig) -> None:
    """Listen while it has nothing to do."""
    async with rig.opened() as talk:
        before = talk.driver.counters.frames_in
        await asyncio.sleep(rig.idle)
        frames = talk.driver.counters.frames_in - before
        if talk.lost:
            raise talk.lost
        expect(frames > 0, f"not a word in {rig.idle:g} s: it cannot be told from a dead one")
        text = f"{frames} frames in {rig.idle:g} s with nothing to say"
        expect(frames <= MOST_FRAMES * rig.idle, text)


async def patient(rig: Rig) -> None:
    """Acknowledge nothing for a while."""
    async with rig.opened() as talk:
        await _idempotent(talk)
        due = await talk.due()
        talk.hold()
        await talk.order(due)
        await rig.hands.ask(rig.trade.before)
        first = await talk.held()
        before = talk.driver.counters.frames_in
        await asyncio.sleep(rig.idle)
        frames = talk.driver.counters.frames_in - before
        expect(frames <= MOST_FRAMES * rig.idle, f"{frames} frames in {rig.idle:g} s while nobody acknowledges")
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
            await _repeated(talk, due, before=talk.strokes())
        await talk.do(await talk.due())


async def restart_in_motion(rig: Rig) -> None:
    """Cut its power in mid-motion."""
    _needs_power_cut(rig)
    async with rig.opened() as talk:
        await _idempotent(talk)
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


CHECKS = (
    Check("identity", "it says who it is in five seconds: model, serial, boot and kind", identity),
    Check("identity-again", "it says the same at the next opening", identity_again),
    Check("close", "the driver closes at once, at any time", close),
    Check("still", "opening it moves nothing", still),
    Check("noise", "noise and a modem manager's words move nothing and keep nobody out", noise),
    Check("bytewise", "frames that come byte by byte are frames", bytewise),
    Check("order", "an order is carried out as ordered, and its end is told once", order),
    Check("count", "what it says it holds is what went in less what came out", count),
    Check("repeat", "the same command again moves nothing", repeat),
    Check("repeat-later", "nor after the link was opened anew", repeat_later),
    Check("lost-answers", "a command whose answer was lost moves it once", lost_answers),
    Check("twice", "frames that come twice move it once", twice),
    Check("again", "an event that nobody kept comes again, with the same boot and number", again),
    Check("acknowledged", "an event that was acknowledged never comes again", acknowledged),
    Check("unseen", "a command that it never saw is told as such, or is a doubt if it cannot know", unseen),
    Check("known", "a command that it carried out is told as such", known),
    Check("absolute", "a stack is refused when the count is not the one awaited", absolute),
    Check("calm", "it shows that it lives, and does not chatter", calm),
    Check("patient", "it does not flood a host that acknowledges nothing", patient),
    Check("restart", "after a reset its boot is another, and its commands are still known", restart),
    Check("restart-in-motion", "a command in whose motion the power failed has exactly one end", restart_in_motion),
    Check("numbers", "no number is given to two events", numbers),
)
