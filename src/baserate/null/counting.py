"""The exact distribution of a random sum, by counting, where that is small."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.null.tables import all_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.null.matching import Matching

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MAX_STATES = 100_000
# States times columns: some tenths of a second.
MAX_WORK = 4_000_000
# Additions of arrays, some hundredths of a second; one call takes as long as so many of them.
MAX_ADDITIONS, CALL = 2 * 10**7, 4_000
# Sums are the same within so many times the rounding of one.
SAME_SUMS = 64


def counted(sums: Matching) -> tuple[Floats, Floats] | None:
    """Return all sums and their probabilities; None where levels were merged, or states are many.

    Columns are filled one by one. A state is what is left of each row, and the sum so far; equal
    states are one. On a lattice, they are an array.

    Examples
    --------
    >>> from baserate.null.matching import Matching
    >>> values, chances = counted(Matching(np.array([2.0, 2]), np.array([2.0, 2]), np.eye(2)))
    >>> values.round(9).tolist(), chances.round(4).tolist()
    ([0.0, 2.0, 4.0], [0.1667, 0.6667, 0.1667])
    """
    if sums.merged:
        return None
    return _on_lattice(sums) or _listed(sums)


def _on_lattice(sums: Matching) -> tuple[Floats, Floats] | None:
    """Return all sums on a lattice: an array has what rows have taken, and the steps so far.

    Columns choose rows independently, and count if rows are full in the end: no term is negative.
    """
    last = int(np.argmax(sums.n))
    n = np.delete(sums.n, last).astype(np.int64)
    if not sums.step or np.log(n + 1.0).sum() > math.log(MAX_ADDITIONS):
        return None
    # What other levels than the largest one add, in steps above their least.
    gains = np.delete(sums.a, last, axis=0) - sums.a[last]
    least = gains.min(axis=1)
    steps = np.rint((gains - least[:, None]) / sums.step).astype(np.int64)
    unit = float(((gains - least[:, None]) * steps).sum() / (steps * steps).sum())
    start = float(n @ least)
    most = min(int(n @ steps.max(axis=1)), round((sums.bounds[1] - start) / unit))
    order = np.argsort(-sums.m, kind="stable")
    m, steps = sums.m[order].astype(np.int64), steps[:, order]
    shapes = np.minimum(np.cumsum(m)[:, None], n) + 1
    lengths = np.minimum(np.cumsum(m * steps.max(axis=0)), most) + 1
    states = shapes.prod(axis=1, dtype=float)[:-1] * lengths[:-1]
    ways = np.exp(np.minimum(_log_ways(m, n.size + 1), np.log(np.minimum.outer(m, n) + 1).sum(1)))
    # Of the last column, only what fills all rows matters.
    work = ways @ np.append(np.append(1, states[:-1]), most) + states.sum() + CALL * ways.sum()
    if work > MAX_ADDITIONS:
        return None
    choices = {size: _choices(size, n, sums.n[last]) for size in np.unique(m).tolist()}
    found, ends = np.ones((1,) * (n.size + 1)), np.zeros(most + 1)
    memory = np.empty((3, int(states.max())))  # new memory would take longer than all else
    for j, size in enumerate(m[:-1].tolist()):
        before, found = found, _shaped(memory[j % 2], (*shapes[j], lengths[j]))
        found.fill(0.0)
        for taken, chance in zip(*choices[size], strict=True):
            starts = (*taken.tolist(), int(taken @ steps[:, j]))
            part = found[tuple(map(slice, starts, np.add(starts, before.shape).tolist()))]
            some = before[tuple(map(slice, part.shape))]
            part += np.multiply(some, chance, out=_shaped(memory[2], part.shape))
    for taken, chance in zip(*choices[int(m[-1])], strict=True):
        part = ends[int(taken @ steps[:, -1]) :]
        some = found[tuple(n - taken)][: part.size]
        part[: some.size] += chance * some
    met = np.flatnonzero(ends)
    return np.asarray(sums.mean + start + unit * met, dtype=float), ends[met] / ends.sum()


def _shaped(memory: Floats, shape: tuple[int, ...]) -> Floats:
    return memory[: math.prod(shape)].reshape(shape)


def _choices(size: int, n: Ints, last: float) -> tuple[Ints, Floats]:
    """Return all ways in which a column takes rows, but for the last, and how likely they are.

    That is beside the most likely way: what all ways have in common cancels in the end.
    """
    filled: Any = all_rows(size, np.append(n, int(last))[None], MAX_ADDITIONS)
    taken = filled[1][:, :-1]
    rest = size - np.cumsum(taken, axis=1) + taken
    logs = log_choose(rest, taken).sum(axis=1) + taken @ np.log(n / last)
    return taken, np.exp(logs - logs.max())


def _listed(sums: Matching) -> tuple[Floats, Floats] | None:
    """Return all sums, by a list of states."""
    ways = float(_log_ways(np.sort(sums.m)[:-1], sums.n.size).sum())
    states = math.exp(min(ways, sums.log_arrangements, 700))
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
    found = all_rows(size, left, 4 * MAX_STATES)
    if found is None:
        return None
    origin, cells = found
    logs = logs[origin] + log_choose(left[origin], cells).sum(axis=1)
    return left[origin] - cells, total[origin] + cells @ adds, logs


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


def _log_ways(m: NDArray[Any], levels: int) -> Floats:
    """Return the logarithm of how many ways there are to spread each number over levels."""
    from scipy.special import gammaln

    return np.asarray(gammaln(m + levels) - gammaln(levels) - gammaln(m + 1))


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
