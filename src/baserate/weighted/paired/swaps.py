"""Could the two models be swapped? The p-value of a difference between weighted scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.task import BINARY
from baserate.core.rounding import COMPUTATION
from baserate.ranking.swapped.flips import flip_test
from baserate.weighted.base import joined
from baserate.weighted.classed import classed
from baserate.weighted.expectation import are_more, log_factorials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.weighted.measures import WeightedMeasure
    from baserate.weighted.paired.joint import WeightedJoint
    from baserate.weighted.shapes import Plane

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# The most swaps that are all listed, by how many of each block are swapped; and how many random
# ones stand for more.
_LISTED, _SWAPS = 2**16, 9_999
_SEED = 49
_ANY_ALPHA = 0.05


def swap_test(measure: WeightedMeasure, joint: WeightedJoint) -> tuple[float, bool]:
    """Return the two-sided p-value of swapping the models row by row, and whether it is exact.

    Swaps that tie with what was observed count, and so do swaps that leave a model without a
    score, so that the p-value is never too small.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.weighted.measures import WeightedMeasure
    >>> from baserate.weighted.paired.joint import WeightedJoint
    >>> truth, weights = np.ones(6), np.arange(1.0, 7.0)
    >>> joint = WeightedJoint.of_rows(truth, np.zeros(6), truth, weights)
    >>> swap_test(WeightedMeasure.by(get_measure("ACC")), joint)
    (0.03125, True)
    """
    base = joint.first.test_set
    plain = classed(measure, base)
    if plain is not None:
        return BINARY.paired(joint.table, _ANY_ALPHA).swap_test(plain)
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    if reason or other_reason:
        return math.nan, True
    size, largest = abs(second - first), max(abs(first), abs(second))
    if size <= COMPUTATION * measure.of.magnitude(largest):
        return 1.0, True
    plane = measure.plane(measure.on(base))
    if plane is not None:
        return _by_signs(plane, joint, measure.unit(base))
    swaps = _Swaps.of(measure, joint, size - COMPUTATION * measure.of.magnitude(largest))
    return swaps.counted() or swaps.simulated()


def _by_signs(plane: Plane, joint: WeightedJoint, unit: float) -> tuple[float, bool]:
    """Return the p-value of a linear score: a row adds its weight, with a random sign."""
    weights = joint.weights * unit
    added = [plane.tp * weights, -plane.tp * weights, plane.fp * weights, -plane.fp * weights]
    return flip_test(np.concatenate(added), np.concatenate(joint.counts[[2, 1, 6, 5]]))


@dataclass(frozen=True, eq=False)
class _Swaps:
    """All swaps of two models.

    Parameters
    ----------
    measure
        The measure.
    both
        What neither model's swap changes: the weights of the four cells of the eight that agree.
    sizes, weights, positive
        The observations on which they differ, in blocks of one class and one weight.
    size
        The difference that swaps should reach.
    """

    measure: WeightedMeasure
    both: tuple[float, float, float, float]
    sizes: Ints
    weights: Floats
    positive: NDArray[np.bool_]
    size: float

    @classmethod
    def of(cls, measure: WeightedMeasure, joint: WeightedJoint, size: float) -> _Swaps:
        weights = joint.weights * measure.unit(joint.first.test_set)
        sums = joint.counts @ weights
        parts = [joined(weights, joint.counts[at] + joint.counts[at + 1]) for at in (1, 5)]
        classes = [
            np.full(part[0].size, is_it) for part, is_it in zip(parts, (True, False), strict=True)
        ]
        return cls(
            measure,
            (float(sums[0]), float(sums[4]), float(sums[3]), float(sums[7])),
            np.concatenate([part[0] for part in parts]),
            np.concatenate([part[1] for part in parts]),
            np.concatenate(classes),
            size,
        )

    def counted(self) -> tuple[float, bool] | None:
        """Return the p-value from all swaps; None if there are too many."""
        if are_more(self.sizes, _LISTED):
            return None
        logs = log_factorials(int(self.sizes.max())) if self.sizes.size else np.zeros(1)
        # What the second model, and the first, says positive beyond what both do.
        ahead, chances = np.zeros((4, 1)), np.ones(1)
        for size, weight, place in self._blocks():
            heads = np.arange(size + 1)
            added = np.zeros((4, 1, size + 1))
            added[place], added[place + 2] = weight * heads, weight * heads[::-1]
            ahead = (ahead[:, :, np.newaxis] + added).reshape(4, -1)
            ways = np.exp(logs[size] - logs[heads] - logs[heads[::-1]] - size * math.log(2))
            chances = (chances[:, np.newaxis] * ways.astype(float)).ravel()
        return min(math.fsum(chances[self._reached(ahead)]), 1.0), True

    def simulated(self) -> tuple[float, bool]:
        """Return the p-value from random swaps, what was observed counted among them."""
        rng = np.random.default_rng(_SEED)
        ahead = np.zeros((4, _SWAPS))
        for size, weight, place in self._blocks():
            heads = rng.binomial(size, 0.5, _SWAPS)
            ahead[place] += weight * heads
            ahead[place + 2] += weight * (size - heads)
        return (1 + int(self._reached(ahead).sum())) / (1 + _SWAPS), False

    def _blocks(self) -> list[tuple[int, float, int]]:
        """Return the sizes, weights and places of the blocks: 0 for positives, 1 for negatives."""
        places = (~self.positive).astype(int).tolist()
        return list(zip(self.sizes.tolist(), self.weights.tolist(), places, strict=True))

    def _reached(self, ahead: Floats) -> NDArray[np.bool_]:
        """Return which swaps make the scores differ as much; a missing score counts."""
        tp, fp, fn, tn = self.both
        mine, others = ahead[:2], ahead[2:]
        second = self.measure.scores(tp + mine[0], fp + mine[1], fn + others[0], tn + others[1])
        first = self.measure.scores(tp + others[0], fp + others[1], fn + mine[0], tn + mine[1])
        return np.asarray(~(np.abs(second - first) < self.size))
