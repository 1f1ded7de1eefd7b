"""A random sum: Σ a[k, j]·C[k, j] over a random table C with fixed margins.

Rows are the levels of the truth and columns those of the predictions; shuffling one over the other
gives a table with the same row totals n and column totals m. Any score that is linear in the table
given its margins is such a sum. Its exact distribution is counted, where that is small.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.null.permutations import all_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# A saddlepoint needs this many rows outside the largest level, and no larger fourth moment of
# a[k, j], scaled by the variance (`bench/null_distributions.py` measures the error on both sides).
FEWEST_OUTSIDE = 12
LARGEST_FOURTH = 0.2
# So few levels without a lattice make a lumpy sum, unless there are many rows; of a table, unless
# rows times cells are many (tails at p = 0.01 are then within 5%, most within 3%).
FEW_LEVELS, MANY_ROWS, MANY_CELLS = 12, 3_000, 27_000

MAX_STATES = 100_000
# States times columns: some tenths of a second.
MAX_WORK = 4_000_000
# Additions of arrays, some hundredths of a second; one call takes as long as this many of them.
MAX_ADDITIONS, CALL = 2 * 10**7, 4_000
# Sums are the same within this many times the rounding of one.
SAME_SUMS = 64


class Matching:
    """One random sum, with its moments, its bounds and the lattice that it is on.

    Examples
    --------
    >>> right = Matching(np.array([2.0, 1.0]), np.array([1.0, 2.0]), np.eye(2))
    >>> round(right.mean, 4), round(right.sd, 4), right.step
    (1.3333, 0.9428, 2.0)
    """

    def __init__(
        self, n: NDArray[Any], m: NDArray[Any], a: Floats, *, merged: bool = False
    ) -> None:
        self.merged = merged
        self.tilts: dict[float, Floats] = {}
        rows, columns = np.flatnonzero(n), np.flatnonzero(m)
        n, m, a = n[rows].astype(float), m[columns].astype(float), a[np.ix_(rows, columns)]
        if n.size > m.size:
            n, m, a = m, n, a.T
        base = 0.0
        if n.size == 2:  # then only the gain of a column matters, and equal gains are one column
            base, (gain, m) = float(a[0] @ m), _distinct(a[1] - a[0], m)
            a = np.vstack([np.zeros(gain.size), gain])
        self.n, self.m, self.total = n, m, float(n.sum())
        by_row, by_column = a @ m / self.total, n @ a / self.total
        middle = float(n @ by_row)
        self.mean = base + middle
        # Doubly centred, so that nothing cancels in the variance (Hoeffding 1951).
        self.a = a - by_row[:, None] - by_column + middle / self.total
        unit = float(np.abs(self.a).max(initial=0.0)) or 1.0  # squares may be no floats
        self.sd = unit * math.sqrt(float(n @ (self.a / unit) ** 2 @ m) / max(self.total - 1, 1))
        if n.size > 2:
            self._sort()
        largest = float(np.abs(a).max(initial=0.0))
        self.slack = 1e-12 * (largest * self.total + abs(base)) / max(self.total, 1) ** 0.5
        if self.sd <= self.slack:
            self.sd = 0.0

    def _sort(self) -> None:
        """Put both sides in an order that does not depend on what levels are called."""
        square = (self.a / (np.abs(self.a).max() or 1.0)) ** 2
        rows = np.lexsort((np.round(square @ self.m, 9), self.n))
        columns = np.lexsort((np.round(self.n @ square, 9), self.m))
        self.n, self.m, self.a = self.n[rows], self.m[columns], self.a[np.ix_(rows, columns)]

    def rescaled(self, sd: float) -> Matching:
        """Return the sum with another spread: that of all levels, if some were merged."""
        if self.sd:
            self.a, self.sd = self.a * (sd / self.sd), sd
        return self

    @cached_property
    def skewness(self) -> float:
        """The third moment about the mean over the cube of the standard deviation."""
        away = self.a / self.sd
        third = float(self.n @ (away * away * away) @ self.m)
        return third * self.total / max((self.total - 1) * (self.total - 2), 1)

    @cached_property
    def step(self) -> float:
        """The step of the lattice that sums are on; 0 if there is none, or a very fine one."""
        swapped = self.a - self.a[:1]
        return span((swapped - swapped[:, :1]).ravel(), self.sd)

    @cached_property
    def origin(self) -> float:
        """One possible sum less the mean: both sides in order."""
        rows, columns = np.cumsum(self.n), np.cumsum(self.m)
        ends = np.unique(np.concatenate([rows, columns]))
        k, j = np.searchsorted(rows, ends), np.searchsorted(columns, ends)
        return float(np.diff(ends, prepend=0.0) @ self.a[k, j])

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the sum less its mean; they are attained if the table has two rows."""
        if self.n.size > 2:
            return float(self.m @ self.a.min(axis=0)), float(self.m @ self.a.max(axis=0))
        order = np.argsort(self.a[-1] - self.a[0])
        return self._filled(order), self._filled(order[::-1])

    def _filled(self, order: NDArray[np.intp]) -> float:
        """Return the sum if the second row is filled from columns in an order."""
        m = self.m[order]
        second = np.clip(self.n[-1] - (np.cumsum(m) - m), 0, m)
        return float(second @ self.a[-1, order] + (m - second) @ self.a[0, order])

    @cached_property
    def log_arrangements(self) -> float:
        """The logarithm of how many different arrangements of the truth there are."""
        from scipy.special import gammaln

        return float(gammaln(self.total + 1) - gammaln(self.n + 1).sum())

    @cached_property
    def log_margins(self) -> float:
        """The logarithm of the chance that independent rows have these row totals."""
        return self.log_arrangements + float(self.n @ np.log(self.n / self.total))

    @cached_property
    def is_tame(self) -> bool:
        """Whether no few cells decide the sum, so that a saddlepoint holds."""
        if self.total - max(self.n.max(), self.m.max()) < FEWEST_OUTSIDE:
            return False
        is_small = self.a.size * self.total < MANY_CELLS
        if self.m.size <= FEW_LEVELS and is_small and not self.step:
            return False
        square = (self.a / self.sd) ** 2
        return float(self.n @ (square * square) @ self.m) / self.total <= LARGEST_FOURTH


