"""Four-card poker, N.J.A.C. 13:69F-27: each numbered statement, and the worked examples of its digest."""

from typing import Any

import pytest
from msgspec.structs import replace

from tablectl.cards import UNSEEN, cards
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.hands.four_card_poker import compare, four_card_hand
from tablectl.hands.poker import FOUR_CARDS
from tablectl.money import Odds
from tablectl.rulebook import Outcome
from tablectl.terms import Dealing, Sight, Wagers
from tests.poker import awaited, close, confirm, house, last_round, net, refusal, settled, show, touches, wager
from tests.tables import Bench, terms

GAME = "four-card-poker"


def options(**values: Any) -> Any:
    """Return a house file with these options, named with underscores."""
    return house(GAME, options={name.replace("_", " "): value for name, value in values.items()})


CLOSED = options(dealer_card_up=False)
"""A house that turns no dealer's card before the decisions."""


def table(house_file: Any = CLOSED, **changes: Any) -> Bench:
    return Bench(terms(GAME, house=house_file, **changes))


def play(player: str, dealer: str, times: int, aces_up: int = 0, *, bench: Bench | None = None) -> Bench:
    """Play one round for position 1 with an ante of 10."""
    bench = bench or table()
    wager(bench, "1", ante=1000, **({"aces_up": aces_up} if aces_up else {}))
    close(bench)
    bench.say(say.Decide("1", "play", times) if times else say.Decide("1", "forfeit"))
    show(bench, "dealer", dealer)
    show(bench, "1", player)
    return bench


@pytest.mark.parametrize(
    ("player", "dealer", "times", "aces_up", "won"),
    [
        ("9c 9d Ks 7h 2c", "9h 9s Kd 4c 3d 2h", 1000, 0, 2000),  # 1
        ("7s 7d 7h Qc 2d", "8s 8d 8h Kc 4d 3s", 3000, 500, -4000 + 2000 + 4000),  # 2
        ("Ah 2h 3h 4h Kc", "9s 9d Jc Jh 5d 2s", 3000, 500, 4000 + 20000 + 20000),  # 3
        ("Ac 2d 3h 4s 9c", "5h 4d 3c 2s Kd Kh", 1000, 0, -2000),  # 4
        ("Ac Ad Kh 9s 4c", "Qc Qd Jh Js 5d 2h", 3000, 500, -4000 + 500),  # 5
        ("Kc Kd Qh 9s 4c", "Js Jd 7h 5s 3d 2c", 3000, 500, 4000 - 500),  # 6
        ("Ah Kh Qh Jh Td", "Kc Kd Ks 8h 5d 2s", 3000, 0, 4000 + 20000),  # 7
        ("5c 5d 5h 5s Kd", "Ac Ad Ah 9c 8d 2s", 3000, 500, 4000 + 25000 + 25000),  # 8
        ("2h 5h 9h Qh Ad", "8c 9d Ts Jc 3s 3d", 1000, 0, 2000),  # 9
        ("Td Ts As 3c 2d", "Tc Th Kd Qs 4h 2c", 3000, 0, 4000),  # 10
        ("Kd Ac 2s 3h 9d", "Js Ts 7d 6c 4c 3s", 1000, 0, 2000),  # 11
        ("Qs Qd 8h 8c 3s", "Qh Qc 8s 8d 2c 4h", 3000, 0, 4000),  # 12
        ("Ac Ad 7h 5s 2c", "Js Jd 7s 5h 3d 2d", 0, 500, -1000 + 500),  # 13
    ],
)
def test_worked_examples_1_to_13(player: str, dealer: str, times: int, aces_up: int, won: int) -> None:
    """The digest's rounds pay what the digest says: ante, play, automatic bonus and aces up together.

    Sections 27.1, 27.11, 29.11(c).
    """
    assert net(play(player, dealer, times, aces_up), "1") == won


def test_worked_example_14_a_forfeit_without_aces_up() -> None:
    """Ante and cards are collected before the dealer shows anything."""
    bench = table()
    wager(bench, "1", ante=1000)
    wager(bench, "2", ante=1000)
    close(bench)
    bench.say(say.Decide("1", "forfeit"))
    bench.say(say.Decide("2", "play", 1000))

    assert net(bench, "1") == -1000
    assert [told.hand for told in bench.found(fact.CardsDiscarded)] == ["shoe", "1"]
    assert (awaited(bench).step, awaited(bench).hand) == ("expose", "dealer")


