"""Mississippi stud, N.J.A.C. 13:69F-35: each numbered statement, and the worked examples of its digest."""

from typing import Any

import pytest
from msgspec.structs import replace

from tablectl.cards import UNSEEN, cards
from tablectl.config import build_terms
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.announcements import Configure
from tablectl.games import rulebook_text
from tablectl.games.mississippi_stud import STREETS
from tablectl.hands.mississippi_stud import five_card_hand, three_card_hand
from tablectl.rulebook import Outcome
from tablectl.terms import Dealing, Sight, Wagers
from tests.poker import (
    awaited,
    close,
    confirm,
    house,
    last_round,
    net,
    refusal,
    run_shoe,
    settled,
    show,
    touches,
    wager,
)
from tests.tables import Bench, terms

BONUS = house("mississippi-stud", offers=("three-card bonus",))


def table(**changes: Any) -> Bench:
    return Bench(terms("mississippi-stud", **changes))


def deal(bench: Bench, ante: int = 1000, hands: str = "1") -> Bench:
    """Place an ante on each hand and deal; the first street is awaited."""
    for hand in hands:
        wager(bench, hand, ante=ante)
    close(bench)
    confirm(bench)
    return bench


def fold_rounds(bench: Bench, rounds: int) -> None:
    """Play so many rounds in which everybody folds."""
    for _ in range(rounds):
        deal(bench)
        bench.say(say.Decide("1", "fold"))
        bench.say(say.ConfirmShuffle("red"))
        bench.load()


def bet(bench: Bench, times: str, community: str, ante: int = 1000) -> None:
    """Bet so many times the ante on position 1 on each street, and reveal its card."""
    for street, multiple, card in zip(STREETS, times.split("/"), cards(community), strict=True):
        bench.say(say.PlaceWager("1", street, ante * int(multiple)))
        show(bench, street, card)


def play(hand: str, community: str, times: str, ante: int, bench: Bench | None = None) -> Bench:
    """Play one round for position 1."""
    bench = deal(bench or table(), ante)
    bet(bench, times, community, ante)
    show(bench, "1", hand)
    return bench


@pytest.mark.parametrize(
    ("hand", "community", "ante", "times", "won"),
    [
        ("Jc 4d", "Js 8h 2c", 1000, "3/3/3", 10000),  # 1
        ("6c Kd", "6h 9s 3d", 1000, "1/3/3", 0),  # 2
        ("5c 5d", "Kh 9s 2c", 1000, "1/1/1", -4000),  # 3
        ("Th Tc", "2d 7s Kc", 1000, "3/3/3", 0),  # 4
        ("Ad 2c", "3s 4h 5d", 1000, "1/1/3", 24000),  # 5
        ("9c 9d", "9h 4s 4d", 1000, "3/3/3", 100000),  # 6
        ("Qc 3d", "7h 3s Qd", 500, "2/2/2", 7000),  # 7
        ("Kc Ad", "2h 3s 4c", 1000, "1/1/1", -4000),  # 8
        ("8d 2d", "Jd 5d Ad", 1000, "1/2/3", 42000),  # 9
        ("7c 8c", "9c Tc Jc", 500, "1/3/3", 400000),  # 10
    ],
)
def test_worked_examples_1_to_10(hand: str, community: str, ante: int, times: str, won: int) -> None:
    """The digest's rounds pay what the digest says, ante and three bets together (35.11(b), 655a.12(a))."""
    assert won == net(play(hand, community, times, ante), "1")


def capped(cap: str, minimum: str, times: int | None = None, dealing: str = "shoe") -> Configure:
    """Return a table file and a house file with a limit on payouts, as a configuration."""
    file = "\n".join(
        (
            'version = 1\nmode = "rehearsal"\n[table]\nsite = "s"\npit = "p"\nid = "t"\npositions = 6',
            f'[game]\nname = "mississippi-stud"\ndealing = "{dealing}"\nwagers = "amounts"\ncards = "exposed"',
            f'house = "house.toml"\n[limits.ante]\nminimum = "{minimum}"\nmaximum = "1000.00"',
        )
    )
    own = f'game = "mississippi-stud"\nname = "h"\nstanding = "house"\n[caps]\nhand = "{cap}"\n'
    option = f'[options]\n"minimum wagers" = {times}\n' if times else ""
    return Configure(file, rulebook_text("mississippi-stud"), own + option, "1")


