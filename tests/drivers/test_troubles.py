"""Devices as they fail at a table: each trouble has its own name, is told once, and ends without a restart."""

import asyncio
import contextlib
import os
import termios
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from tablectl import upkeep
from tablectl.devices import ports, serial_port
from tablectl.devices.bench import run, socket
from tablectl.devices.contract import Loss
from tablectl.devices.link import Url, open_link
from tablectl.devices.ports import Port, alike
from tablectl.devices.pty import PtyLine
from tablectl.devices.usb_double import IN, OUT, line_of
from tablectl.errors import LinkLost
from tablectl.events.facts import StackDue
from tablectl.events.readings import DeviceConditionBegan, DeviceFound, DeviceLost, ShoeLoaded, ShoeStackDispensed
from tests.drivers.tables import Kept, behind_terminal, configured, make

Warp = Callable[[Coroutine[Any, Any, Any]], Any]


def stack(number: int, left: int) -> StackDue:
    return StackDue(f"t{number}", "shoe1", number, 7, left, "1")


async def test_a_swapped_pair_is_named_and_nothing_moves(tmp_path: Path) -> None:
    """Shoe and shaker in each other's ports: both say wrong-device, the log names the other, and no command is sent."""
    async with (
        behind_terminal("stack-shoe", tmp_path / "a", serial="SHOE") as (shoe, _),
        behind_terminal("shaker", tmp_path / "b", serial="SHAKE") as (shaker, _),
    ):
        devices = (
            configured("shoe1", "otdp-shoe", f"serial:{tmp_path / 'b'}", "SHOE"),
            configured("shaker1", "otdp-shaker", f"serial:{tmp_path / 'a'}", "SHAKE"),
        )
        with capture_logs() as lines:
            async with Kept(*devices) as kept:
                kept.upkeeps["shoe1"].perform(stack(1, 53))
                for journal in kept.journals.values():
                    await journal.until(DeviceLost)
                await asyncio.sleep(1)
                assert [journal.losses() for journal in kept.journals.values()] == [["wrong-device"]] * 2
        assert not shoe.strokes + shaker.strokes
        assert not shoe.memory.answers
        assert not shaker.memory.answers
        told = [line["text"] for line in lines if line["log_level"] == "warning"]
        assert len(told) == 2, "once for each device"


async def test_a_pair_that_comes_back_swapped_gets_no_order(tmp_path: Path) -> None:
    """Both are pulled out while an order is due, and each comes back under the other's name: no order reaches either,
    until they are at their places again; then the order that was due is carried out, once.
    """
    a, b, away = tmp_path / "a", tmp_path / "b", tmp_path / "away"
    async with (
        behind_terminal("stack-shoe", a, serial="S-1") as (first, one),
        behind_terminal("stack-shoe", b, serial="S-2") as (second, two),
    ):
        devices = (
            configured("shoe1", "otdp-shoe", f"serial:{a}", "S-1"),
            configured("shoe2", "otdp-shoe", f"serial:{b}", "S-2"),
        )
        async with Kept(*devices) as kept:
            journals = list(kept.journals.values())
            for journal in journals:
                await journal.until(DeviceFound)
            await replug(one, two)
            for path, to in ((a, away), (b, a), (away, b)):
                path.rename(to)
            due = stack(1, 53)
            journals[0].open = (due,)
            kept.upkeeps["shoe1"].perform(due)
            for journal in journals:
                await journal.until(DeviceLost, 2)
            assert [journal.losses() for journal in journals] == [["unplugged", "wrong-device"]] * 2
            assert not first.memory.answers | second.memory.answers
            await replug(one, two)
            await journals[0].until(ShoeStackDispensed)
        assert (first.strokes, second.strokes) == (1, 0)
        assert not second.memory.answers


async def replug(*lines: PtyLine) -> None:
    for line in lines:
        await line.hang_up()


async def test_a_swapped_pair_of_one_kind_is_called_swapped(tmp_path: Path) -> None:
    """Two of one kind in each other's ports: the serial number tells, and the log says which two they are."""
    async with (
        behind_terminal("stack-shoe", tmp_path / "a", serial="S-1") as (first, _),
        behind_terminal("stack-shoe", tmp_path / "b", serial="S-2") as (second, _),
    ):
        devices = (
            configured("one", "otdp-shoe", f"serial:{tmp_path / 'b'}", "S-1"),
            configured("two", "otdp-shoe", f"serial:{tmp_path / 'a'}", "S-2"),
        )
        with capture_logs() as lines:
            async with Kept(*devices) as kept:
                for journal in kept.journals.values():
                    await journal.until(DeviceLost)
        texts = " ".join(line["text"] for line in lines if line["log_level"] == "warning")
        assert "which is two: are the two swapped?" in texts
        assert "which is one: are the two swapped?" in texts
        assert not first.memory.answers | second.memory.answers


