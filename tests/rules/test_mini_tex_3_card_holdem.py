"""Mini-tex 3 card hold'em, N.J.A.C. 13:69F-37: each numbered statement, and the worked examples of its digest."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tablectl.cards import PACK, UNSEEN, cards
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.games.mini_tex_3_card_holdem import STAGES, result_of
from tablectl.hands.mini_tex import POCKET_HANDS, best_hand, pocket_hand
from tablectl.hands.poker import THREE_CARDS
from tablectl.rulebook import Outcome
from tablectl.terms import Dealing, Sight, Wagers
from tests.poker import awaited, close, house, last_round, net, refusal, settled, show, touches, wager
from tests.tables import Bench, terms

GAME = "mini-tex-3-card-holdem"
POCKET = house(
    GAME,
    offers=("pocket poker",),
    tables={"pocket poker": {"pair of aces": "25 to 1", "pair": "5 to 1", "ace-king suited": "10 to 1"}},
)
"""A house with an invented table for pocket poker."""


def table(**changes: Any) -> Bench:
    return Bench(terms(GAME, **changes))


def deal(bench: Bench, ante: int | None = 1000, hands: str = "1") -> Bench:
    """Place an ante on each hand and deal; the flop wagers are awaited."""
    for hand in hands:
        wager(bench, hand, ante=ante)
    close(bench)
    return bench


def stay(bench: Bench, community: str) -> None:
    """Let everybody who is in wager at every stage, and deal the community cards."""
    board = cards(community)
    bench.say(say.DecideOthers("bet"))
    bench.say(say.ConfirmDealt(board[:2]))
    bench.say(say.DecideOthers("bet"))
    bench.say(say.ConfirmDealt(board[2:]))
    bench.say(say.DecideOthers("bet"))


def play(player: str, dealer: str, community: str, bench: Bench | None = None) -> Bench:
    """Play one round for position 1 to its end."""
    bench = deal(bench or table())
    stay(bench, community)
    show(bench, "dealer", dealer)
    if awaited(bench).step == "call":
        show(bench, "1", player)
    return bench


@pytest.mark.parametrize(
    ("player", "dealer", "community", "won"),
    [
        ("Kh 7c", "9d 4s", "Ks 8h 2d", 3000),  # 1
        ("Jc 9d", "Qs 6h", "Tc 8s 3d", 3000),  # 2
        ("Ah 2c", "8d 8h", "3h 9h Kc", 5000),  # 3
        ("5c 4d", "Qd 7s", "Ah Kh Qh", -5000),  # 4
        ("9c Ad", "9s 4h", "9h 9d 2c", 0),  # 5
        ("Ts Jd", "Th Jc", "9s 8d Kc", 0),  # 6
        ("2h 7h", "Ks 3d", "Kh Qh 9c", 5000),  # 7
        ("6c 6d", "Ac 5h", "6h Kd 2s", 3000),  # 8
        ("Kc 5d", "Kd 5s", "Ah Kh 8c", 0),  # 9
        ("3c 4h", "Jd Ts", "7s 7d 7h", -5000),  # 10
        ("Ac Kd", "Kc 2d", "Ah 9s 5d", 3000),  # 11
        ("3s 2d", "9d 4s", "Kc Jh 8d", 3000),  # 12
    ],
)
def test_worked_examples_1_to_12(player: str, dealer: str, community: str, won: int) -> None:
    """The digest's rounds pay what the digest says, ante, flop, river and play together.

    Sections 20.3(a), (b), 37.5(a), (b), 37.11.
    """
    assert net(play(player, dealer, community), "1") == won


@pytest.mark.parametrize(("bets", "lost"), [(0, -1000), (1, -2000), (2, -3000)])
def test_worked_example_13_a_fold_loses_what_lies_there(bets: int, lost: int) -> None:
    """A fold before the flop loses 10, after it 20, after the river 30; the dealer shows nothing to nobody.

    Sections 27.10(c), 37.10(a).
    """
    bench = deal(table())
    for board in ("Ks 8h", "2d")[:bets]:
        bench.say(say.Decide("1", "bet"))
        bench.say(say.ConfirmDealt(cards(board)))
    bench.say(say.Decide("1", "fold"))

    assert net(bench, "1") == lost
    assert [told.result for told in last_round(bench, fact.RoundEnded)] == ["settled"]


@pytest.mark.parametrize(
    ("bets", "stage", "right", "wrong"), [(0, "flop", 1000, 2000), (1, "river", 1000, 500), (2, "play", 2000, 1000)]
)
def test_worked_example_14_each_wager_has_one_size(bets: int, stage: str, right: int, wrong: int) -> None:
    """A flop or river wager is the ante, a play wager twice the ante; any other amount is refused."""
    bench = deal(table())
    for board in ("Ks 8h", "2d")[:bets]:
        bench.say(say.Decide("1", "bet"))
        bench.say(say.ConfirmDealt(cards(board)))

    assert refusal(bench.say(say.PlaceWager("1", stage, wrong))).code == "limits"
    bench.say(say.PlaceWager("1", stage, right))
    assert (stage, right) == (bench.found(fact.WagerPlaced)[-1].wager, bench.found(fact.WagerPlaced)[-1].amount)


def test_worked_example_15_a_dealer_card_shown_too_early() -> None:
    """All hands are void when a dealer's card is seen before everybody has decided; every wager goes back."""
    bench = deal(table(), hands="12")
    bench.say(say.DecideOthers("bet"))
    bench.say(say.ConfirmDealt(cards("Ks 8h")))
    bench.say(say.Decide("1", "bet"))
    bench.say(say.ReportIrregularity("dealer card exposed"))

    assert bench.found(fact.RoundVoided)[0].clause == "13:69F-37.12(a)"
    assert {told.outcome for told in settled(bench).values()} == {Outcome.VOID}
    assert {("1", "ante"), ("1", "flop"), ("1", "river"), ("2", "ante"), ("2", "flop")} == settled(bench).keys()


