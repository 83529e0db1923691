"""What an auditor does with a journal from the command line."""

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tablectl.events import announcements as say
from tablectl.journal import Reader
from tablectl.terms import Dealing
from tests.altered import alter
from tests.recalled import recorded
from tests.system.test_record_volumes import Player, opened
from tests.tables import Bench, terms

INPUT = ["source", "event_boot", "event", "by", "key"]
COLUMNS = ["number", "boot", "wall", "mono", "table", "round", "cause", *INPUT, "version", "body", "seq"]
"""Of a row, in the order in which they are hashed."""


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    for _ in range(3):
        bench.say(say.PlaceWager("2", "original", 2500))
        bench.draw("5s 6d")
    return recorded(bench, tmp_path_factory.mktemp("journal") / "journal.db")


def tablectl(*words: str, seed: str = "0") -> tuple[int, str, str]:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-m", "tablectl", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout, done.stderr


def test_a_whole_journal_is_said_to_be_whole(journal: Path) -> None:
    """The last hash is told, so that it can be compared with one that was noted elsewhere."""
    with Reader(journal) as reader:
        head = reader.head()

    told = f"Whole: {head.number} rows, {head.seq} events, hash {head.hash.hex()}\n"
    assert tablectl("journal", "verify", str(journal)) == (0, told, "")


def test_one_altered_byte_is_found_and_its_row_named(journal: Path, tmp_path: Path) -> None:
    """A five that became a six, with nothing else changed, is told with the rows of its entry."""
    altered = Path(shutil.copy(journal, tmp_path / "journal.db"))
    alter(altered, '"cards":["5s"]', '"cards":["6s"]')
    with Reader(journal) as reader:
        cause = next(row.cause for row in reader.rows() if '"cards":["5s"]' in row.body)
        entry = reader.entry(cause or 0)

    status, said, complaint = tablectl("journal", "verify", str(altered))
    assert (status, said) == (1, "")
    assert f"of rows {entry.number} to {entry.last}, one was altered" in complaint


def test_a_journal_that_lost_its_end_is_found_by_its_anchor(journal: Path, tmp_path: Path) -> None:
    """An older copy under a newer anchor is no whole journal."""
    (tmp_path / "journal.db").write_bytes(journal.read_bytes())
    anchor = json.loads(journal.with_name("journal.db.anchor").read_bytes())
    anchor["head"]["number"] += 500
    (tmp_path / "journal.db.anchor").write_text(json.dumps(anchor))

    status, _, complaint = tablectl("journal", "verify", str(tmp_path / "journal.db"))
    assert status == 1
    assert f"awaited {anchor['head']['number']}" in complaint


def test_what_is_no_journal_is_told_apart_from_a_damaged_one(tmp_path: Path) -> None:
    """Status 2 for what cannot be read at all, 1 for a file that is none any more."""
    (tmp_path / "text.db").write_text("not a database " * 100)

    assert tablectl("journal", "stat", str(tmp_path / "none.db"))[0] == 2
    assert tablectl("journal", "verify", str(tmp_path / "text.db"))[0] == 1


def test_the_export_can_be_checked_with_sha256_and_json_alone(journal: Path) -> None:
    """Each line holds a row as it was hashed: whoever has the export can follow the chain without this program."""
    lines = tablectl("journal", "export", str(journal))[1].splitlines()
    with Reader(journal) as reader:
        before, head = hashlib.sha256(reader.epoch.encode()).digest(), reader.head()

    for number, line in enumerate(lines, 1):
        row = json.loads(line)
        body = line[line.index('"body":') + 7 : line.rindex(',"seq":')]
        columns = [body if name == "body" else row[name] for name in COLUMNS]
        before = hashlib.sha256(
            before + json.dumps(columns, separators=(",", ":"), ensure_ascii=False).encode()
        ).digest()
        assert (row["number"], row["hash"]) == (number, before.hex())
    assert before == head.hash


def test_a_round_is_told_beside_its_proof(journal: Path) -> None:
    """`journal recall` is `recall`, with all that it can be asked."""
    words = (str(journal), "--round", "2", "--json")
    told = tablectl("recall", *words)

    assert told[0] == 0
    assert json.loads(told[1])[0]["round"] == 2
    assert tablectl("journal", "recall", *words) == told


def test_the_figures_are_those_of_the_rows(journal: Path) -> None:
    """stat counts what export writes."""
    rows = [json.loads(line) for line in tablectl("journal", "export", str(journal))[1].splitlines()]
    told = dict(line.split(maxsplit=1) for line in tablectl("journal", "stat", str(journal))[1].splitlines())

    inputs = sum(row["cause"] is None for row in rows)
    assert told["rows"] == f"{len(rows)}, of {inputs} inputs and {len(rows) - inputs} facts"
    assert told["rounds"] == str(sum(row["body"]["type"] == "round.opened" for row in rows))
    assert told["head"] == rows[-1]["hash"]
    assert told["table"] == "test/pit1/t01"


async def played(folder: Path) -> None:
    async with opened(folder) as controller:
        player = Player(controller)
        await player.open()
        for _ in range(3):
            await player.play()


def test_a_record_replays_the_same_anywhere(tmp_path: Path) -> None:
    """Another folder, time zone, language and hash seed: the same facts, the same hash, no difference."""
    asyncio.run(played(tmp_path))
    elsewhere = {"TZ": "Asia/Kolkata", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONUTF8": "0"}
    told = set()
    for seed, environment, folder in (("0", {}, tmp_path), ("7", elsewhere, Path("/"))):
        for words in (("replay",), ("journal", "verify")):
            command = [sys.executable, "-m", "tablectl", *words, str(tmp_path / "journal.db")]
            where = {**os.environ, **environment, "PYTHONHASHSEED": seed}
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=where, cwd=folder)
            told.add((words, done.stdout))
    assert len(told) == 2
