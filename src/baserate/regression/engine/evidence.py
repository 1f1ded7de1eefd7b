"""Chance of rows that stayed in an engine: from a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.core.law import Tails
from baserate.task import Chance

if TYPE_CHECKING:
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.summary import FitSummary
    from baserate.task import Task


@dataclass(frozen=True, eq=False)
class SampleChance:
    """What the predictions of a sample score when they are shuffled.

    A random sample of rows is a test set of its own, so its p-value is a valid one. Of all rows it
    would be lower, unless the model learned nothing.
    """

    task: Task[Any]
    summary: FitSummary
    levels: tuple[float, float]

    @property
    def _of_sample(self) -> Chance:
        return Chance(self.task, self.summary.sample, self.levels)

    def tails(self, measure: NumberMeasure, score: float) -> Tails:
        """Return the chance of a score as good as that of the sample, and of one as bad."""
        if math.isnan(score):
            return Tails(math.nan, math.nan)
        return self._of_sample.tails(measure, measure.score_or_reason(self.summary.sample)[0])

    def luck_interval(self, measure: NumberMeasure) -> tuple[float, float]:
        """Return between which scores chance stays, with as many rows as the sample has."""
        return self._of_sample.luck_interval(measure)

    def is_exact(self, measure: NumberMeasure) -> bool:
        """Return whether these chances are those of all rows: only if there is no score."""
        return bool(measure.score_or_reason(self.summary)[1])
