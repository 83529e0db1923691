"""Serial ports, ``serial:/dev/serial/by-path/...?baud=115200``: pyserial opens and configures, the event loop reads."""

import contextlib
import errno
import fcntl
import grp
import os
import pwd
import stat
import termios
from pathlib import Path

import msgspec
import serial

from tablectl.devices.contract import Loss
from tablectl.devices.descriptor import DescriptorLink
from tablectl.devices.link import Url
from tablectl.errors import LinkLost

_REASONS = {
    errno.ENOENT: Loss.MISSING,
    errno.ENXIO: Loss.MISSING,
    errno.ENODEV: Loss.MISSING,
    errno.EACCES: Loss.PERMISSION,
    errno.EPERM: Loss.PERMISSION,
    errno.EBUSY: Loss.PORT_BUSY,
    errno.EWOULDBLOCK: Loss.PORT_BUSY,
}
_VMIN, _VTIME = termios.VMIN, termios.VTIME


class SerialOptions(msgspec.Struct, forbid_unknown_fields=True):
    """How the line is set: always eight bits, no parity, one stop bit, no flow control. baud: bits a second."""

    baud: int = 115200


async def open_serial(url: Url) -> DescriptorLink:
    """Open a port for ourselves alone.

    Raises:
        ConfigError: an option that a port does not have.
        LinkLost: ``missing``, ``permission`` (says node, owner and mode) or ``port-busy``.
    """
    options = url.options(SerialOptions)
    try:
        port = serial.Serial(url.place, options.baud, timeout=0, exclusive=True)
    except (OSError, ValueError, termios.error) as error:
        raise _refusal(url.place, error) from error
    try:
        _claim(port.fileno())
    except (OSError, termios.error) as error:
        port.close()
        raise _refusal(url.place, error) from error
    return DescriptorLink(port.fileno(), url.place, lambda: _release(port), lambda: shared(url.place))


def _claim(descriptor: int) -> None:
    """Keep later openers out, and let a read without data say so: VMIN 0 would make it look like a hang-up."""
    fcntl.ioctl(descriptor, termios.TIOCEXCL)
    settings = termios.tcgetattr(descriptor)
    settings[6][_VMIN], settings[6][_VTIME] = 1, 0
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)


def _release(port: serial.Serial) -> None:
    """Close without waiting: what the peer never took is thrown away, or the kernel may wait 30 s for it."""
    # After a hang-up these calls fail, with termios.error too, which is no OSError.
    with contextlib.suppress(OSError, termios.error):
        termios.tcflush(port.fileno(), termios.TCOFLUSH)
        fcntl.ioctl(port.fileno(), termios.TIOCNXCL)
    with contextlib.suppress(OSError):
        port.close()


def _refusal(node: str, error: Exception) -> LinkLost:
    code = getattr(error, "errno", None) or (error.args[0] if error.args else None)
    reason = _REASONS.get(code, Loss.UNUSABLE) if isinstance(code, int) else Loss.UNUSABLE
    text = f"{node}: {error}"
    return LinkLost(reason, f"{text}; {_ownership(node)}" if reason is Loss.PERMISSION else text)


def _ownership(node: str) -> str:
    """Say who may open a node: ``/dev/ttyUSB0 is crw-rw---- root:plugdev``."""
    try:
        status = Path(node).stat()
    except OSError as error:
        return f"its owner cannot be read ({error.strerror})"
    return f"{node} is {stat.filemode(status.st_mode)} {_user(status.st_uid)}:{_group(status.st_gid)}"


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def shared(node: str) -> LinkLost | None:
    """Find who else reads the port: ready without data means that another reader was faster."""
    others = openers(node) - {os.getpid()}
    if not others:
        return None
    return LinkLost(Loss.PORT_SHARED, f"{node}: also read by process {', '.join(map(str, sorted(others)))}")


def openers(node: str) -> set[int]:
    """Return the processes that hold a device node open, as far as we may see."""
    device = Path(node).stat().st_rdev
    return {int(entry.parts[2]) for entry in Path("/proc").glob("[0-9]*/fd/*") if _device(entry) == device}


def _device(entry: Path) -> int:
    try:
        return entry.stat().st_rdev
    except OSError:
        return 0
