"""Diagnose probabilities: the threshold, the ranking or the calibration may be at fault."""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING

from baserate.formatting import p_equals
from baserate.measures.probabilities import LEAST_P, Tilt

if TYPE_CHECKING:
    from baserate.evaluation.reliability import ReliabilityCurve


class ReliabilityDiagnosis(enum.StrEnum):
    """Threshold, ranking or calibration? A stable code, which `sentence` puts in words.

    Examples
    --------
    >>> ReliabilityDiagnosis("miscalibrated").sentence
    'the ranking has signal, the probabilities are wrong: recalibrate'
    """

    CALIBRATED = "calibrated"
    MISCALIBRATED = "miscalibrated"
    WRONG_THRESHOLD = "wrong_threshold"
    NO_SIGNAL = "no_signal"
    REVERSED = "reversed"

    @property
    def sentence(self) -> str:
        """The diagnosis in words."""
        return _SENTENCES[self]


_SENTENCES = {
    ReliabilityDiagnosis.CALIBRATED: "no evidence against the probabilities or their ranking",
    ReliabilityDiagnosis.MISCALIBRATED: (
        "the ranking has signal, the probabilities are wrong: recalibrate"
    ),
    ReliabilityDiagnosis.WRONG_THRESHOLD: "the threshold tells nobody apart, the ranking does",
    ReliabilityDiagnosis.NO_SIGNAL: "there is no evidence of signal",
    ReliabilityDiagnosis.REVERSED: "the probabilities are upside down",
}


def advice(curve: ReliabilityCurve) -> str:
    """Explain a reliability curve."""
    return _ADVICE[curve.diagnosis](curve)


def _auc(curve: ReliabilityCurve) -> str:
    auc = curve.ranking.auc
    if math.isnan(auc):
        return "there is one class only"
    p = p_equals(curve.ranking.p_value, exact=curve.ranking.exact, floor=curve.ranking.floor)
    return f"AUC {auc:.3f}, {p}"


def _miscalibration(curve: ReliabilityCurve) -> str:
    parts = curve.decomposition
    return (
        f"miscalibration {parts.miscalibration:.3f} of a Brier score of {parts.score:.3f}, "
        f"{p_equals(curve.p_value, exact=False, floor=LEAST_P)}"
    )


_TILTS = {
    Tilt.HIGH: "too high",
    Tilt.LOW: "too low",
    Tilt.EXTREME: "too extreme",
    Tilt.TIMID: "not extreme enough",
    Tilt.OTHER: "wrong in places",
}


def _says_miscalibrated(curve: ReliabilityCurve) -> str:
    return (
        f"The ranking has signal ({_auc(curve)}), but the probabilities are "
        f"{_TILTS[curve.calibration.tilt]} ({_miscalibration(curve)}): recalibrate them."
        f"{_moved(curve)}"
    )


def _moved(curve: ReliabilityCurve) -> str:
    """Say which threshold means what the model's own should mean."""
    if curve.threshold is None:
        return ""
    found = curve.equivalent_threshold
    if math.isinf(found):
        return f" Recalibrated, none reaches {curve.threshold:.4g}."
    return f" Recalibrated, {curve.threshold:.4g} is reached from {found:.4g} on."


def _says_wrong_threshold(curve: ReliabilityCurve) -> str:
    everyone = "everyone" if curve.predicted_positives else "no one"
    return (
        f"The threshold is at fault: at {curve.threshold:.4g} {everyone} is positive, and the "
        f"ranking has signal ({_auc(curve)}). There is no evidence that the probabilities are "
        f"wrong ({_miscalibration(curve)})."
    )


def _says_calibrated(curve: ReliabilityCurve) -> str:
    return (
        f"The ranking has signal ({_auc(curve)}), and there is no evidence that the probabilities "
        f"are wrong ({_miscalibration(curve)})."
    )


def _says_no_signal(curve: ReliabilityCurve) -> str:
    wrong = "And the" if curve.is_miscalibrated else "There is no evidence that the"
    are = f"are {_TILTS[curve.calibration.tilt]}" if curve.is_miscalibrated else "are wrong"
    return (
        f"There is no evidence that the ranking tells the classes apart ({_auc(curve)}), and if "
        f"it does not, neither another threshold nor recalibration helps. {wrong} "
        f"probabilities {are} ({_miscalibration(curve)})."
    )


def _says_reversed(curve: ReliabilityCurve) -> str:
    return (
        f"The probabilities are upside down (AUC {curve.ranking.auc:.3f}): lower ones go with "
        "positive labels. Look for swapped labels, or for the column of the other class."
    )


_ADVICE = {
    ReliabilityDiagnosis.CALIBRATED: _says_calibrated,
    ReliabilityDiagnosis.MISCALIBRATED: _says_miscalibrated,
    ReliabilityDiagnosis.WRONG_THRESHOLD: _says_wrong_threshold,
    ReliabilityDiagnosis.NO_SIGNAL: _says_no_signal,
    ReliabilityDiagnosis.REVERSED: _says_reversed,
}
