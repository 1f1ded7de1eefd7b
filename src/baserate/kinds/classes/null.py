"""Null distributions of several classes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.exceptions import UndefinedMeasureError
from baserate.measures.classes_record import OfDiagonal, OfDistance, OfTable, OfTrace
from baserate.null.matching import Matching
from baserate.null.saddlepoint import Link
from baserate.null.sums import of_sum, of_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.measures.classes_record import ClassMeasure
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]


def null_of(measure: ClassMeasure, n: Sequence[int], m: Sequence[int]) -> NullDistribution:
    """Return the distribution of a score when predictions are shuffled over the rows.

    Examples
    --------
    >>> from baserate.measures.classes import get_class_measure
    >>> null = null_of(get_class_measure("accuracy"), (70, 20, 10), (62, 28, 10))
    >>> round(null.mean(), 9), round(null.sf(0.63), 5), null.method
    (0.5, 0.00092, 'exact')
    """
    return _kept(measure, tuple(map(int, n)), tuple(map(int, m)))


@lru_cache(maxsize=64)
def _kept(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> NullDistribution:
    rows, columns = np.array(n), np.array(m)
    if measure.may_be_undefined and not isinstance(measure.form, OfTable):
        # These measures have a score for all tables with these margins, or for none.
        _defined(measure, np.outer(rows, columns / rows.sum())[np.newaxis])
    made = _random_sum(measure, rows.astype(float), columns.astype(float))
    if made is not None:
        return of_sum(*made)
    return of_tables(rows, columns, lambda tables: _defined(measure, tables), measure.magnitude(0))


def _defined(measure: ClassMeasure, tables: Floats) -> Floats:
    """Return the scores of tables, or raise if one of them has none."""
    scores = measure.scores(tables)
    if np.isfinite(scores).all():
        return scores
    raise UndefinedMeasureError(
        f"{measure.key} is undefined for some tables that these predictions can give"
    )


def _random_sum(measure: ClassMeasure, n: Floats, m: Floats) -> tuple[Matching, Link] | None:
    """Return the random sum that decides a score, and how it does; None if there is none."""
    form = measure.form
    if isinstance(form, OfTrace):
        return _right_answers(tuple(n.tolist()), tuple(m.tolist())), _link(form, n, m)
    linear = _linear_form(form, n, m)
    if linear is None:
        return None
    weights, added = linear
    return Matching(n, m, weights), Link.affine(1.0, added)


@lru_cache(maxsize=4)  # accuracy, kappa and MCC share it
def _right_answers(n: tuple[float, ...], m: tuple[float, ...]) -> Matching:
    return Matching(np.array(n), np.array(m), np.eye(len(n)))


def _link(form: OfTrace, n: Floats, m: Floats) -> Link:
    """Return how the number of right answers is read as a score."""
    if not form.affine:
        return Link(
            lambda sums: form.score(sums, n, m),
            lambda score: _right(form, n, m, score),
            _rises(form, n, m),
        )
    none, one = (float(form.score(np.float64(right), n, m)) for right in (0.0, n.sum()))
    return Link.affine((one - none) / n.sum(), none)


def _rises(form: OfTrace, n: Floats, m: Floats) -> bool:
    """Return whether more right answers are a higher score."""
    return bool(form.score(n.sum(), n, m) > form.score(np.float64(0), n, m))


def _right(form: OfTrace, n: Floats, m: Floats, score: float) -> float:
    """Return how many right answers have a score."""
    from scipy.optimize import brentq

    total = float(n.sum())
    ends = [float(form.score(np.float64(count), n, m)) - score for count in (0.0, total)]
    if ends[0] * ends[1] >= 0:
        return 0.0 if abs(ends[0]) < abs(ends[1]) else total
    return float(brentq(lambda count: form.score(count, n, m) - score, 0.0, total, xtol=1e-9))


def _linear_form(form: object, n: Floats, m: Floats) -> tuple[Floats, float] | None:
    """Return weights of the cells and a constant whose sum is the score; None if there are none."""
    if isinstance(form, OfDistance):
        return form.weights(n, m)
    if isinstance(form, OfDiagonal) and form.linear:
        added = form.term(np.zeros_like(n), n, m)
        # At the largest counts, where a difference has most digits.
        most = np.maximum(np.minimum(n, m), 1)
        weights = (form.term(most, n, m) - added) / most
        return np.diag(np.asarray(weights, dtype=float)), float(added.sum())
    return None