@pytest.mark.parametrize(
    ("cap", "minimum", "ante", "times", "paid"),
    [("50000.00", "10.00", 2500, "3/3/3", 5_000_000), ("100000.00", "50.00", 5000, "1/1/1", 10_000_000)],
)
def test_worked_examples_11_and_12(cap: str, minimum: str, ante: int, times: str, paid: int) -> None:
    """The limit holds for ante and bets of a hand together, and returns every stake (35.11) (655a.12(b), 29.11(e))."""
    bench = Bench(build_terms(capped(cap, minimum)))
    wager(bench, "1", ante=ante)
    bench.say(say.NoMoreBets())
    while awaited(bench).step == "deal":
        bench.say(say.ConfirmDealt())
    bet(bench, times, "Qh Jh Th", ante)
    show(bench, "1", "Ah Kh")
    assert not settled(bench)
    bench.say(say.LiftSuspension("a royal flush, seen"))

    assert paid == net(bench, "1")


@pytest.mark.parametrize(
    ("cap", "minimum", "times", "least"),
    [
        ("49999.00", "10.00", None, "50,000.00"),
        ("99999.00", "50.00", None, "100,000.00"),
        ("100000.00", "50.00", 10, "250,000.00"),
    ],
)
def test_35_11_a_limit_is_the_greater_of_two(cap: str, minimum: str, times: int | None, least: str) -> None:
    """No limit stands below $50,000, or below what could be won at the minimum by either reading of it."""
    with pytest.raises(ConfigError, match=f"35.11 allows no less than {least}"):
        build_terms(capped(cap, minimum, times))


def test_35_8_b_hand_dealing_needs_a_shuffler() -> None:
    """A table file that deals by hand without a machine that shuffles is refused (663a.9(a)1, 680a.9(a)1)."""
    with pytest.raises(ConfigError, match="hand needs a device of kind shuffler; there is none"):
        build_terms(capped("50000.00", "10.00", dealing="hand"))


def test_worked_example_13() -> None:
    """A pair of jacks in the community cards pays everybody the same."""
    bench = deal(table(), hands="12")
    for street, card in zip(STREETS, ("Jc", "Js", "2c"), strict=True):
        wager(bench, "1", **{street: 1000})
        wager(bench, "2", **{street: 1000})
        show(bench, street, card)
    show(bench, "2", "7h 3s")
    show(bench, "1", "4d 8h")

    assert [net(bench, hand) for hand in "12"] == [4000, 4000]


def test_worked_example_14_a_fold_loses_what_lies_there() -> None:
    """Whoever folds on 5th street loses ante, 3rd and 4th street; the fifth card does not matter."""
    bench = deal(table())
    for street, times, card in (("3rd street", 1000, "Jc"), ("4th street", 2000, "Js")):
        bench.say(say.PlaceWager("1", street, times))
        show(bench, street, card)
    bench.say(say.Decide("1", "fold"))

    assert net(bench, "1") == -4000
    assert last_round(bench, fact.RoundEnded)[0].result == "settled"
    assert not bench.found(fact.RoundJudged)


@pytest.mark.parametrize(("amount", "taken"), [(2500, False), (3000, True), (500, False), (4000, False)])
def test_worked_example_15_only_whole_multiples(amount: int, taken: bool) -> None:  # noqa: FBT001 - a table of cases
    """On an ante of 10 a bet of 30 counts; 25, 5 and 40 are refused with the section."""
    bench = deal(table())
    facts = bench.say(say.Decide("1", "bet", amount))

    assert taken == any(isinstance(told, fact.WagerPlaced) for told in facts)
    if not taken:
        assert refusal(facts).clause == "13:69F-35.10(a), 35.1"


