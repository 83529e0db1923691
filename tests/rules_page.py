"""docs/rules.md: every rule of every game, how well it is known, and the tests that hold it.

``python -m tests.rules_page`` writes the page out of the rulebooks and of the tests under ``tests/rules``.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from tablectl.games import GAMES, rulebook_text
from tablectl.rulebook import Cap, Clause, Freedom, Option, PayTable, Rulebook, Standing, Variant, WagerKind

PAGE = Path(__file__).parent.parent / "docs" / "rules.md"
TESTS = Path(__file__).parent / "rules"
SHARED = ("test_day.py", "test_equipment.py", "test_every_game.py", "test_floor.py", "test_shoe_errors.py")
"""Tests of what no single game has."""
STATEMENTS = TESTS / "statements.toml"
EQUIPMENT = "equipment"
"""What devices, decks and dice of all games rest on."""
SHOWN = 4
"""So many tests stand in one row; of the others only how many there are."""
ODDS = {Freedom.FIXED: "the odds are fixed", Freedom.MINIMUM: "the least odds", Freedom.OWN: "odds of the house's own"}
INTRODUCTION = """# The rules, and what holds them

Each game is played by its rulebook, `tablectl/games/*.toml`: variants, clauses, wagers, caps, pay tables and options.
Each of these has its section of the New Jersey rules (N.J.A.C.), or of the rules it leans on, and a standing.

| standing | |
|---|---|
| read | the text was read |
| inferred | it was not; the basis says from what it follows. A live table needs the licensee's confirmation |
| house | the rules leave it to the licensee |
| missing | it was not found; the house file must say it |
| demonstration | invented for rehearsal; a live table does not open on it |

A test holds a rule if it names its section, or a part of it: in its name (`test_6_5_d_…`), in its docstring or among
what it expects. A pay table or an option may be named instead. A test of 6.5(f) does not count for 6.5(f)1.
Sections that no test names stand before each table; worked examples, which name none, may hold them all the same.
Beside the rulebook each game rests on numbered statements, `tests/rules/statements.toml`: every one is named by a test,
or listed here with the reason why no program can hold it.

This page is generated: `python -m tests.rules_page`.
"""

Part = Variant | Clause | WagerKind | Cap | PayTable | Option
Section = tuple[str, ...]
"""13:69F-6.5(f)1 is ``("6.5", "f", "1")``; no two chapters have a section of the same number, so that none is named."""

_NUMBER = r"\d+[A-Za-z]?\.\d+[A-Z]?|\d+(?::\d+){3}"
_PART = r"\(([a-z])\)\(?(\d*)|, (\d)(?=[,;)]|$)"
_CITED = re.compile(rf"({_NUMBER})((?:(?:,? and |, )?(?:{_PART})\)?)*)")
_IN_NAME = re.compile(r"(?:test|section|and|to)_(\d+)_(\d+)((?:(?:_and|_to)?_[a-z](?![a-z])(?:_\d(?!\d))?)*)")


def sections(text: str) -> Iterator[Section]:
    """Yield each section that a text names: ``19.5(a)1, 2, (e)`` names three."""
    for number, parts, *_ in _CITED.findall(text):
        letter = ""
        for letter_here, digit, further in re.findall(_PART, parts):
            letter = letter_here or letter
            yield tuple(filter(None, (number, letter, digit or further)))
        if not parts:
            yield (number,)


def sections_of_name(name: str) -> Iterator[Section]:
    """Yield each section that a test's name begins with: ``test_6_5_f_1_…``; no letter but the first can be an a."""
    for chapter, number, parts in _IN_NAME.findall(name):
        found = re.findall(r"_([a-z])(?![a-z])(?:_(\d))?", parts)
        letters = [part for at, part in enumerate(found) if not (at and part[0] == "a")]
        yield from (tuple(filter(None, (f"{chapter}.{number}", *part))) for part in letters or [("", "")])


