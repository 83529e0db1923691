"""The rehearsal from outside: the command, its processes, its record and its page, as a user has them."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from tablectl.events.announcements import PlaceWager
from tablectl.events.facts import CardsDealt, CardsSet, CardsStubCounted, DeckCuttingCardOut, Fact, RoundOpened
from tablectl.events.readings import ShoeLoaded
from tablectl.games import GAMES
from tablectl.journal import Reader
from tablectl.rehearsal import SETUPS

COMMAND = (sys.executable, "-m", "tablectl")
CLEAN = ("Irregularities  0", "Suspensions     0", "Refusals        0")
Kind = TypeVar("Kind", bound=Fact)


SEEN = [("amounts", "exposed"), ("amounts", "called"), ("presence", "exposed"), ("presence", "called")]
IN_FULL = ("red-dog", "pai-gow-poker")
COMBINATIONS = [
    *((game, variant, *seen) for game, variant in SETUPS if game in IN_FULL for seen in SEEN),
    ("supreme-pai-gow", "base", "presence", "called"),
    ("mississippi-stud", "base", "amounts", "exposed"),
    ("mini-tex-3-card-holdem", "base", "presence", "exposed"),
    ("four-card-poker", "base", "amounts", "called"),
    ("spanish-21", "base", "amounts", "exposed"),
    ("triple-attack-blackjack", "base", "presence", "called"),
]
"""Red dog and pai gow poker whatever the table sees; of each other game one way, ``make soak`` plays them all."""


def tablectl(*words: str | Path, patience: float = 110) -> subprocess.CompletedProcess[str]:
    command = (*COMMAND, *map(str, words))
    return subprocess.run(command, capture_output=True, text=True, timeout=patience, check=False)


def play(journal: Path, *words: str, rounds: int, patience: float = 110) -> str:
    """Play at full speed without the page, and return what was said; all must be clean and the record replay."""
    options = ("--rounds", str(rounds), "--speed", "max", "--no-pit", "--journal", journal)
    played = tablectl("demo", *words, *options, patience=patience)
    assert (played.returncode, played.stderr) == (0, "")
    assert [line for line in CLEAN if line not in played.stdout.splitlines()] == [], played.stdout
    assert f"Rounds          {rounds} in" in played.stdout
    replayed = tablectl("replay", journal)
    assert (replayed.returncode, f"No difference: {rounds} rounds" in replayed.stdout) == (0, True), replayed.stdout
    return played.stdout


@pytest.mark.parametrize(("game", "variant", "wagers", "cards"), COMBINATIONS)
def test_every_game_plays(tmp_path: Path, game: str, variant: str, wagers: str, cards: str) -> None:
    """Every game is played without an irregularity, two of them whatever the table sees; its record replays."""
    words = ("--game", game, "--variant", variant, "--wagers", wagers, "--cards", cards, "--seed", "1")

    said = play(tmp_path / "journal.db", *words, rounds=3)

    assert ("staked" in said) == (wagers == "amounts")


def test_every_game_is_here() -> None:
    """A game that is added is played here in at least one combination."""
    assert {game for game, *_ in COMBINATIONS} == GAMES.keys()


def test_shoe_is_shuffled_again(tmp_path: Path) -> None:
    """When the cutting card comes out of a red dog shoe the dealer shuffles, and play goes on."""
    journal = tmp_path / "journal.db"
    play(journal, "--game", "red-dog", rounds=16)

    assert len(facts(journal, DeckCuttingCardOut)) >= 1


def test_one_machine_shuffles_and_deals(tmp_path: Path) -> None:
    """Two decks go round in a shuffler that is the shoe too: the next drops in mid-round, and is dealt after it."""
    journal = tmp_path / "journal.db"
    play(journal, "--combined", rounds=4)

    opened = [told.deck for told in facts(journal, RoundOpened)]
    assert opened == ["red", "blue", "red", "blue"]
    with Reader(journal) as reader:
        said = [entry.said.body for entry in reader.entries() if isinstance(entry.said.body, ShoeLoaded)]
    assert len(said) >= len(opened)


def test_stub_is_counted(tmp_path: Path) -> None:
    """Without a shuffler that counts, the stub is counted at least once in five rounds, and is right."""
    journal = tmp_path / "journal.db"
    play(journal, "--variant", "bonus-hand", rounds=6)

    counted = facts(journal, CardsStubCounted)
    assert len(counted) >= 1
    assert all(count.count == count.expected for count in counted)


def test_seed_repeats(tmp_path: Path) -> None:
    """The same seed deals and sets the same cards to the same wagers, however the processes were scheduled."""
    dealt = []
    for journal in (tmp_path / "one.db", tmp_path / "two.db"):
        play(journal, "--seed", "7", rounds=2)
        with Reader(journal) as reader:
            placed = [entry.said.body for entry in reader.entries() if isinstance(entry.said.body, PlaceWager)]
        words = [str(word) for word in (*placed, *facts(journal, CardsDealt), *facts(journal, CardsSet))]
        dealt.append(sorted(words))

    assert dealt[0] == dealt[1]


def facts(journal: Path, kind: type[Kind]) -> list[Kind]:
    with Reader(journal) as reader:
        return [stated.fact for entry in reader.entries() for stated in entry.facts if isinstance(stated.fact, kind)]


def test_broker_inside(tmp_path: Path) -> None:
    """Where there is no mosquitto, the broker inside will do."""
    play(tmp_path / "journal.db", "--broker", "embedded", rounds=2)


@contextmanager
def playing(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Play without end, from the moment when the first round is over."""
    command = (*COMMAND, "demo", "--speed", "max", *words)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        try:
            yield demo
        finally:
            demo.kill()


