"""Who read a record by name is noted beside it, and no note is lost or altered unseen."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.errors import JournalError
from tablectl.journal import JournalDamaged, note, readings
from tablectl.journal.reads import reads_file
from tablectl.terms import Dealing
from tests.recalled import AT, recorded
from tests.tables import Bench, terms


def journal(folder: Path) -> Path:
    return recorded(Bench(terms("red-dog", dealing=Dealing.SHOE)), folder / "journal.db")


def tablectl(*words: str | Path, reader: str = "") -> tuple[int, str, str]:
    command = [sys.executable, "-m", "tablectl", *map(str, words)]
    environment = {**os.environ, "TABLECTL_READER": reader}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout, done.stderr


def test_readings_stand_in_order_with_their_names(tmp_path: Path) -> None:
    """Each says when, who, what, and up to which row of the record; a file that is not there holds none."""
    path = journal(tmp_path)
    assert list(readings(path)) == []
    note(path, "a01", "round 1", AT)
    note(path, "a02", "round 2", AT)
    first, second = readings(path)
    assert (first.by, first.what, second.by) == ("a01", "round 1", "a02")
    assert first.row == second.row > 0


def test_two_readers_at_once_are_both_noted(tmp_path: Path) -> None:
    """Readings that are noted at the same moment follow one another, none between the lines of another."""
    path = journal(tmp_path)
    with ThreadPoolExecutor(8) as readers:
        list(readers.map(lambda number: note(path, f"a{number}", "all", AT), range(40)))
    assert sorted(reading.by for reading in readings(path)) == sorted(f"a{number}" for number in range(40))


@given(data=st.data())
def test_no_line_is_altered_or_taken_out_unseen(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever line but the last is changed or missing, the chain breaks at the one after it."""
    path = tmp_path_factory.mktemp("record") / "journal.db"
    lines = chain()
    place = data.draw(st.integers(0, len(lines) - 2))
    other = data.draw(st.sampled_from([b"", lines[place].replace(b"a01", b"a09")]))
    reads_file(path).write_bytes(b"".join((*lines[:place], other, *lines[place + 1 :])))
    with pytest.raises(JournalDamaged, match="altered, or is missing"):
        list(readings(path))


def chain(known: list[list[bytes]] = []) -> list[bytes]:  # noqa: B006 - made once for all examples
    if not known:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            path = journal(Path(folder))
            for number in range(6):
                note(path, "a01", f"round {number}", AT)
            known.append(reads_file(path).read_bytes().splitlines(keepends=True))
    return known[0]


def test_the_commands_note_who_reads_before_they_tell(tmp_path: Path) -> None:
    """By option or by the environment; verify proves the notes too, and reads lists them."""
    path = journal(tmp_path)
    assert tablectl("report", "shift", path, "--by", "a01")[0] == 0
    assert tablectl("recall", path, reader="a02")[0] == 0
    assert tablectl("journal", "stat", path)[0] == 0
    status, listed, _ = tablectl("journal", "reads", path)
    assert status == 0
    assert ["a01" in line or "a02" in line for line in listed.splitlines()] == [True, True]
    assert "Read by name 2 times" in tablectl("journal", "verify", path)[1]
    file = reads_file(path)
    file.write_bytes(file.read_bytes().replace(b"a01", b"a09"))
    assert tablectl("journal", "verify", path)[0] == 1


def test_what_cannot_be_noted_is_not_told(tmp_path: Path) -> None:
    """Where the notes cannot be written, the command says so and tells nothing; without a name it reads as ever."""
    path = journal(tmp_path)
    reads_file(path).mkdir()
    status, said, complaint = tablectl("report", "shift", path, "--by", "a01")
    assert (status, said) == (2, "")
    assert "cannot be noted: Is a directory" in complaint
    assert tablectl("report", "shift", path)[0] == 0
    with pytest.raises(JournalError):
        note(path, "a01", "all", AT)


def test_a_reader_needs_no_right_to_write_the_journal(tmp_path: Path) -> None:
    """The journal is as it was, byte for byte, after it was read by name."""
    path = journal(tmp_path)
    path.chmod(stat.S_IRUSR)
    before = path.read_bytes()
    note(path, "a01", "all", AT)
    assert path.read_bytes() == before
