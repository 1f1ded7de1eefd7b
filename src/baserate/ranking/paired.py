"""How much two models differ by a measure of scores."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.ranking.plausible.limits import Plausible
from baserate.ranking.plausible.sample import Sample
from baserate.ranking.swaps import gain_of, swap_test

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.ranking.joint import JointScores
    from baserate.ranking.measures.record import ScoreMeasure

    Floats = NDArray[np.float64]
    # What a positive and a negative with each score add to a mean.
    Points = Callable[[Floats], tuple[Floats, Floats]]

# Beyond as many rows on which models differ, limits need not be compared with swaps.
_FEW = 40


def limits_of_difference(
    measure: ScoreMeasure, joint: JointScores, alpha: float
) -> tuple[float, float]:
    """Return the limits of the second score minus the first; nan if there is none.

    They are computed for one order of the models and mirrored for the other, so that who is
    called first does not matter. They hold 0 if all swaps are counted and do not exclude it: of a
    handful of rows, none may be left on which the models differ the other way.

    Parameters
    ----------
    measure
        The measure.
    joint
        What both models did.
    alpha
        How often the limits may be wrong, each of them half as often.

    Examples
    --------
    >>> from baserate.ranking.joint import JointScores
    >>> from baserate.ranking.measures.area import AUC
    >>> truth = np.arange(60) % 3 == 0
    >>> noise, other = np.sin(np.arange(60.0)), np.cos(7.0 * np.arange(60))
    >>> joint = JointScores.of_rows(truth, noise, noise + other + truth, None)
    >>> low, high = limits_of_difference(AUC, joint, 0.05)
    >>> bool(low < AUC.score(joint.second) - AUC.score(joint.first) < high)
    True
    """
    gain = gain_of(measure, joint)
    if math.isnan(gain):
        return math.nan, math.nan
    is_mirrored = _order(joint, gain)
    sample = _sample(joint, is_mirrored=bool(is_mirrored), only_order=not measure.probabilities)
    plausible = Plausible(measure, sample, -gain if is_mirrored else gain, alpha)
    low, high = plausible.limits(lambda gains, _: gains)
    if is_mirrored is None:
        low, high = min(low, -high), max(high, -low)
    if joint.disagreements <= _FEW and (low > 0 or high < 0):
        found = swap_test(measure, joint)
        if found.exact and found.p_value >= alpha:
            low, high = min(low, 0.0), max(high, 0.0)
    return (-high, -low) if is_mirrored else (low, high)


def _order(joint: JointScores, gain: float) -> bool | None:
    """Return whether the models are taken in the other order; None if both orders are the same."""
    if gain:
        return gain < 0
    # Equal scores: the order that comes first in the alphabet of their pairs.
    mirrored = joint.mirrored
    for name in ("first_scores", "second_scores", "positives", "negatives"):
        one, other = getattr(joint, name), getattr(mirrored, name)
        apart = np.flatnonzero(one != other)
        if apart.size:
            return bool(one[apart[0]] > other[apart[0]])
    return None


@lru_cache(maxsize=2)
def _sample(joint: JointScores, *, is_mirrored: bool, only_order: bool) -> Sample:
    return Sample.of_pair(joint.mirrored if is_mirrored else joint, only_order=only_order)
