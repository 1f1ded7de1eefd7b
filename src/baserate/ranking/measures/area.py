"""The area under the ROC curve, and the Gini coefficient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.core.codomain import SIGNED, UNIT
from baserate.core.direction import Direction
from baserate.core.sklearn_call import SklearnCall
from baserate.ranking.many import areas
from baserate.ranking.measures.record import Extremes, ScoreMeasure
from baserate.ranking.null import null_of_areas

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.scores import Scores


def auc(scores: Scores) -> float:
    """Return how many pairs of a positive and a negative are in order, ties counting half."""
    # Floats: the number of pairs may have more than 64 bits.
    pairs = float(scores.positives.sum()) * float(scores.negatives.sum())
    return scores.pairs_in_order / pairs


def without_both(rate: BaseRate) -> str:
    """Say which class is missing, if one is."""
    if not rate.positives:
        return "there are no positives"
    return "" if rate.negatives else "there are no negatives"


AUC = ScoreMeasure(
    key="AUC",
    name="Area under the ROC Curve",
    aliases=(
        "ROC AUC", "roc_auc", "roc_auc_score", "AUROC", "area under the curve", "AUC ROC",
        "c-statistic", "c-index",
    ),
    meaning="The probability that a positive has a higher score than a negative; a tie is half.",
    pitfall=(
        "It counts all pairs alike, also those far from where a rare positive is looked for: a "
        "high AUC and a poor top of the list go together."
    ),
    sklearn=SklearnCall("roc_auc_score", argument="y_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=r"\frac{1}{P N} \sum_{i:\, y_i=1} \sum_{j:\, y_j=0} "
    r"\left( [s_i > s_j] + \tfrac{1}{2} [s_i = s_j] \right)",
    kernel=auc,
    many=areas,
    law=null_of_areas,
    extremes=lambda _: Extremes.same(0.5),
    perfect=lambda _: 1.0,
    missing=without_both,
    monotone=True,
)  # fmt: skip
GINI = ScoreMeasure(
    key="Gini",
    name="Gini Coefficient",
    aliases=("gini coefficient", "Somers' D", "accuracy ratio"),
    meaning="Twice the AUC minus 1: 0 for a random ranking, 1 for a perfect one.",
    pitfall="It is the AUC on another scale, and 0.5 of it is an AUC of 0.75.",
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=r"2 \cdot \text{AUC} - 1",
    many=lambda counts: 2 * areas(counts) - 1,
    kernel=lambda scores: 2 * auc(scores) - 1,
    law=lambda rate, deck: null_of_areas(rate, deck, slope=2.0, intercept=-1.0),
    extremes=lambda _: Extremes.same(0.0),
    perfect=lambda _: 1.0,
    missing=without_both,
    monotone=True,
)
AREAS = (AUC, GINI)
