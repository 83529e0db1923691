"""Blackjack hands: what they count, what they are called, and how the player's compares with the dealer's.

Cards come as the table holds them: the player's in the order in which they were dealt, the dealer's in two areas, the
exposed card with those drawn to it, and the hole card.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tablectl.cards import Card, Rank

Cards = Sequence[Card]

BLACKJACK, TWENTY_ONE, BUST = "blackjack", "21", "bust"
WIN, LOSE, VOID = "win", "lose", "void"
DRAW = "draw"
NOTHING = "nothing"

ACE, TEN, OTHER = "ace", "ten", "other"
UP_CARDS = (ACE, TEN, OTHER)
"""What the dealer's exposed card can be; ``ten`` is any card that counts ten."""

NO_BLACKJACK, SUITED_BLACKJACK = "no blackjack", "suited blackjack"

MOST = 21
SOFT = 10
"""How much more an ace counts where it counts eleven."""

_COUNTS = {card: 1 if card.rank is Rank.ACE else min(int(card.rank), 10) for card in Card if card.suit}


class Total(NamedTuple):
    """What a hand counts. soft: an ace counts eleven."""

    points: int
    soft: bool


def total(cards: Cards) -> Total:
    """Count a hand: an ace counts 11 unless the hand would be over 21, then 1 (13:69F-2.2(b)).

    >>> total([Card("Ac"), Card("6d")]), total([Card("Ac"), Card("6d"), Card("Kd")])
    (Total(points=17, soft=True), Total(points=17, soft=False))

    Raises:
        ValueError: a joker, or a card not yet seen.
    """
    return Total(*_count(cards))


def _count(cards: Cards) -> tuple[int, bool]:
    """Count a hand as :func:`total` does, without its name, which takes as long to make as all the rest."""
    points, ace = 0, False
    try:
        for card in cards:
            count = _COUNTS[card]
            points += count
            ace = ace or count == 1
    except KeyError as error:
        raise ValueError(f"a card of rank two to ace was awaited, not {error.args[0]}") from error
    soft = ace and points + SOFT <= MOST
    return points + SOFT * soft, soft


def is_blackjack(cards: Cards) -> bool:
    """Tell whether two cards count 21; whether that is a blackjack on a split hand is the game's to say."""
    return len(cards) == 2 and _count(cards)[0] == MOST  # noqa: PLR2004 - an ace and a ten


def hand_of(cards: Cards) -> str:
    """Return what a player's hand is: ``blackjack``, ``21``, ``bust``, or how many it counts."""
    points, _ = _count(cards)
    if points > MOST:
        return BUST
    return BLACKJACK if points == MOST and len(cards) == 2 else str(points)  # noqa: PLR2004 - as is_blackjack says


def dealer_hand(dealer: Cards, hole: Cards, *, hits_soft_17: bool = False) -> str:
    """Return what a dealer's hand is: ``draw`` where the dealer must, else as :func:`hand_of`."""
    whole = (*dealer, *hole)
    points, soft = _count(whole)
    if points <= 16 or (hits_soft_17 and soft and points == 17):  # noqa: PLR2004 - "draws to 16, stands on 17"
        return DRAW
    return hand_of(whole)


DEALER_HANDS = (*(str(points) for points in range(17, 22)), BLACKJACK, BUST)
"""Every hand with which a dealer stands."""


def up_card(dealer: Cards) -> str:
    """Return what the exposed card is, one of :data:`UP_CARDS`."""
    points, soft = _count(dealer[:1])
    return ACE if soft else TEN if points == SOFT else OTHER


def dealer_blackjack(dealer: Cards, hole: Cards) -> str:
    """Return whether the dealer has a blackjack, and whether its two cards are of one suit."""
    whole = (*dealer, *hole)
    if not is_blackjack(whole):
        return NO_BLACKJACK
    return SUITED_BLACKJACK if _one_suit(whole) else BLACKJACK


def peek(dealer: Cards, hole: Cards) -> str:
    """Return what a reader tells of a hole card that stays face down: ``blackjack`` or ``no blackjack``."""
    return BLACKJACK if is_blackjack((*dealer, *hole)) else NO_BLACKJACK


def is_pair(cards: Cards) -> bool:
    """Tell whether the hand is two cards of identical value: a jack and a queen are (13:69F-36.9(a))."""
    return len(cards) == 2 and _COUNTS.get(cards[0]) == _COUNTS.get(cards[1])  # noqa: PLR2004 - a pair


def is_aces(cards: Cards) -> bool:
    """Tell whether every card is an ace."""
    return all(card.rank is Rank.ACE for card in cards)


