"""A mistake on the command line is answered with words and a status, never with a traceback."""

import sys
from pathlib import Path

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
    ("monitor nowhere: --driver otdp-shoe", 1, "nowhere"),
    ("conform nowhere: --driver otdp-shoe", 78, "nowhere"),
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
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tablectl", *words.split()])

    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert ended.value.code == status
    assert named in told.out + told.err
