"""What every driver promises, real or simulated.

A driver is opened once for each connection. It yields what the device says and carries out what the table committed;
resuming its readings after a yield is the acknowledgement, so nothing is acknowledged that is not in the journal.
"""

from collections.abc import AsyncGenerator, Mapping
from enum import StrEnum
from typing import ClassVar, Protocol

import msgspec

from tablectl.errors import LinkLost
from tablectl.events.facts import CardDue, CardsLocked, Fact, RollDue, ShuffleDue, StackDue, StubDue
from tablectl.events.readings import Reading


class State(StrEnum):
    """What a device is doing; one list for all kinds. UNKNOWN after a link was lost in mid-motion."""

    OFFLINE = "offline"
    IDENTIFYING = "identifying"
    INIT = "init"
    EMPTY = "empty"
    LOADED = "loaded"
    SHUFFLING = "shuffling"
    COUNT_OK = "count-ok"
    COUNT_BAD = "count-bad"
    ARMED = "armed"
    DISPENSING = "dispensing"
    STACK_READY = "stack-ready"
    STACK_TAKEN = "stack-taken"
    REMAINDER = "remainder"
    EMPTIED = "emptied"
    LOCKED = "locked"
    SHAKING = "shaking"
    LID_OPEN = "lid-open"
    LID_CLOSED = "lid-closed"
    JAM_RECOVERING = "jam-recovering"
    JAM = "jam"
    DOOR_OPEN = "door-open"
    BLOCKED = "blocked"
    HOPPER_EMPTY = "hopper-empty"
    TAMPER = "tamper"
    MAINTENANCE = "maintenance"
    UNKNOWN = "unknown"


class Kind(StrEnum):
    """What a device is for; one machine may be several."""

    STACK_SHOE = "stack-shoe"
    CARD_SHOE = "card-shoe"
    SHUFFLER = "shuffler"
    SHAKER = "shaker"
    READER = "reader"
    WAGER_SENSOR = "wager-sensor"


class Loss(StrEnum):
    """Why a link is down: the reason of a ``LinkLost`` and of a ``DeviceLost``."""

    MISSING = "missing"
    """There is no such node: nothing is plugged in."""
    PERMISSION = "permission"
    """The node may not be opened by us."""
    PORT_BUSY = "port-busy"
    """Somebody else has the port."""
    PORT_SHARED = "port-shared"
    """Somebody else reads from the port, so that bytes are missing."""
    UNUSABLE = "unusable"
    """The node is no port, or cannot be set as asked."""
    UNPLUGGED = "unplugged"
    """The link was there and went away."""
    SILENT = "silent"
    """Nothing that can be believed came in time."""
    STUCK = "stuck"
    """The peer takes no bytes."""
    RESTARTED = "restarted"
    """The device was reset: it knows nothing of this connection any more."""
    PROTOCOL = "protocol"
    """The peer sends what its protocol does not allow."""
    WRONG_DEVICE = "wrong-device"
    """Another device answers than the one configured."""
    SAME_DEVICE = "same-device"
    """Two entries of the table file are this one device."""
    AMBIGUOUS = "ambiguous"
    """More than one device has this name, so that it names none."""
    RENUMBERED = "renumbered"
    """The name leads to another node now than the one that is open."""
    CLOSED = "closed"
    """We closed it."""


class Capabilities(msgspec.Struct, frozen=True):
    """What a device can, declared and not guessed.

    idempotent_commands: a repeated command id moves nothing; counts: it counts cards; verifies_composition: it looks at
    every card of a deck; reads_cards: it may know a card's face.
    """

    idempotent_commands: bool = False
    counts: bool = False
    verifies_composition: bool = False
    reads_cards: bool = False


class Identity(msgspec.Struct, frozen=True):
    """Who answered. boot: the device's own, new after each of its resets; last_event: the last it numbered."""

    model: str
    serial: str
    firmware: str
    kinds: tuple[Kind, ...]
    boot: str
    last_event: int
    state: State
    capabilities: Capabilities = Capabilities()


class Event(msgspec.Struct, frozen=True):
    """A reading with the number that its device gave it; a driver's own words about the link carry none."""

    reading: Reading
    boot: str = ""
    number: int = 0


class Mark(msgspec.Struct, frozen=True):
    """Where the journal stands with a device: the last event taken, and commands without an outcome.

    ordered_of: by command, the boot in which it was ordered, where that was another than the last event's.
    """

    boot: str = ""
    number: int = 0
    open_commands: tuple[Fact, ...] = ()
    ordered_of: Mapping[str, str] = {}

    def boot_of(self, command: str) -> str:
        """Return the boot in which a command was ordered."""
        return self.ordered_of.get(command) or self.boot


