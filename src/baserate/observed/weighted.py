"""Rows that matter more or less: what a model did on them, or two, and their test set.

A cell is a true class, a prediction and a weight; what is known of the rows alone, as if all
mattered alike, is kept beside the cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate.core.observed import ByValue, Cells, Joint, Observed, Words
from baserate.data.numbers import compared
from baserate.data.weights import Importance
from baserate.exceptions import InvalidCountError, InvalidWeightsError
from baserate.observed.class_scores import ClassProbabilities, joined, numbered
from baserate.observed.labels import BaseRate, ConfusionMatrix
from baserate.observed.scores import MOST_RECORDED, JointScores, RankedScores
from baserate.records import finite, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[Any]
    Ints = NDArray[Any]


# Measures multiply up to four sums of weights.
_LARGEST_RATIO = 1e60


class ClassWeights(BaseRate):
    """How much the rows of each class matter together: a base rate of weights."""

    def __init__(self, of: BaseRate, weights: Floats) -> None:
        vars(self).update(
            labels=of.labels,
            counts=tuple(weights.tolist()),
            has_positive=of.has_positive,
            array=weights,
        )

    @property
    def occurring(self) -> ClassWeights:
        """The classes that occur."""
        met = self.array > 0
        pairs = zip(self.labels, self.counts, strict=True)
        known = BaseRate({label: 1 for label, weight in pairs if weight})
        return ClassWeights(known, self.array[met])


@dataclass(frozen=True, eq=False, repr=False)
class WeightedTestSet(ByValue):
    """How many rows of each class have each weight: all that a baseline needs."""

    plain: BaseRate
    truth: Ints  # the place of the class of each kind of row
    weights: Floats  # in the unit in which they were given
    rows: Ints

    @classmethod
    def of(cls, plain: BaseRate, truth: Ints, weights: Floats, rows: Ints) -> Self:
        """Return the test set of some kinds of rows, of which several may be alike."""
        (places,), heavy, counts = _merged([truth], weights, rows)
        return cls(plain, places, heavy, counts)

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.plain.total

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """The number of observations of each class."""
        return self.plain.class_sizes

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes."""
        return self.plain.labels

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of observations of each class."""
        return self.plain.counts

    @cached_property
    def occurring(self) -> WeightedTestSet:
        """The same without classes that never occur, unless one is positive."""
        if self.plain.has_positive or all(self.plain.counts):
            return self
        places = np.cumsum(self.plain.array > 0) - 1
        return WeightedTestSet(self.plain.occurring, places[self.truth], self.weights, self.rows)

    @cached_property
    def unit(self) -> float:
        """What a weight is multiplied with, so that their mean is 1."""
        return self.total / float(self.weights @ self.rows)

    @cached_property
    def importance(self) -> Floats:
        """The weight of each kind of row; their mean over the rows is 1."""
        return self.weights * self.unit

    @cached_property
    def by_class(self) -> ClassWeights:
        """How much the rows of each class matter together."""
        sums = np.bincount(self.truth, self.importance * self.rows, len(self.plain.labels))
        return ClassWeights(self.plain, sums)

    @cached_property
    def class_weights(self) -> tuple[float, ...] | None:
        """The weight of a row of each class; None if rows of a class differ in weight."""
        if np.bincount(self.truth).max() > 1:
            return None
        # A class without observations may have any weight.
        found = np.full(len(self.plain.labels), self.importance[0])
        found[self.truth] = self.importance
        return tuple(found.tolist())

    @cached_property
    def is_plain(self) -> bool:
        """Whether all rows matter alike."""
        return bool((self.weights == self.weights[0]).all())

    @property
    def described(self) -> str:
        """The test set in a few words."""
        observations = "observation" if self.total == 1 else "observations"
        weight = f"total weight {self.weights @ self.rows:,.6g}"
        if not self.plain.has_positive:
            return f"{self.total:,} {observations}, {weight}, {self.by_class.classes} by weight"
        positives = f"{self.plain.positives:,} positive"
        return (
            f"{self.total:,} {observations}, {positives}, {weight}, {self.by_class.rate:.1%} of it "
            "positive"
        )

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""
        names = ("truth", "weights", "rows")
        return self.plain.facts | {name: getattr(self, name).tolist() for name in names}

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        title, cell = self.plain.share
        if not self.plain.has_positive:
            return title, cell
        return title, f"{cell} ({self.by_class.rate:.1%} by weight)"

    def __repr__(self) -> str:
        return f"WeightedTestSet({self.described})"


def _merged(
    columns: Sequence[Ints], weights: Floats, rows: Ints | None
) -> tuple[list[Ints], Floats, Ints]:
    """Return the cells that differ, in order, and how many rows each has."""
    every = [weights, *map(np.asarray, reversed(columns))]
    order = np.lexsort(every)
    is_new = np.arange(order.size) == 0
    for each in every:
        is_new[1:] |= np.diff(each[order].astype(float)) != 0
    starts = np.flatnonzero(is_new)
    counts = np.diff(starts, append=order.size)
    if rows is not None:
        counts = np.add.reduceat(rows[order], starts)
    some = order[starts][counts > 0]
    places = [np.asarray(each[some], dtype=np.int64) for each in columns]
    return places, weights[some].astype(float), counts[counts > 0].astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Weighted(Observed):
    """What a model did on rows that matter more or less."""

    plain: Any  # what it did on the same rows, if all mattered alike
    truth: Ints  # of each cell, the place of its class
    given: Ints  # and of its prediction among those that there are
    weights: Floats  # of a row, in the unit in which they were given
    rows: Ints

    exact = True
    """Whether scores were not put in bins: weights are not counted in them."""

    @classmethod
    def of(cls, plain: Any, truth: Ints, given: Ints, weights: Floats, rows: Ints | None) -> Self:
        """Return what was observed on some kinds of rows, of which several may be alike."""
        (places, said), heavy, counts = _merged([truth, given], weights, rows)
        return cls(plain, places, said, heavy, counts)

    @property
    def task(self) -> str:
        """The name of the task."""
        return f"weighted {self.plain.task}"

    @property
    def words(self) -> Words:
        """How the task speaks of guesses and of chance."""
        words: Words = self.plain.words
        shared = "each measure has its own"
        if self.task == "weighted binary":
            shared = "a permutation test of the weighted J, for weighted balanced accuracy"
        return replace(words, shared_p=shared, remedy=f"{words.remedy} and these weights")

    @property
    def total(self) -> int:
        """The number of observations."""
        total: int = self.plain.total
        return total

    @cached_property
    def test_set(self) -> WeightedTestSet:
        """The test set."""
        places = np.zeros(self.shape[0], dtype=np.int64)
        places[self.classes] = np.arange(self.classes.size)
        truth = places[self.truth]
        return WeightedTestSet.of(self.plain.test_set, truth, self.weights, self.rows)

    @property
    def classes(self) -> Ints:
        """Which classes those of the test set are: of several, those that never occur are not."""
        if isinstance(self.plain, ConfusionMatrix) and not self.plain.has_positive:
            return np.flatnonzero(self.plain.true_counts)
        return np.arange(self.shape[0])

    @cached_property
    def importance(self) -> Floats:
        """The weight of a row of each cell; their mean over the rows is 1."""
        return self.weights * self.test_set.unit

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What measures computed of it, which is forgotten with it."""
        return {}

    @property
    def one_class(self) -> str:
        """What a model is called whose predictions are all the same; empty if they are not."""
        one_class: str = self.plain.one_class
        return one_class

    @property
    def remark(self) -> str:
        """What a reader must know of how it was counted; empty if there is nothing."""
        remark: str = self.plain.remark
        return remark

    @property
    def said(self) -> Any:
        """What is predicted in each cell: a place, a score or a row of scores."""
        if isinstance(self.plain, RankedScores):
            return self.plain.values[self.given]
        return self.plain.rows[self.given] if self._has_rows else self.given

    @property
    def _has_rows(self) -> bool:
        return isinstance(self.plain, ClassProbabilities)

    @property
    def sizes(self) -> Ints:
        """How many rows have each prediction."""
        return np.bincount(self.given, self.rows, self.shape[1]).astype(np.int64)

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and how many predictions there are."""
        plain = self.plain
        if isinstance(plain, RankedScores):
            return 2, plain.values.size
        return len(plain.labels), len(plain.rows if self._has_rows else plain.labels)

    @property
    def sums(self) -> Floats:
        """How much the rows of each class and each prediction matter together."""
        classes, size = self.shape
        keys, heavy = self.truth * size + self.given, self.importance * self.rows
        return np.bincount(keys, heavy, classes * size).reshape(classes, size)

    @property
    def as_counts(self) -> ClassProbabilities:
        """Class scores whose counts are weights."""
        plain = self.plain
        counts: Any = self.importance * self.rows
        return ClassProbabilities(plain.labels, plain.rows, self.truth, self.given, counts)

    def table(self, threshold: float) -> Weighted:
        """Return the labels of scores at a threshold."""
        return self._labels(self.plain.table(threshold), _called(self.plain, threshold))

    @property
    def matrix(self) -> Weighted:
        """The classes with the highest scores."""
        found = self.plain.matrix
        places = _among(found.labels, self.plain.labels)
        return self._labels(found, places[self.plain.answers], places)

    def _labels(self, plain: ConfusionMatrix, answers: Ints, places: Any = (0, 1)) -> Weighted:
        truth = np.asarray(places)[self.truth]
        return Weighted.of(plain, truth, answers[self.given], self.weights, self.rows)

    @property
    def cells(self) -> Cells:
        """How much the cells matter, with classes and predictions by their places, or scores."""
        said = self.given if self._has_rows else self.said
        weights: Any = (self.weights * self.rows).tolist()
        return Cells(self.truth.tolist(), said.tolist(), weights)

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the rows alone, and the cells, for JSON."""
        plain, given = self.plain, self.given
        if isinstance(plain, RankedScores) and plain.values.size > MOST_RECORDED:
            few = plain.in_bins(MOST_RECORDED)
            plain, given = few, _recorded(plain, few, given)
        found = {"truth": self.truth, "given": given, "weights": self.weights, "rows": self.rows}
        return {"alike": plain.facts} | {name: each.tolist() for name, each in found.items()}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], plain: Callable[[Any], Any]) -> Self:
        """Return what a JSON record holds, or raise if it does not fit together."""
        known, cells = plain(facts["alike"]), _cells_of(facts, ("truth", "given"))
        found = cls.of(known, *cells)
        if max(found.truth.max() + 1, 0) > found.shape[0] or found.given.max() >= found.shape[1]:
            raise InvalidCountError("cells must be places of classes and of predictions")
        if found.rows.sum() != known.total:
            raise InvalidCountError(f"cells must have {known.total:,} rows")
        return found

    @property
    def flat(self) -> dict[str, int]:
        """A few numbers of observations, without their weights."""
        known: Any = self.plain
        if not (isinstance(known, ConfusionMatrix) and known.has_positive):
            return {"observations": self.total, **known.flat}
        return {
            "observations": known.total,
            "positives": known.positives,
            "predicted_positives": known.predicted_positives,
        }

    def __repr__(self) -> str:
        return f"Weighted({self.test_set.described})"


