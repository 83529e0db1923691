"""Spanish 21, N.J.A.C. 13:69F-19: each numbered statement of 19.5, the worked examples of its digest, its options."""

from itertools import zip_longest
from typing import Any

import pytest
from msgspec.structs import replace

from tablectl.cards import Card, Rank, cards
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.codec import Input
from tablectl.events.facts import Fact, Place
from tablectl.games import rulebook_text
from tablectl.hands import blackjack as judge
from tablectl.money import Odds
from tablectl.rulebook import HouseFile, Outcome, Rulebook, Standing
from tablectl.table import Table
from tablectl.terms import Dealing, Limits, Sight, Wagers
from tablectl.view import View
from tests.blackjack import HOLE, act, awaited, dealer, last_round, outcomes, refused, settled, won
from tests.tables import Bench, terms

MAIN, MATCH = "spanish 21", "match the dealer"
MATCH_ODDS = {"two suited matches": "18 to 1", "one suited match": "9 to 1", "one non-suited match": "4 to 1"}
"""Invented for these tests: the odds were not found for New Jersey."""


def house(**options: object) -> HouseFile:
    """Return a house that burns no card unless it is asked for, and offers match the dealer."""
    options = {name.replace("_", " "): value for name, value in options.items()}
    return HouseFile(
        "spanish-21",
        "Test House",
        Standing.DEMONSTRATION,
        offers=(MATCH,),
        tables={MATCH: MATCH_ODDS},
        options={"burn": False, **options},
    )


def table(plays_by: HouseFile | None = None, **changes: Any) -> Bench:
    return Bench(terms("spanish-21", dealing=Dealing.SHOE, house=plays_by or house(), **changes))


def called(wagers: Wagers = Wagers.PRESENCE, **options: object) -> Bench:
    """Return a table whose shoe reads no card and whose dealer calls what they show."""
    return table(house(**options), wagers=wagers, sight=Sight.CALLED)


def start(bench: Bench, hands: dict[str, str], up: str, amount: int | None = 1000) -> None:
    """Wager at these positions and deal: two cards to each, the dealer's up card, and a hole card that nobody sees."""
    for hand in hands:
        if not bench.table.round or not bench.table.round.ledger.on(hand, MAIN):
            bench.say(say.PlaceWager(hand, MAIN, amount))
    dealt = {hand: cards(text) for hand, text in hands.items()}
    order = sorted(hands)
    bench.draw("".join(dealt[hand][0] for hand in order) + up + "".join(dealt[hand][1] for hand in order))
    bench.read("card-shoe", read.ShoeCardDrawn())


def played(hand: str, up: str, hole: str, drawn: str = "") -> int:
    """Play one round of one player and return what the player won or lost, stakes aside."""
    bench = table()
    first, second, *more = cards(hand)
    start(bench, {"1": first + second}, up)
    bench.draw("".join(more))
    if awaited(bench).step == "turn":
        act(bench, "stand")
    dealer(bench, hole, drawn)
    return won(bench)


# 19.5(a), (b): which hand wins


@pytest.mark.parametrize(
    ("hand", "up", "hole", "drawn", "net"),
    [
        ("Kh Qh", "9c", "9d", "2h", 0),  # example 4: (b), equal totals
        ("Ah Ac 9d", "9c", "9d", "", 1000),  # example 8: 21, no named combination
        ("Kh 8h", "9c", "8d", "", 1000),  # (a)2, higher
        ("Kh 6h", "9c", "8d", "", -1000),  # lower
        ("Kh 6h", "9c", "4d", "Kd", 1000),  # (a)1, the dealer is over 21
        ("As Kh", "9c", "8d", "", 1500),  # a blackjack against 17
        ("As Kh", "9c", "4d", "", 1500),  # nothing is left for which the dealer would draw
        ("Kh 8h", "6d", "Ac", "", 1000),  # example 18: the dealer stands on a soft 17
    ],
)
def test_19_5_a_and_b(hand: str, up: str, hole: str, drawn: str, net: int) -> None:
    """A hand wins, loses or is void as it compares with the dealer's (635a.12(a))."""
    assert net == played(hand, up, hole, drawn)


def test_19_5_a_4_21_in_more_cards_beats_a_dealer_s_21_in_more_cards() -> None:
    """Example 3: the dealer draws to 21 for another player's hand, and 21 wins even money all the same."""
    bench = table()
    start(bench, {"1": "Kh 5h", "2": "Kc 9d"}, "9c")
    act(bench, "6c", "stand")
    dealer(bench, "5d", "7h")
    assert (won(bench, "1"), won(bench, "2")) == (1000, -1000)


def test_19_5_a_1_over_21_loses_even_if_the_dealer_busts() -> None:
    """Example 5: 22 loses at once, whatever the dealer draws later."""
    bench = table()
    start(bench, {"1": "Kh 3c", "2": "Kc 9c"}, "9h")
    act(bench, "9d")
    assert outcomes(bench) == [("1", MAIN, "lose")]
    act(bench, "stand")
    dealer(bench, "7c", "6c")
    assert outcomes(bench) == [("1", MAIN, "lose"), ("2", MAIN, "win")]


def test_19_5_a_3_a_blackjack_beats_a_blackjack() -> None:
    """Example 1: both have one, and the player is paid 3 to 2."""
    bench = table()
    start(bench, {"1": "As Kh"}, "Ad")
    bench.say(say.CloseOffer())
    bench.say(say.ExposeCards(HOLE, cards("Kc")))
    assert won(bench) == 1500


def test_19_5_b_a_dealer_blackjack_beats_21_in_more_cards() -> None:
    """Example 2: seven, seven, seven loses to a blackjack that nobody looked for."""
    bench = table(house(peek=False))
    start(bench, {"1": "7c 7d"}, "Ad")
    bench.say(say.CloseOffer())
    act(bench, "7h")
    bench.say(say.ExposeCards(HOLE, cards("Kc")))
    assert won(bench) == -1000


# 19.5(c), (d), (h), (i): wagers and when they are locked


def test_19_5_a_the_first_card_closes_wagers() -> None:
    """The first card goes to the first hand with a wager and locks what lies there; a later wager has no action."""
    bench = table()
    bench.say(say.PlaceWager("4", MAIN, 1000))
    bench.say(say.PlaceWager("2", MAIN, 1000))
    bench.draw("9c")
    assert bench.table.round is not None
    assert bench.table.round.hands == {"2": [*cards("9c")]}
    assert bench.found(fact.RoundWagersClosed)[0].clause == "13:69F-19.5(a), (d), (h)"
    late = bench.say(say.PlaceWager("3", MAIN, 1000))
    assert isinstance(late[0], fact.WagerLate)
    assert refused(late).clause == "13:69F-19.5(a), (d), (h)"
    assert refused(bench.say(say.TakeBackWager("2", MAIN))).code == "not-awaited"


def test_19_5_h_no_card_leaves_the_shoe_before_a_wager_lies() -> None:
    """The shoe is unlocked for the first hand with a wager and locked without one; a card then holds the table."""
    bench = table()
    assert not bench.found(fact.CardDue)
    bench.say(say.PlaceWager("2", MAIN, 1000))
    assert [due.hand for due in bench.found(fact.CardDue)] == ["2"]
    bench.say(say.PlaceWager("1", MAIN, 1000))
    assert [due.hand for due in bench.found(fact.CardDue)] == ["2"]  # unlocked is unlocked, for whomever
    for hand in ("1", "2"):
        bench.say(say.TakeBackWager(hand, MAIN))
    assert len(bench.found(fact.CardsLocked)) == 1
    bench.draw("9c")
    assert bench.table.suspended
    assert bench.found(fact.IrregularityFound)


