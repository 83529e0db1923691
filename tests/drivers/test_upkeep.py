"""Upkeep: devices come, go, are the wrong ones and return; what is due is done once."""

import asyncio
import itertools
import os
import tty
from collections.abc import AsyncGenerator, Callable, Coroutine
from pathlib import Path
from typing import Any, ClassVar

import pytest
from structlog.testing import capture_logs

from tablectl.devices.bench import run, socket
from tablectl.devices.contract import Claims, Counters, Event, Identity, Kind, Link, Loss, Mark, State
from tablectl.devices.link import Url
from tablectl.devices.pty import open_pty
from tablectl.devices.registry import double, driver
from tablectl.devices.roster import Configured, Roster
from tablectl.errors import ConfigError, JournalError, LinkLost
from tablectl.events.codec import Input
from tablectl.events.facts import Fact, StackDue
from tablectl.events.readings import CommandUnknown, DeviceFound, DeviceLost, ShoeStackDispensed
from tablectl.upkeep import LONGEST_PAUSE, Upkeep

Warp = Callable[[Coroutine[Any, Any, Any]], Any]
_NAMES = itertools.count()


def url(options: str = "") -> str:
    return f"double:stack-shoe?serial=U{next(_NAMES)}&speed=max&deck=53{options}"


class Journal:
    """What was accepted, in order; a mark as the journal would give it."""

    def __init__(self) -> None:
        self.inputs: list[Input] = []
        self.open: tuple[StackDue, ...] = ()
        self.added = asyncio.Condition()

    async def mark(self) -> Mark:
        last = next((each for each in reversed(self.inputs) if each.number), None)
        return Mark(last.boot, last.number, self.open) if last else Mark(open_commands=self.open)

    async def accept(self, said: Input) -> None:
        async with self.added:
            self.inputs.append(said)
            self.added.notify_all()

    async def until(self, word: type, times: int = 1) -> None:
        async with self.added:
            await self.added.wait_for(lambda: sum(isinstance(each.body, word) for each in self.inputs) >= times)

    def words(self) -> list[str]:
        return [type(each.body).__name__ for each in self.inputs]


def upkeep(journal: Journal, place: str, serial: str = "") -> Upkeep:
    configured = Configured("shoe1", driver("otdp-shoe"), place, serial)
    return Upkeep(configured, journal.mark, journal.accept, wall=lambda: 1234, chance=lambda: 0.0)


def due(number: int) -> StackDue:
    return StackDue(f"c{number}", "shoe1", number, 7, 53 - 7 * (number - 1), "1")


async def stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


def test_a_device_is_found_and_its_readings_come_in_order(warp: Warp) -> None:
    """First who it is, then what it says, each stamped with device, boot, number and the edge's time."""

    async def main() -> None:
        journal = Journal()
        shoe = upkeep(journal, url())
        assert shoe.state is State.OFFLINE
        keeping = asyncio.create_task(shoe.keep())
        shoe.perform(due(1))
        await journal.until(ShoeStackDispensed)
        assert shoe.state in (State.STACK_READY, State.STACK_TAKEN)
        assert journal.words()[:3] == ["DeviceFound", "ShoeLoaded", "ShoeStackDispensed"]
        assert {(each.source, each.at) for each in journal.inputs} == {("shoe1", 1234)}
        assert [each.number for each in journal.inputs][:3] == [0, 1, 2]
        await stop(keeping)

    warp(main())


def make_deaf(shoe: Upkeep) -> None:
    double: Any = socket(Url.parse(shoe.device.url)).double
    double.receive = lambda *_: None


def unplug(shoe: Upkeep) -> None:
    link: Any = shoe._driver._session._session._link  # type: ignore[union-attr]
    link.lose(LinkLost(Loss.UNPLUGGED))