def test_worked_example_15_aces_up_only() -> None:
    """Who has only aces up is offered no decision; two pair pays 3 to 1 (27.6(a)2)."""
    bench = table()
    wager(bench, "1", aces_up=500)
    close(bench)
    assert (awaited(bench).step, awaited(bench).hand) == ("expose", "dealer")
    show(bench, "dealer", "Js Jd 7s 5h 3d 2d")
    show(bench, "1", "7c 7d 8h 8s Kd")

    assert net(bench, "1") == 1500


@pytest.mark.parametrize(("amount", "taken"), [(3500, False), (500, False), (2500, True), (1000, True), (3000, True)])
def test_worked_example_16_play_is_a_range(amount: int, taken: bool) -> None:  # noqa: FBT001 - a table of cases
    """On an ante of 10 a play wager of 10 to 30 counts, 25 among them (27.10(b))."""
    bench = table()
    wager(bench, "1", ante=1000)
    close(bench)
    facts = bench.say(say.PlaceWager("1", "play", amount))

    assert taken == any(isinstance(told, fact.WagerPlaced) for told in facts)
    if not taken:
        assert "27.10(b)" in refusal(facts).clause


def test_all_others_play_by_so_many_antes() -> None:
    """One touch names the multiple for everybody left, by each player's own ante; too many antes change nothing."""
    bench = table()
    for hand, ante in (("1", 1000), ("2", 1500), ("3", 2000)):
        wager(bench, hand, ante=ante)
    close(bench)
    confirm(bench)
    assert refusal(bench.say(say.DecideOthers("play", 4))).code == "limits"
    assert refusal(bench.say(say.DecideOthers("play", 0))).code == "amount"
    bench.say(say.PlaceWager("2", "play", 1500))
    bench.say(say.DecideOthers("play", 2))
    placed = {told.hand: told.amount for told in bench.found(fact.WagerPlaced) if told.wager == "play"}
    assert placed == {"1": 2000, "2": 1500, "3": 4000}


def test_whole_multiples_are_the_licensees_choice() -> None:
    """Where the house allows only whole multiples, 25 on 10 is refused."""
    bench = table(options(whole_multiples=True))
    wager(bench, "1", ante=1000)
    close(bench)
    show(bench, "dealer", "Ah")

    assert refusal(bench.say(say.PlaceWager("1", "play", 2500))).code == "amount"


@pytest.mark.parametrize(("extra", "stub"), [("hand", 31), ("stack", 27)])
def test_worked_example_17_the_stub(extra: str, stub: int) -> None:
    """With three hands 31 cards must be left, and 27 where four of one more stack went to the rack (35.9(e))."""
    bench = table(options(dealer_card_up=False, extra_card=extra))
    for _ in range(4):
        wager(bench, "1", ante=1000)
        close(bench)
        if extra == "hand":
            confirm(bench)
        bench.say(say.Decide("1", "forfeit"))
        bench.say(say.ConfirmShuffle("red"))
        bench.load()
    for hand in "123":
        wager(bench, hand, ante=1000)
    close(bench)
    if extra == "hand":
        confirm(bench)
    assert awaited(bench).step == "count"
    bench.say(say.CountStub(stub))

    assert bench.found(fact.CardsStubCounted)[0].expected == stub
    assert awaited(bench).step == "offer"


# Statements


def test_27_6_a_three_ways_to_take_part() -> None:
    """Ante alone, aces up alone and both are taken, each within its own limits (27.6(a)1, 27.6(a)2, 27.6(a)3)."""
    bench = table()
    for hand, wagers in (("1", {"ante": 1000}), ("2", {"aces_up": 500}), ("3", {"ante": 1000, "aces_up": 2500})):
        wager(bench, hand, **wagers)
    close(bench)

    assert [told.hand for told in bench.found(fact.CardsDealt)] == ["1", "2", "3", "dealer", "dealer"]
    assert awaited(bench).hands == ("1", "3")


def test_27_6_d_no_more_bets_locks_the_wagers() -> None:
    """After the announcement nothing is placed or taken back; chips that come late have no action."""
    bench = table()
    wager(bench, "1", ante=1000)
    assert not bench.found(fact.StackDue)
    bench.say(say.NoMoreBets())
    late = bench.say(say.PlaceWager("1", "aces up", 500))
    back = bench.say(say.TakeBackWager("1", "ante"))

    assert bench.found(fact.WagerLate)[0].clause == "13:69F-27.6(d)"
    assert [refusal(late).code, refusal(back).code] == ["late-wager", "not-awaited"]


