"""Geometric means and overlap: FM, G2 and TS; and PT, which has no baseline."""

from __future__ import annotations

from baserate.binary.measures.extreme import (
    ALL_NEGATIVE,
    ALL_POSITIVE,
    ALL_POSITIVE_OR_ANY_IF_ALONE,
    EITHER_END,
    ONE_POSITIVE,
    Extreme,
)
from baserate.binary.measures.proportion import Proportion
from baserate.binary.measures.record import Measure
from baserate.binary.measures.requirement import (
    RATES_DIFFER,
    SOME_NEGATIVES,
    SOME_POSITIVES,
    SOME_PREDICTED_POSITIVES,
)
from baserate.binary.measures.under_draw import UnderDraw
from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.core.formula import ZERO, Formula, sqrt
from baserate.core.sklearn_call import SklearnCall

FM = Measure(
    key="FM",
    name="Fowlkes-Mallows Index",
    aliases=("G-mean 1", "G1", "Fowlkes-Mallows"),
    meaning="The geometric mean of precision and recall.",
    section="A.20",
    pitfall="True negatives do not count, and the best draw predicts everything positive: "
    "the larger the base rate, the more of the score is free. The function "
    "`fowlkes_mallows_score` of scikit-learn compares clusterings and is another "
    "number.",
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(
        r"\sqrt{\text{TPR} \cdot \text{PPV}}",
        lambda tp, fp, fn, tn: tp / sqrt((tp + fp) * (tp + fn)),
    ),
    requirements=(SOME_POSITIVES, SOME_PREDICTED_POSITIVES),
    draw=UnderDraw(
        slope=Formula(
            r"\frac{1}{\sqrt{P \cdot M \cdot \theta^*}}",
            lambda m: 1 / sqrt(m.positives * m.predicted_positives),
        ),
        intercept=ZERO,
        expectation=Formula(
            r"\sqrt{\frac{\theta^* \cdot P}{M}}",
            lambda m: sqrt(m.positives * m.predicted_positives) / m.total,
        ),
        maximum=Extreme(
            Formula(r"\sqrt{\frac{P}{M}}", lambda rate: sqrt(rate.positives / rate.total)),
            ALL_POSITIVE,
        ),
        minimum=Extreme(
            Formula(r"\frac{\sqrt{P}}{M}", lambda rate: sqrt(rate.positives) / rate.total),
            ONE_POSITIVE,
        ),
    ),
    level=Formula(
        r"\text{TP}^2 - s^2 P \hat{P}",
        lambda s, tp, fp, fn, tn: tp * tp - s * s * ((tp + fn) * (tp + fp)),
    ),
)

G2 = Measure(
    key="G2",
    name="G-mean 2",
    aliases=("G-mean", "geometric mean", "geometric_mean_score"),
    meaning="The geometric mean of the fractions of the positive and of the negative "
    "observations that are predicted right.",
    section="A.21",
    pitfall="It is 0 as soon as one class is never predicted right, however well the other "
    "is. On a large test set, a draw of half the observations has nearly one half "
    "for free.",
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(
        r"\sqrt{\text{TPR} \cdot \text{TNR}}",
        lambda tp, fp, fn, tn: sqrt((tp * tn) / ((tp + fn) * (tn + fp))),
    ),
    requirements=(SOME_POSITIVES, SOME_NEGATIVES),
    draw=UnderDraw(
        # Table 3 has no expectation and Table 4 no maximum: both are computed.
        minimum=Extreme(ZERO, EITHER_END),
        gain=Formula(
            r"\text{FN} \frac{\sqrt{\text{TN}}}{\sqrt{\text{TP} + 1} + \sqrt{\text{TP}}}"
            r" - \text{TN} \frac{\sqrt{\text{TP}}}{\sqrt{\text{TN}} + \sqrt{\text{TN} - 1}}",
            lambda tp, fp, fn, tn: (
                fn * sqrt(tn) / (sqrt(tp + 1) + sqrt(tp))
                - tn * sqrt(tp) / (sqrt(tn) + sqrt(abs(tn - 1)))
            ),
        ),
    ),
    level=Formula(
        r"\text{TP} \cdot \text{TN} - s^2 P N",
        lambda s, tp, fp, fn, tn: tp * tn - s * s * ((tp + fn) * (tn + fp)),
    ),
)

TS = Measure(
    key="TS",
    name="Threat Score",
    aliases=(
        "Critical Success Index",
        "CSI",
        "Jaccard",
        "Jaccard index",
        "jaccard_score",
        "intersection over union",
        "IoU",
    ),
    meaning="The fraction that was predicted right of all observations that are positive or "
    "predicted positive.",
    section="A.23",
    pitfall="True negatives do not count, and the best draw predicts everything positive. "
    "It is F1 on another scale, F1 / (2 - F1), and puts models in the same order.",
    sklearn=SklearnCall("jaccard_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(
        r"\frac{\text{TP}}{P + \text{FP}}", lambda tp, fp, fn, tn: tp / (tp + fn + fp)
    ),
    requirements=(SOME_POSITIVES,),
    proportion=Proportion(hits=("tp",), misses=("fp", "fn")),
    draw=UnderDraw(
        # Table 3 has no expectation: it is computed.
        maximum=Extreme(
            Formula(r"\frac{P}{M}", lambda rate: rate.positives / rate.total),
            ALL_POSITIVE_OR_ANY_IF_ALONE,
        ),
        minimum=Extreme(ZERO, ALL_NEGATIVE),
    ),
    level=Formula(
        r"\text{TP} - s (P + \text{FP})", lambda s, tp, fp, fn, tn: tp - s * (tp + fn + fp)
    ),
)

PT = Measure(
    key="PT",
    name="Prevalence Threshold",
    meaning="The prevalence below which a positive prediction is rather wrong than right.",
    section="A.22",
    pitfall="It has no baseline, so nothing tells how much of it is free.",
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    definition=Formula(
        r"\frac{\sqrt{\text{TPR} \cdot \text{FPR}} - \text{FPR}}{\text{TPR} - \text{FPR}}",
        # The same value without cancellation: √FPR / (√TPR + √FPR).
        lambda tp, fp, fn, tn: sqrt(fp * (tp + fn)) / (sqrt(tp * (tn + fp)) + sqrt(fp * (tp + fn))),
    ),
    requirements=(SOME_POSITIVES, SOME_NEGATIVES, RATES_DIFFER),
    no_baseline=(
        "it is 0/0 whenever TPR = FPR, which a draw attains whenever θ*·P is a whole number, "
        "always at θ* = 0 and 1. A value put in its place would be arbitrary and would decide "
        "where the optimum is (appendix A.22 of the paper)"
    ),
)

GEOMETRIC = (FM, G2, TS)
