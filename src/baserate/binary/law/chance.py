"""Could it be luck? A model, compared with draws that have as many positive predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.law.hypergeometric import Hypergeometric, cells_of
from baserate.binary.law.score_distribution import ScoreDistribution
from baserate.binary.law.short_laws import ShortLaws
from baserate.exceptions import InvalidMeasureError, TooManyValuesError, UndefinedMeasureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.confusion import Confusion
    from baserate.binary.measures.record import Measure

# The central range in which luck is expected to stay.
CONFIDENCE = 0.95
_TAIL = (1 - CONFIDENCE) / 2
# A law with more scores than this is represented by those that matter.
_MANY_VALUES = 10_000


def p_value(table: Confusion) -> float:
    """Return the probability that a random draw does at least as well as the model.

    The draw has as many positive predictions as the model. Every measure of the catalogue then
    improves with each true positive, so one p-value serves all: the one-sided Fisher exact test,
    or a permutation test over all permutations.

    Parameters
    ----------
    table
        The model's confusion table.

    Returns
    -------
    float
        A probability with full relative precision, however small.

    Examples
    --------
    >>> from baserate import Confusion
    >>> round(p_value(Confusion(tp=12, fp=3, fn=2, tn=13)), 6)
    0.000339
    """
    return p_values([_require_table(table)])[0]


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
        """Return the central 95% of the score; nan if it has no law, or one that is too long."""
        if measure.is_custom:
            return self._interval_of_any(measure)
        # For these margins a built-in measure is monotone in TP.
        first, last = (self._score(measure, tp) for tp in self.known or self._central)
        return (first, last) if first <= last else (last, first)

    def _score(self, measure: Measure, tp: int) -> float:
        cells = cells_of(self.base_rate, self.predicted_positives, tp)
        return float(measure.definition(*cells))

    @cached_property
    def _central(self) -> tuple[int, int]:
        return self.true_positives.ppf(_TAIL), self.true_positives.ppf(1 - _TAIL)

    def _interval_of_any(self, measure: Measure) -> tuple[float, float]:
        if self.true_positives.size > _MANY_VALUES and self.true_positives.is_narrow:
            return self._interval_of_window(measure)
        try:
            law = ScoreDistribution(measure, self.base_rate, self.predicted_positives)
            return law.interval(CONFIDENCE)
        except (TooManyValuesError, UndefinedMeasureError):
            return math.nan, math.nan

    def _interval_of_window(self, measure: Measure) -> tuple[float, float]:
        """Return the interval from the counts that matter, when there are too many in all."""
        first, masses = self.true_positives.window()
        tp = np.arange(first, first + masses.size)
        cells = (cell.astype(float) for cell in self.true_positives.cells(tp))
        scores = measure.scores(*cells)
        if not np.isfinite(scores).all():
            return math.nan, math.nan
        order = np.argsort(scores, kind="stable")
        below = np.cumsum(masses[order])
        ends = np.searchsorted(below, [_TAIL, 1 - _TAIL])
        low, high = scores[order][ends]
        return float(low), float(high)


def _require_table(table: Confusion) -> Confusion:
    from baserate.binary.confusion import Confusion

    if not isinstance(table, Confusion):
        raise InvalidMeasureError.not_a_table("p_value", table)
    return table
