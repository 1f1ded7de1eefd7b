"""A measure of labels, of the labels that scores give at a threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from baserate.binary.paired.joint import Answers, JointTable
from baserate.ranking.measures.of_scores import OfScores

if TYPE_CHECKING:
    from baserate.binary.measures.record import Measure
    from baserate.ranking.joint import JointScores
    from baserate.ranking.scores import Scores


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CutMeasure(OfScores):
    """A measure of the labels that scores give at a threshold.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy
        As of the measure of labels.
    of
        The measure of labels.
    threshold
        The lowest score that is predicted positive.
    """

    of: Measure
    threshold: float

    monotone = False

    @classmethod
    def at(cls, measure: Measure, threshold: float) -> CutMeasure:
        """Return a measure of labels at a threshold."""
        return _made(measure, threshold)

    def score(self, table: Scores, undefined: float = math.nan) -> float:
        """Score the labels at the threshold."""
        return self.of.score(table.table(self.threshold), undefined)

    def score_or_reason(self, observed: Scores) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        return self.of.score_or_reason(observed.table(self.threshold))

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""
        self.of.require_baseline()

    def joint(self, joint: JointScores) -> JointTable:
        """Return the labels that two models give at the threshold."""
        positives, negatives = zip(*joint.labels(self.threshold), strict=True)
        return JointTable(Answers(*positives), Answers(*negatives))


@lru_cache(maxsize=256)
def _made(measure: Measure, threshold: float) -> CutMeasure:
    remedy = "its threshold may be wrong for this measure"
    return CutMeasure(**(measure.declared | {"remedy": remedy}), of=measure, threshold=threshold)
