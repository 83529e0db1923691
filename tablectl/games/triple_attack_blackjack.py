"""Triple attack blackjack (N.J.A.C. 13:69F-36): up to three wagers on a hand, placed as its cards come."""

from collections.abc import Callable
from functools import cache, partial

from tablectl.cards import SPANISH_48, Card, Composition
from tablectl.games import blackjack as family
from tablectl.games.blackjack import HOLE, STAND, SURRENDER, Hands, Style
from tablectl.hands import blackjack as judge
from tablectl.hands.blackjack import BLACKJACK, BUST, LOSE, NO_BLACKJACK, NOTHING, SIX_CARDS, TWENTY_ONE
from tablectl.rulebook import Clause, Rulebook
from tablectl.script import DEALER, OVER, Choice, Deal, Discard, Game, Judge, Offer, Settle, Stake

FIRST, SECOND, THIRD = "first attack", "second attack", "third attack"
ROYAL, SECOND_BONUS = "suited royal", "second bonus"
ENDS = (BLACKJACK, TWENTY_ONE, SIX_CARDS, BUST)
AT_ONCE = ((BLACKJACK, TWENTY_ONE), (TWENTY_ONE, TWENTY_ONE), (SIX_CARDS, SIX_CARDS), (BUST, BUST))
STYLE = Style((FIRST, SECOND, THIRD), judge.attack_hand, ENDS, AT_ONCE)

Cards = tuple[Card, ...]


async def triple_attack(rules: Rulebook) -> None:
    """Play one round, from the first attack wager to the discard rack."""
    layout = await family.open_wagers(rules, FIRST)
    players = layout.having(FIRST)
    await deal(rules, players)
    await settle_bonus(rules, ROYAL, layout.having(ROYAL), judge.suited_royal)
    await settle_bonus(rules, SECOND_BONUS, layout.having(SECOND_BONUS), unknown)
    up = await family.look_up(rules)
    insured = await family.insure(rules, STYLE, players, up)
    left = await pay_blackjacks(rules, players)
    found = await family.look(rules, up) if left or insured else NO_BLACKJACK
    if found:
        await family.settle_insurance(insured, insurance(rules, found))
    hands = await family.play_all(rules, STYLE, left, found)
    if family.needs_hole(hands, found) or (insured and not found):
        found = await family.turn_hole(rules, found, insured, insurance)
        if found == NO_BLACKJACK and any(hand.end == STAND for hand in hands):
            found = await family.dealer_turn(rules, hits_soft_17=rules.option("hits soft 17"))
    await finish(rules, hands, found)
    await family.pick_up(rules, hands)


async def deal(rules: Rulebook, players: tuple[str, ...]) -> None:
    """Deal two cards to each player and to the dealer, and open the second and third attack between them."""
    await Deal(players, rules["first card"], face_up=True)
    await attack(rules, SECOND, players, DEALER)
    await Deal((DEALER,), rules["dealer's first card"], face_up=True)
    await attack(rules, THIRD, players, players[0])
    await Deal(players, rules["initial deal"], face_up=True)
    await Deal((HOLE,), rules["initial deal"])


async def attack(rules: Rulebook, wager: str, players: tuple[str, ...], next_card: str) -> None:
    """Let players add an attack wager until the next card leaves the shoe."""
    least = 1 if rules.option("attack wagers") == "equal" else 0
    choice = Choice(Stake(rules.wager(wager), of=FIRST, least=least, full=True))
    prompt, closing = f"Any {wager} wagers?", f"{wager.capitalize()} closed."
    await Offer(wager, players, {wager: choice}, rules[wager], prompt, closing, next_card)


async def settle_bonus(rules: Rulebook, wager: str, hands: tuple[str, ...], by: Callable[[Cards], str]) -> None:
    """Settle a bonus wager on the first two cards."""
    for hand in hands:
        table = rules.table(wager)
        answer = await Judge(wager, (hand,), by, (*table.lines, NOTHING), rules["bonus wagers"], hand, hands)
        await Settle(table[answer], hand, wager)


def unknown(cards: Cards) -> str:
    """Leave it to the dealer what these cards are: the hands of this wager were not found.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"no rule says what {' '.join(cards)} is")


def insurance(rules: Rulebook, found: str) -> Clause:
    """Return the clause that settles insurance."""
    if found == judge.SUITED_BLACKJACK and rules.option("suited insurance"):
        return rules["insurance won suited"]
    return rules["insurance lost" if found == NO_BLACKJACK else "insurance won"]


async def pay_blackjacks(rules: Rulebook, players: tuple[str, ...]) -> tuple[str, ...]:
    """Pay every blackjack before the dealer looks for one; return the other hands."""
    calls = (BLACKJACK, NO_BLACKJACK)
    found = {
        hand: await Judge(BLACKJACK, (hand,), blackjack, calls, rules[BLACKJACK], hand, players) for hand in players
    }
    paid = [hand for hand in players if found[hand] == BLACKJACK]
    for hand in paid:
        await family.settle(rules[BLACKJACK], STYLE, hand)
    await Discard(rules["discards"], tuple(paid))
    return tuple(hand for hand in players if hand not in paid)


def blackjack(cards: Cards) -> str:
    """Judge whether a player has a blackjack."""
    return BLACKJACK if judge.is_blackjack(cards) else NO_BLACKJACK


async def finish(rules: Rulebook, hands: Hands, found: str) -> None:
    """Settle from the dealer's right what is not settled."""
    left = tuple(hand for hand in reversed(hands) if not hand.settled and hand.end != OVER)
    compared = tuple(hand.name for hand in left if hand.end == STAND)
    for hand in left:
        if hand.end == SURRENDER:
            await family.settle(rules[SURRENDER if found == NO_BLACKJACK else LOSE], STYLE, hand.name)
        elif found != NO_BLACKJACK:
            await family.lose_original(rules, STYLE, hand)
        else:
            areas = (hand.name, DEALER, HOLE)
            by, calls, clause = result_by(rules), judge.ATTACK_RESULTS, rules["comparison"]
            answer = await Judge("result", areas, by, calls, clause, hand.name, compared)
            await family.settle(rules[answer], STYLE, hand.name, doubled=hand.doubled)


@cache
def result_by(rules: Rulebook) -> Callable[..., str]:
    """Return how a player's hand is compared with the dealer's."""
    return partial(judge.attack_result, pushes_22=rules.option("pushes 22"))


def composition(rules: Rulebook) -> Composition:
    """Return the deck: eight packs of 48 cards, without tens (36.2(a))."""
    del rules
    return EIGHT_DECKS


EIGHT_DECKS = Composition(decks=8, without=SPANISH_48.without)
GAME = Game("triple-attack-blackjack", {"base": triple_attack}, composition, reshuffle="shoe")
