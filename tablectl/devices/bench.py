"""The bench on which doubles run: in this process behind ``double:KIND?seed=7``, or behind a pseudo-terminal.

A double is a device model without I/O and without a clock, at the other end of the wire from its driver.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Protocol

import msgspec

from tablectl.cards import Card, Composition, Rank
from tablectl.devices.contract import Link, Loss
from tablectl.devices.faults import Chances, FaultyLine, Line, Plan, Schedule, What
from tablectl.devices.link import Pipe, Url
from tablectl.devices.world import Acted, Deed, News
from tablectl.devices.world_socket import WorldClient, enter
from tablectl.errors import ConfigError, LinkLost

DECKS = {
    "48": Composition(without=(Rank.TEN,)),
    "52": Composition(),
    "53": Composition(jokers=1),
    "54": Composition(jokers=2),
}
"""One deck by its size; ``6x52`` is six of them."""


LONGEST_SERIAL = 64
"""Bytes."""


class DoubleOptions(Chances, frozen=True, kw_only=True):
    """How a double behaves, and how bad its line is.

    seed: of all its chance; speed: how many times faster than life it moves, ``max`` takes no time; serial: its serial
    number; name: its place in the world, else its kind; world: the socket of the world whose cards it holds, without
    one it has a deck of its own and people of its own; deck: which deck is its own; faults: a plan of faults, a file,
    whose chances replace those given here.

    Raises:
        ValueError: a speed or a deck that there is not, or a serial number that no protocol carries.
    """

    seed: int = 0
    speed: str = "1"
    serial: str = ""
    name: str = ""
    world: str = ""
    deck: str = "52"
    faults: str = ""

    def __post_init__(self) -> None:
        if not self.pace > 0:
            raise ValueError(f"speed is a number above 0, or max, not {self.speed!r}")
        if len(self.serial.encode()) > LONGEST_SERIAL:
            raise ValueError(f"a serial number has at most {LONGEST_SERIAL} bytes, not {self.serial!r}")
        self.composition  # noqa: B018 - raises

    @property
    def plan(self) -> Plan:
        """Return the plan of faults.

        Raises:
            ConfigError: it cannot be read.
        """
        if self.faults:
            return Plan.read(Path(self.faults))
        return Plan(**{name: getattr(self, name) for name in Chances.__struct_fields__})

    @property
    def pace(self) -> float:
        """Return the speed as a number, which for ``max`` is infinite."""
        return float("inf") if self.speed == "max" else float(self.speed)

    @property
    def composition(self) -> Composition:
        """Return the cards of the double's own deck."""
        decks, _, size = self.deck.rpartition("x")
        if size not in DECKS or not (decks or "1").isdecimal():
            raise ValueError(f"a deck is one of {', '.join(DECKS)} or several, 6x52, not {self.deck!r}")
        return msgspec.structs.replace(DECKS[size], decks=int(decks or 1))


