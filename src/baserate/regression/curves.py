"""How many predictions are how far off, beside the best constant: a picture of residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.core.curve import Curve, Line
from baserate.ranking.thinning import MOST_POINTS, thinned
from baserate.regression.best.quantiles import medians

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.core.curve import Points
    from baserate.regression.fit import Fit

    Floats = NDArray[np.float64]


def curves_of(fit: Fit) -> tuple[Curve, ...]:
    """Return the curve of a model's errors; none if all true numbers are the same.

    Its corners are shares of observations that are off by at most so much (Bi and Bennett 2003).
    The mean absolute error is the area above it, so that the best constant is the median.

    Examples
    --------
    >>> from baserate.regression.fit import Fit
    >>> (curve,) = curves_of(Fit.of([1.0, 2, 3, 5], [1.0, 2, 4, 4]))
    >>> curve.x, curve.points
    ('absolute error, of 2.5', ((0.0, 0.5), (0.4, 0.5), (0.4, 1.0), (1.0, 1.0)))
    """
    constant = medians(fit.test_set.values)[0].middle
    of_constant = np.abs(fit.truth - constant)
    unit, errors = float(of_constant.max()), np.abs(fit.residuals)
    if unit == 0 or not np.isfinite(unit) or not np.isfinite(errors).all():
        return ()
    return (
        Curve(
            name="Errors",
            measure="MAE",
            x=f"absolute error, of {unit:.6g}",
            y="share of observations",
            points=_shares(errors / unit),
            area=float(errors.mean()),
            chance=Line(
                _shares(of_constant / unit),
                f"the constant {constant:.6g}",
                float(of_constant.mean()),
            ),
            caption=(
                "How many observations are off by at most so much; 1 is the largest error of the "
                "constant. The mean absolute error is the area above a curve."
            ),
        ),
    )


def _shares(errors: Floats) -> Points:
    """Return the steps of the share of errors up to each number from 0 to 1."""
    values, counts = np.unique(errors, return_counts=True)
    shares = np.cumsum(counts) / errors.size
    seen = values <= 1
    values, shares = values[seen], shares[seen]
    if not values.size or values[0] > 0:
        values, shares = np.append(0.0, values), np.append(0.0, shares)
    # A step is a corner at either end.
    x, y = np.append(np.repeat(values, 2)[1:], 1.0), np.repeat(shares, 2)
    kept = thinned(x, y, MOST_POINTS)
    return tuple(dict.fromkeys(zip(x[kept].tolist(), y[kept].tolist(), strict=True)))
