"""Scorers, in scikit-learn's own cross-validation."""

from __future__ import annotations

import math
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate

import baserate as br
import sklearn
from baserate.exceptions import (
    InvalidMeasureError,
    InvalidWeightsError,
    MissingDependencyError,
    NoBaselineError,
    UndefinedMeasureWarning,
    UnknownMeasureError,
)
from sklearn import metrics

X, Y = make_classification(200, weights=[0.8], flip_y=0.2, random_state=0)
WORTHS = ("rescaled", "dutch_scaler", "margin")


def _model() -> LogisticRegression:
    return LogisticRegression().fit(X, Y)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("f1", "f1"),
        ("mcc", "matthews_corrcoef"),
        ("bacc", "balanced_accuracy"),
        ("acc", "accuracy"),
    ],
)
def test_a_plain_score_is_scikit_learn_s(ours: str, theirs: str) -> None:
    """The plain scorer of a measure equals scikit-learn's."""
    score = br.sklearn.make_scorer(ours)(_model(), X, Y)
    assert score == pytest.approx(metrics.get_scorer(theirs)(_model(), X, Y))


def test_a_measure_to_minimize_is_negated_unless_it_is_scaled() -> None:
    """Greater is better for a scorer, as in scikit-learn."""
    table = br.Confusion.of(Y, _model().predict(X))
    fdr = br.get_measure("fdr")
    assert br.sklearn.make_scorer("fdr")(_model(), X, Y) == -fdr.score(table)
    rescaled = br.rescaled_score(table, "fdr", fdr.score(table))
    assert br.sklearn.make_scorer("fdr", scaled=True)(_model(), X, Y) == rescaled > 0
    assert br.sklearn.make_scorer("fdr", scaled="margin")(_model(), X, Y) > 0


def test_each_fold_is_compared_with_its_own_baseline() -> None:
    """Every kind of scorer equals a computation by hand, fold by fold."""
    folds = KFold(4, shuffle=True, random_state=1)
    names = ["f1", *(f"f1_{worth}" for worth in WORTHS), "MCC_rescaled"]
    with pytest.warns(UndefinedMeasureWarning, match="Dutch Scaler of F1 is undefined"):
        scores = cross_validate(
            LogisticRegression(), X, Y, cv=folds, scoring=br.sklearn.scorers(*names)
        )
    baselines = set()
    for fold, (train, test) in enumerate(folds.split(X, Y)):
        predicted = LogisticRegression().fit(X[train], Y[train]).predict(X[test])
        verdict = br.evaluate(Y[test], predicted, "f1").verdicts[0]
        baselines.add(verdict.baseline)
        assert scores["test_f1"][fold] == verdict.score
        assert scores["test_f1_rescaled"][fold] == verdict.rescaled
        assert scores["test_f1_margin"][fold] == verdict.margin
        weight = 0 if verdict.margin < 0 else verdict.dutch_scaler
        assert scores["test_f1_dutch_scaler"][fold] == weight
    assert len(baselines) > 1


def test_the_best_draw_is_worth_nothing() -> None:
    """The best draw has rescaled score, margin and Dutch Scaler 0 on every fold."""
    scoring = br.sklearn.scorers(*(f"f1_{worth}" for worth in WORTHS))
    scores = cross_validate(br.sklearn.DutchDrawClassifier("f1"), X, Y, scoring=scoring)
    for worth in WORTHS:
        np.testing.assert_array_equal(scores[f"test_f1_{worth}"], 0)


def test_a_grid_search_by_what_a_score_is_worth() -> None:
    """A grid search can choose a model by our scorer."""
    search = GridSearchCV(
        br.sklearn.DutchDrawClassifier(random_state=0),
        {"theta": [0.0, 0.2, 1.0]},
        scoring=br.sklearn.make_scorer("f1", scaled=True, undefined=-1.0),
    )
    with pytest.warns(UndefinedMeasureWarning, match="F1 is undefined"):
        search.fit(X, Y)
    assert search.best_params_ == {"theta": 1.0}
    assert search.best_score_ == 0


