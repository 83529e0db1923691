"""``tablectl demo``: a whole table on one machine, with bots for its people."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tablectl.games import GAMES
from tablectl.terms import Sight, Wagers

SEEN = frozenset({"command.ended", "cards.discarded"})
"""Events that are no news to those who see the layout."""


def _speed(text: str) -> float:
    try:
        return float("inf") if text == "max" else float(text)
    except ValueError as error:
        raise typer.BadParameter(f'awaited a number above 0, or max, not "{text}"') from error


def demo(  # noqa: PLR0913, PLR0917 - each is one option of the command
    game: Annotated[str, typer.Option(help=f"One of {', '.join(GAMES)}.")] = "pai-gow-poker",
    variant: Annotated[str, typer.Option(help="Of the game; a wrong one is answered with all.")] = "base",
    wagers: Annotated[Wagers, typer.Option(help="What the table knows of a wager.")] = Wagers.AMOUNTS,
    cards: Annotated[Sight, typer.Option(help="Whether the table sees the cards, or the dealer calls them.")] = (
        Sight.EXPOSED
    ),
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds to play; else until Ctrl-C.")] = None,
    speed: Annotated[
        Any, typer.Option(parser=_speed, metavar="X|max", help="How many times faster than life; max waits for nobody.")
    ] = "1",
    seed: Annotated[int, typer.Option(help="Of all chance; the same seed deals the same cards.")] = 0,
    journal: Annotated[Path | None, typer.Option(help="Keep the record in this new file.")] = None,
    broker: Annotated[
        str, typer.Option(metavar="HOST:PORT|embedded", help="A broker that runs, or the one inside; else mosquitto.")
    ] = "",
    pit: Annotated[bool, typer.Option(help="Serve the pit page.")] = True,  # noqa: FBT002 - --no-pit
    combined: Annotated[bool, typer.Option("--combined", help="Shuffler and shoe in one machine.")] = False,  # noqa: FBT002
    tests: Annotated[bool, typer.Option("--test-devices", help="Test each device with a counted deck first.")] = False,  # noqa: FBT002
) -> None:
    """Play a table on this machine: simulated devices, a real controller, bots as dealer, supervisor and players.

    Ends with 0 when the rounds are played or Ctrl-C was pressed, 1 when something broke down, 78 when what is asked
    for cannot be played.
    """
    import asyncio  # noqa: PLC0415 - the command line starts fast

    from tablectl.errors import ConfigError, TablectlError, first_of  # noqa: PLC0415
    from tablectl.rehearsal import Plan, rehearse  # noqa: PLC0415

    try:
        plan = Plan(game, variant, wagers, cards, rounds, speed, seed, journal, broker, pit, combined, tests)
        tally = asyncio.run(rehearse(plan, _audience()))
    except* TablectlError as group:
        error = first_of(group)
        typer.echo(f"tablectl demo: {error}", err=True)
        raise typer.Exit(78 if isinstance(error, ConfigError) else 1) from None
    typer.echo("\n".join(tally.lines()))
    if journal:
        typer.echo(f"Journal         {journal}; tablectl replay recomputes it")


def _audience() -> Any:
    from rich.console import Console  # noqa: PLC0415

    from tablectl.rehearsal.screen import Report, Screen  # noqa: PLC0415

    console = Console()
    return Screen(console, _in_words) if console.is_terminal else Report(typer.echo)


def _in_words(name: str, data: Mapping[str, Any], currency: str) -> str:
    from tablectl.words import UNTOLD, tell  # noqa: PLC0415

    return "" if name in UNTOLD or name in SEEN else tell(name, data, currency)
