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
# Lumps disappear if the number of positives in a block varies by more than this.
_WIDE = 50
# With so many positives the law is normal to five digits, and the formula loses them.
_HUGE = 1e10
# Within this many standard deviations of the mean the formula is 0/0, and is interpolated.
_MIDDLE = 0.05
# A law is smooth if waves of its density are smaller than this, relative to a tail of 1e-6, and as
# many positives as this are expected in the blocks that are not summed over.
_RIPPLE, _ENOUGH = 0.01, 16
# The kurtosis of weights, over the number of positives, up to which the error is 2%, and 5%.
_TAME, _FAIR = 0.25, 0.7
# A span this small, in standard deviations, does not matter; steps are compared up to this share.
_FINE, _SAME = 1e-3, 1e-9


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
        """The largest relative error that was measured for p ≥ 1e-8."""
        return 0.02 if self._kurtosis <= _TAME else 0.05

    @property
    def is_smooth(self) -> bool:
        """Whether the law is so smooth, and its tails so short, that the formula is within 2%."""
        return self._is_dense and self._kurtosis <= _TAME

    @property
    def is_fair(self) -> bool:
        """Whether the formula is within 5%."""
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
            spread = math.sqrt(self._spread(place))
            most = min(int(blocks.sizes[place]), blocks.positives) + 1
            ways *= min(1 + 2 * _reach(spread**2), most)
            if shares[place] < _LUMP or ways > _STATES:
                break
            if spread < _WIDE:
                found.append(place)
        return found

    def _spread(self, place: int) -> float:
        """Return the variance of the number of positives in a block."""
        blocks = self.blocks.merged
        share = blocks.positives / blocks.total
        size = int(blocks.sizes[place])
        return share * (1 - share) * size * (1 - size / blocks.total)

    @cached_property
    def _rest(self) -> _Rest:
        blocks = self.blocks.merged
        return _Rest(np.delete(blocks.sizes, self._lumps), np.delete(blocks.weights, self._lumps))

    def _states(self, value: float) -> _States:
        """Return the likely ways to place positives in the lumps, for a sum like this."""
        blocks, states = self.blocks.merged, _States.none()
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


@dataclass(frozen=True, eq=False)
class _States:
    """Ways to place positives in the lumps: their number, the sum of weights, the probability."""

    counts: Ints
    sums: Floats
    chances: Floats

    @classmethod
    def none(cls) -> _States:
        return cls(np.zeros(1, int), np.zeros(1), np.ones(1))

    def placed(self, first: int, chances: Floats, weight: float, most: int) -> _States:
        """Return all ways with one more block."""
        more = np.arange(first, first + chances.size)
        counts = (self.counts[:, None] + more).ravel()
        sums = (self.sums[:, None] + more * weight).ravel()
        products = (self.chances[:, None] * chances).ravel()
        kept = counts <= most
        return _States(counts[kept], sums[kept], products[kept])


