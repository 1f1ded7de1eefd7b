"""Class scores that were seen: how often each class met each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.observed import Cells, Joint, Observed, Rows, Words, count_places
from baserate.data.rows import plain_group
from baserate.data.score_tables import read_score_tables, why_not_probabilities
from baserate.exceptions import InvalidCountError
from baserate.observed.labels import BaseRate, ConfusionMatrix, JointMatrix
from baserate.records import numbers, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]


TASK = "class-scores"
_WORDS = Words(
    best="The score of the best guess: the same scores for everyone, whatever the input.",
    shared_p="each measure of class scores has its own",
    remedy="its highest scores may favour rare classes too much for this measure",
)
_SEED = 20_260_511
# This many rows are compared at once.
_AT_ONCE = 2**16


@dataclass(frozen=True, eq=False, repr=False)
class ClassProbabilities(Observed):
    """How often each class met each row of class scores, which may be probabilities.

    Parameters
    ----------
    labels
        All classes, in order: those of the truth, and those that only a column names.
    rows
        The distinct rows of scores, with a column per class.
    truth, given, counts
        Which true class met which row, by their places, and how often.

    Examples
    --------
    >>> rows = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]
    >>> observed = ClassProbabilities.of(["a", "b", "c"], rows)
    >>> observed
    ClassProbabilities(3 observations of 3 classes, 2 distinct rows)
    >>> observed.true_counts.tolist(), observed.sizes.tolist(), observed.are_probabilities
    ([1, 1, 1], [1, 2], True)
    """

    labels: tuple[Any, ...]
    rows: Floats
    truth: Ints
    given: Ints
    counts: Ints

    task = TASK
    words = _WORDS

    @classmethod
    def of(cls, y_true: Any, scores: Any) -> ClassProbabilities:
        """Count the class scores of a model.

        Parameters
        ----------
        y_true
            The true labels.
        scores
            A row of scores per observation, with a column per class: an array or a list of rows
            for the sorted classes of the truth, or a data frame whose columns are the classes.
        """
        read = read_score_tables(y_true, {"": scores}, Rows(), {"": "scores"})
        return cls.of_rows(read.labels, read.columns.truth, read.columns.models[""])

    @classmethod
    def of_rows(
        cls, labels: tuple[Any, ...], truth: Ints, rows: Floats, seen: Ints | None = None
    ) -> ClassProbabilities:
        """Count rows, as often as they were seen: the place of the true class, and scores."""
        distinct, given = numbered(rows)
        keys, place = np.unique(given * len(labels) + truth, return_inverse=True)
        counts = count_places(place.reshape(-1), seen)
        met, true = np.divmod(keys[counts > 0], len(labels))
        used, met = np.unique(met, return_inverse=True)
        rows = distinct if used.size == len(distinct) else distinct[used]
        return cls(labels, rows, true, met, counts[counts > 0])

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> ClassProbabilities:
        """Return class scores from a JSON record."""
        rows = np.array([numbers(row, facts["dtype"]) for row in facts["rows"]])
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
        """How often each row is given."""
        return count_places(self.given, self.counts, len(self.rows))

    @cached_property
    def total(self) -> int:
        """The number of observations, M."""
        return int(self.counts.sum())

    @cached_property
    def test_set(self) -> BaseRate:
        """All classes, and how often each occurs, which may be never."""
        return BaseRate(dict(zip(self.labels, self.true_counts.tolist(), strict=True)))

    @cached_property
    def problem(self) -> str:
        """Why the rows are not probabilities; empty if they are."""
        return why_not_probabilities(self.rows)

    @property
    def are_probabilities(self) -> bool:
        """Whether all rows are probabilities that sum to 1."""
        return not self.problem

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What measures computed of them, which is forgotten with them."""
        return {}

    @cached_property
    def answers(self) -> Ints:
        """The class with the highest score of each row; the first one of a tie, as by argmax."""
        return np.asarray(self.rows.argmax(axis=1))

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        """The confusion matrix of these answers, with the classes that occur or are answered."""
        size = len(self.labels)
        keys = self.truth * size + self.answers[self.given]
        table = count_places(keys, self.counts, size**2).reshape(size, size)
        met = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
        return ConfusionMatrix(table[np.ix_(met, met)], [self.labels[place] for place in met])

    @property
    def one_class(self) -> str:
        """What a model is called whose rows are all the same; empty if they are not."""
        kind = "probabilities" if self.are_probabilities else "scores"
        return f"gives every observation the same {kind}" if len(self.rows) == 1 else ""

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
            "rows": list(map(written, self.rows)),
            "cells": np.stack([self.truth, self.given, self.counts], axis=1).tolist(),
        }

    @property
    def flat(self) -> dict[str, int]:
        """How many observations and classes there are."""
        return {"observations": self.total, "classes": int((self.true_counts > 0).sum())}

    def __reduce__(self) -> Any:
        """Pickle the counts, and not what was computed of them."""
        return ClassProbabilities, (self.labels, self.rows, self.truth, self.given, self.counts)

    def __repr__(self) -> str:
        classes = f"{self.total:,} observations of {len(self.labels):,} classes"
        return f"ClassProbabilities({classes}, {len(self.rows):,} distinct rows)"


