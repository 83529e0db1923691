"""The one JSON form of readings, announcements and facts."""

import json
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.cards import Card
from tablectl.dice import DieFault, Roll
from tablectl.events.announcements import ANNOUNCEMENTS, NoMoreBets, PlaceWager, VoidRound
from tablectl.events.codec import (
    Input,
    decode_announcement,
    decode_body,
    decode_fact,
    encode,
)
from tablectl.events.facts import FACTS, Fact, RoundOpened, Snapshot
from tablectl.events.readings import Reading, ShoeCardDrawn
from tablectl.events.word import Word, kebab
from tablectl.money import Odds

st.register_type_strategy(Roll, st.builds(Roll, *(st.one_of(st.integers(1, 6), st.sampled_from(list(DieFault))),) * 3))
st.register_type_strategy(Odds, st.builds(Odds, st.integers(0, 1000), st.integers(1, 100)))


READINGS = tuple(Reading.__subclasses__())


def words(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Draw a word with every field filled by its type."""
    return st.builds(kind, **{name: st.from_type(hint) for name, hint in fields(kind).items()})


def fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {name: hints[name] for name in kind.__struct_fields__}


st.register_type_strategy(Snapshot, words(Snapshot))


@pytest.mark.parametrize("kind", [*READINGS, *ANNOUNCEMENTS, *FACTS], ids=lambda kind: kind.__name__)
@settings(max_examples=12)
@given(data=st.data())
def test_every_word_is_read_as_it_was_written(kind: type[Word], data: st.DataObject) -> None:
    """Whatever a word holds, its JSON names it and gives it back, byte for byte the same when written again."""
    word = data.draw(words(kind))
    read = decode_fact if issubclass(kind, Fact) else decode_body
    written = encode(word)
    assert read(written) == word
    assert encode(read(written)) == written
    assert json.loads(written)["type"] == kind.name()


def test_no_two_words_have_one_name() -> None:
    """Readings and announcements share one union, and facts have another; each name is said once in each."""
    said = [kind.name() for kind in (*READINGS, *ANNOUNCEMENTS)]
    told = [kind.name() for kind in FACTS]
    assert len(said) == len(set(said))
    assert len(told) == len(set(told))


def test_names_follow_from_classes() -> None:
    """``RoundOpened`` is ``round.opened``, ``NoMoreBets`` is ``no-more-bets``."""
    assert (RoundOpened.name(), NoMoreBets.name()) == ("round.opened", "no-more-bets")
    assert kebab("ShoeStackDispensed") == "shoe-stack-dispensed"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"type":"place-wager","hand":"3","wager":"original","amount":5.0}', r"\$.amount"),
        ('{"type":"place-wager","hand":"3","wager":"original","amount":"5"}', r"\$.amount"),
        ('{"type":"place-wager","hand":3,"wager":"original"}', r"\$.hand"),
        ('{"type":"place-wager","hand":"3"}', "wager"),
        ('{"type":"place-wager","hand":"3","wager":"original","colour":"red"}', "colour"),
        ('{"type":"expose-cards","hand":"3","cards":["As","1x"]}', r"\$.cards\[1\]"),
        ('{"type":"round.opened"}', "round.opened"),
        ('{"hand":"3"}', "type"),
    ],
)
def test_what_is_no_announcement_is_refused_with_its_place(text: str, place: str) -> None:
    """A float for money, a wrong type, a field too few or too many, a card that is none, a fact and no name at all."""
    with pytest.raises(msgspec.ValidationError, match=place):
        decode_announcement(text)


def test_a_reading_is_no_announcement() -> None:
    """Nobody can say through the commands of people what only a device may say."""
    drawn = encode(ShoeCardDrawn(Card("As")))
    assert isinstance(decode_body(drawn), Reading)
    with pytest.raises(msgspec.ValidationError):
        decode_announcement(drawn)


def test_words_are_frozen() -> None:
    """What was said cannot be changed afterwards."""
    with pytest.raises(AttributeError):
        PlaceWager("3", "original", 500).amount = 5000  # type: ignore[misc]


@pytest.mark.parametrize(
    ("said", "origin"),
    [
        (Input(ShoeCardDrawn(), 0, "shoe1", "9f3a", 17), "shoe1:9f3a:17"),
        (Input(NoMoreBets(), 0, "dealer", key="3b1c"), "dealer#3b1c"),
        (Input(VoidRound("x"), 0, "supervisor"), ""),
        (Input(ShoeCardDrawn(), 0, "shoe1", "9f3a"), ""),
    ],
)
def test_an_input_s_origin_makes_it_unique_or_is_empty(said: Input, origin: str) -> None:
    """A device's boot and number, or a caller's key; nothing is invented where neither is there."""
    assert said.origin == origin
