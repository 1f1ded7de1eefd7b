"""The best constant as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidTargetError,
    InvalidWeightsError,
    UndefinedMeasureError,
    UnknownMeasureError,
)
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.observed.best_constants import ConstantSet
from baserate.observed.numbers import Numbers
from sklearn import datasets, metrics

X, Y = np.zeros((5, 2)), np.array([10.0, 1, 100, 3, 2])


@pytest.mark.parametrize("key", [n for n, m in NUMBER_MEASURES.items() if m.constant_scores])
def test_the_constant_is_the_best(key: str) -> None:
    """Its score is the baseline of the training set, and all best constants are there."""
    measure = NUMBER_MEASURES[key]
    for weights in (None, [1, 2, 0.5, 0, 3]):
        fitted = br.sklearn.BestConstantRegressor(key).fit(X, Y, weights)
        best = measure.best_constant(Numbers(Y, weights))
        assert fitted.constants_ == best.guesses
        assert fitted.numbers_ == Numbers(Y, weights)
        predicted = fitted.predict(X)
        assert predicted.tolist() == [fitted.constant_] * 5
        assert fitted.constant_ in fitted.constants_[0]
        weighed = None if weights is None else np.array(weights, dtype=float)
        assert measure.weighted(Y, predicted, weighed)[0] == pytest.approx(best.value, abs=1e-12)


def test_constants_that_are_known() -> None:
    """As a DummyRegressor has them, if it is told which; and those that it does not know."""
    for name, strategy in {"RMSE": "mean", "R2": "mean", "MAE": "median"}.items():
        dummy = DummyRegressor(strategy=strategy).fit(X, Y)
        mine = br.sklearn.BestConstantRegressor(name).fit(X, Y)
        np.testing.assert_allclose(mine.predict(X), dummy.predict(X))
    assert br.sklearn.BestConstantRegressor("MAPE").fit(X, Y).constant_ == 1
    assert br.sklearn.BestConstantRegressor("max_error").fit(X, Y).constant_ == 50.5
    median = br.sklearn.BestConstantRegressor("MAE").fit(X[:4], Y[:4])
    assert (median.constants_, median.constant_) == ((ConstantSet(3, 10),), 6.5)


def test_if_all_constants_are_as_good_it_is_the_mean() -> None:
    """By explained variance and concordance."""
    for name in ("explained variance", "CCC"):
        fitted = br.sklearn.BestConstantRegressor(name).fit(X, Y)
        assert fitted.constants_ == (ConstantSet.every(),)
        assert fitted.constant_ == pytest.approx(Y.mean())


def test_one_number_is_its_own_best_constant() -> None:
    """Also where a measure has no score, as there is no spread; unless it has no score at all."""
    for name in ("RMSE", "R2", "D2 absolute error", "explained variance", "MedAE", "CCC"):
        for size in (1, 3):
            fitted = br.sklearn.BestConstantRegressor(name).fit(X[:size], [7.0] * size)
            assert (fitted.constant_, fitted.constants_) == (7, (ConstantSet(7, 7),))
    for name, y in (("MSLE", [-2.0] * 5), ("Poisson", [0.0] * 5), ("D2 Poisson", [-1.0] * 5)):
        with pytest.raises(UndefinedMeasureError, match=r"is undefined|has no best constant"):
            br.sklearn.BestConstantRegressor(name).fit(X, y)


def test_x_is_not_looked_at() -> None:
    """X may be text, None, nan or a sparse matrix: it is ignored."""
    for features in (["text"] * 5, np.full((5, 1), np.nan), sparse.eye_array(5).tocsr()):
        assert br.sklearn.BestConstantRegressor().fit(features, Y).predict(features).shape == (5,)
    fitted = br.sklearn.BestConstantRegressor().fit(None, Y)
    assert fitted.score(None, Y) == fitted.score(X, Y) == 0
    frame = pd.DataFrame({"a": range(5), "b": "text"})
    named = br.sklearn.BestConstantRegressor().fit(frame, pd.Series(Y))
    assert named.feature_names_in_.tolist() == ["a", "b"]
    assert fitted.predict(X[:0]).shape == (0,)


def test_in_scikit_learn_s_own_tools() -> None:
    """In a pipeline, cross-validation and a search, which finds the constant for its score."""
    features, y = np.zeros((50, 1)), np.random.default_rng(1).exponential(size=50)
    pipeline = make_pipeline(StandardScaler(), br.sklearn.BestConstantRegressor("MAE"))
    assert cross_val_predict(pipeline, features, y).shape == (50,)
    scores = cross_val_score(
        br.sklearn.BestConstantRegressor("R2"), features, y, scoring="r2", cv=5
    )
    assert (scores <= 0).all()  # the constant of other folds
    search = GridSearchCV(
        br.sklearn.BestConstantRegressor(),
        {"measure": ["RMSE", "MAE", "max error"]},
        scoring="neg_mean_absolute_error",
    ).fit(features, y)
    assert search.best_params_ == {"measure": "MAE"}


def test_several_targets() -> None:
    """One estimator is of one; scikit-learn makes one of each."""
    both = np.column_stack([Y, -Y])
    with pytest.raises(InvalidTargetError, match=r"y must be one column of numbers \(got 2\)"):
        br.sklearn.BestConstantRegressor().fit(X, both)
    with pytest.warns(Warning, match="column-vector"):
        assert br.sklearn.BestConstantRegressor().fit(X, Y[:, None]).constant_ == pytest.approx(
            Y.mean()
        )
    fitted = MultiOutputRegressor(br.sklearn.BestConstantRegressor("MAE")).fit(X, both)
    assert fitted.predict(X[:1]).tolist() == [[3, -3]]


@pytest.mark.parametrize(
    ("measure", "y", "error", "message"),
    [
        ("RMSEE", Y, UnknownMeasureError, "did you mean 'RMSE'"),
        ("accuracy", Y, UnknownMeasureError, "is a measure of two classes and of several classes"),
        ("Pearson", Y, UndefinedMeasureError, "Pearson has no best constant: a prediction that"),
        ("MSLE", -Y, UndefinedMeasureError, "every true number must be above -1"),
        ("RMSE", Y[:3], ValueError, "inconsistent numbers of samples"),
        ("RMSE", [1, 2, np.nan, 4, 5], ValueError, "NaN"),
        ("RMSE", list("abcde"), InvalidLabelsError, "y must hold numbers"),
    ],
)
def test_bad_input(measure: str, y: Any, error: type[Exception], message: str) -> None:
    """Bad input is one clear error, raised by fit."""
    with pytest.raises(error, match=message):
        br.sklearn.BestConstantRegressor(measure).fit(X, y)


def test_a_measure_of_another_task_is_called_that() -> None:
    """By all estimators, and by get_measure for a task."""
    for call in (
        lambda: br.sklearn.DutchDrawClassifier("RMSE").fit(X, [0, 1, 0, 1, 1]),
        lambda: br.sklearn.ClassMixClassifier("RMSE").fit(X, [0, 1, 0, 1, 1]),
        lambda: br.get_measure("RMSE", task="binary"),
    ):
        with pytest.raises(UnknownMeasureError, match="'RMSE' is a measure of numbers, not of"):
            call()


def test_weights_that_are_none() -> None:
    """Below 0, all of them 0, and too few."""
    cases = {
        "must be finite numbers of at least 0": ([-1.0, 1, 1, 1, 1], [1, 1, 1, 1, np.nan]),
        "must not all be zero": (np.zeros(5),),
        "must have a number for each of 5 observations": ([1.0, 1],),
        "must be one column of numbers": (2.0, np.ones((5, 2)), list("abcde")),
        "must be a column of numbers": ("abcde",),
    }
    for message, wrong in cases.items():
        for weights in wrong:
            with pytest.raises(InvalidWeightsError, match=f"sample_weight {message}"):
                br.sklearn.BestConstantRegressor().fit(X, Y, weights)


# Scorers of numbers.
def test_scorers_of_numbers_on_a_real_regression() -> None:
    """The plain score is scikit-learn's; the margin and the rescaled score are of each fold."""
    features, y = datasets.load_diabetes(return_X_y=True)
    scoring = br.sklearn.scorers("RMSE", "RMSE_margin", "RMSE_rescaled", "MAPE_margin", "R2")
    found = cross_validate(LinearRegression(), features, y, scoring=scoring, cv=5)
    theirs = cross_val_score(
        LinearRegression(), features, y, scoring="neg_root_mean_squared_error", cv=5
    )
    np.testing.assert_allclose(found["test_RMSE"], theirs, rtol=1e-12)
    best = [np.std(part) for part in np.split(y, np.cumsum([89, 89, 88, 88]))]
    np.testing.assert_allclose(found["test_RMSE_margin"], best + theirs, rtol=1e-9)
    np.testing.assert_allclose(found["test_RMSE_rescaled"], 1 + theirs / best, rtol=1e-9)
    assert (found["test_MAPE_margin"] > 0).all()
    r2 = cross_val_score(LinearRegression(), features, y, scoring="r2", cv=5)
    np.testing.assert_allclose(found["test_R2"], r2, rtol=1e-9)


