"""Means over random draws whose means and variances are the true ones.

The first two moments of what is predicted positive are known. So draws do not all count 1/n: the
shares that are nearest to that, and give all these moments as they are, leave only what is left of
a score after a quadratic function of both sums (regression on control variates).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.weighted.law.cells import Moments

    Floats = NDArray[np.float64]

# A combination of moments that varies less than this, relative to the others, is left out.
_FLAT = 1e-10


class Estimates(NamedTuple):
    """Expected scores, and how far off they may be: a standard error; 0 if they are exact."""

    means: Floats
    errors: Floats


def calibrated(tp: Floats, fp: Floats, moments: Moments) -> Floats:
    """Return how much each draw counts: columns that sum to 1.

    Parameters
    ----------
    tp, fp
        The weights of true and of false positives, of shape (draws, sizes).
    moments
        What they should be, by size.
    """
    columns, inverse = _regressors(tp, fp, moments)
    return np.asarray(np.einsum("dsi,si->ds", columns, inverse[:, :, 0]) / len(tp))


def regressed(tp: Floats, fp: Floats, moments: Moments, scores: Floats) -> Estimates:
    """Return the means of scores over calibrated draws, with their standard errors.

    Parameters
    ----------
    tp, fp, moments
        As in `calibrated`.
    scores
        The scores of the draws.
    """
    columns, inverse = _regressors(tp, fp, moments)
    products = np.einsum("dsi,ds->si", columns, scores) / len(tp)
    slopes = np.einsum("sij,sj->si", inverse, products)
    left = scores - np.einsum("dsi,si->ds", columns, slopes)
    return Estimates(slopes[:, 0], np.sqrt((left**2).mean(axis=0) / len(tp)))


def _regressors(tp: Floats, fp: Floats, moments: Moments) -> tuple[Floats, Floats]:
    """Return 1 and what should be 0 on average, and the inverse of their mean products."""
    one = _standard(tp - moments.tp, moments.tp_variance)
    two = _standard(fp - moments.fp, moments.fp_variance)
    scale = np.sqrt(moments.tp_variance * moments.fp_variance)
    correlation = np.where(scale > 0, moments.covariance / np.where(scale > 0, scale, 1), 0.0)
    centred = (
        np.ones_like(one),
        one,
        two,
        one * one - (moments.tp_variance > 0),
        two * two - (moments.fp_variance > 0),
        one * two - correlation,
    )
    columns = np.stack(centred, axis=-1)  # draws, sizes, moments
    gram = np.matmul(columns.transpose(1, 2, 0), columns.transpose(1, 0, 2)) / len(tp)
    return columns, np.linalg.pinv(gram, rcond=_FLAT, hermitian=True)


def _standard(deviations: Floats, variance: Floats) -> Floats:
    """Return deviations in standard deviations; 0 where nothing varies."""
    varies = variance > 0
    return np.where(varies, deviations / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