def compare(cards: Cards, dealer: Cards, hole: Cards) -> str:
    """Compare a hand with the dealer's by what they count: ``win``, ``lose`` or ``void``."""
    own, whole = _count(cards)[0], (*dealer, *hole)
    theirs = _count(whole)[0]
    if own > MOST or (is_blackjack(whole) and not is_blackjack(cards)):
        return LOSE
    if theirs > MOST:
        return WIN
    return WIN if own > theirs else VOID if own == theirs else LOSE


# Spanish 21

BONUSES = (
    "6-7-8 of mixed suits",
    "6-7-8 of one suit",
    "6-7-8 of spades",
    "7-7-7 of mixed suits",
    "7-7-7 of one suit",
    "7-7-7 of spades",
    "five cards totaling 21",
    "six cards totaling 21",
    "seven or more cards totaling 21",
)
"""The hands of 13:69F-19.5(f), in its order; no hand is two of them."""
SUITED_SEVENS = ("7-7-7 of one suit", "7-7-7 of spades")
"""The hands of 13:69F-19.5(g)."""
SPANISH_RESULTS = (WIN, LOSE, VOID, BLACKJACK, *BONUSES)


def spanish_result(cards: Cards, dealer: Cards, hole: Cards) -> str:
    """Return what becomes of a Spanish 21 hand by its cards alone (13:69F-19.5(a), (b), (f)).

    A two-card 21 beats everything, 21 in more cards everything but a dealer blackjack.
    """
    if is_blackjack(cards):
        return BLACKJACK
    if _count(cards)[0] == MOST and not is_blackjack((*dealer, *hole)):
        return bonus(cards) or WIN
    return compare(cards, dealer, hole)


def bonus(cards: Cards) -> str:
    """Return which of :data:`BONUSES` a hand that counts 21 is, empty for none."""
    ranks = sorted(card.rank for card in cards)
    for name, three in (("6-7-8", [Rank.SIX, Rank.SEVEN, Rank.EIGHT]), ("7-7-7", [Rank.SEVEN] * 3)):
        if ranks == three:
            return f"{name} of {_suits(cards)}"
    number = {5: "five", 6: "six"}.get(len(cards), "seven or more" if len(cards) > 6 else "")  # noqa: PLR2004 - above
    return number and f"{number} cards totaling 21"


def _suits(cards: Cards) -> str:
    if not _one_suit(cards):
        return "mixed suits"
    return "spades" if cards[0].suit == "s" else "one suit"


def _one_suit(cards: Cards) -> bool:
    return all(card.suit is cards[0].suit for card in cards)


SEVEN, NO_SEVEN = "seven", "no seven"


def exposed_seven(dealer: Cards) -> str:
    """Return whether the dealer's exposed card is a seven (13:69F-19.5(g))."""
    return SEVEN if dealer[0].rank is Rank.SEVEN else NO_SEVEN


MATCHES = {
    (0, 2): "two suited matches",
    (1, 1): "one suited and one non-suited match",
    (0, 1): "one suited match",
    (2, 0): "two non-suited matches",
    (1, 0): "one non-suited match",
}
"""How a player's first two cards match the exposed card, by how many match in rank alone and how many in suit too."""


def match_the_dealer(cards: Cards, dealer: Cards) -> str:
    """Return how the first two cards match the dealer's exposed card (58 Pa. Code 635c.1(a)), else ``nothing``."""
    exposed = dealer[0]
    alike = [card.suit is exposed.suit for card in cards[:2] if card.rank is exposed.rank]
    return MATCHES.get((alike.count(False), alike.count(True)), NOTHING)


# Triple attack blackjack

SIX_CARDS = "six cards"
_SIX = 6


def attack_hand(cards: Cards) -> str:
    """Return what a triple attack hand is, as :func:`hand_of`, or ``six cards`` not over 21 (13:69F-36.5(b))."""
    found = hand_of(cards)
    return SIX_CARDS if len(cards) >= _SIX and found not in (BUST, TWENTY_ONE) else found


DEALER_22 = "dealer 22"
ATTACK_RESULTS = (WIN, LOSE, VOID, DEALER_22)


def attack_result(cards: Cards, dealer: Cards, hole: Cards, *, pushes_22: bool) -> str:
    """Return what becomes of a triple attack hand; pushes_22: a dealer who counts 22 wins and loses nothing."""
    found = attack_hand(cards)
    if found in (BLACKJACK, TWENTY_ONE, SIX_CARDS):
        return WIN
    if pushes_22 and found != BUST and _count((*dealer, *hole))[0] == MOST + 1:
        return DEALER_22
    return compare(cards, dealer, hole)


KING_QUEEN = "king queen suited"


def suited_royal(cards: Cards) -> str:
    """Return whether the first two cards are a king and a queen of one suit (13:69F-36.6(a)1i)."""
    first = cards[:2]
    royal = sorted(card.rank for card in first) == [Rank.QUEEN, Rank.KING]
    return KING_QUEEN if royal and _one_suit(first) else NOTHING
