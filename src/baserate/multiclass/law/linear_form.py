"""Scores as weighted sums of the cells of a table with given margins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.measures.forms import OfCells, OfDiagonal, OfTrace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure

    Floats = NDArray[np.float64]


def floats(n: Sequence[int], m: Sequence[int]) -> tuple[Floats, Floats]:
    """Return both margins as arrays of floats, whose products cannot overflow."""
    return np.array(n, dtype=float), np.array(m, dtype=float)


def linear_form(
    measure: ClassMeasure, n: Sequence[int], m: Sequence[int]
) -> tuple[Floats, float] | None:
    """Return weights of the cells and a constant whose sum is the score; None if there are none."""
    rows, columns = floats(n, m)
    form = measure.form
    if isinstance(form, OfCells):
        return form.weights(rows, columns)
    if isinstance(form, OfTrace) and form.affine:
        none, one = (form.score(np.float64(right), rows, columns) for right in (0, sum(n)))
        return np.eye(len(n)) * float(one - none) / sum(n), float(none)
    if isinstance(form, OfDiagonal) and form.linear:
        weights, added = linear_of_diagonal(form, n, m)
        return np.diag(weights), added
    return None


def linear_of_diagonal(
    form: OfDiagonal, n: Sequence[int], m: Sequence[int]
) -> tuple[Floats, float]:
    """Return the weight of a right answer of each class, and what is added to their sum."""
    rows, columns = floats(n, m)
    added = form.term(np.zeros_like(rows), rows, columns)
    # At the largest counts, where a difference has most digits.
    most = np.maximum(np.minimum(rows, columns), 1)
    weights = (form.term(most, rows, columns) - added) / most
    return np.asarray(weights, dtype=float), float(added.sum())
