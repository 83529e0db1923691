"""The host's side of OTDP: hello, requests and their answers, events in order, acknowledgement."""

import asyncio
import contextlib
from collections.abc import Callable

import msgspec

from tablectl.devices import contract
from tablectl.devices.contract import Claims, Link, Loss, Mark, State
from tablectl.devices.framing import Deframer, frame
from tablectl.devices.session import Session
from tablectl.errors import LinkLost, WireError
from tablectl.events.readings import (
    DeviceEventsLost,
    DeviceRecordBehind,
    Reading,
    ShoeEmptied,
    ShoeLoaded,
    ShoeStackDispensed,
    ShoeStubReleased,
)
from tablectl_drivers.otdp import wire
from tablectl_drivers.otdp.wire import (
    Ack,
    Event,
    Heartbeat,
    Hello,
    Identity,
    Message,
    Nak,
    Refusal,
    Resume,
    Resumed,
)

PATIENCE = 0.25
"""Seconds to wait for an answer before a request is repeated; every request may be repeated."""
TRIES = 10
HELLO_TRIES = 16
"""A device that boots when its port is opened gets a little longer."""


class OtdpSession:
    """One connection to one device. memory, boot: the device's, 0 before its hello.

    hear: makes a reading of what an event holds.
    """

    def __init__(self, link: Link, hear: Callable[[wire.Said], Reading]) -> None:
        self._hear = hear
        self._nonce = link.nonce
        self._session = Session(link, Deframer(), self._take, self._dropped)
        self._turn = asyncio.Lock()
        self._link_number = 0
        self._request: Message | None = None
        self._answer: Message | None = None
        self._amiss = ""
        self._settled = asyncio.Event()
        self._settled.set()
        self._window = 0
        self._next = 0
        self._acknowledged = 0
        self._due = asyncio.Event()
        self._acknowledger = asyncio.create_task(self._acknowledge(), name="acknowledge events")
        self.memory = 0
        self.boot = 0
        self.state = State.IDENTIFYING
        self.claims = Claims()
        self.counters = self._session.counters

    async def hello(self) -> Identity:
        """Ask the device who it is; nothing that came before its answer is believed.

        Raises:
            LinkLost: no answer.
            WireError: it speaks another version of the protocol, or says what cannot be.
        """
        identity = await self.request(Hello(wire.VERSION, self._nonce), HELLO_TRIES)
        assert isinstance(identity, Identity)
        if problem := _problem(identity):
            raise WireError(problem)
        return identity

    async def resume(self, mark: Mark) -> None:
        """Let the device send its events after the mark.

        Raises:
            LinkLost: no answer.
        """
        memory = _memory(mark.boot)
        if memory not in (0, self.memory):
            self.say(DeviceEventsLost(first=mark.number + 1, last=0))
        resumed = await self.request(Resume(memory, mark.number))
        if isinstance(resumed, Resumed) and memory == self.memory and resumed.kept > mark.number:
            self.say(DeviceRecordBehind(mark.number, resumed.kept))

    def remembers(self, boot: str) -> bool:
        """Tell whether the device has kept its memory since a boot."""
        return _memory(boot) == self.memory

    async def request(self, message: Message, tries: int = TRIES) -> Message:
        """Send a request until it is answered; one at a time.

        Raises:
            LinkLost: no answer in time, or the device was reset; the session is over.
        """
        async with self._turn:
            self._link_number = self._link_number % 255 + 1
            self._request, self._answer, self._amiss = message, None, ""
            self._settled.clear()
            for attempt in range(tries):
                self.counters.retries += attempt > 0
                await self._session.send(frame(wire.encode(message, self._link_number)))
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE):
                        await self._settled.wait()
                        break
            else:
                text = f"no answer to {_called(message)} in {tries * PATIENCE:g} s"
                amiss = LinkLost(Loss.SILENT, f"{text}; {self._amiss}")
                self._session.lose(amiss if self._amiss else self._session.silence(text))
            if self._answer is None:
                raise self._session.lost or LinkLost(Loss.CLOSED)
            return self._answer

    @property
    def boot_name(self) -> str:
        """Return the device's boot as the journal knows it: the memory's number, a point, the boot in it."""
        return _boot_name(self.memory, self.boot)

    def say(self, reading: Reading) -> None:
        """Put a word of our own among the readings of the device."""
        self._session.put(contract.Event(reading))

    def fail(self, text: str) -> None:
        """End the session, for the device does not keep to the protocol."""
        self._session.lose(LinkLost(Loss.PROTOCOL, text))

    @property
    def lost(self) -> LinkLost | None:
        """Return why the session is over, None while it holds."""
        return self._session.lost

    async def next(self) -> contract.Event:
        """Return the next event.

        Raises:
            LinkLost: the session is over, after all that came before.
        """
        return await self._session.next()

    def acknowledge(self, number: int) -> None:
        """Tell the device that the event of this number, and all before it, are kept for good."""
        if number > self._acknowledged:
            self._acknowledged = number
            self._due.set()

    async def close(self) -> None:
        """End the session and give the link back."""
        self._acknowledger.cancel()
        await asyncio.wait([self._acknowledger])
        await self._session.close()

    async def _acknowledge(self) -> None:
        with contextlib.suppress(LinkLost):
            while await self._due.wait():
                self._due.clear()
                await self._session.send(frame(wire.encode(Ack(self._acknowledged))))

    def _dropped(self, _: LinkLost) -> None:
        self._settle(None)

    def _settle(self, answer: Message | None) -> None:
        if not self._settled.is_set():
            self._answer = answer
            self._settled.set()

    def _take(self, body: bytes) -> None:
        if self.boot:
            self._take_believed(*wire.decode(body))
            return
        try:
            self._take_hello(*wire.decode(body))
        except WireError as error:
            # What a stranger sends, or what still lay in the line, may be anything.
            self._amiss = f"a sound frame came that is no message: {error}"

    def _take_hello(self, message: Message, link: int) -> None:
        match message, self._request:
            case Identity(), Hello(nonce=nonce) if message.nonce == nonce and link == self._link_number:
                self.memory, self.boot, self._window = message.memory, message.boot, message.window
                self.state = message.state
                self._settle(message)
            case _:
                self._note_amiss(message, link)

    def _note_amiss(self, message: Message, link: int) -> None:
        """Remember what came where an answer was awaited, for a device that never gives the right one."""
        if not self._settled.is_set():
            asked = f"{_called(self._request)} #{self._link_number}{_mark_of(self._request)}"
            self._amiss = f"{_called(message)} #{link}{_mark_of(message)} is no answer to {asked}"

    def _take_believed(self, message: Message, link: int) -> None:
        match message:
            case Event():
                self._take_event(message)
            case Heartbeat() | Identity(nonce=0):
                # A memory that was lost begins to count its boots anew, so that the boot alone may look the same.
                self._check_boot(message.boot, getattr(message, "memory", self.memory))
                self.state = message.state
                if isinstance(message, Heartbeat):
                    self.claims = Claims(message.left, message.cards_in, message.cards_out)
            case Nak(refusal=refusal) if link == self._link_number:
                self._take_refusal(refusal)
            case _ if link == self._link_number and self._awaited(message):
                # Here and not after the waiting, for events may follow in the same breath.
                if isinstance(message, Resumed):
                    self._next, self._acknowledged = message.number + 1, message.number
                self._settle(message)
            case _:
                self._note_amiss(message, link)

    def _awaited(self, message: Message) -> bool:
        """Tell whether this is the answer that somebody waits for, and not its repetition."""
        request = self._request
        if request is None or self._settled.is_set() or type(message) is not request.answer:
            return False
        return bool(getattr(message, "command", "") == getattr(request, "command", ""))

    def _take_event(self, event: Event) -> None:
        """Take an event in its turn. One that comes too early, or finds no room, will be sent again."""
        first = event.reading.first if isinstance(event.reading, DeviceEventsLost) else event.number
        if event.number < self._next:
            self.counters.duplicates += 1
            # Either its acknowledgement was lost, or it is not kept yet; saying how far we are is right in both cases.
            self._due.set()
        elif first <= self._next and self._session.waiting < self._window:
            self._next = event.number + 1
            self.state = event.state
            self.claims = msgspec.structs.replace(self.claims, left=_left(event.reading, self.claims.left))
            boot = _boot_name(self.memory, event.boot)
            self._session.put(contract.Event(self._hear(event.reading), boot, event.number))

    def _check_boot(self, boot: int, memory: int) -> None:
        if (boot, memory) != (self.boot, self.memory):
            raise LinkLost(Loss.RESTARTED, "the device was reset")

    def _take_refusal(self, refusal: Refusal) -> None:
        if refusal is Refusal.NO_SESSION:
            raise LinkLost(Loss.RESTARTED, "the device was reset")
        raise WireError(f"the device refuses {_called(self._request)}: {refusal.name.lower().replace('_', ' ')}")


