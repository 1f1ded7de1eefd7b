"""Two models that are swapped row by row, by a measure of scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.ranking.swapped.flips import flip_test
from baserate.ranking.swapped.marks import Marks, Swaps

if TYPE_CHECKING:
    from baserate.ranking.joint import JointScores
    from baserate.ranking.measures.record import ScoreMeasure


def swap_test(measure: ScoreMeasure, joint: JointScores) -> tuple[float, bool]:
    """Return the two-sided p-value of swapping the models row by row, and whether it is exact.

    It is the chance that scores differ at least as much, in either direction, if it is left to a
    coin which of two models said what. Where the score is a mean over the rows, probabilities are
    swapped, and the sum of differences with random signs is all that matters. Rankings may be on
    two scales, so that ranks are swapped. Swaps that tie with what was observed count, and so do
    swaps without a score.

    Parameters
    ----------
    measure
        The measure.
    joint
        What both models did.

    Examples
    --------
    >>> from baserate.ranking.joint import JointScores
    >>> from baserate.ranking.measures.area import AUC
    >>> truth = np.array([True, True, True, False, False, False])
    >>> good, bad = np.arange(6.0)[::-1], np.arange(6.0)
    >>> swap_test(AUC, JointScores.of_rows(truth, bad, good, None))
    (0.03125, True)
    """
    if math.isnan(_gain(measure, joint)):
        return math.nan, True
    points = measure.points
    if points is None:
        return Swaps(measure, Marks.of(joint, only_order=not measure.probabilities)).test()
    first, second = points(joint.first_scores), points(joint.second_scores)
    differences = np.concatenate([second[0] - first[0], second[1] - first[1]])
    return flip_test(differences, np.concatenate([joint.positives, joint.negatives]))


def _gain(measure: ScoreMeasure, joint: JointScores) -> float:
    """Return the second score minus the first; nan if one is missing."""
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    return math.nan if reason or other_reason else second - first