@pytest.mark.parametrize(
    ("trouble", "losses", "said"),
    [
        (lambda _: None, [], []),
        (
            make_deaf,
            [DeviceLost("silent", "it did not answer its last order, stack.due, before the controller stopped")],
            [["stack.due"]],
        ),
        (unplug, [DeviceLost("unplugged")], []),
    ],
    ids=["answered", "deaf", "away for a moment"],
)
def test_the_last_orders_are_answered_or_told(
    warp: Warp, trouble: Callable[[Upkeep], None], losses: list[DeviceLost], said: list[list[str]]
) -> None:
    """What is ordered just before the end is answered, and the end does not wait longer for it than that; where no
    answer comes in under a second log and record say which order it was. What comes after is not sent any more.
    """

    async def main() -> None:
        journal, clock = Journal(), asyncio.get_running_loop().time
        shoe = upkeep(journal, url())
        keeping = asyncio.create_task(shoe.keep())
        await journal.until(DeviceFound)
        await asyncio.sleep(1)
        journal.open = (due(1),)
        shoe.perform(due(1))
        trouble(shoe)
        began = clock()
        await shoe.finish()
        assert clock() - began < (1 if losses else 0.01)
        shoe.perform(due(2))
        await stop(keeping)
        assert [each.body for each in journal.inputs if isinstance(each.body, DeviceLost)] == losses
        double: Any = socket(Url.parse(shoe.device.url)).double
        assert list(double.memory.answers) == ["c1"]
        assert double.strokes == (0 if said else 1)

    with capture_logs() as lines:
        warp(main())
    assert [line["orders"] for line in lines if line["event"] == "device.unanswered"] == said


async def test_an_end_waits_for_no_device_that_is_away(tmp_path: Path) -> None:
    """What was due to a device that does not answer was never sent: the log says so, and nobody waits."""
    journal = Journal()
    shoe = upkeep(journal, f"serial:{tmp_path / 'shoe'}")
    keeping = asyncio.create_task(shoe.keep())
    await journal.until(DeviceLost)
    shoe.perform(due(1))
    with capture_logs() as lines:
        async with asyncio.timeout(0.5):
            await shoe.finish()
    await stop(keeping)
    assert [line["orders"] for line in lines if line["event"] == "device.unanswered"] == [["stack.due"]]
    assert len(journal.inputs) == 1


def test_an_hour_without_a_device_is_told_once(warp: Warp, tmp_path: Path) -> None:
    """In an hour unplugged: one DeviceLost, and no more than 20 lines in the log."""

    async def main() -> None:
        journal = Journal()
        keeping = asyncio.create_task(upkeep(journal, f"serial:{tmp_path / 'shoe'}").keep())
        await asyncio.sleep(3600)
        assert [each.body for each in journal.inputs] == [DeviceLost("missing")]
        await stop(keeping)

    with capture_logs() as lines:
        warp(main())
    assert len([line for line in lines if line["log_level"] != "debug"]) == 1
    tries = len(lines)
    assert 3600 / LONGEST_PAUSE < tries < 3600


def test_a_device_that_comes_and_goes_fills_no_log(warp: Warp) -> None:
    """A loose plug: the shoe says who it is and falls silent, for an hour, and the record has every loss; the log has
    each reason once, and says when the shoe is back to stay.
    """

    async def main() -> int:
        journal = Journal()
        shoe = upkeep(journal, url())
        keeping = asyncio.create_task(shoe.keep())
        await journal.until(DeviceFound)
        double: Any = socket(Url.parse(shoe.device.url)).double
        double._beat = lambda: None
        await asyncio.sleep(3600)
        losses = journal.words().count("DeviceLost")
        del double._beat
        await asyncio.sleep(60)
        assert shoe.state is not State.OFFLINE
        await stop(keeping)
        return losses

    with capture_logs() as lines:
        losses = warp(main())
    assert losses > 100
    told = [line["event"] for line in lines if line["log_level"] != "debug"]
    assert told == ["device.found", "device.lost", "device.steady"]


