"""Links: what their URLs say, and serial ports on real pseudo-terminals."""

import asyncio
import contextlib
import fcntl
import os
import resource
import select
import stat
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tablectl.devices.contract import Loss
from tablectl.devices.link import Pipe, Url, open_link
from tablectl.devices.pty import open_pty
from tablectl.devices.serial_port import openers, shared
from tablectl.errors import ConfigError, LinkLost


@pytest.fixture
def terminal() -> Iterator[tuple[int, str]]:
    """The device's end of a pseudo-terminal, and the path of the host's."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    yield master, os.ttyname(slave)
    os.close(slave)
    with contextlib.suppress(OSError):  # the test may have unplugged it
        os.close(master)


def permit(path: str, mode: int) -> str:
    """Set a node's mode and return it as ls shows it."""
    os.chmod(path, mode)  # noqa: PTH101 - beside os.stat
    return stat.filemode(os.stat(path).st_mode)  # noqa: PTH116 - beside os.chmod


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("bluetooth:shoe", "a link begins with one of double:, serial:, tcp:, trace:, usb:"),
        ("/dev/ttyUSB0", "did you mean 'serial:/dev/ttyUSB0'?"),
        ("serial:", "nothing stands behind 'serial:'"),
        ("serial:/dev/null?baud", "options are written"),
    ],
)
def test_a_url_that_cannot_be_right_is_refused(url: str, text: str) -> None:
    """A wrong URL says what is wrong with it and what there is."""
    with pytest.raises(ConfigError) as error:
        Url.parse(url)
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("serial:/dev/null?bauds=9600", "unknown field `bauds`; options are baud, parity, stop, rtscts, xonxoff"),
        ("serial:/dev/null?baud=fast", "Expected `int`"),
        ("serial:/dev/null?parity=M", "Invalid enum value 'M'"),
        ("serial:/dev/null?xonxoff=1", "software flow control eats bytes of frames"),
        ("serial:/dev/null?stop=3", "1 or 2 stop bits, not 3"),
        ("tcp:4001", "'4001' is no HOST:PORT"),
        ("tcp:localhost:4001?baud=9600", "unknown field `baud`"),
        ("trace:/nowhere", "/nowhere is no trace"),
        ("double:stack-shoe?speed=0", "speed is a number above 0"),
        ("double:stack-shoe?deck=51", "a deck is one of 48, 52, 53, 54"),
        ("double:toaster", "no double 'toaster' is installed; there are card-shoe, line-shaker, line-shoe"),
    ],
)
async def test_an_option_that_cannot_be_right_is_refused(url: str, text: str) -> None:
    """A wrong option says which, and what there is."""
    with pytest.raises(ConfigError) as error:
        await open_link(url)
    assert text in str(error.value)


async def test_bytes_pass_in_both_directions(terminal: tuple[int, str]) -> None:
    """What one end writes, the other reads, also every byte that a terminal might take for a command."""
    master, path = terminal
    link = await open_link(f"serial:{path}")
    everything = bytes(range(256))
    await link.write(everything)
    assert os.read(master, 1000) == everything
    os.write(master, everything)
    got = b""
    while len(got) < len(everything):
        got += await link.read()
    assert got == everything
    await link.close()


async def test_a_missing_port_is_missing(tmp_path: Path) -> None:
    """A node that is not there is told as missing, with its path."""
    with pytest.raises(LinkLost, match="nothing-here") as lost:
        await open_link(f"serial:{tmp_path / 'nothing-here'}")
    assert lost.value.reason == Loss.MISSING


async def test_a_node_that_is_no_port_is_unusable(tmp_path: Path) -> None:
    """A plain file is told as unusable."""
    (tmp_path / "file").touch()
    with pytest.raises(LinkLost) as lost:
        await open_link(f"serial:{tmp_path / 'file'}")
    assert lost.value.reason == Loss.UNUSABLE


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not")
async def test_a_forbidden_port_says_who_may(terminal: tuple[int, str]) -> None:
    """Permission denied names the node, its owner and its mode."""
    _, path = terminal
    mode = permit(path, 0o600)
    os.seteuid(65534)
    try:
        with pytest.raises(LinkLost) as lost:
            await open_link(f"serial:{path}")
    finally:
        os.seteuid(0)
    assert lost.value.reason == Loss.PERMISSION
    assert f"{path} is {mode} root:" in str(lost.value)


