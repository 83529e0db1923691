"""Each key of a TOML text is found on its line, and each misfit where msgspec finds only the first."""

import tomllib
from collections.abc import Iterator
from json import dumps
from typing import Any

import msgspec
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from tablectl.config import Mistake, build_terms
from tablectl.config.fit import misfits
from tablectl.config.form import TableFile
from tablectl.config.lines import lines_of
from tablectl.errors import ConfigError
from tablectl.events.announcements import Configure
from tablectl.games import rulebook_text
from tablectl.rulebook import HouseFile, Key
from tests.table_files import PAI_GOW, PAI_GOW_HOUSE, RED_DOG, RED_DOG_HOUSE

NOISE = [
    "# comment with [header] and key = 1",
    "   ",
    "{name} = 1",
    '{name} = "with # and [ and ] and \\" and = "  # end',
    "{name} = 'literal \\ # ['",
    "{name} = [1, 2]  # list",
    "{name} = [\n  1,  # a comment with ]\n  [2],\n]",
    '{name} = """\nmany [ lines\n# none of them = a key\n\\""" still ""\n"""',
    "{name} = '''\nliteral ] lines ''\n'''",
    "{name} = {{ dealer = 1, 'x y' = [ {{ z = 2 }} ] }}",
    '{name} = ""',
    "{name} = 1979-05-27T07:32:00Z",
]
"""Statements and comments in which a careless eye would see others."""
NAMES = ["plain", "bare-key_1", "1", '"quoted # [key]"', "'literal = key'", '"with \\" quote"']

keys = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(" . ".join)
headers = st.tuples(st.sampled_from(["[{key}]", "[[{key}]]", "  [ {key} ] # end"]), keys)
statements = st.one_of(
    headers.map(lambda written: written[0].format(key=written[1])),
    keys.map(lambda key: f'{key} = "line {{line}}"'),
    st.sampled_from(NOISE),
)


def leaves(tree: Any, key: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Yield everything in a tree of tables and arrays that is neither."""
    if isinstance(tree, dict | list):
        for name, inside in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves(inside, (*key, name))
    else:
        yield key, tree


@given(st.lists(statements, max_size=12))
def test_every_key_is_found_on_its_line(written: list[str]) -> None:
    """Whatever headers, strings, comments and arrays stand around a key, it is found where it is written."""
    text = ""
    for number, statement in enumerate(written):
        text += statement.replace("{line}", str(text.count("\n") + 1)).replace("{name}", f"noise{number}") + "\n"
    text = text.replace("{{", "{").replace("}}", "}")
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        reject()  # something is written twice

    found = lines_of(text)

    marked = {key: value for key, value in leaves(tree) if str(value).startswith("line ")}
    assert marked == {key: f"line {found.get(key)}" for key in marked}


def test_an_element_of_an_array_of_tables_has_its_own_lines() -> None:
    """Keys of the second device are not taken for those of the first, nor those of a table inside it."""
    text = "[[device]]\nid = 1\n[device.more]\nx = 1\n[[device]]\nid = 2\n[device.more]\nx = 2\n"

    found = lines_of(text)

    assert [found["device", at, *rest] for at in (0, 1) for rest in (["id"], ["more", "x"])] == [2, 4, 6, 8]


json = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 70000) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inside: st.lists(inside, max_size=2) | st.dictionaries(st.sampled_from(["id", "x", "dealer"]), inside),
    max_leaves=4,
)


def spoilt(data: st.DataObject, tree: Any) -> Any:
    """Return the tree with up to two things in it replaced by anything."""
    for _ in range(data.draw(st.integers(0, 2))):
        inside = tree
        while True:
            name = data.draw(st.sampled_from(sorted(inside) if isinstance(inside, dict) else range(len(inside))))
            deeper = isinstance(inside[name], dict | list) and inside[name]
            if not deeper or data.draw(st.booleans()):
                break
            inside = inside[name]
        inside[name] = data.draw(json)
    return tree


def written(value: Any) -> str:
    """Return a value as TOML has it on one line."""
    match value:
        case dict():
            return "{" + ", ".join(f"{dumps(name)} = {written(each)}" for name, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(written, value)) + "]"
        case _:
            return dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("form", [TableFile, HouseFile])
@given(data=st.data())
def test_what_has_no_misfit_is_what_msgspec_takes(form: type[msgspec.Struct], data: st.DataObject) -> None:
    """Files that are spoilt anywhere in any way are misfits exactly when the typed reader would refuse them."""
    tree = spoilt(data, tomllib.loads(data.draw(st.sampled_from(RIGHT[form]))))
    try:
        msgspec.convert(tree, form)
    except msgspec.ValidationError:
        is_taken = False
    else:
        is_taken = True

    assert is_taken == (not list(misfits(tree, form)))


@given(data=st.data())
def test_whatever_a_file_holds_it_is_taken_or_refused_with_mistakes(data: st.DataObject) -> None:
    """No text makes the reader break down, and none is refused without a word."""
    game, table, house = data.draw(st.sampled_from(GAMES))
    table, house = (
        "\n".join(f"{name} = {written(value)}" for name, value in spoilt(data, tomllib.loads(text)).items())
        for text in (table, house)
    )

    mistakes = refused(Configure(table, rulebook_text(game), house, "1"))

    assert mistakes is None or mistakes
    assert all(isinstance(each, Mistake) and each.text for each in mistakes or ())


def refused(configured: Configure) -> tuple[object, ...] | None:
    """Return the mistakes for which a configuration is refused, None when it is taken."""
    try:
        build_terms(configured)
    except ConfigError as error:
        return error.args
    return None


GAMES = [("red-dog", RED_DOG, RED_DOG_HOUSE), ("pai-gow-poker", PAI_GOW, PAI_GOW_HOUSE)]
RIGHT: dict[type[msgspec.Struct], list[str]] = {
    TableFile: [RED_DOG, PAI_GOW],
    HouseFile: [RED_DOG_HOUSE, PAI_GOW_HOUSE],
}
