"""What swaps of two models change of a measure of numbers.

By a mean loss, its root, or its share of the best constant's, all that matters is the sum of the
differences of losses with random signs. By other measures predictions are swapped, and a score is a
function of sums over the rows: of moments, or of how much weight each level has.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import SAME, UNDEFINED
from baserate.core.rounding import COMPUTATION
from baserate.paired import Pair, alike, flip_test, permutation_test
from baserate.regression.measures.correlations import (
    CONCORDANCE,
    KENDALL,
    PEARSON,
    SPEARMAN,
    ranks,
)
from baserate.regression.measures.errors import MAX_ERROR, MEDIAN_ERROR
from baserate.regression.measures.explained import EXPLAINED_VARIANCE
from baserate.regression.measures.sums import mean, of_usual_size, root_mean_square
from baserate.regression.uncertainty.losses import row_loss

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.core.paired import SwapTest
    from baserate.paired import Alike
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.paired.joint import JointFit

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

# More levels than the first are taken together to as many as the second. Tau-b, which looks at all
# pairs of cells, has as many cells, of as many levels of the truth if there are more.
MAX_LEVELS, LEVELS = 2_048, 256
MAX_PAIRED_CELLS, PAIRED_LEVELS = 1_024, 32


def swap_test(measure: NumberMeasure, joint: JointFit) -> SwapTest:
    """Return the two-sided p-value of swapping the models row by row.

    Parameters
    ----------
    measure
        The measure.
    joint
        What both models did.

    Examples
    --------
    >>> from baserate.regression.measures.errors import MAE
    >>> from baserate.regression.paired.joint import JointFit
    >>> swap_test(MAE, JointFit.of(range(6), range(1, 7), range(6))).p_value
    0.03125
    """
    if math.isnan(gain_of(measure, joint)):
        return UNDEFINED
    if not joint.disagreements:
        return SAME
    loss = row_loss(measure)
    if loss is None:
        return permutation_test(_PAIRS[measure](joint))
    with np.errstate(all="ignore"):
        one = loss(joint.truth, joint.first_predicted)
        differences = loss(joint.truth, joint.second_predicted) - one
        return flip_test(differences if joint.weights is None else differences * joint.weights)


def gain_of(measure: NumberMeasure, joint: JointFit) -> float:
    """Return the second score minus the first; nan if one is missing."""
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    return math.nan if reason or other_reason else second - first


def _alike(joint: JointFit) -> tuple[Alike, Floats, Floats]:
    """Return the kinds of rows, their truth and their weight."""
    first, second = joint.first_predicted, joint.second_predicted
    if joint.weights is None:
        kinds = alike(first, second, None, joint.truth)
        return kinds, kinds.shared[0], np.ones(kinds.rows.size)
    kinds = alike(first, second, None, joint.truth, of_usual_size(joint.weights))
    return kinds, kinds.shared[0], kinds.shared[1]


# --- Correlations of the numbers themselves -------------------------------------------------------


def _of_moments(
    score: Callable[[Floats, Floats, Floats, float], Floats],
) -> Callable[[JointFit], Pair]:
    """Return what makes a pair of a score of moments, the truth having mean 0 and spread 1.

    It is a function of the mean and the variance of the predictions and their covariance with the
    truth, in a unit that is given.
    """

    def pair(joint: JointFit) -> Pair:
        kinds, truth, weights = _alike(joint)
        heavy = weights * kinds.rows
        centre = mean(truth, heavy)
        spread = root_mean_square(truth - centre, heavy)
        y = (truth - centre) / spread
        both = np.append(kinds.low, kinds.high)
        middle = mean(both, np.tile(heavy, 2))
        unit = root_mean_square(both - middle, np.tile(heavy, 2)) or 1.0
        total, shift = float(heavy.sum()), (middle - centre) / unit

        def adds(predicted: Floats) -> Floats:
            z = (predicted - middle) / unit
            return weights[:, np.newaxis] * np.column_stack([z, z * z, y * z])

        def scored(sums: Floats) -> Floats:
            m, square, covariance = np.moveaxis(sums / total, -1, 0)
            variance = square - m * m
            variance = np.where(variance > COMPUTATION * square, variance, 0.0)
            return score(m + shift, variance, covariance, unit / spread)

        return Pair(kinds.rows, kinds.first, [adds(kinds.low), adds(kinds.high)], scored, size=1.0)

    return pair


def _pearson(_: Floats, variance: Floats, covariance: Floats, __: float) -> Floats:
    return np.where(variance > 0, covariance / np.sqrt(variance), np.nan)


def _concordance(m: Floats, variance: Floats, covariance: Floats, unit: float) -> Floats:
    return 2 * covariance / (1 / unit + unit * (variance + m * m))


def _explained(_: Floats, variance: Floats, covariance: Floats, unit: float) -> Floats:
    return unit * (2 * covariance - unit * variance)


# --- Ranks ----------------------------------------------------------------------------------------


def _spearman(joint: JointFit) -> Pair:
    """Return two models by how much weight, and of which true ranks, each level has."""
    kinds, truth, weights = _alike(joint)
    y = ranks(truth, weights * kinds.rows)
    y = y - mean(y, weights * kinds.rows)
    spread = math.sqrt(float(kinds.rows * weights @ y**2))
    low, high, levels = _levels(kinds.low, kinds.high)

    def score(sums: Floats) -> Floats:
        sizes, by_truth = np.split(sums, 2, axis=-1)
        z = np.cumsum(sizes, axis=-1) - sizes / 2 - sizes.sum(axis=-1, keepdims=True) / 2
        square = (sizes * z * z).sum(axis=-1)
        is_constant = (sizes > 0).sum(axis=-1) < 2
        return np.where(is_constant, np.nan, (by_truth * z).sum(axis=-1) / np.sqrt(square) / spread)

    adds = [
        _placed([places, levels + places], [weights, weights * y], 2 * levels)
        for places in (low, high)
    ]
    return Pair(kinds.rows, kinds.first, adds, score, size=1.0)


def _kendall(joint: JointFit) -> Pair:
    """Return two models by how much weight each pair of a true and a predicted level has."""
    kinds, truth, weights = _alike(joint)
    of_truth = np.unique(truth, return_inverse=True)[1].ravel()
    low, high, _ = _levels(kinds.low, kinds.high, most=2 * joint.total)
    y, z, places = _cells(of_truth, low, high)
    if y.size > MAX_PAIRED_CELLS:
        of_truth, _, number = _levels(truth, truth, PAIRED_LEVELS, PAIRED_LEVELS)
        few = MAX_PAIRED_CELLS // number
        low, high, _ = _levels(kinds.low, kinds.high, few, few)
        y, z, places = _cells(of_truth, low, high)
    in_order = np.sign(y[:, np.newaxis] - y) * np.sign(z[:, np.newaxis] - z) * 1.0
    starts = np.flatnonzero(np.diff(z, prepend=-1))
    of_truths = np.bincount(of_truth, weights * kinds.rows)
    untied = float(of_truths.sum() ** 2 - of_truths @ of_truths)

    def score(sums: Floats) -> Floats:
        sizes = np.add.reduceat(sums, starts, axis=-1)
        apart = sizes.sum(axis=-1) ** 2 - (sizes * sizes).sum(axis=-1)
        difference = (sums @ in_order * sums).sum(axis=-1)
        is_constant = (sizes > 0).sum(axis=-1) < 2
        return np.where(is_constant, np.nan, difference / np.sqrt(apart * untied))

    adds = [_placed([each], [weights], y.size) for each in places]
    return Pair(kinds.rows, kinds.first, adds, score, size=1.0, cost=max(y.size**2 // 8, 1))


def _cells(truth: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints, list[Ints]]:
    """Return the levels of cells that occur, by ascending predictions, and where kinds are."""
    width = int(truth.max(initial=0)) + 1
    keys = np.append(low, high) * width + np.append(truth, truth)
    found, places = np.unique(keys, return_inverse=True)
    return found % width, found // width, np.split(places.ravel(), 2)


# --- Errors in order ------------------------------------------------------------------------------


def _of_errors(
    score: Callable[[Floats, Floats], Floats], deciding: Callable[[int], tuple[int, int]]
) -> Callable[[JointFit], Pair]:
    """Return what makes a pair of a score of how much weight errors of each size have.

    Of many errors only those in the places that decide, of all in ascending order, are told apart.
    """

    def pair(joint: JointFit) -> Pair:
        kinds, truth, weights = _alike(joint)
        errors = np.abs(truth - kinds.low), np.abs(truth - kinds.high)
        if joint.total > MAX_LEVELS:
            pooled = np.sort(np.append(*errors))
            ends = pooled[np.clip(deciding(pooled.size), 0, pooled.size - 1)]
            errors = np.clip(errors[0], *ends), np.clip(errors[1], *ends)
        low, high, number = _levels(*errors, few=MAX_LEVELS // 2)
        sizes = np.bincount(np.append(low, high), minlength=number)
        values = np.bincount(np.append(low, high), np.append(*errors), number) / sizes
        adds = [_placed([places], [weights], number) for places in (low, high)]
        return Pair(kinds.rows, kinds.first, adds, lambda sums: score(sums, values))

    return pair


def _median(sums: Floats, values: Floats) -> Floats:
    upto = np.cumsum(sums, axis=-1)
    half = upto[..., -1:] / 2
    slack = COMPUTATION * half
    lower = np.argmax(upto >= half - slack, axis=-1)
    upper = np.argmax(upto > half + slack, axis=-1)
    return np.asarray((values[lower] + values[upper]) / 2)


def _in_the_middle(size: int) -> tuple[int, int]:
    """Return where both medians are: within ten standard deviations, of swaps of all rows."""
    reach = math.ceil(10 * math.sqrt(size))
    return size // 2 - reach, size // 2 + reach


def _at_the_top(size: int) -> tuple[int, int]:
    return size - MAX_LEVELS, size


def _largest(sums: Floats, values: Floats) -> Floats:
    return np.asarray(values[values.size - 1 - np.argmax(sums[..., ::-1] > 0, axis=-1)])


_PAIRS: dict[NumberMeasure, Callable[[JointFit], Pair]] = {
    PEARSON: _of_moments(_pearson),
    CONCORDANCE: _of_moments(_concordance),
    EXPLAINED_VARIANCE: _of_moments(_explained),
    SPEARMAN: _spearman,
    KENDALL: _kendall,
    MEDIAN_ERROR: _of_errors(_median, _in_the_middle),
    MAX_ERROR: _of_errors(_largest, _at_the_top),
}


def _levels(
    low: Floats, high: Floats, most: int = MAX_LEVELS, few: int = LEVELS
) -> tuple[Ints, Ints, int]:
    """Return the places of two numbers among all, in ascending levels, and how many there are.

    Of many, neighbours are taken together, each time as many.
    """
    values, places = np.unique(np.append(low, high), return_inverse=True)
    number = values.size
    if number > most:
        places, number = places * few // number, few
    one, other = np.split(places.ravel(), 2)
    return one, other, number


def _placed(places: list[Ints], amounts: list[Floats], size: int) -> Any:
    """Return what each kind of row adds to sums: amounts at places."""
    from scipy.sparse import csr_array

    kinds = np.tile(np.arange(places[0].size), len(places))
    return csr_array(
        (np.concatenate(amounts), (kinds, np.concatenate(places))), shape=(places[0].size, size)
    )
