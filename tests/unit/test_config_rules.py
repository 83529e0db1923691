"""A table file is held to the rules of its game, and turned into what the table plays by."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from tablectl.config import build_terms, load, read
from tablectl.config.rules import least_cap
from tablectl.errors import ConfigError
from tablectl.events.announcements import Configure, Role
from tablectl.events.codec import Input
from tablectl.events.facts import TableConfigured
from tablectl.games import GAMES, rulebook_text
from tablectl.money import Direction, Rounding
from tablectl.rulebook import HouseFile, Rulebook
from tablectl.table import Table
from tablectl.terms import Dealing, Limits, Mode, Sight, Wagers
from tests.table_files import (
    PAI_GOW,
    PAI_GOW_HOUSE,
    RED_DOG,
    RED_DOG_HOUSE,
    mistakes_of,
    places_of,
    spoil,
    terms_of,
    write,
)

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "config").glob("*.toml"))
BONUS = spoil(spoil(PAI_GOW, '"base"', '"bonus"'), "limits.imperial", 'limits."three-card bonus"')
BONUS_HOUSE = """\
game = "pai-gow-poker"
name = "Test rules"
standing = "house"
offers = ["three-card bonus"]
[tables."three-card bonus"]
"pair" = "1 to 1"
"""


# Terms


def test_terms_are_what_the_files_say(tmp_path: Path) -> None:
    """Nothing of a table file or its house file is lost or changed on its way into the terms."""
    terms = terms_of(tmp_path, RED_DOG, RED_DOG_HOUSE)

    assert (terms.table, terms.positions, terms.mode) == ("test/pit1/t01", 6, Mode.REHEARSAL)
    assert (terms.game, terms.variant, terms.dealing) == (GAMES["red-dog"], "base", Dealing.SHOE)
    assert (terms.wagers, terms.currency, terms.caps) == (Wagers.AMOUNTS, "USD", {})
    assert terms.limits == {"original": Limits(1000, 50000)}
    assert terms.rounding == Rounding(50, Direction.UP)
    assert terms.devices == {"card-shoe": "shoe1", "shuffler": "shuffler1"}
    assert terms.cards == {"dealer": Sight.CALLED, "community": Sight.EXPOSED, "players": Sight.CALLED}
    assert str(terms.rules.table("spread")["1"].odds) == "6 to 1"


def test_one_word_tells_how_all_cards_are_seen(tmp_path: Path) -> None:
    """cards = "exposed" holds for every area."""
    terms = terms_of(tmp_path, spoil(RED_DOG, '{ community = "exposed" }', '"exposed"'), RED_DOG_HOUSE)

    assert set(terms.cards.values()) == {Sight.EXPOSED}


def test_dealing_that_is_left_out_is_the_usual_one(tmp_path: Path) -> None:
    """Red dog is dealt from a shoe, pai gow poker in stacks."""
    red_dog = terms_of(tmp_path, spoil(RED_DOG, 'dealing = "shoe"\n', ""), RED_DOG_HOUSE)

    assert red_dog.dealing is Dealing.SHOE
    assert terms_of(tmp_path, PAI_GOW, PAI_GOW_HOUSE).dealing is Dealing.AUTOMATED


def test_the_same_texts_give_the_same_terms(tmp_path: Path) -> None:
    """Replay, which has the texts and no files, plays by the same terms."""
    path = write(tmp_path, PAI_GOW, PAI_GOW_HOUSE)
    configured = read(path)
    for file in tmp_path.iterdir():
        file.unlink()

    first, second = (build_terms(configured) for _ in range(2))

    assert vars(first.rules) == vars(second.rules)
    assert asdict(replace(first, rules=second.rules)) == asdict(second)
    assert first.caps == {"imperial": 4_000_000}
    assert set(first.hashes) == {"table_file", "rulebook", "house_file"}


@given(st.sampled_from(["table_file", "rulebook", "house_file"]))
def test_a_changed_text_changes_its_hash_alone(changed: str) -> None:
    """Whoever compares two rounds sees which of the three texts was another."""
    configured = Configure(RED_DOG, rulebook_text("red-dog"), RED_DOG_HOUSE, "1")
    other = replace(configured, **{changed: getattr(configured, changed) + "\n# changed\n"})

    before, after = build_terms(configured).hashes, build_terms(other).hashes

    assert {name for name in before if before[name] != after[name]} == {changed}


def test_terms_are_built_where_the_driver_is_not_installed() -> None:
    """An auditor replays a journal without the casino's drivers; only the daemon needs them."""
    text = spoil(RED_DOG, '"otdp-card-shoe"', '"house-made-shoe"')

    terms = build_terms(Configure(text, rulebook_text("red-dog"), RED_DOG_HOUSE, "1"))

    assert terms.devices["card-shoe"] == "shoe1"


