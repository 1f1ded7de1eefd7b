"""The estimators, in scikit-learn's own checks and tools."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    permutation_test_score,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import baserate as br
import sklearn
from baserate.exceptions import (
    InvalidTargetError,
    InvalidWeightsError,
    MissingDependencyError,
)
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.observed.numbers import Numbers

X, Y = np.zeros((100, 2)), np.repeat([0, 1], [70, 30])
CLASSES = np.repeat(["a", "b", "c"], [70, 20, 10])
NUMBERS = np.array([10.0, 1, 100, 3, 2])

CHECKS = """
import warnings
from sklearn.utils.estimator_checks import check_estimator
import baserate
from baserate.measures.classes import CLASS_MEASURES
from baserate.observed.best_constants import ConstantSet
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.observed.numbers import Numbers
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
OF_RANDOM_GUESSES = {
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
        br.sklearn.DutchDrawClassifier(theta=0.3),
        br.sklearn.DutchDrawClassifier("mcc", "min", random_state=1),
        br.sklearn.ClassMixClassifier(),
    ],
    ids=str,
)
def test_random_guesses_fail_what_none_can_pass(estimator: Any) -> None:
    """With 0 < θ < 1 all but three checks pass, and those three fail as expected."""
    results = check_estimator(
        estimator, expected_failed_checks=OF_RANDOM_GUESSES, on_fail=None, on_skip=None
    )
    failing = {each["check_name"] for each in results if each["status"] == "xfail"}
    assert failing == set(OF_RANDOM_GUESSES)
    assert {each["status"] for each in results} <= {"passed", "xfail", "skipped"}


# What is learned is the baseline.


@pytest.mark.parametrize("strategy", ["max", "min", "best"])
def test_what_is_learned_is_optimal(strategy: Any) -> None:
    """θ and the mix are among the baseline's for any measure, and drawn as they are."""
    for key in TWO_CLASS_MEASURES:
        draw = br.sklearn.DutchDrawClassifier(key, strategy).fit(X, Y)
        assert draw.theta_ in getattr(br.baseline(Y, key), strategy).guesses
        assert draw.base_rate_ == br.BaseRate(positives=30, total=100)
        assert draw.predict(X).sum() == round(100 * draw.theta_)
    few, counts = np.repeat([3, 5, 8], [4, 2, 1]), br.BaseRate({3: 4, 5: 2, 8: 1})
    for key in CLASS_MEASURES:
        fitted = br.sklearn.ClassMixClassifier(key, strategy, random_state=1).fit(X[:7], few)
        assert fitted.class_counts_ == counts
        assert fitted.mix_ in getattr(br.baseline(counts, key), strategy).guesses
        drawn = [np.count_nonzero(fitted.predict(X[:7]) == label) for label in (3, 5, 8)]
        assert tuple(drawn) == fitted.mix_


def test_the_constant_is_the_best() -> None:
    """Its score is the baseline of the training set, and all best constants are there."""
    for key, measure in NUMBER_MEASURES.items():
        for weights in (None, [1, 2, 0.5, 0, 3]) if measure.constant_scores else ():
            fitted = br.sklearn.BestConstantRegressor(key).fit(X[:5], NUMBERS, weights)
            best = measure.best_constant(Numbers(NUMBERS, weights))
            assert (fitted.constants_, fitted.numbers_) == (
                best.guesses,
                Numbers(NUMBERS, weights),
            )
            predicted = fitted.predict(X[:5])
            assert predicted.tolist() == [fitted.constant_] * 5
            assert fitted.constant_ in fitted.constants_[0]
            weighed = None if weights is None else np.array(weights, dtype=float)
            score = measure.weighted(NUMBERS, predicted, weighed)[0]
            assert score == pytest.approx(best.value, abs=1e-12)


# What is read.


