"""Who read a record: lines beside it, only ever added to, each chained to the one before.

The journal has one writer, the daemon, which may not run or may not be reached by whoever reads its files. So a reader
notes itself in a file of its own; it needs the right to write this one, and none to write the journal.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import msgspec

from tablectl.errors import JournalError
from tablectl.events.codec import timestamp
from tablectl.journal.files import JournalDamaged
from tablectl.journal.record import Record
from tablectl.journal.volumes import volumes


class Reading(msgspec.Struct, frozen=True):
    """One reading. at: RFC 3339; what: ``rounds 1180 to 1190``; row, head: the record's last row and its hash then;
    before: SHA-256 of the line before, empty for the first.
    """

    at: str
    by: str
    what: str
    row: int
    head: str
    before: str


def reads_file(path: Path) -> Path:
    """Return where the readings of a record are noted: ``journal.reads`` beside ``journal.db``."""
    first = next(iter(volumes(path)), path)
    return first.with_name(re.sub(r"\.\d{4,}$", "", first.stem) + ".reads")


def note(path: Path, by: str, what: str, wall: int) -> None:
    """Note a reading of a record, durably. wall: nanoseconds since 1970.

    Raises:
        JournalError: it cannot be noted; then nothing may be read.
    """
    with Record(path) as record:
        head = record.head()
    file = reads_file(path)
    try:
        with file.open("a+b") as lines:
            fcntl.flock(lines, fcntl.LOCK_EX)
            reading = Reading(timestamp(wall), by, what, head.number, head.hash.hex(), _last_hash(lines))
            lines.write(msgspec.json.encode(reading) + b"\n")
            lines.flush()
            os.fsync(lines.fileno())
    except OSError as error:
        raise JournalError(f"{file}: the reading cannot be noted: {error.strerror}") from error


def _last_hash(lines: BinaryIO) -> str:
    lines.seek(0)
    last = b""
    for last in lines:  # noqa: B007 - the last is what counts
        pass
    return _hash(last)


def _hash(line: bytes) -> str:
    return sha256(line).hexdigest() if line else ""


def readings(path: Path) -> Iterator[Reading]:
    """Yield the noted readings of a record, each proven by the chain.

    Raises:
        JournalError: there is no such record.
        JournalDamaged: names the first line that was altered, or before which one is missing.
    """
    file, before = reads_file(path), b""
    if not file.exists():
        if not volumes(path):
            raise JournalError(f"journal {path}: there is no such record")
        return
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                reading = msgspec.json.decode(line, type=Reading)
            except msgspec.DecodeError as error:
                raise JournalDamaged(f"{file}: line {number} is no reading: {error}") from error
            if reading.before != _hash(before):
                raise JournalDamaged(f"{file}: before line {number} one was altered, or is missing")
            yield reading
            before = line
