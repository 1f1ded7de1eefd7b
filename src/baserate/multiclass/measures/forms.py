"""How a score depends on a table whose margins are given: what its distribution needs to know.

The margins are n, how often each class occurs, and m, how often it is predicted. All functions
take arrays whose last axis has the classes, so that many tables are scored at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Array: TypeAlias = Any
"""An array of floats, or of fractions in the tests."""


@dataclass(frozen=True)
class OfTrace:
    """A function of the number of right answers that never falls, or never rises, with it.

    Measures of this form share one p-value.

    Parameters
    ----------
    score
        The score, as a function of the right answers, n and m.
    affine
        Whether it is a straight line: then its expectation is that of the expected answers.
    of_accuracy
        Whether the margins matter by their total only: it is a function of the accuracy.
    """

    score: Callable[[Array, Array, Array], Array]
    affine: bool = True
    of_accuracy: bool = False


@dataclass(frozen=True)
class OfDiagonal:
    """A sum over the classes of a function of the right answers of each.

    Parameters
    ----------
    term
        What a class adds to the score, as a function of its right answers, n and m; the last axis
        has the classes. It needs all n and m, by which the classes are weighed.
    linear
        Whether each term is a line in the right answers of its class.
    of_recalls
        Whether how often each class is predicted does not matter.
    gain
        For `Place.SUM`: what one more prediction of a class adds to the expectation, up to a
        factor that all classes share. It is a function of h, n and m, averaged over h: how many
        of n - 1 observations are hit by m predictions, dealt to all M - 1. If the terms are
        linear, h does not matter, and fractions n and m give a fraction.
    """

    term: Callable[[Array, Array, Array], Array]
    linear: bool = True
    of_recalls: bool = False
    gain: Callable[[Array, Array, Array], Array] | None = None


@dataclass(frozen=True)
class OfCells:
    """A weighted sum of all cells.

    Parameters
    ----------
    weights
        The weight of each cell as a function of n and m, a row per true class, and what is added
        to the sum.
    """

    weights: Callable[[Array, Array], tuple[Floats, float]]


@dataclass(frozen=True)
class OfTable:
    """Any other function of the table; its distribution is enumerated or simulated."""


@dataclass(frozen=True)
class OfProduct(OfTable):
    """A product over the classes of a function of the right answers of each.

    Parameters
    ----------
    factor
        The factor of each class as a function of its right answers, n and m; the last axis has
        the classes.
    """

    factor: Callable[[Array, Array, Array], Array]


Form: TypeAlias = OfTrace | OfDiagonal | OfCells | OfTable