def test_19_5_c_cash_by_voice_needs_a_supervisor() -> None:
    """Chips and coupons count by the dealer's word; a spoken wager with cash only once a supervisor confirms it."""
    bench = table()
    for form in (say.WagerForm.CHIPS, say.WagerForm.MATCH_PLAY):
        assert isinstance(bench.say(say.PlaceWager("1", MAIN, 1000, form.value, form))[0], fact.WagerPlaced)
    spoken = say.PlaceWager("2", MAIN, 1000, form=say.WagerForm.CASH_BY_VOICE)
    assert refused(bench.say(spoken)).clause == "13:69F-19.5(c)"
    confirmed = bench.accept(Input(spoken, 0, say.Role.SUPERVISOR, by="S-3"))
    assert isinstance(confirmed[0], fact.WagerPlaced)


def test_19_5_d_match_the_dealer_needs_the_required_wager() -> None:
    """A match-the-dealer wager alone does not count, and the required one cannot leave before it.

    Sections 1.10B(b)2, 5324.12(e)2.
    """
    bench = table()
    assert refused(bench.say(say.PlaceWager("1", MATCH, 500))).awaited == "the spanish 21 wager first"
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.say(say.PlaceWager("1", MATCH, 500))
    assert refused(bench.say(say.TakeBackWager("1", MAIN))).awaited == "the match the dealer wager taken back first"


def test_19_5_d_limits_hold_for_the_wager() -> None:
    """An amount outside the table's limits is refused."""
    bench = table(limits={MAIN: Limits(500, 5000)})
    for amount in (499, 5001):
        assert refused(bench.say(say.PlaceWager("1", MAIN, amount))).code == "limits"


def test_19_5_i_what_was_added_is_locked() -> None:
    """A double wager that the dealer confirmed cannot be made again, changed or taken back."""
    bench = table()
    start(bench, {"1": "6h 5h"}, "9c")
    act(bench, "double")
    for body in (say.Decide("1", "double"), say.TakeBackWager("1", "double"), say.PlaceWager("1", "double", 500)):
        assert refused(bench.say(body)).code in {"not-awaited", "late-wager"}


# 19.5(e), (f): what is paid


@pytest.mark.parametrize(
    ("hand", "odds", "clause"),
    [
        ("6s 7s 8s", Odds(3, 1), "13:69F-19.5(f)2"),  # example 6
        ("6h 7h 8h", Odds(2, 1), "13:69F-19.5(f)2"),
        ("8h 6c 7d", Odds(3, 2), "13:69F-19.5(f)1"),
        ("7c 7d 7h", Odds(3, 2), "13:69F-19.5(f)3"),
        ("7h 7h 7h", Odds(2, 1), "13:69F-19.5(f)4"),
        ("7s 7s 7s", Odds(3, 1), "13:69F-19.5(f)4"),
        ("2c 2d 3h 5c 9c", Odds(3, 2), "13:69F-19.5(f)5"),  # example 9
        ("2c 2d 3h 4c 4d 6h", Odds(2, 1), "13:69F-19.5(f)6"),  # example 10
        ("Ac Ad 2c 2d 3h 5c 7c", Odds(3, 1), "13:69F-19.5(f)7"),  # example 11
        ("2c 2d 2h 2s 3c 3d 3h 4c", Odds(3, 1), "13:69F-19.5(f)7"),
        ("Kc 5c 6c", Odds(1, 1), "13:69F-19.5(a)1, 2, 4, (e)"),
    ],
)
def test_19_5_f_bonus_21s(hand: str, odds: Odds, clause: str) -> None:
    """Each named 21 has its odds and its section; any other wins even money."""
    bench = table()
    first, second, *more = cards(hand)
    start(bench, {"1": first + second}, "9c", 2000)
    bench.draw("".join(more))
    dealer(bench, "9d")
    assert [(told.odds, told.clause, told.paid) for told in settled(bench)] == [(odds, clause, int(2000 * odds.ratio))]


def test_19_5_f_a_doubled_hand_wins_even_money() -> None:
    """Example 7: 6-7-8 of spades after a double is paid 1 to 1 on both wagers."""
    bench = table()
    start(bench, {"1": "6s 7s"}, "9c", 2000)
    act(bench, "double", "8s")
    dealer(bench, "9d")
    assert won(bench) == 4000
    assert {told.clause for told in settled(bench)} == {"13:69F-19.5(f)"}


def test_19_5_f_a_split_hand_keeps_its_bonus() -> None:
    """Example 15: 7-7-7 of clubs on a split hand is paid 2 to 1, and no fixed amount."""
    bench = table()
    start(bench, {"1": "7c 7c", "2": "Kc 9c"}, "7d")
    act(bench, "split", "7c", "7c")
    assert awaited(bench).hand == "1.2"
    act(bench, "Kd", "stand", "stand")
    dealer(bench, "Kh")
    assert won(bench, "1.1") == 2000
    assert won(bench, "1.2") == 0
    assert not last_round(bench, fact.RoundBonusPaid)


# 19.5(g): the fixed amounts


def sevens(amounts: dict[str, int], suit: str = "s", up: str = "7d", bench: Bench | None = None) -> Bench:
    """Play three sevens of one suit at position 1 against an exposed card; two busts, three stands on 18."""
    bench = bench or table()
    for hand, amount in amounts.items():
        bench.say(say.PlaceWager(hand, MAIN, amount))
    start(bench, {"1": f"7{suit} 7{suit}", "2": "Kc 6c", "3": "Kc 8c"}, up)
    act(bench, f"7{suit}", "9c", "stand")
    return bench


def test_19_5_g_upper_band_and_what_the_others_get() -> None:
    """Example 12: $25 wins 3 to 1 and $5,000; every other player gets $50, whatever became of the wager."""
    bench = sevens({"1": 2500, "2": 1000, "3": 500})
    dealer(bench, "Kh")
    assert [told.hand for told in settled(bench)] == ["2", "3", "1"]
    bench.say(say.LiftSuspension("looked at the cards"))
    assert [(told.hand, told.amount) for told in last_round(bench, fact.RoundBonusPaid)] == [
        ("1", 500000),
        ("2", 5000),
        ("3", 5000),
    ]
    assert (won(bench, "1"), won(bench, "2"), won(bench, "3")) == (507500, 4000, 5500)


@pytest.mark.parametrize(
    ("amount", "bonus"), [(2400, 100000), (2500, 500000), (500, 100000), (499, 0), (400, 0), (2499, 100000)]
)
def test_19_5_g_bands(amount: int, bonus: int) -> None:
    """Examples 13 and 14: from $5 on $1,000, from $25 on $5,000; below $5 nobody is paid a fixed amount."""
    bench = sevens({"1": amount, "2": 1000, "3": 500}, "h")
    dealer(bench, "Kh")
    bench.say(say.LiftSuspension("looked at the cards"))
    paid = {told.hand: told.amount for told in last_round(bench, fact.RoundBonusPaid)}
    assert paid == ({"1": bonus, "2": 5000, "3": 5000} if bonus else {})


def test_19_5_g_a_seven_in_the_hole_pays_nothing() -> None:
    """Example 17: only the exposed card counts."""
    bench = table()
    start(bench, {"1": "7d 7d"}, "9h", 2500)
    act(bench, "7d")
    dealer(bench, "7h")
    assert won(bench) == 5000
    assert not last_round(bench, fact.RoundBonusPaid)


