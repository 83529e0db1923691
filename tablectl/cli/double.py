"""``tablectl double``: a simulated device behind a pseudo-terminal or a TCP port, for any host that opens it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tablectl.devices.bench import Double, DoubleOptions
    from tablectl.devices.faults import Line


def double(  # noqa: PLR0913, PLR0917 - a command line has as many as it has options
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="stack-shoe, shuffler ...; a wrong one is answered with all.")
    ],
    pty: Annotated[Path | None, typer.Option(help="The path that becomes the device's serial port.")] = None,
    tcp: Annotated[str, typer.Option(metavar="HOST:PORT", help="Or where it listens, as a serial server does.")] = "",
    seed: Annotated[int, typer.Option(help="Of all its chance.")] = 0,
    world: Annotated[Path | None, typer.Option(help="Socket of the world whose cards it holds.")] = None,
    speed: Annotated[str, typer.Option(help="How many times faster than life; max takes no time.")] = "1",
    serial: Annotated[str, typer.Option(help="Its serial number.")] = "",
    name: Annotated[str, typer.Option(help="Its place in the world; else its kind.")] = "",
    deck: Annotated[str, typer.Option(help="Its own deck: 48, 52, 53, 54, or several: 6x52.")] = "52",
    faults: Annotated[Path | None, typer.Option(help="A plan of faults, TOML.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="An option of this kind: cocked=0.01, cut=52.")
    ] = None,
) -> None:
    """Run a simulated device until it is stopped. Hosts may open and close its port as they like."""
    from tablectl.devices.bench import build  # noqa: PLC0415 - the command line starts fast
    from tablectl.devices.link import Url  # noqa: PLC0415
    from tablectl.devices.registry import double as find  # noqa: PLC0415
    from tablectl.errors import TablectlError  # noqa: PLC0415

    query = {"seed": str(seed), "speed": speed, "serial": serial, "name": name, "deck": deck}
    query |= {"world": str(world)} if world else {}
    query |= {"faults": str(faults)} if faults else {}
    query |= dict(option.partition("=")[::2] for option in set_ or ())
    try:
        make = find(kind)
        options = Url("double", kind, query).options(make.options)
        _run(lambda now: build(make, options, now), options, _plug(pty, tcp))
    except TablectlError as error:
        typer.echo(f"tablectl double: {error}", err=True)
        raise typer.Exit(1) from error


def _plug(pty: Path | None, tcp: str) -> "Callable[[], tuple[Line, str]]":
    """Return what makes the device's end of its line, and says where that is."""
    from tablectl.devices.pty import open_pty  # noqa: PLC0415
    from tablectl.devices.tcp import listen  # noqa: PLC0415
    from tablectl.errors import ConfigError  # noqa: PLC0415

    def terminal() -> "tuple[Line, str]":
        assert pty
        return open_pty(pty), f"{pty} is a serial port now"

    def server() -> "tuple[Line, str]":
        line = listen(tcp)
        return line, f"tcp:{tcp.rpartition(':')[0]}:{line.port} is a serial server now"

    if bool(pty) == bool(tcp):
        raise ConfigError("a double is behind --pty PATH or behind --tcp HOST:PORT: give one of the two")
    return terminal if pty else server


def _run(make: Callable[[float], "Double"], options: "DoubleOptions", plug: "Callable[[], tuple[Line, str]]") -> None:
    import asyncio  # noqa: PLC0415
    import contextlib  # noqa: PLC0415
    import signal  # noqa: PLC0415

    from tablectl.devices.bench import run  # noqa: PLC0415

    async def until_stopped() -> None:
        loop = asyncio.get_running_loop()
        plan = options.plan
        made = make(loop.time())
        line, text = plug()
        running = asyncio.ensure_future(run(made, line, options))
        for stop in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(stop, running.cancel)
        typer.echo(text)
        if options.faults:
            seed = options.seed if plan.seed is None else plan.seed
            typer.echo(f"faults of {options.faults}, seed {seed}", err=True)
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await running
        finally:
            await line.close()

    asyncio.run(until_stopped())
