"""How lumpy the law of a weighted sum of right answers is: what a saddlepoint does not see.

A saddlepoint describes a smooth law. The sums of a few weighted counts crowd here and are missing
there. How much, the characteristic function says: it is 1 at 0, and elsewhere it should be small.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Frequencies per standard deviation: beyond those of the smooth part, up to where lumps are too
# small to matter.
_FIRST, _LAST, _STEP = 3.5, 2000.0, 0.25
# How many standard deviations away p = 1e-6 is.
_AWAY = 5.0


def ripple(n: Floats, m: Floats, weights: Floats, sd: float, span: float) -> float:
    """Return about how large the relative error of a saddlepoint is at p = 1e-6.

    The counts are taken as independent Poisson numbers with their own variances, of which
    |φ(t)| = exp(-Σ v_k (1 - cos t w_k)). A frequency t adds |φ(t)| / t, relative to a tail whose
    tilt is as steep as that of a normal law.

    Parameters
    ----------
    n, m, weights
        The margins, and the weight of a right answer of each class.
    sd
        The standard deviation of the sum.
    span
        The step of the lattice that sums are on, which the formula knows of; 0 if there is none.

    Examples
    --------
    >>> n, m = np.array([210.0, 60.0, 30.0]), np.array([186.0, 84.0, 30.0])
    >>> round(ripple(n, m, weights=2 / (n + m), sd=0.0811, span=0.0), 2)
    0.04
    """
    total = n.sum()
    variances = n * m / total * (1 - n / total) * (1 - m / total)
    last = min(_LAST, math.pi * sd / span) if span else _LAST
    frequencies = np.arange(_FIRST, last, _STEP)
    logs = np.zeros_like(frequencies)
    for variance, weight in zip(variances.tolist(), (weights / sd).tolist(), strict=True):
        logs -= variance * (1 - np.cos(frequencies * weight))
    added = float((np.exp(logs) / frequencies).sum()) * _STEP
    return 2 * _AWAY / math.sqrt(2 * math.pi) * added
