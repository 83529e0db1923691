"""Red dog, N.J.A.C. 13:69F-6.5: each numbered statement, and the worked examples of its digest."""

from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from tablectl.cards import Card, cards
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.announcements import Announcement
from tablectl.events.codec import Input, encode
from tablectl.events.facts import Fact
from tablectl.games import rulebook_text
from tablectl.money import Odds
from tablectl.rulebook import HouseFile, Outcome, Rulebook, Standing
from tablectl.table import Table
from tablectl.terms import Dealing, Sight, Wagers
from tablectl.view import View
from tests.tables import Bench, terms


def table(**changes: object) -> Bench:
    return Bench(terms("red-dog", dealing=Dealing.SHOE, **changes))  # type: ignore[arg-type]


def called(wagers: Wagers = Wagers.AMOUNTS) -> Bench:
    """Return a table whose shoe reads no card and whose dealer calls what they show."""
    return table(sight=Sight.CALLED, wagers=wagers)


def house(**tables: dict[str, str]) -> HouseFile:
    return HouseFile("red-dog", "Test House", Standing.HOUSE, tables=dict(tables))


def ruled(**options: object) -> HouseFile:
    return HouseFile("red-dog", "Test House", Standing.HOUSE, options=options)


def play(bench: Bench, drawn: str, original: int, raised: int = 0) -> int:
    """Play one round for position 1 and return what the player won or lost."""
    bench.say(say.PlaceWager("1", "original", original))
    dealt = cards(drawn)
    bench.draw("".join(dealt[:2]))
    if raised:
        bench.say(say.PlaceWager("1", "raise", raised))
    if bench.table._awaited().step == "offer":
        bench.say(say.CloseOffer())
    bench.draw("".join(dealt[2:]))
    return net(settled(bench))


def settled(bench: Bench) -> list[fact.WagerSettled]:
    """Return the settlements of the last round that was played."""
    return last_round(bench, fact.WagerSettled)


def last_round(bench: Bench, kind: type[Fact]) -> list[Any]:
    """Return facts of the round that ended last, or still runs."""
    opened = [at for at, told in enumerate(bench.facts) if isinstance(told, fact.RoundOpened)]
    start = opened[-2] if len(opened) > 1 and isinstance(bench.facts[opened[-1] - 1], fact.RoundEnded) else opened[-1]
    return [told for told in bench.facts[start:] if isinstance(told, kind)]


def net(settlements: list[fact.WagerSettled]) -> int:
    return sum((told.paid or 0) + (told.returned or 0) - (told.amount or 0) for told in settlements)


def refusal(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    refused = facts[-1]
    assert isinstance(refused, fact.AnnouncementRefused)
    return refused


@pytest.mark.parametrize(
    ("drawn", "original", "raised", "won"),
    [
        ("4s 7d 5h", 1000, 1000, 8000),  # 3
        ("9s Kd Jh", 1000, 500, 3000),  # 4
        ("9s Kd 9h", 1000, 500, -1500),  # 5
        ("2s Ad Kh", 1000, 1000, 2000),  # 6
        ("2s Ad 2h", 1000, 1000, -2000),  # 6
        ("Ks Ad", 1000, 0, 0),  # 7
        ("2s 3d", 1000, 0, 0),  # 8
        ("8s 8d 8h", 2500, 0, 27500),  # 9
        ("8s 8d 9h", 2500, 0, 0),  # 10
        ("Js 9d Th", 2000, 2000, 20000),  # 11
        ("As 3d 4h", 1000, 0, 1000),  # 12
        ("5s 9d 7h", 1000, 1000, 4000),  # 13
        ("5s Td 7h", 1000, 1000, 2000),  # 13
    ],
)
def test_worked_examples_3_to_13(drawn: str, original: int, raised: int, won: int) -> None:
    """The digest's rounds pay what the digest says, original and raise together."""
    assert won == play(table(), drawn, original, raised)


@pytest.mark.parametrize(("drawn", "spread"), [("4s7d", "2"), ("9sKd", "3")])
def test_6_5_g_worked_examples_1_and_2(drawn: str, spread: str) -> None:
    """4 and 7 are a spread of 2, 9 and king a spread of 3: the regulation's own examples (6.5(g)1, 2)."""
    bench = table()
    bench.draw(drawn)
    assert spread == bench.found(fact.RoundJudged)[0].answer


def test_6_5_c_first_two_cards_left_then_right() -> None:
    """The first card goes face up on the left box, the second on the right box, before anything else is asked."""
    bench = table()
    bench.draw("4s 9d")
    dealt = bench.found(fact.CardsDealt)
    assert [("left", cards("4s")), ("right", cards("9d"))] == [(told.hand, told.cards) for told in dealt]
    assert {"13:69F-6.5(c)"} == {told.clause for told in dealt}


def test_6_5_d_first_card_closes_wagers() -> None:
    """Wagers are open until the first card leaves the shoe, and closed by that reading alone (6.5(a))."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    assert not bench.found(fact.RoundWagersClosed)
    bench.draw("4s")
    assert bench.found(fact.RoundWagersClosed)[0].clause == "13:69F-6.5(d)"


@pytest.mark.parametrize("late", [say.TakeBackWager("1", "original"), say.RepeatWagers(), say.NoMoreBets()])
def test_6_5_d_no_wager_changes_after_the_first_card(late: Announcement) -> None:
    """After the first card nothing takes a wager back, repeats one, or closes wagers again."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s")
    assert refusal(bench.say(late)).code == "not-awaited"
    assert bench.table.round.ledger.staked == 1000  # type: ignore[union-attr]


