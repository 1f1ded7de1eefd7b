"""What the predictions of a model score when they are dealt at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.law import Tails
from baserate.regression.measures.errors import RMSE

if TYPE_CHECKING:
    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure


@dataclass(frozen=True, eq=False)
class NumberChance:
    """What the predictions of a model score when they are dealt at random.

    Parameters
    ----------
    fit
        What the model did.
    levels
        The quantiles between which luck is expected to stay, from bad to good.
    """

    fit: Fit
    levels: tuple[float, float]

    def tails(self, measure: NumberMeasure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan if there is no score."""
        if math.isnan(score) or not self._has_score(measure):
            return Tails(math.nan, math.nan)
        return measure.tails(self.fit, score)

    def luck_interval(self, measure: NumberMeasure) -> tuple[float, float]:
        """Return between which scores luck stays; nan if there is no score."""
        if not self._has_score(measure):
            return math.nan, math.nan
        return measure.luck(self.fit, self.levels)

    def is_exact(self, measure: NumberMeasure) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""
        return not self._has_score(measure) or measure.is_exact(self.fit)

    def _has_score(self, measure: NumberMeasure) -> bool:
        return not measure.score_or_reason(self.fit)[1]


def shared_tails(fit: Fit) -> Tails:
    """Return the chances of as high a correlation, and of as low a one.

    They are read from RMSE, which has a score where all numbers of a side are the same, too: every
    order has it then, and both chances are 1.
    """
    score, reason = RMSE.score_or_reason(fit)
    return Tails(math.nan, math.nan) if reason else RMSE.tails(fit, score)
