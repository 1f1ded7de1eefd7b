"""How sure a score and its margin are, over test sets like the one that was observed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baserate.ranking.measures.record import ScoreMeasure
    from baserate.ranking.optimum import ScoreYardstick
    from baserate.ranking.scores import Scores


def limits_of_score(measure: ScoreMeasure, observed: Scores, alpha: float) -> tuple[float, float]:
    """Return the limits of a score."""
    return math.nan, math.nan


def limits_of_margin(
    measure: ScoreMeasure, observed: Scores, yardstick: ScoreYardstick, alpha: float
) -> tuple[float, float]:
    """Return the limits of how much better a score is than the baseline."""
    return math.nan, math.nan
