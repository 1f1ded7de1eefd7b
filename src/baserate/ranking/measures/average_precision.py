"""Average precision: the area under the steps of the precision-recall curve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.core.sklearn_call import SklearnCall
from baserate.ranking.many import average_precisions
from baserate.ranking.measures.record import Extremes, ScoreMeasure
from baserate.ranking.null import null_of_counts
from baserate.ranking.optimum import ANY, EQUAL, RANDOM, ScoreOptimum

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.null.distribution import NullDistribution
    from baserate.ranking.deck import ScoreDeck
    from baserate.ranking.scores import Scores

# As many blocks as stay in the processor's cache: several times faster than all at once.
_CHUNK = 1 << 15
# From here on the series of the harmonic numbers is exact up to rounding.
_MANY = 40


def average_precision(scores: Scores) -> float:
    """Return the precision down to the score of each positive, averaged over the positives."""
    found, seen, area = 0.0, 0.0, 0.0
    for start in range(0, scores.values.size, _CHUNK):
        positives = scores.positives[start : start + _CHUNK].astype(float)
        upto = np.cumsum(positives)
        drawn = np.cumsum(scores.negatives[start : start + _CHUNK], dtype=float)
        drawn += upto
        upto += found
        drawn += seen
        found, seen = float(upto[-1]), float(drawn[-1])
        # Weights may be 0, and then nothing is drawn above the first that is not.
        np.maximum(drawn, np.finfo(float).tiny, out=drawn)
        upto /= drawn
        area += float(positives @ upto)
    # Without an error it is 1, not almost 1.
    return min(area / found, 1.0)


def harmonic(number: int) -> float:
    """Return 1 + 1/2 + … + 1/number.

    Examples
    --------
    >>> round(harmonic(3), 4), round(harmonic(10**9), 4)
    (1.8333, 21.3005)
    """
    if number < _MANY:
        return math.fsum(1 / term for term in range(1, number + 1))
    inverse = 1 / number
    series = inverse / 2 - inverse**2 / 12 + inverse**4 / 120 - inverse**6 / 252
    return math.log(number) + float(np.euler_gamma) + series


def mean_precision(rate: BaseRate, shares: float) -> float:
    """Return the expected average precision of a deck, given Σ t_b/T_b over its blocks."""
    total, positives = rate.total, rate.positives
    if positives == total:
        return 1.0
    rest = rate.negatives / total * (shares / (total - 1))
    return (positives - 1) / (total - 1) + rest


def without_positives(rate: BaseRate) -> str:
    """Say that there are no positives, if so."""
    return "" if rate.positives else "there are no positives"


def _extremes(rate: BaseRate) -> Extremes:
    """Return what a random ranking expects, which is best, and one score for all, the worst.

    The mean rises with Σ t_b/T_b, and to split a block of ties makes that larger.
    """
    if rate.positives == rate.total:
        return Extremes(ScoreOptimum(1.0, ANY), ScoreOptimum(1.0, ANY))
    best = mean_precision(rate, harmonic(rate.total))
    return Extremes(ScoreOptimum(best, RANDOM), ScoreOptimum(rate.rate, EQUAL))


def _null(rate: BaseRate, deck: ScoreDeck) -> NullDistribution:
    """Return the distribution of average precision when scores are shuffled."""

    def mean(sizes: NDArray[Any]) -> float:
        return mean_precision(rate, float((sizes / np.cumsum(sizes, dtype=float)).sum()))

    return null_of_counts(rate, deck, average_precisions, mean)


AP = ScoreMeasure(
    key="AP",
    name="Average Precision",
    aliases=(
        "average_precision", "average_precision_score", "PR AUC", "AUC PR", "AUPRC", "AUCPR",
        "area under the precision-recall curve",
    ),
    meaning=(
        "The precision down to the score of each positive, averaged over the positives: the area "
        "under the steps of the precision-recall curve, as in scikit-learn, without interpolation."
    ),
    pitfall=(
        "Its baseline is not the prevalence: that is what one score for everyone expects, and a "
        "random ranking expects more, much more with few positives."
    ),
    sklearn=SklearnCall("average_precision_score", argument="y_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=r"\frac{1}{P} \sum_{i:\, y_i=1} "
    r"\frac{\#\{j:\, s_j \ge s_i,\, y_j=1\}}{\#\{j:\, s_j \ge s_i\}}",
    kernel=average_precision,
    many=average_precisions,
    law=_null,
    extremes=_extremes,
    perfect=lambda _: 1.0,
    missing=without_positives,
)  # fmt: skip
