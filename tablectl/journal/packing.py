"""The words of an entry as they are stored: what every round repeats is not written again.

An SD card wears by the pages that are written to it, and most of a fact is the same in every round. So the words are
deflated (RFC 1951) against `words.txt`, whose lines, joined by commas, stand before them as the preset dictionary; what
is rare stands first. Another `words.txt` is another format of the journal: nothing could be read with it.
"""

import zlib
from collections.abc import Iterable
from importlib import resources

import msgspec

_LINES = resources.files("tablectl.journal").joinpath("words.txt").read_text("utf-8").splitlines()
_DICTIONARY = ",".join(_LINES).encode()
_RAW = -15  # no header and no checksum: the chain proves what is read
_packer = zlib.compressobj(9, zlib.DEFLATED, _RAW, zdict=_DICTIONARY)
_unpacker = zlib.decompressobj(_RAW, _DICTIONARY)
_array = msgspec.json.Decoder(list[msgspec.Raw])


def packed(words: Iterable[str]) -> bytes:
    """Pack an input and its facts, each in JSON."""
    packer = _packer.copy()
    return packer.compress(f"[{','.join(words)}]".encode()) + packer.flush()


def unpacked(words: bytes) -> str:
    """Return what was packed, as one JSON array.

    Raises:
        ValueError: the bytes were altered.
    """
    unpacker = _unpacker.copy()
    try:
        told = unpacker.decompress(words)
    except zlib.error as error:
        raise ValueError(f"{error}") from error
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("packed words without their end, or with more behind it")
    return told.decode()


def texts(words: bytes) -> tuple[str, ...]:
    """Return what was packed, one by one, each as it was hashed.

    Raises:
        ValueError: the bytes were altered.
    """
    return tuple(str(word, "utf-8") for word in _array.decode(unpacked(words)))


def told(words: object) -> str | None:
    """Return what was packed as one JSON array, None where it was altered: a function for searches in SQL."""
    try:
        return unpacked(words) if isinstance(words, bytes) else None
    except ValueError:
        return None


def repacked(said: str, facts: str) -> bytes:
    """Pack what formats 1 and 2 kept plain, an input and an array of facts; a function for SQL."""
    return packed([said] if facts == "[]" else [said, facts[1:-1]])
