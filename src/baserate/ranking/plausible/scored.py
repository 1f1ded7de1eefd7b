"""The scores of many test sets at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.ranking.scores import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.measures.record import ScoreMeasure
    from baserate.ranking.plausible.sample import Counts

    Floats = NDArray[np.float64]


def scored(measure: ScoreMeasure, counts: Counts) -> Floats:
    """Return the score of each test set; nan where there is none."""
    values, positives, negatives = counts
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.many is not None:
            return measure.many(counts)
        found = np.empty(len(positives))
        for place, (one, other) in enumerate(zip(positives, negatives, strict=True)):
            found[place] = _one(measure, values, one, other)
        return found


def _one(measure: ScoreMeasure, values: Floats, positives: Floats, negatives: Floats) -> float:
    # A block that nobody is in says nothing, and not every kernel knows that.
    is_there = positives + negatives > 0
    if is_there.all():
        return measure.kernel(Scores(values, positives, negatives))
    return measure.kernel(Scores(values[is_there], positives[is_there], negatives[is_there]))
