"""Measures of two classes: counts, rates, predictive values and F scores."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from baserate.arguments import as_float, is_number
from baserate.core.measure import COUNT, ONE, ZERO, Direction, Formula, SklearnCall
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown
from baserate.measures.two_classes_record import (
    ALL_NEGATIVE,
    ALL_POSITIVE,
    CELLS,
    NO_NEGATIVES,
    NO_POSITIVES,
    ONE_POSITIVE,
    SOME_NEGATIVES,
    SOME_POSITIVES,
    SOME_PREDICTED_NEGATIVES,
    SOME_PREDICTED_POSITIVES,
    Extreme,
    Proportion,
    TwoClassMeasure,
    UnderDraw,
)

if TYPE_CHECKING:
    from baserate.measures.two_classes_record import Requirement

_POSITIVES = Formula("P", lambda rate: rate.positives)
_NEGATIVES = Formula("M - P", lambda rate: rate.negatives)
# The row and the column of each count in a confusion matrix of scikit-learn.
_IN_MATRIX = {"tp": (1, 1), "fp": (0, 1), "fn": (1, 0), "tn": (0, 0)}


def _count(key: str, **facts: Any) -> TwoClassMeasure:
    """Return one of the four counts."""
    cell, place = key.lower(), CELLS.index(key.lower())
    return TwoClassMeasure(
        key=key,
        sklearn=SklearnCall("confusion_matrix", {"labels": [0, 1]}, cell=_IN_MATRIX[cell]),
        codomain=COUNT,
        counts=True,
        definition=Formula(rf"\text{{{key}}}", lambda *counts: counts[place]),
        proportion=Proportion((cell,), tuple(other for other in CELLS if other != cell)),
        **facts,
    )


TP = _count(
    "TP",
    name="True Positives",
    aliases=("Number of True Positives", "hits"),
    meaning="How many positive observations are predicted positive.",
    section="A.1",
    pitfall="Whoever predicts everything positive has them all, and larger test sets have "
    "more of them.",
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

TN = _count(
    "TN",
    name="True Negatives",
    aliases=("Number of True Negatives", "correct rejections"),
    meaning="How many negative observations are predicted negative.",
    section="A.2",
    pitfall="Whoever predicts everything negative has them all, and larger test sets have "
    "more of them.",
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

FN = _count(
    "FN",
    name="False Negatives",
    aliases=("Number of False Negatives", "misses"),
    meaning="How many positive observations are predicted negative.",
    section="A.3",
    pitfall="Whoever predicts everything positive has none, and larger test sets have more "
    "of them.",
    direction=Direction.MINIMIZE,
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

FP = _count(
    "FP",
    name="False Positives",
    aliases=("Number of False Positives", "false alarms"),
    meaning="How many negative observations are predicted positive.",
    section="A.4",
    pitfall="Whoever predicts everything negative has none, and larger test sets have more "
    "of them.",
    direction=Direction.MINIMIZE,
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

# What a rate is a fraction of, by its requirement; and how scikit-learn's matrix is divided.
_OF = {
    SOME_POSITIVES: ("P", "true"),
    SOME_NEGATIVES: ("N", "true"),
    SOME_PREDICTED_POSITIVES: (r"\hat{P}", "pred"),
    SOME_PREDICTED_NEGATIVES: (r"\hat{N}", "pred"),
}


def _rate(key: str, hit: str, miss: str, needs: Requirement, **facts: Any) -> TwoClassMeasure:
    """Return one count as a fraction of two; if the counts are of mistakes, less is better."""
    i, j = CELLS.index(hit), CELLS.index(miss)
    of, normalize = _OF[needs]
    matrix = {"labels": [0, 1], "normalize": normalize}
    defaults: dict[str, Any] = {
        "sklearn": SklearnCall("confusion_matrix", matrix, cell=_IN_MATRIX[hit]),
        "direction": Direction.MAXIMIZE if hit.startswith("t") else Direction.MINIMIZE,
    }
    return TwoClassMeasure(
        key=key,
        definition=Formula(
            rf"\frac{{\text{{{hit.upper()}}}}}{{{of}}}",
            lambda *counts: counts[i] / (counts[i] + counts[j]),
        ),
        requirements=(needs,),
        proportion=Proportion((hit,), (miss,)),
        # Of the true classes a draw can be perfect, and its Dutch Scaler has no closed form.
        level=(lambda s, *counts: counts[i] - s * (counts[i] + counts[j]))
        if normalize == "pred"
        else None,
        **{**defaults, **facts},
    )


_THETA_STAR = Formula(r"\theta^*", lambda m: m.predicted_positives / m.total)
_ONE_MINUS_THETA_STAR = Formula(r"1 - \theta^*", lambda m: m.predicted_negatives / m.total)
_UP: dict[str, Any] = {
    "maximum": Extreme(ONE, ALL_POSITIVE),
    "minimum": Extreme(ZERO, ALL_NEGATIVE),
}
_DOWN: dict[str, Any] = {
    "maximum": Extreme(ONE, ALL_NEGATIVE),
    "minimum": Extreme(ZERO, ALL_POSITIVE),
}

TPR = _rate(
    "TPR",
    "tp",
    "fn",
    SOME_POSITIVES,
    name="True Positive Rate",
    aliases=("Recall", "Sensitivity", "hit rate", "recall_score"),
    meaning="The fraction of the positive observations that is predicted positive.",
    section="A.5",
    pitfall="It is perfect for whoever predicts everything positive, because false alarms "
    "cost nothing. Read it beside TNR or PPV.",
    sklearn=SklearnCall("recall_score"),
    draw=UnderDraw(
        slope=Formula(r"\frac{1}{P}", lambda m: 1 / m.positives),
        intercept=ZERO,
        expectation=_THETA_STAR,
        **_UP,
    ),
)

TNR = _rate(
    "TNR",
    "tn",
    "fp",
    SOME_NEGATIVES,
    name="True Negative Rate",
    aliases=("Specificity", "Selectivity"),
    meaning="The fraction of the negative observations that is predicted negative.",
    section="A.6",
    pitfall="It is perfect for whoever predicts everything negative, because misses cost "
    "nothing. Read it beside TPR or NPV.",
    sklearn=SklearnCall("recall_score", {"pos_label": 0}),
    draw=UnderDraw(
        slope=Formula(r"\frac{1}{M - P}", lambda m: 1 / m.negatives),
        intercept=Formula(
            r"1 - \frac{M \cdot \theta^*}{M - P}",
            lambda m: (m.negatives - m.predicted_positives) / m.negatives,
        ),
        expectation=_ONE_MINUS_THETA_STAR,
        **_DOWN,
    ),
)

FNR = _rate(
    "FNR",
    "fn",
    "tp",
    SOME_POSITIVES,
    name="False Negative Rate",
    aliases=("Miss Rate",),
    meaning="The fraction of the positive observations that is predicted negative.",
    section="A.7",
    pitfall="It is perfect for whoever predicts everything positive, because false alarms "
    "cost nothing. Read it beside FPR or FDR.",
    draw=UnderDraw(
        slope=Formula(r"-\frac{1}{P}", lambda m: -1 / m.positives),
        intercept=ONE,
        expectation=_ONE_MINUS_THETA_STAR,
        **_DOWN,
    ),
)

FPR = _rate(
    "FPR",
    "fp",
    "tn",
    SOME_NEGATIVES,
    name="False Positive Rate",
    aliases=("Fall-out", "false alarm rate"),
    meaning="The fraction of the negative observations that is predicted positive.",
    section="A.8",
    pitfall="It is perfect for whoever predicts everything negative, because misses cost "
    "nothing. Where positives are rare, a small rate still is many false alarms for "
    "each hit.",
    draw=UnderDraw(
        slope=Formula(r"-\frac{1}{M - P}", lambda m: -1 / m.negatives),
        intercept=Formula(
            r"\frac{M \cdot \theta^*}{M - P}", lambda m: m.predicted_positives / m.negatives
        ),
        expectation=_THETA_STAR,
        **_UP,
    ),
)

RATES = (TPR, TNR, FNR, FPR)


_BASE_RATE = Formula(r"\frac{P}{M}", lambda m: m.positives / m.total)
_NEGATIVE_RATE = Formula(r"1 - \frac{P}{M}", lambda m: m.negatives / m.total)

PPV = _rate(
    "PPV",
    "tp",
    "fp",
    SOME_PREDICTED_POSITIVES,
    name="Positive Predictive Value",
    aliases=("Precision", "precision_score"),
    meaning="The fraction of the positive predictions that is right.",
    section="A.9",
    pitfall="Misses cost nothing: a single positive prediction that is right makes it "
    "perfect. Its baseline is the base rate, so the same model has a lower one "
    "where positives are rarer.",
    sklearn=SklearnCall("precision_score"),
    draw=UnderDraw.the_same_everywhere(
        _BASE_RATE,
        slope=Formula(r"\frac{1}{M \cdot \theta^*}", lambda m: 1 / m.predicted_positives),
        intercept=ZERO,
    ),
)

NPV = _rate(
    "NPV",
    "tn",
    "fn",
    SOME_PREDICTED_NEGATIVES,
    name="Negative Predictive Value",
    meaning="The fraction of the negative predictions that is right.",
    section="A.10",
    pitfall="False alarms cost nothing, and where positives are rare every draw has nearly 1.",
    sklearn=SklearnCall("precision_score", {"pos_label": 0}),
    draw=UnderDraw.the_same_everywhere(
        _NEGATIVE_RATE,
        slope=Formula(r"\frac{1}{M (1 - \theta^*)}", lambda m: 1 / m.predicted_negatives),
        intercept=Formula(
            r"1 - \frac{P}{M (1 - \theta^*)}",
            lambda m: (m.predicted_negatives - m.positives) / m.predicted_negatives,
        ),
    ),
)

FDR = _rate(
    "FDR",
    "fp",
    "tp",
    SOME_PREDICTED_POSITIVES,
    name="False Discovery Rate",
    meaning="The fraction of the positive predictions that is wrong.",
    section="A.11",
    pitfall="Misses cost nothing: a single positive prediction that is right makes it "
    "perfect. Where positives are rare, every draw has nearly 1.",
    draw=UnderDraw.the_same_everywhere(
        _NEGATIVE_RATE,
        slope=Formula(r"-\frac{1}{M \cdot \theta^*}", lambda m: -1 / m.predicted_positives),
        intercept=ONE,
    ),
)

FOR = _rate(
    "FOR",
    "fn",
    "tn",
    SOME_PREDICTED_NEGATIVES,
    name="False Omission Rate",
    meaning="The fraction of the negative predictions that is wrong.",
    section="A.12",
    pitfall="False alarms cost nothing, and where positives are rare every draw has nearly 0.",
    draw=UnderDraw.the_same_everywhere(
        _BASE_RATE,
        slope=Formula(r"-\frac{1}{M (1 - \theta^*)}", lambda m: -1 / m.predicted_negatives),
        intercept=Formula(
            r"\frac{P}{M (1 - \theta^*)}", lambda m: m.positives / m.predicted_negatives
        ),
    ),
)

PREDICTIVE = (PPV, NPV, FDR, FOR)


# β² times the product of two counts fits a float; beyond it Fβ equals the TPR to the last digit.
_MOST_BETA = 1e100
_F1_ALIASES = (
    "F score",
    "F measure",
    "f1_score",
    "F1 measure",
    "balanced F score",
    "Dice",
    "Dice coefficient",
    "Dice score",
    "Sørensen-Dice coefficient",
)


def fbeta(beta: float) -> TwoClassMeasure:
    """Return the Fβ score, which weighs recall β times as much as precision.

    Parameters
    ----------
    beta
        The weight of the True Positive Rate relative to the Positive Predictive Value, from
        1e-100 to 1e100.

    Examples
    --------
    >>> fbeta(2)
    <Measure F2: F2 score>
    >>> fbeta(0.5).key
    'F0.5'
    """
    return _fbeta(require_beta(beta))


@cache
def _fbeta(beta: float) -> TwoClassMeasure:
    # Keep a whole β² as an int, to multiply counts of any size exactly.
    weight = int(beta * beta) if (beta * beta).is_integer() else beta * beta
    both = 1 + weight
    exact, exact_both = Decimal(weight), Decimal(both)
    number = f"{beta!r}".removesuffix(".0")
    return TwoClassMeasure(
        key=f"F{number}",
        name=f"F{number} score",
        aliases=_F1_ALIASES if weight == 1 else (f"f{number}_score",),
        meaning="The harmonic mean of precision and recall."
        if weight == 1
        else "The weighted harmonic mean of precision and recall, recall counting "
        f"{number} times as much as precision.",
        section="A.13",
        pitfall="True negatives do not count, and the best draw predicts everything positive: "
        "the larger the base rate, the more of the score is free.",
        sklearn=SklearnCall("f1_score")
        if weight == 1
        else SklearnCall("fbeta_score", {"beta": beta}),
        definition=Formula(
            r"(1+\beta^2) / \left(\frac{1}{\text{PPV}} + \frac{\beta^2}{\text{TPR}}\right)",
            lambda tp, fp, fn, tn: both * tp / (weight * (tp + fn) + (tp + fp)),
        ),
        requirements=(SOME_POSITIVES, SOME_PREDICTED_POSITIVES),
        proportion=Proportion(hits=("tp",), misses=("fp", "fn")) if weight == 1 else None,
        draw=UnderDraw(
            slope=Formula(
                r"\frac{1+\beta^2}{\beta^2 \cdot P + M \cdot \theta^*}",
                lambda m: both / (weight * m.positives + m.predicted_positives),
            ),
            intercept=ZERO,
            expectation=Formula(
                r"\frac{(1+\beta^2) \theta^* \cdot P}{\beta^2 \cdot P + M \cdot \theta^*}",
                lambda m: (
                    (both * m.predicted_positives * m.positives)
                    / (m.total * (weight * m.positives + m.predicted_positives))
                ),
            ),
            maximum=Extreme(
                Formula(
                    r"\frac{(1+\beta^2) \cdot P}{\beta^2 \cdot P + M}",
                    lambda rate: both * rate.positives / (weight * rate.positives + rate.total),
                ),
                ALL_POSITIVE,
            ),
            minimum=Extreme(
                Formula(
                    r"\frac{(1+\beta^2) \cdot P}{M(\beta^2 \cdot P + 1)}",
                    lambda rate: (
                        both * rate.positives / (rate.total * (weight * rate.positives + 1))
                    ),
                ),
                ONE_POSITIVE,
            ),
        ),
        level=lambda s, tp, fp, fn, tn: exact_both * tp - s * (exact * (tp + fn) + (tp + fp)),
    )


def require_beta(beta: float) -> float:
    """Return a β as a float, or raise if it is none."""
    if not is_number(beta) or not 1 / _MOST_BETA <= as_float(beta) <= _MOST_BETA:
        raise InvalidMeasureError(
            f"must be a number above 0, from {1 / _MOST_BETA:g} to {_MOST_BETA:g} "
            f"(got {shown(beta)})",
            parameter="beta",
        )
    return float(beta)


F1 = fbeta(1)
