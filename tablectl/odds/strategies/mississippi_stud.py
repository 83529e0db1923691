"""Mississippi stud: best play, in the words in which it is published.

A high card, jack or better, counts two points; a middle one, six to ten, one. What is said of straights and flushes is
said of cards that can still become one, all of them being on the way to it.
"""

from collections import Counter
from collections.abc import Sequence

from tablectl.cards import Card, Rank
from tablectl.games.mississippi_stud import BET, FOLD, STREETS
from tablectl.odds.strategies.strategy import Decision, Hands, Strategy

LARGE: Decision = (BET, 3)
SMALL: Decision = (BET, 1)
OUT: Decision = (FOLD, 0)

_PAIRED = 99


class _Seen:
    """The cards that a player sees."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self.ranks = sorted(card.rank for card in cards)
        counts = Counter(self.ranks)
        self.pair = max((rank for rank, count in counts.items() if count > 1), default=None)
        self.made = self.pair is not None and (self.pair >= Rank.SIX or sorted(counts.values())[-2:] != [1, 2])
        self.suited = all(card.suit is cards[0].suit for card in cards)
        self.high = sum(rank >= Rank.JACK for rank in self.ranks)
        self.middle = sum(Rank.SIX <= rank <= Rank.TEN for rank in self.ranks)
        self.points = 2 * self.high + self.middle
        self.low = self.ranks[0]

        self.gaps_ace_high = _PAIRED if self.pair is not None else self.ranks[-1] - self.low - len(cards) + 1

    @property
    def gaps(self) -> int:
        """Return how many ranks are missing between the cards, ace high or low; too many for a straight if paired."""
        if self.ranks[-1] is not Rank.ACE or self.pair is not None:
            return self.gaps_ace_high
        return min(self.gaps_ace_high, self.ranks[-2] - len(self.ranks))


def third_street(seen: _Seen) -> Decision:
    """Decide on two cards."""
    if seen.pair is not None:
        return LARGE
    six_five = seen.suited and seen.ranks == [Rank.FIVE, Rank.SIX]
    return SMALL if seen.points >= 2 or six_five else OUT  # noqa: PLR2004 - points


def fourth_street(seen: _Seen) -> Decision:
    """Decide on three cards."""
    if seen.made or (seen.suited and seen.pair is None and _is_strong(seen)):
        return LARGE
    hopeful = seen.suited or seen.pair is not None or seen.points >= 3  # noqa: PLR2004 - points
    straight = seen.gaps == 0 and seen.low >= Rank.FOUR
    broken = seen.gaps == 1 and seen.middle >= 2  # noqa: PLR2004 - "and two middle cards"
    return SMALL if hopeful or straight or broken else OUT


def _is_strong(seen: _Seen) -> bool:
    """Tell whether three suited cards are on the way to a royal flush, or to a straight flush with help."""
    royal = seen.low >= Rank.TEN
    gaps = seen.gaps_ace_high
    return royal or (gaps <= min(seen.high, 2) and (gaps > 0 or seen.low >= Rank.FIVE))


def fifth_street(seen: _Seen, *, raised: bool) -> Decision:
    """Decide on four cards. raised: three times the ante was bet before."""
    outside = seen.gaps == 0 and Rank.FIVE <= seen.low <= Rank.TEN
    if seen.made or seen.suited or outside:
        return LARGE
    enough = seen.pair is not None or seen.gaps <= 1 or seen.points >= 4  # noqa: PLR2004 - points
    return SMALL if enough or (raised and seen.middle >= 3) else OUT  # noqa: PLR2004 - "three middle cards"


def _decide(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    del answers
    shown = [card for street in STREETS for card in hands.get(street, ())]
    return by_cards(list(hands[hand]), shown)


def by_cards(own: Sequence[Card], shown: Sequence[Card]) -> Decision:
    """Decide by the player's own cards and the community cards that lie open."""
    before = third_street(_Seen(own))
    if not shown:
        return before
    after = fourth_street(_Seen([*own, shown[0]]))
    if len(shown) == 1:
        return after
    return fifth_street(_Seen([*own, *shown]), raised=LARGE in (before, after))


STRATEGIES = {"best": Strategy("plays the published best strategy", dict.fromkeys(STREETS, _decide))}
