"""By how much the sums of different orders differ at least, where few numbers are different."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.law.sums import DealtSum

    Floats = NDArray[np.float64]

# With more different numbers, the grid is too fine to matter.
_MOST = 100
# A remainder that is smaller, relative to the largest difference, is rounding.
_ROUNDING, _FINEST = 1e-10, 1e-6


def step_of(dealt: DealtSum) -> float:
    """Return the step of the grid that all numbers are on; 0 if it is too fine.

    Two orders differ by swaps, and a swap changes the sum by a difference of differences of what
    two rows get from two cards: the step is what all of these are multiples of.

    Examples
    --------
    >>> from baserate.regression.law.sums import DealtSum
    >>> stars, halves = np.array([1.0, 2, 5, 5]), np.array([1.5, 2.0, 4.5, 4.0])
    >>> step_of(DealtSum(np.multiply, stars, halves)) * 4
    0.5
    """
    cards = np.unique(dealt.cards)
    if cards.size > _MOST:
        return 0.0
    rows, times = dealt.rows, dealt.each_row.times
    pairs = np.unique(np.stack([rows, times]), axis=1)
    if pairs.shape[1] > _MOST:
        return 0.0
    gains = dealt.loss(pairs[0][:, np.newaxis], cards) * pairs[1][:, np.newaxis]
    changes = np.abs(gains[1:, 1:] - gains[:1, 1:] - gains[1:, :1] + gains[0, 0])
    return _divisor(changes.ravel(), float(np.abs(gains).max())) / dealt.total


def _divisor(numbers: Floats, size: float) -> float:
    """Return the greatest number that all are multiples of, by Euclid; 0 if it is too small."""
    rounding = _ROUNDING * size
    numbers = numbers[numbers > rounding]
    if not numbers.size:
        return 0.0
    largest = float(numbers.max())
    while True:
        least = float(numbers.min())
        if least < _FINEST * largest:
            return 0.0
        rest = np.abs(numbers - least * np.round(numbers / least))
        rest = rest[rest > rounding]
        if not rest.size:
            return least
        numbers = np.append(np.unique(rest), least)
