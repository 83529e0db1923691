"""What the rules cannot know by themselves: which gaming day and shift it is, and how far the clock can be trusted."""

import asyncio
import ctypes
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tablectl.events.announcements import Due, ReportClock, System, TimeReached

TICK = 1.0
"""Seconds between two looks at the clock."""
TOLD_EVERY = 3600.0
"""Seconds after which the clock is told of again, though nothing changed."""
UNSYNCHRONISED = 0x40
"""STA_UNSYNC of adjtimex(2): no time server steers the clock."""


class Period(NamedTuple):
    """A shift of a gaming day. begins: how long after the day; periods are ordered by time."""

    day: str
    begins: timedelta
    shift: str


class Calendar:
    """When gaming days and shifts begin, by the wall clock of the house. begins, shifts: since midnight; zone: None for
    the machine's own.

    The daemon looks, and not the rules: by another edition of the world's time zones a replay would differ.
    """

    def __init__(self, begins: timedelta, shifts: Mapping[str, timedelta], zone: tzinfo | None = None) -> None:
        self._begins, self._zone = begins, zone
        day = timedelta(days=1)
        self._shifts = sorted(((at - begins) % day, name) for name, at in shifts.items())

    @classmethod
    def of(cls, begins: str, shifts: Mapping[str, str], zone: str) -> "Calendar":
        """Return the calendar of a table file, whose times are ``06:00``."""
        times = {name: _since_midnight(at) for name, at in shifts.items()}
        return cls(_since_midnight(begins), times, ZoneInfo(zone) if zone else None)

    def at(self, wall: int) -> Period:
        """Return the day and shift of a moment, in nanoseconds since 1970."""
        local = datetime.fromtimestamp(wall / 1e9, self._zone).replace(tzinfo=None) - self._begins
        since = local - datetime.combine(local.date(), datetime.min.time())
        begins, shift = max((each for each in self._shifts if each[0] <= since), default=(timedelta(), ""))
        return Period(local.date().isoformat(), begins, shift)


def _since_midnight(time_of_day: str) -> timedelta:
    hours, minutes = map(int, time_of_day.split(":"))
    return timedelta(hours=hours, minutes=minutes)


class _Timex(ctypes.Structure):
    """The first fields of Linux's ``struct timex``, with room for all others."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("frequency", ctypes.c_long),
        ("most_error", ctypes.c_long),
        ("error", ctypes.c_long),
        ("status", ctypes.c_int),
        ("others", ctypes.c_byte * 256),
    )


def kernel_clock() -> ReportClock | None:
    """Return what the kernel knows of its clock, whichever program steers it; None where it cannot be asked."""
    told = _Timex()
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(told))
    except (AttributeError, OSError):
        return None
    if state < 0:
        return None
    return ReportClock(synchronised=not told.status & UNSYNCHRONISED, error=told.most_error // 1000)


class Timekeeper:
    """Tells the table what became due, and the record what the clock says of itself.

    due: what the table says is due at a moment; say: takes what is told; period: the last one that the table knows of,
    None for none.
    """

    def __init__(
        self,
        calendar: Calendar | None,
        due: Callable[[int], Iterable[TimeReached]],
        say: Callable[[System], Awaitable[None]],
        period: Period | None = None,
    ) -> None:
        self._calendar, self._due, self._say = calendar, due, say
        self._period = period
        self._told: ReportClock | None = None
        self._told_at = 0.0

    async def keep(self) -> None:
        """Look at the clock, without end."""
        while True:
            await self.look(time.time_ns(), time.monotonic(), kernel_clock())
            await asyncio.sleep(TICK)

    async def look(self, wall: int, monotonic: float, clock: ReportClock | None) -> None:
        """Say what is new at this moment. wall: nanoseconds since 1970; monotonic: seconds."""
        if clock and self._is_news(clock, monotonic):
            self._told, self._told_at = clock, monotonic
            await self._say(clock)
        for reached in [*self._turned(wall), *self._due(wall)]:
            await self._say(reached)

    def _is_news(self, clock: ReportClock, monotonic: float) -> bool:
        known = self._told
        return known is None or known.synchronised != clock.synchronised or monotonic - self._told_at >= TOLD_EVERY

    def _turned(self, wall: int) -> Iterable[TimeReached]:
        """Yield the day and shift that began since the last look; a clock that goes back begins none."""
        if self._calendar is None:
            return
        now, before = self._calendar.at(wall), self._period
        if before and now <= before:
            return
        self._period = now
        if before is None or now.day > before.day:
            yield TimeReached(Due.GAMING_DAY, now.day)
        if now.shift:
            yield TimeReached(Due.SHIFT, now.shift)
