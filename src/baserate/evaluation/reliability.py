"""Do probabilities mean what they say? The reliability curve, and what to do about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.multiple_testing import ALPHA
from baserate.data.labels import positive_mask
from baserate.data.numbers import compared, require_threshold, score_vector
from baserate.data.rows import DEFAULT_NAME, require_aligned
from baserate.evaluation.reliability_diagnosis import ReliabilityDiagnosis, advice
from baserate.exceptions import InvalidScoresError
from baserate.formatting import shown
from baserate.measures.probabilities import Calibration, decomposed
from baserate.null.rankings import Ranking
from baserate.observed.base_rate import BaseRate
from baserate.observed.scores import RankedScores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from baserate.data.columns import Labels
    from baserate.measures.probabilities import Decomposition
    from baserate.plots.scores import ReliabilityDisplay

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """How often each probability came true, next to what chance does to right ones.

    Parameters
    ----------
    probabilities
        The distinct probabilities, ascending.
    positives, totals
        How many observations with each are positive, and how many there are.
    threshold
        The lowest probability that the model calls positive, if known.

    Examples
    --------
    >>> y_true = [0] * 8 + [1] * 2 + [0] * 5 + [1] * 5
    >>> curve = reliability_curve(y_true, [0.2] * 10 + [0.9] * 10)
    >>> curve.recalibrated, round(curve.decomposition.miscalibration, 3), round(curve.p_value, 3)
    (array([0.2, 0.5]), 0.08, 0.011)
    """

    probabilities: Floats
    positives: Ints
    totals: Ints
    threshold: float | None = None

    @cached_property
    def base_rate(self) -> BaseRate:
        """The test set."""
        return BaseRate(positives=int(self.positives.sum()), total=int(self.totals.sum()))

    @cached_property
    def calibration(self) -> Calibration:
        """The blocks of probabilities that are compared with chance, at most a thousand."""
        return Calibration.of(self.probabilities, self.positives, self.totals)

    @cached_property
    def recalibrated(self) -> Floats:
        """What each probability should have been: the monotone curve closest to the outcomes.

        This is the CORP curve (Dimitriadis, Gneiting and Jordan, 2021): no bins to choose.
        """
        return Calibration(self.probabilities, self.positives, self.totals).recalibrated

    @property
    def band(self) -> tuple[Floats, Floats, Floats]:
        """The band of chance: probabilities, and between which values 95% of the curves are there.

        These are curves of outcomes drawn from the probabilities themselves: where the model's own
        curve leaves the band, chance hardly explains it. The band holds at each place by itself.
        """
        return self.calibration.band

    @property
    def p_value(self) -> float:
        """The chance of a miscalibration at least as large, if all probabilities were right.

        It is simulated, by the same random numbers every time, and never below 1/1000.
        """
        return self.calibration.p_value

    @cached_property
    def decomposition(self) -> Decomposition:
        """The Brier score, split into miscalibration, discrimination and uncertainty."""
        down = slice(None, None, -1)
        negatives = self.totals - self.positives
        return decomposed(
            RankedScores(self.probabilities[down], self.positives[down], negatives[down])
        )

    @cached_property
    def ranking(self) -> Ranking:
        """How well the probabilities separate the classes, whatever their values."""
        positives, totals = self.positives[::-1], self.totals[::-1]
        return Ranking(positives, totals - positives)

    @property
    def has_ranking(self) -> bool:
        """Whether the ranking separates the classes."""
        return self.ranking.p_value < ALPHA

    @property
    def is_miscalibrated(self) -> bool:
        """Whether chance hardly explains how often the probabilities came true."""
        return self.p_value < ALPHA

    @cached_property
    def diagnosis(self) -> ReliabilityDiagnosis:
        """Whether the ranking, the calibration or the threshold is at fault."""
        if not self.has_ranking:
            is_reversed = self.ranking.reversed().p_value < ALPHA
            return ReliabilityDiagnosis.REVERSED if is_reversed else ReliabilityDiagnosis.NO_SIGNAL
        if self.is_miscalibrated:
            return ReliabilityDiagnosis.MISCALIBRATED
        if self._calls_all_alike:
            return ReliabilityDiagnosis.WRONG_THRESHOLD
        return ReliabilityDiagnosis.CALIBRATED

    @property
    def predicted_positives(self) -> int | None:
        """How many observations are at or above the threshold; None if that is not known."""
        if self.threshold is None:
            return None
        above = self.probabilities >= compared(self.threshold, self.probabilities.dtype)
        return int(self.totals[above].sum())

    @property
    def _calls_all_alike(self) -> bool:
        return self.predicted_positives in (0, self.base_rate.total)

    @property
    def equivalent_threshold(self) -> float:
        """The probability from which on the recalibrated one reaches the threshold.

        Infinity if none does, and nan if no threshold is known.
        """
        if self.threshold is None:
            return math.nan
        reached = np.flatnonzero(self.recalibrated >= self.threshold)
        return float(self.probabilities[reached[0]]) if reached.size else math.inf

    def plot(self, *, name: str = DEFAULT_NAME, ax: Axes | None = None) -> ReliabilityDisplay:
        """Draw how often each probability came true, with the band of chance.

        Parameters
        ----------
        name
            The name of the model.
        ax
            Where to draw; a new figure by default.
        """
        from baserate.plots.scores import ReliabilityDisplay

        return ReliabilityDisplay(self, name).plot(ax)

    def __str__(self) -> str:
        return advice(self)

    def __repr__(self) -> str:
        return f"<ReliabilityCurve: {self.probabilities.size:,} probabilities. {self}>"


def reliability_curve(
    y_true: Labels,
    y_prob: Any,
    *,
    pos_label: object = None,
    threshold: float | None = None,
) -> ReliabilityCurve:
    """Compare probabilities with how often they came true, and with what chance does to right ones.

    This distinguishes probabilities that are wrong from a ranking that is: the first are easily
    recalibrated, the second is not.

    Parameters
    ----------
    y_true
        The true labels.
    y_prob
        A probability per observation of being positive.
    pos_label
        The positive class, against the rest. It may be left out for labels 0/1, -1/1 or booleans.
    threshold
        The threshold that the model uses now, such as 0.5.

    Returns
    -------
    ReliabilityCurve
        The curve with its `band` of chance, the `p_value` of its miscalibration, the Brier score's
        `decomposition`, the `ranking` and the `diagnosis`; it prints what to do.

    Examples
    --------
    >>> y_true = [0] * 8 + [1] * 2 + [0] * 5 + [1] * 5
    >>> print(reliability_curve(y_true * 5, ([0.2] * 10 + [0.9] * 10) * 5))
    The ranking has signal (AUC 0.665, p = 0.002), but the probabilities are too extreme
    (miscalibration 0.080 of a Brier score of 0.285, p < 0.001): recalibrate them.
    """
    rate = BaseRate.of(y_true, pos_label)
    require_aligned({"y_true": y_true, "y_prob": y_prob})
    probabilities = _probabilities(y_prob, rate.total)
    is_positive = positive_mask(y_true, pos_label)
    values, place = np.unique(probabilities, return_inverse=True)
    return ReliabilityCurve(
        values,
        np.bincount(place[is_positive], minlength=values.size),
        np.bincount(place, minlength=values.size),
        None if threshold is None else require_threshold(threshold),
    )


def _probabilities(y_prob: Any, rows: int) -> Floats:
    """Return probabilities as floats, or raise."""
    values = score_vector(y_prob, rows, "y_prob")
    outside = (values < 0) | (values > 1)
    if outside.any():
        raise InvalidScoresError(
            f"must be probabilities between 0 and 1 (got {shown(float(values[outside][0]))} at "
            f"position {int(outside.argmax())}); threshold_curve takes scores of any scale",
            parameter="y_prob",
        )
    return values + 0.0  # there is one zero
