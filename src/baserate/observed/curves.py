"""Curves of scores that a report draws."""

from __future__ import annotations

import heapq
import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.baseline import ANY, EQUAL, RANDOM
from baserate.core.observed import Curve, Line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.core.observed import Points
    from baserate.observed.scores import RankedScores
    from baserate.observed.two_classes import BaseRate

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


MOST_POINTS = 300
"""The most corners of a curve in a picture."""
# A picture a thousand pixels wide does not show less than this.
_UNSEEN = 5e-4
# The cells of a first, coarser pass over very long curves.
_CELLS = 2048


def thinned(x: Floats, y: Floats, most: int = MOST_POINTS) -> Ints:
    """Return which corners of a line to keep, so that it looks the same.

    The corner farthest from what would be drawn without it is kept first (Ramer, Douglas and
    Peucker), until the others could not be seen, or `most` are kept.

    Examples
    --------
    >>> thinned(np.array([0.0, 0.3, 0.6, 1.0]), np.array([0.0, 0.3, 0.9, 1.0])).tolist()
    [0, 1, 2, 3]
    >>> thinned(np.linspace(0, 1, 10**5), np.linspace(0, 1, 10**5)).tolist()
    [0, 99999]
    """
    if x.size <= 2:
        return np.arange(x.size)
    places = _coarse(x, y)
    x, y = x[places], y[places]
    kept = {0, x.size - 1}
    waiting = [_worst(x, y, 0, x.size - 1)]
    while waiting and len(kept) < most:
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
    columns = zip(starts.tolist(), stops.tolist(), strict=True)
    ends = [
        (start, start + int(part.argmin()), start + int(part.argmax()), stop - 1)
        for start, stop in columns
        for part in (y[start:stop],)
    ]
    return np.unique([0, *np.ravel(ends), x.size - 1])


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


def curves_of(scores: RankedScores) -> tuple[Curve, ...]:
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
    kept = thinned(x, y, MOST_POINTS)
    return tuple(zip(x[kept].tolist(), y[kept].tolist(), strict=True))
