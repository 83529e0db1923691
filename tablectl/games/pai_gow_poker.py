"""Pai gow poker (N.J.A.C. 13:69F-11): seven cards set as five and two, against the dealer's."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial

from msgspec.structs import replace

from tablectl.cards import WITH_JOKER_53, Card, Composition
from tablectl.games.pai_gow import FOUL, LOSE, RESULTS, clockwise, parts
from tablectl.games.paying import NOTHING, calls_of, judge_by
from tablectl.hands import bonus
from tablectl.hands.common_way import COMMON_WAY
from tablectl.hands.house_way import HouseWay, set_hand
from tablectl.hands.pai_gow import Setting, compare, is_foul
from tablectl.money import Odds
from tablectl.rulebook import Clause, Outcome, Rulebook
from tablectl.script import (
    DEALER,
    Bank,
    Choice,
    CountStub,
    Deal,
    Discard,
    Game,
    Judge,
    Layout,
    Offer,
    OfferBank,
    OpenWagers,
    PayBand,
    ReleaseStub,
    RollDice,
    Seating,
    Set,
    Settle,
    SettleBank,
)

MAIN = "pai gow poker"
THREE, SEVEN, IMPERIAL, BONUS = "three-card bonus", "seven-card bonus", "imperial", "bonus"
PLAYER_BONUS, BANKER_BONUS = "imperial player hand", "imperial banker hand"
SURRENDER = "surrender"

Cards = tuple[Card, ...]


async def base(rules: Rulebook) -> None:
    """Play one round of the base game: dice, seven stacks of seven, exactly four cards left."""
    bank = await find_bank(rules)
    layout = await OpenWagers(rules.opening, rules["wagers close"], seating=seating(rules), bank=bank)
    start = await find_start(rules, bank.hand)
    order = clockwise(layout, start)
    await Deal(order, rules["deal"], 7)
    await ReleaseStub(rules["remainder"])
    await count_stub(rules, order, "remainder", every=1)
    playing = (*layout.having(MAIN), bank.hand, *house_hand(layout))
    await Discard(rules["unwagered"], tuple(hand for hand in (*layout.all_hands, DEALER) if hand not in playing))
    await finish(rules, layout, bank)
    if rules.option("bank"):
        await SettleBank(bank, MAIN, rules["bank settled"])
    await Discard(rules["discards"])


@cache
def seating(rules: Rulebook) -> Seating:
    """Return how many betting areas one player may wager on; how many people share one was not found."""
    areas = 2 if rules.option("two areas") else 1
    return Seating(rules["two areas"], areas, owners=None, adjacent=True)


async def find_bank(rules: Rulebook) -> Bank:
    """Find out who banks the round: the dealer, unless a player may and does."""
    if not rules.option("bank"):
        return Bank()
    return await OfferBank(MAIN, rules.option("co-bank"), rules["bank"])


def house_hand(layout: Layout) -> tuple[str, ...]:
    """Return the dealer's hand where the house wagered against a player's bank."""
    return (DEALER,) if DEALER in layout.wagers else ()


async def find_start(rules: Rulebook, first: str) -> str:
    """Let dice or a number generator name who gets the first cards, counted from this place as one."""
    generator = rules.option("start by") == "generator"
    clause = rules["generator" if generator else "starting position"]
    return await RollDice(first, 3, clause, rules["no roll"], generator)


async def bonus_table(rules: Rulebook, *, by_hand: bool) -> None:
    """Play one round of a table with the three-card or seven-card bonus (11.17): no dice, three cards, then four."""
    layout = await OpenWagers(rules.opening, rules["wagers close"], seating=seating(rules))
    order = (*layout.having(MAIN), DEALER)
    await Deal(order, rules["first three cards"], 3)
    await settle_three_cards(rules, layout)
    if by_hand:
        await ReleaseStub(rules["four cards by hand"])
        await Deal(order, rules["four cards by hand"], 4, by_hand=True)
    else:
        await Deal(order, rules["four cards by shoe"], 4)
        await ReleaseStub(rules["four cards by shoe"])
    await count_stub(rules, order, "stub count", every=5)
    await finish(rules, layout, Bank())
    await Discard(rules["discards"])


async def settle_three_cards(rules: Rulebook, layout: Layout) -> None:
    """Collect every losing three-card bonus wager, then pay every winner (11.17(f))."""
    hands = layout.having(THREE)
    table = rules.tables.get(THREE)
    if not hands or table is None:
        return
    by, calls = judge_by(rules, bonus.three_card_bonus, THREE), calls_of(rules, THREE)
    clause = rules["three cards"]
    answers = {hand: await Judge(THREE, (hand,), by, calls, clause, hand, hands, NOTHING) for hand in hands}
    clauses = {hand: table[answer] for hand, answer in answers.items()}
    for outcome in (Outcome.LOSE, Outcome.WIN):
        for hand, clause in clauses.items():
            if clause.outcome is outcome:
                await Settle(clause, hand, THREE)


async def count_stub(rules: Rulebook, order: tuple[str, ...], clause: str, *, every: int) -> None:
    """Count what is left when every hand of the order holds seven."""
    held = dict.fromkeys(order, 7)
    await CountStub(held, rules[clause], rules["misdeal"], rules["deck removed"], every)


async def finish(rules: Rulebook, layout: Layout, bank: Bank) -> None:
    """Set, compare counterclockwise from the dealer's far right, and settle (11.9)."""
    players = layout.having(MAIN)
    choices = {SURRENDER: Choice()} if rules.option(SURRENDER) else {}
    prompt, closing = "Players set their hands.", "Hands set."
    chosen = await Offer("hands", players, choices, rules["hands set"], prompt, closing, wager=MAIN)
    for hand, owner in chosen.places(SURRENDER):
        await Settle(rules[SURRENDER], hand, MAIN, owner)
    for hand in dict.fromkeys((*house_hand(layout), bank.hand)):
        await Set(hand, rules["dealer sets"], house_way(rules) if hand == DEALER else None)
    gone = chosen.whole(SURRENDER)
    left = (*(hand for hand in reversed(players) if hand not in gone), *house_hand(layout))
    by, clause = result_by(rules), rules["comparison"]
    for hand in left:
        result = await Judge("result", parts(hand, bank.hand), by, RESULTS, clause, hand, left, LOSE)
        await Settle(rules[result], hand, MAIN)
    await settle_seven_cards(rules, layout)
    await settle_imperial(rules, layout, bank.hand)
    await settle_bonus(rules, layout)