@dataclass(frozen=True, eq=False)
class JointProbabilities(Joint):
    """How often each class met each pair of rows, of two models on the same observations."""

    pairs: ClassProbabilities  # each row the scores of the first model and then the second's
    kinds: tuple[str, str]  # the types of both, which say where logarithms are clipped

    @classmethod
    def of_rows(
        cls,
        labels: tuple[Any, ...],
        truth: Ints,
        first: Floats,
        second: Floats,
        seen: Ints | None = None,
    ) -> JointProbabilities:
        """Count rows: the place of the true class, and the scores of both models."""
        both = np.concatenate([first, second], axis=1)
        kinds = (first.dtype.name, second.dtype.name)
        return cls(ClassProbabilities.of_rows(labels, truth, both, seen), kinds)

    @cached_property
    def first(self) -> ClassProbabilities:
        """What the first model did."""
        return self._alone(0)

    @cached_property
    def second(self) -> ClassProbabilities:
        """What the second model did."""
        return self._alone(1)

    def swapped(self) -> JointProbabilities:
        """Return the same with what the models predict the other way round."""
        turned = np.roll(self.pairs.rows, len(self.pairs.labels), axis=1)
        return JointProbabilities(replace(self.pairs, rows=turned), self.kinds[::-1])

    def _alone(self, model: int) -> ClassProbabilities:
        known = self.sides[model]
        return ClassProbabilities.of_rows(
            known.labels, known.truth, known.rows[known.given], known.counts
        )

    @cached_property
    def sides(self) -> tuple[ClassProbabilities, ClassProbabilities]:
        """What each model did, by the cells that both share: its rows may come twice."""
        pairs, size = self.pairs, len(self.pairs.labels)
        parts = (pairs.rows[:, :size], pairs.rows[:, size:])
        first, second = (
            ClassProbabilities(
                pairs.labels, rows.astype(kind), pairs.truth, pairs.given, pairs.counts
            )
            for rows, kind in zip(parts, self.kinds, strict=True)
        )
        return first, second

    @cached_property
    def matrix(self) -> JointMatrix:
        """The joint matrix of the classes with the highest scores."""
        first, second = (each.answers[each.given] for each in self.sides)
        known = self.pairs
        met, places = np.unique(np.stack([known.truth, first, second]), return_inverse=True)
        labels = tuple(known.labels[place] for place in met)
        truth, first, second = places.reshape(3, -1)
        return JointMatrix(labels, truth, first, second, known.counts)

    @cached_property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        first, second = self.sides
        return int(self.pairs.sizes[(first.rows != second.rows).any(axis=1)].sum())

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, as JSON can hold them."""
        return {**self.pairs.facts, "kinds": list(self.kinds)}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointProbabilities:
        """Return two models from a JSON record."""
        first, second = facts["kinds"]
        return cls(ClassProbabilities.from_facts(facts), (first, second))


def joined(parts: Sequence[ClassProbabilities]) -> tuple[ClassProbabilities, Ints]:
    """Return the cells of some clusters as those of one test set, and the cluster of each."""
    (rows, truth, given, counts) = (
        np.concatenate([getattr(each, name) for each in parts])
        for name in ("rows", "truth", "given", "counts")
    )
    codes = np.repeat(np.arange(len(parts)), [each.truth.size for each in parts])
    starts = np.cumsum([0, *(len(each.rows) for each in parts[:-1])])
    return ClassProbabilities(parts[0].labels, rows, truth, given + starts[codes], counts), codes


def numbered(rows: Floats) -> tuple[Floats, Ints]:
    """Return the distinct rows, in an order that is always the same, and the number of each row."""
    # One number per row sorts much faster than a row does. Two rows hardly share it; if they do,
    # the rows themselves are sorted.
    directions = np.random.default_rng(_SEED).uniform(0.5, 1.5, size=(rows.shape[1],))
    keys = _projected(rows, directions)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    distinct, place = rows[first], place.reshape(-1)
    parts = (slice(start, start + _AT_ONCE) for start in range(0, len(rows), _AT_ONCE))
    if all(np.array_equal(distinct[place[part]], rows[part]) for part in parts):
        return distinct, place
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return distinct, place.reshape(-1)


def _projected(rows: Floats, directions: Floats) -> Floats:
    """Return a weighted sum of each row: equal rows have equal sums, wherever they are."""
    found = np.zeros(len(rows))
    with np.errstate(all="ignore"):  # scores may be infinite
        for column, weight in zip(rows.T, directions, strict=True):
            found += column.astype(float) * weight
    return found
