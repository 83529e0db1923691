"""Traces: what passed over a link, kept in a file and played back to a driver, ``trace:FILE``.

A trace is lines of text: a header of ``# name: value``, then one line for each piece of bytes, with the seconds since
the link was opened, ``<`` from the device or ``>`` from the host, and the bytes in hex. ``!`` is how the link ended::

    # tablectl trace 1
    # driver: otdp-shoe
    # nonce: 305419896
    0.000000 > 000c010101123456...
    0.004211 < 000e810112345678...
    9.120000 ! unplugged
"""

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self, TextIO

import msgspec

from tablectl.devices.contract import Link, Loss
from tablectl.devices.link import Cable, Url
from tablectl.errors import ConfigError, LinkLost

TITLE = "# tablectl trace 1"
PATIENCE = 0.1
"""Seconds for which the player waits until the host says something that it said in the recording."""
_LINE = re.compile(r"(\d+(?:\.\d+)?) ([<>!]) (\S.*)")


class Piece(msgspec.Struct, frozen=True):
    """What passed at once. at: seconds since the link was opened; way: ``<`` from the device, ``>`` from the host."""

    at: float
    way: str
    data: bytes

    def __str__(self) -> str:
        return f"{self.at:.6f} {self.way} {self.data.hex()}"


class Trace(msgspec.Struct, frozen=True):
    """A recording. about: its header; end: how the link was lost, empty where the recording just stops."""

    about: dict[str, str]
    pieces: tuple[Piece, ...]
    end: str = ""

    @property
    def nonce(self) -> int:
        """Return the nonce of the connection that was recorded."""
        return int(self.about.get("nonce", "1"))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            ConfigError: it is no trace; says the line.
        """
        try:
            lines = path.read_text().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} is no trace: {error}") from error
        if not lines or lines[0] != TITLE:
            raise ConfigError(f"{path} is no trace: its first line is not {TITLE!r}")
        about = {name.strip(): value.strip() for name, _, value in (line[1:].partition(":") for line in _said(lines))}
        if not about.get("nonce", "1").isdecimal():
            raise ConfigError(f"{path}: the nonce is a number, not {about['nonce']!r}")
        return cls(about, *_passed(path, lines))


def _said(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.startswith("#") and ":" in line]


def _passed(path: Path, lines: list[str]) -> tuple[tuple[Piece, ...], str]:
    pieces, end = [], ""
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match and match[2] == "!":
            end = match[3]
            continue
        try:
            if match is None:
                raise ValueError("awaited seconds, < or > or !, and bytes in hex")  # noqa: TRY301 - one place to refuse
            pieces.append(Piece(float(match[1]), match[2], bytes.fromhex(match[3])))
        except ValueError as error:
            raise ConfigError(f"{path}:{number}: {line[:60]!r} is no line of a trace: {error}") from error
    return tuple(pieces), end


class TraceLink(Cable):
    """Plays the device's side of a trace to a driver.

    What the device said comes when the host has spoken as often as it had in the recording, or soon after: a driver of
    today need not say every word of the recording. pace: how fast time passes, infinite for no waiting.
    """

    def __init__(self, trace: Trace, pace: float = float("inf")) -> None:
        super().__init__()
        self.nonce = trace.nonce
        self._trace = trace
        self._rest = list(trace.pieces)
        self._pace = pace
        self._began = asyncio.get_running_loop().time()
        self._heard = asyncio.Semaphore(0)
        self._lost: LinkLost | None = None
        self._closed = asyncio.Event()

    async def read(self) -> bytes:
        """Return the next piece from the device."""
        while self._rest and not self._lost:
            piece = self._rest.pop(0)
            if piece.way == "<":
                await self._until(piece.at)
                return piece.data
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self._heard.acquire()
        if not self._lost:
            reason, _, text = self._trace.end.partition(" ")
            self._lost = LinkLost(reason or Loss.UNPLUGGED, text or "the trace ends here")
        raise self._lost

    async def write(self, data: bytes) -> None:  # noqa: ARG002 - see there
        """Take note that the host has spoken; whatever it says cannot change the past."""
        if self._lost:
            raise self._lost
        self._heard.release()
        await asyncio.sleep(0)

    async def close(self) -> None:
        """End the playing."""
        self._lost = self._lost or LinkLost(Loss.CLOSED)
        self._closed.set()

    async def _until(self, at: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(self._began + at / self._pace):
                await self._closed.wait()
        if self._closed.is_set():
            raise self._lost or LinkLost(Loss.CLOSED)


class TraceOptions(msgspec.Struct, forbid_unknown_fields=True):
    """speed: how many times faster than it was recorded, ``max`` without waiting."""

    speed: str = "1"

    def __post_init__(self) -> None:
        if not self.pace > 0:
            raise ValueError(f"speed is a number above 0, or max, not {self.speed!r}")

    @property
    def pace(self) -> float:
        """Return the speed as a number, which for ``max`` is infinite."""
        return float("inf") if self.speed == "max" else float(self.speed)


async def open_trace(url: Url) -> TraceLink:
    """Play a trace from its beginning.

    Raises:
        ConfigError: there is no such trace, or an option that there is not.
    """
    return TraceLink(Trace.read(Path(url.place)), url.options(TraceOptions).pace)


class Recorder(Cable):
    """A link that tells of every piece that passes over another. ended: set when that one is lost; end: how."""

    def __init__(self, link: Link, tell: Callable[[Piece], None]) -> None:
        super().__init__()
        self.nonce, self.settings = link.nonce, link.settings
        self.ended = asyncio.Event()
        self.end = ""
        self._link = link
        self._tell = tell
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()

    async def read(self) -> bytes:
        """Read from the other link."""
        try:
            data = await self._link.read()
        except LinkLost as lost:
            self.end = self.end or f"{self._since():.6f} ! {lost.reason} {lost}"
            self.ended.set()
            raise
        self._tell(Piece(self._since(), "<", data))
        return data

    async def write(self, data: bytes) -> None:
        """Write to the other link."""
        self._tell(Piece(self._since(), ">", data))
        await self._link.write(data)

    async def close(self) -> None:
        """Close the other link."""
        await self._link.close()

    def trouble(self) -> LinkLost | None:
        """Ask the other link."""
        return self._link.trouble()

    def _since(self) -> float:
        return self._clock() - self._began


def begin(file: TextIO, about: dict[str, str]) -> None:
    """Write the header of a trace."""
    file.write("".join(f"{line}\n" for line in (TITLE, *(f"# {name}: {value}" for name, value in about.items()))))
