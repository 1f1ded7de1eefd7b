"""Two classes: the base rate of a truth, the confusion table of a model, and that of two."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from baserate.arguments import whole_number
from baserate.core.observed import Cells, Joint, Observed, Rows, Words
from baserate.data.labels import count_labels, four_counts
from baserate.data.weights import count_places
from baserate.exceptions import (
    InvalidCountError,
    InvalidFrameError,
    InvalidLabelsError,
    MissingLabelsWarning,
)
from baserate.formatting import shown
from baserate.records import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Labels
    from baserate.data.rows import Group

    Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class BaseRate:
    """The size of a test set and its number of positives: all that a baseline needs.

    Parameters
    ----------
    positives
        The number of positive observations, the paper's P.
    total
        The number of observations, the paper's M; at most 10¹⁵.

    Examples
    --------
    >>> rate = BaseRate(positives=139, total=303)
    >>> rate.negatives, round(rate.rate, 3)
    (164, 0.459)
    """

    positives: int
    total: int

    def __post_init__(self) -> None:
        total = whole_number("total", self.total)
        positives = whole_number("positives", self.positives)
        if total < 1:
            raise InvalidCountError(
                f"must be at least 1 (got {total}): a test set has at least one observation",
                parameter="total",
            )
        if not 0 <= positives <= total:
            raise _outside("positives", positives, total)
        object.__setattr__(self, "total", total)
        object.__setattr__(self, "positives", positives)

    @classmethod
    def of(cls, y_true: Labels, pos_label: object = None) -> BaseRate:
        """Count the labels of a test set.

        Parameters
        ----------
        y_true
            The true labels: booleans, 0/1, -1/1, or any values with `pos_label`.
        pos_label
            The positive class; all other classes are the rest.

        Examples
        --------
        >>> BaseRate.of([0, 1, 1, 0, 0])
        BaseRate(positives=2, total=5)
        >>> BaseRate.of(["ill", "well", "well"], pos_label="ill")
        BaseRate(positives=1, total=3)
        """
        counts = count_labels({"y_true": y_true}, pos_label)
        return cls(positives=counts.first, total=counts.total)

    def require_predicted_positives(
        self, predicted_positives: int, parameter: str = "predicted_positives"
    ) -> int:
        """Return a number of positive predictions, or raise if the test set is too small for it."""
        count = whole_number(parameter, predicted_positives)
        if not 0 <= count <= self.total:
            raise _outside(parameter, count, self.total)
        return count

    @property
    def negatives(self) -> int:
        """The number of negative observations, the paper's N."""
        return self.total - self.positives

    @property
    def rate(self) -> float:
        """The fraction of positive observations, P / M."""
        return self.positives / self.total

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The numbers of positive and of negative observations."""
        return self.positives, self.negatives

    @property
    def described(self) -> str:
        """The test set in a few words.

        Examples
        --------
        >>> BaseRate(positives=139, total=303).described
        '303 observations, 139 positive (45.9%)'
        """
        is_plain = self.rate >= 0.001 or not self.positives
        share = f"{self.rate:.1%}" if is_plain else f"{self.rate:.1e}"
        observations = "observation" if self.total == 1 else "observations"
        return f"{self.total:,} {observations}, {self.positives:,} positive ({share})"

    @property
    def facts(self) -> dict[str, Any]:
        """The two counts, for JSON."""
        return {"positives": self.positives, "total": self.total}

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        return "positive", f"{self.positives:,} of {self.total:,}"


def _outside(parameter: str, count: int, total: int) -> InvalidCountError:
    return InvalidCountError(
        f"must be between 0 and {total} (got {count}): they are some of the observations",
        parameter=parameter,
    )


_WORDS = Words(
    best="A Dutch Draw: a fraction θ of the rows, chosen at random, is predicted positive.",
    shared_p="the one-sided Fisher exact test, for all measures that rise with the true positives",
    remedy="the threshold or the class balance may not suit this measure",
)


@dataclass(frozen=True, kw_only=True)
class Confusion(Observed):
    """The confusion table of a binary prediction.

    Tables add up, so parts of a test set can be counted separately; `Confusion()` is the zero.

    Parameters
    ----------
    tp, fp, fn, tn
        The numbers of true positives, false positives, false negatives and true negatives;
        together at most 10¹⁵.

    Examples
    --------
    >>> table = Confusion(tp=12, fp=3, fn=2, tn=13)
    >>> table.positives, table.predicted_positives, table.total
    (14, 15, 30)
    >>> table + Confusion(tp=1)
    Confusion(tp=13, fp=3, fn=2, tn=13)
    """

    task = "binary"
    words = _WORDS

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "fn", "tn"):
            count = whole_number(name, getattr(self, name))
            if count < 0:
                raise InvalidCountError(
                    f"must be at least 0 (got {count}): it counts observations", parameter=name
                )
            object.__setattr__(self, name, count)
        whole_number("the total", self.total)

    @property
    def one_class(self) -> str:
        """What a model is called that predicts one class only; empty if it predicts both."""
        if not self.predicted_positives:
            return "predicts no positives"
        return "" if self.predicted_positives < self.total else "predicts no negatives"

    @classmethod
    def of(cls, y_true: Labels, y_pred: Labels, pos_label: object = None) -> Confusion:
        """Count truth against prediction.

        Parameters
        ----------
        y_true, y_pred
            The true and the predicted labels: booleans, 0/1, -1/1, or any values with
            `pos_label`.
        pos_label
            The positive class; all other classes are the rest.

        Examples
        --------
        >>> Confusion.of([0, 0, 1, 1], [0, 1, 1, 1])
        Confusion(tp=2, fp=1, fn=0, tn=1)
        """
        counts = count_labels({"y_true": y_true, "y_pred": y_pred}, pos_label)
        return cls(**counts.cells._asdict())

    @overload
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str,
        prediction: str,
        *,
        by: None = None,
        pos_label: object = None,
        missing: Literal["error", "drop"] = "error",
    ) -> Confusion: ...
    @overload
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str,
        prediction: str,
        *,
        by: str,
        pos_label: object = None,
        missing: Literal["error", "drop"] = "error",
    ) -> dict[Group, Confusion]: ...
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
    ) -> Confusion | dict[Group, Confusion]:
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
        Confusion or dict of Confusion
            The table; with `by`, the table of each group.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.LazyFrame({"y": [0, 0, 1, 1], "tree": [0, 1, 1, 1], "year": [1, 2, 1, 2]})
        >>> Confusion.from_frame(frame, "y", "tree")
        Confusion(tp=2, fp=1, fn=0, tn=1)
        >>> Confusion.from_frame(frame, "y", "tree", by="year")[2]
        Confusion(tp=1, fp=1, fn=0, tn=0)
        """
        from baserate.data.engines.labels import count_frame
        from baserate.data.label_counts import count_two_classes
        from baserate.data.rows import drops_missing
        from baserate.formatting import dropped_rows

        rows = Rows(by, pos_label, drops_missing(missing))
        if not isinstance(prediction, str):
            raise InvalidFrameError.not_a_name(prediction)
        key = (prediction,)
        columns = {prediction: prediction}
        counted = count_frame(frame, truth, columns, rows, keys=[key], count=count_two_classes)
        if counted.dropped:
            warnings.warn(dropped_rows(counted.dropped), MissingLabelsWarning, stacklevel=2)
        found: dict[Group | None, Confusion] = counted.tables(of_cells)[key]
        if by is None:
            return found[None]
        return {group: table for group, table in found.items() if group is not None}

    @classmethod
    def from_tp(
        cls,
        tp: int,
        base_rate: BaseRate | Confusion | Labels,
        predicted_positives: int,
        *,
        pos_label: object = None,
    ) -> Confusion:
        """Build a table from its true positives, by eqs. (B1) to (B4) of the paper.

        Parameters
        ----------
        tp
            The number of true positives.
        base_rate
            The test set: a `BaseRate`, a `Confusion`, or the true labels.
        predicted_positives
            The number of observations predicted positive.
        pos_label
            The positive class, if the test set is given by its labels.

        Examples
        --------
        >>> Confusion.from_tp(2, BaseRate(positives=3, total=10), predicted_positives=4)
        Confusion(tp=2, fp=2, fn=1, tn=5)
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

    @property
    def total(self) -> int:
        """The number of observations, the paper's M."""
        return self.tp + self.fp + self.fn + self.tn

    @cached_property
    def base_rate(self) -> BaseRate:
        """The base rate of the test set behind the table."""
        return BaseRate(positives=self.positives, total=self.total)

    @property
    def test_set(self) -> BaseRate:
        """The same, by the word that every task has for it."""
        return self.base_rate

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, with labels 0 and 1."""
        cells = ((1, 1, self.tp), (0, 1, self.fp), (1, 0, self.fn), (0, 0, self.tn))
        return Cells(*zip(*(cell for cell in cells if cell[2]), strict=True))

    @property
    def facts(self) -> dict[str, Any]:
        """The four counts."""
        return dict(self.flat)

    @property
    def flat(self) -> dict[str, int]:
        """The four counts."""
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Confusion:
        """Return the table of a JSON record."""
        return cls(**{name: facts[name] for name in ("tp", "fp", "fn", "tn")})

    def __add__(self, other: Confusion) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        sums = (one + two for one, two in zip(self.flat.values(), other.flat.values(), strict=True))
        return Confusion(**dict(zip(self.flat, sums, strict=True)))

    def __radd__(self, other: object) -> Confusion:
        """Let `sum` start with 0."""
        return self if other == 0 else NotImplemented


def as_base_rate(test_set: BaseRate | Confusion | Labels, pos_label: object = None) -> BaseRate:
    """Return the base rate of any description of a test set."""
    if isinstance(test_set, BaseRate):
        return test_set
    if isinstance(test_set, Confusion):
        return test_set.base_rate
    if not _is_column(test_set):
        raise InvalidLabelsError(
            "a test set must be a BaseRate, a Confusion or its true labels (got "
            f"{shown(test_set)}); it comes first, and a measure second, as in "
            "baseline(BaseRate(positives=139, total=303), 'F1')"
        )
    return BaseRate.of(test_set, pos_label)


def _is_column(labels: Labels) -> bool:
    try:
        return not isinstance(labels, str | bytes) and np.ndim(labels) > 0
    except Exception:  # such as ragged lists, reported where labels are read
        return True


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
    def first(self) -> Confusion:
        """The table of the first model."""
        return self._table(*(each.both + each.first for each in (self.positives, self.negatives)))

    @property
    def second(self) -> Confusion:
        """The table of the second model."""
        return self._table(*(each.both + each.second for each in (self.positives, self.negatives)))

    def _table(self, tp: int, fp: int) -> Confusion:
        positives, negatives = sum(self.positives), sum(self.negatives)
        return Confusion(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)

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


def of_cells(_: Sequence[bool], truth: Ints, *others: Ints) -> Any:
    """Return the counts of no, one or two models: where they say positive, and how often."""
    *said, counts = others
    cells = truth
    for each in said:
        cells = 2 * cells + each
    sums = count_places(cells, counts, 2 ** (1 + len(said))).tolist()
    if not said:
        return BaseRate(positives=sums[1], total=sum(sums))
    if len(said) == 1:
        tn, fp, fn, tp = sums
        return Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
    return JointTable(Answers(*sums[:3:-1]), Answers(*sums[3::-1]))
