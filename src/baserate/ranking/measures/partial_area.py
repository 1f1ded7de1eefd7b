"""The area under the ROC curve up to a false positive rate."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import is_probability
from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.core.sklearn_call import SklearnCall
from baserate.exceptions import InvalidProbabilityError
from baserate.formatting import shown
from baserate.ranking.many import alone
from baserate.ranking.measures.area import without_both
from baserate.ranking.measures.record import Extremes, ScoreMeasure
from baserate.ranking.null import null_of_counts
from baserate.ranking.optimum import ANY, EQUAL, RANDOM, ScoreOptimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.many import Counts

    Floats = NDArray[np.float64]

_NAME = re.compile(
    r"(?:p?auc\s*@|partial[\s_-]*auc(?:\s*(?:@|up\s+to))?)\s*([0-9.eE-]+)", re.IGNORECASE
)


def partial_auc(max_fpr: float) -> ScoreMeasure:
    """Return the partial AUC up to a false positive rate, standardised as by McClish.

    Parameters
    ----------
    max_fpr
        The largest false positive rate that counts, above 0 and at most 1.

    Examples
    --------
    >>> partial_auc(0.1)
    <Measure AUC@0.1: Partial AUC up to a false positive rate of 0.1>
    """
    if not is_probability(max_fpr) or max_fpr <= 0:
        raise InvalidProbabilityError(
            f"must be above 0 and at most 1 (got {shown(max_fpr)}); 10% is written 0.1",
            parameter="max_fpr",
        )
    return _made(float(max_fpr))


def named_partial_auc(name: str) -> ScoreMeasure | None:
    """Return the partial AUC of a name like AUC@0.1; None if it is not one.

    Examples
    --------
    >>> named_partial_auc("partial AUC 0.05").key
    'AUC@0.05'
    """
    found = _NAME.fullmatch(name.strip())
    if not found:
        return None
    try:
        return partial_auc(float(found[1]))
    except ValueError:
        return None


def partial_areas(counts: Counts, max_fpr: float) -> Floats:
    """Return standardised areas under the ROC curve up to a false positive rate."""
    positives, negatives = counts.positives, counts.negatives
    below = np.cumsum(negatives, axis=-1)
    used = np.clip(max_fpr * below[..., -1:] - (below - negatives), 0.0, negatives)
    parts = np.divide(used, negatives, out=np.zeros_like(used), where=negatives > 0)
    heights = np.cumsum(positives, axis=-1) - positives * (1 - parts / 2)
    areas = (used * heights).sum(axis=-1) / (below[..., -1] * positives.sum(axis=-1))
    return np.asarray(_standardised(areas, max_fpr))


def _standardised(area: Any, max_fpr: float) -> Any:
    """Return an area on McClish's scale."""
    least = max_fpr**2 / 2
    return (1 + (area - least) / (max_fpr - least)) / 2


@lru_cache(maxsize=256)
def _made(max_fpr: float) -> ScoreMeasure:
    rate = f"{max_fpr:.12g}"
    areas = partial(partial_areas, max_fpr=max_fpr)
    return ScoreMeasure(
        key=f"AUC@{rate}",
        name=f"Partial AUC up to a false positive rate of {rate}",
        aliases=(f"partial AUC {rate}", f"pAUC@{rate}", f"partial_auc_{rate}"),
        meaning=(
            f"The area under the ROC curve up to a false positive rate of {rate}, on a scale on "
            "which the diagonal has 0.5 and a perfect ranking 1 (McClish)."
        ),
        pitfall=(
            "Ties are a straight line in the ROC curve, and a random ranking a staircase: it "
            "expects more than 0.5, the more the fewer negatives the rate leaves."
        ),
        sklearn=SklearnCall("roc_auc_score", {"max_fpr": max_fpr}, argument="y_score"),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=rf"\frac{{1}}{{2}} \left( 1 + \frac{{A - {rate}^2/2}}{{{rate} - {rate}^2/2}} "
        rf"\right), \quad A = \int_0^{{{rate}}} \text{{TPR}} \, d\,\text{{FPR}}",
        kernel=alone(areas),
        many=areas,
        law=lambda test_set, deck: null_of_counts(test_set, deck, areas),
        extremes=lambda test_set: _extremes(test_set, max_fpr),
        perfect=lambda _: 1.0,
        missing=without_both,
    )


def mean_of_ranking(rate: BaseRate, most: float) -> float:
    """Return the expected area of a random ranking, in pairs, up to so many negatives.

    To break ties at random changes nothing in expectation, except in the block in which the false
    positive rate is reached. If it has x positives and y negatives and there is room for w = m + f
    of these, m whole and f a fraction, the line through the block has the area x w²/(2y), and a
    random order expects x (m + 1)(m/2 + f)/(y + 1). The difference is never negative: y times
    (y + 1) times it, doubled, is at least x w f (1 - f). So no guess expects more.
    """
    whole = np.floor(most)
    return float(rate.positives / (rate.negatives + 1) * (whole + 1) * (most - whole / 2))


def _extremes(rate: BaseRate, max_fpr: float) -> Extremes:
    """Return what a random ranking expects, which is best, and the diagonal, the worst."""
    if max_fpr == 1:
        return Extremes(ScoreOptimum(0.5, ANY), ScoreOptimum(0.5, ANY))
    pairs = float(rate.positives) * rate.negatives
    area = mean_of_ranking(rate, max_fpr * rate.negatives) / pairs
    best = float(_standardised(area, max_fpr))
    return Extremes(ScoreOptimum(best, RANDOM), ScoreOptimum(0.5, EQUAL))
