"""Bad lines for doubles: what electricity does to frames, by chance and from a seed."""

import asyncio
import random
import re

import msgspec

from tablectl.devices.contract import Link

_FRAME = re.compile(rb"\x00*[^\x00]+\x00*")


class Faults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How probably each frame, in each direction, suffers.

    drop: it is lost; duplicate: it comes twice; reorder: it comes after the next one; flip: one of its bits is turned
    over; split: it comes in two pieces.
    """

    drop: float = 0
    duplicate: float = 0
    reorder: float = 0
    flip: float = 0
    split: float = 0


class FaultyLine:
    """The device's end of a line that suffers faults in both directions."""

    def __init__(self, line: Link, faults: Faults, seed: int) -> None:
        self._line = line
        self._coming = _Weather(faults, seed)
        self._going = _Weather(faults, seed + 1)
        self._pieces: list[bytes] = []

    async def read(self) -> bytes:
        """Return the next piece of what got through."""
        while not self._pieces:
            self._pieces = self._coming.let(await self._line.read())
        return self._pieces.pop(0)

    async def write(self, data: bytes) -> None:
        """Send what gets through."""
        for piece in self._going.let(data):
            await self._line.write(piece)
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Close the line."""
        await self._line.close()


class _Weather:
    """What happens to frames in one direction."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self._faults = faults
        # Tests must be repeatable; nothing of a real table hangs on this.
        self._chance = random.Random(seed)  # noqa: S311
        self._late: list[bytes] = []

    def let(self, data: bytes) -> list[bytes]:
        """Return the pieces that arrive."""
        pieces = []
        for parcel in _FRAME.findall(data):
            if self._strikes(self._faults.drop):
                continue
            if self._strikes(self._faults.reorder):
                self._late.append(parcel)
                continue
            arrived = [parcel] * (1 + self._strikes(self._faults.duplicate)) + self._late
            self._late = []
            pieces += [piece for each in arrived for piece in self._pieces(each)]
        return pieces

    def _pieces(self, parcel: bytes) -> list[bytes]:
        if self._strikes(self._faults.flip):
            parcel = self._flipped(parcel)
        if self._strikes(self._faults.split):
            at = self._chance.randrange(len(parcel))
            return [piece for piece in (parcel[:at], parcel[at:]) if piece]
        return [parcel]

    def _flipped(self, parcel: bytes) -> bytes:
        at, bit = self._chance.randrange(len(parcel)), self._chance.randrange(8)
        return parcel[:at] + bytes([parcel[at] ^ 1 << bit]) + parcel[at + 1 :]

    def _strikes(self, probability: float) -> bool:
        return self._chance.random() < probability
