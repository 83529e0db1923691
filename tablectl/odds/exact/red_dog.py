"""Red dog: every deal of three cards, played at the table itself."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

from tablectl.cards import Card, Composition, Rank
from tablectl.odds.croupier import Croupier
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.tally import Account, Bookkeeper

DEALT = 3


def every_deal(inquiry: Inquiry) -> Account:
    """Play a deal of each three ranks, for as many as there are; where two cards end it, the third is not used."""
    croupier, books = Croupier(inquiry), Bookkeeper(inquiry)
    for cards, deals in classes(inquiry.terms.composition):
        books.book(croupier.play(cards), deals)
    return books.tally[inquiry.wagers[0]]


def classes(deck: Composition) -> Iterator[tuple[tuple[Card, ...], int]]:
    """Yield three cards for each three ranks, in order, and how many deals are of these ranks."""
    piles = defaultdict[Rank, list[Card]](list)
    for card in deck.cards():
        piles[card.rank].append(card)
    for ranks in product(piles, repeat=DEALT):
        cards: list[Card] = []
        deals = 1
        for rank in ranks:
            used = sum(card.rank is rank for card in cards)
            if used < len(piles[rank]):
                cards.append(piles[rank][used])
            deals *= len(piles[rank]) - used
        if deals:
            yield tuple(cards), deals