@pytest.mark.parametrize(("allowed", "taken"), [(False, ["1"]), (True, ["1", "2"])])
def test_27_6_e_two_adjacent_positions(allowed: bool, taken: list[str]) -> None:  # noqa: FBT001 - a table of cases
    """Where the licensee allows it a player wagers at two positions side by side, never at three or apart."""
    bench = table(options(two_adjacent_positions=allowed))
    refused = []
    for hand in "1423":
        facts = bench.say(say.PlaceWager(hand, "ante", 1000, "ann"))
        refused += [told.clause for told in facts if isinstance(told, fact.AnnouncementRefused)]

    assert [told.hand for told in bench.found(fact.WagerPlaced)] == taken
    assert set(refused) == {"13:69F-27.6(e)"}


def test_27_6_e_wagers_at_two_positions_may_be_repeated() -> None:
    """One touch puts a player's wagers back on both positions, as they may lie there."""
    bench = table(options(two_adjacent_positions=True, dealer_card_up=False))
    for hand in "12":
        bench.say(say.PlaceWager(hand, "ante", 1000, "ann"))
    close(bench)
    bench.say(say.DecideOthers("forfeit"))
    bench.say(say.ConfirmShuffle("red"))
    bench.load()
    bench.say(say.RepeatWagers())

    assert [(told.hand, told.owner) for told in last_round(bench, fact.WagerPlaced)] == [("1", "ann"), ("2", "ann")]


def test_27_9_five_cards_each_and_six_for_the_dealer() -> None:
    """Stacks of five go clockwise, the dealer last; the sixth card is the top of one more stack, whose rest is
    discarded unseen.

    Sections 27.1, 35.9(c), (d), 684a.10(b).
    """
    bench = table()
    wager(bench, "5", ante=1000)
    wager(bench, "2", aces_up=500)
    close(bench)

    assert [(told.hand, told.size) for told in bench.found(fact.StackDue)] == [
        (hand, 5) for hand in ("2", "5", "dealer", "dealer")
    ]
    assert [(told.hand, len(told.cards)) for told in bench.found(fact.CardsDealt)] == [
        ("2", 5),
        ("5", 5),
        ("dealer", 5),
        ("dealer", 1),
    ]
    assert [(told.hand, told.cards) for told in bench.found(fact.CardsDiscarded)] == [("shoe", (UNSEEN,) * 4)]


def test_the_stack_for_the_sixth_card_is_told_apart() -> None:
    """The dealer is told to take one card of the last stack only."""
    bench = table()
    wager(bench, "1", ante=1000)
    bench.say(say.NoMoreBets())
    for number in (1, 2, 3):
        (due,) = bench.table.commands.values()
        bench.read("stack-shoe", read.ShoeStackDispensed(due.command, number, 5, 52 - 5 * number))
        prompt = awaited(bench)
        bench.read("stack-shoe", read.ShoeStackTaken(number))

    assert prompt.prompt == "One card of the stack to the dealer, the rest to the discard rack."
    assert prompt.count == 1


def test_the_dealers_sixth_card_may_be_up() -> None:
    """By the licensee's option one dealer's card, and no more, is turned before the decisions."""
    bench = table(options(dealer_card_up=True))
    wager(bench, "1", ante=1000)
    close(bench)
    assert (awaited(bench).step, awaited(bench).hand, awaited(bench).count) == ("expose", "dealer", 1)
    assert refusal(show(bench, "dealer", "Ah Kh")).code == "cards"
    show(bench, "dealer", "Ah")
    assert awaited(bench).step == "offer"
    bench.say(say.Decide("1", "play", 1000))
    assert awaited(bench).count == 5


def test_27_10_c_forfeits_wait_for_everybody() -> None:
    """No forfeited ante is collected before the last player has decided; cards stay where aces up is live."""
    bench = table()
    for hand in "123":
        wager(bench, hand, ante=1000, **({"aces_up": 500} if hand == "2" else {}))
    close(bench)
    bench.say(say.Decide("1", "forfeit"))
    bench.say(say.Decide("2", "forfeit"))
    assert not settled(bench)
    bench.say(say.Decide("3", "play", 1000))

    assert set(settled(bench)) == {("1", "ante"), ("2", "ante")}
    assert {told.clause for told in settled(bench).values()} == {"13:69F-27.10(c)"}
    assert [told.hand for told in bench.found(fact.CardsDiscarded)] == ["shoe", "1"]