def test_texts_that_cannot_be_played_by_are_refused_from_the_journal_too() -> None:
    """Without files the mistakes name the texts."""
    text = spoil(RED_DOG, "positions = 6", "positions = 60")

    with pytest.raises(ConfigError, match=r"^table file:8: table\.positions: awaited a whole number from 1 to 12"):
        build_terms(Configure(text, rulebook_text("red-dog"), RED_DOG_HOUSE, "1"))


# Odds, offers and caps


def test_6_5_i_3_odds_below_the_minimum_are_refused_with_the_section(tmp_path: Path) -> None:
    """Red dog's spread of one may pay 6 to 1 and may not pay 4 to 1 (13:69F-6.5(i)3, worked example 17)."""
    assert mistakes_of(tmp_path, RED_DOG, RED_DOG_HOUSE) == []

    low = mistakes_of(tmp_path, RED_DOG, spoil(RED_DOG_HOUSE, "6 to 1", "4 to 1"))

    assert [mistake.text for mistake in low] == ["13:69F-6.5(i)2 allows no less than 5 to 1, found '4 to 1'"]


def test_11_17_a_imperial_and_three_card_bonus_exclude_each_other(tmp_path: Path) -> None:
    """A table with the three-card bonus offers no imperial bonus, nor the other way round (13:69F-11.17(a))."""
    at_bonus = mistakes_of(tmp_path, BONUS, spoil(BONUS_HOUSE, '["three-card', '["imperial", "three-card'))
    at_base = mistakes_of(tmp_path, PAI_GOW, spoil(PAI_GOW_HOUSE, '["imperial"]', '["imperial", "three-card bonus"]'))

    assert ["(13:69F-11.17(a))" in each.text for each in (*at_bonus, *at_base)] == [True, True]


def test_11_17_a_the_pair_is_refused_once() -> None:
    """Two wagers that exclude each other are one mistake, not two."""
    house = spoil(BONUS_HOUSE, '["three-card', '["imperial", "three-card')
    book = Rulebook.parse(rulebook_text("pai-gow-poker"))

    problems = [str(problem) for problem in book.problems(HouseFile.parse(house))]

    assert problems == ["offers: 'imperial' and 'three-card bonus' exclude each other (13:69F-11.17(a))"]


def test_11_20_b_fixed_odds_are_not_the_houses(tmp_path: Path) -> None:
    """The imperial bonus pays what the section says, no more and no less."""
    house = PAI_GOW_HOUSE + '[tables."imperial player hand"]\nflush = "5 to 1"\n'

    (mistake,) = mistakes_of(tmp_path, PAI_GOW, house)

    assert (mistake.line, mistake.text) == (7, "13:69F-11.20(b) fixes these odds; awaited none here")


def test_11_18_odds_that_were_not_found_are_the_houses_to_say(tmp_path: Path) -> None:
    """No three-card bonus is offered without odds."""
    house = spoil(BONUS_HOUSE, '"pair" = "1 to 1"', "")

    (mistake,) = mistakes_of(tmp_path, BONUS, house)

    assert "'three-card bonus' needs odds, which were not found in 13:69F-11.18" in mistake.text


