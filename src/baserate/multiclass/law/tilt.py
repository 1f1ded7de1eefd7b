"""The saddlepoint of a weighted sum of the cells of a table, given both margins.

Tables with given margins are independent Poisson counts, given their sums. Most tables with a
large sum look as if the counts had been tilted, so that margins and sum are the expected ones
(I. Skovgaard, Saddlepoint expansions for conditional distributions, 1987).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.law.tilted_cells import Cells, Tilted

    Floats = NDArray[np.float64]

# The most Newton steps, and halvings of each; what is left of the decrease that ends them; and
# from which decrease on the full step is right, as rounding hides the descent.
_STEPS, _HALVINGS, _PRECISION, _NEAR = 100, 60, 1e-18, 1e-4
# The divergence beyond which a tail underflows.
_ENOUGH = 800.0
# The longest step, as the logarithm of a mean; and the steepest tilt: the sum is at its end there.
_LONG, _STEEP = 3.0, 100.0


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
    a, b, slope = np.zeros_like(cells.n), np.zeros_like(cells.m), 0.0
    tilted = start = cells.tilted(a, b, slope)
    for _ in range(_STEPS):
        step = _newton(tilted, target)
        value = _objective(cells, tilted, (a, b, slope), target)
        # Minus the objective never exceeds the divergence: it is enough to know that it is large.
        if step.decrement < _PRECISION or -value > _ENOUGH:
            break
        length = step.length(cells.largest)
        for _ in range(_HALVINGS):
            moved = (a + length * step.a, b + length * step.b, slope + length * step.slope)
            with np.errstate(all="ignore"):
                tilted = cells.tilted(*moved)
                after = _objective(cells, tilted, moved, target)
            if step.decrement < _NEAR or after <= value - 0.1 * length * step.decrement:
                break
            length /= 2
        a, b, slope = moved
        if abs(slope) * cells.largest > _STEEP:
            break
    divergence = max(-_objective(cells, tilted, (a, b, slope), target), 0.0)
    root = math.copysign(math.sqrt(2 * divergence), slope)
    growth = math.exp((tilted.volume - start.volume) / 2)
    return Saddlepoint(slope, root, math.sqrt(_variance(tilted)) * growth)


def _objective(
    cells: Cells, tilted: Tilted, point: tuple[Floats, Floats, float], target: float
) -> float:
    """Return Σλ - M - Σ a n - Σ b m - t·target: minus the divergence, at its minimum."""
    a, b, slope = point
    return tilted.total_excess - float(a @ cells.n + b @ cells.m) - slope * target


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
