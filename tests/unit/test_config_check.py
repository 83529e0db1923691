"""``tablectl check`` says what a table file would play, or what is wrong with it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from tablectl.cli.check import check
from tablectl.config import build_terms, read
from tests.table_files import PAI_GOW, PAI_GOW_HOUSE, RED_DOG, RED_DOG_HOUSE, spoil, write

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "config").glob("*.toml"))


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def checked(path: Path) -> Result:
    app = typer.Typer()
    app.command()(check)
    return CliRunner().invoke(app, [str(path)])


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.name))
def test_a_shipped_file_is_summed_up_in_eighty_columns(path: Path) -> None:
    """What would be played fits the narrowest terminal, and every unconfirmed rule is listed with its section."""
    result = checked(path)
    terms = build_terms(read(path))

    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    flat = " ".join(result.stdout.split())
    assert f"{terms.table} can be rehearsed." in flat
    assert all(" ".join(each.split()) in flat for each in terms.rules.uncertain())
    assert all(f"{device} {kind}, driver" in flat for kind, device in terms.devices.items())


def test_limits_and_caps_are_shown_as_people_read_them(tmp_path: Path) -> None:
    """Amounts carry their currency, and what cannot be checked is said."""
    flat = " ".join(checked(write(tmp_path, PAI_GOW, PAI_GOW_HOUSE)).stdout.split())

    assert "limits imperial 5.00 to 100.00 USD paid at most imperial 40,000.00 USD" in flat
    assert "presence: limits and other checks by amount are off" in flat


def test_problems_are_lines_that_an_editor_can_follow(tmp_path: Path) -> None:
    """Each problem is one unbroken line that begins with file and line, then they are counted; the exit status is 1."""
    table = spoil(spoil(RED_DOG, "positions = 6", "positions = 60"), 'site = "test"', "site = 1")

    result = checked(write(tmp_path, table, RED_DOG_HOUSE))

    path = re.escape(str(tmp_path / "table.toml"))
    assert result.exit_code == 1
    assert re.fullmatch(
        rf"{path}:5: table\.site: .+\n{path}:8: table\.positions: .+\n\n2 problems: the table cannot be run\.\n",
        result.stdout,
    )


def test_brackets_in_a_name_are_no_colours(tmp_path: Path) -> None:
    """What a house calls its file is printed as it stands."""
    house = spoil(RED_DOG_HOUSE, "Test rules", "Rules [red]of[/red] :game_die: [pit 1]")

    assert "Rules [red]of[/red] :game_die: [pit 1] (house)" in checked(write(tmp_path, RED_DOG, house)).stdout


def test_nothing_of_a_terminal_reaches_a_pipe(tmp_path: Path) -> None:
    """A log or a mail gets plain text."""
    path = write(tmp_path, RED_DOG, RED_DOG_HOUSE)
    program = "import sys, typer; from tablectl.cli.check import check; typer.run(check)"

    run = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)

    assert "test/pit1/t01 can be rehearsed." in run.stdout
    assert "\x1b" not in run.stdout
