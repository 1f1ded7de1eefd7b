"""Numbers are a task like the others: every function, report, frame and command takes them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.core.observed import Rows, Weights
from baserate.exceptions import (
    InvalidFrameError,
)
from baserate.kinds.numbers import REGRESSION, Limits, RegressionTask
from baserate.observed.numbers import Numbers
from baserate.report.collection import Report
from baserate.verdicts.judge import verdicts
from sklearn import metrics

RANDOM = np.random.default_rng(18)
TRUTH = RANDOM.gamma(2, 3, 40).round(3)
RIDGE = np.abs(TRUTH + RANDOM.normal(0, 1, 40)).round(3)
FOREST = np.abs(0.5 * TRUTH + RANDOM.normal(2, 2, 40)).round(3)
GROUPS = np.repeat(["a", "b"], [15, 25])
MODELS = {"ridge": RIDGE, "forest": FOREST}
MEASURES = ["RMSE", "MAE", "MAPE", "R2"]


@pytest.fixture(scope="module")
def report() -> br.Report:
    """Two models, in groups, by four measures."""
    return br.evaluate(TRUTH, MODELS, MEASURES, by=GROUPS)


def test_scores_and_baselines_are_those_of_scikit_learn(report: br.Report) -> None:
    """The scores are its functions', and the baselines those of its functions of the constant."""
    functions = {
        "RMSE": metrics.root_mean_squared_error,
        "MAE": metrics.mean_absolute_error,
        "MAPE": metrics.mean_absolute_percentage_error,
        "R2": metrics.r2_score,
    }
    for group, model, (key, function) in itertools.product(
        (None, "a", "b"), MODELS, functions.items()
    ):
        rows = slice(None) if group is None else group == GROUPS
        verdict = report[model, key, group] if group else report[model, key]
        constant = br.baseline(TRUTH[rows], key).guesses[0].middle
        assert verdict.score == pytest.approx(function(TRUTH[rows], MODELS[model][rows]))
        free = function(TRUTH[rows], np.full(TRUTH[rows].size, constant))
        assert verdict.baseline == pytest.approx(free, abs=1e-12)


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
        observed = br.NumericPredictions.of(truth, predicted)
        score, reason = br.get_measure(name, task="regression").score_or_reason(observed)
        assert (math.isnan(score), reason) == (True, why)
    one = br.NumericPredictions.of([1.0], [1.0])
    with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="R2 is undefined: there is one"):
        assert br.get_measure("R2").score(one, undefined=0.0) == 0.0


def test_best_constants_are_said() -> None:
    """By MAPE the constant 1 is best; the mean and the median are far from it."""
    truth = [1.0, 2, 3, 10, 100]
    best = br.baseline(truth, "MAPE").best
    assert (round(best.value, 3), str(best.guesses)) == (0.611, "always 1")
    assert br.baseline(Numbers(truth), "MAPE").best == best
    assert br.baseline(br.NumericPredictions.of(truth, truth), "MAPE").best == best
    assert str(br.baseline([1, 2, 3, 4], "MAE").guesses) == "any constant from 2 to 3"


THREE, HALVES = ["a", "b", "c", "a"], [0.5, 1.5, 2.5, 0.5]


@pytest.mark.parametrize(
    ("truth", "predicted", "measures", "task"),
    [
        (THREE, THREE, "accuracy", "multiclass"),
        ([0, 1, 1, 0], [0, 1, 1, 0], "accuracy", "binary"),
        ([0, 1, 1, 0], [0, 1, 1, 0], "macro F1", "multiclass"),
        (HALVES, HALVES, None, "regression"),
        (TRUTH, RIDGE, None, "regression"),
        ([1.0, 2.0, 2.5, 3.0], [1, 2, 3, 4], None, "regression"),  # the fraction is the third class
        ([1, 2, 3, 4], [1, 2, 3, 3], None, "multiclass"),
        ([1, 2, 3, 4], [1, 2, 3, 3], "MAE", "regression"),
        ([0, 1, 1, 0], [0.1, 0.7, 0.8, 0.3], None, "scores"),
        ([0, 1, 1, 0], [0.1, 0.7, 0.8, 0.3], "rmse", "regression"),
        ([0, 1, 1, 0], [0, 1, 1, 0], "neg_mean_squared_error", "regression"),
    ],
)
def test_which_task_it_is(truth: Any, predicted: Any, measures: Any, task: str) -> None:
    """The measures say it, and without them a truth with fractions does."""
    found = br.evaluate(truth, predicted, measures)
    assert found.performances[0].table.task == task
    asked = br.evaluate(THREE, THREE, "F1", pos_label="a")
    assert asked.performances[0].table.task == "binary"
    assert br.evaluate(HALVES, HALVES, task="multiclass")["model", "accuracy"].score == 1


EDGES = np.random.default_rng(43)
FEW = RegressionTask(Limits(rows=10, needed=10, sample=60))
LAZY = pl.LazyFrame(
    {"y": EDGES.random(50), "p": EDGES.random(50), "q": EDGES.random(50), "w": EDGES.random(50)}
)


def test_weighted_rows_of_an_engine_must_be_few() -> None:
    """All of them are read, so there is a limit."""
    rows = Rows(weights=Weights("w", "importance"))
    with pytest.raises(InvalidFrameError, match="at most 10 rows with sample_weight"):
        FEW.observe_frame(LAZY, "y", {"m": "p"}, rows)


def test_summaries_say_why_there_is_no_constant() -> None:
    """Also when they are read from JSON."""
    rows, names = Rows(measures=["RMSE", "MSLE"]), {"m": "p"}
    negative = LAZY.with_columns(y=pl.col("y") - 5)
    found = FEW.observe_frame(negative, "y", names, rows)
    report = Report(verdicts(REGRESSION, found.tables, REGRESSION.chosen(["RMSE", "MSLE"])))
    assert report["m", "MSLE"].outcome.name == "UNDEFINED"
    again = Report.from_json(report.to_json())
    assert again["m", "MSLE"].reason == report["m", "MSLE"].reason != ""