def test_worked_example_16_and_equipment_7_the_stub() -> None:
    """With five players 39 cards must be left, with four 41; the fifth round of a deck is counted (35.9(e))."""
    bench = table()
    fold_rounds(bench, 4)
    for hand in "12345":
        wager(bench, hand, ante=1000)
    close(bench)
    confirm(bench)

    assert awaited(bench).step == "count"
    assert "39" not in awaited(bench).prompt
    bench.say(say.CountStub(39))
    assert (bench.found(fact.CardsStubCounted)[0].count, bench.found(fact.CardsStubCounted)[0].expected) == (39, 39)
    assert awaited(bench).step == "offer"


def test_worked_example_17_the_bonus_outlives_a_fold() -> None:
    """With a three-card bonus the community cards are revealed although everybody folded, and it pays 1 to 1.

    Sections 655a.6(c), 655a.7(d)4.
    """
    bench = table(house=BONUS)
    wager(bench, "1", ante=1000, three_card_bonus=500)
    close(bench)
    confirm(bench)
    bench.say(say.Decide("1", "fold"))
    for street, card in zip(STREETS, cards("Kc Kd 4s"), strict=True):
        show(bench, street, card)

    assert (net(bench, "1", ("ante",)), net(bench, "1", ("three-card bonus",))) == (-1000, 500)


def test_worked_example_18_a_card_exposed_before_no_more_bets() -> None:
    """A community card turned over before “No more bets” voids all hands (35.12(a))."""
    bench = table()
    wager(bench, "1", ante=1000)
    bench.say(say.ReportIrregularity("community card exposed"))

    assert bench.found(fact.RoundVoided)[0].clause == "13:69F-35.12(a)"
    assert Outcome.VOID is settled(bench)["1", "ante"].outcome


# Statements


def test_35_9_b_no_stack_before_no_more_bets() -> None:
    """The first stack is due with the announcement, not before (35.9(b)2)."""
    bench = table()
    wager(bench, "1", ante=1000)
    assert not bench.found(fact.StackDue)
    bench.say(say.NoMoreBets())
    assert tuple(getattr(bench.found(fact.StackDue)[0], name) for name in ("stack", "size", "left", "hand")) == (
        1,
        2,
        52,
        "1",
    )


def test_35_9_c_stacks_of_two_clockwise_to_those_who_wagered() -> None:
    """Each player with a wager gets two cards face down, from the dealer's left; nobody else gets any (35.9(a))."""
    bench = table()
    for hand in ("5", "2", "3"):
        wager(bench, hand, ante=1000)
    close(bench)

    assert [(told.hand, told.cards) for told in bench.found(fact.CardsDealt)] == [
        ("2", (UNSEEN,) * 2),
        ("3", (UNSEEN,) * 2),
        ("5", (UNSEEN,) * 2),
    ]


def test_35_9_d_community_cards_come_out_of_the_hand_face_down() -> None:
    """The rest of the deck leaves the shoe after the last stack; three cards are dealt from it by hand, unseen."""
    bench = table()
    wager(bench, "1", ante=1000)
    close(bench)
    assert bench.found(fact.StubDue)[0].left == 50
    assert (awaited(bench).verb, awaited(bench).hands) == ("confirm-dealt", STREETS)
    refused = bench.say(say.ConfirmDealt(cards("As Kd 2c")))
    assert refusal(refused).clause == "13:69F-35.9(d)"
    confirm(bench)

    assert [(street, (UNSEEN,)) for street in STREETS] == [
        (told.hand, told.cards) for told in bench.found(fact.CardsDealt)[1:]
    ]


