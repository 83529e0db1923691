"""What every game has: its deck, closed wagers, an order of collection, counts, odds, limits and irregularities."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise

import pytest
from msgspec.structs import replace

from tablectl.cards import UNSEEN, Card
from tablectl.config.devices import Devices, missing
from tablectl.config.rules import least_cap, low_caps, wrong_positions
from tablectl.devices.contract import Kind
from tablectl.errors import ConfigError
from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events import readings as read
from tablectl.events.codec import Input
from tablectl.events.facts import Fact, Place
from tablectl.games import GAMES, rulebook_text
from tablectl.ledger import Ledger, Wager
from tablectl.money import EXACT, Direction, Odds, Rounding, parse_amount
from tablectl.rulebook import NOTICE, Cap, Clause, Freedom, HouseFile, Outcome, PayTable, Rulebook, Standing
from tablectl.terms import Dealing, Terms, Wagers, lowered
from tests.properties.test_table import TABLES, made
from tests.tables import Bench, Habit


@cache
def rules_of(game: str) -> Rulebook:
    return Rulebook.parse(rulebook_text(game))


NEW_JERSEY = [game for game in GAMES if rules_of(game).chapter.startswith("13:69F")]
"""The games of the regulation; one by house rules alone owes it nothing."""

terms_of = cache(made)
"""The terms of a table of the list, made once: nothing changes them."""
PLAYS = {terms_of(plays).game.name: plays for plays in reversed(TABLES)}
"""A table of each game."""
ONE_DECK = [plays for plays in TABLES if terms_of(plays).game.reshuffle == "round"]
COUNTED = [
    plays for plays in ONE_DECK if terms_of(plays).game.name in NEW_JERSEY and "shuffler" not in terms_of(plays).devices
]
"""Tables whose stub people count: no shuffler of theirs counts the deck."""


def started(plays: str, seed: int = 3) -> tuple[Bench, Habit]:
    """Return a table at which wagers were closed, and the habit that plays on."""
    bench = Bench(terms_of(plays))
    habit = Habit(bench, seed)
    while not (bench.table.round and bench.table.round.closed_by):
        habit.go_on()
    return bench, habit


def play_to(bench: Bench, habit: Habit, step: str, rounds: int = 30) -> bool:
    """Play on until this step is awaited; tell whether it ever was in so many rounds."""
    last = bench.table.round_number + rounds
    while bench.table.round_number < last:
        if bench.table._awaited().step == step:
            return True
        habit.go_on()
    return False


def refusal(facts: tuple[Fact, ...]) -> fact.AnnouncementRefused:
    refused = facts[-1]
    assert isinstance(refused, fact.AnnouncementRefused), refused
    return refused


# The deck


@pytest.mark.parametrize(
    ("game", "size", "jokers", "ranks"),
    [
        ("red-dog", 312, 0, 13),  # 6.1: six packs
        ("pai-gow-poker", 53, 1, 13),  # 11.2
        ("spanish-21", 288, 0, 12),
        ("four-card-poker", 52, 0, 13),
        ("supreme-pai-gow", 54, 2, 13),
        ("mississippi-stud", 52, 0, 13),
        ("triple-attack-blackjack", 384, 0, 12),
        ("mini-tex-3-card-holdem", 52, 0, 13),
    ],
)
def test_27_2_35_2_a_and_37_2_a_the_deck_of_each_game(game: str, size: int, jokers: int, ranks: int) -> None:
    """11.2, 34.2(a), 35.2(a), 36.2(a): so many cards, jokers only where the game has them, every rank equally often."""
    pack = GAMES[game].composition(Rulebook.parse(rulebook_text(game))).cards()
    counted = Counter(card.rank for card in pack if card is not Card.JOKER)
    assert len(pack) == size
    assert pack.count(Card.JOKER) == jokers
    assert len(counted) == ranks
    assert set(counted.values()) == {(size - jokers) // ranks}


@pytest.mark.parametrize("plays", ONE_DECK)
def test_34_6_a_35_4_a_and_37_4_a_the_deck_is_shuffled_after_each_round(plays: str) -> None:
    """11.6, 14.5(a), 27.5: after its round a deck lies out of play, and is not loaded again unshuffled."""
    bench, habit = started(plays)
    number = bench.table.round_number
    while bench.table.round and bench.table.round.number == number:
        habit.go_on()
    deck = bench.table.custody.find("red")
    assert not deck.shuffled
    assert refusal(bench.say(say.LoadDeck("red"))).awaited in {"a shuffled deck", "an empty shoe"}


@pytest.mark.parametrize("plays", TABLES)
def test_35_9_b_1_no_round_before_the_deck_is_shuffled_and_loaded(plays: str) -> None:
    """31.10(b)1, 35.4(a): a deck that was only received opens no round; 1.18(r): one that came pre-shuffled may."""
    bench = Bench(terms_of(plays), ready=False)
    bench.say(say.OpenTable(("supervisor", "dealer")))
    bench.say(say.ReceiveDeck("red", "red"))
    assert refusal(bench.say(say.LoadDeck("red"))).awaited == "a shuffled deck"
    assert not bench.all(fact.RoundOpened)
    other = Bench(terms_of(plays), ready=False)
    other.say(say.OpenTable(("supervisor", "dealer")))
    other.say(say.ReceiveDeck("red", "red", say.DeckSource.PRE_SHUFFLED, "S-7"))
    other.say(say.LoadDeck("red"))
    assert other.all(fact.RoundOpened)


VARIANTS = [(game, name) for game in GAMES for name in Rulebook.parse(rulebook_text(game)).variants]


@pytest.mark.parametrize(("game", "name"), VARIANTS)
def test_a_table_has_as_many_positions_as_its_layout(game: str, name: str) -> None:
    """1.10B(a), 1.13X(a), 31.10(e): any other number of positions is refused with the section; no number, none is."""
    variant = rules_of(game).variants[name]
    for positions in range(1, 13):
        allowed = not variant.positions or positions in variant.positions
        refused = [str(problem) for problem in wrong_positions(positions, variant)]
        assert bool(refused) is not allowed
        assert all(variant.cites in text for text in refused)


@pytest.mark.parametrize(("game", "name"), VARIANTS)
def test_hand_dealing_needs_a_machine_that_shuffles_where_the_rules_say_so(game: str, name: str) -> None:
    """663a.9(a)1, 680a.9(a)1: the poker games against the table may not be dealt by hand after a shuffle by hand."""
    variant = rules_of(game).variants[name]
    assert variant.shuffler == (("hand",) if game in POKER else ())
    if "hand" in variant.dealing:
        bare, with_one = ({index: (kind,) for index, kind in enumerate(kinds)} for kinds in ((), (Kind.SHUFFLER,)))
        refused = [str(problem) for problem in missing(Devices({}, bare, {}, {}), Dealing.HAND, variant)]
        assert bool(refused) is (game in POKER)
        assert all(variant.cites in text for text in refused)
        assert not list(missing(Devices({}, with_one, {}, {}), Dealing.HAND, variant))


POKER = ("mississippi-stud", "mini-tex-3-card-holdem", "four-card-poker")


# Wagers


@pytest.mark.parametrize("plays", TABLES)
def test_27_6_d_35_6_b_and_37_6_b_no_wager_changes_after_the_close(plays: str) -> None:
    """6.5(d), 11.17(c), 19.5(d), (h): what comes late has no action, and nothing that lies there is taken back."""
    bench, _ = started(plays)
    assert bench.table.round is not None
    before, closed_by = dict(bench.table.round.ledger.wagers), bench.table.round.closed_by
    amount = 1000 if bench.terms.wagers is Wagers.AMOUNTS else None
    for kind in bench.terms.rules.opening:
        told = bench.say(say.PlaceWager("5", kind.name, amount))
        assert told[0] == fact.WagerLate("5", kind.name, closed_by, amount)
        assert refusal(told).clause == closed_by
    for hand, owner, wager in before:
        assert refusal(bench.say(say.TakeBackWager(hand, wager, owner))).code == "not-awaited"
    assert bench.table.round.ledger.wagers == before


@pytest.mark.parametrize("game", NEW_JERSEY)
def test_27_6_b_34_7_a_and_37_6_a_cash_by_voice(game: str) -> None:
    """6.5(b), 19.5(c): a supervisor confirms it in the shoe games; 11.7, 34.7(a), 35.6(a): the others take none."""
    bench = Bench(terms_of(PLAYS[game]))
    main = bench.terms.rules.opening[0].name
    spoken = say.PlaceWager("1", main, 1000, form=say.WagerForm.CASH_BY_VOICE)
    for body in (spoken, replace(spoken, form=say.WagerForm.MATCH_PLAY, hand="2"), replace(spoken, hand="3")):
        told = bench.say(body)[0]
        assert isinstance(told, fact.WagerPlaced) is (body.form is not say.WagerForm.CASH_BY_VOICE)
    confirmed = bench.accept(Input(spoken, 0, say.Role.SUPERVISOR, by="S-3"))[0]
    shoe = bench.terms.game.reshuffle == "shoe"
    assert isinstance(confirmed, fact.WagerPlaced) is shoe


@pytest.mark.parametrize("game", NEW_JERSEY)
def test_a_player_has_one_position_and_two_only_where_the_house_allows_them(game: str) -> None:
    """11.12, 27.6(e), 34.13(a), 35.6(b), 36.13, 37.13: a named player's second position is refused with the section."""
    for allowed in (False, True):
        option = SECOND_POSITION[game]
        if allowed and not option:
            continue
        plays_by = terms_of(PLAYS[game])
        if allowed:
            own = rules_of(game).options[option]
            rules = replace_option(plays_by.rules, option, value=True)
            plays_by, clause = replace(plays_by, rules=rules), own.cites
            assert clause
        bench = Bench(plays_by)
        main = bench.terms.rules.opening[0].name
        bench.say(say.PlaceWager("1", main, 1000, "ann"))
        assert isinstance(bench.say(say.PlaceWager("2", main, 1000, "ann"))[0], fact.WagerPlaced) is allowed


