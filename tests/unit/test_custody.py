"""Where each deck is, when it was counted, whose turn it is, and which never return."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.custody import Custody
from tablectl.events.announcements import DeckSource
from tablectl.events.facts import Counted, DeckRemoved, Place
from tablectl.terms import Refused

INSPECTED, PRE_SHUFFLED = DeckSource.INSPECTED, DeckSource.PRE_SHUFFLED


def custody(*decks: str, alternates: bool = True) -> Custody:
    held = Custody(53, alternates=alternates)
    for deck in decks:
        held.receive(deck, deck, INSPECTED, "")
    return held


def play(held: Custody, name: str, number: int, count: int | None = None) -> None:
    """Shuffle, load, deal and collect a deck."""
    held.shuffle_began(name)
    held.shuffled("shuffler", count)
    held.load(name)
    held.take(49)
    held.end_round(number, reshuffle=True)


def test_a_deck_s_way_through_one_round() -> None:
    """Rack, shuffler, ready, shoe and rack again, shuffled anew for each round."""
    held, places = custody("red"), []
    places.append(held.find("red").place)
    held.shuffle_began()
    places.append(held.find("red").place)
    held.shuffled("shuffler", 53)
    places.append(held.find("red").place)
    held.load()
    places.append(held.find("red").place)
    held.end_round(1, reshuffle=True)
    places.append(held.find("red").place)
    assert places == [Place.RACK, Place.SHUFFLER, Place.READY, Place.SHOE, Place.RACK]
    assert not held.find("red").shuffled


@pytest.mark.parametrize(
    ("count", "counted"), [(53, Counted.OK), (52, Counted.WRONG), (54, Counted.WRONG), (None, Counted.NOT)]
)
def test_the_shuffler_s_count_is_its_claim(count: int | None, counted: Counted) -> None:
    """Only the deck's own number is right; a device that does not count says nothing."""
    held = custody("red")
    held.shuffle_began()
    held.shuffled("shuffler", count)
    assert (held.find("red").counted, held.find("red").counted_by) == (counted, "shuffler" if count else "")


def test_a_wrong_count_latches() -> None:
    """A deck counted wrong is neither loaded nor shuffled again by hand."""
    held = custody("red")
    held.shuffle_began()
    held.shuffled("shuffler", 52)
    with pytest.raises(Refused):
        held.load("red")
    with pytest.raises(Refused):
        held.confirm_shuffle("red")


def test_a_removed_deck_never_returns() -> None:
    """Its place is for ever ``removed``, and its id is taken."""
    held = custody("red")
    assert held.remove("red", "worn", "1.18") == [DeckRemoved("red", "worn", "1.18")]
    with pytest.raises(Refused, match="never returns"):
        held.find("red")
    with pytest.raises(Refused, match="was at this table before"):
        held.receive("red", "green", INSPECTED, "")


@pytest.mark.parametrize("alternates", [True, False])
def test_how_many_decks_are_in_use(*, alternates: bool) -> None:
    """Two with a shuffler, one without; a removed one makes room."""
    held = custody(*(("red", "blue") if alternates else ("red",)), alternates=alternates)
    with pytest.raises(Refused, match="remove a deck"):
        held.receive("green", "green", INSPECTED, "")
    held.remove("red", "worn", "1.18")
    held.receive("green", "green", INSPECTED, "")


@given(st.lists(st.sampled_from(("red", "blue")), min_size=1, max_size=12))
def test_two_decks_take_turns(wanted: list[str]) -> None:
    """Whatever deck is brought, the one dealt last is refused while the other is in use, and the other never."""
    held, dealt = custody("red", "blue"), [""]
    for number, name in enumerate(wanted, 1):
        held.confirm_shuffle(name)
        if dealt[-1:] == [name]:
            with pytest.raises(Refused, match="take turns"):
                held.load(name)
        else:
            held.load(name)
            held.end_round(number, reshuffle=True)
            dealt.append(name)


def test_count_duty_falls_in_the_fifth_round_of_each_deck() -> None:
    """Not counted by a device, the stub is due in the fifth round since its number was known."""
    held, due = custody("red"), []
    for number in range(1, 12):
        held.confirm_shuffle("red")
        held.load("red")
        due.append(held.count_due(held.find("red"), 5))
        if due[-1]:
            held.counted("red", in_round=True)
        held.end_round(number, reshuffle=True)
    assert due == [False, False, False, False, True] * 2 + [False]


def test_a_device_s_count_starts_the_duty_anew() -> None:
    """Counted whole by its shuffle, the deck's rounds since then are counted from that round."""
    held = custody("red")
    for number in range(1, 4):
        play(held, "red", number)
    play(held, "red", 4, count=53)
    assert held.find("red").rounds_since_count == 1


def test_only_this_shuffle_s_count_waives_the_duty() -> None:
    """A new shuffle forgets what the last one counted."""
    held = custody("red")
    play(held, "red", 1, count=53)
    held.shuffle_began("red")
    assert held.find("red").counted is Counted.NOT


def test_a_lost_shuffler_leaves_the_number_unknown() -> None:
    """In mid-shuffle nobody knows; a deck that lay elsewhere keeps what is known of it."""
    held = custody("red", "blue")
    held.shuffle_began("red")
    held.shuffled("shuffler", 53)
    held.shuffle_began("blue")
    held.count_unknown()
    assert (held.find("red").counted, held.find("blue").counted) == (Counted.OK, Counted.UNKNOWN)


def test_a_table_that_waits_for_its_deck_says_for_what() -> None:
    """On its way a deck is told by name; only a deck that nobody works on, or knows of, is missing."""
    held = custody("red")
    missing = held.why_not()
    held.shuffle_began("red")
    assert held.why_not() == "deck red is being shuffled"
    held.count_unknown()
    assert held.why_not() == missing
    held.shuffled("shuffler", 53)
    assert held.why_not() == "deck red is shuffled and not yet in the shoe"
    held.load("red")
    assert not held.why_not()


def test_a_pre_shuffled_deck_is_ready_at_once() -> None:
    """Its seal excuses the first shuffle, and only that one."""
    held = custody()
    held.receive("red", "red", PRE_SHUFFLED, "S-1")
    assert held.load()
    held.end_round(1, reshuffle=True)
    with pytest.raises(Refused, match="no shuffled deck is ready"):
        held.load()


def test_cards_without_a_deck_are_no_cards() -> None:
    """Cards cannot leave an empty shoe."""
    with pytest.raises(LookupError):
        custody("red").take(1)
