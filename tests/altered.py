"""Records as a forger leaves them who knows SQLite and how words are packed, and not how rows are chained."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tablectl.journal.packing import packed, told, unpacked


def tamper(path: Path, *statements: str) -> None:
    """Change a volume past its triggers; ``packed(text)`` and ``told(words)`` turn JSON to words and back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.create_function("told", 1, told)
        database.create_function("packed", 1, lambda text: packed([text[1:-1]]))
        database.execute("DROP TRIGGER IF EXISTS entry_stands")
        database.execute("DROP TRIGGER IF EXISTS entry_stays")
        for statement in statements:
            database.execute(statement)


def alter(path: Path, was: str, now: str) -> None:
    """Change what one entry says, the first that says so."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT number, words FROM entry ORDER BY number").fetchall()
    number = next(number for number, words in rows if was in unpacked(words))
    tamper(path, f"UPDATE entry SET words = packed(replace(told(words), '{was}', '{now}')) WHERE number = {number}")
