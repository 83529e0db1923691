"""The conformance kit: sound devices pass on every link, and each broken one fails on the line that names its fault."""

import asyncio
import io
import itertools
import json
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tablectl_drivers.otdp import StackShoe

from tablectl.devices import registry
from tablectl.devices.bench import run
from tablectl.devices.conformance import NotTried, Report, Rig, Verdict, checks_of, conform
from tablectl.devices.conformance.hands import Person, hands_for
from tablectl.devices.contract import Driver, Kind, Link
from tablectl.devices.link import Pipe, Url, open_link
from tablectl.devices.pty import open_pty
from tablectl.devices.tcp import listen
from tablectl.devices.world import Acted
from tests.drivers.broken import BROKEN, BROKEN_DRIVERS, StartsAnewAtHello

Warp = Callable[[Coroutine[Any, Any, Any]], Any]
SHIPPED = (
    ("stack-shoe", "otdp-shoe"),
    ("card-shoe", "otdp-card-shoe"),
    ("shuffler", "otdp-shuffler"),
    ("shaker", "otdp-shaker"),
    ("reader", "otdp-reader"),
    ("shuffler-shoe", "otdp-shoe"),
    ("shuffler-shoe", "otdp-shuffler"),
    ("shuffler-shoe", "otdp-shuffler-shoe"),
    ("line-shoe", "line-shoe"),
    ("line-shuffler", "line-shuffler"),
    ("line-shaker", "line-shaker"),
)
"""Every double that comes with tablectl, and each driver for it."""
_NUMBERS = itertools.count()
DRIVERS = {
    (Kind.STACK_SHOE,): "otdp-shoe",
    (Kind.CARD_SHOE,): "otdp-card-shoe",
    (Kind.SHUFFLER,): "otdp-shuffler",
    (Kind.SHAKER,): "otdp-shaker",
    (Kind.READER,): "otdp-reader",
    (Kind.STACK_SHOE, Kind.SHUFFLER): "otdp-shuffler-shoe",
}


class Switch:
    """Hands that hold a double's power switch."""

    cuts_power = True

    def __init__(self, double: Any) -> None:
        self.double = double

    async def ask(self, what: str, act: str = "") -> None:  # noqa: ARG002 - the double has people of its own
        if act:
            self.double.hear(Acted(self.double.places[0], act), asyncio.get_running_loop().time())

    async def cut_power(self) -> None:
        self.double.cut_power(asyncio.get_running_loop().time())


async def try_double(make: Any, driver: type[Driver], only: tuple[str, ...] = ()) -> Report:
    """Try a double in this process, at the speed of life."""
    options = Url("double", "double", {"deck": "53"}).options(make.options)
    double = make(options, asyncio.get_running_loop().time())
    running: list[asyncio.Task[None]] = []

    async def plug() -> Link:
        host, line = Pipe.pair()
        running.append(asyncio.create_task(run(double, line, options)))
        return host

    try:
        rig = Rig(driver, plug, Switch(double), patience=60)
        return await conform(rig, driver.__name__, make.__name__, only=only)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@pytest.mark.parametrize(("kind", "driver"), SHIPPED)
def test_every_shipped_double_conforms(warp: Warp, kind: str, driver: str) -> None:
    """At the speed of life, power cuts included, no line fails."""
    report = warp(try_double(registry.double(kind), registry.driver(driver)))
    assert report.conforms, str(report)


def test_every_double_that_is_installed_is_tried() -> None:
    """No double comes with tablectl that this file does not try."""
    assert set(registry.names(registry.DOUBLES)) == {kind for kind, _ in SHIPPED}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.__name__)
def test_a_broken_device_fails_on_the_right_line(warp: Warp, broken: Any) -> None:
    """The line that names its fault fails."""
    report = warp(try_double(broken, registry.driver(DRIVERS[broken.kinds])))
    assert not report.conforms
    assert BROKEN[broken] in report.failed(), str(report)
    assert all(line.text for line in report.lines if line.verdict is not Verdict.PASSED)


