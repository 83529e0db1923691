"""What cards that lie open are, as a dealer sees it who calls them. A new game adds its questions here."""

from collections.abc import Callable

import msgspec

from tablectl.cards import Card
from tablectl.games import pai_gow_poker as pai_gow
from tablectl.games import red_dog
from tablectl.hands import bonus
from tablectl.hands.red_dog import PAIR
from tablectl.rulebook import Rulebook
from tablectl.script import DEALER

Cards = tuple[Card, ...]


class Question(msgspec.Struct, frozen=True):
    """How a question of the rules is answered. of: where its cards lie, by the hand asked about."""

    of: Callable[[str], tuple[str, ...]]
    by: Callable[..., str]


def questions(rules: Rulebook) -> dict[str, Question]:
    """Return every question that a table may ask, by its name."""

    def result(hand: Cards, dealer: Cards) -> str:
        second = rules.option("low straight second")
        return pai_gow.result_of(hand[:5], hand[5:], *pai_gow.house_way(rules)(dealer), second=second)

    return {
        "spread": Question(_boxes(red_dog.LEFT, red_dog.RIGHT), red_dog.spread_of),
        "third card": Question(_boxes(*red_dog.BOXES), _third_card),
        "result": Question(lambda hand: (hand, DEALER), result),
        pai_gow.THREE: Question(lambda hand: (hand,), bonus.three_card_bonus),
        pai_gow.SEVEN: Question(lambda hand: (hand,), bonus.seven_card_bonus),
        pai_gow.PLAYER_BONUS: Question(lambda hand: (hand,), bonus.imperial_player_hand),
        pai_gow.BANKER_BONUS: Question(lambda _: (DEALER,), bonus.imperial_banker_hand),
    }


def _boxes(*names: str) -> Callable[[str], tuple[str, ...]]:
    return lambda _: names


def _third_card(left: Cards, middle: Cards, right: Cards) -> str:
    by = red_dog.trips if red_dog.spread_of(left, right) == PAIR else red_dog.between
    return by(left, middle, right)