class Double(Protocol):
    """A device model. Time is passed in, in seconds of any clock that never goes back.

    places: the piles that are inside it, watched in the world.
    """

    options: ClassVar[type[DoubleOptions]]
    places: tuple[str, ...]

    def __init__(self, options: DoubleOptions, now: float) -> None: ...

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the host."""
        ...

    def advance(self, now: float) -> None:
        """Let time pass."""
        ...

    def due(self) -> float | None:
        """Return when :meth:`advance` will have something to do."""
        ...

    def output(self) -> bytes:
        """Return, and forget, the bytes for the host."""
        ...

    def find(self, piles: Mapping[str, tuple[Card, ...]], now: float) -> None:
        """Look at what lies in its places when it enters a world."""
        ...

    def hear(self, news: News, now: float) -> None:
        """Feel what people did to it."""
        ...

    def deeds(self) -> list[Deed]:
        """Return, and forget, what it did to the world."""
        ...

    def feels(self) -> tuple[str, ...]:
        """Return what people can do to it, ``jam`` for example."""
        ...


def build(make: Callable[[DoubleOptions, float], Double], options: DoubleOptions, now: float) -> Double:
    """Make a double to whom everything can happen that its plan of faults holds.

    Raises:
        ConfigError: something cannot; or there is no such plan.
    """
    double = make(options, now)
    known = dict.fromkeys((*map(str, What), *double.feels()))
    for fault in options.plan.fault:
        if fault.what not in known:
            raise ConfigError(f"{options.faults}: {fault.what!r} cannot happen to it; there are {', '.join(known)}")
    return double


async def run(double: Double, line: Line, options: DoubleOptions, schedule: Schedule | None = None) -> None:
    """Run a double at its end of a line, until the line is lost. schedule: of its faults, else they begin anew.

    Raises:
        ConfigError: there is no such plan of faults.
        LinkLost: there is no world, or it has ended.
        Impossible: the world contradicts the double.
    """
    plan = options.plan
    schedule = schedule or Schedule(plan, asyncio.get_running_loop().time())
    bench = _Bench(double, FaultyLine(line, plan, options.seed if plan.seed is None else plan.seed), schedule)
    if not options.world:
        await bench.run()
        return
    async with enter(Path(options.world)) as client:
        await bench.run(client)


class _Bench:
    """Brings bytes, news, time and faults to one double, and takes bytes and deeds away from it."""

    def __init__(self, double: Double, line: FaultyLine, schedule: Schedule) -> None:
        self._double = double
        self._line = line
        self._schedule = schedule
        self._stirred = asyncio.Event()

    async def run(self, client: WorldClient | None = None) -> None:
        listeners = [asyncio.create_task(self._listen(), name="listen to the host")]
        if client:
            self._double.find(await client.watch(self._double.places), self._clock())
            listeners.append(asyncio.create_task(self._watch(client), name="watch the world"))
        try:
            while not any(listener.done() for listener in listeners):
                self._stirred.clear()
                await self._suffer()
                await self._work(client)
                await self._rest()
        finally:
            for listener in listeners:
                listener.cancel()
            await asyncio.wait(listeners)
        for listener in listeners:
            if not listener.cancelled() and (error := listener.exception()):
                raise error

    def _clock(self) -> float:
        """Return the double's own time, which faults may set ahead."""
        return asyncio.get_running_loop().time() + self._schedule.ahead

    async def _suffer(self) -> None:
        """Let happen what is planned."""
        for fault in self._schedule.due(asyncio.get_running_loop().time()):
            if fault.what == What.CLOCK_STEP:
                self._schedule.ahead += fault.lasts
            elif not await self._line.befall(fault):
                self._double.hear(Acted(self._double.places[0], fault.what), self._clock())

    async def _work(self, client: WorldClient | None) -> None:
        """Do what is due; cards move before the host hears of it."""
        self._double.advance(self._clock())
        deeds, data = self._double.deeds(), self._double.output()
        if client:
            for deed in deeds:
                await client.do(deed)
        if data:
            with contextlib.suppress(LinkLost):
                await self._line.write(data)

    async def _rest(self) -> None:
        """Wait until something comes or is due."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(self._next()):
                await self._stirred.wait()

    def _next(self) -> float | None:
        due, planned = self._double.due(), self._schedule.next()
        times = (None if due is None else due - self._schedule.ahead, planned)
        return min((time for time in times if time is not None), default=None)

    async def _listen(self) -> None:
        with contextlib.suppress(LinkLost):
            while True:
                self._double.receive(await self._line.read(), self._clock())
                self._stirred.set()
        self._stirred.set()

    async def _watch(self, client: WorldClient) -> None:
        try:
            while True:
                self._double.hear(await client.hear(), self._clock())
                self._stirred.set()
        finally:
            self._stirred.set()


class Socket(msgspec.Struct):
    """Where a double of this process is plugged in; like a device, it is there whether or not anybody connects."""

    double: Double
    options: DoubleOptions
    schedule: Schedule
    taken: bool = False


_sockets: dict[str, Socket] = {}


def socket(url: Url) -> Socket:
    """Return the double of this URL; it is made at the first time, and is the same device ever after.

    Raises:
        ConfigError: no such double, or an option that it does not have.
    """
    from tablectl.devices.registry import double  # noqa: PLC0415 - the registry loads drivers, which load this

    make = double(url.place)
    options = url.options(make.options)
    key = f"{url.place}?{msgspec.json.encode(options).decode()}"
    if key not in _sockets:
        now = asyncio.get_running_loop().time()
        _sockets[key] = Socket(build(make, options, now), options, Schedule(options.plan, now))
    return _sockets[key]


class _Cable(Pipe):
    """The host's end of a pipe to a double of this process, which runs while the pipe is open."""

    def __init__(self, plugged: Socket) -> None:
        super().__init__()
        self.other = Pipe()
        self.other.other = self
        self._socket = plugged
        plugged.taken = True
        running = run(plugged.double, self.other, plugged.options, plugged.schedule)
        self._running = asyncio.create_task(running, name="run a double")
        self._running.add_done_callback(self._ended)

    def _ended(self, running: asyncio.Task[None]) -> None:
        """Lose the link when the double breaks down."""
        if not running.cancelled() and (error := running.exception()):
            self.lose(LinkLost(Loss.UNPLUGGED, f"the double broke down: {error}"))

    async def close(self) -> None:
        await super().close()
        self._running.cancel()
        await asyncio.wait([self._running])
        self._socket.taken = False


async def open_double(url: Url) -> Link:
    """Open the double of this URL.

    Raises:
        ConfigError: no such double, or an option that it does not have.
        LinkLost: ``port-busy``, for a double is open once at a time, like a port.
    """
    plugged = socket(url)
    if plugged.taken:
        raise LinkLost(Loss.PORT_BUSY, f"double:{url.place}: open already")
    return _Cable(plugged)