def _problem(identity: Identity) -> str:
    """Return what cannot be in an identity: it would spoil everything that is built on it."""
    problems = (
        (identity.version != wire.VERSION, f"OTDP {identity.version}, awaited was {wire.VERSION}"),
        (not identity.memory, "memory 0, which names none"),
        (not identity.boot, "boot 0; they are counted from 1"),
        (not identity.window, "window 0, in which no event has room"),
    )
    return next((f"IDENTITY says {problem}" for holds, problem in problems if holds), "")


def _called(message: Message | None) -> str:
    return type(message).__name__.upper()


def _mark_of(message: Message | None) -> str:
    """Return by what else than its link number an answer is known."""
    match message:
        case Hello(nonce=nonce) | Identity(nonce=nonce):
            return f" with nonce {nonce:08x}"
    command = getattr(message, "command", "")
    return f" with command {command}" if command else ""


def _left(said: wire.Said, before: int | None) -> int | None:
    """Return how many cards are inside after an event."""
    match said:
        case ShoeLoaded(count=left) | ShoeStackDispensed(left=left) | wire.CardDrawn(left=left):
            return left
        case ShoeEmptied() | ShoeStubReleased():
            return 0
    return before


def _boot_name(memory: int, boot: int) -> str:
    return f"{memory:08x}.{boot}"


def _memory(boot_name: str) -> int:
    """Return the memory's number in a boot name, 0 for a name that is not ours."""
    try:
        return int(boot_name.partition(".")[0], 16)
    except ValueError:
        return 0
