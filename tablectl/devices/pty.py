"""A pseudo-terminal that stands for a serial port: a double sits at its master, any host opens its slave."""

import contextlib
import os
import tty
from pathlib import Path

from tablectl.devices.descriptor import DescriptorLink
from tablectl.errors import ConfigError


class PtyLine(DescriptorLink):
    """The device's end. Like a device on a wire it never waits for the host: what is not read in time is lost."""

    def __init__(self, master: int, slave: int, path: Path) -> None:
        self._master = master
        super().__init__(master, str(path), lambda: _remove(master, slave, path))

    async def write(self, data: bytes) -> None:
        """Send what the line takes now."""
        if self._lost:
            raise self._lost
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)


def open_pty(path: Path) -> PtyLine:
    """Make path a link to a new pseudo-terminal, which stays while hosts come and go.

    Raises:
        ConfigError: something else than such a link is at path, or it cannot be made.
    """
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
    return PtyLine(master, slave, path)


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
