"""What swaps of two models of numbers change."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.clusters import by_cluster
from baserate.core.observed import SAME, UNDEFINED
from baserate.kinds.numbers.scores import MOMENTS, by_weights, medians
from baserate.measures.numbers import KENDALL
from baserate.measures.numbers_record import OfRows, Ordered
from baserate.observed.moments import of_usual_size
from baserate.observed.number_summary import JointSummary
from baserate.paired import Pair, alike, flip_test, permutation_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import SwapTest
    from baserate.kinds.numbers.scores import Of
    from baserate.measures.numbers_record import NumberMeasure
    from baserate.observed.numbers import JointFit
    from baserate.paired import Alike

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]


_COLUMNS = ("truth", "first_predicted", "second_predicted")
# A score of ranks or of errors in order depends on how much weight so many cells have: of more,
# neighbours are taken together, to so many levels of each side of a ranking.
MAX_CELLS, LEVELS = 1_024, 32


def swap_test(
    measure: NumberMeasure, joint: JointFit | JointSummary, clusters: Sequence[JointFit] = ()
) -> SwapTest:
    """Return the two-sided p-value of swapping the models row by row.

    Of rows that stayed in an engine, it is that of a sample. With clusters, these are swapped.

    Examples
    --------
    >>> from baserate.measures.numbers_errors import MAE
    >>> from baserate.observed.numbers import JointFit
    >>> swap_test(MAE, JointFit.of(range(6), range(1, 7), range(6))).p_value
    0.03125
    """
    if any(measure.score_or_reason(each)[1] for each in (joint.first, joint.second)):
        return UNDEFINED
    if not joint.disagreements:
        return SAME
    if isinstance(joint, JointSummary):
        found = swap_test(measure, joint.sample)
        return found._replace(method="permutations") if found.exact else found
    loss = measure.loss
    if loss is None:
        return permutation_test(_pair(measure, joint, clusters))
    (truth, first, second), codes = by_cluster(joint, clusters, _COLUMNS)
    with np.errstate(all="ignore"):
        differences = loss(truth, second) - loss(truth, first)
        if joint.weights is not None:
            differences = differences * joint.weights
        return flip_test(differences, None, codes)


def _pair(measure: NumberMeasure, joint: JointFit, clusters: Sequence[JointFit]) -> Pair:
    """Return two models whose scores are functions of sums, or of the weights of cells."""
    (truth, first, second), codes = by_cluster(joint, clusters, _COLUMNS)
    shared = [truth]
    if joint.weights is not None:
        shared.append(of_usual_size(joint.weights))
    if codes is not None:
        shared.append(codes)
    kinds = alike(first, second, None, *shared)
    pair = _of_kinds(measure, joint, kinds)
    return pair if codes is None else replace(pair, clusters=kinds.shared[-1])


def _of_kinds(measure: NumberMeasure, joint: JointFit, kinds: Alike) -> Pair:
    """Return two models by kinds of rows."""
    weights = np.ones(kinds.rows.size) if joint.weights is None else kinds.shared[1]
    truth, both = np.tile(kinds.shared[0], 2), np.append(kinds.low, kinds.high)
    how, form = (kinds.rows, kinds.first), measure.form
    if form in (Ordered.MEDIAN, Ordered.LARGEST):
        return Pair(*how, *_of_errors(measure, np.abs(truth - both), weights))
    if isinstance(form, OfRows):
        found: Any = by_weights(measure, truth, both, np.ones(both.size))
        adds = _placed(np.arange(both.size), weights, both.size)
        return Pair(*how, adds, found.of, cost=form.cost(both.size))
    if measure in MOMENTS:
        found = by_weights(measure, truth, both, np.tile(weights, 2))
        return Pair(*how, np.split(found.columns, 2), found.of, size=1.0)
    ranks, *others = _ranked(kinds.shared[0], kinds.low, kinds.high)
    size = int(max(each.max() for each in others)) + 1
    keys = np.concatenate([ranks * size + each for each in others])
    is_met = np.bincount(keys) > 0
    cells, place = np.flatnonzero(is_met), np.cumsum(is_met) - 1
    y, z = (each.astype(float) for each in np.divmod(cells, size))
    # Of tau-b, all pairs of cells are looked at, some at the cost of one number.
    cost = y.size**2 // 8 if measure is KENDALL else 8 * y.size
    found = by_weights(measure, y, z, np.ones(y.size))
    adds = _placed(place[keys], weights, y.size)
    return Pair(*how, adds, found.of, size=1.0, cost=cost)


def _ranked(truth: Floats, first: Floats, second: Floats) -> list[Ints]:
    """Return numbers by their order; in levels if truths and predictions are of many pairs."""
    y, z = np.unique(truth), np.unique(np.append(first, second))

    def ranked(most: int) -> list[Ints]:
        return [_levels(y, truth, most), *(_levels(z, each, most) for each in (first, second))]

    # There are at least as many pairs as there are different numbers on one side.
    if max(y.size, z.size) <= MAX_CELLS:
        places, *both = found = ranked(MAX_CELLS)
        if np.unique([places * z.size + each for each in both]).size <= MAX_CELLS:
            return found
    return ranked(LEVELS)


def _levels(known: Floats, values: Floats, most: int) -> Ints:
    """Return the places of values among known ones: of many of these, neighbours are one level."""
    levels = min(known.size, most)
    starts = -(-np.arange(levels) * known.size // levels)
    return np.searchsorted(known[starts], values, side="right") - 1


def _of_errors(measure: NumberMeasure, errors: Floats, weights: Floats) -> tuple[Any, Of]:
    """Return what rows add to the weights of errors of each size, and the score of these.

    Of many errors, only those that may decide are told apart.
    """
    is_middle = measure.form is Ordered.MEDIAN
    if errors.size > 2 * MAX_CELLS:
        first, last = errors.size - MAX_CELLS, errors.size
        if is_middle:  # medians of both models are within ten standard deviations of swaps
            half, reach = errors.size // 2, math.ceil(10 * math.sqrt(errors.size))
            first, last = max(half - reach, 0), half + reach
        ordered = np.sort(errors)[first:last]
        errors = np.clip(errors, ordered[0], ordered[-1])
    levels = _levels(np.unique(errors), errors, 2 * MAX_CELLS)
    sizes = np.bincount(levels)
    values = np.bincount(levels, errors) / sizes
    adds = _placed(levels, weights, values.size)
    if is_middle:
        return adds, medians(values, np.ones(values.size)).of
    return adds, lambda sums: values[values.size - 1 - np.argmax(sums[..., ::-1] > 0, axis=-1)]


def _placed(places: Ints, weights: Floats, size: int) -> list[Any]:
    """Return what a row of each kind adds to cells, by its first and by its second prediction."""
    from scipy.sparse import csr_array

    starts, shape = np.arange(weights.size + 1), (weights.size, size)
    return [csr_array((weights, each, starts), shape=shape) for each in np.split(places, 2)]
