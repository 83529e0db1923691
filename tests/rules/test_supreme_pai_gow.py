"""Supreme pai gow, N.J.A.C. 13:69F-34: what was read, the worked examples, and what a house file must say."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tablectl.cards import JOKER, UNSEEN, WITH_TWO_JOKERS_54, Card, cards
from tablectl.dice import DieFault, Roll
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.announcements import DeckSource
from tablectl.games import rulebook_text
from tablectl.games.supreme_pai_gow import BONUS, MAIN
from tablectl.hands.supreme_pai_gow import BONUS_HANDS, JOKERS, SETTINGS, Way, bonus_hands
from tablectl.money import Odds
from tablectl.rulebook import HouseFile, Outcome, Rulebook, Standing
from tablectl.terms import Dealing, Sight, Wagers
from tests.poker import awaited, last_round, refusal, run_shoe, settled, touches
from tests.tables import SUPREME, Bench, terms

HIGH_CARD = Way(("high card",), "above the aces", "highest low hand")
SHAKER = ("stack-shoe", "shaker")


def house(**options: Any) -> HouseFile:
    return replace(SUPREME, options={**SUPREME.options, **options})


def table(plays_by: HouseFile = SUPREME, **changes: Any) -> Bench:
    return Bench(terms("supreme-pai-gow", house=plays_by, **changes))


def dealt(bench: Bench, *hands: str, total: int = 8, bonus: int = 0) -> Bench:
    """Wager on these areas and deal to all who are served."""
    amounts = bench.terms.wagers is Wagers.AMOUNTS
    for hand in hands:
        bench.say(say.PlaceWager(hand, MAIN, 10000 if amounts else None))
        if bonus:
            bench.say(say.PlaceWager(hand, BONUS, bonus if amounts else None))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(total))
    run_shoe(bench)
    if awaited(bench).step == "count":
        bench.say(say.CountStub(bench.table.deck_in_shoe().left or 0))
    return bench


def meet(own: str, dealer: str, plays_by: HouseFile = SUPREME, bonus: int = 0) -> Bench:
    """Play one round: own cards as high and low, the dealer's in any order."""
    bench = dealt(table(plays_by), "1", bonus=bonus)
    bench.say(say.CloseOffer())
    bench.say(say.ExposeCards("dealer", cards(dealer)))
    four = cards(own)
    bench.say(say.SetHand("1", four[:2], four[2:]))
    return bench


def decided(bench: Bench, wager: str = MAIN) -> tuple[Outcome, int | None]:
    told = settled(bench)["1", wager]
    return told.outcome, told.paid


# Cards, ranks and settings


def test_34_2_a_the_deck_is_52_cards_and_two_jokers() -> None:
    """54 cards are expected of a shuffler and a shoe."""
    assert table().terms.composition == WITH_TWO_JOKERS_54
    assert table().table.custody.size == 54


def test_34_3_a_1_worked_example_8_pairs_rank_from_jokers_down() -> None:
    """Jokers, aces, kings ... and, inferred, below the sixes fives to twos; a pair beats any two that do not match."""
    order = ["JkJk", *(f"{rank}s{rank}d" for rank in "AKQJT98765432")]
    for way in (HIGH_CARD, Way(("points", "high card"), "an ace", "highest high hand")):
        worths = [way.worth(cards(pair)) for pair in order]
        assert worths == sorted(set(worths), reverse=True)
        assert worths[-1] > max(way.worth(cards(text)) for text in ("JkKs", "AsKd", "9s8s", "4h5h"))


@pytest.mark.parametrize(
    ("way", "higher", "lower"),
    [
        (HIGH_CARD, "As2d", "KsQd"),
        (HIGH_CARD, "Jk2d", "AsKd"),
        (replace(HIGH_CARD, joker="an ace"), "JkAs", "KsKd"),
        (replace(HIGH_CARD, joker="an ace"), "AhKh", "JkQd"),
        (Way(("points", "high card"), "an ace", "highest low hand"), "7s2d", "AsKd"),
        (Way(("points", "high card"), "an ace", "highest low hand"), "As8d", "5s4d"),
    ],
)
def test_below_pairs_hands_rank_as_the_house_says(way: Way, higher: str, lower: str) -> None:
    """Two cards without a pair are compared by the house's criteria, and a joker is what the house says."""
    assert way.worth(cards(higher)) > way.worth(cards(lower))


