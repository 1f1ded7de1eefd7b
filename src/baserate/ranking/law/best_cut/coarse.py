"""Bounds of the chance that some cut-off reaches a score, where there are too many to walk through.

Looking at some of the cut-offs only gives a probability that is too small. For one that is too
large, take the cut-offs between two that are looked at. Where the walk reaches the score there, it
is still nearly as high at the next one that is looked at, with a probability of at least 1 - δ:
a hypergeometric count is seldom far below its mean. So the chance to reach the score is at most
that of the walk to reach this lower barrier, divided by 1 - δ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.ranking.law.best_cut.masses import Labels
from baserate.ranking.law.best_cut.walk import Bounds, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.ranking.law.best_cut.target import Target

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# Cut-offs that are looked at are so far apart, relative to the distance from the nearer end.
_APART = (1 / 1024, 1 / 512, 1 / 256, 1 / 128, 1 / 64, 1 / 32, 1 / 16)
# The most work of a walk, in products, and how seldom a count may be far below its mean.
_MOST_WORK, _SELDOM = 4 * 10**8, 0.1
# A chance below this needs no better bounds.
_TINY = 1e-6
# Heights that should be whole numbers may be wrong by this much.
_ROUNDING = 1e-6
# Go on by this part of the square root of how many cut-offs are between two.
_PART = 0.2
# So many cut-offs at a time fit in the cache.
_PIECE = 2**16


def bracket(target: Target) -> tuple[float, float]:
    """Return a lower and an upper bound of the chance that some cut-off reaches a score."""
    ends = target.cuts.ends
    inside = ends[slice(*np.searchsorted(ends, [1, target.cuts.rate.total]).tolist())]
    if target.cuts.rising:
        low, high = _quick(target, inside, spread(inside, target.cuts.rate.total, _APART[-1]))
        if high <= max(_TINY, 1.01 * low):
            return low, high
    for apart in _APART:
        places = spread(inside, target.cuts.rate.total, apart)
        if Walk(target.cuts.rate, inside[places]).cost <= _MOST_WORK:
            break
    return _Coarse(target, inside, places).bracket()


def spread(ends: Ints, total: int, apart: float) -> Ints:
    """Return the places of some ends, farther apart in the middle; the last one is among them."""
    steps = math.ceil(math.log(max(total * apart / 2, 1)) / math.log1p(apart)) + 1
    geometric = np.exp(np.log1p(apart) * np.arange(steps)) / apart
    near = np.concatenate([np.arange(1, math.ceil(1 / apart)), geometric])
    near = near[near <= total / 2]
    wanted = np.concatenate([near, total - near])
    places = np.searchsorted(ends, wanted.astype(np.int64))
    return np.union1d(places[places < ends.size], [ends.size - 1]).astype(np.int64)


def _quick(target: Target, ends: Ints, places: Ints) -> tuple[float, float]:
    """Bound the chance by that of single cut-offs, for measures whose bounds rise.

    A walk that reaches the score between two cut-offs is as high at the second.
    """
    labels = Labels(target.cuts.rate)
    firsts = np.append(0, places[:-1] + 1)
    lowest = target.bounds(ends[firsts])
    low = float(labels.probabilities(ends[firsts], lowest).max())
    return low, min(float(labels.tails(ends[places], lowest).sum()), 1.0)


@dataclass(frozen=True, eq=False)
class _Coarse:
    """Some of the ends, and the score to reach.

    Parameters
    ----------
    target
        The score.
    ends
        All ends, without those that leave no choice.
    places
        Which of them are looked at; the last one is.
    """

    target: Target
    ends: Ints
    places: Ints

    def bracket(self) -> tuple[float, float]:
        """Return the bounds."""
        rate, looked_at = self.target.cuts.rate, self.ends[self.places]
        known = float(Labels(rate).probabilities(looked_at, self._bounds).max())
        walk = Walk(rate, looked_at, max(known, 1e-30))
        low = walk.meets(Bounds(self._bounds))
        if self._is_alone.all():
            return low, min(low + walk.noise, 1.0)
        high = walk.meets(Bounds(self._lowered)) / (1 - _SELDOM)
        return max(low - walk.noise, known), min(high + walk.noise, 1.0)

    @cached_property
    def _bounds(self) -> Ints:
        return self.target.bounds(self.ends[self.places])

    @cached_property
    def _firsts(self) -> Ints:
        """The first end after the one that was looked at before."""
        return np.append(0, self.places[:-1] + 1)

    @property
    def _is_alone(self) -> NDArray[np.bool_]:
        return np.asarray(self._firsts == self.places)

    @cached_property
    def _lowered(self) -> Ints:
        """How high a walk is, nearly always, that reached the score since the end before."""
        rate = self.target.cuts.rate
        start, stop = self.ends[self._firsts], self.ends[self.places]
        first, last = (np.minimum(line, rate.positives) for line in self._lines)
        ratios = np.array([(rate.positives - first) / (rate.total - start),
                           (rate.positives - last) / (rate.total - stop)]).clip(0, 1)  # fmt: skip
        expected = np.minimum(first + ratios[0] * (stop - start), last)
        bounds = np.ceil(expected - _deviation(ratios, stop - start) - _ROUNDING).astype(np.int64)
        # No walk goes down.
        bounds = np.maximum(bounds, self._lowest)
        return np.where(self._is_alone, self._bounds, np.minimum(bounds, self._bounds))

    @property
    def _lowest(self) -> Ints:
        """The lowest bound, or a number below it, since the end before."""
        if self.target.cuts.rising:
            return self._first_bounds
        return np.ceil(np.minimum(*self._lines) - _ROUNDING).astype(np.int64)

    @cached_property
    def _first_bounds(self) -> Ints:
        return self.target.bounds(self.ends[self._firsts])

    @cached_property
    def _lines(self) -> tuple[Floats, Floats]:
        """Return straight lines below all bounds, by their values at the first and the last end."""
        first, last = self._first_bounds.astype(float), self._bounds.astype(float)
        down = self._sag(first, last)
        wrong = np.flatnonzero(~self._is_alone)
        while wrong.size:
            wrong = wrong[~self._hold(wrong, (first - down)[wrong], (last - down)[wrong])]
            down[wrong] = 2 * down[wrong] + 1
        return first - down, last - down

    def _sag(self, first: Floats, last: Floats) -> Floats:
        """Guess how far the bounds are below the straight line, from the end in the middle."""
        start, middle, stop = (
            self.ends[place]
            for place in (self._firsts, (self._firsts + self.places) // 2, self.places)
        )
        along = (middle - start) / np.maximum(stop - start, 1)
        line = first + along * (last - first)
        return np.asarray(np.maximum(1.1 * (line - self.target.bounds(middle)), 0.0) + 1)

    def _hold(self, which: Ints, first: Floats, last: Floats) -> NDArray[np.bool_]:
        """Return which lines are below the bounds at all of their ends."""
        starts, sizes, strides = self._firsts[which], self._sizes[which], self._strides[which]
        looks = -(-sizes // strides)
        slopes = (last - first) / (self.ends[starts + sizes - 1] - self.ends[starts])
        wrong = np.zeros(which.size, dtype=bool)
        for part in _pieces(looks):
            line = np.repeat(np.arange(part.start, part.stop), looks[part])
            before = np.cumsum(looks[part]) - looks[part]
            look = np.arange(line.size) - np.repeat(before, looks[part])
            place = starts[line] + look * strides[line]
            # Bounds that rise are not lower before the next look, where the line is higher.
            final = np.minimum(place + strides[line], starts[line] + sizes[line]) - 1
            start = self.ends[starts[line]]
            runs = np.maximum(slopes[line] * (self.ends[final] - start),
                              slopes[line] * (self.ends[place] - start))  # fmt: skip
            wrong[line[self._is_above(first[line] + runs, self.ends[place])]] = True
        return ~wrong

    @cached_property
    def _sizes(self) -> Ints:
        return self.places - self._firsts + 1

    @cached_property
    def _strides(self) -> Ints:
        """How many ends to go on at a time: if bounds rise, a small part of what luck moves."""
        if not self.target.cuts.rising:
            return np.ones(self.places.size, dtype=np.int64)
        return np.maximum(_PART * np.sqrt(self._sizes), 1).astype(np.int64)

    def _is_above(self, heights: Floats, ends: Ints) -> NDArray[np.bool_]:
        """Return which heights exceed the bound: one count lower reaches the score already."""
        low, high = self.target.cuts.ranges(ends)
        counts = np.minimum(np.ceil(heights - _ROUNDING) - 1, high)
        possible = counts >= low
        return np.asarray(possible & self.target.is_reached(np.where(possible, counts, low), ends))


def _pieces(sizes: Ints) -> Iterator[slice]:
    """Yield parts of a list, each with so many elements that they fit in the cache."""
    total = np.cumsum(sizes)
    start = 0
    while start < sizes.size:
        done = total[start - 1] if start else 0
        stop = max(int(np.searchsorted(total, done + _PIECE)), start + 1)
        yield slice(start, stop)
        start = stop


def _deviation(ratios: Floats, sizes: Ints) -> Floats:
    """Return how far below its mean a count is less often than seldom, by the best inequality."""
    log = -math.log(_SELDOM)
    spread = np.where((ratios.min(axis=0) < 0.5) & (ratios.max(axis=0) > 0.5), 0.25,
                      (ratios * (1 - ratios)).max(axis=0))  # fmt: skip
    variance = sizes * spread
    bernstein = log / 3 + np.sqrt(log * log / 9 + 2 * variance * log)
    chernoff = np.sqrt(2 * log * sizes * ratios.max(axis=0))
    cantelli = np.sqrt(variance * (1 - _SELDOM) / _SELDOM)
    hoeffding = np.sqrt(sizes * log / 2)
    return np.asarray(np.min([bernstein, chernoff, cantelli, hoeffding], axis=0))
