"""Files that a command writes when its work is done."""

from pathlib import Path

import typer


def writable(path: Path | None) -> Path | None:
    """Find out before the work whether its outcome can be written there; the callback of an option.

    What the file holds already stays until then.

    Raises:
        BadParameter: it cannot; says why.
    """
    if path:
        there = path.exists()
        try:
            path.open("ab").close()
        except OSError as error:
            raise typer.BadParameter(f"{path}: {error.strerror}") from None
        if not there:
            path.unlink()
    return path
