"""The variance of a score whose spread is small relative to the score itself."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.law.quadrature import WIDE
from baserate.binary.law.trapezoid import NODES
from baserate.null.stirling import CONTEXT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.law.hypergeometric import Hypergeometric
    from baserate.core.formula import Formula

    Floats = NDArray[np.float64]

# Masses below this fraction of the largest are negligible, even for a variance of 1e-15.
_NEGLIGIBLE = 1e-40


def variance_of_formula(definition: Formula, law: Hypergeometric) -> float:
    """Return the variance of a smooth measure of the catalogue under a draw.

    At M = 10¹⁵ the scores differ by 10⁻⁸ of their size, or less. So they are computed to 50 digits,
    and only their differences from the most likely one are rounded to floats.
    """
    steps, weights = _nodes(law)
    with localcontext(CONTEXT):
        tp = np.array([Decimal(law.mode) + Decimal(step) for step in [*steps.tolist(), 0]])
        scores = definition(*law.cells(tp))
        apart = (scores[:-1] - scores[-1]).astype(float)
    mean = np.average(apart, weights=weights)
    return float(np.average((apart - mean) ** 2, weights=weights))


def _nodes(law: Hypergeometric) -> tuple[Floats, Floats]:
    """Return counts around the mode (integers if the law is narrow) and their weights."""
    if law.variance >= WIDE**2:
        steps = math.sqrt(law.variance) * NODES
        return steps, np.exp(law.log_ratio(law.mode, steps))
    first, masses = law.masses()
    steps = np.arange(first - law.mode, first - law.mode + masses.size, dtype=float)
    heavy = masses > _NEGLIGIBLE * masses.max()
    return steps[heavy], masses[heavy]
