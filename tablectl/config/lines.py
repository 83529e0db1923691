"""The line on which each key of a TOML text stands, which its parser does not tell."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tablectl.rulebook import Key

_TOKEN = re.compile(
    r'''"""(?:\\.|[^\\])*?"""+|\'{3}.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|[][{}\n]''', re.DOTALL
)
"""Strings and comments, in which nothing counts, and what does: brackets and ends of lines."""
_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_KEY = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")


def lines_of(text: str) -> dict[Key, int]:
    r"""Return the line of each table, key and element of an array of tables in a valid TOML text.

    >>> lines_of('[a]\nb = 1\n[[c]]\nd.e = 2')[("c", 0, "d", "e")]
    4
    """
    found: dict[Key, int] = {}
    arrays: Counter[Key] = Counter()
    here: Key = ()
    for line, statement in _statements(text):
        written = _KEY.match(statement)
        if written:
            key = here + _only_key(tomllib.loads(f"{written[1]} = 0"))
        else:
            key = here = _opened(_only_key(tomllib.loads(statement)), arrays, statement.lstrip().startswith("[["))
        for end in range(1, len(key) + 1):
            found.setdefault(key[:end], line)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield each header, and each key with its value, with the line on which it begins."""
    depth = begin = 0
    for token in _TOKEN.finditer(text + "\n"):
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if token[0] == "\n" and depth == 0:
            statement = text[begin : token.start()]
            if statement.strip() and not statement.lstrip().startswith("#"):
                yield text.count("\n", 0, begin) + 1, statement
            begin = token.end()


def _only_key(tree: Any) -> tuple[str, ...]:
    """Return the path through tables that hold one thing each."""
    key: tuple[str, ...] = ()
    while tree:
        if isinstance(tree, list):
            tree = tree[0]
        else:
            ((name, tree),) = tree.items()
            key += (name,)
    return key


def _opened(path: tuple[str, ...], arrays: Counter[Key], is_element: bool) -> Key:  # noqa: FBT001 - one of two headers
    """Return the key of the table that a header opens: the next or the present element where it is in an array."""
    key: Key = ()
    for depth, name in enumerate(path, 1):
        key += (name,)
        if is_element and depth == len(path):
            arrays[key] += 1
        if key in arrays:
            key += (arrays[key] - 1,)
    return key