SECOND_POSITION = {
    "red-dog": "several positions",
    "pai-gow-poker": "two areas",
    "mississippi-stud": "",
    "mini-tex-3-card-holdem": "",
    "four-card-poker": "two adjacent positions",
    "spanish-21": "several boxes",
    "supreme-pai-gow": "two areas",
    "triple-attack-blackjack": "several boxes",
}
"""The option by which a licensee allows a player more than one position; none where the rules know none."""


SHARING = {
    "red-dog": "people at a position",
    "spanish-21": "people on a box",
    "triple-attack-blackjack": "people on a box",
}


def replace_option(rules: Rulebook, name: str, *, value: int) -> Rulebook:
    """Return these rules with one option otherwise."""
    options = {**rules.options, name: replace(rules.options[name], value=value)}
    return Rulebook(
        rules._file, rules.clauses, rules.wagers, rules.caps, rules.tables, options, rules.offered, rules.limited
    )


# Collection


def collected(facts: list[Fact]) -> Iterator[tuple[str, tuple[Card, ...], tuple[Card, ...]]]:
    """Yield each area of a round in the order of collection, with what lay there and what was picked up."""
    lying: dict[str, list[Card]] = {}
    for told in facts:
        match told:
            case fact.CardsDealt(hand=hand, cards=cards):
                lying.setdefault(hand, []).extend(cards)
            case fact.CardsExposed(hand=hand, cards=cards):
                for card in cards:
                    lying[hand][lying[hand].index(UNSEEN)] = card
            case fact.CardsSet(hand=hand, high=high, low=low):
                del lying[hand]
                lying[f"{hand}.high"], lying[f"{hand}.low"] = list(high), list(low)
            case fact.RoundHandSplit(hand=hand, into=into):
                lying.update(zip(into, ([card] for card in lying.pop(hand)), strict=True))
            case fact.CardsDiscarded(hand=hand, cards=cards) if hand in lying:
                yield hand, tuple(lying.pop(hand)), cards
    assert not lying, "cards were left on the layout"


