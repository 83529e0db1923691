"""Supreme pai gow: the bonus wager, over all hands of four cards."""

from collections import Counter
from itertools import combinations

from tablectl.games.supreme_pai_gow import BONUS, bonus_by
from tablectl.odds.exact.paying import by_pay_table
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.tally import Account

FOUR = 4


def four_cards(inquiry: Inquiry) -> Account:
    """Judge all 316,251 hands of four cards."""
    hands, by = combinations(inquiry.terms.composition.cards(), FOUR), bonus_by(inquiry.rules)
    return by_pay_table(inquiry.rules.table(BONUS), Counter(by(hand) for hand in hands))
