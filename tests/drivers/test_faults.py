"""Planned faults: each befalls a double as planned, and the table gets over it without a second stack."""

import asyncio
import itertools
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from tablectl.devices import registry
from tablectl.devices.bench import socket
from tablectl.devices.contract import State
from tablectl.devices.faults import Plan, Schedule, What
from tablectl.devices.link import Url, open_link
from tablectl.devices.mechanism import TROUBLE
from tablectl.devices.world import Acted
from tablectl.errors import ConfigError
from tablectl.events.facts import StackDue
from tablectl.events.readings import (
    CommandUnknown,
    DeviceConditionBegan,
    DeviceConditionEnded,
    DeviceFound,
    ShoeLoaded,
    ShoeStackDispensed,
    ShoeStackTaken,
    ShufflerFinished,
    ShufflerStarted,
)
from tests.drivers.tables import Kept, configured

Warp = Callable[[Coroutine[Any, Any, Any]], Any]
_NUMBERS = itertools.count()
DUE = StackDue("c1", "shoe1", 1, 7, 53, "1")

PLANS: dict[str, tuple[str, list[str]]] = {
    "garbage": ("at = 0\nwhat = 'garbage'\nsize = 400\nevery = 0.5", []),
    "modem": ("at = 0\nwhat = 'modem'\nevery = 0.5", []),
    "silence": ("at = 3\nwhat = 'silence'\nlasts = 6", ["silent"]),
    "a short silence": ("at = 3\nwhat = 'silence'\nlasts = 2", []),
    "stuck": ("at = 3\nwhat = 'stuck'\nlasts = 8", ["silent"]),
    "half-write": ("at = 3.9\nwhat = 'half-write'\nevery = 2.5", []),
    "replay": ("at = 3\nwhat = 'replay'\nsize = 64\nevery = 1", []),
    "eof": ("at = 4.5\nwhat = 'eof'", ["unplugged"]),
    "eio": ("at = 4.5\nwhat = 'eio'", ["unplugged"]),
    "reset": ("at = 3\nwhat = 'reset'", ["restarted"]),
    "forget": ("at = 3\nwhat = 'forget'", ["restarted"]),
    "clock-step": ("at = 4.2\nwhat = 'clock-step'\nlasts = 300", []),
    "jam": ("at = 4.2\nwhat = 'jam'\n[[fault]]\nat = 9\nwhat = 'clear'", []),
}
"""A plan for each fault, and what the link is lost for because of it."""


def planned(path: Path, text: str, kind: str = "stack-shoe") -> str:
    path.write_text(f"seed = 7\n[[fault]]\n{text}\n")
    return f"double:{kind}?deck=53&serial=planned{next(_NUMBERS)}&faults={path}"


@pytest.mark.parametrize("name", PLANS)
def test_a_planned_fault_is_got_over(warp: Warp, tmp_path: Path, name: str) -> None:
    """A stack ordered four seconds after the beginning is dispensed once, whatever happens around it."""
    text, reasons = PLANS[name]
    url = planned(tmp_path / "plan", text)

    async def main() -> None:
        async with Kept(configured("shoe1", "otdp-shoe", url)) as kept:
            journal = kept.journals["shoe1"]
            await asyncio.sleep(4)
            journal.open = (DUE,)
            kept.upkeeps["shoe1"].perform(DUE)
            await journal.until(ShoeStackDispensed, seconds=120)
            await asyncio.sleep(20)
            shoe: Any = socket(Url.parse(url)).double
            assert shoe.strokes == 1
            assert journal.words().count("ShoeStackDispensed") == 1
            assert journal.losses() == reasons
            assert kept.upkeeps["shoe1"].state is not State.OFFLINE

    warp(main())


def test_every_fault_that_can_be_planned_is_tried() -> None:
    """No kind of fault is without a plan above."""
    texts = " ".join(text for text, _ in PLANS.values())
    assert {what for what in What if f"'{what}'" not in texts} == set()