@pytest.mark.parametrize("plays", TABLES)
def test_27_10_f_and_19_7_h_each_hand_can_be_rebuilt_from_the_discards(plays: str) -> None:
    """6.5(j): hand after hand is picked up whole, its cards in the order in which they lay, and nothing stays."""
    bench = Bench(terms_of(plays))
    habit = Habit(bench, 5)
    while len(bench.all(fact.RoundEnded)) < 6:
        habit.go_on()
    starts = [at for at, told in enumerate(bench.facts) if isinstance(told, fact.RoundOpened)]
    seen = 0
    for start, end in pairwise(starts):
        for _, lay, picked in collected(bench.facts[start:end]):
            seen += 1
            assert picked == lay
    assert seen


# Counts


@pytest.mark.parametrize("plays", COUNTED)
@pytest.mark.parametrize(("misdealt", "whole"), [(True, True), (False, False), (True, False)])
def test_11_17_h_2_a_wrong_stub_voids_and_removes_the_deck_unless_a_misdeal_explains_it(
    plays: str,
    misdealt: bool,  # noqa: FBT001 - a table of cases
    whole: bool,  # noqa: FBT001 - a table of cases
) -> None:
    """11.11(h), 31.8(d)2, 35.9(e): void in any case; the deck stays only where all of its cards are there."""
    bench = Bench(terms_of(plays))
    if not play_to(bench, Habit(bench, 4), "count"):
        pytest.fail("no stub was ever counted")
    round_ = bench.table.round
    assert round_ is not None
    step = round_.procedure.step  # type: ignore[union-attr]
    left = bench.table.custody.size - round_.dealt
    hand, due = next(iter(step.held.items()))
    count = left - 1 if misdealt or not whole else left
    wrong = {hand: due + (1 if whole else -1)} if misdealt else {}
    deck = bench.table.deck_in_shoe().deck
    for _ in range(2):
        bench.say(say.CountStub(count, wrong))
    assert bench.all(fact.RoundVoided)[-1].clause == (step.misdeal if whole else step.removal).cites
    assert (bench.table.custody.decks[deck].place is Place.REMOVED) is not whole


