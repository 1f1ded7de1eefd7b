"""The distribution of a score when a deck is dealt at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from baserate.core.direction import Direction
from baserate.core.law import Tails
from baserate.core.rounding import COMPUTATION
from baserate.exceptions import InvalidProbabilityError, UndefinedMeasureError
from baserate.exceptions.base import shown
from baserate.multiclass.law.enumeration import all_tables
from baserate.multiclass.law.expectation import expected_score
from baserate.multiclass.law.moments import mean_and_sd
from baserate.multiclass.law.saddlepoint import LinearSum, support
from baserate.multiclass.law.scores_of_counts import ScoresOfCounts
from baserate.multiclass.law.scores_of_sums import ScoresOfSums
from baserate.multiclass.law.scores_of_tables import ScoresOfTables, slack_of
from baserate.multiclass.law.simulation import (
    scores_of_random_diagonals,
    scores_of_random_tables,
)
from baserate.multiclass.law.trace_law import trace_law
from baserate.multiclass.measures.forms import OfCells, OfDiagonal, OfProduct, OfTable, OfTrace
from baserate.support.arguments import is_probability

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure

    Floats = NDArray[np.float64]


class _Scores(Protocol):
    """What answers the questions about a law; see `ScoreLaw`."""

    @property
    def exact(self) -> bool: ...
    @property
    def method(self) -> str: ...
    @property
    def error(self) -> float: ...
    def tail(self, score: float, direction: Direction) -> float: ...
    def luck(self, levels: tuple[float, float]) -> tuple[float, float]: ...
    def quantile(self, level: float) -> float: ...
    def variance(self) -> float: ...


def law_of(measure: ClassMeasure, n: Sequence[int], m: Sequence[int]) -> ScoreLaw:
    """Return the distribution of a score when a deck is dealt at random.

    Parameters
    ----------
    measure
        The measure.
    n, m
        How often each class occurs, and how often it is predicted.

    Examples
    --------
    >>> from baserate.multiclass.measures.catalogue import get_class_measure
    >>> law = law_of(get_class_measure("accuracy"), (70, 20, 10), (62, 28, 10))
    >>> law.mean(), round(law.tail(0.63, Direction.MAXIMIZE), 5), law.exact
    (0.5, 0.00092, True)
    """
    return _kept(measure, tuple(map(int, n)), tuple(map(int, m)))


@lru_cache(maxsize=64)
def _kept(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> ScoreLaw:
    return ScoreLaw(measure, n, m)


@dataclass(frozen=True)
class ScoreLaw:
    """The distribution of a score when a deck is dealt at random.

    Scores that differ by rounding only are the same: `core/rounding.py` says by how much.

    Parameters
    ----------
    measure
        The measure.
    n, m
        How often each class occurs, and how often it is predicted.

    Examples
    --------
    >>> import baserate as br
    >>> counts = br.ClassCounts({"a": 70, "b": 20, "c": 10})
    >>> law = br.score_distribution("accuracy", counts, (62, 28, 10))
    >>> law.mean(), law.interval(0.95), law.method
    (0.5, (0.43, 0.58), 'card matching')
    """

    measure: ClassMeasure
    n: tuple[int, ...]
    m: tuple[int, ...]

    @cached_property
    def _scores(self) -> _Scores:
        return _scores(self.measure, self.n, self.m)

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self._scores.exact

    @property
    def method(self) -> str:
        """How they were found.

        One of "hypergeometric", "card matching", "enumeration", "simulation" and "saddlepoint".
        """
        return self._scores.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact.

        Of a simulation it is the standard error at p = 0.05. Of a saddlepoint it is the largest
        error that was measured for p ≥ 1e-6; see `docs/decisions/`.
        """
        return self._scores.error

    def mean(self) -> float:
        """Return the expected score: by a formula, unless it is any function of the table."""
        scores = self._scores
        if type(self.measure.form) is OfTable and isinstance(scores, ScoresOfTables):
            return scores.mean()
        return expected_score(self.measure, self.n, self.m)

    def variance(self) -> float:
        """Return the variance of the score: by a formula if it is a weighted sum of the cells."""
        linear = linear_form(self.measure, self.n, self.m)
        if linear is None:
            return self._scores.variance()
        return mean_and_sd(*_floats(self.n, self.m), linear[0])[1] ** 2

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good; nan for nan.

        Parameters
        ----------
        score
            A score.
        direction
            Which way is better.
        """
        return math.nan if math.isnan(score) else self._scores.tail(score, direction)

    def tails(self, score: float, direction: Direction) -> Tails:
        """Return the probability of a score at least as good, and of one at most as good."""
        return Tails(self.tail(score, direction), self.tail(score, direction.opposite))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the central interval that holds at least this probability."""
        if not is_probability(confidence):
            raise InvalidProbabilityError(
                f"must be between 0 and 1 (got {shown(confidence)}); 95% is written 0.95",
                parameter="confidence",
            )
        tail = (1 - confidence) / 2
        return self._scores.quantile(tail), self._scores.quantile(1 - tail)

    def quantiles(self, levels: tuple[float, float]) -> tuple[float, float]:
        """Return the scores between which luck stays, the lower one first.

        Parameters
        ----------
        levels
            Two quantiles, from bad luck to good luck.
        """
        return self._scores.luck(levels)


