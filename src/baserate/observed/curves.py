"""Curves of scores and of numbers that a report draws."""

from __future__ import annotations

import heapq
import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.baseline import ANY, EQUAL, RANDOM
from baserate.core.observed import Curve, Line, rounded_up
from baserate.observed.best_constants import mean, medians, quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.core.observed import Points
    from baserate.observed.labels import BaseRate
    from baserate.observed.numbers import NumericPredictions
    from baserate.observed.scores import RankedScores

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


MOST_POINTS = 300
"""The most corners of a curve in a picture."""
# A picture a thousand pixels wide does not show less than this.
_UNSEEN = 5e-4
# The cells of a first, coarser pass over very long curves.
_CELLS = 2048


def _thinned(x: Floats, y: Floats) -> Ints:
    """Return which corners of a line to keep, so that it looks the same.

    The corner farthest from what would be drawn without it is kept first (Ramer, Douglas and
    Peucker), until the others could not be seen, or there are many.
    """
    if x.size <= 2:
        return np.arange(x.size)
    places = _coarse(x, y)
    x, y = x[places], y[places]
    kept = {0, x.size - 1}
    waiting = [_worst(x, y, 0, x.size - 1)]
    while waiting and len(kept) < MOST_POINTS:
        seen, middle, first, last = heapq.heappop(waiting)
        if -seen < _UNSEEN:
            break
        kept.add(middle)
        for ends in ((first, middle), (middle, last)):
            if ends[1] - ends[0] > 1:
                heapq.heappush(waiting, _worst(x, y, *ends))
    return places[sorted(kept)]


def _coarse(x: Floats, y: Floats) -> Ints:
    """Return the first, the lowest, the highest and the last corner of each narrow column."""
    if x.size <= 4 * _CELLS:
        return np.arange(x.size)
    starts = np.unique(np.searchsorted(x, np.linspace(0, 1, _CELLS + 1)[:-1] * x[-1]))
    stops = np.append(starts[1:], x.size)
    low, high = (
        [start + int(find(y[start:stop])) for start, stop in zip(starts, stops, strict=True)]
        for find in (np.argmin, np.argmax)
    )
    return np.unique([0, *starts, *low, *high, *(stops - 1)])


def _worst(x: Floats, y: Floats, first: int, last: int) -> tuple[float, int, int, int]:
    """Return the corner between two others that is farthest from their line, negative distance."""
    inner = slice(first + 1, last)
    along = np.array([x[last] - x[first], y[last] - y[first]])
    length = float(np.hypot(*along))
    dx, dy = x[inner] - x[first], y[inner] - y[first]
    far = np.abs(along[0] * dy - along[1] * dx) / length if length else np.hypot(dx, dy)
    place = int(far.argmax())
    return -float(far[place]), first + 1 + place, first, last


# The recalls at which a random ranking is drawn: the first positives one by one, then ever fewer.
_FIRST, _LATER = 40, 60
# The ranks over which an expectation is summed, and how many standard deviations away they end.
_NODES, _REACH = 1500, 12
_DIAGONAL = ((0.0, 0.0), (1.0, 1.0))


def curves_of_scores(scores: RankedScores) -> tuple[Curve, ...]:
    """Return the curves of a model; none if the test set has one class only."""
    rate = scores.test_set
    if not rate.positives or not rate.negatives:
        return ()
    return _roc(scores), _precision_recall(scores)


def _roc(scores: RankedScores) -> Curve:
    upto = (np.append(0.0, np.cumsum(each)) for each in (scores.negatives, scores.positives))
    x, y = (each / each[-1] for each in upto)
    return Curve(
        name="ROC curve",
        measure="AUC",
        x="false positive rate",
        y="recall",
        points=_points(x, y),
        area=float(np.trapezoid(y, x)),
        chance=Line(_DIAGONAL, ANY, 0.5),
        caption="The area below a curve is its AUC. Ties are sloping lines.",
    )


def _precision_recall(scores: RankedScores) -> Curve:
    """Return the steps that average precision sums up: each positive has the precision there."""
    rate = scores.test_set
    found = scores.positives > 0
    true = np.cumsum(scores.positives)[found].astype(float)
    ranks = np.cumsum(scores.positives + scores.negatives)[found]
    recall, precision = np.append(0.0, true / true[-1]), true / ranks
    # A step is a corner at either end.
    x, y = np.repeat(recall, 2)[1:-1], np.repeat(precision, 2)
    prevalence = rate.positives / rate.total
    expected = expected_average_precision(rate)
    return Curve(
        name="Precision-recall curve",
        measure="AP",
        x="recall",
        y="precision",
        points=_points(x, y),
        area=float(np.diff(recall) @ precision),
        chance=Line(random_precision(rate), RANDOM, expected),
        others=(Line(((0.0, prevalence), (1.0, prevalence)), EQUAL, prevalence),),
        caption=(
            "The area below a curve is its average precision (AP). The line of a random ranking "
            "is the mean of all of them; its area is the baseline. The same score for everyone "
            "has the prevalence."
        ),
    )


