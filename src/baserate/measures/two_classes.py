"""Measures of two classes: agreement and means of rates; all of them by name."""

from __future__ import annotations

import re

from baserate.core.measure import (
    SIGNED,
    ZERO,
    Catalogue,
    Direction,
    Formula,
    Number,
    Rule,
    SklearnCall,
    folded,
    sqrt,
)
from baserate.exceptions import InvalidMeasureError, UnknownMeasureError
from baserate.formatting import Term, shown
from baserate.measures.two_classes_rates import COUNTS, F1, PREDICTIVE, RATES, fbeta
from baserate.measures.two_classes_record import (
    ALL_NEGATIVE,
    ALL_POSITIVE,
    ALL_POSITIVE_OR_ANY_IF_ALONE,
    BALANCED,
    CHANCE_CAN_ERR,
    EITHER_END,
    MAJORITY_CLASS,
    MINORITY_CLASS,
    ONE_POSITIVE,
    RATES_DIFFER,
    SOME_NEGATIVES,
    SOME_POSITIVES,
    SOME_PREDICTED_NEGATIVES,
    SOME_PREDICTED_POSITIVES,
    Proportion,
    Ratio,
    TwoClassMeasure,
    with_closed_forms,
)

_HALF = Formula(r"\frac{1}{2}", lambda m: m.total / (2 * m.total))


def _determinant(tp: Number, fp: Number, fn: Number, tn: Number) -> Number:
    """TP·TN - FP·FN = M·TP - P·P̂: exact in integers, where differences of rates would cancel."""
    return tp * tn - fp * fn


J = with_closed_forms(
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
    codomain=SIGNED,
    interval=Rule.AVERAGE,
    definition=Ratio(
        r"\text{TPR} + \text{TNR} - 1",
        lambda tp, fp, fn, tn: (_determinant(tp, fp, fn, tn), (tp + fn) * (tn + fp)),
    ),
    requirements=(SOME_POSITIVES, SOME_NEGATIVES),
    everywhere=ZERO,
    slope=r"\frac{M}{P (M - P)}",
    intercept=r"-\frac{M \cdot \theta^*}{M - P}",
)

MK = with_closed_forms(
    key="MK",
    name="Markedness",
    aliases=("deltaP",),
    meaning="How much likelier a positive observation is behind a positive than behind a "
    "negative prediction: PPV + NPV - 1.",
    section="A.15",
    pitfall="It is undefined unless both classes are predicted, and a few predictions of "
    "one class decide half of it.",
    codomain=SIGNED,
    definition=Ratio(
        r"\text{PPV} + \text{NPV} - 1",
        lambda tp, fp, fn, tn: (_determinant(tp, fp, fn, tn), (tp + fp) * (tn + fn)),
    ),
    requirements=(SOME_PREDICTED_POSITIVES, SOME_PREDICTED_NEGATIVES),
    everywhere=ZERO,
    slope=r"\frac{1}{M \cdot \theta^* (1 - \theta^*)}",
    intercept=r"-\frac{P}{M (1 - \theta^*)}",
)

ACC = with_closed_forms(
    key="ACC",
    name="Accuracy",
    aliases=("accuracy_score",),
    meaning="The fraction of all predictions that is right.",
    section="A.16",
    pitfall="Where one class is rare, whoever always predicts the other is nearly always "
    "right. A high accuracy may be all base rate.",
    sklearn=SklearnCall("accuracy_score"),
    definition=Ratio(
        r"\frac{\text{TP} + \text{TN}}{M}",
        lambda tp, fp, fn, tn: (tp + tn, tp + fp + fn + tn),
    ),
    proportion=Proportion(hits=("tp", "tn"), misses=("fp", "fn")),
    slope=r"\frac{2}{M}",
    intercept=r"1 - \theta^* - \frac{P}{M}",
    expectation=r"\frac{(1 - \theta^*)(M - P) + \theta^* \cdot P}{M}",
    maximum=(r"\max\{\frac{P}{M}, 1 - \frac{P}{M}\}", MAJORITY_CLASS),
    minimum=(r"\min\{\frac{P}{M}, 1 - \frac{P}{M}\}", MINORITY_CLASS),
    constant=BALANCED,
)

BACC = with_closed_forms(
    key="BACC",
    name="Balanced Accuracy",
    aliases=("balanced_accuracy_score",),
    meaning="The mean of the fractions of the positive and of the negative observations that "
    "are predicted right.",
    section="A.17",
    pitfall="Chance is one half, not 0. Both classes weigh the same, however rare one is, "
    "so that many false alarms for each hit take little from it.",
    sklearn=SklearnCall("balanced_accuracy_score"),
    interval=Rule.AVERAGE,
    definition=Ratio(
        r"\frac{1}{2} (\text{TPR} + \text{TNR})",
        lambda tp, fp, fn, tn: (tp * (tn + fp) + tn * (tp + fn), 2 * (tp + fn) * (tn + fp)),
    ),
    requirements=(SOME_POSITIVES, SOME_NEGATIVES),
    everywhere=_HALF,
    slope=r"\frac{M}{2 P (M - P)}",
    intercept=r"\frac{1}{2} - \frac{M \cdot \theta^*}{2 (M - P)}",
)