def test_6_5_d_no_more_bets_is_not_this_game_s_call() -> None:
    """Before the first card the call that closes other games is refused with the clause that closes this one."""
    refused = refusal(table().say(say.NoMoreBets()))
    assert (refused.code, refused.clause) == ("call", "13:69F-6.5(d)")


def test_6_5_d_a_late_wager_has_no_action_and_the_deal_goes_on() -> None:
    """Chips that come after the first card are told as late with the clause; the announcement alone is refused."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s")
    told = bench.say(say.PlaceWager("2", "original", 500))
    assert told[0] == fact.WagerLate("2", "original", "13:69F-6.5(d)", 500)
    assert (refusal(told).code, refusal(told).clause) == ("late-wager", "13:69F-6.5(d)")
    bench.draw("9s")
    assert bench.table._awaited().step == "offer"


def test_6_5_d_a_first_card_drawn_while_the_table_is_held_is_not_lost() -> None:
    """It closes wagers and lies left when play goes on; a second one meanwhile is out of turn."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.say(say.Hold("a dispute"))
    bench.draw("4s")
    told = bench.draw("9d")
    assert any(isinstance(found, fact.IrregularityFound) for found in told)
    bench.say(say.LiftSuspension("settled"))
    assert len(bench.all(fact.RoundWagersClosed)) == 1
    assert [(found.hand, found.cards) for found in bench.all(fact.CardsDealt)] == [("left", cards("4s"))]
    assert bench.table.deck_in_shoe().left == 6 * 52 - 2


def test_a_card_is_due_again_when_the_controller_has_stopped_and_started() -> None:
    """The shoe is locked while nobody would see a card leave it, and unlocked for the same hand without a ruling."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s")
    due = bench.found(fact.CardDue)[-1]
    stopped = bench.say(say.Stop())
    assert [type(told) for told in stopped[:2]] == [fact.CardsLocked, fact.TableSuspended]
    assert bench.say(say.Stop())[:1] != stopped[:1], "it is locked once"
    bench.say(say.Resume("b2"))
    again = bench.read("card-shoe", read.DeviceFound("model", "1", "1.0", ("card-shoe",)))
    assert [(told.hand, told.face_up) for told in again if isinstance(told, fact.CardDue)] == [(due.hand, due.face_up)]
    assert len({told.command for told in bench.facts if isinstance(told, fact.CardDue | fact.CardsLocked)}) == 4
    bench.draw("9d")
    assert [told.cards for told in bench.all(fact.CardsDealt)] == [cards("4s"), cards("9d")]


def test_6_5_e_consecutive_is_a_tie_without_a_third_card() -> None:
    """Consecutive cards void every wager by (e), and no third card is due."""
    bench = table()
    play(bench, "7s 8d", 1000)
    told = settled(bench)[0]
    assert (told.outcome, told.returned, told.paid, told.clause) == (Outcome.VOID, 1000, 0, "13:69F-6.5(e)")
    assert len(last_round(bench, fact.CardsDealt)) == 2


def test_6_5_f_a_pair_draws_at_once_without_raises() -> None:
    """With a pair the third card is due at once: no raise is on offer."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("8s 8d")
    awaited = bench.table._awaited()
    assert (awaited.step, awaited.hand, awaited.clause) == ("deal", "middle", "13:69F-6.5(f)")


