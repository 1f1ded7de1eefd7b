"""Curves of numbers that a report draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.observed import Curve, Line, rounded_up
from baserate.observed.best_constants import medians, quantiles
from baserate.observed.curves import MOST_POINTS, thinned
from baserate.observed.moments import mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.core.observed import Points
    from baserate.observed.numbers import NumericPredictions

    Floats = NDArray[np.float64]


# The most steps of a picture of residuals; with an odd number, one has 0 in its middle.
_MOST_STEPS = 31
# If the largest error is more than so many times the error that this share does not exceed, the
# axis ends there.
_FAR, _SHARE = 2.0, 0.95
# An axis that goes this far on either side has no length in floating-point numbers.
_LARGE = 1e300


def curves_of(fit: NumericPredictions) -> tuple[Curve, ...]:
    """Return the curves of a model's residuals; none if all true numbers are the same.

    The first has the share of observations in each step of the residuals. The second is their
    running sum, of absolute errors (Bi and Bennett 2003): the mean absolute error is the area above
    it, so that the best constant is the median.

    Examples
    --------
    >>> from baserate.observed.numbers import NumericPredictions
    >>> residuals, errors = curves_of(NumericPredictions.of([1.0, 2, 3, 5], [1.0, 2, 4, 4]))
    >>> errors.x_ends, errors.points
    ((0.0, 3.0), ((0.0, 0.5), (1.0, 0.5), (1.0, 1.0), (3.0, 1.0)))
    """
    constant = medians(fit.test_set.values, fit.test_set.weights)[0].middle
    with np.errstate(over="ignore"):  # then there is no picture
        of_constant, residuals = fit.truth - constant, fit.truth - fit.predicted
        area, of_free = (mean(np.abs(each), fit.weights) for each in (residuals, of_constant))
    reach = _reach(np.abs(of_constant), fit.weights)
    if not 0 < reach < _LARGE or not math.isfinite(area):
        return ()
    label = f"always {constant:.6g}"
    return (
        Curve(
            name="Residuals",
            measure="",
            x="truth − prediction",
            y="share of observations",
            points=_steps(residuals, fit.weights, reach),
            area=math.nan,
            chance=Line(_steps(of_constant, fit.weights, reach), label, math.nan),
            caption=(
                "How many observations are off by how much: right of 0 the truth is more than "
                "predicted. The outermost steps hold all that are further off."
            ),
            x_ends=(-reach, reach),
            y_end=None,
        ),
        Curve(
            name="Errors",
            measure="MAE",
            x="absolute error",
            y="share of observations",
            points=_shares(np.abs(residuals), fit.weights, reach),
            area=area,
            chance=Line(_shares(np.abs(of_constant), fit.weights, reach), label, of_free),
            caption=(
                "How many observations are off by at most so much: the higher, the better. The "
                "mean absolute error is the area above a curve."
            ),
            x_ends=(0.0, reach),
        ),
    )


def _reach(errors: Floats, weights: Floats | None) -> float:
    """Return how far an axis goes: to the largest error of the constant, unless it is far out."""
    order = np.argsort(errors)
    largest = float(errors[order[-1]])
    heavy = None if weights is None else weights[order]
    usual = quantiles(errors[order], _SHARE, heavy)[0].high
    return rounded_up(usual if 0 < usual < largest / _FAR else largest)


def _steps(residuals: Floats, weights: Floats | None, reach: float) -> Points:
    """Return the outline of the share of residuals in each of some equal steps."""
    count = min(_MOST_STEPS, 2 * round(residuals.size**0.5 / 2) + 5)
    edges = np.linspace(-1, 1, count + 1)
    places = np.clip(residuals / reach, -1, 1)
    shares = np.histogram(places, edges, weights=weights)[0]
    shares = shares / shares.sum()
    x, y = np.repeat(edges * reach, 2), np.concatenate([[0.0], np.repeat(shares, 2), [0.0]])
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def _shares(errors: Floats, weights: Floats | None, reach: float) -> Points:
    """Return the steps of the share of errors up to each number from 0 to the reach."""
    values, place = np.unique(errors / reach, return_inverse=True)
    shares = np.cumsum(np.bincount(place, weights))
    shares = shares / shares[-1]
    seen = values <= 1
    values, shares = values[seen], shares[seen]
    if not values.size or values[0] > 0:
        values, shares = np.append(0.0, values), np.append(0.0, shares)
    # A step is a corner at either end.
    x, y = np.append(np.repeat(values, 2)[1:], 1.0), np.repeat(shares, 2)
    kept = thinned(x, y, MOST_POINTS)
    return tuple(dict.fromkeys(zip((x[kept] * reach).tolist(), y[kept].tolist(), strict=True)))