def _recorded(scores: RankedScores, few: RankedScores, given: Ints) -> Ints:
    """Return the bins of scores that were put in bins, by their places."""
    return np.asarray(np.searchsorted(few.levels.upto, scores.levels.upto)[given])


def _cells_of(facts: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """Return the places, the weights and the rows of cells of a JSON record, or raise."""
    columns = [[typed(each, int) for each in typed(facts[name], list)] for name in (*names, "rows")]
    weights = [finite(each) for each in typed(facts["weights"], list)]
    if len({len(weights), *map(len, columns)}) > 1 or not weights:
        raise InvalidCountError("cells must have places, a weight and a number of rows each")
    *places, rows = (np.array(each, dtype=np.int64) for each in columns)
    if min(weights) <= 0 or rows.min() < 1 or min(each.min() for each in places) < 0:
        raise InvalidCountError("weights must be above 0, and rows at least 1")
    return [*places, np.array(weights, dtype=float), rows]


def _called(scores: RankedScores, threshold: float) -> Ints:
    """Return which scores are called positive."""
    is_called = np.asarray(scores.values >= compared(threshold, scores.values.dtype))
    return is_called.astype(np.int64)


def _among(some: Sequence[Any], labels: Sequence[Any]) -> Ints:
    """Return the places of labels among some of them; -1 of the others."""
    places = {label: place for place, label in enumerate(some)}
    return np.array([places.get(label, -1) for label in labels])


@dataclass(frozen=True, eq=False, repr=False)
class WeightedJoint(Joint):
    """What two models did on the same rows, which matter more or less."""

    plain: Any
    truth: Ints
    first_given: Ints
    second_given: Ints
    weights: Floats
    rows: Ints

    @classmethod
    def of(cls, plain: Any, places: Sequence[Ints], weights: Floats, rows: Ints | None) -> Self:
        """Return two models on some kinds of rows, of which several may be alike.

        The places are those of the truth and of both predictions.
        """
        (truth, one, other), heavy, counts = _merged(places, weights, rows)
        return cls(plain, truth, one, other, heavy, counts)

    @cached_property
    def first(self) -> Weighted:
        """What the first model did."""
        return Weighted.of(self.plain.first, self.truth, self.first_given, self.weights, self.rows)

    @cached_property
    def second(self) -> Weighted:
        """What the second model did."""
        known, given = self.plain.second, self.second_given
        return Weighted.of(known, self.truth, given, self.weights, self.rows)

    @property
    def sides(self) -> tuple[Weighted, Weighted]:
        """What each model did, by the cells that both share."""
        return tuple(  # type: ignore[return-value]
            Weighted(plain, self.truth, given, self.weights, self.rows)
            for plain, given in (
                (self.plain.first, self.first_given),
                (self.plain.second, self.second_given),
            )
        )

    @property
    def importance(self) -> Floats:
        """The weight of a row of each cell; their mean over the rows is 1."""
        return self.weights * self.first.test_set.unit

    def swapped(self) -> WeightedJoint:
        """Return the same with the second model first."""
        cells = self.second_given, self.first_given, self.weights, self.rows
        return WeightedJoint(self.plain.swapped(), self.truth, *cells)

    @property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        disagreements: int = self.plain.disagreements
        return disagreements

    def table(self, threshold: float) -> WeightedJoint:
        """Return the labels of scores at a threshold."""
        called = [_called(each, threshold) for each in (self.plain.first, self.plain.second)]
        return self._labels(self.plain.table(threshold), called)

    @property
    def matrix(self) -> WeightedJoint:
        """The classes with the highest scores."""
        found, known = self.plain.matrix, (self.plain.first, self.plain.second)
        places = _among(found.labels, known[0].labels)
        return self._labels(found, [places[each.answers] for each in known], places)

    def _labels(self, plain: Any, answers: Sequence[Ints], classes: Any = (0, 1)) -> WeightedJoint:
        one, other = answers
        places = np.asarray(classes)[self.truth], one[self.first_given], other[self.second_given]
        return WeightedJoint.of(plain, places, self.weights, self.rows)

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the rows alone, and the cells, for JSON."""
        few, known = self.plain, (self.plain.first, self.plain.second)
        given = [self.first_given, self.second_given]
        if isinstance(few, JointScores):
            few = few.in_bins(MOST_RECORDED)
            both = zip(known, (few.first, few.second), given, strict=True)
            given = [_recorded(*each) for each in both]
        names = ("truth", "first_given", "second_given", "weights", "rows")
        columns = self.truth, *given, self.weights, self.rows
        found = zip(names, columns, strict=True)
        return {"alike": few.facts} | {name: each.tolist() for name, each in found}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], plain: Callable[[Any], Any]) -> Self:
        """Return two models from a JSON record."""
        *places, weights, rows = _cells_of(facts, ("truth", "first_given", "second_given"))
        return cls.of(plain(facts["alike"]), places, weights, rows)


def of_clusters(whole: Weighted, parts: Sequence[Weighted]) -> tuple[Weighted, Ints]:
    """Return the cells of some clusters as those of one test set, and the cluster of each."""
    codes = np.repeat(np.arange(len(parts)), [each.rows.size for each in parts])
    truth, given, weights, rows = (
        np.concatenate([getattr(each, name) for each in parts])
        for name in ("truth", "given", "weights", "rows")
    )
    plain = whole.plain
    if isinstance(plain, RankedScores):
        given = _places(plain, np.concatenate([each.said for each in parts]))
    elif isinstance(plain, ClassProbabilities):
        plain, _ = joined([each.plain for each in parts])
        given = given + np.cumsum([0, *(len(each.plain.rows) for each in parts[:-1])])[codes]
    else:  # parts may lack a class
        places = [_among(plain.labels, each.plain.labels) for each in parts]
        truth, given = (
            np.concatenate(
                [place[getattr(each, name)] for place, each in zip(places, parts, strict=True)]
            )
            for name in ("truth", "given")
        )
    return Weighted(plain, truth, given, weights, rows), codes


def weighing(build: Callable[..., Any]) -> Callable[..., Any]:
    """Return what builds an observation of rows, which may matter more or less.

    It is given the classes of labels or None, the truth, predictions, and how often rows were seen,
    or an `Importance`.
    """

    def built(*arguments: Any) -> Any:
        *rows, counted = arguments
        if not isinstance(counted, Importance):
            return build(*rows, counted)
        columns = rows[1:] if rows[0] is None or isinstance(rows[0], tuple) else rows
        return _weighted(build(*rows, counted.times), counted, *columns)

    return built


def _weighted(plain: Any, importance: Importance, truth: Any, *said: Any) -> Any:
    """Return what was observed of no, one or two models, on rows that matter more or less.

    Given are what it is if all rows matter alike, the places of true classes, and predictions.
    """
    low, high = importance.weights.min(), importance.weights.max()
    if high > _LARGEST_RATIO * low:
        raise InvalidWeightsError(
            f"must be 0, or at most {_LARGEST_RATIO:g} times as large as others (got {low:g} to "
            f"{high:g})",
            parameter="sample_weight",
        )
    truth = np.asarray(truth, dtype=np.int64)
    if not said:
        rows = np.ones_like(truth) if importance.times is None else importance.times
        return WeightedTestSet.of(plain, truth, importance.weights, rows)
    known = [plain] if len(said) == 1 else [plain.first, plain.second]
    given = [_places(each, column) for each, column in zip(known, said, strict=True)]
    if len(said) == 1:
        return Weighted.of(plain, truth, given[0], *importance)
    return WeightedJoint.of(plain, [truth, *given], *importance)


def _places(known: Any, said: Any) -> Ints:
    """Return the places of predictions among those that there are."""
    if isinstance(known, RankedScores):
        return np.searchsorted(-known.values, -np.asarray(said))
    return numbered(said)[1] if isinstance(known, ClassProbabilities) else np.asarray(said)
