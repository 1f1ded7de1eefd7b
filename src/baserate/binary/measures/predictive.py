"""Rates within a predicted class: PPV, NPV, FDR and FOR."""

from __future__ import annotations

from baserate.binary.measures.extreme import ALWAYS, EVERYWHERE, Extreme
from baserate.binary.measures.proportion import Proportion
from baserate.binary.measures.record import Measure
from baserate.binary.measures.requirement import SOME_PREDICTED_NEGATIVES, SOME_PREDICTED_POSITIVES
from baserate.binary.measures.under_draw import UnderDraw
from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.core.formula import ONE, ZERO, Formula
from baserate.core.sklearn_call import SklearnCall

_BASE_RATE = Formula(r"\frac{P}{M}", lambda m: m.positives / m.total)
_NEGATIVE_RATE = Formula(r"1 - \frac{P}{M}", lambda m: m.negatives / m.total)

PPV = Measure(
    key="PPV",
    name="Positive Predictive Value",
    aliases=("Precision", "precision_score"),
    meaning="The fraction of the positive predictions that is right.",
    section="A.9",
    pitfall="Misses cost nothing: a single positive prediction that is right makes it "
    "perfect. Its baseline is the base rate, so the same model has a lower one "
    "where positives are rarer.",
    sklearn=SklearnCall("precision_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\text{TP}}{\hat{P}}", lambda tp, fp, fn, tn: tp / (tp + fp)),
    requirements=(SOME_PREDICTED_POSITIVES,),
    proportion=Proportion(hits=("tp",), misses=("fp",)),
    draw=UnderDraw(
        slope=Formula(r"\frac{1}{M \cdot \theta^*}", lambda m: 1 / m.predicted_positives),
        intercept=ZERO,
        expectation=_BASE_RATE,
        maximum=Extreme(_BASE_RATE, EVERYWHERE),
        minimum=Extreme(_BASE_RATE, EVERYWHERE),
        constant=ALWAYS,
    ),
    level=Formula(r"\text{TP} - s \hat{P}", lambda s, tp, fp, fn, tn: tp - s * (tp + fp)),
)

NPV = Measure(
    key="NPV",
    name="Negative Predictive Value",
    meaning="The fraction of the negative predictions that is right.",
    section="A.10",
    pitfall="False alarms cost nothing, and where positives are rare every draw has nearly 1.",
    sklearn=SklearnCall("precision_score", {"pos_label": 0}),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\text{TN}}{\hat{N}}", lambda tp, fp, fn, tn: tn / (tn + fn)),
    requirements=(SOME_PREDICTED_NEGATIVES,),
    proportion=Proportion(hits=("tn",), misses=("fn",)),
    draw=UnderDraw(
        slope=Formula(r"\frac{1}{M (1 - \theta^*)}", lambda m: 1 / m.predicted_negatives),
        intercept=Formula(
            r"1 - \frac{P}{M (1 - \theta^*)}",
            lambda m: (m.predicted_negatives - m.positives) / m.predicted_negatives,
        ),
        expectation=_NEGATIVE_RATE,
        maximum=Extreme(_NEGATIVE_RATE, EVERYWHERE),
        minimum=Extreme(_NEGATIVE_RATE, EVERYWHERE),
        constant=ALWAYS,
    ),
    level=Formula(r"\text{TN} - s \hat{N}", lambda s, tp, fp, fn, tn: tn - s * (tn + fn)),
)

FDR = Measure(
    key="FDR",
    name="False Discovery Rate",
    meaning="The fraction of the positive predictions that is wrong.",
    section="A.11",
    pitfall="Misses cost nothing: a single positive prediction that is right makes it "
    "perfect. Where positives are rare, every draw has nearly 1.",
    sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1], "normalize": "pred"}, cell=(0, 1)),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\text{FP}}{\hat{P}}", lambda tp, fp, fn, tn: fp / (tp + fp)),
    requirements=(SOME_PREDICTED_POSITIVES,),
    proportion=Proportion(hits=("fp",), misses=("tp",)),
    draw=UnderDraw(
        slope=Formula(r"-\frac{1}{M \cdot \theta^*}", lambda m: -1 / m.predicted_positives),
        intercept=ONE,
        expectation=_NEGATIVE_RATE,
        maximum=Extreme(_NEGATIVE_RATE, EVERYWHERE),
        minimum=Extreme(_NEGATIVE_RATE, EVERYWHERE),
        constant=ALWAYS,
    ),
    level=Formula(r"\text{FP} - s \hat{P}", lambda s, tp, fp, fn, tn: fp - s * (tp + fp)),
)

FOR = Measure(
    key="FOR",
    name="False Omission Rate",
    meaning="The fraction of the negative predictions that is wrong.",
    section="A.12",
    pitfall="False alarms cost nothing, and where positives are rare every draw has nearly 0.",
    sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1], "normalize": "pred"}, cell=(1, 0)),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\text{FN}}{\hat{N}}", lambda tp, fp, fn, tn: fn / (tn + fn)),
    requirements=(SOME_PREDICTED_NEGATIVES,),
    proportion=Proportion(hits=("fn",), misses=("tn",)),
    draw=UnderDraw(
        slope=Formula(r"-\frac{1}{M (1 - \theta^*)}", lambda m: -1 / m.predicted_negatives),
        intercept=Formula(
            r"\frac{P}{M (1 - \theta^*)}", lambda m: m.positives / m.predicted_negatives
        ),
        expectation=_BASE_RATE,
        maximum=Extreme(_BASE_RATE, EVERYWHERE),
        minimum=Extreme(_BASE_RATE, EVERYWHERE),
        constant=ALWAYS,
    ),
    level=Formula(r"\text{FN} - s \hat{N}", lambda s, tp, fp, fn, tn: fn - s * (tn + fn)),
)

PREDICTIVE = (PPV, NPV, FDR, FOR)
