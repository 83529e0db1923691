"""A mistake on the command line, or a terminal that takes not all, is answered with words, never with a traceback."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tablectl.__main__ import main

NESTED = f"x = {'[' * 5_000}"
"""Deeper than Python goes."""

MISTAKES: tuple[tuple[str, int, str], ...] = (
    *((f"check {file}", 1, file) for file in ("none", "folder", "binary", "nested")),
    *((f"run {file}", 78, file) for file in ("none", "folder", "binary", "nested")),
    *((f"broker-acl {file}", 78, file) for file in ("none", "folder", "binary", "nested")),
    *((f"odds red-dog --house {file}", 78, "house") for file in ("none", "folder", "binary", "nested")),
    *((f"replay {file}", 2, file) for file in ("none", "folder", "binary", "nested")),
    *((f"recall {file}", 2, file) for file in ("none", "folder", "binary", "nested")),
    *((f"report shift {file}", 2, file) for file in ("none", "folder", "binary", "nested")),
    *((f"journal {task} none", 2, "none") for task in ("verify", "stat", "export", "reads")),
    ("pit --broker localhost:0", 2, "localhost:0"),
    ("double stack-shoe --pty port --faults nested", 1, "nested"),
    ("double stack-shoe --pty none/port", 1, "none/port"),
    (f"double stack-shoe --pty port --serial {'é' * 40}", 1, "64 bytes"),
    ("double stack-shoe --pty port --faults typo", 1, "'jamm' cannot happen to it; there are garbage,"),
    ("double stack-shoe --pty port --faults late", 1, "lasts"),
    ("double stack-shoe --pty port --set drop=5", 1, "drop"),
    ("double shaker --pty port --set cocked=2", 1, "cocked"),
    ("monitor nowhere: --driver otdp-shoe", 1, "nowhere"),
    ("conform nowhere: --driver otdp-shoe", 78, "nowhere"),
    ("conform double:shaker --driver otdp-shaker --json none/file", 2, "none/file"),
    ("devices --json none/file", 2, "none/file"),
    ("monitor double:shaker --record none/file", 2, "none/file"),
    ("demo --speed 0", 78, "--speed"),
    ("demo --game whist", 78, "whist"),
)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake[0][:40])
def test_a_mistake_is_told_in_words(
    mistake: tuple[str, int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends with its status, and says what it could not use."""
    words, status, named = mistake
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0" * 100)
    (tmp_path / "nested").write_text(NESTED)
    (tmp_path / "typo").write_text("[[fault]]\nat = 1\nwhat = 'jamm'")
    (tmp_path / "late").write_text("[[fault]]\nat = 1\nwhat = 'silence'\nlasts = -1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tablectl", *words.split()])

    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert ended.value.code == status
    assert named in told.out + told.err


def test_a_terminal_that_lacks_characters_gets_their_numbers(tmp_path: Path) -> None:
    """What is told in another encoding than UTF-8 is told all the same."""
    (tmp_path / "é♦.toml").write_text("")
    told = tablectl("check", "é♦.toml", folder=tmp_path, PYTHONIOENCODING="ascii")

    assert (told.returncode, told.stderr) == (1, b"")
    assert rb"\xe9\u2666.toml:1: version" in told.stdout


def test_a_full_disk_is_said_and_not_taken_for_damage(tmp_path: Path) -> None:
    """What cannot be written ends with 74, since 1 would say that the record is damaged."""
    with Path("/dev/full").open("wb") as full:
        told = tablectl("check", "none", folder=tmp_path, output=full)

    assert (told.returncode, told.stderr) == (74, b"tablectl: No space left on device\n")


def tablectl(*words: str, folder: Path, output: Any = subprocess.PIPE, **environment: str) -> Any:
    command = (sys.executable, "-m", "tablectl", *words)
    environment = {**os.environ, "PYTHONUTF8": "0", **environment}
    return subprocess.run(command, check=False, cwd=folder, stdout=output, stderr=subprocess.PIPE, env=environment)