async def test_a_port_is_open_once(terminal: tuple[int, str]) -> None:
    """The second open is told that this process has the port, and the first loses no byte by it."""
    master, path = terminal
    link = await open_link(f"serial:{path}")
    os.write(master, b"before ")
    with pytest.raises(LinkLost) as lost:
        await open_link(f"serial:{path}")
    assert lost.value.reason == Loss.SAME_DEVICE
    os.write(master, b"after")
    got = b""
    while len(got) < len(b"before after"):
        got += await link.read()
    assert got == b"before after"
    await link.close()
    again = await open_link(f"serial:{path}")
    await again.close()


async def test_a_port_that_is_ours_is_called_so_whoever_else_has_it_open(terminal: tuple[int, str]) -> None:
    """Two entries lead to one port, and another program has it open too: the second entry is told that the table has
    it already, and nobody looks for that program.
    """
    _, path = terminal
    node = os.open(path, os.O_RDWR | os.O_NOCTTY)
    other = await asyncio.create_subprocess_exec("sleep", "60", stdin=node)
    os.close(node)
    link = await open_link(f"serial:{path}")
    with pytest.raises(LinkLost) as lost:
        await open_link(f"serial:{path}")
    assert lost.value.reason == Loss.SAME_DEVICE
    await link.close()
    await (await open_link(f"serial:{path}")).close()
    other.kill()
    await other.wait()


