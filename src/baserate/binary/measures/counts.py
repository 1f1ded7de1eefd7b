"""The four base measures: TP, TN, FN and FP."""

from __future__ import annotations

from baserate.binary.measures.extreme import (
    ALL_NEGATIVE,
    ALL_POSITIVE,
    NO_NEGATIVES,
    NO_POSITIVES,
    Extreme,
)
from baserate.binary.measures.proportion import Proportion
from baserate.binary.measures.record import Measure
from baserate.binary.measures.under_draw import UnderDraw
from baserate.core.codomain import COUNT
from baserate.core.direction import Direction
from baserate.core.formula import ONE, ZERO, Formula
from baserate.core.sklearn_call import SklearnCall

_POSITIVES = Formula("P", lambda rate: rate.positives)
_NEGATIVES = Formula("M - P", lambda rate: rate.negatives)

TP = Measure(
    key="TP",
    name="True Positives",
    aliases=("Number of True Positives", "hits"),
    meaning="How many positive observations are predicted positive.",
    section="A.1",
    pitfall="Whoever predicts everything positive has them all, and larger test sets have "
    "more of them.",
    sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1]}, cell=(1, 1)),
    direction=Direction.MAXIMIZE,
    codomain=COUNT,
    counts=True,
    definition=Formula(r"\text{TP}", lambda tp, fp, fn, tn: tp),
    proportion=Proportion(hits=("tp",), misses=("fp", "fn", "tn")),
    draw=UnderDraw(
        slope=ONE,
        intercept=ZERO,
        expectation=Formula(
            r"\theta^* \cdot P", lambda m: m.predicted_positives * m.positives / m.total
        ),
        maximum=Extreme(_POSITIVES, ALL_POSITIVE),
        minimum=Extreme(ZERO, ALL_NEGATIVE),
        constant=NO_POSITIVES,
    ),
)

TN = Measure(
    key="TN",
    name="True Negatives",
    aliases=("Number of True Negatives", "correct rejections"),
    meaning="How many negative observations are predicted negative.",
    section="A.2",
    pitfall="Whoever predicts everything negative has them all, and larger test sets have "
    "more of them.",
    sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1]}, cell=(0, 0)),
    direction=Direction.MAXIMIZE,
    codomain=COUNT,
    counts=True,
    definition=Formula(r"\text{TN}", lambda tp, fp, fn, tn: tn),
    proportion=Proportion(hits=("tn",), misses=("tp", "fp", "fn")),
    draw=UnderDraw(
        slope=ONE,
        intercept=Formula(
            r"M - P - M \cdot \theta^*", lambda m: m.negatives - m.predicted_positives
        ),
        expectation=Formula(
            r"(1 - \theta^*)(M - P)", lambda m: m.predicted_negatives * m.negatives / m.total
        ),
        maximum=Extreme(_NEGATIVES, ALL_NEGATIVE),
        minimum=Extreme(ZERO, ALL_POSITIVE),
        constant=NO_NEGATIVES,
    ),
)

FN = Measure(
    key="FN",
    name="False Negatives",
    aliases=("Number of False Negatives", "misses"),
    meaning="How many positive observations are predicted negative.",
    section="A.3",
    pitfall="Whoever predicts everything positive has none, and larger test sets have more "
    "of them.",
    sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1]}, cell=(1, 0)),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    counts=True,
    definition=Formula(r"\text{FN}", lambda tp, fp, fn, tn: fn),
    proportion=Proportion(hits=("fn",), misses=("tp", "fp", "tn")),
    draw=UnderDraw(
        slope=Formula("-1", lambda _: -1),
        intercept=_POSITIVES,
        expectation=Formula(
            r"(1 - \theta^*) P", lambda m: m.predicted_negatives * m.positives / m.total
        ),
        maximum=Extreme(_POSITIVES, ALL_NEGATIVE),
        minimum=Extreme(ZERO, ALL_POSITIVE),
        constant=NO_POSITIVES,
    ),
)

FP = Measure(
    key="FP",
    name="False Positives",
    aliases=("Number of False Positives", "false alarms"),
    meaning="How many negative observations are predicted positive.",
    section="A.4",
    pitfall="Whoever predicts everything negative has none, and larger test sets have more "
    "of them.",
    sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1]}, cell=(0, 1)),
    direction=Direction.MINIMIZE,
    codomain=COUNT,
    counts=True,
    definition=Formula(r"\text{FP}", lambda tp, fp, fn, tn: fp),
    proportion=Proportion(hits=("fp",), misses=("tp", "fn", "tn")),
    draw=UnderDraw(
        slope=Formula("-1", lambda _: -1),
        intercept=Formula(r"M \cdot \theta^*", lambda m: m.predicted_positives),
        expectation=Formula(
            r"\theta^* (M - P)", lambda m: m.predicted_positives * m.negatives / m.total
        ),
        maximum=Extreme(_NEGATIVES, ALL_POSITIVE),
        minimum=Extreme(ZERO, ALL_NEGATIVE),
        constant=NO_NEGATIVES,
    ),
)

COUNTS = (TP, TN, FN, FP)
