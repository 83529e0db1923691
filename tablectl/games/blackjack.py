"""What the blackjack games have in common: how a box is played, how the dealer looks, draws and is insured against."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache

import msgspec

from tablectl.cards import Card
from tablectl.hands import blackjack as judge
from tablectl.hands.blackjack import ACE, BLACKJACK, NO_BLACKJACK, OTHER, SUITED_BLACKJACK
from tablectl.rulebook import Clause, Rulebook
from tablectl.script import (
    DEALER,
    DRAW,
    MOST_POSITIONS,
    OVER,
    Choice,
    Deal,
    Discard,
    Expose,
    Judge,
    Offer,
    OpenWagers,
    Seating,
    Settle,
    Split,
    Stake,
    Turn,
)

Cards = tuple[Card, ...]

HOLE = f"{DEALER}.hole"
INSURANCE, DOUBLE, SPLIT = "insurance", "double", "split"
STAND, RESCUE, SURRENDER = "stand", "rescue", "surrender"
HAND, PEEK, LOOK = "hand", "peek", "dealer blackjack"
LOOKS = (NO_BLACKJACK, BLACKJACK, SUITED_BLACKJACK)


class Style(msgspec.Struct, frozen=True):
    """How one game of the family plays a hand. wagers: what is played for, the required one first; by: what a hand is;
    ends: what it may be for its turn to be over; at_once: by what it then is, the clause that settles it at once.
    """

    wagers: tuple[str, ...]
    by: Callable[..., str]
    ends: tuple[str, ...]
    at_once: tuple[tuple[str, str], ...] = ()

    @property
    def main(self) -> str:
        """Return the wager that every hand has."""
        return self.wagers[0]


class Hand(msgspec.Struct, frozen=True):
    """A hand that was played. end: how, empty where nobody had to act; settled: nothing lies on it any more."""

    name: str
    end: str
    split: bool = False
    doubled: bool = False
    settled: bool = False

    @property
    def original(self) -> bool:
        """Tell whether its wager was there before any split: the first hand keeps it."""
        return not self.split or self.name.endswith(".1")


Hands = tuple[Hand, ...]


# Before the turns


def open_wagers(rules: Rulebook, first: str) -> OpenWagers:
    """Return the step that lets wagers be placed until the first card goes to the first hand with this wager."""
    positions = MOST_POSITIONS if rules.option("several boxes") else 1
    seating = Seating(rules["seating"], positions, rules.option("people on a box"))
    burn = rules["burn"] if rules.option("burn") else None
    entry = rules["mid-shoe entry"] if rules.option("mid-shoe entry") == "barred" else None
    return OpenWagers(rules.opening, rules["wagers close"], first, seating, burn, entry)


async def look_up(rules: Rulebook) -> str:
    """Find out what the dealer's exposed card is."""
    return await Judge("up card", (DEALER,), judge.up_card, judge.UP_CARDS, rules["initial deal"])


async def insure(rules: Rulebook, style: Style, hands: tuple[str, ...], up: str) -> tuple[str, ...]:
    """Offer insurance against an ace; return the hands that took it."""
    if up != ACE or not hands:
        return ()
    stake = Stake(rules.wager(INSURANCE), of=style.main, most=Fraction(1, 2), beside=style.wagers[1:])
    offer = Offer(
        INSURANCE, hands, {INSURANCE: Choice(stake)}, rules[INSURANCE], "Insurance?", closing="Insurance closed."
    )
    return tuple(await offer)


async def look(rules: Rulebook, up: str) -> str:
    """Find out, as far as may be before the turns, whether the dealer has a blackjack; empty where nobody looks."""
    if up == OTHER:
        return NO_BLACKJACK
    if not rules.option("peek"):
        return ""
    calls = (NO_BLACKJACK, BLACKJACK)
    if await Judge(PEEK, (DEALER, HOLE), judge.peek, calls, rules["peek"]) == NO_BLACKJACK:
        return NO_BLACKJACK
    await Expose(HOLE, rules["peek"])
    return await blackjack(rules, "peek")


