"""Frames on a noisy line."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.devices.framing import LONGEST, LONGEST_BODY, Deframer, frame

BODIES = st.binary(min_size=1, max_size=LONGEST_BODY)


@given(st.lists(BODIES, max_size=6), st.lists(st.integers(1, 40), min_size=1))
def test_frames_come_through_in_any_pieces(bodies: list[bytes], sizes: list[int]) -> None:
    """Whatever the pieces in which bytes arrive, the bodies are those that were sent."""
    line = b"".join(map(frame, bodies))
    deframer, found, at = Deframer(), [], 0
    while at < len(line):
        size = sizes[at % len(sizes)]
        found += deframer.feed(line[at : at + size])
        at += size
    assert found == bodies
    assert deframer.bad == 0


@given(BODIES)
def test_a_frame_is_never_too_long(body: bytes) -> None:
    """Every body that is allowed makes a frame within the limit, and no zero stands inside it."""
    sent = frame(body)
    assert len(sent) <= LONGEST
    assert sent[0] == sent[-1] == 0
    assert 0 not in sent[1:-1]


@given(st.lists(st.binary(min_size=1, max_size=60), min_size=3, max_size=8), st.integers(0, 2**32))
def test_one_damaged_byte_costs_two_frames_at_most_and_forges_none(bodies: list[bytes], seed: int) -> None:
    """A bit turned over, a byte lost or a byte added is never believed."""
    chance = random.Random(seed)
    line = bytearray(b"".join(map(frame, bodies)))
    at = chance.randrange(len(line))
    match chance.randrange(3):
        case 0:
            line[at] ^= 1 << chance.randrange(8)
        case 1:
            del line[at]
        case _:
            line.insert(at, chance.randrange(256))
    found = Deframer().feed(bytes(line) + frame(b"last"))
    left = iter([*bodies, b"last"])
    assert all(body in left for body in found), "only what was sent, in the order in which it was sent"
    assert len(found) >= len(bodies) + 1 - 2


@given(st.binary(max_size=3000))
def test_noise_before_a_frame_is_skipped(noise: bytes) -> None:
    """After any noise the next frame is found, and noise is not believed."""
    assert Deframer().feed(noise + frame(b"hello"))[-1] == b"hello"


def test_what_never_ends_is_not_kept() -> None:
    """A megabyte without a zero costs no memory, counts as one bad frame, and the next frame is found."""
    deframer = Deframer()
    for _ in range(1000):
        assert deframer.feed(b"\x55" * 1000) == []
        assert len(deframer._rest) <= LONGEST
    assert deframer.feed(frame(b"hello")) == [b"hello"]
    assert deframer.bad == 1


def test_a_body_that_fits_no_frame_is_refused() -> None:
    """A body one byte too long raises and says the limit."""
    with pytest.raises(ValueError, match=str(LONGEST_BODY)):
        frame(bytes(LONGEST_BODY + 1))