async def settle_seven_cards(rules: Rulebook, layout: Layout) -> None:
    """Settle the seven-card bonus of each hand (11.18)."""
    hands = tuple(reversed(layout.having(SEVEN)))
    for hand in hands:
        table = rules.table(SEVEN)
        by, calls = judge_by(rules, bonus.seven_card_bonus, SEVEN), calls_of(rules, SEVEN)
        answer = await Judge(SEVEN, parts(hand), by, calls, rules["seven cards"], hand, hands, NOTHING)
        await Settle(table[answer], hand, SEVEN)


async def settle_bonus(rules: Rulebook, layout: Layout) -> None:
    """Settle the bonus wager of 11.15, and pay the others for each premium hand."""
    hands = tuple(reversed(layout.having(BONUS)))
    for hand in hands:
        by, calls = judge_by(rules, bonus.seven_card_bonus, BONUS), calls_of(rules, BONUS)
        answer = await Judge(BONUS, parts(hand), by, calls, rules["bonus hand"], hand, hands, NOTHING)
        await Settle(rules.table(BONUS)[answer], hand, BONUS)
        envy = envy_of(rules).get(answer)
        if envy:
            others = tuple(other for other in hands if other != hand)
            await PayBand(others, BONUS, (envy,), rules["envy bonus"], hand)


@cache
def envy_of(rules: Rulebook) -> dict[str, Clause]:
    """Return what the house pays others for a premium hand, by the hand."""
    clause, least = rules["envy bonus"], rules.option("envy bonus from")
    amounts = {each["hand"]: each["amount"] for each in rules.option("envy bonus")}
    return {hand: replace(clause, name=f"from {least}", amount=paid, least=least) for hand, paid in amounts.items()}


async def settle_imperial(rules: Rulebook, layout: Layout, bank: str) -> None:
    """Settle the imperial bonus: the player's hand and the banker's hand on one wager (11.20(b), (c))."""
    hands = tuple(reversed(layout.having(IMPERIAL)))
    if not hands:
        return
    player, banker = rules.table(PLAYER_BONUS), rules.table(BANKER_BONUS)
    by, calls = judge_by(rules, bonus.imperial_banker_hand, BANKER_BONUS), calls_of(rules, BANKER_BONUS)
    against = banker[await Judge(BANKER_BONUS, parts(bank), by, calls, rules["imperial"])]
    by, calls = judge_by(rules, bonus.imperial_player_hand, PLAYER_BONUS), calls_of(rules, PLAYER_BONUS)
    for hand in hands:
        own = await Judge(PLAYER_BONUS, parts(hand), by, calls, rules["imperial"], hand, hands, NOTHING)
        await Settle(together(player[own], against), hand, IMPERIAL)


def together(one: Clause, other: Clause) -> Clause:
    """Return the clause that pays one wager by two tables."""
    won = [clause for clause in (one, other) if clause.odds]
    if len(won) < 2:  # noqa: PLR2004 - both of two
        return won[0] if won else one
    ratio = sum((clause.odds.ratio for clause in won if clause.odds), Fraction(0))
    odds = Odds(ratio.numerator, ratio.denominator)
    return Clause(f"{one.cites}, {other.cites}", one.standing, f"{one.name} and {other.name}", Outcome.WIN, odds)


@cache
def house_way(rules: Rulebook) -> Callable[[Cards], tuple[Cards, Cards]]:
    """Return the licensee's way of setting the dealer's hand."""
    own = rules.option("house way")
    second = rules.option("low straight second")
    way = HouseWay.parse(own, low_straight_second=second) if own else COMMON_WAY

    def set_by(cards: Cards) -> tuple[Cards, Cards]:
        high, low = set_hand(cards, way)
        return tuple(high), tuple(low)

    return set_by


@cache
def result_by(rules: Rulebook) -> Callable[..., str]:
    """Return how a player's set hand is compared with the dealer's."""
    return partial(result_of, second=rules.option("low straight second"))


def result_of(high: Cards, low: Cards, dealer_high: Cards, dealer_low: Cards, *, second: bool) -> str:
    """Judge a player's two hands; a foul is named, not only lost."""
    player = Setting(high, low)
    if is_foul(player, low_straight_second=second):
        return FOUL
    return compare(player, Setting(dealer_high, dealer_low), low_straight_second=second)


def composition(rules: Rulebook) -> Composition:
    """Return the deck: 52 cards and one joker (11.17(h)1)."""
    del rules
    return WITH_JOKER_53


GAME = Game(
    "pai-gow-poker",
    {"base": base, "bonus": partial(bonus_table, by_hand=False), "bonus-hand": partial(bonus_table, by_hand=True)},
    composition,
)
