"""What a model of several classes did: class counts, a confusion matrix, and that of two."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import MOST_OBSERVATIONS, is_number, whole_number
from baserate.core.observed import Cells, Grid, Joint, Observed, Rows, Words
from baserate.data.columns import is_hashable, text_of
from baserate.data.label_counts import count_classes, count_column
from baserate.data.labels import plain_label
from baserate.data.rows import plain_group
from baserate.data.weights import count_places
from baserate.exceptions import InvalidCountError
from baserate.formatting import in_words, listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Labels

    Ints = NDArray[np.int64]


# A test set is described by its most frequent classes.
_MOST_DESCRIBED = 4


@dataclass(frozen=True, init=False)
class ClassCounts:
    """How often each class occurs in a test set: all that a baseline needs.

    Parameters
    ----------
    counts
        The number of observations of each class, keyed by its label; together at most 10¹⁵.

    Examples
    --------
    >>> counts = ClassCounts({"a": 70, "b": 20, "c": 10})
    >>> counts.total, counts.labels
    (100, ('a', 'b', 'c'))
    >>> ClassCounts.of(["b", "a", "b", "c"])
    ClassCounts({'a': 1, 'b': 2, 'c': 1})
    """

    labels: tuple[Any, ...]
    """The classes."""
    counts: tuple[int, ...]
    """How often each of them occurs."""

    def __init__(self, counts: Mapping[Any, int]) -> None:
        if not isinstance(counts, Mapping):
            raise InvalidCountError(
                f"must be a mapping from classes to counts, as in {{'a': 70, 'b': 30}} (got "
                f"{shown(counts)}); ClassCounts.of counts labels",
                parameter="counts",
            )
        sizes = tuple(
            whole_number(f"the count of {shown(label)}", counts[label]) for label in counts
        )
        if min(sizes, default=0) < 0:
            raise InvalidCountError(
                f"must be at least 0 (got {min(sizes)}): they count observations",
                parameter="counts",
            )
        if not sum(sizes):
            raise InvalidCountError(
                "must have at least one observation (got none)", parameter="counts"
            )
        whole_number("the total", sum(sizes))
        object.__setattr__(self, "labels", tuple(counts))
        object.__setattr__(self, "counts", sizes)

    @classmethod
    def of(cls, y_true: Labels) -> ClassCounts:
        """Count the labels of a test set.

        Parameters
        ----------
        y_true
            The true labels, of any number of classes.
        """
        return cls(count_column("y_true", y_true))

    @property
    def total(self) -> int:
        """The number of observations, M."""
        return sum(self.counts)

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """The number of observations of each class."""
        return self.counts

    @property
    def by_class(self) -> dict[Any, int]:
        """How often each class occurs that does."""
        pairs = zip(self.labels, self.counts, strict=True)
        return {label: count for label, count in pairs if count}

    @cached_property
    def occurring(self) -> ClassCounts:
        """The classes that occur; a reference predicts no other, as that is never right."""
        return self if all(self.counts) else ClassCounts(self.by_class)

    @cached_property
    def array(self) -> NDArray[np.int64]:
        """The counts, as an array."""
        return np.array(self.counts, dtype=np.int64)

    def require_guess(self, guess: Sequence[int] | Mapping[Any, int]) -> tuple[int, ...]:
        """Return how often each class is predicted, or raise unless it adds up to the test set."""
        if isinstance(guess, Mapping):
            unknown = [label for label in guess if label not in self.labels]
            if unknown:
                raise InvalidCountError(
                    f"must name classes of the test set (got {shown(unknown[0])}, which is not "
                    f"among {listed(self.labels)})",
                    parameter="y_pred",
                )
            guess = [guess.get(label, 0) for label in self.labels]
        try:
            counts = tuple(whole_number("y_pred", count) for count in guess)
        except TypeError:
            counts = ()
        if len(counts) != len(self.labels) or min(counts) < 0 or sum(counts) != self.total:
            raise InvalidCountError(
                f"must be {len(self.labels)} counts that add up to {self.total:,} observations "
                f"(got {shown(guess)})",
                parameter="y_pred",
            )
        return counts

    @property
    def described(self) -> str:
        """The test set in a few words.

        Examples
        --------
        >>> ClassCounts({"a": 70, "b": 20, "c": 10}).described
        "100 observations, 3 classes: 70.0% 'a', 20.0% 'b' and 10.0% 'c'"
        """
        known = self.occurring
        observations = "observation" if self.total == 1 else "observations"
        classes = "class" if len(known.labels) == 1 else "classes"
        by_size = sorted(zip(known.labels, known.counts, strict=True), key=lambda each: -each[1])
        shares = [
            f"{count / self.total:.1%} {shown(label)}" for label, count in by_size[:_MOST_DESCRIBED]
        ]
        left = len(by_size) - _MOST_DESCRIBED
        names = in_words([*shares, *([f"{left:,} more"] if left > 0 else [])])
        return f"{self.total:,} {observations}, {len(by_size):,} {classes}: {names}"

    @property
    def facts(self) -> dict[str, Any]:
        """The classes and their counts, for JSON."""
        labels = list(map(plain_group, self.labels))
        return {"labels": labels, "counts": list(self.counts), "total": self.total}

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, and the title of that column."""
        return "observations", f"{self.total:,}"

    def __repr__(self) -> str:
        return f"ClassCounts({shown(dict(zip(self.labels, self.counts, strict=True)), most=200)})"


