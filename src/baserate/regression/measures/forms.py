"""What the score of shuffled predictions depends on, which decides how its law is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from baserate.exceptions import InvalidMeasureError
from baserate.regression.measures.sums import mean

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Loss = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Products:
    """A score, or its square, that is linear in a covariance, given the numbers of both sides.

    Parameters
    ----------
    left, right
        The numbers whose covariance it is, of the truth and of the predictions.
    slope
        By how much the score grows with the correlation of these numbers, of the truth, the
        predictions and the standard deviations of both numbers.
    rooted
        Whether it is the square of the score that is linear.
    loss
        The loss of an observation, if the score is a mean loss, its root, or the share of it that
        is saved; None if it is another one, as a correlation is.
    """

    left: Callable[[Floats], Floats] = field(repr=False)
    right: Callable[[Floats], Floats] = field(repr=False)
    slope: Callable[[Floats, Floats, float, float], float] = field(repr=False)
    rooted: bool = False
    loss: Loss | None = field(default=None, repr=False)


@dataclass(frozen=True)
class MeanLoss:
    """The mean loss of the observations, or something that is linear in it.

    Parameters
    ----------
    loss
        The loss of a truth and a prediction; arrays of any shapes that fit together.
    free
        The mean loss of the best constant, of the truth, if the score is the share of it that is
        saved: a score that is maximised.
    per
        Of the truth, the numbers by whose mean the mean loss is divided.
    """

    loss: Loss = field(repr=False)
    free: Callable[[Floats], float] | None = field(default=None, repr=False)
    per: Callable[[Floats], Floats] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.free is not None and self.per is not None:
            raise InvalidMeasureError(
                "a share of the best constant's loss is the same whatever both are divided by "
                "(got free and per); leave per out"
            )

    def slope(self, truth: Floats) -> float:
        """Return by how much the score grows with the mean loss."""
        if self.free is not None:
            return -1 / self.free(truth)
        return 1.0 if self.per is None else 1 / mean(self.per(truth))


@dataclass(frozen=True)
class MiddleError:
    """The median absolute error."""


@dataclass(frozen=True)
class LargestError:
    """The largest absolute error."""


@dataclass(frozen=True)
class PairsInOrder:
    """A score that is linear in the pairs in order minus those out of order."""


Form = Products | MeanLoss | MiddleError | LargestError | PairsInOrder
