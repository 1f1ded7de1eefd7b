"""The expectation of any function of a table: over all tables of a deck, or some of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.multiclass.law.products import mean_of_product
from baserate.multiclass.measures.forms import OfProduct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

# All tables of a deck are scored if there are at most so many ways to fill all rows but one.
_FEW_WAYS = 20_000
# Otherwise so many tables are drawn, or fewer if they are large: a user's function is called for
# each, and a search asks for hundreds of expectations.
_DRAWN, _DRAWN_CELLS, _LEAST_DRAWN = 200, 100_000, 8
_SEED = 20_230_318


def has_few_tables(n: Sequence[int], m: Sequence[int]) -> bool:
    """Return whether the tables of a deck are few enough to score them all."""
    return _ways(n, m) <= _FEW_WAYS


def mean_over_tables(measure: ClassMeasure, n: Sequence[int], m: Sequence[int]) -> float:
    """Return the expected score of a deck; nan if one of its tables has no score."""
    if has_few_tables(n, m):
        tables, chances = tables_with_chances(n, m)
        return math.fsum(chances * measure.scores(tables.astype(float)))
    if isinstance(measure.form, OfProduct):
        return mean_of_product(measure.form, n, m)
    return float(measure.scores(_drawn(n, m).astype(float)).mean())


def _ways(n: Sequence[int], m: Sequence[int]) -> int:
    """Return in how many ways all rows but the largest can be filled, at most."""
    columns = sum(map(bool, m))
    rows = sorted(n)[:-1]
    # Fewer than 2⁶⁴ rows are enough to know that there are too many ways.
    ways = 1
    for size in rows:
        ways *= math.comb(size + columns - 1, columns - 1)
        if ways > _FEW_WAYS:
            break
    return ways


def tables_with_chances(n: Sequence[int], m: Sequence[int]) -> tuple[Ints, Floats]:
    """Return all tables with these margins, of shape (tables, K, K), and their probabilities."""
    truth, deck = np.array(n), np.array(m)
    order = np.argsort(truth, kind="stable")  # the largest row is what the others leave
    tables, left = np.zeros((1, truth.size, deck.size), dtype=np.int64), deck[np.newaxis]
    logs = np.zeros(1)
    for k in order[:-1]:
        rows = np.array(list(_rows(int(truth[k]), tuple(map(int, deck)))), dtype=np.int64)
        fits = (rows[np.newaxis] <= left[:, np.newaxis]).all(axis=-1)
        before, row = np.nonzero(fits)
        ways = _log_comb(left[before], rows[row]).sum(axis=-1)
        tables, left, logs = tables[before], left[before] - rows[row], logs[before] + ways
        tables[:, k] = rows[row]
    tables[:, order[-1]] = left
    chances = np.exp(logs - logs.max())
    return tables, chances / chances.sum()


def _rows(size: int, room: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield all rows with a sum that fit into the columns."""
    first, rest = room[0], room[1:]
    if not rest:
        if size <= first:
            yield (size,)
        return
    for count in range(max(0, size - sum(rest)), min(size, first) + 1):
        for others in _rows(size - count, rest):
            yield (count, *others)


def _log_comb(a: Any, b: Any) -> Floats:
    from scipy.special import gammaln

    return np.asarray(gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1))


def _drawn(n: Sequence[int], m: Sequence[int]) -> Ints:
    """Return some tables of a deck, always the same."""
    from scipy.stats import random_table

    size = max(_LEAST_DRAWN, min(_DRAWN, _DRAWN_CELLS // len(n) ** 2))
    law = random_table(np.array(n), np.array(m))
    return np.asarray(law.rvs(size, random_state=np.random.default_rng(_SEED)), dtype=np.int64)
