"""Red dog (N.J.A.C. 13:69F-6): whether the third card falls between the first two."""

from functools import cache

from tablectl.cards import Card, Composition
from tablectl.hands import red_dog as judge
from tablectl.rulebook import Rulebook
from tablectl.script import (
    MOST_POSITIONS,
    Choice,
    Deal,
    Discard,
    Game,
    Judge,
    Offer,
    OpenWagers,
    Seating,
    Settle,
    Stake,
)

LEFT, MIDDLE, RIGHT = BOXES = ("left", "middle", "right")
ORIGINAL = "original"

Cards = tuple[Card, ...]


def spread_of(left: Cards, right: Cards) -> str:
    """Judge the first two cards."""
    return judge.spread_of(*left, *right)


def trips(left: Cards, middle: Cards, right: Cards) -> str:
    """Judge the third card beside a pair."""
    return judge.trips(*left, *middle, *right)


def between(left: Cards, middle: Cards, right: Cards) -> str:
    """Judge the third card in a spread."""
    return judge.between(*left, *middle, *right)


async def red_dog(rules: Rulebook) -> None:
    """Play one round; every branch ends at the clause that settles it."""
    burn = rules["burn"] if rules.option("burn") else None
    layout = await OpenWagers(rules.opening, rules["wagers close"], LEFT, seating(rules), burn)
    await Deal((LEFT,), rules["first two cards"], face_up=True)
    await Deal((RIGHT,), rules["first two cards"], face_up=True)
    spread = await Judge("spread", (LEFT, RIGHT), spread_of, judge.SPREADS, rules["spread"])
    match spread:
        case judge.CONSECUTIVE:
            await Settle(rules["consecutive"])
        case judge.PAIR:
            await Deal((MIDDLE,), rules["pair"], face_up=True)
            calls = (judge.THREE_OF_A_KIND, judge.NO_THREE_OF_A_KIND)
            await Settle(rules[await Judge("third card", BOXES, trips, calls, rules["pair"])])
        case _:
            raising = {"raise": Choice(Stake(rules.wager("raise"), of=ORIGINAL))}
            await Offer(
                "raise", layout.having(ORIGINAL), raising, rules["raise"], "Any raises?", closing="Raises closed."
            )
            await Deal((MIDDLE,), rules["third card"], face_up=True)
            calls = (judge.BETWEEN, judge.NOT_BETWEEN)
            fell = await Judge("third card", BOXES, between, calls, rules["third card"])
            won = fell == judge.BETWEEN
            await Settle(rules.table("spread")[spread] if won else rules["not between"])
    await Discard(rules["discards"])


@cache
def seating(rules: Rulebook) -> Seating:
    """Return who may wager where."""
    positions = MOST_POSITIONS if rules.option("several positions") else 1
    return Seating(rules["seating"], positions, rules.option("people at a position"))


def composition(rules: Rulebook) -> Composition:
    """Return the deck: packs of 52 cards, as many as the house plays with."""
    return Composition(decks=rules.option("decks"))


GAME = Game("red-dog", {"base": red_dog}, composition, BOXES, reshuffle="shoe")
