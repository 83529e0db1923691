"""The blackjack games: insurance, by every hole card."""

from collections import Counter

from tablectl.cards import Card
from tablectl.games import spanish_21
from tablectl.hands.blackjack import dealer_blackjack
from tablectl.odds.exact.paying import hit, settle
from tablectl.odds.inquiry import Inquiry
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
        settle(account, number, hit(INSURANCE, found, clause), clause)
    return account
