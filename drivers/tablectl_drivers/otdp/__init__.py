"""Open Table Device Protocol (OTDP), the open protocol of docs/protocol.md: its drivers."""

import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import ClassVar

from tablectl.cards import UNSEEN
from tablectl.devices.contract import Claims, Event, Identity, Kind, Link, Loss, Mark, State
from tablectl.devices.family import Family
from tablectl.devices.registry import kinds
from tablectl.errors import LinkLost, WireError
from tablectl.events.facts import CardDue, CardsLocked, Fact, RollDue, ShuffleDue, StackDue, StubDue
from tablectl.events.readings import CommandRefused, CommandUnknown, Reading, ShoeCardDrawn
from tablectl_drivers.otdp import wire
from tablectl_drivers.otdp.checks import CHECKS
from tablectl_drivers.otdp.family import explain, identify, identity_of
from tablectl_drivers.otdp.session import OtdpSession
from tablectl_drivers.otdp.wire import Answer, CardDrawn, Message, Result

__all__ = ["CardShoe", "Reader", "Shaker", "Shuffler", "ShufflerShoe", "StackShoe"]

_ARMINGS = 3
"""Times that a command is made ready again when its time ran out before it could go."""
_NOTHING_MOVED = (Result.REFUSED, Result.EXPIRED, Result.UNSEEN)


class OtdpDriver:
    """What the four drivers have in common; see :class:`tablectl.devices.contract.Driver` for the contract."""

    family = Family("otdp", identify, explain, CHECKS, answers_in=0.5)
    kind: ClassVar[Kind]

    def __init__(self, link: Link) -> None:
        self._session = OtdpSession(link, self._hear)
        self.counters = self._session.counters
        self.unsent: tuple[Fact, ...] = ()

    async def open(self, mark: Mark) -> Identity:
        """Say hello, resume behind the mark, and query its open commands."""
        identity = await self._session.hello()
        driven = kinds(type(self))
        if any(kind not in identity.kinds for kind in driven):
            found = " and ".join(identity.kinds) or "nothing"
            text = f"{identity.model} {identity.serial!r} is {found}, awaited was a {' and a '.join(driven)}"
            raise LinkLost(Loss.WRONG_DEVICE, text)
        await self._session.resume(mark)
        self.unsent = tuple([due for due in mark.open_commands if await self._never_done(due, mark)])
        return identity_of(identity, self._session.boot_name)

    async def readings(self) -> AsyncGenerator[Event]:
        """Yield readings; each is acknowledged to the device when the next is asked for."""
        while True:
            event = await self._session.next()
            yield event
            self._session.acknowledge(event.number)

    @property
    def lost(self) -> LinkLost | None:
        """Return why the session is over, None while it holds."""
        return self._session.lost

    @property
    def state(self) -> State:
        """Return the state of the last event or heartbeat."""
        return self._session.state

    @property
    def claims(self) -> Claims:
        """Return the counts of the last event or heartbeat."""
        return self._session.claims

    async def close(self) -> None:
        """End the session and give the link back."""
        await self._session.close()

    def _hear(self, said: wire.Said) -> Reading:
        """Return what was said as the table may know it."""
        if isinstance(said, CardDrawn):
            raise WireError(f"a {self.kind} says that a card was drawn")
        return said

    async def _never_done(self, due: Fact, mark: Mark) -> bool:
        """Tell whether the device has certainly not done it; where it cannot know, say so."""
        command = _command(due)
        answer = await self._session.request(wire.Query(command))
        match answer:
            case Answer(result=Result.UNSEEN) if not self._session.remembers(mark.boot_of(command)):
                self._session.say(CommandUnknown(command, "the device has lost its memory"))
            case Answer(result=Result.UNSEEN | Result.ARMED | Result.EXPIRED):
                return True
            case Answer(result=Result.REFUSED, reason=reason):
                self._session.say(CommandRefused(command, reason))
        # Moving, done and in doubt: the device tells by an event, which it sends again until we keep it.
        return False

    async def _order(self, message: Message, command: str) -> None:
        """Have a command carried out, in two steps where the device arms it first."""
        try:
            answer = await self._request(message)
            for _ in range(_ARMINGS):
                if answer.result is Result.ARMED:
                    answer = await self._request(wire.Go(command))
                if answer.result is Result.EXPIRED:
                    answer = await self._request(message)
        except LinkLost:
            # readings() says that the link is gone; at the next open the device is asked what became of the command.
            return
        if answer.result in _NOTHING_MOVED:
            self._session.say(CommandRefused(command, answer.reason or answer.result.value))
        elif answer.result is Result.ARMED:
            self._session.fail(f"the device stays armed after GO {command}")

    async def _request(self, message: Message) -> Answer:
        answer = await self._session.request(message)
        assert isinstance(answer, Answer)
        return answer


