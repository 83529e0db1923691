"""Whatever can be made out of the files of a damaged volume."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from tablectl.journal.files import beside
from tablectl.journal.packing import repacked, unpacked
from tablectl.journal.pages import read, records
from tablectl.journal.rows import Stored

_ENTRY, _BOOT, _META = 14, 3, 2
"""Columns of each table, by which its rows are known."""


class Found(msgspec.Struct, frozen=True):
    """What may be an entry. values: the columns of its row; boot: the start that wrote it, its name and time."""

    stored: Stored
    values: tuple[Any, ...]
    boot: tuple[str, int]


class Salvage:
    """Whatever could be made out of a journal's files. Nothing in it is proven yet."""

    def __init__(self, path: Path) -> None:
        self.entries: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        self.boots: dict[int, dict[str, int]] = defaultdict(dict)
        self.meta: dict[str, list[str]] = defaultdict(list)
        for rowid, values in records(read(path), read(beside(path, "-wal"))):
            self._take(rowid, values)

    def found(self, number: int, table: str, boots: Mapping[int, tuple[str, int]]) -> Iterator[Found]:
        """Yield what may be the entry of this number. boots: those whose names are certain."""
        for values in self.entries.get(number, ()):
            for boot in self._boots(values[1], boots):
                stored = _stored(number, boot[0], table, values)
                if stored:
                    yield Found(stored, (number, *values[1:]), boot)

    def behind(self, number: int, table: str) -> Iterator[list[Stored]]:
        """Yield what may stand at each number from here on, in order."""
        for later in sorted(each for each in self.entries if each >= number):
            yield [found.stored for found in self.found(later, table, {})]

    def _boots(self, number: Any, certain: Mapping[int, tuple[str, int]]) -> Iterable[tuple[str, int]]:
        """Return the boots that this number may mean: its own if that can be read, or else any."""
        if number in certain:
            return [certain[number]]
        others = (boot for boots in self.boots.values() for boot in boots.items())
        return dict.fromkeys((*self.boots.get(number, {}).items(), *others))

    def _take(self, rowid: int, values: tuple[Any, ...]) -> None:
        match values:
            case (None, *_) if len(values) in {_ENTRY, _ENTRY + 1}:
                values = _as_stored(values)
                if values not in self.entries[rowid]:
                    self.entries[rowid].append(values)
                self._take_resume(values)
            case (None, str(boot), int(wall)):
                self.boots[rowid][boot] = wall
            case (str(name), str(value)):
                self.meta[name].append(value)

    def _take_resume(self, values: tuple[Any, ...]) -> None:
        """Learn the name of a boot from the first words of that start, should its own row be lost."""
        with suppress(ValueError, LookupError, TypeError):
            said = json.loads(unpacked(values[11]))[0]
            if said["type"] == "resume":
                self.boots[values[1]].setdefault(said["boot"], values[2])


def _as_stored(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row with texts and numbers where they belong: one bit tells them from bytes, and the chain proves what
    they say.
    """
    *columns, words, seq, hashed = _with_words(values)
    number, boot, *texts = (
        column.decode(errors="replace") if isinstance(column, bytes) else column for column in columns
    )
    # Nothing proves the number of a boot, only its name: where it is none, any number will do.
    return (
        number,
        boot if isinstance(boot, int) else 0,
        *texts,
        words.encode() if isinstance(words, str) else words,
        seq,
        hashed,
    )


def _with_words(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Pack the words of a row of an earlier format, which kept them plain in two columns."""
    *columns, said, facts, seq, hashed = values
    if len(values) == _ENTRY:
        return values
    texts = (word.decode(errors="replace") if isinstance(word, bytes) else str(word) for word in (said, facts))
    return (*columns, repacked(*texts), seq, hashed)


def _stored(number: int, boot: str, table: str, values: tuple[Any, ...]) -> Stored | None:
    _, _, wall, mono, round_, *said, words, seq, hashed = values
    columns = [number, boot, wall, mono, table, round_, None, *said, "", None]
    try:
        return msgspec.convert(
            {"said": columns, "words": words, "seq": seq, "hash": hashed}, Stored, builtin_types=(bytes,)
        )
    except msgspec.ValidationError:
        return None
