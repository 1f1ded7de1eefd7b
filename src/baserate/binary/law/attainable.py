"""The possible scores of a draw, and the counts behind each score."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from baserate.binary.law.hypergeometric import MOST_VALUES, Hypergeometric
from baserate.core.rounding import COMPUTATION, FORMULA
from baserate.exceptions import TooManyValuesError, UndefinedMeasureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure

    Floats = NDArray[np.float64]


class AttainableScores(Protocol):
    """What a law needs to know about the scores of a draw."""

    @property
    def lowest(self) -> float: ...
    @property
    def highest(self) -> float: ...
    def values(self) -> Floats: ...
    def pmf(self, x: float) -> float: ...
    def cdf(self, x: float) -> float: ...
    def sf(self, x: float) -> float: ...
    def at_least(self, x: float) -> float: ...
    def ppf(self, q: float) -> float: ...


def _meant(x: float, scores: Sequence[float], scale: float) -> int | None:
    """Return which of one or two neighbouring scores x stands for, if any.

    x may be slightly off, but never half-way to the other score.
    """
    distances = [abs(score - x) for score in scores]
    nearest = min(range(len(scores)), key=distances.__getitem__)
    slack = COMPUTATION * scale
    if len(scores) == 2:
        slack = min(slack, abs(scores[1] - scores[0]) / 4)
    return nearest if distances[nearest] <= slack else None


class MonotoneScores:
    """Scores of a built-in measure, which rise with TP or with FN: no array is needed.

    For given margins, every measure of the catalogue either rises or falls with TP. One that
    falls with TP rises with FN, which is the TP of the opposite draw.
    """

    def __init__(self, measure: Measure, true_positives: Hypergeometric) -> None:
        self._measure = measure
        ends = (true_positives.low, true_positives.high)
        first, last = (float(measure.definition(*true_positives.cells(tp))) for tp in ends)
        self._rises_with_tp = first <= last
        rate, drawn = true_positives.base_rate, true_positives.predicted_positives
        opposite = Hypergeometric(rate, rate.total - drawn)
        self._law = true_positives if self._rises_with_tp else opposite
        self._counts = self._law.counts

    @property
    def lowest(self) -> float:
        return self._score(self._law.low)

    @property
    def highest(self) -> float:
        return self._score(self._law.high)

    def values(self) -> Floats:
        _require_few(self._law)
        counts = np.arange(self._counts.start, self._counts.stop, dtype=float)
        return self._measure.scores(*self._table(counts))

    def pmf(self, x: float) -> float:
        _, found = self._locate(x)
        return 0.0 if found is None else self._law.pmf(found)

    def cdf(self, x: float) -> float:
        below, found = self._locate(x)
        return self._law.cdf(below if found is None else found)

    def sf(self, x: float) -> float:
        below, found = self._locate(x)
        return self._law.sf(below if found is None else found)

    def at_least(self, x: float) -> float:
        below, found = self._locate(x)
        return self._law.sf(below if found is None else found - 1)

    def ppf(self, q: float) -> float:
        return self._score(self._law.ppf(q))

    def _table(self, count: Any) -> tuple[Any, Any, Any, Any]:
        tp, fp, fn, tn = self._law.cells(count)
        # The opposite draw's TP, FP, FN and TN are this draw's FN, TN, TP and FP.
        return (tp, fp, fn, tn) if self._rises_with_tp else (fn, tn, tp, fp)

    def _score(self, count: int) -> float:
        return float(self._measure.definition(*self._table(count)))

    def _locate(self, x: float) -> tuple[int, int | None]:
        """Return the last count with a score below x, and the count with score x, if any."""
        first = self._law.low + bisect_left(self._counts, x, key=self._score)
        near = [count for count in (first - 1, first) if count in self._counts]
        found = _meant(x, [self._score(count) for count in near], self._scale)
        return first - 1, None if found is None else near[found]

    @cached_property
    def _scale(self) -> float:
        return self._measure.magnitude(max(abs(self.lowest), abs(self.highest)))


class TabulatedScores:
    """Scores in a sorted array, because those of a custom measure may rise, fall and repeat."""

    def __init__(self, measure: Measure, true_positives: Hypergeometric) -> None:
        _require_few(true_positives)
        tp = np.arange(true_positives.low, true_positives.high + 1, dtype=float)
        cells = true_positives.cells(tp)
        scores = measure.scores(*cells)
        missing = ~np.isfinite(scores)
        if missing.any():
            first = tuple(int(cell[missing][0]) for cell in cells)
            evidence = "tp = {}, fp = {}, fn = {}, tn = {}".format(*first)
            raise UndefinedMeasureError.no_law(
                measure.key, "a number for every score it can have", evidence
            )
        self._scores, self._law = scores, true_positives
        # The scores of a built-in measure are as many as its counts.
        self._rounding = FORMULA if measure.rounds else 0.0
        self._scale = measure.magnitude(float(np.abs(scores).max()))

    @cached_property
    def _merged(self) -> tuple[Floats, Floats]:
        """The distinct scores, ascending, and their masses.

        Scores of a custom measure that differ only by rounding, relative to their size, are merged.
        """
        order = np.argsort(self._scores, kind="stable")
        scores = self._scores[order]
        slack = self._rounding * np.maximum(np.abs(scores[1:]), np.abs(scores[:-1]))
        starts = np.append(0, np.flatnonzero(np.diff(scores) > slack) + 1)
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
        _, found = self._locate(x)
        return 0.0 if found is None else float(self._merged[1][found])

    def cdf(self, x: float) -> float:
        below, found = self._locate(x)
        index = below if found is None else found
        if index == self._below.size - 1:
            return 1.0
        return 0.0 if index < 0 else float(self._below[index])

    def sf(self, x: float) -> float:
        below, found = self._locate(x)
        index = below if found is None else found
        return 1.0 if index < 0 else float(self._above[index])

    def at_least(self, x: float) -> float:
        below, found = self._locate(x)
        index = below if found is None else found - 1
        return 1.0 if index < 0 else float(self._above[index])

    def ppf(self, q: float) -> float:
        values = self._merged[0]
        index = values.size - 1 if q >= 1 else int(np.searchsorted(self._below, q))
        return float(values[min(index, values.size - 1)])

    def _locate(self, x: float) -> tuple[int, int | None]:
        """Return the last index with a score below x, and the index with score x, if any."""
        values = self._merged[0]
        first = int(np.searchsorted(values, x))
        near = [index for index in (first - 1, first) if 0 <= index < values.size]
        found = _meant(x, values[near].tolist(), self._scale)
        return first - 1, None if found is None else near[found]


def _require_few(law: Hypergeometric) -> None:
    if law.size > MOST_VALUES:
        raise TooManyValuesError(
            f"at most {MOST_VALUES:,} scores can be laid out in memory (got a draw with "
            f"{law.size:,}); ask for single ones with pmf, cdf, sf and ppf of a built-in measure"
        )