def _command(due: Fact) -> str:
    command = getattr(due, "command", "")
    if not command:
        raise TypeError(f"{due.name()} is no command")
    return str(command)


class StackShoe(OtdpDriver):
    """A shoe that dispenses stacks."""

    kind = Kind.STACK_SHOE

    async def dispense(self, due: StackDue) -> None:
        """ARM, then GO."""
        await self._order(wire.Arm(due.command, due.stack, due.size, due.left), due.command)

    async def release_stub(self, due: StubDue) -> None:
        """RELEASE, then GO."""
        await self._order(wire.Release(due.command, due.left), due.command)


class CardShoe(OtdpDriver):
    """A shoe from which the dealer draws one card at a time. A face goes no further unless it was due face up.

    A shoe that may still be unlocked for a card which is no longer due is locked first of all: the order to lock it may
    have been lost with the host that gave it.
    """

    kind = Kind.CARD_SHOE

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._face_up: set[str] = set()
        self._may_be_open = True
        self._unlocked = ""

    async def open(self, mark: Mark) -> Identity:
        """Open as any driver; what was due face up may still be told when it is sent again."""
        self._face_up = {due.command for due in mark.open_commands if isinstance(due, CardDue) and due.face_up}
        identity = await super().open(mark)
        self._may_be_open = all(due in self.unsent for due in mark.open_commands)
        return identity

    async def readings(self) -> AsyncGenerator[Event]:
        """Yield readings, as any driver does."""
        await self._lock_first()
        async with aclosing(super().readings()) as readings:
            async for event in readings:
                yield event

    async def _lock_first(self) -> None:
        if self._may_be_open:
            self._may_be_open = False
            await self._take_back()

    async def _take_back(self) -> None:
        command = secrets.token_hex(16)
        await self._order(wire.Lock(command), command)

    async def unlock(self, due: CardDue) -> None:
        """UNLOCK; the card itself comes as an event.

        Where the next card is due although none came for the last, that one was drawn under an earlier command, just
        before the shoe was locked: what is unlocked still would let out one too many.
        """
        await self._lock_first()
        if self._unlocked not in ("", due.command):
            await self._take_back()
        self._unlocked = due.command
        if due.face_up:
            self._face_up.add(due.command)
        await self._order(wire.Unlock(due.command, due.face_up), due.command)

    async def lock(self, due: CardsLocked) -> None:
        """LOCK."""
        self._unlocked = ""
        await self._order(wire.Lock(due.command), due.command)

    def _hear(self, said: wire.Said) -> Reading:
        if not isinstance(said, CardDrawn):
            return said
        if said.command == self._unlocked:
            self._unlocked = ""
        face = said.card if said.command in self._face_up else UNSEEN
        self._face_up.discard(said.command)
        return ShoeCardDrawn(face, said.left)


class Shuffler(OtdpDriver):
    """A card shuffler."""

    kind = Kind.SHUFFLER

    async def shuffle(self, due: ShuffleDue) -> None:
        """SHUFFLE."""
        await self._order(wire.Shuffle(due.command), due.command)


class Shaker(OtdpDriver):
    """A dice shaker."""

    kind = Kind.SHAKER

    async def shake(self, due: RollDue) -> None:
        """SHAKE."""
        await self._order(wire.Shake(due.command, due.times), due.command)


class Reader(OtdpDriver):
    """A reader of exposed cards, which is asked nothing: it tells what lies open, or answers what the rules ask."""

    kind = Kind.READER


class ShufflerShoe(StackShoe):
    """A stack shoe that is a shuffler too: one connection, both kinds of orders."""

    kinds = (Kind.STACK_SHOE, Kind.SHUFFLER)

    async def shuffle(self, due: ShuffleDue) -> None:
        """SHUFFLE."""
        await self._order(wire.Shuffle(due.command), due.command)
