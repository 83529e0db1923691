"""Counting and playing agree, deal by deal: what the table settles is what an enumeration takes it to be."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random

import msgspec
import pytest

from tablectl.cards import PACK, Card, Rank
from tablectl.events.facts import (
    AnnouncementRefused,
    CardsDealt,
    CardsExposed,
    CardsSet,
    Fact,
    IrregularityFound,
    RoundBonusPaid,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerSettled,
)
from tablectl.games import spanish_21
from tablectl.games.four_card_poker import FORFEIT, PLAY
from tablectl.games.supreme_pai_gow import bonus_by
from tablectl.hands.blackjack import dealer_blackjack
from tablectl.hands.bonus import seven_card_bonus, three_card_bonus
from tablectl.hands.mississippi_stud import three_card_hand
from tablectl.odds import strategies
from tablectl.odds.croupier import Croupier
from tablectl.odds.exact import four_card_poker, mississippi_stud, red_dog
from tablectl.odds.exact.paying import lost
from tablectl.odds.inquiry import STAKE, Inquiry
from tablectl.odds.simulation import compare, shuffled
from tablectl.odds.strategies import Decision, Hands, Strategy
from tablectl.odds.strategies.mississippi_stud import by_cards
from tablectl.odds.strategies.strategy import Decide
from tablectl.odds.walk import Walk

PAI_GOW = Inquiry("pai-gow-poker", "bonus", Path("config/house/pai-gow-poker-bonus.toml").read_text(encoding="utf-8"))


def _rounds(inquiry: Inquiry, number: int, seed: int) -> Iterator[list[Fact]]:
    croupier, chance = Croupier(inquiry), Random(seed)
    deck = list(inquiry.terms.composition.cards())
    for _ in range(number):
        yield croupier.play(shuffled(deck, chance))


def _lost(facts: Iterable[Fact], hand: str, *wagers: str) -> int:
    """Return what a hand lost by these wagers, by all where none is named."""
    whole = 0
    for fact in facts:
        match fact:
            case WagerSettled(hand=where, wager=name) if where == hand and (not wagers or name in wagers):
                whole += (fact.amount or 0) - (fact.returned or 0) - (fact.paid or 0)
            case RoundBonusPaid(hand=where, wager=name) if where == hand and (not wagers or name in wagers):
                whole -= fact.amount or 0
    return whole


def _exposed(facts: Iterable[Fact], *hands: str) -> list[Card]:
    """Return the cards of these areas, in the order in which they were turned."""
    return [
        card
        for hand in hands
        for fact in facts
        if isinstance(fact, CardsExposed) and fact.hand == hand
        for card in fact.cards
    ]


def test_red_dog_deals_cost_what_their_class_costs() -> None:
    """A deal by chance loses what the deal that stands for its three ranks loses, whatever the suits."""
    inquiry = Inquiry("red-dog", decks=2)
    croupier = Croupier(inquiry)
    costs = {
        tuple(card.rank for card in cards): _lost(croupier.play(cards), "1")
        for cards, _ in red_dog.classes(inquiry.terms.composition)
    }
    pack, chance = inquiry.terms.composition.cards(), Random(1)
    for _ in range(500):
        cards = chance.sample(pack, 3)
        assert costs[tuple(card.rank for card in cards)] == _lost(croupier.play(iter(cards)), "1"), cards


def test_stud_hands_cost_what_the_plan_says() -> None:
    """Every hand of a sample of stud rounds bets by the plan and loses what the count takes it to lose."""
    inquiry = Inquiry("mississippi-stud")
    stud = mississippi_stud.Stud(inquiry.rules, inquiry.terms.composition.cards())
    streets = ("3rd street", "4th street", "5th street")
    folded = 0
    for facts in _rounds(inquiry, 60, seed=2):
        community = _exposed(facts, *streets)
        for hand in _hands(facts):
            bets = [
                fact for fact in facts if isinstance(fact, WagerPlaced) and fact.hand == hand and fact.wager in streets
            ]
            wagered = 1 + sum(bet.amount or 0 for bet in bets) // STAKE
            if len(bets) < len(streets):
                folded += 1
                assert _lost(facts, hand) == wagered * STAKE
            else:
                five = [*_exposed(facts, hand), *community]
                assert _lost(facts, hand) == wagered * stud.costs(five)
    assert folded


def test_what_stud_folds_the_plan_folds() -> None:
    """A hand that the table sees folded is one that the strategy folds on the cards that it saw, and no other."""
    inquiry = Inquiry("mississippi-stud")
    for facts in _rounds(inquiry, 40, seed=4):
        community = _exposed(facts, "3rd street", "4th street", "5th street")
        for hand in _hands(facts):
            own = _exposed(facts, hand)
            if len(own) == 2:
                assert all(by_cards(own, community[:seen])[1] for seen in range(3))


@pytest.mark.parametrize("choice", [(FORFEIT, 0), (PLAY, 1), (PLAY, 2), (PLAY, 3)])
def test_four_card_hands_cost_what_the_count_says(choice: Decision, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is chosen, a deal of twenty-four cards loses what the counted worths of both hands make it lose."""
    pack = [card for card in PACK if card.rank >= Rank.NINE]
    four = four_card_poker.FourCards(pack)
    inquiry = _alone("four-card-poker", partial(_always, choice), monkeypatch)
    croupier, chance = Croupier(inquiry), Random(5)
    for _ in range(100):
        dealt = chance.sample(pack, 11)
        own, dealer = dealt[:5], dealt[5:]
        facts = croupier.play(iter(dealt))
        cost = four.costs(_places(pack, own), _places(pack, dealer), inquiry.rules, int(choice[1]))
        assert cost == _lost(facts, "1", "ante", "play"), (own, dealer)


