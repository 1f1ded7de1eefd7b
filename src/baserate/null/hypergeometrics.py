"""Many narrow hypergeometric distributions at once: their tails and quantiles, in arrays.

The result for one does not depend on the others: sums run outwards in a fixed order, so a longer
array only adds terms that change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.null.hypergeometric import log_factorials, outward_ratios

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

# Up to here, the product of two counts is exact as a float.
_MOST_OBSERVATIONS = 2**26
# The largest standard deviation of a narrow distribution: a thousand terms to either side.
_NARROW = 100
# As many numbers as fit in a processor's cache.
_CACHED = 2**16
# Terms below exp(-42) = 6e-19 of the first are negligible.
_NEGLIGIBLE = 42.0
# The number of terms to add up before the next block: fewer roundings accumulate this way.
_BLOCK = 16
# How close a quantile may be to a step of the running sum.
_UNDECIDED = 1e-9


@dataclass(frozen=True, eq=False)
class Hypergeometrics:
    """The distributions of TP in some draws."""

    positives: Ints
    negatives: Ints
    drawn: Ints

    @classmethod
    def among(cls, tables: Ints) -> tuple[Ints, Ints, Hypergeometrics]:
        """Return which rows of TP, FP, FN and TN have a narrow distribution, their TP, and all."""
        tp, fp, fn, tn = tables.T
        found = cls(tp + fn, tn + fp, tp + fp)
        which = np.flatnonzero((found.total <= _MOST_OBSERVATIONS) & (found.sd <= _NARROW))
        return which, tp[which], found.part(which)

    def part(self, which: Ints) -> Hypergeometrics:
        """Return some of them."""
        return Hypergeometrics(self.positives[which], self.negatives[which], self.drawn[which])

    @property
    def total(self) -> Ints:
        """The sizes of the test sets."""
        return self.positives + self.negatives

    @property
    def margins(self) -> tuple[Ints, Ints, Ints, Ints]:
        """P, N, P̂ and N̂."""
        return self.positives, self.negatives, self.drawn, self.total - self.drawn

    @cached_property
    def sd(self) -> Floats:
        """The standard deviations of TP."""
        total = self.total.astype(float)
        product = np.prod(np.array(self.margins, dtype=float), axis=0)
        return np.asarray(np.sqrt(product / (total**2 * np.maximum(total - 1, 1))))

    @cached_property
    def mode(self) -> Ints:
        """The most likely TP."""
        return (self.positives + 1) * (self.drawn + 1) // (self.total + 2)

    def cells(self, tp: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return (tp, fp, fn, tn), eqs. (B1) to (B4)."""
        return tp, self.drawn - tp, self.positives - tp, self.negatives - self.drawn + tp

    def at_least(self, tp: Ints) -> Floats:
        """Return P(TP ≥ tp), with full relative precision where it is small."""
        is_upper = tp > self.mode
        tails = self._tails(np.where(is_upper, tp, tp - 1), is_upper)
        return np.where(is_upper, tails, 1 - tails)

    def at_most(self, tp: Ints) -> Floats:
        """Return P(TP ≤ tp), with full relative precision where it is small."""
        is_upper = tp >= self.mode
        tails = self._tails(np.where(is_upper, tp + 1, tp), is_upper)
        return np.where(is_upper, 1 - tails, tails)

    def _tails(self, tp: Ints, is_upper: Bools) -> Floats:
        """Return the probability of each tp and of all counts further from the mode."""
        found = np.zeros(tp.shape)
        inside = np.flatnonzero(np.min(self.cells(tp), axis=0) >= 0)
        some, tp = self.part(inside), tp[inside]
        found[inside] = some.pmf(tp) * some.tail_ratios(tp, is_upper[inside])
        return found

    def pmf(self, tp: Ints) -> Floats:
        """Return P(TP = tp)."""
        high, low = log_factorials(np.stack([*self.margins, self.total, *self.cells(tp)]))
        signs = np.array([1, 1, 1, 1, -1, -1, -1, -1, -1])[:, np.newaxis]
        log, rest = _added(np.concatenate([signs * high, signs * low]))
        return np.asarray(np.exp(log) * (1 + rest))

    def tail_ratios(self, tp: Ints, is_upper: Bools) -> Floats:
        """Return Σ P(TP = tp ± j) / P(TP = tp) over j ≥ 0, away from the mode."""
        losing, gaining = self._exchange(tp, is_upper)
        lengths = self._lengths(losing, gaining)
        sums = np.empty(tp.shape)
        for which, length in _batches(lengths):
            terms = outward_ratios(losing[:, which], gaining[:, which], length)
            sums[which] = _in_order(_in_order(terms.reshape(-1, _BLOCK, which.size), 1), 0)
        return sums

    def _lengths(self, losing: Ints, gaining: Ints) -> Ints:
        """Return how many terms of each tail to add, in whole blocks."""
        with np.errstate(divide="ignore"):
            decay = -np.log(losing.prod(axis=0) / (gaining + 1).prod(axis=0))
        # Ratios fall outwards (log-concavity), so a geometric and a normal tail bound the terms.
        terms = np.minimum(_NEGLIGIBLE / np.maximum(decay, 1e-300), 9.5 * self.sd + 40)
        needed = np.minimum(np.ceil(terms).astype(np.int64), losing.min(axis=0)) + 1
        return np.asarray(-(-needed // _BLOCK) * _BLOCK)

    def quantiles(self, *levels: float) -> list[tuple[Ints, Bools]]:
        """Return the smallest tp with P(TP ≤ tp) ≥ q for each level q, and whether it is certain.

        It is not certain if q is next to a step of the sum, which is right to about 12 digits.
        """
        found = [(np.empty_like(self.drawn), np.empty(self.drawn.shape, bool)) for _ in levels]
        reach = np.ceil(9 * self.sd).astype(np.int64) + 40
        for which, length in _batches(np.minimum(reach, np.min(self.margins, axis=0)) + 1):
            some = self.part(which)
            below = some.running_sum(length)
            for (tp, is_certain), level in zip(found, levels, strict=True):
                first = (below < level - _UNDECIDED).sum(axis=0)
                tp[which] = some.mode - length + 1 + first
                is_certain[which] = first == (below < level + _UNDECIDED).sum(axis=0)
        return found

    def running_sum(self, length: int) -> Floats:
        """Return P(TP ≤ tp) for this many tp to either side of the mode."""
        left, right = (
            outward_ratios(*self._exchange(self.mode, np.full(self.mode.shape, is_upper)), length)
            for is_upper in (False, True)
        )
        masses = np.concatenate([left[:0:-1], right])
        below: Floats = np.add.accumulate(masses, axis=0, out=masses)
        below /= below[-1]
        return below

    def _exchange(self, tp: Ints, is_upper: Bools) -> tuple[Ints, Ints]:
        """Return the cells that lose a row with each step, and those that gain one."""
        tp, fp, fn, tn = self.cells(tp)
        wrong, right = np.stack([fp, fn]), np.stack([tp, tn])
        return np.where(is_upper, wrong, right), np.where(is_upper, right, wrong)


def _in_order(terms: Floats, axis: int) -> Floats:
    """Add up terms in order along an axis, which numpy's own sum does not guarantee."""
    return np.asarray(np.add.accumulate(terms, axis=axis).take(-1, axis=axis))


def _batches(lengths: Ints) -> Iterator[tuple[Ints, int]]:
    """Yield those of similar lengths, and the longest length, in arrays that fit in the cache."""
    order = np.argsort(lengths, kind="stable")
    while order.size:
        longest = int(lengths[order[-1]])
        count = max(1, _CACHED // longest)
        yield order[-count:], longest
        order = order[:-count]


def _added(rows: Floats) -> tuple[Floats, Floats]:
    """Return the sums over rows, and their rounding errors."""
    total = rest = np.zeros(rows.shape[1])
    for row in rows:
        total, left = _exact_sum(total, row)
        rest = rest + left
    return _exact_sum(total, rest)


def _exact_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a + b as floats, and the exact rounding error (Knuth's two-sum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