def test_19_5_g_a_doubled_hand_gets_nothing() -> None:
    """Example 16: three suited sevens after a double win even money on $50, and nothing for anybody else."""
    bench = table()
    start(bench, {"1": "7d 7d", "2": "Kc 8c"}, "7h", 2500)
    act(bench, "double", "7d", "stand")
    dealer(bench, "Kh")
    assert won(bench, "1") == 5000
    assert not last_round(bench, fact.RoundBonusPaid)


def test_19_5_g_waits_with_the_cards_face_up() -> None:
    """Nothing is paid and no card collected before a supervisor has verified."""
    bench = sevens({"1": 2500, "2": 1000, "3": 500})
    dealer(bench, "Kh")
    assert awaited(bench).who == "supervisor"
    assert bench.table.round is not None
    assert bench.table.round.hands["1"] == [*cards("7s 7s 7s")]
    assert refused(bench.say(say.ExposeCards(HOLE, cards("Kh")))).code == "suspended"


def test_19_5_g_several_owners_are_paid_by_their_own_wagers() -> None:
    """Two people on the winning box have a band each; each owner elsewhere is one of the others."""
    bench = table()
    for hand, owner, amount in (("1", "ann", 2500), ("1", "bob", 600), ("2", "cy", 1000), ("2", "di", 1000)):
        bench.say(say.PlaceWager(hand, MAIN, amount, owner))
    start(bench, {"1": "7s 7s", "2": "Kc 9c"}, "7h")
    act(bench, "7s", "stand")
    dealer(bench, "Kh")
    bench.say(say.LiftSuspension("looked at the cards"))
    paid = {(told.hand, told.owner): told.amount for told in last_round(bench, fact.RoundBonusPaid)}
    assert paid == {("1", "ann"): 500000, ("1", "bob"): 100000, ("2", "cy"): 5000, ("2", "di"): 5000}


def test_19_5_g_each_other_player_is_paid_once_and_the_winner_is_none() -> None:
    """Whoever has two boxes gets $50 once; the winner gets none for another box, nor does one who shares the hand."""
    bench = table(house(several_boxes=True))
    for hand, owner in (("1", "ann"), ("2", "bob"), ("3", "ann"), ("4", "bob"), ("5", ""), ("6", "")):
        bench.say(say.PlaceWager(hand, MAIN, 1000, owner))
    start(bench, {"1": "7s 7s", **dict.fromkeys("23456", "Kc 9c")}, "7h")
    act(bench, "7s", *["stand"] * 5)
    dealer(bench, "Kh")
    bench.say(say.LiftSuspension("looked at the cards"))
    paid = [(told.hand, told.owner, told.amount) for told in last_round(bench, fact.RoundBonusPaid)]
    assert paid == [("1", "ann", 100000), ("2", "bob", 5000), ("5", "", 5000), ("6", "", 5000)]


def test_19_5_g_the_dealer_calls_the_band_where_amounts_are_not_known() -> None:
    """In presence mode the one amount that decides a payout is asked for."""
    bench = table(wagers=Wagers.PRESENCE)
    start(bench, {"1": "7s 7s", "2": "Kc 9c"}, "7h", None)
    act(bench, "7s", "stand")
    dealer(bench, "Kh")
    bench.say(say.LiftSuspension("looked at the cards"))
    assert awaited(bench).answers == ("below", "super bonus from 5", "super bonus from 25")
    assert refused(bench.say(say.Call(MAIN, "much"))).code == "call"
    bench.say(say.Call(MAIN, "super bonus from 25", "1"))
    paid = [(told.hand, told.amount) for told in last_round(bench, fact.RoundBonusPaid)]
    assert paid == [("1", 500000), ("2", 5000)]


def test_19_5_g_below_the_bands_by_call() -> None:
    """A wager that is called below every band pays nobody."""
    bench = table(wagers=Wagers.PRESENCE)
    start(bench, {"1": "7s 7s", "2": "Kc 9c"}, "7h", None)
    act(bench, "7s", "stand")
    dealer(bench, "Kh")
    bench.say(say.LiftSuspension("looked at the cards"))
    bench.say(say.Call(MAIN, "below"))
    assert not last_round(bench, fact.RoundBonusPaid)
    assert awaited(bench).step == "wagers"


# 19.5(j): mid-shoe entry


def test_19_5_j_who_sits_out_stays_out_until_the_shuffle() -> None:
    """Where entry is barred, one round without a wager bars a position, until the shuffle or a supervisor's word."""
    bench = table(house(**{"mid-shoe entry": "barred"}))
    round_of(bench, "1", "2")
    round_of(bench, "1")
    barred = refused(bench.say(say.PlaceWager("2", MAIN, 1000)))
    assert (barred.code, barred.clause) == ("mid-shoe-entry", "13:69F-19.5(j)")
    assert refused(bench.say(say.PlaceWager("3", MAIN, 1000))).code == "mid-shoe-entry"
    bench.say(say.AdmitPlayer("2", "came back from the phone"))
    round_of(bench, "1", "2")
    bench.read("card-shoe", read.ShoeCuttingCardOut())
    round_of(bench, "1", "2")
    bench.say(say.ConfirmShuffle("red"))
    bench.load()
    assert not any(isinstance(told, fact.AnnouncementRefused) for told in bench.say(say.PlaceWager("5", MAIN, 1000)))


def test_19_5_j_entry_is_open_unless_the_house_bars_it() -> None:
    """The bar is the licensee's choice, and a supervisor has nobody to let in without it."""
    bench = table()
    round_of(bench, "1")
    assert refused(bench.say(say.AdmitPlayer("2", "friendly"))).code == "player"
    round_of(bench, "2")


def round_of(bench: Bench, *hands: str) -> None:
    """Play a whole round at these positions."""
    start(bench, dict.fromkeys(hands, "Kc 9c"), "9h")
    act(bench, *["stand"] * len(hands))
    dealer(bench, "9d")
    assert awaited(bench).step != "turn"


# The deal


def test_initial_deal_order() -> None:
    """A card to each box from the dealer's left, one to the dealer, a second to each, and one face down (685a.7(e))."""
    bench = table()
    start(bench, {"2": "9c 8c", "5": "9d 8d"}, "9h")
    dealt = [(told.hand, *told.cards) for told in bench.found(fact.CardsDealt)]
    assert dealt == [("2", "9c"), ("5", "9d"), ("dealer", "9h"), ("2", "8c"), ("5", "8d"), (HOLE, "??")]


def test_the_hole_card_is_not_read_before_it_is_turned() -> None:
    """The shoe is never unlocked face up for the hole card, and a face that it tells all the same is dropped.

    Sections 685a.1.
    """
    bench = table()
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.draw("9c 9h 8c Kd")
    due = {(told.hand, told.face_up) for told in bench.found(fact.CardDue)}
    assert due == {("1", True), ("dealer", True), (HOLE, False)}
    assert bench.table.round is not None
    assert bench.table.round.hands[HOLE] == [Card.UNSEEN]
    assert not any("Kd" in repr(told) for told in bench.facts)