@pytest.mark.parametrize(("survives", "paid"), [(True, 2500), (False, 0)])
def test_37_12_a_pocket_poker_when_all_hands_are_void(survives: bool, paid: int) -> None:  # noqa: FBT001 - cases
    """The licensee's reading decides whether pocket poker is settled by its two cards or goes back."""
    own = replace(POCKET, options={"pocket poker outlives a void": survives})
    bench = table(house=own)
    wager(bench, "1", ante=1000, pocket_poker=500)
    wager(bench, "2", ante=1000)
    close(bench)
    bench.say(say.Decide("2", "bet"))
    bench.say(say.ReportIrregularity("dealer card exposed"))
    if survives:
        assert (awaited(bench).step, awaited(bench).what) == ("call", "pocket poker")
        show(bench, "1", "7c 7d")

    assert net(bench, "1") == paid
    assert settled(bench)["2", "flop"].outcome is Outcome.VOID
    assert last_round(bench, fact.RoundEnded)


def test_worked_example_16_the_stub() -> None:
    """With four players and two burns 37 cards must be left, folded hands included (35.9(e))."""
    bench = table()
    for _ in range(4):
        deal(bench)
        bench.say(say.Decide("1", "fold"))
        bench.say(say.ConfirmShuffle("red"))
        bench.load()
    deal(bench, hands="1234")
    bench.say(say.Decide("3", "fold"))
    stay(bench, "Ks 8h 2d")
    assert awaited(bench).step == "count"
    bench.say(say.CountStub(37))

    assert bench.found(fact.CardsStubCounted)[0].expected == 37
    assert "3" not in bench.table.round.hands  # type: ignore[union-attr]


def test_worked_example_17_and_37_13_one_position_only() -> None:
    """A second betting area of the same player is refused."""
    bench = table()
    bench.say(say.PlaceWager("1", "ante", 1000, "ann"))
    refused = refusal(bench.say(say.PlaceWager("2", "ante", 1000, "ann")))

    assert (refused.code, refused.clause) == ("position", "13:69F-37.13")


# Statements


def test_37_1_two_cards_each_and_the_dealer_last() -> None:
    """Stacks of two go clockwise to those with an ante and last to the dealer, face down; the stub follows.

    Sections 37.9, 35.9(a), (b), (c), (d).
    """
    bench = deal(table(), hands="41")

    assert [(told.hand, told.cards) for told in bench.found(fact.CardsDealt)] == [
        (hand, (UNSEEN,) * 2) for hand in ("1", "4", "dealer")
    ]
    assert bench.found(fact.StubDue)[0].left == 46


def test_37_1_no_cards_before_their_wagers() -> None:
    """The flop waits for all flop wagers, the river for the river wagers, the dealer's cards for the play wagers.

    Sections 27.10(b), 37.10(a).
    """
    bench = deal(table(), hands="12")
    for stage, board in (("flop", "Ks 8h"), ("river", "2d"), ("play", "")):
        bench.say(say.Decide("1", "bet"))
        assert (awaited(bench).what, awaited(bench).hands) == (stage, ("2",))
        assert refusal(bench.say(say.ConfirmDealt())).code == "not-awaited"
        assert refusal(show(bench, "dealer", "9d 4s")).code == "not-awaited"
        bench.say(say.Decide("2", "bet"))
        if board:
            bench.say(say.ConfirmDealt(cards(board)))

    assert (awaited(bench).step, awaited(bench).hand) == ("expose", "dealer")


