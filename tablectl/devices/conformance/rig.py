"""The bench of the kit: one device, how it is plugged in and driven, and what people do to it."""

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from tablectl.devices.conformance.check import Broken, NotTried
from tablectl.devices.conformance.trades import TRADES, Trade
from tablectl.devices.contract import Driver, Event, Identity, Kind, Link, Mark
from tablectl.errors import LinkLost, TablectlError
from tablectl.events.facts import Fact
from tablectl.events.readings import CommandRefused, CommandUnknown, Reading, ShoeStubReleased

COUNT_TOLD_IN = 2.5
"""Seconds in which a device that counts tells its count: the beat of its heart and more."""

GLANCE = 0.05
"""Seconds between looks at what the device claims."""

Said = TypeVar("Said", bound=Reading)


class Hands(Protocol):
    """Whoever does to the device what no host can. cuts_power: whether they can."""

    cuts_power: bool

    async def ask(self, what: str, act: str = "") -> None:
        """Have a person do something that the device awaits; returns at once, the device tells when it was done.

        act: how the world of doubles calls it, where their own people do not do it.
        """
        ...

    async def cut_power(self) -> None:
        """Take the power away and give it back."""
        ...


class NoHands:
    """Nobody is there."""

    cuts_power = False

    async def ask(self, what: str, act: str = "") -> None:
        """Leave it to the device."""

    async def cut_power(self) -> None:
        """Do nothing."""


@dataclass
class Rig:
    """One device under test.

    plug: opens a link to it; kind: as which it is tried, else what its driver drives first; patience: seconds for what
    it is asked to do; quiet: seconds in which a motion that must not come would have come; idle: seconds of listening
    to a device that has nothing to do.
    """

    driver: type[Driver]
    plug: Callable[[], Awaitable[Link]]
    hands: Hands = field(default_factory=NoHands)
    patience: float = 120.0
    quiet: float = 3.0
    idle: float = 10.0
    kind: Kind | None = None
    heard: list[Event] = field(default_factory=list)
    """Every numbered event of every session."""
    stranger: bool = False
    """Whether its identity does not hold, so that nothing else can be tried."""

    def __post_init__(self) -> None:
        self._series = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    @property
    def trade(self) -> Trade:
        """Return what a device of this kind does.

        Raises:
            NotTried: it does nothing on command.
        """
        kind = self.kind or self.driver.kind
        if kind not in TRADES:
            raise NotTried(f"a {kind} does nothing on command")
        return TRADES[kind]

    def command(self) -> str:
        """Return a command id that nobody has used, as long as one may be."""
        return f"{self._series}-{next(self._numbers):015}"

    @property
    def mark(self) -> Mark:
        """Return where a host that keeps everything would stand."""
        return Mark(self.heard[-1].boot, self.heard[-1].number) if self.heard else Mark()

    @asynccontextmanager
    async def opened(
        self, mark: Mark | None = None, wrap: Callable[[Link], Link] = lambda link: link
    ) -> AsyncGenerator["Talk"]:
        """Open the device. mark: else :attr:`mark`; wrap: puts something between driver and link."""
        driver = self.driver(wrap(await self.plug()))
        try:
            async with asyncio.timeout(self.patience):
                identity = await driver.open(mark or self.mark)
            talk = Talk(self, driver, identity)
            try:
                yield talk
            finally:
                await talk.end()
        finally:
            await driver.close()