def read_until(demo: subprocess.Popen[str], word: str) -> list[str]:
    assert demo.stdout
    lines = []
    for line in demo.stdout:
        lines.append(line)
        if word in line:
            return lines
    pytest.fail(f"the demo never said {word!r}: {lines}")


def children(demo: subprocess.Popen[str]) -> dict[int, str]:
    """Return the processes of a demo, each with its command line."""
    pids = Path(f"/proc/{demo.pid}/task/{demo.pid}/children").read_text().split()
    return {int(pid): Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in pids}


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_stopped(stop: signal.Signals) -> None:
    """Ctrl-C and SIGTERM end a demo in order: the sums are told, the status is 0, and no process is left."""
    with playing("--no-pit", "--game", "red-dog") as demo:
        read_until(demo, "Round 1 ")
        running = children(demo)
        demo.send_signal(stop)
        out, err = demo.communicate(timeout=30)

    assert (demo.returncode, err) == (0, "")
    assert "Refusals        0" in out
    assert len(running) == 3
    assert [line for pid, line in running.items() if is_alive(pid)] == []


def test_killed() -> None:
    """A demo that is killed takes its processes along."""
    with playing("--no-pit", "--game", "red-dog") as demo:
        read_until(demo, "Round 1 ")
        running = children(demo)
        exits = [os.pidfd_open(pid) for pid in running]
        demo.kill()
        demo.wait()
        for descriptor in exits:
            assert has_ended(descriptor), "a process outlived the demo"


def has_ended(descriptor: int) -> bool:
    ready, _, _ = select.select([descriptor], [], [], 10)
    os.close(descriptor)
    return bool(ready)


@pytest.mark.parametrize("victim", ["double card-shoe", "tablectl run", "mosquitto"])
def test_broken_down(victim: str) -> None:
    """When one of its processes breaks down, the demo says which, and ends with status 1."""
    with playing("--no-pit", "--game", "red-dog") as demo:
        read_until(demo, "Round 1 ")
        running = children(demo)
        os.kill(next(pid for pid, line in running.items() if victim in line), signal.SIGKILL)
        _, err = demo.communicate(timeout=30)

    assert demo.returncode == 1
    assert re.match(r"tablectl demo: (card-shoe|table|mosquitto) ended by SIGKILL; its last words:\n", err), err
    assert [line for pid, line in running.items() if is_alive(pid)] == []


def test_page() -> None:
    """The demo prints where its pit page is, and the page knows the table."""
    with playing() as demo:
        page = read_until(demo, "Pit page: ")[-1].split()[-1]
        read_until(demo, "Round 1 ")
        with urllib.request.urlopen(f"{page}events", timeout=10) as events:
            while events.readline() != b"event: board\n":
                pass
            board = json.loads(events.readline().removeprefix(b"data: "))

    assert "demo/pit1/t01" in json.dumps(board)


def test_terminal() -> None:
    """On a terminal of 80 by 24 the table is drawn live, and after Ctrl-C the sums stand alone."""
    screen, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    command = (*COMMAND, "demo", "--speed", "max", "--no-pit", "--game", "red-dog")
    environment = {**os.environ, "TERM": "xterm-256color"}
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as demo:
        os.close(terminal)
        drawn = drawn_until(screen, b"Red Dog", b"last events", b"Wagers closed")
        demo.send_signal(signal.SIGINT)
        drawn = drawn_until(screen, b"Refusals        0")
        assert demo.wait(30) == 0
    os.close(screen)

    assert b"\x1b[?1049l" in drawn


def drawn_until(screen: int, *words: bytes) -> bytes:
    drawn = b""
    while not all(word in drawn for word in words):
        drawn += os.read(screen, 65536)
    return drawn


@pytest.mark.parametrize(
    ("words", "awaited"),
    [
        (("--game", "baccarat"), "awaited one of red-dog, pai-gow-poker"),
        (("--game", "red-dog", "--variant", "bonus"), "awaited one of base for red-dog"),
        (("--speed", "0"), "awaited a number above 0, or max"),
        (("--game", "red-dog", "--combined"), "awaited a game that is dealt from a stack shoe"),
        (("--broker", "localhost"), "awaited HOST:PORT, or embedded"),
        (("--journal", __file__), "a rehearsal begins a new one"),
    ],
)
def test_refused(words: tuple[str, ...], awaited: str) -> None:
    """What cannot be rehearsed is refused at once, with what was awaited."""
    refused = tablectl("demo", *words)

    assert refused.returncode == 78
    assert awaited in refused.stderr
