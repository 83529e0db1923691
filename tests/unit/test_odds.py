"""Figures of pay tables: those that are published, and those that two ways of finding them must agree on."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt
from pathlib import Path
from random import Random

import msgspec
import pytest
from typer import Typer
from typer.testing import CliRunner, Result

from tablectl.cards import PACK, WITH_JOKER_53, Card, Rank
from tablectl.cli.odds import odds
from tablectl.errors import ConfigError
from tablectl.games import GAMES
from tablectl.hands.blackjack import DEALER_HANDS
from tablectl.hands.four_card_poker import compare, four_card_hand
from tablectl.odds import Inquiry, count, play, simulation
from tablectl.odds.exact import four_card_poker, mississippi_stud
from tablectl.odds.exact.paying import lost
from tablectl.odds.figures import enumerated
from tablectl.odds.inquiry import STAKE
from tablectl.odds.kinds import KINDS, estimate
from tablectl.odds.simulation import shuffled, simulate
from tablectl.odds.strategies import STRATEGIES
from tablectl.odds.strategies.mississippi_stud import by_cards

BONUS = Path("config/house/pai-gow-poker-bonus.toml").read_text(encoding="utf-8")
PAI_GOW = Inquiry("pai-gow-poker", "bonus", BONUS)


@pytest.mark.parametrize(("decks", "edge"), [(1, "523/16575"), (8, "30721/1116765")])
def test_red_dog_costs_what_is_published(decks: int, edge: str) -> None:
    """Every deal of red dog, raised in full from a spread of seven on, costs what was published."""
    assert edge == count(Inquiry("red-dog", decks=decks)).house_edge_exact


def test_red_dog_costs_what_is_published_for_all_that_is_wagered() -> None:
    """Of all that is wagered at red dog with one deck 2.671775 % is lost."""
    assert round(100 * count(Inquiry("red-dog", decks=1)).element_of_risk, 6) == 2.671775


def test_no_other_least_spread_to_raise_on_is_better() -> None:
    """Raising always, or never, costs more for each wager than raising from seven on."""
    best, never, always = (
        count(Inquiry("red-dog", decks=1, strategy=name)) for name in ("best", "never-raises", "always-raises")
    )

    assert best.house_edge < min(never.house_edge, always.house_edge)


@pytest.mark.parametrize(
    ("wager", "percent", "hands"), [("three-card bonus", 3.858960, 23_426), ("seven-card bonus", 7.827854, 154_143_080)]
)
def test_bonus_wagers_cost_what_is_published(wager: str, percent: float, hands: int) -> None:
    """Both bonus wagers of pai gow poker cost over all hands what was published for these odds."""
    figures = count(PAI_GOW, wager)

    assert (percent, hands) == (round(100 * figures.house_edge, 6), figures.rounds)


def test_insurance_costs_what_is_published() -> None:
    """Insurance at six decks of Spanish 21 costs 24.7387 %."""
    assert round(100 * count(Inquiry("spanish-21"), "insurance").house_edge, 4) == 24.7387


def test_mississippi_stud_costs_what_is_published() -> None:
    """Best play loses 4.914858 % of the ante, and wagers 3.589772 antes where choices that cost the same wager on."""
    figures = count(Inquiry("mississippi-stud"))

    assert (round(100 * figures.house_edge, 6), round(figures.average_wager, 6)) == (4.914858, 3.589772)


def test_the_published_stud_strategy_is_best_play() -> None:
    """What the strategy in words bets on cards seen is what the count of every deal bets on them."""
    pack = Inquiry("mississippi-stud").terms.composition.cards()
    stud = mississippi_stud.Stud(Inquiry("mississippi-stud").rules, pack)
    plan, chance = stud.plan(), Random(3)
    for _ in range(2_000):
        five = chance.sample(pack, 5)
        wagered = 1
        for seen in range(2, 5):
            bet = by_cards(five[:2], five[2:seen])[1]
            assert bet == plan[seen, wagered][stud.number(five[:seen])], five[:seen]
            if not bet:
                break
            wagered += int(bet)


def test_four_card_poker_counts_what_is_found_one_by_one() -> None:
    """Out of twelve cards best play costs what trying every choice against every hand of the dealer finds."""
    rules = Inquiry("four-card-poker").rules
    pack = [card for card in PACK if card.rank in (Rank.TWO, Rank.THREE, Rank.FOUR)]
    table = rules.table("automatic bonus")
    bonus = {name: -lost(table[name]) for name in table.lines}
    whole = deals = 0
    for own in combinations(pack, 5):
        for up in (card for card in pack if card not in own):
            rest = [card for card in pack if card not in own and card is not up]
            each = [lost(rules[compare(own, (*five, up))]) for five in combinations(rest, 5)]
            paid = bonus.get(four_card_hand(own), 0) * len(each)
            whole += min(len(each) * STAKE, *((1 + times) * sum(each) - paid for times in (1, 2, 3)))
            deals += len(each)

    account = four_card_poker.play_all(four_card_poker.FourCards(pack), rules)
    figures = enumerated(Inquiry("four-card-poker"), "ante", account, best=True)
    assert (deals, str(Fraction(whole, deals * STAKE))) == (figures.rounds, figures.house_edge_exact)


def test_chance_comes_near_what_is_counted() -> None:
    """Rounds of red dog by chance lose what every deal loses, within three standard errors."""
    inquiry = Inquiry("red-dog", decks=1)
    played = play(inquiry, 20_000, seed=5)

    assert abs(played.house_edge - count(inquiry).house_edge) < 3 * played.standard_error
    assert played.standard_error == pytest.approx(0.0115, rel=0.1)


@pytest.mark.parametrize(
    ("game", "edge", "rounds"), [("mississippi-stud", 0.04914858, 2_000), ("spanish-21", 0.0037, 2_000)]
)
def test_strategies_lose_what_is_published(game: str, edge: float, rounds: int) -> None:
    """Rounds by chance, played by the best strategy in words, lose what is published, within three standard errors."""
    played = play(Inquiry(game), rounds, seed=11)

    assert abs(played.house_edge - edge) < 3 * played.standard_error


@pytest.mark.parametrize(
    ("inquiry", "wager", "runs", "rounds"),
    [(Inquiry("red-dog", decks=1), "original", 150, 100), (PAI_GOW, "three-card bonus", 60, 15)],
)
def test_standard_errors_are_as_large_as_they_are_said(inquiry: Inquiry, wager: str, runs: int, rounds: int) -> None:
    """Many runs miss what is counted by as much as they say of themselves, in the edge and in how often a hit comes."""
    exact = count(inquiry, wager)
    first = exact.frequencies[0]
    tallies = [simulation.play(inquiry, f"{seed}", rounds)[wager] for seed in range(runs)]
    hits = [hit for hit in tallies[0].hits if (hit.shown, hit.odds) == (first.shown, first.odds)]

    edges = [(float(it.house_edge) - exact.house_edge, it.standard_error) for it in tallies]
    shares = [(it.frequency(hits[0]) - first.frequency, it.frequency_error(hits[0])) for it in tallies]
    assert [_misses(edges), _misses(shares)] == pytest.approx([1, 1], abs=0.4)


class _ByLeftCard:
    """Rounds of red dog by whether their first card is a middle one."""

    def __init__(self, inquiry: Inquiry) -> None:
        del inquiry
        self.chances = {"middle": Fraction(5, 13), "other": Fraction(8, 13)}

    def of(self, hands: Mapping[str, Sequence[Card]], deck: Iterator[Card]) -> str:
        del deck
        return "middle" if Rank.SIX <= hands["left"][0].rank <= Rank.TEN else "other"


def test_rounds_that_are_weighed_by_kind_miss_no_more_than_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in which each kind of round counts as often as it should miss what is counted by as much as they say."""
    inquiry = Inquiry("red-dog", decks=1)
    exact = count(inquiry).house_edge
    monkeypatch.setitem(KINDS, "red-dog", _ByLeftCard)
    accounts = [simulation.play(inquiry, f"{seed}", 100)["original"] for seed in range(150)]
    found = [(float(edge) - exact, error) for edge, error in (estimate(inquiry, it) for it in accounts)]

    assert _misses(found) == pytest.approx(1, abs=0.4)
    assert all(estimate(inquiry, it).edge != it.house_edge for it in accounts if len(it.kinds) > 1)