def test_a_new_shoe_and_a_new_dealer_burn_a_card() -> None:
    """One card is burned unseen after the shuffle and for each new dealer, closes no wagers, and only then.

    Sections 685a.7(c).
    """
    bench = table(house(burn=True))
    bench.say(say.PlaceWager("1", MAIN, 1000))
    assert awaited(bench).hand == "burn"
    assert [(due.hand, due.face_up) for due in bench.found(fact.CardDue)] == [("burn", False)]
    bench.draw("Kd")
    assert [told.cards for told in bench.found(fact.CardsDiscarded)] == [(Card.UNSEEN,)]
    assert not bench.found(fact.RoundWagersClosed)
    round_of(bench, "1")
    round_of(bench, "1")
    bench.say(say.SignOn("D2"))
    assert awaited(bench).hand == "burn"
    bench.draw("2c")
    assert awaited(bench).hand == ""
    round_of(bench, "1")


def test_the_cutting_card_ends_the_shoe_after_the_round() -> None:
    """The round is finished, then the deck is out of play until it is shuffled (6.5(k), 36.4(a), 685a.7(d))."""
    bench = table()
    start(bench, {"1": "9c 8c"}, "9h")
    bench.read("card-shoe", read.ShoeCuttingCardOut())
    act(bench, "stand")
    dealer(bench, "9d")
    assert won(bench) == -1000
    assert bench.table.custody.find("red").place is Place.RACK


def test_a_shoe_holds_decks_of_48() -> None:
    """Six or eight packs without the four tens: 288 or 384 cards; jacks, queens and kings stay.

    Sections 2.2(a)4, 36.2(a), 635c.1(b).
    """
    for decks, size in ((6, 288), (8, 384)):
        deck = table(house(decks=decks)).terms.composition
        assert deck.size == size
        assert {card.rank for card in deck.cards()} == set(Rank) - {Rank.TEN, Rank.JOKER}


def test_a_shuffler_that_counts_another_number_stops_the_table() -> None:
    """A count other than 288 latches until the deck is removed (11.17(i), 36.3(b))."""
    bench = Bench(
        terms("spanish-21", dealing=Dealing.SHOE, house=house(), devices=("card-shoe", "shuffler")), ready=False
    )
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    bench.read("shuffler", read.ShufflerStarted())
    bench.read("shuffler", read.ShufflerFinished(count=312))
    assert "deck:red" in bench.table.alarms


# Match the dealer


@pytest.mark.parametrize(
    ("hand", "up", "paid"),
    [
        ("9h 9h", "9h", 9000),  # two suited
        ("9h 8c", "9h", 4500),  # one suited
        ("9c 8c", "9h", 2000),  # one non-suited
        ("9c 9d", "9h", None),  # two non-suited: no line of this house
        ("Kc 8c", "9h", None),
    ],
)
def test_match_the_dealer_is_settled_on_the_deal(hand: str, up: str, paid: int | None) -> None:
    """The first two cards match the exposed card in rank, and in suit, or lose; before anybody acts.

    Sections 1.10B(b)2, 5324.12(e)1, 635c.1(a).
    """
    bench = table()
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.say(say.PlaceWager("1", MATCH, 500))
    start(bench, {"1": hand}, up)
    assert [(told.wager, told.paid or None) for told in settled(bench)] == [(MATCH, paid)]
    assert awaited(bench).step == "turn"


def test_match_the_dealer_has_no_odds_of_its_own() -> None:
    """A house that offers it without odds is told that none were found."""
    problems = [
        str(problem)
        for problem in Rulebook.parse(rulebook_text("spanish-21")).problems(
            HouseFile("spanish-21", "Test", Standing.HOUSE, offers=(MATCH,))
        )
    ]
    assert len(problems) == 1
    assert "13:69E-1.10B(c)" in problems[0]


# Insurance and the look for a blackjack


def insured(hole: str, hand: str = "Kc 9c", amount: int = 500) -> Bench:
    bench = table()
    start(bench, {"1": hand}, "Ah")
    bench.say(say.Decide("1", "insurance", amount))
    bench.say(say.CloseOffer())
    bench.say(say.ExposeCards(HOLE, cards(hole)))
    return bench


def test_insurance_wins_with_a_blackjack() -> None:
    """Example 19: $5 of insurance wins 2 to 1 while 19 loses $10; a player blackjack wins beside it.

    Sections 1.10B(b)3, 2A.9(b), 36.10(a).
    """
    assert won(insured("Qd")) == 0
    assert won(insured("Qd", "As Kh")) == 2500


def test_insurance_loses_without_one_and_the_hand_goes_on() -> None:
    """The hole card was turned and is no ten: insurance loses, and the player acts (36.10(a))."""
    bench = insured("9d")
    assert outcomes(bench) == [("1", "insurance", "lose")]
    assert awaited(bench).step == "turn"


def test_insurance_is_at_most_half_the_wager() -> None:
    """More than half is refused, half is not; nobody may insure twice."""
    bench = table()
    start(bench, {"1": "Kc 9c"}, "Ah")
    assert refused(bench.say(say.Decide("1", "insurance", 501))).code == "limits"
    bench.say(say.Decide("1", "insurance", 500))
    assert refused(bench.say(say.Decide("1", "insurance", 500))).code == "hand"


def test_insurance_is_offered_against_an_ace_only() -> None:
    """A king is looked under, but nobody may insure (36.10(a))."""
    bench = table()
    start(bench, {"1": "Kc 9c"}, "Kh")
    assert awaited(bench).what == "peek"
    assert refused(bench.say(say.Decide("1", "insurance", 500))).code == "not-awaited"


def test_a_reader_says_whether_there_is_a_blackjack() -> None:
    """A reader answers yes or no and tells no card; a no leaves the hole card unseen while players act.

    Sections 635a.2, 665a.1.
    """
    bench = Bench(terms("spanish-21", dealing=Dealing.SHOE, house=house(), devices=("card-shoe", "reader")))
    start(bench, {"1": "Kc 9c"}, "Kh")
    bench.read("reader", read.ReaderAnswered("peek", "no blackjack"))
    assert bench.found(fact.RoundJudged)[-1].answer == "no blackjack"
    assert awaited(bench).step == "turn"
    assert bench.table.round is not None
    assert bench.table.round.hands[HOLE] == [Card.UNSEEN]


def test_a_dealer_blackjack_that_was_found_ends_the_round() -> None:
    """Nobody acts: everything loses but a player's blackjack."""
    bench = table()
    start(bench, {"1": "Kc 9c", "2": "Ac Qc"}, "Kh")
    bench.say(say.Call("peek", "blackjack"))
    assert awaited(bench).step == "expose"
    bench.say(say.ExposeCards(HOLE, cards("Ad")))
    assert (won(bench, "1"), won(bench, "2")) == (-1000, 1500)


def test_a_blackjack_that_nobody_saw_collects_only_what_was_wagered_first() -> None:
    """The look said no and the hole card says yes: doubles go back, as where nobody looks (2.11(d))."""
    bench = table()
    start(bench, {"1": "6c 5c", "2": "Kc 9c"}, "Kh")
    bench.say(say.Call("peek", "no blackjack"))
    act(bench, "double", "9d", "stand", "stand")
    bench.say(say.ExposeCards(HOLE, cards("Ad")))
    assert outcomes(bench) == [("2", MAIN, "lose"), ("1", "double", "void"), ("1", MAIN, "lose")]


def test_a_blackjack_called_that_is_none_lets_players_act() -> None:
    """The cards decide: a hole card turned by mistake costs nobody the turn."""
    bench = table()
    start(bench, {"1": "Kc 9c"}, "Kh")
    bench.say(say.Call("peek", "blackjack"))
    bench.say(say.ExposeCards(HOLE, cards("8d")))
    assert awaited(bench).step == "turn"