@pytest.mark.parametrize(
    ("third", "outcome", "clause"),
    [("8h", Outcome.WIN, "13:69F-6.5(f)1"), ("9h", Outcome.VOID, "13:69F-6.5(f)2")],
)
def test_6_5_f_three_of_a_kind_wins_and_a_pair_never_loses(third: str, outcome: Outcome, clause: str) -> None:
    """Three of a kind wins by (f)1; any other third card makes every wager void by (f)2."""
    bench = table()
    play(bench, f"8s 8d {third}", 1000)
    assert (outcome, clause) == (settled(bench)[0].outcome, settled(bench)[0].clause)


@pytest.mark.parametrize("drawn", ["6s 6d", "6s 7d"])
def test_6_5_h_no_raise_without_a_spread(drawn: str) -> None:
    """Worked example 15: a raise on a pair, or on consecutive cards, is refused."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw(drawn)
    assert isinstance(bench.say(say.PlaceWager("1", "raise", 1000))[-1], fact.AnnouncementRefused)
    assert not bench.all(fact.RoundDecided)


@pytest.mark.parametrize(("amount", "counts"), [(1, True), (1000, True), (1001, False), (1500, False)])
def test_6_5_h_a_raise_is_not_above_the_original_wager(amount: int, *, counts: bool) -> None:
    """Worked example 14: up to the original wager a raise counts; above it the refusal cites (h)."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s 9d")
    told = bench.say(say.PlaceWager("1", "raise", amount))
    assert counts == (fact.WagerPlaced("1", "raise", amount) in told)
    assert counts or (refusal(told).code, refusal(told).clause) == ("limits", "13:69F-6.5(h)")


def test_6_5_h_each_player_raises_once_in_any_order() -> None:
    """Players may raise in any order, each once, and only where an original wager lies."""
    bench = table()
    for hand in ("1", "3", "5"):
        bench.say(say.PlaceWager(hand, "original", 1000))
    bench.draw("4s 9d")
    for hand in ("5", "1"):
        assert fact.WagerPlaced(hand, "raise", 500) in bench.say(say.PlaceWager(hand, "raise", 500))
    assert refusal(bench.say(say.PlaceWager("1", "raise", 500))).code == "hand"
    assert refusal(bench.say(say.PlaceWager("2", "raise", 500))).code == "hand"


def test_6_5_h_two_owners_of_one_position_raise_each_their_own() -> None:
    """A raise backs the owner's own wager: neither the sum of both, nor twice."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000, "ann"))
    bench.say(say.PlaceWager("1", "original", 400, "bob"))
    bench.draw("4s 9d")
    assert refusal(bench.say(say.PlaceWager("1", "raise", 500, "bob"))).code == "limits"
    assert refusal(bench.say(say.Decide("1", "raise", 400))).code == "owner"
    assert refusal(bench.say(say.PlaceWager("1", "raise", 100, "eve"))).code == "hand"
    assert fact.WagerPlaced("1", "raise", 400, "bob") in bench.say(say.PlaceWager("1", "raise", 400, "bob"))
    assert fact.WagerPlaced("1", "raise", 1000, "ann") in bench.say(say.PlaceWager("1", "raise", 1000, "ann"))
    assert refusal(bench.say(say.PlaceWager("1", "raise", 1, "ann"))).code == "hand"


def test_6_5_i_third_card_only_after_raises_closed() -> None:
    """No card is due before "Raises closed."; one that comes is an irregularity, cites (h) and holds the table."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s 9d")
    assert not any(isinstance(due, fact.CardDue) for due in bench.table.commands.values())
    told = bench.draw("6h")
    assert next(found for found in told if isinstance(found, fact.IrregularityFound)).clause == "13:69F-6.5(h)"
    assert bench.table.suspended
    assert "6h" not in b"".join(map(encode, told)).decode()
    bench.say(say.LiftSuspension("the card is burned"))
    bench.say(say.CloseOffer())
    bench.draw("5h")
    assert net(settled(bench)) == 1000


