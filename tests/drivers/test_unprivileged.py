"""What a daemon meets that is not root: tried in a child with another user, for root may do everything."""

import fcntl
import json
import os
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

pytestmark = pytest.mark.usefixtures("_root")
NOBODY = 65534

CHILD = """
import asyncio, json, os, sys, structlog
from tablectl.devices.link import open_link
from tablectl.devices import usb, usb_double, serial_port
from tablectl.errors import LinkLost
from tests.drivers.tables import Kept, configured
import tablectl_drivers.otdp

async def open_once(path):
    try:
        link = await open_link(f"serial:{path}")
    except LinkLost as lost:
        print(json.dumps([lost.reason, str(lost)]), flush=True)
        return
    print(json.dumps(["open", link.settings]), flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await link.close()

async def keep(path):
    device = configured("shoe1", "otdp-shoe", f"serial:{path}")
    async with Kept(device) as kept:
        journal = kept.journals["shoe1"]
        told = 0
        while True:
            async with journal.added:
                await journal.added.wait_for(lambda: len(journal.inputs) > told)
            for said in journal.inputs[told:]:
                print(json.dumps([type(said.body).__name__, getattr(said.body, "reason", "")]), flush=True)
            told = len(journal.inputs)

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
asyncio.run(dict(open=open_once, keep=keep)[sys.argv[1]](sys.argv[2]))
"""


@pytest.fixture
def _root() -> None:
    if os.geteuid():
        pytest.fail("these tests become another user, which only root can; run them as root or deselect this file")


@pytest.fixture
def terminal() -> Iterator[tuple[int, str]]:
    """The device's end of a pseudo-terminal, and the path of the host's."""
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


class Child:
    """A program of another user."""

    def __init__(self, what: str, path: str) -> None:
        root = Path(__file__).parents[2]
        environment = os.environ | {"PYTHONPATH": f"{root}:{root / 'drivers'}"}
        command = [sys.executable, "-c", CHILD, what, path]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def says(self) -> list[str]:
        assert self.process.stdout
        answer: list[str] = json.loads(self.process.stdout.readline())
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def test_a_forbidden_port_names_node_owner_and_mode(terminal: tuple[int, str]) -> None:
    """Somebody who may not open a port is told who may."""
    _, path = terminal
    os.chmod(path, 0o600)  # noqa: PTH101 - a terminal
    with Child("open", path) as child:
        reason, text = child.says()
    assert reason == "permission"
    assert f"{path} is crw------- root:" in text


def test_a_port_becomes_permitted_without_a_restart(terminal: tuple[int, str]) -> None:
    """Upkeep says permission once, stays up, and opens the port when udev has set its mode right."""
    _, path = terminal
    os.chmod(path, 0o600)  # noqa: PTH101 - a terminal
    with Child("keep", path) as child:
        assert child.says() == ["DeviceLost", "permission"]
        os.chmod(path, 0o666)  # noqa: PTH101 - a terminal
        # It is open now, and nobody is at the other end.
        assert child.says() == ["DeviceLost", "silent"]


@pytest.mark.parametrize(
    ("lock", "answer"), [("flock", "port-busy"), ("TIOCEXCL", "port-busy"), ("none", "open")], ids=lambda word: word
)
def test_a_held_port_is_busy(terminal: tuple[int, str], lock: str, answer: str) -> None:
    """Whichever way another program keeps a port, ours is told that it is busy; one that keeps it in no way is let in
    on no more than it has: nobody opens the port after us.
    """
    _, path = terminal
    os.chmod(path, 0o666)  # noqa: PTH101 - a terminal
    holder = os.open(path, os.O_RDWR | os.O_NOCTTY)
    if lock == "flock":
        fcntl.flock(holder, fcntl.LOCK_EX)
    elif lock == "TIOCEXCL":
        fcntl.ioctl(holder, termios.TIOCEXCL)
    try:
        with Child("open", path) as child:
            assert child.says()[0] == answer
            if answer == "open":
                assert not opened_by_somebody_else(path)
    finally:
        fcntl.ioctl(holder, termios.TIOCNXCL)
        os.close(holder)


def test_our_port_is_ours_alone(terminal: tuple[int, str]) -> None:
    """While one program of ours has a port a second finds it busy, no other user opens it, and no byte is lost."""
    master, path = terminal
    os.chmod(path, 0o666)  # noqa: PTH101 - a terminal
    with Child("open", path) as first, Child("open", path) as second:
        answers = sorted((first.says(), second.says()))
        assert [answer[0] for answer in answers] == ["open", "port-busy"]
        assert not opened_by_somebody_else(path)
        assert os.write(master, b"x") == 1


def opened_by_somebody_else(path: str) -> bool:
    """Tell whether another user's program, which asks for no lock, can open a port."""
    pid = os.fork()
    if pid == 0:
        os.setuid(NOBODY)
        try:
            os.open(path, os.O_RDWR | os.O_NOCTTY)
        except OSError:
            os._exit(0)
        os._exit(1)
    return os.waitpid(pid, 0)[1] != 0
