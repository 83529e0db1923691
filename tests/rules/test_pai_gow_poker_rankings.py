"""13:69F-11: what pai gow hands are worth, by the digest's worked examples and the published counts."""

from collections import Counter
from itertools import combinations

import pytest

from tablectl.cards import WITH_JOKER_53, Rank, cards
from tablectl.hands.bonus import imperial_banker_hand, imperial_player_hand, seven_card_bonus, three_card_bonus
from tablectl.hands.pai_gow import LOW_HAND, Setting, compare, high_hand, is_foul
from tablectl.hands.worth import Category

DEALER = Setting(cards("9s 9d Ac 6h 3d"), cards("Kc Qd"))


def high(text: str, *, low_straight_second: bool = True) -> str:
    return str(high_hand(low_straight_second=low_straight_second).worth(cards(text)))


@pytest.mark.parametrize(
    ("hand", "worth"),
    [
        ("Jk Ah As Ad Ac", "five aces, A A A A A"),
        ("Jk Kh Qs Jd Tc", "straight, A K Q J T"),
        ("Jk 5h 4s 3d 2c", "straight, A 5 4 3 2"),
        ("Jk Kh Ks 8d 7c", "pair, K K A 8 7"),
        ("Jk 9h 8h 4h 2h", "flush, A 9 8 4 2"),
        ("Jk Ah 8h 4h 2h", "flush, A K 8 4 2"),
        ("Jk Ah Kh Qh Th", "royal flush, A K Q J T"),
        ("Jk 9h 8h 7h 6h", "straight flush, T 9 8 7 6"),
        ("Jk As Ah 8d 7c", "three of a kind, A A A 8 7"),
        ("Jk As Ah 7d 7c", "full house, A A A 7 7"),
        ("Jk 7s 7h 7d Ac", "full house, 7 7 7 A A"),
        ("7s 7h 7d 7c Jk", "four of a kind, 7 7 7 7 A"),
    ],
)
def test_section_11_3_joker(hand: str, worth: str) -> None:
    """The joker completes a straight, flush or straight flush, takes the highest rank missing, and else is an ace."""
    assert high(hand) == worth


@pytest.mark.parametrize(
    ("hand", "worth"), [("Jk Kd", "high card, A K"), ("Jk As", "pair, A A"), ("5h 5d", "pair, 5 5")]
)
def test_section_11_3_low_hand(hand: str, worth: str) -> None:
    """A low hand is a pair or not, and the joker in it is an ace."""
    assert str(LOW_HAND.worth(cards(hand))) == worth


def test_section_11_3_order() -> None:
    """Each hand beats the next, from five aces down to the lowest high card."""
    descending = [
        "Jk Ah As Ad Ac",
        "Ah Kh Qh Jh Th",
        "Ah 5h 4h 3h 2h",
        "Kh Qh Jh Th 9h",
        "6h 5h 4h 3h 2h",
        "As Ah Ad Ac Kd",
        "2s 2h 2d 2c Ad",
        "As Ah Ad Kc Ks",
        "2s 2h 2d 3c 3s",
        "Ah Kh Qh Jh 9h",
        "7h 5h 4h 3h 2h",
        "Ah Kd Qh Jh Th",
        "Ah 5d 4h 3h 2h",
        "Kh Qd Jh Th 9h",
        "6h 5d 4h 3h 2h",
        "As Ah Ad Kc Qd",
        "As Ah Kd Kc 2d",
        "As Ah Kd Qc Jd",
        "2s 2h Kd Qc Jd",
        "Ah Kd Qh Jh 9h",
        "7h 5d 4h 3h 2h",
    ]
    worths = [high_hand().worth(cards(hand)) for hand in descending]

    assert sorted(worths, reverse=True) == worths
    assert len(set(worths)) == len(worths)


def test_section_11_3_low_straight_is_a_switch() -> None:
    """A house that ranks A-2-3-4-5 last ranks it below 6-5-4-3-2, with the joker as a six where that is better."""
    assert high("Ah 5d 4h 3h 2h", low_straight_second=False) == "straight, 5 4 3 2 A"
    assert high("Jk 5d 4h 3h 2h", low_straight_second=False) == "straight, 6 5 4 3 2"
    assert high("Jk 5h 4h 3h 2h", low_straight_second=False) == "straight flush, 6 5 4 3 2"


@pytest.mark.parametrize(
    ("example", "player_high", "player_low", "result"),
    [
        (11, "Ts Th 8c 5d 2s", "Ah Js", "win"),
        (12, "Ts Th 8c 5d 2s", "Kh Qs", "push"),
        (13, "9c 9h Ad 6s 3h", "Kh Qs", "lose"),
        (14, "9c 9h Ad 6s 3h", "Ah Ks", "push"),
        (15, "As Kd Qh 4s 2c", "7c 7d", "lose"),
    ],
)
def test_section_11_9_worked_examples(example: int, player_high: str, player_low: str, result: str) -> None:
    """The digest's examples 11 to 15 settle as it says: a copy is the dealer's, a foul hand loses."""
    assert compare(Setting(cards(player_high), cards(player_low)), DEALER) == result, example


