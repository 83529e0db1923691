"""The one JSON form of readings, announcements and facts, and the envelope in which inputs reach the table."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Union

import msgspec

from tablectl.events.announcements import ANNOUNCEMENTS, Announcement
from tablectl.events.facts import FACTS, Fact
from tablectl.events.readings import READINGS, Reading
from tablectl.events.record import RECORD

VERSION = 1
"""Raised when a word changes in a way that older readers would misread."""


@lru_cache(maxsize=16)  # all facts of an input share it
def timestamp(wall: int) -> str:
    """Write nanoseconds since 1970 as RFC 3339 in UTC with milliseconds: ``2026-11-30T12:00:00.123Z``."""
    moment = datetime.fromtimestamp(wall // 1_000_000_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{wall // 1_000_000 % 1000:03d}Z"


class Input(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One thing said to the table, and who said it.

    body: the reading or announcement. at: wall clock in nanoseconds, stamped where it arrived. source: device id for a
    reading, role for an announcement. boot, number: the device's own, which make a reading unique. by: the person.
    key: the caller's own id of the announcement; a repeated key has no second effect.
    """

    body: Reading | Announcement
    at: int
    source: str
    boot: str = ""
    number: int = 0
    by: str = ""
    key: str = ""

    @property
    def origin(self) -> str:
        """Return what makes this input unique, empty where nothing does: ``shoe1:9f3a:17``, ``dealer#3b1c``."""
        if self.boot and self.number:
            return f"{self.source}:{self.boot}:{self.number}"
        return origin_of(self.source, self.key) if self.key else ""


def origin_of(source: str, key: str) -> str:
    """Return what makes an announcement unique: role and key."""
    return f"{source}#{key}"


_encoder = msgspec.json.Encoder()
_inputs: msgspec.json.Decoder[Reading | Announcement] = msgspec.json.Decoder(Union[READINGS + ANNOUNCEMENTS + RECORD])  # noqa: UP007
_facts: msgspec.json.Decoder[Fact] = msgspec.json.Decoder(Union[FACTS])  # noqa: UP007
_announcements: msgspec.json.Decoder[Announcement] = msgspec.json.Decoder(Union[ANNOUNCEMENTS])  # noqa: UP007


def encode(word: Reading | Announcement | Fact) -> bytes:
    """Write a word as JSON; ``type`` names it."""
    return _encoder.encode(word)


def decode_body(data: bytes | str) -> Reading | Announcement:
    """Read what was said to the table.

    Raises:
        msgspec.ValidationError: not a reading or announcement of this version.
    """
    return _inputs.decode(data)


def decode_announcement(data: bytes | str) -> Announcement:
    """Read an announcement.

    Raises:
        msgspec.ValidationError: with the place and what was awaited there.
    """
    return _announcements.decode(data)


def decode_fact(data: bytes | str) -> Fact:
    """Read a fact.

    Raises:
        msgspec.ValidationError: not a fact of this version.
    """
    return _facts.decode(data)
