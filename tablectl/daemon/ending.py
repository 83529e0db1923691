"""What is left to do when the daemon is told to stop: no shoe is left unlocked, and no order on its way in silence."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

import structlog

from tablectl.errors import JournalError
from tablectl.events.announcements import Stop, System
from tablectl.upkeep import Upkeep

IN_TIME = 1.0
"""Seconds in which the record must have taken that we stop, and as many in which the devices must have answered."""

_log = structlog.get_logger()


async def finish(say: Callable[[System], Awaitable[None]], upkeeps: Iterable[Upkeep]) -> None:
    """Say that we stop, which locks a shoe that is unlocked, and let the devices answer what they were ordered.

    What they do not answer stands in log and record; what could not be waited for, in the log.
    """
    await _in_time("record", say(Stop()))
    await _in_time("devices", asyncio.gather(*(upkeep.finish() for upkeep in upkeeps)))


async def _in_time(what: str, last: Awaitable[Any]) -> None:
    """Wait for something that is last, but not for ever; a record that fails is told elsewhere."""
    try:
        with suppress(JournalError):
            async with asyncio.timeout(IN_TIME):
                await last
    except TimeoutError:
        _log.error("stop.unfinished", waits_for=what)
