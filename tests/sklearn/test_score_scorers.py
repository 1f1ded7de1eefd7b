"""Scorers of scores, in scikit-learn's own cross-validation."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import baserate as br
from baserate.core.measure import Direction
from baserate.exceptions import BaserateError, InvalidMeasureError, UndefinedMeasureWarning
from baserate.kinds.scores.task import weighted_scores
from baserate.measures.scores import SCORE_MEASURES
from sklearn import metrics

X, Y = make_classification(120, weights=[0.8], flip_y=0.2, random_state=0)
ALL = tuple(SCORE_MEASURES)
# What scikit-learn calls the scorers of measures that it has too.
THEIRS = {
    "AUC": "roc_auc",
    "AP": "average_precision",
    "Brier": "neg_brier_score",
    "log loss": "neg_log_loss",
}


ESTIMATORS = (LogisticRegression(), KNeighborsClassifier(3), LinearSVC())
SCORED = [
    (key, estimator)
    for key in THEIRS
    for estimator in ESTIMATORS
    if hasattr(estimator, "predict_proba") or not br.get_measure(key).probabilities
]


@pytest.mark.parametrize(("key", "estimator"), SCORED, ids=repr)
def test_a_plain_score_is_scikit_learn_s(key: str, estimator: Any) -> None:
    """Cross-validation by ours and by theirs is the same, ties and signs included."""
    ours = cross_val_score(estimator, X, Y, scoring=br.sklearn.make_scorer(key), cv=2)
    theirs = cross_val_score(estimator, X, Y, scoring=THEIRS[key], cv=2)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_rankings_take_a_decision_function() -> None:
    """An estimator without probabilities is ranked by its decision function."""
    model = RidgeClassifier().fit(X, Y)
    expected = metrics.roc_auc_score(Y, model.decision_function(X))
    assert br.sklearn.make_scorer("AUC")(model, X, Y) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("key", [key for key in ALL if br.get_measure(key).probabilities])
def test_probabilities_are_not_replaced(key: str) -> None:
    """A decision function is no probability: scikit-learn says what is missing."""
    model = RidgeClassifier().fit(X, Y)
    with pytest.raises(AttributeError, match="predict_proba"):
        br.sklearn.make_scorer(key)(model, X, Y)


@pytest.mark.parametrize("key", ALL)
@pytest.mark.parametrize("worth", ["margin", "rescaled"])
def test_worth_beside_the_baseline_of_the_fold(key: str, worth: Any) -> None:
    """Each fold has its own baseline; worth is greater if better, whatever the direction."""
    measure = br.get_measure(key)
    model = LogisticRegression().fit(X, Y)
    found = br.sklearn.make_scorer(key, scaled=worth)(model, X[:50], Y[:50])
    scores = br.RankedScores.of(Y[:50], model.predict_proba(X[:50])[:, 1])
    base = br.baseline(br.BaseRate.of(Y[:50]), key).best.value
    gain = measure.score(scores) - base
    gain = gain if measure.direction is Direction.MAXIMIZE else -gain
    assert found == pytest.approx(gain if worth == "margin" else found, abs=1e-12)
    assert (found > 0) == (gain > 0)


def test_scores_and_labels_side_by_side() -> None:
    """One dictionary of scorers serves measures of scores and of labels."""
    scoring = br.sklearn.scorers("AUC", "roc_auc_rescaled", "Gini_margin", "f1", "mcc_rescaled")
    found = cross_validate(LogisticRegression(), X, Y, scoring=scoring, cv=3)
    np.testing.assert_allclose(found["test_roc_auc_rescaled"], 2 * found["test_AUC"] - 1)
    np.testing.assert_allclose(found["test_Gini_margin"], 2 * found["test_AUC"] - 1)
    assert np.isfinite(found["test_f1"]).all()


@pytest.mark.parametrize("key", ALL)
@pytest.mark.parametrize("scaled", [False, True, "margin"])
@pytest.mark.parametrize("label", [0, 1])
def test_a_fold_of_one_class_has_a_number(key: str, scaled: Any, label: int) -> None:
    """A search is never given nan: something stands in, and a warning says so."""
    model = LogisticRegression().fit(X, Y)
    scorer = br.sklearn.make_scorer(key, scaled=scaled, pos_label=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMeasureWarning)
        value = scorer(model, X[label == Y], Y[label == Y])
    assert np.isfinite(value)
    total = int((label == Y).sum())
    if br.get_measure(key).missing(br.BaseRate(positives=label * total, total=total)):
        assert any(issubclass(each.category, UndefinedMeasureWarning) for each in caught)


def test_what_stands_in_may_be_chosen() -> None:
    """The number that is asked for, in the sign of the scorer."""
    model = LogisticRegression().fit(X, Y)
    with pytest.warns(UndefinedMeasureWarning, match="no negatives"):
        assert br.sklearn.make_scorer("AUC", undefined=-3)(model, X[Y == 1], Y[Y == 1]) == -3


def test_sorted_folds_do_not_stop_a_search() -> None:
    """Folds of one class each, as of sorted data, give finite scores."""
    order = np.argsort(Y, kind="stable")
    with pytest.warns(UndefinedMeasureWarning):
        found = cross_val_score(
            KNeighborsClassifier(3),
            X[order],
            Y[order],
            scoring=br.sklearn.make_scorer("AUC"),
            cv=KFold(5),
        )
    assert np.isfinite(found).all()


def test_several_classes_need_one_column() -> None:
    """The scores of three classes are not those of one: the error says what to pass."""
    animals = np.repeat(["ant", "bee", "cow"], 40)
    model = LogisticRegression().fit(X, animals)
    with pytest.raises(BaserateError, match="one-dimensional"):
        br.sklearn.make_scorer("AUC", pos_label="bee")(model, X, animals)


def test_weights_count_observations() -> None:
    """A weight of 2 is an observation twice, and 0 leaves it out."""
    weights = np.random.default_rng(0).integers(0, 4, 120)
    model = LogisticRegression().fit(X, Y)
    scorer = br.sklearn.make_scorer("AUC", weights="frequency")
    twice = scorer(model, np.repeat(X, weights, 0), np.repeat(Y, weights))
    assert scorer(model, X, Y, sample_weight=weights) == pytest.approx(twice, rel=1e-12)
    scores = np.round(model.predict_proba(X)[:, 1], 1)
    repeated = br.RankedScores.of(np.repeat(Y, weights), np.repeat(scores, weights))
    assert weighted_scores(Y, scores, None, weights, None) == repeated


def test_a_dutch_scaler_is_of_labels() -> None:
    """Scores have none, and the error says what they have."""
    with pytest.raises(InvalidMeasureError, match="scaled must be True, False or 'margin'"):
        br.sklearn.make_scorer("AUC", scaled="dutch_scaler")