async def blackjack(rules: Rulebook, clause: str) -> str:
    """Find out by the turned hole card whether the dealer has a blackjack."""
    return await Judge(LOOK, (DEALER, HOLE), judge.dealer_blackjack, LOOKS, rules[clause])


async def settle_insurance(hands: tuple[str, ...], clause: Clause) -> None:
    """Settle every insurance wager, whatever becomes of the hands."""
    for hand in hands:
        await Settle(clause, hand, INSURANCE)


# The turns


async def play_all(rules: Rulebook, style: Style, players: tuple[str, ...], found: str) -> Hands:
    """Let every player act, unless the dealer has shown a blackjack."""
    if found in (BLACKJACK, SUITED_BLACKJACK):
        return tuple(Hand(box, "") for box in players)
    return tuple([hand for box in players for hand in await play(rules, style, box)])


async def play(rules: Rulebook, style: Style, box: str) -> Hands:
    """Play the hands of a box from the dealer's left; one that is split goes on as two, the first before the second."""
    played: list[Hand] = []
    waiting, limited = [box], False
    while waiting:
        number = len(waiting) + len(played)
        hand = waiting.pop(0)
        if hand != box:
            await Deal((hand,), rules[SPLIT], face_up=True)
        end, doubled = await turn(rules, style, hand, can_split=number < rules.option("hands"), limited=limited)
        if end == SPLIT:
            into = (f"{box}.1", f"{box}.2") if hand == box else (hand, f"{box}.{number + 1}")
            await Split(hand, into, style.wagers, SPLIT, rules[SPLIT])
            limited = limited or await is_limited(rules, into[0])
            waiting[:0] = into
        else:
            settled = await settle_at_once(rules, style, hand, end, doubled=doubled)
            played.append(Hand(hand, end, hand != box, doubled, settled))
    return tuple(played)


def split_aces(cards: Cards) -> str:
    """Judge the first card of a hand that was split."""
    return "aces" if judge.is_aces(cards) else "no aces"


async def is_limited(rules: Rulebook, hand: str) -> bool:
    """Tell whether this table lets split aces do less than other split hands, and these are aces."""
    if rules.option("split aces") == "draw":
        return False
    return await Judge("split", (hand,), split_aces, ("aces", "no aces"), rules[SPLIT], hand) == "aces"


async def turn(rules: Rulebook, style: Style, hand: str, *, can_split: bool, limited: bool) -> tuple[str, bool]:
    """Let a hand act until its turn is over; return how it ended, and whether it was doubled."""
    if limited and rules.option("split aces") == "one card":
        return STAND, False
    first = True
    while True:
        choices = choices_of(rules, style, first and "." not in hand, first and can_split)
        end = await Turn(
            hand, choices, HAND, (hand,), style.by, style.ends, rules["turn"], draws=not limited, wager=style.main
        )
        if end == DOUBLE:
            return await double(rules, style, hand), True
        if end != DRAW:
            return end, False
        await Deal((hand,), rules["turn"], face_up=True)
        first = False


@cache
def choices_of(rules: Rulebook, style: Style, untouched: bool, can_split: bool) -> Mapping[str, Choice]:  # noqa: FBT001 - what the hand may still do
    """Return what a hand may choose; untouched: two cards, not split; can_split: two cards, and the box has room."""
    main, beside = style.main, style.wagers[1:]
    double_down = Stake(rules.wager(DOUBLE), of=main, beside=beside, full=True)
    second = Stake(rules.wager(SPLIT), of=main, least=1, beside=beside)
    choices = {STAND: Choice(), DOUBLE: Choice(double_down, clause=rules[DOUBLE])}
    if can_split:
        choices[SPLIT] = Choice(second, judge.is_pair, rules[SPLIT])
    if untouched and rules.option("surrender"):
        choices[SURRENDER] = Choice(clause=rules[SURRENDER])
    return choices


