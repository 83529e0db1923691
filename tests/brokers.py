"""A real mosquitto for tests, and a TCP proxy that cuts, holds and resumes what runs through it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from getpass import getuser
from pathlib import Path

import pytest


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Mosquitto:
    """A mosquitto, without persistence unless ``extra`` asks for it: started again, it has forgotten everything."""

    def __init__(self, directory: Path, *extra: str) -> None:
        self.port = free_port()
        self._config = directory / "mosquitto.conf"
        lines = (f"listener {self.port} 127.0.0.1", "allow_anonymous true", "set_tcp_nodelay true", f"user {getuser()}")
        self._config.write_text("\n".join((*lines, *extra)) + "\n")
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        assert await self.starts(), "mosquitto does not start"

    async def starts(self) -> bool:
        """Start it, and tell whether it stays: with a store that it cannot read it does not."""
        silent = asyncio.subprocess.DEVNULL
        command = ("mosquitto", "-c", str(self._config))
        self._process = await asyncio.create_subprocess_exec(*command, stdout=silent, stderr=silent)
        async with asyncio.timeout(10):
            while self._process.returncode is None:
                with suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                    writer.close()
                    await writer.wait_closed()
                    return True
                await asyncio.sleep(0.01)  # a port that opens tells nobody
        self._process = None
        return False

    async def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None


@asynccontextmanager
async def running(directory: Path, *extra: str) -> AsyncIterator[Mosquitto]:
    broker = Mosquitto(directory, *extra)
    await broker.start()
    try:
        yield broker
    finally:
        await broker.kill()


@pytest.fixture
async def mosquitto(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with running(tmp_path) as broker:
        yield broker


class Proxy:
    """Stands before a broker. cut_after: bytes towards the broker after which the connection is cut, once."""

    def __init__(self, target: int) -> None:
        self.port = 0
        self.connections = 0
        self.cut_after: int | None = None
        self.target = target
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._links: set[asyncio.Task[None]] = set()

    def hold(self) -> None:
        """Pass nothing on, and close nothing: a peer that went silent."""
        self._flowing.clear()

    def resume(self) -> None:
        self._flowing.set()

    def cut(self) -> None:
        """Close every connection without a word."""
        for link in self._links:
            link.cancel()

    async def _link(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        self.connections += 1
        try:
            out_reader, out_writer = await asyncio.open_connection("127.0.0.1", self.target)
            with suppress(OSError, asyncio.CancelledError):
                pipes = (self._pipe(reader, out_writer, count=True), self._pipe(out_reader, writer, count=False))
                await asyncio.wait([asyncio.ensure_future(pipe) for pipe in pipes], return_when="FIRST_COMPLETED")
            out_writer.transport.abort()
        finally:
            writer.transport.abort()
            self._links.discard(task)

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, count: bool) -> None:
        while data := await reader.read(4096):
            await self._flowing.wait()
            if count and self.cut_after is not None:
                data, self.cut_after = data[: self.cut_after], self.cut_after - len(data)
                if self.cut_after <= 0:
                    writer.write(data)
                    self.cut_after = None
                    return
            writer.write(data)
            await writer.drain()


@asynccontextmanager
async def proxied(target: int) -> AsyncIterator[Proxy]:
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy._link, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
        while proxy._links:
            await asyncio.wait(list(proxy._links))