def test_without_a_look_insurance_waits_for_the_hole_card() -> None:
    """Where nobody looks, insurance is settled when the hole card is turned, even if every hand is over 21."""
    bench = table(house(peek=False))
    start(bench, {"1": "Kc 9c"}, "Ah")
    bench.say(say.Decide("1", "insurance", 500))
    bench.say(say.CloseOffer())
    act(bench, "9d")
    assert outcomes(bench) == [("1", MAIN, "lose")]
    bench.say(say.ExposeCards(HOLE, cards("Kd")))
    assert won(bench) == 0


# Turns


def test_a_card_drawn_is_the_decision_to_draw() -> None:
    """Below 21 the player may draw on; at 21 the turn is over and the next hand acts (36.11(a))."""
    bench = table()
    start(bench, {"1": "2c 3c", "2": "Kc 9c"}, "9h")
    act(bench, "4c", "5c")
    assert awaited(bench).hand == "1"
    act(bench, "7c")
    assert awaited(bench).hand == "2"


def test_nobody_acts_out_of_turn() -> None:
    """The hands act clockwise from the dealer's left (2.11(b))."""
    bench = table()
    start(bench, {"1": "2c 3c", "2": "Kc 9c"}, "9h")
    assert refused(bench.say(say.Decide("2", "stand"))).awaited == "hand 1"


def test_a_slip_of_the_finger_is_undone() -> None:
    """A stand, a double or a split is taken back with one touch; not once the shoe was locked, or a card moved."""
    bench = table()
    start(bench, {"1": "8c 8d", "2": "Kc 9c"}, "9h")
    for choice in ("stand", "double", "split", "surrender"):
        act(bench, choice)
        assert isinstance(bench.say(say.Undo())[0], fact.AnnouncementUndone)
        assert (awaited(bench).step, awaited(bench).hand) == ("turn", "1")
    assert bench.table.round is not None
    assert bench.table.round.ledger.staked == 2000
    act(bench, "stand", "stand")
    assert refused(bench.say(say.Undo())).code == "undo"


def test_a_face_that_the_shoe_could_not_read_is_named_later() -> None:
    """The turn goes on, by the dealer's calls if it must; once the face is named, the cards decide again."""
    bench = table()
    start(bench, {"1": "6c 5c", "2": "8d 8c"}, "9h")
    bench.read("card-shoe", read.ShoeCardDrawn())
    assert awaited(bench).prompt.endswith("Which card lies at position 1?")
    bench.say(say.ExposeCards("1", cards("Kd")))
    assert awaited(bench).hand == "2"


def test_a_pair_with_an_unread_card_may_be_split() -> None:
    """The unread card is asked for at the hand where it lies then."""
    bench = table()
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.draw("8c 9h ?? ??")
    act(bench, "split")
    assert bench.table.round is not None
    assert bench.table.round.unread == ["1.2"]
    bench.say(say.ExposeCards("1.2", cards("8d")))
    act(bench, "3c", "stand", "Kd", "stand")
    dealer(bench, "9d")
    assert (won(bench, "1.1"), won(bench, "1.2")) == (-1000, 0)


def test_a_blackjack_does_not_act() -> None:
    """An ace and a ten as the first two cards end the turn, and the dealer draws for nobody else.

    Sections 2B.1, 36.1, 36.11(a).
    """
    bench = table()
    start(bench, {"1": "Ac Kc"}, "9h")
    assert awaited(bench).step == "expose"
    dealer(bench, "2c")
    assert won(bench) == 1500


def test_double_on_any_number_of_cards_for_up_to_the_wager() -> None:
    """A hand of three may be doubled, for less, and gets one card; more than the wager is refused.

    Sections 19.9, 36.8(a), 673a.10(a), 20:18:15:24.
    """
    bench = table()
    start(bench, {"1": "2c 3c"}, "9h")
    act(bench, "4c")
    assert refused(bench.say(say.Decide("1", "double", 1001))).code == "limits"
    bench.say(say.Decide("1", "double", 400))
    act(bench, "Kc")
    assert awaited(bench).answers[:2] == ("stand", "rescue")
    bench.read("card-shoe", read.ShoeCardDrawn(Card("2c")))
    assert bench.table.suspended
    bench.say(say.LiftSuspension("card is burned"))
    act(bench, "stand")
    dealer(bench, "8d")
    assert won(bench) == 1400


def test_a_double_without_an_amount_is_for_the_whole_wager() -> None:
    """One touch doubles."""
    bench = table()
    start(bench, {"1": "6c 5c"}, "9h")
    act(bench, "double")
    assert [told.amount for told in bench.found(fact.WagerPlaced)] == [1000, 1000]


def test_a_doubled_hand_over_21_loses_both_wagers() -> None:
    """There is nothing to rescue."""
    bench = table()
    start(bench, {"1": "Kc 6c"}, "9h")
    act(bench, "double", "Kd")
    assert outcomes(bench) == [("1", MAIN, "lose"), ("1", "double", "lose")]


def test_rescue_takes_back_the_double_and_forfeits_the_wager() -> None:
    """A doubled hand that is not over 21 may be given up for the original wager (19.9)."""
    bench = table()
    start(bench, {"1": "6c 5c"}, "9h")
    act(bench, "double", "2d", "rescue")
    assert outcomes(bench) == [("1", "double", "void"), ("1", MAIN, "lose")]
    assert won(bench) == -1000


def test_without_rescue_nobody_is_asked() -> None:
    """Where the house has no rescue, the double card ends the turn by itself."""
    bench = table(house(rescue=False))
    start(bench, {"1": "6c 5c", "2": "6d 5d"}, "9h")
    act(bench, "double", "2d")
    assert awaited(bench).hand == "2"
    act(bench, "2d", "double", "Kd")
    assert outcomes(bench) == [("2", MAIN, "lose"), ("2", "double", "lose")]


def test_surrender_gives_up_half() -> None:
    """Half of the wager goes back, before any other decision only (2A.9(a))."""
    bench = table()
    start(bench, {"1": "Kc 6c", "2": "Kd 2d"}, "9h")
    act(bench, "surrender", "2c")
    assert "surrender" not in awaited(bench).answers
    assert refused(bench.say(say.Decide("2", "surrender"))).code == "choice"
    act(bench, "stand")
    dealer(bench, "8d")
    (half,) = settled(bench, "1")
    assert (half.outcome, half.returned, half.forfeit) == (Outcome.LOSE, 500, Odds(1, 2))
    assert won(bench, "1") == -500


def test_surrender_against_a_blackjack_loses_all() -> None:
    """Where nobody looked, a surrendered hand waits for the hole card (2A.9(a), (b))."""
    for hole, net in (("Kd", -1000), ("9d", -500)):
        bench = table(house(peek=False))
        start(bench, {"1": "Kc 6c"}, "Ah")
        bench.say(say.CloseOffer())
        act(bench, "surrender")
        bench.say(say.ExposeCards(HOLE, cards(hole)))
        assert won(bench) == net


def test_surrender_is_the_house_s_choice() -> None:
    """Where it is not allowed it is not on offer."""
    bench = table(house(surrender=False))
    start(bench, {"1": "Kc 6c"}, "9h")
    assert refused(bench.say(say.Decide("1", "surrender"))).code == "choice"


# Splits


