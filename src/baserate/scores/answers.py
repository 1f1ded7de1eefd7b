"""What the task of scores knows of one model, and of two: its measures say the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.binary.intervals import TWO_CLASSES
from baserate.binary.paired.swaps import swap_test as swap_labels
from baserate.intervals.limits import DifferenceLimits, Uncertainty
from baserate.ranking.intervals import RANKINGS
from baserate.ranking.swaps import swap_test
from baserate.scores.cut import CutMeasure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.confidence import Limits
    from baserate.core.paired import SwapTest
    from baserate.ranking.joint import JointScores
    from baserate.ranking.measures.of_scores import OfScores
    from baserate.ranking.scores import Scores


@dataclass(frozen=True, eq=False)
class ScoreUncertainty:
    """The limits of scores and margins over test sets like this one.

    Parameters
    ----------
    scores
        What was observed.
    alpha
        How often a pair of limits may be wrong.
    clusters
        The same of each cluster of rows; none if rows are independent.
    """

    scores: Scores
    alpha: float
    clusters: Sequence[Scores] = ()

    def score(self, measure: OfScores) -> Limits:
        """Return the limits of the score."""
        if isinstance(measure, CutMeasure):
            return self._labels(measure).score(measure.of)
        return self._known.score(measure)

    def margin(self, yardstick: Any) -> Limits:
        """Return the limits of how much better it is than the baseline."""
        if isinstance(yardstick.measure, CutMeasure):
            return self._labels(yardstick.measure).margin(yardstick.scaler)
        return self._known.margin(yardstick)

    @cached_property
    def _known(self) -> Uncertainty:
        return Uncertainty(RANKINGS, self.scores, self.alpha, self.clusters)

    def _labels(self, measure: CutMeasure) -> Uncertainty:
        table, *clusters = (each.table(measure.threshold) for each in (self.scores, *self.clusters))
        return Uncertainty(TWO_CLASSES, table, self.alpha, clusters)


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Two models on the same observations.

    Parameters
    ----------
    joint
        What both did.
    alpha
        How often a pair of limits may be wrong.
    clusters
        The same on each cluster of rows; none if rows are independent.
    """

    joint: JointScores
    alpha: float
    clusters: Sequence[JointScores] = ()

    def limits(self, measure: OfScores) -> Limits:
        """Return the limits of the second score minus the first."""
        if isinstance(measure, CutMeasure):
            joint, *clusters = map(measure.joint, (self.joint, *self.clusters))
            return DifferenceLimits(TWO_CLASSES, joint, self.alpha, clusters).difference(measure.of)
        known = DifferenceLimits(RANKINGS, self.joint, self.alpha, self.clusters)
        return known.difference(measure)

    def swap_test(self, measure: Any) -> SwapTest:
        """Return the p-value of swapping the models row by row."""
        if isinstance(measure, CutMeasure):
            joint, *clusters = map(measure.joint, (self.joint, *self.clusters))
            return swap_labels(measure.of, joint, clusters)
        return swap_test(measure, self.joint, self.clusters)
