"""Means over random draws whose means and variances are the true ones.

The first two moments of what is predicted positive are known. So draws do not all count 1/n: the
shares that are nearest to that, and give all these moments as they are, leave only what is left of
a score after a quadratic function of both sums (regression on control variates).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.weighted.law.cells import Moments

    Floats = NDArray[np.float64]

# A combination of moments that varies less than this, relative to the others, is left out.
_FLAT = 1e-10


def calibrated(tp: Floats, fp: Floats, moments: Moments) -> Floats:
    """Return how much each draw counts: columns that sum to 1.

    Parameters
    ----------
    tp, fp
        The weights of true and of false positives, of shape (draws, sizes).
    moments
        What they should be, by size.
    """
    one = _standard(tp - moments.tp, moments.tp_variance)
    two = _standard(fp - moments.fp, moments.fp_variance)
    scale = np.sqrt(moments.tp_variance * moments.fp_variance)
    with np.errstate(all="ignore"):
        correlation = np.where(scale > 0, moments.covariance / np.where(scale > 0, scale, 1), 0.0)
    centred = [
        np.ones_like(one),
        one,
        two,
        one * one - (moments.tp_variance > 0),
        two * two - (moments.fp_variance > 0),
        one * two - correlation,
    ]
    columns = np.stack(centred, axis=-1)  # draws, sizes, moments
    gram = np.einsum("dsi,dsj->sij", columns, columns) / len(tp)
    inverse = np.linalg.pinv(gram, rcond=_FLAT, hermitian=True)
    return np.asarray(np.einsum("dsi,si->ds", columns, inverse[:, :, 0]) / len(tp))


def _standard(deviations: Floats, variance: Floats) -> Floats:
    """Return deviations in standard deviations; 0 where nothing varies."""
    varies = variance > 0
    return np.where(varies, deviations / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
