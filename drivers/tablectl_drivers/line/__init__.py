"""Plain devices, which know words on a line and nothing of command ids: a shoe, a shuffler, a shaker.

Each order is given once and never again. Where its end was not heard nobody knows what became of it: the command is
unknown, and people count.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any, ClassVar

from tablectl.devices.contract import Capabilities, Claims, Event, Identity, Kind, Link, Loss, Mark, State
from tablectl.devices.family import Explain, Family
from tablectl.dice import Roll
from tablectl.errors import LinkLost
from tablectl.events import readings as say
from tablectl.events.facts import Fact, RollDue, ShuffleDue, StackDue, StubDue
from tablectl.events.readings import Reading
from tablectl_drivers.line import wire
from tablectl_drivers.line.session import LineSession
from tablectl_drivers.line.wire import Line

__all__ = ["LineShaker", "LineShoe", "LineShuffler"]

STATES: dict[type[Line], State] = {
    wire.Loaded: State.LOADED,
    wire.Dealt: State.STACK_READY,
    wire.Taken: State.STACK_TAKEN,
    wire.Ejected: State.REMAINDER,
    wire.Started: State.SHUFFLING,
    wire.Out: State.EMPTY,
    wire.LidOpen: State.LID_OPEN,
    wire.LidClosed: State.LID_CLOSED,
}
"""What a line says of the state; a condition says it itself."""
ENDED_IN: dict[type[Fact], float] = {StackDue: 20.0, StubDue: 60.0, ShuffleDue: 300.0, RollDue: 30.0}
"""Seconds after which an order whose end was not heard is unknown. A later word still ends it."""


async def identify(link: Link) -> Identity:
    """Ask who is there and close the link.

    Raises:
        LinkLost: nobody answers.
    """
    session = LineSession(link, lambda _: None)
    try:
        return _identity(await session.who(), link)
    finally:
        await session.close()


def explain() -> Explain:
    """Return what shows lines as they are."""
    splitter = wire.Splitter()

    def lines(data: bytes) -> list[str]:
        bad = splitter.bad
        said = [wire.encode(line).decode().strip() for line in splitter.feed(data)]
        return said + ["no line"] * (splitter.bad - bad)

    return lines


def _identity(said: wire.Id, link: Link) -> Identity:
    counts = said.kind is not Kind.SHAKER
    return Identity(
        said.model,
        said.serial,
        said.firmware,
        (said.kind,),
        # The device cannot tell one of its lives from the next, so each connection counts as one.
        boot=f"{link.nonce:08x}",
        last_event=0,
        state=State.UNKNOWN,
        capabilities=Capabilities(counts=counts),
    )


class LineDriver:
    """What the three have in common; see :class:`tablectl.devices.contract.Driver` for the contract."""

    family = Family("line", identify, explain)
    kind: ClassVar[Kind]

    def __init__(self, link: Link) -> None:
        self._link = link
        self._session = LineSession(link, self._take)
        self._number = 0
        self._due: Any = None
        self._deadline: asyncio.TimerHandle | None = None
        self.counters = self._session.counters
        self.unsent: tuple[Fact, ...] = ()
        self.claims = Claims()
        self.state = State.IDENTIFYING

    async def open(self, mark: Mark) -> Identity:
        """Ask who is there; whatever happened since the mark is lost, and every open command is unknown."""
        identity = _identity(await self._session.who(), self._link)
        if self.kind not in identity.kinds:
            text = f"{identity.model} {identity.serial!r} is {identity.kinds[0]}, awaited was a {self.kind}"
            raise LinkLost(Loss.WRONG_DEVICE, text)
        if mark.boot:
            self._session.put(Event(say.DeviceEventsLost(first=mark.number + 1, last=0)))
        for due in mark.open_commands:
            self._doubt(due, "the device keeps no record of its commands")
        return identity

    async def readings(self) -> AsyncGenerator[Event]:
        """Yield readings; the device does not care whether they are kept."""
        while True:
            yield await self._session.next()

    @property
    def lost(self) -> LinkLost | None:
        """Return why the session is over, None while it holds."""
        return self._session.lost

    async def close(self) -> None:
        """End the session and give the link back."""
        self._settled()
        await self._session.close()

    def reading(self, line: Line) -> Reading | None:
        """Return what a line of this kind of device says, None where it says nothing to the table."""
        raise NotImplementedError

    def _take(self, line: Line) -> None:
        match line:
            case wire.Status(state=state, left=left):
                self.state, self.claims = state, Claims(left)
                return
            case wire.Begin(condition=condition):
                self.state = _state_of(condition)
                self._say(say.DeviceConditionBegan(condition))
                return
            case wire.End(condition=condition):
                self._say(say.DeviceConditionEnded(condition))
                return
        self.state = STATES.get(type(line), self.state)
        if reading := self.reading(line):
            self._say(reading)

    def _say(self, reading: Reading) -> None:
        """Tell what the device said; the number is ours, for it has none."""
        self._number += 1
        self._session.put(Event(reading, f"{self._link.nonce:08x}", self._number))

    async def _order(self, due: Fact, line: Line) -> None:
        """Give an order once; what is heard of it, or not, ends it."""
        if self._due is not None:
            self._refuse(due, "busy")
            return
        self._due = due
        try:
            answer = await self._session.order(line)
        except LinkLost:
            # At the next open it is a doubt.
            return
        if isinstance(answer, wire.No):
            self._settled()
            self._refuse(due, answer.reason)
        elif answer is None and self._due is due:
            self._doubt(due, "the device did not say whether it will do it")
        elif self._due is due:
            wait = ENDED_IN[type(due)]
            clock = asyncio.get_running_loop()
            self._deadline = clock.call_later(wait, self._doubt, due, f"nothing was heard of it for {wait:g} s")

    def _done(self) -> str:
        """Return the command that is ended by what the device just said, empty if it was nobody's."""
        due = self._due
        self._settled()
        return str(due.command) if due else ""

    def _settled(self) -> None:
        self._due = None
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, due: Fact, reason: str) -> None:
        self._session.put(Event(say.CommandRefused(str(getattr(due, "command", "")), reason)))

    def _doubt(self, due: Fact, reason: str) -> None:
        """Say that nobody knows; the due stays what a late word would end."""
        self._session.put(Event(say.CommandUnknown(str(getattr(due, "command", "")), reason)))


