"""OTDP's messages in bytes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tablectl_drivers.otdp import wire
from tablectl_drivers.otdp.fields import Choice, Field, Number, Several, String
from tablectl_drivers.otdp.wire import EVENTS, LAYOUTS, Dice, EventBody, Message

from tablectl.devices.framing import LONGEST_BODY
from tablectl.dice import Roll
from tablectl.errors import WireError

_DICE = st.sampled_from(list(wire.DICE))


def values(field: Field) -> st.SearchStrategy[Any]:
    match field:
        case Number(absent=absent):
            numbers = st.integers(0, field.greatest - absent)
            return st.none() | numbers if absent else numbers
        case String(longest=longest):
            return st.text(max_size=longest).filter(lambda text: len(text.encode()) <= longest)
        case Choice(numbers=numbers):
            return st.sampled_from(list(numbers))
        case Several(bits=bits):
            return st.sets(st.sampled_from(list(bits))).map(
                lambda chosen: tuple(each for each in bits if each in chosen)
            )
        case Dice():
            return st.builds(Roll, _DICE, _DICE, _DICE)
        case EventBody():
            return st.sampled_from(list(EVENTS.values())).flatmap(
                lambda event: st.builds(event[0], **{name: values(each) for name, each in event[1].items()})
            )
    raise TypeError(field)


MESSAGES = st.sampled_from(list(LAYOUTS)).flatmap(
    lambda message: st.builds(message, **{name: values(field) for name, field in LAYOUTS[message].items()})
)


@given(MESSAGES, st.integers(0, 255))
def test_what_is_written_is_read(message: Message, link: int) -> None:
    """Every message in both directions comes back as it was, and fits a frame."""
    body = wire.encode(message, link)
    assert (message, link) == wire.decode(body)
    assert len(body) <= LONGEST_BODY


@given(MESSAGES, st.data())
def test_a_message_cut_short_or_continued_is_refused(message: Message, data: st.DataObject) -> None:
    """A message with bytes missing or left over raises a WireError, and nothing else."""
    body = wire.encode(message)
    cut = data.draw(st.integers(0, len(body) - 1))
    with pytest.raises(WireError):
        wire.decode(body[:cut])
    with pytest.raises(WireError):
        wire.decode(body + b"\0")


@given(st.binary(max_size=80))
def test_no_bytes_raise_anything_but_a_wire_error(body: bytes) -> None:
    """Any bytes are a message or a WireError."""
    try:
        message, link = wire.decode(body)
    except WireError:
        return
    assert wire.encode(message, link) == body


def test_no_two_messages_share_a_code() -> None:
    """Each message and each event has a code of its own."""
    assert len(wire.MESSAGES) == len(Message.__subclasses__())
    assert len({word for word, _ in EVENTS.values()}) == len(EVENTS)


def test_a_value_that_does_not_fit_is_refused() -> None:
    """A number too great, or a command too long, raises and is not cut."""
    with pytest.raises(ValueError, match="does not fit"):
        wire.encode(wire.Arm("c", 256, 7, 53))
    with pytest.raises(ValueError, match="longer than 32"):
        wire.encode(wire.Go("c" * 33))
