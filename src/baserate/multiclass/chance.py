"""A model, compared with its own predictions shuffled over the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.core.law import Tails
from baserate.exceptions import UndefinedMeasureError
from baserate.multiclass.measures.agreement import ACCURACY
from baserate.multiclass.null import null_of

if TYPE_CHECKING:
    from baserate.multiclass.matrix import ConfusionMatrix
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.null.distribution import NullDistribution


@dataclass(frozen=True, eq=False)
class ClassChance:
    """What the predictions of a model score when they are shuffled.

    Parameters
    ----------
    table
        What the model did.
    levels
        The quantiles between which chance is expected to stay, from bad to good.
    """

    table: ConfusionMatrix
    levels: tuple[float, float]

    def tails(self, measure: ClassMeasure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has none."""
        null = self._null(measure)
        if null is None or math.isnan(score):
            return Tails(math.nan, math.nan)
        return null.tails(score, measure.direction)

    def luck_interval(self, measure: ClassMeasure) -> tuple[float, float]:
        """Return between which scores chance stays; nan where it has none."""
        null = self._null(measure)
        if null is None:
            return math.nan, math.nan
        low, high = self.levels
        is_maximized = measure.direction is Direction.MAXIMIZE
        levels = (low, high) if is_maximized else (1 - high, 1 - low)
        return null.ppf(levels[0]), null.ppf(levels[1])

    def is_exact(self, measure: ClassMeasure) -> bool:
        """Return whether these chances are exact."""
        null = self._null(measure)
        return null is None or null.exact

    def _null(self, measure: ClassMeasure) -> NullDistribution | None:
        margins = self.table.true_counts.tolist(), self.table.predicted_counts.tolist()
        try:
            return null_of(measure, *margins)
        except UndefinedMeasureError:
            return None


def shared_tails(table: ConfusionMatrix) -> Tails:
    """Return the chances of as many right answers, and of as few: many measures share them."""
    score, _ = ACCURACY.score_or_reason(table)
    return ClassChance(table, (0.025, 0.975)).tails(ACCURACY, score)
