"""What is computed of one class against the rest, and how classes are averaged."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.multiclass.measures.forms import Array


@dataclass(frozen=True)
class PerClass:
    """A score of one class against the rest.

    Parameters
    ----------
    latex
        The score of class k, from its right answers C_kk, n_k and m_k.
    parts
        The numerator and the denominator.
    linear
        Whether it is a line in the right answers.
    """

    latex: str
    parts: Callable[[Array, Array, Array], tuple[Array, Array]]
    linear: bool = True

    def __call__(self, right: Array, n: Array, m: Array, empty: float) -> Array:
        """Return the score of each class, with a value for those where it is 0/0."""
        above, below = self.parts(right, n, m)
        below = np.broadcast_to(below, np.broadcast_shapes(np.shape(above), np.shape(below)))
        none = below == 0
        return np.where(none, empty, above / np.where(none, 1, below))


PRECISION = PerClass(r"\frac{C_{kk}}{m_k}", lambda right, n, m: (right, m))  # noqa: ARG005
RECALL = PerClass(r"\frac{C_{kk}}{n_k}", lambda right, n, m: (right, n))  # noqa: ARG005
JACCARD = PerClass(
    r"\frac{C_{kk}}{n_k + m_k - C_{kk}}", lambda right, n, m: (right, n + m - right), linear=False
)


def f_beta(beta: float) -> PerClass:
    """Return the Fβ score of a class."""
    weight = beta * beta
    weight = int(weight) if float(weight).is_integer() else weight
    shown = "" if weight == 1 else f"{weight:g}"
    return PerClass(
        rf"\frac{{{1 + weight:g} C_{{kk}}}}{{{shown} n_k + m_k}}",
        lambda right, n, m: ((1 + weight) * right, weight * n + m),
    )


class Average(enum.StrEnum):
    """How the scores of classes are averaged."""

    MACRO = "macro"
    WEIGHTED = "weighted"

    def weights(self, n: Array, m: Array, counted: Array) -> Array:
        """Return the weight of each class: the same, or as often as it occurs.

        Parameters
        ----------
        n, m
            How often each class occurs, and is predicted.
        counted
            Which classes count: those that occur or are predicted, less those without a score.
        """
        shares = counted * (n if self is Average.WEIGHTED else np.ones_like(n + m))
        whole = shares.sum(axis=-1, keepdims=True)
        return shares / np.where(whole == 0, 1, whole)


def averaged(
    per_class: PerClass, average: Average, zero_division: float
) -> Callable[[Array, Array, Array], Array]:
    """Return what each class adds to the average: its weight times its score.

    Parameters
    ----------
    per_class
        The score of a class.
    average
        How classes are weighed.
    zero_division
        The score of a class where it is 0/0: 0, 1, or nan to leave the class out.
    """

    def terms(right: Array, n: Array, m: Array) -> Array:
        scores = per_class(right, n, m, zero_division)
        counted = np.broadcast_to(n + m > 0, np.shape(scores))
        if math.isnan(zero_division):
            below: Any = per_class.parts(right, n, m)[1]
            counted = counted & (below != 0)
            scores = np.where(counted, scores, 0)
        return average.weights(n, m, counted) * scores

    return terms