@given(
    four=st.lists(st.sampled_from(WITH_TWO_JOKERS_54.cards()), min_size=4, max_size=4, unique=True),
    below=st.sampled_from((("high card",), ("points",), ("points", "high card"))),
    joker=st.sampled_from(JOKERS),
    setting=st.sampled_from(sorted(SETTINGS)),
)
def test_a_house_way_lays_the_same_cards_and_never_low_above_high(
    four: list[Card], below: tuple[str, ...], joker: str, setting: str
) -> None:
    """A dealer's setting keeps the cards and is no foul, whatever a house says, and no other is better by its rule."""
    way = Way(below, joker, setting)
    high, low = way.set_hand(four)
    assert sorted(high + low) == sorted(four)
    assert way.worth(high) >= way.worth(low)
    for one in combinations(range(4), 2):
        pair = [four[at] for at in one]
        rest = [four[at] for at in range(4) if at not in one]
        best = min(way.worth(pair), way.worth(rest)) if "low" in setting else max(way.worth(pair), way.worth(rest))
        assert best <= way.worth(low if "low" in setting else high)


@pytest.mark.parametrize("four", [cards("As Kd Qh"), (*cards("As Kd Qh"), UNSEEN)])
def test_only_whole_hands_that_were_seen_are_set_or_paid(four: tuple[Card, ...]) -> None:
    """Three cards, or one that nobody saw, are no hand."""
    for by in (HIGH_CARD.set_hand, bonus_hands):
        with pytest.raises(ValueError, match=r"four cards|worth"):
            by(four)


def test_four_card_bonus_hands_are_counted_as_the_digest_counts_them() -> None:
    """Of 316,251 hands: four aces 1, royal flush 4, two jokers and two aces 6, another four of a kind 12."""
    aces_and_jokers = [card for card in WITH_TWO_JOKERS_54.cards() if card is JOKER or card.rank.letter == "A"]
    found = [bonus_hands(four)[0] for four in combinations(aces_and_jokers, 4) if bonus_hands(four)]
    assert (found.count("four aces"), found.count("two jokers and two aces")) == (1, 6)
    royals = [bonus_hands(cards(f"A{suit}K{suit}Q{suit}J{suit}")) for suit in "cdhs"]
    assert {names[:2] for names in royals} == {("royal flush", "straight flush")}
    quads = [bonus_hands(cards("".join(rank + suit for suit in "cdhs"))) for rank in "23456789TJQK"]
    assert {names[0] for names in quads} == {"four of a kind"}


# The bonus wager


@pytest.mark.parametrize(
    ("own", "bonus", "paid"),
    [
        ("AsAh AdAc", 500, 500_000),  # 1
        ("JkJk AsAd", 500, 100_000),  # 2
        ("KhKd KcKs", 1000, 100_000),  # 3
    ],
)
def test_34_12_a_worked_examples_1_to_3(own: str, bonus: int, paid: int) -> None:
    """A winning bonus wager is paid once, for the highest hand that the four cards are."""
    bench = meet(own, "2s3d 7h9c", bonus=bonus)
    assert decided(bench, BONUS) == (Outcome.WIN, paid)
    assert len([told for told in last_round(bench, fact.WagerSettled) if told.wager == BONUS]) == 1


@pytest.mark.parametrize(("odds", "legal"), [("90 to 1", False), ("100 to 1", True), ("120 to 1", True)])
def test_34_12_a_worked_example_4_odds_are_minimum_odds(odds: str, *, legal: bool) -> None:
    """Lower odds than the section's are refused with it, higher ones are played."""
    rules, own = Rulebook.parse(rulebook_text("supreme-pai-gow")), replace(SUPREME, tables={**SUPREME.tables})
    own.tables[BONUS] = {"four of a kind": odds}
    if legal:
        assert rules.under(own).table(BONUS).lines["four of a kind"] == Odds.parse(odds)
    else:
        with pytest.raises(ConfigError, match=r"13:69F-34\.12\(a\) allows no less than 100 to 1"):
            rules.under(own)


