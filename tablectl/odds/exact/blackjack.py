"""The blackjack games: insurance, by every hole card."""

from collections import Counter

from tablectl.cards import Card
from tablectl.games import spanish_21
from tablectl.hands.blackjack import dealer_blackjack
from tablectl.odds.exact.paying import hit, lost
from tablectl.odds.inquiry import STAKE, Inquiry
from tablectl.odds.tally import Account

INSURANCE = "insurance"


def insurance(inquiry: Inquiry) -> Account:
    """Count the hole cards beside an ace out of a whole deck, no other card known."""
    ace = Card.ACE_OF_SPADES
    left = Counter(inquiry.terms.composition.cards())
    left[ace] -= 1
    account = Account()
    for hole, number in left.items():
        found = dealer_blackjack((ace,), (hole,))
        clause = spanish_21.insurance(inquiry.rules, found)
        account.weight += number
        account.lost += number * lost(clause)
        account.hits[hit(INSURANCE, found, clause)] += number
    account.stakes, account.staked = account.weight, account.weight * STAKE
    return account
