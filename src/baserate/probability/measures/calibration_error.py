"""The expected calibration error: there to be told that it is uninformative."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.probability.measures.checks import require_probabilities
from baserate.probability.measures.of_rules import ENDS
from baserate.ranking.deck import ScoreDeck
from baserate.ranking.many import alone
from baserate.ranking.measures.record import Extremes, ScoreMeasure
from baserate.ranking.null import null_of_counts
from baserate.ranking.optimum import BASE_RATE, ScoreOptimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.null.distribution import NullDistribution
    from baserate.ranking.many import Counts
    from baserate.ranking.scores import Scores

    Floats = NDArray[Any]

BINS = 15
_EDGES = np.arange(1, BINS) / BINS
MEANING = (
    "The mean gap between probabilities and what happened, in 15 bins of equal width, weighted by "
    "their sizes."
)
PITFALL = (
    "The base rate for everyone has 0, the perfect score, for free; and a perfectly calibrated "
    "model does not: about 0.04 for 1,000 observations."
)


def in_bins(values: Floats, weights: Floats) -> Floats:
    """Add up weights by the bin of each probability; a bin has its upper end, the first has 0.

    Examples
    --------
    >>> in_bins(np.array([0.0, 0.05, 1 / 15, 0.5, 1.0]), np.ones(5)).astype(int).tolist()
    [3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    """
    bins = np.searchsorted(_EDGES, values.astype(float), side="left")
    return np.asarray(np.bincount(bins, weights, BINS))


def calibration_error(scores: Scores) -> float:
    """Return the expected calibration error of some scores, which may have weights."""
    require_probabilities("ECE", scores)
    return alone(calibration_errors)(scores)


def calibration_errors(counts: Counts) -> Floats:
    """Return the expected calibration errors of many test sets."""
    sizes = counts.positives + counts.negatives
    gaps = counts.positives - sizes * counts.values
    bins = np.searchsorted(_EDGES, counts.values.astype(float), side="left")
    starts = np.flatnonzero(np.diff(bins, prepend=BINS))
    errors = np.abs(np.add.reduceat(gaps, starts, axis=-1)).sum(axis=-1)
    return np.asarray(errors / sizes.sum(axis=-1))


def _null(rate: BaseRate, deck: ScoreDeck) -> NullDistribution:
    """Return the distribution when probabilities are shuffled; rows of one bin are alike."""
    require_probabilities("ECE", deck)
    sizes = in_bins(deck.values, deck.sizes)
    expected = in_bins(deck.values, deck.sizes * deck.values.astype(float))
    met = sizes > 0
    bins = ScoreDeck(expected[met] / sizes[met], sizes[met].astype(np.int64))
    return null_of_counts(rate, bins, _gaps)


def _gaps(counts: Counts) -> Floats:
    """Return the calibration errors of many test sets, whose blocks are bins."""
    sizes = counts.positives + counts.negatives
    gaps = np.abs(counts.positives - sizes * counts.values)
    return np.asarray(gaps.sum(axis=-1) / sizes.sum(axis=-1))


def _extremes(rate: BaseRate) -> Extremes:
    """Return the extremes: the gap of each bin is convex in its mean, so a constant is worst."""
    share = rate.positives / rate.total
    place = None if rate.positives == rate.negatives else int(share < 0.5)
    worst = ScoreOptimum(max(share, 1 - share), ENDS[place])
    return Extremes(worst, ScoreOptimum(0.0, BASE_RATE))


ECE = ScoreMeasure(
    key="ECE",
    name="Expected Calibration Error",
    aliases=("expected_calibration_error", "calibration error"),
    meaning=MEANING,
    pitfall=PITFALL,
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    rounds=True,
    definition=r"\frac{1}{M} \sum_{b=1}^{15} \left| \sum_{i \in b} (y_i - p_i) \right|",
    kernel=calibration_error,
    many=calibration_errors,
    law=_null,
    extremes=_extremes,
    perfect=lambda _: 0.0,
    missing=lambda _: "",
    probabilities=True,
)
