"""Labels: how often classes occur, the confusion matrix of a model, and that of two."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from baserate.arguments import MOST_OBSERVATIONS, is_number, whole_number
from baserate.core.observed import Cells, Grid, Joint, Observed, Rows, Words, count_places
from baserate.data.columns import is_hashable, text_of
from baserate.data.labels import count_labels, four_counts, ordered, plain_label
from baserate.data.rows import Shown, plain_group
from baserate.exceptions import (
    InvalidCountError,
    InvalidFrameError,
    InvalidLabelsError,
    MissingLabelsWarning,
)
from baserate.formatting import class_name, in_words, listed, shown
from baserate.records import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Labels
    from baserate.data.labels import WhenSeveral

    Ints = NDArray[np.int64]


# A test set is described by its most frequent classes.
_MOST_DESCRIBED = 4


@dataclass(frozen=True, init=False, repr=False)
class BaseRate:
    """How often each class occurs in a test set: all that a baseline needs.

    Parameters
    ----------
    counts
        The number of observations of each class, keyed by its label; together at most 10¹⁵.
    positives, total
        In place of the counts, if one of two classes is positive: the number of positive
        observations and that of all, the paper's P and M.

    Examples
    --------
    >>> rate = BaseRate(positives=139, total=303)
    >>> rate.negatives, round(rate.rate, 3)
    (164, 0.459)
    >>> counts = BaseRate({"a": 70, "b": 20, "c": 10})
    >>> counts.total, counts.labels
    (100, ('a', 'b', 'c'))
    """

    labels: tuple[Any, ...]
    """The classes; 0 and 1 if one is positive."""
    counts: tuple[int, ...]
    """How often each of them occurs."""
    has_positive: bool
    """Whether one of two classes is positive."""

    def __init__(
        self,
        counts: Mapping[Any, int] | None = None,
        *,
        positives: int | None = None,
        total: int | None = None,
    ) -> None:
        has_positive = counts is None
        if counts is not None and (positives is not None or total is not None):
            raise InvalidCountError(
                "must be left out beside positives and total", parameter="counts"
            )
        if counts is None:
            total, positives = whole_number("total", total), whole_number("positives", positives)
            if total < 1:
                raise InvalidCountError(
                    f"must be at least 1 (got {total}): a test set has at least one observation",
                    parameter="total",
                )
            counts = {0: total - _within("positives", positives, total), 1: positives}
        elif not isinstance(counts, Mapping):
            raise InvalidCountError(
                f"must be a mapping from classes to counts, as in {{'a': 70, 'b': 30}} (got "
                f"{shown(counts)}); BaseRate.of counts labels",
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
        vars(self).update(labels=tuple(counts), counts=sizes, has_positive=has_positive)

    @classmethod
    def of(cls, y_true: Labels, pos_label: object = None) -> BaseRate:
        """Count the labels of a test set.

        Parameters
        ----------
        y_true
            The true labels, of any number of classes.
        pos_label
            The positive class; all other classes are the rest. Of labels that are booleans, 0/1 or
            -1/1, it is 1.

        Examples
        --------
        >>> BaseRate.of([0, 1, 1, 0, 0])
        BaseRate(positives=2, total=5)
        >>> BaseRate.of(["ill", "well", "well"], pos_label="ill")
        BaseRate(positives=1, total=3)
        >>> BaseRate.of(["b", "a", "b", "c"])
        BaseRate({'a': 1, 'b': 2, 'c': 1})
        """
        found: BaseRate = counted(y_true, pos_label=pos_label, several="if unclear")
        return found

    @classmethod
    def of_positives(cls, y_true: Labels, pos_label: object = None) -> BaseRate:
        """Count the positive labels, or raise if it is not clear which these are."""
        found: BaseRate = counted(y_true, pos_label=pos_label)
        return found

    @classmethod
    def of_classes(cls, y_true: Labels) -> BaseRate:
        """Count the labels of each class, none of which is positive."""
        found: BaseRate = counted(y_true, several="always")
        return found

    @cached_property
    def total(self) -> int:
        """The number of observations, the paper's M."""
        return sum(self.counts)

    @property
    def positives(self) -> int:
        """The number of positive observations, the paper's P."""
        _require_positive(self)
        return self.counts[1]

    @property
    def negatives(self) -> int:
        """The number of negative observations, the paper's N."""
        _require_positive(self)
        return self.counts[0]

    @property
    def rate(self) -> float:
        """The fraction of positive observations, P / M."""
        return self.positives / self.total

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
    def occurring(self) -> BaseRate:
        """The classes that occur; a reference predicts no other, as that is never right."""
        return self if all(self.counts) else BaseRate(self.by_class)

    @cached_property
    def array(self) -> Ints:
        """The counts, as an array."""
        return np.array(self.counts, dtype=np.int64)

    def require_predicted_positives(
        self, predicted_positives: int, parameter: str = "predicted_positives"
    ) -> int:
        """Return a number of positive predictions, or raise if the test set is too small for it."""
        return _within(parameter, whole_number(parameter, predicted_positives), self.total)

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
        >>> BaseRate(positives=139, total=303).described
        '303 observations, 139 positive (45.9%)'
        >>> BaseRate({"a": 70, "b": 20, "c": 10}).described
        "100 observations, 3 classes: 70.0% 'a', 20.0% 'b' and 10.0% 'c'"
        """
        observations = f"{self.total:,} observation{'' if self.total == 1 else 's'}"
        if self.has_positive:
            is_plain = self.rate >= 0.001 or not self.positives
            share = f"{self.rate:.1%}" if is_plain else f"{self.rate:.1e}"
            return f"{observations}, {self.positives:,} positive ({share})"
        return f"{observations}, {self.classes}"

    @property
    def classes(self) -> str:
        """How many classes there are, and the shares of the most frequent ones, in words."""
        by_size = sorted(self.by_class.items(), key=lambda each: -each[1])
        classes = "class" if len(by_size) == 1 else "classes"
        shares = [
            f"{count / self.total:.1%} {class_name(label)}"
            for label, count in by_size[:_MOST_DESCRIBED]
        ]
        left = len(by_size) - _MOST_DESCRIBED
        names = in_words([*shares, *([f"{left:,} more"] if left > 0 else [])])
        return f"{len(by_size):,} {classes}: {names}"

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""
        if self.has_positive:
            return {"positives": self.positives, "total": self.total}
        labels = list(map(plain_group, self.labels))
        return {"labels": labels, "counts": list(self.counts), "total": self.total}

    @property
    def task(self) -> str:
        """The name of the task."""
        return "binary" if self.has_positive else "multiclass"

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        if self.has_positive:
            return "positive", f"{self.positives:,} of {self.total:,}"
        return "observations", f"{self.total:,}"

    def __repr__(self) -> str:
        if self.has_positive:
            return f"BaseRate(positives={self.positives}, total={self.total})"
        return f"BaseRate({shown(dict(zip(self.labels, self.counts, strict=True)), most=200)})"


def _within(parameter: str, count: int, total: int) -> int:
    if 0 <= count <= total:
        return count
    raise InvalidCountError(
        f"must be between 0 and {total} (got {count}): they are some of the observations",
        parameter=parameter,
    )


def _require_positive(counted: BaseRate | ConfusionMatrix) -> None:
    if not counted.has_positive:
        raise InvalidLabelsError(
            f"must say which class is positive (got a {type(counted).__name__} of "
            f"{listed(counted.labels)}); count the labels with a pos_label",
            parameter="pos_label",
        )


def as_base_rate(
    test_set: BaseRate | ConfusionMatrix | Labels,
    pos_label: object = None,
    several: WhenSeveral = "never",
) -> BaseRate:
    """Return the base rate of any description of a test set with a positive class, or raise."""
    found = test_set.test_set if isinstance(test_set, ConfusionMatrix) else test_set
    if isinstance(found, BaseRate):
        _require_positive(found)
        return found
    if not _is_column(found):
        raise InvalidLabelsError(
            "a test set must be a BaseRate, a ConfusionMatrix or its true labels (got "
            f"{shown(test_set)}); it comes first, and a measure second, as in "
            "baseline(BaseRate(positives=139, total=303), 'F1')"
        )
    rate: BaseRate = counted(found, pos_label=pos_label, several=several)
    return rate


def _is_column(labels: Labels) -> bool:
    try:
        return not isinstance(labels, str | bytes) and np.ndim(labels) > 0
    except Exception:  # such as ragged lists, reported where labels are read
        return True


_CELLS = {"tp": (1, 1), "fp": (0, 1), "fn": (1, 0), "tn": (0, 0)}
_OF_TWO = Words(
    best="A Dutch Draw: a fraction θ of the rows, chosen at random, is predicted positive.",
    shared_p="the one-sided Fisher exact test, for all measures that rise with the true positives",
    remedy="the threshold or the class balance may not suit this measure",
)
_OF_SEVERAL = Words(
    best="Each class is predicted for a fixed number of rows, chosen at random.",
    shared_p="a permutation test of the right answers, for every measure that rises with them",
    remedy="the class balance may not suit this measure",
)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ConfusionMatrix(Observed):
    """The confusion matrix of a prediction.

    Matrices add up, so parts of a test set can be counted separately.

    Parameters
    ----------
    counts
        A row per true class, and a column per predicted class; together at most 10¹⁵.
    labels
        The classes, in the order of rows and columns; 0, 1, 2, … if left out. Weighted kappas
        take this as the order of the classes.
    tp, fp, fn, tn
        In place of the counts, if one of two classes is positive: the numbers of true positives,
        false positives, false negatives and true negatives.

    Examples
    --------
    >>> table = ConfusionMatrix(tp=12, fp=3, fn=2, tn=13)
    >>> table.positives, table.predicted_positives, table.total
    (14, 15, 30)
    >>> table + ConfusionMatrix(tp=1)
    ConfusionMatrix(tp=13, fp=3, fn=2, tn=13)
    >>> matrix = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]], labels=["a", "b", "c"])
    >>> matrix.correct, matrix.total
    (63, 100)
    >>> matrix.test_set
    BaseRate({'a': 70, 'b': 20, 'c': 10})
    """

    counts: Ints
    labels: tuple[Any, ...]
    has_positive: bool
    """Whether one of two classes, the second one, is positive."""

    if TYPE_CHECKING:  # of a matrix with a positive class
        tp: int
        fp: int
        fn: int
        tn: int

    def __init__(
        self,
        counts: Sequence[Sequence[int]] | NDArray[Any] | None = None,
        labels: Sequence[Any] | None = None,
        *,
        tp: int = 0,
        fp: int = 0,
        fn: int = 0,
        tn: int = 0,
    ) -> None:
        cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        if counts is None:
            for name, given in cells.items():
                cells[name] = whole_number(name, given)
                if cells[name] < 0:
                    raise InvalidCountError(
                        f"must be at least 0 (got {cells[name]}): it counts observations",
                        parameter=name,
                    )
            whole_number("the total", sum(cells.values()))
            vars(self).update(cells)
            table = np.array([[cells["tn"], cells["fp"]], [cells["fn"], cells["tp"]]])
        elif any(cells.values()):
            raise InvalidCountError("must be left out beside tp, fp, fn and tn", parameter="counts")
        else:
            table = _table(counts)
        names = tuple(range(len(table)) if labels is None else map(plain_label, labels))
        is_known = all(map(is_hashable, names))
        if not is_known or len(names) != len(table) or len(set(names)) != len(names):
            raise InvalidCountError(
                f"must be {len(table)} different classes, one per row (got {shown(names)})",
                parameter="labels",
            )
        table.flags.writeable = False
        vars(self).update(counts=table, labels=names, has_positive=counts is None)

    @classmethod
    def of(cls, y_true: Labels, y_pred: Labels, pos_label: object = None) -> ConfusionMatrix:
        """Count truth against prediction.

        Parameters
        ----------
        y_true, y_pred
            The true and the predicted labels, of any number of classes. The classes are sorted, as
            scikit-learn does.
        pos_label
            The positive class; all other classes are the rest. Of labels that are booleans, 0/1 or
            -1/1, it is 1.

        Examples
        --------
        >>> ConfusionMatrix.of([0, 0, 1, 1], [0, 1, 1, 1])
        ConfusionMatrix(tp=2, fp=1, fn=0, tn=1)
        >>> ConfusionMatrix.of(["a", "b", "b"], ["a", "b", "a"])
        ConfusionMatrix([[1, 0], [1, 1]], labels=('a', 'b'))
        """
        found: ConfusionMatrix = counted(y_true, y_pred, pos_label=pos_label, several="if unclear")
        return found

    @classmethod
    def of_positives(
        cls, y_true: Labels, y_pred: Labels, pos_label: object = None
    ) -> ConfusionMatrix:
        """Count labels with a positive class, or raise if it is not clear which one that is."""
        found: ConfusionMatrix = counted(y_true, y_pred, pos_label=pos_label)
        return found

    @classmethod
    def of_classes(cls, y_true: Labels, y_pred: Labels) -> ConfusionMatrix:
        """Count labels of classes none of which is positive."""
        found: ConfusionMatrix = counted(y_true, y_pred, several="always")
        return found

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str,
        prediction: str,
        *,
        by: str | None = None,
        pos_label: object = None,
        missing: Literal["error", "drop"] = "error",
    ) -> Any:
        """Count two columns of a data frame without collecting its rows.

        Parameters
        ----------
        frame
            A data frame of pandas, polars, pyarrow, DuckDB, Dask, Spark, Ibis or another library
            that narwhals supports, or a `scan` of files. A lazy frame stays lazy: one aggregation
            runs where the rows are, and only counts come back.
        truth, prediction
            The names of the columns of true and predicted labels.
        by
            The name of a column of groups.
        pos_label
            The positive class; all other classes are the rest.
        missing
            ``"drop"`` leaves out rows with a missing label, and a `MissingLabelsWarning` says how
            many; otherwise a missing label is an error.

        Returns
        -------
        ConfusionMatrix or dict of ConfusionMatrix
            The table; with `by`, the table of each group.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.LazyFrame({"y": [0, 0, 1, 1], "tree": [0, 1, 1, 1], "year": [1, 2, 1, 2]})
        >>> ConfusionMatrix.from_frame(frame, "y", "tree")
        ConfusionMatrix(tp=2, fp=1, fn=0, tn=1)
        >>> ConfusionMatrix.from_frame(frame, "y", "tree", by="year")[2]
        ConfusionMatrix(tp=1, fp=1, fn=0, tn=0)
        """
        from baserate.data.engines.labels import count_frame
        from baserate.data.rows import drops_missing
        from baserate.formatting import dropped_rows

        rows = Rows(by, pos_label, drops_missing(missing))
        if not isinstance(prediction, str):
            raise InvalidFrameError.not_a_name(prediction)
        key = (prediction,)
        columns, count = {prediction: prediction}, partial(count_labels, several="if unclear")
        counts = count_frame(frame, truth, columns, rows, keys=[key], count=count)
        if counts.dropped:
            warnings.warn(dropped_rows(counts.dropped), MissingLabelsWarning, stacklevel=2)
        found = counts.tables(of_labels)[key]
        whole = found.pop(None)
        return whole if by is None else found

    @classmethod
    def from_tp(
        cls,
        tp: int,
        base_rate: BaseRate | ConfusionMatrix | Labels,
        predicted_positives: int,
        *,
        pos_label: object = None,
    ) -> ConfusionMatrix:
        """Build a table from its true positives, by eqs. (B1) to (B4) of the paper.

        Parameters
        ----------
        tp
            The number of true positives.
        base_rate
            The test set: a `BaseRate`, a `ConfusionMatrix`, or the true labels.
        predicted_positives
            The number of observations predicted positive.
        pos_label
            The positive class, if the test set is given by its labels.

        Examples
        --------
        >>> ConfusionMatrix.from_tp(2, BaseRate(positives=3, total=10), predicted_positives=4)
        ConfusionMatrix(tp=2, fp=2, fn=1, tn=5)
        """
        tp, rate = whole_number("tp", tp), as_base_rate(base_rate, pos_label)
        predicted_positives = rate.require_predicted_positives(predicted_positives)
        positives, negatives = rate.positives, rate.negatives
        low, high = max(0, predicted_positives - negatives), min(positives, predicted_positives)
        if not low <= tp <= high:
            raise InvalidCountError(
                f"must be between {low} and {high} (got {tp}): tp + fn must be the {positives} "
                f"positives, and tp + fp the {predicted_positives} predicted positives, of "
                f"{rate.total} observations",
                parameter="tp",
            )
        return cls(**four_counts(tp, positives, negatives, predicted_positives)._asdict())

    def __getattr__(self, name: str) -> Any:
        if name in _CELLS and "counts" in vars(self):
            _require_positive(self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def positives(self) -> int:
        """The number of positive observations, the paper's P."""
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        """The number of negative observations, the paper's N."""
        return self.tn + self.fp

    @property
    def predicted_positives(self) -> int:
        """The number of observations predicted positive, the paper's P̂."""
        return self.tp + self.fp

    @property
    def predicted_negatives(self) -> int:
        """The number of observations predicted negative, the paper's N̂."""
        return self.tn + self.fn

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
        """The number of observations, the paper's M."""
        return int(self.counts.sum())

    @property
    def correct(self) -> int:
        """The number of observations whose class was predicted."""
        return int(np.trace(self.counts))

    @cached_property
    def test_set(self) -> BaseRate:
        """How often each class occurs; those that never do are left out, unless one is positive."""
        if self.has_positive:
            return BaseRate(positives=self.positives, total=self.total)
        counts = dict(zip(self.labels, self.true_counts.tolist(), strict=True))
        return BaseRate(counts).occurring

    @property
    def task(self) -> str:
        """The name of the task."""
        return "binary" if self.has_positive else "multiclass"

    @property
    def words(self) -> Words:
        """How the task speaks of guesses and of chance."""
        return _OF_TWO if self.has_positive else _OF_SEVERAL

    @property
    def without_positive(self) -> ConfusionMatrix:
        """The same of classes none of which is positive."""
        return ConfusionMatrix(self.counts, self.labels) if self.has_positive else self

    @property
    def one_class(self) -> str:
        """What a model is called that predicts one class only; empty if it predicts several."""
        predicted = np.flatnonzero(self.predicted_counts)
        if predicted.size != 1:
            return "predicts no positives" if self.has_positive and not predicted.size else ""
        if self.has_positive:
            return f"predicts no {'negatives' if predicted[0] else 'positives'}"
        return f"predicts only {class_name(self.labels[predicted[0]])}"

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
        if not unseen or self.has_positive:
            return ""
        verb = "occurs" if len(unseen) == 1 else "occur"
        return (
            f"predicts {listed(unseen)}, which never {verb} in the truth: macro averages are over "
            f"{listed(union)}, and balanced accuracy is over {listed(seen)}"
        )

    @property
    def grid(self) -> Grid | None:
        """The counts with the classes as texts, if there are more than four of them."""
        if self.has_positive:
            return None
        return Grid(tuple(map(text_of, self.labels)), self.counts.tolist())

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, with classes numbered in their order."""
        truth, predicted = np.nonzero(self.counts)
        counts = self.counts[truth, predicted]
        return Cells(truth.tolist(), predicted.tolist(), counts.tolist())

    @property
    def facts(self) -> dict[str, Any]:
        """The counts, and the classes if none is positive, as JSON can hold them."""
        if self.has_positive:
            return dict(self.flat)
        return {"labels": list(map(plain_group, self.labels)), "counts": self.counts.tolist()}

    @property
    def flat(self) -> dict[str, int]:
        """The four counts; or how many observations, classes and right predictions there are."""
        if self.has_positive:
            return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}
        classes = len(self.test_set.labels)
        return {"observations": self.total, "classes": classes, "correct": self.correct}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> ConfusionMatrix:
        """Return the matrix of a JSON record."""
        if "tp" in facts:
            return cls(**{name: facts[name] for name in _CELLS})
        return cls(facts["counts"], facts["labels"])

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if self.has_positive and other.has_positive:
            sums: Any = {name: self.flat[name] + other.flat[name] for name in _CELLS}
            return ConfusionMatrix(**sums)
        labels = self.labels
        if labels != other.labels:  # a batch may lack a class, or have one more
            labels = tuple(ordered((*labels, *other.labels)))
        return ConfusionMatrix(among(self, labels).counts + among(other, labels).counts, labels)

    def __radd__(self, other: object) -> ConfusionMatrix:
        """Let `sum` start with 0."""
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        if self.has_positive:
            return "ConfusionMatrix(tp={tp}, fp={fp}, fn={fn}, tn={tn})".format(**self.flat)
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
    is_count: Any = plain.dtype.kind != "O" or all(map(is_number, plain.flat))
    if is_count:
        with np.errstate(invalid="ignore"):
            is_count = (plain >= 0) & (plain <= MOST_OBSERVATIONS) & (plain % 1 == 0)
    if not np.all(is_count) or plain.sum(dtype=float) > MOST_OBSERVATIONS:
        raise InvalidCountError(
            f"must be whole numbers of observations, together at most {MOST_OBSERVATIONS:,} "
            f"(got {shown(counts)})",
            parameter="counts",
        )
    return np.array(plain, dtype=np.int64)


class Answers(NamedTuple):
    """On one class, how often both models say positive, only one of them does, and neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def discordant(self) -> int:
        """How often the models differ."""
        return self.first + self.second


