"""Null distributions of class scores."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidScoresError, UndefinedMeasureError
from baserate.kinds.class_scores.areas import Areas, null_of_areas, ranks
from baserate.kinds.class_scores.measures import MeanOf, OfLabels
from baserate.kinds.class_scores.observed import joined, numbered
from baserate.kinds.classes.task import MULTICLASS
from baserate.measures.probabilities import in_bins
from baserate.measures.scoring_rules import smallest
from baserate.null.permutations import Permuted
from baserate.null.sums import linear, of_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.kinds.class_scores.measures import ClassScoreMeasure
    from baserate.kinds.class_scores.observed import ClassProbabilities
    from baserate.null.distribution import NullDistribution
    from baserate.observed.classes import ClassCounts

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]


# The most pairs of a class and an answer: with more, a saddlepoint takes seconds.
MAX_PAIRS = 2**17


@lru_cache(maxsize=64)
def null_of(measure: ClassScoreMeasure, observed: ClassProbabilities) -> NullDistribution:
    """Return the distribution of a score when the rows of a model are shuffled."""
    if isinstance(measure.form, OfLabels):
        return MULTICLASS.null_of(measure.form.measure, observed.matrix)
    return null_of_rows(measure, observed.test_set, observed.rows, observed.sizes)


def null_of_guess(
    measure: ClassScoreMeasure, test_set: ClassCounts, rows: Floats
) -> NullDistribution:
    """Return the distribution of a score of some rows in any order, or raise if there is none."""
    wanted = (test_set.total, len(test_set.labels))
    if rows.shape != wanted:
        raise InvalidScoresError(
            f"must have {wanted[0]:,} rows and {wanted[1]:,} columns, one for each observation "
            f"and for each class (got the shape {rows.shape})",
            parameter="y_pred",
        )
    reason = measure.missing(test_set)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    if isinstance(measure.form, OfLabels):
        answers = np.bincount(rows.argmax(axis=1), minlength=wanted[1])
        return MULTICLASS.null_of_guess(measure.form.measure, test_set, answers.tolist())
    distinct, given = numbered(rows)
    return null_of_rows(measure, test_set, distinct, np.bincount(given))


def null_of_rows(
    measure: ClassScoreMeasure, test_set: ClassCounts, rows: Floats, sizes: Ints
) -> NullDistribution:
    """Return the distribution of a score of distinct rows, by how often each occurs.

    Examples
    --------
    >>> from baserate.kinds.class_scores.measures import get_class_score_measure
    >>> from baserate.observed.classes import ClassCounts
    >>> rows, sizes = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]]), np.array([2, 2])
    >>> counts = ClassCounts({"a": 1, "b": 1, "c": 2})
    >>> null = null_of_rows(get_class_score_measure("AUC ovr"), counts, rows, sizes)
    >>> round(null.mean(), 9), round(null.sf(0.8), 4), null.method
    (0.5, 0.1667, 'exact')
    """
    form = measure.form
    if isinstance(form, Areas):
        return null_of_areas(form, test_set, rows, sizes)
    if not isinstance(form, MeanOf):
        return _of_calibration(test_set, rows, sizes)
    slope, intercept = form.affine(test_set)
    met = test_set.array > 0
    points = form.rule.of_rows(rows, smallest(rows.dtype))
    points = points if met.all() else points[:, met]
    if form.highest is not None:  # few answers are different
        points, given = numbered(points)
        sizes = np.bincount(given, sizes).astype(np.int64)
        if points.size > MAX_PAIRS:
            return _of_answers(test_set.array[met], points, sizes)
    counts = tuple(test_set.array[met].tolist())
    return linear(counts, sizes, points.T, slope / test_set.total, intercept)


def _of_answers(n: Ints, points: Floats, sizes: Ints) -> NullDistribution:
    """Return the distribution of the share of hits of many different answers."""
    truth, answers = np.repeat(np.arange(n.size), n), np.repeat(np.arange(sizes.size), sizes)

    def draw(rng: np.random.Generator, number: int) -> Floats:
        shuffled = rng.permuted(np.broadcast_to(truth, (number, truth.size)), axis=1)
        return np.asarray(points[answers, shuffled].mean(axis=1))

    return Permuted(draw, truth.size, mean=float(sizes @ points @ n) / truth.size**2)


def _of_calibration(test_set: ClassCounts, rows: Floats, sizes: Ints) -> NullDistribution:
    """Return the distribution of the calibration error of the most likely class.

    Rows of one bin and one most likely class are alike, so a shuffle is a random table.
    """
    tops, certainty = rows.argmax(axis=1), rows.max(axis=1).astype(float)
    expected = in_bins(certainty, sizes * certainty)
    groups = np.stack([in_bins(certainty, sizes * (tops == k)) for k in range(rows.shape[1])])
    top, place = np.nonzero(groups)
    in_each = (place[:, None] == np.arange(expected.size)).astype(float)

    def score(tables: Floats) -> Floats:
        hits = tables[:, np.arange(top.size), top]
        return np.asarray(np.abs(hits @ in_each - expected).sum(axis=1) / test_set.total)

    return of_tables(groups[top, place].astype(np.int64), test_set.array, score, size=1.0)


def contributions(
    observed: ClassProbabilities,
    clusters: Sequence[ClassProbabilities],
    measure: ClassScoreMeasure | None,
) -> Floats:
    """Return what each cluster of rows adds to the association of truth and scores.

    It is what a row says of the true class, doubly centred: less what this row says of any class,
    and less what any row says of this class. Probabilities say their logarithms, answers whether
    the class is among them, and rankings the rank.
    """
    shares = observed.true_counts / observed.total
    means = observed.sizes @ _said(observed, observed.rows, measure) / observed.total
    parts, codes = joined(clusters)
    said = _said(observed, parts.rows, measure) - means
    centred = said - (said @ shares)[:, np.newaxis]
    added = parts.counts * centred[parts.given, parts.truth]
    return np.bincount(codes, added, len(clusters)).astype(float)


def _said(observed: ClassProbabilities, rows: Floats, measure: ClassScoreMeasure | None) -> Floats:
    """Return what some rows say of each class."""
    form = None if measure is None else measure.form
    if isinstance(form, OfLabels):
        return np.asarray(np.eye(rows.shape[1])[rows.argmax(axis=1)])
    if isinstance(form, MeanOf) and form.highest is not None:
        return form.rule.points(rows.astype(float), 0.0)
    if not isinstance(form, Areas) and observed.are_probabilities:
        return np.asarray(np.log(np.maximum(rows.astype(float), smallest(rows.dtype))))
    return ranks(observed.rows, observed.sizes, rows) / observed.total
