"""Measures of two classes whose observations matter more or less."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Formula, Measure
from baserate.measures.affine import by_symbols
from baserate.measures.two_classes_record import UnderDraw, UserFunction
from baserate.observed.weighted import WeightedLabels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.weighted import WeightedBase

    Floats = NDArray[np.float64]


# The share of each class that is predicted positive in tables that tell whether a score is linear:
# the first three determine a plane.
_SHARES = np.concatenate(
    [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], np.random.default_rng(0).random((16, 2))]
)


class Plane(NamedTuple):
    """A number that is linear in the weights of the true and of the false positives."""

    constant: float
    tp: float
    fp: float


@lru_cache(maxsize=256)
def plane_of(measure: TwoClassMeasure, base: WeightedBase) -> Plane | None:
    """Return a measure as a linear function; None if it is not one."""
    function, totals = measure.definition.function, (base.positive_weight, base.negative_weight)
    tp, fp = _SHARES.T * np.array(totals)[:, np.newaxis]
    plane = None
    if isinstance(function, UserFunction):  # some tables alone do not tell
        rate: Any = SimpleNamespace(positives=totals[0], negatives=totals[1])
        found = by_symbols(function.function, rate)
        if found is None:
            return None
        plane = Plane(float(found.constant), float(found.tp), float(found.fp))
    values = measure.scores(tp, fp, totals[0] - tp, totals[1] - fp)
    if plane is None:
        constant, *corners = values[:3].tolist()
        slopes = [
            (value - constant) / total if total else 0.0
            for value, total in zip(corners, totals, strict=True)
        ]
        plane = Plane(constant, *slopes)
    size = abs(plane.constant) + abs(plane.tp) * totals[0] + abs(plane.fp) * totals[1]
    apart = np.abs(values - (plane.constant + plane.tp * tp + plane.fp * fp))
    return plane if (apart <= 4 * COMPUTATION * size).all() else None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WeightedMeasure(Measure[WeightedLabels]):
    """A measure of labels, of the weights of the four cells in place of their counts."""

    takes = (WeightedLabels,)
    counted_by = "ConfusionMatrix.of(y_true, y_pred)"

    of: TwoClassMeasure

    # Draws with as many positive predictions differ in two numbers, so that no measures share a p.
    monotone = False

    @classmethod
    def by(cls, measure: TwoClassMeasure) -> WeightedMeasure:
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

    def score_or_reason(self, observed: WeightedLabels) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        failing = self.of.failing_requirement(observed.table)
        if failing is not None:
            return math.nan, f"it needs {failing} (got {failing.evidence(observed.table)})"
        unit = self.unit(observed.test_set)
        score = float(self.of.definition(*(cell * unit for cell in observed.counts)))
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
        return plane_of(self.of, base)

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""
        self.of.require_baseline()


@lru_cache(maxsize=256)
def _made(measure: TwoClassMeasure) -> WeightedMeasure:
    return WeightedMeasure(**(measure.declared | {"rounds": True}), of=measure)


# With weights that differ by more, a formula changes too much from one count to the next for an
# expectation to be an integral.
_SMOOTH = 8.0
# Tables that tell whether weights by class change a formula.
_SOME_TABLES = np.array([[3.0, 5, 1, 8], [2.0, 1, 7, 4], [1.0, 2, 5, 6], [4.0, 7, 2, 5]])


def classed(measure: WeightedMeasure, base: WeightedBase) -> TwoClassMeasure | None:
    """Return a measure of the plain counts that is the weighted one; None if weights vary."""
    weights = base.class_weights
    if weights is None:
        return None
    unit = measure.unit(base)
    return _classed(measure.of, (weights[0] * unit, weights[1] * unit), base)


@lru_cache(maxsize=256)
def _classed(
    measure: TwoClassMeasure, weights: tuple[float, float], base: WeightedBase
) -> TwoClassMeasure:
    function: Any = measure.definition.function
    one, other = weights
    is_formula = not isinstance(function, UserFunction)
    if is_formula and (one == other) and not measure.counts:
        return measure
    if is_formula and _is_the_same(measure, weights):
        return measure

    def weighted(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        inner = function if is_formula else function.function
        return inner(one * tp, other * fp, one * fn, other * tn)

    kernel: Any = weighted
    if not is_formula or plane_of(measure, base) is not None:
        # What only adds and scales is recognised, and has closed forms.
        is_vectorised = is_formula or function.vectorised
        kernel = UserFunction(measure.key, weighted, vectorised=is_vectorised)
    return replace(
        measure,
        definition=Formula(measure.definition.latex, kernel),
        draw=UnderDraw(),
        proportion=None,
        level=None,
        smooth=measure.smooth and 1 / _SMOOTH <= one / other <= _SMOOTH,
        rounds=True,
    )


def _is_the_same(measure: TwoClassMeasure, weights: tuple[float, float]) -> bool:
    """Return whether weights by class do not change a formula, as that of balanced accuracy."""
    factors = np.array([weights[0], weights[1], weights[0], weights[1]])[:, np.newaxis]
    factors = np.stack([factors, np.array([3.0, 0.7, 3.0, 0.7])[:, np.newaxis]])
    plain = measure.definition(*_SOME_TABLES)
    others = [measure.definition(*(_SOME_TABLES * each)) for each in factors]
    return all(np.allclose(plain, each, rtol=COMPUTATION, atol=0) for each in others)
