"""How the hypergeometric masses fall, one count after another away from a start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def outward_ratios(losing: Any, gaining: Any, size: int) -> Floats:
    """Return 1 and the cumulative products of the ratios of neighbouring masses, outwards.

    A cell that loses its last observation makes a zero, and all later ratios are zero too.

    Parameters
    ----------
    losing, gaining
        The two cells that lose an observation with each step, and the two that gain one: numbers,
        or arrays of them for many laws.
    size
        How many ratios to return, along the first axis.
    """
    first, second = (np.asarray(cell, dtype=float) for cell in losing)
    third, fourth = (np.asarray(cell, dtype=float) for cell in gaining)
    j = np.arange(size - 1.0).reshape(-1, *[1] * first.ndim)
    ratios = np.ones((size, *first.shape))
    ratios[1:] = (first - j) * (second - j)
    ratios[1:] /= (third + 1 + j) * (fourth + 1 + j)
    return np.multiply.accumulate(ratios, axis=0, out=ratios)
