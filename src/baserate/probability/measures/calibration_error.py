"""The expected calibration error: there to be told that it is uninformative."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.probability.measures.checks import require_probabilities
from baserate.probability.measures.of_rules import ENDS
from baserate.ranking.law.dealt import DealtLaw
from baserate.ranking.measures.record import Extremes, ScoreMeasure
from baserate.ranking.optimum import BASE_RATE, ScoreOptimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.deck import ScoreDeck
    from baserate.ranking.plausible.sample import Counts
    from baserate.ranking.scores import Scores

    Floats = NDArray[Any]

BINS = 15
_EDGES = np.arange(1, BINS) / BINS
_DEALS, _SEED = 9_999, 20_260_404
# numpy deals fewer cards than this.
_MOST_CARDS = 10**9
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
    sizes = scores.positives + scores.negatives
    hits = in_bins(scores.values, scores.positives)
    expected = in_bins(scores.values, sizes * scores.values.astype(float))
    return float(np.abs(hits - expected).sum() / sizes.sum())


def _calibration_errors(counts: Counts) -> Floats:
    """Return the same of many test sets at once."""
    sizes = counts.positives + counts.negatives
    gaps = counts.positives - sizes * counts.values
    bins = np.searchsorted(_EDGES, counts.values.astype(float), side="left")
    in_each = (bins[:, np.newaxis] == np.arange(BINS)).astype(float)
    return np.asarray(np.abs(gaps @ in_each).sum(axis=-1) / sizes.sum(axis=-1))


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationLaw(DealtLaw):
    """The law of the calibration error when a deck is dealt at random.

    The positives of the bins are a draw of cards from an urn. The mean is exact; the rest is from
    random deals, always the same ones.

    Parameters
    ----------
    rate
        The test set.
    deck
        The scores that are dealt.
    """

    rate: BaseRate
    deck: ScoreDeck

    exact = False
    method = "simulation"

    @property
    def error(self) -> float:
        """Two standard errors of a tail of 0.05, relative to it."""
        return 2 * math.sqrt(0.95 / 0.05 / _DEALS)

    @cached_property
    def _sizes(self) -> Floats:
        return in_bins(self.deck.values, self.deck.sizes).astype(np.int64)

    @cached_property
    def _expected(self) -> Floats:
        return in_bins(self.deck.values, self.deck.sizes * self.deck.values.astype(float))

    @cached_property
    def _deals(self) -> Floats:
        """The scores of random deals, ascending; none if the cards are too many to deal."""
        if self.rate.total >= _MOST_CARDS:
            return np.empty(0)
        rng = np.random.default_rng(_SEED)
        hits = rng.multivariate_hypergeometric(
            self._sizes, self.rate.positives, _DEALS, method="marginals"
        )
        return np.sort(np.abs(hits - self._expected).sum(axis=1) / self.rate.total)

    def mean(self) -> float:
        """Return the expected score."""
        from scipy.stats import hypergeom

        total, positives = self.rate.total, self.rate.positives
        sizes = self._sizes.astype(float)
        centre = sizes * positives / total
        floor = np.floor(self._expected)
        # E|X − c| = E X − c + 2 Σ_{x ≤ c} (c − x) P(x), and x P(x) is a law of one card less.
        below = hypergeom.cdf(floor, total, self._sizes, positives)
        fewer = np.maximum(self._sizes - 1, 0)
        if positives and total > 1:
            part = centre * hypergeom.cdf(floor - 1, total - 1, fewer, positives - 1)
        else:
            part = centre * (floor >= 1)
        gaps = centre - self._expected + 2 * (self._expected * below - part)
        return float(np.where(sizes > 0, gaps, 0.0).sum() / total)

    def variance(self) -> float:
        """Return the variance of the random deals; nan if there are none."""
        return float(self._deals.var()) if self._deals.size else math.nan

    def tail(self, score: float, direction: Direction) -> float:
        """Return the share of deals that are at least as good, counting the score itself."""
        return share_at_least(self._deals, score, direction)

    def quantile(self, level: float) -> float:
        """Return the lowest of the deals that is not exceeded with at least this probability."""
        return quantile_of(self._deals, level)


def share_at_least(deals: Floats, score: float, direction: Direction) -> float:
    """Return the share of ascending scores that are at least as good, counting the score itself."""
    slack = 1e-12
    if not deals.size:
        return math.nan
    if direction is Direction.MAXIMIZE:
        found = deals.size - np.searchsorted(deals, score - slack, side="left")
    else:
        found = np.searchsorted(deals, score + slack, side="right")
    return (1 + int(found)) / (1 + deals.size)


def quantile_of(deals: Floats, level: float) -> float:
    """Return the lowest of ascending scores that is not exceeded with at least a probability."""
    if not deals.size:
        return math.nan
    place = math.ceil(level * deals.size) - 1
    return float(deals[min(max(place, 0), deals.size - 1)])


def _law(rate: BaseRate, deck: ScoreDeck) -> CalibrationLaw:
    require_probabilities("ECE", deck)
    return CalibrationLaw(rate, deck)


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
    many=_calibration_errors,
    law=_law,
    extremes=_extremes,
    perfect=lambda _: 0.0,
    missing=lambda _: "",
    probabilities=True,
)
