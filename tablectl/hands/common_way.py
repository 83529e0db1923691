"""A plain house way of the kind that many casinos use. Which way a house takes is the licensee's choice.

Deuces to sixes are low pairs, sevens to tens medium ones, jacks to kings high ones.
"""

from tablectl.hands.house_way import Holding, HouseWay, Rule
from tablectl.hands.worth import Category

_COMPLETE = (Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH, Category.FLUSH, Category.STRAIGHT)
_LOW, _MEDIUM, _LOW_OR_MEDIUM, _HIGH = "2-6", "7-T", "2-T", "J-K"
_ANY_PAIR = "22"

COMMON_WAY = HouseWay(
    (
        # A complete hand behind, with the best that it leaves in front; otherwise the highest card behind.
        Rule(Holding.NO_PAIR, high=_COMPLETE),
        Rule(Holding.PAIR, high=_COMPLETE),
        Rule(Holding.PAIR, high=(Category.PAIR,)),
        # A low pair and one no higher than medium stay together behind a king; two medium ones, or a high and a low
        # one, behind an ace; all others are split.
        Rule(Holding.TWO_PAIR, (_LOW_OR_MEDIUM, _LOW), high=(Category.TWO_PAIR,), low="K"),
        Rule(Holding.TWO_PAIR, (_MEDIUM, _MEDIUM), high=(Category.TWO_PAIR,), low="A"),
        Rule(Holding.TWO_PAIR, (_HIGH, _LOW), high=(Category.TWO_PAIR,), low="A"),
        Rule(Holding.TWO_PAIR, high=(Category.PAIR,), low=_ANY_PAIR),
        Rule(Holding.THREE_PAIR, high=(Category.TWO_PAIR,), low=_ANY_PAIR),
        # Three aces give up one of them; all others stay, behind a pair if the three are part of a straight or flush.
        Rule(Holding.THREE_OF_A_KIND, high=_COMPLETE, low=_ANY_PAIR),
        Rule(Holding.THREE_OF_A_KIND, ("A",), high=(Category.PAIR,)),
        Rule(Holding.THREE_OF_A_KIND, high=(Category.THREE_OF_A_KIND,)),
        Rule(Holding.FULL_HOUSE, high=(Category.THREE_OF_A_KIND,), low=_ANY_PAIR),
        Rule(Holding.FULL_HOUSE_AND_PAIR, high=(Category.FULL_HOUSE,), low=_ANY_PAIR),
        Rule(Holding.TWO_THREES_OF_A_KIND, high=(Category.THREE_OF_A_KIND,), low=_ANY_PAIR),
        Rule(Holding.FOUR_OF_A_KIND, (_LOW,), high=(Category.FOUR_OF_A_KIND,)),
        Rule(Holding.FOUR_OF_A_KIND, (_MEDIUM,), high=(Category.FOUR_OF_A_KIND,), low="A"),
        Rule(Holding.FOUR_OF_A_KIND, high=(Category.PAIR,), low=_ANY_PAIR),
        Rule(Holding.FOUR_OF_A_KIND_AND_PAIR, ("A", _LOW), high=(Category.TWO_PAIR,), low="AA"),
        Rule(Holding.FOUR_OF_A_KIND_AND_PAIR, high=(Category.FOUR_OF_A_KIND,), low=_ANY_PAIR),
        Rule(Holding.FOUR_AND_THREE_OF_A_KIND, high=(Category.FOUR_OF_A_KIND,), low=_ANY_PAIR),
        Rule(Holding.FIVE_ACES_AND_PAIR, ("A", "K"), high=(Category.FIVE_ACES,), low="KK"),
        Rule(Holding.FIVE_ACES, high=(Category.THREE_OF_A_KIND,), low="AA"),
        Rule(Holding.FIVE_ACES_AND_PAIR, high=(Category.FULL_HOUSE,), low="AA"),
        Rule(),
    )
)