async def test_a_device_that_appears_is_found_at_once(tmp_path: Path) -> None:
    """However long the pause has grown, a node that appears, or a port that becomes free, ends it."""
    journal = Journal()
    shoe = upkeep(journal, f"serial:{tmp_path / 'shoe'}")
    keeping = asyncio.create_task(shoe.keep())
    await journal.until(DeviceLost)
    make = double("stack-shoe")
    options = Url("double", "stack-shoe", {}).options(make.options)
    line = open_pty(tmp_path / "shoe")
    running = asyncio.create_task(run(make(options, 0), line, options))
    async with asyncio.timeout(2):
        await journal.until(DeviceFound)
    # Unplugged and plugged in again, as another node behind the same path.
    await stop(running)
    await line.close()
    async with asyncio.timeout(2):
        await journal.until(DeviceLost, 2)
    assert journal.inputs[-1].body == DeviceLost("unplugged")
    line = open_pty(tmp_path / "shoe")
    running = asyncio.create_task(run(make(options, 0), line, options))
    async with asyncio.timeout(3):
        await journal.until(DeviceFound, 2)
    await stop(keeping)
    await stop(running)
    await line.close()


def test_a_device_is_let_go_when_another_one_is_meant(warp: Warp) -> None:
    """A swap that is told while the old device answers loses it at once, and finds the new one without a pause."""

    async def main() -> None:
        journal, place, meant = Journal(), url(), ["", "OT-43", ""]
        device = Configured("shoe1", driver("otdp-shoe"), place)
        roster = Roster((device,), lambda _: meant[0])
        shoe = Upkeep(device, journal.mark, journal.accept, wall=lambda: 1234, chance=lambda: 1.0, roster=roster)
        keeping = asyncio.create_task(shoe.keep())
        await journal.until(DeviceFound)
        del meant[0]
        shoe.reconsider()
        await journal.until(DeviceLost)
        assert getattr(journal.inputs[-1].body, "reason", "") == "wrong-device"
        await asyncio.sleep(60)
        del meant[0]
        shoe.reconsider()
        began = asyncio.get_running_loop().time()
        await journal.until(DeviceFound, 2)
        assert asyncio.get_running_loop().time() - began < 1
        await stop(keeping)

    warp(main())


def test_nothing_moves_on_the_wrong_device(warp: Warp) -> None:
    """A device with another serial number is told as wrong, is never found, and does not move."""

    async def main() -> None:
        journal, place = Journal(), url()
        shoe = upkeep(journal, place, serial="OT-42")
        keeping = asyncio.create_task(shoe.keep())
        shoe.perform(due(1))
        await asyncio.sleep(60)
        (lost,) = (each.body for each in journal.inputs)
        assert isinstance(lost, DeviceLost)
        assert lost.reason == "wrong-device"
        assert lost.detail.endswith("answers, awaited was serial 'OT-42'")
        stranger: Any = socket(Url.parse(place)).double
        assert stranger.strokes == 0
        assert not stranger.memory.answers
        await stop(keeping)

    warp(main())


def test_what_is_due_waits_for_the_device(warp: Warp) -> None:
    """An intent given while the device is away is carried out once when it is back, and its order is kept."""

    async def main() -> None:
        journal, place = Journal(), url()
        shoe = upkeep(journal, place)
        shoe.perform(due(1))
        journal.open = (due(1),)
        await asyncio.sleep(30)
        keeping = asyncio.create_task(shoe.keep())
        await journal.until(ShoeStackDispensed)
        await asyncio.sleep(30)
        shoe_double: Any = socket(Url.parse(place)).double
        assert shoe_double.strokes == 1
        assert [each for each in journal.words() if each.startswith("Command")] == []
        await stop(keeping)

    warp(main())


def test_what_has_ended_otherwise_is_not_done_late(warp: Warp) -> None:
    """An intent that was withdrawn while the device was away, as by a void round, moves nothing when it is back."""

    async def main() -> None:
        journal, place = Journal(), url()
        shoe = upkeep(journal, place)
        shoe.perform(due(1))
        shoe.withdraw(due(1).command)
        keeping = asyncio.create_task(shoe.keep())
        await journal.until(DeviceFound)
        await asyncio.sleep(30)
        await stop(keeping)
        shoe_double: Any = socket(Url.parse(place)).double
        assert shoe_double.strokes == 0
        assert [each for each in journal.words() if each.startswith("Command")] == []

    warp(main())