@pytest.mark.parametrize(("flop", "river"), [(1, 1), (0, 0), (1, 0)])
def test_37_1_burns_are_the_licensees(flop: int, river: int) -> None:
    """As many cards are burned as the house says; they go to the rack unseen and count as out of the deck.

    Sections 14.10(g).
    """
    own = house(GAME, options={"burn before the flop": flop, "burn before the river": river})
    bench = deal(table(house=own))
    stay(bench, "Ks 8h 2d")

    burned = [told.cards for told in bench.found(fact.CardsDiscarded) if told.hand == "burn"]
    assert burned == [(UNSEEN,)] * (flop + river)
    assert bench.table.deck_in_shoe().left == 52 - 4 - 3 - flop - river


def test_the_flop_may_be_seen_by_a_reader() -> None:
    """A community card that a reader sees proves that it was dealt, and no touch is needed."""
    bench = deal(table(devices=("stack-shoe", "reader")))
    bench.say(say.DecideOthers("bet"))
    for card in cards("Ks 8h"):
        bench.read("reader", read.ReaderCardSeen("flop", card))

    assert (awaited(bench).step, awaited(bench).what) == ("offer", "river")
    assert bench.table.round.hands["flop"] == list(cards("Ks 8h"))  # type: ignore[union-attr]


def test_37_10_settled_from_the_dealers_right() -> None:
    """Hands are compared counterclockwise (27.10(d))."""
    bench = deal(table(sight=Sight.CALLED), hands="136")
    for step in ("bet", None, "bet", None, "bet"):
        bench.say(say.DecideOthers(step) if step else say.ConfirmDealt())
    bench.say(say.Call("dealer's hand", "qualifies"))
    bench.say(say.CallOthers("result", "lose"))

    assert [hand for hand, name in settled(bench) if name == "ante"] == ["6", "3", "1"]
    assert [net(bench, hand) for hand in "136"] == [-5000] * 3


@pytest.mark.parametrize(
    ("options", "won"),
    [
        ({"dealer qualifies with": "high card"}, 5000),
        ({"play, dealer not qualified": "paid"}, 5000),
        ({"ante, dealer not qualified": "returned"}, 2000),
        ({"flop, dealer not qualified": "returned"}, 2000),
        ({"river, dealer not qualified": "returned"}, 2000),
    ],
)
def test_qualification_is_the_licensees(options: dict[str, str], won: int) -> None:
    """What the dealer needs, and what becomes of each wager when it is not there, are options (digest, point 1)."""
    bench = table(house=house(GAME, options=options))

    assert net(play("Kh 7c", "9d 4s", "Ks 8h 2d", bench), "1") == won


def test_pocket_poker_needs_a_licensees_table() -> None:
    """No odds were found: without a table of the house the wager cannot be offered."""
    with pytest.raises(ConfigError, match=r"'pocket poker' needs odds, which were not found in 13:69F-37\.11"):
        table(house=house(GAME, offers=("pocket poker",)))


@pytest.mark.parametrize(("survives", "won"), [(True, 5000), (False, -500)])
def test_pocket_poker_after_a_fold(survives: bool, won: int) -> None:  # noqa: FBT001 - a table of cases
    """By the licensee's option the wager outlives a fold, and the cards stay until it is settled."""
    bench = table(house=replace(POCKET, options={"pocket poker outlives a fold": survives}))
    wager(bench, "1", ante=1000, pocket_poker=500)
    close(bench)
    bench.say(say.Decide("1", "fold"))
    if survives:
        show(bench, "1", "Ad Kd")

    assert net(bench, "1", ("pocket poker",)) == won
    assert net(bench, "1", ("ante",)) == -1000


@pytest.mark.parametrize(
    ("what", "held"), [("misdeal", False), ("community card exposed", False), ("wrong burn", True)]
)
def test_37_12_reported_irregularities(what: str, held: bool) -> None:  # noqa: FBT001 - a table of cases
    """A misdeal and an exposed community card void all hands; a wrong burn waits for the supervisor (35.12(a))."""
    bench = deal(table())
    bench.say(say.ReportIrregularity(what))

    assert bool(bench.table.suspended) == held
    assert bool(bench.found(fact.RoundVoided)) != held


def test_a_voided_hand_is_waited_for_no_more() -> None:
    """When the supervisor voids the last hand that has to decide, play goes on for the others."""
    bench = deal(table(), hands="12")
    bench.say(say.Decide("1", "bet"))
    bench.say(say.VoidHand("2", "cards shown to another player"))

    assert awaited(bench).step == "deal"
    assert settled(bench)["2", "ante"].outcome is Outcome.VOID


