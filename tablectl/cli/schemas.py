"""``tablectl schemas``: the broker contract as files."""

from pathlib import Path
from typing import Annotated

import typer


def schemas(folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to write them.")]) -> None:
    """Write what this version says over MQTT: asyncapi.yaml, commands.md, and schemas/ for every payload.

    Files of payloads that no longer exist are removed. Ends with 1 when the folder cannot be written.
    """
    from tablectl.publisher.asyncapi import texts  # noqa: PLC0415 - the command line starts fast

    wanted = {folder / name: text for name, text in texts().items()}
    try:
        for stale in {*folder.glob("schemas/**/*.json")} - wanted.keys():
            stale.unlink()
        for path, text in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        typer.echo(f"tablectl schemas {folder}: {error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"{len(wanted)} files written to {folder}.")
