"""Mini-tex 3 card hold'em (N.J.A.C. 13:69F-37): two cards and three in common against the dealer's."""

from collections.abc import Callable
from functools import cache

from tablectl.cards import STANDARD_52, Card, Composition
from tablectl.games.paying import NOTHING, calls_of
from tablectl.hands.mini_tex import best_hand, pocket_hand, reaches
from tablectl.hands.worth import Category
from tablectl.rulebook import Clause, Rulebook
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
    ReleaseStub,
    Seating,
    Settle,
    Stake,
)

ANTE, FLOP, RIVER, PLAY, POCKET = "ante", "flop", "river", "play", "pocket poker"
STAGES = {FLOP: 1, RIVER: 1, PLAY: 2}
"""The later wagers, and how many antes each is."""
BOARD = {FLOP: 2, RIVER: 1}
"""The community cards, dealt after the wagers of the same names."""
BET, FOLD = "bet", "fold"
DEALERS_HAND, RESULT = "dealer's hand", "result"
QUALIFIES, NOT_QUALIFIED = "qualifies", "does not qualify"
WIN, LOSE, TIE = RESULTS = ("win", "lose", "tie")

Cards = tuple[Card, ...]


async def mini_tex(rules: Rulebook) -> None:
    """Play one round; whoever folds loses what lies there, whoever stays meets the dealer."""
    layout = await OpenWagers(rules.opening, rules["wagers close"], seating=Seating(rules["one position"]))
    players = layout.having(ANTE)
    await Deal((*players, DEALER), rules["deal"], 2)
    await ReleaseStub(rules["rest of the deck"])
    playing, board = await play_on(rules, layout, players)
    held = dict.fromkeys((*players, DEALER), 2) | {area: BOARD[area] for area in board}
    await CountStub(held, rules["stub count"], rules["misdeal"], rules["deck removed"], every=5)
    if playing:
        await Expose(DEALER, rules["dealer reveals"])
        await meet_dealer(rules, playing)
    await settle_pocket(rules, layout)
    await Discard(rules["discards"])


async def play_on(rules: Rulebook, layout: Layout, players: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take flop, river and play wagers, with the community cards between; return who is still in, and what lies."""
    board: tuple[str, ...] = ()
    playing = players
    for stage in STAGES:
        playing = await bet_or_fold(rules, layout, playing, stage)
        if not playing:
            break
        if stage in BOARD:
            burn = int(rules.option(f"burn before the {stage}"))
            await Deal((stage,), rules["community cards"], BOARD[stage], face_up=True, by_hand=True, burn=burn)
            await Expose(stage, rules["community cards"])
            board = (*board, stage)
    return playing, board


async def bet_or_fold(rules: Rulebook, layout: Layout, playing: tuple[str, ...], stage: str) -> tuple[str, ...]:
    """Take the wagers of one stage, collect from whoever folds, and return who plays on."""
    chosen = await Offer(stage, playing, choices(rules, stage), rules[stage], f"{stage.capitalize()} wager or fold.")
    folded = tuple(hand for hand in playing if chosen.get(hand) == FOLD)
    lost = (ANTE, FLOP, RIVER) if rules.option("pocket poker outlives a fold") else (ANTE, FLOP, RIVER, POCKET)
    for hand in folded:
        for wager in lost:
            await Settle(rules["fold"], hand, wager)
    live = layout.having(POCKET) if POCKET not in lost else ()
    gone = tuple(hand for hand in folded if hand not in live)
    if gone:
        await Discard(rules["fold"], gone)
    return tuple(hand for hand in playing if chosen.get(hand) == BET)


@cache
def choices(rules: Rulebook, stage: str) -> dict[str, Choice]:
    """Return what a player may do: wager as many antes as the stage asks for, or fold."""
    times = STAGES[stage]
    return {BET: Choice(Stake(rules.wager(stage), of=ANTE, least=times, most=times)), FOLD: Choice()}


async def meet_dealer(rules: Rulebook, playing: tuple[str, ...]) -> None:
    """Compare each hand with the dealer's, from the dealer's right, unless the dealer's is too low to count."""
    order = playing[::-1]
    areas = (DEALER, *BOARD)
    by, calls = qualifies_by(rules), (QUALIFIES, NOT_QUALIFIED)
    if await Judge(DEALERS_HAND, areas, by, calls, rules["dealer qualifies"]) == NOT_QUALIFIED:
        for hand in order:
            for wager in (ANTE, *STAGES):
                await Settle(not_qualified(rules, wager), hand, wager)
        return
    for hand in order:
        areas = (hand, DEALER, *BOARD)
        result = await Judge(RESULT, areas, result_of, RESULTS, rules["comparison"], hand, order, TIE)
        for wager in (ANTE, *STAGES):
            await Settle(rules[result], hand, wager)


def not_qualified(rules: Rulebook, wager: str) -> Clause:
    """Return what becomes of a wager when the dealer's hand does not qualify."""
    return rules[f"not qualified, {rules.option(f'{wager}, dealer not qualified')}"]


@cache
def qualifies_by(rules: Rulebook) -> Callable[..., str]:
    """Return how the dealer's hand is found to qualify."""
    least = Category(rules.option("dealer qualifies with"))

    def judged(dealer: Cards, flop: Cards, river: Cards) -> str:
        return QUALIFIES if reaches(least, best_hand(dealer, flop + river)) else NOT_QUALIFIED

    return judged


def result_of(player: Cards, dealer: Cards, flop: Cards, river: Cards) -> str:
    """Compare a player's best hand with the dealer's."""
    own, other = (best_hand(hand, flop + river) for hand in (player, dealer))
    return TIE if own == other else WIN if own > other else LOSE


async def settle_pocket(rules: Rulebook, layout: Layout) -> None:
    """Settle pocket poker wagers by the two cards of each player alone, whoever folded."""
    order = layout.having(POCKET)[::-1]
    if not order:
        return
    table, calls = rules.table(POCKET), calls_of(rules, POCKET)
    for hand in order:
        found = await Judge(POCKET, (hand,), pocket_by(rules), calls, rules["pocket cards"], hand, order, NOTHING)
        await Settle(table[found], hand, POCKET)


@cache
def pocket_by(rules: Rulebook) -> Callable[[Cards], str]:
    """Return how two cards are judged by the licensee's table."""
    lines = tuple(rules.table(POCKET).lines)
    return lambda cards: pocket_hand(lines, cards) or NOTHING


def composition(rules: Rulebook) -> Composition:
    """Return the deck: one pack of 52 cards (37.2)."""
    del rules
    return STANDARD_52


GAME = Game("mini-tex-3-card-holdem", {"base": mini_tex}, composition, tuple(BOARD))
