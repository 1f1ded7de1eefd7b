"""How scores of class scores vary over test sets, and what swaps change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.measure import Rule
from baserate.core.observed import UNDEFINED, summed
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Proportion
from baserate.kinds.scores_intervals import RowScores
from baserate.measures.class_areas import Areas, Placements, swapped_areas
from baserate.measures.class_scores import MeanOf
from baserate.observed.class_scores import joined
from baserate.paired import flip_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.core.observed import SwapTest
    from baserate.intervals.limits import Margin
    from baserate.measures.class_scores import ClassScoreMeasure
    from baserate.observed.class_scores import ClassProbabilities, JointProbabilities

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]
    Cells = tuple[ClassProbabilities, Ints]


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
        hits = int(observed.counts @ (form.rule.of_cells(observed) > 0))
        return Proportion(hits, observed.total - hits, lambda share: share)

    def score(self, measure: ClassScoreMeasure, observed: ClassProbabilities) -> Statistic | None:
        """Return a score; None for the calibration error, which is not known to vary."""
        form = measure.form
        if not isinstance(form, Areas):
            return _rows(measure, form, observed).score() if isinstance(form, MeanOf) else None
        known = Placements.of(form, observed)
        classes = np.arange(known.n.size)
        return _of_classes(
            known.score,
            [known],
            [observed],
            lambda clusters: [joined(clusters)],
            rule=measure.interval,
            spares=np.concatenate([_columns(each, classes, classes.size) for each in known.ends]),
            ends=(0.0, 1.0),
        )

    def margin(self, baseline: Baseline, observed: ClassProbabilities) -> Margin | None:
        """Return a margin; None if the baseline is the same on all test sets."""
        form = baseline.measure.form
        is_mean = isinstance(form, MeanOf)
        return _rows(baseline.measure, form, observed).margin() if is_mean else None

    def difference(self, measure: ClassScoreMeasure, joint: JointProbabilities) -> Statistic | None:
        """Return the second score minus the first; None if it is not known how they vary.

        Of areas, see DeLong, DeLong and Clarke-Pearson (1988).
        """
        form, sides = measure.form, joint.sides
        if isinstance(form, Areas):
            known = [Placements.of(form, each) for each in sides]
            exact, rule = known[1].score - known[0].score, Rule.SEEN
            return _of_classes(exact, known, sides, _joined_sides, rule=rule, ends=(-1.0, 1.0))
        if not isinstance(form, MeanOf):
            return None
        first, second = (measure.score_or_reason(each)[0] for each in (joint.first, joint.second))
        return _rows(measure, form, *sides, exact=second - first).difference()


def _rows(
    measure: ClassScoreMeasure,
    form: MeanOf,
    *models: ClassProbabilities,
    exact: float | None = None,
) -> RowScores:
    """Return what a rule gives to cells: of one model, or of a second one minus a first."""
    rule, known = form.rule, models[0]

    def points(cells: Any) -> Floats:
        return _less([rule.of_cells(each, cells) for each in models])

    def of_clusters(clusters: Sequence[Any]) -> tuple[Any, ...]:
        parts = [joined(clusters)] if len(models) == 1 else _joined_sides(clusters)
        cells, codes = parts[0]
        return _less([rule.of_cells(each) for each, _ in parts]), cells.truth, cells.counts, codes

    score = measure.score_or_reason(known)[0] if exact is None else exact
    cells = (known.truth, known.counts, len(known.labels))
    return RowScores(measure, rule, form.relative, score, points, *cells, of_clusters)


def _of_classes(
    exact: float,
    known: Sequence[Placements],
    cells: Sequence[ClassProbabilities],
    of_clusters: Callable[[Sequence[Any]], Sequence[Cells]],
    **how: Any,
) -> Statistic:
    """Return a number that depends on the mean of each class, and on how often it occurs.

    `known` is where rows stand by the scores of one model, or of two: then it is the second's less
    the first's. `of_clusters` returns the cells of each model, and in which cluster they are.
    """
    n, slopes = known[0].n, _less([each.slopes for each in known])

    def columns(parts: Sequence[ClassProbabilities]) -> Any:
        residuals = [each.residuals(part) for each, part in zip(known, parts, strict=True)]
        return _columns(_less(residuals), parts[0].truth, n.size)

    def of(sums: Floats) -> Floats:
        added, counts = sums[..., : n.size], sums[..., n.size :]
        means = np.divide(added, counts, out=np.zeros_like(added), where=counts > 0)
        return np.asarray(exact + means.sum(axis=-1) + (counts - n) @ slopes)

    def sums(clusters: Sequence[Any]) -> tuple[Any, Floats]:
        parts, codes = zip(*of_clusters(clusters), strict=True)
        return summed(codes[0], parts[0].counts, columns(parts))

    rows = cells[0].counts.astype(float)
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


def _joined_sides(clusters: Sequence[JointProbabilities]) -> list[Cells]:
    return [joined([each.sides[model] for each in clusters]) for model in (0, 1)]


def swap_test(
    measure: ClassScoreMeasure,
    joint: JointProbabilities,
    clusters: Sequence[JointProbabilities] = (),
) -> SwapTest:
    """Return the p-value of swapping what the models say of a row, or of a cluster.

    Differences are sums over the rows, of what a rule gives to them or of what swapping them does
    to areas. Swaps turn their signs.
    """
    form, sides, codes = measure.form, joint.sides, None
    if measure.missing(joint.pairs.test_set) or not isinstance(form, MeanOf | Areas):
        return UNDEFINED
    if clusters:
        (one, codes), (other, _) = _joined_sides(clusters)
        sides = one, other
    if isinstance(form, MeanOf):
        found = _less([form.rule.of_cells(each) for each in sides])
    else:
        found = swapped_areas(form, joint.sides, sides)
    return flip_test(found, sides[0].counts, codes)


CLASS_SCORES = ClassScoreIntervals()
