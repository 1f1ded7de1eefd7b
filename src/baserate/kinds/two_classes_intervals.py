"""How scores of two classes vary over test sets, and whether two models differ."""

from __future__ import annotations

import math
from functools import cache, lru_cache, partial, reduce
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Direction, Rule
from baserate.core.observed import UNDEFINED
from baserate.exceptions import InvalidMeasureError
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin, Proportion
from baserate.kinds.two_classes_null import null_of
from baserate.measures.affine import by_symbols
from baserate.measures.two_classes_record import ALWAYS, Margins
from baserate.observed.labels import BaseRate
from baserate.paired import ONE_BY_ONE, Pair, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.baselines.dutch_draw import DutchDrawBaseline
    from baserate.core.observed import SwapTest
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.labels import ConfusionMatrix, JointTable

    Floats = NDArray[np.float64]


# The base rates at which the expectation of a draw is computed; it is a straight line in between.
_BASE_RATES = 9
# The cell of each model in the eight of a joint table: both say positive, only the first, only the
# second, neither; of the positives, then of the negatives.
_FIRST, _SECOND = [0, 0, 2, 2, 1, 1, 3, 3], [0, 2, 0, 2, 1, 3, 1, 3]
_COLUMNS = np.hstack([np.eye(4)[_FIRST], np.eye(4)[_SECOND]])


def scored(measure: TwoClassMeasure, tables: Floats) -> Floats:
    """Return scores of tables (…, 4) with parts of counts; nan where there is none."""
    try:
        scores = measure.scores(*_cells(tables))
    except InvalidMeasureError:  # a user's function may take whole counts only
        scores = measure.scores(*_cells(np.rint(tables)))
    # An MCC of 1 may be 1 + 2e-16, which an interval must not show.
    ends = measure.codomain
    return np.minimum(np.maximum(scores, ends.lower), ends.upper)


