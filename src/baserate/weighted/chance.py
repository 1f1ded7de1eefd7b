"""Could it be luck? A model, compared with draws of as many positive predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.binary.measures.agreement import J
from baserate.binary.task import BINARY
from baserate.core.direction import Direction
from baserate.core.law import Tails
from baserate.exceptions import UndefinedMeasureError
from baserate.weighted.classed import classed
from baserate.weighted.law.score_law import law_of
from baserate.weighted.measures import WeightedMeasure

if TYPE_CHECKING:
    from baserate.null.distribution import NullDistribution
    from baserate.weighted.labels import WeightedLabels


@dataclass(frozen=True, eq=False)
class WeightedChance:
    """What the positive predictions of a model score when they are dealt at random.

    Parameters
    ----------
    labels
        What the model did.
    levels
        The quantiles between which luck is expected to stay, from bad to good.
    """

    labels: WeightedLabels
    levels: tuple[float, float] = (0.025, 0.975)

    def tails(self, measure: WeightedMeasure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where there is none."""
        if math.isnan(score):
            return Tails(math.nan, math.nan)
        plain = classed(measure, self.labels.test_set)
        if plain is not None and plain.monotone:
            return BINARY.tails([self.labels.table])[0]
        if plain is not None:
            return BINARY.nulls([self.labels.table], self.levels)[0].tails(plain, score)
        law = self._law(measure)
        return Tails(math.nan, math.nan) if law is None else law.tails(score, measure.direction)

    def luck_interval(self, measure: WeightedMeasure) -> tuple[float, float]:
        """Return between which scores luck stays; nan where it has no law."""
        plain = classed(measure, self.labels.test_set)
        if plain is not None:
            return BINARY.nulls([self.labels.table], self.levels)[0].luck_interval(plain)
        law = self._law(measure)
        if law is None:
            return math.nan, math.nan
        low, high = self.levels
        if measure.direction is Direction.MINIMIZE:
            low, high = 1 - high, 1 - low
        return law.ppf(low), law.ppf(high)

    def is_exact(self, measure: WeightedMeasure) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""
        if self.labels.test_set.class_weights is not None:
            return True
        law = self._law(measure)
        return law is None or law.exact

    def _law(self, measure: WeightedMeasure) -> NullDistribution | None:
        """Return the law of a score; None if there is none."""
        try:
            drawn = self.labels.table.predicted_positives
            return law_of(measure, self.labels.test_set, drawn)
        except UndefinedMeasureError:
            return None


def shared_tails(labels: WeightedLabels) -> Tails:
    """Return the chances of as much weighted informedness as a model has, and of as little.

    With one class every draw has the same.
    """
    measure = WeightedMeasure.by(J)
    score, reason = measure.score_or_reason(labels)
    return Tails(1.0, 1.0) if reason else WeightedChance(labels).tails(measure, score)
