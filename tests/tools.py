"""What several test files need."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import baserate as br


def members(theta_stars: br.ThetaSet) -> list[int]:
    """The P̂ of a set of θ*, laid out."""
    return [count for part in theta_stars.counts for count in part]


def tie(measure: br.Measure, largest: float) -> float:
    """How far apart two draws may be that a search takes for equal; 0 where nothing is searched."""
    optima = (measure.maximum or measure.gain, measure.minimum)
    return 0 if all(optima) else 64 * sys.float_info.epsilon * measure.magnitude(largest)