def test_split_needs_two_cards_of_one_value() -> None:
    """A jack and a queen may be split, a nine and a king not, three cards never (2.11(a), 19.10)."""
    bench = table()
    start(bench, {"1": "9c Kc", "2": "Jc Qd", "3": "4c 4d"}, "9h")
    assert refused(bench.say(say.Decide("1", "split"))).clause == "13:69F-19.10"
    act(bench, "stand", "split", "9c", "stand", "9d", "stand", "2c")
    assert refused(bench.say(say.Decide("3", "split"))).code == "choice"


def test_split_hands_are_played_one_after_the_other() -> None:
    """The second hand gets its card when the first is done; each has a wager equal to the first.

    Sections 2.11(a), 2.11(b), 19.10.
    """
    bench = table()
    start(bench, {"3": "8c 8d"}, "9h")
    act(bench, "split")
    split = bench.found(fact.RoundHandSplit)[0]
    assert (split.hand, split.into) == ("3", ("3.1", "3.2"))
    assert bench.table.round is not None
    assert bench.table.round.hands["3.2"] == [*cards("8d")]
    act(bench, "3c", "Kc")
    assert awaited(bench).hand == "3.2"
    assert bench.table.round.hands["3.2"] == [*cards("8d")]
    act(bench, "Kd", "stand")
    dealer(bench, "9d")
    assert [(told.hand, told.amount, told.paid) for told in settled(bench)] == [("3.2", 1000, 0), ("3.1", 1000, 1000)]


def test_split_up_to_four_hands() -> None:
    """A split hand may be split again until there are four; each is played beside the hand that it came from.

    Sections 2.11(e).
    """
    bench = table()
    start(bench, {"1": "8c 8c"}, "9h")
    act(bench, "split", "8d", "split", "8d", "split", "8h")
    assert refused(bench.say(say.Decide("1.1", "split"))).code == "choice"
    order = []
    for _ in range(4):
        order.append(awaited(bench).hand)
        act(bench, "stand")
        if awaited(bench).step == "deal":
            act(bench, "Kc")
    assert order == ["1.1", "1.4", "1.3", "1.2"]
    dealer(bench, "8d")
    assert {told.hand: told.amount for told in settled(bench)} == dict.fromkeys(("1.1", "1.2", "1.3", "1.4"), 1000)
    view = View("test/pit1/t01", "e")
    for seq, told in enumerate(last_round(bench, Fact)):
        view.fold(told, seq, "")
    assert list(view.position("1").hands) == order
    assert view.position("1").hands["1.4"].cards == [*cards("8d Kc")]


def test_split_to_fewer_hands_where_the_house_says_so() -> None:
    """Two hands at most: the second pair stays."""
    bench = table(house(hands=2))
    start(bench, {"1": "8c 8c"}, "9h")
    act(bench, "split", "8d")
    assert "split" not in awaited(bench).answers


def test_split_aces_may_draw_and_double() -> None:
    """Where the house lets split aces draw, they are played as any hand."""
    bench = table()
    start(bench, {"1": "Ac Ad"}, "9h")
    act(bench, "split", "2c", "3c", "double", "4d", "stand", "9c", "stand")
    dealer(bench, "9d")
    assert won(bench, "1.1") == 2000


def test_split_aces_get_one_card_where_the_house_says_so() -> None:
    """One card each, and the dealer plays."""
    bench = table(house(split_aces="one card"))
    start(bench, {"1": "Ac Ad"}, "9h")
    act(bench, "split", "2c", "3c")
    assert awaited(bench).step == "expose"
    dealer(bench, "8d")
    assert won(bench) == -2000


def test_other_pairs_draw_where_aces_may_not() -> None:
    """The limit is on aces."""
    bench = table(house(split_aces="one card"))
    start(bench, {"1": "9c 9d"}, "9h")
    act(bench, "split", "2c")
    assert awaited(bench).hand == "1.1"


def test_21_on_a_split_hand_is_no_blackjack() -> None:
    """It wins even money, against 21 in more cards too; by the letter, where the house confirms it, 3 to 2.

    Sections 2B.1, 673a.11(b).
    """
    for option, net in (("21", 1000), ("blackjack", 1500)):
        bench = table(house(split_21=option))
        start(bench, {"1": "Ac Ad"}, "9h")
        act(bench, "split", "Kc", "9c", "stand")
        dealer(bench, "5d", "7c")
        assert won(bench, "1.1") == net


def split_against_a_blackjack(option: str) -> Bench:
    bench = table(house(peek=False, split_21=option))
    start(bench, {"1": "Ac Ad"}, "Ah")
    bench.say(say.CloseOffer())
    act(bench, "split", "Kc", "9c", "stand")
    bench.say(say.ExposeCards(HOLE, cards("Kd")))
    return bench


def test_21_on_a_split_hand_against_a_blackjack_is_the_supervisor_s() -> None:
    """The round waits; a void hand gets its wager back, otherwise it loses."""
    bench = split_against_a_blackjack("21")
    assert awaited(bench).who == "supervisor"
    bench.say(say.VoidHand("1.1", "the letter"))
    bench.say(say.LiftSuspension("ruled"))
    assert outcomes(bench) == [("1.2", MAIN, "void"), ("1.1", MAIN, "void")]
    bench = split_against_a_blackjack("21")
    bench.say(say.LiftSuspension("ruled"))
    assert outcomes(bench) == [("1.2", MAIN, "void"), ("1.1", MAIN, "lose")]
    assert won(split_against_a_blackjack("blackjack"), "1.1") == 1500


def test_a_dealer_blackjack_collects_only_what_was_wagered_first() -> None:
    """After splits and doubles the added wagers go back, and the first wager is lost (2.11(d), 20:18:15:24)."""
    bench = table(house(peek=False))
    start(bench, {"1": "8c 8d", "2": "6c 5c"}, "Kh")
    act(bench, "split", "3c", "double", "9c", "stand", "9d", "stand", "double", "9c", "stand")
    bench.say(say.ExposeCards(HOLE, cards("Ad")))
    assert (won(bench, "1.1"), won(bench, "1.2"), won(bench, "2")) == (-1000, 0, -1000)
    assert {told.outcome.value for told in settled(bench, wager="double")} == {"void"}


def test_busts_after_the_round_where_the_house_says_so() -> None:
    """By the letter of 19.5(e) nothing is collected before the round is complete."""
    bench = table(house(busts="after the round"))
    start(bench, {"1": "Kh 3c", "2": "Kc 9c"}, "9h")
    act(bench, "9d", "stand")
    assert not settled(bench)
    dealer(bench, "8c")
    assert outcomes(bench) == [("2", MAIN, "win"), ("1", MAIN, "lose")]


# The dealer


def test_the_dealer_draws_to_16_and_stands_on_17() -> None:
    """The shoe is unlocked for the dealer at 16 and locked at 17 (1.10B(b)3)."""
    bench = table()
    start(bench, {"1": "Kc 9c"}, "9h")
    act(bench, "stand")
    dealer(bench, "2d")
    assert (awaited(bench).step, awaited(bench).hand) == ("turn", "dealer")
    bench.draw("5c")
    assert awaited(bench).hand == "dealer"
    bench.draw("Ac")
    assert bench.all(fact.RoundJudged)[-2].answer == "17"


def test_the_dealer_does_nothing_for_hands_that_are_decided() -> None:
    """When every hand is over 21 the round ends with the hole card unseen."""
    bench = table()
    start(bench, {"1": "Kc 9c"}, "9h")
    act(bench, "9d")
    assert awaited(bench).step == "wagers"
    assert last_round(bench, fact.CardsDiscarded)[-1] == fact.CardsDiscarded(HOLE, (Card.UNSEEN,), "13:69E-1.10B(e)")