def test_power_that_fails_in_mid_stack_is_a_doubt(warp: Warp, tmp_path: Path) -> None:
    """A reset while cards slide out: the command is unknown, in the log too, and nothing is dispensed again."""
    url = planned(tmp_path / "plan", "at = 5\nwhat = 'reset'")

    async def main() -> None:
        async with Kept(configured("shoe1", "otdp-shoe", url)) as kept:
            journal = kept.journals["shoe1"]
            await asyncio.sleep(4)
            journal.open = (DUE,)
            kept.upkeeps["shoe1"].perform(DUE)
            await journal.until(CommandUnknown)
            await asyncio.sleep(60)
            shoe: Any = socket(Url.parse(url)).double
            assert shoe.strokes == 0
            assert "ShoeStackDispensed" not in journal.words()
            assert shoe.cards_in == shoe.cards_out + len(shoe.inside)

    with capture_logs() as lines:
        warp(main())
    doubts = [(line["command"], line["reason"]) for line in lines if line["event"] == CommandUnknown.name()]
    assert doubts == [(DUE.command, "reset while it moved")]


@pytest.mark.parametrize(
    "chances", ["bytewise=1", "delay=0.2", "delay=0.05&duplicate=0.3&split=1&drop=0.1", "flip=0.2&reorder=0.2"]
)
def test_chances_come_through_the_url(warp: Warp, chances: str) -> None:
    """Bytes one by one, late, doubled, split, damaged: the stack is dispensed once."""
    url = f"double:stack-shoe?deck=53&seed=3&serial=chance{next(_NUMBERS)}&{chances}"

    async def main() -> None:
        async with Kept(configured("shoe1", "otdp-shoe", url)) as kept:
            journal = kept.journals["shoe1"]
            kept.upkeeps["shoe1"].perform(DUE)
            journal.open = (DUE,)
            await journal.until(ShoeStackDispensed, seconds=300)
            shoe: Any = socket(Url.parse(url)).double
            assert shoe.strokes == 1

    warp(main())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("drop = 'much'", "Expected `float`, got `str` - at `$.drop`"),
        ("[[fault]]\nwhat = 'eof'", "missing required field `at` - at `$.fault[0]`"),
        ("[[fault]]\nat = 1\nwhat = 'eof'\nlast = 3", "unknown field `last`"),
        ("[[fault", "no plan of faults"),
    ],
)
async def test_a_plan_that_cannot_be_is_refused(tmp_path: Path, text: str, why: str) -> None:
    """A mistake in a plan is told with its file and place."""
    (tmp_path / "plan").write_text(text)
    with pytest.raises(ConfigError) as error:
        await open_link(f"double:stack-shoe?faults={tmp_path / 'plan'}")
    assert why in str(error.value)
    assert str(tmp_path / "plan") in str(error.value)


def test_a_plan_is_kept_in_order() -> None:
    """What is due comes by its time; what repeats comes again, and what does not is over."""
    plan = Plan.read
    assert callable(plan)
    schedule = Schedule(
        Plan(fault=(_fault(2, "jam"), _fault(1, "eof", every=2), _fault(9, "clear"))), 100
    )  # fmt: skip
    assert schedule.next() == 101
    assert [fault.what for fault in schedule.due(102)] == ["eof", "jam"]
    assert schedule.next() == 103
    assert [fault.what for fault in schedule.due(103)] == ["eof"]
    assert schedule.next() == 105


def _fault(at: float, what: str, every: float = 0) -> Any:
    from tablectl.devices.faults import Fault

    return Fault(at=at, what=what, every=every)


