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
from baserate.exceptions import InvalidScoresError
from baserate.formatting import p_equals, shown
from baserate.measures.probabilities import BRIER, parts_of
from baserate.measures.rankings import Ranking
from baserate.observed.labels import BaseRate
from baserate.observed.scores import RankedScores
from baserate.verdicts.verdict import Coded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from baserate.data.columns import Labels
    from baserate.measures.probabilities import Decomposition
    from baserate.plots.scores import ReliabilityDisplay

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class ReliabilityDiagnosis(Coded):
    """Threshold, ranking or calibration? A stable code, which `sentence` puts in words.

    Examples
    --------
    >>> ReliabilityDiagnosis("miscalibrated").sentence
    'the ranking has signal, the probabilities are wrong: recalibrate'
    """

    CALIBRATED = "calibrated", "no evidence against the probabilities or their ranking"
    MISCALIBRATED = (
        "miscalibrated",
        "the ranking has signal, the probabilities are wrong: recalibrate",
    )
    WRONG_THRESHOLD = "wrong_threshold", "the threshold tells nobody apart, the ranking does"
    NO_SIGNAL = "no_signal", "there is no evidence of signal"
    REVERSED = "reversed", "the probabilities are upside down"


# More blocks than this are merged, and chance is drawn so often.
_MOST_BLOCKS, _DRAWS = 1000, 999
LEAST_P = 1 / (1 + _DRAWS)
"""The smallest p-value of a miscalibration: no draw is as large."""
_BAND = (0.025, 0.975)
# Two miscalibrations this close, in Brier scores, are the same.
_SAME = 1e-12
# How many standard deviations a mean or a slope must be off to be named.
_CLEAR = 1.96


