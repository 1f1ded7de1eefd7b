"""Which weighted scores are linear in what is predicted positive.

On a test set the weights of the true and of the false positives determine a table. If a score is
linear in both, its expectation has a closed form, and it is a random sum when predictions are
shuffled.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.binary.measures.affine import by_symbols
from baserate.binary.measures.function import UserFunction
from baserate.core.rounding import COMPUTATION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from baserate.binary.measures.record import Measure
    from baserate.weighted.base import WeightedBase

# A test set to try formulas on, and some tables of it: the first three determine a plane.
_POSITIVES, _NEGATIVES = 7, 5
_TRIED = ((0, 0), (7, 0), (0, 5), (7, 5), (2, 1), (3, 4), (6, 2), (1, 5), (4, 4))
# Tables that confirm what a user's function did with symbols.
_TABLES = 16


class Plane(NamedTuple):
    """A number that is linear in the weights of the true and of the false positives."""

    constant: float
    tp: float
    fp: float


def plane_of(measure: Measure, base: WeightedBase) -> Plane | None:
    """Return a measure as a linear function; None if it is not one.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.weighted.base import WeightedBase
    >>> base = WeightedBase(np.array([1.0, 3.0]), np.array([1, 1]), np.array([4, 0]))
    >>> plane_of(get_measure("TPR"), base)
    Plane(constant=0.0, tp=0.25, fp=0.0)
    """
    function = measure.definition.function
    if isinstance(function, UserFunction):
        return _of_function(function, base)
    if not _is_linear(measure):
        return None
    totals = base.positive_weight, base.negative_weight
    return _plane(lambda tp, fp: measure.definition(*_cells(tp, fp, totals)), totals)


def _cells(tp: Any, fp: Any, totals: tuple[Any, Any]) -> tuple[Any, Any, Any, Any]:
    return tp, fp, totals[0] - tp, totals[1] - fp


def _plane(value: Callable[[Any, Any], Any], totals: tuple[Any, Any]) -> Plane:
    """Return a linear function from its values at three corners."""
    zero = totals[0] * 0
    constant = value(zero, zero)
    slopes = [
        float((value(*corner) - constant) / total) if total else 0.0
        for corner, total in (((totals[0], zero), totals[0]), ((zero, totals[1]), totals[1]))
    ]
    return Plane(float(constant), *slopes)


@lru_cache(maxsize=256)
def _is_linear(measure: Measure) -> bool:
    """Return whether a formula is linear: in fractions, at some tables."""
    totals = Fraction(_POSITIVES), Fraction(_NEGATIVES)
    values = [
        measure.definition(*_cells(Fraction(tp), Fraction(fp), totals))
        for tp, fp in _TRIED
        if _is_defined(measure, tp, fp)
    ]
    if len(values) < len(_TRIED) or not all(isinstance(each, Fraction) for each in values):
        return False
    return _is_flat(values)


def _is_defined(measure: Measure, tp: int, fp: int) -> bool:
    margins = SimpleNamespace(
        tp=tp,
        fp=fp,
        positives=_POSITIVES,
        negatives=_NEGATIVES,
        predicted_positives=tp + fp,
        predicted_negatives=_POSITIVES + _NEGATIVES - tp - fp,
        total=_POSITIVES + _NEGATIVES,
    )
    return all(need.holds(margins) for need in measure.requirements)  # type: ignore[arg-type]


def _is_flat(values: Iterable[Fraction]) -> bool:
    """Return whether values at the tables that are tried lie on a plane."""
    first, second, third, *others = values
    slopes = (second - first) / _POSITIVES, (third - first) / _NEGATIVES
    return all(
        value == first + slopes[0] * tp + slopes[1] * fp
        for value, (tp, fp) in zip(others, _TRIED[3:], strict=True)
    )


def _of_function(function: UserFunction, base: WeightedBase) -> Plane | None:
    """Return a user's function as a linear one, if it only adds and scales."""
    totals = base.positive_weight, base.negative_weight
    rate = SimpleNamespace(positives=totals[0], negatives=totals[1])
    found = by_symbols(function.function, rate)  # type: ignore[arg-type]
    if found is None:
        return None
    plane = Plane(float(found.constant), float(found.tp), float(found.fp))
    return plane if _is_confirmed(plane, function, totals) else None


def _is_confirmed(plane: Plane, function: UserFunction, totals: tuple[float, float]) -> bool:
    size = abs(plane.constant) + abs(plane.tp) * totals[0] + abs(plane.fp) * totals[1]
    shares = np.random.default_rng(0).random((_TABLES, 2)).tolist()
    for one, other in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), *shares):
        tp, fp = one * totals[0], other * totals[1]
        value = function(*_cells(tp, fp, totals))
        expected = plane.constant + plane.tp * tp + plane.fp * fp
        if not math.isfinite(value) or abs(value - expected) > 4 * COMPUTATION * size:
            return False
    return True
