"""The charts of Spanish 21 against the best play that the rules allow, entry by entry."""

from collections.abc import Mapping
from itertools import product

import pytest

from tablectl.cards import Card
from tablectl.games.blackjack import RESCUE, SPLIT, STAND, SURRENDER
from tablectl.hands.blackjack import Total, bonus, total
from tablectl.odds.kinds import KINDS
from tablectl.odds.strategies.spanish_21 import basic
from tablectl.script import DEALER, DRAW
from tests import best_play
from tests.best_play import FACES, Hand, Worths, averages, faces, hands_of, splits, whole, without, won, worths

UPS = range(len(FACES))
SIX, SEVEN, EIGHT = 4, 5, 6
HOPES = ((SIX, SEVEN), (SIX, EIGHT), (SEVEN, EIGHT))
"""Two cards that hope for the third of a 6-7-8, by places in FACES."""
NEAR = 0.001
"""What the working out may be off where cards are split or hoped for, in first wagers."""


def _chosen(cards: tuple[Card, ...], up: int, answers: Mapping[str, float]) -> str:
    return basic({DEALER: faces((up,)), "1": cards}, "1", tuple(answers))[0]


def _missed(found: Worths, chosen: str) -> float:
    return max(found.values()) - found[chosen]


@pytest.mark.parametrize("soft", [False, True])
def test_no_choice_betters_an_entry_of_the_charts(soft: bool) -> None:  # noqa: FBT001 - one of two charts
    """For each total, number of cards and card of the dealer, the charts choose what wins most over all such hands."""
    checked, worse = 0, {}
    for points, number, up in product(range(8, 20), range(2, 7), UPS):
        hands = {hand: ways for hand, ways in hands_of(Total(points, soft), number).items() if hand not in HOPES}
        if hands:
            found = averages(hands, up) | ({SURRENDER: won(SURRENDER)} if number == 2 else {})
            chosen = _chosen(faces(next(iter(hands))), up, found)
            checked += 1
            if _missed(found, chosen):
                worse[points, number, FACES[up]] = chosen, found
    assert checked > 250
    assert not worse


def test_no_choice_betters_what_is_done_with_pairs() -> None:
    """Each pair is split where that wins most, and else played by the charts."""
    for place, up in product(UPS, UPS):
        pair: Hand = (place, place)
        found = worths(pair, up) | {SURRENDER: won(SURRENDER), SPLIT: 2 * splits(place, up, 2)}
        assert _missed(found, _chosen(faces(pair), up, found)) < 4 * NEAR, (FACES[place], FACES[up], found)


@pytest.mark.parametrize("suits", ["cd", "cc", "ss"])
def test_no_choice_betters_a_hope(suits: str) -> None:
    """Two cards draw for a 6-7-8 where what it pays in these suits makes that best."""
    for hand, up in product(HOPES, UPS):
        (third,) = {SIX, SEVEN, EIGHT} - set(hand)
        cards = tuple(Card(f"{face[0]}{suit}") for face, suit in zip(faces(hand), suits, strict=True))
        pays = [won(bonus((*cards, Card(f"{FACES[third][0]}{suit}")))) for suit in "cdhs"]
        deck = without(whole(), up, *hand)
        more = sum(pays) / len(pays) - best_play.paid(tuple(sorted((*hand, third))), "17")
        found = worths(hand, up) | {SURRENDER: won(SURRENDER)}
        found[DRAW] += deck[third] / sum(deck) * more
        assert _missed(found, _chosen(cards, up, found)) < NEAR, (cards, FACES[up], found)


def test_no_choice_betters_a_rescue() -> None:
    """A hand that was doubled is given up where that costs less than to stand."""
    for points, up in product(range(12, 21), UPS):
        hands = hands_of(Total(points, soft=False), 3)
        every = sum(hands.values())
        stands = sum(best_play.expected(best_play.paid_twice, hand, up) * ways for hand, ways in hands.items()) / every
        found = {STAND: stands, RESCUE: won(RESCUE)}
        assert not _missed(found, _chosen(faces(next(iter(hands))), up, found)), (points, FACES[up], found)


def test_the_dealer_s_ends_are_those_by_which_rounds_are_told_apart() -> None:
    """Behind each card the dealer ends as often as the kinds of rounds say, where there is no blackjack."""
    chances = KINDS["spanish-21"](best_play.INQUIRY).chances
    for up in UPS:
        points = f"{total(faces((up,))).points} "
        kinds = {kind.removeprefix(points): chance for kind, chance in chances.items() if kind.startswith(points)}
        left = sum(kinds.values()) - kinds.pop("blackjack", 0)
        assert best_play.ends_behind(up) == pytest.approx({end: float(chance / left) for end, chance in kinds.items()})
