"""The record of the table: every input and the facts that followed, durable, numbered and chained."""

from tablectl.journal.audit import Stat, count, prove, rows
from tablectl.journal.files import JournalBusy, JournalDamaged, room, set_aside
from tablectl.journal.journal import Journal
from tablectl.journal.mend import mend
from tablectl.journal.reader import Reader
from tablectl.journal.reads import Reading, note, readings
from tablectl.journal.record import Record
from tablectl.journal.rows import Entry, Head, Outgoing, Row, Stated, to_entry
from tablectl.journal.volumes import volumes

__all__ = [
    "Entry",
    "Head",
    "Journal",
    "JournalBusy",
    "JournalDamaged",
    "Outgoing",
    "Reader",
    "Reading",
    "Record",
    "Row",
    "Stat",
    "Stated",
    "count",
    "mend",
    "note",
    "prove",
    "readings",
    "room",
    "rows",
    "set_aside",
    "to_entry",
    "volumes",
]
