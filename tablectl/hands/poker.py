"""The rankings of the games that deal three, four or five cards; all but three cards without a joker."""

from tablectl.hands.ranking import Ranking
from tablectl.hands.worth import Category

THREE_CARDS = Ranking(
    3,
    (
        Category.STRAIGHT_FLUSH,
        Category.THREE_OF_A_KIND,
        Category.STRAIGHT,
        Category.FLUSH,
        Category.PAIR,
        Category.HIGH_CARD,
    ),
)
"""Three cards: a straight beats a flush, and 3-2-A is the lowest straight (13:69F-20.3(b), 37.5(b) inferred)."""

FOUR_CARDS = Ranking(
    4,
    (
        Category.FOUR_OF_A_KIND,
        Category.STRAIGHT_FLUSH,
        Category.THREE_OF_A_KIND,
        Category.FLUSH,
        Category.STRAIGHT,
        Category.TWO_PAIR,
        Category.PAIR,
        Category.HIGH_CARD,
    ),
)
"""Four cards: four of a kind is highest, three of a kind beats a flush (13:69F-27.3(b))."""

FIVE_CARDS = Ranking(5, tuple(category for category in Category if category is not Category.FIVE_ACES))
"""Five cards of 52: 5-4-3-2-A is the lowest straight (13:69F-35.5, inferred)."""
