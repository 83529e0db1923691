"""Blackjack hands: what must hold of totals, comparisons and bonuses whatever the cards, and one published figure."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.cards import SPANISH_48, UNSEEN, Card, Composition, Rank, cards
from tablectl.hands import blackjack as judge

PACK = SPANISH_48.cards()
HANDS = st.lists(st.sampled_from(PACK), min_size=2, max_size=10)
DEALERS = st.lists(st.sampled_from(PACK), min_size=1, max_size=8)
TURNED = {"win": "lose", "lose": "win", "void": "void"}


def counts(card: Card) -> tuple[int, ...]:
    return (1, 11) if card.rank is Rank.ACE else (min(card.rank, 10),)


def totals(hand: list[Card]) -> set[int]:
    """Return every way to count a hand."""
    found = {0}
    for card in hand:
        found = {before + count for before in found for count in counts(card)}
    return found


@given(HANDS)
def test_a_total_is_the_best_way_to_count(hand: list[Card]) -> None:
    """The highest count that is not over 21, else the lowest; soft exactly when an ace counts eleven in it."""
    fair = [count for count in totals(hand) if count <= 21]
    points, soft = judge.total(hand)
    assert points == (max(fair) if fair else min(totals(hand)))
    assert soft == (points != sum(min(counts(card)) for card in hand))


@given(HANDS, DEALERS, st.sampled_from(PACK))
def test_a_comparison_turns_round(hand: list[Card], dealer: list[Card], hole: Card) -> None:
    """Where neither is over 21, what one side wins the other loses; over 21 the player never wins.

    A dealer's blackjack beats every hand but a blackjack; a player's is paid before anything is compared.
    """
    found = judge.compare(hand, dealer, [hole])
    kinds = (judge.hand_of(hand), judge.hand_of([*dealer, hole]))
    if kinds[0] == "bust":
        assert found == "lose"
    elif kinds[1] == "bust":
        assert found == "win"
    elif kinds[1] == "blackjack":
        assert found == ("void" if kinds[0] == "blackjack" else "lose")
    elif kinds[0] != "blackjack":
        assert judge.compare([*dealer, hole], hand[:-1], hand[-1:]) == TURNED[found]


@given(HANDS, DEALERS, st.sampled_from(PACK))
def test_21_never_loses_but_to_a_blackjack(hand: list[Card], dealer: list[Card], hole: Card) -> None:
    """A player's 21 wins whatever the dealer has, one in more cards than two only without a dealer blackjack."""
    if judge.total(hand).points != 21:
        return
    found = judge.spanish_result(hand, dealer, [hole])
    beaten = judge.is_blackjack([*dealer, hole]) and not judge.is_blackjack(hand)
    assert (found == "lose") == beaten
    assert found != "void"


@given(HANDS)
def test_bonuses_do_not_depend_on_the_order_of_cards(hand: list[Card]) -> None:
    """A named 21 is the same however its cards came, and none but a 21 is asked for."""
    assert judge.bonus(hand) == judge.bonus(hand[::-1])
    assert judge.bonus(hand) in ("", *judge.BONUSES)


@given(DEALERS, st.sampled_from(PACK), st.booleans())
def test_the_dealer_draws_or_stands(dealer: list[Card], hole: Card, hits: bool) -> None:  # noqa: FBT001 - drawn
    """Up to 16 the dealer draws, from a hard 17 on never; a soft 17 is what houses differ in."""
    points, soft = judge.total([*dealer, hole])
    draws = judge.dealer_hand(dealer, [hole], hits_soft_17=hits) == "draw"
    assert draws == (points <= 16 or (points == 17 and soft and hits))
    assert draws or judge.dealer_hand(dealer, [hole], hits_soft_17=hits) in judge.DEALER_HANDS


@given(HANDS)
def test_six_cards_are_a_class_of_their_own(hand: list[Card]) -> None:
    """Six cards or more that are not over 21 always win at triple attack."""
    found = judge.attack_hand(hand)
    if len(hand) >= 6 and judge.total(hand).points <= 21:
        assert found in ("six cards", "21")
    else:
        assert found != "six cards"


@pytest.mark.parametrize("by", [judge.total, judge.hand_of, judge.up_card, judge.attack_hand])
@pytest.mark.parametrize("unknown", [UNSEEN, Card.JOKER])
def test_what_nobody_has_seen_counts_nothing(by: object, unknown: Card) -> None:
    """An unseen card or a joker is no hand: the dealer is asked instead."""
    assert callable(by)
    with pytest.raises(ValueError, match="a card of rank two to ace was awaited"):
        by([unknown, *cards("9h")])


@given(st.sampled_from(PACK), st.sampled_from(PACK), st.sampled_from(PACK))
def test_matches_are_counted_card_by_card(first: Card, second: Card, exposed: Card) -> None:
    """Each of the first two cards matches in rank and suit, in rank alone, or not; their order does not count."""
    found = judge.match_the_dealer([first, second], [exposed])
    alike = [card.suit is exposed.suit for card in (first, second) if card.rank is exposed.rank]
    assert found == judge.MATCHES.get((alike.count(False), alike.count(True)), "nothing")
    assert found == judge.match_the_dealer([second, first], [exposed, first])


def test_the_published_edge_of_insurance() -> None:
    """Six decks, an ace exposed, 2 to 1: the house edge is 24.7387 %."""
    ace = Card("As")
    left = list(Composition(decks=6, without=SPANISH_48.without).cards())
    left.remove(ace)
    won = sum(judge.dealer_blackjack([ace], [hole]) != "no blackjack" for hole in left)
    edge = -Fraction(2 * won - (len(left) - won), len(left))
    assert f"{float(edge):.6f}" == "0.247387"
