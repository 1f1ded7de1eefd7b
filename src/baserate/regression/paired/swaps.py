"""The test of swapping what two models predicted, row by row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.ranking.swapped.flips import flip_test
from baserate.regression.losses import row_loss
from baserate.regression.measures.correlations import CONCORDANCE, KENDALL, PEARSON
from baserate.regression.measures.explained import EXPLAINED_VARIANCE
from baserate.regression.measures.forms import LargestError, MiddleError
from baserate.regression.uncertainty.means import mean_one, reading_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.paired.joint import JointFit

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

# All swaps of so many rows are tried; of more, so many at random.
_FEW, _SWAPS = 10, 999
# The most rows that are swapped at random; pairs take longer.
_MOST_ROWS, _MOST_IN_PAIRS = 2_000, 100
# The most rows of which it is known what they add to a correlation: of more, a sample.
_MOST_ADDED = 100_000
# Swaps of measures that are functions of means, which take less; and so many rows at once.
_OF_MOMENTS = (PEARSON, CONCORDANCE, EXPLAINED_VARIANCE)
_MANY_SWAPS, _AT_ONCE = 9_999, 500
# So many swaps at once if all pairs are looked at.
_PAIRED_AT_ONCE = 50
_SEED = 40


def swap_test(measure: NumberMeasure, joint: JointFit) -> tuple[float, bool]:
    """Return the two-sided p-value of swapping the models row by row, and whether it is exact.

    It is the chance that scores differ at least as much, in either direction, if it is left to a
    coin which of two models predicted what. By a mean loss, its root, or its share of the best
    constant's, all that matters is the sum of the differences of losses with random signs. By other
    measures, predictions are swapped: all ways for few rows, and otherwise at random, with
    the observed one counted. For rank correlations of many rows, what a row adds to a score to the
    first order has a random sign. The largest error of many rows is that of the rows with the
    largest, and for the median error, and for correlations of more than 100,000 rows (Kendall's:
    2,000), a sample of the rows is swapped, which finds fewer differences. Swaps that tie with
    what was observed count, and so do swaps without a score.

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
    >>> swap_test(MAE, JointFit.of(range(6), range(1, 7), range(6)))
    (0.03125, True)
    """
    if math.isnan(gain_of(measure, joint)):
        return math.nan, True
    if not joint.disagreements:
        return 1.0, True
    loss = row_loss(measure)
    if loss is not None:
        with np.errstate(all="ignore"):
            one = loss(joint.truth, joint.first_predicted)
            other = loss(joint.truth, joint.second_predicted)
            differences = other - one
            if joint.weights is not None:
                differences = differences * joint.weights
        if not np.isfinite(differences).all():  # squares too large for a float
            return math.nan, False
        return flip_test(differences, np.ones(joint.total, dtype=np.int64))
    return _by_predictions(measure, joint)


def _by_predictions(measure: NumberMeasure, joint: JointFit) -> tuple[float, bool]:
    """Return the same for measures that are no function of a mean loss."""
    most = _MOST_IN_PAIRS if measure is KENDALL else _MOST_ROWS
    if joint.disagreements <= _FEW:
        return _swapped(measure, joint)
    if measure in _OF_MOMENTS:
        return _by_moments(measure, joint), False
    if joint.total <= most:
        return _swapped(measure, joint)
    if isinstance(measure.form, LargestError):
        return _swapped(measure, joint.chosen(_largest(joint, most)))[0], False
    if isinstance(measure.form, MiddleError):
        return _swapped(measure, _at_most(joint, most))[0], False
    return _by_contributions(measure, joint), False


def gain_of(measure: NumberMeasure, joint: JointFit) -> float:
    """Return the second score minus the first; nan if one is missing."""
    first, reason = measure.score_or_reason(joint.first)
    second, other_reason = measure.score_or_reason(joint.second)
    return math.nan if reason or other_reason else second - first


def _largest(joint: JointFit, rows: int) -> NDArray[np.int64]:
    """Return the rows with the largest errors of either model."""
    errors = np.maximum(np.abs(joint.first.residuals), np.abs(joint.second.residuals))
    return np.argpartition(errors, errors.size - rows)[-rows:]


def _swapped(measure: NumberMeasure, joint: JointFit) -> tuple[float, bool]:
    """Return the share of swaps with scores that differ as much."""
    first, second = joint.first_predicted, joint.second_predicted
    places = np.flatnonzero(joint.differ)
    observed = _apart(measure, joint, first, second)
    if not observed:
        return 1.0, True
    apart = (_pairs_apart if measure is KENDALL else _scored_apart)(measure, joint, places)
    counted = int(np.count_nonzero(~(apart < observed * (1 - COMPUTATION))))
    if places.size <= _FEW:
        return counted / apart.size, True
    return (1 + counted) / (1 + apart.size), False


def _scored_apart(measure: NumberMeasure, joint: JointFit, places: NDArray[np.int64]) -> Floats:
    """Return how far apart scores are after each swap, scored again."""
    first, second = joint.first_predicted, joint.second_predicted
    swap, apart = np.zeros(joint.total, dtype=bool), []
    for chosen in _ways(places.size):
        swap[places] = chosen
        one, other = np.where(swap, second, first), np.where(swap, first, second)
        apart.append(_apart(measure, joint, one, other))
    return np.array(apart)


def _pairs_apart(_: NumberMeasure, joint: JointFit, places: NDArray[np.int64]) -> Floats:
    """Return how far apart tau-b is after each swap, from the signs of all pairs at once."""
    weights = np.ones(joint.total) if joint.weights is None else joint.weights
    ways = np.array(list(_ways(places.size)))
    swaps = np.zeros((ways.shape[0], joint.total), dtype=bool)
    swaps[:, places] = ways
    return np.concatenate(
        [
            np.abs(_taus(joint, part, weights) - _taus(joint.mirrored, part, weights))
            for part in np.array_split(swaps, -(-swaps.shape[0] // _PAIRED_AT_ONCE))
        ]
    )


def _taus(joint: JointFit, swaps: Bools, weights: Floats) -> Floats:
    """Return tau-b of the first model after each swap; nan if it has none."""
    z = np.where(swaps, joint.second_predicted, joint.first_predicted)
    signs = np.sign(z[:, :, np.newaxis] - z[:, np.newaxis, :])
    both = np.outer(weights, weights)
    of_truth = np.sign(joint.truth[:, np.newaxis] - joint.truth)
    in_order = np.tensordot(signs, both * of_truth, 2)
    with np.errstate(all="ignore"):
        not_tied = np.tensordot(np.abs(signs), both, 2) * (both * np.abs(of_truth)).sum()
        return np.asarray(in_order / np.sqrt(not_tied))


def _ways(rows: int) -> Iterator[Bools]:
    """Return which rows are swapped: all ways for few rows, the first row as it is."""
    if rows <= _FEW:  # swapping all others instead gives the same scores
        for number in range(2 ** (rows - 1)):
            yield (number >> np.arange(rows) & 1).astype(bool)
        return
    rng = np.random.default_rng(_SEED)
    for _ in range(_SWAPS):
        yield rng.integers(0, 2, rows).astype(bool)


def _apart(measure: NumberMeasure, joint: JointFit, first: Floats, second: Floats) -> float:
    """Return how far apart two scores are; nan if one is missing."""
    one, other = (measure.weighted(joint.truth, each, joint.weights)[0] for each in (first, second))
    return abs(other - one)


def _by_moments(measure: NumberMeasure, joint: JointFit) -> float:
    """Return the share of random swaps, of a function of means: swaps change sums of rows."""
    joint = _at_most(joint, _MOST_ADDED)
    rows, rng = joint.total, np.random.default_rng(_SEED)
    # Both models at once, in the same unit.
    predicted = np.concatenate([joint.first_predicted, joint.second_predicted])
    reading: Any = reading_of(measure, np.tile(joint.truth, 2), predicted, math.nan)
    shares = np.ones(rows) if joint.weights is None else joint.weights
    one, other = (
        shares[:, np.newaxis] * each for each in (reading.columns[:rows], reading.columns[rows:])
    )
    changes = np.zeros((_SWAPS if rows > _MOST_ROWS else _MANY_SWAPS, one.shape[1]))
    for start in range(0, rows, _AT_ONCE):
        part = (other - one)[start : start + _AT_ONCE]
        changes += rng.integers(0, 2, (changes.shape[0], part.shape[0]), dtype=np.int8) @ part
    means = (one.sum(axis=0) + changes) / shares.sum()
    both = (one + other).sum(axis=0) / shares.sum()
    with np.errstate(all="ignore"):
        apart = np.abs(reading.of(both - means) - reading.of(means))
    observed = abs(gain_of(measure, joint))
    counted = np.count_nonzero(~(apart < observed * (1 - COMPUTATION)))
    return float((1 + counted) / (1 + apart.size))


def _at_most(joint: JointFit, rows: int) -> JointFit:
    """Return a sample of the rows if there are more."""
    if joint.total <= rows:
        return joint
    return joint.chosen(np.random.default_rng(_SEED).choice(joint.total, rows, replace=False))


def _by_contributions(measure: NumberMeasure, joint: JointFit) -> float:
    """Return the chance from random signs of what the rows add to the difference."""
    joint = _at_most(joint, _MOST_ROWS if measure is KENDALL else _MOST_ADDED)
    added = []
    for fit in (joint.first, joint.second):
        weights = mean_one(fit.weights)
        # Measures that are not scored again, Spearman and Kendall, are functions of means.
        reading: Any = reading_of(measure, fit.truth, fit.predicted, math.nan, weights)
        shares = np.ones(fit.total) if weights is None else weights
        added.append(shares * reading.observed + reading.influences * (fit.total + shares))
    differences = added[1] - added[0]
    # So that their mean is the difference of the scores, which influences only nearly are.
    differences += gain_of(measure, joint) - float(differences.mean())
    return flip_test(differences, np.ones(joint.total, dtype=np.int64))[0]
