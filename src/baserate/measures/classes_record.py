"""What is declared of a measure of several classes."""

from __future__ import annotations

import enum
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from baserate.core.measure import UNIT, Codomain, Direction, Formula, Measure, called
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown
from baserate.observed.labels import ConfusionMatrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Array: TypeAlias = Any
"""An array of floats, or of fractions in the tests."""
Score: TypeAlias = "Callable[[Array, Array, Array], Array]"
"""A function of right answers, n and m: how often classes occur, and how often they are predicted.

The last axis has the classes; of `OfTrace`, right answers are those of all classes together.
"""


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


class Tables(NamedTuple):
    """Tables of K classes: right answers and margins of shape (…, K), and cells if needed."""

    right: Array
    n: Array
    m: Array
    cells: Array = None
    # How many answers are off by 0, 1, … K - 1 classes, in place of the cells.
    off: Array = None

    @classmethod
    def of(cls, cells: Array) -> Tables:
        """Return tables from all their cells, of shape (…, K, K), a row per true class."""
        right = np.diagonal(cells, axis1=-2, axis2=-1)
        return cls(right, cells.sum(axis=-1), cells.sum(axis=-2), cells)


class Form(ABC):
    """How a score depends on a table whose margins are given."""

    needs_cells: ClassVar[bool] = False
    """Whether right answers and margins do not suffice."""

    @abstractmethod
    def scores(self, tables: Tables) -> Array:
        """Return the scores of tables."""

    def __call__(self, cells: Array) -> Array:
        """Return the scores of tables from all their cells."""
        return self.scores(Tables.of(cells))


@dataclass(frozen=True)
class OfTrace(Form):
    """A function of the number of right answers that never falls, or never rises, with it.

    Measures of this form share one p-value.
    """

    score: Score
    # Whether it is a straight line: then its expectation is that of the expected answers.
    affine: bool = True
    # Whether the margins matter by their total only.
    of_accuracy: bool = False

    def scores(self, tables: Tables) -> Array:
        """Return the scores of tables."""
        return self.score(tables.right.sum(axis=-1), tables.n, tables.m)


@dataclass(frozen=True)
class OfDiagonal(Form):
    """A sum over the classes of a function of the right answers of each."""

    term: Score
    # Whether each term is a line in the right answers of its class.
    linear: bool = True
    # Whether how often each class is predicted does not matter.
    of_recalls: bool = False
    # For `Place.SUM`: what one more prediction of a class adds to the expectation, up to a factor
    # that all classes share. It is a function of h, n and m, averaged over h: how many of n - 1
    # observations are hit by m predictions, anywhere among all M - 1. If the terms are linear, h
    # does not matter, and fractions n and m give a fraction.
    gain: Score | None = None

    def scores(self, tables: Tables) -> Array:
        """Return the scores of tables."""
        return self.term(tables.right, tables.n, tables.m).sum(axis=-1)


@dataclass(frozen=True)
class OfDistance(Form):
    """One minus how far off answers are, to a power, over what is expected of shuffled ones."""

    power: int
    needs_cells: ClassVar[bool] = True

    def scores(self, tables: Tables) -> Array:
        """Return the scores of tables."""
        if tables.off is not None:
            observed = tables.off @ np.arange(np.shape(tables.n)[-1]) ** self.power
        else:
            observed = (tables.cells * self._apart(tables.n)).sum(axis=(-2, -1))
        return 1 - observed / self._expected(tables.n, tables.m)

    def weights(self, n: Array, m: Array) -> tuple[Any, float]:
        """Return the weight of each cell, and what is added to the sum."""
        return -self._apart(n) / self._expected(n, m), 1.0

    def _apart(self, n: Array) -> Any:
        place = np.arange(np.shape(n)[-1])
        return np.abs(place[:, np.newaxis] - place) ** self.power

    def _expected(self, n: Array, m: Array) -> Array:
        """Return Σ |j - k|^power n_j m_k / M, without a term for each pair of classes."""
        if self.power == 1:
            below = n.cumsum(axis=-1), m.cumsum(axis=-1)
            above = [each[..., -1:] - each for each in below]
            return (below[0] * above[1] + above[0] * below[1]).sum(axis=-1) / n.sum(axis=-1)
        # From the most frequent class on, so that nothing cancels where one class is all.
        place = np.arange(np.shape(n)[-1]) - n.argmax(axis=-1)[..., np.newaxis]
        of_both = [[(each * place**p).sum(axis=-1) for p in range(3)] for each in (n, m)]
        (total, first, square), (_, other_first, other_square) = of_both
        return square + other_square - 2 * first * other_first / total