@pytest.mark.parametrize("scaled", [False, True, "margin"])
def test_what_is_undefined(scaled: Any) -> None:
    """A warning says why, and the requested value stands in."""
    nothing = br.sklearn.DutchDrawClassifier(theta=0).fit(X, Y)
    with pytest.warns(UndefinedMeasureWarning, match=r"needs P̂ > 0"):
        assert math.isnan(
            br.sklearn.make_scorer("ppv", scaled=scaled, undefined=math.nan)(nothing, X, Y)
        )
    with pytest.warns(UndefinedMeasureWarning):
        assert br.sklearn.make_scorer("fdr", scaled=scaled, undefined=-2.0)(nothing, X, Y) == -2
    weak = br.sklearn.DutchDrawClassifier(theta=0.05, random_state=0).fit(X, Y)
    with pytest.warns(UndefinedMeasureWarning, match="worse than the baseline"):
        assert br.sklearn.make_scorer("f1", scaled="dutch_scaler")(weak, X, Y) == 0


def test_labels_that_are_text() -> None:
    """The positive class is given once for all scorers."""
    text = np.where(Y == 1, "ill", "well")
    model = LogisticRegression().fit(X, text)
    scores = br.sklearn.scorers("f1", pos_label="ill")
    assert scores["f1"](model, X, text) == pytest.approx(
        metrics.f1_score(text, model.predict(X), pos_label="ill")
    )
    with pytest.raises(ValueError, match="pos_label must say"):
        br.sklearn.make_scorer("f1")(model, X, text)


def test_weights_count_observations() -> None:
    """Weights are routed to a scorer that requests them, and must be whole numbers."""
    weights = np.arange(200) % 3
    f1 = br.sklearn.make_scorer("f1", weights="frequency")
    with sklearn.config_context(enable_metadata_routing=True):
        asked = f1.set_score_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        params = {"sample_weight": weights}
        scores = cross_validate(model, X, Y, scoring=asked, cv=2, params=params)
    assert np.isfinite(scores["test_score"]).all()
    model, repeated = _model(), np.repeat(np.arange(200), weights)
    expected = f1(model, X[repeated], Y[repeated])
    scaled = br.sklearn.make_scorer("f1", scaled=True, weights="frequency")
    assert f1(model, X, Y, sample_weight=weights) == expected
    assert scaled(model, X, Y, sample_weight=weights) == scaled(model, X[repeated], Y[repeated])
    for bad in (weights / 2, -weights, weights[:5]):
        with pytest.raises(InvalidWeightsError, match="sample_weight must"):
            f1(model, X, Y, sample_weight=bad)


def test_scorers_pickle() -> None:
    """Scorers reach the workers of a parallel search."""
    scorer = pickle.loads(pickle.dumps(br.sklearn.make_scorer("mcc", scaled="dutch_scaler")))
    assert scorer(_model(), X, Y) == br.sklearn.make_scorer("mcc", scaled="dutch_scaler")(
        _model(), X, Y
    )
    scores = cross_validate(
        LogisticRegression(), X, Y, scoring=br.sklearn.scorers("mcc", "mcc_margin"), n_jobs=2, cv=2
    )
    assert np.isfinite(scores["test_mcc_margin"]).all()


def test_a_measure_of_your_own() -> None:
    """A custom measure can be scored and rescaled too."""
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    table = br.Confusion.of(Y, _model().predict(X))
    assert br.sklearn.make_scorer(cost)(_model(), X, Y) == -(table.fp + 5 * table.fn)
    assert br.sklearn.make_scorer(cost, scaled=True)(_model(), X, Y) > 0


def test_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unknown names are an error when the scorer is made."""
    with pytest.raises(InvalidMeasureError, match="scaled must be True, False or one of"):
        br.sklearn.make_scorer("f1", scaled="best")  # type: ignore[arg-type]
    with pytest.raises(UnknownMeasureError, match="unknown measure 'f1_worth'"):
        br.sklearn.scorers("f1_worth")
    with pytest.raises(NoBaselineError):
        br.sklearn.scorers("PT_rescaled")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingDependencyError, match="pip install scikit-learn"):
        br.sklearn.make_scorer("f1")