def test_35_1_three_decisions_each_before_its_card() -> None:
    """Bet or fold comes three times, each before the card of its street, and nobody may check."""
    bench = deal(table())
    for street, card in zip(STREETS, ("Jc", "8h", "2c"), strict=True):
        assert ("offer", street, ("bet", "fold")) == (awaited(bench).step, awaited(bench).what, awaited(bench).answers)
        assert refusal(show(bench, street, card)).code == "not-awaited"
        assert refusal(bench.say(say.CloseOffer())).code == "not-awaited"
        bench.say(say.Decide("1", "bet", 2000))
        show(bench, street, card)


def test_35_10_the_first_decision_waits_for_everybody() -> None:
    """No community card is revealed while one player has not decided; then all folded hands are collected.

    Sections 27.10(b), (c), 35.10(a).
    """
    bench = deal(table(), hands="123")
    bench.say(say.Decide("2", "fold"))
    bench.say(say.Decide("1", "bet", 1000))
    assert awaited(bench).hands == ("3",)
    assert not settled(bench)
    bench.say(say.Decide("3", "bet", 1000))

    assert {("2", "ante")} == settled(bench).keys()
    assert [told.hand for told in bench.found(fact.CardsDiscarded)] == ["2"]
    assert (awaited(bench).step, awaited(bench).hand) == ("expose", "3rd street")


def test_35_10_settled_from_the_dealers_right() -> None:
    """Hands are revealed and settled counterclockwise, each with all of its wagers (27.10(d))."""
    bench = deal(table(sight=Sight.CALLED), hands="135")
    for street in STREETS:
        for hand in "135":
            bench.say(say.PlaceWager(hand, street, 1000))
    bench.say(say.Call("hand", "flush", "3"))
    bench.say(say.CallOthers("hand", "nothing"))

    assert [(hand, name) for hand in "531" for name in ("ante", *STREETS)] == list(settled(bench))
    assert [net(bench, hand) for hand in "135"] == [-4000, 24000, -4000]


def test_35_11_fixed_odds_are_refused() -> None:
    """A house file cannot change the odds of the main wagers."""
    with pytest.raises(ConfigError, match=r"35\.11 fixes these odds"):
        table(house=house("mississippi-stud", tables={"hand": {"flush": "7 to 1"}}))


def test_35_6_one_position_for_a_player() -> None:
    """A named player who has a wager gets no second position, and no two players share one."""
    bench = table()
    bench.say(say.PlaceWager("1", "ante", 1000, "ann"))
    second = bench.say(say.PlaceWager("3", "ante", 1000, "ann"))
    shared = bench.say(say.PlaceWager("1", "ante", 1000, "bob"))
    bench.say(say.PlaceWager("3", "ante", 1000, "bob"))

    assert (refusal(second).code, refusal(second).clause) == ("position", "13:69F-35.6")
    assert (refusal(shared).code, refusal(shared).clause) == ("owner", "13:69F-35.6")
    assert [told.owner for told in bench.found(fact.WagerPlaced)] == ["ann", "bob"]


def test_the_bonus_is_off_unless_the_house_offers_it() -> None:
    """Subchapter 35 knows no three-card bonus: without a house file it cannot be placed."""
    bench = table()
    wager(bench, "1", ante=1000)

    assert refusal(bench.say(say.PlaceWager("1", "three-card bonus", 500))).code == "wager"


@pytest.mark.parametrize(("card", "size", "cites"), [(38, {"1": 3}, "35.12"), (38, {}, "13:69E-1.18")])
def test_35_12_a_wrong_stub(card: int, size: dict[str, int], cites: str) -> None:
    """A wrong stub voids all hands; the deck is removed only where no hand is wrong (11.17(h)2, 35.9(e))."""
    bench = table()
    fold_rounds(bench, 4)
    deal(bench, hands="12345")
    for _ in range(2):
        bench.say(say.CountStub(card, size))

    assert cites in bench.found(fact.RoundVoided)[0].clause
    assert bool(size) != bool(bench.found(fact.DeckRemoved))
    assert {Outcome.VOID} == {told.outcome for told in settled(bench).values()}


