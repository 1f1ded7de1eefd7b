"""The expected score of a deck: by a formula, or by a sum over tables."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.multiclass.measures.forms import OfDiagonal, OfTable, OfTrace
from baserate.multiclass.measures.place import Place
from baserate.multiclass.optimum.gauss import gauss_rule
from baserate.multiclass.optimum.tables_of_a_deck import CAREFUL, has_few_tables, mean_over_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.forms import OfCells
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.optimum.tables_of_a_deck import Effort

    Floats = NDArray[np.float64]

# Newton's series of a score of the trace ends after so many terms. Those of the micro Jaccard
# index are positive, and each is less than half of the one before.
_TERMS = 60


def expected_score(
    measure: ClassMeasure, n: Sequence[int], m: Sequence[int], *, effort: Effort = CAREFUL
) -> float:
    """Return the expected score of a deck that is dealt at random; nan if it has none.

    Parameters
    ----------
    measure
        The measure.
    n, m
        How often each class occurs, and how often the deck has it.
    effort
        How much work it may be, if the measure has no formula.

    Examples
    --------
    >>> from baserate.multiclass.measures.catalogue import get_class_measure
    >>> expected_score(get_class_measure("macro F1"), (70, 20, 10), (70, 20, 10))
    0.3333333333333333
    >>> expected_score(get_class_measure("micro Jaccard"), (2, 2), (2, 2))
    0.3888888888888889
    """
    truth, deck = tuple(map(int, n)), tuple(map(int, m))
    pairs = zip(truth, deck, strict=True)
    if measure.maximum is Place.EVERYWHERE and all(a or not b for a, b in pairs):
        # All decks expect the same, and the one that is always right or wrong has least rounding.
        largest = truth.index(max(truth))
        deck = tuple(sum(truth) if k == largest else 0 for k in range(len(truth)))
    with np.errstate(all="ignore"):
        if isinstance(measure.form, OfTable):
            return mean_over_tables(measure, truth, deck, effort)
        value = _by_formula(measure.form, truth, deck)
    # A score that may be negative is a difference: what rounding leaves of it is zero.
    return 0.0 if measure.codomain.lower < 0 and abs(value) <= COMPUTATION else value


def is_exact(measure: ClassMeasure, n: Sequence[int], m: Sequence[int]) -> bool:
    """Return whether an expected score is exact up to rounding, and no approximation."""
    return not isinstance(measure.form, OfTable) or has_few_tables(n, m)


def _by_formula(
    form: OfTrace | OfDiagonal | OfCells, n: tuple[int, ...], m: tuple[int, ...]
) -> float:
    if isinstance(form, OfTrace):
        return _of_trace(form, n, m)
    return _of_diagonal(form, n, m) if isinstance(form, OfDiagonal) else _of_cells(form, n, m)


def _floats(counts: Sequence[int]) -> Floats:
    return np.array(counts, dtype=float)


def _of_trace(form: OfTrace, n: tuple[int, ...], m: tuple[int, ...]) -> float:
    if not form.affine:
        return _newton_series(form, n, m)
    # Products of whole numbers: nothing is rounded before the division.
    right = sum(a * b for a, b in zip(n, m, strict=True)) / sum(n)
    return float(form.score(np.float64(right), _floats(n), _floats(m)))


def _of_cells(form: OfCells, n: tuple[int, ...], m: tuple[int, ...]) -> float:
    truth, deck = _floats(n), _floats(m)
    weights, added = form.weights(truth, deck)
    return float((weights * np.outer(truth, deck / truth.sum())).sum() + added)


def _of_diagonal(form: OfDiagonal, n: tuple[int, ...], m: tuple[int, ...]) -> float:
    truth, deck, total = _floats(n), _floats(m), sum(n)
    expected = np.array([a * b / total for a, b in zip(n, m, strict=True)])
    if form.linear:
        return math.fsum(form.term(expected, truth, deck))
    # E f(C) = f(0) + E C · E [(f(1 + h) - f(0)) / (1 + h)], where h are the right answers beside
    # one that is known: a rare answer does not drown in the rounding of a weight near 1.
    known = np.flatnonzero((truth > 0) & (deck > 0))
    hits, weights = gauss_rule(truth[known] - 1, deck[known] - 1, total - 1)
    right = np.ones((hits.shape[-1], truth.size))
    right[:, known] += hits.T
    none = form.term(np.zeros_like(truth), truth, deck)
    more = ((form.term(right, truth, deck) - none) / right)[:, known]
    return math.fsum((*none, *(expected[known] * (weights.T * more).sum(axis=0))))


def _newton_series(form: OfTrace, n: tuple[int, ...], m: tuple[int, ...]) -> float:
    """Return Σ_j Δʲf(0) E C(T, j) for a score f of the trace T."""
    total = sum(n)
    last = min(_TERMS, total)
    at = np.array([Fraction(j) for j in range(last + 1)], dtype=object)
    # Python's whole numbers do not overflow.
    whole = partial(np.array, dtype=object)
    values = list(form.score(at, whole(n), whole(m)))
    moments = _scaled_moments(n, m, last)
    terms = [float(values[0])]
    scale = Fraction(1)
    for j in range(1, last + 1):
        values = [after - before for before, after in pairwise(values)]
        scale *= Fraction(total * total, total - j + 1)
        terms.append(float(values[0] * scale) * moments[j])
    return math.fsum(terms)


def _scaled_moments(n: tuple[int, ...], m: tuple[int, ...], last: int) -> list[float]:
    """Return E C(T, j) · (M)_j / M²ʲ for j = 0, 1, …, where T is the trace.

    With falling factorials (n)_i, it is [yʲ] Π_k Σ_i (n_k)_i (m_k)_i / M²ⁱ yⁱ / i! (Greville
    1941), a sum of positive terms.
    """
    total = float(sum(n))
    product = np.zeros(last + 1)
    product[0] = 1
    i = np.arange(float(last))  # floats: products of counts overflow
    for a, b in zip(n, m, strict=True):
        if a and b:
            steps = np.maximum(a - i, 0) * np.maximum(b - i, 0) / (total * total * (i + 1))
            factor = np.append(1, np.cumprod(steps))
            product = np.convolve(product, factor)[: last + 1]
    return [float(each) for each in product]
