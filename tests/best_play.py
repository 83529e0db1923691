"""The best play of Spanish 21, worked out card by card.

Every hand is drawn on to the end out of the deck that it leaves; it is judged by the table's own functions and paid by
its rulebook. Three things are only near. How the player's cards change the dealer's chances is added up card by card.
That the hole card made no blackjack is known to the dealer's hand, not to the cards drawn. A split hand draws from a
deck that still holds the cards of the other.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, prod

from tablectl.cards import Card, Suit
from tablectl.games.blackjack import DOUBLE, RESCUE, STAND
from tablectl.hands import blackjack as judge
from tablectl.hands.blackjack import BLACKJACK, BONUSES, BUST, LOSE, MOST, VOID, Total
from tablectl.odds.exact.paying import lost
from tablectl.odds.inquiry import STAKE, Inquiry
from tablectl.script import DRAW

INQUIRY = Inquiry("spanish-21")
FACES = tuple(map(Card, ["2c", "3d", "4h", "5s", "6c", "7d", "8h", "9s", "Kc", "Ad"]))
"""A card for each count, of mixed suits, as most hands are."""
ENDS = {
    BUST: "Kc 6d 7h",
    **dict(zip(map(str, range(17, 22)), ("Kc 7d", "Kc 8d", "Kc 9d", "Kc Kd", "Kc 5d 6h"), strict=True)),
}
"""A hand for each end of the dealer's."""
Deck = tuple[int, ...]
"""How many cards are left, by :data:`FACES`."""
Hand = tuple[int, ...]
"""What a hand holds, by places in :data:`FACES`, lowest first."""
Ends = dict[str, float]
"""How often the dealer ends in what."""
Worths = dict[str, float]
"""What choices win, in first wagers."""


@cache
def whole() -> Deck:
    counts = Counter(judge.total((card,)) for card in INQUIRY.terms.composition.cards())
    return tuple(counts[judge.total((face,))] for face in FACES)


def without(deck: Deck, *places: int) -> Deck:
    return tuple(number - places.count(place) for place, number in enumerate(deck))


def drawn(deck: Deck) -> Iterator[tuple[int, float, Deck]]:
    size = sum(deck)
    return ((place, number / size, without(deck, place)) for place, number in enumerate(deck) if number)


@cache
def faces(hand: Hand) -> tuple[Card, ...]:
    return tuple(FACES[place] for place in hand)


def added(hand: Hand, place: int) -> Hand:
    return tuple(sorted((*hand, place)))


@cache
def total(hand: Hand) -> Total:
    return judge.total(faces(hand))


@cache
def won(clause: str) -> float:
    return -lost(INQUIRY.rules[clause]) / STAKE


# The dealer


@cache
def dealer_ends(hand: Hand, deck: Deck) -> Ends:
    """Return how often a dealer's hand of two cards or more ends in what."""
    end = judge.dealer_hand(faces(hand[:1]), faces(hand[1:]))
    if end != DRAW:
        return {end: 1.0}
    return _mixed((chance, dealer_ends(added(hand, place), rest)) for place, chance, rest in drawn(deck))


@cache
def ends_behind(up: int, *gone: int) -> Ends:
    """Return how often the dealer ends in what behind this card, known not to have a blackjack. gone: other cards that
    the deck does not hold.
    """
    deck = without(whole(), up, *gone)
    ends = _mixed((chance, dealer_ends(added((up,), hole), rest)) for hole, chance, rest in drawn(deck))
    left = 1 - ends.pop(BLACKJACK, 0.0)
    return {end: share / left for end, share in ends.items()}


@cache
def ends_against(hand: Hand, up: int) -> Ends:
    """Return how often the dealer ends in what, the player's cards being out of the deck, each for itself."""
    before = ends_behind(up)
    return {end: share + sum(ends_behind(up, place)[end] - share for place in hand) for end, share in before.items()}


def _mixed(parts: Iterable[tuple[float, Ends]]) -> Ends:
    whole_ends: Ends = {}
    for chance, ends in parts:
        for end, share in ends.items():
            whole_ends[end] = whole_ends.get(end, 0.0) + chance * share
    return whole_ends


# The player


@cache
def settled(hand: Hand, end: str) -> str:
    up, *rest = map(Card, ENDS[end].split())
    return judge.spanish_result(faces(hand), (up,), rest)


@cache
def paid(hand: Hand, end: str) -> float:
    """Return what a hand wins; a bonus that asks for suits, as often as hands of these ranks have them."""
    result = settled(hand, end)
    if len(hand) > 3 or result not in BONUSES:
        return won(result)
    suits = product([suit.value for suit in Suit], repeat=3)
    hands = [[Card(f"{card[0]}{suit}") for card, suit in zip(faces(hand), each, strict=True)] for each in suits]
    return sum(won(judge.bonus(cards)) for cards in hands) / len(hands)


def paid_twice(hand: Hand, end: str) -> float:
    result = settled(hand, end)
    return 2 * won(result if result in (LOSE, VOID) else "doubled hand")


def expected(pays: Callable[[Hand, str], float], hand: Hand, up: int) -> float:
    return sum(share * pays(hand, end) for end, share in ends_against(hand, up).items())


@cache
def stands(hand: Hand, up: int) -> float:
    return won(BUST) if total(hand).points > MOST else expected(paid, hand, up)


def after_a_card(hand: Hand, up: int, then: Callable[[Hand, int], float]) -> float:
    deck = without(whole(), up, *hand)
    return sum(chance * then(added(hand, place), up) for place, chance, _ in drawn(deck))


@cache
def goes_on(hand: Hand, up: int) -> float:
    return stands(hand, up) if total(hand).points >= MOST else max(worths(hand, up).values())


@cache
def rescued(hand: Hand, up: int) -> float:
    """Return what a hand wins that was doubled."""
    if total(hand).points > MOST:
        return 2 * won(BUST)
    return max(expected(paid_twice, hand, up), won(RESCUE))


@cache
def worths(hand: Hand, up: int) -> Worths:
    """Return what each choice wins that a hand has at any time."""
    return {
        STAND: stands(hand, up),
        DRAW: after_a_card(hand, up, goes_on),
        DOUBLE: after_a_card(hand, up, rescued),
    }


@cache
def splits(place: int, up: int, more: int) -> float:
    """Return what one of two hands wins that begins with this card of a pair. more: how often it may be split again."""
    deck = without(whole(), up, place, place)
    return sum(chance * _split(place, second, up, more) for second, chance, _ in drawn(deck))


def _split(place: int, second: int, up: int, more: int) -> float:
    hand = added((place,), second)
    if total(hand).points == MOST:
        return won("21 on a split hand")
    once = max(worths(hand, up).values())
    return max(once, 2 * splits(place, up, more - 1)) if second == place and more else once


def hands_of(points: Total, number: int) -> dict[Hand, int]:
    """Return the hands of so many cards that count so, but pairs, and in how many ways each is dealt."""
    deck = whole()
    hands = (hand for hand in combinations_with_replacement(range(len(FACES)), number) if total(hand) == points)
    return {
        hand: prod(comb(deck[place], count) for place, count in Counter(hand).items())
        for hand in hands
        if number > 2 or hand[0] != hand[1]
    }


def averages(hands: Mapping[Hand, int], up: int) -> Worths:
    """Return what each choice wins, over these hands as often as each is dealt."""
    every = sum(hands.values())
    each = [(ways / every, worths(hand, up)) for hand, ways in hands.items()]
    return {choice: sum(share * found[choice] for share, found in each) for choice in (STAND, DRAW, DOUBLE)}
