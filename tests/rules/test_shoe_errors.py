"""What 20:18:15:28 makes good at a shoe: it runs out in mid-round, or a card is drawn in error."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tablectl.cards import cards as cards_of
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.rulebook import Outcome
from tablectl.table import Table
from tablectl.terms import Dealing, Terms
from tests.blackjack import act, dealer, settled
from tests.tables import ATTACK, SPANISH, Bench, Habit, terms

CITES = "S.D. Admin. R. 20:18:15:28"
TABLES: dict[str, Callable[[], Terms]] = {
    "red dog": lambda: terms("red-dog", dealing=Dealing.SHOE),
    "spanish 21": lambda: terms("spanish-21", dealing=Dealing.SHOE, house=SPANISH, devices=("card-shoe", "reader")),
    "triple attack": lambda: terms("triple-attack-blackjack", dealing=Dealing.SHOE, house=ATTACK),
}


BLACKJACK = {
    "spanish 21": ("spanish-21", SPANISH, "spanish 21"),
    "triple attack": ("triple-attack-blackjack", ATTACK, "first attack"),
}
"""The game, the house and the first wager of the tables at which hands draw as they like."""


def run_out(plays: str, seed: int = 1) -> tuple[Bench, Habit]:
    """Play round after round without a cutting card, until a card is due that the shoe does not hold."""
    bench = Bench(TABLES[plays]())
    habit = Habit(bench, seed)
    while "short" not in bench.table.suspended:
        habit.go_on()
    return bench, habit


def lying(bench: Bench) -> int:
    assert bench.table.round is not None
    return sum(map(len, bench.table.round.hands.values()))


@pytest.mark.parametrize("plays", TABLES)
def test_20_18_15_28_the_discards_finish_the_round(plays: str) -> None:
    """20:18:15:28: shuffled by the dealer's word and back in the shoe, they are dealt; after it all are shuffled."""
    bench, habit = run_out(plays)
    assert CITES in bench.found(fact.TableSuspended)[-1].reason
    number = bench.table.round_number
    bench.say(say.ConfirmShuffle("red"))
    due = bench.terms.composition.size - lying(bench)
    assert bench.found(fact.DeckDiscardsShuffled) == [fact.DeckDiscardsShuffled("red", due, CITES)]
    assert bench.table.suspended.keys() == {"refill"}
    bench.read("card-shoe", read.ShoeLoaded(due))
    assert not bench.table.suspended
    assert bench.table.custody.find("red").left == due
    while bench.table.round and bench.table.round.number == number:
        habit.go_on()
    assert [told.result for told in bench.all(fact.RoundEnded)][-1] == "settled"
    assert bench.table.custody.find("red").place is fact.Place.RACK