def test_34_12_a_lines_that_were_not_found_come_from_the_house_alone() -> None:
    """Without a house's line a straight flush is nothing; with a line for flushes alone it is paid as a flush."""
    assert decided(meet("9s8s 7s6s", "2s3d QhKc", bonus=500), BONUS) == (Outcome.LOSE, 0)
    flushes = replace(SUPREME, tables={**SUPREME.tables, BONUS: {"flush": "6 to 1"}})
    assert decided(meet("9s8s 7s6s", "2s3d QhKc", flushes, bonus=500), BONUS) == (Outcome.WIN, 3000)
    assert set(BONUS_HANDS) == set(Rulebook.parse(rulebook_text("supreme-pai-gow")).table(BONUS).hands)


# Wagers


def test_34_13_a_worked_example_6_two_adjacent_areas_at_most() -> None:
    """Areas 2 and 3 are one player's where the licensee allows it; 2 and 4, or a third one, are refused."""
    bench = table(house(**{"two areas": True}))
    bench.say(say.PlaceWager("2", MAIN, 1000, "ann"))
    assert refusal(bench.say(say.PlaceWager("4", MAIN, 1000, "ann"))).clause == "13:69F-34.13(a)"
    assert isinstance(bench.say(say.PlaceWager("3", MAIN, 1000, "ann"))[0], fact.WagerPlaced)
    assert refusal(bench.say(say.PlaceWager("4", MAIN, 1000, "ann"))).clause == "13:69F-34.13(a)"


def test_34_13_a_one_area_unless_the_licensee_allows_two() -> None:
    """The second area of a player is refused where the house says nothing of it."""
    bench = table(house(**{"two areas": False}))
    bench.say(say.PlaceWager("2", MAIN, 1000, "ann"))
    assert refusal(bench.say(say.PlaceWager("3", MAIN, 1000, "ann"))).code == "position"


def test_34_7_a_worked_example_7_a_verbal_wager_is_refused() -> None:
    """Cash by voice is no wager, on no area."""
    bench = table()
    bench.say(say.PlaceWager("1", MAIN, 1000))
    told = bench.say(say.PlaceWager("1", BONUS, 2000, form=say.WagerForm.CASH_BY_VOICE))
    assert (refusal(told).code, refusal(told).clause) == ("form", "13:69F-34.7(a)")


def test_a_bonus_needs_the_main_wager() -> None:
    """Cards go to the main wager, so that a bonus beside none is refused."""
    assert refusal(table().say(say.PlaceWager("1", BONUS, 500))).code == "wager"


# Dice, dealing and shuffling


@pytest.mark.parametrize("fault", list(DieFault))
def test_34_14_worked_example_5_no_roll(fault: DieFault) -> None:
    """Two flat dice and one that leans, fell out or was not read: shaken again, no total, no start (34.14(a), (b))."""
    bench = table(devices=SHAKER)
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerRolled(Roll(6, 5, fault)))
    assert bench.found(fact.DiceNoRoll)[0].clause == "13:69F-34.14(a), (b)"
    assert refusal(bench.say(say.AnnounceTotal(15))).code == "dice"
    assert not bench.found(fact.DiceStart)


def test_worked_example_10_the_total_is_counted_counterclockwise_from_the_dealer() -> None:
    """6+6+5 is 17, which is three: the second area counted, the fifth from the dealer's left (34.4(a)1, 31.11(b))."""
    bench = dealt(table(), "1", total=17)
    assert bench.found(fact.DiceStart) == [fact.DiceStart(17, 3, "5", "13:69F-34.4(a)")]


@pytest.mark.parametrize(("empty", "hands"), [("dealt", "56d1234"), ("skipped", "d24")])
def test_areas_without_a_wager_are_served_as_the_house_says(empty: str, hands: str) -> None:
    """Clockwise from the start, stacks of four; what lies on an empty area is collected unseen."""
    bench = dealt(table(house(**{"areas without a wager": empty})), "2", "4", total=17)
    assert "".join(told.hand[0] for told in bench.found(fact.CardsDealt)) == hands
    assert {len(told.cards) for told in bench.found(fact.CardsDealt)} == {4}
    collected = [told for told in bench.found(fact.CardsDiscarded) if told.clause.startswith("13:69F-34.8")]
    assert {told.cards for told in collected} == ({(UNSEEN,) * 4} if empty == "dealt" else set())
    assert awaited(bench).step == "offer"


