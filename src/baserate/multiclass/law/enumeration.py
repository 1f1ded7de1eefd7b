"""All tables with given margins, and how likely each is when the deck is dealt at random."""

from __future__ import annotations

from decimal import localcontext
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.law.stirling import CONTEXT, log_factorial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_CELLS = 3_000_000
"""The most cells of all tables together: they are in memory at once."""
# The most tables: a second of a user's function.
_MOST_TABLES = 100_000


def all_tables(n: Sequence[int], m: Sequence[int]) -> tuple[Ints, Floats] | None:
    """Return all tables with these margins and their probabilities; None if they are too many.

    Parameters
    ----------
    n, m
        How often each class occurs, and is predicted.

    Examples
    --------
    >>> tables, chances = all_tables((2, 1), (1, 2))
    >>> tables.tolist(), chances.round(4)
    ([[[0, 2], [1, 0]], [[1, 1], [0, 1]]], array([0.3333, 0.6667]))
    """
    rows, columns = (np.flatnonzero(margin) for margin in (n, m))
    most = min(_MOST_TABLES, MOST_CELLS // (len(n) * len(m)))
    left = np.array(m, dtype=np.int64)[np.newaxis, columns]
    parts = np.empty((1, 0, columns.size), dtype=np.int64)
    for row in rows[:-1].tolist():
        found = _all_rows(n[row], left, most)
        if found is None:
            return None
        origin, filled = found
        parts = np.concatenate([parts[origin], filled[:, np.newaxis]], axis=1)
        left = left[origin] - filled
    parts = np.concatenate([parts, left[:, np.newaxis]], axis=1)
    tables = np.zeros((len(parts), len(n), len(m)), dtype=np.int64)
    tables[:, rows[:, np.newaxis], columns] = parts
    return tables, _chances(parts.reshape(len(parts), -1))


def _all_rows(size: int, left: Ints, most: int) -> tuple[Ints, Ints] | None:
    """Return all ways to fill a row, for each state of the columns: which state, and the row."""
    origin = np.arange(len(left))
    filled = np.zeros((len(left), 0), dtype=np.int64)
    needed = np.full(len(left), size)
    for column in range(left.shape[1]):
        room = left[origin]
        lowest = np.maximum(needed - room[:, column + 1 :].sum(axis=1), 0)
        ways = np.minimum(needed, room[:, column]) - lowest + 1
        # Every way to fill a part of a table can be completed: parts are never more than tables.
        if int(ways.sum()) > most:
            return None
        from_ = np.repeat(np.arange(origin.size), ways)
        nth = np.arange(from_.size) - np.repeat(np.cumsum(ways) - ways, ways)
        cell = lowest[from_] + nth
        filled = np.concatenate([filled[from_], cell[:, np.newaxis]], axis=1)
        origin, needed = origin[from_], needed[from_] - cell
    return origin, filled


def _chances(cells: Ints) -> Floats:
    """Return the probability of each table, which 1 / ∏ C_jk! is proportional to.

    Logarithms of factorials are huge for large counts. They are compared with those of a likely
    table with 50 digits, so that nothing is lost.
    """
    logs = np.zeros(len(cells))
    with localcontext(CONTEXT):
        for column in cells.T:
            values, place = np.unique(column, return_inverse=True)
            known = [log_factorial(value) for value in values.tolist()]
            middle = known[len(known) // 2]
            logs -= np.array([float(each - middle) for each in known])[place]
    chances = np.exp(logs - logs.max())
    return np.asarray(chances / chances.sum())
