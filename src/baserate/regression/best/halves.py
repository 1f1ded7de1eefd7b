"""The best constants for the median and for the largest absolute error."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.core.rounding import FORMULA
from baserate.regression.best.quantiles import running_sums
from baserate.regression.constants import Constants, joined, one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def middle_of(low: Floats, high: Floats) -> Floats:
    """Return the numbers in the middle, which neither overflow nor leave the two ends."""
    return low / 2 + high / 2


def midrange(values: Floats, weights: Floats | None = None) -> Constants:  # noqa: ARG001
    """Return the constant with the least largest error, whatever the numbers weigh."""
    return one(float(values[0]) / 2 + float(values[-1]) / 2)


def shortest_halves(values: Floats, weights: Floats | None = None) -> Constants:
    """Return all constants with the least median absolute error, of numbers in ascending order.

    The best score is half the length of the shortest range [a, b] that holds more than half of
    the weight, and the constant in its middle has it. If exactly half of the weight is up to an
    error, the median is the mean of this error and the next. So constants beside the middle, whose
    errors of a and b have the same mean, have the best score too as long as at least half of the
    weight is within the smaller of both.

    Examples
    --------
    >>> import numpy as np
    >>> shortest_halves(np.array([1.0, 2, 3, 10, 100])), shortest_halves(np.array([1.0, 2]))
    ((ConstantSet(low=2.0, high=2.0),), (ConstantSet(low=1.0, high=2.0),))
    """
    values, spans = (values, _spans(values.size)) if weights is None else _weighed(values, weights)
    first, last = values[spans.first], values[spans.last]
    lengths = last / 2 - first / 2
    # Ends are rounded already: lengths that should be equal differ in the last places of them.
    slack = FORMULA * max(abs(float(values[0])), abs(float(values[-1])))
    found = np.flatnonzero(lengths <= lengths.min() + min(slack, FORMULA * lengths.min() * 2**20))
    low = middle_of(first[found], values[spans.from_first[found]])
    high = middle_of(values[spans.from_last[found]], last[found])
    return joined(sorted(zip(low.tolist(), high.tolist(), strict=True)))


class _Spans(NamedTuple):
    """Ranges with more than half of the weight, and parts of them that have at least half.

    Parameters
    ----------
    first, last
        The ends of each range.
    from_first, from_last
        Where the shortest part with at least half ends that begins at its first number, and where
        the one begins that ends at its last.
    """

    first: Ints
    last: Ints
    from_first: Ints
    from_last: Ints


def _spans(size: int) -> _Spans:
    """Return the ranges of numbers that count alike."""
    half, first = size // 2, np.arange(size - size // 2)
    spare = 1 - size % 2  # of an even number, one less is half
    return _Spans(first, first + half, first + half - spare, first + spare)


def _weighed(values: Floats, weights: Floats) -> tuple[Floats, _Spans]:
    """Return the numbers, each once, and their ranges."""
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    upto, slack = running_sums(weights)
    upto = upto[np.append(starts[1:], values.size) - 1]
    before, half = np.append(0.0, upto[:-1]), upto[-1] / 2
    last = np.searchsorted(upto, before + half + slack, side="right")
    first = np.flatnonzero(last < starts.size)
    last = last[first]
    from_first = np.searchsorted(upto, before[first] + half - slack)
    from_last = np.searchsorted(before, upto[last] - half + slack, side="right") - 1
    return values[starts], _Spans(first, last, from_first, from_last)