_WORDS = Words(
    best="Each class is predicted for a fixed number of rows, chosen at random.",
    shared_p="a permutation test of the right answers, for every measure that rises with them",
    remedy="the class balance may not suit this measure",
)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ConfusionMatrix(Observed):
    """The confusion matrix of a prediction of several classes.

    Matrices of the same classes add up, so parts of a test set can be counted separately.

    Parameters
    ----------
    counts
        A row per true class, and a column per predicted class.
    labels
        The classes, in the order of rows and columns; 0, 1, 2, … if left out. Weighted kappas
        take this as the order of the classes.

    Examples
    --------
    >>> matrix = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]], labels=["a", "b", "c"])
    >>> matrix.correct, matrix.total
    (63, 100)
    >>> matrix.test_set
    ClassCounts({'a': 70, 'b': 20, 'c': 10})
    >>> ConfusionMatrix.of(["a", "b", "b"], ["a", "b", "a"])
    ConfusionMatrix([[1, 0], [1, 1]], labels=('a', 'b'))
    """

    task = "multiclass"
    words = _WORDS

    counts: Ints
    labels: tuple[Any, ...]

    def __init__(
        self, counts: Sequence[Sequence[int]] | NDArray[Any], labels: Sequence[Any] | None = None
    ) -> None:
        table = _table(counts)
        names = tuple(range(len(table)) if labels is None else map(plain_label, labels))
        is_known = all(map(is_hashable, names))
        if not is_known or len(names) != len(table) or len(set(names)) != len(names):
            raise InvalidCountError(
                f"must be {len(table)} different classes, one per row (got {shown(names)})",
                parameter="labels",
            )
        table.flags.writeable = False
        object.__setattr__(self, "counts", table)
        object.__setattr__(self, "labels", names)

    @classmethod
    def of(cls, y_true: Labels, y_pred: Labels) -> ConfusionMatrix:
        """Count truth against prediction.

        Parameters
        ----------
        y_true, y_pred
            The true and the predicted labels, of any number of classes. The classes are sorted, as
            scikit-learn does.
        """
        key = ("y_pred",)
        found = count_classes(y_true, {"y_pred": y_pred}, Rows(), [key])
        matrix: ConfusionMatrix = found.tables(of_cells)[key][None]
        return matrix

    @cached_property
    def true_counts(self) -> Ints:
        """How often each class occurs."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def predicted_counts(self) -> Ints:
        """How often each class is predicted: the mix of the model."""
        return np.asarray(self.counts.sum(axis=0))

    @cached_property
    def total(self) -> int:
        """The number of observations, M."""
        return int(self.counts.sum())

    @property
    def correct(self) -> int:
        """The number of observations whose class was predicted."""
        return int(np.trace(self.counts))

    @cached_property
    def test_set(self) -> ClassCounts:
        """The classes that occur, and how often."""
        counts = dict(zip(self.labels, self.true_counts.tolist(), strict=True))
        return ClassCounts(counts).occurring

    @property
    def one_class(self) -> str:
        """What a model is called that predicts one class only; empty if it predicts several."""
        predicted = np.flatnonzero(self.predicted_counts)
        return f"predicts only {shown(self.labels[predicted[0]])}" if predicted.size == 1 else ""

    @property
    def unseen(self) -> str:
        """Which classes are predicted and never occur, and what averages make of them; or nothing.

        Examples
        --------
        >>> print(ConfusionMatrix.of(["a", "b", "b"], ["a", "b", "B"]).unseen)
        predicts 'B', which never occurs in the truth: macro averages are over 'B', 'a', 'b', and
        balanced accuracy is over 'a', 'b'
        """
        occurs, is_predicted = self.true_counts > 0, self.predicted_counts > 0
        unseen, union, seen = (
            [label for label, is_one in zip(self.labels, which, strict=True) if is_one]
            for which in (is_predicted & ~occurs, is_predicted | occurs, occurs)
        )
        if not unseen:
            return ""
        verb = "occurs" if len(unseen) == 1 else "occur"
        return (
            f"predicts {listed(unseen)}, which never {verb} in the truth: macro averages are over "
            f"{listed(union)}, and balanced accuracy is over {listed(seen)}"
        )

    @property
    def grid(self) -> Grid:
        """The counts, with the classes as texts."""
        return Grid(tuple(map(text_of, self.labels)), self.counts.tolist())

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, with classes numbered in their order."""
        truth, predicted = np.nonzero(self.counts)
        counts = self.counts[truth, predicted]
        return Cells(truth.tolist(), predicted.tolist(), counts.tolist())

    @property
    def facts(self) -> dict[str, Any]:
        """The classes and the counts, as JSON can hold them."""
        return {"labels": list(map(plain_group, self.labels)), "counts": self.counts.tolist()}

    @property
    def flat(self) -> dict[str, int]:
        """How many observations and classes there are, and how many predictions are right."""
        classes = len(self.test_set.labels)
        return {"observations": self.total, "classes": classes, "correct": self.correct}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> ConfusionMatrix:
        """Return the matrix of a JSON record."""
        return cls(facts["counts"], facts["labels"])

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        labels = self.labels
        if labels != other.labels:  # a batch may lack a class, or have one more
            labels = tuple(dict.fromkeys((*labels, *other.labels)))
            with contextlib.suppress(TypeError):
                labels = tuple(sorted(labels))
        counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
        for each in (self, other):
            places = [labels.index(label) for label in each.labels]
            counts[np.ix_(places, places)] += each.counts
        return ConfusionMatrix(counts, labels)

    def __radd__(self, other: object) -> ConfusionMatrix:
        """Let `sum` start with 0."""
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        table = shown(self.counts.tolist(), most=200)
        return f"ConfusionMatrix({table}, labels={shown(self.labels, most=200)})"