async def test_two_entries_for_one_port_are_one_device(tmp_path: Path) -> None:
    """The second entry says same-device, by whatever path it leads there; the first keeps working."""
    (tmp_path / "other").symlink_to(tmp_path / "a")
    async with behind_terminal("stack-shoe", tmp_path / "a") as (shoe, _):
        first = configured("shoe1", "otdp-shoe", f"serial:{tmp_path / 'a'}")
        second = configured("shoe2", "otdp-shoe", f"serial:{tmp_path / 'other'}")
        async with Kept(first) as one:
            await one.journals["shoe1"].until(DeviceFound)
            async with Kept(second) as two:
                await two.journals["shoe2"].until(DeviceLost)
                assert two.journals["shoe2"].losses() == ["same-device"]
            one.upkeeps["shoe1"].perform(stack(1, 53))
            await one.journals["shoe1"].until(ShoeStackDispensed)
    assert shoe.strokes == 1


async def test_one_device_at_two_places_is_told(tmp_path: Path) -> None:
    """A device that answers at two ports (two links into one machine) is taken once; the other entry says so."""
    async with (
        behind_terminal("stack-shoe", tmp_path / "a", serial="S-1"),
        behind_terminal("stack-shoe", tmp_path / "b", serial="S-1") as (other, _),
    ):
        first = configured("shoe1", "otdp-shoe", f"serial:{tmp_path / 'a'}")
        second = configured("shoe2", "otdp-shoe", f"serial:{tmp_path / 'b'}")
        async with Kept(first, second) as kept:
            both = kept.journals.values()
            async with asyncio.timeout(10):
                while not any(journal.losses() for journal in both):  # noqa: ASYNC110 - two journals, one wait
                    await asyncio.sleep(0.05)
            assert sorted(loss for journal in both for loss in journal.losses()) == ["same-device"]
    assert other.strokes == 0


async def test_a_renumbered_port_is_followed(tmp_path: Path) -> None:
    """The old node is held open while the name leads to a new one: the old is closed, the device found again by name.

    As when ttyUSB0 comes back as ttyUSB1 because somebody still held it.
    """
    path = tmp_path / "shoe"
    async with behind_terminal("stack-shoe", tmp_path / "old", serial="S-1"):
        path.symlink_to((tmp_path / "old").readlink())
        async with (
            Kept(configured("shoe1", "otdp-shoe", f"serial:{path}", "S-1")) as kept,
            behind_terminal("stack-shoe", tmp_path / "new", serial="S-1") as (new, _),
        ):
            journal = kept.journals["shoe1"]
            await journal.until(DeviceFound)
            old = os.stat(path).st_rdev  # noqa: PTH116 - a device number
            path.unlink()
            path.symlink_to((tmp_path / "new").readlink())
            await journal.until(DeviceFound, 2)
            assert journal.losses() == ["renumbered"]
            assert old not in _open_terminals()
            kept.upkeeps["shoe1"].perform(stack(1, 53))
            await journal.until(ShoeStackDispensed)
            assert new.strokes == 1


