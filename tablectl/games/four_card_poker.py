"""Four-card poker (N.J.A.C. 13:69F-27): the best four of five cards against the best four of the dealer's six."""

from collections.abc import Awaitable, Callable
from functools import cache
from typing import NamedTuple

from tablectl.cards import STANDARD_52, Composition
from tablectl.games.paying import NOTHING, calls_of, judge_by
from tablectl.hands.four_card_poker import DEALER as SIX
from tablectl.hands.four_card_poker import PLAYER as FIVE
from tablectl.hands.four_card_poker import compare, four_card_hand
from tablectl.rulebook import Clause, Outcome, Rulebook
from tablectl.script import (
    DEALER,
    Choice,
    CountStub,
    Deal,
    Discard,
    Expose,
    Game,
    Judge,
    Layout,
    Offer,
    OpenWagers,
    PayOdds,
    ReleaseStub,
    Seating,
    Settle,
    Stake,
)

ANTE, PLAY, ACES_UP, BONUS = "ante", "play", "aces up", "automatic bonus"
FORFEIT = "forfeit"
RESULT, HAND = "result", "hand"
RESULTS = ("win", "lose", "tie")
STACK, PASS_BY_PASS, PLAYER_BY_PLAYER = "stack", "pass by pass", "player by player"


class Judged(NamedTuple):
    """What a hand comes to: the clause of each wager, and the bonus on its ante."""

    clauses: dict[str, Clause]
    bonus: Clause | None


async def four_card_poker(rules: Rulebook) -> None:
    """Play one round; whoever forfeits the ante may still win by aces up."""
    layout = await OpenWagers(rules.opening, rules["wagers close"], seating=seating(rules))
    hands = tuple(hand for hand in layout.all_hands if hand in layout.wagers)
    await deal(rules, hands)
    chosen = await Offer(PLAY, layout.having(ANTE), choices(rules), rules["play"], "Play, or forfeit the ante.")
    await collect_forfeited(rules, layout, tuple(hand for hand in hands if chosen.get(hand) == FORFEIT))
    played = tuple(hand for hand in hands if chosen.get(hand) == PLAY)
    active = tuple(hand for hand in reversed(hands) if hand in played or hand in layout.having(ACES_UP))
    if active:
        await Expose(DEALER, rules["dealer reveals"])
        await SETTLEMENTS[rules.option("settlement")](rules, active, played)
    await Discard(rules["discards"])


@cache
def seating(rules: Rulebook) -> Seating:
    """Return how many positions one player may wager at."""
    most = 2 if rules.option("two adjacent positions") else 1
    return Seating(rules["positions of a player"], positions=most, adjacent=True)


@cache
def choices(rules: Rulebook) -> dict[str, Choice]:
    """Return what a player with an ante may do: play 1 to 3 times the ante, or forfeit it."""
    whole = rules.option("whole multiples")
    return {PLAY: Choice(Stake(rules.wager(PLAY), ANTE, 1, 3, whole=whole)), FORFEIT: Choice()}


async def deal(rules: Rulebook, hands: tuple[str, ...]) -> None:
    """Deal five cards to each hand and six to the dealer, the last of them face up where the licensee turns it."""
    await Deal((*hands, DEALER), rules["deal"], FIVE)
    face_up, clause = rules.option("dealer card up"), rules["extra card"]
    if rules.option("extra card") == STACK:
        await Deal((DEALER,), clause, face_up=face_up, stack=FIVE)
        await ReleaseStub(rules["stub"])
    else:
        await ReleaseStub(rules["stub"])
        await Deal((DEALER,), clause, face_up=face_up, by_hand=True)
    if face_up:
        await Expose(DEALER, clause, hidden=FIVE)
    held = dict.fromkeys(hands, FIVE) | {DEALER: SIX}
    await CountStub(held, rules["stub count"], rules["misdeal"], rules["deck removed"], every=5)


async def collect_forfeited(rules: Rulebook, layout: Layout, forfeited: tuple[str, ...]) -> None:
    """Collect forfeited antes once everybody has decided, and the cards of whoever is out (27.10(c))."""
    for hand in forfeited:
        await Settle(rules["forfeit"], hand, ANTE)
    out = tuple(hand for hand in forfeited if hand not in layout.having(ACES_UP))
    if out:
        await Discard(rules["forfeit"], out)


async def pass_by_pass(rules: Rulebook, order: tuple[str, ...], played: tuple[str, ...]) -> None:
    """Reveal all hands, then collect from all, then pay all, then pick up all cards (27.10(e)1)."""
    judged = {hand: await judge(rules, hand, order, played) for hand in order}
    for hand in order:
        await collect(hand, judged[hand])
    for hand in order:
        await pay(hand, judged[hand])
    await Discard(rules["discards"], order)


async def player_by_player(rules: Rulebook, order: tuple[str, ...], played: tuple[str, ...]) -> None:
    """Reveal, collect, pay and pick up the cards of one player after the other (27.10(e)2)."""
    for hand in order:
        judged = await judge(rules, hand, order, played)
        await collect(hand, judged)
        await pay(hand, judged)
        await Discard(rules["discards"], (hand,))


SETTLEMENTS: dict[str, Callable[[Rulebook, tuple[str, ...], tuple[str, ...]], Awaitable[None]]] = {
    PASS_BY_PASS: pass_by_pass,
    PLAYER_BY_PLAYER: player_by_player,
}
"""The two procedures of 27.10(e); the licensee says which in its gaming submission."""


async def judge(rules: Rulebook, hand: str, order: tuple[str, ...], played: tuple[str, ...]) -> Judged:
    """Reveal a hand: against the dealer's where it plays, and for what it is, which both bonuses ask."""
    clauses = {}
    if hand in played:
        rest = tuple(other for other in order if other in played)
        clause = rules["comparison"]
        result = await Judge(RESULT, (hand, DEALER), compare, RESULTS, clause, hand, rest, moot="tie")
        clauses = dict.fromkeys((ANTE, PLAY), rules[result])
    by, calls = judge_by(rules, four_card_hand, ACES_UP, BONUS), calls_of(rules, ACES_UP, BONUS)
    found = await Judge(HAND, (hand,), by, calls, rules["player's hand"], hand, order, moot=NOTHING)
    clauses[ACES_UP] = rules.table(ACES_UP)[found]
    return Judged(clauses, rules.table(BONUS)[found] if hand in played else None)


async def collect(hand: str, judged: Judged) -> None:
    """Collect the losing wagers of a hand."""
    for wager, clause in judged.clauses.items():
        if clause.outcome is Outcome.LOSE:
            await Settle(clause, hand, wager)


async def pay(hand: str, judged: Judged) -> None:
    """Pay the winning wagers of a hand, and the bonus on its ante, also where that lost (27.11)."""
    for wager, clause in judged.clauses.items():
        if clause.outcome is not Outcome.LOSE:
            await Settle(clause, hand, wager)
    if judged.bonus and judged.bonus.odds:
        await PayOdds(judged.bonus, hand, ANTE)


def composition(rules: Rulebook) -> Composition:
    """Return the deck: one pack of 52 cards (27.2)."""
    del rules
    return STANDARD_52


GAME = Game("four-card-poker", {"base": four_card_poker}, composition)
