"""Which numbers leave a measure without a score, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from baserate.regression.measures.sums import are_equal, mean, of_usual_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Reason(Protocol):
    """Why numbers leave a measure without a score."""

    def __call__(self, numbers: Floats, weights: Floats | None = None) -> str:
        """Return the reason in words; nothing if there is none."""


def no_reason(numbers: Floats, weights: Floats | None = None) -> str:  # noqa: ARG001
    """Return nothing: numbers of any kind have a score."""
    return ""


def above(limit: float, what: str) -> Reason:
    """Return what is said of numbers that are not all above a limit.

    Examples
    --------
    >>> import numpy as np
    >>> above(0, "prediction")(np.array([1.0, 0, -2]))
    'every prediction must be above 0, and the lowest is -2'
    """
    return lambda numbers, weights=None: (  # noqa: ARG005
        ""
        if numbers.min() > limit
        else f"every {what} must be above {limit:g}, and the lowest is {numbers.min():.6g}"
    )


def at_least(limit: float, what: str) -> Reason:
    """Return what is said of numbers that are not all at least a limit."""
    return lambda numbers, weights=None: (  # noqa: ARG005
        ""
        if numbers.min() >= limit
        else f"every {what} must be at least {limit:g}, and the lowest is {numbers.min():.6g}"
    )


def different_truths(numbers: Floats, weights: Floats | None = None) -> str:  # noqa: ARG001
    """Say that all true numbers are the same, if they are."""
    if numbers.size == 1:
        return "there is one observation, and no spread of the truth to explain"
    return "all true numbers are the same, and there is no spread to explain" * are_equal(numbers)


def different_predictions(numbers: Floats, weights: Floats | None = None) -> str:  # noqa: ARG001
    """Say that all predictions are the same, if they are."""
    return "all predictions are the same" * are_equal(numbers)


def positive_mean(numbers: Floats, weights: Floats | None = None) -> str:
    """Say that constants above 0 get better without end towards 0, if they do."""
    size = float(np.abs(numbers).max())  # so that no sum is too large
    heavy = None if weights is None else of_usual_size(weights)
    if size > 0 and mean(numbers / size, heavy) > 0:
        return ""
    return "the mean of the truth must be above 0, as otherwise the lower a constant, the better"


def both(first: Reason, second: Reason) -> Reason:
    """Return what is said if one of two does not hold."""
    return lambda numbers, weights=None: first(numbers, weights) or second(numbers, weights)
