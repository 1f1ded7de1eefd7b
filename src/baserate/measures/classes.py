"""Measures of several classes."""

from __future__ import annotations

import enum
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.measure import SIGNED, Catalogue, Direction, Rule, SklearnCall
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown
from baserate.measures.classes_record import (
    ClassMeasure,
    OfDiagonal,
    OfDistance,
    OfProduct,
    OfTrace,
    Place,
)
from baserate.measures.two_classes_rates import require_beta

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.measures.classes_record import Array, Score


def _accuracy(right: Array, n: Array, m: Array) -> Array:  # noqa: ARG001
    return right / n.sum(axis=-1)


def _hamming(right: Array, n: Array, m: Array) -> Array:  # noqa: ARG001
    total = n.sum(axis=-1)
    return (total - right) / total


def _kappa(right: Array, n: Array, m: Array) -> Array:
    total = n.sum(axis=-1)
    by_chance = (n * m).sum(axis=-1) / total
    return (right - by_chance) / (total - by_chance)


def _mcc(right: Array, n: Array, m: Array) -> Array:
    # As fractions of the total: products of counts could leave the range of a float's digits.
    total = n.sum(axis=-1, keepdims=True)
    p, q = n / total, m / total
    above = right / total[..., 0] - (p * q).sum(axis=-1)
    # 1 - Σp² as a sum of positive terms: nothing cancels where one class is nearly all.
    below = np.sqrt((p * (1 - p)).sum(axis=-1) * (q * (1 - q)).sum(axis=-1))
    return np.where(below == 0, 0.0, above / np.where(below == 0, 1, below))


ACCURACY = ClassMeasure(
    key="accuracy",
    name="Accuracy",
    aliases=("ACC", "accuracy_score", "zero-one accuracy", "overall accuracy"),
    meaning="The fraction of all predictions that are right.",
    pitfall="Where one class is frequent, always predicting it is often right.",
    sklearn=SklearnCall("accuracy_score"),
    latex=r"\frac{\sum_k C_{kk}}{M}",
    form=OfTrace(_accuracy, of_accuracy=True),
    maximum=Place.LARGEST_CLASS,
    minimum=Place.SMALLEST_CLASS,
)

HAMMING = ClassMeasure(
    key="Hamming loss",
    name="Hamming Loss",
    aliases=("hamming_loss", "zero_one_loss", "error rate", "misclassification rate"),
    meaning="The fraction of all predictions that are wrong.",
    pitfall="Where one class is frequent, always predicting it is hardly ever wrong.",
    sklearn=SklearnCall("hamming_loss"),
    direction=Direction.MINIMIZE,
    latex=r"1 - \frac{\sum_k C_{kk}}{M}",
    form=OfTrace(_hamming, of_accuracy=True),
    maximum=Place.SMALLEST_CLASS,
    minimum=Place.LARGEST_CLASS,
)

KAPPA = ClassMeasure(
    key="kappa",
    name="Cohen's Kappa",
    aliases=("KAPPA", "cohen_kappa", "cohen_kappa_score", "Cohen's κ", "κ"),
    meaning="How much more often truth and prediction agree than they would by chance.",
    pitfall="The same model has another kappa where the classes are less or more frequent.",
    sklearn=SklearnCall("cohen_kappa_score"),
    codomain=SIGNED,
    latex=r"\frac{\sum_k C_{kk} - \sum_k n_k m_k / M}{M - \sum_k n_k m_k / M}",
    form=OfTrace(_kappa),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    may_be_undefined=True,
)

LINEAR_KAPPA = ClassMeasure(
    key="linear kappa",
    name="Linearly Weighted Kappa",
    aliases=("cohen_kappa_linear", "kappa_linear", "weighted kappa linear"),
    meaning="Kappa for ordered classes: a mistake counts by how many classes it is off.",
    pitfall="It takes the order of the labels for the order of the classes: text is sorted.",
    sklearn=SklearnCall("cohen_kappa_score", {"weights": "linear"}),
    codomain=SIGNED,
    latex=r"1 - \frac{\sum_{jk} |j - k| C_{jk}}{\sum_{jk} |j - k| n_j m_k / M}",
    form=OfDistance(1),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    ordered=True,
    may_be_undefined=True,
)

