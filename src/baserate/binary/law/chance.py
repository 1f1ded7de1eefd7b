"""Could it be luck? A model, compared with draws that have as many positive predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from baserate.binary.calls import tabled
from baserate.binary.law.hypergeometric import Hypergeometric
from baserate.binary.law.score_distribution import ScoreDistribution
from baserate.binary.law.short_laws import ShortLaws
from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.data.counting import four_counts
from baserate.exceptions import TooManyValuesError, UndefinedMeasureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.confusion import Confusion
    from baserate.binary.measures.record import Measure
    from baserate.core.law import Law
    from baserate.data.labels import Labels

    Floats = NDArray[np.float64]

# The draws between which luck is expected to stay.
CONFIDENCE = 0.95
_TAIL = (1 - CONFIDENCE) / 2
# A law with more scores than this is represented by those that matter.
_MANY_VALUES = 10_000
# The scores that do not matter are less likely than this, all together.
_LEFT_OUT = 1e-15


@overload
def p_value(
    y_true: Labels,
    y_pred: Labels,
    measure: str | Measure | None = None,
    *,
    pos_label: object = None,
) -> float: ...
@overload
def p_value(table: Confusion, measure: str | Measure | None = None) -> float: ...
# The forms call their first argument by different names, which mypy does not follow.
def p_value(  # type: ignore[misc]
    y_true: Any = None,
    y_pred: Any = None,
    measure: Any = None,
    *,
    pos_label: object = None,
    table: Any = None,
) -> float:
    """Return the probability that a random draw does at least as well as the model.

    The draw has as many positive predictions as the model. Every measure of the catalogue then
    improves with each true positive, so one p-value serves all: the one-sided Fisher exact test,
    or a permutation test over all permutations.

    Parameters
    ----------
    y_true, y_pred
        The true and the predicted labels.
    measure
        A measure or its name. It matters only for a measure of your own, which need not improve
        with each true positive.
    pos_label
        The positive class. It may be left out when the labels are 0/1, -1/1 or booleans.
    table
        The model's confusion table, in place of both columns of labels.

    Returns
    -------
    float
        A probability with full relative precision, however small; nan if a measure of your own has
        no score here, or too many to lay out.

    Examples
    --------
    >>> round(p_value([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]), 3)
    0.143
    >>> from baserate import Confusion
    >>> round(p_value(Confusion(tp=12, fp=3, fn=2, tn=13)), 6)
    0.000339
    """
    found, asked = tabled("p_value", (y_true, y_pred, measure), pos_label=pos_label, table=table)
    if asked is None or asked.monotone:
        return p_values([found])[0]
    return Chance.of(found).p_value(asked, asked.score(found))


def p_values(tables: Sequence[Confusion]) -> list[float]:
    """Return the p-value of each table."""
    found = np.full(len(tables), np.nan)
    places, tp, laws = ShortLaws.among(tables)
    found[places] = laws.at_least(tp)
    for place in np.flatnonzero(np.isnan(found)).tolist():
        law = Chance.of(tables[place]).true_positives
        found[place] = law.sf(tables[place].tp - 1)
    return found.tolist()


def chances(tables: Sequence[Confusion]) -> list[Chance]:
    """Return the distribution of luck for each table, given its number of positive predictions."""
    places, _, laws = ShortLaws.among(tables)
    (low, is_low), (high, is_high) = laws.quantiles(_TAIL, 1 - _TAIL)
    certain = is_low & is_high
    ends = zip(low[certain].tolist(), high[certain].tolist(), strict=True)
    known = dict(zip(places[certain].tolist(), ends, strict=True))
    return [Chance.of(table, known.get(place)) for place, table in enumerate(tables)]


@dataclass(frozen=True)
class Chance:
    """The results of chance alone, with a given number of positive predictions.

    Parameters
    ----------
    base_rate
        The test set.
    predicted_positives
        The number of positive predictions.
    known
        The central 95% of TP, if already found.
    """

    base_rate: BaseRate
    predicted_positives: int
    known: tuple[int, int] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, table: Confusion, known: tuple[int, int] | None = None) -> Chance:
        """Return the draws with as many positive predictions as a model."""
        return cls(table.base_rate, table.predicted_positives, known)

    @cached_property
    def true_positives(self) -> Hypergeometric:
        """The law of TP in a draw of this size."""
        return Hypergeometric(self.base_rate, self.predicted_positives)

    def luck_interval(self, measure: Measure) -> tuple[float, float]:
        """Return the central 95% of the score; nan where it has no law, or one too long."""
        if not measure.monotone:
            return self._interval_of_any(measure)
        first, last = (self._score(measure, tp) for tp in self.known or self._central)
        return (first, last) if first <= last else (last, first)

    def _score(self, measure: Measure, tp: int) -> float:
        rate = self.base_rate
        cells = four_counts(tp, rate.positives, rate.negatives, self.predicted_positives)
        return float(measure.definition(*cells))

    @cached_property
    def _central(self) -> tuple[int, int]:
        return self.true_positives.ppf(_TAIL), self.true_positives.ppf(1 - _TAIL)

    def p_value(self, measure: Measure, score: float) -> float:
        """Return the chance of a score at least as good; nan where it has no law, or one too long.

        Measures that are monotone share `p_values`. Where only the counts that matter are laid
        out, what is left out is added, so that it is too large by at most 1e-15.
        """
        if math.isnan(score):
            return math.nan
        if self._is_long:
            scores, masses = self._window(measure)
            if not np.isfinite(scores).all():
                return math.nan
            return min(float(masses[_as_good(scores, score, measure)].sum()) + _LEFT_OUT, 1.0)
        law = self._law(measure)
        return math.nan if law is None else law.tail(score, measure.direction)

    def _interval_of_any(self, measure: Measure) -> tuple[float, float]:
        if self._is_long:
            return self._interval_of_window(measure)
        law = self._law(measure)
        return (math.nan, math.nan) if law is None else law.interval(CONFIDENCE)

    @property
    def _is_long(self) -> bool:
        """Whether there are too many counts to lay all of them out, and few that matter."""
        return self.true_positives.size > _MANY_VALUES and self.true_positives.is_narrow

    def _law(self, measure: Measure) -> Law | None:
        """Return the law of a score, if it has one that can be laid out."""
        try:
            law = ScoreDistribution(measure, self.base_rate, self.predicted_positives)
            law.support()
        except (TooManyValuesError, UndefinedMeasureError):
            return None
        return law

    def _window(self, measure: Measure) -> tuple[Floats, Floats]:
        """Return the scores of the counts that matter, and their masses."""
        first, masses = self.true_positives.window()
        tp = np.arange(first, first + masses.size)
        cells = (cell.astype(float) for cell in self.true_positives.cells(tp))
        return measure.scores(*cells), masses

    def _interval_of_window(self, measure: Measure) -> tuple[float, float]:
        scores, masses = self._window(measure)
        if not np.isfinite(scores).all():
            return math.nan, math.nan
        order = np.argsort(scores, kind="stable")
        below = np.cumsum(masses[order])
        ends = np.searchsorted(below, [_TAIL, 1 - _TAIL])
        low, high = scores[order][ends]
        return float(low), float(high)


def _as_good(scores: Floats, score: float, measure: Measure) -> NDArray[np.bool_]:
    """Return which scores are at least as good as one of them, up to rounding."""
    slack = COMPUTATION * measure.magnitude(float(np.abs(scores).max()))
    if measure.direction is Direction.MAXIMIZE:
        return np.asarray(scores >= score - slack)
    return np.asarray(scores <= score + slack)
