"""All measures of probabilities of several classes, and their names."""

from __future__ import annotations

from baserate.core.catalogue import Catalogue, unknown_measure
from baserate.exceptions.base import listed
from baserate.probability.several.calibration_error import TOP_ECE
from baserate.probability.several.measures import RULE_MEASURES, ProbabilityMeasure

PROBABILITY_MEASURES = Catalogue[ProbabilityMeasure](
    __name__, "PROBABILITY_MEASURES", (*RULE_MEASURES, TOP_ECE)
)
"""The measures of probabilities of several classes, by key."""

REPORTED = ("Brier", "log loss")
"""The measures that are judged unless others are asked for."""


def get_probability_measure(name: str | ProbabilityMeasure) -> ProbabilityMeasure:
    """Return a measure of probabilities of several classes by any of its names.

    Examples
    --------
    >>> get_probability_measure("d2_brier_score")
    <Measure D2 Brier: Brier Skill Score>
    """
    if isinstance(name, ProbabilityMeasure):
        return name
    found = PROBABILITY_MEASURES.named(name) if isinstance(name, str) else None
    if found is None:
        known = listed(PROBABILITY_MEASURES, most=9)
        raise unknown_measure(name, " of probabilities", (), f"must be one of {known}")
    return found
