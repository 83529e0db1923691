"""A table's terms out of the texts of its configuration: without I/O, so that the journal's texts give them again."""

from hashlib import sha256

import msgspec

from tablectl.config.form import Areas, Payouts, Play, TableFile
from tablectl.config.review import Basis, Review, house_path
from tablectl.config.rules import ROUNDING_DIRECTION, ROUNDING_UNIT, dealing_of
from tablectl.config.source import Source
from tablectl.events.announcements import Configure
from tablectl.games import GAMES
from tablectl.money import Direction, Odds, Rounding, parse_amount
from tablectl.rulebook import HouseFile, Rulebook
from tablectl.terms import Hold, Limits, Sight, Terms


def build_terms(configured: Configure) -> Terms:
    """Return the terms that the texts of a configuration amount to; the same of the same texts.

    Raises:
        ConfigError: everything that is wrong with the texts.
    """
    table = Source("table file", configured.table_file, TableFile)
    house = Source("house file", configured.house_file, HouseFile) if house_path(table) else None
    basis = Review(table, house, configured.rulebook).conclude()
    return _terms(basis, hashes_of(configured))


def hashes_of(configured: Configure) -> dict[str, str]:
    """Return the SHA-256 of each text of a configuration, by which the record names the one in force."""
    return {
        "table_file": _sha256(configured.table_file),
        "rulebook": _sha256(configured.rulebook),
        "house_file": _sha256(configured.house_file),
    }


def _terms(basis: Basis, hashes: dict[str, str]) -> Terms:
    file, variant, rules, own = basis
    play = file.game
    return Terms(
        table=file.table.name,
        positions=file.table.positions,
        mode=file.mode,
        game=GAMES[play.name],
        variant=play.variant,
        rules=rules,
        dealing=dealing_of(play, variant),
        wagers=play.wagers,
        cards=_sight(play),
        currency=play.currency,
        limits=_limits(file),
        rounding=_rounding(rules, play.currency),
        caps={name: parse_amount(cap, play.currency) for name, cap in own.caps.items()} if own else {},
        devices={kind: device.id for device in file.device for kind in device.kinds},
        hashes=hashes,
        serials={device.id: device.serial for device in file.device if device.serial},
        hold=_hold(file.payouts, play.currency),
        notice=own.notice if own else None,
    )


def _sight(play: Play) -> dict[str, Sight]:
    if isinstance(play.cards, Areas):
        return msgspec.structs.asdict(play.cards)
    return dict.fromkeys(Areas.__struct_fields__, play.cards)


def _limits(file: TableFile) -> dict[str, Limits]:
    currency = file.game.currency
    return {
        name: Limits(parse_amount(limit.minimum, currency), parse_amount(limit.maximum, currency))
        for name, limit in file.limits.items()
    }


def _hold(payouts: Payouts, currency: str) -> Hold:
    amount = parse_amount(payouts.hold_amount, currency) if payouts.hold_amount else None
    return Hold(amount, Odds.parse(payouts.hold_odds) if payouts.hold_odds else None)


def _rounding(rules: Rulebook, currency: str) -> Rounding:
    unit = parse_amount(rules.option(ROUNDING_UNIT), currency)
    return Rounding(unit, Direction(rules.option(ROUNDING_DIRECTION)))


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()
