"""The figures of one table."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol

import msgspec

from tablectl.errors import ConfigError
from tablectl.journal import Journal
from tablectl.publisher import Publisher
from tablectl.telemetry.metrics import Histogram, Sample, exposed, keep_file, serve, watch_lag
from tablectl.upkeep import Upkeep
from tablectl.view import View


class Watched(Protocol):
    """What is looked at."""

    journal: Journal
    view: View
    publisher: Publisher
    upkeeps: dict[str, Upkeep]
    commits: Histogram


def samples(table: Watched, lag: Histogram) -> Iterator[Sample]:
    """Yield every figure of a table as it is now."""
    state, head = table.view.state, table.journal.head
    yield Sample("tablectl_rounds_total", "Rounds opened.", "counter", state.round)
    yield Sample("tablectl_facts_total", "Facts recorded.", "counter", head.seq)
    yield Sample("tablectl_alarms", "Alarms that are active.", "gauge", len(state.alarms))
    yield Sample("tablectl_suspended", "1 while the table is suspended.", "gauge", bool(state.suspended))
    behind = head.seq - table.journal.published
    yield Sample("tablectl_outbox_lag_facts", "Facts that the broker has not taken yet.", "gauge", behind)
    dropped = table.publisher.dropped
    yield Sample("tablectl_commands_dropped_total", "Commands that came too fast to be read.", "counter", dropped)
    yield from lag.samples()
    yield from table.commits.samples()
    for name, upkeep in table.upkeeps.items():
        yield from _device(name, upkeep)


def _device(name: str, upkeep: Upkeep) -> Iterator[Sample]:
    device = (("device", name),)
    online = upkeep.identity is not None
    yield Sample("tablectl_device_online", "1 while the device answers.", "gauge", online, device)
    counters: Mapping[str, int] = msgspec.structs.asdict(upkeep.counters)
    for kind in ("bad_frames", "retries", "duplicates"):
        labels = (*device, ("kind", kind))
        yield Sample(
            "tablectl_link_errors_total", "Errors since the link was opened.", "counter", counters[kind], labels
        )


class Metrics:
    """Tells the figures of a table, where it is asked to. listen: ``HOST:PORT``; file: a path; each may be empty."""

    def __init__(self, table: Watched, name: str, listen: str, file: Path | None) -> None:
        self._table, self._name = table, name
        self._listen, self._file = listen, file
        self._lag = Histogram("tablectl_event_loop_lag_seconds", "How late the event loop was.")

    def text(self) -> str:
        """Return all figures."""
        return exposed(samples(self._table, self._lag), table=self._name)

    async def run(self) -> None:
        """Measure and tell until cancelled.

        Raises:
            ConfigError: the port or the file cannot be had.
        """
        try:
            async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
                if self._listen:
                    host, _, port = self._listen.rpartition(":")
                    await stack.enter_async_context(await serve(host.strip("[]"), int(port), self.text))
                if self._file:
                    tasks.create_task(keep_file(self._file, self.text))
                tasks.create_task(watch_lag(self._lag))
        except* OSError as group:
            raise ConfigError(f"metrics: {group.exceptions[0]}") from None