def _places(pack: list[Card], cards: list[Card]) -> list[int]:
    return sorted(map(pack.index, cards))


def test_bonus_wagers_cost_what_the_hands_are_counted_as() -> None:
    """Both bonus wagers of a sample of rounds lose what their pay tables say of the cards by themselves."""
    rules = PAI_GOW.rules
    for facts in _rounds(PAI_GOW, 60, seed=6):
        for hand in _hands(facts):
            three = _exposed(facts, hand)
            seven = next((*fact.high, *fact.low) for fact in facts if isinstance(fact, CardsSet) and fact.hand == hand)
            costs = {"three-card bonus": three_card_bonus(three), "seven-card bonus": seven_card_bonus(seven)}
            for wager, shown in costs.items():
                assert _lost(facts, hand, wager) == lost(rules.table(wager)[str(shown)])


def test_aces_up_costs_what_the_hand_is_counted_as() -> None:
    """Every aces up wager of a sample loses what its five cards are named by the count, whatever the dealer holds."""
    pack = [card for card in PACK if card.rank >= Rank.NINE]
    four, inquiry = four_card_poker.FourCards(pack), Inquiry("four-card-poker")
    table, croupier, chance = inquiry.rules.table("aces up"), Croupier(inquiry), Random(9)
    seen = set()
    for _ in range(60):
        facts = croupier.play(shuffled([*pack, *(card for card in PACK if card not in pack)], chance))
        for hand in _hands(facts):
            own = _exposed(facts, hand)
            if set(own) <= set(pack):
                name = four.name(_places(pack, own))
                seen.add(name)
                assert _lost(facts, hand, "aces up") == lost(table[name])
    assert len(seen) > 1


def test_three_card_bonuses_cost_what_the_community_cards_are_counted_as() -> None:
    """The bonus of Mississippi stud loses what the three community cards are named, on every hand alike."""
    house = Path("config/house/mississippi-stud.toml").read_text(encoding="utf-8")
    inquiry = Inquiry("mississippi-stud", house=house)
    table, seen = inquiry.rules.table("three-card bonus"), set()
    for facts in _rounds(inquiry, 80, seed=10):
        name = str(three_card_hand(_exposed(facts, "3rd street", "4th street", "5th street")))
        seen.add(name)
        assert {_lost(facts, hand, "three-card bonus") for hand in _hands(facts)} == {lost(table[name])}
    assert len(seen) > 1


def test_supreme_bonuses_cost_what_the_four_cards_are_counted_as() -> None:
    """The bonus of supreme pai gow loses what the count names its four cards, however they are set."""
    house = Path("config/house/supreme-pai-gow.toml").read_text(encoding="utf-8")
    inquiry = Inquiry("supreme-pai-gow", house=house)
    table, by, seen = inquiry.rules.table("bonus"), bonus_by(inquiry.rules), set()
    for facts in _rounds(inquiry, 80, seed=11):
        for told in facts:
            if isinstance(told, CardsSet) and told.hand != "dealer":
                name = by((*told.high, *told.low))
                seen.add(name)
                assert _lost(facts, told.hand, "bonus") == lost(table[name])
    assert len(seen) > 1


def test_insurance_costs_what_the_hole_card_is_counted_as() -> None:
    """Insurance loses half a wager, or wins twice that, as the hole card says."""
    inquiry = Inquiry("spanish-21", strategy="basic-insured")
    insured = 0
    for facts in _rounds(inquiry, 300, seed=7):
        wagers = [fact for fact in facts if isinstance(fact, WagerPlaced) and fact.wager == "insurance"]
        if wagers:
            insured += 1
            up = next(fact.cards[0] for fact in facts if isinstance(fact, CardsDealt) and fact.hand == "dealer")
            (hole,) = _exposed(facts, "dealer.hole")
            clause = spanish_21.insurance(inquiry.rules, dealer_blackjack((up,), (hole,)))
            assert {Fraction(lost(clause), 2)} == {Fraction(_lost(facts, wager.hand, "insurance")) for wager in wagers}
    assert insured


