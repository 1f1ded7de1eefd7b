"""Approximate the tail of a rank sum by a saddlepoint, where counting takes too long.

This is Barndorff-Nielsen's form of the Lugannani-Rice approximation, given the number of positives
(Booth and Butler, 1990), with the correction for a lattice. A block so large that its number of
positives makes the law lumpy is summed over explicitly; the formula covers the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.blocks import binomial, binomial_at
from baserate.ranking.law.states import States, blocks_within
from baserate.ranking.law.tilt import Tilt, end_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.blocks import Blocks

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# A block with more than this share of the rest makes the law lumpy.
_LUMP = 0.05
# The most ways to place the positives of such blocks; less likely ones are left out.
_STATES, _NEGLIGIBLE = 600, 1e-10
# Lumps disappear if the number of positives in a block varies by more than this; and this many
# positives, or negatives, suffice for the formula.
_WIDE, _FEW = 50, 9.5
# Within this many standard deviations of the mean the formula is 0/0, and is interpolated.
_MIDDLE = 0.05


def approximate_probability(blocks: Blocks, span: int) -> float:
    """Return the approximate probability of at most the given number of wrong pairs.

    Parameters
    ----------
    blocks
        The ranking in question; neighbours may be merged to make it shorter.
    span
        The sums of positions differ by multiples of this.
    """
    large = _large(blocks)
    states = States.of(blocks, large, _NEGLIGIBLE)
    rest = _Rest(np.delete(blocks.sizes, large), np.delete(blocks.costs, large), span)
    total = int(rest.sizes.sum())
    left = blocks.positives - states.counts
    possible = (left >= 0) & (left <= total)
    left, room = left[possible], (blocks.cost - states.costs)[possible]
    share = blocks.positives / blocks.total
    alone = binomial_at(blocks.total, share, blocks.positives)
    chances = binomial(total, share, int(left.min()), int(left.max()))[left - left.min()]
    return float((states.chances[possible] * chances) @ rest.tails(left, room)) / alone


def is_smooth(blocks: Blocks) -> bool:
    """Return whether no block makes the law lumpy, and the classes are large enough."""
    share = blocks.sizes.max() / blocks.total
    few = blocks.positives * blocks.negatives / blocks.total
    is_lump = share > _LUMP and few * share * (1 - share) < _WIDE**2
    return few >= _FEW and not is_lump


def _large(blocks: Blocks) -> list[int]:
    """Return the blocks to sum over explicitly."""
    large: list[int] = []
    left = blocks.total
    for place in np.argsort(-blocks.sizes, kind="stable").tolist():
        if len(large) == blocks.sizes.size - 2 or blocks.sizes[place] < _LUMP * left:
            break
        tried = [*large, place]
        if blocks_within(blocks, tried, _STATES, _NEGLIGIBLE) == len(tried):
            large = tried
            left -= int(blocks.sizes[place])
    return large


@dataclass(frozen=True)
class _Rest:
    """Blocks without lumps: their sizes, their positions from the top, the span of the lattice."""

    sizes: Ints
    costs: Ints
    span: int

    def tails(self, positives: Ints, rooms: Ints) -> Floats:
        """Return the probability that the positions of the positives sum to at most these rooms."""
        total = int(self.sizes.sum())
        fewest, most = end_sums(self.sizes, self.costs, positives)
        # Half a lattice step further: a lattice point stands for its surroundings (continuity).
        reached = rooms + self._step / 2
        is_one = (positives == 1) | (positives == total - 1)
        beyond = np.where(is_one, rooms, reached) >= most
        tails, between = beyond.astype(float), (fewest <= rooms) & ~beyond
        for one, sign in ((1, 1), (total - 1, -1)):
            here = between & (positives == one)
            tails[here] = self._of_one(rooms[here], sign)
            between &= positives != one
        if between.any():
            tails[between] = self._approximated(positives[between], reached[between])
        return tails

    def _of_one(self, rooms: Ints, sign: int) -> Floats:
        """Return the exact tails for one positive, or for one negative (sign -1)."""
        upto = np.append(0, np.cumsum(self.sizes)) / self.sizes.sum()
        if sign > 0:
            return np.asarray(upto[np.searchsorted(self.costs, rooms, side="right")])
        least = int(self.sizes @ self.costs) - rooms
        return np.asarray(1 - upto[np.searchsorted(self.costs, least)])

    def _approximated(self, positives: Ints, reached: Floats) -> Floats:
        sizes, total = self.sizes.astype(float), float(self.sizes.sum())
        middle = float(sizes @ self.costs) / total
        scale = float(self.costs[-1] - self.costs[0]) or 1.0
        ranks = (middle - self.costs) / scale
        count = positives.astype(float)
        sums = (count * middle - reached) / scale
        variance = count * (total - count) / total / (total - 1) * float(sizes @ ranks**2)
        near = _MIDDLE * np.sqrt(variance)
        is_near = np.abs(sums) < near
        both = [
            self._formula(sizes, ranks, count, np.where(is_near, end, sums), self._step / scale)
            for end in (-near, near)
        ]
        weight = np.where(is_near, (sums + near) / (2 * near), 0.5)
        return (1 - weight) * both[0] + weight * both[1]

    @cached_property
    def _step(self) -> float:
        """The step of the lattice; a wide gap counts as a step, to be on the safe side."""
        gap = float(np.diff(self.costs).max(initial=0))
        return gap if gap > _LUMP * float(self.costs[-1] - self.costs[0]) else float(self.span)

    @staticmethod
    def _formula(sizes: Floats, ranks: Floats, count: Floats, sums: Floats, span: float) -> Floats:
        """Return the formula for the probability that a sum of ranks is at least this."""
        tilt = Tilt.of(sizes, ranks, count, sums)
        root = np.copysign(np.sqrt(2 * tilt.divergence @ sizes), tilt.slope)
        total = float(sizes.sum())
        steps = np.clip(span * tilt.slope / 2, -300, 300)
        lattice = 2 * np.sinh(steps) / span
        other = lattice * np.sqrt(tilt.spread / (count * (total - count) / total))
        with np.errstate(all="ignore"):
            correction = np.log(other / root) / root
        # At the end of the attainable range the variance vanishes, and only the root remains.
        star = root + np.where(np.isfinite(correction), correction, 0)
        return np.array([math.erfc(each / math.sqrt(2)) / 2 for each in star.tolist()])