def two_players(procedure: str) -> Bench:
    """Play a round in which position 1 loses with a bonus and wins aces up, and position 2 wins."""
    bench = table(options(settlement=procedure, dealer_card_up=False))
    wager(bench, "1", ante=1000, aces_up=500)
    wager(bench, "2", ante=1000)
    close(bench)
    bench.say(say.Decide("1", "play", 3000))
    bench.say(say.Decide("2", "play", 1000))
    show(bench, "dealer", "8s 8d 8h Kc 4d 3s")
    show(bench, "2", "Ah Kh Qh Jh Td")
    show(bench, "1", "7s 7d 7h Qc 2d")
    return bench


def told_in_order(bench: Bench) -> list[str]:
    """Return what happened to wagers and cards of players, in order."""
    told = last_round(bench, fact.Fact)
    start = next(at for at, each in enumerate(told) if isinstance(each, fact.RoundJudged))
    words = []
    for each in told[start:]:
        match each:
            case fact.RoundJudged(hand=hand, what="result"):
                words.append(f"{hand} shows")
            case fact.WagerSettled(hand=hand, wager=name, outcome=outcome):
                words.append(f"{hand} {name} {outcome}")
            case fact.RoundBonusPaid(hand=hand):
                words.append(f"{hand} bonus")
            case fact.CardsDiscarded(hand=hand):
                words.append(f"{hand} cards")
    return words


def test_27_10_e_1_pass_by_pass() -> None:
    """Every step goes round the table from the dealer's right before the next one; the dealer's cards go last.

    Sections 27.10(d).
    """
    assert told_in_order(two_players("pass by pass")) == [
        "2 shows",
        "1 shows",
        "1 ante lose",
        "1 play lose",
        "2 ante win",
        "2 play win",
        "2 bonus",
        "1 aces up win",
        "1 bonus",
        "2 cards",
        "1 cards",
        "dealer cards",
    ]


def test_27_10_e_2_player_by_player() -> None:
    """Each player is revealed, settled and picked up before the next; the dealer's cards go last (27.10(d))."""
    assert told_in_order(two_players("player by player")) == [
        "2 shows",
        "2 ante win",
        "2 play win",
        "2 bonus",
        "2 cards",
        "1 shows",
        "1 ante lose",
        "1 play lose",
        "1 aces up win",
        "1 bonus",
        "1 cards",
        "dealer cards",
    ]


@pytest.mark.parametrize("procedure", ["pass by pass", "player by player"])
def test_both_procedures_pay_the_same(procedure: str) -> None:
    """The order of settlement changes no amount."""
    bench = two_players(procedure)

    assert [net(bench, hand) for hand in "12"] == [-4000 + 4000 + 2000, 2000 + 20000]


def test_exceptions_may_be_called_in_any_order() -> None:
    """The call for the hand that is asked about leads to another question; those of the first still count."""
    bench = table(options(settlement="player by player", dealer_card_up=False), sight=Sight.CALLED)
    for hand in "123":
        wager(bench, hand, ante=1000)
    close(bench)
    for hand in "123":
        bench.say(say.PlaceWager(hand, "play", 1000))
    bench.say(say.Call("result", "lose", "3"))
    assert awaited(bench).what == "hand"
    bench.say(say.Call("result", "lose", "1"))
    bench.say(say.CallOthers("result", "win"))
    again = refusal(bench.say(say.Call("result", "win", "3")))
    bench.say(say.CallOthers("hand", "nothing"))

    assert (again.code, again.awaited) == ("call", "one of 2, 1")
    assert [net(bench, hand) for hand in "123"] == [-2000, 2000, -2000]


def test_a_live_table_asks_which_procedure_is_used() -> None:
    """The licensee must say which procedure of 27.10(e) it uses."""
    assert any(line.startswith("settlement (13:69F-27.10(e)): demonstration") for line in terms(GAME).rules.uncertain())


