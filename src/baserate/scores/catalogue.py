"""All measures of scores, and their names."""

from __future__ import annotations

from baserate.core.catalogue import Catalogue
from baserate.exceptions import UnknownMeasureError
from baserate.formatting import shown
from baserate.probability.measures.catalogue import TWO_CLASS_MEASURES
from baserate.ranking.measures.catalogue import RANKING_MEASURES
from baserate.ranking.measures.names import with_number
from baserate.ranking.measures.record import ScoreMeasure

SCORE_MEASURES = Catalogue(__name__, "SCORE_MEASURES", (*RANKING_MEASURES, *TWO_CLASS_MEASURES))
"""The measures of scores that have a baseline, by key. Names with other numbers are known too."""

REPORTED = ("AUC", "AP")
"""The measures that are judged unless others are asked for."""


def get_score_measure(name: str | ScoreMeasure) -> ScoreMeasure:
    """Return a measure of scores by any of its names.

    Examples
    --------
    >>> get_score_measure("roc_auc"), get_score_measure("P@5")
    (<Measure AUC: Area under the ROC Curve>, <Measure precision@5: Precision at 5>)
    """
    if isinstance(name, ScoreMeasure):
        return name
    found = (SCORE_MEASURES.named(name) or with_number(name)) if isinstance(name, str) else None
    if found is None:
        raise UnknownMeasureError(
            f"unknown measure of scores {shown(name)}: list(baserate.SCORE_MEASURES) has all names"
        )
    return found
