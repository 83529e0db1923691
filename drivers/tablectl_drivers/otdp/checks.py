"""What a device must keep besides the contract because docs/protocol.md says so; tried with the wire in hand."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypeVar

from tablectl.cards import UNSEEN
from tablectl.devices.conformance.check import Broken, Check, NotTried, expect
from tablectl.devices.conformance.rig import Rig
from tablectl.devices.contract import Kind, Link, Mark, State
from tablectl.devices.framing import LONGEST, Deframer, frame
from tablectl.errors import WireError
from tablectl.events.readings import ShoeStackDispensed
from tablectl_drivers.otdp import wire
from tablectl_drivers.otdp.family import told
from tablectl_drivers.otdp.wire import Message, Result

Said = TypeVar("Said", bound=Message)
ANSWERED_IN = 1.0
"""Seconds for an answer; the host asks again after a quarter of that."""
ARMED = 5.0
KEPT = 64
"""Commands whose result is remembered, at least."""
_UNKNOWN_CODE = 0x7E
_GATE = (State.DISPENSING, State.STACK_READY, State.REMAINDER)
"""States in which no stack can come: something lies in the gate."""
_FOREIGN: dict[Kind, type[Message]] = {
    Kind.STACK_SHOE: wire.Shake,
    Kind.CARD_SHOE: wire.Shake,
    Kind.SHUFFLER: wire.Shake,
    Kind.SHAKER: wire.Shuffle,
    Kind.READER: wire.Shuffle,
}


class Wire:
    """The host's end of the line, without a driver."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._deframer = Deframer()
        self._said: list[tuple[Message, int]] = []
        self._number = 0
        self._instead: Message | None = None

    async def ask(self, message: Message, answer: type[Said]) -> Said:
        """Ask, and return the answer.

        Raises:
            Broken: none came.
        """
        self._number, self._instead = self._number % 255 + 1, None
        await self._link.write(frame(wire.encode(message, self._number)))
        found = await self.hear(answer, ANSWERED_IN, self._number)
        if found is None:
            raise Broken(f"no {answer.__name__.upper()} in answer to {told(message)}{self._told()}")
        return found

    def _told(self) -> str:
        return f"; what came is {told(self._instead)}" if self._instead else ""

    async def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        await self._link.write(data)

    async def hear(self, wanted: type[Said], seconds: float, number: int | None = None) -> Said | None:
        """Return the next message of a kind, with its link number if one is given; None where it does not come."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    while self._said:
                        message, link = self._said.pop(0)
                        if isinstance(message, wanted) and number in (None, link):
                            return message
                        self._instead = message if link == number else self._instead
                    self._said += self._decoded(await self._link.read())
        except TimeoutError:
            return None

    def _decoded(self, data: bytes) -> list[tuple[Message, int]]:
        try:
            return [wire.decode(body) for body in self._deframer.feed(data)]
        except WireError as error:
            raise Broken(f"it says what is no OTDP: {error}") from error


@asynccontextmanager
async def _connected(rig: Rig, *, resume: bool = True) -> AsyncGenerator[tuple[Wire, wire.Identity]]:
    link = await rig.plug()
    try:
        line = Wire(link)
        identity = await line.ask(wire.Hello(wire.VERSION, link.nonce), wire.Identity)
        if resume:
            await line.ask(wire.Resume(identity.memory, identity.last_event), wire.Resumed)
        yield line, identity
    finally:
        await link.close()


async def crc(rig: Rig) -> None:
    """Damage a frame."""
    async with _connected(rig) as (line, _):
        body = wire.encode(wire.Hello(wire.VERSION, 1), 99)
        good = frame(body)
        await line.write(good[:-3] + bytes([good[-3] ^ 1 or 2]) + good[-2:])
        heard = await line.hear(wire.Identity, ANSWERED_IN, 99)
        expect(heard is None, "it answers a frame whose CRC is wrong")


async def nonce(rig: Rig) -> None:
    """Say hello twice, differently."""
    async with _connected(rig) as (line, identity):
        for number in (identity.nonce ^ 1 or 2, identity.nonce):
            found = (await line.ask(wire.Hello(wire.VERSION, number), wire.Identity)).nonce
            expect(found == number, f"HELLO with nonce {number:08x} is answered with {found:08x}")


async def too_long(rig: Rig) -> None:
    """Say more than a frame holds, then go on."""
    async with _connected(rig) as (line, identity):
        await line.write(b"\x00" + b"\x55" * (2 * LONGEST) + b"\x00")
        await line.ask(wire.Hello(wire.VERSION, identity.nonce), wire.Identity)


async def not_understood(rig: Rig) -> None:
    """Say what is no message, and messages that are too short and too long."""
    async with _connected(rig) as (line, identity):
        hello = wire.encode(wire.Hello(wire.VERSION, identity.nonce), 77)
        bodies = {
            "an unknown message": bytes([_UNKNOWN_CODE, 77]),
            "a short HELLO": hello[:-1],
            "a long HELLO": hello + b"!",
        }
        for name, body in bodies.items():
            await line.write(frame(body))
            heard = await line.hear(Message, ANSWERED_IN, 77)
            expect(heard == wire.Nak(wire.Refusal.NOT_UNDERSTOOD), f"{name} is answered with {heard}")
        await line.ask(wire.Hello(wire.VERSION, identity.nonce), wire.Identity)


async def hello(rig: Rig) -> None:
    """Say hello in mid-session."""
    async with _connected(rig) as (line, identity):
        await line.ask(wire.Hello(wire.VERSION, identity.nonce), wire.Identity)
        await line.ask(wire.Query(rig.command()), wire.Answer)


async def not_for_this_kind(rig: Rig) -> None:
    """Ask for what only another kind does."""
    async with _connected(rig) as (line, identity):
        foreign = next((_FOREIGN[kind] for kind in identity.kinds if _FOREIGN[kind] is not None), wire.Shake)
        if {Kind.SHAKER, Kind.SHUFFLER} <= set(identity.kinds):
            raise NotTried("it is too many kinds")
        message = wire.Shake(rig.command(), 1) if foreign is wire.Shake else wire.Shuffle(rig.command())
        heard = await line.ask(message, wire.Nak)
        expect(
            heard.refusal is wire.Refusal.NOT_FOR_THIS_KIND, f"{foreign.__name__.upper()} is refused as {heard.refusal}"
        )


async def armed(rig: Rig) -> None:
    """Arm, and say GO too late."""
    async with _loaded(rig) as (line, left):
        command = rig.command()
        await _stands(line, wire.Arm(command, 1, 1, left), Result.ARMED)
        await _still(line, max(rig.quiet, ARMED + ANSWERED_IN))
        await _stands(line, wire.Go(command), Result.EXPIRED, f"GO after {ARMED:g} s")


async def _still(line: Wire, seconds: float) -> None:
    """Wait so long for a stack that nobody let go; other things may happen."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while True:
                event = await line.hear(wire.Event, seconds)
                if event and isinstance(event.reading, ShoeStackDispensed):
                    raise Broken("it moved without GO")