class Talk:
    """One connection: everything that the device says is kept, and acknowledged unless it is held."""

    def __init__(self, rig: Rig, driver: Driver, identity: Identity) -> None:
        self.rig = rig
        self.driver = driver
        self.identity = identity
        self.events: list[Event] = []
        self.lost: LinkLost | None = None
        self._held_from = 0
        self._ordered: dict[str, int] = {}
        self._ended = 0
        self._free = asyncio.Event()
        self._free.set()
        self._news = asyncio.Condition()
        self._listening = asyncio.create_task(self._listen(), name="listen to a device")

    def hold(self) -> None:
        """Acknowledge nothing that comes from now on."""
        self._held_from = max((event.number for event in self.events), default=0)
        self._free.clear()

    async def held(self) -> Event:
        """Return the first numbered event that came, or comes, after hold.

        Raises:
            Broken: none came.
        """
        await self.until(lambda: bool(self._after_hold()), "a numbered event")
        return self._after_hold()[0]

    async def unkept(self, due: Fact) -> Event:
        """Order, keeping nothing that is said from now on; return the first event of it.

        Raises:
            Broken: none came.
        """
        self.hold()
        await self.order(due)
        await self.rig.hands.ask(self.rig.trade.before)
        return await self.held()

    def _after_hold(self) -> list[Event]:
        return [event for event in self.events if event.number > self._held_from]

    async def end(self) -> None:
        """Listen no more, once the last acknowledgement is on its way."""
        await asyncio.sleep(GLANCE)
        self._listening.cancel()
        await asyncio.wait([self._listening])

    def said(self, word: type[Said]) -> list[Said]:
        """Return all readings of this kind."""
        return [event.reading for event in self.events if isinstance(event.reading, word)]

    async def until(self, wanted: Callable[[], bool], text: str, seconds: float | None = None) -> None:
        """Wait until something holds.

        Raises:
            Broken: it did not come in time.
            LinkLost: the link was lost first.
        """
        try:
            async with asyncio.timeout(seconds or self.rig.patience):
                while not (wanted() or self.lost):
                    await self._something()
        except TimeoutError:
            raise Broken(f"{text} did not come in {seconds or self.rig.patience:g} s") from None
        if not wanted() and self.lost:
            raise self.lost

    async def _something(self) -> None:
        """Wait until it says something; a heartbeat, which no event tells of, is noticed soon."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GLANCE), self._news:
                await self._news.wait()

    async def rest(self) -> None:
        """Let time pass in which nothing may happen."""
        await asyncio.sleep(self.rig.quiet)

    # Orders

    async def order(self, due: Fact, verb: str = "") -> None:
        """Have the driver ask for it. verb: else that of its trade."""
        self._ordered.setdefault(trade_command(due), len(self.events))
        await getattr(self.driver, verb or self.rig.trade.verb)(due)

    async def due(self, command: str = "") -> Fact:
        """Return an order that the device can carry out now.

        Raises:
            Broken: it never says how many cards it holds.
        """
        trade = self.rig.trade
        if trade.size:
            await self._filled()
        return trade.due(command or self.rig.command(), self.driver.claims.left or 0)

    async def _filled(self) -> None:
        def full() -> bool:
            left = self.driver.claims.left
            return left is not None and left >= self.rig.trade.size

        with contextlib.suppress(Broken):
            await self.until(full, "a count", COUNT_TOLD_IN)
        if not full():
            await self.rig.hands.ask("fill it")
            await self.until(full, "a count of the cards inside")

    async def do(self, due: Fact) -> Reading:
        """Have an order carried out to its end, and what people must do after it; return how it ended.

        Raises:
            Broken: it does not end, or not as ordered.
        """
        await self.order(due)
        reading = await self.outcome(due)
        await self.clear()
        return reading

    async def outcome(self, due: Fact) -> Reading:
        """Wait for the end of an order.

        Raises:
            Broken: it does not end, or is refused.
        """
        trade, command = self.rig.trade, trade_command(due)
        await self.rig.hands.ask(trade.before)
        await self.until(lambda: bool(self.ends(command)), f"the end of {due.name()}")
        reading = self.ends(command)[0]
        self._ended = next(index for index, event in enumerate(self.events) if event.reading is reading)
        if isinstance(reading, CommandRefused):
            raise Broken(f"{due.name()} was refused: {reading.reason}")
        if isinstance(reading, CommandUnknown):
            raise Broken(f"{due.name()} is unknown: {reading.reason}")
        return reading

    def ends(self, command: str) -> list[Reading]:
        """Return what was said of how a command ended; a reading without a command may be of any."""
        words = (self.rig.trade.done, ShoeStubReleased, CommandRefused, CommandUnknown)
        said = [event.reading for event in self.events[self._ordered.get(command, 0) :]]
        return [each for each in said if isinstance(each, words) and trade_command(each) in ("", command)]

    def strokes(self) -> int:
        """Return how often something was moved in this connection."""
        return len(self.said(self.rig.trade.done))

    async def clear(self) -> None:
        """Have people do what must follow, so that the next order is possible."""
        trade = self.rig.trade
        if trade.after is None:
            return
        word = trade.after
        await self.rig.hands.ask(trade.people)
        await self.until(
            lambda: any(isinstance(event.reading, word) for event in self.events[self._ended :]),
            f"{word.name()}, which follows when people {trade.people},",
        )

    async def _listen(self) -> None:
        async with aclosing(self.driver.readings()) as readings:
            try:
                async for event in readings:
                    await self._note(event)
                    await self._free.wait()
            except LinkLost as lost:
                self.lost = lost
            except TablectlError as error:
                self.lost = LinkLost("protocol", str(error))
        async with self._news:
            self._news.notify_all()

    async def _note(self, event: Event) -> None:
        if event.number:
            self.rig.heard.append(event)
        async with self._news:
            self.events.append(event)
            self._news.notify_all()


def trade_command(due: Fact | Reading) -> str:
    """Return the command id of an order or of its end."""
    return str(getattr(due, "command", ""))