@pytest.mark.parametrize("game", KINDS)
def test_the_dealer_s_hands_come_as_often_as_counted(game: str) -> None:
    """In rounds by chance each hand of the dealer's comes as often as it does out of a whole deck, within four sigma,
    whatever the players drew before.
    """
    inquiry, rounds = Inquiry(game), 1_000
    chances = KINDS[game](inquiry).chances
    came = simulation.play(inquiry, "1", rounds)[inquiry.wagers[0]].kinds
    assert sum(chances.values()) == 1
    for hand in DEALER_HANDS:
        chance = float(sum(part for kind, part in chances.items() if kind.endswith(f" {hand}")))
        number = sum(part.weight for kind, part in came.items() if kind.endswith(f" {hand}"))
        assert abs(number - rounds * chance) < 4 * sqrt(rounds * chance * (1 - chance)), hand


def test_the_dealer_s_blackjack_comes_as_often_as_two_cards_do() -> None:
    """Out of six decks of 48 an ace and a face card come in either order, 2 x 24 x 72 of 288 x 287 times."""
    chances = KINDS["spanish-21"](Inquiry("spanish-21")).chances

    assert chances["11 blackjack"] + chances["10 blackjack"] == Fraction(2 * 24 * 72, 288 * 287)


def test_kinds_are_weighed_only_where_all_came() -> None:
    """A run too short to know every kind of round says what its rounds came to; a long one is surer than that."""
    inquiry = Inquiry("spanish-21")
    short, long = (simulation.play(inquiry, "1", rounds)["spanish 21"] for rounds in (50, 2_000))

    assert estimate(inquiry, short) == (short.house_edge, short.standard_error)
    assert estimate(inquiry, long).error < 0.65 * long.standard_error