async def test_a_locked_port_is_busy(terminal: tuple[int, str]) -> None:
    """A port that another program has locked is busy, and the message names the process."""
    _, path = terminal
    node = os.open(path, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(node, fcntl.LOCK_EX)
    other = await asyncio.create_subprocess_exec("sleep", "60", stdin=node)
    os.close(node)
    with pytest.raises(LinkLost, match=rf"held by process {other.pid} \(sleep\)") as lost:
        await open_link(f"serial:{path}")
    other.kill()
    await other.wait()
    assert lost.value.reason == Loss.PORT_BUSY


async def test_others_are_kept_out(terminal: tuple[int, str]) -> None:
    """A program that asks for no lock is kept out too, unless it is root; after close the port is free again."""
    _, path = terminal
    permit(path, 0o666)
    link = await open_link(f"serial:{path}")
    os.seteuid(65534)
    try:
        with pytest.raises(OSError, match="busy"):
            os.open(path, os.O_RDWR | os.O_NOCTTY)
    finally:
        os.seteuid(0)
    await link.close()
    os.close(os.open(path, os.O_RDWR | os.O_NOCTTY))


async def test_an_unplugged_port_is_told_once_and_does_not_spin(terminal: tuple[int, str]) -> None:
    """After a hang-up, what had arrived is still read; then every read and write says unplugged, at no cost of time."""
    master, path = terminal
    link = await open_link(f"serial:{path}")
    os.write(master, b"last words")
    await asyncio.sleep(0)
    assert await link.read() == b"last words"
    reading = asyncio.ensure_future(link.read())
    await asyncio.sleep(0)
    os.close(master)
    for attempt in (reading, link.read(), link.write(b"x")):
        with pytest.raises(LinkLost) as lost:
            await attempt
        assert lost.value.reason == Loss.UNPLUGGED
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    await asyncio.sleep(0.3)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 0.05
    await link.close()


async def test_a_second_reader_is_found_out(terminal: tuple[int, str]) -> None:
    """When another process holds the port too, the reason for missing bytes names that process."""
    _, path = terminal
    node = os.open(path, os.O_RDWR | os.O_NOCTTY)
    other = await asyncio.create_subprocess_exec("sleep", "60", stdin=node)
    os.close(node)
    assert other.pid in openers(path)
    lost = shared(path)
    assert lost
    assert lost.reason == Loss.PORT_SHARED
    assert str(other.pid) in str(lost)
    other.kill()
    await other.wait()
    assert shared(path) is None


ARRIVED = 4096
"""Bytes that a terminal's other end holds for its reader; no flush of ours reaches them."""
THIEF = """
import os, sys, termios
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
set = termios.tcgetattr(port)
set[6][termios.VMIN] = int(sys.argv[2])
termios.tcsetattr(port, termios.TCSANOW, set)
print("open", flush=True)
for _ in sys.stdin:
    os.read(port, 1000)
    print("read", flush=True)
"""


@contextlib.contextmanager
def other_program(code: str, *words: str) -> Iterator[tuple[Any, Callable[[bytes], None]]]:
    """Run another program; yield it and what says something to it. It is killed at the end."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code, *words], stdin=pipe, stdout=pipe) as process:

        def say(word: bytes) -> None:
            assert process.stdin
            process.stdin.write(word)
            process.stdin.flush()

        try:
            yield process, say
        finally:
            process.kill()


@pytest.mark.parametrize("minimum", [0, 1], ids=["end of file", "nothing"])
async def test_bytes_that_another_program_took_are_no_hang_up(terminal: tuple[int, str], minimum: int) -> None:
    """Ready to read, and then no data: the device is gone, or another program was faster. Where another one has the
    port open the reason is `port-shared` and names it, also where it has set the line so that a read says end of file.
    """
    master, path = terminal
    link: Any = await open_link(f"serial:{path}")
    with other_program(THIEF, path, str(minimum)) as (thief, say):
        assert thief.stdout.readline() == b"open\n"
        first, begin = os.pipe()

        def steal() -> None:
            asyncio.get_running_loop().remove_reader(first)
            say(b"\n")
            assert thief.stdout.readline() == b"read\n"

        await asyncio.sleep(0)  # the loop has looked: nothing was ready, whatever the other program has set
        await asyncio.sleep(0)
        # Now both are ready when it looks again, and the thief's turn comes first.
        asyncio.get_running_loop().add_reader(first, steal)
        os.write(begin, b"x")
        os.write(master, b"a byte")
        select.select([link._descriptor], [], [])
        with pytest.raises(LinkLost) as lost:
            async with asyncio.timeout(10):
                await link.read()
        os.close(first)
        os.close(begin)
        await link.close()
    assert lost.value.reason == Loss.PORT_SHARED
    assert f"also read by process {thief.pid}" in str(lost.value)


async def test_a_hang_up_is_one_although_another_program_has_the_port(terminal: tuple[int, str]) -> None:
    """The device is gone, and with it its node: a second program that still holds it is not the reason."""
    master, path = terminal
    link = await open_link(f"serial:{path}")
    with other_program(THIEF, path, "1") as (thief, _):
        assert thief.stdout.readline() == b"open\n"
        assert thief.pid in openers(path)
        os.close(master)
        with pytest.raises(LinkLost) as lost:
            await link.read()
        await link.close()
    assert lost.value.reason == Loss.UNPLUGGED


async def test_a_port_that_comes_back_as_another_node_was_unplugged(tmp_path: Path) -> None:
    """A cable was pulled and is in again before anybody looked: the loss is the hang-up, not the name's new node."""
    line = open_pty(tmp_path / "tty")
    link = await open_link(f"serial:{tmp_path / 'tty'}")
    await line.hang_up()
    assert link.trouble() is None
    with pytest.raises(LinkLost) as lost:
        await link.read()
    assert lost.value.reason is Loss.UNPLUGGED
    await link.close()
    await line.close()


async def test_close_throws_away_what_nobody_took(terminal: tuple[int, str]) -> None:
    """A kernel may keep `close` waiting for half a minute until a peer that does not read has taken everything. What
    waits is thrown away first: close returns at once, and the peer finds no more than what had reached it.
    """
    master, path = terminal
    link = await open_link(f"serial:{path}")
    written = 0
    while True:
        write = asyncio.ensure_future(link.write(bytes(1000)))
        await asyncio.sleep(0)
        if not write.done():
            break
        written += 1000
    began = time.monotonic()
    await link.close()
    assert time.monotonic() - began < 1
    with pytest.raises(LinkLost):
        await write
    found = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            found += len(os.read(master, written))
    assert found <= ARRIVED < written


async def test_the_line_is_raw(terminal: tuple[int, str]) -> None:
    """No flow control and no translation is set: those eat bytes of a frame. Nor do the wires drop when the port is
    closed: that resets many boards, in the middle of a round when a daemon is restarted.
    """
    _, path = terminal
    drops = termios.tcgetattr(before := os.open(path, os.O_RDWR | os.O_NOCTTY))
    drops[2] |= termios.HUPCL
    termios.tcsetattr(before, termios.TCSANOW, drops)
    os.close(before)
    link = await open_link(f"serial:{path}?baud=9600")
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
    iflag, oflag, cflag, lflag, speed, _, _ = termios.tcgetattr(descriptor)
    os.close(descriptor)
    await link.close()
    assert not iflag & (termios.IXON | termios.IXOFF | termios.ICRNL | termios.ISTRIP)
    assert not oflag & termios.OPOST
    assert not cflag & (termios.CRTSCTS | termios.HUPCL)
    assert not lflag & (termios.ICANON | termios.ECHO)
    assert speed == termios.B9600


async def test_a_pipe_behaves_as_a_wire() -> None:
    """What was written before the end closed is still read; then both ends are lost."""
    here, there = Pipe.pair()
    await here.write(b"hello")
    await here.close()
    assert await there.read() == b"hello"
    with pytest.raises(LinkLost) as lost:
        await there.read()
    assert lost.value.reason == Loss.UNPLUGGED
    with pytest.raises(LinkLost):
        await here.write(b"more")