QUADRATIC_KAPPA = ClassMeasure(
    key="quadratic kappa",
    name="Quadratically Weighted Kappa",
    aliases=("QWK", "cohen_kappa_quadratic", "kappa_quadratic", "weighted kappa quadratic"),
    meaning="Kappa for ordered classes: a mistake counts by the square of how far it is off.",
    pitfall="It may be high although most predictions are wrong, if they are off by one class.",
    sklearn=SklearnCall("cohen_kappa_score", {"weights": "quadratic"}),
    codomain=SIGNED,
    latex=r"1 - \frac{\sum_{jk} (j - k)^2 C_{jk}}{\sum_{jk} (j - k)^2 n_j m_k / M}",
    form=OfDistance(2),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    ordered=True,
    may_be_undefined=True,
)

MCC = ClassMeasure(
    key="MCC",
    name="Matthews Correlation Coefficient",
    aliases=("matthews_corrcoef", "R_K", "Gorodkin's R_K", "phi coefficient"),
    meaning="The correlation between truth and prediction, over all classes at once.",
    pitfall="It is symmetric in truth and prediction, and so it says nothing of a single class.",
    sklearn=SklearnCall("matthews_corrcoef"),
    codomain=SIGNED,
    latex=r"\frac{M \sum_k C_{kk} - \sum_k n_k m_k}"
    r"{\sqrt{(M^2 - \sum_k n_k^2)(M^2 - \sum_k m_k^2)}}",
    zero_division="It is 0 if only one class is predicted, as in scikit-learn.",
    form=OfTrace(_mcc),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    rounds=True,
)

AGREEMENT = (ACCURACY, HAMMING, KAPPA, LINEAR_KAPPA, QUADRATIC_KAPPA, MCC)


@dataclass(frozen=True)
class PerClass:
    """A score of one class against the rest: a numerator and a denominator."""

    latex: str
    parts: Callable[[Array, Array, Array], tuple[Array, Array]]

    def __call__(self, right: Array, n: Array, m: Array, empty: float) -> Array:
        """Return the score of each class, with a value for those where it is 0/0."""
        above, below = self.parts(right, n, m)
        below = np.broadcast_to(below, np.broadcast_shapes(np.shape(above), np.shape(below)))
        none = below == 0
        return np.where(none, empty, above / np.where(none, 1, below))


PRECISION = PerClass(r"\frac{C_{kk}}{m_k}", lambda right, n, m: (right, m))  # noqa: ARG005
RECALL = PerClass(r"\frac{C_{kk}}{n_k}", lambda right, n, m: (right, n))  # noqa: ARG005
JACCARD = PerClass(r"\frac{C_{kk}}{n_k + m_k - C_{kk}}", lambda right, n, m: (right, n + m - right))


def _f_beta(beta: float) -> PerClass:
    weight = beta * beta
    weight = int(weight) if float(weight).is_integer() else weight
    shown = "" if weight == 1 else f"{weight:g}"
    return PerClass(
        rf"\frac{{{1 + weight:g} C_{{kk}}}}{{{shown} n_k + m_k}}",
        lambda right, n, m: ((1 + weight) * right, weight * n + m),
    )


class Average(enum.StrEnum):
    """How the scores of classes are averaged: each the same, or as often as it occurs."""

    MACRO = "macro"
    WEIGHTED = "weighted"

    @property
    def how(self) -> str:
        """How classes are weighed, in words."""
        important = "as the others" if self is Average.MACRO else "as it is frequent"
        return f"averaged over the classes, each as important {important}"

    def latex(self, per_class: PerClass) -> str:
        """Return the average as a formula."""
        sums = r"\frac{1}{K} \sum_k" if self is Average.MACRO else r"\sum_k \frac{n_k}{M} \cdot"
        return f"{sums} {per_class.latex}"

    def share(self, n: Array) -> Array:
        """Return how much a class weighs, beside the others."""
        return n if self is Average.WEIGHTED else 1

    def of(self, per_class: PerClass, zero_division: float = 0) -> Score:
        """Return what each class adds to the average: its weight times its score.

        A class where it is 0/0 counts as 0 or 1, or for nan is left out.
        """

        def terms(right: Array, n: Array, m: Array) -> Array:
            scores = per_class(right, n, m, zero_division)
            counted = np.broadcast_to(n + m > 0, np.shape(scores))
            if math.isnan(zero_division):
                below: Any = per_class.parts(right, n, m)[1]
                counted = counted & (below != 0)
                scores = np.where(counted, scores, 0)
            shares = counted * (self.share(n) * np.ones_like(n + m))
            whole = shares.sum(axis=-1, keepdims=True)
            return shares / np.where(whole == 0, 1, whole) * scores

        return terms


def _f_gain(beta: float, average: Average) -> Score:
    """Return the gain of Fβ: m / (β²n + m) grows by β²n / ((β²n + m)(β²n + m + 1))."""
    weight = beta * beta  # as in the score

    def gain(hits: Array, n: Array, m: Array) -> Array:  # noqa: ARG001
        reach = (Fraction(weight) if isinstance(n, Fraction) else weight) * n + m
        return average.share(n) * n * n / (reach * (reach + 1))

    return gain