def test_worked_example_9_pre_shuffled_excuses_only_the_first_shuffle() -> None:
    """A pre-shuffled deck is loaded at once; after its round it must be shuffled (1.18(e)2, (r), 34.5(a), 34.6(a))."""
    bench = Bench(terms("supreme-pai-gow", house=SUPREME), ready=False)
    bench.say(say.OpenTable(("ann", "bob")))
    bench.say(say.ReceiveDeck("red", "red", DeckSource.PRE_SHUFFLED, "seal 7"))
    assert isinstance(bench.load()[-1], fact.RoundStepAwaited)
    bench.say(say.VoidRound("nobody plays"))
    assert refusal(bench.say(say.LoadDeck("red"))).code == "deck"
    bench.say(say.ConfirmShuffle("red"))
    assert isinstance(bench.say(say.LoadDeck("red"))[0], fact.DeckLoaded)


@pytest.mark.parametrize("count", [53, 55])
def test_worked_example_11_a_wrong_count_removes_that_deck_alone(count: int) -> None:
    """A counting shuffler that reports anything but 54 locks its deck; the other one is dealt on.

    Sections 34.2(b), 11.17(i).
    """
    bench = table(devices=("stack-shoe", "shuffler"))
    bench.say(say.ReceiveDeck("blue", "blue"))
    bench.read("shuffler", read.ShufflerStarted())
    bench.read("shuffler", read.ShufflerFinished(count=count))
    assert "deck:blue" in bench.table.alarms
    assert awaited(bench).step == "wagers"


@pytest.mark.parametrize("dealing", list(Dealing))
def test_34_8_to_34_10_three_ways_to_deal(dealing: Dealing) -> None:
    """Stacks of four, one card after another out of a manual shoe, or out of the hand: four cards each.

    Sections 34.8(a), 34.9(a), 31.8, 31.10.
    """
    bench = table(dealing=dealing, sight=Sight.CALLED, devices=() if dealing is Dealing.AUTOMATED else ("reader",))
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.say(say.NoMoreBets())
    bench.say(say.AnnounceTotal(8))
    run_shoe(bench)
    while awaited(bench).step == "deal":
        bench.say(say.ConfirmDealt())
    assert bench.table.deck_in_shoe().left == 54 - 7 * 4


# Settlement


@pytest.mark.parametrize(
    ("own", "dealer", "outcome", "paid"),
    [
        ("AsAd KsQd", "KhKc Jh9c", Outcome.WIN, 9500),
        ("AsAd 4s3d", "KhKc Jh9c", Outcome.PUSH, 0),
        ("QsQd KsJd", "KhKc Qh9c", Outcome.PUSH, 0),
        ("QsQd 4s3d", "KhKc Jh9c", Outcome.LOSE, 0),
        ("KsKd QsJd", "KhKc Qh9c", Outcome.PUSH, 0),  # a copy of the high hand is the dealer's
        ("KsKd Qs9d", "KhKc Qh9c", Outcome.LOSE, 0),
        ("4s3d KsKd", "KhKc Qh9c", Outcome.LOSE, 0),  # low above high: foul
    ],
)
def test_by_analogy_both_win_none_loses_one_pushes(own: str, dealer: str, outcome: Outcome, paid: int) -> None:
    """The main wager as a demonstration house settles it; nothing of this was read (34.11)."""
    assert decided(meet(own, dealer)) == (outcome, paid)


def test_copies_and_hands_the_wrong_way_round_are_the_house_s_to_rule() -> None:
    """A house may give copies to the player, and may turn a hand instead of calling it foul."""
    assert decided(meet("KsKd Qs9d", "KhKc Qh9c", house(copies="player")))[0] is Outcome.WIN
    assert decided(meet("4s3d KsKd", "KhKc Qh9c", house(**{"low above high": "turned round"})))[0] is Outcome.LOSE
    turned = meet("QsJd KsKd", "QhQc 8h9c", house(**{"low above high": "turned round"}))
    assert decided(turned)[0] is Outcome.WIN


