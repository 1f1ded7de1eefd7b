"""The estimator, in scikit-learn's own checks and tools."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_validate,
    permutation_test_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import baserate as br
import sklearn
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidTargetError,
    InvalidThetaError,
    MissingDependencyError,
    UnknownMeasureError,
)
from baserate.measures.two_classes import TWO_CLASS_MEASURES

Y = np.repeat([0, 1], [70, 30])
X = np.zeros((100, 2))

CHECKS = """
import warnings
from sklearn.utils.estimator_checks import check_estimator
import baserate
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.measures.two_classes import TWO_CLASS_MEASURES
warnings.simplefilter("ignore")
results = [
    each
    for estimator in (
        baserate.sklearn.DutchDrawClassifier(),
        baserate.sklearn.ClassMixClassifier("macro F1", "min"),
        baserate.sklearn.BestConstantRegressor("RMSE"),
        baserate.sklearn.BestConstantRegressor("MedAE"),
    )
    for each in check_estimator(estimator, on_fail=None, on_skip=None)
]
print(*sorted({(each["check_name"], each["status"]) for each in results}), sep="\\n")
print(len(results))
"""
# A draw covers a whole test set, so a part of it is another draw; and not every row gets the
# most probable class.
OF_RANDOM_DRAWS = {
    "check_methods_subset_invariance": "a draw from a part is another draw",
    "check_methods_sample_order_invariance": "which rows are drawn does not depend on them",
    "check_classifiers_train": "a row is not given its more probable class",
}


def test_every_check_of_scikit_learn_passes() -> None:
    """No check is skipped, not even the one on array interfaces, which needs a variable."""
    run = subprocess.run(
        [sys.executable, "-c", CHECKS],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
    )
    *checks, count = run.stdout.splitlines()
    assert int(count) > 200
    assert {check.split("'")[3] for check in checks} == {"passed"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [
        br.sklearn.DutchDrawClassifier("g2"),
        br.sklearn.DutchDrawClassifier(theta=0.3),
        br.sklearn.DutchDrawClassifier("mcc", "min", random_state=1),
    ],
    ids=str,
)
def test_random_draws_fail_what_no_draw_can_pass(estimator: Any) -> None:
    """With 0 < θ < 1 all but three checks pass, and those three fail as expected."""
    results = check_estimator(
        estimator, expected_failed_checks=OF_RANDOM_DRAWS, on_fail=None, on_skip=None
    )
    failing = {each["check_name"] for each in results if each["status"] == "xfail"}
    assert failing == set(OF_RANDOM_DRAWS)
    assert {each["status"] for each in results} <= {"passed", "xfail", "skipped"}


@pytest.mark.parametrize("key", list(TWO_CLASS_MEASURES))
@pytest.mark.parametrize("strategy", ["max", "min", "best"])
def test_the_learned_theta_is_optimal(key: str, strategy: Any) -> None:
    """For any measure and strategy, θ is one of the baseline's."""
    draw = br.sklearn.DutchDrawClassifier(key, strategy).fit(X, Y)
    optimum = getattr(br.baseline(Y, key), strategy)
    assert draw.theta_ in optimum.guesses
    assert draw.base_rate_ == br.BaseRate(positives=30, total=100)
    assert draw.predict(X).sum() == round(100 * draw.theta_)


def test_of_many_optimal_draws_the_one_like_the_truth_is_taken() -> None:
    """All draws expect the same MCC; the fraction of the training set is the natural choice."""
    assert br.sklearn.DutchDrawClassifier("mcc").fit(X, Y).theta_ == 0.3


@pytest.mark.parametrize(("theta", "rows", "drawn"), [(0.5, 3, 2), (0, 7, 0), (1, 7, 7)])
def test_a_theta_of_your_own(theta: float, rows: int, drawn: int) -> None:
    """A fixed θ is used unchanged, halves rounded up."""
    draw = br.sklearn.DutchDrawClassifier(theta=theta, random_state=0).fit(X, Y)
    assert draw.theta_ == theta
    assert draw.predict(X[:rows]).sum() == drawn
    np.testing.assert_allclose(draw.predict_proba(X[:rows])[:, 1], drawn / rows)