def test_cores_change_nothing() -> None:
    """The same seed and number of rounds come to the same on one core and on two."""
    inquiry = Inquiry("red-dog")

    assert simulate(inquiry, 2_500, seed=1, cores=1) == simulate(inquiry, 2_500, seed=1, cores=2)


def test_shuffled_deals_each_card_once() -> None:
    """A deck that is dealt out by chance is the deck."""
    deck = list(WITH_JOKER_53.cards())

    assert sorted(WITH_JOKER_53.cards()) == sorted(shuffled(deck, Random(1)))


@pytest.mark.parametrize(
    ("inquiry", "problem"),
    [
        ({"game": "whist"}, "GAME: awaited one of red-dog"),
        ({"game": "red-dog", "variant": "bonus"}, "--variant: awaited one of base"),
        ({"game": "red-dog", "strategy": "lucky"}, "--strategy: awaited one of best"),
        ({"game": "pai-gow-poker", "decks": 2}, "--decks: the rules leave no choice of decks"),
        ({"game": "red-dog", "decks": 9}, "awaited one of 1, 2, 3, 4, 5, 6, 7, 8, found 9"),
    ],
)
def test_what_cannot_be_asked_is_refused(inquiry: dict[str, object], problem: str) -> None:
    """What has no answer is refused with what was awaited."""
    with pytest.raises(ConfigError) as refused:
        msgspec.convert(inquiry, Inquiry)

    assert problem in str(refused.value)


def test_odds_below_the_minimum_are_refused_with_the_section() -> None:
    """A house file that pays less than the rules allow has no figures, but a section."""
    house = 'game = "red-dog"\nname = "Low"\nstanding = "house"\n[tables.spread]\n1 = "4 to 1"\n'
    with pytest.raises(ConfigError) as refused:
        Inquiry("red-dog", house=house)

    assert "13:69F-6.5(i)2 allows no less than 5 to 1" in str(refused.value)


def test_what_only_a_house_can_say_is_asked_for() -> None:
    """Supreme pai gow has no figures without a house file, and says what is not known."""
    with pytest.raises(ConfigError) as refused:
        Inquiry("supreme-pai-gow")

    assert "areas without a wager, below pairs, joker, copies" in str(refused.value)


def test_every_game_can_be_asked_about() -> None:
    """For every game there is a strategy."""
    assert set(STRATEGIES) == set(GAMES)


def test_higher_odds_cost_the_players_less() -> None:
    """A house that pays a spread of one 6 to 1 keeps less than the legal minimum lets it."""
    house = 'game = "red-dog"\nname = "High"\nstanding = "house"\n[tables.spread]\n1 = "6 to 1"\n'

    assert count(Inquiry("red-dog", house=house)).house_edge < count(Inquiry("red-dog")).house_edge


def test_json_tells_what_a_program_needs() -> None:
    """The JSON of an enumeration holds numbers, fractions as text, and how they were found."""
    found = _odds("red-dog", "--decks", "1", "--exact", "--json")
    told = msgspec.json.decode(found.stdout)

    assert found.exit_code == 0
    assert tuple(told[key] for key in ("game", "house_edge_exact", "rounds", "standard_error", "method")) == (
        "red-dog",
        "523/16575",
        132_600,
        0.0,
        "enumeration",
    )
    assert pytest.approx(523 / 16575) == told["house_edge"]
    assert told["element_of_risk"] * told["average_wager"] == pytest.approx(told["house_edge"])


