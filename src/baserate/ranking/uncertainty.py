"""How sure a score and its margin are, over test sets like the one that was observed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.ranking.kept import kept
from baserate.ranking.plausible.baselines import baselines
from baserate.ranking.plausible.limits import Plausible
from baserate.ranking.plausible.sample import Sample

if TYPE_CHECKING:
    from baserate.ranking.measures.record import ScoreMeasure
    from baserate.ranking.optimum import ScoreYardstick
    from baserate.ranking.scores import Scores


def limits_of_score(measure: ScoreMeasure, observed: Scores, alpha: float) -> tuple[float, float]:
    """Return the limits of a score; nan if it has no value here.

    Rows are taken as a sample, how many are positive included. What the limits are of is the
    score that test sets of this size have on average.

    Parameters
    ----------
    measure
        The measure.
    observed
        What the model did.
    alpha
        How often the limits may be wrong, each of them half as often.

    Examples
    --------
    >>> from baserate.ranking.measures.area import AUC
    >>> from baserate.ranking.scores import Scores
    >>> perfect = Scores.of([0] * 20 + [1] * 10, range(30))
    >>> [round(limit, 2) for limit in limits_of_score(AUC, perfect, 0.05)]
    [0.67, 1.0]
    """
    found = _plausible(observed, measure, alpha)
    if found is None:
        return math.nan, math.nan
    return found.limits(lambda scores, _: scores)


def limits_of_margin(
    measure: ScoreMeasure, observed: Scores, yardstick: ScoreYardstick, alpha: float
) -> tuple[float, float]:
    """Return the limits of how much better a score is than the baseline; nan if it has none.

    The baseline is that of each test set: where it depends on how many are positive, it varies too.

    Parameters
    ----------
    measure
        The measure.
    observed
        What the model did.
    yardstick
        The baseline on the observed test set, and the scale around it.
    alpha
        How often the limits may be wrong, each of them half as often.
    """
    found = _plausible(observed, measure, alpha)
    if found is None:
        return math.nan, math.nan
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1
    known = baselines(measure, observed.test_set)
    low, high = found.limits(lambda scores, positives: sign * (scores - known(positives)))
    scale = yardstick.scale
    margin, slack = scale.advantage(found.exact, scale.best), scale.slack(found.exact, scale.best)
    low, high = (0.0 if abs(end) <= slack else end for end in (low, high))
    return min(low, margin), max(high, margin)


@kept(most=8)
def _plausible(observed: Scores, measure: ScoreMeasure, alpha: float) -> Plausible | None:
    """Return the test sets that could well have given this one; None if there is no score."""
    score, reason = measure.score_or_reason(observed)
    if reason or math.isnan(score):
        return None
    return Plausible(measure, _sample(observed, only_order=not measure.probabilities), score, alpha)


@kept(most=2)
def _sample(observed: Scores, *, only_order: bool) -> Sample:
    return Sample.of(observed, only_order=only_order)
