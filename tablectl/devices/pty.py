"""A pseudo-terminal that stands for a serial port: a double sits at its master, any host opens its slave."""

import contextlib
import os
import tty
from pathlib import Path

from tablectl.devices.descriptor import DescriptorLink
from tablectl.devices.link import Cable
from tablectl.errors import ConfigError, LinkLost


class _Master(DescriptorLink):
    """Like a device on a wire it never waits for the host: what is not read in time is lost."""

    async def write(self, data: bytes) -> None:
        if self._lost:
            raise self._lost
        with contextlib.suppress(BlockingIOError):
            os.write(self._descriptor, data)


class PtyLine(Cable):
    """The device's end, which stays while hosts come and go. path: a link to the host's end.

    Raises:
        ConfigError: something else than such a link is at path, or it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._master = _open(path)
        self._closed = False

    async def read(self) -> bytes:
        """Return what the host sends."""
        while True:
            master = self._master
            try:
                return await master.read()
            except LinkLost:
                if self._closed or master is self._master:
                    raise

    async def write(self, data: bytes) -> None:
        """Send what the line takes now."""
        await self._master.write(data)

    async def hang_up(self) -> None:
        """Pull the cable out and plug it in again, as another node behind the same path."""
        if not self._closed:
            before, self._master = self._master, _open(self._path)
            await before.close()

    async def fail(self) -> None:
        """Hang up: a terminal knows no other failure."""
        await self.hang_up()

    async def close(self) -> None:
        """Unplug for good."""
        self._closed = True
        await self._master.close()


def open_pty(path: Path) -> PtyLine:
    """Make path a link to a new pseudo-terminal.

    Raises:
        ConfigError: something else than such a link is at path, or it cannot be made.
    """
    return PtyLine(path)


def _open(path: Path) -> _Master:
    if path.exists() and not path.is_symlink():
        raise ConfigError(f"{path} is there already and is no link to a terminal")
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    try:
        _point(path, os.ttyname(slave))
    except OSError as error:
        os.close(master)
        os.close(slave)
        raise ConfigError(f"{path} cannot be made: {error.strerror}") from error
    # The slave is kept open here: a master whose slave nobody has open reads errors instead of nothing.
    return _Master(master, str(path), lambda: _remove(master, slave, path))


def _point(path: Path, node: str) -> None:
    """Make path a link to node in one step, so that nobody finds it missing."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(node)
    fresh.replace(path)


def _remove(master: int, slave: int, path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.readlink() == Path(os.ttyname(slave)):
            path.unlink()
    os.close(slave)
    os.close(master)