@pytest.mark.parametrize("plays", ONE_DECK)
def test_35_12_b_and_36_14_a_a_second_card_face_up_voids_the_round(plays: str) -> None:
    """A card that a shoe finds face up is put aside unused, and counted out of the deck; the second voids the round."""
    bench, _ = started(plays)
    shoe = next((device for device in bench.terms.devices if device.endswith("shoe")), "")
    left = bench.table.deck_in_shoe().left
    assert left is not None

    def report() -> tuple[Fact, ...]:
        return bench.read(shoe, read.ShoeFaceUpFound()) if shoe else bench.say(say.ReportFaceUp())

    assert any(isinstance(told, fact.CardsDiscarded) for told in report())
    assert bench.table.deck_in_shoe().left == left - 1
    told = report()
    assert next(each for each in told if isinstance(each, fact.RoundVoided)).clause
    assert all(each.outcome is Outcome.VOID for each in told if isinstance(each, fact.WagerSettled))


@pytest.mark.parametrize("plays", ["pai gow poker, called", "supreme pai gow, called"])
def test_11_11_irregularities_of_both_pai_gow_games(plays: str) -> None:
    """A misdeal and a hand dealt to the wrong position void all hands; an exposed card is its player's to decide."""
    for what in ("misdeal", "wrong position"):
        bench, _ = started(plays)
        assert fact.RoundEnded("void") in bench.say(say.ReportIrregularity(what))
    bench, habit = started(plays)
    while not bench.found(fact.CardsDealt):
        habit.go_on()
    assert bench.table.round is not None
    hand = next(iter(bench.table.round.layout.wagers))
    bench.say(say.ReportIrregularity("player's card exposed", hand))
    assert bench.table.suspended.keys() == {"irregularity"}
    told = bench.say(say.VoidHand(hand, "the player chose so", "player's card exposed"))
    assert isinstance(told[0], fact.FloorRuled)
    assert told[0].clause == "13:69F-11.11"
    assert bench.table.round.ruled == {hand: "void"}


