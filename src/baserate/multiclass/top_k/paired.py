"""Two models on the same observations: where one of them is right and the other is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.data.weights import observations
from baserate.exceptions import InvalidCountError
from baserate.multiclass.top_k.answers import TopAnswers
from baserate.paired import flip_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.paired import SwapTest
    from baserate.multiclass.top_k.measures import TopKMeasure

    Ints = NDArray[np.int64]


class Hits(NamedTuple):
    """How often both models are right, only one of them is, and neither."""

    both: int
    first: int
    second: int
    neither: int


@dataclass(frozen=True)
class TopJoint:
    """The answers of two models to the same observations.

    Parameters
    ----------
    first, second
        What each model answered.
    hits
        For each k, how often both are right, only one of them, and neither.
    disagreements
        The number of observations on which the models give different answers.
    """

    first: TopAnswers
    second: TopAnswers
    hits: tuple[Hits, ...]
    disagreements: int

    @classmethod
    def of_rows(
        cls,
        tables: tuple[TopAnswers, TopAnswers],
        truth: Ints,
        answers: tuple[Ints, Ints],
        seen: Ints | None = None,
    ) -> TopJoint:
        """Count rows of places: the true class, and the answers of both models."""
        found = []
        for k in tables[0].ks:
            first, second = ((each[:, :k] == truth[:, np.newaxis]).any(axis=1) for each in answers)
            cells = (first & second, first & ~second, ~first & second, ~first & ~second)
            found.append(Hits(*(observations(each, seen) for each in cells)))
        apart = observations((answers[0] != answers[1]).any(axis=1), seen)
        return cls(*tables, tuple(found), apart)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> TopJoint:
        """Return two models from a JSON record."""
        first, second = (TopAnswers.from_facts(facts, prefix) for prefix in _PREFIXES)
        found = tuple(Hits(*map(int, each)) for each in facts["hits"])
        joint = cls(first, second, found, int(facts["disagreements"]))
        for k, hits in zip(first.ks, found, strict=True):
            one, other = hits.both + hits.first, hits.both + hits.second
            if min(hits) < 0 or (one, other) != (first.hits(k), second.hits(k)):
                raise InvalidCountError("hits must be those of the answers")
        return joint

    @property
    def task(self) -> str:
        """The name of the task."""
        return "top-k"

    @property
    def mirrored(self) -> TopJoint:
        """The same with the second model first."""
        hits = tuple(Hits(both, b, a, neither) for both, a, b, neither in self.hits)
        return TopJoint(self.second, self.first, hits, self.disagreements)

    def of(self, k: int) -> Hits:
        """Return how often the models are right, for a k."""
        return self.hits[self.first.ks.index(k)]

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, as JSON can hold them."""
        known = self.first.facts
        return {
            "ks": known["ks"],
            "labels": known["labels"],
            **self.first.facts_of_answers(_PREFIXES[0]),
            **self.second.facts_of_answers(_PREFIXES[1]),
            "hits": [list(each) for each in self.hits],
            "disagreements": self.disagreements,
        }

    @property
    def flat(self) -> dict[str, int]:
        """How many observations there are, and on how many the models differ."""
        return {"observations": self.first.total, "disagreements": self.disagreements}


_PREFIXES = ("first_", "second_")


def swap_test(measure: TopKMeasure, joint: TopJoint, clusters: Sequence[TopJoint] = ()) -> SwapTest:
    """Return the p-value of McNemar's exact test; with clusters, whole ones are swapped."""
    if clusters:
        each = [part.of(measure.k) for part in clusters]
        return flip_test(np.array([hits.first - hits.second for hits in each], dtype=float))
    hits = joint.of(measure.k)
    return flip_test(np.array([1.0, -1.0]), np.array([hits.first, hits.second]))