def _distinct(gain: Floats, m: Floats) -> tuple[Floats, Floats]:
    """Return different gains, ascending, with their columns; rounding makes none different."""
    order = np.argsort(gain, kind="stable")
    ascending = gain[order]
    is_new = np.diff(ascending, prepend=-np.inf) > 1e-13 * np.abs(gain).max()
    return ascending[is_new], np.add.reduceat(m[order], np.flatnonzero(is_new))


def span(differences: Floats, sd: float) -> float:
    """Return the largest number that all differences are multiples of, by Euclid's algorithm.

    It is 0 where that is too small to matter beside the standard deviation.

    Examples
    --------
    >>> span(np.array([6.0, 9.0, 0.0]), 1.0), span(np.array([1.0, math.pi]), 1.0)
    (3.0, 0.0)
    """
    sizes = np.abs(differences)
    largest = float(sizes.max(initial=0.0))
    least = 1e-9 * largest
    sizes = sizes[sizes > least]
    if sizes.size > 500 and not span(sizes[-200:], sd):
        return 0.0  # what a few of them rule out
    found, (_, different) = 0.0, np.unique(np.round(sizes / largest, 13), return_index=True)
    for size in sizes[different].tolist():
        rest = size
        while rest > least:
            found, rest = rest, abs(math.remainder(found, rest))
        if found < 1e-3 * sd:
            return 0.0
    return found


def counted(sums: Matching) -> tuple[Floats, Floats] | None:
    """Return all sums and their probabilities; None where levels were merged, or states are many.

    Columns are filled one by one. A state is what is left of each row, and the sum so far; equal
    states are one. On a lattice, they are an array.

    Examples
    --------
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
    if not sums.step:
        return None
    last = int(np.argmax(sums.n))
    n = np.delete(sums.n, last).astype(np.int64)
    if np.log(n + 1.0).sum() > math.log(MAX_ADDITIONS):
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
