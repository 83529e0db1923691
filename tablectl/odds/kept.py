"""What a long run has come to so far, kept in a file, so that it can stop and go on."""

import time
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from tablectl import __version__
from tablectl.errors import ConfigError
from tablectl.games import rulebook_text
from tablectl.odds.inquiry import Inquiry
from tablectl.odds.simulation import BATCH
from tablectl.odds.tally import Account, Hit, Part, Tally

EVERY = 5.0
"""Seconds between two writes."""


class _Hit(msgspec.Struct, array_like=True):
    """A hit of a wager, how often it came, and the squares."""

    hit: Hit
    number: int
    squares: int


class _Account(Part):
    """An account as JSON holds it."""

    stakes: int = 0
    staked: int = 0
    hits: list[_Hit] = msgspec.field(default_factory=list)
    kinds: dict[str, Part] = msgspec.field(default_factory=dict)


class About(msgspec.Struct, frozen=True):
    """What is played. Tallies add up only where all of it is the same. rules: hash of rulebook and house file."""

    game: str
    variant: str
    decks: int | None
    strategy: str
    rules: str
    seed: int
    batch: int
    program: str

    @classmethod
    def of(cls, inquiry: Inquiry, seed: int) -> "About":
        """Return what an inquiry is about."""
        text = rulebook_text(inquiry.game) + inquiry.house
        rules = sha256(text.encode()).hexdigest()[:16]
        named = inquiry.game, inquiry.variant, inquiry.decks, inquiry.strategy_name
        return cls(*named, rules, seed, BATCH, __version__)


class _File(msgspec.Struct):
    about: About
    batches: int
    tally: dict[str, _Account]


class Kept:
    """A file with the tally of a run, of whole batches.

    Raises:
        ConfigError: the file cannot be read, or is about something else.
    """

    def __init__(self, path: Path, about: About) -> None:
        self.path, self.about = path, about
        self._written = time.monotonic()
        self.batches, self.tally = 0, Tally()
        if path.exists():
            found = self._read()
            self._check(found.about)
            self.batches, self.tally = found.batches, {name: _opened(it) for name, it in found.tally.items()}

    def _read(self) -> _File:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=_File)
        except (OSError, msgspec.DecodeError) as error:
            raise ConfigError(f"--keep {self.path}: awaited what a run kept, found: {error}") from error

    def _check(self, found: About) -> None:
        for name, awaited in msgspec.structs.asdict(self.about).items():
            if getattr(found, name) != awaited:
                raise ConfigError(
                    f"--keep {self.path}: awaited a run with {name} {awaited}, found {getattr(found, name)}"
                )

    def keep(self, done: int, tally: Tally, *, last: bool) -> None:
        """Write down, now and then and at last, what so many rounds came to.

        Raises:
            ConfigError: the file cannot be written; an old one stays as it is.
        """
        now = time.monotonic()
        if not last and now - self._written < EVERY:
            return
        self._written = now
        whole = _File(self.about, done // BATCH, {name: _closed(account) for name, account in tally.items()})
        new = self.path.with_name(f"{self.path.name}.new")
        try:
            new.write_bytes(msgspec.json.encode(whole))
            new.replace(self.path)
        except OSError as error:
            raise ConfigError(f"--keep {self.path}: {error}") from error


def _closed(account: Account) -> _Account:
    hits = [_Hit(hit, number, account.hit_squares[hit]) for hit, number in sorted(account.hits.items())]
    return _Account(**{**_fields(account), "hits": hits})


def _opened(kept: _Account) -> Account:
    hits = Counter({each.hit: each.number for each in kept.hits})
    squares = Counter({each.hit: each.squares for each in kept.hits})
    return Account(**{**_fields(kept), "hits": hits, "hit_squares": squares})


def _fields(account: Account | _Account) -> dict[str, Any]:
    """Return what both forms of an account have."""
    return {name: getattr(account, name) for name in _Account.__struct_fields__}