def test_what_came_instead_of_an_answer_is_quoted(warp: Warp) -> None:
    """A device refuses where an answer is due, and its maker reads its own word, not only that none came."""
    report = warp(try_double(StartsAnewAtHello, registry.driver("otdp-shoe"), only=("otdp-hello",)))
    assert report.lines[0].text.endswith("what came is NAK refusal=no-session")


@pytest.mark.parametrize("broken", BROKEN_DRIVERS, ids=lambda each: each.__name__)
def test_a_broken_driver_fails_on_the_right_line(warp: Warp, broken: type[StackShoe]) -> None:
    """The device is sound, and the line that names the driver's fault fails."""
    report = warp(try_double(registry.double("stack-shoe"), broken, only=(BROKEN_DRIVERS[broken],)))
    assert report.failed() == (BROKEN_DRIVERS[broken],), str(report)


def test_every_claim_can_be_broken() -> None:
    """Each line of the kit has a device or a driver that fails on it, so that none of them passes whatever comes."""
    names = {check.name.partition(":")[0] for kind in DRIVERS.values() for check in checks_of(registry.driver(kind))}
    assert names == {*BROKEN.values(), *BROKEN_DRIVERS.values()}


@asynccontextmanager
async def on_terminal(kind: str, path: Path) -> AsyncGenerator[tuple[str, Any]]:
    port = path / f"{kind}-{next(_NUMBERS)}"
    async with _served(kind, open_pty(port)) as double:
        yield f"serial:{port}", double


@asynccontextmanager
async def over_tcp(kind: str, _: Path) -> AsyncGenerator[tuple[str, Any]]:
    line = listen("127.0.0.1:0")
    async with _served(kind, line) as double:
        yield f"tcp:127.0.0.1:{line.port}", double


@asynccontextmanager
async def _served(kind: str, line: Any) -> AsyncGenerator[Any]:
    make = registry.double(kind)
    options = Url("double", kind, {"speed": "max", "deck": "53"}).options(make.options)
    double = make(options, asyncio.get_running_loop().time())
    running = asyncio.create_task(run(double, line, options))
    try:
        yield double
    finally:
        running.cancel()
        await asyncio.wait([running])
        await line.close()


@asynccontextmanager
async def behind_pyusb(kind: str, _: Path) -> AsyncGenerator[tuple[str, Any]]:
    yield f"usb:double:{kind}?speed=max&deck=53&serial=conform-{next(_NUMBERS)}", None


LINKS: dict[str, Any] = {"terminal": on_terminal, "tcp": over_tcp, "usb": behind_pyusb}


@pytest.mark.timeout(300)  # it waits for most of a minute, and longer where others keep the machine busy
async def test_every_shipped_double_conforms_on_every_link(tmp_path: Path) -> None:
    """On a pseudo-terminal, over TCP and behind pyusb no line fails; all are tried at once, for the waiting is long."""
    async with AsyncExitStack() as stack:
        tries: list[Awaitable[Report]] = []
        for link, (kind, driver) in itertools.product(LINKS, SHIPPED):
            url, double = await stack.enter_async_context(LINKS[link](kind, tmp_path))
            rig = Rig(registry.driver(driver), _opener(url), patience=20, quiet=0.4, idle=1.2)
            rig.hands = Switch(double) if double else hands_for(url, None)
            tries.append(conform(rig, driver, url))
        reports = await asyncio.gather(*tries)
    failed = [(report.head, line) for report in reports for line in report.lines if line.verdict is Verdict.FAILED]
    assert failed == [], "\n".join(map(str, reports))


def _opener(url: str) -> Callable[[], Awaitable[Link]]:
    return lambda: open_link(url)


