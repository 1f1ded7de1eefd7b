"""The scores of two models on the same observations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


@dataclass(frozen=True, eq=False)
class JointScores:
    """How many positives and negatives have each pair of scores.

    Parameters
    ----------
    first_scores, second_scores
        The scores of the two models in each distinct pair.
    positives, negatives
        How many observations of each class have the pair.
    threshold
        The lowest score that is predicted positive, if labels are judged too.
    """

    first_scores: Floats
    second_scores: Floats
    positives: Ints
    negatives: Ints
    threshold: float | None = None

    task = "scores"

    @classmethod
    def of_rows(
        cls, is_positive: NDArray[np.bool_], first: Floats, second: Floats, threshold: float | None
    ) -> JointScores:
        """Count the pairs of scores of some rows."""
        rows, place = np.unique(np.stack([first, second]), axis=1, return_inverse=True)
        place = place.ravel()
        size = rows.shape[1]
        positives = np.bincount(place[is_positive], minlength=size)
        negatives = np.bincount(place[~is_positive], minlength=size)
        return cls(rows[0], rows[1], positives, negatives, threshold)

    @cached_property
    def first(self) -> Scores:
        """What the first model did."""
        return self.alone(self.first_scores)

    @cached_property
    def second(self) -> Scores:
        """What the second model did."""
        return self.alone(self.second_scores)

    @property
    def mirrored(self) -> JointScores:
        """The same two models in the other order."""
        order = np.lexsort((self.first_scores, self.second_scores))
        return JointScores(
            self.second_scores[order],
            self.first_scores[order],
            self.positives[order],
            self.negatives[order],
            self.threshold,
        )

    def alone(self, scores: Floats) -> Scores:
        """Return one model's scores, given a score for each pair."""
        values, place = np.unique(scores, return_inverse=True)
        positives, negatives = (
            np.bincount(place, weights, values.size).astype(np.int64)[::-1]
            for weights in (self.positives, self.negatives)
        )
        return Scores(values[::-1], positives, negatives, self.threshold)

    @cached_property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        differ = self.first_scores != self.second_scores
        return int((self.positives + self.negatives)[differ].sum())

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""
        return {
            "first": self.first_scores.tolist(),
            "second": self.second_scores.tolist(),
            "positives": self.positives.tolist(),
            "negatives": self.negatives.tolist(),
            "threshold": self.threshold,
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointScores:
        """Return two models from a JSON record."""
        return cls(
            np.array(facts["first"], dtype=float),
            np.array(facts["second"], dtype=float),
            np.array(facts["positives"], dtype=np.int64),
            np.array(facts["negatives"], dtype=np.int64),
            facts["threshold"],
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointScores):
            return NotImplemented
        return self is other or self.facts == other.facts

    def __hash__(self) -> int:
        return hash((self.first, self.second, self.disagreements))
