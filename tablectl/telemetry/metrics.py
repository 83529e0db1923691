"""Figures in the text form of Prometheus, on a local port or in a file; off unless the table file asks for them.

The form: https://prometheus.io/docs/instrumenting/exposition_formats/.
"""

import asyncio
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of a histogram's buckets, in seconds."""
FILE_PACE = 10.0
"""Seconds between two files."""
LAG_PACE = 0.25
"""Seconds between two looks at how late the event loop is."""

_PATIENCE = 5.0  # seconds that a caller has for its request
_LONGEST = 4096  # bytes of a request
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Sample(msgspec.Struct, frozen=True):
    """One figure. kind: ``counter``, ``gauge`` or ``histogram``; suffix: of the name within a histogram."""

    name: str
    text: str
    kind: str
    value: float
    labels: tuple[tuple[str, str], ...] = ()
    suffix: str = ""


class Histogram:
    """How often something took how long."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.sum = 0.0
        self._counts = [0] * (len(BOUNDS) + 1)

    def add(self, seconds: float) -> None:
        """Count one."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds

    def samples(self) -> Iterator[Sample]:
        """Yield its buckets, each with all below it, its sum and its count."""
        total = 0
        for bound, count in zip((*BOUNDS, "+Inf"), self._counts, strict=True):
            total += count
            yield self._sample(total, "_bucket", (("le", str(bound)),))
        yield self._sample(self.sum, "_sum")
        yield self._sample(total, "_count")

    def _sample(self, value: float, suffix: str, labels: tuple[tuple[str, str], ...] = ()) -> Sample:
        return Sample(self.name, self.text, "histogram", value, labels, suffix)


def exposed(samples: Iterable[Sample], **labels: str) -> str:
    """Write samples as Prometheus reads them, those of one name together. labels: of every one."""
    families: dict[str, list[Sample]] = {}
    for sample in samples:
        families.setdefault(sample.name, []).append(sample)
    return "".join(line for family in families.values() for line in _family(family, tuple(labels.items())))


def _family(family: list[Sample], common: tuple[tuple[str, str], ...]) -> Iterator[str]:
    first = family[0]
    yield f"# HELP {first.name} {first.text}\n# TYPE {first.name} {first.kind}\n"
    for sample in family:
        labels = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in (*common, *sample.labels))
        yield f"{sample.name}{sample.suffix}{{{labels}}} {sample.value:.15g}\n"


async def watch_lag(lag: Histogram) -> None:
    """Measure how late the event loop is, until cancelled."""
    clock = asyncio.get_running_loop().time
    while True:
        due = clock() + LAG_PACE
        await asyncio.sleep(LAG_PACE)
        lag.add(max(0.0, clock() - due))


async def keep_file(path: Path, text: Callable[[], str]) -> None:
    """Write the figures to a file, whole each time, until cancelled; for the text file collector of a node exporter.

    Raises:
        OSError: it cannot be written.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    while True:
        fresh.write_text(text(), encoding="utf-8")
        fresh.replace(path)
        await asyncio.sleep(FILE_PACE)


async def serve(host: str, port: int, text: Callable[[], str]) -> asyncio.Server:
    """Answer ``GET /metrics``.

    Raises:
        OSError: the port cannot be had.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_PATIENCE):
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(_response(request, text))
                await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, host, port, limit=_LONGEST)


def _response(request: bytes, text: Callable[[], str]) -> bytes:
    if not request.startswith((b"GET /metrics ", b"GET /metrics?")):
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    body = text().encode()
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