MCC = with_closed_forms(
    key="MCC",
    name="Matthews Correlation Coefficient",
    aliases=("matthews_corrcoef", "phi", "phi coefficient", "Yule phi coefficient", "φ"),
    meaning="The correlation between the true and the predicted labels.",
    section="A.18",
    pitfall="Every draw expects 0, and about half of them are above it by chance: read the "
    "p-value. It is undefined if only one class is predicted.",
    sklearn=SklearnCall("matthews_corrcoef"),
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
    everywhere=ZERO,
    slope=r"\frac{1}{\sqrt{P (M - P) \theta^* (1 - \theta^*)}}",
    intercept=r"-\frac{\sqrt{P \cdot \theta^*}}{\sqrt{(M - P)(1 - \theta^*)}}",
    # Squared: it has the sign of MCC - s above the baseline, where neither is negative.
    level=lambda s, tp, fp, fn, tn: (
        _determinant(tp, fp, fn, tn) ** 2 - s * s * ((tp + fp) * (tn + fn) * (tp + fn) * (tn + fp))
    ),
)

KAPPA = with_closed_forms(
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
    codomain=SIGNED,
    definition=Ratio(
        r"\frac{P_o - P_e}{1 - P_e},\ P_o = \text{Acc},\ "
        r"P_e = \frac{\hat{P} \cdot P + \hat{N} \cdot N}{M^2}",
        lambda tp, fp, fn, tn: (
            2 * _determinant(tp, fp, fn, tn),
            (tp + fn) * (tn + fn) + (tn + fp) * (tp + fp),
        ),
    ),
    requirements=(CHANCE_CAN_ERR,),
    everywhere=ZERO,
    slope=r"\frac{2}{P (1 - \theta^*) + (M - P) \theta^*}",
    intercept=r"-\frac{2 \theta^* \cdot P}{P (1 - \theta^*) + (M - P) \theta^*}",
)

AGREEMENT = (J, MK, ACC, BACC, MCC, KAPPA)


FM = with_closed_forms(
    key="FM",
    name="Fowlkes-Mallows Index",
    aliases=("G-mean 1", "G1", "Fowlkes-Mallows"),
    meaning="The geometric mean of precision and recall.",
    section="A.20",
    pitfall="True negatives do not count, and the best draw predicts everything positive: "
    "the larger the base rate, the more of the score is free. The function "
    "`fowlkes_mallows_score` of scikit-learn compares clusterings and is another "
    "number.",
    definition=Formula(
        r"\sqrt{\text{TPR} \cdot \text{PPV}}",
        lambda tp, fp, fn, tn: tp / sqrt((tp + fp) * (tp + fn)),
    ),
    requirements=(SOME_POSITIVES, SOME_PREDICTED_POSITIVES),
    slope=r"\frac{1}{\sqrt{P \cdot M \cdot \theta^*}}",
    intercept="0",
    expectation=r"\sqrt{\frac{\theta^* \cdot P}{M}}",
    maximum=(r"\sqrt{\frac{P}{M}}", ALL_POSITIVE),
    minimum=(r"\frac{\sqrt{P}}{M}", ONE_POSITIVE),
    level=lambda s, tp, fp, fn, tn: tp * tp - s * s * ((tp + fn) * (tp + fp)),
)

G2 = with_closed_forms(
    key="G2",
    name="G-mean 2",
    aliases=("G-mean", "geometric mean", "geometric_mean_score"),
    meaning="The geometric mean of the fractions of the positive and of the negative "
    "observations that are predicted right.",
    section="A.21",
    pitfall="It is 0 as soon as one class is never predicted right, however well the other "
    "is. On a large test set, a random half of the observations has nearly one half.",
    definition=Formula(
        r"\sqrt{\text{TPR} \cdot \text{TNR}}",
        lambda tp, fp, fn, tn: sqrt((tp * tn) / ((tp + fn) * (tn + fp))),
    ),
    requirements=(SOME_POSITIVES, SOME_NEGATIVES),
    # Table 3 has no expectation and Table 4 no maximum: both are computed.
    minimum=("0", EITHER_END),
    gain=Formula(
        r"\text{FN} \frac{\sqrt{\text{TN}}}{\sqrt{\text{TP} + 1} + \sqrt{\text{TP}}}"
        r" - \text{TN} \frac{\sqrt{\text{TP}}}{\sqrt{\text{TN}} + \sqrt{\text{TN} - 1}}",
        lambda tp, fp, fn, tn: (
            fn * sqrt(tn) / (sqrt(tp + 1) + sqrt(tp))
            - tn * sqrt(tp) / (sqrt(tn) + sqrt(abs(tn - 1)))
        ),
    ),
    level=lambda s, tp, fp, fn, tn: tp * tn - s * s * ((tp + fn) * (tn + fp)),
)

