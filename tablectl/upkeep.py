"""Keeps a device's readings coming: opens it, checks who it is, tells of loss and return, and never gives up."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from pathlib import Path

import msgspec
import structlog

from tablectl.devices.contract import Counters, Driver, Event, Identity, Link, Loss, Mark, State
from tablectl.devices.link import Url, open_link
from tablectl.errors import LinkLost, WireError
from tablectl.events.codec import Input
from tablectl.events.facts import CardDue, CardsLocked, Fact, RollDue, ShuffleDue, StackDue, StubDue
from tablectl.events.readings import DeviceFound, DeviceLost, Reading

Intent = StackDue | StubDue | CardDue | CardsLocked | ShuffleDue | RollDue
"""A fact by which a device is to move."""

VERBS: dict[type[Fact], str] = {
    StackDue: "dispense",
    StubDue: "release_stub",
    CardDue: "unlock",
    CardsLocked: "lock",
    ShuffleDue: "shuffle",
    RollDue: "shake",
}
"""What a driver does when a fact says that it is due."""

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 15.0
"""Seconds between attempts; they double, and each is cut by chance to no less than half."""
STEADY = 10.0
"""Seconds after which a connection counts as a good one, and the pauses begin anew."""
USB_NODES = Path("/dev/bus/usb")
POLL = 0.5
"""Seconds between looks at the device's node while we wait."""

_log = structlog.get_logger()


class Configured(msgspec.Struct, frozen=True):
    """One device of the table file. serial: what it must answer with, empty for any."""

    id: str
    driver: type[Driver]
    url: str
    serial: str = ""


class Roster:
    """What the devices of one table need to know of each other, so that a mix-up is called by its name.

    meant: returns the serial number that must answer for a device, empty for any; the table file's, if left out.
    """

    def __init__(
        self, devices: Iterable[Configured] = (), meant: Callable[[Configured], str] = lambda device: device.serial
    ) -> None:
        self._devices = tuple(devices)
        self._meant = meant
        self._online: dict[str, tuple[str, str]] = {}

    def admit(self, device: Configured, identity: Identity) -> None:
        """Take a device as the one meant.

        Raises:
            LinkLost: ``wrong-device``, another one answers; ``same-device``, it answers at another place too.
        """
        self.check(device, identity)
        who = f"{identity.model} {identity.serial!r} answers"
        key = identity.model, identity.serial
        for other, online in self._online.items():
            if identity.serial and online == key and other != device.id:
                raise LinkLost(Loss.SAME_DEVICE, f"{who} as {other} already; two devices cannot be one")
        self._online[device.id] = key

    def check(self, device: Configured, identity: Identity) -> None:
        """Hold who answers against who is meant now.

        Raises:
            LinkLost: ``wrong-device``.
        """
        meant = self._meant(device)
        if meant in ("", identity.serial):
            return
        other = next((each.id for each in self._devices if self._meant(each) == identity.serial), "")
        swapped = f", which is {other}: are the two swapped?" if other else ""
        who = f"{identity.model} {identity.serial!r} answers"
        raise LinkLost(Loss.WRONG_DEVICE, f"{who}, awaited was serial {meant!r}{swapped}")

    def leave(self, device: str) -> None:
        """Note that a device does not answer any more."""
        self._online.pop(device, None)


