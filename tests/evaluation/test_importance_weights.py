"""Rows that matter more, as calls see them: numbers, in arrays, frames, groups and scorers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_validate

import baserate as br
import sklearn
from backends import EAGER, LAZY, sparing
from baserate.core.observed import Rows, Weights
from baserate.exceptions import InvalidWeightsError
from baserate.kinds.numbers.task import REGRESSION
from baserate.observed.numbers import NumericPredictions
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 60
RANDOM = np.random.default_rng(46)
Y = RANDOM.gamma(2, 1, SIZE).round(2) + 0.1
RIDGE = Y + RANDOM.normal(0, 0.4, SIZE).round(2)
KNN = Y + RANDOM.normal(0, 0.9, SIZE).round(2)
WEIGHTS = RANDOM.choice([0.0, 0.5, 1.0, 2.75], SIZE)
GROUPS = RANDOM.choice(["north", "south"], SIZE)
THEIRS: dict[str, Callable[..., Any]] = {
    "MAE": metrics.mean_absolute_error,
    "MSE": metrics.mean_squared_error,
    "RMSE": metrics.root_mean_squared_error,
    "R2": metrics.r2_score,
    "MAPE": metrics.mean_absolute_percentage_error,
}
OPTIONS: Any = {"sample_weight": WEIGHTS, "weights": "importance"}


def test_scikit_learn_agrees() -> None:
    """The score of the whole test set and of each group is scikit-learn's."""
    report = br.evaluate(Y, {"ridge": RIDGE, "knn": KNN}, list(THEIRS), by=GROUPS, **OPTIONS)
    assert report.dropped == 0
    for verdict in report:
        rows = slice(None) if verdict.group is None else verdict.group == GROUPS
        model = RIDGE if verdict.model == "ridge" else KNN
        expected = THEIRS[verdict.measure](Y[rows], model[rows], sample_weight=WEIGHTS[rows])
        assert verdict.score == pytest.approx(expected, rel=1e-12)


def test_one_weight_for_all_is_none() -> None:
    """Scores do not change if every row matters as much as the others."""
    plain = br.evaluate(Y, RIDGE, ["MAE", "RMSE"])
    twice = br.evaluate(
        Y, RIDGE, ["MAE", "RMSE"], sample_weight=np.full(SIZE, 2.0), weights="importance"
    )
    assert [each.score for each in twice] == pytest.approx([each.score for each in plain])


def test_rows_that_are_observed() -> None:
    """Weights stay beside their rows; rows of weight 0 and incomplete ones are left out."""
    ridge = RIDGE.copy()
    ridge[np.flatnonzero(WEIGHTS == 0)[0]] = np.nan
    ridge[np.flatnonzero(WEIGHTS > 0)[:2]] = np.nan
    keep = (WEIGHTS > 0) & ~np.isnan(ridge)
    rows = Rows(by=GROUPS, drop=True, weights=Weights(WEIGHTS, "importance"))
    found = REGRESSION.observe(Y, {"ridge": ridge}, rows)
    assert found.dropped == 2  # a row that matters more is still one
    assert found.tables["ridge"][None] == NumericPredictions(Y[keep], ridge[keep], WEIGHTS[keep])
    south = keep & (GROUPS == "south")
    assert found.tables["ridge"]["south"] == NumericPredictions(
        Y[south], ridge[south], WEIGHTS[south]
    )
    pairs = REGRESSION.observe_pairs(Y, {"ridge": ridge, "knn": KNN}, rows).pairs["ridge", "knn"]
    assert pairs["south"].first == NumericPredictions(Y[south], ridge[south], WEIGHTS[south])
    assert pairs["south"].second == NumericPredictions(Y[south], KNN[south], WEIGHTS[south])


