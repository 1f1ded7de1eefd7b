"""How scores of class scores vary over test sets, and what swaps change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.clusters import summed
from baserate.core.measure import Rule
from baserate.core.observed import UNDEFINED
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Asks, PairedModels, Proportion, Uncertainty
from baserate.kinds.class_scores.areas import Areas, Placements, placements, swapped_areas
from baserate.kinds.class_scores.measures import MeanOf, OfLabels
from baserate.kinds.class_scores.observed import joined
from baserate.kinds.classes.intervals import CLASSES
from baserate.kinds.classes.task import MULTICLASS
from baserate.kinds.scores.intervals import RowScores
from baserate.paired import flip_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.multiple_testing import Limits
    from baserate.core.observed import SwapTest
    from baserate.intervals.limits import Asking, Margin
    from baserate.kinds.class_scores.measures import ClassScoreMeasure
    from baserate.kinds.class_scores.observed import ClassProbabilities, JointProbabilities

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


# The most numbers of a matrix without gaps.
_DENSE = 2**20


class ClassScoreIntervals:
    """Class scores, as functions of how much their rows weigh: means, and averages of areas."""

    def proportion(
        self, measure: ClassScoreMeasure, observed: ClassProbabilities
    ) -> Proportion | None:
        """Return the share of hits of top-k accuracy; no proportion decides other scores."""
        form = measure.form
        if not isinstance(form, MeanOf) or form.highest is None:
            return None
        hits = int(observed.counts @ (observed.points(form.rule) > 0))
        return Proportion(hits, observed.total - hits, lambda share: share)

    def score(self, measure: ClassScoreMeasure, observed: ClassProbabilities) -> Statistic | None:
        """Return a score; None for the calibration error, which is not known to vary."""
        if isinstance(measure.form, Areas):
            return _area(measure, measure.form, observed)
        return _rows(measure, observed).score() if isinstance(measure.form, MeanOf) else None

    def margin(self, baseline: Baseline, observed: ClassProbabilities) -> Margin | None:
        """Return a margin; None if the baseline is the same on all test sets."""
        measure = baseline.measure
        return _rows(measure, observed).margin() if isinstance(measure.form, MeanOf) else None

    def difference(self, measure: ClassScoreMeasure, joint: JointProbabilities) -> Statistic | None:
        """Return the second score minus the first; None if it is not known how they vary."""
        form = measure.form
        if isinstance(form, Areas):
            return _difference_of_areas(form, joint)
        if not isinstance(form, MeanOf):
            return None
        first, second = (measure.score_or_reason(each)[0] for each in (joint.first, joint.second))
        one, other = joint.sides
        known = joint.pairs

        def points(cells: Ints) -> Floats:
            return other.points(form.rule, cells) - one.points(form.rule, cells)

        def of_clusters(clusters: Sequence[JointProbabilities]) -> tuple[Any, ...]:
            (one, codes), (other, _) = _joined_sides(clusters)
            gains = other.points(form.rule) - one.points(form.rule)
            return gains, one.truth, one.counts, codes

        cells = (known.truth, known.counts, len(known.labels))
        return RowScores(measure, second - first, points, *cells, of_clusters).difference()


def _rows(measure: ClassScoreMeasure, observed: ClassProbabilities) -> RowScores:
    score, _ = measure.score_or_reason(observed)
    cells = (observed.truth, observed.counts, len(observed.labels))

    def of_clusters(clusters: Sequence[ClassProbabilities]) -> tuple[Any, ...]:
        parts, codes = joined(clusters)
        return parts.points(measure.rule), parts.truth, parts.counts, codes

    points = partial(observed.points, measure.rule)
    return RowScores(measure, score, points, *cells, of_clusters)


def _area(measure: ClassScoreMeasure, form: Areas, observed: ClassProbabilities) -> Statistic:
    """Return an average of areas, as a sum of means of classes."""
    known = placements(form, observed)
    classes = np.arange(known.n.size)
    return _of_classes(
        form.score(observed),
        [known],
        [(observed, observed.truth)],
        lambda clusters: [joined(clusters)],
        rule=measure.interval,
        spares=np.concatenate([_columns(each, classes, classes.size) for each in known.ends]),
        ends=(0.0, 1.0),
    )


def _difference_of_areas(form: Areas, joint: JointProbabilities) -> Statistic:
    """Return the difference of two averages of areas (DeLong, DeLong and Clarke-Pearson 1988)."""
    first, second = (form.score(each) for each in joint.sides)
    return _of_classes(
        second - first,
        [placements(form, each) for each in joint.sides],
        [(each, each.truth) for each in joint.sides],
        _joined_sides,
        rule=Rule.SEEN,
        ends=(-1.0, 1.0),
    )


def _of_classes(
    exact: float,
    known: Sequence[Placements],
    cells: Sequence[tuple[ClassProbabilities, Ints]],
    of_clusters: Callable[[Sequence[Any]], Sequence[tuple[ClassProbabilities, Ints]]],
    **how: Any,
) -> Statistic:
    """Return a number that depends on the mean of each class, and on how often it occurs.

    Parameters
    ----------
    exact
        The number.
    known
        Where rows stand by the scores of one model, or of two: then it is the second's less the
        first's.
    cells, of_clusters
        The cells of each model, and those of clusters with whose they are.
    """
    n, slopes = known[0].n, _less([each.slopes for each in known])

    def columns(parts: Sequence[tuple[ClassProbabilities, Ints]]) -> Any:
        residuals = [each.residuals(part) for each, (part, _) in zip(known, parts, strict=True)]
        return _columns(_less(residuals), parts[0][0].truth, n.size)

    def of(sums: Floats) -> Floats:
        added, counts = sums[..., : n.size], sums[..., n.size :]
        means = np.divide(added, counts, out=np.zeros_like(added), where=counts > 0)
        return np.asarray(exact + means.sum(axis=-1) + (counts - n) @ slopes)

    def sums(clusters: Sequence[Any]) -> tuple[Any, Floats]:
        parts = of_clusters(clusters)
        return summed(parts[0][1], parts[0][0].counts, columns(parts))

    rows = cells[0][0].counts.astype(float)
    return Statistic(of, rows, columns=columns(cells), of_clusters=sums, **how)


def _less(numbers: Sequence[Floats]) -> Floats:
    """Return the numbers of one model, or a second's less a first's."""
    return numbers[-1] - numbers[0] if len(numbers) > 1 else numbers[0]


def _columns(added: Floats, truth: Ints, classes: int) -> Any:
    """Return what rows add to the sum and to the count of their class."""
    shape, rows = (truth.size, 2 * classes), np.arange(truth.size)
    if shape[0] * shape[1] > _DENSE:
        from scipy.sparse import csr_array

        numbers, places = np.append(added, np.ones(truth.size)), np.append(truth, classes + truth)
        return csr_array((numbers, (np.tile(rows, 2), places)), shape=shape)
    found = np.zeros(shape)
    found[rows, truth] = added
    found[rows, classes + truth] = 1.0
    return found


def _joined_sides(
    clusters: Sequence[JointProbabilities],
) -> list[tuple[ClassProbabilities, Ints]]:
    return [joined([each.sides[model] for each in clusters]) for model in (0, 1)]


CLASS_SCORES = ClassScoreIntervals()


@dataclass(frozen=True, eq=False)
class ClassScoreUncertainty(Asks):
    """The confidence intervals of scores and margins; of labels, those of their matrix."""

    observed: ClassProbabilities
    alpha: float
    clusters: Sequence[ClassProbabilities] = ()

    def asked_score(self, measure: ClassScoreMeasure) -> Asking[Limits]:
        """Ask for the interval of the score."""
        if isinstance(measure.form, OfLabels):
            return self._labels.asked_score(measure.form.measure)
        return self._known.asked_score(measure)

    def asked_margin(self, measure: Any, baseline: Baseline) -> Asking[Limits]:
        """Ask for the interval of how much better it is than the baseline."""
        known = self._labels if isinstance(measure.form, OfLabels) else self._known
        return known.asked_margin(baseline.measure, baseline)

    @cached_property
    def _known(self) -> Uncertainty:
        return Uncertainty(CLASS_SCORES, self.observed, self.alpha, self.clusters)

    @cached_property
    def _labels(self) -> Uncertainty:
        table, *clusters = _matrices((self.observed, *self.clusters))
        return Uncertainty(CLASSES, table, self.alpha, clusters)


@dataclass(frozen=True, eq=False)
class PairedClassScores:
    """Two models on the same observations."""

    joint: JointProbabilities
    alpha: float
    clusters: Sequence[JointProbabilities] = ()

    def limits(self, measure: ClassScoreMeasure) -> Limits:
        """Return the interval of the second score minus the first."""
        if isinstance(measure.form, OfLabels):
            return self._labels.limits(measure.form.measure)
        return PairedModels(CLASS_SCORES, self.joint, self.alpha, self.clusters).limits(measure)

    def swap_test(self, measure: ClassScoreMeasure) -> SwapTest:
        """Return the p-value of swapping what the models say of a row, or of a cluster.

        Differences are sums over the rows, of what a rule gives to them or of what swapping them
        does to areas. Swaps turn their signs.
        """
        form, joint = measure.form, self.joint
        if isinstance(form, OfLabels):
            return self._labels.swap_test(form.measure)
        if measure.missing(joint.pairs.test_set) or not isinstance(form, MeanOf | Areas):
            return UNDEFINED
        sides, codes = joint.sides, None
        if self.clusters:
            (one, codes), (other, _) = _joined_sides(self.clusters)
            sides = one, other
        if isinstance(form, MeanOf):
            first, second = (each.points(form.rule) for each in sides)
            found = second - first
        else:
            found = swapped_areas(form, joint.sides, sides)
        return flip_test(found, sides[0].counts, codes)

    @cached_property
    def _labels(self) -> PairedModels:
        joint, *clusters = _matrices((self.joint, *self.clusters))
        found: PairedModels = MULTICLASS.paired(joint, self.alpha, clusters)
        return found


def _matrices(observed: Sequence[Any]) -> list[Any]:
    return [each.matrix for each in observed]
