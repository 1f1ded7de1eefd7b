"""Precision, recall, Fβ and Jaccard of each class, averaged."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from baserate.binary.measures.f_score import require_beta
from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.core.formula import Formula
from baserate.core.rule import Rule
from baserate.core.sklearn_call import SklearnCall
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown
from baserate.multiclass.measures.forms import OfDiagonal, OfTrace
from baserate.multiclass.measures.gains import f_gain, jaccard_gain
from baserate.multiclass.measures.per_class import (
    JACCARD,
    PRECISION,
    RECALL,
    Average,
    averaged,
    f_beta,
)
from baserate.multiclass.measures.place import Place
from baserate.multiclass.measures.record import ClassMeasure
from baserate.multiclass.measures.tables import of_diagonal, of_trace

if TYPE_CHECKING:
    from baserate.multiclass.measures.forms import Array

_HOW = {
    Average.MACRO: "averaged over the classes, each as important as the others",
    Average.WEIGHTED: "averaged over the classes, each as important as it is frequent",
}
_LATEX = {
    Average.MACRO: r"\frac{1}{K} \sum_k %s",
    Average.WEIGHTED: r"\sum_k \frac{n_k}{M} \cdot %s",
}
_EMPTY = {
    0: "counts as 0, as in scikit-learn",
    1: "counts as 1",
}
# The best and the worst deck of precision, by what a class that is never predicted counts as.
_EXTREMES = {
    0.0: (Place.EVERY_CLASS, Place.ONE_CLASS),
    1.0: (Place.ONE_CLASS, Place.EVERY_CLASS),
}
_MICRO_PITFALL = "Where each observation has one class, it is the accuracy, whatever its name."


def _right_share(right: Array, n: Array, m: Array) -> Array:  # noqa: ARG001
    return right / n.sum(axis=-1)


def _micro_jaccard(right: Array, n: Array, m: Array) -> Array:  # noqa: ARG001
    return right / (2 * n.sum(axis=-1) - right)


@cache
def averaged_f(average: Average, beta: float) -> ClassMeasure:
    """Return an averaged Fβ score."""
    key = f"{average} F{require_beta(beta):g}"
    per_class = f_beta(beta)
    terms = averaged(per_class, average, 0)
    is_macro = average is Average.MACRO
    named = {"zero_division": 0, "average": str(average)}
    return ClassMeasure(
        key=key,
        name=f"{average.capitalize()} F{beta:g} Score",
        aliases=(
            f"f{beta:g}_{average}",
            f"{average} F{beta:g} score",
            f"{average} F{beta:g} measure",
        ),
        meaning=f"The F{beta:g} score of each class, {_HOW[average]}.",
        pitfall=(
            "Predicting each class as often as it occurs, at random, has 1/K: not 1/2, and not 0."
            if is_macro
            else "It may be lower than both the average precision and the average recall."
        ),
        sklearn=SklearnCall("f1_score", named)
        if beta == 1
        else SklearnCall("fbeta_score", {"beta": beta, **named}),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=Formula(_LATEX[average] % per_class.latex, of_diagonal(terms)),
        zero_division="A class that neither occurs nor is predicted does not count.",
        form=OfDiagonal(terms, gain=f_gain(beta, average)),
        maximum=Place.LIKE_TRUTH if is_macro else Place.SUM,
        minimum=Place.ONE_CLASS,
    )


@cache
def averaged_precision(average: Average, zero_division: float = 0) -> ClassMeasure:
    """Return the averaged precision; of a class that is never predicted it is 0, 1 or nan."""
    key, is_nan = f"{average} precision", math.isnan(zero_division)
    terms = averaged(PRECISION, average, zero_division)
    where = _EXTREMES.get(float(zero_division), (Place.LARGEST_CLASS, Place.SMALLEST_CLASS))
    what = "is left out" if is_nan else _EMPTY[int(zero_division)]
    return ClassMeasure(
        key=key if zero_division == 0 else f"{key} ({zero_division:g} for 0/0)",
        name=f"{average.capitalize()} Precision",
        aliases=(f"precision_{average}",) if zero_division == 0 else (),
        meaning=f"How often a prediction of each class is right, {_HOW[average]}.",
        pitfall="What a class that is never predicted counts as decides how good a constant is.",
        sklearn=SklearnCall(
            "precision_score", {"average": str(average), "zero_division": zero_division}
        ),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=Formula(_LATEX[average] % PRECISION.latex, of_diagonal(terms)),
        zero_division=f"A class that is never predicted {what}.",
        form=OfDiagonal(terms),
        maximum=where[0],
        minimum=where[1],
    )


def with_zero_division(measure: ClassMeasure, zero_division: float) -> ClassMeasure:
    """Return a measure with another value for 0/0, or raise if it has no choice."""
    if zero_division not in (0, 1) and not math.isnan(zero_division):
        raise InvalidMeasureError(
            f"must be 0, 1 or nan (got {shown(zero_division)})", parameter="zero_division"
        )
    if zero_division == 0:
        return measure
    for average in Average:
        if measure is averaged_precision(average):
            return averaged_precision(average, zero_division)
    raise InvalidMeasureError(
        f"{measure.key} has no choice of zero_division (got {zero_division:g}); macro and weighted "
        "precision do"
    )


_MACRO_RECALL_TERMS = averaged(RECALL, Average.MACRO, 0)

MACRO_RECALL = ClassMeasure(
    key="macro recall",
    name="Macro Recall",
    aliases=("recall_macro", "macro sensitivity", "mean per-class accuracy"),
    meaning=f"The fraction of each class that is found, {_HOW[Average.MACRO]}.",
    pitfall="A class of five observations weighs as much as one of five thousand.",
    sklearn=SklearnCall("recall_score", {"average": "macro", "zero_division": 0}),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(_LATEX[Average.MACRO] % RECALL.latex, of_diagonal(_MACRO_RECALL_TERMS)),
    zero_division="A class that is predicted and never occurs counts as 0, as in scikit-learn.",
    form=OfDiagonal(_MACRO_RECALL_TERMS),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    interval=Rule.AVERAGE,
)

WEIGHTED_RECALL = ClassMeasure(
    key="weighted recall",
    name="Weighted Recall",
    aliases=("recall_weighted",),
    meaning=f"The fraction of each class that is found, {_HOW[Average.WEIGHTED]}.",
    pitfall="It is the accuracy, whatever its name.",
    sklearn=SklearnCall("recall_score", {"average": "weighted", "zero_division": 0}),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(_LATEX[Average.WEIGHTED] % RECALL.latex, of_trace(_right_share)),
    form=OfTrace(_right_share, of_accuracy=True),
    maximum=Place.LARGEST_CLASS,
    minimum=Place.SMALLEST_CLASS,
)


@cache
def _averaged_jaccard(average: Average) -> ClassMeasure:
    terms = averaged(JACCARD, average, 0)
    return ClassMeasure(
        key=f"{average} Jaccard",
        name=f"{average.capitalize()} Jaccard Index",
        aliases=(f"jaccard_{average}", f"{average} IoU", f"{average} intersection over union")
        + (("mean IoU", "mIoU") if average is Average.MACRO else ()),
        meaning=(
            "Of the observations that are of a class or predicted as it, the fraction that is "
            f"both, {_HOW[average]}."
        ),
        pitfall="It is lower than the F1 score of the same predictions: 1/3 where that is 1/2.",
        sklearn=SklearnCall("jaccard_score", {"average": str(average), "zero_division": 0}),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=Formula(_LATEX[average] % JACCARD.latex, of_diagonal(terms)),
        zero_division="A class that neither occurs nor is predicted does not count.",
        form=OfDiagonal(terms, linear=False, gain=jaccard_gain(average)),
        maximum=Place.SUM,
        minimum=Place.ONE_CLASS,
    )


def _micro(
    key: str, name: str, call: tuple[str, dict[str, float]], aliases: tuple[str, ...]
) -> ClassMeasure:
    return ClassMeasure(
        key=key,
        name=name,
        aliases=aliases,
        meaning="The fraction of all predictions that are right: errors of all classes pooled.",
        pitfall=_MICRO_PITFALL,
        sklearn=SklearnCall(call[0], {**call[1], "average": "micro"}),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=Formula(r"\frac{\sum_k C_{kk}}{M}", of_trace(_right_share)),
        form=OfTrace(_right_share, of_accuracy=True),
        maximum=Place.LARGEST_CLASS,
        minimum=Place.SMALLEST_CLASS,
    )


@cache
def micro_f(beta: float) -> ClassMeasure:
    """Return the Fβ score of all classes pooled: the accuracy, whatever β is."""
    number = f"{require_beta(beta):g}"
    call = ("f1_score", {}) if beta == 1 else ("fbeta_score", {"beta": beta})
    return _micro(f"micro F{number}", f"Micro F{number} Score", call, (f"f{number}_micro",))


MICRO_JACCARD = ClassMeasure(
    key="micro Jaccard",
    name="Micro Jaccard Index",
    aliases=("jaccard_micro", "micro IoU", "micro intersection over union"),
    meaning="Right answers over right answers and twice the wrong ones: all classes pooled.",
    pitfall="It is the accuracy on another scale: a half is a third.",
    sklearn=SklearnCall("jaccard_score", {"average": "micro"}),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\sum_k C_{kk}}{2 M - \sum_k C_{kk}}", of_trace(_micro_jaccard)),
    form=OfTrace(_micro_jaccard, affine=False, of_accuracy=True),
    # Convex in the right answers, so that classes which tie are better mixed; see decision 36.
    maximum=Place.LARGEST_CLASS_EVENLY,
    minimum=Place.ONE_CLASS,
)

AVERAGES = (
    averaged_f(Average.MACRO, 1.0),
    averaged_f(Average.WEIGHTED, 1.0),
    micro_f(1.0),
    averaged_precision(Average.MACRO),
    averaged_precision(Average.WEIGHTED),
    _micro("micro precision", "Micro Precision", ("precision_score", {}), ("precision_micro",)),
    MACRO_RECALL,
    WEIGHTED_RECALL,
    _micro("micro recall", "Micro Recall", ("recall_score", {}), ("recall_micro",)),
    _averaged_jaccard(Average.MACRO),
    _averaged_jaccard(Average.WEIGHTED),
    MICRO_JACCARD,
)