class Counters(msgspec.Struct):
    """What the link counted since it was opened; published with the device's health, never journalled."""

    frames_in: int = 0
    frames_out: int = 0
    bad_frames: int = 0
    retries: int = 0
    duplicates: int = 0


class Claims(msgspec.Struct, frozen=True):
    """What a device says that it holds and has counted, None where it does not say. Never published: how many cards a
    live shoe holds is nobody's business.
    """

    left: int | None = None
    cards_in: int | None = None
    cards_out: int | None = None


class Link(Protocol):
    """One open connection. Once lost it stays lost; the first reason holds.

    nonce: a number that no connection had before, by which a protocol can tell an answer from what still lay in a
    buffer; a trace has that of the connection which it recorded. settings: how the line is set, as the system told
    after it was opened, ``115200 8N1``; empty where nothing can be set.
    """

    nonce: int
    settings: str

    def trouble(self) -> LinkLost | None:
        """Tell whether the link is no longer what was opened, though nothing says so; asked twice a second, and
        whenever a frame was damaged.
        """
        ...

    async def read(self) -> bytes:
        """Return the next bytes, at least one.

        Raises:
            LinkLost: the link is gone, after everything received was returned.
        """
        ...

    async def write(self, data: bytes) -> None:
        """Hand one frame over; returns when the system has taken it.

        Raises:
            LinkLost: the link is gone; or the peer takes nothing, which loses the link.
        """
        ...

    async def close(self) -> None:
        """Give the connection back at once, unsent bytes with it."""
        ...


class Driver(Protocol):
    """One connection to one device, made with the open :class:`Link` to it.

    kind: what it drives; a driver of a machine that is several things names all of them in ``kinds``, this one first.
    unsent: of the mark's open commands, those that the device has certainly never carried out; set by ``open``. They
    may be performed as if they were new. A device that cannot tell leaves it empty. claims: what it last said of its
    cards.

    The outcome of every verb arrives as a reading (the thing done, ``CommandRefused`` or ``CommandUnknown``); a verb
    returns as soon as the device has accepted it, and never raises for what a device or link does.
    """

    kind: ClassVar[Kind]
    counters: Counters
    unsent: tuple[Fact, ...]

    @property
    def lost(self) -> LinkLost | None:
        """Return why the connection is over, None while it holds."""
        ...

    @property
    def claims(self) -> Claims:
        """Return what the device last said of its cards."""
        ...

    def __init__(self, link: Link) -> None: ...

    async def open(self, mark: Mark) -> Identity:
        """Identify the device, let it replay its events after the mark, and ask after the mark's open commands.

        Nothing that moves a card or a die is sent before the identity was returned.

        Raises:
            LinkLost: it does not answer, or is of another kind (``wrong-device``); with the reason.
            WireError: it speaks another protocol or version.
        """
        ...

    def readings(self) -> AsyncGenerator[Event]:
        """Yield what the device says; asking for the next one acknowledges the last.

        Raises:
            LinkLost: the link is gone, after everything already received was yielded.
        """
        ...

    @property
    def state(self) -> State:
        """Return what the device last said that it does."""
        ...

    async def close(self) -> None:
        """Give the link back; finishes in under two seconds whatever the peer does."""
        ...


class StackShoe(Driver, Protocol):
    """A shoe that dispenses stacks."""

    async def dispense(self, due: StackDue) -> None:
        """Arm the stack, absolutely ("stack 3, expecting 41 left"), then let it go."""
        ...

    async def release_stub(self, due: StubDue) -> None:
        """Let the rest of the deck out."""
        ...


class CardShoe(Driver, Protocol):
    """A shoe from which the dealer draws one card at a time."""

    async def unlock(self, due: CardDue) -> None:
        """Let one card out; only a card due face up may be read."""
        ...

    async def lock(self, due: CardsLocked) -> None:
        """Let no card out."""
        ...


class Shuffler(Driver, Protocol):
    """A card shuffler."""

    async def shuffle(self, due: ShuffleDue) -> None:
        """Start a shuffle."""
        ...


class Shaker(Driver, Protocol):
    """A dice shaker."""

    async def shake(self, due: RollDue) -> None:
        """Shake the dice, at least so often."""
        ...
