"""Measures of the recalls of the classes that occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.core.codomain import UNIT, Codomain
from baserate.core.direction import Direction
from baserate.core.formula import Formula
from baserate.core.sklearn_call import SklearnCall
from baserate.intervals.bootstrap import Rule
from baserate.multiclass.measures.forms import OfDiagonal, OfProduct
from baserate.multiclass.measures.per_class import RECALL
from baserate.multiclass.measures.place import Place
from baserate.multiclass.measures.record import ClassMeasure
from baserate.multiclass.measures.tables import diagonal, of_diagonal

if TYPE_CHECKING:
    from baserate.multiclass.measures.forms import Array


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


def _g_mean(tables: Array) -> Array:
    n, m = tables.sum(axis=-1), tables.sum(axis=-2)
    return np.prod(_root_of_recall(diagonal(tables), n, m), axis=-1)


BALANCED = ClassMeasure(
    key="balanced accuracy",
    name="Balanced Accuracy",
    aliases=("BACC", "balanced_accuracy", "balanced_accuracy_score", "mean recall"),
    meaning="The fraction of each class that is found, averaged over the classes that occur.",
    pitfall="A class of five observations weighs as much as one of five thousand.",
    sklearn=SklearnCall("balanced_accuracy_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{1}{K} \sum_k \frac{C_{kk}}{n_k}", of_diagonal(_balanced)),
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
    meaning="Balanced accuracy on a scale where any deck expects 0 and perfection is 1.",
    pitfall="A class of five observations weighs as much as one of five thousand.",
    sklearn=SklearnCall("balanced_accuracy_score", {"adjusted": True}),
    direction=Direction.MAXIMIZE,
    codomain=Codomain(-1, 1),
    definition=Formula(
        r"\frac{\frac{1}{K} \sum_k \frac{C_{kk}}{n_k} - \frac{1}{K}}{1 - \frac{1}{K}}",
        of_diagonal(_adjusted),
    ),
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
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(r"\left(\prod_k \frac{C_{kk}}{n_k}\right)^{1/K}", _g_mean),
    zero_division="A class that never occurs does not count.",
    form=OfProduct(_root_of_recall),
    maximum=Place.SEARCH,
    minimum=Place.A_CLASS_LEFT_OUT,
    rounds=True,
)

RECALLS = (BALANCED, ADJUSTED, G_MEAN)
