"""The mean and the variance of a weighted sum of the cells of a table with given margins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def mean_and_sd(n: Floats, m: Floats, weights: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation of Σ W_jk C_jk (Hoeffding, 1951).

    The variance is Σ n_j m_k d_jk² / (M - 1), where d are the weights less their means over the
    rows and over the columns: nothing cancels in that sum.

    Parameters
    ----------
    n, m
        How often each class occurs, and is predicted.
    weights
        The weight of each cell, a row per true class.

    Examples
    --------
    >>> mean_and_sd(np.array([2.0, 1.0]), np.array([1.0, 2.0]), np.eye(2))
    (1.3333333333333333, 0.9428090415820634)
    """
    total = float(n.sum())
    by_row, by_column = weights @ (m / total), (n / total) @ weights
    middle = float(n @ by_row) / total
    if total == 1:
        return middle, 0.0
    centred = weights - by_row[:, np.newaxis] - by_column + middle
    return total * middle, math.sqrt(float(n @ centred**2 @ m) / (total - 1))
