"""The rows on which two models differ, in groups of rows that are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.multiclass.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.paired.joint import JointMatrix

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows with the same truth and the same two answers.

    Unless a measure needs whole tables, rows on which both answers are wrong are alike whatever
    the truth.

    Parameters
    ----------
    rows
        How many rows each group has.
    agreed
        What all rows add to the statistics of both models where the models agree.
    low, high
        What all rows of the groups add to a model that always gives the first of the two answers,
        and to one that always gives the second.
    moved
        What one row of each group adds to a model that gives the second answer and not the first;
        sparse, of shape (statistics, groups).
    n
        How often each class occurs.
    whole
        Whether the statistics are whole tables, or right answers and predictions of each class.
    """

    rows: Ints
    agreed: Floats
    low: Floats
    high: Floats
    moved: Any
    n: Floats
    whole: bool

    @classmethod
    def of(cls, joint: JointMatrix, *, whole: bool) -> Groups:
        """Group the rows of two models."""
        classes = len(joint.labels)
        low = np.minimum(joint.first_answers, joint.second_answers)
        high = np.maximum(joint.first_answers, joint.second_answers)
        differ = low != high
        truth = joint.truth
        if not whole:
            # One class stands for all that are neither answer: a place behind the last.
            truth = np.where((truth == low) | (truth == high), truth, classes)
        keys = np.stack([truth, low, high])[:, differ]
        groups, inverse = np.unique(keys, axis=1, return_inverse=True)
        rows = np.zeros(groups.shape[1], dtype=np.int64)
        np.add.at(rows, inverse.ravel(), joint.counts[differ])
        same = joint.counts[~differ].astype(float)
        agreed = _added(joint.truth[~differ], low[~differ], classes, whole=whole) @ same
        one, other = (_added(groups[0], answers, classes, whole=whole) for answers in groups[1:])
        n = joint.first.true_counts.astype(float)
        return cls(rows, agreed, one @ rows, other @ rows, (other - one).tocsr(), n, whole)

    @property
    def width(self) -> int:
        """How many statistics a model has."""
        return int(self.agreed.size)

    def tables(self, heads: Floats) -> tuple[Tables, Tables]:
        """Return the tables of both models.

        Parameters
        ----------
        heads
            On how many rows of each group the second model gives the second of the two answers,
            and the first model the first, of shape (groups, points).
        """
        moved = (self.moved @ heads).T
        return self._tables(self.agreed + self.high - moved), self._tables(
            self.agreed + self.low + moved
        )

    def _tables(self, statistics: Floats) -> Tables:
        classes = self.n.size
        if self.whole:
            return Tables.of(statistics.reshape(-1, classes, classes))
        right, m = statistics[:, :classes], statistics[:, classes:]
        return Tables(right, np.broadcast_to(self.n, right.shape), m)


def _added(truth: Ints, answers: Ints, classes: int, *, whole: bool) -> Any:
    """Return what an answer adds to the statistics of a model, a column per row of data."""
    from scipy.sparse import coo_array

    columns = np.arange(truth.size)
    if whole:
        places, size = truth * classes + answers, classes**2
    else:
        hits = truth == answers
        places, size = np.concatenate([truth[hits], classes + answers]), 2 * classes
        columns = np.concatenate([columns[hits], columns])
    ones = np.ones(places.size)
    return coo_array((ones, (places, columns)), shape=(size, truth.size)).tocsr()