def _jaccard_gain(average: Average) -> Score:
    """Return the gain of the Jaccard index: n(n - 1) / (u(u - 1)), where u = n + m - h.

    A class of one observation is a case of its own: one prediction is as good as many.
    """

    def gain(hits: Array, n: Array, m: Array) -> Array:
        union = n + m - hits
        below = union * (union - 1)
        is_first = (n == 1) & (m == 0)
        return average.share(n) * n * (n - 1 + is_first) / (below + (below == 0))

    return gain


_EMPTY = {0: "counts as 0, as in scikit-learn", 1: "counts as 1"}
# The best and the worst mix of precision, by what a class that is never predicted counts as.
_EXTREMES = {
    0.0: (Place.EVERY_CLASS, Place.ONE_CLASS),
    1.0: (Place.ONE_CLASS, Place.EVERY_CLASS),
}


@cache
def averaged_f(average: Average, beta: float) -> ClassMeasure:
    """Return an averaged Fβ score."""
    key = f"{average} F{require_beta(beta):g}"
    per_class, is_macro = _f_beta(beta), average is Average.MACRO
    named = {"zero_division": 0, "average": str(average)}
    return ClassMeasure(
        key=key,
        name=f"{average.capitalize()} F{beta:g} Score",
        aliases=(f"f{beta:g}_{average}", f"{key} score", f"{key} measure"),
        meaning=f"The F{beta:g} score of each class, {average.how}.",
        pitfall=(
            "Predicting each class as often as it occurs, at random, has 1/K: not 1/2, and not 0."
            if is_macro
            else "It may be lower than both the average precision and the average recall."
        ),
        sklearn=SklearnCall("f1_score", named)
        if beta == 1
        else SklearnCall("fbeta_score", {"beta": beta, **named}),
        latex=average.latex(per_class),
        zero_division="A class that neither occurs nor is predicted does not count.",
        form=OfDiagonal(average.of(per_class), gain=_f_gain(beta, average)),
        maximum=Place.LIKE_TRUTH if is_macro else Place.SUM,
        minimum=Place.ONE_CLASS,
    )


@cache
def averaged_precision(average: Average, zero_division: float = 0) -> ClassMeasure:
    """Return the averaged precision; of a class that is never predicted it is 0, 1 or nan."""
    key, is_nan = f"{average} precision", math.isnan(zero_division)
    where = _EXTREMES.get(float(zero_division), (Place.LARGEST_CLASS, Place.SMALLEST_CLASS))
    what = "is left out" if is_nan else _EMPTY[int(zero_division)]
    return ClassMeasure(
        key=key if zero_division == 0 else f"{key} ({zero_division:g} for 0/0)",
        name=f"{average.capitalize()} Precision",
        aliases=(f"precision_{average}",) if zero_division == 0 else (),
        meaning=f"How often a prediction of each class is right, {average.how}.",
        pitfall="What a class that is never predicted counts as decides how good a constant is.",
        sklearn=SklearnCall(
            "precision_score", {"average": str(average), "zero_division": zero_division}
        ),
        latex=average.latex(PRECISION),
        zero_division=f"A class that is never predicted {what}.",
        form=OfDiagonal(average.of(PRECISION, zero_division)),
        maximum=where[0],
        minimum=where[1],
    )


def _with_zero_division(measure: ClassMeasure, zero_division: float) -> ClassMeasure:
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


MACRO_RECALL = ClassMeasure(
    key="macro recall",
    name="Macro Recall",
    aliases=("recall_macro", "macro sensitivity", "mean per-class accuracy"),
    meaning=f"The fraction of each class that is found, {Average.MACRO.how}.",
    pitfall="A class of five observations weighs as much as one of five thousand.",
    sklearn=SklearnCall("recall_score", {"average": "macro", "zero_division": 0}),
    latex=Average.MACRO.latex(RECALL),
    zero_division="A class that is predicted and never occurs counts as 0, as in scikit-learn.",
    form=OfDiagonal(Average.MACRO.of(RECALL)),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    interval=Rule.AVERAGE,
)


def _of_accuracy(
    key: str, name: str, aliases: tuple[str, ...], meaning: str, pitfall: str, **facts: Any
) -> ClassMeasure:
    """Return a measure that is the accuracy, whatever its name."""
    return ClassMeasure(
        **{"latex": ACCURACY.latex, **facts},
        key=key,
        name=name,
        aliases=aliases,
        meaning=meaning,
        pitfall=pitfall,
        form=ACCURACY.form,
        maximum=Place.LARGEST_CLASS,
        minimum=Place.SMALLEST_CLASS,
    )


