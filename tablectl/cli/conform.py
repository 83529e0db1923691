"""``tablectl conform``: whether a device keeps what its driver's contract promises."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tablectl.cli.writing import writable


def conform(  # noqa: PLR0913, PLR0917 - a command line has as many as it has options
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The device: serial:/dev/..., usb:..., tcp:HOST:PORT, double:KIND.")
    ],
    driver: Annotated[str, typer.Option(help="Its driver, otdp-shoe for example.")],
    json: Annotated[Path | None, typer.Option(help="Write the report for machines here.", callback=writable)] = None,
    only: Annotated[list[str] | None, typer.Option(help="Try these lines only.")] = None,
    patience: Annotated[float, typer.Option(help="Seconds for what it is asked to do.")] = 120.0,
    quiet: Annotated[float, typer.Option(help="Seconds in which a wrong motion would show.")] = 3.0,
    idle: Annotated[float, typer.Option(help="Seconds of listening to it at rest.")] = 10.0,
    *,
    by_hand: Annotated[bool, typer.Option("--by-hand", help="Somebody is there to do what is asked.")] = False,
) -> None:
    """Try a device, real or simulated, and say of each claim whether it holds; cards and dice move.

    Ends with 0 when the device conforms, 1 when it does not, 78 when the command cannot be right.
    """
    import asyncio  # noqa: PLC0415 - the command line starts fast

    import msgspec  # noqa: PLC0415

    from tablectl.devices import registry  # noqa: PLC0415
    from tablectl.devices.conformance import Rig  # noqa: PLC0415
    from tablectl.devices.conformance import conform as try_device  # noqa: PLC0415
    from tablectl.devices.conformance.hands import hands_for  # noqa: PLC0415
    from tablectl.devices.link import open_link  # noqa: PLC0415
    from tablectl.errors import ConfigError  # noqa: PLC0415

    def tell(text: object) -> None:
        typer.echo(text, err=True)

    try:
        rig = Rig(
            registry.driver(driver),
            lambda: open_link(url),
            hands_for(url, tell if by_hand else None),
            patience=patience,
            quiet=quiet,
            idle=idle,
        )
        report = asyncio.run(try_device(rig, driver, url, only=tuple(only or ()), tell=tell))
    except ConfigError as error:
        typer.echo(f"tablectl conform: {error}", err=True)
        raise typer.Exit(78) from error
    if json:
        json.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    told_already = sys.stderr.isatty() and sys.stdout.isatty()
    typer.echo(f"{report.head}\n{report.sums}" if told_already else report)
    raise typer.Exit(0 if report.conforms else 1)
