"""Supreme pai gow (N.J.A.C. 13:69F-34): four cards set as two and two, against the dealer's."""

from collections.abc import Callable
from functools import cache

from tablectl.cards import WITH_TWO_JOKERS_54, Card, Composition
from tablectl.games.pai_gow import FOUL, LOSE, PUSH, RESULTS, WIN, clockwise, parts
from tablectl.games.paying import NOTHING, calls_of
from tablectl.hands.supreme_pai_gow import Way, bonus_hands
from tablectl.rulebook import Clause, Rulebook
from tablectl.script import (
    DEALER,
    CountStub,
    Deal,
    Discard,
    Game,
    Judge,
    Layout,
    Offer,
    OpenWagers,
    ReleaseStub,
    RollDice,
    Seating,
    Set,
    Settle,
)

MAIN, BONUS = "supreme pai gow", "bonus"
RESULT = "result"

Cards = tuple[Card, ...]


async def supreme_pai_gow(rules: Rulebook) -> None:
    """Play one round: dice, stacks of four, and each hand against the dealer's."""
    areas = 2 if rules.option("two areas") else 1
    seating = Seating(rules["two areas"], areas, adjacent=True)
    layout = await OpenWagers(rules.opening, rules["wagers close"], seating=seating)
    start = await RollDice(DEALER, 3, rules["starting position"], rules["no roll"])
    order = served(rules, layout, start)
    await Deal(order, rules["deal"], 4)
    await ReleaseStub(rules["stub count"])
    held = dict.fromkeys(order, 4)
    await CountStub(held, rules["stub count"], rules["misdeal"], rules["deck removed"], every=5)
    players = layout.having(MAIN)
    await Discard(rules["unwagered"], tuple(hand for hand in order if hand not in (*players, DEALER)))
    await Offer("hands", players, {}, rules["hands set"], "Players set their hands.", closing="Hands set.")
    await Set(DEALER, rules["dealer sets"], set_by(rules))
    await settle(rules, players[::-1])
    await settle_bonus(rules, layout.having(BONUS)[::-1])
    await Discard(rules["discards"])


def served(rules: Rulebook, layout: Layout, start: str) -> tuple[str, ...]:
    """Return who gets cards, clockwise from the start."""
    ring = clockwise(layout, start)
    if rules.option("areas without a wager") == "dealt":
        return ring
    return tuple(hand for hand in ring if hand in (*layout.having(MAIN), DEALER))


async def settle(rules: Rulebook, hands: tuple[str, ...]) -> None:
    """Compare each hand with the dealer's, counterclockwise from the dealer's far right."""
    by, clause = result_by(rules), rules["comparison"]
    for hand in hands:
        result = await Judge(RESULT, parts(hand, DEALER), by, RESULTS, clause, hand, hands, LOSE)
        await Settle(decision(rules, result), hand, MAIN)


def decision(rules: Rulebook, result: str) -> Clause:
    """Return the clause that settles the main wager: what it pays is the house's."""
    return rules.table(MAIN)[WIN] if result == WIN else rules[result]


async def settle_bonus(rules: Rulebook, hands: tuple[str, ...]) -> None:
    """Pay each bonus wager once, for the highest hand that the four cards are (34.12(a))."""
    by, table = bonus_by(rules), rules.table(BONUS)
    for hand in hands:
        calls = calls_of(rules, BONUS)
        found = await Judge(BONUS, parts(hand), by, calls, rules["bonus"], hand, hands, NOTHING)
        await Settle(table[found], hand, BONUS)


@cache
def bonus_by(rules: Rulebook) -> Callable[..., str]:
    """Return how four cards are judged: as the highest line of the house's table that they are."""
    lines = rules.table(BONUS).lines

    def judged(*areas: Cards) -> str:
        return next((name for name in bonus_hands(sum(areas, ())) if name in lines), NOTHING)

    return judged


@cache
def way_of(rules: Rulebook) -> Way:
    """Return what this house says of ranking and setting."""
    return Way(tuple(rules.option("below pairs")), rules.option("joker"), rules.option("dealer's setting"))


@cache
def set_by(rules: Rulebook) -> Callable[[Cards], tuple[Cards, Cards]]:
    """Return the licensee's way of setting the dealer's hand."""
    return way_of(rules).set_hand


@cache
def result_by(rules: Rulebook) -> Callable[..., str]:
    """Return how a player's set hand is compared with the dealer's."""
    way, to_dealer = way_of(rules), rules.option("copies") == "dealer"
    turned = rules.option("low above high") == "turned round"

    def judged(high: Cards, low: Cards, dealer_high: Cards, dealer_low: Cards) -> str:
        own = way.worth(high), way.worth(low)
        if own[0] < own[1]:
            if not turned:
                return FOUL
            own = own[1], own[0]
        other = way.worth(dealer_high), way.worth(dealer_low)
        won = sum(mine > its if to_dealer else mine >= its for mine, its in zip(own, other, strict=True))
        return (LOSE, PUSH, WIN)[won]

    return judged


def composition(rules: Rulebook) -> Composition:
    """Return the deck: 52 cards and two jokers (34.2(a))."""
    del rules
    return WITH_TWO_JOKERS_54


GAME = Game("supreme-pai-gow", {"base": supreme_pai_gow}, composition)
