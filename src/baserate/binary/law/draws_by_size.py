"""The scores of draws of every size: the expectation and the central 95%."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.law.chance import Chance
from baserate.binary.law.expectation import expected_scores
from baserate.support.progress import watched

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure

    Floats = NDArray[np.float64]

# As many evenly spaced draws as a plot can show, and some more at both ends, where curves such as
# that of G2 are steep: at the right a draw per doubling, and at the left, which a logarithmic axis
# stretches, several.
_STEPS, _PER_DOUBLING = 256, 4


@dataclass(frozen=True, eq=False)
class DrawsBySize:
    """The expected score and the central 95% of the scores, for draws of many sizes.

    Parameters
    ----------
    predicted_positives
        The sizes of the draws, from 0 to M.
    expectation
        The expected score of each; nan where the measure is undefined.
    low, high
        The central 95% of the scores of each.
    """

    predicted_positives: NDArray[Any]
    expectation: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, rate: BaseRate, measure: Measure) -> DrawsBySize:
        """Return the band of a measure on a test set, fine enough to draw."""
        allowed = measure.allowed(rate)
        sizes = [size for size in _grid(rate.total) if size in allowed]
        counts = np.array(sizes, dtype=np.int64)
        parts = watched(sizes, len(sizes), "drawing", "draws", size=lambda _: 1)
        bounds = [Chance(rate, size).luck_interval(measure) for size in parts]
        low, high = np.array(bounds, dtype=float).reshape(-1, 2).T
        return cls(counts, expected_scores(rate, measure, counts), low, high)


def _grid(total: int) -> list[int]:
    even = {total * step // _STEPS for step in range(_STEPS + 1)}
    doublings = range((total // _STEPS).bit_length())
    quarters = range(_PER_DOUBLING * (8 * total // _STEPS).bit_length())
    left = {round(2 ** (quarter / _PER_DOUBLING)) for quarter in quarters}
    return sorted(even | left | {total - 2**power for power in doublings})
