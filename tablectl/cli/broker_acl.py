"""``tablectl broker-acl``: who may read and write what at the broker."""

from pathlib import Path
from typing import Annotated

import typer


def broker_acl(
    table_files: Annotated[list[Path], typer.Argument(metavar="TABLE.toml...", help="Every table of the broker.")],
) -> None:
    """Print mosquitto's access list for these tables and the people around them.

    Ends with 78 when a table file cannot be read, or two users would have the same name.
    """
    from tablectl.config import place_of  # noqa: PLC0415 - the command line starts fast
    from tablectl.errors import ConfigError  # noqa: PLC0415
    from tablectl.publisher.access import Account, access_list  # noqa: PLC0415

    try:
        typer.echo(access_list([Account(*place_of(path)) for path in table_files]), nl=False)
    except ConfigError as error:
        typer.echo(f"tablectl broker-acl: {error}", err=True)
        raise typer.Exit(78) from None
