"""What the daemon says to the table of its record: it goes on, old volumes leave it, and what was turned away."""

from tablectl.events.announcements import Configure, System
from tablectl.events.facts import Snapshot


class TurnRecord(System):
    """The record is to go on in a new volume, as soon as no round is open."""


class ContinueRecord(System):
    """The first words of a volume, which need none of the volumes before: the table's configuration, and all that
    outlives a round.
    """

    configured: Configure
    snapshot: Snapshot


class DropRecord(System):
    """A volume has been kept for as long as it had to be, was proven, and is deleted. file: its name; first, last:
    numbers of its rows; hash: of the last, in hexadecimal; days: for which it was kept.
    """

    file: str
    first: int
    last: int
    hash: str
    days: int


class TurnAway(System):
    """A command was refused before the table heard it. verb, role, by, key, data: the command, its data as JSON; code,
    awaited, text: why, as in the reply.
    """

    verb: str
    role: str
    by: str
    key: str
    data: str
    code: str
    awaited: str
    text: str


RECORD: tuple[type[System], ...] = (TurnRecord, ContinueRecord, DropRecord, TurnAway)
"""All that is said of the record, beside the announcements."""