def test_settlement_goes_from_the_dealer_s_right() -> None:
    """Hands are settled and picked up against the deal, each whole, the dealer's last (6.5(j), 19.7(h))."""
    bench = table()
    start(bench, {"1": "Kc 9c", "3": "Kd 8d", "6": "Kh 7h"}, "9h")
    act(bench, "stand", "stand", "stand")
    dealer(bench, "9d")
    assert [told.hand for told in settled(bench)] == ["6", "3", "1"]
    assert [told.hand for told in last_round(bench, fact.CardsDiscarded)] == ["6", "3", "1", "dealer", HOLE]


# Who may wager where


def test_up_to_three_people_share_a_box() -> None:
    """A fourth is refused with the section; the three act as one hand, each with a wager of their own (36.12(a))."""
    bench = table()
    for owner, amount in (("ann", 1000), ("bob", 500), ("cy", 2000)):
        bench.say(say.PlaceWager("1", MAIN, amount, owner))
    assert "13:69F-36.12(a)" in refused(bench.say(say.PlaceWager("1", MAIN, 500, "di"))).clause
    start(bench, {"1": "6c 5c"}, "9h")
    assert refused(bench.say(say.Decide("1", "double", 500))).code == "amount"
    act(bench, "double", "Kc")
    dealer(bench, "9d")
    assert [(told.owner, told.wager, told.paid) for told in settled(bench)] == [
        (owner, wager, paid)
        for wager in (MAIN, "double")
        for owner, paid in (("ann", 1000), ("bob", 500), ("cy", 2000))
    ]


def test_one_player_has_one_box_unless_the_house_allows_more() -> None:
    """A named player's second box is refused with the section, or counts where the licensee allows it (36.13)."""
    for allowed in (False, True):
        bench = table(house(several_boxes=allowed))
        bench.say(say.PlaceWager("1", MAIN, 1000, "ann"))
        told = bench.say(say.PlaceWager("4", MAIN, 1000, "ann"))
        assert isinstance(told[-1], fact.AnnouncementRefused) is not allowed


def test_wagers_are_repeated_as_they_were_placed() -> None:
    """One touch after a round with splits and doubles places the first wagers again, and nothing else."""
    bench = table()
    start(bench, {"1": "8c 8d"}, "9h")
    act(bench, "split", "3c", "double", "9c", "stand", "9d", "stand")
    dealer(bench, "9d")
    bench.say(say.RepeatWagers())
    assert [(told.hand, told.wager, told.amount) for told in bench.found(fact.WagerPlaced)] == [("1", MAIN, 1000)]


def test_wagers_of_a_split_hand_are_repeated_with_those_beside_it() -> None:
    """However often a hand was split and doubled, its first wager comes back first, then what rests on it."""
    bench = table()
    for hand, wager, owner, amount in (
        ("1", MAIN, "ann", 1000),
        ("1", MATCH, "ann", 500),
        ("1", MAIN, "bob", 2000),
        ("4", MAIN, "cy", 1000),
    ):
        bench.say(say.PlaceWager(hand, wager, amount, owner))
    placed = bench.found(fact.WagerPlaced)
    start(bench, {"1": "8c 8d", "4": "Kc 9c"}, "9h")
    act(bench, "split", "8h", "split", "3c", "double", "9c", "stand", "9d", "stand", "Kd", "stand", "stand")
    dealer(bench, "9d")
    bench.say(say.RepeatWagers())
    assert sorted(bench.found(fact.WagerPlaced), key=repr) == sorted(placed, key=repr)


def test_wagers_that_cannot_all_be_repeated_are_not_repeated_in_part() -> None:
    """Limits that were raised meanwhile refuse the whole, and nothing lies on the layout."""
    bench = table()
    start(bench, {"1": "Kc 9c", "2": "Kd 8c"}, "9h")
    act(bench, "stand", "stand")
    bench.others["dearer"] = replace(bench.terms, limits={MAIN: Limits(1500, 5000)})
    bench.say(say.Configure("dearer", "", "", "test"))
    bench.say(say.LiftSuspension("at the end of the round"))
    dealer(bench, "9d")
    assert refused(bench.say(say.RepeatWagers())).code == "limits"
    assert not bench.found(fact.WagerPlaced)


def test_19_5_c_cash_that_was_spoken_is_repeated_in_chips() -> None:
    """The cash was promptly converted, so that repeating it needs no supervisor."""
    bench = table()
    bench.accept(
        Input(say.PlaceWager("1", MAIN, 1000, "", say.WagerForm.CASH_BY_VOICE), 0, say.Role.SUPERVISOR, by="S")
    )
    start(bench, {"1": "Kc 9c"}, "9h")
    act(bench, "stand")
    dealer(bench, "9d")
    bench.say(say.RepeatWagers())
    assert [told.form for told in bench.found(fact.WagerPlaced)] == [say.WagerForm.CHIPS]


def test_36_12_a_the_consent_of_the_first_is_recorded() -> None:
    """Whoever joins a box does so, by the dealer's word, with the consent of whoever wagered there first."""
    bench = table()
    bench.say(say.PlaceWager("1", MAIN, 1000, "ann"))
    bench.say(say.PlaceWager("1", MAIN, 500, "ann"))
    bench.say(say.PlaceWager("1", MATCH, 500, "ann"))
    assert not bench.found(fact.WagerShared)
    for owner in ("bob", "cy"):
        told = bench.say(say.PlaceWager("1", MAIN, 1000, owner))
        assert told[1] == fact.WagerShared("1", owner, "ann", "13:69F-36.12(a), 36.13")
    bench.say(say.PlaceWager("2", MAIN, 1000))
    assert len(bench.found(fact.WagerShared)) == 2


@pytest.mark.parametrize(
    ("text", "points", "soft"),
    [
        ("Ac 6d", 17, True),
        ("Ac 6d Kd", 17, False),
        ("Ac Ad", 12, True),
        ("Ac Ad 9c", 21, True),
        ("Kc Qd Ac", 21, False),
    ],
)
def test_2_2_b_an_ace_counts_eleven_unless_that_is_over_21(text: str, points: int, soft: bool) -> None:  # noqa: FBT001 - a table of cases
    """Two to nine count themselves, jack, queen and king ten; hard and soft are told apart (2B.1)."""
    assert judge.total(cards(text)) == (points, soft)


# Irregularities


def test_one_card_face_up_is_not_used_and_a_second_voids_the_round() -> None:
    """36.14(a): the card goes to the discard rack; a second one voids the round, and the cards are shuffled."""
    bench = table()
    start(bench, {"1": "Kc 9c"}, "9h")
    bench.say(say.ReportFaceUp())
    assert awaited(bench).hand == HOLE
    bench.read("card-shoe", read.ShoeCardDrawn())
    assert awaited(bench).step == "turn"
    bench.say(say.ReportFaceUp())
    assert outcomes(bench) == [("1", MAIN, "void")]
    assert bench.table.custody.find("red").place is Place.RACK