# Odds and limits


def tables_of(freedom: Freedom) -> list[tuple[str, PayTable]]:
    return [
        (game, table)
        for game in GAMES
        for table in rules_of(game).tables.values()
        if table.freedom is freedom and table.lines
    ]


def name_of(part: object) -> str:
    return getattr(part, "name", str(part))


def house(game: str, **parts: object) -> HouseFile:
    return HouseFile(game, "Test House", Standing.HOUSE, **parts)  # type: ignore[arg-type]


def problems(game: str, own: HouseFile) -> list[str]:
    return [
        str(problem)
        for problem in rules_of(game).problems(own)
        if problem.key[:1] == ("tables",) and problem.key[1] in own.tables
    ]


@pytest.mark.parametrize(("game", "table"), tables_of(Freedom.MINIMUM), ids=name_of)
def test_6_5_i_3_and_34_12_a_higher_odds_are_played_and_lower_ones_refused(game: str, table: PayTable) -> None:
    """Each line of a minimum table may pay more, for everybody at the table, and never less, with its section."""
    for line, odds in table.lines.items():
        better, worse = f"{odds.win + 1} to {odds.stake}", f"{odds.win} to {odds.stake + 1}"
        assert not problems(game, house(game, tables={table.name: {line: better}}))
        (refused,) = problems(game, house(game, tables={table.name: {line: worse}}))
        assert table.cites in refused
        raised = table.under({line: better}, Standing.HOUSE)
        assert raised[line].odds == Odds.parse(better)
        assert {other: raised[other].odds for other in table.lines if other != line} == {
            other: table[other].odds for other in table.lines if other != line
        }


@pytest.mark.parametrize(("game", "table"), tables_of(Freedom.FIXED), ids=name_of)
def test_11_20_b_and_35_11_fixed_odds_stay_what_they_are(game: str, table: PayTable) -> None:
    """No line of a fixed table may be changed, up or down, or left out."""
    for line, odds in table.lines.items():
        for changed in (f"{odds.win + 1} to {odds.stake}", f"{odds.win} to {odds.stake + 1}"):
            (refused,) = problems(game, house(game, tables={table.name: {line: changed}}))
            assert table.cites in refused


def everything_paid(game: str) -> list[PayTable]:
    tables = terms_of(PLAYS[game]).rules.tables.values()
    return [table for table in tables if table.lines and table.freedom is not Freedom.FIXED]


@pytest.mark.parametrize("game", [game for game in GAMES if everything_paid(game)])
def test_8_3_any_line_that_pays_less_than_before_is_a_decrease(game: str) -> None:
    """In every game a line that pays less, or none any more, is named with both odds; one that pays more is not."""
    plays_by = terms_of(PLAYS[game])
    for table in everything_paid(game):
        for line, odds in table.lines.items():
            more = with_line(plays_by, table, line, Odds(odds.win + 1, odds.stake))
            assert lowered(plays_by, more) == ()
            assert lowered(more, plays_by) == (f"{table.name}, {line}: {Odds(odds.win + 1, odds.stake)} to be {odds}",)


def with_line(plays_by: Terms, table: PayTable, line: str, odds: Odds) -> Terms:
    """Return terms that pay one line of a table otherwise."""
    rules = plays_by.rules
    tables = {**rules.tables, table.name: replace(table, lines={**table.lines, line: odds})}
    changed = Rulebook(
        rules._file, rules.clauses, rules.wagers, rules.caps, tables, rules.options, rules.offered, rules.limited
    )
    return replace(plays_by, rules=changed)


