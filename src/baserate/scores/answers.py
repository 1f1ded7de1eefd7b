"""What the task of scores knows of one model, and of two: its measures say the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.binary.task import BINARY
from baserate.intervals.limits import DifferenceLimits, Uncertainty
from baserate.ranking.intervals import RANKINGS
from baserate.scores.cut import CutMeasure

if TYPE_CHECKING:
    from baserate.core.confidence import Limits
    from baserate.core.law import Tails
    from baserate.core.paired import SwapTest
    from baserate.ranking.joint import JointScores
    from baserate.ranking.measures.of_scores import OfScores
    from baserate.ranking.scores import Scores


@dataclass(frozen=True, eq=False)
class ScoreChance:
    """What the scores of a model have when they are dealt at random.

    Parameters
    ----------
    scores
        What the model did.
    levels
        The quantiles between which luck is expected to stay, from bad to good.
    """

    scores: Scores
    levels: tuple[float, float]

    def tails(self, measure: OfScores, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad."""
        return measure.tails(self.scores, score)

    def luck_interval(self, measure: OfScores) -> tuple[float, float]:
        """Return between which scores luck stays."""
        return measure.luck(self.scores, self.levels)

    def is_exact(self, measure: OfScores) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""
        return measure.is_exact(self.scores)


@dataclass(frozen=True, eq=False)
class ScoreUncertainty:
    """The limits of scores and margins over test sets like this one.

    Parameters
    ----------
    scores
        What was observed.
    alpha
        How often a pair of limits may be wrong.
    """

    scores: Scores
    alpha: float

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
        return Uncertainty(RANKINGS, self.scores, self.alpha)

    def _labels(self, measure: CutMeasure) -> Uncertainty:
        return BINARY.uncertainty(self.scores.table(measure.threshold), self.alpha)


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Two models on the same observations.

    Parameters
    ----------
    joint
        What both did.
    alpha
        How often a pair of limits may be wrong.
    """

    joint: JointScores
    alpha: float

    def limits(self, measure: OfScores) -> Limits:
        """Return the limits of the second score minus the first."""
        if isinstance(measure, CutMeasure):
            return BINARY.paired(measure.joint(self.joint), self.alpha).limits(measure.of)
        return DifferenceLimits(RANKINGS, self.joint, self.alpha).difference(measure)

    def swap_test(self, measure: OfScores) -> SwapTest:
        """Return the p-value of swapping the models row by row."""
        return measure.swap_test(self.joint)
