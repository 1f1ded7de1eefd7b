"""The scores that a draw can have, and the counts behind each of them."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from baserate.exceptions import TooManyValuesError, UndefinedMeasureError
from baserate.hypergeometric import Hypergeometric
from baserate.measures.record import Direction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.measures.record import Measure

    Floats = NDArray[np.float64]

# A score may be off by so many units in the last place of its scale and still be meant.
_TOLERANCE = 64 * np.finfo(float).eps
# The longest table that is laid out in memory.
MOST_VALUES = 10**7


class AttainableScores(Protocol):
    """What a law needs to know of the scores of a draw."""

    @property
    def lowest(self) -> float: ...
    @property
    def highest(self) -> float: ...
    def values(self) -> Floats: ...
    def pmf(self, x: float) -> float: ...
    def cdf(self, x: float) -> float: ...
    def sf(self, x: float) -> float: ...
    def ppf(self, q: float) -> float: ...


class MonotoneScores:
    """Scores of a built-in measure, which rise with TP or with FN: nothing is laid out in memory.

    Every measure of the catalogue that is to be maximized rises with TP for given margins, and
    every other one with FN, which is the TP of the draw that predicts the opposite.
    """

    def __init__(self, measure: Measure, true_positives: Hypergeometric) -> None:
        self._measure = measure
        self._rises_with_tp = measure.direction is Direction.MAXIMIZE
        rate, drawn = true_positives.base_rate, true_positives.predicted_positives
        self._law = (
            true_positives if self._rises_with_tp else Hypergeometric(rate, rate.total - drawn)
        )
        self._counts = range(self._law.low, self._law.high + 1)

    @property
    def lowest(self) -> float:
        return self._score(self._law.low)

    @property
    def highest(self) -> float:
        return self._score(self._law.high)

    def values(self) -> Floats:
        _require_few(self._law)
        counts = np.arange(self._counts.start, self._counts.stop, dtype=float)
        return self._measure.values(*self._table(counts))

    def pmf(self, x: float) -> float:
        _, found = self._locate(x)
        return 0.0 if found is None else self._law.pmf(found)

    def cdf(self, x: float) -> float:
        if math.isnan(x):
            return math.nan
        below, found = self._locate(x)
        return self._law.cdf(below if found is None else found)

    def sf(self, x: float) -> float:
        if math.isnan(x):
            return math.nan
        below, found = self._locate(x)
        return self._law.sf(below if found is None else found)

    def ppf(self, q: float) -> float:
        return self._score(self._law.ppf(q))

    def _table(self, count: Any) -> tuple[Any, Any, Any, Any]:
        tp, fp, fn, tn = self._law.cells(count)
        # Of the opposite draw, what it calls TP, FP, FN and TN is FN, TN, TP and FP.
        return (tp, fp, fn, tn) if self._rises_with_tp else (fn, tn, tp, fp)

    def _score(self, count: int) -> float:
        return float(self._measure.definition(*self._table(count)))

    def _locate(self, x: float) -> tuple[int, int | None]:
        """Return the last count whose score is below x, and the one whose score is x, if any."""
        if math.isnan(x):
            return self._law.low - 1, None
        first = self._law.low + bisect_left(self._counts, x, key=self._score)
        near = [count for count in (first - 1, first) if count in self._counts]
        found = min(near, key=lambda count: abs(self._score(count) - x))
        is_meant = abs(self._score(found) - x) <= self._tolerance(near)
        return first - 1, found if is_meant else None

    def _tolerance(self, near: list[int]) -> float:
        """Return how far off a score may be: little, and never half-way to another one."""
        codomain = self._measure.codomain
        scale = max(abs(codomain.lower), abs(codomain.upper))
        if math.isinf(scale):
            scale = max(abs(self.lowest), abs(self.highest))
        if len(near) == 1:
            return _TOLERANCE * scale
        gap = abs(self._score(near[0]) - self._score(near[1]))
        return min(_TOLERANCE * scale, gap / 4)


class TabulatedScores:
    """Scores of a custom measure, which may rise, fall and repeat: laid out and sorted."""

    def __init__(self, measure: Measure, true_positives: Hypergeometric) -> None:
        _require_few(true_positives)
        tp = np.arange(true_positives.low, true_positives.high + 1, dtype=float)
        cells = true_positives.cells(tp)
        scores = measure.values(*cells)
        missing = np.isnan(scores)
        if missing.any():
            first = tuple(int(cell[missing][0]) for cell in cells)
            evidence = "tp = {}, fp = {}, fn = {}, tn = {}".format(*first)
            raise UndefinedMeasureError.no_law(
                measure.key, "a number for every score it can have", evidence
            )
        self._scores, self._law = scores, true_positives
        self._slack = _TOLERANCE * float(np.abs(scores).max())

    @cached_property
    def _merged(self) -> tuple[Floats, Floats]:
        """The distinct scores, ascending, and their masses."""
        order = np.argsort(self._scores, kind="stable")
        scores = self._scores[order]
        starts = np.flatnonzero(np.diff(scores, prepend=-np.inf) > self._slack)
        return scores[starts], np.add.reduceat(self._law.pmf_of_all()[order], starts)

    @cached_property
    def _below(self) -> Floats:
        return np.minimum(np.cumsum(self._merged[1]), 1.0)

    @cached_property
    def _above(self) -> Floats:
        masses = self._merged[1]
        return np.append(np.minimum(np.cumsum(masses[::-1])[::-1], 1.0)[1:], 0.0)

    @property
    def lowest(self) -> float:
        return float(self._merged[0][0])

    @property
    def highest(self) -> float:
        return float(self._merged[0][-1])

    def values(self) -> Floats:
        return self._merged[0].copy()

    def pmf(self, x: float) -> float:
        index = self._last_at_most(x)
        is_meant = index >= 0 and abs(self._merged[0][index] - x) <= self._slack
        return float(self._merged[1][index]) if is_meant else 0.0

    def cdf(self, x: float) -> float:
        if math.isnan(x):
            return math.nan
        index = self._last_at_most(x)
        if index == self._below.size - 1:
            return 1.0
        return 0.0 if index < 0 else float(self._below[index])

    def sf(self, x: float) -> float:
        if math.isnan(x):
            return math.nan
        index = self._last_at_most(x)
        return 1.0 if index < 0 else float(self._above[index])

    def ppf(self, q: float) -> float:
        values = self._merged[0]
        index = values.size - 1 if q >= 1 else int(np.searchsorted(self._below, q))
        return float(values[min(index, values.size - 1)])

    def _last_at_most(self, x: float) -> int:
        return int(np.searchsorted(self._merged[0], x + self._slack, side="right")) - 1


def _require_few(law: Hypergeometric) -> None:
    size = law.high - law.low + 1
    if size > MOST_VALUES:
        raise TooManyValuesError.listed(size, MOST_VALUES)
