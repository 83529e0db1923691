"""A real broker, the tables that a test puts on it, and a real browser that looks at the pit."""

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec
import pytest
from playwright.async_api import Browser, Page, async_playwright

from tablectl.cards import cards
from tablectl.dice import Roll
from tablectl.events.facts import Counted, Outcome, Place
from tablectl.money import Odds
from tablectl.pit import Broker, running
from tablectl.view import (
    AwaitedView,
    DeckView,
    DiceView,
    HandView,
    PositionView,
    RoundSummary,
    State,
    WagerView,
)

PREFIX = "tablectl/v1/demo/pit1"


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A mosquitto on a free port of the loopback; it can be killed, and comes back with an empty store."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.port = free_port()
        self._file = folder / f"mosquitto-{self.port}.conf"
        self._file.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n{more}")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            ["mosquitto", "-c", str(self._file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    async def ready(self) -> None:
        async with asyncio.timeout(5):
            while True:
                try:
                    async with self.client():
                        return
                except aiomqtt.MqttError:
                    await asyncio.sleep(0.05)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def client(self, **options: Any) -> aiomqtt.Client:
        return aiomqtt.Client("127.0.0.1", self.port, protocol=aiomqtt.ProtocolVersion.V5, **options)

    async def retain(self, table: str, **parts: Any) -> None:
        """Publish parts of a table retained: ``status``, ``state``, ``device/shoe1``; the status last, as a birth is."""
        async with self.client() as client:
            for part, value in sorted(parts.items(), key=lambda item: item[0] == "status"):
                payload = value if isinstance(value, bytes) else msgspec.json.encode(value)
                await client.publish(f"{PREFIX}/{table}/{part}", payload, qos=1, retain=True)


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    mosquitto = Mosquitto(tmp_path)
    mosquitto.start()
    try:
        await mosquitto.ready()
        yield mosquitto
    finally:
        mosquitto.kill()


@pytest.fixture
async def pit(broker: Mosquitto) -> AsyncIterator[str]:
    """The URL of a pit display that listens to the broker."""
    async with running(Broker("127.0.0.1", broker.port), site="demo", pit="pit1", port=0) as url:
        yield url


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        try:
            yield chromium
        finally:
            await chromium.close()


@pytest.fixture
async def page(browser: Browser, pit: str) -> AsyncIterator[Page]:
    """The pit's page on a wall display. No test may leave an error in its console."""
    context = await browser.new_context(viewport={"width": 1920, "height": 1080})
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    await page.goto(pit)
    yield page
    await context.close()
    assert [] == errors


ONLINE = {"state": "online", "boot": "b1"}


@pytest.fixture
def red_dog() -> Callable[..., State]:
    return red_dog_state


@pytest.fixture
def pai_gow() -> Callable[..., State]:
    return pai_gow_state


def red_dog_state(table: str = "t01", **changes: Any) -> State:
    """Red dog with a spread of three: three wagers down, one raise, "Raises closed" awaited."""
    state = State(
        v=1,
        table=f"demo/pit1/{table}",
        epoch="9f3a",
        at_seq=412,
        ts="2026-11-30T14:03:07.120Z",
        game="red-dog",
        variant="base",
        mode="rehearsal",
        unconfirmed=6,
        open=True,
        dealer="Dealer 7",
        round=1182,
        phase="decisions",
        awaited=AwaitedView(
            step="offer",
            who="players",
            prompt="Raises, up to the wager; then say “Raises closed”",
            verb="close-offer",
            what="raise",
            clause="13:69F-6.5(h)",
        ),
        positions=[
            PositionView(1, [WagerView("wager", 2500)]),
            PositionView(2),
            PositionView(3, [WagerView("wager", 10000), WagerView("raise", 10000)]),
            PositionView(4, [WagerView("wager", 1500)]),
            PositionView(5),
            PositionView(6, [WagerView("wager", 5000)]),
        ],
        areas={"left": HandView([*cards("9h")]), "right": HandView([*cards("Ks")])},
        calls=["spread 3"],
        decks=[DeckView("A", "blue", Place.SHOE, Counted.OK, 4), DeckView("B", "red", Place.SHUFFLER, Counted.NOT)],
        last=[
            RoundSummary(1180, "settled", 12500, 5000, 7500, "spread 5, king: between"),
            RoundSummary(1181, "settled", 9000, text="consecutive: tie hand"),
        ],
    )
    return msgspec.structs.replace(state, **changes)


def pai_gow_state(table: str = "t02", **changes: Any) -> State:
    """Pai gow poker at settlement: hands set high and low, one of each outcome, wagers by presence only."""
    high_low = {
        1: ("AsAdKhKd9c", "QsQh", Outcome.WIN, "win"),
        2: ("JkKcQdJhTs", "7c7d", Outcome.PUSH, "push"),
        3: ("8s8d5h4c2d", "Jc9h", Outcome.LOSE, "lose"),
        5: ("Th9h6h4h2h", "AcJs", None, ""),
        6: ("6s6d6c3h2c", "Ah5s", Outcome.NO_ACTION, "no action"),
    }
    state = State(
        v=1,
        table=f"demo/pit1/{table}",
        epoch="77ab",
        at_seq=90,
        ts="2026-11-30T14:03:07.120Z",
        game="pai-gow-poker",
        variant="base",
        mode="live",
        open=True,
        dealer="Dealer 12",
        round=377,
        phase="settling",
        awaited=AwaitedView(
            step="call",
            who="dealer",
            prompt="Position 5 against the dealer: win, push or lose?",
            verb="call",
            what="result",
            hand="5",
            answers=("win", "push", "lose"),
            clause="13:69F-11.17(g)",
        ),
        positions=[
            PositionView(
                number,
                [WagerView("pai gow", None, outcome=found[2], odds=Odds(1, 1) if found[2] is Outcome.WIN else None)],
                {str(number): HandView(high=[*cards(found[0])], low=[*cards(found[1])], result=found[3])},
            )
            if (found := high_low.get(number))
            else PositionView(number)
            for number in range(1, 7)
        ],
        areas={"dealer": HandView(high=[*cards("KsQc9s7h3d")], low=[*cards("TdTc")])},
        dice=DiceView(Roll.of(4, 5, 2), total=11, count=4, start="4"),
        decks=[DeckView("A", "red", Place.SHOE, Counted.OK), DeckView("B", "blue", Place.SHUFFLER, Counted.NOT)],
        last=[RoundSummary(376, "settled", text="dealer wins 3, loses 2")],
    )
    return msgspec.structs.replace(state, **changes)


@pytest.fixture
def second_broker(tmp_path: Path) -> Iterator[Callable[[str], Mosquitto]]:
    """Start further brokers with more lines in their configuration."""
    started: list[Mosquitto] = []

    def start(more: str) -> Mosquitto:
        started.append(Mosquitto(tmp_path, more))
        started[-1].start()
        return started[-1]

    yield start
    for mosquitto in started:
        mosquitto.kill()
