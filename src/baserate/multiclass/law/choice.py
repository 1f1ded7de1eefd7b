"""Which method finds the law of a score: exactly if that takes about a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.exceptions import UndefinedMeasureError
from baserate.multiclass.law.enumeration import all_tables
from baserate.multiclass.law.linear_form import floats, linear_form, linear_of_diagonal
from baserate.multiclass.law.saddlepoint import LinearSum, support
from baserate.multiclass.law.scores_of_counts import ScoresOfCounts
from baserate.multiclass.law.scores_of_sums import ScoresOfSums
from baserate.multiclass.law.scores_of_tables import ScoresOfTables, slack_of
from baserate.multiclass.law.simulation import (
    scores_of_random_diagonals,
    scores_of_random_tables,
)
from baserate.multiclass.law.trace_law import trace_law
from baserate.multiclass.measures.forms import OfCells, OfDiagonal, OfProduct, OfTrace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure

    Floats = NDArray[np.float64]


class Scores(Protocol):
    """What answers the questions about a law."""

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""

    @property
    def method(self) -> str:
        """How they were found."""

    @property
    def error(self) -> float:
        """What is known of their relative error."""

    @property
    def step(self) -> float:
        """How far apart neighbouring scores are; 0 if that is not known, or not always the same."""

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""

    def luck(self, levels: tuple[float, float]) -> tuple[float, float]:
        """Return the scores of two quantiles from bad to good, the lower score first."""

    def quantile(self, level: float) -> float:
        """Return the smallest score that is not exceeded with at least this probability."""

    def variance(self) -> float:
        """Return the variance of the score."""


def scores_of(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> Scores:
    """Return the scores of a law, exactly if that takes about a second."""
    _require_defined(measure, n, m)
    by_count = _score_of_count(measure, n, m)
    if by_count is not None:
        return _of_counts(measure, n, m, by_count)
    rises = measure.direction is Direction.MAXIMIZE
    tables = all_tables(n, m)
    if tables is not None:
        scores = _finite(measure, measure.scores(tables[0].astype(float)))
        return ScoresOfTables(scores, tables[1], slack_of(scores, measure.magnitude(0)), rises)
    smooth = _smooth_sum(measure, n, m)
    if smooth is not None:
        return smooth
    scores = _finite(measure, _simulated(measure, n, m))
    return ScoresOfTables(scores, None, slack_of(scores, measure.magnitude(0)), rises)


def _require_defined(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> None:
    """Raise if these margins leave the measure without a score."""
    if not measure.may_be_undefined:
        return
    # Measures of these forms lack a score for all tables of a deck, or for none.
    if isinstance(measure.form, OfTrace | OfDiagonal | OfCells):
        rows, columns = floats(n, m)
        _finite(measure, measure.scores(np.outer(rows, columns / sum(n))[np.newaxis]))


def _finite(measure: ClassMeasure, scores: Floats) -> Floats:
    if np.isfinite(scores).all():
        return scores
    raise UndefinedMeasureError(
        f"{measure.key} is undefined for some tables that this deck can give"
    )


def _score_of_count(
    measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]
) -> Callable[[float], float] | None:
    """Return the score of a number of right answers, if that decides."""
    rows, columns = floats(n, m)
    form = measure.form
    if isinstance(form, OfTrace):
        return lambda count: float(form.score(np.float64(count), rows, columns))
    if isinstance(form, OfDiagonal) and form.linear:
        weights, added = linear_of_diagonal(form, n, m)
        met = weights[(rows > 0) & (columns > 0)]
        # The weights of a measure to minimize are negative.
        if not met.size or np.ptp(met) <= COMPUTATION * np.abs(met).max():
            weight = float(met.mean()) if met.size else 0.0
            return lambda count: added + weight * count
    used = [k for k in range(len(n)) if n[k] or m[k]]
    # With two classes, a table has one number that is free.
    if isinstance(form, OfDiagonal | OfCells) and len(used) == 2:
        return lambda count: float(measure.scores(_table_of_two(count, n, m, used)))
    return None


def _table_of_two(
    count: float, n: tuple[int, ...], m: tuple[int, ...], used: Sequence[int]
) -> Floats:
    """Return the table of two classes with so many right answers."""
    first, last = used
    both = (count - sum(n) + n[first] + m[first]) / 2
    table = np.zeros((len(n), len(m)))
    table[np.ix_(used, used)] = [
        [both, n[first] - both],
        [m[first] - both, n[last] - m[first] + both],
    ]
    return table


def _of_counts(
    measure: ClassMeasure,
    n: tuple[int, ...],
    m: tuple[int, ...],
    score: Callable[[float], float],
) -> ScoresOfCounts:
    """Return the law of a score that the number of right answers decides."""
    low, high = support(n, m)
    used = sum(1 for a, b in zip(n, m, strict=True) if a or b)
    counts = range(low, high + 1, 2 if used == 2 else 1)
    magnitude = measure.magnitude(max(abs(score(low)), abs(score(high))))
    return ScoresOfCounts(trace_law(n, m), score, counts, magnitude)


def _simulated(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> Floats:
    """Return the scores of random tables."""
    rows, columns = floats(n, m)
    form = measure.form
    if isinstance(form, OfDiagonal):
        return scores_of_random_diagonals(
            lambda right: form.term(right.astype(float), rows, columns).sum(axis=-1), n, m
        )
    if isinstance(form, OfProduct):
        return scores_of_random_diagonals(
            lambda right: form.factor(right.astype(float), rows, columns).prod(axis=-1), n, m
        )
    return scores_of_random_tables(lambda tables: measure.scores(tables.astype(float)), n, m)


def _smooth_sum(
    measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]
) -> ScoresOfSums | None:
    """Return the law by a saddlepoint, if the score is a sum that takes many values."""
    linear = linear_form(measure, n, m)
    if linear is None:
        return None
    weights, added = linear
    rises = measure.direction is Direction.MAXIMIZE
    if isinstance(measure.form, OfDiagonal):
        total = LinearSum.of_diagonal(n, m, np.diag(weights))
    else:
        total = LinearSum.of_cells(n, m, weights)
    return ScoresOfSums(total, added, rises) if total.is_smooth else None
