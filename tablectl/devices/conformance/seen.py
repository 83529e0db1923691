"""A claim about readers, which do nothing on command: what they see is told once, and kept until a host has it."""

from tablectl.cards import UNSEEN
from tablectl.devices.conformance.check import NotTried, expect
from tablectl.devices.conformance.rig import NoHands, Rig, Talk
from tablectl.devices.contract import Event, Kind, Mark
from tablectl.events.readings import ReaderCardSeen


async def seen(rig: Rig) -> None:
    """Lay a card before it, go away before its word was kept, and come back twice."""
    if rig.driver.kind is not Kind.READER:
        raise NotTried("it reads no cards that lie open")
    if isinstance(rig.hands, NoHands):
        raise NotTried("nobody is there to lay a card before it")
    async with rig.opened() as talk:
        talk.hold()
        await rig.hands.ask("lay one card face up before it", "show")
        first = await _told(talk)
    async with rig.opened(Mark(first.boot, first.number - 1)) as talk:
        again = await _told(talk)
        expect(again == first, f"{first} was not kept, and came again as {again}")
    async with rig.opened(Mark(first.boot, first.number)) as talk:
        await talk.rest()
        expect(not talk.said(ReaderCardSeen), f"event {first.number} came again though it was kept")


async def _told(talk: Talk) -> Event:
    """Return the event of a card that it saw, face up and numbered."""
    await talk.until(lambda: bool(talk.said(ReaderCardSeen)), ReaderCardSeen.name())
    event = next(event for event in talk.events if isinstance(event.reading, ReaderCardSeen))
    assert isinstance(event.reading, ReaderCardSeen)
    expect(event.reading.card != UNSEEN, "it saw a card, and does not say which")
    expect(bool(event.reading.area), "it saw a card, and does not say where")
    expect(bool(event.boot and event.number), f"{event.reading.name()} has no boot or number")
    return event
