"""The best score over all thresholds of a ranking, when its labels are shuffled.

The best threshold of a model is chosen with the labels in sight, so it is compared with the best
thresholds of the same scores on shuffled labels. From the highest score down, the number of
positives so far is a lattice path; the score at a threshold depends on where the path is at the end
of a block of equal scores. The chance that some threshold reaches a score is that of a path that
meets a barrier: sums of positive terms, as exact as floats are.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.null.distribution import Listed
from baserate.null.matching import log_choose
from baserate.null.permutations import Permuted, RandomBlocks, all_tables
from baserate.null.sums import MAX_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

# The most sums of a walk: about half a second. A step takes as long as this many of them, one that
# calls a function as long as more, and a product of a convolution as a quarter.
MAX_SUMS, STEP, CALL, PRODUCT = 6 * 10**8, 10**4, 5 * 10**4, 0.25
# Thresholds times what scores take, in permutations: as long, for a thousand of them.
MAX_SCORED = 10**6
# What is left out changes a probability by at most this much, relative to it.
NEGLIGIBLE = 1e-18
# Of a function that may fall with more positives, no smaller probability is told from 0. It also
# says how wide a walk is, to know in advance how long it takes.
LEAST = 1e-20


@dataclass(frozen=True, eq=False)
class Thresholds:
    """A score at all thresholds of a ranking.

    Examples
    --------
    With 4 positives among 20, a random ranking expects a best F1 of 0.44; the best draw has 0.33.

    >>> f1 = lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn)
    >>> null = best_threshold(Thresholds(f1, np.arange(21), positives=4, total=20))
    >>> round(null.mean(), 2), round(null.sf(0.75), 4), null.method
    (0.44, 0.0147, 'exact')
    """

    score: Callable[..., Floats]  # of arrays of tp, fp, fn and tn; not finite where there is none
    ends: Ints  # how many rows are predicted positive at each threshold that may be chosen
    positives: int
    total: int
    maximize: bool = True
    rises: bool = True  # whether a true positive more, of as many predicted, is never worse
    size: float = 1.0  # the largest number that a score is computed from
    work: int = 20  # how many sums take as long as one score

    def goodness(self, tp: Any, ends: Any) -> Floats:
        """Return scores, higher for better ones; -inf where there is none."""
        hits, size = np.broadcast_arrays(np.asarray(tp, float), np.asarray(ends, float))
        others = self.positives - hits
        scores = self.score(hits, size - hits, others, self.total - size - others)
        return np.where(np.isfinite(scores), scores if self.maximize else -scores, -np.inf)

    @cached_property
    def inner(self) -> Ints:
        """The thresholds at which something and not all is predicted positive."""
        return self.ends[(self.ends > 0) & (self.ends < self.total)]

    @cached_property
    def outer(self) -> float:
        """How good the better constant prediction is, if one of them may be chosen."""
        ends = self.ends[(self.ends == 0) | (self.ends == self.total)]
        return float(self.goodness(np.minimum(ends, self.positives), ends).max(initial=-np.inf))

    @cached_property
    def places(self) -> Ints:
        """Which thresholds are looked at: all if there can be a walk, and otherwise some."""
        return np.arange(self.ends.size) if self.is_walked else self._some

    @cached_property
    def is_walked(self) -> bool:
        """Whether a walk through all thresholds is short."""
        return Walk(self).sums <= MAX_SUMS

    @property
    def _some(self) -> Ints:
        """At most this many as permutations score, denser at both ends: there chance does best."""
        most = min(MAX_BLOCKS, MAX_SCORED // self.work)
        if self.ends.size <= most:
            return np.arange(self.ends.size)
        near = np.geomspace(1, self.total / 2, most // 4)
        ranks = np.concatenate([near, self.total - near, np.linspace(0, self.total, most // 2)])
        places = np.searchsorted(self.ends, np.floor(ranks))
        return np.unique(np.minimum(places, self.ends.size - 1))

    @property
    def fewer(self) -> Thresholds:
        """So few thresholds that there can be permutations."""
        return replace(self, ends=self.ends[self._some])

    def best(self, positives: NDArray[Any]) -> Floats:
        """Return the best scores of some labellings, by the positives in each block."""
        tp = np.cumsum(positives, axis=1)[:, : self.inner.size]
        best = self.goodness(tp, self.inner).max(axis=1, initial=self.outer)
        return np.asarray(best if self.maximize else -best)

    @property
    def blocks(self) -> Ints:
        """How many rows are between two thresholds."""
        return np.diff(self.inner, prepend=0, append=self.total)


def best_threshold(thresholds: Thresholds) -> NullDistribution:
    """Return the distribution of the best score, given that there is one.

    All labellings are listed if they are few. Otherwise tails are those of a walk, and moments and
    quantiles those of permutations; tails too, if a walk would take long.
    """
    n = [thresholds.positives, thresholds.total - thresholds.positives]
    every = all_tables(n, thresholds.blocks.tolist()) if thresholds.is_walked else None
    if every is not None and every[0].size * thresholds.work <= MAX_SUMS:
        best = thresholds.best(every[0][:, 0])
        known = np.isfinite(best)
        if not known.any():
            return Listed(np.array([math.nan]), np.ones(1))
        return Listed(best[known], every[1][known], thresholds.size)
    return _Walked(thresholds) if thresholds.is_walked else Permuted(*_draws(thresholds.fewer))


def _draws(thresholds: Thresholds) -> tuple[Callable[[np.random.Generator, int], Floats], int]:
    """Return what draws best scores, and how many numbers each takes."""
    blocks = RandomBlocks(thresholds.positives, thresholds.blocks)

    def draw(rng: np.random.Generator, number: int) -> Floats:
        best = thresholds.best(blocks(rng, number))
        known = best[np.isfinite(best)]
        return known if known.size else np.full(number, math.nan)

    return draw, blocks.cells + thresholds.ends.size * thresholds.work // 2


class _Walked(Permuted):
    """A distribution with the tails of a walk."""

    method = "exact"
    floor = error = 0.0

    def __init__(self, thresholds: Thresholds) -> None:
        draw, cells = _draws(thresholds.fewer)
        super().__init__(draw, 4 * cells)  # fewer will do for moments and quantiles
        self._sign, self._size = 1 if thresholds.maximize else -1, thresholds.size
        self._walk = Walk(thresholds)

    @cached_property
    def _defined(self) -> float:
        return self._walk.reaching(-sys.float_info.max)

    def _tail(self, sign: int, score: float) -> float:
        slack = 16 * COMPUTATION * max(abs(score), self._size)
        if sign == self._sign:
            return self._walk.reaching(sign * score - slack) / self._defined
        beyond = math.nextafter(slack - sign * score, math.inf)
        return 1 - self._walk.reaching(beyond) / self._defined


class Walk:
    """The positives among the first rows, as labels are shuffled.

    Shuffled labels are independent ones, each positive with the chance P / M, of which P happen to
    be positive. Independent ones have steps that do not depend on where the walk is; where it meets
    the barrier, it is weighted by how likely P are positive in the end.
    """

    def __init__(self, thresholds: Thresholds) -> None:
        self._at, self._ends = thresholds, thresholds.inner
        self._logs = [
            math.log(max(count, 1) / max(thresholds.total, 1))
            for count in (thresholds.positives, thresholds.total - thresholds.positives)
        ]
        self._whole = float(self._log_binomial(thresholds.total, thresholds.positives))
        self._cut = self._negligible(LEAST)
        self._blocks: dict[int, tuple[int, Floats]] = {}

    def _negligible(self, least: float) -> float:
        """Return a chance of independent labels that does not matter beside a probability."""
        return max(NEGLIGIBLE * least * math.exp(self._whole) / max(self._ends.size, 1), 1e-300)

    def _log_binomial(self, size: Any, counts: Any) -> Floats:
        """Return the logarithm of the chance of some positives among independent labels."""
        n, k = np.broadcast_arrays(np.asarray(size), np.asarray(counts))
        possible = (k >= 0) & (k <= n)
        n, k = np.where(possible, n, 0), np.where(possible, k, 0)
        logs = log_choose(n, k) + k * self._logs[0] + (n - k) * self._logs[1]
        return np.where(possible, logs, -np.inf)

    def _weights(self, ends: Any, counts: Any) -> Floats:
        """Return how much likelier counts are for shuffled labels than for independent ones."""
        rest = self._log_binomial(self._at.total - ends, self._at.positives - counts)
        return np.asarray(np.exp(rest - self._whole))

    @cached_property
    def sums(self) -> float:
        """About how many sums it takes."""
        if not 0 < self._at.positives < self._at.total:
            return 0.0
        if self._ends.size * STEP > MAX_SUMS:
            return math.inf
        steps = np.diff(self._ends.astype(float), prepend=0.0)
        states = np.minimum(2 * self._reach(self._ends), np.minimum(self._ends, self._at.positives))
        kernels = np.minimum(2 * self._reach(steps), steps)
        call, score = (0, 0) if self._at.rises else (CALL, self._at.work)
        return float(((states + 1) * (PRODUCT * kernels + 1 + score) + STEP + call).sum())

    def _reach(self, sizes: Any) -> Floats:
        """Return how far from its mean a count matters, by Bernstein's inequality."""
        log, variance = -math.log(self._cut), np.asarray(sizes) * math.exp(sum(self._logs))
        return np.asarray(log / 3 + np.sqrt(log * log / 9 + 2 * variance * log))

    def reaching(self, goodness: float) -> float:
        """Return the chance that some threshold is at least so good, higher for better ones."""
        if self._at.outer >= goodness:
            return 1.0
        fewest, least = None, LEAST
        if self._at.rises:
            fewest = self._fewest(goodness)
            usual = np.minimum(self._ends * self._at.positives // self._at.total, self._ends)
            counts = np.maximum(fewest, usual)
            single = np.exp(self._log_binomial(self._ends, counts))
            least = float((single * self._weights(self._ends, counts)).max(initial=0.0))
        if not least or not self._ends.size:
            return 0.0
        self._cut, self._blocks = self._negligible(least), {}
        return self._met(goodness, None if fewest is None else fewest.tolist())

    def _fewest(self, goodness: float) -> Ints:
        """Return the fewest positives that reach a score, or one more than there can be."""
        low = np.maximum(self._ends - (self._at.total - self._at.positives), 0)
        most = np.minimum(self._ends, self._at.positives)
        high = most + 1
        while (low < high).any():
            middle = (low + high) // 2
            reached = self._at.goodness(np.minimum(middle, most), self._ends) >= goodness
            is_open = low < high
            high = np.where(is_open & reached, middle, high)
            low = np.where(is_open & ~reached, middle + 1, low)
        return np.asarray(low)

    def _met(self, goodness: float, fewest: list[int] | None) -> float:
        """Walk: the chance to be, at some threshold, where the score is reached."""
        ends, firsts, met = [], [], []
        low, chances, now, kept = 0, np.ones(1), 0, 0
        for place, end in enumerate(self._ends.tolist()):
            first, kernel = self._block(end - now)
            low, chances = low + first, np.convolve(chances, kernel)
            now = end
            if fewest is None:
                reached = self._reached(goodness, end, low, chances.size)
                here, left, start = chances * reached, chances * ~reached, low
            else:
                start = max(fewest[place], low)
                here, left = chances[start - low :], chances[: start - low]
            if here.size:
                ends.append(end)
                firsts.append(start)
                met.append(here)
            chances = left
            if chances.size > 1.25 * kept + 32:
                matter = np.flatnonzero(chances > self._cut)
                if matter.size:
                    low, chances = low + int(matter[0]), chances[matter[0] : matter[-1] + 1]
                kept = chances.size if matter.size else 0
            if not chances.size:
                break
        sizes = np.array([each.size for each in met])
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        counts = np.repeat(firsts, sizes) + within
        weights = self._weights(np.repeat(ends, sizes), counts)
        return min(float(np.concatenate(met) @ weights), 1.0) if met else 0.0

    def _block(self, size: int) -> tuple[int, Floats]:
        """Return the chances of the positives in a block of rows, from the first that matters."""
        if size not in self._blocks:
            reach, mean = float(self._reach(size)), size * math.exp(self._logs[0])
            low, high = max(0, math.floor(mean - reach)), min(size, math.ceil(mean + reach))
            chances = np.exp(self._log_binomial(size, np.arange(low, high + 1)))
            self._blocks[size] = low, chances
        return self._blocks[size]

    def _reached(self, goodness: float, end: int, low: int, number: int) -> Flags:
        """Return which numbers of positives reach a score at a threshold."""
        counts = low + np.arange(number)
        negatives = self._at.total - self._at.positives
        possible = (counts <= min(end, self._at.positives)) & (counts >= end - negatives)
        found = self._at.goodness(counts[possible], np.full(int(possible.sum()), end)) >= goodness
        reached = np.zeros(number, dtype=bool)
        reached[possible] = found
        return reached