def test_20_18_15_28_the_dealer_loads_a_shoe_that_tells_nothing() -> None:
    """Where no device says that the shoe is full again, the dealer does, and deals on by word."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE, devices=("reader",)))
    habit = Habit(bench, 2)
    while "short" not in bench.table.suspended:
        habit.go_on()
    for body in (say.ConfirmShuffle("red"), say.LoadDeck("red")):
        bench.say(body)
    assert not bench.table.suspended
    assert bench.table.custody.find("red").left == bench.terms.composition.size - lying(bench)


def test_20_18_15_28_a_wrong_number_in_the_shoe_keeps_the_round_on_hold() -> None:
    """A shoe that counts other than the discards must be is an irregularity, and deals nothing."""
    bench, _ = run_out("spanish 21")
    bench.say(say.ConfirmShuffle("red"))
    bench.read("card-shoe", read.ShoeLoaded(1))
    assert bench.found(fact.IrregularityFound)[-1].text == "the shoe counts 1 cards"
    assert bench.table.suspended.keys() == {"refill"}
    assert fact.RoundEnded("void") in bench.say(say.VoidRound("the count is wrong"))


def test_20_18_15_28_a_shoe_may_be_empty_before_the_record_knows() -> None:
    """The dealer who sees an empty shoe says so; the discards finish that round, too."""
    bench = Bench(TABLES["spanish 21"]())
    habit = Habit(bench, 3)
    while not (bench.table.round and bench.table.round.hands):
        habit.go_on()
    bench.say(say.ReportIrregularity("shoe empty"))
    assert bench.found(fact.IrregularityFound)[-1].clause == CITES
    bench.say(say.ConfirmShuffle("red"))
    bench.say(say.LoadDeck("red"))
    assert not bench.table.suspended


def test_no_discards_are_shuffled_into_a_deck_that_is_not_short() -> None:
    """Without a shoe that ran out, and in a game of stacks, a deck that is dealt from is not shuffled."""
    bench = Bench(TABLES["spanish 21"]())
    (refused,) = bench.say(say.ConfirmShuffle("red"))
    assert isinstance(refused, fact.AnnouncementRefused)
    stacks = Bench(terms("mississippi-stud"))
    assert isinstance(stacks.say(say.ConfirmShuffle("red"))[0], fact.AnnouncementRefused)


def test_the_last_card_of_the_shoe_may_be_one_out_of_turn() -> None:
    """A card that lies beside the shoe as the next one is there, although the shoe is empty."""
    bench = Bench(terms("red-dog", dealing=Dealing.SHOE))
    left = bench.terms.composition.size - 3
    for cards in ("8c 8d 9c", *("4s 5s",) * ((left - 3) // 2)):
        bench.say(say.PlaceWager("1", "original", 1000))
        bench.draw(cards)
    bench.say(say.PlaceWager("1", "original", 1000))
    bench.draw("4s 7d 5h")
    assert bench.table.suspended.keys() == {"out-of-turn"}
    bench.say(say.NextCard("it is the third card"))
    bench.say(say.CloseOffer())
    assert not bench.table.suspended
    bench.say(say.ConfirmDealt(cards_of("5h")))
    assert bench.all(fact.WagerSettled)[-1].outcome is Outcome.WIN


def test_a_card_beside_a_stack_shoe_makes_no_stack() -> None:
    """Six cards and one that came out of turn are not seven: no stack is ordered, and the round waits to be voided."""
    bench = Bench(terms("pai-gow-poker"))
    bench.say(say.PlaceWager("1", "pai gow poker", 1000))
    bench.say(say.NoMoreBets())
    for _ in range(5):
        bench.read("stack-shoe", read.ShoeCardDrawn())
    bench.say(say.NextCard("they are dealt next"))
    bench.say(say.AnnounceTotal(8))
    while due := next((due for due in bench.table.commands.values() if isinstance(due, fact.StackDue)), None):
        assert due.left >= due.size
        bench.read("stack-shoe", read.ShoeStackDispensed(due.command, due.stack, due.size, due.left - due.size))
        bench.read("stack-shoe", read.ShoeStackTaken(due.stack))
    assert bench.table.suspended.keys() == {"short"}


def test_a_round_finished_with_discards_replays_alike() -> None:
    """The same inputs give the same facts, and a restart in mid-shuffle knows what it waits for."""
    bench, _ = run_out("triple attack")
    bench.say(say.ConfirmShuffle("red"))
    again = Table(bench.build)
    assert [again.accept(said) for said in bench.inputs] == bench.answers
    assert again.suspended == bench.table.suspended


# Two batches of a shoe game


def test_633a_3_b_two_batches_take_turns_every_shoe() -> None:
    """58 Pa. Code 633a.3(b): of two batches one is dealt while the other is shuffled; neither twice in a row."""
    bench = Bench(terms("spanish-21", dealing=Dealing.SHOE, devices=("card-shoe", "shuffler")))
    assert isinstance(bench.say(say.ReceiveDeck("blue", "red"))[-1], fact.AnnouncementRefused)  # the same backs
    bench.say(say.ReceiveDeck("blue", "blue"))
    size = bench.terms.composition.size
    bench.read("shuffler", read.ShufflerStarted())
    bench.read("shuffler", read.ShufflerFinished(count=size))
    bench.read("card-shoe", read.ShoeCuttingCardOut())
    bench.say(say.VoidRound("the shoe is over"))
    assert bench.table.custody.at(fact.Place.RACK) == bench.table.custody.find("red")
    bench.read("card-shoe", read.ShoeLoaded(size))
    assert bench.found(fact.RoundOpened)[-1].deck == "blue"


@pytest.mark.parametrize("ruling", [say.NextCard("the next hand takes it"), say.BurnCard("nobody takes it")])
@pytest.mark.parametrize("plays", BLACKJACK)
def test_20_18_15_28_a_card_drawn_in_error_is_the_next_card_or_burned(
    plays: str, ruling: say.NextCard | say.BurnCard
) -> None:
    """20:18:15:28: taken back from the hand that did not want it, it goes to the next that draws, or is burned."""
    game, house, wager = BLACKJACK[plays]
    bench = Bench(terms(game, dealing=Dealing.SHOE, house=replace(house, options={"burn": False})))
    for hand in ("1", "2"):
        bench.say(say.PlaceWager(hand, wager, 1000))
    bench.draw("8c7c9h6d6c")
    bench.read("card-shoe", read.ShoeCardDrawn())
    act(bench, "4h")
    left = bench.table.deck_in_shoe().left
    bench.say(say.ReportIrregularity("card drawn in error", "1"))
    assert bench.found(fact.CardsTakenAway) == [fact.CardsTakenAway("1", cards_of("4h"), CITES)]
    assert bench.table.suspended.keys() == {"out-of-turn"}
    bench.say(ruling)
    assert bench.table.deck_in_shoe().left == left
    act(bench, "stand")
    if isinstance(ruling, say.NextCard):
        bench.say(say.ConfirmDealt(cards_of("4h")))
    else:
        act(bench, "3s")
    assert bench.table.round is not None
    assert bench.table.round.hands["1"] == [*cards_of("8c 6d")]
    assert len(bench.table.round.hands["2"]) == 3
    act(bench, "stand")
    dealer(bench, "9d")
    assert {told.hand for told in settled(bench)} == {"1", "2"}
