"""Spanish 21 (N.J.A.C. 13:69F-19): blackjack without tens, in which a player's 21 beats the dealer's."""

from tablectl.cards import SPANISH_48, Composition
from tablectl.games import blackjack as family
from tablectl.games.blackjack import HOLE, STAND, SURRENDER, Hand, Hands, Style
from tablectl.hands import blackjack as judge
from tablectl.hands.blackjack import BLACKJACK, BUST, LOSE, NO_BLACKJACK, NOTHING, SEVEN, TWENTY_ONE, VOID
from tablectl.rulebook import Clause, Rulebook
from tablectl.script import DEALER, OVER, Deal, Game, Judge, Pay, PayBand, Settle, Verify

MAIN, MATCH = "spanish 21", "match the dealer"
ENDS = (BLACKJACK, TWENTY_ONE, BUST)
AFTER_THE_ROUND = Style((MAIN,), judge.hand_of, ENDS)
AT_ONCE = Style((MAIN,), judge.hand_of, ENDS, ((BUST, BUST),))


async def spanish_21(rules: Rulebook) -> None:
    """Play one round, from the first wager to the discard rack."""
    style = AT_ONCE if rules.option("busts") == "at once" else AFTER_THE_ROUND
    layout = await family.open_wagers(rules, MAIN)
    players = layout.having(MAIN)
    await Deal((*players, DEALER, *players), rules["initial deal"], face_up=True)
    await Deal((HOLE,), rules["initial deal"])
    await settle_match(rules, layout.having(MATCH))
    up = await family.look_up(rules)
    insured = await family.insure(rules, style, players, up)
    found = await family.look(rules, up)
    if found:
        await family.settle_insurance(insured, insurance(rules, found))
    hands = await family.play_all(rules, style, players, found)
    if family.needs_hole(hands, found) or (insured and not found):
        found = await family.turn_hole(rules, found, insured, insurance)
        if found == NO_BLACKJACK and any(hand.end == STAND for hand in hands):
            found = await family.dealer_turn(rules, hits_soft_17=False)
    await finish(rules, style, hands, found, players)
    await family.pick_up(rules, hands)


async def settle_match(rules: Rulebook, hands: tuple[str, ...]) -> None:
    """Settle match-the-dealer wagers on the initial deal; a dealer's blackjack does not matter to them."""
    for hand in hands:
        table = rules.table(MATCH)
        calls = (*table.lines, NOTHING)
        answer = await Judge(MATCH, (hand, DEALER), judge.match_the_dealer, calls, rules[MATCH], hand, hands)
        await Settle(table[answer], hand, MATCH)


def insurance(rules: Rulebook, found: str) -> Clause:
    """Return the clause that settles insurance."""
    return rules["insurance lost" if found == NO_BLACKJACK else "insurance won"]


async def finish(rules: Rulebook, style: Style, hands: Hands, found: str, players: tuple[str, ...]) -> None:
    """Settle from the dealer's right what is not settled (19.5(a), (b), (e) to (g))."""
    left = tuple(hand for hand in reversed(hands) if not hand.settled and hand.end != OVER)
    compared = tuple(hand.name for hand in left if is_compared(hand, found))
    for hand in left:
        answer = hand.end
        if hand.name in compared:
            calls, clause = judge.SPANISH_RESULTS, rules["comparison"]
            areas = (hand.name, DEALER, HOLE)
            answer = await Judge("result", areas, judge.spanish_result, calls, clause, hand.name, compared)
        await settle_hand(rules, style, hand, answer, found)
        if answer in judge.SUITED_SEVENS and not (hand.split or hand.doubled):
            await pay_super_bonus(rules, hand.name, tuple(player for player in players if player != hand.name))


def is_compared(hand: Hand, found: str) -> bool:
    """Tell whether the dealer's cards are needed to say what a hand is paid; nothing beats a player's blackjack."""
    if found != NO_BLACKJACK:
        return not hand.end
    return hand.end in (STAND, TWENTY_ONE, "") or (hand.end == BLACKJACK and hand.split)


async def settle_hand(rules: Rulebook, style: Style, hand: Hand, answer: str, found: str) -> None:
    """Settle a hand; answer: what it is, or how it compares."""
    two_card_21 = answer == BLACKJACK and (not hand.split or rules.option("split 21") == BLACKJACK)
    if answer == SURRENDER:
        await Settle(rules[SURRENDER if found == NO_BLACKJACK else LOSE], hand.name, MAIN)
    elif found == NO_BLACKJACK or answer == BUST or two_card_21:
        await family.settle(rules[clause_of(rules, hand, answer)], style, hand.name, doubled=hand.doubled)
    else:
        if answer == BLACKJACK:
            await Verify("21 in two cards against a blackjack", rules["21 on a split hand"], hand.name)
        await family.lose_original(rules, style, hand)


def clause_of(rules: Rulebook, hand: Hand, answer: str) -> str:
    """Return which clause settles a hand: a doubled one wins even money whatever it is (19.5(f))."""
    if hand.doubled and answer not in (LOSE, VOID, BUST):
        return "doubled hand"
    if hand.split and answer == BLACKJACK and rules.option("split 21") != BLACKJACK:
        return "21 on a split hand"
    return answer


async def pay_super_bonus(rules: Rulebook, hand: str, others: tuple[str, ...]) -> None:
    """Pay the fixed amounts of 19.5(g) where the dealer's exposed card is a seven, the others' with the winner's."""
    clause = rules["super bonus"]
    calls = (SEVEN, judge.NO_SEVEN)
    if await Judge("exposed card", (DEALER,), judge.exposed_seven, calls, clause) == SEVEN:
        await Verify("three suited sevens against a seven", clause, hand)
        if await PayBand((hand,), MAIN, (rules["super bonus from 5"], rules["super bonus from 25"]), clause):
            await Pay(others, rules["super bonus for the others"], hand)


def composition(rules: Rulebook) -> Composition:
    """Return the deck: packs of 48 cards, without tens."""
    return Composition(decks=rules.option("decks"), without=SPANISH_48.without)


GAME = Game("spanish-21", {"base": spanish_21}, composition, reshuffle="shoe")
