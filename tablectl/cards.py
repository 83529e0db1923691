"""Cards and the decks that they make up.

A card is written as rank and suit, ``As`` for the ace of spades, ``Tc`` for the ten of clubs; the joker is
``Jk`` and a card that nobody has seen yet is ``??``. The text is the card: it is what JSON holds.
"""

from collections import Counter
from collections.abc import Iterable
from enum import IntEnum, StrEnum
from typing import Self

import msgspec


class Suit(StrEnum):
    """The four suits; no suit ranks above another in any of the games."""

    CLUBS = "c"
    DIAMONDS = "d"
    HEARTS = "h"
    SPADES = "s"


class Rank(IntEnum):
    """The thirteen ranks, low to high, and the joker, which has none of its own."""

    JOKER = 0
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14

    @property
    def letter(self) -> str:
        """Return the one letter that stands for the rank: ``A K Q J T 9 ... 2``."""
        return _LETTERS[self]

    @property
    def word(self) -> str:
        """Return the rank as a dealer says it: ``ace``, ``10``, ``seven``."""
        return "10" if self is Rank.TEN else self.name.lower()


_LETTERS = dict(zip(list(Rank)[1:], "23456789TJQKA", strict=True))
_RANKS = {letter: rank for rank, letter in _LETTERS.items()}


class Card(StrEnum):
    """One card of a pack, the joker, or a card not yet seen.

    >>> Card("As").rank, Card("As").suit
    (<Rank.ACE: 14>, <Suit.SPADES: 's'>)
    """

    rank: Rank
    suit: Suit | None

    def __new__(cls, text: str) -> Self:
        """Give each card its rank and suit once, when the pack is defined."""
        card = str.__new__(cls, text)
        card._value_ = text
        card.rank = _RANKS.get(text[0], Rank.JOKER) if text != "Jk" else Rank.JOKER
        card.suit = Suit(text[1]) if text not in ("Jk", "??") else None
        return card

    TWO_OF_CLUBS = "2c"
    THREE_OF_CLUBS = "3c"
    FOUR_OF_CLUBS = "4c"
    FIVE_OF_CLUBS = "5c"
    SIX_OF_CLUBS = "6c"
    SEVEN_OF_CLUBS = "7c"
    EIGHT_OF_CLUBS = "8c"
    NINE_OF_CLUBS = "9c"
    TEN_OF_CLUBS = "Tc"
    JACK_OF_CLUBS = "Jc"
    QUEEN_OF_CLUBS = "Qc"
    KING_OF_CLUBS = "Kc"
    ACE_OF_CLUBS = "Ac"
    TWO_OF_DIAMONDS = "2d"
    THREE_OF_DIAMONDS = "3d"
    FOUR_OF_DIAMONDS = "4d"
    FIVE_OF_DIAMONDS = "5d"
    SIX_OF_DIAMONDS = "6d"
    SEVEN_OF_DIAMONDS = "7d"
    EIGHT_OF_DIAMONDS = "8d"
    NINE_OF_DIAMONDS = "9d"
    TEN_OF_DIAMONDS = "Td"
    JACK_OF_DIAMONDS = "Jd"
    QUEEN_OF_DIAMONDS = "Qd"
    KING_OF_DIAMONDS = "Kd"
    ACE_OF_DIAMONDS = "Ad"
    TWO_OF_HEARTS = "2h"
    THREE_OF_HEARTS = "3h"
    FOUR_OF_HEARTS = "4h"
    FIVE_OF_HEARTS = "5h"
    SIX_OF_HEARTS = "6h"
    SEVEN_OF_HEARTS = "7h"
    EIGHT_OF_HEARTS = "8h"
    NINE_OF_HEARTS = "9h"
    TEN_OF_HEARTS = "Th"
    JACK_OF_HEARTS = "Jh"
    QUEEN_OF_HEARTS = "Qh"
    KING_OF_HEARTS = "Kh"
    ACE_OF_HEARTS = "Ah"
    TWO_OF_SPADES = "2s"
    THREE_OF_SPADES = "3s"
    FOUR_OF_SPADES = "4s"
    FIVE_OF_SPADES = "5s"
    SIX_OF_SPADES = "6s"
    SEVEN_OF_SPADES = "7s"
    EIGHT_OF_SPADES = "8s"
    NINE_OF_SPADES = "9s"
    TEN_OF_SPADES = "Ts"
    JACK_OF_SPADES = "Js"
    QUEEN_OF_SPADES = "Qs"
    KING_OF_SPADES = "Ks"
    ACE_OF_SPADES = "As"
    JOKER = "Jk"
    UNSEEN = "??"


JOKER = Card.JOKER
UNSEEN = Card.UNSEEN
PACK = tuple(card for card in Card if card.suit is not None)
"""The 52 cards of one pack, without joker."""


def cards(text: str) -> tuple[Card, ...]:
    """Read cards written one after another, with or without spaces.

    >>> cards("As Kd Jk")
    (<Card.ACE_OF_SPADES: 'As'>, <Card.KING_OF_DIAMONDS: 'Kd'>, <Card.JOKER: 'Jk'>)

    Raises:
        ValueError: two letters that name no card.
    """
    letters = "".join(text.split())
    return tuple(Card(letters[at : at + 2]) for at in range(0, len(letters), 2))


class Composition(msgspec.Struct, frozen=True):
    """What a deck must hold: a multiset of cards, not just a number (13:69E, digest "Exact deck compositions").

    decks: how many packs; jokers: jokers in each pack; without: ranks taken out of each pack.
    """

    decks: int = 1
    jokers: int = 0
    without: tuple[Rank, ...] = ()

    @property
    def size(self) -> int:
        """Return the number of cards."""
        return self.decks * (52 - 4 * len(self.without) + self.jokers)

    def cards(self) -> tuple[Card, ...]:
        """Return every card of the deck, sorted by pack and suit."""
        pack = (*(card for card in PACK if card.rank not in self.without), *(JOKER,) * self.jokers)
        return pack * self.decks

    def difference(self, found: Iterable[Card]) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        """Return the cards missing from those found, and those that do not belong."""
        due, there = Counter(self.cards()), Counter(found)
        return tuple(sorted((due - there).elements())), tuple(sorted((there - due).elements()))


STANDARD_52 = Composition()
WITH_JOKER_53 = Composition(jokers=1)
WITH_TWO_JOKERS_54 = Composition(jokers=2)
SPANISH_48 = Composition(without=(Rank.TEN,))
