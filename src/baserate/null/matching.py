"""A random sum: Σ a[k, j]·C[k, j] over a random table C with fixed margins.

Rows are the levels of the truth and columns those of the predictions; shuffling one over the other
gives a table with the same row totals n and column totals m. Any score that is linear in the table
given its margins is such a sum.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# A saddlepoint needs so many rows outside the largest level, and no larger fourth moment of
# a[k, j], scaled by the variance (`bench/null_distributions.py` measures the error on both sides).
FEWEST_OUTSIDE = 12
LARGEST_FOURTH = 0.2
# So few levels without a lattice make a lumpy sum, unless there are many rows.
FEW_LEVELS, MANY_ROWS = 12, 3_000


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
        self.tilts: dict[float, tuple[float, float, float]] = {}
        self.points: dict[float, Floats] = {}
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

    @property
    def log_arrangements(self) -> float:
        """The logarithm of how many different arrangements of the truth there are."""
        from scipy.special import gammaln

        return float(gammaln(self.total + 1) - gammaln(self.n + 1).sum())

    @property
    def log_margins(self) -> float:
        """The logarithm of the chance that independent rows have these row totals."""
        return self.log_arrangements + float(self.n @ np.log(self.n / self.total))

    @cached_property
    def is_tame(self) -> bool:
        """Whether no few cells decide the sum, so that a saddlepoint holds."""
        if self.total - max(self.n.max(), self.m.max()) < FEWEST_OUTSIDE:
            return False
        if self.m.size <= FEW_LEVELS and not self.step and self.total < MANY_ROWS:
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
