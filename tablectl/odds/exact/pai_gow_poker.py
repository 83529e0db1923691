"""Pai gow poker: the bonus wagers on a hand by itself, over all hands of three and of seven cards."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb, prod

from tablectl.cards import JOKER, PACK, WITH_JOKER_53, Card, Rank, Suit
from tablectl.games.pai_gow_poker import SEVEN, THREE
from tablectl.hands.bonus import seven_card_bonus, three_card_bonus
from tablectl.odds.exact.paying import by_pay_table
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.tally import Account

RANKS = tuple(rank for rank in Rank if rank is not Rank.JOKER)
CARDS = {(card.rank, card.suit): card for card in PACK}
FLUSH_SUIT, *OTHER_SUITS = Suit

Class = tuple[tuple[Card, ...], int]
"""A hand that stands for its class, and how many hands are in it."""


def three_cards(inquiry: Inquiry) -> Account:
    """Judge all 23,426 hands of three cards."""
    hands = combinations(WITH_JOKER_53.cards(), 3)
    return by_pay_table(inquiry.rules.table(THREE), Counter(str(three_card_bonus(hand)) for hand in hands))


def seven_cards(inquiry: Inquiry) -> Account:
    """Judge all 154,143,080 hands of seven cards, class by class."""
    counts = Counter[str]()
    for hand, times in classes():
        counts[str(seven_card_bonus(hand))] += times
    return by_pay_table(inquiry.rules.table(SEVEN), counts)


def classes() -> Iterator[Class]:
    """Yield every class of seven cards: suits matter only where a flush can be made, so some 450,000 stand for all."""
    for jokers in (0, 1):
        with_flush = Counter[tuple[Rank, ...]]()
        for hand, times in flush_classes(jokers):
            with_flush[tuple(sorted(card.rank for card in hand if card is not JOKER))] += times
            yield hand, times
        yield from other_classes(jokers, with_flush)


def flush_classes(jokers: int) -> Iterator[Class]:
    """Yield the hands with five or more cards of one suit, the joker counted."""
    for suited in range(5 - jokers, 8 - jokers):
        for ranks in combinations(RANKS, suited):
            flush = tuple(CARDS[rank, FLUSH_SUIT] for rank in ranks)
            for rest, times in rest_classes(7 - jokers - suited):
                yield (*flush, *rest, *(JOKER,) * jokers), len(Suit) * times


def rest_classes(size: int) -> Iterator[Class]:
    """Yield up to two cards of the three other suits; only whether two are of one suit can matter."""
    for ranks in combinations_with_replacement(RANKS, size):
        for suits, times in REST_SUITS[len(ranks), len(set(ranks))]:
            yield tuple(CARDS[rank, suit] for rank, suit in zip(ranks, suits, strict=True)), times


REST_SUITS: dict[tuple[int, int], list[tuple[Sequence[Suit], int]]] = {
    (0, 0): [((), 1)],
    (1, 1): [(OTHER_SUITS[:1], 3)],
    (2, 1): [(OTHER_SUITS[:2], 3)],
    (2, 2): [(OTHER_SUITS[:1] * 2, 3), (OTHER_SUITS[:2], 6)],
}
"""By the number of cards and of ranks: suits that stand for all like them, and how many those are."""


def other_classes(jokers: int, with_flush: Counter[tuple[Rank, ...]]) -> Iterator[Class]:
    """Yield the hands without a flush: all of their ranks, less those counted with one."""
    for ranks in combinations_with_replacement(RANKS, 7 - jokers):
        counts = Counter(ranks).values()
        if max(counts) <= len(Suit):
            times = prod(comb(len(Suit), count) for count in counts) - with_flush[ranks]
            spread = tuple(CARDS[rank, list(Suit)[place % len(Suit)]] for place, rank in enumerate(ranks))
            yield (*spread, *(JOKER,) * jokers), times
