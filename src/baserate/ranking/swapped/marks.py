"""Two models that swap what they say of a row: the ranks they give it, or their probabilities.

Scores of two models may be on different scales, and only their order matters to a ranking. If
the models rank equally well, it is as likely that a row has one rank by the first and another by
the second as the other way round; so ranks are swapped, those of ties being the mean (after
Venkatraman and Begg). A model's mixed ranks are then scored like any scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.paired.coin_flips import CoinFlips
from baserate.core.rounding import COMPUTATION
from baserate.ranking.blocks import PAIRED, Fineness, block_starts, merged
from baserate.ranking.many import Counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.ranking.joint import JointScores
    from baserate.ranking.measures.record import ScoreMeasure
    from baserate.ranking.scores import Scores

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most outcomes that are all scored, as of 14 rows; beyond, so many random swaps, fewer if there
# are many rows: at most so many coin flips, of which one of several rows at once costs as much as
# some of single rows.
_MOST, _SWAPS, _FEWEST = 2**14, 9_999, 999
_FLIPS, _COST = 25 * 10**6, 5
_AT_ONCE = 2 * 10**6
# From so many rows of a kind on, a binomial number is drawn as a rounded normal one.
_MANY = 1_000
# Up to so many rows, blocks are finer.
_FEW_ROWS = 20_000
_FINE = Fineness(most=512, top=32, ratio=1.1, parts=128)
_SEED = 40


@dataclass(frozen=True, eq=False)
class Marks:
    """What two models say of rows that they may swap.

    Which of them says what is left out, since it is swapped at random.

    Parameters
    ----------
    values
        All that is said by one of them, descending.
    low, high
        The places of what is said of a kind of row, the lower and the higher value.
    is_positive
        Its class.
    rows
        How many such rows there are.
    heads
        On how many of them the first model says the higher value.
    fixed
        How many positives, and then negatives, have each place, if all rows have the lower value.
    """

    values: Floats
    low: Ints
    high: Ints
    is_positive: NDArray[np.bool_]
    rows: Ints
    heads: Ints
    fixed: Ints

    @classmethod
    def of(cls, joint: JointScores, *, only_order: bool) -> Marks:
        """Return the marks of two models, of few blocks if there are many."""
        said = [
            _said(scores, of_pairs, only_order=only_order)
            for scores, of_pairs in (
                (joint.first, joint.first_scores),
                (joint.second, joint.second_scores),
            )
        ]
        values, places = np.unique(np.concatenate(said), return_inverse=True)
        ends = values.size - 1 - places.reshape(2, -1)
        kinds = np.tile(np.stack([ends.max(axis=0), ends.min(axis=0)]), 2)
        is_positive = np.repeat([True, False], joint.positives.size)
        rows = np.stack([np.concatenate([joint.positives, joint.negatives])] * 2)
        rows[1] *= np.tile(said[0] > said[1], 2)
        return cls._grouped(values[::-1], kinds, is_positive, rows)

    @classmethod
    def _grouped(
        cls, values: Floats, kinds: Ints, is_positive: NDArray[np.bool_], rows: Ints
    ) -> Marks:
        """Return the marks with rows of a kind taken together."""
        size = values.size
        keys = (kinds[0] * size + kinds[1]) * 2 + is_positive
        found, place = np.unique(keys, return_inverse=True)
        counts, heads = (
            np.bincount(place.ravel(), each, found.size).astype(np.int64) for each in rows
        )
        low, high, positive = found // 2 // size, found // 2 % size, found % 2 == 1
        fixed = np.bincount(np.where(positive, low, low + size), counts, 2 * size)[:, np.newaxis]
        swaps = (low != high) & (counts > 0)
        return cls(
            values, low[swaps], high[swaps], positive[swaps], counts[swaps], heads[swaps], fixed
        )

    def models(self, heads: Floats) -> tuple[Counts, Counts]:
        """Return both models, if the first has the higher value on so many rows of each kind."""
        moved = self._moves @ heads
        rows = self.rows[:, np.newaxis].astype(float)
        all_high = self.fixed + self._moves @ rows
        return self._counts(self.fixed + moved), self._counts(all_high - moved)

    def _counts(self, cells: Floats) -> Counts:
        positives, negatives = np.split(np.ascontiguousarray(cells.T), 2, axis=1)
        return Counts(self.values, positives, negatives)

    @cached_property
    def _moves(self) -> Any:
        """The matrix of what changes in each place if a row of a kind goes from low to high."""
        from scipy.sparse import csr_array

        size, kinds = self.values.size, np.arange(self.rows.size)
        offset = np.where(self.is_positive, 0, size)
        ones = np.repeat([1.0, -1.0], kinds.size)
        places = np.concatenate([offset + self.high, offset + self.low]), np.tile(kinds, 2)
        return csr_array((ones, places), shape=(2 * size, kinds.size))


@dataclass(frozen=True, eq=False)
class Swaps:
    """All swaps of what two models say, by a measure.

    Parameters
    ----------
    measure
        The measure.
    marks
        What they say.
    """

    measure: ScoreMeasure
    marks: Marks

    def test(self) -> tuple[float, bool]:
        """Return the p-value from all outcomes, or from random ones if they are too many."""
        if self._needed <= 0:
            return 1.0, True
        if math.prod(int(rows) + 1 for rows in self.marks.rows[:_MOST]) <= _MOST:
            return self._enumerated(), True
        return self._simulated(), False

    @cached_property
    def _needed(self) -> float:
        """The size of the observed difference, less what rounding may do."""
        first, second = self._scores(self.marks.heads[:, np.newaxis].astype(float))
        slack = COMPUTATION * max(abs(float(first[0])), abs(float(second[0])))
        return abs(float(second[0] - first[0])) - slack

    def _scores(self, heads: Floats) -> tuple[Floats, Floats]:
        first, second = self.marks.models(heads)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.measure.many(first), self.measure.many(second)

    def _is_reached(self, heads: Floats) -> NDArray[np.bool_]:
        first, second = self._scores(heads)
        # A missing score is not below anything.
        return ~(np.abs(second - first) < self._needed)

    def _enumerated(self) -> float:
        laws = [CoinFlips.of(int(rows)) for rows in self.marks.rows]
        sizes = [law.heads.size for law in laws]
        total = 0.0
        for places in self._pieces(math.prod(sizes)):
            each = np.unravel_index(places, sizes)
            heads = np.stack([law.heads[at] for law, at in zip(laws, each, strict=True)])
            masses = np.prod([law.masses[at] for law, at in zip(laws, each, strict=True)], axis=0)
            total += float(masses[self._is_reached(heads)].sum())
        return min(total, 1.0)

    def _simulated(self) -> float:
        rng = np.random.default_rng(_SEED)
        reached = sum(
            int(np.count_nonzero(self._is_reached(_heads(rng, self.marks.rows, places.size))))
            for places in self._pieces(self._swaps)
        )
        return (1 + reached) / (1 + self._swaps)

    @cached_property
    def _swaps(self) -> int:
        rows = self.marks.rows
        cost = int(np.where(rows == 1, 1, _COST).sum())
        return min(max(_FLIPS // cost, _FEWEST), _SWAPS)

    def _pieces(self, size: int) -> Iterator[Ints]:
        step = max(_AT_ONCE // max(2 * self.marks.values.size, self.marks.rows.size), 1)
        for at in range(0, size, step):
            yield np.arange(at, min(at + step, size))


def _said(scores: Scores, of_pairs: Floats, *, only_order: bool) -> Floats:
    """Return what a model says of each pair: a rank from the bottom, or its score."""
    fineness = _FINE if scores.test_set.total <= _FEW_ROWS else PAIRED
    starts = block_starts(scores, fineness)
    values, positives, negatives = merged(scores, starts)
    if only_order:
        sizes = positives + negatives
        # Twice the mean rank is a whole number.
        values = (2 * (sizes.sum() - np.cumsum(sizes)) + sizes).astype(float)
    fine = np.searchsorted(-scores.values, -of_pairs)
    return np.asarray(values[np.searchsorted(starts, fine, side="right") - 1])


def _heads(rng: np.random.Generator, rows: Ints, size: int) -> Floats:
    """Return binomial numbers of heads, of shape (kinds, size)."""
    heads = np.empty((rows.size, size))
    one, many = rows == 1, rows >= _MANY
    few = rows[~one & ~many, np.newaxis]
    large = rows[many, np.newaxis]
    heads[one] = rng.integers(0, 2, (int(one.sum()), size), dtype=np.int8)
    heads[~one & ~many] = rng.binomial(few, 0.5, (few.size, size))
    normal = rng.standard_normal((large.size, size))
    heads[many] = np.clip(np.rint(large / 2 + np.sqrt(large) / 2 * normal), 0, large)
    return heads
