"""Links that misbehave on purpose, put between a driver and a sound device."""

import asyncio

from tablectl.devices.contract import Link
from tablectl.devices.faults import MODEM
from tablectl.devices.link import Cable
from tablectl.errors import LinkLost

NOISE = bytes(range(255, 191, -1)) + MODEM

BYTE = 0.001
"""Seconds of one byte, at about 9600 baud."""


class Through(Cable):
    """Passes everything on."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.nonce, self.settings = link.nonce, link.settings
        self.link = link

    async def read(self) -> bytes:
        """Read from the link."""
        return await self.link.read()

    async def write(self, data: bytes) -> None:
        """Write to the link."""
        await self.link.write(data)

    async def close(self) -> None:
        """Close the link."""
        await self.link.close()

    def trouble(self) -> LinkLost | None:
        """Ask the link."""
        return self.link.trouble()


class Noisy(Through):
    """What the host says first comes after noise and the words of a modem manager."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._noise = NOISE

    async def write(self, data: bytes) -> None:
        """Write, the first time after noise."""
        noise, self._noise = self._noise, b""
        if noise:
            await self.link.write(noise)
        await self.link.write(data)


class Bytewise(Through):
    """Every byte travels alone, as at a low speed."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._turn = asyncio.Lock()

    async def write(self, data: bytes) -> None:
        """Write byte by byte."""
        async with self._turn:
            for byte in data:
                await self.link.write(bytes([byte]))
                await asyncio.sleep(BYTE)


class Twice(Through):
    """Every frame of the host arrives twice."""

    async def write(self, data: bytes) -> None:
        """Write twice."""
        await self.link.write(data)
        await self.link.write(data)


class Deaf(Through):
    """deaf: the first piece that the device says after each frame of the host is lost, but for repeated frames."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self.deaf = False
        self._known: set[bytes] = set()
        self._losing = False

    async def write(self, data: bytes) -> None:
        """Write, and lose what comes next."""
        self._losing = self.deaf and data not in self._known
        self._known.add(data)
        await self.link.write(data)

    async def read(self) -> bytes:
        """Read what is not lost."""
        data = await self.link.read()
        while self._losing:
            self._losing = False
            data = await self.link.read()
        return data
