"""Cards as text, and what a deck must hold."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.cards import (
    JOKER,
    PACK,
    SPANISH_48,
    STANDARD_52,
    UNSEEN,
    WITH_JOKER_53,
    WITH_TWO_JOKERS_54,
    Card,
    Composition,
    Rank,
    Suit,
    cards,
)


def test_a_pack_is_every_rank_in_every_suit_once() -> None:
    """52 different cards: four suits of thirteen ranks, without joker or unseen card."""
    assert {(card.rank, card.suit) for card in PACK} == {
        (rank, suit) for rank in Rank if rank is not Rank.JOKER for suit in Suit
    }
    assert len(PACK) == 52


def test_the_text_is_the_card() -> None:
    """Every card is written as rank and suit, in two letters that name it again."""
    for card in PACK:
        assert card == Card(f"{card.rank.letter}{card.suit}")
    assert (JOKER.rank, JOKER.suit, UNSEEN.suit) == (Rank.JOKER, None, None)


@given(st.lists(st.sampled_from(list(Card))))
def test_cards_are_read_back_with_or_without_spaces(held: list[Card]) -> None:
    """Joined in either way, the same cards are read."""
    assert cards("".join(held)) == cards(" ".join(held)) == tuple(held)


@pytest.mark.parametrize("text", ["1s", "Ax", "as", "A", "10s"])
def test_letters_that_name_no_card_are_refused(text: str) -> None:
    """A wrong letter, or one too many, is no card."""
    with pytest.raises(ValueError, match="is not a valid Card"):
        cards(text)


@pytest.mark.parametrize(
    ("deck", "size"),
    [
        (STANDARD_52, 52),
        (WITH_JOKER_53, 53),
        (WITH_TWO_JOKERS_54, 54),
        (SPANISH_48, 48),
        (Composition(decks=8, without=(Rank.TEN,)), 384),
        (Composition(decks=6), 312),
    ],
)
def test_the_exact_deck_compositions_of_the_digest(deck: Composition, size: int) -> None:
    """Each game's deck has its number, and as many cards; worked example 12 has 384, not 416."""
    assert deck.size == len(deck.cards()) == size
    assert set(Counter(deck.cards()).values()) <= {deck.decks, deck.decks * deck.jokers}


def test_the_right_number_of_wrong_cards_is_a_difference() -> None:
    """53 cards with one twice and no joker are as wrong as 52: a deck is a multiset, not a number."""
    found = [*PACK, Card("As")]
    assert WITH_JOKER_53.difference(found) == ((JOKER,), (Card("As"),))
    assert WITH_JOKER_53.difference([*PACK, JOKER]) == ((), ())
