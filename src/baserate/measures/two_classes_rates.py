"""Measures of two classes: counts, rates, predictive values and F scores."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from baserate.arguments import as_float, is_number
from baserate.core.measure import COUNT, Direction, Formula, SklearnCall
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
    Proportion,
    Ratio,
    with_closed_forms,
)

if TYPE_CHECKING:
    from baserate.measures.two_classes_record import TwoClassMeasure

# The row and the column of each count in a confusion matrix of scikit-learn.
_IN_MATRIX = {"tp": (1, 1), "fp": (0, 1), "fn": (1, 0), "tn": (0, 0)}


def _of_cell(cell: str, largest: str, **facts: Any) -> TwoClassMeasure:
    """Return a measure that grows with one count; if it is of mistakes, less is better."""
    ends = (ALL_POSITIVE, ALL_NEGATIVE) if cell[1] == "p" else (ALL_NEGATIVE, ALL_POSITIVE)
    direction = Direction.MAXIMIZE if cell[0] == "t" else Direction.MINIMIZE
    if "everywhere" not in facts:
        facts |= {"maximum": (largest, ends[0]), "minimum": ("0", ends[1])}
    matrix = {"labels": [0, 1], **facts.pop("matrix", {})}
    call = SklearnCall("confusion_matrix", matrix, cell=_IN_MATRIX[cell])
    return with_closed_forms(**{"direction": direction, "sklearn": call, **facts})


def _count(key: str, **facts: Any) -> TwoClassMeasure:
    """Return one of the four counts."""
    cell, place = key.lower(), CELLS.index(key.lower())
    is_positive = cell in ("tp", "fn")
    return _of_cell(
        cell,
        "P" if is_positive else "M - P",
        key=key,
        codomain=COUNT,
        counts=True,
        definition=Formula(rf"\text{{{key}}}", lambda *counts: counts[place]),
        proportion=Proportion((cell,), tuple(other for other in CELLS if other != cell)),
        constant=NO_POSITIVES if is_positive else NO_NEGATIVES,
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
    slope="1",
    intercept="0",
    expectation=r"\theta^* \cdot P",
)

TN = _count(
    "TN",
    name="True Negatives",
    aliases=("Number of True Negatives", "correct rejections"),
    meaning="How many negative observations are predicted negative.",
    section="A.2",
    pitfall="Whoever predicts everything negative has them all, and larger test sets have "
    "more of them.",
    slope="1",
    intercept=r"M - P - M \cdot \theta^*",
    expectation=r"(1 - \theta^*)(M - P)",
)

FN = _count(
    "FN",
    name="False Negatives",
    aliases=("Number of False Negatives", "misses"),
    meaning="How many positive observations are predicted negative.",
    section="A.3",
    pitfall="Whoever predicts everything positive has none, and larger test sets have more "
    "of them.",
    slope="-1",
    intercept="P",
    expectation=r"(1 - \theta^*) P",
)

FP = _count(
    "FP",
    name="False Positives",
    aliases=("Number of False Positives", "false alarms"),
    meaning="How many negative observations are predicted positive.",
    section="A.4",
    pitfall="Whoever predicts everything negative has none, and larger test sets have more "
    "of them.",
    slope="-1",
    intercept=r"M \cdot \theta^*",
    expectation=r"\theta^* (M - P)",
)

COUNTS = (TP, TN, FN, FP)

# What two counts add up to, what it needs, and how scikit-learn's matrix is divided.
_SUMS = {
    frozenset({"tp", "fn"}): ("P", SOME_POSITIVES, "true"),
    frozenset({"tn", "fp"}): ("N", SOME_NEGATIVES, "true"),
    frozenset({"tp", "fp"}): (r"\hat{P}", SOME_PREDICTED_POSITIVES, "pred"),
    frozenset({"tn", "fn"}): (r"\hat{N}", SOME_PREDICTED_NEGATIVES, "pred"),
}
# What predictive values expect of any draw.
_BASE_RATE = Formula(r"\frac{P}{M}", lambda m: m.positives / m.total)
_NEGATIVE_RATE = Formula(r"1 - \frac{P}{M}", lambda m: m.negatives / m.total)


def _rate(key: str, of: tuple[str, str], **facts: Any) -> TwoClassMeasure:
    """Return the first of two counts as a fraction of both."""
    (hit, miss), (i, j) = of, map(CELLS.index, of)
    total, needs, normalize = _SUMS[frozenset(of)]
    if normalize == "true":  # a draw can be perfect, and its Dutch Scaler has no closed form
        expected = r"\theta^*" if hit[1] == "p" else r"1 - \theta^*"
        facts |= {"expectation": expected, "level": None}
    else:
        facts["everywhere"] = _BASE_RATE if hit in ("tp", "fn") else _NEGATIVE_RATE
    return _of_cell(
        hit,
        "1",
        key=key,
        matrix={"normalize": normalize},
        definition=Ratio(
            rf"\frac{{\text{{{hit.upper()}}}}}{{{total}}}",
            lambda *counts: (counts[i], counts[i] + counts[j]),
        ),
        requirements=(needs,),
        proportion=Proportion((hit,), (miss,)),
        **facts,
    )


TPR = _rate(
    "TPR",
    of=("tp", "fn"),
    name="True Positive Rate",
    aliases=("Recall", "Sensitivity", "hit rate", "recall_score"),
    meaning="The fraction of the positive observations that is predicted positive.",
    section="A.5",
    pitfall="It is perfect for whoever predicts everything positive, because false alarms "
    "cost nothing. Read it beside TNR or PPV.",
    sklearn=SklearnCall("recall_score"),
    slope=r"\frac{1}{P}",
    intercept="0",
)

TNR = _rate(
    "TNR",
    of=("tn", "fp"),
    name="True Negative Rate",
    aliases=("Specificity", "Selectivity"),
    meaning="The fraction of the negative observations that is predicted negative.",
    section="A.6",
    pitfall="It is perfect for whoever predicts everything negative, because misses cost "
    "nothing. Read it beside TPR or NPV.",
    sklearn=SklearnCall("recall_score", {"pos_label": 0}),
    slope=r"\frac{1}{M - P}",
    intercept=r"1 - \frac{M \cdot \theta^*}{M - P}",
)

FNR = _rate(
    "FNR",
    of=("fn", "tp"),
    name="False Negative Rate",
    aliases=("Miss Rate",),
    meaning="The fraction of the positive observations that is predicted negative.",
    section="A.7",
    pitfall="It is perfect for whoever predicts everything positive, because false alarms "
    "cost nothing. Read it beside FPR or FDR.",
    slope=r"-\frac{1}{P}",
    intercept="1",
)

FPR = _rate(
    "FPR",
    of=("fp", "tn"),
    name="False Positive Rate",
    aliases=("Fall-out", "false alarm rate"),
    meaning="The fraction of the negative observations that is predicted positive.",
    section="A.8",
    pitfall="It is perfect for whoever predicts everything negative, because misses cost "
    "nothing. Where positives are rare, a small rate still is many false alarms for "
    "each hit.",
    slope=r"-\frac{1}{M - P}",
    intercept=r"\frac{M \cdot \theta^*}{M - P}",
)

RATES = (TPR, TNR, FNR, FPR)

PPV = _rate(
    "PPV",
    of=("tp", "fp"),
    name="Positive Predictive Value",
    aliases=("Precision", "precision_score"),
    meaning="The fraction of the positive predictions that is right.",
    section="A.9",
    pitfall="Misses cost nothing: a single positive prediction that is right makes it "
    "perfect. Its baseline is the base rate, so the same model has a lower one "
    "where positives are rarer.",
    sklearn=SklearnCall("precision_score"),
    slope=r"\frac{1}{M \cdot \theta^*}",
    intercept="0",
)

NPV = _rate(
    "NPV",
    of=("tn", "fn"),
    name="Negative Predictive Value",
    meaning="The fraction of the negative predictions that is right.",
    section="A.10",
    pitfall="False alarms cost nothing, and where positives are rare every draw has nearly 1.",
    sklearn=SklearnCall("precision_score", {"pos_label": 0}),
    slope=r"\frac{1}{M (1 - \theta^*)}",
    intercept=r"1 - \frac{P}{M (1 - \theta^*)}",
)

FDR = _rate(
    "FDR",
    of=("fp", "tp"),
    name="False Discovery Rate",
    meaning="The fraction of the positive predictions that is wrong.",
    section="A.11",
    pitfall="Misses cost nothing: a single positive prediction that is right makes it "
    "perfect. Where positives are rare, every draw has nearly 1.",
    slope=r"-\frac{1}{M \cdot \theta^*}",
    intercept="1",
)

FOR = _rate(
    "FOR",
    of=("fn", "tn"),
    name="False Omission Rate",
    meaning="The fraction of the negative predictions that is wrong.",
    section="A.12",
    pitfall="False alarms cost nothing, and where positives are rare every draw has nearly 0.",
    slope=r"-\frac{1}{M (1 - \theta^*)}",
    intercept=r"\frac{P}{M (1 - \theta^*)}",
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
    return with_closed_forms(
        definition=Ratio(
            r"(1+\beta^2) / \left(\frac{1}{\text{PPV}} + \frac{\beta^2}{\text{TPR}}\right)",
            lambda tp, fp, fn, tn: (both * tp, weight * (tp + fn) + (tp + fp)),
        ),
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
        requirements=(SOME_POSITIVES, SOME_PREDICTED_POSITIVES),
        proportion=Proportion(hits=("tp",), misses=("fp", "fn")) if weight == 1 else None,
        slope=r"\frac{1+\beta^2}{\beta^2 \cdot P + M \cdot \theta^*}",
        intercept="0",
        expectation=r"\frac{(1+\beta^2) \theta^* \cdot P}{\beta^2 \cdot P + M \cdot \theta^*}",
        maximum=(r"\frac{(1+\beta^2) \cdot P}{\beta^2 \cdot P + M}", ALL_POSITIVE),
        minimum=(r"\frac{(1+\beta^2) \cdot P}{M(\beta^2 \cdot P + 1)}", ONE_POSITIVE),
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
