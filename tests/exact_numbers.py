"""The definitions of measures of numbers, in fractions where they are rational.

Nothing here shares code with the library. Truths, predictions and weights are lists of whole
numbers or fractions, row by row in the same order. Logarithms, powers and roots are mpmath's.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Rows = Sequence[Any]
    Score = Callable[[Rows, Rows, Rows], Any]


def real(value: Any) -> mpmath.mpf:
    """Return a fraction or a float as a number of high precision."""
    if isinstance(value, mpmath.mpf):
        return value
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def fractions_of(values: Iterable[Any]) -> list[Fraction]:
    """Return numbers as the fractions that they are."""
    return [Fraction(value) for value in values]


# Losses of one observation.
EPSILON = Fraction(1, 2**52)


def squared(y: Any, z: Any) -> Any:
    """Return the squared error."""
    return (y - z) ** 2


def absolute(y: Any, z: Any) -> Any:
    """Return the absolute error."""
    return abs(y - z)


def percentage(y: Any, z: Any) -> Any:
    """Return the relative error, as scikit-learn has it."""
    return abs(y - z) / max(abs(y), EPSILON)


def symmetric(y: Any, z: Any) -> Any:
    """Return the symmetric relative error."""
    return 2 * abs(y - z) / (abs(y) + abs(z)) if y or z else Fraction(0)


def log_squared(y: Any, z: Any) -> Any:
    """Return the squared error of log(1 + y)."""
    return (mpmath.log1p(real(y)) - mpmath.log1p(real(z))) ** 2


def pinball(alpha: Any) -> Callable[[Any, Any], Any]:
    """Return the pinball loss of a level."""
    level = Fraction(alpha)
    return lambda y, z: level * (y - z) if y >= z else (1 - level) * (z - y)


def huber(delta: Any) -> Callable[[Any, Any], Any]:
    """Return the Huber loss of a width."""
    width = Fraction(delta)

    def loss(y: Any, z: Any) -> Any:
        error = abs(y - z)
        return error**2 / 2 if error <= width else width * (error - width / 2)

    return loss


def deviance(power: Any) -> Callable[[Any, Any], Any]:
    """Return the Tweedie deviance of a power."""
    p = real(power)

    def loss(y: Any, z: Any) -> Any:
        y, z = real(y), real(z)
        if p == 0:
            return (y - z) ** 2
        if p == 1:
            return 2 * ((y * mpmath.log(y / z) if y else 0) - y + z)
        if p == 2:
            return 2 * (mpmath.log(z / y) + y / z - 1)
        first = max(y, mpmath.mpf(0)) ** (2 - p) / ((1 - p) * (2 - p)) if y or p < 2 else 0
        return 2 * (first - y * z ** (1 - p) / (1 - p) + z ** (2 - p) / (2 - p))

    return loss


def ranks(values: Rows) -> list[Fraction]:
    """Return the ranks; equal values share the mean of theirs."""
    return [
        Fraction(sum(other < value for other in values))
        + Fraction(sum(other == value for other in values) + 1, 2)
        for value in values
    ]


def sign(value: Any) -> int:
    """Return -1, 0 or 1."""
    return (value > 0) - (value < 0)


def mean(values: Iterable[Any], weights: Rows) -> Any:
    """Return the mean, each value counted as often as its weight."""
    return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def median(values: Rows, weights: Rows) -> Any:
    """Return the value up to which half of the weight is; the mean of two if it is exact."""
    order = sorted((v, Fraction(w)) for v, w in zip(values, weights, strict=True) if w)
    half = sum(w for _, w in order) / 2
    upto, found = Fraction(), []
    for value, weight in order:
        if upto <= half <= upto + weight:
            found.append(value)
        upto += weight
    return (found[0] + found[-1]) / 2


def average(loss: Callable[[Any, Any], Any]) -> Score:
    """Return the score that is the weighted mean of a loss."""
    return lambda y, z, w: mean([loss(i, j) for i, j in zip(y, z, strict=True)], w)


def median_error(y: Rows, z: Rows, weights: Rows) -> Any:
    """Return the weighted median absolute error."""
    return median([abs(i - j) for i, j in zip(y, z, strict=True)], weights)


def max_error(y: Rows, z: Rows, weights: Rows) -> Any:
    """Return the largest absolute error with any weight."""
    return max(abs(i - j) for i, j, w in zip(y, z, weights, strict=True) if w)


def least(
    score: Callable[[Any], Any], breakpoints: Iterable[Any]
) -> tuple[Any, list[tuple[Any, Any]]]:
    """Return the least value of a function that is linear between breakpoints, and where it is."""
    points = sorted(set(breakpoints))
    at = [score(point) for point in points]
    lowest = min(at)
    ranges: list[tuple[Any, Any]] = []
    for place, (point, value) in enumerate(zip(points, at, strict=True)):
        if value != lowest:
            continue
        flat = place and score((points[place - 1] + point) / 2) == lowest
        if flat and ranges and ranges[-1][1] == points[place - 1]:
            ranges[-1] = ranges[-1][0], point
        else:
            ranges.append((point, point))
    return lowest, ranges


def covariance(y: Rows, z: Rows, w: Rows) -> Any:
    """Return the mean product of differences from the weighted means."""
    a, b = mean(y, w), mean(z, w)
    return mean([(s - a) * (t - b) for s, t in zip(y, z, strict=True)], w)


def share(loss: Callable[[Any, Any], Any], centre: Any) -> Any:
    """Return 1 minus the weighted mean of a loss over that of a constant."""
    of = average(loss)
    return lambda y, z, w: 1 - of(y, z, w) / of(y, [centre(y, w)] * len(y), w)


def explained_variance(y: Rows, z: Rows, w: Rows) -> Any:
    """Return 1 minus the weighted variance of the errors over that of the truth."""
    errors = [s - t for s, t in zip(y, z, strict=True)]
    return 1 - covariance(errors, errors, w) / covariance(y, y, w)


def concordance(y: Rows, z: Rows, w: Rows) -> Any:
    """Return Lin's concordance of weighted moments."""
    shift = mean(y, w) - mean(z, w)
    spread = covariance(y, y, w) + covariance(z, z, w) + shift**2
    return 2 * covariance(y, z, w) / spread


