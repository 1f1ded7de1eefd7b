"""Weights by class: the plain counts tell everything, and what is known of two classes holds.

If all positives have one weight and all negatives another, a weighted score is a function of the
four plain counts. Chance, baselines, limits and comparisons are then those of two classes, for a
measure with another formula, and as exact.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.measures.function import UserFunction
from baserate.binary.measures.under_draw import UnderDraw
from baserate.core.formula import Formula
from baserate.core.rounding import COMPUTATION
from baserate.weighted.shapes import plane_of

if TYPE_CHECKING:
    from baserate.binary.measures.record import Measure
    from baserate.weighted.base import WeightedBase
    from baserate.weighted.measures import WeightedMeasure

# With weights that differ by more, a formula changes too much from one count to the next for an
# expectation to be an integral.
_SMOOTH = 8.0
# Tables that tell whether weights by class change a formula.
_TABLES = np.array([[3.0, 5, 1, 8], [2.0, 1, 7, 4], [1.0, 2, 5, 6], [4.0, 7, 2, 5]])


def classed(measure: WeightedMeasure, base: WeightedBase) -> Measure | None:
    """Return a measure of the plain counts that is the weighted one; None if weights vary.

    Examples
    --------
    >>> from baserate import Confusion, get_measure
    >>> from baserate.weighted.base import WeightedBase
    >>> from baserate.weighted.measures import WeightedMeasure
    >>> base = WeightedBase(np.array([1.0, 4.0]), np.array([0, 5]), np.array([10, 0]))
    >>> accuracy = classed(WeightedMeasure.by(get_measure("ACC")), base)
    >>> accuracy.score(Confusion(tp=4, fp=2, fn=1, tn=8))
    0.8
    """
    weights = base.class_weights
    if weights is None:
        return None
    unit = measure.unit(base)
    return _classed(measure.of, (weights[0] * unit, weights[1] * unit), base)


@lru_cache(maxsize=256)
def _classed(measure: Measure, weights: tuple[float, float], base: WeightedBase) -> Measure:
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


def _is_the_same(measure: Measure, weights: tuple[float, float]) -> bool:
    """Return whether weights by class do not change a formula, as that of balanced accuracy."""
    factors = np.array([weights[0], weights[1], weights[0], weights[1]])[:, np.newaxis]
    factors = np.stack([factors, np.array([3.0, 0.7, 3.0, 0.7])[:, np.newaxis]])
    plain = measure.definition(*_TABLES)
    others = [measure.definition(*(_TABLES * each)) for each in factors]
    return all(np.allclose(plain, each, rtol=COMPUTATION, atol=0) for each in others)
