"""Measures of scores of two classes by name, and those of labels at a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from baserate.core.measure import Catalogue
from baserate.exceptions import UnknownMeasureError
from baserate.formatting import shown
from baserate.measures.probabilities import TWO_CLASS_MEASURES
from baserate.measures.rankings import RANKING_MEASURES, with_number
from baserate.measures.scores_record import OfScores, ScoreMeasure
from baserate.observed.two_classes import Answers, JointTable

if TYPE_CHECKING:
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.score_pairs import JointScores
    from baserate.observed.scores import RankedScores


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CutMeasure(OfScores):
    """A measure of the labels that scores give at a threshold.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy
        As of the measure of labels.
    of
        The measure of labels.
    threshold
        The lowest score that is predicted positive.
    """

    of: TwoClassMeasure
    threshold: float

    monotone = False

    @classmethod
    def at(cls, measure: TwoClassMeasure, threshold: float) -> CutMeasure:
        """Return a measure of labels at a threshold."""
        return _made(measure, threshold)

    def score_or_reason(self, observed: RankedScores) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        return self.of.score_or_reason(observed.table(self.threshold))

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""
        self.of.require_baseline()

    def joint(self, joint: JointScores) -> JointTable:
        """Return the labels that two models give at the threshold."""
        positives, negatives = zip(*joint.labels(self.threshold), strict=True)
        return JointTable(Answers(*positives), Answers(*negatives))


@lru_cache(maxsize=256)
def _made(measure: TwoClassMeasure, threshold: float) -> CutMeasure:
    remedy = "its threshold may be wrong for this measure"
    return CutMeasure(**(measure.declared | {"remedy": remedy}), of=measure, threshold=threshold)


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
