"""Serial ports, ``serial:/dev/serial/by-path/...?baud=115200``: pyserial opens and configures, the event loop reads."""

import contextlib
import errno
import fcntl
import grp
import os
import pwd
import select
import stat
import termios
from pathlib import Path
from typing import Literal

import msgspec
import serial

from tablectl.devices.contract import Loss
from tablectl.devices.descriptor import DescriptorLink
from tablectl.devices.link import Url
from tablectl.devices.ports import alike
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
_SPEEDS = {code: int(name[1:]) for name, code in vars(termios).items() if name.startswith("B") and name[1:].isdecimal()}


class SerialOptions(msgspec.Struct, forbid_unknown_fields=True):
    """How the line is set: always eight bits. baud: bits a second; stop: stop bits; rtscts: flow control by wires.

    Raises:
        ValueError: software flow control, or stop bits that there are not.
    """

    baud: int = 115200
    parity: Literal["N", "E", "O"] = "N"
    stop: int = 1
    rtscts: bool = False
    xonxoff: bool = False

    def __post_init__(self) -> None:
        if self.xonxoff:
            raise ValueError("xonxoff: software flow control eats bytes of frames; turn it off at the device too")
        if self.stop not in (1, 2):
            raise ValueError(f"stop: a line has 1 or 2 stop bits, not {self.stop}")

    def __str__(self) -> str:
        return f"{self.baud} 8{self.parity}{self.stop}{' rtscts' if self.rtscts else ''}"


async def open_serial(url: Url) -> "SerialLink":
    """Open a port for ourselves alone.

    Raises:
        ConfigError: an option that a port does not have.
        LinkLost: ``missing``, ``permission`` (says node, owner and mode), ``port-busy``, ``same-device`` (this process
            has it open), ``ambiguous`` (the name fits two adapters) or ``unusable`` (it cannot be set as asked).
    """
    options = url.options(SerialOptions)
    if others := alike(Path(url.place)):
        text = f"{url.place}: adapters without a serial number cannot be told apart by it; name the port by its path"
        raise LinkLost(Loss.AMBIGUOUS, f"{text}: {' or '.join(others)}")
    try:
        port = _opened(url.place, options)
    except (OSError, ValueError, termios.error) as error:
        raise _refusal(url.place, error) from error
    try:
        _claim(port.fileno())
        return SerialLink(port, Path(url.place), str(options))
    except (OSError, termios.error, LinkLost) as error:
        _release(port)
        raise _refusal(url.place, error) from error


def _opened(place: str, options: SerialOptions) -> serial.Serial:
    return serial.Serial(
        place,
        options.baud,
        parity=options.parity,
        stopbits=options.stop,
        rtscts=options.rtscts,
        timeout=0,
        exclusive=True,
    )


_OURS: set[int] = set()
"""The device numbers of the ports that links of this process hold: whoever finds one of these taken is a second entry
for the same device, whatever else has it open.
"""


class SerialLink(DescriptorLink):
    """An open port. asked: how it was to be set.

    Raises:
        LinkLost: it is set otherwise.
    """

    def __init__(self, port: serial.Serial, path: Path, asked: str) -> None:
        self._path = path
        self._node = os.fstat(port.fileno()).st_rdev
        self.settings = settings(port.fileno(), asked)
        if self.settings != asked:
            raise LinkLost(Loss.UNUSABLE, f"{path}: asked for {asked}, the port is set to {self.settings}")
        super().__init__(port.fileno(), str(path), lambda: self._give_back(port))
        _OURS.add(self._node)

    def _give_back(self, port: serial.Serial) -> None:
        _OURS.discard(self._node)
        _release(port)

    def doubt(self) -> LinkLost | None:
        """Find who else reads the port: ready without data means that another reader was faster, or a hang-up.

        Which of the two a read cannot tell: another program may have set the line so that it says a hang-up for both.
        """
        with contextlib.suppress(OSError):
            if self._path.stat().st_rdev == self._node:
                return shared(str(self._path))
        return None

    def trouble(self) -> LinkLost | None:
        """Find out whether the name leads elsewhere now, or another program has set the line anew.

        A port that hung up tells that itself, and first: it was unplugged, whoever has its name by now.
        """
        if self._lost or _hung_up(self._descriptor):
            return None
        with contextlib.suppress(OSError, termios.error):
            node = self._path.stat().st_rdev
            if node != self._node:
                was, now = (f"{os.major(each)}:{os.minor(each)}" for each in (self._node, node))
                return LinkLost(Loss.RENUMBERED, f"{self._path} is node {now} now, open is {was}")
            if (found := settings(self._descriptor, self.settings)) != self.settings:
                text = f"{self._path}: another program has set the line to {found}, it was {self.settings}"
                return LinkLost(Loss.PORT_SHARED, text)
        return None