def _open_terminals() -> set[int]:
    """Return the terminals that this process has open by our link: those with an exclusive lock."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            descriptor = int(entry.name)
            if os.isatty(descriptor) and termios.tcgetattr(descriptor)[6][termios.VMIN] == 1:
                found.add(os.fstat(descriptor).st_rdev if _exclusive(descriptor) else 0)
    return found - {0}


def _exclusive(descriptor: int) -> bool:
    import fcntl

    answer = fcntl.ioctl(descriptor, 0x80045440, b"\0\0\0\0")  # TIOCGEXCL
    return any(answer)


async def test_another_program_that_sets_the_line_anew_is_noticed(tmp_path: Path) -> None:
    """A foreign change of speed ends the connection as port-shared, and the next opening sets the line right."""
    async with behind_terminal("stack-shoe", tmp_path / "a") as _:
        device = configured("shoe1", "otdp-shoe", f"serial:{tmp_path / 'a'}?baud=9600")
        async with Kept(device) as kept:
            journal = kept.journals["shoe1"]
            await journal.until(DeviceFound)
            assert kept.upkeeps["shoe1"].settings == "9600 8N1"
            foreign = os.open(tmp_path / "a", os.O_RDWR | os.O_NOCTTY)
            changed = termios.tcgetattr(foreign)
            changed[4] = changed[5] = termios.B115200
            termios.tcsetattr(foreign, termios.TCSANOW, changed)
            await journal.until(DeviceFound, 2)
            assert journal.losses() == ["port-shared"]
            assert serial_port.settings(foreign, "") == "9600 8N1"
            os.close(foreign)


class AtOneSpeed(PtyLine):
    """Damages what it says, as a wire does, while the host's end is set to another speed than the device's 9600."""

    damaged = 0

    async def write(self, data: bytes) -> None:
        host = os.open(self._path, os.O_RDWR | os.O_NOCTTY)
        if not serial_port.settings(host, "").startswith("9600 "):
            self.damaged += 1
            data = data.replace(b"\x01", b"\x02")
        os.close(host)
        await super().write(data)


async def test_frames_damaged_by_another_speed_are_looked_into_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that scans the ports sets another speed in mid-session, and from then on every frame is damaged. The
    first of them has the settings read back, not only the look twice a second: the port is opened anew, set right, and
    what the device said meanwhile is told.
    """
    monkeypatch.setattr(upkeep, "POLL", 3600.0)
    shoe, options = make("stack-shoe")
    line = AtOneSpeed(tmp_path / "a")
    running = asyncio.create_task(run(shoe, line, options))
    async with Kept(configured("shoe1", "otdp-shoe", f"serial:{tmp_path / 'a'}?baud=9600")) as kept:
        journal = kept.journals["shoe1"]
        await journal.until(ShoeLoaded)
        before = line.damaged
        foreign = os.open(tmp_path / "a", os.O_RDWR | os.O_NOCTTY)
        changed = termios.tcgetattr(foreign)
        changed[4] = changed[5] = termios.B115200
        termios.tcsetattr(foreign, termios.TCSANOW, changed)
        shoe.feel("open-door")
        await journal.until(DeviceConditionBegan)
        assert journal.losses() == ["port-shared"]
        assert serial_port.settings(foreign, "") == "9600 8N1"
        assert line.damaged > before
        os.close(foreign)
    running.cancel()
    await asyncio.wait([running])
    await line.close()


async def test_a_line_that_cannot_be_set_as_asked_is_no_line(tmp_path: Path) -> None:
    """What the system made of our wishes is read back: a terminal has no parity, and that is an error."""
    async with behind_terminal("stack-shoe", tmp_path / "a"):
        with pytest.raises(LinkLost, match="asked for 115200 8E1, the port is set to 115200 8N1") as lost:
            await open_link(f"serial:{tmp_path / 'a'}?parity=E")
        assert lost.value.reason == Loss.UNUSABLE
        link = await open_link(f"serial:{tmp_path / 'a'}?stop=2&rtscts=1&baud=57600")
        assert link.settings == "57600 8N2 rtscts"
        await link.close()


