"""The daemon's life: from its table file to the signal that ends it."""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import structlog

from tablectl.config import Settings, load
from tablectl.daemon.controller import Controller, address
from tablectl.daemon.systemd import notify
from tablectl.errors import JournalError
from tablectl.events.announcements import Configure
from tablectl.journal import JournalBusy
from tablectl.journal.keeping import mended, opened
from tablectl.publisher import tell_failure
from tablectl.telemetry.logs import Style, begin

_log = structlog.get_logger()

SELDOM = 10_000
"""So many more containers are made than freed before the collector looks for cycles; Python's own number is 700."""


async def run(path: Path, style: Style) -> None:
    """Run the table of a table file until SIGTERM or SIGINT. style: of the log, which goes to standard output.

    Raises:
        ConfigError: the file cannot be played by.
        JournalBusy, PortBusy: another daemon runs this table, or holds one of its ports.
        JournalError: the record cannot be kept.
    """
    configured, settings = load(path)
    where = begin(style, settings.table, {settings.mqtt.password or ""})
    stopping = asyncio.Event()
    for stop in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(stop, stopping.set)
    try:
        async with started(configured, settings) as controller:
            where.round = lambda: controller.table.round_number
            spare_collector()
            notify("READY=1")
            _log.info("table.ready", boot=controller.journal.boot)
            await controller.run(stopping)
    except JournalBusy:
        raise
    except JournalError as error:
        await tell_failure(address(settings.mqtt), settings.table, f"The record cannot be kept: {error}")
        raise
    _log.info("table.stopped")


@asynccontextmanager
async def started(configured: Configure, settings: Settings) -> AsyncIterator[Controller]:
    """Rebuild a table from its record, and close the record when left.

    Opening a record proves its end; what the table is rebuilt from may lie before. Where that fails for damage, the
    record is mended, and the table rebuilt from what is left: else it would fail again at every start.

    Raises:
        JournalError: the record cannot be kept.
    """
    async with AsyncExitStack() as stack:
        journal, lost = await stack.enter_async_context(opened(settings.journal, settings.table))
        controller = Controller(settings, journal)
        try:
            await controller.start(configured, lost)
        except Exception:
            await stack.aclose()
            lost = await asyncio.to_thread(mended, settings.journal, settings.table)
            if not lost:
                raise
            journal, _ = await stack.enter_async_context(opened(settings.journal, settings.table))
            controller = Controller(settings, journal)
            await controller.start(configured, lost)
        yield controller


def spare_collector() -> None:
    """Have cycles looked for seldom, and never among what is here now, which stays: a round leaves none behind."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(SELDOM)
