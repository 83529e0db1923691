"""Keeps a device's readings coming: opens it, checks who it is, tells of loss and return, and never gives up."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from pathlib import Path

import msgspec
import structlog

from tablectl.devices.contract import Counters, Driver, Event, Identity, Link, Loss, Mark, State
from tablectl.devices.link import Url, open_link
from tablectl.devices.logbook import Logbook
from tablectl.devices.roster import Configured, Roster
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
ANSWERED_IN = 0.75
"""Seconds that a device has to answer its last orders when the daemon stops: enough to be asked three times."""
NO_NEWS = {(Loss.UNPLUGGED, Loss.MISSING)}
"""A loss, and one that only says the same again: what was pulled out has no node."""
POLL = 0.5
"""Seconds between looks at the device's node while we wait."""

_log = structlog.get_logger()


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
        self._under_way: Fact | None = None
        self._added = asyncio.Event()
        self._answered = asyncio.Event()
        self._answered.set()
        self._finishing = False
        self._reconsidered = asyncio.Event()
        self._lost_for = ("", "")
        self._log = Logbook(device.id)

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
        if self._finishing:
            return
        self._due[due.command] = due
        self._answered.clear()
        self._added.set()

    def reconsider(self) -> None:
        """Let the device go if another one is meant now, and try again at once if none answers."""
        self._reconsidered.set()

    def withdraw(self, command: str) -> None:
        """Forget an intent that has ended otherwise, unless it is on its way already."""
        self._due.pop(command, None)

    async def finish(self) -> None:
        """Take no intent any more, and let the device answer those it has; what it does not answer is told.

        Raises:
            JournalError: from ``accept``.
        """
        self._finishing = True
        if self.identity:
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWERED_IN):
                    await self._answered.wait()
        unanswered = [due.name() for due in (self._under_way, *self._due.values()) if due]
        if unanswered:
            _log.error("device.unanswered", device=self.device.id, orders=unanswered)
        if unanswered and self.identity:
            text = f"it did not answer its last order, {' or '.join(unanswered)}, before the controller stopped"
            await self._say(Event(DeviceLost(str(Loss.SILENT), text)))

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
        self._under_way = None
        self._answered.clear()
        for due in asked:
            self._due.pop(getattr(due, "command", ""), None)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._obey(driver), name=f"obey {self.device.id}")
                tasks.create_task(_watch(link), name=f"watch {self.device.id}")
                tasks.create_task(self._mind(identity), name=f"mind {self.device.id}")
                tasks.create_task(self._settle(identity), name=f"settle {self.device.id}")
                await self._listen(driver)
        except ExceptionGroup as group:
            # One of them failed and took the other along: what happened is the first, unless we are to stop.
            raise (asyncio.CancelledError() if _stopped() else group.exceptions[0]) from None

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
                self._log.note(event.reading)
                await self._say(event)

    async def _obey(self, driver: Driver) -> None:
        for due in driver.unsent:
            await self._order(driver, due)
        while True:
            while self._due and not driver.lost:
                await self._order(driver, self._due.pop(next(iter(self._due))))
            if not (self._due or self._under_way):
                self._answered.set()
            await self._added.wait()
            self._added.clear()

    async def _order(self, driver: Driver, due: Fact) -> None:
        self._under_way = due
        await getattr(driver, VERBS[type(due)])(due)
        if not driver.lost:
            self._under_way = None

    async def _tell_found(self, identity: Identity) -> None:
        self.identity = identity
        self._lost_for = ("", "")
        self._log.found(identity)
        found = DeviceFound(identity.model, identity.serial, identity.firmware, tuple(identity.kinds))
        await self._say(Event(found, identity.boot))

    async def _settle(self, identity: Identity) -> None:
        """Note when the device stays."""
        await asyncio.sleep(STEADY)
        self._log.steady(identity)

    async def _tell_lost(self, lost: LinkLost) -> None:
        """Tell of a loss once for each reason, however often we try in vain."""
        detail = str(lost) if lost.reason in (Loss.WRONG_DEVICE, Loss.SAME_DEVICE) else ""
        if (lost.reason, detail) == self._lost_for or (self._lost_for[0], lost.reason) in NO_NEWS:
            _log.debug("device still lost", device=self.device.id, reason=lost.reason)
            return
        self._lost_for = lost.reason, detail
        self._log.lost(lost)
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


def _stopped() -> bool:
    """Tell whether this task is to stop: before Python 3.13, a group that fails just then keeps it to itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _watch(link: Link) -> None:
    """Look twice a second whether the link still is what was opened.

    Raises:
        LinkLost: it is not.
    """
    while True:
        await asyncio.sleep(POLL)
        if lost := link.trouble():
            raise lost


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