COUNTS = tuple(f"{truth}_{who}" for truth in ("positives", "negatives") for who in Answers._fields)
"""The names of the eight counts."""


@dataclass(frozen=True)
class JointTable(Joint):
    """Eight counts: the answers of two models on the positives, and on the negatives."""

    positives: Answers
    negatives: Answers

    @property
    def first(self) -> ConfusionMatrix:
        """The table of the first model."""
        return self._table(*(each.both + each.first for each in (self.positives, self.negatives)))

    @property
    def second(self) -> ConfusionMatrix:
        """The table of the second model."""
        return self._table(*(each.both + each.second for each in (self.positives, self.negatives)))

    def _table(self, tp: int, fp: int) -> ConfusionMatrix:
        positives, negatives = sum(self.positives), sum(self.negatives)
        return ConfusionMatrix(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)

    def swapped(self) -> JointTable:
        """Return the same with the second model first."""
        each = (self.positives, self.negatives)
        return JointTable(*(Answers(both, b, a, neither) for both, a, b, neither in each))

    @property
    def disagreements(self) -> int:
        """The number of rows on which the models differ."""
        return self.positives.discordant + self.negatives.discordant

    @property
    def facts(self) -> dict[str, Any]:
        """The eight counts."""
        return dict(self.flat)

    @property
    def flat(self) -> dict[str, int]:
        """The eight counts: of both models, of only one of them and of neither, in each class."""
        return dict(zip(COUNTS, (*self.positives, *self.negatives), strict=True))

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointTable:
        """Return the counts of a JSON record."""
        counts = [count(facts[name]) for name in COUNTS]
        return cls(Answers(*counts[:4]), Answers(*counts[4:]))


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
        found: ConfusionMatrix = of_labels(self.labels, self.truth, answers, self.counts)
        return found


