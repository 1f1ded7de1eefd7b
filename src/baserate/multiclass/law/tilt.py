"""The saddlepoint of a weighted sum of the cells of a table, given both margins.

Tables with given margins are independent Poisson counts, given their sums. Most tables with a
large sum look as if the counts had been tilted, so that margins and sum are the expected ones
(I. Skovgaard, Saddlepoint expansions for conditional distributions, 1987). Their means are then
n_j m_k / M · e^(a_j + b_k + t W_jk). Sums are kept as differences from those without a tilt, which
may be tiny.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The most Newton steps, and halvings of each; the decrease of the last one, as the next would be
# the square of it; and what is near the minimum.
_STEPS, _HALVINGS, _PRECISION, _NEAR = 100, 40, 1e-11, 1e-4
# The divergence beyond which a tail underflows.
_ENOUGH = 800.0
# The longest step, as the logarithm of a mean; and the steepest tilt: the sum is at its end there.
_LONG, _STEEP = 3.0, 100.0


class Tilted(Protocol):
    """A table with a tilt."""

    @property
    def row_excess(self) -> Floats:
        """How much larger the expected rows are than n."""

    @property
    def column_excess(self) -> Floats:
        """How much larger the expected columns are than m."""

    @property
    def total_excess(self) -> float:
        """How much larger the expected total is than M."""

    @property
    def value(self) -> float:
        """The mean of the weighted sum of the cells."""

    @property
    def with_rows(self) -> Floats:
        """Its covariance with each row."""

    @property
    def with_columns(self) -> Floats:
        """Its covariance with each column."""

    @property
    def square(self) -> float:
        """Its variance, if the margins vary too."""

    @property
    def volume(self) -> float:
        """The log determinant of the covariance of the margins, up to a constant."""

    def solve(self, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """Divide by the covariance of the margins: return which a and b change them by these."""


class Cells(Protocol):
    """Margins and weights."""

    @property
    def n(self) -> Floats:
        """How often each class occurs."""

    @property
    def m(self) -> Floats:
        """How often each class is predicted."""

    @property
    def largest(self) -> float:
        """The largest weight, in size."""

    def tilted(self, a: Floats, b: Floats, slope: float) -> Tilted:
        """Return the table with a tilt."""


class Saddlepoint(NamedTuple):
    """Where tables with a given sum are most likely.

    Parameters
    ----------
    slope
        The tilt, t.
    root
        The signed root of twice the divergence from no tilt: r of Lugannani and Rice.
    spread
        The standard deviation of the sum given the margins, times the root of how much larger the
        determinant of the covariance of the margins is than without a tilt: u / t.
    """

    slope: float
    root: float
    spread: float


def saddlepoint(cells: Cells, target: float) -> Saddlepoint:
    """Return the saddlepoint of a sum strictly inside its range."""
    at = _Place(np.zeros_like(cells.n), np.zeros_like(cells.m), 0.0)
    tilted = start = cells.tilted(*at)
    for _ in range(_STEPS):
        step = _newton(tilted, target)
        value = _objective(cells, tilted, at, target)
        # Minus the objective never exceeds the divergence: it is enough to know that it is large.
        if -value > _ENOUGH:
            break
        after = _descended(cells, at, step, target, value)
        if after is None or abs(after[0].slope) * cells.largest > _STEEP:
            break
        at, tilted = after
        if step.decrement < _PRECISION:
            break
    divergence = max(-_objective(cells, tilted, at, target), 0.0)
    root = math.copysign(math.sqrt(2 * divergence), at.slope)
    growth = math.exp((tilted.volume - start.volume) / 2)
    return Saddlepoint(at.slope, root, math.sqrt(_variance(tilted)) * growth)


class _Place(NamedTuple):
    """Where the search is: the logarithms of what multiplies rows and columns, and the tilt."""

    a: Floats
    b: Floats
    slope: float

    def moved(self, step: _Step, length: float) -> _Place:
        """Return where a part of a step leads to."""
        return _Place(
            self.a + length * step.a, self.b + length * step.b, self.slope + length * step.slope
        )


def _descended(
    cells: Cells, at: _Place, step: _Step, target: float, value: float
) -> tuple[_Place, Tilted] | None:
    """Return the next place: all of a step, or as much as descends; None if nothing does."""
    length = step.length(cells.largest)
    # Near the minimum the full step is right, and rounding hides the descent.
    slack = _NEAR if step.decrement < _NEAR else 0.0
    for _ in range(_HALVINGS):
        after = at.moved(step, length)
        with np.errstate(all="ignore"):
            tilted = cells.tilted(*after)
            reached = _objective(cells, tilted, after, target)
        if reached <= value - 0.1 * length * step.decrement + slack:
            return after, tilted
        length /= 2
    return None


def _objective(cells: Cells, tilted: Tilted, at: _Place, target: float) -> float:
    """Return Σλ - M - Σ a n - Σ b m - t·target: minus the divergence, at its minimum."""
    return tilted.total_excess - float(at.a @ cells.n + at.b @ cells.m) - at.slope * target


class _Step(NamedTuple):
    a: Floats
    b: Floats
    slope: float
    decrement: float

    def length(self, largest: float) -> float:
        """Return how much of the step to try: all of it, unless a cell changes beyond measure."""
        longest = max(np.abs(self.a).max(), np.abs(self.b).max(), abs(self.slope) * largest)
        return min(1.0, _LONG / float(longest))


def _newton(tilted: Tilted, target: float) -> _Step:
    """Return the step to where the margins and the sum are right, and how much it descends."""
    rows, columns = -tilted.row_excess, -tilted.column_excess
    gap = target - tilted.value
    plain = tilted.solve(rows, columns)
    own = tilted.solve(tilted.with_rows, tilted.with_columns)
    beyond = gap - float(tilted.with_rows @ plain[0] + tilted.with_columns @ plain[1])
    slope = beyond / _variance(tilted, own)
    a, b = plain[0] - slope * own[0], plain[1] - slope * own[1]
    return _Step(a, b, slope, float(rows @ a + columns @ b) + gap * slope)


def _variance(tilted: Tilted, own: tuple[Floats, Floats] | None = None) -> float:
    """Return the variance of the sum that the margins do not explain."""
    a, b = own or tilted.solve(tilted.with_rows, tilted.with_columns)
    explained = float(tilted.with_rows @ a + tilted.with_columns @ b)
    # At the end of the range nothing varies.
    return max(tilted.square - explained, 1e-14 * tilted.square, 1e-300)
