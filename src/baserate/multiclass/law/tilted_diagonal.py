"""Tables with weights on the diagonal: their means are of rank one plus a diagonal.

So everything takes time in proportion to K.
"""

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
class DiagonalCells:
    """Cells with weights on the diagonal.

    Parameters
    ----------
    n, m
        How often each class occurs, and is predicted.
    weights
        The weight of a right answer of each class.
    """

    n: Floats
    m: Floats
    weights: Floats

    @cached_property
    def largest(self) -> float:
        """The largest weight, in size."""
        return float(np.abs(self.weights).max())

    def tilted(self, a: Floats, b: Floats, slope: float) -> _TiltedDiagonal:
        """Return the cells with a tilt."""
        return _TiltedDiagonal(self, a, b, slope)


@dataclass(frozen=True, eq=False)
class _TiltedDiagonal:
    cells: DiagonalCells
    a: Floats
    b: Floats
    slope: float

    @cached_property
    def _total(self) -> float:
        return float(self.cells.n.sum())

    @cached_property
    def _x(self) -> Floats:
        return np.asarray(self.cells.n / np.sqrt(self._total) * np.exp(self.a))

    @cached_property
    def _y(self) -> Floats:
        return np.asarray(self.cells.m / np.sqrt(self._total) * np.exp(self.b))

    @cached_property
    def _gains(self) -> Floats:
        return np.expm1(self.slope * self.cells.weights)

    @cached_property
    def _extra(self) -> Floats:
        """What the tilt adds to the diagonal."""
        return self._x * self._y * self._gains

    @cached_property
    def _right(self) -> Floats:
        return self._x * self._y * (1 + self._gains)

    @cached_property
    def row_excess(self) -> Floats:
        n, m, total = self.cells.n, self.cells.m, self._total
        others = float(m @ np.expm1(self.b)) + m * np.exp(self.b) * self._gains
        return n * np.expm1(self.a + np.log1p(others / total))

    @cached_property
    def column_excess(self) -> Floats:
        n, m, total = self.cells.n, self.cells.m, self._total
        others = float(n @ np.expm1(self.a)) + n * np.exp(self.a) * self._gains
        return m * np.expm1(self.b + np.log1p(others / total))

    @property
    def total_excess(self) -> float:
        return float(self.row_excess.sum())

    @property
    def value(self) -> float:
        return float(self._right @ self.cells.weights)

    @property
    def with_rows(self) -> Floats:
        return self._right * self.cells.weights

    @property
    def with_columns(self) -> Floats:
        return self.with_rows

    @property
    def square(self) -> float:
        return float(self._right @ self.cells.weights**2)

    @cached_property
    def _per_row(self) -> Floats:
        return _inverse(self.cells.n + self.row_excess)

    @cached_property
    def _schur(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The covariance of the columns given the rows: diagonal plus vectors · core · vectors.

        It is singular, as columns add up to M. With a constant added it is not; the solution of
        an equation that has one does not change by that.
        """
        columns = self.cells.m + self.column_excess
        some = self._total / columns.size**2
        diagonal = columns - self._extra**2 * self._per_row
        diagonal = np.where(columns > 0, np.maximum(diagonal, _TINY * columns), np.inf)
        vectors = np.stack(
            [self._y, self._extra * self._x * self._per_row, np.where(columns > 0, 1.0, 0.0)]
        )
        core = np.array([[-float(self._x**2 @ self._per_row), -1, 0], [-1, 0, 0], [0, 0, some]])
        small = np.eye(3) + core @ ((vectors / diagonal) @ vectors.T)
        return diagonal, vectors, core, small

    @property
    def volume(self) -> float:
        diagonal, _, _, small = self._schur
        rows = -np.log(self._per_row[self._per_row > 0]).sum()
        columns = np.log(diagonal[np.isfinite(diagonal)]).sum()
        return float(rows + columns + np.linalg.slogdet(small)[1])

    def solve(self, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """Solve for a and b in terms of the covariance of the margins."""
        diagonal, vectors, core, small = self._schur
        share = rows * self._per_row
        left = columns - (self._y * float(self._x @ share) + self._extra * share)
        scaled = vectors / diagonal
        b = left / diagonal - scaled.T @ np.linalg.solve(small, core @ (scaled @ left))
        a = self._per_row * (rows - self._x * float(self._y @ b) - self._extra * b)
        return a, b


def _inverse(values: Floats) -> Floats:
    return np.where(values > 0, 1 / np.where(values > 0, values, 1), 0.0)
