"""``tablectl``, and ``python -m tablectl``."""

import errno
import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from tablectl import __version__

COMMANDS = (
    "run",
    "demo",
    "check",
    "replay",
    "double",
    "devices",
    "pit",
    "odds",
    "monitor",
    "conform",
    "schemas",
    "broker-acl",
    "journal",
    "recall",
    "report",
)
"""Each is a function of the same name, with _ for -, in a module of its own under :mod:`tablectl.cli`; or a group."""


def main() -> None:
    """Run the command that the command line names; only its module is imported, so that a daemon starts fast.

    A character that the terminal does not have is written as its number. Ends with 74 where there is no room for what
    is told.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    app = typer.Typer(
        help="The controller of a casino table.",
        no_args_is_help=True,
        rich_markup_mode="markdown",
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_program)
    named = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    for command in (named,) if named in COMMANDS else COMMANDS:
        _add(app, command)
    try:
        app()
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"tablectl: {error.strerror}", file=sys.stderr)  # noqa: T201 - whatever wrote has failed
        os._exit(os.EX_IOERR)  # what is still to be written would fail again


def _add(app: typer.Typer, command: str) -> None:
    name = command.replace("-", "_")
    found = getattr(import_module(f"tablectl.cli.{name}"), name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=command)
    else:
        app.command(command)(found)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - an option
    if wanted:
        typer.echo(f"tablectl {__version__}")
        raise typer.Exit


def _program(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Control a casino table."""


if __name__ == "__main__":
    main()
