"""Where figures are told is asked for in the table file, or nowhere."""

from pathlib import Path

import pytest

from tablectl.config import load
from tests.table_files import RED_DOG, RED_DOG_HOUSE, mistakes_of, write


def metrics(text: str) -> str:
    return f"{RED_DOG}\n[metrics]\n{text}\n"


def test_figures_are_off_by_default(tmp_path: Path) -> None:
    """Without the section no port is opened and no file written."""
    _, settings = load(write(tmp_path, RED_DOG, RED_DOG_HOUSE))

    assert (settings.metrics_listen, settings.metrics_file) == ("", None)


def test_figures_are_told_where_the_file_says(tmp_path: Path) -> None:
    """A port, and a path beside the table file."""
    text = metrics('listen = "127.0.0.1:9464"\nfile = "t01.prom"')
    _, settings = load(write(tmp_path, text, RED_DOG_HOUSE))

    assert (settings.metrics_listen, settings.metrics_file) == ("127.0.0.1:9464", tmp_path / "t01.prom")


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("", "metrics: awaited listen, file or both"),
        ('listen = "9464"', 'metrics.listen: awaited a host and a port like "127.0.0.1:9464"'),
        ('listen = "here:port"', "metrics.listen: awaited a host and a port"),
        ('path = "t01.prom"', "metrics.path: "),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(tmp_path: Path, text: str, mistake: str) -> None:
    """The section is checked like every other."""
    found = [str(each) for each in mistakes_of(tmp_path, metrics(text), RED_DOG_HOUSE)]

    assert any(mistake in each for each in found), found