def test_a_restart_asks_and_carries_on(warp: Warp) -> None:
    """An open command of the journal that the device never saw is done after a restart, one that it did is not."""

    async def main() -> None:
        journal, place = Journal(), url()
        keeping = asyncio.create_task(upkeep(journal, place).keep())
        await journal.until(DeviceFound)
        await asyncio.sleep(1)
        await stop(keeping)
        journal.open = (due(1),)
        keeping = asyncio.create_task(upkeep(journal, place).keep())
        await journal.until(ShoeStackDispensed)
        await asyncio.sleep(1)
        await stop(keeping)
        # As if the daemon had died between the reading's commit and the end of the command.
        keeping = asyncio.create_task(upkeep(journal, place).keep())
        await asyncio.sleep(30)
        await stop(keeping)
        shoe_double: Any = socket(Url.parse(place)).double
        assert shoe_double.strokes == 1

    warp(main())


async def test_stale_frames_are_not_believed(tmp_path: Path) -> None:
    """Valid frames of an earlier connection, noise and a modem manager's words at open: none is believed."""
    make = double("stack-shoe")
    options = Url("double", "stack-shoe", {"serial": "OT-1", "speed": "max"}).options(make.options)
    old: Any = make(make.options(serial="OT-OLD", speed="max"), 0)
    line = open_pty(tmp_path / "shoe")
    stale = b"AT\rATE0\r" + b"\x00".join([old.output()] * 80)
    assert len(stale) > 4000
    journal = Journal()
    shoe = upkeep(journal, f"serial:{tmp_path / 'shoe'}")
    keeping = asyncio.create_task(shoe.keep())
    await asyncio.sleep(0.05)
    await line.write(stale[:4000])
    running = asyncio.create_task(run(make(options, 0), line, options))
    async with asyncio.timeout(5):
        await journal.until(DeviceFound)
    assert shoe.identity
    assert shoe.identity.serial == "OT-1"
    assert {each.body.serial for each in journal.inputs if isinstance(each.body, DeviceFound)} == {"OT-1"}
    await stop(keeping)
    await stop(running)
    await line.close()


def test_a_babbling_line_is_silent(warp: Warp) -> None:
    """A device whose frames are all damaged is lost as silent, not taken for alive."""

    async def main() -> None:
        journal = Journal()
        keeping = asyncio.create_task(upkeep(journal, url("&flip=1")).keep())
        await journal.until(DeviceLost)
        assert [each.body for each in journal.inputs] == [DeviceLost("silent")]
        await stop(keeping)

    warp(main())


async def test_a_peer_that_only_echoes_is_no_device(tmp_path: Path) -> None:
    """A line that sends back what it is sent (a loose RS-485 adapter) is silent."""
    master, slave = os.openpty()
    tty.setraw(slave)
    (tmp_path / "echo").symlink_to(os.ttyname(slave))
    asyncio.get_running_loop().add_reader(master, lambda: os.write(master, os.read(master, 4096)))
    journal = Journal()
    keeping = asyncio.create_task(upkeep(journal, f"serial:{tmp_path / 'echo'}").keep())
    async with asyncio.timeout(6):
        await journal.until(DeviceLost)
    assert journal.inputs[-1].body == DeviceLost("silent")
    await stop(keeping)
    asyncio.get_running_loop().remove_reader(master)
    os.close(master)
    os.close(slave)


def test_a_journal_that_fails_ends_the_upkeep(warp: Warp) -> None:
    """An error of the journal is not swallowed: it comes out of keep as it is."""

    async def main() -> None:
        async def refuse(_: Input) -> None:
            raise JournalError("disk full")

        journal = Journal()
        configured = Configured("shoe1", driver("otdp-shoe"), url())
        with pytest.raises(JournalError, match="disk full"):
            await Upkeep(configured, journal.mark, refuse).keep()

    warp(main())


