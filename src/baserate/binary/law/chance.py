"""Could it be luck? A model, compared with draws that have as many positive predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.law.hypergeometric import Hypergeometric
from baserate.binary.law.score_distribution import ScoreDistribution
from baserate.binary.law.short_laws import ShortLaws
from baserate.core.direction import Direction
from baserate.core.law import Tails
from baserate.core.rounding import COMPUTATION
from baserate.data.counting import four_counts
from baserate.exceptions import TooManyValuesError, UndefinedMeasureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.confusion import Confusion
    from baserate.binary.measures.record import Measure

    Floats = NDArray[np.float64]

CENTRAL = (0.025, 0.975)
"""The levels between which luck is expected to stay, unless told otherwise."""
# A law with more scores than this is represented by those that matter.
_MANY_VALUES = 10_000
# The scores that do not matter are less likely than this, all together.
_LEFT_OUT = 1e-15


def tails(tables: Sequence[Confusion]) -> list[Tails]:
    """Return P(TP ≥ tp) and P(TP ≤ tp) of each table."""
    better, worse = np.full((2, len(tables)), np.nan)
    places, tp, laws = ShortLaws.among(tables)
    better[places], worse[places] = laws.at_least(tp), laws.at_most(tp)
    for place in np.flatnonzero(np.isnan(better)).tolist():
        law, tp_here = Chance.of(tables[place]).true_positives, tables[place].tp
        better[place], worse[place] = law.sf(tp_here - 1), law.cdf(tp_here)
    return list(map(Tails, better.tolist(), worse.tolist()))


def chances(tables: Sequence[Confusion], levels: tuple[float, float] = CENTRAL) -> list[Chance]:
    """Return the distribution of luck for each table, given its number of positive predictions."""
    places, _, laws = ShortLaws.among(tables)
    (low, is_low), (high, is_high) = laws.quantiles(*levels)
    certain = is_low & is_high
    ends = zip(low[certain].tolist(), high[certain].tolist(), strict=True)
    known = dict(zip(places[certain].tolist(), ends, strict=True))
    return [Chance.of(table, levels, known.get(place)) for place, table in enumerate(tables)]


@dataclass(frozen=True)
class Chance:
    """The results of chance alone, with a given number of positive predictions.

    Parameters
    ----------
    base_rate
        The test set.
    predicted_positives
        The number of positive predictions.
    levels
        The quantiles between which luck is expected to stay, from bad to good.
    known
        These quantiles of TP, if already found.
    """

    base_rate: BaseRate
    predicted_positives: int
    levels: tuple[float, float] = CENTRAL
    known: tuple[int, int] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        table: Confusion,
        levels: tuple[float, float] = CENTRAL,
        known: tuple[int, int] | None = None,
    ) -> Chance:
        """Return the draws with as many positive predictions as a model."""
        return cls(table.base_rate, table.predicted_positives, levels, known)

    @cached_property
    def true_positives(self) -> Hypergeometric:
        """The law of TP in a draw of this size."""
        return Hypergeometric(self.base_rate, self.predicted_positives)

    def luck_interval(self, measure: Measure) -> tuple[float, float]:
        """Return between which scores luck stays; nan where it has no law, or one too long."""
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
        low, high = self.levels
        return self.true_positives.ppf(low), self.true_positives.ppf(high)

    def tails(self, measure: Measure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has no law.

        Measures that are monotone share `tails`. Where only the counts that matter are laid
        out, what is left out is added, so that a chance is too large by at most 1e-15.
        """
        better = measure.direction
        return Tails(*(self._tail(measure, score, each) for each in (better, better.opposite)))

    def is_exact(self, measure: Measure) -> bool:  # noqa: ARG002
        """Return True: every chance is a sum over the counts that matter."""
        return True

    def _tail(self, measure: Measure, score: float, direction: Direction) -> float:
        if math.isnan(score):
            return math.nan
        if self._is_long:
            scores, masses = self._window(measure)
            if not np.isfinite(scores).all():
                return math.nan
            reached = _reached(scores, score, direction, measure)
            return min(float(masses[reached].sum()) + _LEFT_OUT, 1.0)
        law = self._law(measure)
        return math.nan if law is None else law.tail(score, direction)

    def _interval_of_any(self, measure: Measure) -> tuple[float, float]:
        if self._is_long:
            return self._interval_of_window(measure)
        law = self._law(measure)
        if law is None:
            return math.nan, math.nan
        low, high = self._levels_of_score(measure)
        return law.ppf(low), law.ppf(high)

    def _levels_of_score(self, measure: Measure) -> tuple[float, float]:
        """Return the levels in the order of the scores."""
        low, high = self.levels
        return (low, high) if measure.direction is Direction.MAXIMIZE else (1 - high, 1 - low)

    @property
    def _is_long(self) -> bool:
        """Whether there are too many counts to lay all of them out, and few that matter."""
        return self.true_positives.size > _MANY_VALUES and self.true_positives.is_narrow

    def _law(self, measure: Measure) -> ScoreDistribution | None:
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
        ends = np.searchsorted(below, self._levels_of_score(measure))
        low, high = scores[order][ends]
        return float(low), float(high)


def _reached(
    scores: Floats, score: float, direction: Direction, measure: Measure
) -> NDArray[np.bool_]:
    """Return which scores lie at one of them or further in a direction, up to rounding."""
    slack = COMPUTATION * measure.magnitude(float(np.abs(scores).max()))
    if direction is Direction.MAXIMIZE:
        return np.asarray(scores >= score - slack)
    return np.asarray(scores <= score + slack)