def _hung_up(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, 0)
    return bool(poll.poll(0))


def settings(descriptor: int, asked: str) -> str:
    """Read back how a line is set: ``115200 8N1``. asked: to take the speed from that the system has no name for."""
    iflag, _, cflag, _, _, speed, _ = termios.tcgetattr(descriptor)
    baud = _SPEEDS.get(speed, asked.partition(" ")[0])
    parity = ("O" if cflag & termios.PARODD else "E") if cflag & termios.PARENB else "N"
    bits = 8 if cflag & termios.CSIZE == termios.CS8 else 7
    stop = 2 if cflag & termios.CSTOPB else 1
    flow = " rtscts" if cflag & termios.CRTSCTS else ""
    flow += " xonxoff" if iflag & (termios.IXON | termios.IXOFF) else ""
    return f"{baud} {bits}{parity}{stop}{flow}"


def _claim(descriptor: int) -> None:
    """Keep later openers out, and let a read without data say so: VMIN 0 would make it look like a hang-up.

    The wires stay as they are when we close, or each stop of the daemon would reset a board that resets by DTR.
    """
    fcntl.ioctl(descriptor, termios.TIOCEXCL)
    settings = termios.tcgetattr(descriptor)
    settings[2] &= ~termios.HUPCL
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
    if isinstance(error, LinkLost):
        return error
    code = getattr(error, "errno", None) or (error.args[0] if error.args else None)
    if not isinstance(code, int):
        return LinkLost(Loss.UNUSABLE, f"{node}: {error}")
    reason, text = _REASONS.get(code, Loss.UNUSABLE), os.strerror(code)
    match reason:
        case Loss.PERMISSION:
            return LinkLost(reason, f"{node}: {text}; {ownership(node)}")
        case Loss.PORT_BUSY:
            return _holder(node)
    return LinkLost(reason, f"{node}: {text}")


def _holder(node: str) -> LinkLost:
    """Tell who holds a port, as far as we may see."""
    if _number(node) in _OURS:
        return LinkLost(Loss.SAME_DEVICE, f"{node}: open already, another device of this table is the same port")
    named = _processes(openers(node) - {os.getpid()}) or "that we may not see"
    return LinkLost(Loss.PORT_BUSY, f"{node}: held by process {named}")


def _number(node: str) -> int:
    try:
        return Path(node).stat().st_rdev
    except OSError:
        return 0


def ownership(node: str) -> str:
    """Say who may open a node: ``/dev/ttyUSB0 is crw-rw---- root:plugdev``."""
    try:
        status = Path(node).stat()
    except OSError as error:
        return f"the owner of {node} cannot be read ({error.strerror})"
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
    return LinkLost(Loss.PORT_SHARED, f"{node}: also read by process {_processes(others)}")


def _processes(numbers: set[int]) -> str:
    return ", ".join(f"{number} ({_program(number)})" for number in sorted(numbers))


def _program(number: int) -> str:
    try:
        return Path(f"/proc/{number}/comm").read_text(errors="replace").strip()
    except OSError:
        return "gone"


def openers(node: str) -> set[int]:
    """Return the processes that hold a device node open, as far as we may see."""
    device = Path(node).stat().st_rdev
    return {int(entry.parts[2]) for entry in Path("/proc").glob("[0-9]*/fd/*") if _device(entry) == device}


def _device(entry: Path) -> int:
    try:
        return entry.stat().st_rdev
    except OSError:
        return 0
