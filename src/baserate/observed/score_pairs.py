"""Two models' scores of the same rows, and fewer blocks of many."""

from __future__ import annotations

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
    first_of_bins,
)
from baserate.data.weights import count_places
from baserate.exceptions import InvalidCountError
from baserate.observed.scores import RankedScores, frozen
from baserate.observed.two_classes import Answers, JointTable
from baserate.records import number, numbers, typed, whole, written

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        if values.size == keys.size:  # the scores of the first model are in order already
            found = np.empty_like(keys)
            found[place] = keys
        else:
            found, place = np.unique(keys, return_inverse=True)
        positives, negatives = (
            count_places(place[rows], None if counts is None else counts[rows], found.size)
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

    def table(self, threshold: float) -> JointTable:
        """Return how many of each class both, one and no model call positive at a threshold."""
        scores = (self.first_scores, self.second_scores)
        first, second = (each >= compared(threshold, each.dtype) for each in scores)
        cells = (first & second, first & ~second, ~first & second, ~first & ~second)
        return JointTable(
            *(Answers(*(int(each[cell].sum()) for cell in cells)) for each in self._counts)
        )

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
