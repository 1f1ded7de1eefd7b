"""Scores of numbers: as scikit-learn and scipy have them, or as the definition in fractions."""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import special, stats

import sklearn
from baserate.exceptions import (
    UndefinedMeasureWarning,
)
from baserate.measures.numbers import (
    NUMBER_MEASURES,
    get_number_measure,
)
from baserate.observed.numbers import NumericPredictions
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = np.random.default_rng(18)
# Every measure of the catalogue, and some parameters that are not in it.
NAMES = [
    *NUMBER_MEASURES,
    "pinball@0.9",
    "pinball@0.29",
    "Huber@0.5",
    "Tweedie@-1",
    "Tweedie@1.2",
    "Tweedie@3",
    "D2 pinball@0.9",
    "D2 Tweedie@1.5",
    "D2 Tweedie@2",
    "D2 Tweedie@-0.5",
]
OTHERS: dict[str, Callable[[Any, Any], float]] = {
    "Huber@1": lambda y, z: float(special.huber(1.0, y - z).mean()),
    "Huber@0.5": lambda y, z: float(special.huber(0.5, y - z).mean()),
    "Pearson": lambda y, z: float(stats.pearsonr(y, z).statistic),
    "Spearman": lambda y, z: float(stats.spearmanr(y, z).statistic),
    "Kendall": lambda y, z: float(stats.kendalltau(y, z).statistic),
    "sMAPE": lambda y, z: float((2 * np.abs(y - z) / (np.abs(y) + np.abs(z))).mean()),
    "CCC": lambda y, z: float(
        2 * np.cov(y, z, bias=True)[0, 1] / (y.var() + z.var() + (y.mean() - z.mean()) ** 2)
    ),
    "D2 pinball@0.9": lambda y, z: (
        1
        - metrics.mean_pinball_loss(y, z, alpha=0.9)
        / metrics.mean_pinball_loss(
            y, np.full(y.size, np.quantile(y, 0.9, method="inverted_cdf")), alpha=0.9
        )
    ),
}
# Before 1.9, scikit-learn compares with an interpolated quantile, which is not the best constant.
IS_OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9)


def _inputs() -> list[tuple[np.ndarray, np.ndarray]]:
    """Positive numbers, so that all measures have a score: of many kinds."""
    found = []
    for size in (2, 3, 4, 7, 50, 501):
        y = np.exp(RNG.normal(size=size))
        found.append((y, y * np.exp(0.5 * RNG.normal(size=size))))
        tied = RNG.integers(1, 4, size).astype(float)
        tied[:2] = 1, 2
        other = RNG.integers(1, 4, size).astype(float)
        other[:2] = 3, 1
        found.append((tied, other))
        found.extend((y * scale, y[::-1] * scale * 1.5) for scale in (1e-9, 1e12, 1e60, 1e-60))
    return found


INPUTS = _inputs()


def _theirs(name: str, y: np.ndarray, z: np.ndarray, weights: Any = None) -> float:
    measure = get_number_measure(name)
    if measure.sklearn is None or (IS_OLD and name.startswith("D2 pinball@")):
        return OTHERS[measure.key](y, z)
    if weights is None and measure.key == "max error":
        return float(metrics.max_error(y, z))
    return measure.sklearn.score(y, z, weights)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")  # theirs overflow, and say so
def test_scores_are_those_of_scikit_learn_and_scipy(name: str) -> None:
    """On random, tied, huge and tiny numbers, each to rounding."""
    measure, compared = get_number_measure(name), 0
    for y, z in INPUTS:
        value, reason = measure.score_or_reason(NumericPredictions.of(y, z))
        expected = _theirs(name, y, z)
        if not math.isfinite(expected) or expected in (0, 1):
            continue  # squares of theirs are 0 or infinite
        assert not reason
        # A deviance of power p is a difference of numbers of the size of y^(2 - p).
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12), (y, z)
        compared += 1
    assert compared >= 18


@pytest.mark.parametrize("name", [n for n in NAMES if get_number_measure(n).sklearn])
def test_weighted_scores_are_those_of_scikit_learn(name: str) -> None:
    """With whole weights, fractions, and weights of 0."""
    measure = get_number_measure(name)
    for size in (5, 40):
        y = np.exp(RNG.normal(size=size))
        z = y * np.exp(0.5 * RNG.normal(size=size))
        for weights in (RNG.integers(1, 5, size) * 1.0, RNG.random(size), np.arange(size) * 1.0):
            value, _ = measure.weighted(y, z, weights)
            if name == "max error":
                assert value == metrics.max_error(y[weights > 0], z[weights > 0])
            else:
                assert value == pytest.approx(_theirs(name, y, z, weights), rel=1e-9)


def test_what_has_no_score_says_why() -> None:
    """In plain words, where scikit-learn raises, or returns 0 or 1."""
    cases = {
        ("MSLE", (-1.0, 2), (1.0, 2)): "every true number must be above -1, and the lowest is -1",
        ("RMSLE", (0.0, 2), (1.0, -3)): "every prediction must be above -1, and the lowest is -3",
        ("Gamma", (0.0, 2), (1.0, 2)): "every true number must be above 0, and the lowest is 0",
        ("Poisson", (0.0, 2), (0.0, 2)): "every prediction must be above 0, and the lowest is 0",
        ("Poisson", (-1.0, 2), (1.0, 2)): "every true number must be at least 0, and the lowest "
        "is -1",
        ("R2", (0.1, 0.1), (0.1, 0.2)): "all true numbers are the same, and there is no spread to "
        "explain",
        ("R2", (0.1,), (0.1,)): "there is one observation, and no spread of the truth to explain",
        ("Pearson", (0.1, 0.2), (0.3, 0.3)): "all predictions are the same",
        ("MSE", (1e200, 0.0), (0.0, 0.0)): "it is beyond the range of floating-point numbers",
    }
    for (name, truth, predicted), why in cases.items():
        value, reason = get_number_measure(name).score_or_reason(
            NumericPredictions.of(truth, predicted)
        )
        assert math.isnan(value)
        assert reason == why
    with pytest.warns(UndefinedMeasureWarning, match="R2 is undefined: there is one"):
        assert (
            get_number_measure("R2").score(NumericPredictions.of([1.0], [1.0]), undefined=0.0)
            == 0.0
        )
    assert get_number_measure("MAE").weighted(*np.ones((2, 1)), np.zeros(1))[1]


def test_names_with_numbers() -> None:
    """In many spellings; what has a name of its own is that record."""
    same = {
        "pinball@0.9": ["Pinball 0.9", "mean_pinball_loss@0.9", "quantile loss at 0.9"],
        "Huber@2": ["huber loss@2.0", "Huber 2"],
        "Poisson deviance": ["Tweedie@1", "tweedie deviance 1"],
        "Tweedie@-1": ["tweedie@-1.0"],
        "MSE": ["Tweedie@0"],
        "R2": ["D2 Tweedie@0", "R²"],
        "D2 absolute error": ["D2 pinball@0.5", "d2_pinball_score"],
    }
    for key, names in same.items():
        for name in (key, *names):
            assert get_number_measure(name) is get_number_measure(key)
            assert get_number_measure(name).key == key
        assert pickle.loads(pickle.dumps(get_number_measure(key))) is get_number_measure(key)