def test_a_small_test_set_still_gets_a_draw_that_can_be_scored() -> None:
    """1/M of the training set is no row of ten, but the smallest F1 needs one positive."""
    draw = br.sklearn.DutchDrawClassifier("f1", "min").fit(X, Y)
    assert draw.theta_ == 0.01
    assert draw.predict(X[:10]).sum() == 1
    assert draw.predict(X[:0]).shape == (0,)
    assert draw.predict_proba(X[:0]).shape == (0, 2)
    npv = br.sklearn.DutchDrawClassifier("npv", "max", random_state=0).fit(
        np.zeros((3, 1)), [1, 1, 0]
    )
    assert npv.predict(X[:1]).tolist() == [0]
    # With one row MCC can score no draw: then θ is simply rounded.
    assert br.sklearn.DutchDrawClassifier("mcc").fit(X, Y).predict_proba(X[:1]).tolist() == [[1, 0]]


def test_draws_are_uniform_and_seeded() -> None:
    """The same seed draws the same rows, and all rows are drawn equally often."""
    draw = br.sklearn.DutchDrawClassifier(theta=0.25, random_state=7).fit(X, Y)
    np.testing.assert_array_equal(draw.predict(X), draw.predict(X))
    state = np.random.RandomState(0)
    fresh = br.sklearn.DutchDrawClassifier(theta=0.25, random_state=state).fit(X, Y)
    counts = sum(fresh.predict(X[:4]) for _ in range(2000))
    assert counts.sum() == 2000
    assert abs(counts - 500).max() < 90


def test_labels_of_any_kind() -> None:
    """Text and booleans keep their type, and the positive class can be chosen."""
    text = np.where(Y == 1, "ill", "well")
    draw = br.sklearn.DutchDrawClassifier("f1", pos_label="ill").fit(X, text)
    assert draw.classes_.tolist() == ["ill", "well"]
    assert draw.base_rate_.positives == 30
    assert set(draw.predict(X)) == {"ill"}
    np.testing.assert_array_equal(draw.predict_proba(X[:1]), [[1, 0]])
    assert br.sklearn.DutchDrawClassifier("f1").fit(X, text).base_rate_.positives == 70
    assert br.sklearn.DutchDrawClassifier().fit(X, Y == 1).predict(X).dtype == bool
    nullable = br.sklearn.DutchDrawClassifier().fit(X, pd.Series(Y == 1, dtype="boolean"))
    assert nullable.classes_.dtype == bool
    frame = pd.DataFrame({"a": range(100), "b": "text"})
    fitted = br.sklearn.DutchDrawClassifier().fit(frame, pd.Series(text, dtype="string"))
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    assert fitted.predict(frame).shape == (100,)


def test_weights_count() -> None:
    """Integer weights repeat observations; others give a weighted base rate."""
    whole = br.sklearn.DutchDrawClassifier().fit(X, Y, np.where(Y == 1, 3, 1))
    assert whole.base_rate_ == br.BaseRate(positives=90, total=160)
    half = br.sklearn.DutchDrawClassifier().fit(X, Y, np.where(Y == 1, 0.5, 0.25))
    assert half.base_rate_ == br.BaseRate(positives=46, total=100)
    tiny = br.sklearn.DutchDrawClassifier().fit(X, Y, np.where(Y == 1, 1e-9, 0.5))
    assert tiny.base_rate_ == br.BaseRate(positives=1, total=100)
    with pytest.raises(InvalidTargetError, match="leave some weight to each class"):
        br.sklearn.DutchDrawClassifier().fit(X, Y, (Y == 1).astype(float))
    with pytest.raises(ValueError, match="Negative"):
        br.sklearn.DutchDrawClassifier().fit(X, Y, -np.ones(100))


@pytest.mark.parametrize(
    "estimator",
    [
        br.sklearn.DutchDrawClassifier(br.fbeta(2), random_state=3),
        br.sklearn.ClassMixClassifier(br.get_measure("weighted F1"), random_state=3),
        br.sklearn.BestConstantRegressor(br.get_measure("pinball@0.9")),
    ],
    ids=str,
)
def test_it_clones_and_pickles(estimator: Any) -> None:
    """Each estimator clones and pickles, even with a measure that is not given by name."""
    fitted = estimator.fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert clone(fitted).get_params()["measure"] is fitted.measure


