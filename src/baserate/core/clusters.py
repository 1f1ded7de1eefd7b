"""Rows that belong together: several of one patient, user, document or passage.

Rows of a cluster resemble each other, so a test set shows less than its rows would alone. What is
drawn, swapped or tested is then a whole cluster.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.multiple_testing import Tails

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FEWEST = 3
"""With fewer clusters, nothing can be said of how much others differ."""
FEW = 15
"""With fewer, little can be shown: limits of Student's t are wide, and few clusters decide."""


class Clustered(NamedTuple):
    """What was observed of all rows, and of each cluster of them."""

    whole: Any
    clusters: Sequence[Any]


def cells_of(clusters: Sequence[Any], names: Sequence[str]) -> tuple[list[NDArray[Any]], Ints]:
    """Return columns of the cells of all clusters, one after the other, and whose they are."""
    columns = [[getattr(each, name) for each in clusters] for name in names]
    sizes = [each.size for each in columns[0]]
    return list(map(np.concatenate, columns)), np.repeat(np.arange(len(sizes)), sizes)


def by_cluster(
    whole: Any, clusters: Sequence[Any], names: Sequence[str]
) -> tuple[list[NDArray[Any]], Ints | None]:
    """Return columns of the cells of all rows; if there are clusters, of these and whose."""
    return cells_of(clusters, names) if clusters else ([getattr(whole, n) for n in names], None)


def summed(codes: Ints, rows: NDArray[Any], columns: Any) -> tuple[Any, Floats]:
    """Return the sums of clusters, and how many rows they have.

    Codes say whose each cell is, and columns what a row of it adds; None if the sums are the cells.
    """
    from scipy.sparse import csr_array

    held = csr_array((np.asarray(rows, dtype=float), (codes, np.arange(codes.size))))
    return held if columns is None else held @ columns, np.asarray(held.sum(axis=1)).ravel()


def score_test(contributions: Floats) -> Tails:
    """Return the p-values of no association between truths and predictions, in both directions.

    The association is a sum over clusters, whose expectation is 0 where predictions say nothing.
    It is divided by the root of the sum of squares, which are not centred again on the estimate
    (that keeps the level with few clusters), and is Student's t with one degree of freedom less
    than there are clusters.

    Examples
    --------
    >>> better, worse, _ = score_test(np.array([1.0, 2, 0.5, 1.5, -0.2]))
    >>> round(better, 4), round(worse, 4)
    (0.0965, 0.9035)
    """
    from scipy.special import stdtr

    number = contributions.size
    largest = float(np.abs(contributions).max(initial=0.0))
    if number < FEWEST or largest <= COMPUTATION:
        return Tails(1.0, 1.0)
    shares = np.sort(contributions / largest)
    t = shares.sum() / math.sqrt(number / (number - 1) * (shares @ shares))
    return Tails(float(stdtr(number - 1, -t)), float(stdtr(number - 1, t)))