def _state_of(condition: say.Condition) -> State:
    return State.COUNT_BAD if condition is say.Condition.COUNT_WRONG else State(condition.value)


class LineShoe(LineDriver):
    """A stack shoe. What the device cannot compare, the driver does: cards inside with cards awaited."""

    kind = Kind.STACK_SHOE

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._stack = 0

    async def dispense(self, due: StackDue) -> None:
        """DEAL, if the count is the one awaited."""
        if self._as_counted(due, due.left):
            await self._order(due, wire.Deal(due.size))

    async def release_stub(self, due: StubDue) -> None:
        """EJECT, if the count is the one awaited."""
        if self._as_counted(due, due.left):
            await self._order(due, wire.Eject())

    def _as_counted(self, due: Fact, left: int) -> bool:
        if self.claims.left in (None, left):
            return True
        self._refuse(due, f"{self.claims.left} left, not {left}")
        return False

    def reading(self, line: Line) -> Reading | None:
        """Return what a shoe says."""
        match line:
            case wire.Loaded(count=count):
                self.claims = Claims(count)
                return say.ShoeLoaded(count)
            case wire.Dealt(size=size, left=left):
                self._stack = self._due.stack if isinstance(self._due, StackDue) else 0
                self.claims = Claims(left)
                return say.ShoeStackDispensed(self._done(), self._stack, size, left)
            case wire.Taken():
                return say.ShoeStackTaken(self._stack)
            case wire.Ejected(count=count):
                self.claims = Claims(0)
                return say.ShoeStubReleased(self._done(), count)
            case wire.Empty():
                self.claims = Claims(0)
                return say.ShoeEmptied()
        return None


class LineShuffler(LineDriver):
    """A shuffler that counts."""

    kind = Kind.SHUFFLER

    async def shuffle(self, due: ShuffleDue) -> None:
        """SHUFFLE."""
        await self._order(due, wire.Shuffle())

    def reading(self, line: Line) -> Reading | None:
        """Return what a shuffler says."""
        match line:
            case wire.Started():
                return say.ShufflerStarted(self._due.command if self._due else "")
            case wire.Done(count=count, verdict=verdict):
                self.state = State.COUNT_OK if verdict is wire.Verdict.GOOD else State.COUNT_BAD
                return say.ShufflerFinished(self._done(), count)
            case wire.Out():
                return say.ShufflerDeckOut()
        return None


class LineShaker(LineDriver):
    """A shaker that reads its dice."""

    kind = Kind.SHAKER

    async def shake(self, due: RollDue) -> None:
        """SHAKE."""
        await self._order(due, wire.Shake(due.times))

    def reading(self, line: Line) -> Reading | None:
        """Return what a shaker says."""
        words: dict[type[Line], Callable[[], Reading]] = {
            wire.LidOpen: say.ShakerLidOpened,
            wire.LidClosed: say.ShakerLidClosed,
        }
        match line:
            case wire.Shaken(times=times):
                return say.ShakerShaken(times, self._done())
            case wire.Dice(first=first, second=second, third=third):
                return say.ShakerRolled(Roll.of(*(_die(face) for face in (first, second, third))))
        return words[type(line)]() if type(line) in words else None


def _die(face: wire.Face) -> int | str:
    return int(face) if face.value.isdecimal() else face.value
