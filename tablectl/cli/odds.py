"""``tablectl odds``: what a pay table costs its players."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from tablectl.odds import Figures, Inquiry
    from tablectl.odds.simulation import Progress


def odds(  # noqa: PLR0913, PLR0917 - each is one option of the command
    game: Annotated[str, typer.Argument(metavar="GAME", help="red-dog, pai-gow-poker, spanish-21 ...")],
    variant: Annotated[str, typer.Option(help="One way to play the game.")] = "base",
    house: Annotated[Path | None, typer.Option(metavar="FILE", help="A house file; else the legal minimum.")] = None,
    decks: Annotated[int | None, typer.Option(help="Decks in the shoe, where the rules leave a choice.")] = None,
    wager: Annotated[str, typer.Option(help="The wager it is about; else the one a round begins with.")] = "",
    strategy: Annotated[str, typer.Option(help="How the players play; else as well as is known.")] = "",
    rounds: Annotated[int, typer.Option(min=2, help="Rounds to play.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Of all chance: the same seed deals the same cards.")] = 0,
    cores: Annotated[int, typer.Option(min=0, help="Processes to play in; 0 for one on each core.")] = 0,
    keep: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the tally here, and go on from it.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Count every deal instead of playing some.")] = False,  # noqa: FBT002 - a flag
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,  # noqa: FBT002 - a flag
) -> None:
    """Tell house edge, element of risk, average wager and how often each clause applies.

    Rounds are played through the same script as at the table, by one strategy for all players; with --exact every deal
    is counted. A run with --keep may be stopped, and goes on when it is started again, up to --rounds in all. Ends with
    0, or with 78 when what is asked for has no answer.
    """
    from tablectl.errors import ConfigError  # noqa: PLC0415 - the command line starts fast
    from tablectl.odds import Inquiry, count, play  # noqa: PLC0415

    try:
        inquiry = Inquiry(game, variant, _text(house), decks, strategy)
        if exact:
            typer.echo("Counting every deal; where millions of hands meet, that takes minutes.", err=True)
            figures = count(inquiry, wager)
        else:
            progress = _progress(inquiry, wager, rounds)
            figures = play(inquiry, rounds, seed, wager=wager, cores=cores, progress=progress, keep=keep)
    except ConfigError as error:
        typer.echo("\n".join(f"tablectl odds: {problem}" for problem in error.args), err=True)
        raise typer.Exit(78) from None
    if as_json:
        import msgspec  # noqa: PLC0415

        typer.echo(msgspec.json.encode(figures).decode())
    else:
        _tell(inquiry, figures)


def _text(house: Path | None) -> str:
    from tablectl.errors import ConfigError  # noqa: PLC0415

    try:
        return house.read_text(encoding="utf-8") if house else ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--house {house}: {error}") from error


def _progress(inquiry: "Inquiry", wager: str, rounds: int) -> "Progress":
    """Tell on stderr, every few seconds, how far it is and what it comes to so far."""
    import time  # noqa: PLC0415

    from tablectl.odds.kinds import estimate  # noqa: PLC0415
    from tablectl.odds.tally import Tally  # noqa: PLC0415

    every, told = 5.0, time.monotonic()

    def tell(done: int, tally: Tally) -> None:
        nonlocal told
        if time.monotonic() - told < every:
            return
        told = time.monotonic()
        edge, error = estimate(inquiry, tally[wager or inquiry.wagers[0]])
        typer.echo(f"{done:,} of {rounds:,} rounds: house edge {100 * float(edge):.3f} % ± {100 * error:.3f}", err=True)

    return tell


def _tell(inquiry: "Inquiry", figures: "Figures") -> None:
    from rich.console import Console  # noqa: PLC0415

    console = Console(highlight=False, markup=False, emoji=False)
    decks = f", {figures.decks} deck{'s' * (figures.decks > 1)}" if figures.decks else ""
    console.print(f"{inquiry.rules.title}, {figures.variant}{decks}, by {figures.house}")
    console.print(f"Every player {inquiry.plays.text}." if figures.strategy != "best play" else "By best play.")
    for each in (figures, *figures.others):
        _tell_wager(console, each)


def _tell_wager(console: "Console", figures: "Figures") -> None:
    from rich.table import Table  # noqa: PLC0415

    grid = Table.grid(padding=(0, 2))
    error = "" if figures.house_edge_exact else f"± {100 * figures.standard_error:.4f} % standard error"
    grid.add_row("house edge", f"{100 * figures.house_edge:.6f} %", figures.house_edge_exact or error)
    grid.add_row("element of risk", f"{100 * figures.element_of_risk:.6f} %", figures.element_of_risk_exact)
    grid.add_row("average wager", f"{figures.average_wager:.6f}", figures.average_wager_exact)
    kind = "deals counted" if figures.house_edge_exact else "rounds played"
    grid.add_row(kind, f"{figures.rounds:,}", "" if figures.house_edge_exact else f"seed {figures.seed}")
    console.print(f"\n{figures.wager}")
    console.print(grid)
    console.print(_frequencies(figures))


def _frequencies(figures: "Figures") -> "Table":
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title, wraps in (("wager", False), ("shown", True), ("outcome", False), ("clause", True)):
        table.add_column(title, no_wrap=not wraps, overflow="fold")
    table.add_column("frequency", justify="right", no_wrap=True)
    for each in figures.frequencies:
        share = f"{100 * each.frequency:#.4g} %"
        table.add_row(each.wager, each.shown, f"{each.outcome} {each.odds}", each.clause, share)
    return table