@dataclass(frozen=True)
class OfTable(Form):
    """Any other function of the table; its distribution is enumerated or simulated."""

    function: Callable[..., Array]
    needs_cells: ClassVar[bool] = True

    def scores(self, tables: Tables) -> Array:
        """Return the scores of tables."""
        try:
            return self.function(tables.cells)
        except InvalidMeasureError:
            whole = np.rint(tables.cells)
            if (whole == tables.cells).all():
                raise
            return self.function(whole)  # which may take whole counts only


@dataclass(frozen=True)
class OfProduct(OfTable):
    """A product over the classes of a function of the right answers of each."""

    needs_cells: ClassVar[bool] = False

    def scores(self, tables: Tables) -> Array:
        """Return the scores of tables."""
        return self.function(tables.right, tables.n, tables.m).prod(axis=-1)


def _given(_: object) -> str:
    return "a table, a row per true class"


@dataclass(frozen=True)
class TableFunction:
    """A user's function of one table, called table by table."""

    key: str
    function: Callable[[Any], Any]

    def __call__(self, tables: NDArray[Any]) -> NDArray[np.float64]:
        """Return the score of each table; infinite ones count as undefined."""
        flat = tables.reshape(-1, *tables.shape[-2:])
        scores = np.array([called(self.key, self.function, each, given=_given) for each in flat])
        scores[~np.isfinite(scores)] = np.nan
        return scores.reshape(tables.shape[:-2])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClassMeasure(Measure[ConfusionMatrix]):
    """One measure of several classes and all its facts.

    Get a built-in one with `get_measure`, and make your own with `ClassMeasure.custom`.
    """

    takes = (ConfusionMatrix,)
    counted_by = "ConfusionMatrix.of(y_true, y_pred)"

    direction: Direction = Direction.MAXIMIZE
    codomain: Codomain = UNIT
    latex: str
    form: Form
    # What 0/0 is, in a sentence; empty if there is none.
    zero_division: str = ""
    # Which mixes have the largest and the smallest expected score.
    maximum: Place = Place.SEARCH
    minimum: Place = Place.SEARCH
    # Whether the order of the classes matters.
    ordered: bool = False
    # Whether there may be no score, even where the classes of the truth are several.
    may_be_undefined: bool = False

    @property
    def definition(self) -> Formula:
        """The score of a table of shape (…, K, K), a row per true class."""
        return Formula(self.latex, self.form)

    @property
    def monotone(self) -> bool:
        """Whether, for given margins, the right answers decide: these measures share a p-value."""
        return isinstance(self.form, OfTrace)

    @property
    def is_custom(self) -> bool:
        """Whether it is anyone's own function."""
        return type(self.form) is OfTable

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
            return np.asarray(self.form(tables), dtype=float)

    def scored(self, tables: Tables) -> Floats:
        """Return scores of tables with parts of counts; nan where there is none."""
        with np.errstate(all="ignore"):
            scores = np.asarray(self.form.scores(tables), dtype=float)
        # An MCC of 1 may be 1 + 2e-16, which a limit must not show.
        within = np.clip(scores, self.codomain.lower, self.codomain.upper)
        return np.where(np.isfinite(scores), within, np.nan)

    def __reduce__(self) -> Any:
        """Pickle a built-in measure by its name, and a custom one by its function."""
        from baserate.measures.classes import get_class_measure

        if not self.is_custom:
            return partial(get_class_measure, self.key), ()
        function = self.form.function.function  # type: ignore[attr-defined]
        return partial(Measure.custom, self.key, function, **self.made_of), ()