def test_the_dealer_s_hand_is_set_again_by_the_house_way() -> None:
    """Laid otherwise, it is corrected and told (34.11, 621a.8(c))."""
    bench = dealt(table(), "1")
    bench.say(say.CloseOffer())
    told = bench.say(say.SetHand("dealer", cards("AsKd"), cards("QhQc")))
    assert any(isinstance(found, fact.IrregularityFound) for found in told)
    assert bench.found(fact.CardsSet)[0].high == cards("QhQc")


def test_what_is_called_settles_as_what_is_seen() -> None:
    """A round whose cards nobody showed the table ends with the same decisions."""
    called = dealt(table(sight=Sight.CALLED), "1", bonus=500)
    called.say(say.CloseOffer())
    called.say(say.Call("result", "win", "1"))
    called.say(say.Call(BONUS, "four of a kind", "1"))
    seen = meet("KhKd KcKs", "2s3d 7h9c", bonus=500)
    assert settled(called) == settled(seen)


@pytest.mark.parametrize(("wagers", "amount"), [(Wagers.PRESENCE, None), (Wagers.AMOUNTS, 1000)])
def test_an_ordinary_round_takes_six_touches_at_most(wagers: Wagers, amount: int | None) -> None:
    """With sensors for stacks, shuffles and dice: close, announce, hands set, all others lose, no bonus."""
    devices = ("stack-shoe", "shuffler", "shaker")
    bench = table(devices=devices, sight=Sight.CALLED, wagers=wagers)
    for hand in ("1", "3", "5"):
        bench.say(say.PlaceWager(hand, MAIN, amount))
        bench.say(say.PlaceWager(hand, BONUS, amount))
    before = len(bench.inputs)
    bench.say(say.NoMoreBets())
    bench.read("shaker", read.ShakerShaken(3))
    bench.read("shaker", read.ShakerRolled(Roll(3, 4, 1)))
    bench.say(say.AnnounceTotal())
    run_shoe(bench)
    bench.say(say.CloseOffer())
    bench.say(say.CallOthers("result", "lose"))
    bench.say(say.CallOthers(BONUS, "nothing"))
    assert touches(bench, before) <= 6
    assert last_round(bench, fact.RoundEnded)


# The house file


@pytest.mark.parametrize(
    "name", ["below pairs", "joker", "copies", "dealer's setting", "low above high", "areas without a wager"]
)
def test_no_table_without_a_house_s_word_on_what_was_not_found(name: str) -> None:
    """Each option that was not found is the house's to say, and is refused when it is left out."""
    options = {key: value for key, value in SUPREME.options.items() if key != name}
    with pytest.raises(ConfigError, match=f"{name}.*not found in 13:69F-34"):
        Rulebook.parse(rulebook_text("supreme-pai-gow")).under(replace(SUPREME, options=options))


def test_no_table_without_a_house_s_odds_for_the_main_wager() -> None:
    """What the main wager pays was not found."""
    own = replace(SUPREME, tables={BONUS: {}})
    with pytest.raises(ConfigError, match=r"tables\..*were not found in 13:69F-34\.11"):
        Rulebook.parse(rulebook_text("supreme-pai-gow")).under(own)


@pytest.mark.parametrize("below", [["luck"], ["points", "luck"]])
def test_a_criterion_that_nobody_knows_is_refused(below: list[str]) -> None:
    """Hands are compared by points and high cards, by nothing else."""
    with pytest.raises(ConfigError, match="awaited one of points, high card"):
        Rulebook.parse(rulebook_text("supreme-pai-gow")).under(house(**{"below pairs": below}))


def test_a_demonstration_opens_no_live_table() -> None:
    """Everything of the demonstration is uncertain, so that live play lists it."""
    rules = Rulebook.parse(rulebook_text("supreme-pai-gow")).under(SUPREME)
    assert SUPREME.standing is Standing.DEMONSTRATION
    for name in ("below pairs", "joker", MAIN):
        assert any(line.startswith(f"{name} (") and "demonstration" in line for line in rules.uncertain())
