"""What one more prediction of a class adds to an expected score.

A score that is a sum over the classes of concave functions is best where all gains are the same,
as nearly as whole numbers allow. These formulas leave out factors that all classes share; they
are differences without cancellation, and positive. Their derivation is in decision 36.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from baserate.multiclass.measures.per_class import Average

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.multiclass.measures.forms import Array

    Gain = Callable[[Array, Array, Array], Array]


def f_gain(beta: float, average: Average) -> Gain:
    """Return the gain of Fβ: m / (β²n + m) grows by β²n / ((β²n + m)(β²n + m + 1))."""
    weight = beta * beta  # as in the score

    def gain(hits: Array, n: Array, m: Array) -> Array:  # noqa: ARG001
        reach = (Fraction(weight) if isinstance(n, Fraction) else weight) * n + m
        return _share(average, n) * n * n / (reach * (reach + 1))

    return gain


def jaccard_gain(average: Average) -> Gain:
    """Return the gain of the Jaccard index: n(n - 1) / (u(u - 1)), where u = n + m - h.

    A class of one observation is a case of its own: one prediction is as good as many.
    """

    def gain(hits: Array, n: Array, m: Array) -> Array:
        union = n + m - hits
        below = union * (union - 1)
        is_first = (n == 1) & (m == 0)
        return _share(average, n) * n * (n - 1 + is_first) / (below + (below == 0))

    return gain


def _share(average: Average, n: Array) -> Array:
    return n if average is Average.WEIGHTED else 1
