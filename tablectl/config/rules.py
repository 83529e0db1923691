"""The rules that a table would play by, and what its files ask for that these rules do not allow."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from tablectl.config.fit import nearest, shown
from tablectl.config.form import Payouts, Play
from tablectl.hands.house_way import HouseWay
from tablectl.money import Odds, format_amount, parse_amount
from tablectl.rulebook import Cap, HouseFile, Key, Problem, Rulebook, Standing, Variant, dotted
from tablectl.terms import Dealing

ROUNDING_UNIT, ROUNDING_DIRECTION, HOUSE_WAY = "rounding unit", "rounding direction", "house way"
ENVY = "envy bonus"


Amounts = Mapping[str, str]
"""Amounts in major units by the wager that they are for, as far as they could be read."""


def dealing_of(play: Play, variant: Variant) -> Dealing:
    """Return how the cards reach the hands."""
    return play.dealing or Dealing(variant.dealing[0])


def wrong_variant(play: Play, rules: Rulebook) -> Iterator[Problem]:
    """Refuse a variant that the game does not have."""
    if play.variant not in rules.variants:
        listed = ", ".join(rules.variants)
        text = f"awaited one of {listed}, found {shown(play.variant)}{nearest(play.variant, rules.variants)}"
        yield Problem(("game", "variant"), text)


def wrong_dealing(play: Play, variant: Variant) -> Iterator[Problem]:
    """Refuse a way of dealing that the rules do not provide."""
    if dealing_of(play, variant) not in variant.dealing:
        text = f"awaited {' or '.join(variant.dealing)}, found {shown(play.dealing)} ({variant.cites})"
        yield Problem(("game", "dealing"), text)


def wrong_positions(positions: int, variant: Variant) -> Iterator[Problem]:
    """Refuse a layout that the deck or the rules do not serve."""
    if variant.positions and positions not in variant.positions:
        listed = " or ".join(map(str, variant.positions))
        yield Problem(("table", "positions"), f"awaited {listed}, found {positions} ({variant.cites})")


def wrong_limits(minima: Amounts, maxima: Amounts, currency: str) -> Iterator[Problem]:
    """Refuse amounts that are none of the currency, no wager at all, or the wrong way round."""
    for name, minimum in minima.items():
        yield from wrong_amount(minimum, ("limits", name, "minimum"), currency)
    for name, maximum in maxima.items():
        wrong = list(wrong_amount(maximum, ("limits", name, "maximum"), currency))
        yield from wrong
        least = _amount(minima.get(name, ""), currency)
        if least and not wrong and parse_amount(maximum, currency) < least:
            yield Problem(("limits", name, "maximum"), f"{maximum} is below the minimum of {minima[name]}")


def _amount(text: str, currency: str) -> int:
    """Return an amount in minor units, 0 where the text is none."""
    return 0 if any(wrong_amount(text, (), currency)) else parse_amount(text, currency)


def wrong_amount(text: str, key: Key, currency: str) -> Iterator[Problem]:
    """Refuse what is no amount above zero in this currency."""
    try:
        amount = parse_amount(text, currency)
    except ValueError as error:
        yield Problem(key, str(error))
    else:
        if amount == 0:
            yield Problem(key, f"awaited an amount above zero, found {text}")


def wrong_hold(payouts: Payouts, currency: str) -> Iterator[Problem]:
    """Refuse amounts and odds that are none."""
    if payouts.hold_amount:
        yield from wrong_amount(payouts.hold_amount, ("payouts", "hold_amount"), currency)
    try:
        Odds.parse(payouts.hold_odds or "1 to 1")
    except ValueError as error:
        yield Problem(("payouts", "hold_odds"), str(error))


def not_offered(limits: Iterable[str], rules: Rulebook) -> Iterator[Problem]:
    """Refuse limits of wagers that this table does not offer."""
    offered = [name for name in rules.wagers if rules.offers(name)]
    for name in limits:
        if name not in offered:
            text = f"this table offers no such wager; awaited one of {', '.join(offered)}{nearest(name, offered)}"
            yield Problem(("limits", name), text)


def missing_offers(rules: Rulebook, variant: Variant, key: Key) -> Iterator[Problem]:
    """Refuse a variant without any of the wagers that make it. key: where the house could offer them."""
    if variant.one_of and not any(rules.offers(name) for name in variant.one_of):
        yield Problem(key, f"this variant is a table with the {' or '.join(variant.one_of)} ({variant.cites})")


def missing_house(rules: Rulebook) -> Iterator[Problem]:
    """Refuse a game without the house file that says what was not found of it."""
    unsaid = [dotted(problem.key) for problem in rules.unsaid()]
    if unsaid:
        yield Problem(
            ("game", "house"), f"awaited a house file; the rules that were found leave out {', '.join(unsaid)}"
        )


def wrong_values(house: HouseFile, currency: str) -> Iterator[Problem]:
    """Refuse caps and options that are not written as what they are."""
    for name, cap in house.caps.items():
        yield from wrong_amount(cap, ("caps", name), currency)
    unit, way = house.options.get(ROUNDING_UNIT), house.options.get(HOUSE_WAY)
    if isinstance(unit, str):
        yield from wrong_amount(unit, ("options", ROUNDING_UNIT), currency)
    if isinstance(way, list) and way:
        yield from _wrong_way(way)
    for number, each in enumerate(house.options.get(ENVY, ())):
        yield from _wrong_envy(each, ("options", ENVY, number), currency)


def _wrong_way(way: Any) -> Iterator[Problem]:
    try:
        HouseWay.parse(way)
    except ValueError as error:
        yield Problem(("options", HOUSE_WAY), str(error))


def _wrong_envy(each: Any, key: Key, currency: str) -> Iterator[Problem]:
    """Refuse what names no hand and no amount for those who envy it."""
    if not (isinstance(each, dict) and set(each) == {"hand", "amount"} and isinstance(each["amount"], str)):
        yield Problem(key, f'awaited {{ hand = "five aces", amount = "250.00" }}, found {each!r}')
    else:
        yield from wrong_amount(each["amount"], (*key, "amount"), currency)


def missing_rounding(rules: Rulebook, currency: str) -> Iterator[Problem]:
    """Refuse a currency in which the rulebook's unit of rounding is no amount, so that the house must name one."""
    for problem in wrong_amount(rules.option(ROUNDING_UNIT), ("game", "currency"), currency):
        text = f'{problem.text}; awaited a house file with options."{ROUNDING_UNIT}"'
        yield Problem(problem.key, text)