def test_6_5_i_third_card_after_consecutive_cards_waits_for_a_supervisor() -> None:
    """A card drawn although the round is over belongs to no round: it holds the table."""
    bench = table()
    bench.say(say.CloseTable())
    bench.draw("4s 5d")
    bench.draw("9h")
    assert bench.table.suspended
    assert bench.table._awaited().who == "supervisor"


def test_6_5_i_1_equal_to_an_initial_card_is_not_between() -> None:
    """A third card that equals either first card loses, like one outside."""
    for drawn in ("4s 9d 4h", "4s 9d 9h", "4s 9d 3h", "4s 9d Th"):
        bench = table()
        assert play(bench, drawn, 1000) == -1000
        assert settled(bench)[0].clause == "13:69F-6.5(i)1"


def test_6_5_i_2_every_pair_of_ranks() -> None:
    """All 91 pairs of ranks, in both orders, go to the branch and pay the odds that their values give (6.1)."""
    odds = {1: 5, 2: 4, 3: 2}
    ranks = "23456789TJQKA"
    bench = table()
    for left, right in product(ranks, ranks):
        low, high = sorted((ranks.index(left), ranks.index(right)))
        spread = high - low - 1
        third = left if spread < 1 else ranks[low + 1]
        won = 11 if spread == -1 else 0 if spread == 0 else odds.get(spread, 1)
        drawn = f"{left}s {right}d" + ("" if spread == 0 else f" {third}h")
        assert won * 100 == play(bench, drawn, 100), drawn
        if bench.table.round_number % 40 == 0:
            bench.read("card-shoe", read.ShoeCuttingCardOut())
            play(bench, "2s 3d", 100)
            bench.say(say.ConfirmShuffle("red"))
            bench.load()


def test_6_5_i_3_worked_example_17() -> None:
    """A house may pay 6 to 1 on a spread of 1 and is paid by it; 4 to 1 is refused with the section."""
    assert play(table(house=house(spread={"1": "6 to 1"})), "Js 9d Th", 1000) == 6000
    with pytest.raises(ConfigError, match=r"13:69F-6\.5\(i\)2 allows no less than 5 to 1"):
        table(house=house(spread={"1": "4 to 1"}))


def test_6_5_i_3_better_odds_leave_the_other_lines_alone() -> None:
    """One better line leaves the legal minimum of every other."""
    rules = Rulebook.parse(rulebook_text("red-dog")).under(house(spread={"4": "3 to 2"}))
    assert [Odds(5, 1), Odds(3, 2), Odds(1, 1)] == [rules.table("spread").lines[line] for line in ("1", "4", "11")]


def test_6_5_f_1_eleven_to_one_is_fixed() -> None:
    """The permission to pay more names the spread table only: three of a kind has no table to change."""
    with pytest.raises(ConfigError, match="no such pay table"):
        table(house=house(**{"three of a kind": {"three of a kind": "12 to 1"}}))


def test_6_5_j_cards_are_picked_up_after_settlement_and_can_be_rebuilt() -> None:
    """The boxes are discarded one by one after the last wager was settled."""
    bench = table()
    play(bench, "4s 9d 6h", 1000)
    told = [type(found) for found in last_round(bench, Fact)]
    assert told.index(fact.CardsDiscarded) > told.index(fact.WagerSettled)
    discarded = [(found.hand, found.cards) for found in bench.all(fact.CardsDiscarded)]
    assert [("left", cards("4s")), ("right", cards("9d")), ("middle", cards("6h"))] == discarded


