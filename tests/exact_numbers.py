"""The definitions of measures of numbers, in fractions where they are rational.

Nothing here shares code with the library. Truths and predictions are lists of whole numbers or
fractions, row by row in the same order. Logarithms, powers and roots are mpmath's.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Rows = Sequence[Any]
    Score = Callable[[Rows, Rows], Any]


def real(value: Any) -> mpmath.mpf:
    """Return a fraction or a float as a number of high precision."""
    if isinstance(value, mpmath.mpf):
        return value
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def mean(values: Iterable[Any]) -> Any:
    """Return the mean, of fractions if the values are whole or fractions."""
    every = list(values)
    return sum(every, Fraction() if isinstance(every[0], int) else 0) / len(every)


def fractions_of(values: Iterable[Any]) -> list[Fraction]:
    """Return numbers as the fractions that they are."""
    return [Fraction(value) for value in values]


def median(values: Iterable[Any]) -> Any:
    """Return the middle value, or the mean of both middle values."""
    order = sorted(values)
    half = len(order) // 2
    return order[half] if len(order) % 2 else (order[half - 1] + order[half]) / 2


def variance(values: Rows) -> Any:
    """Return the mean square around the mean."""
    centre = mean(values)
    return mean([(value - centre) ** 2 for value in values])


def covariance(y: Rows, z: Rows) -> Any:
    """Return the mean product around the means."""
    a, b = mean(y), mean(z)
    return mean([(i - a) * (j - b) for i, j in zip(y, z, strict=True)])


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


def average(loss: Callable[[Any, Any], Any]) -> Score:
    """Return the score that is the mean of a loss."""
    return lambda y, z: mean([loss(i, j) for i, j in zip(y, z, strict=True)])


def root(score: Score) -> Score:
    """Return the square root of a score."""
    return lambda y, z: mpmath.sqrt(real(score(y, z)))


# Scores that are no mean.
def median_error(y: Rows, z: Rows) -> Any:
    """Return the median absolute error."""
    return median([abs(i - j) for i, j in zip(y, z, strict=True)])


def max_error(y: Rows, z: Rows) -> Any:
    """Return the largest absolute error."""
    return max(abs(i - j) for i, j in zip(y, z, strict=True))


def r2(y: Rows, z: Rows) -> Any:
    """Return R²."""
    return 1 - average(squared)(y, z) / variance(y)


def explained_variance(y: Rows, z: Rows) -> Any:
    """Return the explained variance."""
    return 1 - variance([i - j for i, j in zip(y, z, strict=True)]) / variance(y)


def pearson(y: Rows, z: Rows) -> Any:
    """Return the correlation."""
    return real(covariance(y, z)) / mpmath.sqrt(real(variance(y)) * real(variance(z)))


def ranks(values: Rows) -> list[Fraction]:
    """Return the ranks; equal values share the mean of theirs."""
    return [
        Fraction(sum(other < value for other in values))
        + Fraction(sum(other == value for other in values) + 1, 2)
        for value in values
    ]


def spearman(y: Rows, z: Rows) -> Any:
    """Return the correlation of the ranks."""
    return pearson(ranks(y), ranks(z))


def sign(value: Any) -> int:
    """Return -1, 0 or 1."""
    return (value > 0) - (value < 0)


def kendall(y: Rows, z: Rows) -> Any:
    """Return tau-b."""
    pairs = list(combinations(range(len(y)), 2))
    total = sum(sign(y[i] - y[j]) * sign(z[i] - z[j]) for i, j in pairs)
    untied = [sum(v[i] != v[j] for i, j in pairs) for v in (y, z)]
    return total / mpmath.sqrt(untied[0] * untied[1])


def concordance(y: Rows, z: Rows) -> Any:
    """Return Lin's concordance."""
    return 2 * covariance(y, z) / (variance(y) + variance(z) + (mean(y) - mean(z)) ** 2)


# Decks and dealings.
def dealt(score: Score, truth: Rows, deck: Rows) -> list[Any]:
    """Return the score of every dealing of a deck, all M! of them."""
    return [score(truth, order) for order in permutations(deck)]


def expected(score: Score, truth: Rows, deck: Rows) -> Any:
    """Return the expected score of a deck that is dealt at random."""
    return mean(dealt(score, truth, deck))


def guesses(grid: Rows, size: int) -> Iterator[tuple[Any, ...]]:
    """Yield every deck of numbers on a grid, each once."""
    if not size:
        yield ()
        return
    for place, first in enumerate(grid):
        for rest in guesses(grid[place:], size - 1):
            yield (first, *rest)


