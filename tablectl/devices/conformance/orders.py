"""Claims about orders: each is carried out as ordered, once, however often it is said."""

from tablectl.devices.conformance.check import Broken, NotTried, expect
from tablectl.devices.conformance.rig import Rig, Talk, trade_command
from tablectl.devices.conformance.wires import Deaf, Twice
from tablectl.devices.contract import Claims
from tablectl.events.facts import Fact, StackDue, StubDue
from tablectl.events.readings import CommandRefused, CommandUnknown, Reading, ShoeStackDispensed, ShoeStubReleased

COUNTED_IN = 3.0
"""Seconds in which a count follows what it counts: the beat of a heart, and more."""
REPEATS = 3


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
        await idempotent(talk)
        due = await talk.due()
        await talk.do(due)
        await repeated(talk, due)


async def repeat_later(rig: Rig) -> None:
    """Order the same again after the link was opened anew."""
    async with rig.opened() as talk:
        await idempotent(talk)
        due = await talk.due()
        await talk.do(due)
    async with rig.opened() as talk:
        await repeated(talk, due, before=talk.strokes())


async def idempotent(talk: Talk) -> None:
    """Go on where the device claims to know its commands.

    Raises:
        NotTried: it does not.
    """
    if not talk.identity.capabilities.idempotent_commands:
        raise NotTried("it does not claim to know its commands")


async def repeated(talk: Talk, due: Fact, before: int = 1) -> None:
    """Order the same again, and again. before: strokes so far.

    Raises:
        Broken: it moved, or it does not say that this command is done.
    """
    for _ in range(REPEATS):
        await talk.order(due)
    await talk.rest()
    again = talk.strokes() - before
    expect(again <= 0, f"the same command moved it {again} times more")
    for end in talk.ends(trade_command(due)):
        if isinstance(end, CommandRefused | CommandUnknown):
            raise Broken(f"a command that it has carried out is, asked again, {end.name()}: {end.reason}")


async def lost_answers(rig: Rig) -> None:
    """Lose the first answer to each word of an order."""
    wires: list[Deaf] = []

    def deaf(link: object) -> Deaf:
        wires.append(Deaf(link))  # type: ignore[arg-type]  # a link, which wrap gives
        return wires[-1]

    async with rig.opened(wrap=deaf) as talk:
        await idempotent(talk)
        due = await talk.due()
        await talk.rest()
        wires[-1].deaf = True
        await talk.do(due)
        await talk.rest()
        expect(talk.strokes() == 1, f"it moved {talk.strokes()} times for one command whose answer was lost")


async def twice(rig: Rig) -> None:
    """Let every frame come twice."""
    async with rig.opened(wrap=Twice) as talk:
        await idempotent(talk)
        await talk.do(await talk.due())
        await talk.rest()
        expect(talk.strokes() == 1, f"it moved {talk.strokes()} times for one command that came twice")


async def stub(rig: Rig) -> None:
    """Order the rest of the deck."""
    if not rig.trade.counted:
        raise NotTried("it has no deck whose rest could be let out")
    async with rig.opened() as talk:
        await talk.do(await talk.due())
        left = talk.driver.claims.left or 0
        due = StubDue(rig.command(), "device", left)
        await talk.order(due, "release_stub")
        await talk.until(lambda: bool(talk.ends(due.command)), f"the end of {due.name()}")
        end = talk.ends(due.command)[0]
        expect(isinstance(end, ShoeStubReleased), f"{left} cards were left, and {due.name()} ended in {_told(end)}")
        expect(getattr(end, "count", None) in (None, left), f"{left} cards were left, and the stub is {_told(end)}")
        await talk.until(lambda: talk.driver.claims.left != left, "another count than before the stub")
        await rig.hands.ask("take the stub out of the gate, and fill it")


def _told(end: Reading) -> str:
    return f"{end.name()} {getattr(end, 'reason', getattr(end, 'count', ''))}"


async def absolute(rig: Rig) -> None:
    """Order a stack from another count than there is."""
    if not rig.trade.counted:
        raise NotTried("its orders name no count")
    async with rig.opened() as talk:
        await idempotent(talk)
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
