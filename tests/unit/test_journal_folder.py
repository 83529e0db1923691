"""Where a journal may lie."""

from pathlib import Path

import pytest

from tablectl.errors import JournalError
from tablectl.journal import Journal


async def test_the_folder_of_a_new_journal_is_made(tmp_path: Path) -> None:
    """A first start needs no folder made by hand."""
    path = tmp_path / "new" / "folder" / "journal.db"

    async with Journal.open(path, table="demo/pit1/t01"):
        pass

    assert path.exists()


async def test_a_folder_that_cannot_be_made_is_named() -> None:
    """The error names the journal and what stands in its way."""
    with pytest.raises(JournalError, match="/proc/nothing"):
        async with Journal.open(Path("/proc/nothing/journal.db"), table="demo/pit1/t01"):
            pass