def reliability_of(scores: RankedScores) -> Curve | None:
    """Return how often probabilities came true; None if scores are none, or one class is missing.

    It is the monotone curve closest to the outcomes (CORP; Dimitriadis, Gneiting and Jordan, 2021).
    """
    from scipy.optimize import isotonic_regression

    rate, values = scores.test_set, scores.values[::-1].astype(float)
    if not (rate.positives and rate.negatives and values[0] >= 0 and values[-1] <= 1):
        return None
    sizes = (scores.positives + scores.negatives)[::-1]
    found = isotonic_regression(scores.positives[::-1] / sizes, weights=sizes)
    share = rate.positives / rate.total
    return Curve(
        name="Reliability",
        measure="",
        x="probability",
        y="how often it came true",
        points=_points(values, found.x),
        area=math.nan,
        chance=Line(((0.0, share), (1.0, share)), "the base rate for everyone", math.nan),
        others=(Line(_DIAGONAL, "as predicted", math.nan),),
        caption=(
            "Probabilities that come true as often as they say are on the diagonal. The best guess "
            "is right as well, but says the same of everyone."
        ),
    )


def expected_average_precision(rate: BaseRate, shares: float | None = None) -> float:
    """Return the average precision that a random ranking expects, given Σ t_b/T_b over its blocks.

    Without ties, that is 1 + 1/2 + … + 1/M.
    """
    positives, total = rate.positives, rate.total
    if positives == total:
        return 1.0
    rest = rate.negatives / total * ((harmonic(total) if shares is None else shares) / (total - 1))
    return (positives - 1) / (total - 1) + rest


@lru_cache(maxsize=256)
def random_precision(rate: BaseRate) -> Points:
    """Return the mean of the precision-recall curves of all rankings without ties.

    The area below it is the average precision that a random ranking expects, up to what thinning
    and summing over fewer ranks leave out where there are very many.
    """
    positives = rate.positives
    counts = np.arange(1.0, min(positives, _FIRST) + 1)
    if positives > _FIRST:
        later = np.rint(np.geomspace(_FIRST + 1, positives, _LATER))
        counts = np.unique(np.append(counts, later))
    levels = [_precision_at(int(count), rate) for count in counts]
    if positives <= _FIRST:
        ends = np.append(0, counts) / positives
        x, y = np.repeat(ends, 2)[1:-1], np.repeat(levels, 2)
    else:
        # Steps of one positive are too narrow to see; their middles are joined.
        x = np.concatenate([[0.0], (counts - 0.5) / positives, [1.0]])
        y = np.concatenate([levels[:1], levels, levels[-1:]])
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def _precision_at(count: int, rate: BaseRate) -> float:
    """Return the expected precision at the rank of a positive, of a random ranking.

    With R the rank of the k-th positive, (k - 1)/(R - 1) expects the prevalence. So k/R expects
    that and E[(R - k)/(R (R - 1))], which is small, and summed here.
    """
    from scipy.special import gammaln

    positives, total = rate.positives, rate.total
    if count == 1:
        # Σ C(M - r, P - 1)/r = C(M, P - 1) (H_M - H_{P-1})
        left = total - positives + 1
        return positives / left * (harmonic(total) - harmonic(positives - 1))
    # Ranks of the k-th positive, and how likely they are among these.
    mean = count * (total + 1) / (positives + 1)
    rest = (positives - count + 1) * (total - positives) / ((positives + 1) * (positives + 2))
    spread = _REACH * math.sqrt(mean * rest) + _REACH
    low, high = max(count, mean - spread), min(total - positives + count, mean + spread)
    ranks = np.unique(np.rint(np.linspace(low, high, _NODES)))
    # log C(r - 1, k - 1) + log C(M - r, P - k), without what does not depend on r
    logs = gammaln(ranks) - gammaln(ranks - count + 1)
    logs += gammaln(total - ranks + 1) - gammaln(total - ranks - positives + count + 1)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    return positives / total + float(chances @ ((ranks - count) / (ranks * (ranks - 1))))


def harmonic(number: int) -> float:
    """Return 1 + 1/2 + … + 1/number."""
    from scipy.special import digamma

    return float(digamma(number + 1.0) + np.euler_gamma)


def _points(x: Floats, y: Floats) -> Points:
    kept = _thinned(x, y)
    return tuple(zip(x[kept].tolist(), y[kept].tolist(), strict=True))


# --- Numbers --------------------------------------------------------------------------------------

# The most steps of a picture of residuals; with an odd number, one has 0 in its middle.
_MOST_STEPS = 31
# If the largest error is more than this many times the error that this share does not exceed, the
# axis ends there.
_FAR, _SHARE = 2.0, 0.95
# An axis that goes this far on either side has no length in floating-point numbers.
_LARGE = 1e300


def curves_of_numbers(fit: NumericPredictions) -> tuple[Curve, ...]:
    """Return the curves of a model's residuals; none if all true numbers are the same.

    The first has the share of observations in each step of the residuals. The second is their
    running sum, of absolute errors (Bi and Bennett 2003): the mean absolute error is the area above
    it, so that the best constant is the median.

    Examples
    --------
    >>> from baserate.observed.numbers import NumericPredictions
    >>> fit = NumericPredictions.of([1.0, 2, 3, 5], [1.0, 2, 4, 4])
    >>> residuals, errors = curves_of_numbers(fit)
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
    return tuple(dict.fromkeys((x * reach, y) for x, y in _points(x, y)))
