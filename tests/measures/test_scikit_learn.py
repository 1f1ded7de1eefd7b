"""Scores of scores, of class scores and of numbers are those of scikit-learn and scipy.

Those of labels are compared in tests/sklearn/test_scorers.py, weighted ones in test_weights.py.
"""

from __future__ import annotations

import warnings
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import special, stats

import baserate as br
import sklearn
from front_door import catalogue
from properties.kinds import Sketch, numbers, scores, shares
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable

MAKERS: dict[str, tuple[Callable[[Sketch], Any], Callable[..., Any]]] = {
    "scores": (scores, br.RankedScores.of),
    "class-scores": (shares, br.ClassProbabilities.of),
    "regression": (numbers, br.NumericPredictions.of),
}
# Every measure of the catalogue, and some parameters that are not in it.
NAMED = {
    "scores": [*catalogue("scores"), "AUC@0.01", "AUC@0.5", "AUC@1", "NDCG@1", "NDCG@400"],
    "class-scores": [*catalogue("class probabilities"), "top-1 accuracy"],
    "regression": [
        *catalogue("numbers"),
        *("pinball@0.9", "pinball@0.29", "Huber@0.5", "Tweedie@-1", "Tweedie@1.2", "Tweedie@3"),
        *("D2 pinball@0.9", "D2 Tweedie@1.5", "D2 Tweedie@2", "D2 Tweedie@-0.5"),
    ],
}
OTHERS: dict[str, Callable[[Any, Any], Any]] = {
    "max error": metrics.max_error,  # which takes no weights
    "Huber@1": lambda y, z: special.huber(1.0, y - z).mean(),
    "Huber@0.5": lambda y, z: special.huber(0.5, y - z).mean(),
    "Pearson": lambda y, z: stats.pearsonr(y, z).statistic,
    "Spearman": lambda y, z: stats.spearmanr(y, z).statistic,
    "Kendall": lambda y, z: stats.kendalltau(y, z).statistic,
    "NDCG": lambda y, z: metrics.ndcg_score([y], [z]),
    **{f"NDCG@{k}": lambda y, z, k=k: metrics.ndcg_score([y], [z], k=k) for k in (1, 10, 400)},
}
# Before 1.9, scikit-learn compares with an interpolated quantile, which is not the best constant.
IS_OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9)
SKETCHES = [Sketch(rows, 18, 0.5, 0.2, levels) for rows, levels in product((5, 40, 501), (4, 1000))]


def _known(task: str, name: str) -> bool:
    measure = br.get_measure(name, task=task)
    is_other = IS_OLD and name.startswith("D2 pinball")
    return (measure.sklearn is not None and not is_other) or measure.key in OTHERS


def _theirs(measure: Any, *rows: Any) -> float:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # theirs overflow, and say so
        call = OTHERS.get(measure.key) or measure.sklearn.score
        return float(call(*rows))


@pytest.mark.parametrize(
    ("task", "name"),
    [(task, name) for task, names in NAMED.items() for name in names if _known(task, name)],
)
def test_scores_are_those_of_scikit_learn_and_scipy(task: str, name: str) -> None:
    """With many ties and with few; numbers that are huge and tiny too."""
    (make, observe), measure, compared = MAKERS[task], br.get_measure(name, task=task), 0
    scales = (1.0, 1e-9, 1e12, 1e60, 1e-60) if task == "regression" else (1.0,)
    for sketch, scale in product(SKETCHES, scales):
        rows = make(sketch)
        columns = [rows.y_true, rows.first]
        if task == "regression":  # some measures need numbers above 0
            columns = [scale * np.exp(each.clip(-5, 5)) for each in columns]
        expected = _theirs(measure, *columns)
        if not np.isfinite(expected) or (task == "regression" and expected in (0, 1)):
            continue  # squares of theirs are 0 or infinite
        # A deviance of power p is a difference of numbers of the size of y^(2 - p).
        close = pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert measure.score(observe(*columns)) == close, (sketch, scale)
        compared += 1
    assert compared >= (18 if task == "regression" else 6)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_short_floats(kind: type) -> None:
    """Theirs compute in the type of the scores."""
    rows, near = scores(SKETCHES[-2]), 4e-3 if kind is np.float16 else 2e-5
    for name in ("Brier", "log loss", "AUC", "AP"):
        measure, said = br.get_measure(name, task="scores"), rows.first.astype(kind)
        expected = _theirs(measure, rows.y_true, said)
        assert measure.score(br.RankedScores.of(rows.y_true, said)) == pytest.approx(
            expected, rel=near
        )
    rows = shares(SKETCHES[-2])
    for name in ("Brier", "log loss", "AUC ovr", "top-2 accuracy"):
        measure, said = br.get_measure(name, task="class-scores"), rows.first.astype(np.float32)
        expected = _theirs(measure, rows.y_true, said)
        assert measure.score(br.ClassProbabilities.of(rows.y_true, said)) == pytest.approx(
            expected, rel=2e-5
        )


def test_certain_probabilities_and_one_class() -> None:
    """0 and 1 are probabilities, right ones and wrong ones; log loss is infinite or huge there."""
    truth, certain = [0, 1, 1, 0, 1], [0.0, 1.0, 0.25, 0.25, 1.0]
    for name in ("Brier", "log loss"):
        measure = br.get_measure(name, task="scores")
        for y, p in ((truth, certain), (truth, certain[::-1]), ([1] * 5, [1.0, 1, 1, 0.5, 0])):
            options = {"labels": [0, 1]} if name == "log loss" else {"pos_label": 1}
            theirs = getattr(metrics, measure.sklearn.function)(y, p, **options)
            assert measure.score(br.RankedScores.of(y, p, 1)) == pytest.approx(theirs, rel=1e-12)
