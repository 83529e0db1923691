"""The publisher: tells the broker what the journal holds and the view shows, and passes commands to the table."""

import asyncio
import math
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal, Protocol

import msgspec
import structlog
from aiomqtt import Message

from tablectl import __version__
from tablectl.errors import JournalError, first_of
from tablectl.events.codec import Input, timestamp
from tablectl.events.facts import Fact
from tablectl.journal import Journal
from tablectl.journal import Outgoing as Leaving
from tablectl.publisher.broker import PATIENCE, WINDOW, Address, Broker, BrokerLost, Outgoing, PublishRefused, connected
from tablectl.publisher.commands import Desk, Request
from tablectl.publisher.payloads import UNTOLD, DeviceHealth, Envelope, Meta, Reply, Status, V, read
from tablectl.publisher.retained import Board, shown
from tablectl.publisher.topics import Topics
from tablectl.view import State

BACKOFF = (0.5, 2.0)
"""Seconds between two attempts to connect: the first and the longest; each is shortened by chance. However long the
broker was away, and even where it answers nothing at first, everything retained is there five seconds after its return.
"""

_EVENT_EXPIRY = 86_400  # seconds; a bridge that was down for hours loses nothing, and older is history
_REPLY_EXPIRY = 60

_log = structlog.get_logger()


class Table(Protocol):
    """What the publisher needs of the table around it."""

    async def submit(self, said: Input) -> tuple[Fact, ...]:
        """Give an announcement to the table and return its facts once they are durable.

        Raises:
            JournalError: they never will be.
        """
        ...

    def state(self) -> State:
        """Return what is shown now: a fold of committed facts."""
        ...

    def meta(self) -> Meta:
        """Return what the table is."""
        ...

    def devices(self) -> Sequence[DeviceHealth]:
        """Return how each configured device is."""
        ...

    def broker_changed(self, reason: str) -> None:
        """Take note: the broker was reached (empty), or is lost for this reason."""
        ...

    def journal_behind(self, at_seq: int) -> None:
        """Take note: the broker holds a state of this journal that is further than the journal itself."""
        ...


