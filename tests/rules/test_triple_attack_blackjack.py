"""Triple attack blackjack, N.J.A.C. 13:69F-36: what was read of each section, the worked examples, its options."""

from typing import Any

import pytest
from msgspec.structs import replace

from tablectl.cards import Card, Rank, cards
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.facts import Place
from tablectl.games import rulebook_text
from tablectl.money import Odds
from tablectl.rulebook import HouseFile, Outcome, Rulebook, Standing
from tablectl.table import Table
from tablectl.terms import Dealing, Limits, Sight, Wagers
from tests.blackjack import HOLE, act, awaited, dealer, last_round, outcomes, refused, settled, won
from tests.tables import Bench, terms

FIRST, SECOND, THIRD = "first attack", "second attack", "third attack"
ROYAL, OTHER = "suited royal", "second bonus"


def house(offers: tuple[str, ...] = (ROYAL, OTHER), **options: object) -> HouseFile:
    """Return a house that burns no card unless it is asked for; odds of bonus wagers are invented for these tests."""
    odds = {ROYAL: {"king queen suited": "25 to 1"}, OTHER: {"three wise hands": "7 to 1"}}
    return HouseFile(
        "triple-attack-blackjack",
        "Test House",
        Standing.DEMONSTRATION,
        offers=offers,
        tables={name: odds[name] for name in offers},
        options={"burn": False, **{name.replace("_", " "): value for name, value in options.items()}},
    )


def table(plays_by: HouseFile | None = None, **changes: Any) -> Bench:
    return Bench(terms("triple-attack-blackjack", dealing=Dealing.SHOE, house=plays_by or house(), **changes))


def start(bench: Bench, hands: dict[str, str], up: str, attacks: str = "") -> None:
    """Wager $10 at these positions and deal. attacks: "2", "3" or "23", the wagers that the first of them adds."""
    for hand in hands:
        if not bench.table.round or not bench.table.round.ledger.on(hand, FIRST):
            bench.say(say.PlaceWager(hand, FIRST, 1000))
    dealt = {hand: cards(hands[hand]) for hand in sorted(hands)}
    bench.draw("".join(two[0] for two in dealt.values()))
    leader = min(hands)
    if "2" in attacks:
        bench.say(say.PlaceWager(leader, SECOND, 1000))
    bench.draw(up)
    if "3" in attacks:
        bench.say(say.PlaceWager(leader, THIRD, 1000))
    bench.draw("".join(two[1] for two in dealt.values()))
    bench.read("card-shoe", read.ShoeCardDrawn())


# 36.5: settlement


def test_36_5_a_over_21_loses_every_attack_wager() -> None:
    """Example 1: K 6 and a queen lose first, second and third attack, whatever the dealer has."""
    bench = table()
    start(bench, {"1": "Kh 6h"}, "9c", "23")
    act(bench, "Qh")
    assert outcomes(bench) == [("1", FIRST, "lose"), ("1", SECOND, "lose"), ("1", THIRD, "lose")]
    assert {told.clause for told in settled(bench)} == {"13:69F-36.5(a)"}


def test_36_5_a_a_third_attack_needs_no_second() -> None:
    """Example 2: first and third attack, over 21: both are lost."""
    bench = table()
    start(bench, {"1": "Kh 6h"}, "9c", "3")
    act(bench, "Qh")
    assert outcomes(bench) == [("1", FIRST, "lose"), ("1", THIRD, "lose")]


def test_36_5_b_six_cards_win_at_once() -> None:
    """Example 3: 2 2 3 2 4 3 count 16 in six cards and win even money before the dealer draws."""
    bench = table()
    start(bench, {"1": "2h 2c"}, "9c")
    act(bench, "3h", "2d", "4h", "3c")
    assert won(bench) == 1000
    assert awaited(bench).step == "wagers"


def test_36_5_b_six_cards_over_21_lose() -> None:
    """Example 4: the limit comes first."""
    bench = table()
    start(bench, {"1": "2h 2c"}, "9c")
    act(bench, "3h", "2d", "4h", "9h")
    assert won(bench) == -1000


