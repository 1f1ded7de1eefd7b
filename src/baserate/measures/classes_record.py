"""What is declared of a measure of several classes."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.arguments import as_float, is_number
from baserate.core.measure import Formula, Measure
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shortened, shown
from baserate.observed.classes import ConfusionMatrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Place(enum.Enum):
    """Which mixes have an extreme expected score. A mix is how often each class is predicted."""

    LARGEST_CLASS = "only the most frequent class is predicted, or several if they tie"
    LARGEST_CLASS_EVENLY = "only the most frequent class, or several that tie, evenly"
    SMALLEST_CLASS = "only the rarest class is predicted, or several if they tie"
    ONE_CLASS = "only one class is predicted"
    EVERYWHERE = "every mix"
    LIKE_TRUTH = "each class is predicted as often as it occurs"
    EVERY_CLASS = "each class is predicted at least once"
    A_CLASS_LEFT_OUT = "at least one class is never predicted"
    SUM = "searched: the expectation is a sum over the classes of concave functions"
    SEARCH = "searched"


Array: TypeAlias = Any
"""An array of floats, or of fractions in the tests."""


@dataclass(frozen=True)
class OfTrace:
    """A function of the number of right answers that never falls, or never rises, with it.

    Measures of this form share one p-value.
    """

    score: Callable[[Array, Array, Array], Array]
    affine: bool = True
    of_accuracy: bool = False


@dataclass(frozen=True)
class OfDiagonal:
    """A sum over the classes of a function of the right answers of each."""

    term: Callable[[Array, Array, Array], Array]
    linear: bool = True
    of_recalls: bool = False
    gain: Callable[[Array, Array, Array], Array] | None = None


@dataclass(frozen=True)
class OfDistance:
    """A weighted sum of all cells, by how far off the answer is in the order of classes."""

    weights: Callable[[Array, Array], tuple[Floats, float]]
    score: Callable[[Array, Array, Array], Array]


@dataclass(frozen=True)
class OfTable:
    """Any other function of the table; its distribution is enumerated or simulated."""


@dataclass(frozen=True)
class OfProduct(OfTable):
    """A product over the classes of a function of the right answers of each."""

    factor: Callable[[Array, Array, Array], Array]


Form: TypeAlias = OfTrace | OfDiagonal | OfDistance | OfTable


@dataclass(frozen=True)
class TableFunction:
    """A function of one table, called table by table."""

    key: str
    function: Callable[[Any], Any]

    def __call__(self, tables: NDArray[Any]) -> NDArray[np.float64]:
        """Return the score of each table; infinite ones count as undefined."""
        flat = tables.reshape(-1, *tables.shape[-2:])
        scores = np.array([self._score(table) for table in flat], dtype=float)
        scores[~np.isfinite(scores)] = np.nan
        return scores.reshape(tables.shape[:-2])

    def _score(self, table: NDArray[Any]) -> float:
        try:
            score = self.function(table)
        except ZeroDivisionError:
            return np.nan
        except Exception as error:
            raise InvalidMeasureError(
                f"the function of {shown(self.key)} failed ({type(error).__name__}: "
                f"{shortened(error)}); it is given a table, a row per true class"
            ) from error
        if not is_number(score):
            raise InvalidMeasureError(
                f"the function of {shown(self.key)} must return a number (got {shown(score)})"
            )
        return as_float(score)


def diagonal(tables: Array) -> Array:
    """Return the right answers of each class, of tables of shape (…, K, K)."""
    return np.diagonal(tables, axis1=-2, axis2=-1)


def of_trace(score: Callable[[Array, Array, Array], Array]) -> Callable[[Array], Array]:
    """Return a function of tables from one of all right answers, n and m."""
    return lambda tables: score(
        diagonal(tables).sum(axis=-1), tables.sum(axis=-1), tables.sum(axis=-2)
    )


def of_diagonal(terms: Callable[[Array, Array, Array], Array]) -> Callable[[Array], Array]:
    """Return a function of tables from what each class adds to a sum."""
    return lambda tables: terms(diagonal(tables), tables.sum(axis=-1), tables.sum(axis=-2)).sum(
        axis=-1
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClassMeasure(Measure[ConfusionMatrix]):
    """One measure of several classes and all its facts.

    Get a built-in one with `get_measure`, and make your own with `ClassMeasure.custom`.
    """

    takes = (ConfusionMatrix,)
    counted_by = "ConfusionMatrix.of(y_true, y_pred)"

    definition: Formula
    zero_division: str = ""
    form: Form
    maximum: Place = Place.SEARCH
    minimum: Place = Place.SEARCH
    ordered: bool = False
    may_be_undefined: bool = False

    @property
    def monotone(self) -> bool:
        """Whether, for given margins, the right answers decide: these measures share a p-value."""
        return isinstance(self.form, OfTrace)

    @property
    def is_custom(self) -> bool:
        """Whether it is anyone's own function."""
        return isinstance(self.definition.function, TableFunction)

    def score_or_reason(self, observed: ConfusionMatrix) -> tuple[float, str]:
        """Return the score of a table, or nan and the reason it has none."""
        score = float(self.scores(observed.counts.astype(float)))
        if math.isfinite(score):
            return score, ""
        if np.count_nonzero(observed.true_counts) == 1:
            return math.nan, f"only the class {shown(observed.test_set.labels[0])} occurs"
        return math.nan, "it is 0/0 for this table"

    def scores(self, tables: NDArray[Any]) -> NDArray[np.float64]:
        """Score many tables, of shape (…, K, K); an undefined score is nan."""
        with np.errstate(all="ignore"):
            return np.asarray(self.definition(tables), dtype=float)

    def __reduce__(self) -> Any:
        """Pickle a built-in measure by its name, and a custom one by its function."""
        from baserate.measures.classes import get_class_measure

        if not isinstance(self.definition.function, TableFunction):
            return partial(get_class_measure, self.key), ()
        facts = self.made_of
        return partial(Measure.custom, self.key, self.definition.function.function, **facts), ()


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables of K classes, with parts of counts."""

    right: Floats
    n: Floats
    m: Floats
    cells: Floats | None = None
    off: Floats | None = None

    @classmethod
    def of(cls, cells: NDArray[Any]) -> Tables:
        """Return tables from all their cells."""
        cells = np.asarray(cells, dtype=float)
        right = np.diagonal(cells, axis1=-2, axis2=-1)
        return cls(right, cells.sum(axis=-1), cells.sum(axis=-2), cells)


def needs_cells(measure: ClassMeasure) -> bool:
    """Return whether a measure needs more of a table than its right answers and margins."""
    return not isinstance(measure.form, OfTrace | OfDiagonal | OfProduct)


def scores_one_by_one(measure: ClassMeasure) -> bool:
    """Return whether a measure is a function of one table, and takes its time."""
    return isinstance(measure.definition.function, TableFunction)


def scored(measure: ClassMeasure, tables: Tables) -> Floats:
    """Return scores of tables with parts of counts; nan where there is none."""
    scores = _scores(measure, tables)
    # An MCC of 1 may be 1 + 2e-16, and a limit is no place for it.
    within = np.clip(scores, measure.codomain.lower, measure.codomain.upper)
    return np.where(np.isfinite(scores), within, np.nan)


def _scores(measure: ClassMeasure, tables: Tables) -> Floats:
    form, right, n, m = measure.form, tables.right, tables.n, tables.m
    with np.errstate(all="ignore"):
        if isinstance(form, OfTrace):
            return np.asarray(form.score(right.sum(axis=-1), n, m), dtype=float)
        if isinstance(form, OfDiagonal):
            return np.asarray(form.term(right, n, m).sum(axis=-1), dtype=float)
        if isinstance(form, OfProduct):
            return np.asarray(form.factor(right, n, m).prod(axis=-1), dtype=float)
        if isinstance(form, OfDistance) and tables.off is not None:
            return np.asarray(form.score(tables.off, n, m), dtype=float)
    assert tables.cells is not None  # noqa: S101
    try:
        return measure.scores(tables.cells)
    except InvalidMeasureError:  # a user's function may take whole counts only
        return measure.scores(np.rint(tables.cells))