@dataclass(frozen=True, eq=False)
class _Rest:
    """Blocks without lumps: their sizes and weights, ascending."""

    sizes: Ints
    weights: Floats

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return int(self.sizes.sum())

    @cached_property
    def _centre(self) -> float:
        return float(self.sizes @ self.weights) / self.total

    @cached_property
    def _scale(self) -> float:
        return float(np.abs(self.weights - self._centre).max()) or 1.0

    @cached_property
    def _ranks(self) -> Floats:
        return (self.weights - self._centre) / self._scale

    @cached_property
    def _square(self) -> float:
        return float((self.sizes * self._ranks) @ self._ranks)

    @property
    def kurtosis(self) -> float:
        """The kurtosis of the weight of an observation."""
        fourth = float(self.sizes @ self._ranks**4)
        return fourth * self.total / (self._square**2 or 1.0)

    @cached_property
    def _span(self) -> float:
        """The step between sums, in ranks; 0 if they are as good as continuous."""
        return span_of(np.diff(self._ranks), math.sqrt(self._square / self.total))

    def at_least(self, positives: Ints, rooms: Floats, slack: float) -> Floats:
        """Return the probability that the weights of the positives sum to at least these rooms."""
        smallest, largest = self._ends(positives)
        tails = (rooms - slack <= smallest).astype(float)
        between = (rooms - slack > smallest) & (rooms - slack <= largest)
        for one, sign in ((1, 1), (self.total - 1, -1)):
            here = between & (positives == one)
            tails[here] = self._of_one(rooms[here] - slack, sign)
            between &= positives != one
        if between.any():
            tails[between] = self._approximated(positives[between], rooms[between])
        return tails

    def _ends(self, positives: Ints) -> tuple[Floats, Floats]:
        """Return the smallest and the largest sum."""
        ends = []
        for step in (1, -1):
            sizes, weights = self.sizes[::step], self.weights[::step]
            filled = np.append(0, np.cumsum(sizes))
            sums = np.append(0, np.cumsum(sizes * weights))
            place = np.searchsorted(filled, positives, side="right") - 1
            extra = np.append(weights, 0)[place]
            ends.append(sums[place] + (positives - filled[place]) * extra)
        return ends[0], ends[1]

    def _of_one(self, rooms: Floats, sign: int) -> Floats:
        """Return the exact tails for one positive, or for one negative (sign -1)."""
        upto = np.append(0, np.cumsum(self.sizes)) / self.total
        if sign > 0:
            return np.asarray(1 - upto[np.searchsorted(self.weights, rooms, side="left")])
        most = float(self.sizes @ self.weights) - rooms
        return np.asarray(upto[np.searchsorted(self.weights, most, side="right")])

    def _approximated(self, positives: Ints, rooms: Floats) -> Floats:
        count, total = positives.astype(float), float(self.total)
        sums = (rooms - count * self._centre) / self._scale
        if self._span:
            # A sum stands for half a span around it.
            origin = count * self._ranks[0]
            steps = np.ceil((sums - origin) / self._span - 1e-6)
            sums = origin + self._span * (steps - 0.5)
        variance = count * (total - count) / total / (total - 1) * self._square
        if count.min() > _HUGE:
            return _upper(sums / np.sqrt(variance))
        near = _MIDDLE * np.sqrt(variance)
        is_near = np.abs(sums) < near
        both = [self._formula(count, np.where(is_near, end, sums)) for end in (-near, near)]
        weight = np.where(is_near, (sums + near) / (2 * near), 0.5)
        return np.asarray((1 - weight) * both[0] + weight * both[1])

    def _formula(self, count: Floats, sums: Floats) -> Floats:
        """Return the formula for the probability that a sum is at least this."""
        sizes, total = self.sizes.astype(float), float(self.total)
        tilt = Tilt.of(sizes, self._ranks, count, sums)
        root = np.copysign(np.sqrt(2 * _divergence(tilt) @ sizes), tilt.slope)
        step = tilt.slope
        if self._span:
            step = 2 * np.sinh(np.clip(self._span * step / 2, -300, 300)) / self._span
        other = step * np.sqrt(tilt.spread / (count * (total - count) / total))
        with np.errstate(all="ignore"):
            correction = np.log(other / root) / root
        # At the end of the attainable range the variance vanishes, and only the root remains.
        star = root + np.where(np.isfinite(correction), correction, 0)
        return _upper(star)

    def ripple(self, share: float) -> float:
        """Return how large the waves of the density are, relative to a tail of 1e-6.

        A wave of the characteristic function at a frequency θ changes a tail by about its size
        over θ, and a tail of 1e-6 is a fifth of a standard deviation long.
        """
        unit = math.sqrt(self._square * share * (1 - share))
        if not unit:
            return 1.0
        most = min(300.0, math.pi * unit / self._span if self._span else math.inf)
        frequencies = np.arange(4.0, most, 0.5)
        if not frequencies.size:
            return 0.0
        angles = np.outer(frequencies / unit, self._ranks)
        shifts = np.angle(np.exp(1j * angles) @ self.sizes.astype(float))
        waves = np.sin((angles - shifts[:, None]) / 2) ** 2
        sizes = np.exp(np.log1p(-4 * share * (1 - share) * waves * (1 - 1e-12)) @ self.sizes / 2)
        return float((5 * sizes / frequencies).max())


def _upper(deviates: Floats) -> Floats:
    """Return the probability that a normal number is at least so large."""
    return np.array([math.erfc(each / math.sqrt(2)) / 2 for each in deviates.tolist()])


def span_of(steps: Floats, sd: float) -> float:
    """Return the largest number of which all steps are multiples; 0 if it is small."""
    sizes = np.unique(np.abs(steps))
    least = _SAME * float(sizes.max(initial=0))
    span = 0.0
    for size in sizes[sizes > least].tolist():
        rest = size
        while rest > least:
            span, rest = rest, abs(math.remainder(span, rest))
        if span < _FINE * sd:
            return 0.0
    return span


def _divergence(tilt: Tilt) -> Floats:
    """Return the Kullback-Leibler divergence of the tilted probabilities from the share."""
    chances, share = tilt.chances, tilt.share
    with np.errstate(all="ignore"):
        gained = np.where(chances > 0, chances * np.log(chances / share), 0)
        lost = np.where(chances < 1, (1 - chances) * np.log((1 - chances) / (1 - share)), 0)
    return np.asarray(np.maximum(gained + lost, 0))