async def armed_once(rig: Rig) -> None:
    """Arm one command, then another, and let go the first."""
    async with _loaded(rig) as (line, left):
        first = rig.command()
        await _stands(line, wire.Arm(first, 1, 1, left), Result.ARMED)
        await _stands(line, wire.Arm(rig.command(), 1, 1, left), Result.ARMED, "ARM while another is armed")
        await _stands(line, wire.Go(first), Result.EXPIRED, "GO for the first of two")


async def remembers(rig: Rig) -> None:
    """Ask after a command behind which as many others came as it must remember."""
    async with _loaded(rig, "its orders name no count that could be refused") as (line, left):
        first = rig.command()
        for command in (first, *(rig.command() for _ in range(KEPT - 1))):
            await _stands(
                line, wire.Arm(command, 1, 1, left + 1), Result.REFUSED, f"ARM from {left + 1} cards of {left}"
            )
        await _stands(line, wire.Query(first), Result.REFUSED, f"QUERY for a command refused {KEPT - 1} commands ago")


@asynccontextmanager
async def _loaded(rig: Rig, else_: str = "it arms nothing") -> AsyncGenerator[tuple[Wire, int]]:
    """Connect to a stack shoe that has cards inside, and return how many. else_: why another device is not tried."""
    if rig.driver.kind is not Kind.STACK_SHOE:
        raise NotTried(else_)
    async with _connected(rig) as (line, _):
        yield line, await _filled(rig, line)


async def _stands(line: Wire, message: wire.Message, awaited: Result, text: str = "") -> None:
    """Ask, and see how the command stands."""
    answer = await line.ask(message, wire.Answer)
    said = f"{answer.result.value} {answer.reason}".strip()
    asked = text or type(message).__name__.upper()
    expect(answer.result is awaited, f"{asked} is answered with {said}, awaited was {awaited.value}")


