"""Rates within a true class: TPR, TNR, FNR and FPR."""

from __future__ import annotations

from baserate.binary.measures.extreme import ALL_NEGATIVE, ALL_POSITIVE, Extreme
from baserate.binary.measures.proportion import Proportion
from baserate.binary.measures.record import Measure
from baserate.binary.measures.requirement import SOME_NEGATIVES, SOME_POSITIVES
from baserate.binary.measures.under_draw import UnderDraw
from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.core.formula import ONE, ZERO, Formula
from baserate.core.sklearn_call import SklearnCall

_THETA_STAR = Formula(r"\theta^*", lambda m: m.predicted_positives / m.total)
_ONE_MINUS_THETA_STAR = Formula(r"1 - \theta^*", lambda m: m.predicted_negatives / m.total)

TPR = Measure(
    key="TPR",
    name="True Positive Rate",
    aliases=("Recall", "Sensitivity", "hit rate", "recall_score"),
    meaning="The fraction of the positive observations that is predicted positive.",
    section="A.5",
    pitfall="It is perfect for whoever predicts everything positive, because false alarms "
    "cost nothing. Read it beside TNR or PPV.",
    sklearn=SklearnCall("recall_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\text{TP}}{P}", lambda tp, fp, fn, tn: tp / (tp + fn)),
    requirements=(SOME_POSITIVES,),
    proportion=Proportion(hits=("tp",), misses=("fn",)),
    draw=UnderDraw(
        slope=Formula(r"\frac{1}{P}", lambda m: 1 / m.positives),
        intercept=ZERO,
        expectation=_THETA_STAR,
        maximum=Extreme(ONE, ALL_POSITIVE),
        minimum=Extreme(ZERO, ALL_NEGATIVE),
    ),
)

TNR = Measure(
    key="TNR",
    name="True Negative Rate",
    aliases=("Specificity", "Selectivity"),
    meaning="The fraction of the negative observations that is predicted negative.",
    section="A.6",
    pitfall="It is perfect for whoever predicts everything negative, because misses cost "
    "nothing. Read it beside TPR or NPV.",
    sklearn=SklearnCall("recall_score", {"pos_label": 0}),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\text{TN}}{N}", lambda tp, fp, fn, tn: tn / (tn + fp)),
    requirements=(SOME_NEGATIVES,),
    proportion=Proportion(hits=("tn",), misses=("fp",)),
    draw=UnderDraw(
        slope=Formula(r"\frac{1}{M - P}", lambda m: 1 / m.negatives),
        intercept=Formula(
            r"1 - \frac{M \cdot \theta^*}{M - P}",
            lambda m: (m.negatives - m.predicted_positives) / m.negatives,
        ),
        expectation=_ONE_MINUS_THETA_STAR,
        maximum=Extreme(ONE, ALL_NEGATIVE),
        minimum=Extreme(ZERO, ALL_POSITIVE),
    ),
)

FNR = Measure(
    key="FNR",
    name="False Negative Rate",
    aliases=("Miss Rate",),
    meaning="The fraction of the positive observations that is predicted negative.",
    section="A.7",
    pitfall="It is perfect for whoever predicts everything positive, because false alarms "
    "cost nothing. Read it beside FPR or FDR.",
    sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1], "normalize": "true"}, cell=(1, 0)),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\text{FN}}{P}", lambda tp, fp, fn, tn: fn / (tp + fn)),
    requirements=(SOME_POSITIVES,),
    proportion=Proportion(hits=("fn",), misses=("tp",)),
    draw=UnderDraw(
        slope=Formula(r"-\frac{1}{P}", lambda m: -1 / m.positives),
        intercept=ONE,
        expectation=_ONE_MINUS_THETA_STAR,
        maximum=Extreme(ONE, ALL_NEGATIVE),
        minimum=Extreme(ZERO, ALL_POSITIVE),
    ),
)

FPR = Measure(
    key="FPR",
    name="False Positive Rate",
    aliases=("Fall-out", "false alarm rate"),
    meaning="The fraction of the negative observations that is predicted positive.",
    section="A.8",
    pitfall="It is perfect for whoever predicts everything negative, because misses cost "
    "nothing. Where positives are rare, a small rate still is many false alarms for "
    "each hit.",
    sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1], "normalize": "true"}, cell=(0, 1)),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\text{FP}}{N}", lambda tp, fp, fn, tn: fp / (tn + fp)),
    requirements=(SOME_NEGATIVES,),
    proportion=Proportion(hits=("fp",), misses=("tn",)),
    draw=UnderDraw(
        slope=Formula(r"-\frac{1}{M - P}", lambda m: -1 / m.negatives),
        intercept=Formula(
            r"\frac{M \cdot \theta^*}{M - P}", lambda m: m.predicted_positives / m.negatives
        ),
        expectation=_THETA_STAR,
        maximum=Extreme(ONE, ALL_POSITIVE),
        minimum=Extreme(ZERO, ALL_NEGATIVE),
    ),
)

RATES = (TPR, TNR, FNR, FPR)
