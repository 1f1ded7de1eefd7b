"""Measures of agreement, which depend on the right answers and on both margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.codomain import SIGNED, UNIT
from baserate.core.direction import Direction
from baserate.core.formula import Formula
from baserate.core.sklearn_call import SklearnCall
from baserate.multiclass.measures.forms import OfCells, OfTrace
from baserate.multiclass.measures.place import Place
from baserate.multiclass.measures.record import ClassMeasure
from baserate.multiclass.measures.tables import of_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.multiclass.measures.forms import Array


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


def _distance(power: int) -> Callable[[Array, Array], tuple[Any, float]]:
    """Return the weights of the cells of a weighted kappa."""

    def weights(n: Array, m: Array) -> tuple[Any, float]:
        place = np.arange(np.shape(n)[-1])
        apart = np.abs(place[:, np.newaxis] - place) ** power
        expected = (n @ apart @ m) / n.sum()
        return -apart / expected, 1.0

    return weights


def _weighted_kappa(power: int) -> Callable[[Array], Array]:
    def score(tables: Array) -> Array:
        n, m = tables.sum(axis=-1), tables.sum(axis=-2)
        place = np.arange(np.shape(n)[-1])
        apart = np.abs(place[:, np.newaxis] - place) ** power
        observed = (tables * apart).sum(axis=(-2, -1))
        expected = ((n @ apart) * m).sum(axis=-1) / n.sum(axis=-1)
        return 1 - observed / expected

    return score


ACCURACY = ClassMeasure(
    key="accuracy",
    name="Accuracy",
    aliases=("ACC", "accuracy_score", "zero-one accuracy", "overall accuracy"),
    meaning="The fraction of all predictions that are right.",
    pitfall="Where one class is frequent, always predicting it is often right.",
    sklearn=SklearnCall("accuracy_score"),
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=Formula(r"\frac{\sum_k C_{kk}}{M}", of_trace(_accuracy)),
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
    codomain=UNIT,
    definition=Formula(r"1 - \frac{\sum_k C_{kk}}{M}", of_trace(_hamming)),
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
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=Formula(
        r"\frac{\sum_k C_{kk} - \sum_k n_k m_k / M}{M - \sum_k n_k m_k / M}", of_trace(_kappa)
    ),
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
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=Formula(
        r"1 - \frac{\sum_{jk} |j - k| C_{jk}}{\sum_{jk} |j - k| n_j m_k / M}", _weighted_kappa(1)
    ),
    form=OfCells(_distance(1)),
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
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=Formula(
        r"1 - \frac{\sum_{jk} (j - k)^2 C_{jk}}{\sum_{jk} (j - k)^2 n_j m_k / M}",
        _weighted_kappa(2),
    ),
    form=OfCells(_distance(2)),
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
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=Formula(
        r"\frac{M \sum_k C_{kk} - \sum_k n_k m_k}{\sqrt{(M^2 - \sum_k n_k^2)(M^2 - \sum_k m_k^2)}}",
        of_trace(_mcc),
    ),
    zero_division="It is 0 if only one class is predicted, as in scikit-learn.",
    form=OfTrace(_mcc),
    maximum=Place.EVERYWHERE,
    minimum=Place.EVERYWHERE,
    rounds=True,
)

AGREEMENT = (ACCURACY, HAMMING, KAPPA, LINEAR_KAPPA, QUADRATIC_KAPPA, MCC)
