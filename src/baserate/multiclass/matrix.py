"""The confusion matrix: how often each class was predicted as each class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import MOST_OBSERVATIONS, is_number
from baserate.core.task import Cells, Grid, NothingMore
from baserate.core.words import Words
from baserate.data.classes import count_classes
from baserate.data.columns import is_hashable, text_of
from baserate.data.groups import plain_group
from baserate.data.labels import plain_label
from baserate.exceptions import InvalidCountError
from baserate.formatting import listed, shown
from baserate.multiclass.class_counts import ClassCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Labels

    Ints = NDArray[np.int64]

_WORDS = Words(
    best="Each class is predicted for a fixed number of rows, chosen at random.",
    shared_p="a permutation test of the right answers, for every measure that rises with them",
    remedy="the class balance may not suit this measure",
)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ConfusionMatrix(NothingMore):
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
        found = count_classes(y_true, {"y_pred": y_pred}, None)
        return cls(found.tables["y_pred"][None], found.labels)

    @cached_property
    def true_counts(self) -> Ints:
        """How often each class occurs."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def predicted_counts(self) -> Ints:
        """How often each class is predicted: the deck of the model."""
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
        pairs = zip(self.labels, self.true_counts.tolist(), strict=True)
        return ClassCounts({label: count for label, count in pairs if count})

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
    def task(self) -> str:
        """The name of the task."""
        return "multiclass"

    @property
    def words(self) -> Words:
        """How the task speaks of references and of luck."""
        return _WORDS

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

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if self.labels != other.labels:
            raise InvalidCountError(
                "matrices must have the same classes in the same order to add up "
                f"(got {shown(self.labels)} and {shown(other.labels)})"
            )
        return ConfusionMatrix(self.counts + other.counts, self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.labels, self.counts.tobytes()))

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