def test_36_5_b_a_blackjack_is_paid_before_the_dealer_looks() -> None:
    """Example 5: an ace and a king win $30 on three attack wagers, and the hand does not act (36.1, 665a.1)."""
    bench = table()
    start(bench, {"1": "Ah Kc", "2": "9h 9c"}, "Kh", "23")
    assert won(bench) == 3000
    assert awaited(bench).what == "peek"
    bench.say(say.Call("peek", "no blackjack"))
    assert awaited(bench).hand == "2"


def test_36_5_b_21_in_more_cards_wins_at_once() -> None:
    """Example 6: 9 5 7 may not draw and wins; a soft 21 does the same (36.11(a)1)."""
    for first, third in (("9h 5h", "7h"), ("Ah 2h", "8h")):
        bench = table()
        start(bench, {"1": first}, "9c")
        act(bench, third)
        assert won(bench) == 1000
        assert awaited(bench).step == "wagers"


@pytest.mark.parametrize(
    ("hand", "up", "hole", "drawn", "net"),
    [
        ("Kh 9h", "9c", "4d", "9d", 0),  # example 13: the dealer ends on 22
        ("Kh 9h", "9c", "4d", "Kd", 1000),  # on 23
        ("Kh 9h", "9c", "9d", "", 1000),  # 19 against 18
        ("Kh 9h", "9c", "Kd", "", 0),
        ("Kh 8h", "9c", "Kd", "", -1000),
    ],
)
def test_36_5_remaining_hands_are_compared(hand: str, up: str, hole: str, drawn: str, net: int) -> None:
    """Higher wins, equal is void, lower loses; a dealer over 22 loses to all, and 22 is a push.

    Sections 19.5(a)1, 19.5(b), (e), 665a.12(a).
    """
    bench = table()
    start(bench, {"1": hand}, up)
    act(bench, "stand")
    dealer(bench, hole, drawn)
    assert won(bench) == net


def test_dealer_22_is_a_push_or_a_win() -> None:
    """A push where the house plays it so, which is another thing than a void; else the hand wins (1.10C(b)4)."""
    for pushes, outcome in ((True, Outcome.PUSH), (False, Outcome.WIN)):
        bench = table(house(pushes_22=pushes))
        start(bench, {"1": "Kh 9h"}, "9c")
        act(bench, "stand")
        dealer(bench, "4d", "9d")
        assert [told.outcome for told in settled(bench)] == [outcome]


# Attack wagers in their windows


def test_second_attack_after_the_first_card_and_third_after_the_dealer_s() -> None:
    """Each window opens with a card and closes with the next: the dealer's, and the first player's second."""
    bench = table()
    bench.say(say.PlaceWager("1", FIRST, 1000))
    bench.say(say.PlaceWager("2", FIRST, 2000))
    assert refused(bench.say(say.PlaceWager("1", SECOND, 1000))).code == "wager"
    bench.draw("9h 8h")
    assert (awaited(bench).what, awaited(bench).hands) == (SECOND, ("1", "2"))
    bench.say(say.PlaceWager("2", SECOND, 2000))
    assert refused(bench.say(say.PlaceWager("1", THIRD, 1000))).code == "late-wager"
    bench.draw("9c")
    assert awaited(bench).what == THIRD
    assert refused(bench.say(say.PlaceWager("1", SECOND, 1000))).code == "late-wager"
    bench.say(say.Decide("1", THIRD))
    bench.draw("7h")
    assert isinstance(bench.say(say.PlaceWager("2", THIRD, 2000))[0], fact.WagerLate)
    placed = [(told.hand, told.wager, told.amount) for told in bench.found(fact.WagerPlaced)]
    assert placed == [("1", FIRST, 1000), ("2", FIRST, 2000), ("2", SECOND, 2000), ("1", THIRD, 1000)]


