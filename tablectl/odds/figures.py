"""What was found out, as a licensee reads it and as a program does."""

import msgspec

from tablectl.odds.inquiry import DECKS, Inquiry
from tablectl.odds.kinds import Estimate, estimate
from tablectl.odds.tally import FIXED, Account, Hit, Tally

ENUMERATION, SIMULATION = "enumeration", "simulation"


class Frequency(msgspec.Struct, frozen=True):
    """How often something becomes of a wager, for each wager placed first, with its standard error."""

    wager: str
    shown: str
    outcome: str
    odds: str
    clause: str
    frequency: float
    standard_error: float = 0.0


class Figures(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one wager costs its players. The edge is a share of the first wager, not percent; the risk is a share of all
    that is wagered, and the average wager is how much that is for each first one.

    rounds: rounds played, or deals counted; hands: wagers placed first; method: ``enumeration`` or ``simulation``;
    exact texts are fractions, and only an enumeration has them; others: the wagers beside it.
    """

    game: str
    variant: str
    wager: str
    house: str
    strategy: str
    method: str
    rounds: int
    hands: int
    house_edge: float
    element_of_risk: float
    average_wager: float
    standard_error: float
    house_edge_exact: str | None = None
    element_of_risk_exact: str | None = None
    average_wager_exact: str | None = None
    decks: int | None = None
    seed: int | None = None
    frequencies: tuple[Frequency, ...] = ()
    others: tuple["Figures", ...] = ()


def enumerated(inquiry: Inquiry, wager: str, account: Account, *, best: bool) -> Figures:
    """Return the figures of a wager that was counted out."""
    figures = _figures(inquiry, wager, account, Estimate(account.house_edge, 0.0), ENUMERATION)
    return msgspec.structs.replace(
        figures,
        strategy="best play" if best else figures.strategy,
        house_edge_exact=str(account.house_edge),
        element_of_risk_exact=str(account.element_of_risk),
        average_wager_exact=str(account.average_wager),
    )


def simulated(inquiry: Inquiry, wager: str, tally: Tally, seed: int) -> Figures:
    """Return the figures of a wager that was played, and of those beside it."""
    if FIXED in tally:
        first = tally[inquiry.wagers[0]]
        tally[FIXED].stakes, tally[FIXED].weight = first.stakes, first.weight
    figures = {
        name: msgspec.structs.replace(
            _figures(inquiry, name, account, estimate(inquiry, account), SIMULATION), seed=seed
        )
        for name, account in tally.items()
    }
    main = figures.pop(wager)
    return msgspec.structs.replace(main, others=tuple(figures.values()))


def _figures(inquiry: Inquiry, wager: str, account: Account, edge: Estimate, method: str) -> Figures:
    return Figures(
        game=inquiry.game,
        variant=inquiry.variant,
        wager=wager,
        house=inquiry.house_name,
        strategy=inquiry.strategy_name,
        method=method,
        rounds=account.weight,
        hands=account.stakes,
        house_edge=float(edge.edge),
        element_of_risk=float(edge.edge / account.average_wager) if account.staked else 0.0,
        average_wager=float(account.average_wager),
        standard_error=edge.error,
        decks=inquiry.rules.option(DECKS) if DECKS in inquiry.rules.options else None,
        frequencies=tuple(_frequency(account, hit, method) for hit in sorted(account.hits)),
    )


def _frequency(account: Account, hit: Hit, method: str) -> Frequency:
    error = account.frequency_error(hit) if method == SIMULATION else 0.0
    return Frequency(**msgspec.structs.asdict(hit), frequency=account.frequency(hit), standard_error=error)
