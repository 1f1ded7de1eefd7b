"""Could the two models be swapped? The exact p-value of a difference between their scores.

If the models are equally good, it is as likely that one of them gave an answer as that the other
did. So the answers are swapped at random, row by row, and the p-value is the chance that the
scores then differ at least as much as they do, in either direction. Swapping matters only where the
models differ, and then only how many right answers the second one gets: a number of heads among
the discordant positives, and another among the discordant negatives. These two take the place of
2^d swaps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.binary.confusion import Confusion
from baserate.binary.measures.affine import affine_score
from baserate.binary.paired.coin_flips import CoinFlips
from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.binary.measures.affine import AffineScore
    from baserate.binary.measures.record import Measure
    from baserate.binary.paired.joint import JointTable

    Floats = NDArray[np.float64]

# The most pairs of tables that are scored: at no cost worth mentioning, by a function that takes
# arrays, and by one that does not; and how many are scored at once.
_FEW, _MOST, _MOST_ONE_BY_ONE, _AT_ONCE = 2**18, 2**26, 2**18, 2**14
# Beyond these, this many random swaps give an approximation.
_SIMULATED = 99_999


class SwapTest(NamedTuple):
    """The p-value of a difference.

    Parameters
    ----------
    p_value
        The chance that a swap makes the scores differ at least as much; nan if a score is missing.
    exact
        Whether all swaps are counted, and not a random sample of them.
    """

    p_value: float
    exact: bool


def swap_test(measure: Measure, joint: JointTable) -> SwapTest:
    """Return the exact two-sided p-value of the difference between two models.

    Swaps that tie with what was observed count, and so do swaps that leave a model without a
    score, so that the p-value is never too small.

    Parameters
    ----------
    measure
        The measure.
    joint
        The joint table of the models.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.binary.paired.joint import Answers, JointTable
    >>> joint = JointTable(Answers(20, 3, 9, 8), Answers(4, 6, 2, 48))
    >>> p_value, exact = swap_test(get_measure("ACC"), joint)
    >>> round(p_value, 4), exact
    (0.0414, True)
    """
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    if reason or other_reason:
        return SwapTest(math.nan, exact=True)
    affine = affine_score(measure, joint.first.base_rate)
    swaps = _Swaps(measure, affine, joint, abs(second - first), max(abs(first), abs(second)))
    if swaps.is_certain:
        return SwapTest(1.0, exact=True)
    if measure.consistent or affine is not None:
        return swaps.by_bisection()
    return swaps.by_pairs() or swaps.by_simulation()


@dataclass(frozen=True)
class _Swaps:
    """All swaps of two models, and the size of the difference that they should reach."""

    measure: Measure
    affine: AffineScore | None
    joint: JointTable
    size: float
    largest: float

    @property
    def is_certain(self) -> bool:
        """Whether every swap reaches the difference, because there is none."""
        return self.size <= self._slack

    def by_bisection(self) -> SwapTest:
        """Return the p-value for a score that always goes the same way with each right answer.

        For each number of positives that the second model gets right, bisect how many negatives it
        needs. With all answers swapped a difference has the other sign, so that both tails have
        the same chance.
        """
        positives = CoinFlips.of(self.joint.positives.discordant)
        negatives = CoinFlips.of(self.joint.negatives.discordant)
        needed = self._needed(positives.heads, negatives.heads)
        tail = float((positives.masses * negatives.at_least[needed]).sum())
        if self._lacks_corner:
            # The tail has those of the two corners that look large enough, and needs just one.
            corners = int(needed[0] < negatives.heads.size) + int(needed[-1] == 0)
            tail += (1 - corners) * float(positives.masses[0] * negatives.masses[0])
        return _tested(2 * tail, positives, negatives)

    def by_pairs(self) -> SwapTest | None:
        """Return the p-value from all pairs of counts that matter, or None if they are too many."""
        flips = [self.joint.positives.discordant, self.joint.negatives.discordant]
        positives, negatives = map(CoinFlips.of, flips)
        if positives.heads.size * negatives.heads.size > _FEW:
            positives, negatives = map(CoinFlips.nearly_all, flips)
        is_quick = getattr(self.measure.definition.function, "vectorised", True)
        cost = positives.heads.size * negatives.heads.size / 2
        if cost > (_MOST if is_quick else _MOST_ONE_BY_ONE):
            return None
        total = sum(
            self._reached(piece, negatives) for piece in _upper_pieces(positives, negatives)
        )
        return _tested(total, positives, negatives)

    def by_simulation(self) -> SwapTest:
        """Return the p-value from random swaps, the same ones every time."""
        rng = np.random.default_rng(0)
        p, n = self.joint.positives.discordant, self.joint.negatives.discordant
        heads = [rng.binomial(flips, 0.5, _SIMULATED).astype(float) for flips in (p, n)]
        reached = np.count_nonzero(self._is_reached(*heads))
        return SwapTest((1 + reached) / (1 + _SIMULATED), exact=False)

    def _needed(self, positives: Floats, negatives: Floats) -> NDArray[np.intp]:
        """Return the place of the first number of negatives that is enough, for each of positives.

        Where none is enough, it is the place behind the last.
        """
        low = np.zeros(positives.size, dtype=np.intp)
        high = np.full(positives.size, negatives.size)
        for _ in range(negatives.size.bit_length()):
            middle = (low + high) // 2
            place = np.minimum(middle, negatives.size - 1)
            gains = self._sign * self._gains(positives, negatives[place])
            # Only a corner has no score: the most negatives look like enough, the fewest do not.
            is_corner = np.isnan(gains) & (place == negatives.size - 1)
            is_enough = (gains >= self.size - self._slack) | is_corner | (low == high)
            high = np.where(is_enough, middle, high)
            low = np.where(is_enough, low, middle + 1)
        return high

    def _reached(self, piece: CoinFlips, negatives: CoinFlips) -> float:
        """Return the chance that swaps with some numbers of positives reach the difference."""
        reached = self._is_reached(piece.heads[:, None], negatives.heads[None, :])
        # As floats, so that the product is one of linear algebra.
        return float(piece.masses @ (reached.astype(float) @ negatives.masses))

    def _is_reached(self, positives: Floats, negatives: Floats) -> NDArray[np.bool_]:
        # A missing score is not below anything.
        return ~(np.abs(self._gains(positives, negatives)) < self.size - self._slack)

    @cached_property
    def _slack(self) -> float:
        """How much smaller a difference may be, and be the same up to rounding."""
        # Differences of whole numbers do not round.
        largest = self.largest if self.measure.rounds else self.size
        return COMPUTATION * self.measure.magnitude(largest)

    @property
    def _sign(self) -> int:
        """1 if the second score gains with each negative that it gets right, otherwise -1."""
        if self.affine is not None:
            return 1 if self.affine.fp <= 0 else -1
        return 1 if self.measure.direction is Direction.MAXIMIZE else -1

    @property
    def _lacks_corner(self) -> bool:
        """Whether a score is missing when one model says positive on every discordant row.

        That is where a model may predict one class only, and no other swap is undefined.
        """
        p, n = self.joint.positives, self.joint.negatives
        fewest, most = (
            Confusion(tp=tp, fp=fp, fn=sum(p) - tp, tn=sum(n) - fp)
            for tp, fp in ((p.both, n.both), (sum(p) - p.neither, sum(n) - n.neither))
        )
        fails = self.measure.failing_requirement
        return fails(fewest) is not None or fails(most) is not None

    def _gains(self, positives: Floats, negatives: Floats) -> Floats:
        """Return how far the second score is ahead after swaps; nan where one is missing.

        Parameters
        ----------
        positives, negatives
            How many of the discordant rows of each class the second model gets right.
        """
        p, n = self.joint.positives, self.joint.negatives
        second = self._scores(p.both + positives, n.both + n.discordant - negatives)
        first = self._scores(p.both + p.discordant - positives, n.both + negatives)
        return second - first

    def _scores(self, tp: Floats, fp: Floats) -> Floats:
        if self.affine is not None:  # up to its constant, which is in both scores
            return float(self.affine.tp) * tp + float(self.affine.fp) * fp
        tp, fp = np.broadcast_arrays(tp, fp)
        fn, tn = sum(self.joint.positives) - tp, sum(self.joint.negatives) - fp
        scores = self.measure.scores(tp, fp, fn, tn)
        if self.measure.consistent:
            return scores
        margins = SimpleNamespace(tp=tp, fp=fp, fn=fn, tn=tn, positives=tp + fn, negatives=fp + tn)
        is_defined = np.isfinite(scores)
        for need in self.measure.requirements:
            is_defined &= need.denominator(margins) != 0
        return np.where(is_defined, scores, np.nan)


def _tested(p_value: float, *laws: CoinFlips) -> SwapTest:
    """Return a p-value with what the laws leave out, so that it is never too small."""
    left_out = sum(law.left_out for law in laws)
    return SwapTest(min(p_value + left_out, 1.0), all(law.exact for law in laws))


def _upper_pieces(positives: CoinFlips, negatives: CoinFlips) -> Iterator[CoinFlips]:
    """Yield the upper half of the positives with twice their masses, in pieces to score at once.

    The lower half has the same differences with the other sign.
    """
    size = positives.heads.size
    masses = 2 * positives.masses[size // 2 :]
    if size % 2:
        masses[0] /= 2
    heads = positives.heads[size // 2 :]
    step = max(_AT_ONCE // negatives.heads.size, 1)
    for at in range(0, heads.size, step):
        yield CoinFlips(heads[at : at + step], masses[at : at + step])
