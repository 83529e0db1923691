"""The device's side of OTDP, without I/O and without a clock: what a maker's firmware does, in Python."""

from collections.abc import Callable
from typing import ClassVar

from tablectl.devices.contract import Kind, State
from tablectl.devices.framing import Deframer, frame
from tablectl.devices.timers import Timers
from tablectl.errors import WireError
from tablectl.events.readings import CommandUnknown, Condition, DeviceEventsLost
from tablectl_drivers.otdp import wire
from tablectl_drivers.otdp.memory import Memory
from tablectl_drivers.otdp.wire import Ack, Answer, Event, Go, Hello, Message, Nak, Query, Refusal, Result, Resume, Said

HEARTBEAT = 1.0
AGAIN = 1.0
"""Seconds after which events that nobody acknowledged are sent again."""
ARMED = 5.0
"""Seconds that a command stays armed."""
WINDOW = 16
"""Events that are sent ahead of their acknowledgement."""


class Peer:
    """Speaks OTDP for a machine: the machine says what happens, and puts what it can be told into ``orders``.

    An order is called once for each command; it answers with :meth:`arm`, :meth:`refuse`, or the result itself.
    """

    kinds: ClassVar[tuple[Kind, ...]]
    model: ClassVar[str]
    firmware: ClassVar[str] = "double 1"

    def __init__(self, serial: str, timers: Timers) -> None:
        self.serial = serial
        self.timers = timers
        self.memory = Memory.new()
        self.orders: dict[type[Message], Callable[..., Answer]] = {}
        self.abilities: tuple[str, ...] = ("idempotent_commands",)
        self.state = State.INIT
        self.conditions: tuple[Condition, ...] = ()
        self.cards_in = 0
        self.cards_out = 0
        self._deframer = Deframer()
        self._output = bytearray()
        self._resumed = False
        self._sent = 0
        self._armed: tuple[str, Callable[[], None]] | None = None

    # For the machine

    def happened(self, said: Said, state: State | None = None) -> None:
        """Remember an event under the next number, and send it."""
        self.state = state or self.state
        self.memory.last += 1
        self.memory.events.append(Event(self.memory.boot, self.memory.last, self.state, said))
        self._send_events()

    def arm(self, command: str, act: Callable[[], None]) -> Answer:
        """Be ready to act at the word GO; whatever else was ready is so no longer."""
        self._disarm()
        self._armed = command, act
        self.timers.set("armed", ARMED, self._disarm)
        return self.memory.keep(command, Result.ARMED)

    def refuse(self, command: str, reason: str) -> Answer:
        """Have nothing to do with a command."""
        return self.memory.keep(command, Result.REFUSED, reason)

    def left(self) -> int | None:
        """Return the cards inside, None for a machine that does not count."""
        return None

    def settle(self) -> None:
        """Find out, at power-up, in which state the machine stands."""

    # For whoever holds the other end of the line

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the host."""
        self.advance(now)
        for body in self._deframer.feed(data):
            self._take(body)
        self.advance(now)

    def advance(self, now: float) -> None:
        """Let time pass."""
        self.timers.advance(now)

    def due(self) -> float | None:
        """Return when :meth:`advance` will have something to do."""
        return self.timers.next()

    def output(self) -> bytes:
        """Return, and forget, the bytes for the host."""
        data, self._output = bytes(self._output), bytearray()
        return data

    def power_up(self, *, forget: bool = False) -> None:
        """Start with what the memory holds, or with a new one; what was moving when power went is in doubt."""
        if forget:
            self.memory = Memory.new()
        self.timers.clear(but="people")
        self.memory.boot += 1
        self._deframer = Deframer()
        self._output = bytearray()
        self._resumed = False
        self._armed = None
        self._sent = self.memory.acknowledged
        self.settle()
        self._send(self._identity(nonce=0))
        for answer in list(self.memory.answers.values()):
            if answer.result is Result.ARMED:
                self.memory.keep(answer.command, Result.EXPIRED)
            elif answer.result is Result.MOVING:
                self.memory.keep(answer.command, Result.DOUBT)
                self.happened(CommandUnknown(answer.command, "reset while it moved"))

    # Requests

    def _take(self, body: bytes) -> None:
        try:
            message, link = wire.decode(body)
        except WireError:
            self._send(Nak(Refusal.NOT_UNDERSTOOD), body[1] if len(body) > 1 else 0)
            return
        if isinstance(message, Ack):
            self._acknowledge(message.number)
        else:
            self._send(self._answer(message), link)
        if isinstance(message, Resume):
            self._send_events()

    def _answer(self, message: Message) -> Message:
        match message:
            case Hello(nonce=nonce):
                return self._identity(nonce)
            case Resume():
                return self._resume(message)
            case _ if not self._resumed:
                return Nak(Refusal.NO_SESSION)
        return self._stand(message)

    def _stand(self, message: Message) -> Message:
        """Answer how a command stands, after doing what is asked."""
        match message:
            case Query(command=command):
                return self.memory.recall(command)
            case Go(command=command):
                return self._go(command)
            case _ if type(message) in self.orders:
                return self._obey(message)
        return Nak(Refusal.NOT_FOR_THIS_KIND)

    def _obey(self, message: Message) -> Answer:
        """Carry out a command that is new; say again how it stands where it is not."""
        known = self.memory.recall(getattr(message, "command", ""))
        if known.result in (Result.UNSEEN, Result.EXPIRED):
            return self.orders[type(message)](message)
        return known

    def _go(self, command: str) -> Answer:
        if self._armed and self._armed[0] == command:
            act = self._armed[1]
            self._armed = None
            self.timers.stop("armed")
            # Before the motor turns: a reset must find the command in the memory.
            self.memory.keep(command, Result.MOVING)
            act()
        return self.memory.recall(command)

    def _disarm(self) -> None:
        if self._armed:
            self.memory.keep(self._armed[0], Result.EXPIRED)
            self._armed = None
            self.settle()

    def _identity(self, nonce: int) -> wire.Identity:
        return wire.Identity(
            nonce=nonce,
            version=wire.VERSION,
            kinds=self.kinds,
            abilities=self.abilities,
            memory=self.memory.number,
            boot=self.memory.boot,
            last_event=self.memory.last,
            state=self.state,
            conditions=self.conditions,
            window=WINDOW,
            model=self.model,
            serial=self.serial,
            firmware=self.firmware,
        )

    # Events

    def _resume(self, resume: Resume) -> Message:
        """Begin behind the host's last event; a host that knows another memory, or none, gets what nobody kept."""
        kept = self.memory.kept
        if resume.memory == self.memory.number:
            self.memory.acknowledge(resume.number)
        self._resumed = True
        self._sent = self.memory.acknowledged
        self._beat()
        return wire.Resumed(self.memory.acknowledged, kept)

    def _acknowledge(self, number: int) -> None:
        if self._resumed and self.memory.acknowledged < number <= self.memory.last:
            self.memory.acknowledge(number)
            self._send_events()

    def _send_events(self) -> None:
        """Send what was not sent yet, as far as the window reaches; ask again later for what nobody acknowledged."""
        acknowledged = self.memory.acknowledged
        if not self._resumed or acknowledged == self.memory.last:
            self.timers.stop("again")
            return
        self._sent = max(self._sent, acknowledged)
        oldest = self.memory.events[0]
        if self._sent + 1 < oldest.number:
            lost = DeviceEventsLost(self._sent + 1, oldest.number - 1)
            self._send(Event(oldest.boot, oldest.number - 1, self.state, lost))
            self._sent = oldest.number - 1
        for event in self.memory.events:
            if self._sent < event.number <= acknowledged + WINDOW:
                self._send(event)
                self._sent = event.number
        if "again" not in self.timers:
            self.timers.set("again", AGAIN, self._send_again)

    def _send_again(self) -> None:
        self._sent = self.memory.acknowledged
        self._send_events()

    def _beat(self) -> None:
        self.timers.set("beat", HEARTBEAT, self._beat)
        self._send(
            wire.Heartbeat(
                boot=self.memory.boot,
                last_event=self.memory.last,
                state=self.state,
                conditions=self.conditions,
                cards_in=self.cards_in,
                cards_out=self.cards_out,
                left=self.left(),
                bad_frames=self._deframer.bad,
            )
        )

    def _send(self, message: Message, link: int = 0) -> None:
        self._output += frame(wire.encode(message, link))