def test_6_5_k_worked_example_16() -> None:
    """The cutting card between the second and third card: the round is finished, then the deck must be shuffled.

    Sections 6.3, 36.4(a).
    """
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s 9d")
    told = bench.read("card-shoe", read.ShoeCuttingCardOut())
    assert fact.DeckCuttingCardOut("red", "13:69F-6.5(k)") in told
    bench.say(say.CloseOffer())
    bench.draw("6h")
    assert net(settled(bench)) == 1000
    assert fact.Place.RACK is bench.table.custody.find("red").place
    assert bench.table._awaited().step == "between"


def test_6_5_k_without_the_cutting_card_the_next_round_follows_from_the_same_shoe() -> None:
    """The next round opens by itself with what is left in the shoe."""
    bench = table()
    play(bench, "4s 9d 6h", 1000)
    assert bench.table.round_number == 2
    assert bench.table.deck_in_shoe().left == 6 * 52 - 3


def test_36_14_a_one_card_face_up_is_put_aside_and_a_second_voids_and_reshuffles() -> None:
    """One card found face up is not used; a second in the same round voids it, and the shoe is shuffled."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s")
    bench.read("card-shoe", read.ShoeFaceUpFound())
    assert bench.table._awaited().step == "deal"
    bench.read("card-shoe", read.ShoeFaceUpFound())
    assert bench.found(fact.RoundVoided)[0].clause == "13:69F-36.14(a)"
    assert (settled(bench)[0].clause, settled(bench)[0].returned) == ("13:69F-36.14(a)", 1000)
    assert fact.Place.RACK is bench.table.custody.find("red").place


def test_36_14_a_face_up_cards_are_counted_for_each_round() -> None:
    """One card face up in each of two rounds voids neither."""
    bench = table()
    for _ in range(2):
        bench.read("card-shoe", read.ShoeFaceUpFound())
        play(bench, "4s 5d", 1000)
    assert not bench.all(fact.RoundVoided)


def test_the_shoe_runs_out_before_its_cutting_card() -> None:
    """A shoe that empties without a cutting card is an irregularity, and is shuffled after the round."""
    bench = table()
    bench.draw("4s")
    bench.read("card-shoe", read.ShoeEmptied())
    assert bench.found(fact.IrregularityFound)[0].reading == "shoe.emptied"
    bench.say(say.VoidRound("no card is left"))
    assert fact.Place.RACK is bench.table.custody.find("red").place


def test_36_12_and_36_13_who_may_wager_where() -> None:
    """Three people share a position at most; a named player's second position needs the licensee's word."""
    bench = table()
    for owner in ("ann", "bob", "cy"):
        assert isinstance(bench.say(say.PlaceWager("1", "original", 1000, owner))[0], fact.WagerPlaced)
    assert refusal(bench.say(say.PlaceWager("1", "original", 1000, "di"))).clause == "13:69F-36.12(a), 36.13"
    assert refusal(bench.say(say.PlaceWager("2", "original", 1000, "ann"))).clause == "13:69F-36.12(a), 36.13"
    bench = table(house=ruled(**{"several positions": True}))
    for hand in ("1", "5"):
        assert isinstance(bench.say(say.PlaceWager(hand, "original", 1000, "ann"))[0], fact.WagerPlaced)


def test_685a_7_c_a_card_is_burned_where_the_house_says_so() -> None:
    """58 Pa. Code 685a.7(c): one for the new shoe, one for a new dealer; it closes no wager."""
    bench = table(house=ruled(burn=True))
    bench.draw("Ks")
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s 5d")
    assert [told.hand for told in bench.all(fact.CardsDiscarded)][:1] == ["burn"]
    bench.say(say.SignOn("D7"))
    assert bench.table._awaited().hand == "burn"


@pytest.mark.parametrize("decks", [1, 2, 4, 6, 8])
def test_6_1_a_shoe_holds_as_many_packs_as_the_house_plays_with(decks: int) -> None:
    """Packs of 52 cards without a joker; a shoe that counts another number opens no round."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE, house=ruled(decks=decks)), ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.new_deck("red")
    assert bench.table.custody.size == 52 * decks
    assert Card.JOKER not in bench.terms.composition.cards()


