"""What the daemon says to the table of its record: it goes on in another volume, and old ones leave it."""

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


RECORD: tuple[type[System], ...] = (TurnRecord, ContinueRecord, DropRecord)
"""All that is said of the record, beside the announcements."""