@pytest.mark.parametrize("game", [game for game in GAMES if everything_paid(game)])
def test_8_3_a_decrease_waits_for_its_notice_and_never_changes_a_round(game: str) -> None:
    """Without a notice it is refused with the section, and the round is played and paid by the odds it opened with."""
    plays_by = terms_of(PLAYS[game])
    table = everything_paid(game)[0]
    line, odds = next(iter(table.lines.items()))
    higher = with_line(plays_by, table, line, Odds(odds.win + 1, odds.stake))
    bench = Bench(higher)
    bench.others["lower"] = plays_by
    with pytest.raises(ConfigError, match=NOTICE):
        bench.say(say.Configure("lower", "", "", "test"))
    assert bench.table.terms is higher
    habit = Habit(bench, 6)
    while not (bench.table.round and bench.table.round.closed_by):
        habit.go_on()
    bench.others["other"] = replace(higher, positions=higher.positions - 1 or 1)
    bench.say(say.Configure("other", "", "", "test"))
    assert bench.table.round is not None
    assert bench.table.round.terms is higher
    assert bench.table.suspended


CAPS = [(game, cap) for game in GAMES for cap in rules_of(game).caps.values()]


@pytest.mark.parametrize(("game", "cap"), CAPS, ids=name_of)
@pytest.mark.parametrize("minimum", ["1.00", "5.00", "50.00", "100.00"])
def test_11_20_d_and_35_11_a_limit_is_the_greater_of_an_amount_and_the_most_one_could_win(
    game: str, cap: Cap, minimum: str
) -> None:
    """A limit below the greater of the two is refused with section, both amounts and the minimum; that one is taken."""
    rules = rules_of(game)
    wager = (cap.wagers or (cap.name,))[0]
    tables = {name: rules.tables[name] for name in cap.tables}
    times = rules.option(cap.times) if isinstance(cap.times, str) else cap.times
    highest = sum(max(odds.ratio for odds in table.lines.values()) for table in tables.values())
    least = least_cap(cap, rules, int(float(minimum) * 100), "USD")
    assert least == max(int(float(cap.least) * 100), int(float(minimum) * 100) * times * highest)
    for amount, allowed in ((least, True), (least - 1, False)):
        own = house(game, caps={cap.name: f"{amount // 100}.{amount % 100:02}"})
        refused = [str(problem) for problem in low_caps(own, rules, {wager: minimum}, "USD")]
        assert bool(refused) is not allowed
        assert all(cap.cites in text and minimum in text for text in refused)


@pytest.mark.parametrize(("game", "cap"), CAPS, ids=name_of)
def test_11_20_d_what_is_cut_to_a_limit_says_so(game: str, cap: Cap) -> None:
    """The highest line on a large wager is paid up to the limit, marked as capped, and the stake comes back whole."""
    table = rules_of(game).tables[cap.tables[0]]
    line = max(table.lines, key=lambda name: table.lines[name].ratio)
    ledger = Ledger(Wagers.AMOUNTS, EXACT)
    wager = Wager("1", "", (cap.wagers or (cap.name,))[0], 10_000_000)
    ledger.place(wager, None, "")
    told = ledger.settle(wager, table[line], 4_000_000)
    assert (told.paid, told.capped, told.returned) == (4_000_000, True, 10_000_000)


@pytest.mark.parametrize("game", GAMES)
def test_11_20_a_29_11_a_35_11_a_and_37_11_a_odds_are_written_with_to(game: str) -> None:
    """Every odds that a game names is written “to”; “for” is read nowhere."""
    rules = rules_of(game)
    clauses = [clause.odds for clause in rules.clauses.values() if clause.odds]
    for odds in chain(clauses, *(table.lines.values() for table in rules.tables.values())):
        assert " to " in str(odds)
        assert Odds.parse(str(odds)) == odds
        with pytest.raises(ValueError, match="to"):
            Odds.parse(str(odds).replace(" to ", " for "))


