"""What a model answered: the classes with the highest scores, counted against the truth."""

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
from baserate.formatting import shown
from baserate.multiclass.class_counts import ClassCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_WORDS = Words(
    best="The most frequent classes are answered, whatever the input.",
    shared_p="a permutation test of the hits",
    remedy="the scores may favour rare classes too much for this measure",
)
# Numbers below this are exact as 64-bit integers.
_LARGEST = 2**62


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TopAnswers(NothingMore):
    """How often each class met each answer: the classes to which a model gave its highest scores.

    Parameters
    ----------
    ks
        How many classes are answered, ascending; several to judge them side by side.
    labels
        All classes, in order.
    answers
        The distinct answers, as places in `labels`. Of each, the first k are the top k, for every
        k of `ks`; within these the places ascend.
    truth, given, counts
        Which true class met which answer, by their places, and how often.

    Examples
    --------
    >>> scores = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]
    >>> answers = TopAnswers.of(["a", "b", "c"], scores, k=2)
    >>> answers
    TopAnswers(top 2 of 3 classes: 2 of 3 observations are hits)
    >>> answers.answers.tolist(), answers.hits(2)
    ([[0, 1], [1, 2]], 2)
    """

    ks: tuple[int, ...]
    labels: tuple[Any, ...]
    answers: Ints
    truth: Ints
    given: Ints
    counts: Ints

    def __init__(
        self,
        ks: Sequence[int],
        labels: Sequence[Any],
        answers: Sequence[Sequence[int]] | Ints,
        cells: tuple[Sequence[int] | Ints, Sequence[int] | Ints, Sequence[int] | Ints],
    ) -> None:
        sets = np.array(answers, dtype=np.int64)
        columns = [np.array(each, dtype=np.int64) for each in cells]
        _require_answers(ks, labels, sets, columns)
        for array in (sets, *columns):
            array.flags.writeable = False
        names = ("ks", "labels", "answers", "truth", "given", "counts")
        for name, value in zip(names, (tuple(ks), tuple(labels), sets, *columns), strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, y_true: Any, scores: Any, k: int = 2) -> TopAnswers:
        """Count the answers of a model.

        Parameters
        ----------
        y_true
            The true labels.
        scores
            A row of scores per observation, with a column per class: an array or a list of rows
            for the sorted classes of the truth, or a data frame whose columns are the classes.
        k
            How many classes it answers.
        """
        from baserate.multiclass.top_k.measures import top_k_accuracy
        from baserate.multiclass.top_k.predictions import count_scores

        return count_scores("scores", y_true, scores, (top_k_accuracy(k).k,))

    @classmethod
    def of_rows(
        cls,
        ks: tuple[int, ...],
        labels: tuple[Any, ...],
        truth: Ints,
        answers: Ints,
        seen: Ints | None = None,
    ) -> TopAnswers:
        """Count rows of places: the true class and the answer, each as often as it was seen."""
        distinct, given = numbered(answers, len(labels))
        keys, place = np.unique(truth * len(distinct) + given, return_inverse=True)
        counts = count_places(place, seen)
        true, met = np.divmod(keys[counts > 0], len(distinct))
        used, met = np.unique(met, return_inverse=True)
        return cls(ks, labels, distinct[used], (true, met, counts[counts > 0]))

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], prefix: str = "") -> TopAnswers:
        """Return answers from a JSON record."""
        truth, given, counts = zip(*facts[f"{prefix}cells"], strict=True)
        cells = (truth, given, counts)
        return cls(facts["ks"], facts["labels"], facts[f"{prefix}answers"], cells)

    def hits(self, k: int) -> int:
        """Return how often the true class is among the k that were answered."""
        return int(self.counts[self.is_hit(k)].sum())

    def is_hit(self, k: int) -> NDArray[np.bool_]:
        """Return for each cell whether its true class is among the k that were answered."""
        top = self.answers[self.given, :k]
        return np.asarray((top == self.truth[:, np.newaxis]).any(axis=1))

    @cached_property
    def true_counts(self) -> Ints:
        """How often each class occurs."""
        return count_places(self.truth, self.counts, len(self.labels))

    @cached_property
    def answer_counts(self) -> Ints:
        """How often each answer was given: the deck of the model."""
        return count_places(self.given, self.counts, len(self.answers))

    @cached_property
    def total(self) -> int:
        """The number of observations, M."""
        return int(self.counts.sum())

    @cached_property
    def test_set(self) -> ClassCounts:
        """The classes that occur, and how often."""
        pairs = zip(self.labels, self.true_counts.tolist(), strict=True)
        return ClassCounts({label: count for label, count in pairs if count})

    @property
    def one_class(self) -> str:
        """What a model is called that always gives one answer; empty if it gives several."""
        if len(self.answers) > 1:
            return ""
        k = self.ks[-1]
        return f"always answers the same {f'{k} classes' if k > 1 else 'class'}"

    @property
    def task(self) -> str:
        """The name of the task."""
        return "top-k"

    @property
    def words(self) -> Words:
        """How the task speaks of references and of luck."""
        return _WORDS

    @property
    def grid(self) -> None:
        """None: answers are more than classes, and make no square table."""

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, with classes and answers numbered in their order."""
        return Cells(self.truth.tolist(), self.given.tolist(), self.counts.tolist())

    @property
    def facts(self) -> dict[str, Any]:
        """The classes, the answers and the counts, as JSON can hold them."""
        return {
            "ks": list(self.ks),
            "labels": list(map(plain_group, self.labels)),
            **self.facts_of_answers(),
        }

    def facts_of_answers(self, prefix: str = "") -> dict[str, Any]:
        """Return the answers and the counts, with names that begin with a prefix."""
        cells = np.stack([self.truth, self.given, self.counts], axis=1)
        return {f"{prefix}answers": self.answers.tolist(), f"{prefix}cells": cells.tolist()}

    @property
    def flat(self) -> dict[str, int]:
        """How many observations and classes there are."""
        return {"observations": self.total, "classes": len(self.test_set.labels)}

    def _arrays(self) -> tuple[bytes, ...]:
        return tuple(each.tobytes() for each in (self.answers, self.truth, self.given, self.counts))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TopAnswers):
            return NotImplemented
        mine, others = (self.ks, self.labels), (other.ks, other.labels)
        return mine == others and self._arrays() == other._arrays()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.ks, self.labels, self._arrays()))

    def __repr__(self) -> str:
        k = self.ks[-1]
        return (
            f"TopAnswers(top {k} of {len(self.labels):,} classes: {self.hits(k):,} of "
            f"{self.total:,} observations are hits)"
        )


def numbered(answers: Ints, classes: int) -> tuple[Ints, Ints]:
    """Return the distinct answers in order, and the number of each row's answer."""
    width = answers.shape[1]
    if classes**width >= _LARGEST:
        distinct, places = np.unique(answers, axis=0, return_inverse=True)
        return distinct, places.reshape(-1)
    powers = classes ** np.arange(width - 1, -1, -1, dtype=np.int64)
    keys, places = np.unique(answers @ powers, return_inverse=True)
    return keys[:, np.newaxis] // powers % classes, places


def _require_answers(
    ks: Sequence[int], labels: Sequence[Any], answers: Ints, cells: Sequence[Ints]
) -> None:
    """Raise unless these are answers, and how often each was given for each class."""
    widths = list(ks)
    if not widths or widths != sorted(set(widths)) or not 1 <= widths[0] <= widths[-1]:
        raise InvalidCountError(
            f"must be numbers of classes, ascending from 1 (got {shown(ks)})", parameter="ks"
        )
    if answers.ndim != 2 or not answers.size or answers.shape[1] != widths[-1]:
        raise InvalidCountError(
            f"must be rows of {widths[-1]} classes (got the shape {answers.shape})",
            parameter="answers",
        )
    truth, given, counts = cells
    sizes = {each.shape for each in cells}
    is_place = all(
        each.size and 0 <= int(each.min()) <= int(each.max()) < end
        for each, end in ((answers, len(labels)), (truth, len(labels)), (given, len(answers)))
    )
    if len(sizes) > 1 or counts.ndim != 1 or not is_place or counts.min() < 1:
        raise InvalidCountError(
            "cells must be places of classes and of answers, with counts of at least 1"
        )