def test_the_best_constant_of_its_own_fold_has_no_margin() -> None:
    """On the numbers that it learned, for every measure that has such a constant."""
    for name in ("RMSE", "MAE", "MAPE", "sMAPE", "MedAE", "max error", "R2", "Huber@1", "MSLE"):
        fitted = br.sklearn.BestConstantRegressor(name).fit(X, Y)
        for scaled in ("margin", "rescaled"):
            assert br.sklearn.make_scorer(name, scaled=scaled)(fitted, X, Y) == pytest.approx(
                0, abs=1e-12
            )


def test_a_search_by_a_margin() -> None:
    """It ranks models as the score does."""
    features, y = datasets.load_diabetes(return_X_y=True)
    search = GridSearchCV(
        RandomForestRegressor(10, random_state=0),
        {"max_depth": [1, 3]},
        scoring=br.sklearn.make_scorer("MAE", scaled="margin"),
        cv=3,
    ).fit(features, y)
    assert search.best_params_ == {"max_depth": 3}
    assert search.best_score_ > 0


def test_a_fold_without_spread_has_a_number_to_rank_by() -> None:
    """R² of equal truths is what scikit-learn says; its worth is nothing."""
    fitted = br.sklearn.BestConstantRegressor("MAE").fit(X, Y)
    same = np.full(5, 2.0)
    with pytest.warns(Warning, match="R2 is undefined: all true numbers are the same"):
        plain = br.sklearn.make_scorer("R2")(fitted, X, same)
    assert plain == metrics.r2_score(same, fitted.predict(X))
    with pytest.warns(Warning, match="R2 is undefined"):
        assert br.sklearn.make_scorer("R2", scaled=True)(fitted, X, same) == 0
