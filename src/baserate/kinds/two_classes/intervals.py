"""How scores of two classes vary over test sets."""

from __future__ import annotations

import math
from functools import lru_cache, partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Direction, Rule
from baserate.exceptions import InvalidMeasureError
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin, Proportion
from baserate.kinds.two_classes.null import null_of
from baserate.measures.two_classes_record import ALWAYS, Margins
from baserate.observed.base_rate import BaseRate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.baselines.dutch_draw import DutchDrawBaseline
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.two_classes import Confusion, JointTable

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
    # An MCC of 1 may be 1 + 2e-16, and an interval is no place for it.
    ends = measure.codomain
    return np.minimum(np.maximum(scores, ends.lower), ends.upper)


def _cells(tables: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return TP, FP, FN and TN of tables; numpy's own way takes longer than most scores."""
    return tables[..., 0], tables[..., 1], tables[..., 2], tables[..., 3]


class TwoClasses:
    """What is known of two classes: the four cells of a table are what is resampled."""

    def proportion(self, measure: TwoClassMeasure, table: Confusion) -> Proportion | None:
        """Return the proportion that decides a score, if one does."""
        found, rate = measure.proportion, table.base_rate
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

    def score(self, measure: TwoClassMeasure, table: Confusion) -> Statistic:
        """Return a score."""
        ends = (measure.codomain.lower, measure.codomain.upper)
        return _statistic(measure, table, _scores_by(measure), ends)

    def margin(self, base: DutchDrawBaseline, table: Confusion) -> Margin | None:
        """Return a margin over the draw that is best in each resample, and over that of the data.

        The draws compared are the constant ones, and the best one if it is none of them.
        """
        measure = base.measure
        candidates, best = _candidates(base), base.guesses.counts[0][0]
        if len(candidates) == 1 and _is_the_same_everywhere(base, candidates[0]):
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

    def contributions(self, table: Confusion, clusters: Sequence[Confusion]) -> Floats:
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
    table: Confusion,
    of: Callable[..., Floats],
    ends: tuple[float, float] = (-math.inf, math.inf),
    facts: tuple[int, ...] = (),
) -> Statistic:
    counts = _counts(table)
    ways = list(np.eye(4))
    # G2 needs a true positive and a true negative: one of them alone would not change it.
    ways += [np.array(way) for way in ([0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]) if not counts @ way]
    return Statistic(
        of=of,
        rows=counts,
        rule=measure.interval,
        spares=np.array(ways),
        ends=ends,
        of_clusters=_sums,
        facts=tuple(map(np.asarray, facts)),
    )


def _counts(table: Confusion) -> Floats:
    return np.array([table.tp, table.fp, table.fn, table.tn], dtype=float)


def _sums(clusters: Sequence[Confusion]) -> tuple[Floats, Floats]:
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
    measure, total = base.measure, base.test_set.total
    ways = tuple(_way(measure, drawn, total) for drawn in draws)
    others = base.test_set if _nearby in ways else None
    facts = tuple(each for drawn in draws for each in (drawn, total - drawn))
    return _over_best(measure, ways, others), (-math.inf, math.inf), facts


@lru_cache(maxsize=256)
def _over_best(
    measure: TwoClassMeasure, ways: tuple[Callable[..., Floats], ...], rate: BaseRate | None
) -> Callable[..., Floats]:
    """Return what tells how much better tables are than the best of some draws."""
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1

    def over(tables: Floats, *facts: Any) -> Floats:
        draws = zip(ways, facts[::2], facts[1::2], strict=True)
        found = [sign * way(measure, tables, *draw, rate) for way, *draw in draws]
        return np.asarray(sign * scored(measure, tables) - reduce(np.fmax, found))

    return over


def _way(measure: TwoClassMeasure, drawn: int, total: int) -> Callable[..., Floats]:
    """Return how the expectation of a draw is found at the base rate of each table."""
    if measure.draw.expectation is not None:
        return _by_formula
    if drawn == total:
        return _all_positive
    return _nearby if drawn else _all_negative


def _by_formula(measure: TwoClassMeasure, tables: Floats, drawn: Any, left: Any, _: Any) -> Floats:
    tp, fp, fn, tn = _cells(tables)
    formula: Any = measure.draw.expectation
    return np.asarray(formula(Margins(tp + fn, fp + tn, drawn, left)), dtype=float)


def _all_positive(measure: TwoClassMeasure, tables: Floats, *_: Any) -> Floats:
    tp, fp, fn, tn = _cells(tables)
    none = np.zeros_like(tp)
    return scored(measure, np.stack([tp + fn, fp + tn, none, none], axis=-1))


def _all_negative(measure: TwoClassMeasure, tables: Floats, *_: Any) -> Floats:
    tp, fp, fn, tn = _cells(tables)
    none = np.zeros_like(tp)
    return scored(measure, np.stack([none, none, tp + fn, fp + tn], axis=-1))


def _nearby(
    measure: TwoClassMeasure,
    tables: Floats,
    drawn: Any,
    left: Any,  # noqa: ARG001
    rate: BaseRate,
) -> Floats:
    tp, _, fn, _ = _cells(tables)
    number = int(np.ravel(drawn)[0])  # of one test set
    return np.asarray(np.interp(tp + fn, *_means_nearby(measure, rate, number)))


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


def _is_the_same_everywhere(base: DutchDrawBaseline, drawn: int) -> bool:
    """Return whether a draw expects the same at other base rates."""
    rate = base.test_set
    way = _way(base.measure, drawn, rate.total)
    return _is_same(base.measure, way, drawn, rate.total, rate if way is _nearby else None)


@lru_cache(maxsize=1024)
def _is_same(
    measure: TwoClassMeasure,
    way: Callable[..., Floats],
    drawn: int,
    total: int,
    rate: BaseRate | None,
) -> bool:
    tables = np.array([[share * total, 0, 0, (1 - share) * total] for share in (0.2, 0.5, 0.7)])
    with np.errstate(all="ignore"):
        found = way(measure, tables, drawn, total - drawn, rate)
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
    return positives, [_mean(measure, int(each), rate.total, drawn) for each in positives]


def _mean(measure: TwoClassMeasure, positives: int, total: int, drawn: int) -> float:
    return null_of(measure, BaseRate(positives=positives, total=total), drawn).mean()