def test_labels_of_any_kind() -> None:
    """Text and booleans keep their type, and the positive class can be chosen."""
    text = np.where(Y == 1, "ill", "well")
    draw = br.sklearn.DutchDrawClassifier("f1", pos_label="ill").fit(X, text)
    assert draw.classes_.tolist() == ["ill", "well"]
    assert (draw.base_rate_.positives, set(draw.predict(X))) == (30, {"ill"})
    np.testing.assert_array_equal(draw.predict_proba(X[:1]), [[1, 0]])
    assert br.sklearn.DutchDrawClassifier("f1").fit(X, text).base_rate_.positives == 70
    nullable = br.sklearn.DutchDrawClassifier().fit(X, pd.Series(Y == 1, dtype="boolean"))
    assert nullable.classes_.dtype == bool
    for estimator in (br.sklearn.DutchDrawClassifier(), br.sklearn.ClassMixClassifier()):
        assert estimator.fit(X, Y == 1).predict(X).dtype == bool


@pytest.mark.parametrize(
    ("estimator", "y"),
    [
        (br.sklearn.DutchDrawClassifier(), Y),
        (br.sklearn.ClassMixClassifier("accuracy"), CLASSES),
        (br.sklearn.BestConstantRegressor(), Y * 1.5),
    ],
    ids=str,
)
def test_x_is_not_looked_at(estimator: Any, y: Any) -> None:
    """X may be text, None, nan or a sparse matrix; the names of its columns are kept."""
    for features in (["text"] * 100, np.full((100, 1), np.nan), sparse.eye_array(100).tocsr()):
        assert estimator.fit(features, y).predict(features).shape == (100,)
    fitted = estimator.fit(None, y)
    assert fitted.score(None, y) == fitted.score(X, y)
    frame = pd.DataFrame({"a": range(100), "b": "text"})
    named = estimator.fit(frame, pd.Series(y))
    assert named.feature_names_in_.tolist() == ["a", "b"]
    again = pickle.loads(pickle.dumps(named))
    np.testing.assert_array_equal(again.predict(frame), named.predict(frame))
    assert clone(named).get_params() == named.get_params()


def test_weights_count() -> None:
    """Integer weights repeat observations; others give weighted counts; bad ones are errors."""
    for weights, positives, total in (
        (np.where(Y == 1, 3, 1), 90, 160),
        (np.where(Y == 1, 0.5, 0.25), 46, 100),
        (np.where(Y == 1, 1e-9, 0.5), 1, 100),
    ):
        found = br.sklearn.DutchDrawClassifier().fit(X, Y, weights).base_rate_
        assert found == br.BaseRate(positives=positives, total=total)
    for weights, counts in (
        (np.where(CLASSES == "b", 3, 1), (70, 60, 10)),
        (np.where(CLASSES == "b", 0.5, 0.25), (59, 33, 8)),
        (np.where(CLASSES == "c", 1e-9, 0.5), (77, 22, 1)),
    ):
        found = br.sklearn.ClassMixClassifier().fit(X, CLASSES, weights).class_counts_
        assert found == br.BaseRate(dict(zip("abc", counts, strict=True)))
    without = br.sklearn.ClassMixClassifier().fit(X, CLASSES, np.where(CLASSES == "b", 0, 1))
    assert without.mix_ == (70, 0, 10)
    assert without.predict_proba(X[:1]).tolist() == [[70 / 80, 0, 10 / 80]]
    with pytest.raises(InvalidTargetError, match="leave some weight to each class"):
        br.sklearn.DutchDrawClassifier().fit(X, Y, (Y == 1).astype(float))
    with pytest.raises(ValueError, match="at least one"):  # scikit-learn's error, or ours
        br.sklearn.ClassMixClassifier().fit(X, CLASSES, np.zeros(100))
    for estimator in (br.sklearn.DutchDrawClassifier(), br.sklearn.ClassMixClassifier()):
        with pytest.raises(ValueError, match="Negative"):
            estimator.fit(X, Y, -np.ones(100))
    cases: dict[str, tuple[Any, ...]] = {
        "must be finite numbers of at least 0": ([-1.0, 1, 1, 1, 1], [1, 1, 1, 1, np.nan]),
        "must not all be zero": (np.zeros(5),),
        "must have a number for each of 5 observations": ([1.0, 1],),
        "must be one column of numbers": (2.0, np.ones((5, 2)), list("abcde")),
        "must be a column of numbers": ("abcde",),
    }
    for message, wrong in cases.items():
        for given in wrong:
            with pytest.raises(InvalidWeightsError, match=f"sample_weight {message}"):
                br.sklearn.BestConstantRegressor().fit(X[:5], NUMBERS, given)


