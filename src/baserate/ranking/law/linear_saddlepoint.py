"""The law of a sum over many positives by a saddlepoint, at a cost that hardly grows with M.

This is Barndorff-Nielsen's form of the approximation of Lugannani and Rice, given the number of
positives (J. Robinson, Saddlepoint approximations for permutation tests, 1982; Booth and Butler,
1990), with the correction for a lattice. Blocks that make the law lumpy, because they are large or
because their weight is, are summed over explicitly; the formula covers the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.blocks import binomial, binomial_at
from baserate.ranking.law.linear_quantile import bracketed
from baserate.ranking.law.linear_rest import Rest
from baserate.ranking.law.linear_ways import Ways
from baserate.ranking.law.tilt import Tilt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.linear_blocks import WeightedBlocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# A block with more than this share of the observations, or of the variance, may make a law lumpy.
_LUMP = 0.05
# The most ways to place the positives of such blocks; less likely ones are left out.
_STATES, _NEGLIGIBLE = 600, 1e-10
# A law is smooth if waves of its density are smaller than this, relative to a tail of 1e-6, and as
# many positives as this are expected in the blocks that are not summed over.
_RIPPLE, _ENOUGH = 0.01, 16
# The kurtosis of weights, over the number of positives, up to which a law is smooth, and fair.
_TAME, _FAIR = 0.25, 0.7


@dataclass(frozen=True, eq=False)
class SaddlepointSum:
    """The law of a sum, approximately.

    Parameters
    ----------
    blocks
        The blocks.
    """

    blocks: WeightedBlocks
    exact = False
    method = "saddlepoint"

    @cached_property
    def negated(self) -> SaddlepointSum:
        """The law of minus the sum."""
        return SaddlepointSum(self.blocks.negated())

    @property
    def error(self) -> float:
        """The largest relative error that was measured for p ≥ 1e-8 (decision 41)."""
        return 0.07

    @property
    def is_smooth(self) -> bool:
        """Whether the law is so smooth, and its tails so short, that the formula is close."""
        return self._is_dense and self._kurtosis <= _TAME

    @property
    def is_fair(self) -> bool:
        """Whether the formula is close enough, if there is nothing better."""
        return self._is_dense and self._kurtosis <= _FAIR

    @cached_property
    def _is_dense(self) -> bool:
        share = self.blocks.positives / self.blocks.total
        return self._rest.total * share >= _ENOUGH and self._rest.ripple(share) <= _RIPPLE

    @cached_property
    def _kurtosis(self) -> float:
        """About by how much rare large weights lift the kurtosis of the sum."""
        share = self.blocks.positives / self.blocks.total
        return self._rest.kurtosis / max(self._rest.total * share, 1.0)

    def at_most(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at most this large."""
        return self.negated.at_least(-value, slack)

    def at_least(self, value: float, slack: float = 0.0) -> float:
        """Return the probability of a sum at least this large."""
        slack += self.blocks.slack
        low, high = self.blocks.ends
        if value - slack <= low.value or value - slack > high.value:
            return float(value - slack <= low.value)
        if value + slack >= high.value:
            return high.chance
        return min(max(self._summed(value, slack), high.chance), 1.0)

    def quantile(self, level: float) -> float:
        """Return the smallest sum that is not exceeded with at least this probability."""
        low, high = (end.value for end in self.blocks.ends)
        if level <= self.blocks.ends[0].chance:
            return low
        if level >= 1:
            return high
        return bracketed(self.at_most, (low, high), (0.0, self.blocks.sd), level)[1]

    def _summed(self, value: float, slack: float) -> float:
        """Sum over the positives of the lumps."""
        blocks, share = self.blocks.merged, self.blocks.positives / self.blocks.total
        states = self._states(value)
        left = blocks.positives - states.counts
        possible = (left >= 0) & (left <= self._rest.total)
        left, room = left[possible], (value - states.sums)[possible]
        alone = binomial_at(blocks.total, share, blocks.positives)
        chances = binomial(self._rest.total, share, int(left.min()), int(left.max()))
        weights = states.chances[possible] * chances[left - left.min()]
        return float(weights @ self._rest.at_least(left, room, slack)) / alone

    @cached_property
    def _lumps(self) -> list[int]:
        """The blocks to sum over explicitly: each is a large share of what is left."""
        blocks = self.blocks.merged
        parts = blocks.sizes * blocks.weights**2
        shares = np.maximum(parts / parts.sum(), blocks.sizes / blocks.total)
        found: list[int] = []
        ways = 1.0
        for place in np.argsort(-shares, kind="stable")[: max(blocks.sizes.size - 2, 0)].tolist():
            most = min(int(blocks.sizes[place]), blocks.positives) + 1
            ways *= min(1 + 2 * _reach(self._spread(place)), most)
            if shares[place] < _LUMP or ways > _STATES:
                break
            found.append(place)
        return found

    def _spread(self, place: int) -> float:
        """Return the variance of the number of positives in a block."""
        blocks = self.blocks.merged
        share = blocks.positives / blocks.total
        size = int(blocks.sizes[place])
        return share * (1 - share) * size * (1 - size / blocks.total)

    @cached_property
    def _rest(self) -> Rest:
        blocks = self.blocks.merged
        return Rest(np.delete(blocks.sizes, self._lumps), np.delete(blocks.weights, self._lumps))

    def _states(self, value: float) -> Ways:
        """Return the likely ways to place positives in the lumps, for a sum like this."""
        blocks, states = self.blocks.merged, Ways.none()
        if not self._lumps:
            return states
        share = blocks.positives / blocks.total
        chances = self._tilted(value)
        for place in self._lumps:
            size, chance = int(blocks.sizes[place]), float(chances[place])
            reach = _reach(size * chance * (1 - chance))
            low = max(math.floor(size * chance - reach), 0)
            high = min(math.ceil(size * chance + reach), size, blocks.positives)
            weights = binomial(size, share, low, high)
            states = states.placed(low, weights, float(blocks.weights[place]), blocks.positives)
        return states

    def _tilted(self, value: float) -> Floats:
        """Return the chance of a positive in each block, among sums like this."""
        blocks = self.blocks.merged
        count = np.array([float(blocks.positives)])
        if value <= 0:
            return np.full(blocks.sizes.size, count[0] / blocks.total)
        wanted = np.array([min(value, 0.999 * self.blocks.ends[1].value) / blocks.largest])
        tilt = Tilt.of(blocks.sizes.astype(float), blocks.weights / blocks.largest, count, wanted)
        return np.asarray(tilt.chances[0])


def _reach(variance: float) -> float:
    """Return how far from its mean a number of positives may be, by Bernstein's inequality."""
    reach = -math.log(_NEGLIGIBLE)
    return reach / 3 + math.sqrt(reach * reach / 9 + 2 * reach * variance)