COLUMNS = ("truth", "first_answers", "second_answers", "counts")
"""The names of the four columns of the cells."""


M = TypeVar("M", ConfusionMatrix, JointMatrix)


def among(matrix: M, labels: Sequence[Any]) -> M:
    """Return a matrix of some classes, in their order, of which it may lack some."""
    places = np.array([labels.index(label) for label in matrix.labels], dtype=np.int64)
    if isinstance(matrix, JointMatrix):
        columns = matrix.truth, matrix.first_answers, matrix.second_answers
        truth, first, second = (places[each] for each in columns)
        return JointMatrix(labels, truth, first, second, matrix.counts)
    counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
    counts[np.ix_(places, places)] = matrix.counts
    return ConfusionMatrix(counts, labels)


def _merged(places: Sequence[Ints], counts: Ints, classes: int) -> list[Ints]:
    """Return the cells that have observations, sorted and each once."""
    each, inverse = np.unique(np.ravel_multi_index(places, (classes,) * 3), return_inverse=True)
    sums = np.zeros(each.size, dtype=np.int64)
    np.add.at(sums, inverse, counts)
    return [*np.unravel_index(each[sums > 0], (classes,) * 3), sums[sums > 0]]


def of_labels(labels: Sequence[Any] | None, truth: Ints, *others: Ints) -> Any:
    """Return the counts of no, one or two models: the places of labels, and how often.

    Without labels, places say whether a row is positive.
    """
    *predicted, counts = others
    size = 2 if labels is None else len(labels)
    if labels is not None and len(predicted) == 2:
        return JointMatrix(labels, truth, predicted[0], predicted[1], counts)
    cells = truth
    for each in predicted:
        cells = size * cells + each
    sums = count_places(cells, counts, size ** (1 + len(predicted)))
    if not predicted:
        numbers = sums.tolist()
        if labels is None:
            return BaseRate(positives=numbers[1], total=sum(numbers))
        return BaseRate(dict(zip(labels, numbers, strict=True)))
    if labels is not None:
        return ConfusionMatrix(sums.reshape(size, size), labels)
    numbers = sums.tolist()
    if len(predicted) == 1:
        return ConfusionMatrix(**dict(zip(("tn", "fp", "fn", "tp"), numbers, strict=True)))
    return JointTable(Answers(*numbers[:3:-1]), Answers(*numbers[3::-1]))


def counted(
    y_true: Labels,
    *y_pred: Labels,
    pos_label: object = None,
    several: WhenSeveral = "never",
) -> Any:
    """Count the labels of a test set, or of a model beside it."""
    names = ("y_pred",) * len(y_pred)
    models, rows = dict(zip(names, y_pred, strict=True)), Rows(pos_label=pos_label)
    named = Shown("y_true", {name: name for name in names})
    found = count_labels(y_true, models, rows, [names], several=several, shown=named)
    return found.tables(of_labels)[names][None]
