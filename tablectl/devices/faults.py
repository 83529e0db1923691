"""Bad lines and bad days for doubles: what electricity does to frames by chance, and what befalls a device when.

All chance comes from a seed. A plan is a TOML file::

    drop = 0.01
    [[fault]]
    at = 2.5           # seconds after the double began
    what = "silence"
    lasts = 6
"""

import asyncio
import math
import random
import re
import tomllib
from collections import deque
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol, Self

import msgspec
from msgspec import Meta

from tablectl.devices.contract import Link
from tablectl.devices.link import Cable
from tablectl.errors import ConfigError

_FRAME = re.compile(rb"\x00?[^\x00]+\x00?|\x00+")
_REMEMBERED = 64
MODEM = b"AT\rATE0Q0V1\rAT+GCAP\r"
"""What a modem manager says to whatever is plugged in."""


Probability = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0)]


class Chances(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How probably each frame, in each direction, suffers.

    drop: it is lost; duplicate: it comes twice; reorder: it comes after the next one; flip: one of its bits is turned
    over; split: it comes in two pieces; bytewise: it comes byte by byte. delay: the most seconds that a piece is late.
    """

    drop: Probability = 0
    duplicate: Probability = 0
    reorder: Probability = 0
    flip: Probability = 0
    split: Probability = 0
    bytewise: Probability = 0
    delay: Seconds = 0


class What(StrEnum):
    """What can befall a device and its line. Whatever else is planned is done to the machine itself: ``jam``."""

    GARBAGE = "garbage"
    """The host hears noise: ``size`` bytes."""
    MODEM = "modem"
    """A modem manager speaks to the device."""
    SILENCE = "silence"
    """Nothing gets through while it lasts."""
    STUCK = "stuck"
    """The device reads nothing while it lasts."""
    HALF_WRITE = "half-write"
    """The device's next frame ends in its middle."""
    REPLAY = "replay"
    """The device says again what it said before: ``size`` frames."""
    EOF = "eof"
    """The cable is pulled and plugged in again."""
    EIO = "eio"
    """The cable fails as USB adapters do: with an error instead of an end."""
    RESET = "reset"
    """Power fails and returns."""
    FORGET = "forget"
    """The same, and the memory is lost: another epoch begins."""
    CLOCK_STEP = "clock-step"
    """The device's clock jumps ahead by ``lasts`` seconds."""


class Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that happens. at: seconds after the double began; lasts: seconds; every: again after so many seconds,
    0 for once; what: a :class:`What`, or what people can do to the machine.
    """

    at: Seconds
    what: str
    lasts: Seconds = 0
    every: Seconds = 0
    size: Annotated[int, Meta(ge=1)] = 64


class Plan(Chances, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan of faults. seed: of its chance, that of the double where it is None."""

    seed: int | None = None
    fault: tuple[Fault, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a plan.

        Raises:
            ConfigError: it cannot be read, or plans what cannot happen.
        """
        try:
            return msgspec.convert(tomllib.loads(path.read_text()), cls)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, msgspec.ValidationError) as error:
            raise ConfigError(f"{path} is no plan of faults: {error}") from error


class Schedule:
    """What is planned and when. now: when the double began; ahead: seconds by which its clock has been set ahead."""

    def __init__(self, plan: Plan, now: float) -> None:
        self.ahead = 0.0
        self._coming = [(now + fault.at, fault) for fault in plan.fault]

    def next(self) -> float | None:
        """Return when the next is due."""
        return min((when for when, _ in self._coming), default=None)

    def due(self, now: float) -> list[Fault]:
        """Return, in order, what is due until now."""
        due = sorted((each for each in self._coming if each[0] <= now), key=lambda each: each[0])
        self._coming = [each for each in self._coming if each[0] > now]
        self._coming += [(when + fault.every, fault) for when, fault in due if fault.every]
        return [fault for _, fault in due]


class Line(Link, Protocol):
    """The device's end of a line."""

    async def hang_up(self) -> None:
        """Pull the cable out and plug it in again."""
        ...

    async def fail(self) -> None:
        """Let the host's next call fail."""
        ...


class FaultyLine(Cable):
    """The device's end of a line that suffers faults in both directions."""

    def __init__(self, line: Line, chances: Chances, seed: int) -> None:
        super().__init__()
        self._line = line
        self._coming = _Weather(chances, seed)
        self._going = _Weather(chances, seed + 1)
        self._clock = asyncio.get_running_loop().time
        self._pieces: list[bytes] = []
        self._said: deque[bytes] = deque(maxlen=_REMEMBERED)
        self._muted = self._stuck = -math.inf
        self._halves = 0

    async def read(self) -> bytes:
        """Return the next piece of what got through."""
        while not self._pieces:
            await self._until(self._stuck)
            data = await self._line.read()
            if self._clock() >= self._muted:
                self._pieces += self._coming.let(data)
        await self._coming.linger()
        return self._pieces.pop(0)

    async def write(self, data: bytes) -> None:
        """Send what gets through."""
        if self._clock() < self._muted:
            return
        self._said.append(data)
        if self._halves:
            self._halves -= 1
            data = data[: len(data) // 2]
        for piece in self._going.let(data):
            await self._going.linger()
            await self._line.write(piece)

    async def close(self) -> None:
        """Close the line."""
        await self._line.close()

    async def befall(self, fault: Fault) -> bool:
        """Let a fault happen if it is one of the line."""
        match fault.what:
            case What.GARBAGE:
                await self._line.write(self._going.noise(fault.size))
            case What.MODEM:
                self._pieces.append(MODEM)
            case What.SILENCE:
                self._muted = self._clock() + fault.lasts
            case What.STUCK:
                self._stuck = self._clock() + fault.lasts
            case What.HALF_WRITE:
                self._halves += 1
            case What.REPLAY:
                await self._line.write(b"".join(list(self._said)[-fault.size :]))
            case What.EOF:
                await self._line.hang_up()
            case What.EIO:
                await self._line.fail()
            case _:
                return False
        return True

    async def _until(self, when: float) -> None:
        if (left := when - self._clock()) > 0:
            await asyncio.sleep(left)


class _Weather:
    """What happens to frames in one direction."""

    def __init__(self, chances: Chances, seed: int) -> None:
        self._chances = chances
        # Tests must be repeatable; nothing of a real table hangs on this.
        self._chance = random.Random(seed)  # noqa: S311
        self._late: list[bytes] = []

    def let(self, data: bytes) -> list[bytes]:
        """Return the pieces that arrive."""
        pieces = []
        for parcel in _FRAME.findall(data):
            if self._strikes(self._chances.drop):
                continue
            if self._strikes(self._chances.reorder):
                self._late.append(parcel)
                continue
            arrived = [parcel] * (1 + self._strikes(self._chances.duplicate)) + self._late
            self._late = []
            pieces += [piece for each in arrived for piece in self._pieces(each)]
        return pieces

    async def linger(self) -> None:
        """Wait for as long as the next piece is late; in fair weather not even for a turn of the loop."""
        if self._chances.delay:
            await asyncio.sleep(self._chance.uniform(0, self._chances.delay))

    def noise(self, size: int) -> bytes:
        """Return what a loose contact says."""
        return self._chance.randbytes(size)

    def _pieces(self, parcel: bytes) -> list[bytes]:
        if self._strikes(self._chances.flip):
            parcel = self._flipped(parcel)
        if self._strikes(self._chances.bytewise):
            return [bytes([byte]) for byte in parcel]
        if self._strikes(self._chances.split):
            at = self._chance.randrange(len(parcel))
            return [piece for piece in (parcel[:at], parcel[at:]) if piece]
        return [parcel]

    def _flipped(self, parcel: bytes) -> bytes:
        at, bit = self._chance.randrange(len(parcel)), self._chance.randrange(8)
        return parcel[:at] + bytes([parcel[at] ^ 1 << bit]) + parcel[at + 1 :]

    def _strikes(self, probability: float) -> bool:
        return self._chance.random() < probability
