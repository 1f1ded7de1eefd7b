"""Could the two models be swapped? The p-value of a difference between their scores.

If the models are equally good, it is as likely that one of them gave an answer as that the other
did. So the answers are swapped at random, row by row, and the p-value is the chance that the
scores then differ at least as much as they do, in either direction. Rows of the same truth and the
same two answers are alike: of d such rows, the second model gets one of the answers on a
binomial number of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.paired.coin_flips import CoinFlips
from baserate.binary.paired.swaps import SwapTest
from baserate.core.rounding import COMPUTATION
from baserate.multiclass.measures.forms import OfDiagonal, OfTrace
from baserate.multiclass.paired.groups import Groups
from baserate.multiclass.paired.sums import tail_of_sum
from baserate.multiclass.tables import needs_cells, scored, scores_one_by_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.paired.joint import JointMatrix

    Floats = NDArray[np.float64]

# The most outcomes that are all scored; beyond, so many random swaps, or fewer by a function that
# scores tables one by one, and where models differ in so many ways that numbers would be too many.
_MOST, _SIMULATED, _ONE_BY_ONE, _FEWEST = 200_000, 99_999, 9_999, 1_999
_MOST_DRAWN, _AT_ONCE = 12 * 10**6, 2**20
# From so many rows on, a binomial number is drawn as a rounded normal one.
_MANY = 1_000
_SEED = 31


def swap_test(measure: ClassMeasure, joint: JointMatrix) -> SwapTest:
    """Return the two-sided p-value of the difference between two models.

    Swaps that tie with what was observed count, and so do swaps that leave a model without a
    score, so that the p-value is never too small. It is exact for functions of the accuracy, where
    it is McNemar's exact test, nearly always for balanced accuracy, and where models differ in
    few ways; otherwise swaps are simulated.

    Parameters
    ----------
    measure
        The measure.
    joint
        The joint table of the models.

    Examples
    --------
    >>> from baserate.multiclass.measures.catalogue import get_class_measure
    >>> from baserate.multiclass.paired.joint import JointMatrix
    >>> joint = JointMatrix("abc", [0, 0, 1, 2], [0, 0, 1, 0], [0, 1, 1, 2], [9, 2, 7, 6])
    >>> swap_test(get_class_measure("accuracy"), joint)
    SwapTest(p_value=0.2890625, exact=True)
    """
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    if reason or other_reason:
        return SwapTest(math.nan, exact=True)
    size = abs(second - first)
    slack = COMPUTATION * measure.magnitude(max(abs(first), abs(second)))
    if size <= slack:
        return SwapTest(1.0, exact=True)
    if isinstance(measure.form, OfTrace) and measure.form.of_accuracy:
        return _mcnemar(joint)
    if isinstance(measure.form, OfDiagonal) and measure.form.of_recalls:
        found = _of_recalls(measure.form, joint, size - slack)
        if found is not None:
            return found
    return _Swaps(measure, joint, size - slack).test()


def _mcnemar(joint: JointMatrix) -> SwapTest:
    first, second = (int(each.sum()) for each in _right_alone(joint))
    flips = CoinFlips.of(first + second)
    place = int(np.searchsorted(flips.heads, max(first, second)))
    p_value = 2 * float(flips.at_least[place]) + flips.left_out
    return SwapTest(min(p_value, 1.0), flips.exact)


def _of_recalls(form: OfDiagonal, joint: JointMatrix, needed: float) -> SwapTest | None:
    """Return the p-value of a weighted sum of right answers; None if it has too many values."""
    n = joint.first.true_counts.astype(float)
    weights = np.diagonal(form.term(np.eye(n.size), n, n) - form.term(np.zeros(n.size), n, n))
    discordant = np.sum(_right_alone(joint), axis=0)
    flips = [CoinFlips.of(int(each)) for each in discordant if each]
    steps = weights[discordant > 0]
    found = tail_of_sum(
        [
            (step * (2 * each.heads - rows), each.masses)
            for step, each, rows in zip(steps, flips, discordant[discordant > 0], strict=True)
        ],
        needed,
    )
    if found is None:
        return None
    left_out = sum(each.left_out for each in flips)
    return SwapTest(min(2 * found + left_out, 1.0), all(each.exact for each in flips))


def _right_alone(joint: JointMatrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how often only the first model is right, and only the second, on each class."""
    hits = joint.first_answers == joint.truth, joint.second_answers == joint.truth
    found = np.zeros((2, len(joint.labels)), dtype=np.int64)
    for place, alone in enumerate((hits[0] & ~hits[1], hits[1] & ~hits[0])):
        np.add.at(found[place], joint.truth[alone], joint.counts[alone])
    return found[0], found[1]


@dataclass(frozen=True)
class _Swaps:
    """All swaps of two models, and the size of the difference that they should reach."""

    measure: ClassMeasure
    joint: JointMatrix
    needed: float

    @cached_property
    def _groups(self) -> Groups:
        return Groups.of(self.joint, whole=needs_cells(self.measure))

    def test(self) -> SwapTest:
        """Return the p-value from all outcomes, or from random ones if they are too many."""
        if math.prod(int(rows) + 1 for rows in self._groups.rows) <= _MOST:
            return self._enumerated()
        return self._simulated()

    def _enumerated(self) -> SwapTest:
        laws = [CoinFlips.of(int(rows)) for rows in self._groups.rows]
        sizes = [law.heads.size for law in laws]
        total = 0.0
        for places in self._pieces(math.prod(sizes)):
            each = np.unravel_index(places, sizes)
            heads = np.stack([law.heads[at] for law, at in zip(laws, each, strict=True)])
            masses = np.prod([law.masses[at] for law, at in zip(laws, each, strict=True)], axis=0)
            total += float(masses[self._is_reached(heads)].sum())
        return SwapTest(min(total, 1.0), exact=True)

    def _simulated(self) -> SwapTest:
        rng = np.random.default_rng(_SEED)
        swaps = min(_SIMULATED, max(_MOST_DRAWN // len(self._groups.rows), _FEWEST))
        if scores_one_by_one(self.measure):
            swaps = min(swaps, _ONE_BY_ONE)
        reached = 0
        for places in self._pieces(swaps):
            heads = _heads(rng, self._groups.rows, len(places))
            reached += int(np.count_nonzero(self._is_reached(heads)))
        return SwapTest((1 + reached) / (1 + swaps), exact=False)

    def _pieces(self, size: int) -> Iterator[NDArray[np.int64]]:
        step = max(_AT_ONCE // max(self._groups.width, len(self._groups.rows)), 1)
        for at in range(0, size, step):
            yield np.arange(at, min(at + step, size))

    def _is_reached(self, heads: Floats) -> NDArray[np.bool_]:
        first, second = self._groups.tables(heads)
        gains = scored(self.measure, second) - scored(self.measure, first)
        # A missing score is not below anything.
        return ~(np.abs(gains) < self.needed)


def _heads(rng: np.random.Generator, rows: NDArray[np.int64], size: int) -> Floats:
    """Return binomial numbers of heads, of shape (groups, size)."""
    heads = np.empty((rows.size, size))
    many = rows >= _MANY
    few = rows[~many, np.newaxis]
    heads[~many] = rng.binomial(few, 0.5, (few.size, size))
    large = rows[many, np.newaxis]
    normal = rng.standard_normal((large.size, size))
    heads[many] = np.clip(np.rint(large / 2 + np.sqrt(large) / 2 * normal), 0, large)
    return heads
