"""What the task of scores asks of its measures: of scores, and of labels at a threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass

from baserate.core.measure import AnyMeasure
from baserate.ranking.scores import Scores


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OfScores(AnyMeasure[Scores]):
    """A measure that the scores of a model have, in whatever way."""

    def score_error(self, observed: Scores) -> float:
        """Return how far the score may be from that of the rows, if scores were put in bins.

        It holds for measures that improve if a positive moves up or a negative moves down.
        """
        if observed.exact:
            return 0.0
        score, reason = self.score_or_reason(observed)
        if reason:
            return math.nan
        low, high = observed.bounds(lambda each: self.score_or_reason(each)[0])
        return max(high - score, score - low)