@pytest.mark.parametrize("dealing", [Dealing.SHOE, Dealing.HAND])
def test_37_7_and_37_8_manual_shoe_and_hand(dealing: Dealing) -> None:
    """By shoe cards come one at a time, burns among them; by hand the dealer confirms; both end like stacks (35.7)."""
    bench = table(dealing=dealing, devices=("shuffler",))
    wager(bench, "1", ante=1000)
    bench.say(say.NoMoreBets())
    board, confirmed = list(cards("Ks 8h 2d")), 0
    while awaited(bench).step in ("deal", "offer"):
        if awaited(bench).step == "offer":
            bench.say(say.DecideOthers("bet"))
            continue
        confirmed += 1
        due = (awaited(bench).hand or awaited(bench).hands[-1]) in ("flop", "river")
        faces = [board.pop(0) for _ in range(awaited(bench).count)] if due else ()
        bench.say(say.ConfirmDealt(tuple(faces)))
    show(bench, "dealer", "9d 4s")

    assert confirmed == (9 if dealing is Dealing.SHOE else 3)
    assert net(bench, "1") == 3000
    assert [told.hand for told in bench.found(fact.CardsDiscarded)][:2] == ["burn", "burn"]


def test_a_verbal_wager_is_not_accepted() -> None:
    """Cash by voice is refused with the section; a match play coupon is taken."""
    bench = table()
    by_voice = refusal(bench.say(say.PlaceWager("1", "ante", 1000, form=say.WagerForm.CASH_BY_VOICE)))
    bench.say(say.PlaceWager("1", "ante", 1000, form=say.WagerForm.MATCH_PLAY))

    assert (by_voice.code, by_voice.clause) == ("form", "13:69F-37.6(a)")
    assert [told.form for told in bench.found(fact.WagerPlaced)] == [say.WagerForm.MATCH_PLAY]


# The dealer's touches


@pytest.mark.parametrize(("wagers", "ante"), [(Wagers.PRESENCE, None), (Wagers.AMOUNTS, 1000)])
def test_an_ordinary_round_takes_six_touches(wagers: Wagers, ante: int | None) -> None:
    """With sensors for stacks, shuffles and dealer and community cards: no more bets, three decisions, the results;
    and one touch for each exception, here a fold and a tie.
    """
    seen = terms(GAME, devices=("stack-shoe", "shuffler", "reader"), wagers=wagers)
    bench = Bench(replace(seen, cards={**seen.cards, "players": Sight.CALLED}))
    for hand in "12345":
        wager(bench, hand, ante=ante)
    since = len(bench.inputs)
    close(bench)
    bench.say(say.Decide("2", "fold"))
    for area, text in (("flop", "Ks 8h"), ("river", "2d"), ("dealer", "8d 4s")):
        bench.say(say.DecideOthers("bet"))
        for card in cards(text):
            bench.read("reader", read.ReaderCardSeen(area, card))
    bench.say(say.Call("result", "tie", "4"))
    bench.say(say.CallOthers("result", "win"))

    assert last_round(bench, fact.RoundEnded)
    assert touches(bench, since) == 5 + 2
    assert all(told.by_chips is not bool(ante) for told in settled(bench).values())


# Hands


@given(st.lists(st.sampled_from(PACK), min_size=7, max_size=7, unique=True))
def test_37_1_at_least_one_own_card(drawn: list[Any]) -> None:
    """The best hand is the best of the nine that hold an own card, for player and dealer alike."""
    own, other, board = tuple(drawn[:2]), tuple(drawn[2:4]), tuple(drawn[4:])
    nine = [hand for hand in combinations((*own, *board), 3) if set(hand) & set(own)]

    assert len(nine) == 9
    assert best_hand(own, board) == max(map(THREE_CARDS.worth, nine))
    opposite = {"win": "lose", "lose": "win", "tie": "tie"}
    assert result_of(own, other, board[:2], board[2:]) == opposite[result_of(other, own, board[:2], board[2:])]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("AcAd", "pair of aces"),
        ("6c6d", "pair of sixes"),
        ("AcKc", "ace-king suited"),
        ("AcKd", "ace-king"),
        ("Ac2c", "suited connectors"),
        ("7d8d", "suited connectors"),
        ("7d8c", "connectors"),
        ("7d9d", "suited"),
        ("Ac9d", "ace"),
        ("2c9d", ""),
    ],
)
def test_pocket_hands_highest_first(text: str, line: str) -> None:
    """Two cards are the highest line that they fit, each line by its plain meaning."""
    assert pocket_hand(tuple(POCKET_HANDS), cards(text)) == line


def test_the_rulebook_names_every_pocket_hand() -> None:
    """A licensee may use each line that the program knows, in its order, and no other."""
    assert terms(GAME).rules.table("pocket poker").hands == tuple(POCKET_HANDS)


def test_the_play_wager_is_the_fourth_and_twice_the_ante() -> None:
    """Flop and river are one ante, play is two (37.1)."""
    assert STAGES == {"flop": 1, "river": 1, "play": 2}
