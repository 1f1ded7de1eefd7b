"""The law of a score when the predictions of a model are dealt at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.exceptions import UndefinedMeasureError
from baserate.regression.law.dealings import dealing_of, kept
from baserate.regression.law.reading import NumberLaw, Reading
from baserate.regression.law.weighted import weighted_dealing_of

if TYPE_CHECKING:
    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure


@kept
def law_of(measure: NumberMeasure, fit: Fit) -> NumberLaw:
    """Return the law of a score when the predictions of a model are dealt at random.

    Each observation keeps its truth and its weight.
    """
    score, reason = measure.score_or_reason(fit)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    with np.errstate(all="ignore"):  # other orders may have losses that are beyond floats
        found = (
            dealing_of(measure.form, fit)
            if fit.weights is None
            else weighted_dealing_of(measure, fit)
        )
    return NumberLaw(Reading(found.observed, score, found.slope, found.rooted), found.dealt)
