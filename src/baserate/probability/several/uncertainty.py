"""How sure a score and its margin are, over test sets like the one that was observed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.probability.several.means import limits_of_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.class_counts import ClassCounts
    from baserate.probability.rules import Rule
    from baserate.probability.several.measures import ProbabilityMeasure
    from baserate.probability.several.observed import ClassProbabilities
    from baserate.ranking.optimum import ScoreYardstick

    Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ProbabilityUncertainty:
    """The limits of scores and margins over test sets like this one.

    Parameters
    ----------
    observed
        What the model did.
    alpha
        How often a pair of limits may be wrong.

    Examples
    --------
    >>> from baserate.probability.several.catalogue import get_probability_measure
    >>> from baserate.probability.several.observed import ClassProbabilities
    >>> rows = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]] * 20
    >>> observed = ClassProbabilities.of(["a", "b", "c"] * 20, rows)
    >>> known = ProbabilityUncertainty(observed, alpha=0.05)
    >>> [round(limit, 3) for limit in known.score(get_probability_measure("Brier"))]
    [0.199, 0.282]
    """

    observed: ClassProbabilities
    alpha: float

    def score(self, measure: ProbabilityMeasure) -> tuple[float, float]:
        """Return the limits of the score."""
        if not measure.additive or measure.missing(self.observed.test_set):
            return math.nan, math.nan
        slope, intercept = measure.affine(self.observed.test_set)
        if measure.relative:
            return self._limits(measure, slope * self._residuals(measure) + intercept)
        return self._limits(measure, self._points(measure))

    def margin(self, yardstick: ScoreYardstick) -> tuple[float, float]:
        """Return the limits of how much better the score is than the class shares for everyone.

        The shares are those of a sample too. What an observation adds to their score is its
        derivative, so the margin is a mean over the observations, up to a term of the order 1/M by
        which the class shares of a sample look better than they are: on the safe side.
        """
        measure = yardstick.measure
        if measure.relative or not measure.additive:
            return self.score(measure)
        test_set = self.observed.test_set
        sign = 1 if measure.direction is Direction.MAXIMIZE else -1
        gains = self._points(measure) - influences(measure.rule, test_set)
        low, high = self._limits(measure, sign * gains)
        score, best = measure.score_or_reason(self.observed)[0], yardstick.scale.best
        margin = yardstick.scale.advantage(score, best)
        return min(low, margin), max(high, margin)

    def _points(self, measure: ProbabilityMeasure) -> Floats:
        return measure.rule.points(self.observed.rows.astype(float), self.observed.smallest)

    def _residuals(self, measure: ProbabilityMeasure) -> Floats:
        """Return what each row has for each class, beside as much of the class shares' loss."""
        test_set, points = self.observed.test_set, self._points(measure)
        free = measure.free(test_set)
        mean = float(self.observed.counts @ self._of_cells(points)) / self.observed.total
        return points - mean / free * (influences(measure.rule, test_set) - free)

    def _of_cells(self, table: Floats) -> Floats:
        return np.asarray(table[self.observed.given, self.observed.truth])

    def _limits(self, measure: ProbabilityMeasure, table: Floats) -> tuple[float, float]:
        """Return the limits of the mean of a table with a number for each row and class."""
        may_be = possible(measure.rule, self._points(measure), self.observed)
        cells = self._of_cells(table)
        return limits_of_mean(cells, self.observed.counts, ends(table, may_be), self.alpha)


def ends(table: Floats, may_be: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the lowest and the highest number of a table, of those that may be."""
    low = np.min(table, where=may_be, initial=math.inf)
    return float(low), float(np.max(table, where=may_be, initial=-math.inf))


def influences(rule: Rule, test_set: ClassCounts) -> Floats:
    """Return what an observation of each class adds to the score of the class shares.

    Their mean over the observations is that score. If a rule is proper, they are the points of the
    class shares: another constant that is a little better for other shares gains nothing here.
    """
    shares = test_set.array / test_set.total
    return np.asarray(rule.points(shares[np.newaxis], 1e-300)[0])


def possible(rule: Rule, points: Floats, observed: ClassProbabilities) -> NDArray[np.bool_]:
    """Return which points one more observation may have: the same rows, with a class that occurs.

    No sample excludes an infinite loss, as log loss may be. A probability below 1 in M + 1 cannot
    be told from one in M + 1, so larger losses count only if they were observed.
    """
    met = np.broadcast_to(observed.true_counts > 0, points.shape)
    if math.isfinite(rule.codomain.upper):
        return met
    worst = float(points[observed.given, observed.truth].max())
    least = np.array([[1.0, observed.total]]) / (observed.total + 1)
    told = float(rule.points(least, observed.smallest)[0, 0])
    return np.asarray(met & (points <= max(worst, told)))