def tablectl(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tablectl", "conform", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_report_can_be_read_by_people_and_machines(tmp_path: Path) -> None:
    """One line for each claim on the screen, the same as JSON in a file, and the status tells the result."""
    device = ("double:shaker?speed=max", "--driver", "otdp-shaker", "--quiet", "0.1", "--idle", "1.1")
    ended = tablectl(*device, "--only", "identity", "--only", "order", "--json", str(tmp_path / "report"))
    assert ended.returncode == 0, ended.stderr
    assert "passed     order: an order is carried out as ordered" in ended.stdout
    assert ended.stdout.endswith("conforms: 2 passed, 0 failed, 0 not tried\n")
    report = json.loads((tmp_path / "report").read_text())
    assert [(line["name"], line["verdict"]) for line in report["lines"]] == [
        ("identity", "passed"),
        ("order", "passed"),
    ]
    assert report["device"] == "OTDP dice shaker (double), serial D0000, firmware double 1"


def test_one_run_tries_both_halves_of_a_machine(tmp_path: Path) -> None:
    """A shuffler and stack shoe in one, on a pseudo-terminal: it is tried as each, and with two decks going round."""
    port = tmp_path / "both"
    double = (sys.executable, "-m", "tablectl", "double", "shuffler-shoe", "--pty", str(port), "--speed", "20")
    lines = ("order", "order:shuffler", "repeat:shuffler", "cycle")
    with subprocess.Popen(double, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as machine:
        while not port.exists():
            assert machine.poll() is None
            time.sleep(0.02)  # a port that comes tells nobody
        only = itertools.chain.from_iterable(("--only", line) for line in lines)
        ended = tablectl(f"serial:{port}", "--driver", "otdp-shuffler-shoe", "--quiet", "0.1", *only)
        machine.terminate()
    assert ended.stdout.endswith("conforms: 4 passed, 0 failed, 0 not tried\n"), ended.stdout


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (("double:shaker", "--driver", "otdp-shoe", "--only", "identity"), 1, "is shaker, awaited was a stack-shoe"),
        (("double:shaker", "--driver", "nonesuch"), 78, "no driver 'nonesuch' is installed"),
        (("double:shaker", "--driver", "otdp-shaker", "--only", "nonesuch"), 78, "there is no line nonesuch"),
        (("serial:/nowhere", "--driver", "otdp-shaker", "--only", "identity"), 1, "the link was lost (missing)"),
    ],
)
def test_what_cannot_conform_says_why(words: tuple[str, ...], status: int, text: str) -> None:
    """Another device, no device and a wrong command end with a status of their own and a reason."""
    ended = tablectl(*words)
    assert ended.returncode == status
    assert text in ended.stdout + ended.stderr


async def test_a_bench_without_a_keyboard_tries_no_power_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is said to be there, and the input ends where a word is awaited: the line is not tried, and the report
    is not lost.
    """
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(NotTried, match="there is no keyboard"):
        await Person(lambda _: None).cut_power()


def test_a_laboratory_runs_the_kit_with_pytest(tmp_path: Path) -> None:
    """With the plugin each claim is a test, a broken claim reads without a traceback, and the device is a fixture."""
    (tmp_path / "test_bench.py").write_text(
        "async def plugged(rig):\n    link = await rig.plug()\n    await link.close()\n"
        "def test_own(tablectl_rig):\n    import asyncio\n    asyncio.run(plugged(tablectl_rig))\n"
    )
    options = ("--tablectl-quiet=0.1", "--tablectl-idle=1.1", "-p", "no:randomly", "-q", "-rA", "-o", "addopts=")
    pytest_ = [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), str(tmp_path)]
    device = ["--tablectl-device", "double:shuffler?speed=max"]
    sound = subprocess.run(
        [*pytest_, *device, "--tablectl-driver", "otdp-shuffler", "-k", "identity or test_own", *options],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert sound.returncode == 0, sound.stdout
    assert "3 passed" in sound.stdout
    wrong = subprocess.run(
        [*pytest_, *device, "--tablectl-driver", "otdp-shaker", "-k", "identity", *options],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert wrong.returncode == 1
    assert "is shuffler, awaited was a shaker" in wrong.stdout
    assert "Traceback" not in wrong.stdout