async def _filled(rig: Rig, line: Wire) -> int:
    """Return how many cards are inside, once there are some and the gate is clear."""
    beat = await line.hear(wire.Heartbeat, 2 * ANSWERED_IN)
    if not _ready(beat):
        await rig.hands.ask("take out what lies in the gate, and fill it")
    try:
        async with asyncio.timeout(rig.patience):
            while not _ready(beat):
                beat = await line.hear(wire.Heartbeat, 2 * ANSWERED_IN)
    except TimeoutError:
        raise Broken(f"no heartbeat in {rig.patience:g} s tells of cards inside and a clear gate: {beat}") from None
    return (beat and beat.left) or 0


def _ready(beat: wire.Heartbeat | None) -> bool:
    return beat is not None and bool(beat.left) and beat.state not in _GATE


async def query(rig: Rig) -> None:
    """Ask after what never was."""
    async with _connected(rig) as (line, _):
        command = rig.command()
        for _ in range(2):
            answer = await line.ask(wire.Query(command), wire.Answer)
            expect(answer.result is Result.UNSEEN, f"a command that never was is {answer.result.value}")


async def heartbeat(rig: Rig) -> None:
    """Wait for two beats."""
    async with _connected(rig) as (line, identity):
        for _ in range(2):
            beat = await line.hear(wire.Heartbeat, 2 * ANSWERED_IN)
            expect(beat is not None, "no heartbeat within two seconds")
            expect(beat is None or beat.boot == identity.boot, "a heartbeat of another boot than its identity's")


async def face(rig: Rig) -> None:
    """Draw a card that is not due face up."""
    if rig.driver.kind is not Kind.CARD_SHOE:
        raise NotTried("it deals no single cards")
    async with _connected(rig) as (line, _):
        await line.ask(wire.Unlock(rig.command(), face_up=False), wire.Answer)
        await rig.hands.ask("draw one card")
        async with asyncio.timeout(rig.patience):
            while True:
                event = await line.hear(wire.Event, rig.patience)
                if event is None:
                    raise Broken("no card was drawn")
                if isinstance(event.reading, wire.CardDrawn):
                    expect(event.reading.card == UNSEEN, "it tells the face of a card that is not due face up")
                    return


async def kept(rig: Rig) -> None:
    """Keep some of its events and not the next, and come back as a host that has lost the end of its record."""
    async with rig.opened() as talk:
        await talk.do(await talk.due())
        due = await talk.due()
        await talk.rest()
        first = await talk.unkept(due)
        behind = Mark(first.boot, first.number - 1)
    await _told_kept(rig, behind.number)
    async with rig.opened(behind) as talk:
        await talk.outcome(due)
        await talk.clear()
        await talk.rest()
    if rig.hands.cuts_power:
        await rig.hands.cut_power()
        await _told_kept(rig, rig.mark.number)


async def _told_kept(rig: Rig, known: int) -> None:
    """Ask, as hosts that stand elsewhere and at last as one that stands there, how far its events were kept."""
    async with _connected(rig, resume=False) as (line, identity):
        if not rig.mark.boot.startswith(f"{identity.memory:08x}"):
            raise NotTried("its memory is gone")
        for memory, number in (*[(identity.memory, known - 1)] * 2, (0, 0), (identity.memory, known)):
            found = (await line.ask(wire.Resume(memory, number), wire.Resumed)).kept
            text = f"{known} was acknowledged; to a host that resumes behind {number} it says that {found} was kept"
            expect(found == known, text)


CHECKS = (
    Check("otdp-crc", "a frame with a wrong CRC is never answered", crc),
    Check("otdp-long", "a frame that is too long is skipped", too_long),
    Check("otdp-nonce", "IDENTITY carries the nonce of the HELLO that it answers", nonce),
    Check("otdp-hello", "HELLO does not disturb a session", hello),
    Check("otdp-unknown", "a message that is none is refused as not understood", not_understood),
    Check("otdp-kind", "what only another kind does is refused as such", not_for_this_kind),
    Check("otdp-query", "QUERY makes nothing known", query),
    Check("otdp-heartbeat", "its heart beats each second", heartbeat),
    Check("otdp-kept", "RESUMED tells the highest event that was ever acknowledged, whoever asks", kept),
    Check("otdp-armed", "ARM alone moves nothing and expires", armed),
    Check("otdp-armed-once", "arming another command expires the first", armed_once),
    Check("otdp-remembers", "the results of the last 64 commands are known", remembers),
    Check("otdp-face", "the face of a card that is not due face up never reaches the line", face),
)