async def test_equal_adapters_cannot_be_named_by_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two adapters without serial numbers share a by-id name: it is refused as ambiguous, with the names that work."""
    async with behind_terminal("stack-shoe", tmp_path / "node") as _:
        (tmp_path / "by-id").mkdir()
        name = tmp_path / "by-id" / "usb-1a86_USB_Serial-if00-port0"
        name.symlink_to(tmp_path / "node")
        node = str(name.resolve())
        twin = Port("/dev/ttyUSB1", usb="1a86:7523", by_path="/dev/serial/by-path/two")
        there = [Port(node, usb="1a86:7523", by_path="/dev/serial/by-path/one"), twin]
        monkeypatch.setattr(ports, "ports", lambda: there)
        device = configured("shoe1", "otdp-shoe", f"serial:{name}")
        with capture_logs() as lines:
            async with Kept(device) as kept:
                await kept.journals["shoe1"].until(DeviceLost)
                assert kept.journals["shoe1"].losses() == ["ambiguous"]
                # One of the two is pulled out, and the name names again.
                there.pop()
                await kept.journals["shoe1"].until(DeviceFound)
        told = next(line["text"] for line in lines if line["log_level"] == "warning")
        assert "/dev/serial/by-path/one or /dev/serial/by-path/two" in told
        assert alike(tmp_path / "node") == [], "a name that is not by-id is taken at its word"


def test_every_name_that_lasts_is_better_than_a_number() -> None:
    """The name to configure is by-id where a serial number makes it unique, else by-path, else the node."""
    assert Port("/dev/ttyUSB0", number="A1", by_id="I", by_path="P").name == "I"
    assert Port("/dev/ttyUSB0", by_id="I", by_path="P").name == "P"
    assert Port("/dev/ttyUSB0").name == "/dev/ttyUSB0"


@pytest.mark.parametrize(
    ("trouble", "reasons"),
    [
        (lambda line: line.unplug(), ["unplugged"]),
        (lambda line: line.bus.fail_reads.extend([5, 71, 5, 71]), ["unplugged"]),
        (lambda line: line.bus.fail_reads.extend([5, 71]), []),
        (lambda line: line.bus.fail_reads.append(75), []),
        (lambda line: line.bus.halted.add(IN), []),
        (lambda line: line.bus.halted.add(OUT), []),
        (lambda line: setattr(line.bus, "empty_packets", 50), []),
        (lambda line: setattr(line.bus, "most", 3), []),
        (lambda line: line.bus.fail_writes.append(19), ["unplugged"]),
        (lambda line: line.bus.fail_writes.append(5), ["unplugged"]),
        (lambda line: setattr(line.bus, "stuck", True), ["stuck"]),
    ],
    ids=[
        "unplug", "EIO-burst", "EIO-once", "overflow", "stall-in", "stall-out", "zero-length", "partial",
        "ENODEV-on-write", "EIO-on-write", "stuck",
    ],
)  # fmt: skip
async def test_usb_troubles(trouble: Callable[[Any], None], reasons: list[str], request: pytest.FixtureRequest) -> None:
    """A device that is gone is unplugged once; a bad moment on the bus is none; then the stack is dispensed, once."""
    url = f"usb:double:stack-shoe?speed=max&deck=53&serial={request.node.callspec.id}"
    line = line_of(url)
    async with Kept(configured("shoe1", "otdp-shoe", url)) as kept:
        journal = kept.journals["shoe1"]
        await journal.until(ShoeLoaded)
        trouble(line)
        due = stack(1, 53)
        journal.open = (due,)
        kept.upkeeps["shoe1"].perform(due)
        if reasons:
            await journal.until(DeviceLost)
            line.bus.plugged = True
            line.bus.stuck = False
        await journal.until(ShoeStackDispensed)
        assert journal.losses() == reasons
    model: Any = socket(Url("double", "stack-shoe", Url.parse(url).query)).double
    assert model.strokes == 1
    assert line.bus.open_handles == 0, "no handle is left open"
    assert not line.bus.claimed


@pytest.mark.parametrize(
    ("trouble", "over", "reason", "text"),
    [
        ({"busy": True}, {"busy": False}, "port-busy", "another program has claimed it"),
        ({"forbidden": True}, {"forbidden": False}, "permission", "/dev/bus/usb/001/001"),
        ({"plugged": False}, {"plugged": True}, "missing", "nothing of that name is plugged in"),
        ({"classes": ((255, 0), (3, 1))}, {"classes": ((255, 0),)}, "wrong-device", "it is also a keyboard or mouse"),
        ({"classes": ((255, 0), (2, 6))}, {"classes": ((255, 0),)}, "wrong-device", "it is also a network"),
    ],
    ids=["busy", "forbidden", "missing", "keyboard", "network"],
)
async def test_usb_devices_that_cannot_be_had(
    trouble: dict[str, Any], over: dict[str, Any], reason: str, text: str
) -> None:
    """Each reason is named, told once, and ends by itself when its cause does."""
    url = f"usb:double:stack-shoe?speed=max&serial=had-{reason}-{text[-8:-1]}"
    line = line_of(url)
    vars(line.bus).update(trouble)
    with capture_logs() as lines:
        async with Kept(configured("shoe1", "otdp-shoe", url)) as kept:
            journal = kept.journals["shoe1"]
            await journal.until(DeviceLost)
            await asyncio.sleep(1)
            assert journal.losses() == [reason]
            vars(line.bus).update(over)
            await journal.until(DeviceFound)
    told = [each["text"] for each in lines if each["log_level"] == "warning"]
    assert len(told) == 1
    assert text in told[0]


async def test_the_kernel_gives_a_usb_device_up_and_gets_it_back() -> None:
    """A kernel driver is detached while we have the device, and attached again when we close it."""
    url = "usb:double:stack-shoe?speed=max&serial=kernel"
    line = line_of(url)
    line.bus.kernel = True
    link = await open_link(url)
    assert not line.bus.kernel
    await link.close()
    assert line.bus.kernel


def test_a_device_powered_up_late_is_found(slow_warp: Warp, tmp_path: Path) -> None:
    """The table starts with no device; one that is powered a minute later is found within the poll."""

    async def main() -> None:
        clock = asyncio.get_running_loop().time
        async with Kept(configured("shoe1", "otdp-shoe", f"serial:{tmp_path / 'shoe'}")) as kept:
            await asyncio.sleep(60)
            async with behind_terminal("stack-shoe", tmp_path / "shoe"):
                powered = clock()
                await kept.journals["shoe1"].until(DeviceFound)
                assert clock() - powered < 1

    slow_warp(main())
