"""What two models predicted on observations that have weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.paired.joint import COUNTS, Answers, JointTable
from baserate.weighted.labels import (
    NAME,
    WeightedLabels,
    counted_by_weight,
    counts_of_record,
    weights_of_record,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class WeightedJoint:
    """A joint table for each weight that observations have.

    Parameters
    ----------
    weights
        The distinct weights, ascending and above 0.
    counts
        How many observations of each weight are in each of eight cells, of shape (8, weights): of
        the positives, what both models call positive, only the first, only the second, and neither;
        then the same of the negatives.

    Examples
    --------
    >>> joint = WeightedJoint.of_rows([1, 1, 0], [1, 0, 0], [1, 1, 1], [1.0, 2.0, 2.0])
    >>> joint.first.counts.tp, joint.second.counts.tp, joint.disagreements
    (1.0, 3.0, 2)
    """

    weights: Floats
    counts: Ints

    task = NAME

    @classmethod
    def of_rows(
        cls, truth: Any, first: Any, second: Any, weights: Any, times: Any = None
    ) -> WeightedJoint:
        """Count two models, row by row; see `WeightedLabels.of_rows`."""
        is_true, one, other = (np.asarray(each, dtype=bool) for each in (truth, first, second))
        cells = [
            is_it & said
            for is_it in (is_true, ~is_true)
            for said in (one & other, one & ~other, ~one & other, ~one & ~other)
        ]
        distinct, *counts = counted_by_weight(cells, np.asarray(weights, dtype=float), times)
        return cls(distinct, np.stack(counts))

    @cached_property
    def first(self) -> WeightedLabels:
        """What the first model did."""
        p, n = self.counts[:4], self.counts[4:]
        return WeightedLabels(self.weights, p[0] + p[1], n[0] + n[1], p[2] + p[3], n[2] + n[3])

    @cached_property
    def second(self) -> WeightedLabels:
        """What the second model did."""
        return self.mirrored.first

    @cached_property
    def mirrored(self) -> WeightedJoint:
        """The same with the second model first."""
        return WeightedJoint(self.weights, self.counts[[0, 2, 1, 3, 4, 6, 5, 7]])

    @cached_property
    def table(self) -> JointTable:
        """The numbers of observations, without their weights."""
        sums = [int(each) for each in self.counts.sum(axis=1)]
        return JointTable(Answers(*sums[:4]), Answers(*sums[4:]))

    @property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        return self.table.disagreements

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""
        counts = dict(zip(COUNTS, self.counts.tolist(), strict=True))
        return {"weights": self.weights.tolist()} | counts

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> WeightedJoint:
        """Return the counts of a JSON record, or raise if it is none."""
        counts = np.stack([counts_of_record(facts, name) for name in COUNTS])
        return cls(weights_of_record(facts), counts)

    @property
    def flat(self) -> dict[str, int]:
        """How many observations there are, and on how many the models differ."""
        return {"observations": int(self.counts.sum()), "disagreements": self.disagreements}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedJoint):
            return NotImplemented
        return self is other or self._key == other._key

    @cached_property
    def _key(self) -> tuple[bytes, bytes]:
        return self.weights.tobytes(), self.counts.tobytes()

    def __hash__(self) -> int:
        return hash(self._key)