def _cells(tables: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return TP, FP, FN and TN of tables; numpy's own way takes longer than most scores."""
    return tables[..., 0], tables[..., 1], tables[..., 2], tables[..., 3]


class TwoClasses:
    """What is known of two classes: the four cells of a table are what is resampled."""

    def proportion(self, measure: TwoClassMeasure, table: ConfusionMatrix) -> Proportion | None:
        """Return the proportion that decides a score, if one does."""
        found, rate = measure.proportion, table.test_set
        if found is not None:
            of = found.cells
            score = lambda share: float(measure.definition(*of(share, table.total)))  # noqa: E731
            return Proportion(*found.counted(table), score)
        if measure.interval is Rule.AVERAGE and rate.positives == rate.negatives:
            # An average over classes of one size is one over the rows: the share of right ones.
            half = table.total / 2
            return Proportion(
                table.tp + table.tn,
                table.fp + table.fn,
                lambda share: float(
                    measure.definition(
                        share * half, (1 - share) * half, (1 - share) * half, share * half
                    )
                ),
            )
        return None

    def score(self, measure: TwoClassMeasure, table: ConfusionMatrix) -> Statistic:
        """Return a score."""
        ends = (measure.codomain.lower, measure.codomain.upper)
        return _statistic(measure, table, _scores_by(measure), ends)

    def margin(self, base: DutchDrawBaseline, table: ConfusionMatrix) -> Margin | None:
        """Return a margin over the draw that is best in each resample, and over that of the data.

        The draws compared are the constant ones, and the best one if it is none of them.
        """
        measure = base.measure
        candidates, best = _candidates(base), base.guesses.counts[0][0]
        if len(candidates) == 1 and _is_the_same_everywhere(measure, base.test_set, candidates[0]):
            return None
        chosen, kept = (
            _statistic(measure, table, *_over(base, draws)) for draws in (candidates, [best])
        )
        return Margin(chosen, kept)

    def difference(self, measure: TwoClassMeasure, joint: JointTable) -> Statistic:
        """Return the second score minus the first."""

        def gain(tables: Floats) -> Floats:
            return scored(measure, tables[..., 4:]) - scored(measure, tables[..., :4])

        rows = np.array([*joint.positives, *joint.negatives], dtype=float)
        return Statistic(
            of=gain,
            rows=rows,
            columns=_COLUMNS,
            spares=_COLUMNS,
            rule=_rule(measure),
            of_clusters=_joint_sums,
        )

    def contributions(self, table: ConfusionMatrix, clusters: Sequence[ConfusionMatrix]) -> Floats:
        """Return what each cluster adds to the association: Σ (truth - mean)(answer - mean)."""
        tp, fp, fn, tn = np.array([_counts(each) for each in clusters]).T
        truth, said = table.positives / table.total, table.predicted_positives / table.total
        rows = tp + fp + fn + tn
        return np.asarray(tp - truth * (tp + fp) - said * (tp + fn) + truth * said * rows)


TWO_CLASSES = TwoClasses()


def _rule(measure: TwoClassMeasure) -> Rule:
    return Rule.LOSS if measure.interval is Rule.LOSS else Rule.END


def _statistic(
    measure: TwoClassMeasure,
    table: ConfusionMatrix,
    of: Callable[..., Floats],
    ends: tuple[float, float] = (-math.inf, math.inf),
    facts: tuple[int, ...] = (),
) -> Statistic:
    return Statistic(
        of=of,
        rows=_counts(table),
        rule=measure.interval,
        spares=_spares(not table.tp + table.tn, not table.fp + table.fn),
        ends=ends,
        of_clusters=_sums,
        facts=tuple(map(np.asarray, facts)),
    )


@cache
def _spares(*missing: bool) -> Floats:
    """Return what a spare row may be; two halves of one, if no row is right, or none is wrong.

    G2 needs a true positive and a true negative: one of them alone would not change it.
    """
    return np.vstack([np.eye(4), np.array([[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]])[[*missing]]])


def _counts(table: ConfusionMatrix) -> Floats:
    return np.array([table.tp, table.fp, table.fn, table.tn], dtype=float)


def _sums(clusters: Sequence[ConfusionMatrix]) -> tuple[Floats, Floats]:
    """Return the four counts of each cluster, and how many rows it has."""
    counts = np.array([_counts(each) for each in clusters])
    return counts, counts.sum(axis=1)


def _joint_sums(clusters: Sequence[JointTable]) -> tuple[Floats, Floats]:
    """Return the four counts of both models in each cluster, and how many rows it has."""
    counts = np.array([[*each.positives, *each.negatives] for each in clusters], dtype=float)
    return counts @ _COLUMNS, counts.sum(axis=1)


@lru_cache(maxsize=256)
def _scores_by(measure: TwoClassMeasure) -> Callable[..., Floats]:
    """Return what scores tables: the same function each time, as many are scored at once."""
    return partial(scored, measure)


def _over(
    base: DutchDrawBaseline, draws: Sequence[int]
) -> tuple[Callable[..., Floats], tuple[float, float], tuple[int, ...]]:
    """Return how much better a score is than the best of some draws, its ends and its facts."""
    measure, rate = base.measure, base.test_set
    nearby = tuple(_is_nearby(measure, drawn, rate.total) for drawn in draws)
    facts = tuple(each for drawn in draws for each in (drawn, rate.total - drawn))
    over = _over_best(measure, nearby, rate if any(nearby) else None)
    return over, (-math.inf, math.inf), facts


@lru_cache(maxsize=256)
def _over_best(
    measure: TwoClassMeasure, nearby: tuple[bool, ...], rate: BaseRate | None
) -> Callable[..., Floats]:
    """Return what tells how much better tables are than the best of some draws."""
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1

    def over(tables: Floats, *facts: Any) -> Floats:
        draws = zip(facts[::2], facts[1::2], nearby, strict=True)
        found = [
            sign * _expected(measure, tables, drawn, left, rate if is_nearby else None)
            for drawn, left, is_nearby in draws
        ]
        return np.asarray(sign * scored(measure, tables) - reduce(np.fmax, found))

    return over


def _is_nearby(measure: TwoClassMeasure, drawn: int, total: int) -> bool:
    """Return whether the expectation of a draw is interpolated between base rates."""
    return measure.draw.expectation is None and drawn not in (0, total)


def _expected(
    measure: TwoClassMeasure, tables: Floats, drawn: Any, left: Any, rate: BaseRate | None
) -> Floats:
    """Return the expectation of a draw at the base rate of each table.

    It is a formula's, or that of a constant draw; or interpolated around a test set.
    """
    tp, fp, fn, tn = _cells(tables)
    positives, negatives = tp + fn, fp + tn
    if measure.draw.expectation is not None:
        formula = measure.draw.expectation(Margins(positives, negatives, drawn, left))
        return np.asarray(formula, dtype=float)
    if rate is not None:
        number = int(np.ravel(drawn)[0])  # of one test set
        return np.asarray(np.interp(positives, *_means_nearby(measure, rate, number)))
    is_all, is_none = np.asarray(left) == 0, np.asarray(left) != 0
    cells = positives * is_all, negatives * is_all, positives * is_none, negatives * is_none
    return scored(measure, np.stack(cells, axis=-1))


def _candidates(base: DutchDrawBaseline) -> list[int]:
    """Return the draws that may be the best on test sets like this one.

    They are the constant ones, and the best draw if it is none of these. At another base rate
    another one may be the best: that of G2 draws two thirds if one observation is positive, and
    soon half if more are, so half is compared too. If all draws tie at any base rate, one of them
    will do.
    """
    best = base.guesses.counts
    if base.measure.draw.constant is ALWAYS:
        return [best[0][0]]
    allowed = base.measure.allowed(base.test_set)
    ends = [end for end in (0, base.test_set.total) if end in allowed]
    if any(end in part for part in best for end in ends):
        return ends
    half = base.test_set.total // 2
    is_new = half in allowed and not any(half in part for part in best)
    return [*ends, best[0][0], *([half] if is_new else [])]


@lru_cache(maxsize=1024)
def _is_the_same_everywhere(measure: TwoClassMeasure, rate: BaseRate, drawn: int) -> bool:
    """Return whether a draw expects the same at other base rates."""
    total = rate.total
    tables = np.array([[share * total, 0, 0, (1 - share) * total] for share in (0.2, 0.5, 0.7)])
    around = rate if _is_nearby(measure, drawn, total) else None
    with np.errstate(all="ignore"):
        found = _expected(measure, tables, drawn, total - drawn, around)
    return found.ndim == 0 or bool(np.ptp(found) <= COMPUTATION)


@lru_cache(maxsize=1024)
def _means_nearby(
    measure: TwoClassMeasure, rate: BaseRate, drawn: int
) -> tuple[Floats, list[float]]:
    """Return some base rates that could well have given this one, and what a draw expects there.

    They are numbers of positives, four standard deviations and a few to either side.
    """
    reach = 4 * math.sqrt(rate.positives * rate.negatives / rate.total) + 5
    ends = max(rate.positives - reach, 1), min(rate.positives + reach, rate.total - 1)
    positives = np.unique(np.linspace(*ends, _BASE_RATES).round())
    each = [BaseRate(positives=int(number), total=rate.total) for number in positives]
    return positives, [null_of(measure, other, drawn).mean() for other in each]


# What a positive, and a negative, adds to the four counts if it is called positive or negative.
CALLED = np.eye(4)[[0, 1]], np.eye(4)[[2, 3]]


def swap_test(
    measure: TwoClassMeasure, joint: JointTable, clusters: Sequence[JointTable] = ()
) -> SwapTest:
    """Return the two-sided p-value of the difference between two models.

    Of a score that is linear in the counts, as accuracy is, a row has the same weight whatever
    happens to the others; then this is McNemar's exact test, with two sizes at most.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.observed.labels import Answers, JointTable
    >>> joint = JointTable(Answers(20, 3, 9, 8), Answers(4, 6, 2, 48))
    >>> found = swap_test(get_measure("ACC"), joint)
    >>> round(found.p_value, 4), found.exact
    (0.0414, True)
    """
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    if reason or other_reason:
        return UNDEFINED
    p, n = joint.positives, joint.negatives
    each = [(part.positives, part.negatives) for part in clusters or (joint,)]
    affine = by_symbols(measure.definition.function, joint.first.test_set)
    if affine is not None:
        tp, fp = float(affine.tp), float(affine.fp)
        rows = np.array([[p.first, p.second, n.first, n.second] for p, n in each])
        if clusters:
            return flip_test(rows @ np.array([tp, -tp, fp, -fp]))
        return flip_test(np.array([tp, -tp, fp, -fp]), rows[0])
    agreed = np.array([p.both, n.both, p.neither, n.neither], dtype=float)
    is_quick = getattr(measure.definition.function, "vectorised", True)
    return permutation_test(
        Pair(
            np.array([[p.discordant, n.discordant] for p, n in each]).ravel(),
            np.array([[p.first, n.first] for p, n in each]).ravel(),
            [np.tile(called, (len(each), 1)) for called in CALLED],
            lambda counts: defined_scores(measure, agreed + counts),
            clusters=np.repeat(np.arange(len(each)), 2) if clusters else None,
            size=measure.magnitude(max(abs(first), abs(second))),
            cost=1 if is_quick else ONE_BY_ONE,
        )
    )


def defined_scores(measure: TwoClassMeasure, tables: Floats) -> Floats:
    """Return the scores of tables (…, 4); nan where a requirement fails."""
    tp, fp, fn, tn = np.moveaxis(tables, -1, 0)
    scores = measure.scores(tp, fp, fn, tn)
    counts = SimpleNamespace(
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        positives=tp + fn,
        negatives=fp + tn,
        predicted_positives=tp + fp,
        predicted_negatives=fn + tn,
    )
    is_defined = np.isfinite(scores)
    for need in measure.requirements:
        is_defined &= need.denominator(counts) != 0
    return np.where(is_defined, scores, np.nan)