TS = with_closed_forms(
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
    definition=Ratio(r"\frac{\text{TP}}{P + \text{FP}}", lambda tp, fp, fn, tn: (tp, tp + fn + fp)),
    requirements=(SOME_POSITIVES,),
    proportion=Proportion(hits=("tp",), misses=("fp", "fn")),
    # Table 3 has no expectation: it is computed.
    maximum=(r"\frac{P}{M}", ALL_POSITIVE_OR_ANY_IF_ALONE),
    minimum=("0", ALL_NEGATIVE),
)

PT = TwoClassMeasure(
    key="PT",
    name="Prevalence Threshold",
    meaning="The prevalence below which a positive prediction is more often wrong than right.",
    section="A.22",
    pitfall="It has no baseline, so nothing tells how much of it is free.",
    direction=Direction.MINIMIZE,
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


_ONE = Term("one of them", "take one of list(baserate.MEASURES), such as 'F1'")
_OF_SCORES: tuple[tuple[str, str], ...] = (
    (
        "roc roccurve auroccurve rocauccurve precisionrecallcurve auprcurve",
        "is a curve, which AUC and AP sum up; plots.RankingDisplay draws it",
    ),
    (
        "calibration calibrationcurve",
        "is a curve, which reliability_curve computes and draws",
    ),
    ("map meanaverageprecision", "is of several queries; AP is of one ranking"),
    ("dcg dcgscore", "has no scale to read it by; NDCG has"),
    (
        "ks ksstatistic kolmogorovsmirnov",
        "is the best J of all cut-offs: threshold_curve(y_true, y_score, 'J').best",
    ),
    ("hinge hingeloss", "is of margins, which are not probabilities; AUC and AP take any numbers"),
)
_AVERAGES = ("samples",)
_AVERAGED = ("f1", "f1score", "fbeta", "precision", "recall", "jaccard", "averageprecision")

_NEEDS: dict[str, tuple[str | Term, ...]] = {
    **{name: (why,) for names, why in _OF_SCORES for name in names.split()},
    **{
        name: ("is for observations with several labels each; ", _ONE)
        for average in _AVERAGES
        for measure in _AVERAGED
        for name in (f"{average}{measure}", f"{measure}{average}")
    },
}


def what_it_needs(folded: str) -> tuple[str | Term, ...]:
    """Say what a measure of another task needs, by its folded name; nothing if it is none."""
    return _NEEDS.get(folded, ())


REPORTED = ("ACC", "BACC", "PPV", "TPR", "F1", "MCC", "KAPPA")
"""The measures that people report, which are judged unless others are asked for."""

_NEEDS_BETA = ("fbeta", "fβ", "fbetascore", "fβscore")
# A β as in F2, f0.5, F.5, "fbeta 2" or F1e-05. F05 could mean F0.5, so it is not accepted.
_BETA = r"((?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)"
_F_SCORE = re.compile(rf"f(?:beta)?[\s_-]*{_BETA}(?:[\s_-]*(?:score|measure))?")


def _with_number(name: str) -> TwoClassMeasure | None:
    found = _F_SCORE.fullmatch(name)
    return None if found is None else fbeta(float(found[1]))


TWO_CLASS_MEASURES = Catalogue(
    __name__,
    "TWO_CLASS_MEASURES",
    (*COUNTS, *RATES, *PREDICTIVE, F1, *AGREEMENT, *GEOMETRIC),
    others=(PT,),
    numbered=_with_number,
)
"""The measures that have a baseline, by key. The paper's 22 are in the order of its Table 1."""


def get_measure(name: str | TwoClassMeasure, *, beta: float | None = None) -> TwoClassMeasure:
    """Return a measure by any of its names.

    Parameters
    ----------
    name
        A key, an alternative name of the paper, a common abbreviation or scikit-learn's name.
        Case, spaces, hyphens, underscores and apostrophes do not matter. A `Measure` is returned
        unchanged.
    beta
        The β of ``"fbeta"``.

    Examples
    --------
    >>> get_measure("Youden's index")
    <Measure J: Youden's J Statistic>
    >>> get_measure("matthews_corrcoef")
    <Measure MCC: Matthews Correlation Coefficient>
    >>> get_measure("f0.5") is get_measure("fbeta", beta=0.5)
    True
    >>> get_measure("precison")
    Traceback (most recent call last):
        ...
    baserate.exceptions.UnknownMeasureError: unknown measure 'precison': did you mean 'Precision'?
    """
    plain = folded(name) if isinstance(name, str) else ""
    if plain in _NEEDS_BETA:
        return _with_beta(str(name), beta)
    if plain in _NEEDS and TWO_CLASS_MEASURES.named(name) is None:
        raise UnknownMeasureError(f"{shown(name)} ", *_NEEDS[plain])
    measure = TWO_CLASS_MEASURES.find(name)
    if beta is not None:
        raise InvalidMeasureError(
            f"{shown(measure.key)} takes no beta (got beta={shown(beta)}); only 'fbeta' does"
        )
    return measure


def _with_beta(name: str, beta: float | None) -> TwoClassMeasure:
    if beta is None:
        by_name = Term("beta by name", f"get_measure({shown(name)}, beta=2), or by name, 'F2'")
        raise InvalidMeasureError(f"{shown(name)} must come with a beta: ", by_name)
    return fbeta(beta)