def test_the_dealer_may_close_an_attack_by_word() -> None:
    """Closed is closed: the next card is still the dealer's."""
    bench = table()
    bench.say(say.PlaceWager("1", FIRST, 1000))
    bench.draw("9h")
    bench.say(say.CloseOffer())
    assert isinstance(bench.say(say.PlaceWager("1", SECOND, 1000))[0], fact.WagerLate)
    bench.draw("9c")
    assert bench.table.round is not None
    assert bench.table.round.hands["dealer"] == [*cards("9c")]


def test_attack_wagers_match_the_first_or_are_up_to_it() -> None:
    """Less than the first is refused where they must match, and counts where the house takes less; more never does."""
    for option, less in (("equal", False), ("up to", True)):
        bench = table(house(attack_wagers=option))
        bench.say(say.PlaceWager("1", FIRST, 1000))
        bench.draw("9h")
        assert refused(bench.say(say.PlaceWager("1", SECOND, 1001))).code == "limits"
        told = bench.say(say.PlaceWager("1", SECOND, 400))
        assert isinstance(told[-1], fact.AnnouncementRefused) is not less


def test_dealing_order() -> None:
    """One card to each box, one to the dealer, a second to each box, and one face down.

    Sections 36.7(a), 36.7(b), 685a.7(e).
    """
    bench = table()
    start(bench, {"2": "9h 8h", "4": "9d 8d"}, "9c")
    dealt = [(told.hand, *told.cards) for told in bench.found(fact.CardsDealt)]
    assert dealt == [("2", "9h"), ("4", "9d"), ("dealer", "9c"), ("2", "8h"), ("4", "8d"), (HOLE, "??")]
    assert [(due.hand, due.face_up) for due in bench.found(fact.CardDue)][-2:] == [(HOLE, False), ("2", True)]


# 36.6: bonus wagers


def test_36_6_a_king_and_queen_suited() -> None:
    """Example 16: K Q of spades wins at the house's odds, on the first two cards; a pair of kings loses.

    Sections 2.17(d), 36.6(a)1.
    """
    for hand, outcome in (("Ks Qs", "win"), ("Qs Ks", "win"), ("Ks Qh", "lose"), ("Ks Ks", "lose")):
        bench = table()
        bench.say(say.PlaceWager("1", FIRST, 1000))
        bench.say(say.PlaceWager("1", ROYAL, 500))
        start(bench, {"1": hand}, "9c")
        assert outcomes(bench) == [("1", ROYAL, outcome)]


def test_36_6_a_the_second_bonus_is_called() -> None:
    """Nobody knows its hands: the dealer calls a line of the house's table, even where the cards are seen."""
    bench = table()
    bench.say(say.PlaceWager("1", FIRST, 1000))
    bench.say(say.PlaceWager("1", OTHER, 500))
    start(bench, {"1": "9h 8h"}, "9c")
    assert (awaited(bench).what, awaited(bench).answers) == (OTHER, ("three wise hands", "nothing"))
    bench.say(say.Call(OTHER, "three wise hands", "1"))
    assert won(bench) == 3500


@pytest.mark.parametrize("wager", [ROYAL, OTHER])
def test_36_6_a_no_bonus_without_a_house_table(wager: str) -> None:
    """Odds that were not found are awaited from the house, by name and section."""
    plays_by = HouseFile("triple-attack-blackjack", "Test", Standing.HOUSE, offers=(wager,))
    with pytest.raises(ConfigError, match=r"needs odds, which were not found in 13:69F-36\.6"):
        Rulebook.parse(rulebook_text("triple-attack-blackjack")).under(plays_by)


def test_36_6_a_only_what_was_read_may_stand_in_the_royal_table() -> None:
    """A line that no rule can tell is refused."""
    plays_by = HouseFile(
        "triple-attack-blackjack", "Test", Standing.HOUSE, offers=(ROYAL,), tables={ROYAL: {"suited pair": "5 to 1"}}
    )
    with pytest.raises(ConfigError, match="no such line; awaited one of king queen suited"):
        Rulebook.parse(rulebook_text("triple-attack-blackjack")).under(plays_by)


def test_bonus_wagers_need_a_first_attack() -> None:
    """A bonus wager alone does not take part (2.17(b))."""
    assert refused(table().say(say.PlaceWager("1", ROYAL, 500))).awaited == "the first attack wager first"


