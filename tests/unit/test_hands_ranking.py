"""The evaluator by itself: the rankings of the other games, and what it refuses."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest

from tablectl.cards import PACK, cards
from tablectl.hands.bonus import seven_card_bonus
from tablectl.hands.poker import FIVE_CARDS, FOUR_CARDS, THREE_CARDS


def test_three_cards_of_52() -> None:
    """The 22,100 hands of three cards are of each category as often as was published."""
    found = Counter(THREE_CARDS.worth(hand).category for hand in combinations(PACK, 3))

    assert found == {
        "straight flush": 48,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "high card": 16_440,
    }


def test_four_cards_of_52() -> None:
    """The 270,725 hands of four cards are of each category as often as was published."""
    found = Counter(FOUR_CARDS.worth(hand).category for hand in combinations(PACK, 4))

    assert found == {
        "four of a kind": 13,
        "straight flush": 44,
        "three of a kind": 2_496,
        "flush": 2_816,
        "straight": 2_772,
        "two pair": 2_808,
        "pair": 82_368,
        "high card": 177_408,
    }


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("7s 7d 7h 2c", "As Ks 9s 4s"),
        ("6s 6d 6h 6c", "As Ks Qs Js"),
        ("9s 6s 4s 2s", "Ah Kd Qc Jh"),
        ("5h 4d 3c 2h", "4h 3d 2c Ah"),
    ],
)
def test_four_card_examples(higher: str, lower: str) -> None:
    """The digest's examples of four-card hands compare as it says (27.3(b))."""
    assert FOUR_CARDS.worth(cards(higher)) > FOUR_CARDS.worth(cards(lower))


@pytest.mark.parametrize(
    ("hand", "category"),
    [
        ("Ad 2c 3s 4h 5d", "straight"),
        ("Kc Ad 2h 3s 4c", "high card"),
        ("9c 9d 9h 4s 4d", "full house"),
        ("Ad Kd Qd Jd Td", "royal flush"),
    ],
)
def test_five_card_examples(hand: str, category: str) -> None:
    """The ace is low in a straight, and no straight goes around it (35.5)."""
    assert FIVE_CARDS.worth(cards(hand)).category == category


def test_best_of_more_cards() -> None:
    """The best hand is chosen from all that were dealt."""
    assert str(FOUR_CARDS.best(cards("7s 2c 7d Ah 7h 3c"))) == "three of a kind, 7 7 7 A"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: FOUR_CARDS.worth(cards("As Kd 4c")), "a hand of 4 cards was awaited, not 3"),
        (lambda: FOUR_CARDS.best(cards("As Kd 4c")), "at least 4 cards were awaited, not 3"),
        (lambda: THREE_CARDS.worth(cards("As Kd ??")), r"only a card that was seen has a worth, not \?\?"),
        (lambda: THREE_CARDS.worth(cards("As Jk Jk")), "at most one joker was awaited, not 2"),
        (lambda: seven_card_bonus(cards("As Kd 4c")), "seven cards were awaited, not 3"),
    ],
)
def test_refusals(act: Callable[[], object], message: str) -> None:
    """What cannot be judged is refused in words that say what was awaited."""
    with pytest.raises(ValueError, match=message):
        act()
