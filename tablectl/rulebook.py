"""What a game is played by: clauses, pay tables and options, each with its citation and its standing.

A rulebook is data beside its game (``games/red_dog.toml``). A house file adds what the rules leave to the licensee and
what was not found; :meth:`Rulebook.under` puts both together and refuses what the rules forbid.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import Annotated, Any, NamedTuple, Self, TypeVar

import msgspec

from tablectl.errors import ConfigError
from tablectl.money import Odds

Key = tuple[str | int, ...]
"""Where something stands in a TOML file: names of tables and keys, and indices in arrays."""


def dotted(key: Key) -> str:
    """Return a key as people write it; what stands in an array is counted from one.

    >>> dotted(("tables", "spread", "1")), dotted(("device", 0, "url")), dotted(("limits", "pai gow poker"))
    ('tables.spread.1', 'device[1].url', 'limits."pai gow poker"')
    """
    parts = (
        f"[{part + 1}]" if isinstance(part, int) else f".{part}" if re.fullmatch(r"[\w-]+", part) else f'."{part}"'
        for part in key
    )
    return "".join(parts).removeprefix(".")


class Problem(NamedTuple):
    """One thing that cannot be, and where it stands in its file."""

    key: Key
    text: str

    def __str__(self) -> str:
        return f"{dotted(self.key)}: {self.text}"


class Standing(StrEnum):
    """How well a clause is known. A live table opens only on ``read``, ``house`` and what its licensee confirmed."""

    READ = "read"
    INFERRED = "inferred"
    HOUSE = "house"
    DEMONSTRATION = "demonstration"
    MISSING = "missing"


class Outcome(StrEnum):
    """What became of a wager; void, push and no action are three different things."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    VOID = "void"
    NO_ACTION = "no-action"


WIN, LOSE, PUSH = Outcome.WIN, Outcome.LOSE, Outcome.PUSH