# 36.8, 36.9, 36.11: decisions


def test_36_8_a_double_for_up_to_the_sum_of_the_attack_wagers() -> None:
    """Example 10: 11 in three cards and $20 of attack wagers: more than $20 is refused, one card follows.

    Sections 36.11(a)2.
    """
    bench = table()
    start(bench, {"1": "5h 4h"}, "9c", "2")
    act(bench, "2h")
    assert refused(bench.say(say.Decide("1", "double", 2001))).code == "limits"
    bench.say(say.Decide("1", "double", 2000))
    act(bench, "9h")
    assert awaited(bench).step == "expose"
    dealer(bench, "9d")
    assert won(bench) == 4000


def test_36_8_a_a_doubled_21_wins_at_once() -> None:
    """All wagers of the hand share one result, the double too."""
    bench = table()
    start(bench, {"1": "5h 6h"}, "9c", "23")
    act(bench, "double", "Kh")
    assert won(bench) == 6000


def test_36_9_a_split_for_exactly_the_sum() -> None:
    """Example 11: 8 8 with $30 of attack wagers needs $30; $20 is refused, and no amount means the sum."""
    bench = table()
    start(bench, {"1": "8s 8d"}, "9c", "23")
    assert refused(bench.say(say.Decide("1", "split", 2000))).code == "limits"
    act(bench, "split", "Kh", "stand", "9h", "stand")
    dealer(bench, "9d")
    assert [(told.hand, told.wager, told.amount) for told in settled(bench)] == [
        ("1.2", FIRST, 3000),
        ("1.1", FIRST, 1000),
        ("1.1", SECOND, 1000),
        ("1.1", THIRD, 1000),
    ]


def test_36_9_a_identical_value() -> None:
    """Example 12: a jack and a king may be split, a nine and a king not."""
    bench = table()
    start(bench, {"1": "Jc Kd", "2": "9c Kd"}, "9c")
    act(bench, "split", "9h", "stand", "9h", "stand")
    assert awaited(bench).hand == "2"
    assert refused(bench.say(say.Decide("2", "split"))).clause == "13:69F-36.9(a)"


def test_split_aces_stand_or_double() -> None:
    """They get a second card and may not draw; doubling is left to them (36.9(b))."""
    bench = table()
    start(bench, {"1": "Ac Ad"}, "9c")
    act(bench, "split", "5h")
    assert awaited(bench).answers[:2] == ("stand", "double")
    assert not any(isinstance(due, fact.CardDue) for due in bench.table.commands.values())
    act(bench, "double", "4h", "7h", "stand")
    dealer(bench, "9d")
    assert (won(bench, "1.1"), won(bench, "1.2")) == (2000, 0)


def test_21_on_a_split_hand_wins_at_once() -> None:
    """An ace and a king on a split hand are 21 (2B.1)."""
    bench = table(house(split_aces="draw"))
    start(bench, {"1": "Ac Ad"}, "9c")
    act(bench, "split", "Kh")
    assert won(bench) == 1000
    assert awaited(bench).hand == "1.2"


def test_2_11_e_up_to_four_hands_the_first_finished_first() -> None:
    """A pair on a split hand may be split until a box has four hands; 2.11(b): each is played before the next."""
    bench = table()
    start(bench, {"1": "8c 8d"}, "9c")
    act(bench, "split", "8h", "split", "8s", "split")
    assert "split" not in awaited(bench).answers
    seen = []
    for card in ("2c", "3c", "4c", "5c"):
        act(bench, card, "stand")
        seen.append(awaited(bench).hand)
    assert len({told.hand for told in bench.found(fact.CardsDealt) if told.hand.startswith("1.")}) == 4
    assert [told.amount for told in bench.found(fact.WagerPlaced) if told.wager == "split"] == [1000] * 3