def test_cards_called_give_the_same_settlement_as_cards_seen() -> None:
    """What the dealer calls settles as what the shoe reads."""
    seen, told = table(), called()
    play(seen, "4s 7d 5h", 1000, 700)
    told.say(say.PlaceWager("1", "original", 1000))
    told.draw("4s 7d")
    told.say(say.Call("spread", "2"))
    told.say(say.Decide("1", "raise", 700))
    told.say(say.CloseOffer())
    told.draw("5h")
    told.say(say.Call("third card", "between"))
    assert settled(seen) == settled(told)


def test_called_cards_never_reach_a_fact() -> None:
    """Where the dealer calls, a shoe's card is no fact, even if its driver tells it."""
    bench = called()
    bench.draw("4s 7d")
    text = b"".join(map(encode, bench.facts)).decode()
    assert "4s" not in text
    assert "7d" not in text
    assert not any(due.face_up for due in bench.all(fact.CardDue))


def test_presence_carries_clause_and_odds_by_chips() -> None:
    """Where no amount is known the settlement names clause and odds, and claims no sum."""
    bench = called(Wagers.PRESENCE)
    bench.say(say.PlaceWager("1", "original"))
    bench.draw("4s 7d")
    bench.say(say.Call("spread", "2"))
    bench.say(say.PlaceWager("1", "raise"))
    bench.say(say.CloseOffer())
    bench.draw("5h")
    bench.say(say.Call("third card", "between"))
    awaited = {(True, "13:69F-6.5(i)2", Odds(4, 1), None, None)}
    assert awaited == {(told.by_chips, told.clause, told.odds, told.amount, told.paid) for told in settled(bench)}
    assert [told.wager for told in settled(bench)] == ["original", "raise"]


def test_a_face_that_the_shoe_could_not_read_is_asked_for() -> None:
    """An unread card in an exposed box is named by the dealer, before the next one or after it."""
    bench = table()
    bench.read("card-shoe", read.ShoeCardDrawn())
    assert bench.table._awaited().prompt == "Card to right. Which card lies at left?"
    bench.say(say.ExposeCards("left", cards("4s")))
    bench.draw("5d")
    assert bench.all(fact.RoundJudged)[0].answer == "consecutive"


def test_a_card_that_the_deck_does_not_hold_is_an_irregularity_and_is_asked_for() -> None:
    """A joker that a shoe claims to read breaks nothing: the dealer says which card lies there."""
    bench = table()
    told = bench.read("card-shoe", read.ShoeCardDrawn(Card.JOKER))
    assert any(isinstance(found, fact.IrregularityFound) for found in told)
    assert bench.table._awaited().prompt.endswith("Which card lies at left?")


