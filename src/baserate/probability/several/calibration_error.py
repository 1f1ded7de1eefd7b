"""The expected calibration error of the most likely class: there to be told uninformative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.null.sums import of_tables
from baserate.probability.measures.calibration_error import ECE, in_bins
from baserate.probability.several.measures import ProbabilityMeasure
from baserate.ranking.rules import BRIER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.class_counts import ClassCounts
    from baserate.null.distribution import NullDistribution
    from baserate.probability.several.observed import ClassProbabilities

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopCalibrationError(ProbabilityMeasure):
    """The mean gap between the highest probability and how often that class is right, in 15 bins.

    Of equal probabilities the first class is meant, as numpy's `argmax` has it.
    """

    additive = False

    def score_or_reason(self, observed: ClassProbabilities) -> tuple[float, str]:
        """Return the score; there always is one."""
        tops, certainty = _tops(observed.rows)
        is_hit = tops[observed.given] == observed.truth
        hits = in_bins(certainty[observed.given], observed.counts * is_hit)
        expected = in_bins(certainty, observed.sizes * certainty)
        return float(np.abs(hits - expected).sum() / observed.total), ""

    def constants(self, test_set: ClassCounts, corner: int) -> tuple[float, float]:
        """Return the score of the class shares, and of certainty of a class, for everyone."""
        return 0.0, 1 - int(test_set.array[corner]) / test_set.total

    def law(
        self,
        test_set: ClassCounts,
        rows: Floats,
        sizes: Ints,
        tiny: float,  # noqa: ARG002
    ) -> NullDistribution:
        """Return the distribution of the score when some rows are shuffled.

        Rows of one bin and one most likely class are alike, so a shuffle is a random table.
        """
        tops, certainty = _tops(rows)
        expected = in_bins(certainty, sizes * certainty)
        groups = np.stack([in_bins(certainty, sizes * (tops == k)) for k in range(rows.shape[1])])
        top, place = np.nonzero(groups)
        in_each = (place[:, None] == np.arange(expected.size)).astype(float)

        def score(tables: Floats) -> Floats:
            hits = tables[:, np.arange(top.size), top]
            return np.asarray(np.abs(hits @ in_each - expected).sum(axis=1) / test_set.total)

        return of_tables(groups[top, place].astype(np.int64), test_set.array, score, size=1.0)


def _tops(rows: Floats) -> tuple[Ints, Floats]:
    """Return the most likely class of each row, and its probability."""
    return np.asarray(rows.argmax(axis=1)), np.asarray(rows.max(axis=1).astype(float))


TOP_ECE = TopCalibrationError(
    key=ECE.key,
    name=ECE.name,
    aliases=ECE.aliases,
    meaning=(
        "The mean gap between the probability of the most likely class and how often it is right, "
        "in 15 bins of equal width, weighted by their sizes."
    ),
    pitfall=(
        "The class shares for everyone have 0, the perfect score, for free; and a perfectly "
        "calibrated model does not."
    ),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    rounds=True,
    rule=BRIER,
)
