"""What the search for a saddlepoint asks of a table of independent Poisson counts.

The counts have the means n_j m_k / M · e^(a_j + b_k + t W_jk). Sums are kept as differences from
those without a tilt, which may be tiny.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


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
