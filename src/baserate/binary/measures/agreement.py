"""Measures of both classes at once: J, MK, ACC, BACC, MCC and κ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.binary.measures.extreme import (
    ALWAYS,
    BALANCED,
    EVERYWHERE,
    MAJORITY_CLASS,
    MINORITY_CLASS,
    Extreme,
)
from baserate.binary.measures.proportion import Proportion
from baserate.binary.measures.record import Measure
from baserate.binary.measures.requirement import (
    CHANCE_CAN_ERR,
    SOME_NEGATIVES,
    SOME_POSITIVES,
    SOME_PREDICTED_NEGATIVES,
    SOME_PREDICTED_POSITIVES,
)
from baserate.binary.measures.under_draw import UnderDraw
from baserate.core.codomain import SIGNED, UNIT
from baserate.core.direction import Direction
from baserate.core.formula import ZERO, Formula, Number, sqrt
from baserate.core.sklearn_call import SklearnCall
from baserate.intervals.bootstrap import Rule

if TYPE_CHECKING:
    from baserate.binary.measures.margins import Margins

_NOWHERE_BETTER = Extreme(ZERO, EVERYWHERE)
_HALF = Formula(r"\frac{1}{2}", lambda m: m.total / (2 * m.total))


def _determinant(tp: Number, fp: Number, fn: Number, tn: Number) -> Number:
    """TP·TN - FP·FN = M·TP - P·P̂: exact in integers, where differences of rates would cancel."""
    return tp * tn - fp * fn


def _mcc_denominator(m: Margins) -> Number:
    """C(M, P, θ) of appendix A.18."""
    return sqrt(m.predicted_positives * m.positives * m.negatives * m.predicted_negatives)


# P(M - P̂) + (M - P)P̂ of appendix A.19.
_kappa_denominator = CHANCE_CAN_ERR.denominator

J = Measure(
    key="J",
    name="Youden's J Statistic",
    aliases=(
        "Youden's J",
        "Youden's J Index",
        "Youden's Index",
        "Informedness",
        "Bookmaker Informedness",
        "(Bookmaker) Informedness",
    ),
    meaning="How much likelier a positive prediction is for a positive than for a negative "
    "observation: TPR + TNR - 1.",
    section="A.14",
    pitfall="Both classes weigh the same, however rare one is. Where positives are rare, "
    "many false alarms for each hit take little from it.",
    sklearn=SklearnCall("balanced_accuracy_score", {"adjusted": True}),
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    interval=Rule.AVERAGE,
    definition=Formula(
        r"\text{TPR} + \text{TNR} - 1",
        lambda tp, fp, fn, tn: _determinant(tp, fp, fn, tn) / ((tp + fn) * (tn + fp)),
    ),
    requirements=(SOME_POSITIVES, SOME_NEGATIVES),
    draw=UnderDraw(
        slope=Formula(r"\frac{M}{P (M - P)}", lambda m: m.total / (m.positives * m.negatives)),
        intercept=Formula(
            r"-\frac{M \cdot \theta^*}{M - P}", lambda m: -m.predicted_positives / m.negatives
        ),
        expectation=ZERO,
        maximum=_NOWHERE_BETTER,
        minimum=_NOWHERE_BETTER,
        constant=ALWAYS,
    ),
    level=Formula(
        r"\text{TP} \cdot \text{TN} - \text{FP} \cdot \text{FN} - s P N",
        lambda s, tp, fp, fn, tn: _determinant(tp, fp, fn, tn) - s * ((tp + fn) * (tn + fp)),
    ),
)

MK = Measure(
    key="MK",
    name="Markedness",
    aliases=("deltaP",),
    meaning="How much likelier a positive observation is behind a positive than behind a "
    "negative prediction: PPV + NPV - 1.",
    section="A.15",
    pitfall="It is undefined unless both classes are predicted, and a few predictions of "
    "one class decide half of it.",
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=Formula(
        r"\text{PPV} + \text{NPV} - 1",
        lambda tp, fp, fn, tn: _determinant(tp, fp, fn, tn) / ((tp + fp) * (tn + fn)),
    ),
    requirements=(SOME_PREDICTED_POSITIVES, SOME_PREDICTED_NEGATIVES),
    draw=UnderDraw(
        slope=Formula(
            r"\frac{1}{M \cdot \theta^* (1 - \theta^*)}",
            lambda m: m.total / (m.predicted_positives * m.predicted_negatives),
        ),
        intercept=Formula(
            r"-\frac{P}{M (1 - \theta^*)}", lambda m: -m.positives / m.predicted_negatives
        ),
        expectation=ZERO,
        maximum=_NOWHERE_BETTER,
        minimum=_NOWHERE_BETTER,
        constant=ALWAYS,
    ),
    level=Formula(
        r"\text{TP} \cdot \text{TN} - \text{FP} \cdot \text{FN} - s \hat{P} \hat{N}",
        lambda s, tp, fp, fn, tn: _determinant(tp, fp, fn, tn) - s * ((tp + fp) * (tn + fn)),
    ),
)

ACC = Measure(
    key="ACC",
    name="Accuracy",
    aliases=("accuracy_score",),
    meaning="The fraction of all predictions that is right.",
    section="A.16",
    pitfall="Where one class is rare, whoever always predicts the other is nearly always "
    "right. A high accuracy may be all base rate.",
    sklearn=SklearnCall("accuracy_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(
        r"\frac{\text{TP} + \text{TN}}{M}",
        lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
    ),
    proportion=Proportion(hits=("tp", "tn"), misses=("fp", "fn")),
    draw=UnderDraw(
        slope=Formula(r"\frac{2}{M}", lambda m: 2 / m.total),
        intercept=Formula(
            r"1 - \theta^* - \frac{P}{M}",
            lambda m: (m.negatives - m.predicted_positives) / m.total,
        ),
        expectation=Formula(
            r"\frac{(1 - \theta^*)(M - P) + \theta^* \cdot P}{M}",
            lambda m: (
                (m.predicted_negatives * m.negatives + m.predicted_positives * m.positives)
                / (m.total * m.total)
            ),
        ),
        maximum=Extreme(
            Formula(
                r"\max\{\frac{P}{M}, 1 - \frac{P}{M}\}",
                lambda rate: max(rate.positives, rate.negatives) / rate.total,
            ),
            MAJORITY_CLASS,
        ),
        minimum=Extreme(
            Formula(
                r"\min\{\frac{P}{M}, 1 - \frac{P}{M}\}",
                lambda rate: min(rate.positives, rate.negatives) / rate.total,
            ),
            MINORITY_CLASS,
        ),
        constant=BALANCED,
    ),
    level=Formula(
        r"\text{TP} + \text{TN} - s M", lambda s, tp, fp, fn, tn: tp + tn - s * (tp + fp + fn + tn)
    ),
)

BACC = Measure(
    key="BACC",
    name="Balanced Accuracy",
    aliases=("balanced_accuracy_score",),
    meaning="The mean of the fractions of the positive and of the negative observations that "
    "are predicted right.",
    section="A.17",
    pitfall="Chance is one half, not 0. Both classes weigh the same, however rare one is, "
    "so that many false alarms for each hit take little from it.",
    sklearn=SklearnCall("balanced_accuracy_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    interval=Rule.AVERAGE,
    definition=Formula(
        r"\frac{1}{2} (\text{TPR} + \text{TNR})",
        lambda tp, fp, fn, tn: (tp * (tn + fp) + tn * (tp + fn)) / (2 * (tp + fn) * (tn + fp)),
    ),
    requirements=(SOME_POSITIVES, SOME_NEGATIVES),
    draw=UnderDraw(
        slope=Formula(
            r"\frac{M}{2 P (M - P)}", lambda m: m.total / (2 * m.positives * m.negatives)
        ),
        intercept=Formula(
            r"\frac{1}{2} - \frac{M \cdot \theta^*}{2 (M - P)}",
            lambda m: (m.negatives - m.predicted_positives) / (2 * m.negatives),
        ),
        expectation=_HALF,
        maximum=Extreme(_HALF, EVERYWHERE),
        minimum=Extreme(_HALF, EVERYWHERE),
        constant=ALWAYS,
    ),
    level=Formula(
        r"\text{TP} \cdot N + \text{TN} \cdot P - 2 s P N",
        lambda s, tp, fp, fn, tn: tp * (tn + fp) + tn * (tp + fn) - s * (2 * (tp + fn) * (tn + fp)),
    ),
)

MCC = Measure(
    key="MCC",
    name="Matthews Correlation Coefficient",
    aliases=("matthews_corrcoef", "phi", "phi coefficient", "Yule phi coefficient", "φ"),
    meaning="The correlation between the true and the predicted labels.",
    section="A.18",
    pitfall="Every draw expects 0, and about half of them are above it by luck: read the "
    "p-value. It is undefined if only one class is predicted.",
    sklearn=SklearnCall("matthews_corrcoef"),
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=Formula(
        r"\frac{\text{TP} \cdot \text{TN} - \text{FP} \cdot \text{FN}}"
        r"{\sqrt{\hat{P} \cdot \hat{N} \cdot P \cdot N}}",
        lambda tp, fp, fn, tn: (
            _determinant(tp, fp, fn, tn) / sqrt((tp + fp) * (tn + fn) * (tp + fn) * (tn + fp))
        ),
    ),
    requirements=(
        SOME_POSITIVES,
        SOME_NEGATIVES,
        SOME_PREDICTED_POSITIVES,
        SOME_PREDICTED_NEGATIVES,
    ),
    draw=UnderDraw(
        slope=Formula(
            r"\frac{1}{\sqrt{P (M - P) \theta^* (1 - \theta^*)}}",
            lambda m: m.total / _mcc_denominator(m),
        ),
        intercept=Formula(
            r"-\frac{\sqrt{P \cdot \theta^*}}{\sqrt{(M - P)(1 - \theta^*)}}",
            lambda m: -(m.positives * m.predicted_positives) / _mcc_denominator(m),
        ),
        expectation=ZERO,
        maximum=_NOWHERE_BETTER,
        minimum=_NOWHERE_BETTER,
        constant=ALWAYS,
    ),
    # Squared: it has the sign of MCC - s above the baseline, where neither is negative.
    level=Formula(
        r"(\text{TP} \cdot \text{TN} - \text{FP} \cdot \text{FN})^2 - s^2 \hat{P} \hat{N} P N",
        lambda s, tp, fp, fn, tn: (
            _determinant(tp, fp, fn, tn) ** 2
            - s * s * ((tp + fp) * (tn + fn) * (tp + fn) * (tn + fp))
        ),
    ),
)

KAPPA = Measure(
    key="KAPPA",
    name="Cohen's kappa",
    aliases=("cohen_kappa", "cohen_kappa_score", "κ"),
    meaning="How far the accuracy exceeds the one expected from labels drawn at random in the "
    "same proportions, as a fraction of what is left.",
    section="A.19",
    pitfall="What it takes for chance depends on how many are predicted positive, so that "
    "models of equal accuracy may differ. It reaches 1 only with as many positive "
    "predictions as positives.",
    sklearn=SklearnCall("cohen_kappa_score"),
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=Formula(
        r"\frac{P_o - P_e}{1 - P_e},\ P_o = \text{Acc},\ "
        r"P_e = \frac{\hat{P} \cdot P + \hat{N} \cdot N}{M^2}",
        lambda tp, fp, fn, tn: (
            (2 * _determinant(tp, fp, fn, tn)) / ((tp + fn) * (tn + fn) + (tn + fp) * (tp + fp))
        ),
    ),
    requirements=(CHANCE_CAN_ERR,),
    draw=UnderDraw(
        slope=Formula(
            r"\frac{2}{P (1 - \theta^*) + (M - P) \theta^*}",
            lambda m: 2 * m.total / _kappa_denominator(m),
        ),
        intercept=Formula(
            r"-\frac{2 \theta^* \cdot P}{P (1 - \theta^*) + (M - P) \theta^*}",
            lambda m: -(2 * m.predicted_positives * m.positives) / _kappa_denominator(m),
        ),
        expectation=ZERO,
        maximum=_NOWHERE_BETTER,
        minimum=_NOWHERE_BETTER,
        constant=ALWAYS,
    ),
    level=Formula(
        r"2 (\text{TP} \cdot \text{TN} - \text{FP} \cdot \text{FN}) - s (P \hat{N} + N \hat{P})",
        lambda s, tp, fp, fn, tn: (
            2 * _determinant(tp, fp, fn, tn) - s * ((tp + fn) * (tn + fn) + (tn + fp) * (tp + fp))
        ),
    ),
)

AGREEMENT = (J, MK, ACC, BACC, MCC, KAPPA)
