"""The record of the table: every input and the facts that followed, durable, numbered and chained."""

from tablectl.journal.files import JournalBusy, set_aside
from tablectl.journal.journal import Journal
from tablectl.journal.reader import Reader
from tablectl.journal.rows import Entry, Head, Outgoing, Row, Stated, to_entry

__all__ = ["Entry", "Head", "Journal", "JournalBusy", "Outgoing", "Reader", "Row", "Stated", "set_aside", "to_entry"]
