"""All sets of so many cards out of a pack, as columns of numbers, and what the hands among them are worth.

A set is a row of places in the pack, from low to high. Rows stand in the order of their highest place, then of the next
below it, so that a row's number is a sum of binomials, and the sets of fewer cards stand first within those of more.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tablectl.cards import Card
from tablectl.hands.ranking import CODES, Ranking

Rows: TypeAlias = NDArray[np.int8]
Numbers: TypeAlias = NDArray[np.int64]

_RANK_BITS = 12
"""Below them a code tells only suits."""


@cache
def sets(cards: int, size: int) -> Rows:
    """Return every set of this size out of so many cards, a row each."""
    if size == 0:
        return np.zeros((1, 0), np.int8)
    below = sets(cards, size - 1)
    parts = [_topped(below[: comb(top, size - 1)], top) for top in range(size - 1, cards)]
    return np.concatenate(parts) if parts else np.zeros((0, size), np.int8)


def _topped(rows: Rows, top: int) -> Rows:
    return np.column_stack([rows, np.full(len(rows), top, np.int8)])


@cache
def binomials() -> Numbers:
    """Return in how many ways sets of each size are chosen below each place: ``[size, place]``."""
    return np.array([[comb(place, size) for place in range(64)] for size in range(9)], np.int64)


def numbers(columns: Sequence[NDArray[np.signedinteger]]) -> Numbers:
    """Return the number of each set, given its places from low to high, a column for each."""
    table = binomials()
    return np.asarray(sum(table[size][column] for size, column in enumerate(columns, start=1)))


def number_of(places: Iterable[int]) -> int:
    """Return the number of one set."""
    return sum(comb(place, size) for size, place in enumerate(sorted(places), start=1))


def without(rows: Rows, leave_out: int) -> Numbers:
    """Return the number of each set less the card in this column."""
    return numbers([rows[:, column] for column in range(rows.shape[1]) if column != leave_out])


def over(cards: int, size: int, values: Numbers) -> Numbers:
    """Return for each set of one card less the sum of the values of all sets of this size that hold it."""
    rows, found = sets(cards, size), np.zeros(comb(cards, size - 1), np.int64)
    for column in range(size):
        found += np.bincount(without(rows, column), values, len(found)).astype(np.int64)
    return found


def sums(pack: Sequence[Card], size: int) -> Numbers:
    """Return the sum of the codes of each set."""
    codes = np.array([CODES[card] for card in pack], np.int64)
    return np.asarray(codes[sets(len(pack), size)].sum(1))


def judged(pack: Sequence[Card], size: int, by: Callable[[tuple[Card, ...]], str]) -> tuple[list[str], Numbers]:
    """Judge every set: the names there are, and for each set the place of its name. Only ranks, and whether all cards
    are of one suit, may make a difference: then one set stands for all like it.
    """
    rows = sets(len(pack), size)
    suits = np.array([list(dict.fromkeys(card.suit for card in pack)).index(card.suit) for card in pack], np.int8)[rows]
    alike = (sums(pack, size) >> _RANK_BITS) * 2 + (suits == suits[:, :1]).all(1)
    _, first, kind = np.unique(alike, return_index=True, return_inverse=True)
    found = [by(tuple(pack[place] for place in row)) for row in rows[first].tolist()]
    names = sorted(set(found))
    return names, np.array([names.index(name) for name in found], np.int64)[kind.reshape(-1)]


def worths(pack: Sequence[Card], ranking: Ranking) -> Numbers:
    """Return for each hand of the ranking's size its place among all worths, the lowest first; equal ones share it."""
    found = ranking.worths_of(sums(pack, ranking.size).tolist())
    places = {worth: place for place, worth in enumerate(sorted(set(found)))}
    return np.fromiter((places[worth] for worth in found), np.int64, len(found))