async def double(rules: Rulebook, style: Style, hand: str) -> str:
    """Deal the one card of a doubled hand, and let it be rescued where the house allows that; return how it ended."""
    await Deal((hand,), rules[DOUBLE], face_up=True)
    if not rules.option("rescue"):
        return await Judge(HAND, (hand,), end_of(style), (*style.ends, STAND), rules[DOUBLE], hand)
    choices = {STAND: Choice(), RESCUE: Choice(clause=rules[RESCUE])}
    return await Turn(hand, choices, HAND, (hand,), style.by, style.ends, rules[DOUBLE], draws=False, wager=style.main)


@cache
def end_of(style: Style) -> Callable[[Cards], str]:
    """Return how a hand that gets no more cards is judged: by its end, or it stands."""

    def judged(cards: Cards) -> str:
        found = style.by(cards)
        return found if found in style.ends else STAND

    return judged


async def settle_at_once(rules: Rulebook, style: Style, hand: str, end: str, *, doubled: bool) -> bool:
    """Settle a hand whose end decides it, and collect its cards; tell whether it was."""
    if end == RESCUE:
        await Settle(rules["rescued double"], hand, DOUBLE)
        await Settle(rules[RESCUE], hand, style.main)
    elif end in dict(style.at_once):
        await settle(rules[dict(style.at_once)[end]], style, hand, doubled=doubled)
    else:
        return False
    await Discard(rules["discards"], (hand,))
    return True


async def settle(clause: Clause, style: Style, hand: str, *, doubled: bool = False) -> None:
    """Settle what is played for on a hand; insurance and bonus wagers have their own decision."""
    for wager in style.wagers:
        await Settle(clause, hand, wager)
    if doubled:
        await Settle(clause, hand, DOUBLE)


# The dealer


def needs_hole(hands: Hands, found: str) -> bool:
    """Tell whether the hole card decides any hand; a surrender loses more where it makes a blackjack."""
    decided = (judge.BUST, OVER, *((SURRENDER,) if found == NO_BLACKJACK else ()))
    return any(not hand.settled and hand.end not in decided for hand in hands)


async def turn_hole(
    rules: Rulebook, found: str, insured: tuple[str, ...], insurance: Callable[[Rulebook, str], Clause]
) -> str:
    """Turn the hole card; where nobody looked before, find out about a blackjack and settle insurance."""
    await Expose(HOLE, rules["dealer draws"])
    if not found:
        found = await blackjack(rules, "dealer draws")
        await settle_insurance(insured, insurance(rules, found))
    return found


async def dealer_turn(rules: Rulebook, *, hits_soft_17: bool) -> str:
    """Let the dealer draw; return whether it was a blackjack after all, which nobody saw under the hole card."""
    while True:
        hand = await Turn(
            DEALER, {}, DEALER, (DEALER, HOLE), dealer_by(hits_soft_17), judge.DEALER_HANDS, rules["dealer draws"]
        )
        if hand != DRAW:
            return BLACKJACK if hand == BLACKJACK else NO_BLACKJACK
        await Deal((DEALER,), rules["dealer draws"], face_up=True)


@cache
def dealer_by(hits_soft_17: bool) -> Callable[[Cards, Cards], str]:  # noqa: FBT001 - the one thing that differs
    """Return how a dealer's hand is judged."""

    def judged(dealer: Cards, hole: Cards) -> str:
        return judge.dealer_hand(dealer, hole, hits_soft_17=hits_soft_17)

    return judged


async def lose_original(rules: Rulebook, style: Style, hand: Hand) -> None:
    """Settle a hand that a dealer's blackjack beats: only what was wagered first is lost, what was added goes back."""
    if hand.doubled:
        await Settle(rules["added wagers"], hand.name, DOUBLE)
    await settle(rules[judge.LOSE if hand.original else "added wagers"], style, hand.name)


async def pick_up(rules: Rulebook, hands: Hands) -> None:
    """Collect what still lies: hand by hand from the dealer's right, the dealer's last."""
    await Discard(rules["discards"], (*(hand.name for hand in reversed(hands) if not hand.settled), DEALER, HOLE))