class Publisher:
    """Keeps one table told, over as many connections as it takes; memory does not grow while the broker is away."""

    def __init__(self, address: Address, journal: Journal, table: Table) -> None:
        self._address = address
        self._journal = journal
        self._table = table
        self._topics = Topics(journal.reader.table)
        self._desk = Desk(journal, table.submit, lambda: table.state().round)
        self._changed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._last_reason = ""
        self._vouched = journal.head.seq  # before this start says a word: what comes later is our own
        self._reason: str | None = None
        self._delay = BACKOFF[0]
        self.dropped = 0
        """Messages that came faster than they could be read, since the start."""

    def refresh(self) -> None:
        """Say that state, meta or a device may have changed; what did is published, as often as its topic allows."""
        self._changed.set()

    def stop(self, reason: str = "stopped") -> None:
        """Ask for the end: events still due are told, then ``offline`` with the reason; `run` returns."""
        self._last_reason = reason
        self._stopping.set()

    async def run(self) -> None:
        """Connect, publish, and connect again, until stopped. Cancelling leaves the last word to the will."""
        while not self._stopping.is_set():
            try:
                async with connected(self._address, self._topics.client_id, self._status("offline", "lost")) as broker:
                    await self._session(broker)
            except* BrokerLost as lost:
                self._note(str(first_of(lost)))
                await self._back_off()

    async def _session(self, broker: Broker) -> None:
        """Tell all that is retained, then that we are online, then whatever happens."""
        board, born = Board(), asyncio.Event()
        devices, state = self._topics.device("+"), self._topics.state
        async with asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(self._listen(broker, born), name="publisher listens")
            await broker.subscribe(state)
            await broker.subscribe(self._topics.status, devices)  # answered after the state that an earlier start left
            await self._write_due(broker, board)
            await broker.unsubscribe(state, devices)
            await broker.subscribe(self._topics.commands)
            await broker.publish(self._status("online"))
            born.set()
            self._note("")
            retained = tasks.create_task(self._keep_retained(broker, board), name="publisher retains")
            events = tasks.create_task(self._tell_events(broker), name="publisher tells")
            await self._stopping.wait()
            for task in (listening, retained, events):
                task.cancel()
            await self._farewell(broker, board)

    async def _farewell(self, broker: Broker, board: Board) -> None:
        with suppress(TimeoutError, JournalError):
            async with asyncio.timeout(PATIENCE):
                while await self._tell_batch(broker):
                    pass
        await self._write_due(broker, board, now=math.inf)  # the last of each, however soon after the one before
        await broker.publish(self._status("offline", self._last_reason))

    # What is told

    async def _tell_events(self, broker: Broker) -> None:
        """Publish events until there will be none; what else is shown goes on without a journal."""
        with suppress(JournalError):
            while True:
                await self._journal.beyond(self._journal.published)
                await self._tell_batch(broker)

    async def _tell_batch(self, broker: Broker) -> bool:
        """Publish the next events of the journal, in order; they count as published when the broker has them all."""
        batch = self._journal.unpublished(WINDOW)
        await broker.publish_all(map(self._event, batch))
        if batch:
            self._journal.mark_published(batch[-1].seq)
        return bool(batch)

    async def _keep_retained(self, broker: Broker, board: Board) -> None:
        while True:
            self._changed.clear()
            again = await self._write_due(broker, board)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(again):
                    await self._changed.wait()

    async def _write_due(self, broker: Broker, board: Board, now: float | None = None) -> float | None:
        """Publish what is due on the retained topics, and return when something will be."""
        clock = asyncio.get_running_loop().time
        state = self._table.state()
        self._vouched = max(self._vouched, state.at_seq)
        wanted = shown(self._topics, self._table.meta(), state, list(self._table.devices()))
        due, again = board.due(wanted, clock() if now is None else now)
        await broker.publish_all(item.message for item in due)
        for item in due:
            board.write(item, clock())
        return again

    def _event(self, leaving: Leaving) -> Outgoing:
        data = msgspec.json.decode(leaving.body)
        word, table, epoch = data.pop("type"), self._topics.table, self._journal.epoch
        for field in UNTOLD.get(word, ()):
            data.pop(field, None)
        envelope = Envelope(
            v=V,
            id=f"{table}:{epoch}:{leaving.seq}",
            type=word,
            table=table,
            epoch=epoch,
            seq=leaving.seq,
            ts=timestamp(leaving.wall),
            round=leaving.round,
            src=leaving.source,
            data=data,
        )
        return Outgoing(self._topics.event(word), msgspec.json.encode(envelope), f"{word}/{V}", expiry=_EVENT_EXPIRY)

    def _status(self, state: Literal["online", "offline"], reason: str = "") -> Outgoing:
        journal = self._journal
        status = Status(v=V, state=state, boot=journal.boot, epoch=journal.epoch, program=__version__, reason=reason)
        return Outgoing(self._topics.status, msgspec.json.encode(status), f"status/{V}", retain=True)

    # What is heard

    async def _listen(self, broker: Broker, born: asyncio.Event) -> None:
        online = self._status("online")
        async for message in broker.messages():
            topic, payload = str(message.topic), bytes(message.payload or b"")
            if topic == self._topics.status:
                if born.is_set() and payload != online.payload:
                    _log.warning("status.foreign", payload=payload[:200])
                    await broker.publish(online)
            elif topic == self._topics.state:
                self._compare(payload)
            elif command := self._topics.command(topic):
                await self._answer(broker, Request(*command, payload, retained=message.retain), message)
            else:
                await self._clear_unknown(broker, topic, payload)
            self._count_dropped(broker.dropped())

    def _count_dropped(self, count: int) -> None:
        """Say of each flood, once it is over, how many went unread."""
        self.dropped += count
        if count:
            _log.warning("commands.dropped", count=count)

    async def _clear_unknown(self, broker: Broker, topic: str, payload: bytes) -> None:
        """Clear what an earlier configuration left behind."""
        known = {self._topics.device(device.device) for device in self._table.devices()}
        if payload and topic not in known:
            await broker.publish(Outgoing(topic, b"", retain=True))

    def _compare(self, payload: bytes) -> None:
        """Find out whether the broker remembers more than the journal held at the start, or than we told it since."""
        with suppress(msgspec.DecodeError):
            held = read(payload, _Held)
            if held.epoch == self._journal.epoch and held.at_seq > self._vouched:
                self._table.journal_behind(held.at_seq)

    async def _answer(self, broker: Broker, request: Request, message: Message) -> None:
        if not request.payload:
            return  # it clears what was retained there, and says nothing
        reply, client = await self._desk.answer(request)
        topic = getattr(message.properties, "ResponseTopic", None) or (client and self._topics.reply(client))
        if topic is None or not self._topics.may_answer(topic):
            _log.info("reply.unsent", topic=topic, ok=reply.ok)
            return
        correlation = getattr(message.properties, "CorrelationData", b"")
        with suppress(PublishRefused):  # by the broker's access list: the caller's own affair
            await broker.publish(_reply(topic, reply, correlation))

    # How the broker is

    def _note(self, reason: str) -> None:
        """Log and tell each change once, so that an hour without a broker is one line."""
        if reason == "":
            self._delay = BACKOFF[0]
        if reason == self._reason:
            return
        self._reason = reason
        if reason:
            _log.warning("broker.lost", reason=reason)
        else:
            _log.info("broker.reached", host=self._address.host, port=self._address.port)
        self._table.broker_changed(reason)

    async def _back_off(self) -> None:
        delay = self._delay * random.uniform(0.5, 1.0)  # noqa: S311 - spreads the daemons of a floor, guards nothing
        self._delay = min(2 * self._delay, BACKOFF[1])
        with suppress(TimeoutError):
            async with asyncio.timeout(delay):
                await self._stopping.wait()


class _Held(msgspec.Struct):
    """What of a state tells how far it is."""

    epoch: str
    at_seq: int


def _reply(topic: str, reply: Reply, correlation: bytes) -> Outgoing:
    return Outgoing(topic, msgspec.json.encode(reply), f"reply/{V}", expiry=_REPLY_EXPIRY, correlation=correlation)