def test_27_11_the_bonus_is_paid_by_chips_where_amounts_are_unknown() -> None:
    """In presence the bonus names its odds on the ante, and no amount."""
    bench = table(sight=Sight.CALLED, wagers=Wagers.PRESENCE)
    wager(bench, "1", ante=None)
    close(bench)
    bench.say(say.Decide("1", "play"))
    bench.say(say.Call("result", "lose", "1"))
    bench.say(say.Call("hand", "three of a kind", "1"))
    (paid,) = last_round(bench, fact.RoundBonusPaid)

    assert (paid.wager, paid.odds, paid.amount, paid.by_chips) == ("ante", Odds(2, 1), None, True)


@pytest.mark.parametrize(("survives", "won"), [(False, 0), (True, 500)])
def test_27_12_a_dealer_card_exposed_early(survives: bool, won: int) -> None:  # noqa: FBT001 - a table of cases
    """All hands are void when a dealer's card shows too early; aces up follows the licensee's option (37.12(a))."""
    bench = table(options(aces_up_outlives_a_void=survives, dealer_card_up=False))
    wager(bench, "1", ante=1000, aces_up=500)
    wager(bench, "2", ante=1000)
    close(bench)
    bench.say(say.Decide("1", "play", 1000))
    bench.say(say.ReportIrregularity("dealer card exposed"))
    if survives:
        show(bench, "dealer", "8s 8d 8h Kc 4d 3s")
        show(bench, "1", "Ac Ad 7h 5s 2c")

    assert net(bench, "1") == won
    assert {told.outcome for (_, name), told in settled(bench).items() if name != "aces up"} == {Outcome.VOID}
    assert last_round(bench, fact.RoundEnded)


def test_a_reader_that_sees_a_dealer_card_early_holds_the_round() -> None:
    """Whether a dealer's card was exposed, so that all hands are void, is a supervisor's ruling."""
    bench = table(devices=("stack-shoe", "reader"))
    wager(bench, "1", ante=1000)
    close(bench)
    bench.read("reader", read.ReaderCardSeen("dealer", cards("As")[0]))
    assert bench.table.suspended
    bench.say(say.LiftSuspension("the card was seen by the dealer alone"))

    assert awaited(bench).step == "offer"


def test_27_12_a_misdeal_voids_all_hands() -> None:
    """A reported wrong number of cards returns every wager."""
    bench = table()
    wager(bench, "1", ante=1000, aces_up=500)
    close(bench)
    bench.say(say.ReportIrregularity("misdeal", "1"))

    assert net(bench, "1") == 0
    assert bench.found(fact.RoundVoided)[0].clause == "13:69F-27.12"


def test_a_hand_of_a_wrong_size_is_never_judged_by_itself() -> None:
    """Best of six cards would favour a player: such a hand waits for people."""
    with pytest.raises(ValueError, match="5 cards were awaited, not 6"):
        four_card_hand(cards("Ac Ad Kh 9s 4c 2d"))


@pytest.mark.parametrize("dealing", [Dealing.SHOE, Dealing.HAND])
def test_27_7_and_27_8_manual_shoe_and_hand(dealing: Dealing) -> None:
    """By shoe cards come one at a time round the table, the dealer's sixth last; by hand the dealer confirms.

    Sections 31.8(a).
    """
    bench = table(options(dealer_card_up=False, extra_card="hand"), dealing=dealing, devices=("shuffler",))
    wager(bench, "1", ante=1000)
    bench.say(say.NoMoreBets())
    confirmed = 0
    while awaited(bench).step == "deal":
        bench.say(say.ConfirmDealt())
        confirmed += 1
    bench.say(say.Decide("1", "play", 3000))
    show(bench, "dealer", "9s 9d Jc Jh 5d 2s")
    show(bench, "1", "Ah 2h 3h 4h Kc")

    assert confirmed == (11 if dealing is Dealing.SHOE else 2)
    assert net(bench, "1") == 4000 + 20000


def test_a_verbal_wager_is_not_accepted() -> None:
    """Cash by voice is refused with the section; a match play coupon is taken."""
    bench = table()
    by_voice = refusal(bench.say(say.PlaceWager("1", "ante", 1000, form=say.WagerForm.CASH_BY_VOICE)))
    bench.say(say.PlaceWager("1", "ante", 1000, form=say.WagerForm.MATCH_PLAY))

    assert (by_voice.code, by_voice.clause) == ("form", "13:69F-27.6(b)")
    assert [told.form for told in bench.found(fact.WagerPlaced)] == [say.WagerForm.MATCH_PLAY]


# The dealer's touches


