"""How cards are judged by pay tables, and what the dealer may call instead."""

from collections.abc import Callable
from functools import cache

from tablectl.cards import Card
from tablectl.rulebook import Rulebook

NOTHING = "nothing"
"""What a hand is that stands on no line."""


@cache
def calls_of(rules: Rulebook, *tables: str) -> tuple[str, ...]:
    """Return what may be called: every line of these tables once, or nothing."""
    found = (rules.table(name) for name in tables)
    lines = (line for table in found for line in (*table.lines, *table.pushes))
    return (*dict.fromkeys(lines), NOTHING)


@cache
def judge_by(rules: Rulebook, hand_of: Callable[[tuple[Card, ...]], str], *tables: str) -> Callable[..., str]:
    """Return how the cards of some areas together are judged: as a line of one of these tables, or nothing."""
    lines = frozenset(calls_of(rules, *tables))

    def judged(*areas: tuple[Card, ...]) -> str:
        found = str(hand_of(sum(areas, ())))
        return found if found in lines else NOTHING

    return judged
