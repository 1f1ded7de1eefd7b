"""Probabilities of several classes, as functions of how much their rows weigh."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from baserate.ranking.rows import RowScores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from baserate.intervals.bootstrap import Statistic
    from baserate.intervals.limits import Margin
    from baserate.probability.several.joint import JointProbabilities
    from baserate.probability.several.measures import ProbabilityMeasure
    from baserate.probability.several.observed import ClassProbabilities

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


class Probabilities:
    """The means of scoring rules, and their skills."""

    def proportion(self, measure: ProbabilityMeasure, observed: ClassProbabilities) -> None:
        """Return None: no proportion decides a score."""

    def score(self, measure: ProbabilityMeasure, observed: ClassProbabilities) -> Statistic | None:
        """Return a score; None if it is no mean over the rows."""
        return _rows(measure, observed).score() if measure.additive else None

    def margin(self, yardstick: Any, observed: ClassProbabilities) -> Margin | None:
        """Return a margin; None if the baseline is the same on all test sets."""
        measure = yardstick.measure
        return _rows(measure, observed).margin() if measure.additive else None

    def difference(
        self, measure: ProbabilityMeasure, joint: JointProbabilities
    ) -> Statistic | None:
        """Return the second score minus the first; None if they are no means over the rows."""
        if not measure.additive:
            return None
        first, second = (measure.score_or_reason(each)[0] for each in (joint.first, joint.second))

        def points(cells: Ints) -> Floats:
            return joint.points(measure.rule, 1, cells) - joint.points(measure.rule, 0, cells)

        known = joint.pairs
        cells = (known.truth, known.counts, len(known.labels))
        return RowScores(measure, second - first, points, *cells).difference()


def _rows(measure: ProbabilityMeasure, observed: ClassProbabilities) -> RowScores:
    score, _ = measure.score_or_reason(observed)
    cells = (observed.truth, observed.counts, len(observed.labels))
    return RowScores(measure, score, partial(observed.points, measure.rule), *cells)


PROBABILITIES = Probabilities()