def test_19_5_j_who_sits_out_may_be_barred_until_the_shuffle() -> None:
    """As in the sister game: barred where the house says so, let in by a supervisor, and free after the shuffle."""
    bench = table(replace(house(), options={"burn": False, "mid-shoe entry": "barred"}))
    for hands in ("12", "1"):
        start(bench, dict.fromkeys(hands, "Kc 9c"), "9h")
        act(bench, *["stand"] * len(hands))
        dealer(bench, "9d")
    assert refused(bench.say(say.PlaceWager("2", FIRST, 1000))).clause == "13:69F-19.5(j)"
    bench.say(say.AdmitPlayer("2", "was called away"))
    assert isinstance(bench.say(say.PlaceWager("2", FIRST, 1000))[0], fact.WagerPlaced)


def test_685a_7_c_a_card_is_burned_for_a_new_shoe_and_a_new_dealer() -> None:
    """58 Pa. Code 685a.7(c): unseen, and it closes no wager."""
    bench = table(house(burn=True))
    bench.draw("Ks")
    bench.say(say.PlaceWager("1", FIRST, 1000))
    assert bench.found(fact.CardsDiscarded) == [fact.CardsDiscarded("burn", (Card.UNSEEN,), "58 Pa. Code 685a.7(c)")]
    bench.say(say.SignOn("D7"))
    assert awaited(bench).hand == "burn"


def test_2_2_b_a_soft_hand_counts_its_ace_as_eleven() -> None:
    """An ace and a six are 17 and may draw; with a king the ace counts one, and 17 is hard."""
    bench = table()
    start(bench, {"1": "Ac 6d"}, "9c")
    act(bench, "Kd")
    assert awaited(bench).hand == "1"
    act(bench, "stand")
    dealer(bench, "8d")
    assert won(bench) == 0


def test_36_11_a_below_21_may_draw() -> None:
    """Cards go on to one hand until it is over, or stands."""
    bench = table()
    start(bench, {"1": "2h 3h", "2": "9h 9d"}, "9c")
    act(bench, "4h", "5h")
    assert awaited(bench).hand == "1"
    act(bench, "stand")
    assert awaited(bench).hand == "2"


def test_no_surrender_and_no_rescue_unless() -> None:
    """Surrender is off unless the house allows it; a rescue was not found for this game (2A.9(a))."""
    bench = table()
    start(bench, {"1": "9h 7h"}, "9c", "2")
    assert awaited(bench).answers[:3] == ("draw", "stand", "double")
    assert refused(bench.say(say.Decide("1", "surrender"))).code == "choice"
    bench = table(house(surrender=True))
    start(bench, {"1": "9h 7h"}, "9c", "2")
    act(bench, "surrender")
    assert won(bench) == -1000


# 36.10: insurance


@pytest.mark.parametrize(("hole", "paid"), [("Qd", 1000), ("Qs", 2500), ("As", None), ("9d", None)])
def test_36_10_a_insurance(hole: str, paid: int | None) -> None:
    """Examples 7 and 8: 2 to 1 against a queen, 5 to 1 against a suited one; an ace or a nine loses (2A.9(b))."""
    bench = table()
    start(bench, {"1": "9h 7h"}, "As")
    bench.say(say.Decide("1", "insurance", 500))
    bench.say(say.CloseOffer())
    bench.say(say.ExposeCards(HOLE, cards(hole)))
    insurance = settled(bench)[0]
    assert (insurance.wager, insurance.paid or None) == ("insurance", paid)
    assert (insurance.outcome is Outcome.WIN) == bool(paid)


def test_36_10_a_a_house_may_pay_no_more_for_a_suited_blackjack() -> None:
    """The 5 to 1 come from a guide: an option."""
    bench = table(house(suited_insurance=False))
    start(bench, {"1": "9h 7h"}, "As")
    bench.say(say.Decide("1", "insurance", 500))
    bench.say(say.CloseOffer())
    bench.say(say.ExposeCards(HOLE, cards("Qs")))
    assert settled(bench)[0].odds == Odds(2, 1)


