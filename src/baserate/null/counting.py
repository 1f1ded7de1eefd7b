"""The exact distribution of a random sum, by counting, where that is small."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.null.matching import Matching

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MAX_STATES = 100_000
# States times columns: some tenths of a second.
MAX_WORK = 4_000_000
# Sums are the same within so many times the rounding of one.
SAME_SUMS = 64


def counted(sums: Matching) -> tuple[Floats, Floats] | None:
    """Return all sums and their probabilities; None where levels were merged, or states are many.

    Columns are filled one by one. A state is what is left of each row, and the sum so far; equal
    states are one.

    Examples
    --------
    >>> from baserate.null.matching import Matching
    >>> values, chances = counted(Matching(np.array([2.0, 2]), np.array([2.0, 2]), np.eye(2)))
    >>> values.round(9).tolist(), chances.round(4).tolist()
    ([0.0, 2.0, 4.0], [0.1667, 0.6667, 0.1667])
    """
    states = math.inf if sums.merged else _states(sums)
    if states > 4 * MAX_STATES or states * sums.m.size > MAX_WORK:
        return None
    left = sums.n[None].astype(np.int64)
    total, logs = np.zeros(1), np.zeros(1)
    for j in np.argsort(-sums.m, kind="stable"):
        fill = _filled if sums.m[j] > 1 else _filled_by_one
        found = fill(int(sums.m[j]), sums.a[:, j], left, total, logs)
        if found is None:
            return None
        left, total, logs = merged(*found, SAME_SUMS * sums.slack)
        if total.size > MAX_STATES:
            return None
    chances = np.exp(logs - logs.max())
    return sums.mean + total, chances / chances.sum()


def _filled(
    size: int, adds: Floats, left: Ints, total: Floats, logs: Floats
) -> tuple[Ints, Floats, Floats] | None:
    """Return all states after a column; None if they are too many."""
    rest = np.full(total.size, size)
    for k in range(adds.size):
        most = np.minimum(left[:, k], rest)
        least = np.maximum(rest - left[:, k + 1 :].sum(axis=1), 0)
        number = np.maximum(most - least + 1, 0)
        if number.sum() > 4 * MAX_STATES:
            return None
        parent = np.repeat(np.arange(total.size), number)
        first = np.repeat(np.cumsum(number) - number, number)
        cell = np.arange(parent.size) - first + least[parent]
        left, total, logs, rest = left[parent], total[parent], logs[parent], rest[parent]
        total = total + cell * adds[k]
        logs = logs + log_choose(left[:, k], cell)
        left[:, k] -= cell
        rest = rest - cell
    return left, total, logs


def _filled_by_one(
    _: int, adds: Floats, left: Ints, total: Floats, logs: Floats
) -> tuple[Ints, Floats, Floats] | None:
    """Return all states after a column of one: it goes to any row that is not full."""
    parent, k = np.nonzero(left)
    if parent.size > 4 * MAX_STATES:
        return None
    logs = logs[parent] + np.log(left[parent, k])
    left = left[parent]
    left[np.arange(k.size), k] -= 1
    return left, total[parent] + adds[k], logs


def log_choose(n: Ints, k: Ints) -> Floats:
    """Return the logarithm of n over k.

    Stirling's series gives n! / (n - k)!, as large logarithms of factorials would cancel.
    """
    from scipy.special import gammaln

    few = np.minimum(k, n - k)
    rest = np.maximum(n - few, 1.0)
    large = few * np.log(rest) + (n + 0.5) * np.log1p(few / rest) - few
    large += _stirling(np.maximum(n, 1.0)) - _stirling(rest)
    small = gammaln(n + 1) - gammaln(rest + 1)
    return np.asarray(np.where(rest > 100, large, small) - gammaln(few + 1))


def _stirling(x: Floats) -> Floats:
    """Return what Stirling's formula lacks of log x!, for large x."""
    return 1 / (12 * x) - 1 / (360 * x**3)


def _states(sums: Matching) -> float:
    """Return a bound of how many states a count visits."""
    from scipy.special import gammaln

    smaller = np.sort(sums.n)[:-1]
    if sums.step and np.log(smaller + 1).sum() < 20:
        low, high = sums.bounds
        on_lattice = float(np.prod(smaller + 1)) * ((high - low) / sums.step + 1)
        # Of few rows that all differ no formula is sure: these are worth some more time.
        most = MAX_WORK if max(sums.n.max(), sums.m.max()) == 1 else 5 * MAX_STATES
        if on_lattice * sums.m.size <= most:
            return on_lattice
    m, levels = np.sort(sums.m)[:-1], sums.n.size
    ways = float((gammaln(m + levels) - gammaln(levels) - gammaln(m + 1)).sum())
    return math.exp(min(ways, sums.log_arrangements, 700))


def merged(left: Ints, sums: Floats, logs: Floats, slack: float) -> tuple[Ints, Floats, Floats]:
    """Return equal states as one; sums are equal if only rounding makes them differ."""
    key = np.round(sums / max(slack, 1e-300)).astype(np.int64)
    # One number for what is left, if that is a float without rounding.
    digits = np.cumprod(left.max(axis=0) + 1.0)
    places = np.append(1, digits[:-1]).astype(np.int64) if digits[-1] < 2**52 else None
    order = np.lexsort((key, *left.T[:-1]) if places is None else (key, left @ places))
    left, key, sums, logs = left[order], key[order], sums[order], logs[order]
    is_new = np.ones(key.size, dtype=bool)
    is_new[1:] = (np.abs(np.diff(key)) > 1) | (left[1:] != left[:-1]).any(axis=1)
    start = np.flatnonzero(is_new)
    top = np.maximum.reduceat(logs, start)
    parts = np.exp(logs - np.repeat(top, np.diff(np.append(start, key.size))))
    return left[start], sums[start], top + np.log(np.add.reduceat(parts, start))