def test_the_command_says_its_seed(tmp_path: Path) -> None:
    """A double with a plan prints plan and seed, so that a failure can be played again."""
    (tmp_path / "plan").write_text("drop = 0.5\nseed = 42\n")
    words = ("stack-shoe", "--tcp", "127.0.0.1:0", "--faults", str(tmp_path / "plan"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tablectl", "double", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline().startswith("tcp:127.0.0.1:")
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=10)
    assert error == f"faults of {tmp_path / 'plan'}, seed 42\n"
    assert process.returncode == 0


def test_two_machines_in_one_go_round(warp: Warp) -> None:
    """One deck is dealt while the other is shuffled; the shuffle ends in mid-round, and its deck drops when due."""
    url = f"double:shuffler-shoe?deck=53&serial=both{next(_NUMBERS)}"

    async def main() -> None:
        from tablectl.events.facts import ShuffleDue, StubDue

        async with Kept(configured("both", "otdp-shuffler-shoe", url)) as kept:
            journal, upkeep = kept.journals["both"], kept.upkeeps["both"]
            await journal.until(ShoeLoaded)
            assert upkeep.identity
            assert upkeep.identity.kinds == ("stack-shoe", "shuffler")
            upkeep.perform(ShuffleDue("s1", "both", "B"))
            await journal.until(ShufflerStarted)
            for number in range(1, 8):
                upkeep.perform(StackDue(f"d{number}", "both", number, 7, 53 - 7 * (number - 1), str(number)))
                await journal.until(ShoeStackTaken, number)
            await journal.until(ShufflerFinished, seconds=60)
            finished = next(each.body for each in journal.inputs if isinstance(each.body, ShufflerFinished))
            assert finished == ShufflerFinished("s1", 53, complete=True)
            upkeep.perform(StubDue("stub", "both", 4))
            await journal.until(ShoeLoaded, 2, seconds=60)
            machine: Any = socket(Url.parse(url)).double
            assert len(machine.inside) == 53
            assert machine.cards_in == machine.cards_out + len(machine.inside) + len(machine.below)
            upkeep.perform(StackDue("e1", "both", 1, 7, 53, "1"))
            await journal.until(ShoeStackDispensed, 8)

    warp(main())


ALL = (
    ("stack-shoe", "otdp-shoe"),
    ("card-shoe", "otdp-card-shoe"),
    ("shuffler", "otdp-shuffler"),
    ("shaker", "otdp-shaker"),
    ("reader", "otdp-reader"),
    ("shuffler-shoe", "otdp-shuffler-shoe"),
    ("line-shoe", "line-shoe"),
    ("line-shuffler", "line-shuffler"),
    ("line-shaker", "line-shaker"),
)
"""Every double, with the driver that drives most of it."""
EVERYTHING = "".join(
    f"[[fault]]\nat = {20 * number}\nwhat = '{what}'\nlasts = 6\n" for number, what in enumerate(What, 1)
)


def test_no_double_is_left_out() -> None:
    """Each double that is installed suffers below."""
    assert sorted(kind for kind, _ in ALL) == sorted(registry.names(registry.DOUBLES))


@pytest.mark.parametrize(("kind", "driver"), ALL)
def test_every_double_suffers_everything(warp: Warp, tmp_path: Path, kind: str, driver: str) -> None:
    """A plan holds every fault, one after another: each device is lost for what happened, and found again."""
    (tmp_path / "plan").write_text(EVERYTHING)
    url = f"double:{kind}?serial=all{next(_NUMBERS)}&faults={tmp_path / 'plan'}"

    async def main() -> None:
        async with Kept(configured("one", driver, url)) as kept:
            await asyncio.sleep(20 * (len(What) + 2))
            losses = kept.journals["one"].losses()
            assert set(losses) == {"silent", "unplugged", "restarted"}
            assert losses.count("unplugged") == len((What.EOF, What.EIO))
            assert losses.count("restarted") == len((What.RESET, What.FORGET))
            assert kept.upkeeps["one"].state is not State.OFFLINE

    warp(main())


@pytest.mark.parametrize(("kind", "driver"), ALL)
def test_every_condition_is_told_with_its_state(warp: Warp, kind: str, driver: str) -> None:
    """A technician opens the door, a card jams: on every device the condition begins, is its state while it lasts, is
    told once, in the log too, however often it is felt, and ends.
    """
    url = f"double:{kind}?serial=conditions{next(_NUMBERS)}"

    async def main() -> None:
        async with Kept(configured("one", driver, url)) as kept:
            journal, upkeep = kept.journals["one"], kept.upkeeps["one"]
            await journal.until(DeviceFound)
            await asyncio.sleep(1)
            machine: Any = socket(Url.parse(url)).double
            for times, (act, condition) in enumerate(TROUBLE.items(), 1):
                for _ in range(2):
                    machine.hear(Acted("", act), asyncio.get_running_loop().time())
                await journal.until(DeviceConditionBegan, times)
                assert upkeep.state is State(condition.value)
                machine.hear(Acted("", "clear"), asyncio.get_running_loop().time())
                await journal.until(DeviceConditionEnded, times)
            began = [each.body.condition for each in journal.inputs if isinstance(each.body, DeviceConditionBegan)]
            assert began == list(TROUBLE.values())

    with capture_logs() as lines:
        warp(main())
    told = [line["condition"] for line in lines if line["event"] == "device.condition"]
    assert told == [str(condition) for condition in TROUBLE.values()]
