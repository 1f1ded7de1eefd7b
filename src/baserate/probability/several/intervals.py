"""Probabilities of several classes, as functions of how much their rows weigh."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.clusters import cells_of
from baserate.ranking.rows import RowScores

if TYPE_CHECKING:
    from collections.abc import Sequence

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

        def of_clusters(clusters: Sequence[JointProbabilities]) -> tuple[Any, ...]:
            gains = [
                each.points(measure.rule, 1) - each.points(measure.rule, 0) for each in clusters
            ]
            return _cells(gains, [each.pairs for each in clusters])

        known = joint.pairs
        cells = (known.truth, known.counts, len(known.labels))
        return RowScores(measure, second - first, points, *cells, of_clusters).difference()

    def contributions(
        self, observed: ClassProbabilities, clusters: Sequence[ClassProbabilities]
    ) -> Floats:
        """Return what each cluster adds to the association.

        It is the logarithm of the probability of the true class, doubly centred: less what these
        probabilities have for any class, and less what that class has for any probabilities.
        """
        shares = observed.true_counts / observed.total
        logs = _logs(observed)
        means = observed.sizes @ logs / observed.total
        found = []
        for each in clusters:
            logs = _logs(each)
            centred = logs - means - ((logs - means) @ shares)[:, np.newaxis]
            found.append(float(each.counts @ centred[each.given, each.truth]))
        return np.array(found)


def _rows(measure: ProbabilityMeasure, observed: ClassProbabilities) -> RowScores:
    score, _ = measure.score_or_reason(observed)
    cells = (observed.truth, observed.counts, len(observed.labels))

    def of_clusters(clusters: Sequence[ClassProbabilities]) -> tuple[Any, ...]:
        return _cells([each.points(measure.rule) for each in clusters], clusters)

    points = partial(observed.points, measure.rule)
    return RowScores(measure, score, points, *cells, of_clusters)


def _cells(points: Sequence[Floats], clusters: Sequence[ClassProbabilities]) -> tuple[Any, ...]:
    """Return the points, the class, the number of rows and the cluster of all cells."""
    (truth, counts), codes = cells_of(clusters, ("truth", "counts"))
    return np.concatenate(points), truth, counts, codes


def _logs(observed: ClassProbabilities) -> Floats:
    return np.asarray(np.log(np.maximum(observed.rows.astype(float), observed.smallest)))


PROBABILITIES = Probabilities()
