"""Red dog: the values between two cards, and where a third one falls (13:69F-6.5(e) to (i))."""

from tablectl.cards import Card, Rank

PAIR = "pair"
CONSECUTIVE = "consecutive"
SPREADS = (PAIR, CONSECUTIVE, *(str(spread) for spread in range(1, 12)))
"""All that two cards can be: a pair, consecutive, or a spread of 1 to 11."""

THREE_OF_A_KIND = "three of a kind"
NO_THREE_OF_A_KIND = "no three of a kind"
BETWEEN = "between"
NOT_BETWEEN = "not between"


def spread_of(left: Card, right: Card) -> str:
    """Return how many values lie strictly between two cards, ace high; one of :data:`SPREADS`.

    >>> spread_of(Card("Ad"), Card("2c")), spread_of(Card("Kd"), Card("Ac")), spread_of(Card("9d"), Card("9c"))
    ('11', 'consecutive', 'pair')

    Raises:
        ValueError: a joker, or a card not yet seen.
    """
    return SPREADS[abs(_value(left) - _value(right))]


def trips(left: Card, middle: Card, right: Card) -> str:
    """Return whether the third card, in the middle, makes a pair three of a kind.

    Raises:
        ValueError: a joker, or a card not yet seen.
    """
    return THREE_OF_A_KIND if _value(left) == _value(middle) == _value(right) else NO_THREE_OF_A_KIND


def between(left: Card, middle: Card, right: Card) -> str:
    """Return whether the third card, in the middle, lies strictly between the two others.

    Raises:
        ValueError: a joker, or a card not yet seen.
    """
    low, high = sorted((_value(left), _value(right)))
    return BETWEEN if low < _value(middle) < high else NOT_BETWEEN


def _value(card: Card) -> Rank:
    if card.rank is Rank.JOKER:
        raise ValueError(f"a card of rank two to ace was awaited, not {card}")
    return card.rank
