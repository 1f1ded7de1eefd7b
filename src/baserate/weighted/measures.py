"""Measures of labels, of the weighted counts of a table."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.measures.function import UserFunction
from baserate.core.measure import AnyMeasure
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureWarning
from baserate.weighted.labels import WeightedLabels
from baserate.weighted.shapes import plane_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure
    from baserate.weighted.base import WeightedBase
    from baserate.weighted.shapes import Plane

    Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WeightedMeasure(AnyMeasure[WeightedLabels]):
    """A measure of labels, of the weights of the four cells in place of their counts.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy
        As of the measure of labels.
    of
        The measure of labels.

    Examples
    --------
    >>> from baserate import get_measure
    >>> f1 = WeightedMeasure.by(get_measure("F1"))
    >>> f1.score(WeightedLabels.of_rows([1, 1, 0], [1, 0, 1], [2.0, 1.0, 1.0]))
    0.6666666666666666
    """

    of: Measure

    # Draws with as many positive predictions differ in two numbers, so that no measures share a p.
    monotone = False

    @classmethod
    def by(cls, measure: Measure) -> WeightedMeasure:
        """Return a measure of labels for weighted counts."""
        return _made(measure)

    @cached_property
    def is_scale_free(self) -> bool:
        """Whether twice the weights are known to give the same score."""
        is_formula = not isinstance(self.of.definition.function, UserFunction)
        return is_formula and not self.counts

    def unit(self, base: WeightedBase) -> float:
        """Return a power of 2 that weights are multiplied with, so that products stay in range."""
        return 2.0 ** -math.frexp(float(base.weights[-1]))[1] if self.is_scale_free else 1.0

    def on(self, base: WeightedBase) -> WeightedBase:
        """Return a test set with weights in the unit of the measure."""
        unit = self.unit(base)
        return base if unit == 1.0 else base.scaled(unit)

    def score(self, table: WeightedLabels, undefined: float = math.nan) -> float:
        """Score weighted labels; a warning says if there is no score."""
        if not isinstance(table, WeightedLabels):
            raise InvalidMeasureError.not_a_table(self.key, table)
        score, reason = self.score_or_reason(table)
        if not reason:
            return score
        warnings.warn(f"{self.key} is undefined: {reason}", UndefinedMeasureWarning, stacklevel=2)
        return undefined

    def score_or_reason(self, observed: WeightedLabels) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        failing = self.of.failing_requirement(observed.table)
        if failing is not None:
            return math.nan, f"it needs {failing} (got {failing.evidence(observed.table)})"
        cells = observed.counts.scaled(self.unit(observed.test_set))
        score = float(self.of.definition(*cells))
        if not math.isfinite(score):
            return math.nan, f"its function has no value at {observed.counts}"
        return score, ""

    def scores(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
        """Score arrays of weighted counts; nan where there is no score."""
        found = self.of.scores(tp, fp, fn, tn)
        # An MCC of 1 may be 1 + 2e-16.
        within = np.clip(found, self.codomain.lower, self.codomain.upper)
        return np.where(np.isfinite(found), within, np.nan)

    def plane(self, base: WeightedBase) -> Plane | None:
        """Return how the score depends on what is predicted positive, if it is linear."""
        return _plane(self.of, base)

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""
        self.of.require_baseline()


@lru_cache(maxsize=256)
def _plane(measure: Measure, base: WeightedBase) -> Plane | None:
    return plane_of(measure, base)


@lru_cache(maxsize=256)
def _made(measure: Measure) -> WeightedMeasure:
    return WeightedMeasure(**(measure.declared | {"rounds": True}), of=measure)