def test_36_10_a_only_against_an_ace() -> None:
    """Example 9: a king first, an ace in the hole: nobody could insure."""
    bench = table()
    start(bench, {"1": "9h 7h"}, "Kc")
    assert awaited(bench).what == "peek"
    bench.say(say.ExposeCards(HOLE, cards("Ad")))
    assert outcomes(bench) == [("1", FIRST, "lose")]


def test_36_10_a_a_blackjack_may_insure_too() -> None:
    """Every player may; the blackjack is paid, and insurance settled when the dealer has looked."""
    bench = table()
    start(bench, {"1": "Ah Kc"}, "As")
    bench.say(say.Decide("1", "insurance", 500))
    bench.say(say.CloseOffer())
    assert outcomes(bench) == [("1", FIRST, "win")]
    bench.say(say.Call("peek", "no blackjack"))
    assert outcomes(bench) == [("1", FIRST, "win"), ("1", "insurance", "lose")]


def test_insurance_is_at_most_half_of_the_attack_wagers() -> None:
    """Half of the sum, where three attack wagers lie."""
    bench = table()
    start(bench, {"1": "9h 7h"}, "As", "23")
    assert refused(bench.say(say.Decide("1", "insurance", 1501))).code == "limits"
    bench.say(say.Decide("1", "insurance", 1500))


def test_a_dealer_blackjack_ends_the_round_for_all_but_blackjacks() -> None:
    """Those that were paid stay paid."""
    bench = table()
    start(bench, {"1": "Ah Kc", "2": "9h 9d"}, "Ac", "2")
    bench.say(say.CloseOffer())
    bench.say(say.ExposeCards(HOLE, cards("Kd")))
    assert (won(bench, "1"), won(bench, "2")) == (2000, -1000)


def test_without_a_look_only_original_wagers_are_lost_to_a_blackjack() -> None:
    """Doubles and splits go back; a hand that won at once stays paid (2.11(d))."""
    bench = table(house(peek=False))
    start(bench, {"1": "8c 8d", "2": "5h 6h"}, "Kc", "2")
    act(bench, "split", "9h", "stand", "3h", "double", "Kh", "double", "4h")
    bench.say(say.ExposeCards(HOLE, cards("Ad")))
    assert (won(bench, "1.1"), won(bench, "1.2"), won(bench, "2")) == (-2000, 4000, -1000)


# 36.11(b): the dealer


def test_36_11_b_the_dealer_hits_a_soft_17_where_the_house_says_so() -> None:
    """An ace and a six draw or stand."""
    for hits in (True, False):
        bench = table(house(hits_soft_17=hits))
        start(bench, {"1": "Kh 9h"}, "6c")
        act(bench, "stand")
        bench.say(say.ExposeCards(HOLE, cards("Ad")))
        assert (awaited(bench).hand == "dealer") is hits


def test_the_dealer_draws_for_no_hand_that_is_decided() -> None:
    """When all have won or lost at once the hole card stays face down."""
    bench = table()
    start(bench, {"1": "Ah Kh", "2": "Kh 6h"}, "9c")
    act(bench, "9h")
    assert awaited(bench).step == "wagers"
    assert last_round(bench, fact.CardsDiscarded)[-1].cards == (Card.UNSEEN,)


# 36.12, 36.13: who may wager where


def test_36_12_a_at_most_three_people_on_one_box() -> None:
    """Example 17: the fourth is refused."""
    bench = table()
    for owner in ("ann", "bob", "cy"):
        bench.say(say.PlaceWager("1", FIRST, 1000, owner))
    assert refused(bench.say(say.PlaceWager("1", FIRST, 1000, "di"))).clause == "13:69F-36.12(a), 36.13"
    bench.draw("8h")
    assert refused(bench.say(say.PlaceWager("1", SECOND, 1000))).code == "owner"
    bench.say(say.PlaceWager("1", SECOND, 1000, "bob"))
    bench.draw("9c 8d")
    bench.read("card-shoe", read.ShoeCardDrawn())
    act(bench, "split", "Kh", "stand", "9h", "stand")
    amounts = {(told.hand, told.owner): told.amount for told in bench.found(fact.WagerPlaced) if told.wager == "split"}
    assert amounts == {("1", "ann"): 1000, ("1", "bob"): 2000, ("1", "cy"): 1000}


