"""The one who takes what is said: to the table, into the record, and out to devices, displays and broker."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any, Literal

import structlog
from msgspec.structs import replace

from tablectl.config import Broker, Settings, build_terms
from tablectl.daemon.ending import finish
from tablectl.daemon.keeper import Keeper
from tablectl.daemon.shown import health, meta
from tablectl.daemon.systemd import WATCHDOG, notify
from tablectl.devices import registry
from tablectl.devices.contract import Loss, Mark
from tablectl.devices.roster import Configured, Roster
from tablectl.errors import JournalError, TablectlError
from tablectl.events.announcements import Configure, DoubtRecord, ReportBroker, ReportPower, Resume, Role, System
from tablectl.events.codec import Input, encode, timestamp
from tablectl.events.facts import (
    Alarm,
    AnnouncementRefused,
    CommandEnded,
    DayBegan,
    DayDue,
    DeviceCameOnline,
    DeviceReturned,
    DeviceWentOffline,
    Fact,
    TableChangeDue,
    TableConfigured,
)
from tablectl.events.readings import DeviceLost, Reading, ReadingFailed
from tablectl.events.record import TurnRecord
from tablectl.journal import Entry, Journal, Record
from tablectl.publisher import RECORD, Address, Publisher
from tablectl.publisher.payloads import DeviceHealth, Meta
from tablectl.replay import last_rounds, recover
from tablectl.table import Table
from tablectl.table.day import due
from tablectl.telemetry.metrics import Histogram
from tablectl.telemetry.power import Power
from tablectl.telemetry.table import Metrics
from tablectl.timekeeping import Calendar, Timekeeper
from tablectl.upkeep import Intent, Upkeep
from tablectl.view import State, View

ROUNDS_SHOWN = 12
"""Rounds of the record that are folded into the view at the start."""
SETTLED_IN = 3.0
"""Seconds in which a port that is held means that another daemon runs; later it is a device that was lost."""
FAREWELL = 2.0
"""Seconds that the publisher has for its last words."""

_log = structlog.get_logger()


class PortBusy(TablectlError):  # noqa: N818 - what happened
    """Another process holds a port of this table, most likely another tablectl."""


class Controller:
    """Takes what is said, has it journalled, and lets the rest of the world know and move, in that order."""

    def __init__(self, settings: Settings, journal: Journal) -> None:
        self.settings = settings
        self.journal = journal
        self.table = Table(build_terms)
        self.view = View(journal.reader.table, journal.epoch)
        self.publisher = Publisher(address(settings.mqtt), journal, self)
        self._began_at, self._last_wall = journal.head.seq, journal.reader.last_wall()
        self._sound = asyncio.Event()
        self._sound.set()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._since: dict[str, str] = {}
        self.commits = Histogram("tablectl_journal_commit_seconds", "From an input to its durable facts.")
        self._settled_in = False
        self._configured: Configure | None = None
        self._change_at: float | None = None
        self.keeper = Keeper(journal, self.say, settings.keep_days)
        devices = [
            Configured(device.id, registry.driver(device.driver), device.url, device.serial)
            for device in settings.devices
        ]
        roster = Roster(devices, self._meant)
        listen, file = settings.metrics_listen, settings.metrics_file
        self._metrics = Metrics(self, settings.table, listen, file)
        self._power = Power()
        self.upkeeps = {
            device.id: Upkeep(device, self._marking(device.id), self._accept, roster=roster) for device in devices
        }

    # What is said

    async def submit(self, said: Input) -> tuple[Fact, ...]:
        """Give an input to the table; returns its facts once they are durable.

        Raises:
            JournalError: they never will be; the table takes nothing more.
        """
        await self._sound.wait()
        if self.journal.has(said):
            await self.journal.flush()
            return ()
        try:
            facts, durable = self._take(said)
        except JournalError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever our own defect is, the table must not fall with it
            _log.exception("input.failed", input=said.body.name(), source=said.source)
            return await self._set_aside(said, error)
        self._continue_record(facts)
        began = time.monotonic()
        await asyncio.shield(durable)
        self.commits.add(time.monotonic() - began)
        return facts

    def _take(self, said: Input) -> tuple[tuple[Fact, ...], "asyncio.Future[Entry]"]:
        """Let the table and the record take an input, in this order and at once."""
        before = self.table.round_number
        facts = self.table.accept(said)
        durable = self.journal.append(said, facts, in_round=before)
        durable.add_done_callback(self._committed)
        return facts, durable

    def _continue_record(self, facts: Sequence[Fact]) -> None:
        """Begin the next volume of the record where it is due, before anything else is said."""
        if any(map(self._ends_volume, facts)) and not self.table.turning:
            self._take(Input(TurnRecord(), time.time_ns(), Role.SYSTEM))
        if words := self.table.continuation():
            self._take(Input(words, time.time_ns(), Role.SYSTEM))[1].add_done_callback(self.keeper.turned)

    def _ends_volume(self, told: Fact) -> bool:
        """Tell whether the record goes on in a new volume, as soon as no round is open: where it holds one, with each
        gaming day.
        """
        ends_day = isinstance(told, DayBegan) or (isinstance(told, DayDue) and told.day != self.table.day)
        return ends_day and self.table.round_number > self.journal.reader.first_round()

    async def _set_aside(self, said: Input, error: Exception) -> tuple[Fact, ...]:
        """Survive a defect of our own: the table is rebuilt from the record and held, without the input that broke it.

        Otherwise a device, whose event was never acknowledged, would break it again at every start.
        """
        self._sound.clear()
        try:
            await self.journal.flush()
            self.table = Table(build_terms)
            with Record(self.journal.path) as record:
                recover(record, self.table)
        finally:
            self._sound.set()
        text = f"{said.body.name()} could not be taken: {type(error).__name__}: {error}"
        if isinstance(said.body, Reading):
            return await self.submit(replace(said, body=ReadingFailed(encode(said.body).decode(), text)))
        await self.say(DoubtRecord(text))
        return (AnnouncementRefused(said.body.name(), "defect", "a supervisor", text),)

    async def _accept(self, said: Input) -> None:
        """Take what a device says; its link's word that the port is taken ends a daemon that only starts."""
        if isinstance(said.body, DeviceLost) and said.body.reason == Loss.PORT_BUSY and not self._settled_in:
            if not self.failed.done():
                self.failed.set_exception(PortBusy(f"the port of {said.source} is held by another process"))
            return
        await self.submit(said)
        if isinstance(said.body, DeviceLost):
            await self._watch_power()

    async def say(self, body: System) -> None:
        """Say something as the system."""
        await self.submit(Input(body, time.time_ns(), Role.SYSTEM))

    def _committed(self, durable: "asyncio.Future[Entry]") -> None:
        """Show what was committed, have the devices carry it out, and publish it; called in the journal's order."""
        if durable.cancelled():
            return
        if error := durable.exception():
            self._fail(error)
            return
        entry = durable.result()
        self._show(entry)
        for stated in entry.facts:
            if isinstance(stated.fact, Intent):
                self.upkeeps[stated.fact.device].perform(stated.fact)
            elif isinstance(stated.fact, DeviceReturned | TableConfigured):
                self._reconsider()
            elif isinstance(stated.fact, TableChangeDue):
                self._change_at = datetime.fromisoformat(stated.fact.effective).timestamp()
            elif isinstance(stated.fact, CommandEnded):
                for upkeep in self.upkeeps.values():
                    upkeep.withdraw(stated.fact.command)
        self.publisher.refresh()

    def _reconsider(self) -> None:
        """Have every device asked for that is meant now."""
        for upkeep in self.upkeeps.values():
            upkeep.reconsider()

    def _fail(self, error: BaseException) -> None:
        """End, and show until then why: nothing is dealt any more, since no intent can be committed."""
        if self.failed.done():
            return
        self.failed.set_exception(error)
        text = f"The record cannot be kept: {error}"
        _log.error("record.failed", reason=str(error))
        self.view.state.suspended = text
        self.view.alarm(Alarm(RECORD, text, latched=True))
        self.publisher.refresh()

    def _show(self, entry: Entry) -> None:
        ts = timestamp(entry.said.at)
        for stated in entry.facts:
            self.view.fold(stated.fact, stated.seq, ts)
            if isinstance(stated.fact, DeviceCameOnline | DeviceWentOffline):
                self._since[stated.fact.device] = ts

    def _marking(self, device: str) -> Callable[[], Awaitable[Mark]]:
        async def mark() -> Mark:
            await self.journal.flush()
            known = self.table.devices.get(device)
            # A device that was swapped has told nothing yet, whatever the record has of the one before it.
            boot, number = self.journal.marks.last(device) if known and known.boot else ("", 0)
            due = tuple(due for due in self.table.commands.values() if due.device == device)
            return Mark(boot, number, due, self.table.ordered_of)

        return mark

    def _meant(self, device: Configured) -> str:
        """Return the serial number that must answer: the record's since a swap, else the table file's."""
        return self.table.meant(device.id) if device.id in self.table.devices else device.serial

    # What the publisher asks

    def state(self) -> State:
        """Return what is shown."""
        return self.view.state

    def meta(self) -> Meta:
        """Return what the table is, and what it cannot check."""
        return meta(self.table.terms, self.settings, self.table.meant)

    def devices(self) -> Sequence[DeviceHealth]:
        """Return how each device is."""
        return [
            health(
                self.table.terms.table,
                device.kinds,
                self.upkeeps[device.id],
                self.view.devices.get(device.id),
                self._since.get(device.id, ""),
            )
            for device in self.settings.devices
        ]

    def broker_changed(self, reason: str) -> None:
        """Tell the table that the broker was lost or reached; only what changes goes into the record."""
        if ("broker" in self.table.alarms) != bool(reason):
            self._later(ReportBroker(reason))

    def journal_behind(self, at_seq: int) -> None:
        """Tell the table that the broker remembers more than the journal."""
        head = self._began_at
        self._later(DoubtRecord(f"The record ended at {head}, but the broker remembers {at_seq}: lost after {head}."))

    def _later(self, body: System) -> None:
        task = asyncio.ensure_future(self.say(body))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    # From start to end

    async def start(self, configured: Configure, lost: str = "") -> None:
        """Rebuild the table from the record, then take the present configuration. lost: what is lost of the record."""
        with Record(self.journal.path) as record:
            difference = recover(record, self.table)
            self._show_record(record)
        self._configured = configured
        await self.say(configured)
        if difference:
            _log.error("record.differs", difference=str(difference))
            await self.say(DoubtRecord(f"Row {difference.number} of the record was not understood as it was written."))
        if lost:
            await self.say(DoubtRecord(lost))
        await self.say(Resume(self.journal.boot))

    def _show_record(self, record: Record) -> None:
        """Fold the last rounds of the record, so that a display sees more than the moment; only what
        the present volume holds, which stands by itself, where one before cannot be read.
        """
        try:
            for entry in last_rounds(record, ROUNDS_SHOWN):
                self._show(entry)
        except Exception as error:  # noqa: BLE001 - whatever was altered there, the table needs none of it
            _log.error("record.unreadable", reason=str(error))
            self.view = View(self.journal.reader.table, self.journal.epoch)
            for entry in record.newest.entries():
                self._show(entry)

    async def run(self, stopping: asyncio.Event) -> None:
        """Keep devices and broker until asked to stop.

        Raises:
            JournalError: the record cannot be kept.
            PortBusy: at the start, another process holds a port.
        """
        async with asyncio.TaskGroup() as tasks:
            # In one order at every table: of two that start at once and want the same ports one gets them all.
            work = [self._keep(upkeep) for upkeep in sorted(self.upkeeps.values(), key=lambda each: each.device.url)]
            work += [self._settle_in(), self._keep_time(), self._keep_watch(), self.keeper.run(), self._metrics.run()]
            running = [tasks.create_task(self._recorded(each)) for each in work]
            publishing = tasks.create_task(self.publisher.run(), name="publisher")
            stop = tasks.create_task(stopping.wait())
            await asyncio.wait((stop, self.failed), return_when=asyncio.FIRST_COMPLETED)
            notify("STOPPING=1")
            await finish(self.say, self.upkeeps.values())
            for task in (stop, *running):
                task.cancel()
            self.publisher.stop(self._last_word())
            await asyncio.wait((publishing,), timeout=FAREWELL)
            publishing.cancel()
        if self.failed.done():
            self.failed.result()

    def _last_word(self) -> str:
        """Return why it ends, as the status tells it."""
        if not self.failed.done():
            return "stopped"
        return str(Loss.PORT_BUSY) if isinstance(self.failed.exception(), PortBusy) else RECORD

    async def _keep(self, upkeep: Upkeep) -> None:
        """Keep a device, unless the port of another was held when this one's turn came."""
        if not self.failed.done():
            await upkeep.keep()

    async def _recorded(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something; a record that fails meanwhile ends the daemon, but not before that was told."""
        try:
            await work
        except JournalError as error:
            self._fail(error)

    async def _watch_power(self) -> None:
        """Note when the board has too little power, or enough again: it may be why a device is lost."""
        trouble = self._power.look()
        if ("power" in self.table.alarms) != bool(trouble):
            _log.warning("board.power", trouble=trouble or "none")
            await self.say(ReportPower(trouble))

    async def _change_when_due(self) -> None:
        """Ask again for a change that came before its time, once that has come."""
        if self._configured and self._change_at and time.time() >= self._change_at:
            self._change_at = None
            await self.say(self._configured)

    async def _settle_in(self) -> None:
        await asyncio.sleep(SETTLED_IN)
        self._settled_in = True

    async def _keep_time(self) -> None:
        """Have gaming days, shifts and dice come due, from where the record ended, and the clock told of."""
        day, table, last = self.settings.day, self.table, self._last_wall
        calendar = Calendar.of(day.begins, day.shifts, day.zone) if day else None
        known = calendar.at(last) if calendar and last and table.day else None
        await Timekeeper(calendar, lambda wall: due(self.table, wall), self.say, known).keep()

    async def _keep_watch(self) -> None:
        """Tell systemd that the loop turns and the journal takes what it is given, and show fresh counters."""
        while True:
            await self.keeper.watch()
            await self._watch_power()
            await self._change_when_due()
            await self.journal.flush()
            notify("WATCHDOG=1")
            self.publisher.refresh()
            await asyncio.sleep(WATCHDOG)


def address(broker: Broker) -> Address:
    """Return where the broker is, as the publisher takes it."""
    protocol: Literal["5", "3.1.1"] = "3.1.1" if broker.protocol == "3.1.1" else "5"
    return Address(broker.host, broker.port, protocol, broker.username, broker.password, broker.tls)