def test_in_scikit_learn_s_own_tools() -> None:
    """It works in a pipeline, a grid search, cross-validation and a permutation test."""
    pipeline = make_pipeline(StandardScaler(), br.sklearn.DutchDrawClassifier(random_state=0))
    grid = {"dutchdrawclassifier__theta": [0.0, 0.4, 1.0]}
    search = GridSearchCV(pipeline, grid, scoring="f1", cv=5, error_score="raise").fit(X, Y)
    assert search.best_params_ == {"dutchdrawclassifier__theta": 1.0}
    assert search.best_score_ == pytest.approx(br.baseline(Y, "f1").best.value)
    by_measure = GridSearchCV(
        br.sklearn.DutchDrawClassifier(random_state=0), {"measure": ["fpr", "f1"]}, scoring="recall"
    ).fit(X, Y)
    assert by_measure.best_score_ == 1
    scores = cross_validate(br.sklearn.DutchDrawClassifier("acc"), X, Y, scoring="accuracy")
    np.testing.assert_allclose(scores["test_score"], 0.7)
    score, permuted, p_value = permutation_test_score(
        br.sklearn.DutchDrawClassifier(), X, Y, n_permutations=5, cv=3, random_state=0, scoring="f1"
    )
    assert p_value == 1
    np.testing.assert_allclose(permuted, score)
    assert cross_val_predict(
        br.sklearn.DutchDrawClassifier(), X, Y, method="predict_proba"
    ).shape == (
        100,
        2,
    )
    text = make_pipeline(CountVectorizer(), br.sklearn.DutchDrawClassifier())
    assert text.fit(["a word", "two words"] * 5, [0, 1] * 5).predict(["more"]).tolist() == [1]


def test_metadata_is_routed() -> None:
    """Weights reach the estimator through a pipeline that requests them."""
    with sklearn.config_context(enable_metadata_routing=True):
        draw = br.sklearn.DutchDrawClassifier().set_fit_request(sample_weight=True)
        draw = draw.set_score_request(sample_weight=True)
        pipeline = make_pipeline(draw)
        weights = np.where(Y == 1, 3, 1)
        pipeline.fit(X, Y, sample_weight=weights)
        assert pipeline[-1].base_rate_.positives == 90
        scores = cross_validate(draw, X, Y, params={"sample_weight": weights})
        np.testing.assert_allclose(scores["test_score"], 90 / 160)


@pytest.mark.parametrize(
    ("arguments", "y", "error", "message"),
    [
        ({"measure": "precison"}, Y, UnknownMeasureError, "did you mean 'Precision'"),
        ({"strategy": "most_frequent"}, Y, InvalidMeasureError, "'max', 'min' or 'best'"),
        ({"theta": 1.5}, Y, InvalidThetaError, "between 0 and 1"),
        ({"pos_label": "ill"}, Y, InvalidLabelsError, "not among 0, 1"),
        ({}, np.arange(100) % 3, InvalidTargetError, "Only binary classification is supported"),
        ({}, np.ones(100, dtype=int), InvalidTargetError, "got 1 class: 1"),
        ({}, np.linspace(0, 1, 100), ValueError, "Unknown label type"),
        ({}, Y[:50], ValueError, "inconsistent numbers of samples"),
    ],
)
def test_bad_input(arguments: dict[str, Any], y: Any, error: type[Exception], message: str) -> None:
    """Bad input is one clear error, raised by fit."""
    with pytest.raises(error, match=message):
        br.sklearn.DutchDrawClassifier(**arguments).fit(X, y)


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """All other names work, and an estimator says what to install."""
    for module in ("base", "utils", "utils.multiclass", "utils.validation"):
        monkeypatch.setitem(sys.modules, f"sklearn.{module}", None)
    for module in ("blind", "classifiers", "best_constant"):
        monkeypatch.delitem(sys.modules, f"baserate.sklearn.{module}", raising=False)
    for name in ("DutchDrawClassifier", "ClassMixClassifier", "BestConstantRegressor"):
        with pytest.raises(MissingDependencyError, match="pip install scikit-learn"):
            getattr(br, name)