def test_36_13_one_box_unless_the_licensee_allows_more() -> None:
    """A named player's second box."""
    for allowed in (False, True):
        bench = table(house(several_boxes=allowed))
        bench.say(say.PlaceWager("1", FIRST, 1000, "ann"))
        told = bench.say(say.PlaceWager("4", FIRST, 1000, "ann"))
        assert isinstance(told[-1], fact.AnnouncementRefused) is not allowed


# 36.2 to 36.4, 36.14: cards


def test_36_2_a_eight_decks_of_48() -> None:
    """384 cards, 32 of each rank but the ten."""
    deck = table().terms.composition
    ranks = [card.rank for card in deck.cards()]
    assert deck.size == 384
    assert {rank: ranks.count(rank) for rank in Rank if rank in ranks} == {
        rank: 32 for rank in Rank if rank not in (Rank.TEN, Rank.JOKER)
    }


@pytest.mark.parametrize("count", [383, 416])
def test_36_3_b_another_number_blocks_the_table(count: int) -> None:
    """Example 15: a shuffler that counts 383, or 416 with the tens, latches until the deck is removed (11.17(i))."""
    bench = Bench(
        terms("triple-attack-blackjack", dealing=Dealing.SHOE, devices=("card-shoe", "shuffler")), ready=False
    )
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    bench.read("shuffler", read.ShufflerStarted())
    bench.read("shuffler", read.ShufflerFinished(count=count))
    assert "deck:red" in bench.table.alarms


def test_36_4_a_the_cutting_card_ends_the_shoe() -> None:
    """The round is finished first (6.5(k))."""
    bench = table()
    start(bench, {"1": "Kh 9h"}, "9c")
    bench.read("card-shoe", read.ShoeCuttingCardOut())
    act(bench, "stand")
    dealer(bench, "9d")
    assert won(bench) == 1000
    assert bench.table.custody.find("red").place is Place.RACK


def test_36_14_a_cards_face_up() -> None:
    """Example 14: one is not used; a second voids the round, all wagers go back, and the cards are shuffled."""
    bench = table()
    start(bench, {"1": "Kh 6h"}, "9c", "23")
    bench.read("card-shoe", read.ShoeFaceUpFound())
    assert awaited(bench).step == "turn"
    bench.read("card-shoe", read.ShoeFaceUpFound())
    assert {told.outcome for told in settled(bench)} == {Outcome.VOID}
    assert won(bench) == 0
    assert bench.table.custody.find("red").place is Place.RACK


def test_36_14_b_a_ten_waits_for_a_supervisor() -> None:
    """It goes to no hand, and nothing is settled by itself."""
    bench = table()
    bench.say(say.PlaceWager("1", FIRST, 1000))
    bench.draw("Tc")
    assert awaited(bench).who == "supervisor"
    assert not settled(bench)
    bench.say(say.LiftSuspension("the ten is out"))
    bench.draw("9h")
    assert bench.table.round is not None
    assert bench.table.round.hands == {"1": [*cards("9h")]}


# What the table sees


def test_20_18_15_28_a_card_that_the_dealer_drew_by_accident_is_burned() -> None:
    """20:18:15:28: a dealer who should stand draws a card that no device sees as one too many; it is taken back."""
    bench = table(wagers=Wagers.PRESENCE, sight=Sight.CALLED)
    bench.say(say.PlaceWager("1", FIRST))
    for _ in range(4):
        bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.Call("up card", "other"))
    bench.say(say.CallOthers("blackjack", "no blackjack"))
    act(bench, "stand")
    bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.ReportIrregularity("dealer drew by accident"))
    assert [told.hand for told in bench.found(fact.CardsTakenAway)] == ["dealer"]
    bench.say(say.BurnCard("the dealer has 18"))
    bench.say(say.Call("dealer", "18", "dealer"))
    bench.say(say.CallOthers("result", "win"))
    assert [told.outcome for told in settled(bench)] == [Outcome.WIN]