# Irregularities that people report


REPORTED = [
    (plays, name)
    for plays in PLAYS.values()
    for name, clause in terms_of(plays).rules.clauses.items()
    if clause.irregularity
]


@pytest.mark.parametrize(("plays", "what"), REPORTED)
def test_each_irregularity_has_its_section_and_its_consequence(plays: str, what: str) -> None:
    """What may be reported voids the round, or all wagers but those that the house spares, or holds it for a ruling."""
    bench, _ = started(plays)
    assert bench.table.round is not None
    clause, round_ = bench.terms.rules[what], bench.table.round
    spares = [wager for wager, option in clause.spares.items() if bench.terms.rules.option(option)]
    told = bench.say(say.ReportIrregularity(what, "1"))
    assert isinstance(told[0], fact.IrregularityFound)
    assert (told[0].clause, told[0].text) == (clause.cites, f"{what} at 1")
    open_ = [wager.name for wager in round_.ledger.open()]
    if clause.outcome is Outcome.VOID:
        assert set(open_) <= set(spares)
        assert all(each.outcome is Outcome.VOID for each in told if isinstance(each, fact.WagerSettled))
    else:
        assert open_
        assert bench.table._awaited().who == "supervisor"
        assert clause.cites in bench.table._awaited().prompt


def test_what_may_be_reported_is_named_where_something_else_is() -> None:
    """Every game refuses another word, and names those that it knows."""
    for game in GAMES:
        bench, _ = started(PLAYS[game])
        known = [name for name, clause in bench.terms.rules.clauses.items() if clause.irregularity]
        assert refusal(bench.say(say.ReportIrregularity("rain"))).awaited == f"one of {', '.join(known) or 'none'}"


# Rounding


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("direction", "paid"), [("down", 1000), ("up", 1050), ("nearest", 1050)])
def test_winnings_are_rounded_as_the_house_says(game: str, direction: str, paid: int) -> None:
    """3 to 2 on 6.85 is 10.275: in units of 0.50 a winner gets 10.00 or 10.50, in every game."""
    rules = rules_of(game)
    options = {"rounding unit": "0.50", "rounding direction": direction}
    for name, value in options.items():
        assert not list(rules._wrong_options(house(game, options={name: value})))
    rounded = {**rules.options, **{name: replace(rules.options[name], value=value) for name, value in options.items()}}
    own = Rulebook(rules._file, rules.clauses, rules.wagers, rules.caps, rules.tables, rounded)
    ledger = Ledger(
        Wagers.AMOUNTS,
        Rounding(parse_amount(own.option("rounding unit"), "USD"), Direction(own.option("rounding direction"))),
    )
    wager = Wager("1", "", rules.opening[0].name, 685)
    ledger.place(wager, None, "")
    told = ledger.settle(wager, Clause("", outcome=Outcome.WIN, odds=Odds(3, 2)))
    assert (told.paid, told.returned) == (paid, 685)


@pytest.mark.parametrize(("game", "people"), [(game, people) for game in SHARING for people in (1, 2, 3)])
def test_36_12_a_as_many_people_share_a_position_as_the_house_says(game: str, people: int) -> None:
    """One, two or three: the next one is refused with the section."""
    plays_by = terms_of(PLAYS[game])
    rules = replace_option(plays_by.rules, SHARING[game], value=people)
    bench = Bench(replace(plays_by, rules=rules))
    main = rules.opening[0].name
    for owner in ("ann", "bob", "cy")[:people]:
        assert isinstance(bench.say(say.PlaceWager("1", main, 1000, owner))[0], fact.WagerPlaced)
    assert refusal(bench.say(say.PlaceWager("1", main, 1000, "di"))).clause == "13:69F-36.12(a), 36.13"
