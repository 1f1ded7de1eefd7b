"""The distribution of pairs in order minus pairs out of order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.law.counted import Counted
from baserate.regression.law.curve import Curve
from baserate.regression.law.distribution import Distribution, Smooth
from baserate.regression.law.shuffles import (
    FEW,
    number_of_shuffles,
    of_all_orders,
    of_shuffles,
    one_of_all,
)
from baserate.regression.measures.pairs import pairs_in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.law.reading import Reading

    Floats = NDArray[np.float64]
    Places = NDArray[np.integer]

# Up to so many observations without ties, all numbers of pairs are counted; with ties, so many are
# shuffled.
_COUNTED, _SHUFFLED = 300, 60
# If more are the same, a few others decide; and how much it costs then to count the pairs.
_MOST_TIED, _COST = 0.8, 30
# The relative error that was measured with ties: docs/decisions/0045-law-of-numbers.md.
_ERROR = 0.1


def pair_law(truth: Floats, predicted: Floats, observed: float) -> Distribution:
    """Return the distribution of pairs in order minus pairs out of order."""
    total, least = truth.size, one_of_all(truth.size)
    is_tied = any(np.unique(side).size < total for side in (truth, predicted))
    if total <= FEW:
        numbers = of_all_orders(lambda orders: pairs_of(truth, predicted[orders]), total)
        return Counted(numbers, 0.5, least, complete=True)
    if not is_tied and total <= _COUNTED:
        return Inversions(total)
    curve = of_pairs(truth, predicted)
    if curve.deviation == 0:
        return Counted(np.array([observed]), 0.5, 1.0, complete=True)
    stepped = Stepped(curve, 0.5 if is_tied else 1.0)
    if total <= _SHUFFLED:
        orders = number_of_shuffles(total**2)
        numbers = of_shuffles(lambda order: pairs_of(truth, predicted[order]), total, orders)
        return Counted(numbers, 0.5, least, shape=stepped, is_known=True)
    if max(map(_largest_tie, (truth, predicted))) <= _MOST_TIED:
        return Smooth(stepped, "moments", _ERROR, least)
    numbers = of_shuffles(
        lambda orders: np.array([pairs_in_order(truth, predicted[order])[0] for order in orders]),
        total,
        number_of_shuffles(_COST * total),
    )
    return Counted(numbers, 0.5, least)


def _largest_tie(values: Floats) -> float:
    """Return the share of the most frequent value."""
    return float(np.unique(values, return_counts=True)[1].max()) / values.size


def pairs_of(truth: Floats, dealt: Floats) -> Floats:
    """Return the pairs in order minus those out of order, of predictions in some orders."""
    found = np.zeros(len(dealt))
    for row in range(1, truth.size):
        signs = np.sign(truth[row] - truth[:row])
        found += np.sign(dealt[:, row, np.newaxis] - dealt[:, :row]) @ signs
    return found


def of_pairs(truth: Floats, predicted: Floats) -> Curve:
    """Return the law of pairs in order minus pairs out of order; the variance is exact with ties.

    The kurtosis is that without ties, where the pairs out of order are a sum of independent
    numbers, each of 0, 1, … i - 1 alike.
    """
    m = float(truth.size)
    y, z = (np.unique(side, return_counts=True)[1].astype(float) for side in (truth, predicted))
    if y.size == 1 or z.size == 1:
        return Curve(0.0, 0.0)
    lost = sum(float((t * (t - 1) * (2 * t + 5)).sum()) for t in (y, z))
    two = (y * (y - 1)).sum() * (z * (z - 1)).sum() / (2 * m * (m - 1))
    three = (y * (y - 1) * (y - 2)).sum() * (z * (z - 1) * (z - 2)).sum()
    variance = (m * (m - 1) * (2 * m + 5) - lost) / 18 + two + three / (9 * m * (m - 1) * (m - 2))
    i = np.arange(2, m + 1)
    second, fourth = float((i**2 - 1).sum()) / 12, -float((i**4 - 1).sum()) / 120
    return Curve(0.0, float(np.sqrt(max(variance, 0.0))), 0.0, fourth / second**2)


@dataclass(frozen=True)
class Stepped:
    """A smooth curve through the middle of steps.

    Parameters
    ----------
    curve
        The curve.
    half
        Half a step.
    """

    curve: Curve
    half: float

    @property
    def mean(self) -> float:
        """Its mean."""
        return self.curve.mean

    @property
    def deviation(self) -> float:
        """Its standard deviation."""
        return self.curve.deviation

    def above(self, value: float) -> float:
        """Return the probability of at least a value."""
        return self.curve.above(value - self.half)

    def below(self, value: float) -> float:
        """Return the probability of at most a value."""
        return self.curve.below(value + self.half)

    def quantile(self, level: float) -> float:
        """Return the value that is exceeded with one minus this probability."""
        return self.curve.quantile(level)


class Inversions(Distribution):
    """The distribution without ties, exactly.

    Pairs out of order are a sum of independent numbers, each of 0, 1, … i - 1 alike.

    Parameters
    ----------
    total
        The number of observations.

    Examples
    --------
    >>> round(Inversions(4).above(6.0) * 24, 12), round(Inversions(4).below(-4.0) * 24, 12)
    (1.0, 4.0)
    """

    def __init__(self, total: int) -> None:
        law = np.ones(1)
        for size in range(2, total + 1):
            sums = np.cumsum(np.append(law, np.zeros(size - 1)))
            # Sums up to the middle have no cancellation to speak of; the rest is its mirror image.
            sums[size:] -= sums[:-size].copy()
            half = (sums.size + 1) // 2
            law = np.append(sums[:half], sums[: sums.size - half][::-1]) / size
        self.pairs, self.least = total * (total - 1) // 2, one_of_all(total)
        self.upto = np.minimum(np.cumsum(law), 1.0)

    @property
    def exact(self) -> bool:
        """True: every number of pairs is counted."""
        return True

    @property
    def method(self) -> str:
        """How probabilities were found."""
        return "counting"

    @property
    def error(self) -> float:
        """No error but rounding."""
        return 0.0

    def moments(self, reading: Reading) -> tuple[float, float]:
        """Return mean and variance of the scores; the mean number is 0."""
        i = np.arange(2.0, math.isqrt(2 * self.pairs) + 2)
        # Twice the variance of inversions.
        return reading.score_of(0.0), reading.slope**2 * float((i**2 - 1).sum()) / 3

    def above(self, number: float) -> float:
        """Return the probability of at least a number of pairs."""
        return self.below(-number)

    def below(self, number: float) -> float:
        """Return the probability of at most a number of pairs."""
        place = math.floor(
            (min(max(number, -2.0 * self.pairs), self.pairs) + self.pairs) / 2 + 0.25
        )
        return max(float(self.upto[place]), self.least) if place >= 0 else 0.0

    def number_at(self, level: float, *, upwards: bool) -> float:
        """Return the number up to which, from one end, there is at least a probability."""
        place = int(np.searchsorted(self.upto, level * (1 - 1e-13)))
        number = 2.0 * min(place, self.pairs) - self.pairs
        return number if upwards else -number
