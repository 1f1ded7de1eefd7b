"""Many tables at once, by what nearly all measures need of them: right answers and margins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidMeasureError
from baserate.multiclass.measures.forms import OfDiagonal, OfProduct, OfTrace
from baserate.multiclass.measures.function import TableFunction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables of K classes, with parts of counts.

    Parameters
    ----------
    right, n, m
        The right answers of each class, how often it occurs and how often it is predicted, of
        shape (…, K).
    cells
        The tables themselves, of shape (…, K, K), if a measure needs them.
    """

    right: Floats
    n: Floats
    m: Floats
    cells: Floats | None = None

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
    assert tables.cells is not None  # noqa: S101
    try:
        return measure.scores(tables.cells)
    except InvalidMeasureError:  # a user's function may take whole counts only
        return measure.scores(np.rint(tables.cells))