def test_commands_follow_their_cause() -> None:
    """The shoe is unlocked for one card at a time, and never while raises are open or no round runs."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s 9d")
    assert [due.hand for due in bench.all(fact.CardDue)] == ["left", "right"]
    bench.say(say.CloseOffer())
    assert [due.hand for due in bench.all(fact.CardDue)] == ["left", "right", "middle"]


@pytest.mark.parametrize(("wagers", "amount"), [(Wagers.PRESENCE, None), (Wagers.AMOUNTS, 1000)])
def test_touch_budget_an_ordinary_round_takes_four_touches_at_most(wagers: Wagers, amount: int | None) -> None:
    """With wagers repeated and every card called, the dealer touches the screen four times."""
    bench = called(wagers)
    bench.say(say.PlaceWager("1", "original", amount))
    bench.draw("4s 5d")
    bench.say(say.Call("spread", "consecutive"))
    before = sum(isinstance(said.body, Announcement) for said in bench.inputs)
    bench.say(say.RepeatWagers())
    bench.draw("4s 7d")
    bench.say(say.Call("spread", "2"))
    bench.say(say.CloseOffer())
    bench.draw("9h")
    bench.say(say.Call("third card", "not between"))
    assert bench.table.round_number == 3
    assert sum(isinstance(said.body, Announcement) for said in bench.inputs) - before == 4


# One touch back


def shown(bench: Bench) -> str:
    """Return what a display shows of the layout, folded from every fact that was told."""
    view = View("t01", "1")
    for seq, told in enumerate(bench.facts):
        view.fold(told, seq, "")
    return repr((view.state.positions, view.state.areas, view.state.awaited))


def test_undo_takes_back_what_no_card_has_followed() -> None:
    """Touch by touch the last announcements are taken back, and a display that follows the facts agrees."""
    bench, plain = table(), table()
    for at in (bench, plain):
        at.say(say.PlaceWager("1", "original", 1000))
    bench.say(say.PlaceWager("2", "original", 1000))
    bench.say(say.PlaceWager("9", "original", 1000))
    bench.say(say.PlaceWager("3", "original", 1000))
    bench.say(say.NoMoreBets())
    for undone, facts in (("place-wager", 2), ("place-wager", 2)):
        assert bench.say(say.Undo()) == (fact.AnnouncementUndone(undone, facts, "dealer"),)
    assert bench.table.round
    assert [key[0] for key in bench.table.round.ledger.wagers] == ["1"]
    assert shown(bench) == shown(plain)


def test_undo_ends_with_the_next_card() -> None:
    """Once a card was drawn, or a device moved for what was said, only a supervisor corrects."""
    bench = table()
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s")
    assert refusal(bench.say(say.Undo())).code == "undo"
    bench.draw("9s")
    bench.say(say.CloseOffer())
    assert refusal(bench.say(say.Undo())).awaited == "a supervisor's correction"


def test_undo_plays_the_round_again_under_its_own_rules() -> None:
    """A configuration that came after the round does not reach back into it."""
    bench = called()
    bench.others["three"] = replace(bench.terms, positions=3)
    bench.say(say.PlaceWager("5", "original", 1000))
    bench.draw("4s 5d")
    bench.read("card-shoe", read.ShoeCuttingCardOut())
    bench.say(say.Call("spread", "consecutive"))
    bench.say(say.Configure("three", "", "", "test"))
    bench.say(say.SignOn("D7"))
    bench.say(say.Undo())
    assert bench.table.dealer == ""
    assert bench.all(fact.WagerSettled)[0].outcome is Outcome.VOID
    assert (bench.table.terms.positions, bench.table.last_wagers[0].hand) == (3, "5")


def test_a_configuration_in_mid_round_waits_for_its_end() -> None:
    """The round is suspended, a supervisor lets it go on under the old rules, and the new ones follow it."""
    bench = table()
    bench.others["three"] = replace(bench.terms, positions=3)
    bench.say(say.PlaceWager("5", "original", 1000))
    told = bench.say(say.Configure("three", "", "", "test"))
    assert not any(isinstance(found, fact.TableConfigured) for found in told)
    assert bench.table._awaited().step == "suspended"
    bench.say(say.LiftSuspension("finish this round"))
    bench.draw("4s 5d")
    assert (bench.table.terms.positions, bench.table.round_number) == (3, 2)


def test_nothing_is_taken_before_the_configuration() -> None:
    """A table that was never configured refuses every announcement and knows no device."""
    unconfigured = Table(table().build)
    opening = say.OpenTable(("supervisor", "dealer"))
    for role, body in (("dealer", say.ReceiveDeck("red", "red")), ("supervisor", opening)):
        assert refusal(unconfigured.accept(Input(body, 0, role))).code == "not-configured"
    assert refusal(unconfigured.accept(Input(read.ShoeEmptied(), 0, "card-shoe"))).code == "device"


def test_void_hand_gives_back_one_hand_after_wagers_closed() -> None:
    """A ruling voids the open wagers of one named hand; before the close a wager is taken back instead."""
    bench = table()
    for hand in ("1", "2"):
        bench.say(say.PlaceWager(hand, "original", 1000))
    assert refusal(bench.say(say.VoidHand("1", "late"))).code == "round"
    bench.draw("4s 9d")
    assert refusal(bench.say(say.VoidHand("", "late"))).code == "hand"
    told = bench.say(say.VoidHand("1", "a wager was touched"))
    assert [(found.hand, found.returned) for found in told if isinstance(found, fact.WagerSettled)] == [("1", 1000)]
    assert refusal(bench.say(say.PlaceWager("1", "raise", 1000))).code == "hand"
    bench.say(say.CloseOffer())
    bench.draw("6h")
    assert [found.hand for found in bench.all(fact.WagerSettled)] == ["1", "2"]