class Clause(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One clause: what it says of a wager, where it stands, and how well it is known.

    cites: the section; basis: what an inferred clause rests on; odds: what a winner is paid; vigorish: the house's part
    of the winnings; confirmed: the licensee's reference for an inferred clause; irregularity: something that the dealer
    may report, which voids the round if ``outcome`` is void, and else waits for a supervisor; forfeit: the part of the
    stake that a loser gives up, all of it if None; amount: a fixed payment, and least: the wager from which on it is
    paid, both in major units; spares: wagers that are settled although all hands are void, each with the option that
    says so; wager: the one that the clause is about alone, so that nobody needs it where that is not offered.
    """

    cites: str
    standing: Standing = Standing.READ
    name: str = ""
    outcome: Outcome | None = None
    odds: Odds | None = None
    vigorish: Odds | None = None
    text: str = ""
    basis: str = ""
    variants: tuple[str, ...] = ()
    confirmed: str = ""
    irregularity: bool = False
    spares: Mapping[str, str] = msgspec.field(default_factory=dict)
    forfeit: Odds | None = None
    amount: str = ""
    least: str = ""
    wager: str = ""


class Freedom(StrEnum):
    """What a licensee may do with a pay table."""

    FIXED = "fixed"
    MINIMUM = "minimum"
    OWN = "own"


class PayTable(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The winning hands of one wager, highest first, with their odds; anything else loses.

    wager: whose table it is; freedom: whether the odds are fixed, a minimum, or the licensee's own; lines: may be empty
    where they were not found, then ``hands`` names what may stand there, nothing where that was not found either;
    pushes: hands that neither win nor lose.
    """

    cites: str
    wager: str
    freedom: Freedom
    standing: Standing = Standing.READ
    name: str = ""
    lines: Mapping[str, Odds] = msgspec.field(default_factory=dict)
    hands: tuple[str, ...] = ()
    pushes: tuple[str, ...] = ()
    basis: str = ""
    variants: tuple[str, ...] = ()
    confirmed: str = ""

    def under(self, own: Mapping[str, str] | None, standing: Standing) -> Self:
        """Return this table with a house's own lines: over a minimum they replace single lines, else all of them."""
        if own is None:
            return self
        lines = {line: Odds.parse(odds) for line, odds in own.items()}
        kept = self.lines if self.freedom is Freedom.MINIMUM else {}
        merged = {**kept, **lines}
        order = self.hands or tuple(self.lines) or tuple(merged)
        return msgspec.structs.replace(
            self, lines={line: merged[line] for line in order if line in merged}, standing=standing
        )

    def __getitem__(self, answer: str) -> Clause:
        """Return the clause that settles the wager when the hand is this; what is no line of the table loses."""
        odds = self.lines.get(answer)
        outcome = WIN if odds else PUSH if answer in self.pushes else LOSE
        return Clause(self.cites, self.standing, f"{self.name}: {answer}", outcome, odds)


class WagerKind(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One kind of wager. needs: the wager that must lie on the same hand; optional: the licensee chooses to offer it;
    later: placed in the course of the round; tables: the pay tables that settle it; excludes: wagers that the same
    table may not offer, by the section ``exclusion``.
    """

    cites: str
    standing: Standing = Standing.READ
    name: str = ""
    needs: str = ""
    optional: bool = False
    later: bool = False
    tables: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    exclusion: str = ""
    basis: str = ""
    variants: tuple[str, ...] = ()
    confirmed: str = ""


class Cap(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The least that a limit on payouts may be: the greater of a fixed amount and the most that one player could win
    at the minimum wager. least: major units as text; times: wagers at the minimum that win together, or the option that
    says how many; wagers: those on one hand that share the limit, the first with the minimum; none for its namesake.
    """

    cites: str
    least: str
    tables: tuple[str, ...]
    standing: Standing = Standing.READ
    name: str = ""
    basis: str = ""
    confirmed: str = ""
    times: int | str = 1
    wagers: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()


class Option(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A choice that the rules leave open, or that was not found. choices: what it may be, or each part of a list; empty
    for any value; wager: the one that it is about alone.
    """

    value: Any
    cites: str
    standing: Standing = Standing.HOUSE
    name: str = ""
    choices: tuple[Any, ...] = ()
    text: str = ""
    basis: str = ""
    variants: tuple[str, ...] = ()
    confirmed: str = ""
    wager: str = ""


class Variant(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One way to play the game, as far as a table is built for it.

    dealing: how its cards may reach the hands, the usual way first; positions: how many it can serve, empty for any;
    dice: whether dice name the starting position; one_of: optional wagers of which at least one is offered; shuffler:
    ways of dealing for which a machine must shuffle.
    """

    cites: str
    dealing: tuple[str, ...]
    positions: tuple[int, ...] = ()
    dice: bool = False
    one_of: tuple[str, ...] = ()
    shuffler: tuple[str, ...] = ()
    text: str = ""


NOTICE = "13:69F-8.3"


class Notice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That payouts are lowered. given, effective: when it was put up and when they change; by: the two who decided it;
    minutes: least time between, the licensee's own (the section's was not found).
    """

    given: datetime
    effective: datetime
    by: tuple[str, ...]
    minutes: int = 30

    def problems(self) -> Iterable[Problem]:
        """Return why this is no notice."""
        if None in (self.given.tzinfo, self.effective.tzinfo):
            yield Problem(("notice",), f"awaited times with their zone, like 2030-01-31T06:00:00Z ({NOTICE})")
        elif self.effective - self.given < timedelta(minutes=self.minutes):
            text = f"awaited a time at least {self.minutes} minutes after the notice was given ({NOTICE})"
            yield Problem(("notice", "effective"), text)
        if len(self.by) != 2 or len({name for name in self.by if name}) != len(self.by):  # noqa: PLR2004 - two persons
            yield Problem(("notice", "by"), f"awaited two names; what lowers payouts is decided by two ({NOTICE})")


class HouseFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A licensee's own rules for one game. standing: ``house``, or ``demonstration`` for invented values.

    offers: optional wagers on the layout; tables: odds by table and line; options: values by name; caps: most that is
    paid on a wager in a round, in major units; confirmed: for each inferred clause, wager, table or option that the
    licensee has confirmed, its reference; notice: of a change that lowers payouts.
    """

    game: str
    name: str
    standing: Annotated[Standing, msgspec.Meta(description="house, or demonstration for invented values")]
    offers: tuple[str, ...] = ()
    caps: dict[str, str] = msgspec.field(default_factory=dict)
    tables: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    confirmed: dict[str, str] = msgspec.field(default_factory=dict)
    notice: Notice | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a house file.

        Raises:
            ConfigError: with the place and what was awaited there.
        """
        return _parse(text, cls, "house file")


FACE_UP = "face up"
"""The clause for a card found face up while dealing, which the table itself asks for in every game."""
Form = TypeVar("Form")
Part = TypeVar("Part", Clause, WagerKind, Cap, PayTable, Option)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    title: str
    chapter: str
    variants: dict[str, Variant] = msgspec.field(default_factory=dict)
    clauses: dict[str, Clause] = msgspec.field(default_factory=dict)
    wagers: dict[str, WagerKind] = msgspec.field(default_factory=dict)
    caps: dict[str, Cap] = msgspec.field(default_factory=dict)
    tables: dict[str, PayTable] = msgspec.field(default_factory=dict)
    options: dict[str, Option] = msgspec.field(default_factory=dict)


class Rulebook:
    """The rules of one game as they are played at one table.

    ``rules["consecutive"]`` is a clause, ``rules.table("spread")`` a pay table, ``rules.option("decks")`` a choice,
    ``rules.opening`` the wagers with which a round begins. offered: optional wagers that this house offers; limited:
    the caps that it sets.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a rulebook
        self,
        file: _File,
        clauses: Mapping[str, Clause],
        wagers: Mapping[str, WagerKind],
        caps: Mapping[str, Cap],
        tables: Mapping[str, PayTable],
        options: Mapping[str, Option],
        offered: tuple[str, ...] = (),
        limited: tuple[str, ...] = (),
    ) -> None:
        self._file = file
        self.game, self.title, self.chapter = file.game, file.title, file.chapter
        self.variants = file.variants
        self.clauses = clauses
        self.wagers = wagers
        self.caps = caps
        self.tables = tables
        self.options = options
        self.offered = offered
        self.limited = limited

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a rulebook from its TOML text.

        Raises:
            ConfigError: with the place and what was awaited there.
        """
        file = _parse(text, _File, "rulebook")
        if FACE_UP not in file.clauses:
            raise ConfigError(f"rulebook: {file.game} has no clause {FACE_UP!r}: every game can meet such a card")
        return cls(
            file,
            _named(file.clauses),
            _named(file.wagers),
            _named(file.caps),
            _named(file.tables),
            _named(file.options),
        )

    def __getitem__(self, name: str) -> Clause:
        return self.clauses[name]

    def table(self, name: str) -> PayTable:
        """Return a pay table."""
        return self.tables[name]

    def option(self, name: str) -> Any:
        """Return the value of an option."""
        return self.options[name].value

    def wager(self, name: str) -> WagerKind:
        """Return a kind of wager."""
        return self.wagers[name]

    @cached_property
    def cap_of(self) -> Mapping[str, str]:
        """Return which limit on payouts each wager is under, by their names."""
        return {wager: name for name, cap in self.caps.items() for wager in cap.wagers or (name,)}

    @property
    def opening(self) -> tuple[WagerKind, ...]:
        """Return the wagers with which a round of this table begins, the required one first."""
        return tuple(kind for kind in self.wagers.values() if not kind.later and self.offers(kind.name))

    def offers(self, wager: str) -> bool:
        """Tell whether this table offers a wager."""
        kind = self.wagers.get(wager)
        return kind is not None and (not kind.optional or wager in self.offered)

    def of(self, variant: str) -> "Rulebook":
        """Return what this variant of the game is played by."""
        return Rulebook(
            self._file,
            _for(variant, self.clauses),
            _for(variant, self.wagers),
            _for(variant, self.caps),
            _for(variant, self.tables),
            _for(variant, self.options),
            self.offered,
            self.limited,
        )

    def under(self, house: HouseFile) -> "Rulebook":
        """Return the rules as this house plays them.

        Raises:
            ConfigError: odds below a minimum or beside fixed ones, an unknown name or value, wagers that exclude each
                other; all of them, with sections.
        """
        problems = list(self.problems(house))
        if problems:
            raise ConfigError(*problems)
        tables = {name: table.under(house.tables.get(name), house.standing) for name, table in self.tables.items()}
        options = {
            name: msgspec.structs.replace(option, value=house.options[name], standing=house.standing)
            if name in house.options
            else option
            for name, option in self.options.items()
        }
        return Rulebook(
            self._file,
            _confirmed(self.clauses, house.confirmed),
            _confirmed(self.wagers, house.confirmed),
            _confirmed(self.caps, house.confirmed),
            _confirmed(tables, house.confirmed),
            _confirmed(options, house.confirmed),
            house.offers,
            tuple(house.caps),
        )

    def problems(self, house: HouseFile) -> Iterable[Problem]:
        """Return every reason why this house file cannot be played by, each with its place."""
        if house.game != self.game:
            yield Problem(
                ("game",), f"awaited {self.game!r}, found {house.game!r}: this is a house file for another game"
            )
            return
        if house.standing not in (Standing.HOUSE, Standing.DEMONSTRATION):
            yield Problem(("standing",), f"awaited house, or demonstration for invented values, found {house.standing}")
        yield from house.notice.problems() if house.notice else ()
        yield from self.unsaid(house)
        yield from self._wrong_offers(house)
        yield from self._wrong_tables(house)
        yield from self._wrong_options(house)
        yield from self._wrong_confirmations(house)

    def _wrong_offers(self, house: HouseFile) -> Iterable[Problem]:
        optional = {kind.name: kind for kind in self.wagers.values() if kind.optional}
        for name in house.offers:
            if name in optional:
                yield from self._missing_odds(optional[name], house)
            else:
                yield Problem(("offers",), self._not_optional(name, optional))
        chosen = [optional[name] for name in house.offers if name in optional]
        for kind, other in combinations(chosen, 2):
            if other.name in kind.excludes or kind.name in other.excludes:
                cites = kind.exclusion or other.exclusion
                yield Problem(("offers",), f"{kind.name!r} and {other.name!r} exclude each other ({cites})")
        offered = {name for name, kind in self.wagers.items() if not kind.optional or name in house.offers}
        capped = [name for name, cap in self.caps.items() if offered.issuperset(cap.wagers or (name,))]
        for name in house.caps:
            if name not in capped:
                text = f"no payouts of that name are limited here; awaited {_list(capped)}"
                yield Problem(("caps", name), text)

    def unsaid(self, house: HouseFile | None = None) -> Iterable[Problem]:
        """Return what was not found, so that a house must say it, and this one does not; each with its place there."""
        tables, options = (house.tables, house.options) if house else ({}, {})
        for kind in self.wagers.values():
            for name in () if kind.optional else kind.tables:
                if not (self.tables[name].lines or tables.get(name)):
                    text = f"missing; the odds of {kind.name!r} were not found in {self.tables[name].cites}"
                    yield Problem(("tables", name), text)
        for name, option in self.options.items():
            if option.standing is Standing.MISSING and not options.get(name):
                awaited = f"awaited {' or '.join(map(str, option.choices))}; " if option.choices else ""
                yield Problem(("options", name), f"missing; {awaited}not found in {option.cites}")

    def _not_optional(self, name: str, optional: Iterable[str]) -> str:
        elsewhere = self._file.wagers.get(name)
        if elsewhere and elsewhere.optional:
            cites = elsewhere.exclusion or elsewhere.cites
            return f"{name!r} is offered only at a table of variant {' or '.join(elsewhere.variants)} ({cites})"
        return f"{name!r} is no optional wager here; awaited some of {_list(optional)}"

    def _missing_odds(self, kind: WagerKind, house: HouseFile) -> Iterable[Problem]:
        for name in kind.tables:
            table = self.tables[name]
            if not table.lines and not house.tables.get(name):
                text = f"{kind.name!r} needs odds, which were not found in {table.cites}"
                yield Problem(("offers",), f"{text}; awaited in {dotted(('tables', name))}")

    def uncertain(self) -> list[str]:
        """Return what a live table may not be opened on: each as ``name (section): standing``, with its basis."""
        unused = {table for kind in self.wagers.values() if not self.offers(kind.name) for table in kind.tables}
        everything: Iterable[Clause | WagerKind | Cap | PayTable | Option] = (
            *(clause for clause in self.clauses.values() if self._needs(clause.wager)),
            *(kind for kind in self.wagers.values() if self.offers(kind.name)),
            *(cap for name, cap in self.caps.items() if name in self.limited),
            *(table for name, table in self.tables.items() if name not in unused),
            *(option for option in self.options.values() if self._needs(option.wager)),
        )
        return [
            f"{part.name} ({part.cites}): {part.standing}" + (f", {part.basis}" if part.basis else "")
            for part in everything
            if not _certain(part)
        ]

    def _needs(self, wager: str) -> bool:
        return not wager or self.offers(wager)

    def _wrong_tables(self, house: HouseFile) -> Iterable[Problem]:
        for name, lines in house.tables.items():
            table = self.tables.get(name)
            if table is None:
                yield Problem(("tables", name), f"no such pay table; awaited one of {_list(self.tables)}")
            elif table.freedom is Freedom.FIXED:
                yield Problem(("tables", name), f"{table.cites} fixes these odds; awaited none here")
            else:
                for line, odds in lines.items():
                    yield from self._wrong_line(table, line, odds)

    @staticmethod
    def _wrong_line(table: PayTable, line: str, odds: str) -> Iterable[Problem]:
        key = ("tables", table.name, line)
        known = table.hands or tuple(table.lines)
        if known and line not in known:
            yield Problem(key, f"no such line; awaited one of {_list(known)}")
            return
        try:
            offered = Odds.parse(odds)
        except ValueError as error:
            yield Problem(key, str(error))
            return
        legal = table.lines.get(line)
        if table.freedom is Freedom.MINIMUM and legal and offered.ratio < legal.ratio:
            yield Problem(key, f"{table.cites} allows no less than {legal}, found {odds!r}")

    def _wrong_options(self, house: HouseFile) -> Iterable[Problem]:
        for name, value in house.options.items():
            option = self.options.get(name)
            key = ("options", name)
            if option is None:
                yield Problem(key, f"no such option; awaited one of {_list(self.options)}")
            elif type(value) is not type(option.value):
                yield Problem(key, f"awaited a value like {option.value!r}, found {value!r} ({option.cites})")
            elif option.choices and not set(value if isinstance(value, list) else [value]).issubset(option.choices):
                yield Problem(key, f"awaited one of {_list(option.choices)}, found {value!r} ({option.cites})")

    def _wrong_confirmations(self, house: HouseFile) -> Iterable[Problem]:
        parts: Mapping[str, Clause | WagerKind | Cap | PayTable | Option]
        parts = {**self.clauses, **self.wagers, **self.caps, **self.tables, **self.options}
        for name in house.confirmed:
            if name not in parts:
                yield Problem(("confirmed", name), "nothing of that name stands in the rulebook")
            elif parts[name].standing is not Standing.INFERRED:
                text = f"{parts[name].standing}; only what is inferred can be confirmed"
                yield Problem(("confirmed", name), text)


def _parse(text: str, form: type[Form], what: str) -> Form:
    try:
        return msgspec.convert(_read_odds(tomllib.loads(text), what), form)
    except (msgspec.ValidationError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{what}: {error}") from error


def _read_odds(tree: dict[str, Any], place: str) -> dict[str, Any]:
    """Turn odds, written "3 to 2" in TOML, into the pairs that the types hold."""
    for part in (tree.get("clauses", {}), tree.get("tables", {})):
        for name, fields in part.items():
            try:
                for key in ("odds", "vigorish", "forfeit"):
                    if key in fields:
                        fields[key] = Odds.parse(fields[key])
                if "lines" in fields:
                    fields["lines"] = {line: Odds.parse(odds) for line, odds in fields["lines"].items()}
            except ValueError as error:
                raise ConfigError(f"{place}: {name}: {error}") from error
    return tree


def _certain(part: Clause | WagerKind | Cap | PayTable | Option) -> bool:
    """Tell whether a live table may be opened on it."""
    return part.standing in (Standing.READ, Standing.HOUSE) or bool(part.confirmed)


def _named(parts: Mapping[str, Part]) -> dict[str, Part]:
    return {name: msgspec.structs.replace(part, name=name) for name, part in parts.items()}


def _for(variant: str, parts: Mapping[str, Part]) -> dict[str, Part]:
    return {name: part for name, part in parts.items() if not part.variants or variant in part.variants}


def _confirmed(parts: Mapping[str, Part], confirmed: Mapping[str, str]) -> dict[str, Part]:
    return {name: msgspec.structs.replace(part, confirmed=confirmed.get(name, "")) for name, part in parts.items()}


def _list(names: Iterable[Any]) -> str:
    return ", ".join(str(name) for name in names) or "nothing"