@pytest.mark.parametrize("variant", ["bonus", "bonus-hand"])
def test_11_17_a_a_bonus_table_offers_a_bonus(tmp_path: Path, variant: str) -> None:
    """The bonus variants are no tables without the three-card or the seven-card bonus, with a house file or none."""
    table = spoil(PAI_GOW, '"base"', f'"{variant}"').split("[limits")[0]
    table += PAI_GOW[PAI_GOW.index("[[device]]") :]

    empty = mistakes_of(tmp_path, table, spoil(PAI_GOW_HOUSE, '["imperial"]', "[]").split("[caps]")[0])
    none = mistakes_of(tmp_path, spoil(table, 'house = "house.toml"', ""))

    assert [mistake.place for mistake in (*empty, *none)] == ["offers", "game.house"]
    assert all(
        "with the three-card bonus or seven-card bonus (13:69F-11.17(b)" in each.text for each in (*empty, *none)
    )


@pytest.mark.parametrize(
    ("minimum", "cap", "is_allowed"),
    [
        ("5.00", "40000.00", True),
        ("5.00", "39999.99", False),
        ("50.00", "54999.99", False),
        ("50.00", "55000.00", True),
    ],
)
def test_11_20_d_the_least_cap(tmp_path: Path, minimum: str, cap: str, *, is_allowed: bool) -> None:
    """A cap is at least 40,000 and what one player can win at the minimum, 1,100 times it (worked example 10)."""
    table = spoil(PAI_GOW, 'minimum = "5.00"', f'minimum = "{minimum}"')

    found = mistakes_of(tmp_path, table, spoil(PAI_GOW_HOUSE, "40000.00", cap))

    assert is_allowed == (not found)
    assert all("13:69F-11.20(d) allows no less than" in str(mistake) for mistake in found)


@given(st.integers(1, 10_000_000))
def test_a_legal_cap_never_cuts_what_one_player_wins_at_the_minimum(minimum: int) -> None:
    """Five aces against a nine high, at the minimum wager, is paid in full under the least cap."""
    rules = Rulebook.parse(rulebook_text("pai-gow-poker")).of("base")

    assert least_cap(rules.caps["imperial"], rules, minimum, "USD") == max(4_000_000, minimum * 1100)


def test_a_cap_without_a_minimum_wager_cannot_be_judged(tmp_path: Path) -> None:
    """Where the table file does not say the minimum, the cap is refused and the missing key named."""
    table = PAI_GOW.split("[limits")[0] + PAI_GOW[PAI_GOW.index("[[device]]") :]

    (mistake,) = mistakes_of(tmp_path, table, PAI_GOW_HOUSE)

    assert "limits.imperial.minimum" in mistake.text


def test_a_house_way_is_read_before_it_is_needed(tmp_path: Path) -> None:
    """A wrong rule of the house way is found at the check and not in the middle of a round."""
    house = PAI_GOW_HOUSE + '[[options."house way"]]\nholding = "two pairs"\n'

    (mistake,) = mistakes_of(tmp_path, PAI_GOW, house)

    assert (mistake.line, mistake.place) == (7, 'options."house way"')


def test_a_currency_without_cents_needs_a_unit_of_its_own(tmp_path: Path) -> None:
    """Where the rulebook rounds to 0.25 nobody can pay in yen, until the house says to what it rounds."""
    table = spoil(PAI_GOW, 'variant = "base"', 'currency = "JPY"').replace(".00", "")
    house = PAI_GOW_HOUSE.replace(".00", "")

    assert places_of(tmp_path, table, house) == ["table.toml:12 game.currency"]
    assert places_of(tmp_path, table, house + '[options]\n"rounding unit" = "100"\n') == []


# Dealing and devices


