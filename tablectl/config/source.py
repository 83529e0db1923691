"""The text of one file, and everything that is wrong with it, each with its line."""

import re
import tomllib
from collections.abc import Iterable
from copy import deepcopy
from typing import Any, NamedTuple, TypeVar

import msgspec

from tablectl.config.fit import misfits
from tablectl.config.lines import lines_of
from tablectl.rulebook import Key, Problem, dotted

Form = TypeVar("Form")


class Mistake(NamedTuple):
    """One thing wrong with a file. key: where in it, empty for the whole."""

    file: str
    line: int
    key: Key
    text: str

    @property
    def place(self) -> str:
        """Return the key as people write it."""
        return dotted(self.key)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.place + ': ' if self.key else ''}{self.text}"


class Source:
    """A TOML text under a name. form: what it should be; mistakes: what it is not, and what else was refused in it."""

    def __init__(self, name: str, text: str, form: type[msgspec.Struct]) -> None:
        self.name = name
        self.mistakes: list[Mistake] = []
        self._lines: dict[Key, int] = {}
        self._fitting: dict[str, Any] = {}
        try:
            tree = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            self._unreadable(text, str(error))
        else:
            self._lines = lines_of(text)
            self.refuse(misfits(tree, form))
            self._fitting = _without(tree, [mistake.key for mistake in self.mistakes])

    def _unreadable(self, text: str, error: str) -> None:
        place = re.search(r"at line (\d+), column \d+", error)
        line = int(place[1]) if place else text.count("\n") + 1
        self.mistakes.append(Mistake(self.name, line, (), f"this is no TOML: {error}"))

    def refuse(self, problems: Iterable[Problem]) -> None:
        """Note what cannot be."""
        for key, text in problems:
            self.mistakes.append(Mistake(self.name, self._line(key), key, text))

    def _line(self, key: Key) -> int:
        """Return the line of a key, or of what it is missing from."""
        while key and key not in self._lines:
            key = key[:-1]
        return self._lines.get(key, 1)

    def part(self, form: type[Form], *key: str | int, **instead: Any) -> Form | None:
        """Return what stands at a key, as far as it fits; None where too little of it does.

        instead: values for fields that cannot be read and yet are needed.
        """
        try:
            found = _at(self._fitting, key)
            return msgspec.convert({**instead, **found} if instead else found, form)
        except (LookupError, msgspec.ValidationError):
            return None

    def names(self, key: str) -> list[Any]:
        """Return the names in a table, or the indices in an array."""
        inside = self._fitting.get(key, {})
        return list(range(len(inside))) if isinstance(inside, list) else list(inside)

    def column(self, form: type[Form], key: str, name: str) -> dict[Any, Form]:
        """Return one field of each element of a table or an array, where it can be read."""
        found = {each: self.part(form, key, each, name) for each in self.names(key)}
        return {each: value for each, value in found.items() if value is not None}

    def is_sound(self, *key: str | int) -> bool:
        """Tell whether nothing was found wrong at a key, or in the whole file."""
        return not any(mistake.key[: len(key)] == key or not mistake.key for mistake in self.mistakes)


def _at(tree: Any, key: Iterable[str | int]) -> Any:
    for part in key:
        tree = tree[part]
    return tree


def _without(tree: dict[str, Any], keys: list[Key]) -> dict[str, Any]:
    """Return a tree without these keys; a key that is missing already does no harm."""
    pruned = deepcopy(tree)
    for *parents, last in reversed(keys):  # backwards, so that what is left in an array keeps its index until then
        inside = _at(pruned, parents)
        if isinstance(inside, dict):
            inside.pop(last, None)
        else:
            del inside[last]
    return pruned
