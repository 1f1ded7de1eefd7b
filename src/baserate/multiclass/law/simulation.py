"""Random tables with given margins, from a fixed stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Scores = Callable[[Ints], Floats]

# How many tables: with the observed one they are a round number. Fewer, if they have many cells.
_TABLES, _FEWEST, _CELLS = 99_999, 999, 5_000_000
# As many numbers at a time as take some tens of megabytes.
_AT_ONCE = 4_000_000
# The largest total of numpy's and scipy's generators.
_MOST_OBSERVATIONS = 10**9
# Beyond them, a cell with a larger variance than this is a rounded normal number.
_LARGE = 1e4
_SEED = 20_260_116


def simulated_scores(scores: Scores, n: Sequence[int], m: Sequence[int]) -> Floats:
    """Return the scores of random tables: always the same ones.

    Parameters
    ----------
    scores
        The scores of some tables.
    n, m
        How often each class occurs, and is predicted.
    """
    size = min(_TABLES, max(_FEWEST, _CELLS // (len(n) * len(m)) // 1000 * 1000 - 1))
    chunk = max(1, _AT_ONCE // (len(n) * len(m)))
    return np.concatenate([scores(tables) for tables in _tables(n, m, size, chunk)])


def simulated_diagonals(scores: Scores, n: Sequence[int], m: Sequence[int]) -> Floats:
    """Return the scores of random diagonals, where cards are fewer than cells."""
    total = sum(n)
    size = min(_TABLES, max(_FEWEST, 40 * _CELLS // total // 1000 * 1000 - 1))
    rng = np.random.default_rng(_SEED)
    truth, deck = (np.repeat(np.arange(len(n)), margin) for margin in (n, m))
    starts = np.append(0, np.cumsum(n))
    found = []
    chunk = max(1, _AT_ONCE // total)
    for first in range(0, size, chunk):
        cards = rng.permuted(np.tile(deck, (min(chunk, size - first), 1)), axis=1)
        upto = np.cumsum(cards == truth, axis=1, dtype=np.int64)
        upto = np.concatenate([np.zeros((len(cards), 1), dtype=np.int64), upto], axis=1)
        found.append(scores(np.diff(upto[:, starts], axis=1)))
    return np.concatenate(found)


def cards_are_fewer(n: Sequence[int]) -> bool:
    """Return whether dealing single cards takes less time than filling the cells of a table."""
    return sum(n) < 4 * len(n) ** 2


def _tables(n: Sequence[int], m: Sequence[int], size: int, chunk: int) -> Iterator[Ints]:
    rng = np.random.default_rng(_SEED)
    rows, columns = (np.flatnonzero(margin) for margin in (n, m))
    n_used = np.array(n, dtype=np.int64)[rows]
    m_used = np.array(m, dtype=np.int64)[columns]
    draw = _few if sum(n) <= _MOST_OBSERVATIONS else _many
    for first in range(0, size, chunk):
        count = min(chunk, size - first)
        tables = np.zeros((count, len(n), len(m)), dtype=np.int64)
        tables[:, rows[:, np.newaxis], columns] = draw(n_used, m_used, count, rng)
        yield tables


def _few(n: Ints, m: Ints, size: int, rng: np.random.Generator) -> Ints:
    from scipy.stats import random_table

    drawn = random_table.rvs(n, m, size=size, random_state=rng)
    return np.asarray(drawn, dtype=np.int64).reshape(size, n.size, m.size)


def _many(n: Ints, m: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Draw cell by cell, given the cells before."""
    tables = np.zeros((size, n.size, m.size), dtype=np.int64)
    room = np.tile(m, (size, 1))
    for row in range(n.size):
        needed, others = np.full(size, n[row]), room.sum(axis=1)
        for column in range(m.size):
            others = others - room[:, column]
            drawn = _hypergeometric(room[:, column], others, needed, rng)
            tables[:, row, column] = drawn
            needed = needed - drawn
        room = room - tables[:, row]
    return tables


def _hypergeometric(good: Ints, bad: Ints, drawn: Ints, rng: np.random.Generator) -> Ints:
    """Draw from the hypergeometric law, approximately if there is no generator for its size."""
    total = good + bad
    low, high = np.maximum(drawn - bad, 0), np.minimum(good, drawn)
    share = good / np.maximum(total, 1)
    mean = drawn * share
    variance = mean * (1 - share) * (total - drawn) / np.maximum(total - 1, 1)
    normal = np.rint(mean + np.sqrt(np.maximum(variance, 0)) * rng.standard_normal(good.size))
    # The rarest of the four margins, of which few are taken: with replacement is as good.
    rare = np.minimum(np.minimum(good, bad), np.minimum(drawn, total - drawn))
    is_good = rare == np.minimum(good, bad)
    other = np.where(is_good, drawn, good) / np.maximum(total, 1)
    picked = rng.binomial(rare, np.clip(other, 0, 1))
    # What was counted is a cell next to the one that is asked for, if the rare margin is another.
    from_good = np.where(good <= bad, picked, drawn - picked)
    from_drawn = np.where(drawn <= total - drawn, picked, good - picked)
    few = np.where(is_good, from_good, from_drawn)
    result = np.where(variance > _LARGE, normal, few)
    return np.clip(result, low, high).astype(np.int64)