@pytest.mark.parametrize(
    ("variant", "dealing", "kinds", "places"),
    [
        ("base", "automated", ["stack-shoe", "shuffler", "shaker"], []),
        ("base", "automated", ["shuffler"], ["game.dealing"]),
        ("base", "automated", ["card-shoe"], ["device[1].kind", "game.dealing"]),
        ("base", "shoe", ["card-shoe", "shaker"], []),
        ("base", "shoe", [], []),
        ("base", "shoe", ["stack-shoe"], ["device[1].kind"]),
        ("base", "hand", ["shuffler"], []),
        ("base", "hand", ["card-shoe"], ["device[1].kind"]),
        ("bonus", "automated", ["stack-shoe"], []),
        ("bonus", "automated", ["stack-shoe", "shaker"], ["device[2].kind"]),
        ("bonus", "shoe", [], ["game.dealing"]),
        ("bonus-hand", "hand", [], ["game.dealing"]),
    ],
)
def test_devices_fit_the_dealing(
    tmp_path: Path, variant: str, dealing: str, kinds: list[str], places: list[str]
) -> None:
    """A table has the shoe that its dealing needs, and nothing that its game has no use for."""
    drivers = {"stack-shoe": "otdp-shoe"}
    table = (PAI_GOW if variant == "base" else BONUS).split("[[device]]")[0]
    table = table.replace(f'variant = "{"base" if variant == "base" else "bonus"}"', f'variant = "{variant}"')
    table = spoil(table, 'house = "house.toml"', f'dealing = "{dealing}"\nhouse = "house.toml"')
    for kind in kinds:
        driver = drivers.get(kind, f"otdp-{kind}")
        table += f'[[device]]\nid = "{kind}"\nkind = "{kind}"\ndriver = "{driver}"\nurl = "double:{kind}"\n'

    found = mistakes_of(tmp_path, table, PAI_GOW_HOUSE if variant == "base" else BONUS_HOUSE)

    assert sorted(mistake.place for mistake in found if mistake.place != "game.dealing" or places) == sorted(places)


BOTH = PAI_GOW.replace('"stack-shoe"', '["stack-shoe", "shuffler"]').replace('"otdp-shoe"', '"otdp-shuffler-shoe"')


def test_one_machine_may_be_shoe_and_shuffler(tmp_path: Path) -> None:
    """A list of kinds is one device under one id, which the table asks for stacks and for shuffles."""
    assert terms_of(tmp_path, BOTH, PAI_GOW_HOUSE).devices == {"stack-shoe": "shoe1", "shuffler": "shoe1"}


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ("[]", "awaited a list that is not empty, each one of stack-shoe"),
        ('["stack-shoe", "stack-shoe"]', '"stack-shoe" is device[1] already; each kind stands once'),
        ('["stack-shoe", "shuffeler"]', 'did you mean "shuffler"?'),
        ('["stack-shoe", "shaker"]', "drives a stack-shoe and a shuffler; this device is a stack-shoe and a shaker"),
        ("7", "awaited one of stack-shoe, card-shoe, shuffler, shaker, reader, wager-sensor, or a list that is not"),
    ],
)
def test_a_list_of_kinds_is_checked_like_one(tmp_path: Path, kinds: str, told: str) -> None:
    """Each kind in it is known, stands once, and is driven by the driver."""
    texts = [
        str(each) for each in mistakes_of(tmp_path, spoil(BOTH, '["stack-shoe", "shuffler"]', kinds), PAI_GOW_HOUSE)
    ]

    assert any(told in text for text in texts), texts


def test_the_base_game_of_pai_gow_poker_has_six_positions(tmp_path: Path) -> None:
    """Seven stacks of seven leave four cards; with another number of positions they would not."""
    five = spoil(PAI_GOW, "positions = 6", "positions = 5")

    assert [each.text for each in mistakes_of(tmp_path, five, PAI_GOW_HOUSE)] == ["awaited 6, found 5 (13:69F-31.10)"]
    assert mistakes_of(tmp_path, spoil(BONUS, "positions = 6", "positions = 5"), BONUS_HOUSE) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_rulebook_tells_of_every_variant_that_can_be_played(game: str) -> None:
    """Each script has its place in the rulebook, dealt in ways that there are, with wagers that it offers."""
    book = Rulebook.parse(rulebook_text(game))

    assert book.variants.keys() == GAMES[game].scripts.keys()
    for name, variant in book.variants.items():
        assert [Dealing(way) for way in variant.dealing]
        assert set(variant.one_of) <= book.of(name).wagers.keys()