# --- the choice of a method -----------------------------------------------------------------------


def _scores(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> _Scores:
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


def _floats(n: Sequence[int], m: Sequence[int]) -> tuple[Floats, Floats]:
    return np.array(n, dtype=float), np.array(m, dtype=float)


def _require_defined(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> None:
    """Raise if these margins leave the measure without a score."""
    if not measure.may_be_undefined:
        return
    # The only measures of the catalogue that may lack a score lack it for all tables of a deck.
    expected = np.outer(np.array(n, dtype=float), np.array(m, dtype=float) / sum(n))
    form = measure.form
    if isinstance(form, OfTrace | OfDiagonal | OfCells):
        _finite(measure, measure.scores(expected[np.newaxis]))


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
    rows, columns = _floats(n, m)
    form = measure.form
    if isinstance(form, OfTrace):
        return lambda count: float(form.score(np.float64(count), rows, columns))
    if isinstance(form, OfDiagonal) and form.linear:
        weights, added = linear_of_diagonal(form, n, m)
        met = weights[(rows > 0) & (columns > 0)]
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
    rows, columns = _floats(n, m)
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


# --- weighted sums --------------------------------------------------------------------------------


def linear_form(
    measure: ClassMeasure, n: Sequence[int], m: Sequence[int]
) -> tuple[Floats, float] | None:
    """Return weights of the cells and a constant whose sum is the score; None if there are none."""
    rows, columns = _floats(n, m)
    form = measure.form
    if isinstance(form, OfCells):
        return form.weights(rows, columns)
    if isinstance(form, OfTrace) and form.affine:
        none, one = (form.score(np.float64(right), rows, columns) for right in (0, sum(n)))
        return np.eye(len(n)) * float(one - none) / sum(n), float(none)
    if isinstance(form, OfDiagonal) and form.linear:
        weights, added = linear_of_diagonal(form, n, m)
        return np.diag(weights), added
    return None


def linear_of_diagonal(
    form: OfDiagonal, n: Sequence[int], m: Sequence[int]
) -> tuple[Floats, float]:
    """Return the weight of a right answer of each class, and what is added to their sum."""
    rows, columns = _floats(n, m)
    added = form.term(np.zeros_like(rows), rows, columns)
    # At the largest counts, where a difference has most digits.
    most = np.maximum(np.minimum(rows, columns), 1)
    weights = (form.term(most, rows, columns) - added) / most
    return np.asarray(weights, dtype=float), float(added.sum())


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