def test_nobody_decides_by_cards_that_lie_face_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy sees the cards of its own hand and those that lie open, and no others."""
    seen: list[set[str]] = []

    def look(hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
        del hand, answers
        seen.append(set(hands))
        return "bet", 1

    inquiry = _alone("mississippi-stud", look, monkeypatch)
    Croupier(inquiry).play(inquiry.terms.composition.cards())

    assert [{"1"}, {"1", "3rd street"}, {"1", "3rd street", "4th street"}] == seen


def _hands(facts: Iterable[Fact]) -> list[str]:
    placed = [fact.hand for fact in facts if isinstance(fact, WagerPlaced)]
    return list(dict.fromkeys(placed))


def _always(choice: Decision, hands: Hands, hand: str, answers: tuple[str, ...]) -> Decision:
    del hands, hand, answers
    return choice


def _alone(game: str, decide: Decide, monkeypatch: pytest.MonkeyPatch) -> Inquiry:
    """Return an inquiry in which one player decides like this, whatever is asked."""
    asked = ("play", "3rd street", "4th street", "5th street")
    monkeypatch.setitem(strategies.STRATEGIES[game], "this", Strategy("does this", dict.fromkeys(asked, decide)))
    inquiry = Inquiry(game, strategy="this")
    inquiry.__dict__["terms"] = msgspec.structs.replace(inquiry.terms, positions=1)
    return inquiry


EVERYTHING = [(game, name) for game, named in strategies.STRATEGIES.items() for name in named]


@pytest.mark.parametrize(("game", "name"), EVERYTHING)
def test_every_strategy_plays_to_the_end(game: str, name: str) -> None:
    """Every strategy finishes every round without a refusal, an irregularity or a void, each wager has its end, and a
    round that is walked through is told as the table tells it.
    """
    inquiry = Inquiry(game, house=_house(game), strategy=name)
    for walked, facts in _both(inquiry, 60):
        kinds = {type(fact) for fact in facts}
        placed = sum(isinstance(fact, WagerPlaced) for fact in facts)
        assert RoundSettled in kinds
        assert not kinds & {AnnouncementRefused, IrregularityFound, RoundVoided}
        assert placed == sum(isinstance(fact, WagerSettled) for fact in facts)
        compare(walked, facts)


OPTIONS = [
    ("pai-gow-poker", '"start by" = "generator"'),
    ("pai-gow-poker", "bank = true"),
    ("pai-gow-poker", '"low straight second" = false'),
    ("spanish-21", 'busts = "at once"'),
    ("spanish-21", "peek = false"),
    ("spanish-21", '"split aces" = "one card"'),
    ("spanish-21", '"split 21" = "blackjack"'),
    ("spanish-21", "rescue = false\nsurrender = false"),
]


@pytest.mark.parametrize(("game", "options"), OPTIONS)
def test_a_house_of_its_own_is_walked_through_as_it_is_played(game: str, options: str) -> None:
    """Whatever the house chose, a round that is walked through is told as the table tells it."""
    house = f'game = "{game}"\nname = "Own"\nstanding = "house"\n[options]\n{options}\n'
    for walked, facts in _both(Inquiry(game, house=house), 40):
        compare(walked, facts)


@pytest.mark.parametrize("variant", ["bonus", "bonus-hand"])
def test_bonus_tables_are_walked_through_as_they_are_played(variant: str) -> None:
    """A table with bonus wagers is walked through as it is played, whoever deals the last four cards."""
    for walked, facts in _both(Inquiry("pai-gow-poker", variant, PAI_GOW.house), 20):
        compare(walked, facts)


def test_a_walk_off_the_way_is_found() -> None:
    """A round that the table tells in another way is no figure, but an error that names the first difference."""
    (walked, facts), *_ = _both(Inquiry("red-dog"), 1)
    settled = next(at for at, fact in enumerate(walked) if isinstance(fact, WagerSettled))
    was = walked[settled]
    walked[settled] = msgspec.structs.replace(was, clause="none")
    with pytest.raises(RuntimeError, match="WagerSettled"):
        compare(walked, facts)


def test_a_step_that_nobody_answers_ends_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step at which the table awaits something, and for which nobody here has an answer, is said and not skipped."""
    monkeypatch.setattr("tablectl.odds.walk.ANSWERS", {})
    with pytest.raises(RuntimeError, match="nobody answers: OpenWagers"):
        Walk(Inquiry("mississippi-stud")).play(iter(PACK))


def _house(game: str) -> str:
    return Path(f"config/house/{game}.toml").read_text(encoding="utf-8")


def _both(inquiry: Inquiry, number: int) -> Iterator[tuple[list[Fact], list[Fact]]]:
    """Yield rounds as they are walked through, and the same cards as they are played at the table."""
    walk, croupier, chance = Walk(inquiry), Croupier(inquiry), Random(8)
    deck = list(inquiry.terms.composition.cards())
    for _ in range(number):
        walked = walk.play(shuffled(deck, chance))
        yield walked, croupier.play(iter(deck))