def test_an_unacknowledged_reading_comes_again(warp: Warp) -> None:
    """A reading whose commit failed was not acknowledged: after a restart the device sends it again."""

    async def main() -> None:
        journal, place = Journal(), url()

        async def refuse(said: Input) -> None:
            if said.number == 1:
                raise JournalError("disk full")

        configured = Configured("shoe1", driver("otdp-shoe"), place)
        with pytest.raises(JournalError):
            await Upkeep(configured, journal.mark, refuse).keep()
        keeping = asyncio.create_task(upkeep(journal, place).keep())
        await asyncio.sleep(5)
        assert [each.number for each in journal.inputs] == [0, 1]
        await stop(keeping)

    warp(main())


def test_a_url_that_is_wrong_is_no_lost_device(warp: Warp) -> None:
    """A mistake of the operator ends the upkeep with its text instead of being tried for ever."""

    async def main() -> None:
        journal = Journal()
        with pytest.raises(ConfigError, match="a link begins with"):
            await upkeep(journal, "tape:/dev/null").keep()

    warp(main())


class Once:
    """A driver of a device without command ids: it sends once, and cannot ask."""

    kind: ClassVar[Kind] = Kind.STACK_SHOE
    state = State.LOADED
    claims = Claims()
    lost: LinkLost | None = None
    sent: ClassVar[list[str]] = []
    unplugged: ClassVar[asyncio.Event]

    def __init__(self, link: Link) -> None:
        self.counters = Counters()
        self.unsent: tuple[Fact, ...] = ()
        self._link = link
        self._doubts: tuple[str, ...] = ()

    async def open(self, mark: Mark) -> Identity:
        self._doubts = tuple(due.command for due in mark.open_commands if isinstance(due, StackDue))
        return Identity("Once", "O-1", "1", (self.kind,), "1", 0, self.state)

    async def readings(self) -> AsyncGenerator[Event]:
        for command in self._doubts:
            yield Event(CommandUnknown(command, "no ids"))
        await self.unplugged.wait()
        self.unplugged.clear()
        raise LinkLost(Loss.UNPLUGGED)

    async def dispense(self, due: StackDue) -> None:
        self.sent.append(due.command)

    async def close(self) -> None:
        await self._link.close()


def test_a_device_without_ids_is_told_once(warp: Warp) -> None:
    """What was sent when the link was lost is unknown and not sent again; what was never sent is sent, once."""

    async def main() -> None:
        Once.unplugged = asyncio.Event()
        journal = Journal()
        shoe = Upkeep(Configured("shoe1", Once, url()), journal.mark, journal.accept, chance=lambda: 1.0)
        keeping = asyncio.create_task(shoe.keep())
        await journal.until(DeviceFound)
        journal.open = (due(1),)
        shoe.perform(due(1))
        await asyncio.sleep(1)
        Once.unplugged.set()
        await journal.until(DeviceLost)
        journal.open = (due(1), due(2))
        shoe.perform(due(2))
        await journal.until(DeviceFound, 2)
        await asyncio.sleep(1)
        assert Once.sent == ["c1", "c2"]
        doubts = [each.body for each in journal.inputs if isinstance(each.body, CommandUnknown)]
        assert doubts == [CommandUnknown("c1", "no ids")]
        await stop(keeping)

    warp(main())


@pytest.mark.parametrize("turns", range(12))
def test_a_stop_is_heard_while_a_device_is_lost(warp: Warp, turns: int) -> None:
    """A plug is pulled as the service is stopped: whichever comes first, and by however little, keeping ends."""

    async def main() -> None:
        Once.unplugged = asyncio.Event()
        journal = Journal()
        shoe = Upkeep(Configured("shoe1", Once, url()), journal.mark, journal.accept)
        keeping = asyncio.create_task(shoe.keep())
        await journal.until(DeviceFound)
        Once.unplugged.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        keeping.cancel()
        done, _ = await asyncio.wait([keeping], timeout=60)
        keeping.cancel()
        assert done

    warp(main())
