"""Rows read straight from the pages of a database file and its log, with or without the tree that leads to them.

What SQLite cannot open any more still holds most rows whole. Nothing here is believed: whoever asks checks each row
against the chain. The layout is that of https://www.sqlite.org/fileformat.html.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

PAGE = 512
"""Bytes in a page of a journal."""

_LEAF, _INDEX_LEAF = 0x0D, 0x0A
_LOCAL, _LEAST = PAGE - 35, (PAGE - 12) * 32 // 255 - 23
"""Bytes of a row that lie in its own page at most, and at least."""
_WAL_HEADER, _FRAME_HEADER = 32, 24
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_CONSTANTS = {0: None, 8: 0, 9: 1}
_FIRST_BLOB = 12
_MOST_PAGES = 1 << 16  # of one row; a ring of pages ends somewhere

Pages = dict[int, bytes]
Record = tuple[int, tuple[Any, ...]]


class Unreadable(ValueError):  # noqa: N818 - what was found
    """Bytes that are no row."""


def records(database: bytes, log: bytes) -> Iterator[Record]:
    """Yield each row that can be made out, with its rowid, 0 in a table without; a row may come more than once."""
    file = {number: database[at : at + PAGE] for number, at in enumerate(range(0, len(database), PAGE), 1)}
    yield from _records(file)
    if frames := _frames(log):
        yield from _records(file | frames)


def read(path: Path) -> bytes:
    """Return the bytes of a file, none where there is no such file."""
    return path.read_bytes() if path.exists() else b""


def _frames(log: bytes) -> Pages:
    """Return the newest image of each page in the log; frames of an earlier use of the file have another salt."""
    salt = log[16:24]
    frames: Pages = {}
    for at in range(_WAL_HEADER, len(log) - _FRAME_HEADER - PAGE + 1, _FRAME_HEADER + PAGE):
        if log[at + 8 : at + 16] == salt:
            frames[int.from_bytes(log[at : at + 4])] = log[at + _FRAME_HEADER : at + _FRAME_HEADER + PAGE]
    return frames


def _records(pages: Pages) -> Iterator[Record]:
    for page in pages.values():
        if page[:1] == bytes([_LEAF]):
            yield from _leaf(page, pages)
        elif page[:1] == bytes([_INDEX_LEAF]):
            yield from _index_leaf(page)


def _cells(page: bytes) -> Iterator[int]:
    """Yield where each cell of a leaf begins."""
    count = min(int.from_bytes(page[3:5]), PAGE // 2)
    return (int.from_bytes(page[at : at + 2]) for at in range(8, 8 + 2 * count, 2))


def _leaf(page: bytes, pages: Pages) -> Iterator[Record]:
    for cell in _cells(page):
        try:
            size, at = _varint(page, cell)
            rowid, at = _varint(page, at)
            yield rowid, _values(_payload(page, at, size, pages))
        except Unreadable:
            continue


def _index_leaf(page: bytes) -> Iterator[Record]:
    for cell in _cells(page):
        try:
            size, at = _varint(page, cell)
            yield 0, _values(page[at : at + size])
        except Unreadable:
            continue


def _payload(page: bytes, at: int, size: int, pages: Pages) -> bytes:
    """Return the whole of a row, which may go on in other pages."""
    if size <= _LOCAL:
        return page[at : at + size]
    local = _LEAST + (size - _LEAST) % (PAGE - 4)
    local = local if local <= _LOCAL else _LEAST
    parts, left = [page[at : at + local]], size - local
    following = int.from_bytes(page[at + local : at + local + 4])
    while left > 0:
        if following not in pages or len(parts) > _MOST_PAGES:
            raise Unreadable("a row without its end")
        part = pages[following]
        following = int.from_bytes(part[:4])
        parts.append(part[4 : 4 + min(left, PAGE - 4)])
        left -= PAGE - 4
    return b"".join(parts)


def _values(payload: bytes) -> tuple[Any, ...]:
    """Return the columns of a row."""
    length, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < length:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    places = [length]
    for kind in kinds:
        places.append(places[-1] + _width(kind))
    if places[-1] != len(payload):
        raise Unreadable("a row of another length than its columns")
    return tuple(_value(kind, payload[start:end]) for kind, (start, end) in zip(kinds, pairwise(places), strict=True))


def _width(kind: int) -> int:
    if kind >= _FIRST_BLOB:
        return (kind - _FIRST_BLOB) // 2
    if kind in _CONSTANTS:
        return 0
    if kind not in _INTEGERS:
        raise Unreadable("a column that no journal has")
    return _INTEGERS[kind]


def _value(kind: int, raw: bytes) -> Any:
    if kind in _CONSTANTS:
        return _CONSTANTS[kind]
    if kind in _INTEGERS:
        return int.from_bytes(raw, signed=True)
    return raw if kind % 2 == 0 else _text(raw)


def _text(raw: bytes) -> str | bytes:
    """Return a text, or the bytes themselves where they are none: one bit tells texts from bytes."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(9):
        if at >= len(data):
            raise Unreadable("a number without its end")
        byte, at = data[at], at + 1
        if place == 8:  # noqa: PLR2004 - the ninth byte counts whole
            return value << 8 | byte, at
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004 - the bit that says: more follows
            return value, at
    raise AssertionError("unreachable")
