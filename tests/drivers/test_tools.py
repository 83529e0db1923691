"""What technicians look with: devices, monitor and traces."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tomllib
import tty
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.devices import discovery, registry
from tablectl.devices.contract import Mark
from tablectl.devices.discovery import find, stanza, who
from tablectl.devices.link import Url, open_link
from tablectl.devices.monitor import Forbidden, Monitor
from tablectl.devices.ports import Port
from tablectl.devices.trace import TITLE, Piece, Trace
from tablectl.errors import ConfigError, LinkLost
from tablectl.events.codec import encode
from tests.drivers.tables import behind_terminal

Warp = Callable[[Coroutine[Any, Any, Any]], Any]
TRACES = Path(__file__).parents[1] / "traces"


def tablectl(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tablectl", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


@pytest.fixture
def bystander() -> Iterator[tuple[int, str]]:
    """A port that nobody named: its device's end, and its path."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


async def test_only_who_is_named_is_asked(
    tmp_path: Path, bystander: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A named port says who answers and which driver fits; not one byte reaches a port that was not named."""
    master, path = bystander
    monkeypatch.setattr(discovery, "ports", lambda: [Port(path, "some modem", "1a86:7523", "77")])
    async with behind_terminal("shuffler", tmp_path / "port", serial="OT-9"):
        found = await find([f"serial:{tmp_path / 'port'}"])
    assert found[0].identity
    assert found[0].identity.serial == "OT-9"
    assert found[0].drivers == ("otdp-shuffler",)
    assert found[1].url == f"serial:{path}"
    assert found[1].why == discovery.NOT_ASKED
    with pytest.raises(BlockingIOError):
        os.read(master, 1)


@pytest.mark.parametrize(
    ("device", "family", "seconds"),
    [("stack-shoe?serial=asked", "otdp", 0.0), ("line-shoe?serial=asked", "line", 0.5), ("late", "otdp", 1.5)],
)
def test_who_is_awake_is_found_soon(warp: Warp, tmp_path: Path, device: str, family: str, seconds: float) -> None:
    """Asking takes no time where OTDP is spoken, half a second more where it is not; a device that missed both
    questions is asked once more, with patience.
    """
    (tmp_path / "plan").write_text("[[fault]]\nat = 0\nwhat = 'silence'\nlasts = 2.5\n")
    url = f"double:{device}".replace("late", f"stack-shoe?serial=late&faults={tmp_path / 'plan'}")

    async def main() -> tuple[str, float]:
        found, _ = await who(url)
        return found, asyncio.get_running_loop().time()

    found, taken = warp(main())
    assert found == family
    assert seconds <= taken < seconds + 0.5


async def test_the_stanza_can_be_pasted() -> None:
    """What is shown for a device that answers is a [[device]] of a table file, with a driver that opens it."""
    url = "double:line-shaker?serial=L-5&speed=max"
    (found, *_) = await find([url])
    (device,) = tomllib.loads(stanza(found))["device"]
    assert device == {"id": "shaker-1", "kind": "shaker", "driver": "line-shaker", "url": url, "serial": "L-5"}
    driver = registry.driver(device["driver"])(await open_link(device["url"]))
    assert (await driver.open(Mark())).serial == device["serial"]
    await driver.close()


async def test_a_machine_that_is_two_devices_is_one_section() -> None:
    """Of the drivers that fit a shuffler with a shoe, the one that drives both is proposed, with both kinds."""
    (found, *_) = await find(["double:shuffler-shoe?serial=OT-8&speed=max"])
    (device,) = tomllib.loads(stanza(found))["device"]
    assert (device["driver"], device["kind"]) == ("otdp-shuffler-shoe", ["stack-shoe", "shuffler"])
    assert found.drivers[1:] == ("otdp-shoe", "otdp-shuffler")


def test_devices_says_why_nobody_answers(tmp_path: Path) -> None:
    """The command lists everything, fails when somebody who was named is silent, and writes the list for machines."""
    ended = tablectl("devices", "double:stack-shoe?serial=OT-1", "serial:/nowhere", "--json", str(tmp_path / "list"))
    assert ended.returncode == 1
    assert "OTDP stack shoe (double), serial OT-1" in ended.stdout
    assert 'driver = "otdp-shoe"' in ended.stdout
    assert "missing: /nowhere" in ended.stdout
    listed = json.loads((tmp_path / "list").read_text())
    assert listed[0]["identity"]["serial"] == "OT-1"
    assert tablectl("devices", "nonsense").returncode == 78


async def test_looking_on_takes_no_event(tmp_path: Path) -> None:
    """A monitor shows what is said and acknowledges nothing, unless it is told to; the trace holds the same."""
    async with behind_terminal("stack-shoe", tmp_path / "port", serial="OT-3") as (shoe, line):
        for acknowledge, kept in ((False, 0), (True, 1)):
            shown: list[str] = []
            told = asyncio.Event()

            def show(text: str, shown: list[str] = shown, told: asyncio.Event = told) -> None:
                shown.append(text)
                if "ACK number=1" in text or ("EVENT" in text and "ACK number=0" in " ".join(shown)):
                    told.set()

            monitor = Monitor("otdp-shoe", show, live=True, acknowledge=acknowledge)
            looking = asyncio.create_task(monitor.look(f"serial:{tmp_path / 'port'}", tmp_path / f"trace{kept}"))
            await asyncio.wait_for(told.wait(), 10)
            await asyncio.sleep(0.1)
            assert shoe.memory.acknowledged == kept
            assert any("IDENTITY" in text and "serial=OT-3" in text for text in shown)
            if not acknowledge:
                looking.cancel()
                await asyncio.wait([looking])
        await line.hang_up()
        await asyncio.wait_for(looking, 5)
    trace = Trace.read(tmp_path / "trace1")
    assert trace.about["driver"] == "otdp-shoe"
    assert trace.about["settings"] == "115200 8N1"
    assert trace.end.startswith("unplugged")
    assert await who(f"trace:{tmp_path / 'trace1'}?speed=max") is not None


async def test_a_device_that_reads_is_not_looked_at_in_live_play(tmp_path: Path) -> None:
    """In live play a reading shoe and a reader are refused before anything is shown or written; in rehearsal not."""
    for kind, name in (("card-shoe", "otdp-card-shoe"), ("reader", "otdp-reader")):
        shown: list[str] = []
        url = f"double:{kind}?serial=eyes"
        with pytest.raises(Forbidden, match="reads cards"):
            await Monitor(name, shown.append, live=True, acknowledge=False).look(url, tmp_path / "trace")
        assert shown == []
        assert not (tmp_path / "trace").exists()
        looking = asyncio.create_task(Monitor(name, shown.append, live=False, acknowledge=False).look(url))
        async with asyncio.timeout(5):
            while not shown:  # noqa: ASYNC110 - a list tells nothing
                await asyncio.sleep(0.01)
        looking.cancel()
        await asyncio.wait([looking])


def test_monitor_runs_until_stopped(tmp_path: Path) -> None:
    """The command finds the driver by itself, shows frames, keeps them, and ends with 0 at SIGINT."""
    words = ("monitor", "double:shaker", "--record", str(tmp_path / "trace"))
    process = subprocess.Popen([sys.executable, "-u", "-m", "tablectl", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert "HELLO #1" in process.stdout.readline()
    assert "serial=D0000" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 0
    assert Trace.read(tmp_path / "trace").about["driver"] == "otdp-shaker"
    refused = tablectl("monitor", "double:card-shoe")
    assert refused.returncode == 1
    assert "it is looked at in rehearsal only" in refused.stderr


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.trace")), ids=lambda path: path.stem)
async def test_a_trace_says_what_it_said(path: Path) -> None:
    """Played back, each recording in tests/traces leads to the readings that lie beside it."""
    driver = registry.driver(Trace.read(path).about["driver"])(await open_link(f"trace:{path}?speed=max"))
    await driver.open(Mark())
    readings: list[str] = []
    async with aclosing(driver.readings()) as said:
        with contextlib.suppress(LinkLost):
            while True:
                event = await anext(said)
                readings += [f"{event.number} {encode(event.reading).decode()}"]
    await driver.close()
    assert path.with_suffix(".readings").read_text().splitlines() == readings


def test_there_are_traces() -> None:
    """Both families have a recording."""
    drivers = {Trace.read(path).about["driver"].partition("-")[0] for path in TRACES.glob("*.trace")}
    assert drivers == {"otdp", "line"}


PIECES = st.builds(
    Piece,
    st.floats(0, 1e6).map(lambda at: round(at, 6)),
    st.sampled_from("<>"),
    st.binary(min_size=1, max_size=40),
)


@given(st.lists(PIECES, max_size=20), st.integers(1, 2**32 - 1))
def test_a_trace_is_read_as_it_was_written(pieces: list[Piece], nonce: int) -> None:
    """Header, times, directions and bytes survive the file."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.trace"
        lines = [TITLE, f"# nonce: {nonce}", "# notes: a: b", *map(str, pieces), "9.5 ! silent no word"]
        path.write_text("\n".join(lines))
        trace = Trace.read(path)
    assert trace.pieces == tuple(pieces)
    assert trace.nonce == nonce
    assert trace.about["notes"] == "a: b"
    assert trace.end == "silent no word"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "its first line is not '# tablectl trace 1'"),
        (f"{TITLE}\n0.1 < zz", ":2: '0.1 < zz' is no line of a trace"),
        (f"{TITLE}\n# nonce: x", "the nonce is a number, not 'x'"),
        (f"{TITLE}\n\nwhat", ":3: 'what' is no line of a trace: awaited seconds"),
    ],
)
def test_a_bad_trace_says_where(tmp_path: Path, text: str, why: str) -> None:
    """What is wrong with a trace is told with its file and line."""
    (tmp_path / "x").write_text(text)
    with pytest.raises(ConfigError) as error:
        Trace.read(tmp_path / "x")
    assert why in str(error.value)


def test_a_trace_is_named_as_any_link() -> None:
    """A trace's URL has a speed, and no other option."""
    assert Url.parse("trace:/x?speed=max").query == {"speed": "max"}
    assert vars(registry)["families"]().keys() >= {"otdp", "line"}
    assert isinstance(registry.families()["otdp"].name, str)


def test_a_listing_without_usb_says_so() -> None:
    """Where the USB library is missing, a USB device that is plugged in is not listed: the command says why."""
    blind = (
        "import sys; sys.modules['usb'] = None; sys.argv[1:] = ['devices']; import tablectl.__main__ as it; it.main()"
    )
    ended = subprocess.run([sys.executable, "-c", blind], capture_output=True, text=True, check=False, timeout=30)
    assert "no USB device is listed: usb: links need pyusb" in ended.stderr
    assert ended.returncode == 0
