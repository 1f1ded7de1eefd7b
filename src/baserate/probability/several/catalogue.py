"""All measures of probabilities of several classes, and their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.core.catalogue import ALL, Catalogue, each_once, folded
from baserate.exceptions import UnknownMeasureError
from baserate.exceptions.base import listed, shown
from baserate.probability.several.calibration_error import TOP_ECE
from baserate.probability.several.measures import RULE_MEASURES, ProbabilityMeasure

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        raise UnknownMeasureError(
            f"unknown measure {shown(name)} of probabilities: must be one of "
            f"{listed(PROBABILITY_MEASURES, most=9)}"
        )
    return found


def chosen_probability_measures(
    measures: str | ProbabilityMeasure | Iterable[str | ProbabilityMeasure] | None,
) -> tuple[ProbabilityMeasure, ...]:
    """Return the requested measures, each once; those that people report for None."""
    if measures is None:
        return tuple(PROBABILITY_MEASURES[key] for key in REPORTED)
    if isinstance(measures, str) and folded(measures) == ALL:
        return tuple(PROBABILITY_MEASURES.values())
    if isinstance(measures, str | ProbabilityMeasure):
        measures = [measures]
    try:
        names: Any = iter(measures)
    except TypeError:
        names = [measures]  # which is unknown
    return each_once(map(get_probability_measure, names))
