"""Scores and best constants, from what an engine summed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.constants import NumberOptimum, every, one
from baserate.regression.engine.forms import OfLoss, Other, form_of, needs_rows
from baserate.regression.fit import Fit
from baserate.regression.losses import Shape, shape_of
from baserate.regression.measures.correlations import CONCORDANCE, PEARSON
from baserate.regression.measures.record import TOO_LARGE
from baserate.regression.numbers import Numbers
from baserate.regression.summary import FitSummary, JointSummary, NumbersSummary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.data.engines.overview import Ends
    from baserate.regression.engine.passes import Passes
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.summary import Score

    Floats = NDArray[np.float64]

_NEEDS_ROWS = (
    "it needs all rows, and so many do not leave an engine: evaluate a random sample of the rows"
)


def _two_ends(ends: Ends, mean: float) -> tuple[Floats, Floats]:
    """Return the ends of a column, weighted so that they have its mean.

    That is all that the domain of a measure asks for.
    """
    low, high = ends[:2]
    above = (mean / 2 - low / 2) / (high / 2 - low / 2) if low < high else 0.5  # no overflow
    return np.array([low, high]), np.array([1 - above, above])


@dataclass(frozen=True, eq=False)
class Answers:
    """What is known of all models of a source.

    Parameters
    ----------
    passes
        What the engine answers.
    """

    passes: Passes

    @cached_property
    def test_set(self) -> NumbersSummary:
        """The truth, with the best constants."""
        passes = self.passes
        low, high, _ = passes.ends[0]
        optima = {measure.key: self._optimum(measure) for measure in passes.measures}
        sample = Numbers(passes.sample[0])
        return NumbersSummary(passes.total, low, high, passes.mean(0), optima, sample)

    @cached_property
    def fits(self) -> list[FitSummary]:
        """What each model did."""
        return [self._fit(place) for place in self.passes.models]

    @property
    def joints(self) -> list[JointSummary]:
        """What each pair of models did."""
        return [self._joint(i, j) for i, j in self.passes.pairs]

    def _fit(self, place: int) -> FitSummary:
        passes = self.passes
        low, high, _ = passes.ends[place]
        return FitSummary(
            self.test_set,
            {measure.key: self._score(measure, place) for measure in passes.measures},
            Fit(passes.sample[0], passes.sample[place]),
            low,
            high,
        )

    def _joint(self, i: int, j: int) -> JointSummary:
        passes = self.passes
        differ = round(passes.first[f"differ_{i}_{j}"])
        return JointSummary(self.fits[i - 1], self.fits[j - 1], differ)

    # Scores.

    def _ends(self, place: int) -> tuple[Floats, Floats]:
        return _two_ends(self.passes.ends[place], self.passes.mean(place))

    def _score(self, measure: NumberMeasure, place: int) -> Score:
        reason = measure.no_score_of_truth(*self._ends(0))
        reason = reason or measure.no_score_of_predictions(*self._ends(place))
        if not reason and form_of(measure) is None:
            reason = _NEEDS_ROWS
        if reason:
            return math.nan, reason
        value = self._value(measure, place)
        return (value, "") if math.isfinite(value) else (math.nan, TOO_LARGE)

    def _value(self, measure: NumberMeasure, place: int) -> float:
        form = form_of(measure)
        if isinstance(form, OfLoss):
            return self._of_loss(measure, form, place)
        if form is Other.LARGEST:
            return self.passes.first[f"largest_{place}"]
        if form is Other.MIDDLE:
            return self.passes.middle_error(place)
        return self._of_moments(measure, place)

    def _of_loss(self, measure: NumberMeasure, form: OfLoss, place: int) -> float:
        loss, shape = self.passes.mean_loss(form.name, place), shape_of(measure)
        unit = self.passes.unit if form.is_squared else 1.0
        if shape is Shape.SHARE:
            free = self.passes.mean_loss(form.name, 0)
            return 1 - loss / free if free else math.nan
        return math.sqrt(loss) * unit if shape is Shape.ROOT else loss * unit * unit

    def _of_moments(self, measure: NumberMeasure, place: int) -> float:
        passes = self.passes
        y, z, both, left = (
            passes.second[name] / passes.total
            for name in ("square_0", f"square_{place}", f"product_{place}", f"left_{place}")
        )
        if measure is PEARSON:
            found = both / math.sqrt(y) / math.sqrt(z) if y and z else math.nan
            return min(max(found, -1.0), 1.0)
        if measure is CONCORDANCE:
            shift = passes.mean(0) / passes.unit - passes.mean(place) / passes.unit
            return 2 * both / (y + z + shift * shift) if z else 0.0
        return 1 - left / y if y else math.nan

    # Best constants.

    def _optimum(self, measure: NumberMeasure) -> NumberOptimum | str:
        """Return the best constants and their score, or why there are none."""
        reason = measure.no_score_of_truth(*self._ends(0))
        if reason:
            return f"{measure.key} is undefined: {reason}"
        reason = measure.no_best_constant(*self._ends(0))
        if reason:
            return f"{measure.key} has no best constant: {reason}"
        if measure.constants is None:
            return measure.nothing_for_free()
        if form_of(measure) is None:
            return f"{measure.key} has no best constant: {_NEEDS_ROWS}"
        found = self._best(measure)
        if not math.isfinite(found.value):
            return f"{measure.key} has no best constant: {TOO_LARGE}"
        return replace(found, exact=not needs_rows(measure))

    def _best(self, measure: NumberMeasure) -> NumberOptimum:
        form = form_of(measure)
        if isinstance(form, OfLoss):
            constants = self.passes.constants[form.name]
            return NumberOptimum.of(self._of_loss(measure, form, 0), constants)
        if form is Other.LARGEST:
            low, high, _ = self.passes.ends[0]
            middle = low / 2 + high / 2
            return NumberOptimum.of(max(high - middle, middle - low), one(middle))
        if form is Other.MIDDLE:
            return NumberOptimum.of(self.passes.middle_error(0), self.passes.middle_constants)
        return NumberOptimum.of(0.0, every())