def test_section_11_9_settles_by_the_house_s_low_straight() -> None:
    """A-2-3-4-5 beats a king-high straight in one house and loses to it in another."""
    player = Setting(cards("Ah 5d 4h 3h 2h"), cards("9h 8d"))
    dealer = Setting(cards("Kh Qd Jh Th 9d"), cards("7h 6d"))

    assert compare(player, dealer) == "win"
    assert compare(player, dealer, low_straight_second=False) == "push"


@pytest.mark.parametrize(
    ("foul_high", "foul_low"),
    [
        ("As Kd Qh 4s 2c", "7c 7d"),
        ("As Kd Qh 4s", "7c 6d 2c"),
        ("Ks Kd Qh 4s 2c", "Ac Ad"),
        ("Ks Qd 9h 4s 2c", "Ac 3d"),
    ],
)
def test_section_11_9_foul(foul_high: str, foul_low: str) -> None:
    """A high hand below its low hand is foul, and so is any setting that is not five and two."""
    assert is_foul(Setting(cards(foul_high), cards(foul_low)))


def test_section_11_9_high_hand_may_equal_the_low_hand() -> None:
    """A high hand that begins with the low hand's own ranks is not below it."""
    assert not is_foul(Setting(cards("7s 7h 4h 3s 2c"), cards("7c 7d")))
    assert not is_foul(Setting(cards("As Kh 4h 3s 2c"), cards("Ac Kd")))


def test_section_11_9_dealer_is_never_settled_foul() -> None:
    """A dealer's foul hand is set again, not settled."""
    with pytest.raises(ValueError, match="set again by the house way: As Kd Qh 4s 2c / 7c 7d"):
        compare(DEALER, Setting(cards("As Kd Qh 4s 2c"), cards("7c 7d")))


def test_section_11_18_three_cards() -> None:
    """The 23,426 hands of three cards out of 53 are of each kind as often as was published."""
    found = Counter(three_card_bonus(three) for three in combinations(WITH_JOKER_53.cards(), 3))

    assert found == {
        "natural straight flush": 48,
        "three of a kind": 58,
        "straight flush with joker": 100,
        "straight": 1_020,
        "flush": 1_308,
        "pair": 3_912,
        "high card": 16_980,
    }


@pytest.mark.parametrize(
    ("hand", "kind"),
    [
        ("As 2s 3s 4s 5s 6s 7s", "seven-card straight flush"),
        ("As Ks Qs Js Ts 9s 8s", "seven-card straight flush"),
        ("As Jk Qs Js Ts 9s 8s", "seven-card straight flush with joker"),
        ("As Ks Qs Js Ts Kh Qh", "royal flush with suited king-queen"),
        ("As Ks Jk Js Ts Kh Qh", "royal flush with suited king-queen"),
        ("As Ks Qs Js Ts Kh Qd", "royal flush"),
        ("As Ks Qs Js Ts Jk Qd", "royal flush"),
        ("2s 3s 4s 5s 6s 8s 9s", "straight flush"),
        ("Jk Ah As Ad Ac 9h 4c", "five aces"),
        ("9h 9s 9d 8c 7h 6s 5d", "three of a kind"),
        ("9h 9s 8d 7c 6h 5s 2d", "straight"),
        ("9h 9s 8d 8c 6h 4s 2d", "two pair"),
    ],
)
def test_section_11_18_seven_cards(hand: str, kind: str) -> None:
    """The seven-card bonus takes the highest kind, three of a kind before a straight."""
    assert seven_card_bonus(cards(hand)) == kind


def test_section_11_20_example_8() -> None:
    """The imperial player hand of the digest's example 8 is five aces, and a straight beats three of a kind there."""
    assert imperial_player_hand(cards("Jk Ah As Ad Ac 9h 4c")) is Category.FIVE_ACES
    assert imperial_player_hand(cards("9h 9s 9d 8c 7h 6s 5d")) is Category.STRAIGHT


@pytest.mark.parametrize(
    ("hand", "kind"),
    [
        ("9s 8h 7d 6c 4s 3h 2d", "nine high"),
        ("9s 8h 7d 5c 4s 3h 2d", "nine high"),
        ("Ts 8h 7d 5c 4s 3h 2d", "10 high"),
        ("Js 8h 7d 5c 4s 3h 2d", "jack high"),
        ("Qs 8h 7d 5c 4s 3h 2d", "high card"),
        ("9s 8h 7d 6c 4s 3h Jk", "straight"),
        ("Ts 8h 7d 4c 4s 3h 2d", "pair"),
        ("9s 8s 7s 6s 4s 3h 2d", "flush"),
    ],
)
def test_section_11_20_banker_hand(hand: str, kind: str) -> None:
    """The banker hand bonus looks for nothing better than the named high card; the joker is an ace."""
    assert imperial_banker_hand(cards(hand)) == kind


def test_section_11_20_example_9() -> None:
    """Out of ranks up to nine, only two sets of seven make nothing better than nine high, as example 9 says."""
    suits = "cdhscdh"
    found = [
        "".join(rank.letter for rank in reversed(ranks))
        for ranks in combinations([rank for rank in Rank if Rank.TWO <= rank <= Rank.NINE], 7)
        if imperial_banker_hand(cards("".join(map("{.letter}{}".format, ranks, suits)))) == "nine high"
    ]

    assert sorted(found) == ["9875432", "9876432"]
