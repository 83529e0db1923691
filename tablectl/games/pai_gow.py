"""What the two pai gow games share: seats counted by dice, and hands laid open in two parts."""

from tablectl.script import DEALER, Layout

WIN, LOSE, PUSH, FOUL = RESULTS = ("win", "lose", "push", "foul")


def clockwise(layout: Layout, start: str) -> tuple[str, ...]:
    """Return all positions and the dealer clockwise from the start, wager or not."""
    ring = (*layout.all_hands, DEALER)
    first = ring.index(start)
    return ring[first:] + ring[:first]


def parts(*hands: str) -> tuple[str, ...]:
    """Return the areas in which set hands lie."""
    return tuple(f"{hand}.{part}" for hand in hands for part in ("high", "low"))