def low_caps(house: HouseFile, rules: Rulebook, minima: Amounts, currency: str) -> Iterator[Problem]:
    """Refuse a limit on payouts that is lower than the rules allow, or that cannot be judged."""
    for name, text in house.caps.items():
        key, cap = ("caps", name), rules.caps[name]
        wager = (cap.wagers or (name,))[0]
        minimum = minima.get(wager, "")
        if not minimum:
            place = dotted(("limits", wager, "minimum"))
            yield Problem(key, f"the least cap depends on {place}, which the table file does not say ({cap.cites})")
            continue
        least = least_cap(cap, rules, _amount(minimum, currency), currency)
        if parse_amount(text, currency) < least:
            lowest = f"{cap.cites} allows no less than {format_amount(least, currency)}"
            yield Problem(key, f"{lowest} at a minimum wager of {minimum}, found {text}")


def least_cap(cap: Cap, rules: Rulebook, minimum: int, currency: str) -> int:
    """Return the greater of the fixed amount and the most that one player could win at the minimum wager."""
    highest = [max(odds.ratio for odds in rules.table(name).lines.values()) for name in cap.tables]
    times = rules.option(cap.times) if isinstance(cap.times, str) else cap.times
    most = minimum * times * sum(highest, Fraction(0))
    return max(parse_amount(cap.least, currency), ceil(most))


def not_live(rules: Rulebook, house: HouseFile | None) -> Iterator[Problem]:
    """Refuse live play on invented house rules, and on every rule that nobody has confirmed."""
    if house and house.standing is Standing.DEMONSTRATION:
        yield Problem(("game", "house"), "live play is not open on a house file whose standing is demonstration")
    for uncertain in rules.uncertain():
        yield Problem(("mode",), f"live play is not open on {uncertain}")
