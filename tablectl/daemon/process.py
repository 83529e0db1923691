"""The daemon's life: from its table file to the signal that ends it."""

import asyncio
import gc
import signal
from pathlib import Path

import structlog

from tablectl.config import load
from tablectl.daemon.controller import Controller, address
from tablectl.daemon.systemd import notify
from tablectl.errors import JournalError
from tablectl.journal import JournalBusy
from tablectl.journal.keeping import opened
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
        async with opened(settings.journal, settings.table) as (journal, lost):
            controller = Controller(settings, journal)
            where.round = lambda: controller.table.round_number
            await controller.start(configured, lost)
            spare_collector()
            notify("READY=1")
            _log.info("table.ready", boot=journal.boot)
            await controller.run(stopping)
    except JournalBusy:
        raise
    except JournalError as error:
        await tell_failure(address(settings.mqtt), settings.table, f"The record cannot be kept: {error}")
        raise
    _log.info("table.stopped")


def spare_collector() -> None:
    """Have cycles looked for seldom, and never among what is here now, which stays: a round leaves none behind."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(SELDOM)
