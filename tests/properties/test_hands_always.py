"""What must hold for all hands: the order, the joker, the best of seven, and the house way."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tablectl.cards import JOKER, PACK, WITH_JOKER_53, Card, Rank
from tablectl.hands.bonus import imperial_player_hand
from tablectl.hands.common_way import COMMON_WAY
from tablectl.hands.house_way import HouseWay, Rule, set_hand
from tablectl.hands.pai_gow import compare, high_hand, is_foul
from tablectl.hands.ranking import Ranking
from tablectl.hands.worth import Category, Worth

COMPLETED = {"royal flush", "straight flush", "flush", "straight"}
Hand = tuple[Card, ...]


def dealt(size: int) -> st.SearchStrategy[Hand]:
    return st.permutations(WITH_JOKER_53.cards()).map(lambda deck: tuple(deck[:size]))


def with_joker(size: int) -> st.SearchStrategy[Hand]:
    return st.permutations(PACK).map(lambda deck: (JOKER, *deck[: size - 1]))


rankings = st.booleans().map(lambda switch: high_hand(low_straight_second=switch))


def plainly(hand: Hand, *, low_straight_second: bool) -> tuple[int, list[int]]:
    """Judge five cards without a joker in another way: by pairs of equal cards and by text."""
    ranks = sorted((int(card.rank) for card in hand), reverse=True)
    alike = sum(left == right for left, right in combinations(ranks, 2))
    flush, distinct = len({card.suit for card in hand}) == 1, alike == 0
    wheel = ranks == [14, 5, 4, 3, 2]
    straight = wheel or (distinct and ranks[0] - ranks[4] == 4)
    place = {0: 0, 1: 1, 2: 2, 3: 3, 4: 6, 6: 7, 10: 10}[alike]
    if flush or straight:
        place = (9 if ranks[1] == 13 else 8) if flush and straight else 5 if flush else 4
    if wheel and not low_straight_second:
        return place, [5, 4, 3, 2, 1]
    return place, sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)


@given(dealt(10), rankings)
def test_order_agrees_with_a_plain_judge(hand: Hand, ranking: Ranking) -> None:
    """Any two natural hands compare as a slow judge, written another way, compares them."""
    first, second = ([card for card in half if card is not JOKER] for half in (hand[:5], hand[5:]))
    if len(first) == len(second) == 5:
        fast = ranking.worth(first), ranking.worth(second)
        slow = [plainly(tuple(half), low_straight_second=ranking.low_straight_second) for half in (first, second)]

        assert (fast[0] > fast[1], fast[0] == fast[1]) == (slow[0] > slow[1], slow[0] == slow[1])


def substitutions(hand: Hand, ranking: Ranking) -> Iterator[Worth]:
    """Yield what a hand is worth with its joker as any ace, or as any other card that completes something."""
    others = [card for card in hand if card is not JOKER]
    for card in PACK:
        worth = ranking.worth([*others, card]) if card not in others else None
        if worth and (card.rank is Rank.ACE or worth.category in COMPLETED):
            yield worth


@given(with_joker(5), rankings)
def test_joker_is_the_best_card_it_may_be(hand: Hand, ranking: Ranking) -> None:
    """A hand with the joker is worth the most that any allowed card in its place makes it; five aces apart."""
    worth = ranking.worth(hand)

    if worth.category is not Category.FIVE_ACES:
        assert worth == max(substitutions(hand, ranking))


@given(st.permutations(WITH_JOKER_53.cards()), rankings)
def test_worth_knows_no_order_of_cards(deck: list[Card], ranking: Ranking) -> None:
    """A hand is worth the same in whatever order its cards lie."""
    assert ranking.worth(deck[:5]) == ranking.worth(deck[4::-1])


def test_the_table_holds_what_judging_gives() -> None:
    """Every hand of a kind is worth what the first of its kind was: a fresh ranking judges a sample the same."""
    chance, known = random.Random(11), high_hand()
    hands = [chance.sample(WITH_JOKER_53.cards(), 5) for _ in range(3000)]

    assert [known.worth(hand) for hand in hands] == [
        Ranking(5, known.order, low_straight_second=True).worth(hand) for hand in hands
    ]


@given(dealt(7))
def test_seven_cards_are_their_best_five(hand: Hand) -> None:
    """The category of seven cards is that of the best of all 21 choices of five."""
    assert imperial_player_hand(hand) is max(high_hand().worth(five) for five in combinations(hand, 5)).category


holdings = st.sampled_from(COMMON_WAY.rules).map(lambda rule: rule.holding)
ways = st.one_of(
    st.just(COMMON_WAY),
    st.lists(
        st.builds(
            Rule,
            holding=holdings,
            high=st.lists(st.sampled_from(Category), max_size=4).map(tuple),
            low=st.sampled_from(["", "A", "K", "AQ", "22", "TT"]),
        ),
        max_size=6,
    ).map(lambda rules: HouseWay([*rules, Rule()])),
)


@given(dealt(7), ways, st.randoms(use_true_random=False))
def test_any_house_way_sets_every_hand(hand: Hand, way: HouseWay, chance: random.Random) -> None:
    """Whatever way a licensee writes, the setting uses the seven cards, is never foul, and ignores their order."""
    setting = set_hand(hand, way)

    assert Counter((*setting.high, *setting.low)) == Counter(hand)
    assert not is_foul(setting)
    assert set_hand(chance.sample(hand, 7), way) == setting


@given(dealt(14))
def test_settlement_is_fair_but_for_copies(deal: Hand) -> None:
    """When player and dealer change places, a win becomes a loss; a copy never turns a loss into a win."""
    player, dealer = set_hand(deal[:7], COMMON_WAY), set_hand(deal[7:], COMMON_WAY)

    results = compare(player, dealer), compare(dealer, player)
    assert results in {
        ("win", "lose"),
        ("lose", "win"),
        ("push", "push"),
        ("push", "lose"),
        ("lose", "push"),
        ("lose", "lose"),
    }


def test_common_way_against_itself() -> None:
    """Of 30,000 deals the shares won and lost are within three standard errors of the published ones."""
    chance, deck, deals = random.Random(2024), WITH_JOKER_53.cards(), 30_000
    results = Counter[str]()
    for _ in range(deals):
        deal = chance.sample(deck, 14)
        results[compare(set_hand(deal[:7], COMMON_WAY), set_hand(deal[7:], COMMON_WAY))] += 1

    for result, published in {"win": 0.2861, "push": 0.4148, "lose": 0.2991}.items():
        error = (published * (1 - published) / deals) ** 0.5
        assert abs(results[result] / deals - published) < 3 * error, (result, results[result] / deals)