@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities in ascending blocks."""

    probabilities: Floats
    positives: Ints
    totals: Ints

    @classmethod
    def of(cls, probabilities: Floats, positives: Ints, totals: Ints) -> Calibration:
        """Return blocks, merged with their neighbours if there are more than a thousand.

        The outcomes of a merged block vary a little less than those of equal probabilities, so
        that chance is made to look slightly larger.
        """
        if probabilities.size <= _MOST_BLOCKS:
            return cls(probabilities.astype(float), positives, totals)
        done = np.cumsum(totals) - totals
        block = (done * _MOST_BLOCKS // int(totals.sum())).astype(np.int64)
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        merged = np.add.reduceat(totals, starts)
        means = np.add.reduceat(probabilities.astype(float) * totals, starts) / merged
        return cls(means.clip(0, 1), np.add.reduceat(positives, starts), merged)

    @cached_property
    def recalibrated(self) -> Floats:
        """The monotone probabilities closest to the outcomes."""
        return _isotonic(self.positives / self.totals, self.totals)

    @cached_property
    def miscalibration(self) -> float:
        """How much better the Brier score of the recalibrated probabilities is."""
        return self._gain(self.positives / self.totals, self.recalibrated)

    def _gain(self, rates: Floats, recalibrated: Floats) -> float:
        # Written with a difference of squares, it is 0 for probabilities that stay as they are.
        p = self.probabilities
        gains = (p - recalibrated) * (p + recalibrated - 2 * rates)
        return float(self.totals @ gains) / float(self.totals.sum())

    @cached_property
    def _drawn(self) -> tuple[Floats, Floats]:
        """The curves of outcomes drawn from the probabilities, and their miscalibrations."""
        rng = np.random.default_rng(17)
        curves, gains = np.empty((_DRAWS, self.totals.size)), np.empty(_DRAWS)
        for place in range(_DRAWS):
            rates = rng.binomial(self.totals, self.probabilities) / self.totals
            curves[place] = _isotonic(rates, self.totals)
            gains[place] = self._gain(rates, curves[place])
        return curves, gains

    @cached_property
    def p_value(self) -> float:
        """The chance of a miscalibration at least as large, if the probabilities were right.

        The observed outcomes count as one of the draws, so that it is never too small.
        """
        as_large = np.count_nonzero(self._drawn[1] >= self.miscalibration - _SAME)
        return (int(as_large) + 1) / (_DRAWS + 1)

    @cached_property
    def band(self) -> tuple[Floats, Floats, Floats]:
        """The probabilities, and between which values 95% of the curves drawn are at each."""
        low, high = np.quantile(self._drawn[0], _BAND, axis=0)
        return self.probabilities, low, high

    @cached_property
    def tilt(self) -> str:
        """In which way the probabilities are wrong, in words."""
        p, total = self.probabilities, float(self.totals.sum())
        around = p - float(self.totals @ p) / total
        shift, slope = self._deviation(np.ones(p.size)), self._deviation(around)
        if max(abs(shift), abs(slope)) < _CLEAR:
            return "wrong in places"
        if abs(shift) >= abs(slope):
            return "too low" if shift > 0 else "too high"
        return "not extreme enough" if slope > 0 else "too extreme"

    def _deviation(self, weights: Floats) -> float:
        """Return how many standard deviations more positives there are, where weights are large."""
        p, n = self.probabilities, self.totals
        surplus = float(weights @ (self.positives - n * p))
        variance = float((n * p * (1 - p)) @ weights**2)
        if variance <= 0:
            return math.copysign(math.inf, surplus) if abs(surplus) > _SAME else 0.0
        return surplus / math.sqrt(variance)


def _isotonic(rates: Floats, weights: Ints) -> Floats:
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(rates, weights=weights).x)


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
        positives, totals = self.positives[::-1], self.totals[::-1]
        levels = RankedScores(self.probabilities[::-1], positives, totals - positives)
        return parts_of(BRIER, levels)

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
        if self.predicted_positives in (0, self.base_rate.total):
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
        return _advice(self)

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
    rate = BaseRate.of_positives(y_true, pos_label)
    require_aligned({"y_true": y_true, "y_prob": y_prob})
    probabilities = score_vector(y_prob, rate.total, "y_prob") + 0.0  # there is one zero
    outside = (probabilities < 0) | (probabilities > 1)
    if outside.any():
        raise InvalidScoresError(
            f"must be probabilities between 0 and 1 (got {shown(float(probabilities[outside][0]))} "
            f"at position {int(outside.argmax())}); threshold_curve takes scores of any scale",
            parameter="y_prob",
        )
    is_positive = positive_mask(y_true, pos_label)
    values, place = np.unique(probabilities, return_inverse=True)
    return ReliabilityCurve(
        values,
        np.bincount(place[is_positive], minlength=values.size),
        np.bincount(place, minlength=values.size),
        None if threshold is None else require_threshold(threshold),
    )


def _advice(curve: ReliabilityCurve) -> str:
    """Say what to do about the probabilities."""
    ranking, parts, tilt = curve.ranking, curve.decomposition, curve.calibration.tilt
    off = (
        f"miscalibration {parts.miscalibration:.3f} of a Brier score of {parts.score:.3f}, "
        f"{p_equals(curve.p_value, exact=False, floor=LEAST_P)}"
    )
    signal = f"The ranking has signal ({ranking})"
    match curve.diagnosis:
        case ReliabilityDiagnosis.CALIBRATED:
            return f"{signal}, and there is no evidence that the probabilities are wrong ({off})."
        case ReliabilityDiagnosis.MISCALIBRATED:
            return f"{signal}, but the probabilities are {tilt} ({off}): recalibrate them." + (
                _moved(curve)
            )
        case ReliabilityDiagnosis.WRONG_THRESHOLD:
            everyone = "everyone" if curve.predicted_positives else "no one"
            return (
                f"The threshold is at fault: at {curve.threshold:.4g} {everyone} is positive, and "
                f"the ranking has signal ({ranking}). There is no evidence that the probabilities "
                f"are wrong ({off})."
            )
        case ReliabilityDiagnosis.NO_SIGNAL:
            wrong = "And the" if curve.is_miscalibrated else "There is no evidence that the"
            are = tilt if curve.is_miscalibrated else "wrong"
            return (
                f"There is no evidence that the ranking tells the classes apart ({ranking}), and "
                f"if it does not, neither another threshold nor recalibration helps. {wrong} "
                f"probabilities are {are} ({off})."
            )
        case ReliabilityDiagnosis.REVERSED:
            return (
                f"The probabilities are upside down (AUC {ranking.auc:.3f}): lower ones go with "
                "positive labels. Look for swapped labels, or for the column of the other class."
            )


def _moved(curve: ReliabilityCurve) -> str:
    """Say which threshold means what the model's own should mean."""
    if curve.threshold is None:
        return ""
    found = curve.equivalent_threshold
    if math.isinf(found):
        return f" Recalibrated, none reaches {curve.threshold:.4g}."
    return f" Recalibrated, {curve.threshold:.4g} is reached from {found:.4g} on."