def test_in_scikit_learn_s_own_tools() -> None:
    """They work in pipelines, searches, cross-validation and a permutation test."""
    pipeline = make_pipeline(StandardScaler(), br.sklearn.DutchDrawClassifier(random_state=0))
    grid = {"dutchdrawclassifier__theta": [0.0, 0.4, 1.0]}
    search = GridSearchCV(pipeline, grid, scoring="f1", cv=5, error_score="raise").fit(X, Y)
    assert search.best_params_ == {"dutchdrawclassifier__theta": 1.0}
    assert search.best_score_ == pytest.approx(br.baseline(Y, "f1").best.value)
    score, permuted, p_value = permutation_test_score(
        br.sklearn.DutchDrawClassifier(), X, Y, n_permutations=5, cv=3, random_state=0, scoring="f1"
    )
    assert p_value == 1
    np.testing.assert_allclose(permuted, score)
    proba = cross_val_predict(br.sklearn.DutchDrawClassifier(), X, Y, method="predict_proba")
    assert proba.shape == (100, 2)
    text = make_pipeline(CountVectorizer(), br.sklearn.DutchDrawClassifier())
    assert text.fit(["a word", "two words"] * 5, [0, 1] * 5).predict(["more"]).tolist() == [1]
    np.testing.assert_allclose(
        cross_val_score(br.sklearn.ClassMixClassifier("accuracy"), X, CLASSES), 0.7
    )
    drawn = cross_val_predict(br.sklearn.ClassMixClassifier(random_state=0), X, CLASSES)
    assert [np.count_nonzero(drawn == label) for label in "abc"] == [70, 20, 10]
    skewed = np.random.default_rng(1).exponential(size=50)
    constants = GridSearchCV(
        br.sklearn.BestConstantRegressor(),
        {"measure": ["RMSE", "MAE", "max error"]},
        scoring="neg_mean_absolute_error",
    ).fit(X[:50], skewed)
    assert constants.best_params_ == {"measure": "MAE"}


def test_metadata_is_routed() -> None:
    """Weights reach the estimator through a pipeline that requests them."""
    with sklearn.config_context(enable_metadata_routing=True):
        draw = br.sklearn.DutchDrawClassifier().set_fit_request(sample_weight=True)
        draw = draw.set_score_request(sample_weight=True)
        weights = np.where(Y == 1, 3, 1)
        pipeline = make_pipeline(draw).fit(X, Y, sample_weight=weights)
        assert pipeline[-1].base_rate_.positives == 90
        scores = cross_validate(draw, X, Y, params={"sample_weight": weights})
        np.testing.assert_allclose(scores["test_score"], 90 / 160)


def test_several_targets() -> None:
    """One estimator is of one; scikit-learn makes one of each."""
    both = np.column_stack([NUMBERS, -NUMBERS])
    with pytest.raises(InvalidTargetError, match=r"y must be one column of numbers \(got 2\)"):
        br.sklearn.BestConstantRegressor().fit(X[:5], both)
    with pytest.warns(Warning, match="column-vector"):
        assert (
            br.sklearn.BestConstantRegressor().fit(X[:5], NUMBERS[:, None]).constant_
            == NUMBERS.mean()
        )
    fitted = MultiOutputRegressor(br.sklearn.BestConstantRegressor("MAE")).fit(X[:5], both)
    assert fitted.predict(X[:1]).tolist() == [[3, -3]]


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """All other names work, and an estimator says what to install."""
    for module in ("base", "utils", "utils.multiclass", "utils.validation"):
        monkeypatch.setitem(sys.modules, f"sklearn.{module}", None)
    monkeypatch.delitem(sys.modules, "baserate.sklearn.estimators", raising=False)
    for name in ("DutchDrawClassifier", "ClassMixClassifier", "BestConstantRegressor"):
        monkeypatch.delitem(vars(br.sklearn), name, raising=False)
        with pytest.raises(MissingDependencyError, match="pip install scikit-learn"):
            getattr(br.sklearn, name)