def _table(counts: Any) -> Ints:
    """Return counts as a square array of whole numbers, or raise."""
    try:
        given = np.asarray(counts)
    except ValueError:  # rows of different lengths
        given = np.empty(0)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not given.size:
        raise InvalidCountError(
            "must be a square table, with a row and a column per class (got "
            f"{shown(counts) if given.ndim != 2 else f'shape {given.shape}'})",
            parameter="counts",
        )
    plain = given.astype(object) if given.dtype.kind not in "iuf" else given
    if plain.dtype.kind == "O" and not all(map(is_number, plain.flat)):
        raise _not_counts(counts)
    with np.errstate(invalid="ignore"):
        is_count = (plain >= 0) & (plain <= MOST_OBSERVATIONS) & (plain % 1 == 0)
    if not np.all(is_count) or plain.sum(dtype=float) > MOST_OBSERVATIONS:
        raise _not_counts(counts)
    return np.array(plain, dtype=np.int64)


def _not_counts(counts: object) -> InvalidCountError:
    return InvalidCountError(
        f"must be whole numbers of observations, together at most {MOST_OBSERVATIONS:,} "
        f"(got {shown(counts)})",
        parameter="counts",
    )


@dataclass(frozen=True, init=False, eq=False)
class JointMatrix(Joint):
    """Truth × first model × second model, by the cells that have observations.

    Classes are given by their places among the labels. A cell may come twice: its counts add up.
    """

    twins = "first_answers", "second_answers"

    labels: tuple[Any, ...]
    truth: Ints
    first_answers: Ints
    second_answers: Ints
    counts: Ints

    def __init__(
        self,
        labels: Sequence[Any],
        truth: Sequence[int] | Ints,
        first_answers: Sequence[int] | Ints,
        second_answers: Sequence[int] | Ints,
        counts: Sequence[int] | Ints,
    ) -> None:
        names = tuple(labels)
        columns = [
            np.asarray(each, dtype=np.int64)
            for each in (truth, first_answers, second_answers, counts)
        ]
        *places, sizes = columns
        if len({each.shape for each in columns}) > 1 or sizes.ndim != 1:
            shapes = [each.shape for each in columns]
            raise InvalidCountError(f"cells must have one count each (got shapes {shown(shapes)})")
        if any(((each < 0) | (each >= len(names))).any() for each in places) or (sizes < 0).any():
            raise InvalidCountError(
                f"cells must be places of {len(names)} classes, with counts of at least 0"
            )
        object.__setattr__(self, "labels", names)
        for name, column in zip(COLUMNS, _merged(places, sizes, len(names)), strict=True):
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    @cached_property
    def first(self) -> ConfusionMatrix:
        """The matrix of the first model."""
        return self._matrix(self.first_answers)

    @cached_property
    def second(self) -> ConfusionMatrix:
        """The matrix of the second model."""
        return self._matrix(self.second_answers)

    @property
    def disagreements(self) -> int:
        """The number of observations on which the models give different answers."""
        return int(self.counts[self.first_answers != self.second_answers].sum())

    @property
    def facts(self) -> dict[str, Any]:
        """The classes and the cells, as JSON can hold them."""
        cells = {name: getattr(self, name).tolist() for name in COLUMNS}
        return {"labels": list(map(plain_group, self.labels))} | cells

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointMatrix:
        """Return two models from a JSON record."""
        return cls(facts["labels"], *(facts[name] for name in COLUMNS))

    def _matrix(self, answers: Ints) -> ConfusionMatrix:
        found: ConfusionMatrix = of_cells(self.labels, self.truth, answers, self.counts)
        return found


COLUMNS = ("truth", "first_answers", "second_answers", "counts")
"""The names of the four columns of the cells."""


def _merged(places: Sequence[Ints], counts: Ints, classes: int) -> list[Ints]:
    """Return the cells that have observations, sorted and each once."""
    keys = (places[0] * classes + places[1]) * classes + places[2]
    each, inverse = np.unique(keys, return_inverse=True)
    sums = np.zeros(each.size, dtype=np.int64)
    np.add.at(sums, inverse, counts)
    each, sums = each[sums > 0], sums[sums > 0]
    rest, second = np.divmod(each, classes)
    truth, first = np.divmod(rest, classes)
    return [truth, first, second, sums]


def of_cells(labels: Sequence[Any], truth: Ints, *others: Ints) -> Any:
    """Return the counts of no, one or two models: the places of labels, and how often."""
    *predicted, counts = others
    size = len(labels)
    if len(predicted) == 2:
        return JointMatrix(labels, truth, predicted[0], predicted[1], counts)
    if predicted:
        table = count_places(size * truth + predicted[0], counts, size * size)
        return ConfusionMatrix(table.reshape(size, size), labels)
    return ClassCounts(dict(zip(labels, count_places(truth, counts, size).tolist(), strict=True)))