def test_35_12_b_a_face_up_card_is_not_used_and_a_second_voids() -> None:
    """One card found face up goes to the rack and leaves its hand to a supervisor; the second ends the round."""
    bench = table()
    wager(bench, "1", ante=1000)
    wager(bench, "2", ante=1000)
    bench.say(say.NoMoreBets())
    (due,) = bench.all(fact.StackDue)
    bench.read("stack-shoe", read.ShoeStackDispensed(due.command, 1, 2, 50))
    bench.say(say.ReportFaceUp())
    assert bench.found(fact.CardsTakenAway)[0].hand == "1"
    assert not bench.found(fact.RoundVoided)
    assert "35.12(b)" in bench.found(fact.IrregularityFound)[0].clause
    bench.say(say.LiftSuspension("the hand plays with what it has"))
    bench.read("stack-shoe", read.ShoeStackTaken(1))
    run_shoe(bench)
    bench.say(say.ReportFaceUp())
    assert "35.12(b)" in bench.found(fact.RoundVoided)[0].clause


@pytest.mark.parametrize("what", ["misdeal", "community card exposed out of turn"])
def test_35_12_reported_irregularities_void_all_hands(what: str) -> None:
    """A wrong number of cards, and a community card exposed before its turn, void all hands."""
    bench = deal(table(), hands="12")
    bench.say(say.ReportIrregularity(what, "2"))

    assert bench.found(fact.RoundVoided)[0].clause == "13:69F-35.12"
    assert {Outcome.VOID} == {told.outcome for told in settled(bench).values()}


def test_an_irregularity_that_the_rules_do_not_know_is_refused() -> None:
    """What may be reported is told, and nothing else happens."""
    refused = refusal(deal(table()).say(say.ReportIrregularity("rain")))

    assert "misdeal" in refused.awaited


def test_choices_may_be_entered_late() -> None:
    """When the card of the street lies open before the screen has every choice, play goes on and the record says so."""
    bench = deal(table(devices=("stack-shoe", "reader")), hands="12")
    bench.say(say.Decide("1", "bet", 1000))
    bench.read("reader", read.ReaderCardSeen("3rd street", cards("As")[0]))
    assert (awaited(bench).step, awaited(bench).hands) == ("offer", ("2",))
    assert "position 2" in bench.found(fact.IrregularityFound)[0].text
    bench.say(say.Decide("2", "fold"))

    assert (awaited(bench).what, awaited(bench).hands) == ("4th street", ("1",))


def test_nothing_is_asked_of_a_voided_hand() -> None:
    """A hand that was voided after its last bet is neither called nor settled again."""
    bench = deal(table(sight=Sight.CALLED), hands="12")
    for street in STREETS:
        for hand in "12":
            bench.say(say.PlaceWager(hand, street, 1000))
    bench.say(say.VoidHand("2", "shown to another player"))
    bench.say(say.Call("hand", "flush", "1"))

    assert [told.hand for told in last_round(bench, fact.RoundJudged)] == ["1"]
    assert [net(bench, hand) for hand in "12"] == [24000, 0]


def test_a_reader_that_sees_a_community_card_early_holds_the_round() -> None:
    """Whether a card was exposed is a supervisor's ruling, not a sensor's."""
    bench = deal(table(devices=("stack-shoe", "reader")))
    bench.read("reader", read.ReaderCardSeen("4th street", cards("As")[0]))

    assert bench.table.suspended
    assert not bench.found(fact.RoundVoided)


@pytest.mark.parametrize("dealing", [Dealing.SHOE, Dealing.HAND])
def test_35_7_and_35_8_manual_shoe_and_hand(dealing: Dealing) -> None:
    """From a manual shoe cards go round the table one at a time; by hand the dealer confirms; both play like stacks.

    Sections 35.7(a), 35.8(a).
    """
    bench = table(dealing=dealing, devices=("shuffler",))
    for hand in "14":
        wager(bench, hand, ante=1000)
    bench.say(say.NoMoreBets())
    dealt = 0
    while awaited(bench).step == "deal":
        bench.say(say.ConfirmDealt())
        dealt += 1
    order = [told.hand for told in bench.found(fact.CardsDealt)]
    for street, card in zip(STREETS, ("Jc", "Js", "2c"), strict=True):
        for hand in "14":
            bench.say(say.PlaceWager(hand, street, 1000))
        show(bench, street, card)
    show(bench, "4", "7h 3s")
    show(bench, "1", "4d 8h")

    if dealing is Dealing.SHOE:
        assert (7, ["1", "4", "1", "4", *STREETS]) == (dealt, order)
    else:
        assert (2, ["1", "4", *STREETS]) == (dealt, order)
    assert 4000 == net(bench, "1") == net(bench, "4")


