"""Could it be luck? A model, compared with its own predictions dealt at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.core.law import Tails
from baserate.exceptions import UndefinedMeasureError
from baserate.multiclass.law.score_law import law_of
from baserate.multiclass.measures.agreement import ACCURACY

if TYPE_CHECKING:
    from baserate.multiclass.law.score_law import ScoreLaw
    from baserate.multiclass.matrix import ConfusionMatrix
    from baserate.multiclass.measures.record import ClassMeasure


@dataclass(frozen=True, eq=False)
class ClassChance:
    """What the predictions of a model score when they are dealt at random.

    Parameters
    ----------
    table
        What the model did.
    levels
        The quantiles between which luck is expected to stay, from bad to good.
    """

    table: ConfusionMatrix
    levels: tuple[float, float]

    def tails(self, measure: ClassMeasure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has no law."""
        law = self._law(measure)
        if law is None or math.isnan(score):
            return Tails(math.nan, math.nan)
        return law.tails(score, measure.direction)

    def luck_interval(self, measure: ClassMeasure) -> tuple[float, float]:
        """Return between which scores luck stays; nan where it has no law."""
        law = self._law(measure)
        if law is None:
            return math.nan, math.nan
        low, high = self.levels
        is_maximized = measure.direction is Direction.MAXIMIZE
        return law.quantiles((low, high) if is_maximized else (1 - high, 1 - low))

    def is_exact(self, measure: ClassMeasure) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""
        law = self._law(measure)
        return law is None or law.exact

    def _law(self, measure: ClassMeasure) -> ScoreLaw | None:
        if measure not in self._laws:
            margins = self.table.true_counts.tolist(), self.table.predicted_counts.tolist()
            self._laws[measure] = _laid_out(law_of(measure, *margins))
        return self._laws[measure]

    @cached_property
    def _laws(self) -> dict[ClassMeasure, ScoreLaw | None]:
        return {}


def _laid_out(law: ScoreLaw) -> ScoreLaw | None:
    """Return a law after its tables are scored; None if one of them has no score."""
    try:
        _ = law.exact
    except UndefinedMeasureError:
        return None
    return law


def shared_tails(table: ConfusionMatrix) -> Tails:
    """Return the chances of as many right answers, and of as few: many measures share them."""
    score, _ = ACCURACY.score_or_reason(table)
    return ClassChance(table, (0.025, 0.975)).tails(ACCURACY, score)