class Test(NamedTuple):
    """One test. sections: those that it names; words: every text in it, and every keyword, blanks for underscores."""

    name: str
    sections: frozenset[Section]
    words: frozenset[str]

    @classmethod
    def read(cls, function: ast.AST, name: str) -> "Test":
        """Read a test out of its source."""
        inside = list(ast.walk(function))
        texts = [part.value for part in inside if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        keywords = [part.arg.replace("_", " ") for part in inside if isinstance(part, ast.keyword) and part.arg]
        named = chain(sections_of_name(name), *map(sections, texts))
        return cls(name, frozenset(named), frozenset((*texts, *keywords)))

    def holds(self, name: str, part: Part) -> bool:
        """Tell whether this test names a rule: its section or a part of that, or a pay table or option by its name."""
        if isinstance(part, PayTable | Option) and name in self.words:
            return True
        cited = tuple(sections(part.cites))
        return any(section[: len(rule)] == rule for section in self.sections for rule in cited)


@cache
def tests_in(path: Path) -> tuple[Test, ...]:
    """Return the tests of a file, in order."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (part for part in tree.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef))
    return tuple(Test.read(part, part.name) for part in functions if part.name.startswith("test_"))


def files_of(game: str) -> list[Path]:
    """Return where the tests of a game stand, and those of what all games share."""
    own = TESTS.glob(f"test_{game.replace('-', '_')}*.py")
    return [*sorted(own), *(TESTS / name for name in SHARED)]


class Beyond(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statements that no program can hold, and why."""

    sections: tuple[str, ...]
    reason: str


class Statements(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbered statements that one game rests on. held: those of which each must be named by a test."""

    held: tuple[str, ...]
    beyond: tuple[Beyond, ...] = ()

    def unnamed(self, tests: Iterable[Test]) -> list[str]:
        """Return which of them no test names, or a part of them."""
        named = {section[:size] for test in tests for section in test.sections for size in range(1, len(section) + 1)}
        return [text for text in self.held if not named.issuperset(sections(text))]


@cache
def statements() -> dict[str, Statements]:
    """Return the statements of every game, and of what they share."""
    return msgspec.toml.decode(STATEMENTS.read_bytes(), type=dict[str, Statements])


def checks_of(game: str) -> list[Test]:
    """Return the tests that hold a game; for what all share, the tests of every game."""
    files = sorted(TESTS.glob("test_*.py")) if game == EQUIPMENT else files_of(game)
    return [test for path in files for test in tests_in(path)]


class Row(NamedTuple):
    """One rule and the names of the tests that hold it."""

    kind: str
    name: str
    part: Part
    tests: tuple[str, ...]

    def cells(self) -> tuple[str, ...]:
        """Return what the page tells of it, its tests apart."""
        standing = getattr(self.part, "standing", "")
        return self.part.cites, f"{self.kind} **{self.name}**", standing, says(self.part)


def rows(game: str) -> list[Row]:
    """Return every rule of a game, in the order of its rulebook."""
    rules = Rulebook.parse(rulebook_text(game))
    kinds: dict[str, Mapping[str, Part]] = {
        "variant": rules.variants,
        "clause": rules.clauses,
        "wager": rules.wagers,
        "cap": rules.caps,
        "pay table": rules.tables,
        "option": rules.options,
    }
    tests = checks_of(game)
    return [
        Row(kind, name, part, tuple(test.name for test in tests if test.holds(name, part)))
        for kind, parts in kinds.items()
        for name, part in parts.items()
    ]


def says(part: Part) -> str:
    """Return what a rule says, and on what it rests."""
    basis = getattr(part, "basis", "")
    return "<br>".join(filter(None, (*_says(part), basis and f"*basis: {basis}*")))


def _says(part: Part) -> tuple[str, ...]:
    match part:
        case Variant(text=text):
            return (text,)
        case Clause(outcome=outcome, odds=odds, text=text):
            return text, " ".join(str(word) for word in (outcome, odds) if word)
        case WagerKind(optional=optional):
            return ("if the house offers it",) if optional else ()
        case Cap(least=least):
            return (f"at least {least}, or what one player could win at the minimum wager",)
        case PayTable(lines=lines, freedom=freedom):
            return ", ".join(f"{line}: {odds}" for line, odds in lines.items()), ODDS[freedom]
        case Option(value=value, text=text, standing=standing):
            return text, "" if standing is Standing.MISSING else f"default: {msgspec.json.encode(value).decode()}"


def shown(tests: tuple[str, ...]) -> str:
    """Return the names of tests, the first few of them in full."""
    names = [f"`{name.removeprefix('test_')}`" for name in tests[:SHOWN]]
    more = [f"and {len(tests) - SHOWN} more"] if len(tests) > SHOWN else []
    return "<br>".join((*names, *more)) or "none"


def chapter(game: str) -> str:
    """Return what the page says of one game: the rules by section, each section where it is first named."""
    rules, found = Rulebook.parse(rulebook_text(game)), rows(game)
    standings = Counter(getattr(row.part, "standing", "") for row in found)
    counted = ", ".join(f"{standings[known]} {known}" for known in Standing if standings[known])
    files = ", ".join(f"[{path.name}](../tests/rules/{path.name})" for path in files_of(game))
    by_section: dict[str, list[Row]] = {}
    for row in found:
        by_section.setdefault(row.part.cites, []).append(row)
    untested = [cites for cites, group in by_section.items() if not any(row.tests for row in group)]
    return "\n".join(
        (
            f"## {rules.title} ({rules.chapter})",
            "",
            f"Played by `{game}`: {counted}.",
            f"Its tests: {files}.",
            "",
            f"Sections that no test names: {'; '.join(untested) or 'none'}.",
            "",
            *told(game),
            "| section | rule | standing | says | tests |",
            "|---|---|---|---|---|",
            *chain.from_iterable(map(lines_of, by_section.values())),
        )
    )


def told(game: str) -> Iterator[str]:
    """Yield what the page tells of the numbered statements of a game."""
    known = statements()[game]
    beyond = sum(len(each.sections) for each in known.beyond)
    yield f"Numbered statements: {len(known.held)} that tests name, {beyond} that no program can hold:"
    yield ""
    yield from (f"- {', '.join(each.sections)}: {each.reason}." for each in known.beyond)
    yield ""


def lines_of(group: list[Row]) -> Iterator[str]:
    """Yield the lines of one section; what rests on the same tests as the rule before does not name them again."""
    before: tuple[str, ...] = ()
    for row in group:
        tests = "the same" if row.tests and row.tests == before else shown(row.tests)
        yield f"| {' | '.join((*row.cells(), tests))} |"
        before = row.tests


def page() -> str:
    """Return the whole page."""
    equipment = "\n".join(("## Equipment (13:69E)", "", *told(EQUIPMENT))).rstrip()
    return "\n\n".join((INTRODUCTION.strip(), *map(chapter, GAMES), equipment)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