def test_20_18_15_28_a_card_from_which_something_followed_stays() -> None:
    """20:18:15:28: a hand that went over 21 by it was settled; what becomes of that is a supervisor's."""
    bench = table()
    start(bench, {"1": "8c 6d", "2": "7c 6c"}, "9h")
    act(bench, "Kh")
    bench.say(say.ReportIrregularity("card drawn in error", "1"))
    assert not bench.found(fact.CardsTakenAway)
    assert bench.table.suspended.keys() == {"irregularity"}


def test_called_cards_and_wagers_in_presence() -> None:
    """The dealer calls blackjacks by exception, ends and results; attack wagers lie there without amounts."""
    bench = table(sight=Sight.CALLED, wagers=Wagers.PRESENCE)
    for hand in ("1", "2", "3"):
        bench.say(say.PlaceWager(hand, FIRST))
    for _ in range(3):
        bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.PlaceWager("2", SECOND))
    for _ in range(5):
        bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.Call("up card", "other"))
    bench.say(say.Call("blackjack", "blackjack", "1"))
    bench.say(say.CallOthers("blackjack", "no blackjack"))
    bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.Call("hand", "21", "2"))
    act(bench, "stand")
    bench.say(say.Call("dealer", "bust", "dealer"))
    bench.say(say.CallOthers("result", "dealer 22"))
    assert outcomes(bench) == [
        ("1", FIRST, "win"),
        ("2", FIRST, "win"),
        ("2", SECOND, "win"),
        ("3", FIRST, "push"),
    ]
    assert all(told.by_chips for told in settled(bench))


def test_a_manual_shoe_closes_the_windows_too() -> None:
    """The dealer's confirmation of the next card closes an attack window; a card of another deck does not (19.5(d))."""
    bench = table(devices=("reader",))
    bench.say(say.PlaceWager("1", FIRST, 1000))
    bench.say(say.ConfirmDealt(cards("9h")))
    assert refused(bench.say(say.ConfirmDealt(cards("Tc")))).code == "cards"
    bench.say(say.PlaceWager("1", SECOND, 1000))
    for text in ("9c", "9d", ""):
        bench.say(say.ConfirmDealt(cards(text)))
    act(bench, "stand")
    dealer(bench, "8d")
    assert won(bench) == 2000


def test_limits_hold_for_the_first_attack() -> None:
    """An amount outside the table's limits is refused."""
    bench = table(limits={FIRST: Limits(500, 5000)})
    assert refused(bench.say(say.PlaceWager("1", FIRST, 499))).code == "limits"


@pytest.mark.parametrize(("wagers", "amount"), [(Wagers.PRESENCE, None), (Wagers.AMOUNTS, 1000)])
def test_touches_of_an_ordinary_round(wagers: Wagers, amount: int | None) -> None:
    """A reading shoe: one touch for each hand that stands and one for the hole card; the windows close by the cards."""
    bench = table(wagers=wagers)
    for hand in "123456":
        bench.say(say.PlaceWager(hand, FIRST, amount))
    before = len([said for said in bench.inputs if said.source == "dealer"])
    start(bench, dict.fromkeys("123456", "Kc 2c"), "9h")
    for _ in range(3):
        act(bench, "9c")
    for _ in range(3):
        act(bench, "5c", "stand")
    dealer(bench, "9d")
    assert len([said for said in bench.inputs if said.source == "dealer"]) - before == 3 + 1
    assert len(settled(bench)) == 6


def test_a_round_replays_without_difference() -> None:
    """The same inputs give the same facts, windows, splits and insurance included."""
    bench = table(house(peek=False))
    start(bench, {"1": "8c 8d", "2": "5h 6h"}, "Ac", "23")
    bench.say(say.Decide("1", "insurance", 1500))
    bench.say(say.CloseOffer())
    act(bench, "split", "9h", "stand", "3h", "double", "Kh", "double", "4h")
    bench.say(say.ExposeCards(HOLE, cards("9d")))
    again = Table(bench.build)
    assert [again.accept(said) for said in bench.inputs] == bench.answers