@pytest.mark.parametrize(("wagers", "ante"), [(Wagers.PRESENCE, None), (Wagers.AMOUNTS, 1000)])
@pytest.mark.parametrize(("reader", "base"), [(True, 4), (False, 6)])
def test_an_ordinary_round_takes_six_touches(
    reader: bool,  # noqa: FBT001 - a table of cases
    base: int,
    wagers: Wagers,
    ante: int | None,
) -> None:
    """With sensors for stacks and shuffles a round takes at most six touches and one for each exception, here a
    forfeit, a loss and a three of a kind; a reader for the dealer's cards saves two.
    """
    devices = ("stack-shoe", "shuffler", *(("reader",) if reader else ()))
    seen = terms(GAME, devices=devices, wagers=wagers, house=options(dealer_card_up=True))
    bench = Bench(replace(seen, cards={**seen.cards, "players": Sight.CALLED}))
    for hand in "12345":
        wager(bench, hand, ante=ante)
    since = len(bench.inputs)
    close(bench)
    turn(bench, "2c", reader=reader)
    bench.say(say.Decide("2", "forfeit"))
    bench.say(say.DecideOthers("play", ante and 1))
    turn(bench, "9s 9d Jc Jh 5d", reader=reader)
    bench.say(say.Call("result", "lose", "3"))
    bench.say(say.CallOthers("result", "win"))
    bench.say(say.Call("hand", "three of a kind", "1"))
    bench.say(say.CallOthers("hand", "nothing"))

    assert last_round(bench, fact.RoundEnded)
    assert touches(bench, since) == base + 3
    assert all(told.by_chips is not bool(ante) for told in settled(bench).values())


def turn(bench: Bench, text: str, *, reader: bool) -> None:
    """Turn cards of the dealer, which a reader sees or the dealer enters."""
    if not reader:
        show(bench, "dealer", text)
        return
    for card in cards(text):
        bench.read("reader", read.ReaderCardSeen("dealer", card))


# Hands


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("7c7d7h2s", "AhKh9h4h"),
        ("6c6d6h6s", "AsKsQsJs"),
        ("9h6h4h2h", "AsKdQcJh"),
        ("5s4d3c2h", "4s3d2cAh"),
        ("4h3h2hAh", "KcKdKhQs"),
        ("2c2d2h3s", "AhKh9h4h"),
        ("4s3d2cAh", "AcAdKhKs"),
    ],
)
def test_27_3_b_examples(higher: str, lower: str) -> None:
    """Three of a kind beats a flush, four of a kind a straight flush, a flush a straight; 4-3-2-A is the lowest."""
    assert FOUR_CARDS.worth(cards(higher)) > FOUR_CARDS.worth(cards(lower))


def test_27_3_b_1_to_7_the_order_of_the_hands() -> None:
    """27.3(b)1, (b)2, (b)3, (b)4, (b)5, (b)6, (b)7 and 27.3(c): the best of each kind, down to its lowest.

    Sections 20.3(c), 657a.6(b)6.
    """
    order = (
        *("AcAdAhAs", "2c2d2h2s"),  # four of a kind
        *("AsKsQsJs", "KsQsJsTs", "4s3s2sAs"),  # straight flush
        *("AcAdAhKs", "AcAdAh2s", "2c2d2hAs"),  # three of a kind
        *("AhKhQh9h", "AhKhQh8h", "6h4h3h2h"),  # flush
        *("AsKdQcJh", "5s4d3c2h", "4s3d2cAh"),  # straight
        *("AcAdKhKs", "AcAdQhQs", "3c3d2h2s"),  # two pair
        *("AcAdKhQs", "AcAdKhJs", "2c2d4h3s"),  # pair
        *("AcKdQh9s", "AcKdQh8s", "6c4d3h2s"),  # none of these
    )
    worths = [FOUR_CARDS.worth(cards(text)) for text in order]
    assert worths == sorted(worths, reverse=True)
    assert len(set(worths)) == len(worths)


@pytest.mark.parametrize("text", ["KdAc2s3h9d", "QdKcAs2h9d"])
def test_27_3_a_no_wrap_around(text: str) -> None:
    """K-A-2-3 and Q-K-A-2 are nothing (657a.6(a))."""
    assert four_card_hand(cards(text)) == "high card"


def test_27_3_a_suits_never_break_a_tie() -> None:
    """Equal ranks in other suits are equal hands; the fifth and sixth card never count."""
    assert compare(cards("AcKd9h7s2c"), cards("AdKh9s7c2d3h")) == "tie"
