"""What the pit's board makes of messages, without a broker: topics in, parts out."""

import re
from typing import get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.events.facts import FACTS
from tablectl.pit.board import GONE, LINK, PARTS, Board, Key
from tablectl.pit.heard import EVENTS_KEPT
from tablectl.words import LOUD, TEMPLATES, UNTOLD, tell
from tests.web.states import OFFLINE, ONLINE, PREFIX, event, red_dog

NAMES = {fact.name() for fact in FACTS}
FIELDS = {fact.name(): set(get_type_hints(fact)) for fact in FACTS}


class Heard:
    """A board at a broker that answers, and the keys that changed."""

    def __init__(self) -> None:
        self.changed: list[Key] = []
        self.board = Board("demo", "pit1", self.changed.append, "12:00")
        self.board.connected("12:00")

    def hear(self, part: str, value: object, now: str = "12:01") -> None:
        payload = value if isinstance(value, bytes) else msgspec.json.encode(value)
        self.board.hear(f"{PREFIX}/t01/{part}", payload, now)

    def silent(self) -> object:
        return self.board.part(("t01", "silent"))


def test_every_fact_has_its_words() -> None:
    """Each fact is told in plain words or left untold on purpose, and no words are kept for a fact that is gone."""
    assert set(TEMPLATES) | UNTOLD == NAMES
    assert not set(TEMPLATES) & UNTOLD
    assert set(TEMPLATES) >= LOUD


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_words_name_fields_of_their_fact(name: str) -> None:
    """A template names only fields that its fact has, and never how many cards a shoe holds."""
    named = set(re.findall(r"\{(\w+)\}", TEMPLATES[name]))
    assert named <= FIELDS[name]
    assert "left" not in named


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("wager.placed", {"hand": "3", "wager": "raise", "amount": 2500}, "Position 3: raise 25.00 placed"),
        ("wager.placed", {"hand": "3", "wager": "raise"}, "Position 3: raise placed"),
        ("cards.dealt", {"hand": "dealer", "cards": ["??", "Jk", "Td"]}, "Dealer: dealt face down joker 10♦"),
        ("cards.dealt", {"hand": "3", "cards": ["??"] * 7}, "Position 3: dealt 7 face down"),
        ("cards.dealt", {"hand": "3", "cards": ["7s", "7s", "??", "??"]}, "Position 3: dealt 7♠ 7♠ 2 face down"),
        (
            "wager.settled",
            {"hand": "3", "wager": "original", "outcome": "lose", "paid": 0},
            "Position 3: original lose",
        ),
        ("wager.settled", {"hand": "1", "wager": "w", "outcome": "win", "odds": [3, 2]}, "Position 1: w win at 3 to 2"),
        ("round.judged", {"what": "spread", "answer": "3"}, "Spread 3"),
        ("device.condition-changed", {"device": "shoe1", "condition": "jam", "active": False}, "Shoe1: jam is over"),
        ("later.fact-of-ours", {"x": 1}, "Later fact of ours"),
    ],
)
def test_facts_read_as_people_speak(name: str, data: dict[str, object], words: str) -> None:
    """Optional parts vanish with their fields, cards and odds read as on the felt, and a new fact is at least named."""
    assert tell(name, data) == words


def test_silence_keeps_its_first_time() -> None:
    """A table is silent since it was last live, whatever the reason becomes meanwhile."""
    heard = Heard()
    heard.hear("state", red_dog())
    heard.hear("status", ONLINE)
    assert heard.silent() is None

    heard.board.disconnected("cable", "12:02")
    heard.board.disconnected("cable", "12:03")
    heard.board.connected("12:04")
    heard.hear("status", OFFLINE, "12:05")
    silent = msgspec.to_builtins(heard.silent())
    assert silent == {"since": "12:02", "reason": "its connection was lost"}

    heard.hear("status", ONLINE, "12:06")
    assert heard.silent() is None


def test_a_table_found_offline_is_silent_since_its_last_state() -> None:
    """What is retained of a table that died before this display started still tells since when at least."""
    heard = Heard()
    heard.hear("state", red_dog())
    heard.hear("status", OFFLINE)
    assert msgspec.to_builtins(heard.silent())["since"] == red_dog().ts


def test_an_unreadable_status_is_not_live() -> None:
    """A status that cannot be read does not leave the last one standing."""
    heard = Heard()
    heard.hear("status", ONLINE)
    heard.hear("status", b"online")
    assert heard.silent() is not None
    assert "status" in heard.board.part(("t01", "faults"))


def test_a_cleared_status_takes_the_table_off() -> None:
    """An empty retained status says that the table left the pit; clearing the rest does not bring it back."""
    heard = Heard()
    heard.hear("state", red_dog())
    heard.hear("status", b"")
    heard.hear("state", b"")
    assert heard.board.tables == {}
    assert heard.changed[-1] == ("t01", GONE)


def test_events_are_told_once_and_newest_first() -> None:
    """An event that comes twice is told once; only the latest are kept."""
    heard = Heard()
    for seq in (1, 2, 2, 1, *range(3, EVENTS_KEPT + 10)):
        heard.hear("evt/round/opened", event(seq, "round.opened", round=seq))
    told = heard.board.part(("t01", "events"))
    assert [one.id for one in told] == [f"t01:9f3a:{seq}" for seq in range(EVENTS_KEPT + 9, 9, -1)]


def test_an_order_that_was_carried_out_is_no_news() -> None:
    """Of the orders to devices only those are told that did not end well: the others are told by what they did."""
    heard = Heard()
    for seq, outcome in enumerate(("done", "unknown", "done"), 1):
        heard.hear("evt/command/ended", event(seq, "command.ended", command="c1", outcome=outcome))
    assert [one.id for one in heard.board.part(("t01", "events"))] == ["t01:9f3a:2"]


TOPICS = st.sampled_from(
    ["status", "meta", "state", "device/shoe1", "alarms", "bridge", "evt/round/opened", "cmd/x", ""]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["v", "state", "data"]), inner),
    max_leaves=6,
)
PAYLOADS = (
    st.binary(max_size=20) | JSON.map(msgspec.json.encode) | JSON.map(lambda x: msgspec.json.encode({"v": 1, "x": x}))
)


@given(st.lists(st.tuples(TOPICS, PAYLOADS), max_size=12))
def test_no_bytes_stop_the_board(messages: list[tuple[str, bytes]]) -> None:
    """Whatever arrives, the board goes on, and what changed can be sent to a page."""
    heard = Heard()
    for part, payload in messages:
        heard.hear(part, payload)
    for key in heard.changed:
        assert key == LINK or key[1] in (*PARTS, GONE)
        msgspec.json.encode(heard.board.part(key))
    msgspec.json.encode(heard.board.whole())
