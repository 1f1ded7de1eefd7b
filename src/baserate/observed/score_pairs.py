"""Two models' scores of the same rows, and fewer blocks of many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.observed import Joint
from baserate.data.numbers import compared
from baserate.data.score_counts import (
    ScoreCounts,
    added_up,
    bins_between,
    count_distinct,
    first_of_bins,
    pieces,
)
from baserate.data.weights import count_places
from baserate.exceptions import InvalidCountError
from baserate.observed.scores import RankedScores, frozen
from baserate.observed.two_classes import Answers, JointTable
from baserate.records import number, numbers, typed, whole, written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[Any]
    Ints = NDArray[Any]


# A JSON record has at most so many pairs of scores.
_MOST_RECORDED = 2000
_FEWEST = 8


@dataclass(frozen=True, eq=False, repr=False)
class JointScores(Joint):
    """How many positives and negatives have each pair of scores."""

    first_scores: Floats
    second_scores: Floats
    positives: Ints
    negatives: Ints
    threshold: float | None = None
    differing: int | None = None  # on how many rows the models differ, if bins do not show it

    twins = ("first_scores", "second_scores")

    def __post_init__(self) -> None:
        for name in ("first_scores", "second_scores", "positives", "negatives"):
            object.__setattr__(self, name, frozen(np.asarray(getattr(self, name))))
        sizes = {each.shape for each in (self.first_scores, self.second_scores, *self._counts)}
        if len(sizes) > 1 or min(each.min(initial=0) for each in self._counts) < 0:
            raise InvalidCountError(
                "JointScores must have two scores, and counts of at least 0, per distinct pair"
            )

    @classmethod
    def of_rows(
        cls,
        is_positive: NDArray[np.bool_],
        first: Floats,
        second: Floats,
        threshold: float | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> JointScores:
        """Count the pairs of scores of some rows, each as often as it was seen."""
        values, place = np.unique(first, return_inverse=True)
        others, other = np.unique(second, return_inverse=True)
        keys = place.astype(np.uint64) * np.uint64(others.size) + other.astype(np.uint64)
        if counts is None:
            found, positives, negatives = count_distinct(keys, is_positive)
        else:
            found, place = np.unique(keys, return_inverse=True)
            positives, negatives = (
                count_places(place[rows], counts[rows], found.size)
                for rows in (is_positive, ~is_positive)
            )
        one, two = np.divmod(found.astype(np.int64), others.size)
        return cls(values[one], others[two], positives, negatives, threshold)

    @cached_property
    def first(self) -> RankedScores:
        """What the first model did."""
        return self.alone(self.first_scores)

    @cached_property
    def second(self) -> RankedScores:
        """What the second model did."""
        return self.alone(self.second_scores)

    def alone(self, scores: Floats) -> RankedScores:
        """Return one model's scores, given a score for each pair."""
        return RankedScores.counted(added_up(scores, *self._counts), self.threshold)

    @property
    def _counts(self) -> tuple[Ints, Ints]:
        return self.positives, self.negatives

    @cached_property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        if self.differing is not None:
            return self.differing
        differ = self.first_scores != self.second_scores
        return int((self.positives + self.negatives)[differ].sum())

    def labels(self, threshold: float) -> list[tuple[int, int]]:
        """Return how many positives and negatives both, one and no model call positive."""
        first, second = (
            each >= compared(threshold, each.dtype)
            for each in (self.first_scores, self.second_scores)
        )
        return [
            (int(self.positives[where].sum()), int(self.negatives[where].sum()))
            for where in (first & second, first & ~second, ~first & second, ~first & ~second)
        ]

    def table(self, threshold: float) -> JointTable:
        """Return the counts of the labels that two models give at a threshold."""
        positives, negatives = zip(*self.labels(threshold), strict=True)
        return JointTable(Answers(*positives), Answers(*negatives))

    def in_bins(self, most: int) -> JointScores:
        """Return the pairs with neighbouring scores put together, to at most so many pairs.

        Both models have the same bins, so that equal scores stay equal.
        """
        if self.positives.size <= most:
            return self
        kind = np.result_type(self.first_scores, self.second_scores)
        scores = np.append(self.first_scores, self.second_scores).astype(kind)
        marginal = added_up(scores, *(np.append(each, each) for each in self._counts))
        size = most
        while True:
            found = self._in(marginal, first_of_bins(marginal, size, self.threshold))
            if found.positives.size <= most or size <= _FEWEST:
                return found
            size = max(size // 2, _FEWEST)

    def _in(self, marginal: ScoreCounts, first: Ints) -> JointScores:
        """Return the pairs in bins of all scores, of which the first place of each is given."""
        values = marginal.values
        last = np.append(first[1:], values.size) - 1
        middle = bins_between(values[last], values[first], first, first, values.dtype).values
        bins = np.searchsorted(first, np.arange(values.size), side="right") - 1
        ascending = middle[bins][::-1]
        one, two = (
            ascending[np.searchsorted(values[::-1], each)]
            for each in (self.first_scores, self.second_scores)
        )
        pairs, place = np.unique(np.stack([one, two]), axis=1, return_inverse=True)
        positives, negatives = (
            count_places(place.ravel(), each, pairs.shape[1]) for each in self._counts
        )
        one, two = pairs
        return JointScores(one, two, positives, negatives, self.threshold, self.disagreements)

    @property
    def facts(self) -> dict[str, Any]:
        """The counts, for JSON: in bins if there are more than 2,000 distinct pairs."""
        few = self.in_bins(_MOST_RECORDED)
        return {
            "first_scores": written(few.first_scores),
            "second_scores": written(few.second_scores),
            "positives": few.positives.tolist(),
            "negatives": few.negatives.tolist(),
            "precision": [few.first_scores.dtype.name, few.second_scores.dtype.name],
            "threshold": None if few.threshold is None else written([few.threshold])[0],
            "differing": few.differing,
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointScores:
        """Return two models from a JSON record."""
        threshold, differing = facts["threshold"], facts["differing"]
        first, second = facts["precision"]
        return cls(
            numbers(facts["first_scores"], first),
            numbers(facts["second_scores"], second),
            whole(facts["positives"]),
            whole(facts["negatives"]),
            None if threshold is None else number(threshold),
            None if differing is None else typed(differing, int),
        )

    @property
    def flat(self) -> dict[str, int]:
        """The counts of a data frame."""
        rate = self.first.test_set
        return {
            "positives": rate.positives,
            "negatives": rate.negatives,
            "disagreements": self.disagreements,
        }

    def __repr__(self) -> str:
        pairs = f"{self.positives.size:,} distinct pairs of scores"
        return f"JointScores({self.total:,} observations, {pairs})"


@dataclass(frozen=True)
class Fineness:
    """How finely blocks are kept apart."""

    most: int  # so many blocks are all kept
    top: int  # so many of the highest observations are kept apart
    ratio: float  # beyond, each block ends this many times as far down
    parts: int  # each class is cut in so many parts besides, the narrowest at both ends


ALONE = Fineness(most=192, top=32, ratio=1.15, parts=64)
PAIRED = Fineness(most=64, top=8, ratio=1.5, parts=32)


def block_starts(scores: RankedScores, fineness: Fineness) -> Ints:
    """Return the first place of each run of blocks that are taken together."""
    size = scores.values.size
    if size <= fineness.most:
        return np.arange(size)
    rate = scores.test_set
    steps = math.ceil(math.log(max(rate.total / fineness.top, 1), fineness.ratio))
    ranks = np.append(
        np.arange(1.0, fineness.top + 1), fineness.top * fineness.ratio ** np.arange(1, steps + 1)
    )
    # Equal steps of the arcsine are equal steps of a standard deviation of a proportion.
    shares = np.sin(np.arange(1, fineness.parts) / fineness.parts * math.pi / 2) ** 2
    every = [max(each, 1) for each in rate.class_sizes]

    def passed(positives: Ints, negatives: Ints) -> Floats:
        return np.asarray(positives / every[0] + negatives / every[1])

    ends = np.append(
        _first_places(scores, np.add, ranks),
        _first_places(scores, passed, shares * passed(*map(np.asarray, rate.class_sizes))),
    )
    starts = np.unique(np.append(0, ends + 1))
    return starts[starts < size]


def _first_places(
    scores: RankedScores, reached: Callable[[Ints, Ints], Floats], marks: Floats
) -> NDArray[np.int64]:
    """Return the first places where marks are reached, by the counts of each class down to there.

    Counts are added up in pieces first, and then only in those with a mark.
    """
    parts = list(pieces(scores.values.size))
    both = (scores.positives, scores.negatives)
    sums = np.array([[each[part].sum() for part in parts] for each in both])
    upto = np.cumsum(sums, axis=1)
    inside = np.searchsorted(reached(*upto), marks).clip(max=len(parts) - 1)
    found = np.empty(marks.size, dtype=np.int64)
    for place in np.unique(inside):
        part, is_here = parts[place], inside == place
        before = upto[:, place] - sums[:, place]
        counts = (np.cumsum(each[part]) + start for each, start in zip(both, before, strict=True))
        found[is_here] = part.start + np.searchsorted(reached(*counts), marks[is_here])
    return found


def merged(scores: RankedScores, starts: Ints) -> tuple[Floats, Ints, Ints]:
    """Return the mean score and the counts of blocks that are taken together."""
    positives, negatives = merged_counts(scores, starts)
    if starts.size == scores.values.size:
        return scores.values, positives, negatives
    with np.errstate(invalid="ignore"):  # infinite scores are ranked, not averaged
        sums = np.add.reduceat(scores.values * scores.levels.sizes, starts)
        return sums / (positives + negatives), positives, negatives


def merged_counts(scores: RankedScores, starts: Ints) -> tuple[Ints, Ints]:
    """Return the counts of blocks that are taken together."""
    if starts.size == scores.values.size:
        return scores.positives, scores.negatives
    return np.add.reduceat(scores.positives, starts), np.add.reduceat(scores.negatives, starts)
