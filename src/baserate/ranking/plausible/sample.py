"""What was observed of one model or of two, as a sample of what could be observed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.ranking.plausible.coarse import ALONE, PAIRED, block_starts, merged, merged_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.joint import JointScores
    from baserate.ranking.scores import Scores

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# How many rows are tried on which two models differ most, in each direction.
_FAR = 4
# A fixed stream: limits are the same twice.
_SEED = 40


class Way(NamedTuple):
    """Where one more observation goes: its class, and its block in the scores of each model."""

    positive: bool
    blocks: tuple[int, ...]


class Counts(NamedTuple):
    """The counts of one model on several test sets, of shape (test sets, blocks)."""

    values: Floats
    positives: Floats
    negatives: Floats


@dataclass(frozen=True, eq=False)
class Sample:
    """Cells of observations that are alike.

    Parameters
    ----------
    values
        The scores of the blocks of each model, descending.
    places
        In which block of each model a cell is.
    positives, negatives
        How many observations of each class a cell has.
    only_order
        Whether only the order of scores matters; then values are places.
    """

    values: tuple[Floats, ...]
    places: tuple[Ints, ...]
    positives: Ints
    negatives: Ints
    only_order: bool

    @classmethod
    def of(cls, scores: Scores, *, only_order: bool) -> Sample:
        """Return the sample of one model.

        If only the order of scores matters, one more observation may be above or below all of them.
        """
        starts = block_starts(scores, ALONE)
        places = np.arange(starts.size)
        if only_order:
            counts = merged_counts(scores, starts)
            return cls((_with_ends(starts.size),), (places + 1,), *counts, only_order)
        values, positives, negatives = merged(scores, starts)
        return cls((values,), (places,), positives, negatives, only_order)

    @classmethod
    def of_pair(cls, joint: JointScores, *, only_order: bool) -> Sample:
        """Return the sample of two models."""
        values, places = [], []
        for scores, of_pairs in (
            (joint.first, joint.first_scores),
            (joint.second, joint.second_scores),
        ):
            starts = block_starts(scores, PAIRED)
            values.append(_with_ends(starts.size) if only_order else merged(scores, starts)[0])
            fine = np.searchsorted(-scores.values, -of_pairs)
            places.append(np.searchsorted(starts, fine, side="right") - 1 + only_order)
        width = values[1].size
        cells, place = np.unique(places[0] * width + places[1], return_inverse=True)
        positives, negatives = (
            np.bincount(place.ravel(), each, cells.size).astype(np.int64)
            for each in (joint.positives, joint.negatives)
        )
        both = (cells // width, cells % width)
        return cls(tuple(values), both, positives, negatives, only_order)

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return int(self.positives.sum() + self.negatives.sum())

    @cached_property
    def cells(self) -> int:
        """The number of occupied cells."""
        return int(np.count_nonzero(self.positives) + np.count_nonzero(self.negatives))

    @cached_property
    def ways(self) -> list[Way]:
        """Where one more observation may do most harm, or good.

        Of one model these are the ends of the scores. Two models are said to differ on it about as
        much as on any row that was seen: at both ends of the scores, models that resemble each
        other could never be told apart on a small test set.
        """
        if len(self.values) == 1:
            blocks: list[tuple[int, ...]] = [(0,), (self.values[0].size - 1,)]
        else:
            order = np.argsort(self._gaps, kind="stable")
            far = np.union1d(order[:_FAR], order[-_FAR:])
            blocks = [tuple(int(each[cell]) for each in self.places) for cell in far]
        return [Way(positive, each) for positive in (True, False) for each in blocks]

    @property
    def _gaps(self) -> Floats:
        """How much higher the first model puts a cell than the second: by places, or by scores."""
        if self.only_order:
            first, second = (
                each / size.size for each, size in zip(self.places, self.values, strict=True)
            )
            return np.asarray(second - first)
        one, other = (each[place] for each, place in zip(self.values, self.places, strict=True))
        return np.asarray(one - other)

    def observed(self, way: Way | None = None) -> list[Counts]:
        """Return what was observed, with one more observation if a way is given."""
        positives, negatives = (
            each[np.newaxis].astype(float) for each in (self.positives, self.negatives)
        )
        sums = [self._summed(positives, negatives, model) for model in self._models]
        return self.given(sums, way, np.ones(1))

    def drawn(self, points: int, way: Way | None = None) -> list[Counts]:
        """Return test sets that could well have given this one."""
        sums, spare = _drawn(self, points)
        return self.given(sums, way, spare)

    def given(self, sums: list[Counts], way: Way | None, spare: Floats) -> list[Counts]:
        """Return counts with a spare observation, scaled to as many as were observed."""
        total = sums[0].positives.sum(axis=1) + sums[0].negatives.sum(axis=1)
        if way is None:
            return [_scaled(each, self.total / total) for each in sums]
        found = []
        for each, block in zip(sums, way.blocks, strict=True):
            scaled = _scaled(each, self.total / (total + spare))
            changed = scaled.positives if way.positive else scaled.negatives
            changed[:, block] += spare * self.total / (total + spare)
            found.append(scaled)
        return found

    @property
    def _models(self) -> range:
        return range(len(self.values))

    def _summed(self, positives: Floats, negatives: Floats, model: int) -> Counts:
        places, blocks = self.places[model], self.values[model].size
        both = (_by_block(each, places, blocks) for each in (positives, negatives))
        return Counts(self.values[model], *both)

    def gammas(self, points: int) -> tuple[list[Counts], Floats]:
        """Return what every block of each model has at random points, and a spare observation."""
        rng = np.random.default_rng(_SEED)
        spare = rng.standard_gamma(1.0, points)
        drawn = []
        for counts in (self.positives, self.negatives):
            cells = np.zeros((points, counts.size))
            is_there = counts > 0
            cells[:, is_there] = rng.standard_gamma(
                counts[is_there].astype(float), (points, int(is_there.sum()))
            )
            drawn.append(cells)
        return [self._summed(drawn[0], drawn[1], model) for model in self._models], spare


def _with_ends(blocks: int) -> Floats:
    """Return places of blocks, descending, with an empty block above and below them."""
    return np.arange(blocks + 1, -1.0, -1.0)


@lru_cache(maxsize=1)
def _drawn(sample: Sample, points: int) -> tuple[list[Counts], Floats]:
    return sample.gammas(points)


def _scaled(counts: Counts, by: Floats) -> Counts:
    times = by[:, np.newaxis]
    return Counts(counts.values, counts.positives * times, counts.negatives * times)


def _by_block(cells: Floats, places: Ints, blocks: int) -> Floats:
    """Add the cells of each block."""
    order = np.argsort(places, kind="stable")
    occupied, starts = np.unique(places[order], return_index=True)
    sums = np.zeros((cells.shape[0], blocks))
    sums[:, occupied] = np.add.reduceat(cells[:, order], starts, axis=1)
    return sums