WEIGHTED_RECALL = _of_accuracy(
    "weighted recall",
    "Weighted Recall",
    ("recall_weighted",),
    f"The fraction of each class that is found, {Average.WEIGHTED.how}.",
    "It is the accuracy, whatever its name.",
    sklearn=SklearnCall("recall_score", {"average": "weighted", "zero_division": 0}),
    latex=Average.WEIGHTED.latex(RECALL),
)


def _micro(key: str, name: str, alias: str, call: str, **options: float) -> ClassMeasure:
    return _of_accuracy(
        key,
        name,
        (alias,),
        "The fraction of all predictions that are right: errors of all classes pooled.",
        "Where each observation has one class, it is the accuracy, whatever its name.",
        sklearn=SklearnCall(call, {**options, "average": "micro"}),
    )


@cache
def micro_f(beta: float) -> ClassMeasure:
    """Return the Fβ score of all classes pooled: the accuracy, whatever β is."""
    number = f"{require_beta(beta):g}"
    named = f"micro F{number}", f"Micro F{number} Score", f"f{number}_micro"
    return _micro(*named, "f1_score") if beta == 1 else _micro(*named, "fbeta_score", beta=beta)


@cache
def _averaged_jaccard(average: Average) -> ClassMeasure:
    return ClassMeasure(
        key=f"{average} Jaccard",
        name=f"{average.capitalize()} Jaccard Index",
        aliases=(f"jaccard_{average}", f"{average} IoU", f"{average} intersection over union")
        + (("mean IoU", "mIoU") if average is Average.MACRO else ()),
        meaning=(
            "Of the observations that are of a class or predicted as it, the fraction that is "
            f"both, {average.how}."
        ),
        pitfall="It is lower than the F1 score of the same predictions: 1/3 where that is 1/2.",
        sklearn=SklearnCall("jaccard_score", {"average": str(average), "zero_division": 0}),
        latex=average.latex(JACCARD),
        zero_division="A class that neither occurs nor is predicted does not count.",
        form=OfDiagonal(average.of(JACCARD), linear=False, gain=_jaccard_gain(average)),
        maximum=Place.SUM,
        minimum=Place.ONE_CLASS,
    )


def _micro_jaccard(right: Array, n: Array, m: Array) -> Array:  # noqa: ARG001
    return right / (2 * n.sum(axis=-1) - right)


MICRO_JACCARD = ClassMeasure(
    key="micro Jaccard",
    name="Micro Jaccard Index",
    aliases=("jaccard_micro", "micro IoU", "micro intersection over union"),
    meaning="Right answers over right answers and twice the wrong ones: all classes pooled.",
    pitfall="It is the accuracy on another scale: a half is a third.",
    sklearn=SklearnCall("jaccard_score", {"average": "micro"}),
    latex=r"\frac{\sum_k C_{kk}}{2 M - \sum_k C_{kk}}",
    form=OfTrace(_micro_jaccard, affine=False, of_accuracy=True),
    # Convex in the right answers, so that classes which tie are better mixed; see decision 4.
    maximum=Place.LARGEST_CLASS_EVENLY,
    minimum=Place.ONE_CLASS,
)

AVERAGES = (
    averaged_f(Average.MACRO, 1.0),
    averaged_f(Average.WEIGHTED, 1.0),
    micro_f(1.0),
    averaged_precision(Average.MACRO),
    averaged_precision(Average.WEIGHTED),
    _micro("micro precision", "Micro Precision", "precision_micro", "precision_score"),
    MACRO_RECALL,
    WEIGHTED_RECALL,
    _micro("micro recall", "Micro Recall", "recall_micro", "recall_score"),
    _averaged_jaccard(Average.MACRO),
    _averaged_jaccard(Average.WEIGHTED),
    MICRO_JACCARD,
)


def _balanced(right: Array, n: Array, m: Array) -> Array:
    occurs = n > 0
    return occurs * RECALL(right, n, m, 0) / occurs.sum(axis=-1, keepdims=True)


def _adjusted(right: Array, n: Array, m: Array) -> Array:
    """Return what each class adds to (b - 1/K) / (1 - 1/K), where b is the balanced accuracy."""
    occurs = n > 0
    classes = occurs.sum(axis=-1, keepdims=True)
    return occurs * (RECALL(right, n, m, 0) - 1 / classes) / (classes - 1)