def test_a_verbal_wager_is_not_accepted() -> None:
    """Cash by voice is refused with the section; a match play coupon is taken."""
    bench = table()
    by_voice = refusal(bench.say(say.PlaceWager("1", "ante", 1000, form=say.WagerForm.CASH_BY_VOICE)))
    bench.say(say.PlaceWager("1", "ante", 1000, form=say.WagerForm.MATCH_PLAY))

    assert (by_voice.code, by_voice.clause) == ("form", "13:69F-35.6(a)")
    assert [told.form for told in bench.found(fact.WagerPlaced)] == [say.WagerForm.MATCH_PLAY]


# The dealer's touches


@pytest.mark.parametrize(("wagers", "ante"), [(Wagers.PRESENCE, None), (Wagers.AMOUNTS, 1000)])
def test_an_ordinary_round_takes_six_touches(wagers: Wagers, ante: int | None) -> None:
    """With sensors for stacks, shuffles and community cards a round takes at most six touches, and one for each
    exception: here one player folds and two win.
    """
    seen = terms("mississippi-stud", devices=("stack-shoe", "shuffler", "reader"), wagers=wagers)
    bench = Bench(replace(seen, cards={**seen.cards, "players": Sight.CALLED}))
    for hand in "123456":
        wager(bench, hand, ante=ante)
    since = len(bench.inputs)
    close(bench)
    confirm(bench)
    bench.say(say.Decide("2", "fold"))
    for street, card in zip(STREETS, cards("Jc 8h 2c"), strict=True):
        bench.say(say.DecideOthers("bet", ante and 1))
        bench.read("reader", read.ReaderCardSeen(street, card))
    bench.say(say.Call("hand", "pair of jacks or better", "3"))
    bench.say(say.Call("hand", "pair of sixes to tens", "5"))
    bench.say(say.CallOthers("hand", "nothing"))

    assert [told.result for told in last_round(bench, fact.RoundEnded)] == ["settled"]
    assert touches(bench, since) == 6 + 3
    assert all(told.by_chips is not bool(ante) for told in settled(bench).values())


# Hands


@pytest.mark.parametrize(
    ("text", "hand"),
    [
        ("AdKdQdJdTd", "royal flush"),
        ("Ad2c3s4h5d", "straight"),
        ("QcKdAh2s3c", "nothing"),
        ("JcJd4s8h2c", "pair of jacks or better"),
        ("AcAd4s8h2c", "pair of jacks or better"),
        ("TcTd4s8h2c", "pair of sixes to tens"),
        ("6c6d4s8h2c", "pair of sixes to tens"),
        ("5c5d4s8h2c", "nothing"),
    ],
)
def test_35_5_hands_that_count(text: str, hand: str) -> None:
    """Jacks and better win, sixes to tens push, lower pairs lose; no straight turns the corner.

    Sections 35.5(a), (b), 655a.6(a), (b).
    """
    found = five_card_hand(cards(text))

    assert hand == (found if found not in ("pair", "high card") else "nothing")


@pytest.mark.parametrize(
    ("text", "hand"), [("AsKsQs", "mini royal"), ("KsQsJs", "straight flush"), ("AsKdQs", "straight")]
)
def test_a_mini_royal_is_one_suit(text: str, hand: str) -> None:
    """Only A-K-Q of one suit is a mini royal."""
    assert hand == three_card_hand(cards(text))
