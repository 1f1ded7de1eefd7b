"""Tables with any weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The smallest share of a variance that rounding leaves.
_TINY = 1e-14


@dataclass(frozen=True, eq=False)
class DenseCells:
    """Cells with any weights; classes that never occur or are never predicted are left out.

    Parameters
    ----------
    n, m
        How often each class occurs, and how often each is predicted: all are positive.
    weights
        The weight of each cell.
    """

    n: Floats
    m: Floats
    weights: Floats

    @cached_property
    def largest(self) -> float:
        """The largest weight, in size."""
        return float(np.abs(self.weights).max())

    @cached_property
    def means(self) -> Floats:
        """The expected cells without a tilt."""
        return np.outer(self.n, self.m / self.m.sum())

    def tilted(self, a: Floats, b: Floats, slope: float) -> _TiltedTable:
        """Return the cells with a tilt."""
        return _TiltedTable(self, np.expm1(a[:, np.newaxis] + b + slope * self.weights))


@dataclass(frozen=True, eq=False)
class _TiltedTable:
    cells: DenseCells
    gains: Floats

    @cached_property
    def _excess(self) -> Floats:
        return self.cells.means * self.gains

    @cached_property
    def _means(self) -> Floats:
        return self.cells.means + self._excess

    @cached_property
    def row_excess(self) -> Floats:
        return np.asarray(self._excess.sum(axis=1))

    @cached_property
    def column_excess(self) -> Floats:
        return np.asarray(self._excess.sum(axis=0))

    @property
    def total_excess(self) -> float:
        return float(self.row_excess.sum())

    @cached_property
    def _weighted(self) -> Floats:
        return self._means * self.cells.weights

    @property
    def value(self) -> float:
        return float(self.with_rows.sum())

    @cached_property
    def with_rows(self) -> Floats:
        return np.asarray(self._weighted.sum(axis=1))

    @cached_property
    def with_columns(self) -> Floats:
        return np.asarray(self._weighted.sum(axis=0))

    @property
    def square(self) -> float:
        return float((self._weighted * self.cells.weights).sum())

    @cached_property
    def _rows(self) -> Floats:
        return np.asarray(self._means.sum(axis=1))

    @cached_property
    def _factor(self) -> tuple[Floats, bool]:
        from scipy.linalg import cho_factor

        columns = self._means.sum(axis=0)
        per_row = self._means / self._rows[:, np.newaxis]
        schur = np.diag(columns * (1 + _TINY)) - self._means.T @ per_row
        # See `_TiltedDiagonal`: the constant makes it regular and changes no solution.
        found: tuple[Floats, bool] = cho_factor(schur + columns.sum() / columns.size**2)
        return found

    @property
    def volume(self) -> float:
        return float(np.log(self._rows).sum() + 2 * np.log(np.diag(self._factor[0])).sum())

    def solve(self, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """Solve for a and b in terms of the covariance of the margins."""
        from scipy.linalg import cho_solve

        b: Floats = cho_solve(self._factor, columns - self._means.T @ (rows / self._rows))
        return (rows - self._means @ b) / self._rows, b