def pearson(y: Rows, z: Rows, w: Rows) -> Any:
    """Return the correlation of weighted moments."""
    squares = covariance(y, y, w) * covariance(z, z, w)
    return real(covariance(y, z, w)) / mpmath.sqrt(real(squares))


def weighted_ranks(values: Rows, weights: Rows) -> list[Any]:
    """Return the weight below each value, and half of what is equal to it."""
    pairs = list(zip(values, weights, strict=True))
    return [sum(w * (Fraction(u < v) + Fraction(u == v) / 2) for u, w in pairs) for v in values]


def spearman(y: Rows, z: Rows, w: Rows) -> Any:
    """Return the weighted correlation of weighted ranks."""
    return pearson(weighted_ranks(y, w), weighted_ranks(z, w), w)


def kendall(y: Rows, z: Rows, w: Rows) -> Any:
    """Return tau-b, where a pair counts the product of its weights."""
    pairs = list(combinations(range(len(y)), 2))

    def total(first: Rows, second: Rows) -> Any:
        return sum(
            w[i] * w[j] * sign(first[i] - first[j]) * sign(second[i] - second[j]) for i, j in pairs
        )

    return real(total(y, z)) / mpmath.sqrt(real(total(y, y) * total(z, z)))


def _root(score: Score) -> Score:
    return lambda y, z, w: mpmath.sqrt(real(score(y, z, w)))


DEFINITIONS: dict[str, Score] = {
    "MSE": average(squared),
    "RMSE": _root(average(squared)),
    "MAE": average(absolute),
    "MAPE": average(percentage),
    "sMAPE": average(symmetric),
    "MSLE": average(log_squared),
    "RMSLE": _root(average(log_squared)),
    "MedAE": median_error,
    "max error": max_error,
    "pinball@0.25": average(pinball(Fraction(1, 4))),
    "pinball@0.5": average(pinball(Fraction(1, 2))),
    "Huber@1": average(huber(1)),
    "Poisson deviance": average(deviance(1)),
    "Gamma deviance": average(deviance(2)),
    "Tweedie@1.5": average(deviance(Fraction(3, 2))),
    "R2": share(squared, mean),
    "D2 absolute error": share(absolute, median),
    "D2 Tweedie@1": share(deviance(1), mean),
    "explained variance": explained_variance,
    "Pearson": pearson,
    "Spearman": spearman,
    "Kendall": kendall,
    "CCC": concordance,
}