def test_the_page_shows_what_is_printed() -> None:
    """The example on the page is what the command prints."""
    shown = Path("docs/odds.md").read_text(encoding="utf-8").split("```")[1].splitlines()[1:]
    printed = _odds(*shown[0].split()[3:]).stdout.splitlines()

    assert [line for line in shown[1:] if line != "..."] == [line.rstrip() for line in printed[: len(shown) - 2]]


def test_what_nobody_counts_is_said() -> None:
    """--exact for a wager that cannot be counted out ends with 78 and names those that can."""
    found = _odds("pai-gow-poker", "--exact")

    assert found.exit_code == 78
    assert "awaited --wager with one of three-card bonus, seven-card bonus" in found.stderr


def test_what_only_a_dealer_can_call_has_no_odds(tmp_path: Path) -> None:
    """A wager whose hands no rule names ends with 78 and names it."""
    house = tmp_path / "house.toml"
    own = 'game = "triple-attack-blackjack"\nname = "Own"\nstanding = "house"\noffers = ["second bonus"]\n'
    house.write_text(f'{own}[tables."second bonus"]\nany = "5 to 1"\n', encoding="utf-8")
    found = _odds("triple-attack-blackjack", "--house", str(house), "--rounds", "2")

    assert found.exit_code == 78
    assert "second bonus: no rule says what" in found.stderr


def test_numpy_is_asked_for_where_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without numpy an enumeration that needs it ends with 78 and says what to install; others do without."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    for module in ("sets", "mississippi_stud"):
        monkeypatch.delitem(sys.modules, f"tablectl.odds.exact.{module}", raising=False)
    found = _odds("mississippi-stud", "--exact")

    assert found.exit_code == 78
    assert "awaited pip install numpy" in found.stderr
    assert _odds("spanish-21", "--exact", "--wager", "insurance").exit_code == 0


def test_a_table_of_figures_names_clauses() -> None:
    """What is printed for people tells the edge, its standard error and the clause of each outcome."""
    found = _odds("red-dog", "--rounds", "200", "--cores", "1")

    assert found.exit_code == 0
    for text in ("house edge", "standard error", "13:69F-6.5(i)2", "200"):
        assert text in found.stdout


def test_a_run_that_was_kept_goes_on(tmp_path: Path) -> None:
    """A run that is stopped and goes on comes to what it would have come to at once."""
    kept = tmp_path / "kept.json"
    first = play(Inquiry("red-dog"), 3_000, seed=2, keep=kept, cores=1)
    whole = play(Inquiry("red-dog"), 6_000, seed=2, keep=kept, cores=1)

    assert (first.rounds, whole) == (4_000, play(Inquiry("red-dog"), 6_000, seed=2, cores=1))
    assert play(Inquiry("red-dog"), 100, seed=2, keep=kept, cores=1) == whole


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--seed", "4"), "awaited a run with seed 4, found 3"),
        (("--decks", "2"), "awaited a run with decks 2, found 1"),
    ],
)
def test_a_run_goes_on_only_where_it_was(tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    """A tally of other cards or rules is not added to; what differs is said."""
    kept = ("--rounds", "10", "--cores", "1", "--keep", str(tmp_path / "kept.json"))
    assert _odds("red-dog", "--decks", "1", "--seed", "3", *kept).exit_code == 0
    found = _odds("red-dog", "--decks", "1", "--seed", "3", *arguments, *kept)

    assert found.exit_code == 78
    assert problem in found.stderr


def test_what_is_no_tally_is_said(tmp_path: Path) -> None:
    """A file that no run kept is left as it is, and what is wrong with it is said."""
    kept = tmp_path / "kept.json"
    kept.write_text('{"about": 1}', encoding="utf-8")
    found = _odds("red-dog", "--rounds", "10", "--keep", str(kept))

    assert (found.exit_code, kept.read_text(encoding="utf-8")) == (78, '{"about": 1}')
    assert "awaited what a run kept" in found.stderr


def _misses(misses: list[tuple[float, float]]) -> float:
    """Return how much larger the squares of misses are than their standard errors say: one where these are right."""
    return sum(miss**2 for miss, _ in misses) / sum(error**2 for _, error in misses)


def _odds(*arguments: str) -> Result:
    app = Typer()
    app.command()(odds)
    return CliRunner().invoke(app, arguments)