def _root_of_recall(right: Array, n: Array, m: Array) -> Array:  # noqa: ARG001
    occurs = n > 0
    recalls = np.where(occurs, right / np.where(occurs, n, 1), 1)
    return recalls ** (1 / occurs.sum(axis=-1, keepdims=True))


BALANCED = ClassMeasure(
    key="balanced accuracy",
    name="Balanced Accuracy",
    aliases=("BACC", "balanced_accuracy", "balanced_accuracy_score", "mean recall"),
    meaning="The fraction of each class that is found, averaged over the classes that occur.",
    pitfall="A class of five observations weighs as much as one of five thousand.",
    sklearn=SklearnCall("balanced_accuracy_score"),
    latex=r"\frac{1}{K} \sum_k \frac{C_{kk}}{n_k}",
    zero_division="A class that never occurs does not count, as in scikit-learn.",
    form=OfDiagonal(_balanced, of_recalls=True),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    interval=Rule.AVERAGE,
)

ADJUSTED = ClassMeasure(
    key="adjusted balanced accuracy",
    name="Adjusted Balanced Accuracy",
    aliases=("balanced_accuracy_adjusted", "informedness of several classes"),
    meaning="Balanced accuracy on a scale where any mix expects 0 and perfection is 1.",
    pitfall="A class of five observations weighs as much as one of five thousand.",
    sklearn=SklearnCall("balanced_accuracy_score", {"adjusted": True}),
    codomain=SIGNED,
    latex=r"\frac{\frac{1}{K} \sum_k \frac{C_{kk}}{n_k} - \frac{1}{K}}{1 - \frac{1}{K}}",
    zero_division="A class that never occurs does not count, as in scikit-learn.",
    form=OfDiagonal(_adjusted, of_recalls=True),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    interval=Rule.AVERAGE,
    may_be_undefined=True,
    # A sum of differences that may be 0, and then is 1e-17.
    rounds=True,
)

G_MEAN = ClassMeasure(
    key="G-mean",
    name="Geometric Mean of Recalls",
    aliases=("GM", "geometric mean", "geometric_mean_score", "G-mean of recalls"),
    meaning="The geometric mean of the recalls of the classes that occur.",
    pitfall="A single class that is never found makes it 0, however good the others are.",
    latex=r"\left(\prod_k \frac{C_{kk}}{n_k}\right)^{1/K}",
    zero_division="A class that never occurs does not count.",
    form=OfProduct(_root_of_recall),
    maximum=Place.SEARCH,
    minimum=Place.A_CLASS_LEFT_OUT,
    rounds=True,
)

RECALLS = (BALANCED, ADJUSTED, G_MEAN)


REPORTED = ("accuracy", "balanced accuracy", "macro F1", "weighted F1", "MCC", "kappa")
"""The measures that people report, which are judged unless others are asked for."""

# "macro F2" and "f2_macro", with any β.
_BETA = r"(?P<beta>(?:0|[1-9]\d*)(?:\.\d+)?)"
_F_SCORE = re.compile(
    rf"(?P<average>macro|weighted|micro)[\s_-]*f{_BETA}(?:[\s_-]*(?:score|measure))?"
    rf"|f{_BETA.replace('beta', 'beta_first')}[\s_-]*(?P<average_last>macro|weighted|micro)"
)


def _with_beta(name: str) -> ClassMeasure | None:
    found = _F_SCORE.fullmatch(name)
    if found is None:
        return None
    average = found["average"] or found["average_last"]
    beta = float(found["beta"] or found["beta_first"])
    return micro_f(beta) if average == "micro" else averaged_f(Average(average), beta)


CLASS_MEASURES = Catalogue(
    __name__,
    "CLASS_MEASURES",
    (*AGREEMENT, *RECALLS, *AVERAGES),
    of=" of several classes",
    numbered=_with_beta,
)
"""The measures of several classes, by key."""


def get_class_measure(
    name: str | ClassMeasure, *, zero_division: float | None = None
) -> ClassMeasure:
    """Return a measure of several classes by any of its names.

    Parameters
    ----------
    name
        A key, a common abbreviation or scikit-learn's name. Case, spaces, hyphens and underscores
        do not matter. A `ClassMeasure` is returned unchanged.
    zero_division
        What 0/0 is: 0, 1, or nan to leave the class out; scikit-learn's default is 0.

    Examples
    --------
    >>> get_class_measure("f1_macro")
    <Measure macro F1: Macro F1 Score>
    >>> get_class_measure("weighted F2").key
    'weighted F2'
    """
    measure = CLASS_MEASURES.find(name)
    return measure if zero_division is None else _with_zero_division(measure, zero_division)