@pytest.mark.parametrize("make", sparing([*EAGER, *LAZY]))
def test_frames(make: Callable[[Any], Any]) -> None:
    """A column of weights is read beside the numbers."""
    columns = {"y": Y, "ridge": RIDGE, "knn": KNN, "region": GROUPS, "w": WEIGHTS}
    frame = make({name: column.tolist() for name, column in columns.items()})
    rows = Rows(by="region", weights=Weights("w", "importance"))
    arrays = Rows(by=GROUPS, weights=Weights(WEIGHTS, "importance"))
    names = {"ridge": "ridge", "knn": "knn"}
    models = {"ridge": RIDGE, "knn": KNN}
    found = REGRESSION.observe_frame(frame, "y", names, rows)
    assert found.tables == REGRESSION.observe(Y, models, arrays).tables
    pairs = REGRESSION.observe_frame_pairs(frame, "y", names, rows)
    assert pairs.pairs == REGRESSION.observe_pairs(Y, models, arrays).pairs


def test_the_report_says_so() -> None:
    """The test set is one of weighted rows."""
    assert "weighted mean" in str(br.evaluate(Y, RIDGE, "MAE", **OPTIONS))
    frame = pl.DataFrame({"y": Y, "m": RIDGE, "w": WEIGHTS})
    report = br.evaluate(frame, "m", "MAE", truth="y", sample_weight="w", weights="importance")
    assert "weighted mean" in str(report)


def test_a_gate() -> None:
    """The gate of a test suite takes weights of both kinds."""
    br.assert_beats_baseline(Y, RIDGE, "RMSE", **OPTIONS)
    worse = np.where(np.abs(Y - KNN) > 1, 100.0, 0.01)
    with pytest.raises(AssertionError, match="MAE of model"):
        br.assert_beats_baseline(Y, KNN, "MAE", sample_weight=worse, weights="importance")
    labels = (Y > 1).astype(int)
    br.assert_beats_baseline(
        labels, labels, "F1", sample_weight=np.arange(SIZE), weights="frequency"
    )
    with pytest.raises(br.exceptions.MisplacedArgumentError, match="y_true, y_pred, measure"):
        br.assert_beats_baseline(labels, labels, **OPTIONS)
    with pytest.raises(InvalidWeightsError, match="no rows"):
        br.assert_beats_baseline(br.Confusion(tp=1, fn=1), "F1", **OPTIONS)


@pytest.mark.parametrize("kind", ["frequency", "importance"])
def test_scorers_in_cross_validation(kind: Any) -> None:
    """scikit-learn routes weights to a scorer: each fold has the score of scikit-learn's own."""
    weights = np.arange(SIZE) % 4 + 1 if kind == "frequency" else WEIGHTS + 0.25
    scoring = br.sklearn.scorers("RMSE", "MAE", "MAE_rescaled", weights=kind)
    inputs = Y[:, None] ** 2
    folds = KFold(4, shuffle=True, random_state=1)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = {name: each.set_score_request(sample_weight=True) for name, each in scoring.items()}
        theirs = metrics.get_scorer("neg_mean_absolute_error").set_score_request(sample_weight=True)
        model = LinearRegression().set_fit_request(sample_weight=True)
        asked["theirs"] = theirs
        found = cross_validate(
            model, inputs, Y, scoring=asked, cv=folds, params={"sample_weight": weights}
        )
    assert found["test_MAE"] == pytest.approx(found["test_theirs"], rel=1e-12)
    assert (found["test_MAE_rescaled"] > 0).all()


def test_a_scorer_that_is_not_told() -> None:
    """Weights without their meaning are an error, as elsewhere; a scorer told may get none."""
    model = LinearRegression().fit(Y[:, None], Y)
    with pytest.raises(InvalidWeightsError, match="must say what sample_weight means"):
        br.sklearn.make_scorer("MAE")(model, Y[:, None], Y, sample_weight=WEIGHTS)
    with pytest.raises(InvalidWeightsError, match="'frequency' or 'importance'"):
        br.sklearn.make_scorer("MAE", weights="sampling")  # type: ignore[arg-type]
    told = br.sklearn.make_scorer("MAE", weights="importance")
    assert told(model, Y[:, None], Y) == br.sklearn.make_scorer("MAE")(model, Y[:, None], Y)