# Live


LIVE = spoil(RED_DOG, "rehearsal", "live").replace("double:card-shoe?seed=1", "serial:/dev/serial/by-path/one")
LIVE = LIVE.replace("double:shuffler?seed=1", "serial:/dev/ttyAMA0")


def test_live_play_refuses_each_rule_that_nobody_confirmed(tmp_path: Path) -> None:
    """What rehearsal lists as unconfirmed is what live play is refused for, one line for each."""
    unconfirmed = terms_of(tmp_path, RED_DOG, spoil(RED_DOG_HOUSE, '"ace high" = true', "")).rules.uncertain()

    found = mistakes_of(tmp_path, LIVE, spoil(RED_DOG_HOUSE, '"ace high" = true', ""))

    assert unconfirmed
    assert [f"live play is not open on {each}" for each in unconfirmed] == [mistake.text for mistake in found]
    assert {"table.toml:2 mode"} == set(places_of(tmp_path, LIVE, spoil(RED_DOG_HOUSE, '"ace high" = true', "")))


def test_live_play_opens_on_confirmed_rules_and_real_devices(tmp_path: Path) -> None:
    """A house file of the licensee's own, with a reference for what could only be inferred, opens a live table."""
    terms = terms_of(tmp_path, LIVE, RED_DOG_HOUSE)

    assert (terms.mode, terms.rules.uncertain()) == (Mode.LIVE, [])


def test_live_play_refuses_a_demonstration(tmp_path: Path) -> None:
    """Invented values are refused as a whole and one by one, whatever is confirmed beside them."""
    found = mistakes_of(tmp_path, LIVE, spoil(RED_DOG_HOUSE, '"house"', '"demonstration"'))

    assert ["game.house", *["mode"] * 7] == sorted(mistake.place for mistake in found)


@pytest.mark.parametrize("url", ["double:shuffler?seed=1", "serial:/dev/ttyUSB0", "serial:/dev/ttyACM1?baud=9600"])
def test_live_play_refuses_doubles_and_names_that_change(tmp_path: Path, url: str) -> None:
    """No simulated device takes part in live play, nor whatever was plugged in first."""
    found = places_of(tmp_path, LIVE.replace("serial:/dev/ttyAMA0", url), RED_DOG_HOUSE)

    assert found == ["table.toml:32 device[2].url"]


def test_nothing_but_what_is_inferred_can_be_confirmed(tmp_path: Path) -> None:
    """Odds that were not found cannot be waved through by a reference; they must be given."""
    house = BONUS_HOUSE + '[confirmed]\n"three-card bonus" = "internal controls 7"\n'

    (mistake,) = mistakes_of(tmp_path, BONUS, house)

    assert (mistake.place, mistake.text) == (
        'confirmed."three-card bonus"',
        "missing; only what is inferred can be confirmed",
    )


# What is shipped


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.name))
def test_shipped_files_can_be_rehearsed(path: Path) -> None:
    """Each table file in config/ is right as it stands, and a table takes it."""
    configured, settings = load(path)

    (said, *_) = Table(build_terms).accept(Input(configured, 0, Role.SYSTEM))

    assert isinstance(said, TableConfigured)
    assert said.mode == Mode.REHEARSAL
    assert said.unconfirmed
    assert all(device.url.startswith("double:") for device in settings.devices)


def test_shipped_files_show_every_game() -> None:
    """There is a table file to begin with for each game that can be played."""
    assert {build_terms(read(path)).game.name for path in SHIPPED} == GAMES.keys()
