"""How sure a weighted score and its margin are, over test sets like the one that was observed.

Observations with their weights are a sample. Each counts a gamma variable times its weight (a
Bayesian bootstrap), and one more is spare, which goes to whichever cell makes a number worst for
the lower limit, or best for the upper one, as everywhere in this library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.borrowed import BorrowedYardstick
from baserate.binary.task import BINARY
from baserate.core.confidence import around, limits
from baserate.core.direction import Direction
from baserate.weighted.classed import classed
from baserate.weighted.plausible import Plausible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.weighted.labels import WeightedLabels
    from baserate.weighted.measures import WeightedMeasure
    from baserate.weighted.optimum import WeightedBaseline
    from baserate.weighted.yardstick import WeightedYardstick

    Floats = NDArray[np.float64]
    Cells = tuple[Floats, Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class WeightedUncertainty:
    """The limits of weighted scores and margins over test sets like this one.

    Parameters
    ----------
    labels
        What was observed.
    alpha
        How often a pair of limits may be wrong.
    """

    labels: WeightedLabels
    alpha: float

    def score(self, measure: WeightedMeasure) -> tuple[float, float]:
        """Return the limits of a score; nan if it has no value here."""
        plain = classed(measure, self.labels.test_set)
        if plain is not None:
            return BINARY.uncertainty(self.labels.table, self.alpha).score(plain)
        score, reason = measure.score_or_reason(self.labels)
        if reason:
            return math.nan, math.nan
        return around(score, limits(self._scores(measure), self.alpha))

    def margin(self, yardstick: BorrowedYardstick | WeightedYardstick) -> tuple[float, float]:
        """Return the limits of how much better a score is than the baseline; nan if it has none.

        A claim against the best of several draws is a claim against each of them, so each is
        compared, and the smallest limits count.
        """
        if isinstance(yardstick, BorrowedYardstick):
            return BINARY.uncertainty(self.labels.table, self.alpha).margin(yardstick.scaler)
        measure, scale = yardstick.measure, yardstick.scale
        score, reason = measure.score_or_reason(self.labels)
        if reason:
            return math.nan, math.nan
        scores = self._scores(measure)
        sign = 1 if measure.direction is Direction.MAXIMIZE else -1
        found = [
            limits(sign * (scores - reference), self.alpha)
            for reference in self._references(yardstick.base)
        ]
        slack = scale.slack(score, scale.best)
        ends = map(min, zip(*found, strict=True))
        low, high = (0.0 if abs(end) <= slack else end for end in ends)
        return around(scale.advantage(score, scale.best), (low, high))

    @cached_property
    def _plausible(self) -> Plausible:
        labels = self.labels
        counts = (labels.tp, labels.fp, labels.fn, labels.tn)
        return Plausible.of(labels.weights, counts, self.alpha)

    def _cells(self, measure: WeightedMeasure) -> Cells:
        """Return weighted counts that could well have given these, in the unit of a measure."""
        tp, fp, fn, tn = self._plausible.cells * measure.unit(self.labels.test_set)
        return tp, fp, fn, tn

    def _scores(self, measure: WeightedMeasure) -> Floats:
        return measure.scores(*self._cells(measure))

    def _references(self, base: WeightedBaseline) -> list[Floats]:
        """Return what the best draws expect on those test sets."""
        found = [self._reference(base, drawn) for drawn in _candidates(base)]
        known = [each for each in found if not np.isnan(each).all()]
        return known or found[-1:]

    def _reference(self, base: WeightedBaseline, drawn: int) -> Floats:
        """Return what a draw expects: its score at the expected weights.

        The expected score is another one, by how much the draws vary; so it is on this test set,
        and about as much on others.
        """
        share = drawn / base.test_set.total
        tp, fp, fn, tn = self._cells(base.measure)
        found = _expected(base.measure, tp + fn, fp + tn, share)
        is_best = any(drawn in part for part in base.best.theta_stars.counts)
        if share in (0, 1) or not is_best:
            return found
        prepared = base.measure.on(base.test_set)
        weights = np.array([prepared.positive_weight]), np.array([prepared.negative_weight])
        return found + (base.best.value - _expected(base.measure, *weights, share))


def _expected(measure: WeightedMeasure, positive: Floats, negative: Floats, share: float) -> Floats:
    """Return the score at the expected weights of a draw."""
    left = 1 - share
    return measure.scores(share * positive, share * negative, left * positive, left * negative)


def _candidates(base: WeightedBaseline) -> list[int]:
    """Return the draws that may be the best on test sets like this one.

    They are the constant ones and the best draw. If all tie, one of them will do.
    """
    best = base.best.theta_stars.counts
    allowed = base.measure.of.allowed(base.test_set.rate)
    if base.max.value == base.min.value:
        return [best[0][0]]
    ends = [end for end in (0, base.test_set.total) if end in allowed]
    is_constant = any(end in part for part in best for end in ends)
    return ends if is_constant else [*ends, best[0][0]]
