"""Mississippi stud (N.J.A.C. 13:69F-35): two cards and three in common, a wager or a fold before each of the three."""

from functools import cache

from tablectl.cards import STANDARD_52, Composition
from tablectl.games.paying import NOTHING, calls_of, judge_by
from tablectl.hands.mississippi_stud import five_card_hand, three_card_hand
from tablectl.rulebook import Rulebook
from tablectl.script import (
    Choice,
    CountStub,
    Deal,
    Discard,
    Expose,
    Game,
    Judge,
    Offer,
    OpenWagers,
    ReleaseStub,
    Seating,
    Settle,
    Stake,
    Verify,
)

ANTE, BONUS = "ante", "three-card bonus"
STREETS = ("3rd street", "4th street", "5th street")
"""The wagers, and the community cards that are revealed after them."""
BET, FOLD = "bet", "fold"
HAND = "hand"


async def mississippi_stud(rules: Rulebook) -> None:
    """Play one round; whoever folds loses what lies there, whoever stays is paid by the hand."""
    layout = await OpenWagers(rules.opening, rules["wagers close"], seating=Seating(rules["one position"]))
    players, bonus = layout.having(ANTE), layout.having(BONUS)
    await Deal(players, rules["deal"], 2)
    await ReleaseStub(rules["community cards"])
    await Deal(STREETS, rules["community cards"], by_hand=True)
    held = {**dict.fromkeys(players, 2), **dict.fromkeys(STREETS, 1)}
    await CountStub(held, rules["stub count"], rules["misdeal"], rules["deck removed"], every=5)
    playing = players
    for street in STREETS:
        playing = await bet_or_fold(rules, playing, street)
        if not (playing or bonus):
            break
        await Expose(street, rules["reveal"])
    if bonus:
        by, calls = judge_by(rules, three_card_hand, BONUS), calls_of(rules, BONUS)
        await Settle(rules.table(BONUS)[await Judge(BONUS, STREETS, by, calls, rules["bonus"])], wager=BONUS)
    await settle(rules, playing)
    await Discard(rules["discards"])


async def bet_or_fold(rules: Rulebook, playing: tuple[str, ...], street: str) -> tuple[str, ...]:
    """Take the wagers of one street, collect from whoever folds, and return who plays on."""
    prompt = f"{street.capitalize()}: bet or fold."
    chosen = await Offer(street, playing, choices(rules, street), rules[street], prompt, reveals=street)
    folded = tuple([hand for hand in playing if chosen.get(hand) == FOLD])
    for hand in folded:
        for wager in (ANTE, *STREETS[: STREETS.index(street)]):
            await Settle(rules["fold"], hand, wager)
    if folded:
        await Discard(rules["fold"], folded)
    return tuple([hand for hand in playing if chosen.get(hand) == BET])


@cache
def choices(rules: Rulebook, street: str) -> dict[str, Choice]:
    """Return what a player may do on a street: 1, 2 or 3 times the ante, or fold."""
    stake = Stake(rules.wager(street), of=ANTE, least=1, most=3, whole=True)
    return {BET: Choice(stake), FOLD: Choice()}


async def settle(rules: Rulebook, playing: tuple[str, ...]) -> None:
    """Collect, pay or leave the ante and all bets of each hand, from the dealer's right."""
    table, order, large = rules.table(HAND), playing[::-1], rules.option("large odds")
    by, calls = judge_by(rules, five_card_hand, HAND), calls_of(rules, HAND)
    for hand in order:
        areas = (hand, *STREETS)
        clause = table[await Judge(HAND, areas, by, calls, rules["settlement"], hand, order, NOTHING)]
        if clause.odds and clause.odds.ratio >= large:
            await Verify(clause.name, rules["large payout"], hand)
        await Settle(clause, hand)


def composition(rules: Rulebook) -> Composition:
    """Return the deck: one pack of 52 cards (35.2)."""
    del rules
    return STANDARD_52


GAME = Game("mississippi-stud", {"base": mississippi_stud}, composition, STREETS)