# Weights.
def weighted_mean(values: Iterable[Any], weights: Rows) -> Any:
    """Return the mean, each value counted as often as its weight."""
    return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def weighted_median(values: Rows, weights: Rows) -> Any:
    """Return the value up to which half of the weight is; the mean of two if it is exact."""
    order = sorted((v, Fraction(w)) for v, w in zip(values, weights, strict=True) if w)
    half = sum(w for _, w in order) / 2
    upto, found = Fraction(), []
    for value, weight in order:
        if upto <= half <= upto + weight:
            found.append(value)
        upto += weight
    return (found[0] + found[-1]) / 2


def weighted_average(loss: Callable[[Any, Any], Any]) -> Callable[[Rows, Rows, Rows], Any]:
    """Return the score that is the weighted mean of a loss."""
    return lambda y, z, w: weighted_mean([loss(i, j) for i, j in zip(y, z, strict=True)], w)


def weighted_median_error(y: Rows, z: Rows, weights: Rows) -> Any:
    """Return the weighted median absolute error."""
    return weighted_median([abs(i - j) for i, j in zip(y, z, strict=True)], weights)


def weighted_max_error(y: Rows, z: Rows, weights: Rows) -> Any:
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


def repeated(values: Rows, counts: Sequence[int]) -> list[Any]:
    """Return each value as often as its count."""
    return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]


# Importance weights: each observation keeps its truth and its weight, and predictions are dealt.


def weighted_covariance(y: Rows, z: Rows, w: Rows) -> Any:
    """Return the mean product of differences from the weighted means."""
    a, b = weighted_mean(y, w), weighted_mean(z, w)
    return weighted_mean([(s - a) * (t - b) for s, t in zip(y, z, strict=True)], w)


def weighted_share(loss: Callable[[Any, Any], Any], centre: Any) -> Any:
    """Return 1 minus the weighted mean of a loss over that of a constant."""
    average = weighted_average(loss)
    return lambda y, z, w: 1 - average(y, z, w) / average(y, [centre(y, w)] * len(y), w)


def weighted_explained(y: Rows, z: Rows, w: Rows) -> Any:
    """Return 1 minus the weighted variance of the errors over that of the truth."""
    errors = [s - t for s, t in zip(y, z, strict=True)]
    return 1 - weighted_covariance(errors, errors, w) / weighted_covariance(y, y, w)


def weighted_concordance(y: Rows, z: Rows, w: Rows) -> Any:
    """Return Lin's concordance of weighted moments."""
    shift = weighted_mean(y, w) - weighted_mean(z, w)
    spread = weighted_covariance(y, y, w) + weighted_covariance(z, z, w) + shift**2
    return 2 * weighted_covariance(y, z, w) / spread


def weighted_pearson(y: Rows, z: Rows, w: Rows) -> Any:
    """Return the correlation of weighted moments."""
    squares = weighted_covariance(y, y, w) * weighted_covariance(z, z, w)
    return real(weighted_covariance(y, z, w)) / mpmath.sqrt(real(squares))


def weighted_ranks(values: Rows, weights: Rows) -> list[Any]:
    """Return the weight below each value, and half of what is equal to it."""
    pairs = list(zip(values, weights, strict=True))
    return [sum(w * (Fraction(u < v) + Fraction(u == v) / 2) for u, w in pairs) for v in values]


def weighted_spearman(y: Rows, z: Rows, w: Rows) -> Any:
    """Return the weighted correlation of weighted ranks."""
    return weighted_pearson(weighted_ranks(y, w), weighted_ranks(z, w), w)


def weighted_kendall(y: Rows, z: Rows, w: Rows) -> Any:
    """Return tau-b, where a pair counts the product of its weights."""
    pairs = list(combinations(range(len(y)), 2))

    def total(first: Rows, second: Rows) -> Any:
        return sum(
            w[i] * w[j] * sign(first[i] - first[j]) * sign(second[i] - second[j]) for i, j in pairs
        )

    return real(total(y, z)) / mpmath.sqrt(real(total(y, y) * total(z, z)))


def weighted_dealt(score: Any, truth: Rows, deck: Rows, weights: Rows) -> list[Any]:
    """Return the score of every dealing of a deck to weighted observations."""
    return [score(truth, order, weights) for order in permutations(deck)]