class Upkeep:
    """Looks after one device.

    mark: returns where the journal stands with it. accept: takes an input and returns once it is committed. wall: the
    time of day in nanoseconds. chance: for the pauses. roster: of all devices of the table.
    """

    def __init__(  # noqa: PLR0913 - clock and chance are given by tests alone
        self,
        device: Configured,
        mark: Callable[[], Awaitable[Mark]],
        accept: Callable[[Input], Awaitable[None]],
        *,
        wall: Callable[[], int] = time.time_ns,
        chance: Callable[[], float] = random.random,
        roster: Roster | None = None,
    ) -> None:
        self.device = device
        self.settings = ""
        """How the line is set, as the system told when it was last opened."""
        self._roster = roster or Roster((device,))
        self.identity: Identity | None = None
        """Who answers, None while nobody does."""
        self._driver: Driver | None = None
        self._mark = mark
        self._accept = accept
        self._wall = wall
        self._chance = chance
        self._due: dict[str, Intent] = {}
        self._added = asyncio.Event()
        self._reconsidered = asyncio.Event()
        self._lost_for = ("", "")

    @property
    def state(self) -> State:
        """Return what the device last said that it does."""
        return self._driver.state if self._driver and self.identity else State.OFFLINE

    @property
    def counters(self) -> Counters:
        """Return what was counted since the link was opened."""
        return self._driver.counters if self._driver else Counters()

    def perform(self, due: Intent) -> None:
        """Have a committed intent carried out, in order and once; returns at once.

        While the device is offline the intent waits. One that may have been sent when the link was lost is never sent
        again: the device is asked about it, if it can tell. To be called once for each commit, not for what an
        earlier start of the daemon has committed: that is in the mark.
        """
        self._due[due.command] = due
        self._added.set()

    def reconsider(self) -> None:
        """Let the device go if another one is meant now, and try again at once if none answers."""
        self._reconsidered.set()

    def withdraw(self, command: str) -> None:
        """Forget an intent that has ended otherwise, unless it is on its way already."""
        self._due.pop(command, None)

    async def keep(self) -> None:
        """Keep the device until cancelled.

        Raises:
            ConfigError: the URL can never be right.
            JournalError: from ``accept``.
        """
        clock = asyncio.get_running_loop().time
        failures = 0
        while True:
            began = clock()
            try:
                await self._connect()
            except LinkLost as lost:
                await self._tell_lost(lost)
            except WireError as error:
                await self._tell_lost(LinkLost(Loss.PROTOCOL, str(error)))
            failures = 1 if clock() - began > STEADY else failures + 1
            await self._pause(failures)

    async def _connect(self) -> None:
        """Stay connected until the link is lost."""
        self._reconsidered.clear()
        link = await open_link(self.device.url)
        self.settings = link.settings
        self._driver = self.device.driver(link)
        try:
            mark = await self._mark()
            # What was never sent is no question for the device: it is done now, not asked about.
            asked = tuple(due for due in mark.open_commands if getattr(due, "command", "") not in self._due)
            identity = await self._driver.open(msgspec.structs.replace(mark, open_commands=asked))
            self._roster.admit(self.device, identity)
            await self._tell_found(identity)
            await self._converse(self._driver, link, asked, identity)
        finally:
            self.identity = None
            self._roster.leave(self.device.id)
            await self._driver.close()

    async def _converse(self, driver: Driver, link: Link, asked: tuple[Fact, ...], identity: Identity) -> None:
        for due in asked:
            self._due.pop(getattr(due, "command", ""), None)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._obey(driver), name=f"obey {self.device.id}")
                tasks.create_task(_watch(link), name=f"watch {self.device.id}")
                tasks.create_task(self._mind(identity), name=f"mind {self.device.id}")
                await self._listen(driver)
        except ExceptionGroup as group:
            # One of them failed and took the other along: what happened is the first.
            raise group.exceptions[0] from None

    async def _mind(self, identity: Identity) -> None:
        """Check again who answers when another one may be meant.

        Raises:
            LinkLost: another one is.
        """
        while await self._reconsidered.wait():
            self._reconsidered.clear()
            self._roster.check(self.device, identity)

    async def _listen(self, driver: Driver) -> None:
        async with aclosing(driver.readings()) as readings:
            async for event in readings:
                await self._say(event)

    async def _obey(self, driver: Driver) -> None:
        for due in driver.unsent:
            await _perform(driver, due)
        while await self._added.wait():
            self._added.clear()
            while self._due:
                await _perform(driver, self._due.pop(next(iter(self._due))))

    async def _tell_found(self, identity: Identity) -> None:
        self.identity = identity
        self._lost_for = ("", "")
        _log.info("device.found", device=self.device.id, model=identity.model, serial=identity.serial)
        found = DeviceFound(identity.model, identity.serial, identity.firmware, tuple(identity.kinds))
        await self._say(Event(found, identity.boot))

    async def _tell_lost(self, lost: LinkLost) -> None:
        """Tell of a loss once for each reason, however often we try in vain."""
        detail = str(lost) if lost.reason in (Loss.WRONG_DEVICE, Loss.SAME_DEVICE) else ""
        if (lost.reason, detail) == self._lost_for:
            _log.debug("device still lost", device=self.device.id, reason=lost.reason)
            return
        self._lost_for = lost.reason, detail
        _log.warning("device.lost", device=self.device.id, reason=str(lost.reason), text=str(lost))
        await self._say(Event(DeviceLost(str(lost.reason), detail)))

    async def _say(self, event: Event) -> None:
        reading: Reading = event.reading
        await self._accept(Input(reading, self._wall(), self.device.id, event.boot, event.number))

    async def _pause(self, failures: int) -> None:
        """Wait before the next attempt, less when the device's node appears or changes."""
        clock = asyncio.get_running_loop().time
        longest = min(FIRST_PAUSE * 2 ** min(failures - 1, 10), LONGEST_PAUSE)
        until = clock() + longest * (1 + self._chance()) / 2
        before = _node(self.device.url)
        while (left := until - clock()) > 0:
            await asyncio.sleep(min(left, POLL))
            if self._reconsidered.is_set() or _node(self.device.url) not in (None, before):
                return


async def _watch(link: Link) -> None:
    """Look twice a second whether the link still is what was opened.

    Raises:
        LinkLost: it is not.
    """
    while True:
        await asyncio.sleep(POLL)
        if lost := link.trouble():
            raise lost


async def _perform(driver: Driver, due: Fact) -> None:
    await getattr(driver, VERBS[type(due)])(due)


def _node(url: str) -> tuple[object, ...] | None:
    """Return what changes when a node is made anew or given to somebody else, None while there is none."""
    parsed = Url.parse(url)
    if parsed.scheme == "usb":
        return tuple(_made(path) for path in sorted(USB_NODES.glob("*/*"))) or None
    return _made(Path(parsed.place)) if parsed.place.startswith("/") else None


def _made(path: Path) -> tuple[object, ...] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return str(path), status.st_ino, status.st_rdev, status.st_ctime_ns
