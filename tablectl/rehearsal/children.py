"""The processes of a rehearsal: all are started by it, and none outlives it."""

import asyncio
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

from tablectl.errors import TablectlError

PATIENCE = 5.0
"""Seconds that a process has to end in order."""
TAIL = 15
"""Lines of a log that are shown when its process broke down."""


class Fallen(TablectlError):  # noqa: N818 - what happened
    """A process of the rehearsal ended before the rehearsal did; tells how, and the end of its log."""


class Child:
    """One process. name: what people call it; log: where it writes."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: Path) -> None:
        self.name, self.process, self.log = name, process, log

    async def watch(self) -> None:
        """Watch until it ends, which it should not.

        Raises:
            Fallen: it ended.
        """
        status = await self.process.wait()
        raise Fallen(f"{self.name} ended {_how(status)}; its last words:\n{self._tail() or '  nothing'}")

    async def stop(self) -> None:
        """End it in order, or else at once.

        Raises:
            Fallen: it did not end in order.
        """
        if self.process.returncode is None:
            self.process.terminate()
        try:
            async with asyncio.timeout(PATIENCE):
                status = await self.process.wait()
        except TimeoutError:
            self.kill()
            await self.process.wait()
            raise Fallen(f"{self.name} did not end in {PATIENCE:g} s; its last words:\n{self._tail()}") from None
        if status not in (0, -signal.SIGTERM):
            raise Fallen(f"{self.name} ended {_how(status)}; its last words:\n{self._tail()}")

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            self.process.kill()

    def _tail(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL:]
        return "\n".join(f"  {line}" for line in lines)


class Children:
    """Starts processes, and ends them in the opposite order when left. folder: where their logs are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.all: list[Child] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        fallen = [error for child in reversed(self.all) if (error := await _ended(child))]
        if fallen and kind is None:
            raise fallen[0]

    async def start(self, name: str, *command: str) -> Child:
        """Start a process in a session of its own: a Ctrl-C is for us alone."""
        log = self._folder / f"{name}.log"
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *_bound_to_us(),
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        child = Child(name, process, log)
        self.all.append(child)
        return child

    async def tablectl(self, name: str, *words: str) -> Child:
        """Start one of our own commands."""
        return await self.start(name, sys.executable, "-m", "tablectl", *words)


async def _ended(child: Child) -> Fallen | None:
    try:
        await child.stop()
    except Fallen as fallen:
        return fallen
    except asyncio.CancelledError:
        child.kill()
        raise
    return None


def _bound_to_us() -> tuple[str, ...]:
    """Return what has the system end a process when we are killed, where the system has that."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", "--") if setpriv else ()


def _how(status: int) -> str:
    return f"with status {status}" if status >= 0 else f"by {signal.Signals(-status).name}"
