"""What a model did: rows of probabilities, counted against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.task import Cells, NothingMore
from baserate.core.words import Words
from baserate.data.groups import plain_group
from baserate.data.weights import count_places
from baserate.exceptions import InvalidCountError
from baserate.multiclass.class_counts import ClassCounts
from baserate.ranking.rules import REMEDY, smallest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.ranking.rules import ScoringRule

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]

TASK = "probabilities"
WORDS = Words(
    best="Everyone gets the shares of the classes, whatever the input.",
    shared_p="a permutation test, one for each measure",
    remedy=REMEDY,
)
_SEED = 20_260_511


@dataclass(frozen=True, eq=False, repr=False)
class ClassProbabilities(NothingMore):
    """How often each class met each row of probabilities.

    Parameters
    ----------
    labels
        All classes, in order: those of the truth, and those that only a column names.
    rows
        The distinct rows of probabilities, with a column per class.
    truth, given, counts
        Which true class met which row, by their places, and how often.

    Examples
    --------
    >>> rows = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]
    >>> observed = ClassProbabilities.of(["a", "b", "c"], rows)
    >>> observed
    ClassProbabilities(3 observations of 3 classes, 2 distinct rows)
    >>> observed.true_counts.tolist(), observed.sizes.tolist()
    ([1, 1, 1], [1, 2])
    """

    labels: tuple[Any, ...]
    rows: Floats
    truth: Ints
    given: Ints
    counts: Ints

    task = TASK
    grid = None

    @classmethod
    def of(cls, y_true: Any, probabilities: Any) -> ClassProbabilities:
        """Count the probabilities of a model.

        Parameters
        ----------
        y_true
            The true labels.
        probabilities
            A row of probabilities per observation, with a column per class: an array or a list of
            rows for the sorted classes of the truth, or a data frame whose columns are the classes.
        """
        from baserate.probability.several.predictions import count_rows

        return count_rows("probabilities", y_true, probabilities)

    @classmethod
    def of_rows(
        cls,
        labels: tuple[Any, ...],
        truth: Ints,
        rows: Floats,
        seen: Ints | None = None,
    ) -> ClassProbabilities:
        """Count rows, as often as they were seen: the place of the true class, probabilities."""
        distinct, given = numbered(rows)
        keys, place = np.unique(given * len(labels) + truth, return_inverse=True)
        counts = count_places(place.reshape(-1), seen)
        met, true = np.divmod(keys[counts > 0], len(labels))
        used, met = np.unique(met, return_inverse=True)
        return cls(labels, distinct[used], true, met, counts[counts > 0])

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> ClassProbabilities:
        """Return probabilities from a JSON record."""
        rows = np.array(facts["rows"], dtype=facts["dtype"])
        truth, given, counts = np.array(facts["cells"], dtype=np.int64).reshape(-1, 3).T
        labels = tuple(facts["labels"])
        places = ((truth, len(labels)), (given, len(rows)))
        is_place = all(each.size and 0 <= each.min() <= each.max() < end for each, end in places)
        if rows.ndim != 2 or not is_place or counts.min() < 1:
            raise InvalidCountError(
                "cells must be places of classes and of rows, with counts of at least 1"
            )
        return cls(labels, rows, truth, given, counts)

    @cached_property
    def true_counts(self) -> Ints:
        """How often each class occurs."""
        return count_places(self.truth, self.counts, len(self.labels))

    @cached_property
    def sizes(self) -> Ints:
        """How often each row is given: with the rows, the deck of the model."""
        return count_places(self.given, self.counts, len(self.rows))

    @cached_property
    def total(self) -> int:
        """The number of observations, M."""
        return int(self.counts.sum())

    @cached_property
    def test_set(self) -> ClassCounts:
        """All classes, and how often each occurs, which may be never."""
        return ClassCounts(dict(zip(self.labels, self.true_counts.tolist(), strict=True)))

    @property
    def smallest(self) -> float:
        """The probability at which logarithms are clipped, as in scikit-learn."""
        return smallest(self.rows.dtype)

    def points(self, rule: ScoringRule, cells: Any = slice(None)) -> Floats:
        """Return what a rule gives to some cells, or to all."""
        return rule.of_cells(self.rows, self.given[cells], self.truth[cells], self.smallest)

    def mean(self, rule: ScoringRule) -> float:
        """Return the mean of a rule over all observations."""
        if rule not in self._means:
            self._means[rule] = float(self.counts @ self.points(rule)) / self.total
        return self._means[rule]

    @cached_property
    def _means(self) -> dict[ScoringRule, float]:
        return {}

    @property
    def one_class(self) -> str:
        """What a model is called whose rows are all the same; empty if they are not."""
        same = len(self.rows) == 1
        return "gives every observation the same probabilities" if same else ""

    @property
    def words(self) -> Words:
        """How the task speaks of references and of luck."""
        return WORDS

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, with classes and rows numbered in their order."""
        return Cells(self.truth.tolist(), self.given.tolist(), self.counts.tolist())

    @property
    def facts(self) -> dict[str, Any]:
        """The classes, the rows and the counts, as JSON can hold them."""
        return {
            "labels": list(map(plain_group, self.labels)),
            "dtype": self.rows.dtype.name,
            "rows": self.rows.tolist(),
            "cells": np.stack([self.truth, self.given, self.counts], axis=1).tolist(),
        }

    @property
    def flat(self) -> dict[str, int]:
        """How many observations and classes there are."""
        return {"observations": self.total, "classes": int((self.true_counts > 0).sum())}

    def _arrays(self) -> tuple[bytes, ...]:
        return tuple(each.tobytes() for each in (self.rows, self.truth, self.given, self.counts))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassProbabilities):
            return NotImplemented
        if self is other:
            return True
        return self.labels == other.labels and self._arrays() == other._arrays()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.labels, self._arrays()))

    def __repr__(self) -> str:
        classes = f"{self.total:,} observations of {len(self.labels):,} classes"
        return f"ClassProbabilities({classes}, {len(self.rows):,} distinct rows)"


def numbered(rows: Floats) -> tuple[Floats, Ints]:
    """Return the distinct rows, in an order that is always the same, and the number of each row."""
    # One number per row sorts much faster than a row does. Two rows hardly share it; if they do,
    # the rows themselves are sorted.
    directions = np.random.default_rng(_SEED).uniform(0.5, 1.5, size=(rows.shape[1],))
    keys = _projected(rows, directions)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    distinct, place = rows[first], place.reshape(-1)
    if np.array_equal(distinct[place], rows):
        return distinct, place
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return distinct, place.reshape(-1)


def _projected(rows: Floats, directions: Floats) -> Floats:
    """Return a weighted sum of each row: equal rows have equal sums, wherever they are."""
    found = np.zeros(len(rows))
    for column, weight in zip(rows.T, directions, strict=True):
        found += column.astype(float) * weight
    return found