def test_a_ten_stops_the_round_until_a_supervisor_decides() -> None:
    """A ten in the shoe goes to no hand; when play goes on the next card is used."""
    bench = table()
    start(bench, {"1": "6c 5c"}, "9h")
    act(bench, "Tc")
    assert awaited(bench).who == "supervisor"
    assert bench.found(fact.IrregularityFound)[-1].clause == "13:69F-36.14(b)"
    assert bench.table.round is not None
    assert bench.table.round.hands["1"] == [*cards("6c 5c")]
    bench.say(say.LiftSuspension("the ten is out"))
    act(bench, "Kd")
    assert awaited(bench).step == "expose"


def test_a_ten_may_void_the_round() -> None:
    """Everything goes back where the supervisor rules so; the dealer may report it, too."""
    bench = table()
    start(bench, {"1": "6c 5c"}, "9h")
    bench.say(say.ReportIrregularity("foreign card"))
    assert bench.table.suspended
    bench.say(say.VoidRound("a ten in the shoe"))
    assert outcomes(bench) == [("1", MAIN, "void")]


def test_a_manual_shoe_names_no_ten() -> None:
    """A dealer who confirms a ten is told that this deck holds none (36.3(b))."""
    bench = table(devices=("reader",))
    bench.say(say.PlaceWager("1", MAIN, 1000))
    assert refused(bench.say(say.ConfirmDealt(cards("Tc")))).code == "cards"


@pytest.mark.parametrize(
    "what", ["card drawn in error", "dealer drew by accident", "hand without its cards", "shoe empty"]
)
def test_what_the_text_does_not_say_waits_for_a_supervisor(what: str) -> None:
    """Each irregularity that is known from elsewhere only holds the round with its section."""
    bench = table()
    start(bench, {"1": "6c 5c"}, "9h")
    bench.say(say.ReportIrregularity(what))
    assert bench.found(fact.IrregularityFound)[-1].clause == "S.D. Admin. R. 20:18:15:28"
    assert awaited(bench).who == "supervisor"


def test_20_18_15_28_a_card_that_the_dealer_drew_by_accident_is_burned() -> None:
    """20:18:15:28: a dealer who should stand draws a card that no device sees as one too many; it is taken back."""
    bench = called()
    bench.say(say.PlaceWager("1", MAIN))
    for _ in range(4):
        bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.Call("up card", "other"))
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


def test_a_hand_that_is_void_has_no_turn() -> None:
    """A supervisor's void hand gets its wager back, and the next hand acts."""
    bench = table()
    start(bench, {"1": "6c 5c", "2": "Kc 9c"}, "9h")
    bench.say(say.VoidHand("1", "dealt from the wrong side"))
    assert awaited(bench).hand == "2"
    act(bench, "stand")
    dealer(bench, "8d")
    assert outcomes(bench) == [("1", MAIN, "void"), ("2", MAIN, "win")]


def test_a_call_against_the_cards_is_refused() -> None:
    """What everybody sees is not called otherwise."""
    bench = table()
    start(bench, {"1": "6c 5c"}, "9h")
    assert refused(bench.say(say.Call("hand", "bust", "1"))).text == "the cards do not show bust"


# What the table sees


def test_a_manual_shoe_is_played_by_confirmation() -> None:
    """Where no device deals, the dealer confirms each card with its face, the hole card without."""
    bench = table(devices=("reader",))
    bench.say(say.PlaceWager("1", MAIN, 1000))
    for text in ("6c", "9h", "5c", ""):
        bench.say(say.ConfirmDealt(cards(text)))
    assert awaited(bench).step == "turn"
    bench.say(say.ConfirmDealt(cards("Kc")))
    bench.say(say.ExposeCards(HOLE, cards("9d")))
    assert won(bench) == 1000


def test_called_cards_and_wagers_in_presence() -> None:
    """The dealer calls ends and results by exception; facts tell the odds, and that chips are paid."""
    bench = called()
    for hand in ("1", "2", "3"):
        bench.say(say.PlaceWager(hand, MAIN))
    for _ in range(8):
        bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.Call("up card", "other"))
    bench.say(say.Call("hand", "blackjack", "1"))
    bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.Call("hand", "bust", "2"))
    act(bench, "double")
    bench.read("card-shoe", read.ShoeCardDrawn())
    act(bench, "stand")
    bench.read("card-shoe", read.ShoeCardDrawn())
    bench.say(say.Call("dealer", "20", "dealer"))
    bench.say(say.CallOthers("result", "6-7-8 of spades"))
    assert [(told.hand, told.wager, told.odds, told.by_chips) for told in settled(bench)] == [
        ("2", MAIN, None, True),
        ("3", MAIN, Odds(1, 1), True),
        ("3", "double", Odds(1, 1), True),
        ("1", MAIN, Odds(3, 2), True),
    ]
    dues = bench.all(fact.CardDue)
    assert not any(due.face_up for due in dues)


def test_the_up_card_alone_may_be_seen() -> None:
    """The dealer's cards exposed and the players' called: the up card is not asked for, results are."""
    bench = Bench(
        replace(
            terms("spanish-21", dealing=Dealing.SHOE, house=house()),
            cards={"dealer": Sight.EXPOSED, "community": Sight.CALLED, "players": Sight.CALLED},
        )
    )
    bench.say(say.PlaceWager("1", MAIN, 1000))
    bench.draw("?? 9h ?? ??")
    act(bench, "stand")
    dealer(bench, "9d")
    assert awaited(bench).what == "result"
    bench.say(say.Call("result", "win", "1"))
    assert won(bench) == 1000


@pytest.mark.parametrize(("wagers", "amount"), [(Wagers.PRESENCE, None), (Wagers.AMOUNTS, 1000)])
def test_touches_of_an_ordinary_round(wagers: Wagers, amount: int | None) -> None:
    """A reading shoe: one touch for each hand that stands and one for the hole card; a draw is none."""
    bench = table(wagers=wagers)
    for hand in "123456":
        bench.say(say.PlaceWager(hand, MAIN, amount))
    before = len([said for said in bench.inputs if said.source == "dealer"])
    start(bench, dict.fromkeys("123456", "Kc 2c"), "9h")
    for _ in range(3):
        act(bench, "9c")
    for _ in range(3):
        act(bench, "5c", "stand")
    dealer(bench, "9d")
    touches = len([said for said in bench.inputs if said.source == "dealer"]) - before
    assert touches == 3 + 1
    assert len(settled(bench)) == 6


def test_a_round_replays_without_difference() -> None:
    """The same inputs give the same facts, splits, rulings and fixed payments included."""
    bench = sevens({"1": 2500, "2": 1000, "3": 500}, bench=table(house(**{"mid-shoe entry": "barred"})))
    dealer(bench, "Kh")
    bench.say(say.LiftSuspension("looked at the cards"))
    start(bench, {"1": "8c 8d"}, "9h")
    act(bench, "split", "3c", "double", "9c", "rescue", "9d", "stand")
    dealer(bench, "9d")
    again = Table(bench.build)
    assert [again.accept(said) for said in bench.inputs] == bench.answers


def test_live_play_needs_every_inferred_rule_confirmed() -> None:
    """The rulebook says of itself what was read and what was not: 19.5(f) and (g) are certain, the rescue is not."""
    rules = Rulebook.parse(rulebook_text("spanish-21"))
    uncertain = " ".join(rules.uncertain())
    assert "rescue (58 Pa. Code 635a.10)" in uncertain
    assert "(13:69F-19.5(f)" not in uncertain
    assert "(13:69F-19.5(g)" not in uncertain
    for name, odds in zip_longest(("6-7-8 of spades", "five cards totaling 21"), (Odds(3, 1), Odds(3, 2))):
        assert rules[name].odds == odds
