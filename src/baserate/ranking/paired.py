"""How much two models differ by a measure of scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baserate.ranking.joint import JointScores
    from baserate.ranking.measures.record import ScoreMeasure


def limits_of_difference(
    measure: ScoreMeasure, joint: JointScores, alpha: float
) -> tuple[float, float]:
    """Return the limits of the second score minus the first."""
    return math.nan, math.nan


def swap_test(measure: ScoreMeasure, joint: JointScores) -> tuple[float, bool]:
    """Return the p-value of swapping the models row by row, and whether it is exact."""
    return math.nan, True
