"""Scores of random tables with given margins, from a fixed stream: the same ones every time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.law.random_counts import hypergeometric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Scores = Callable[[Ints], Floats]

# The most tables: with the observed one they are a round number. Fewer, if they take too long.
_TABLES, _FEWEST = 39_999, 399
# How many cells of tables, hypergeometric numbers and dealt cards take about a second.
_CELLS, _NUMBERS, _CARDS = 5_000_000, 4_000_000, 40_000_000
# Up to so many cards per class, dealing them takes less time than drawing how many match.
_FEW_CARDS = 30
# As many numbers at a time as take some tens of megabytes.
_AT_ONCE = 4_000_000
# Beyond this many observations, of a table with few cells or with many, scipy's generator takes
# longer than one number after the other; with 10¹⁵ it crashes.
_MOST_OBSERVATIONS, _MANY_CELLS = (10**6, 10**9), 2_500
_SEED = 20_260_116


def scores_of_random_tables(scores: Scores, n: Sequence[int], m: Sequence[int]) -> Floats:
    """Return the scores of random tables.

    Parameters
    ----------
    scores
        The scores of tables, of shape (tables, K, K).
    n, m
        How often each class occurs, and is predicted.
    """
    cells = len(n) * len(m)
    size = _size(_CELLS // cells)
    rng = np.random.default_rng(_SEED)
    return np.concatenate([scores(random_tables(n, m, part, rng)) for part in _parts(size, cells)])


def scores_of_random_diagonals(scores: Scores, n: Sequence[int], m: Sequence[int]) -> Floats:
    """Return the scores of the diagonals of random tables.

    Parameters
    ----------
    scores
        The scores of diagonals, of shape (tables, K).
    n, m
        How often each class occurs, and is predicted.
    """
    return np.concatenate([scores(part) for part in _random_diagonals(tuple(n), tuple(m))])


@lru_cache(maxsize=1)  # the measures of one deck are asked for one after the other
def _random_diagonals(n: tuple[int, ...], m: tuple[int, ...]) -> list[Ints]:
    """Return the diagonals of random tables, in parts."""
    total, rng = sum(n), np.random.default_rng(_SEED)
    if total <= _FEW_CARDS * len(n):
        parts, deal = _parts(_size(_CARDS // total), total), _dealt
    else:
        parts, deal = _parts(_size(_NUMBERS // (3 * len(n))), len(n)), _drawn
    return [deal(n, m, part, rng) for part in parts]


def _size(affordable: int) -> int:
    """Return how many tables to score: one less than a multiple of 100."""
    return min(_TABLES, max(_FEWEST, affordable // 100 * 100 - 1))


def _parts(size: int, numbers: int) -> Iterator[int]:
    """Yield sizes of parts that fit into memory."""
    part = max(1, _AT_ONCE // numbers)
    for first in range(0, size, part):
        yield min(part, size - first)


def _dealt(n: Sequence[int], m: Sequence[int], size: int, rng: np.random.Generator) -> Ints:
    """Deal all cards, and count those that match."""
    # Short numbers: shuffling is bound by memory. There are at most 5,000 classes.
    classes = np.arange(len(n), dtype=np.int16)
    truth, deck = (np.repeat(classes, margin) for margin in (n, m))
    cards = rng.permuted(np.tile(deck, (size, 1)), axis=1)
    upto = np.zeros((size, truth.size + 1), dtype=np.int32)
    np.cumsum(cards == truth, axis=1, out=upto[:, 1:])
    return np.diff(upto[:, np.append(0, np.cumsum(n))], axis=1).astype(np.int64)


def _drawn(n: Sequence[int], m: Sequence[int], size: int, rng: np.random.Generator) -> Ints:
    """Draw how many cards match, class by class, at a cost that does not grow with M.

    Of the cards of the classes before, `inside` were dealt to observations of the classes before.
    The cards of this class are then dealt in three steps: to observations before; next to them,
    observations of this class that got a card from before are taken; the rest is dealt at random.
    """
    right = np.zeros((size, len(n)), dtype=np.int64)
    inside = np.zeros(size, dtype=np.int64)
    rows, cards, total = 0, 0, sum(n)
    for k, (a, b) in enumerate(zip(n, m, strict=True)):
        same = np.ones(size, dtype=np.int64)
        before = hypergeometric(b * same, (total - cards - b) * same, rows - inside, rng)
        taken = hypergeometric(a * same, (total - rows - a) * same, cards - inside, rng)
        free = total - rows - (cards - inside)
        right[:, k] = hypergeometric(a - taken, free - (a - taken), b - before, rng)
        inside = inside + before + taken + right[:, k]
        rows, cards = rows + a, cards + b
    return right


def random_tables(n: Sequence[int], m: Sequence[int], size: int, rng: np.random.Generator) -> Ints:
    """Return random tables of any number of observations, of shape (size, K, K)."""
    rows, columns = (np.flatnonzero(margin) for margin in (n, m))
    n_used = np.array(n, dtype=np.int64)[rows]
    m_used = np.array(m, dtype=np.int64)[columns]
    many = rows.size * columns.size > _MANY_CELLS
    fill = _filled_by_scipy if sum(n) <= _MOST_OBSERVATIONS[many] else _filled
    tables = np.zeros((size, len(n), len(m)), dtype=np.int64)
    tables[:, rows[:, np.newaxis], columns] = fill(n_used, m_used, size, rng)
    return tables


def _filled_by_scipy(n: Ints, m: Ints, size: int, rng: np.random.Generator) -> Ints:
    from scipy.stats import random_table

    drawn = random_table.rvs(n, m, size=size, random_state=rng)
    return np.asarray(drawn, dtype=np.int64).reshape(size, n.size, m.size)


def _filled(n: Ints, m: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Fill tables cell by cell, given the cells before."""
    tables = np.zeros((size, n.size, m.size), dtype=np.int64)
    room = np.tile(m, (size, 1))
    for row in range(n.size):
        needed, others = np.full(size, n[row]), room.sum(axis=1)
        for column in range(m.size):
            others = others - room[:, column]
            tables[:, row, column] = hypergeometric(room[:, column], others, needed, rng)
            needed = needed - tables[:, row, column]
        room = room - tables[:, row]
    return tables
