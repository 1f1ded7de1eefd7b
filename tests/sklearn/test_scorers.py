"""Scorers of every kind of prediction, in scikit-learn's own tools."""

from __future__ import annotations

import math
import sys
import warnings
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

import baserate as br
import sklearn
from baserate.core.measure import Direction
from baserate.exceptions import (
    BaserateError,
    InvalidLabelsError,
    InvalidWeightsError,
    MissingDependencyError,
    UndefinedMeasureError,
    UndefinedMeasureWarning,
    UnknownMeasureError,
)
from baserate.kinds.scores import SCORE_MEASURES
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from sklearn import metrics

if TYPE_CHECKING:
    from baserate.measures.classes_record import ClassMeasure

X, Y = make_classification(120, weights=[0.8], flip_y=0.2, random_state=0)
ANIMALS = np.repeat(["cat", "dog", "eel"], [72, 36, 12])
FOLDS = KFold(3, shuffle=True, random_state=1)
WORTHS = ("rescaled", "dutch_scaler", "margin")
LABELS = [*TWO_CLASS_MEASURES.values(), br.fbeta(2), br.fbeta(0.5), br.get_measure("PT")]
TABLES = [
    br.ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn)
    for tp, fp, fn, tn in product((0, 2), (0, 3), (0, 5), (0, 7))
    if tp + fp + fn + tn
]


class Memory(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that predicts what is written in its input, or one class."""

    def __init__(self, *, constant: int | None = None) -> None:
        self.constant = constant

    def fit(self, rows: Any, y: Any) -> Memory:  # noqa: ARG002
        """Learn the classes."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, rows: Any) -> Any:
        """Return the first column, or a constant."""
        return rows[:, 0] if self.constant is None else np.full(len(rows), self.constant)


def _scored(scorer: Any, y_true: Any, y_pred: Any, **options: Any) -> float:
    """Return a scorer's value, whatever it warns of."""
    rows = np.asarray(y_pred).reshape(-1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        return float(scorer(Memory().fit(None, y_true), rows, np.asarray(y_true), **options))


def _rows(table: br.ConfusionMatrix) -> tuple[Any, Any]:
    cells = (table.tp, table.fp, table.fn, table.tn)
    return np.repeat([1, 0, 1, 0], cells), np.repeat([1, 1, 0, 0], cells)


def _theirs(function: Any, y_true: Any, y_pred: Any) -> float:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return float(function(y_true, y_pred))


def _sign(measure: Any) -> int:
    return 1 if measure.direction is Direction.MAXIMIZE else -1


# Plain scores.


@pytest.mark.parametrize("measure", LABELS, ids=lambda measure: measure.key)
def test_a_score_of_labels_is_scikit_learn_s(measure: br.Measure) -> None:
    """On every table with empty cells; where it has none, the worst draw's, or the worst of all."""
    assert (measure.sklearn is None) == (measure.key in ("MK", "FM", "G2", "PT"))
    for table in TABLES:
        ours = _scored(br.sklearn.make_scorer(measure), *_rows(table))
        theirs = math.nan
        if measure.sklearn is not None:
            theirs = _theirs(measure.sklearn.score, *_rows(table))
        if math.isfinite(theirs):
            assert ours == pytest.approx(_sign(measure) * theirs, abs=1e-15), table
        elif measure.score_or_reason(table)[1]:
            try:
                base = br.baseline(table, measure)
                worst = base.min.value if _sign(measure) == 1 else base.max.value
            except UndefinedMeasureError:
                worst = measure.codomain.lower if _sign(measure) == 1 else measure.codomain.upper
            assert ours == _sign(measure) * worst


@pytest.mark.parametrize("measure", CLASS_MEASURES.values(), ids=lambda measure: measure.key)
def test_a_score_of_classes_is_scikit_learn_s(measure: ClassMeasure) -> None:
    """On random labels of up to four classes, some only predicted; it is finite in any case."""
    rng, theirs = np.random.default_rng(2), measure.sklearn
    for _ in range(20):
        y_true, y_pred = rng.integers(1, 1 + rng.integers(1, 5), (2, rng.integers(1, 12)))
        ours = _scored(br.sklearn.make_scorer(measure), y_true, y_pred)
        assert math.isfinite(ours)
        expected = math.nan if theirs is None else _theirs(theirs.score, y_true, y_pred)
        if math.isfinite(expected):
            assert ours == pytest.approx(_sign(measure) * expected, abs=1e-12)


OF_SCORES = {"AUC": "roc_auc", "AP": "average_precision"}
OF_PROBABILITIES = {"Brier": "neg_brier_score", "log loss": "neg_log_loss"}


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), KNeighborsClassifier(3), LinearSVC()], ids=str
)
def test_a_score_of_scores_is_scikit_learn_s(estimator: Any) -> None:
    """Cross-validation by ours and by theirs is the same, ties and signs included."""
    names = OF_SCORES | (OF_PROBABILITIES if hasattr(estimator, "predict_proba") else {})
    ours = cross_validate(estimator, X, Y, scoring=br.sklearn.scorers(*names), cv=2)
    theirs = cross_validate(estimator, X, Y, scoring=[*names.values()], cv=2)
    for key, name in names.items():
        np.testing.assert_allclose(ours[f"test_{key}"], theirs[f"test_{name}"], rtol=1e-12)


def test_names_of_scikit_learn_s_own_scorers() -> None:
    """Under these names both libraries have the same scorer."""
    words = ("f1", "precision", "recall", "jaccard"), ("macro", "micro", "weighted")
    names = ["accuracy", "balanced_accuracy", "matthews_corrcoef", *map("_".join, product(*words))]
    animals = LogisticRegression().fit(X, ANIMALS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, scorer in br.sklearn.scorers(*names).items():
            theirs = metrics.get_scorer(name)(animals, X, ANIMALS)
            assert scorer(animals, X, ANIMALS) == pytest.approx(theirs, abs=1e-12), name
    model = RidgeClassifier().fit(X, Y)  # which has a decision function alone
    theirs = metrics.get_scorer("roc_auc")(model, X, Y)
    assert br.sklearn.make_scorer("AUC")(model, X, Y) == pytest.approx(theirs)
    for key in (key for key, measure in SCORE_MEASURES.items() if measure.probabilities):
        with pytest.raises(AttributeError, match="predict_proba"):
            br.sklearn.make_scorer(key)(model, X, Y)


# What scores are worth.


def test_each_fold_is_compared_with_its_own_baseline() -> None:
    """Every kind of scorer says of a fold what a verdict says of it."""
    names = ["f1", *(f"f1_{worth}" for worth in WORTHS), "AUC", "AUC_margin", "AUC_rescaled"]
    names += ["Brier_margin", "fdr", "fdr_margin", "accuracy_margin"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        scores = cross_validate(
            LogisticRegression(), X, Y, cv=FOLDS, scoring=br.sklearn.scorers(*names)
        )
    baselines = set()
    for fold, (train, test) in enumerate(FOLDS.split(X, Y)):
        model = LogisticRegression().fit(X[train], Y[train])
        labels = br.evaluate(Y[test], model.predict(X[test]), ["F1", "FDR", "ACC"])
        ranks = br.evaluate(Y[test], model.predict_proba(X[test])[:, 1], ["AUC", "Brier"])
        f1, fdr, accuracy, auc, brier = *labels, *ranks
        baselines.add(f1.baseline)
        expected = {
            "f1": f1.score, "f1_rescaled": f1.rescaled, "f1_margin": f1.margin,
            "f1_dutch_scaler": 0 if f1.margin < 0 else f1.dutch_scaler, "AUC": auc.score,
            "AUC_margin": auc.margin, "AUC_rescaled": auc.rescaled, "Brier_margin": brier.margin,
            "fdr": -fdr.score, "fdr_margin": fdr.margin, "accuracy_margin": accuracy.margin,
        }  # fmt: skip
        found = {name: scores[f"test_{name}"][fold] for name in names}
        assert found == pytest.approx(expected, rel=1e-12)
    assert len(baselines) > 1


@pytest.mark.parametrize("measure", TWO_CLASS_MEASURES.values(), ids=lambda measure: measure.key)
def test_no_worth_of_labels_is_nan(measure: br.Measure) -> None:
    """A prediction without a score has looked at no input: it is worth no more than a draw."""
    for table, worth in product(TABLES, WORTHS):
        value = _scored(br.sklearn.make_scorer(measure, scaled=worth), *_rows(table))
        assert math.isfinite(value), table
        if measure.score_or_reason(table)[1]:
            assert value <= 0, table


@pytest.mark.parametrize("label", [0, 1])
def test_a_fold_of_one_class_has_a_number(label: int) -> None:
    """A search is never given nan: something stands in, and a warning says so."""
    model, rows = LogisticRegression().fit(X, Y), label == Y
    total = int(rows.sum())
    rate = br.BaseRate(positives=label * total, total=total)
    for (key, measure), scaled in product(SCORE_MEASURES.items(), (False, True, "margin")):
        scorer = br.sklearn.make_scorer(key, scaled=scaled, pos_label=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UndefinedMeasureWarning)
            assert np.isfinite(scorer(model, X[rows], Y[rows]))
        if measure.missing(rate):
            assert any(issubclass(each.category, UndefinedMeasureWarning) for each in caught)


# Names that measures of two and of several classes share.

SHARED = ("accuracy", "MCC", "kappa", "balanced accuracy", "G-mean")


@pytest.mark.parametrize("labels", [(0, 1, 2), (1, 2, 3), ("a", "b", "c"), (-1, 0, 1)])
@pytest.mark.parametrize("kind", ["", "_rescaled", "_margin"])
def test_folds_with_two_of_three_classes_are_scored(labels: tuple[Any, ...], kind: str) -> None:
    """Whichever two they are, evident or not: read as two classes or as several, they are alike."""
    y_true, y_pred = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 0])
    for name, (first, second) in product(SHARED, ((0, 1), (1, 2), (0, 2))):
        named = np.array([labels[first], labels[second]])
        scorer = br.sklearn.scorers(f"{name}{kind}")[f"{name}{kind}"]
        value = _scored(scorer, named[y_true], named[y_pred])
        assert value == pytest.approx(_scored(scorer, y_true, y_pred), abs=1e-12)


# Searches.


@pytest.mark.parametrize("name", ["f1", "mcc", "fm", "mk", "kappa", "f1_rescaled", "mcc_margin"])
def test_a_search_prefers_a_model_that_predicts_something(name: str) -> None:
    """The first candidate predicts nothing; with nan for its score, the search returned it."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 20])
    rows = np.where(rng.random(60) < 0.8, y, 1 - y).reshape(-1, 1)
    search = GridSearchCV(Memory(), {"constant": [0, None]}, scoring=br.sklearn.scorers(name)[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        search.fit(rows, y)
    assert search.best_params_ == {"constant": None}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_searches() -> None:
    """A silent fold costs that fold alone; sorted folds are scored; margins rank regressions."""
    rows, y = np.zeros((40, 1), dtype=int), np.tile([0, 1], 20)
    rows[:32, 0] = y[:32]  # perfect, and silent on the last of five folds
    search = GridSearchCV(
        Memory(), {"constant": [0, None]}, scoring=br.sklearn.make_scorer("f1"), cv=5
    )
    with pytest.warns(UndefinedMeasureWarning, match="P̂ > 0"):
        search.fit(rows, y)
    assert search.best_score_ == pytest.approx(0.8)
    order, auc = np.argsort(Y, kind="stable"), br.sklearn.make_scorer("AUC")
    with pytest.warns(UndefinedMeasureWarning):
        found = cross_val_score(
            KNeighborsClassifier(3), X[order], Y[order], scoring=auc, cv=KFold(5)
        )
    assert np.isfinite(found).all()
    features, numbers = load_diabetes(return_X_y=True)
    margin = br.sklearn.make_scorer("MAE", scaled="margin")
    trees = GridSearchCV(
        DecisionTreeRegressor(random_state=0), {"max_depth": [1, 3]}, scoring=margin, cv=3
    ).fit(features, numbers)
    assert trees.best_params_ == {"max_depth": 3}
    assert trees.best_score_ > 0


# What is undefined.


@pytest.mark.parametrize("scaled", [False, True, "margin", "dutch_scaler"])
@pytest.mark.parametrize("key", ["F1", "FDR"])
def test_undefined_changes_it(key: str, scaled: Any) -> None:
    """What is passed as `undefined` is what the scorer returns, nan too, and a warning says so."""
    silent = Memory(constant=0).fit(None, [0, 1])
    for value in (-2.0, 0.25, math.nan):
        scorer = br.sklearn.make_scorer(key, scaled=scaled, undefined=value)
        with pytest.warns(UndefinedMeasureWarning, match="undefined.* P̂ > 0 "):
            np.testing.assert_equal(scorer(silent, np.zeros((2, 1)), [0, 1]), value)


def test_what_stands_in_for_a_measure_of_your_own() -> None:
    """The worst draw's expected score; its codomain's worst end; or nan if neither is."""
    silent, good = (
        _rows(br.ConfusionMatrix(fn=5, tn=7)),
        _rows(br.ConfusionMatrix(tp=6, fp=1, fn=1, tn=10)),
    )
    lift = br.Measure.custom("lift", lambda tp, fp, fn, tn: tp / (tp + fp) / (tp + fn))
    worst = br.baseline(br.ConfusionMatrix(fn=5, tn=7), lift).min.value
    assert _scored(br.sklearn.make_scorer(lift), *silent) == worst > 0
    never = br.Measure.custom("never", lambda *_: math.nan, codomain=(-3, 1))
    assert _scored(br.sklearn.make_scorer(never), *silent) == -3
    unknown = br.Measure.custom("unknown", lambda *_: math.nan)
    assert math.isnan(_scored(br.sklearn.make_scorer(unknown), *silent))
    gain = br.Measure.custom(  # perfection has no score
        "gain", lambda tp, fp, fn, tn: tp - fp if fp + fn else math.nan, smooth=False
    )
    assert _scored(br.sklearn.make_scorer(gain, scaled="margin"), *good) > 0
    assert math.isnan(_scored(br.sklearn.make_scorer(gain, scaled=True), *good))
    assert _scored(br.sklearn.make_scorer(gain, scaled=True, undefined=0.5), *good) == 0.5


# Measures of your own, weights, labels and mistakes.


def test_measures_of_your_own() -> None:
    """Functions of four counts and of a table are scored, and their worth is searched."""
    model = LogisticRegression().fit(X, Y)
    table = br.ConfusionMatrix.of(Y, model.predict(X))
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    assert br.sklearn.make_scorer(cost)(model, X, Y) == -(table.fp + 5 * table.fn)
    assert br.sklearn.make_scorer(cost, scaled=True)(model, X, Y) > 0
    right = br.Measure.custom("right", lambda table: float(np.trace(table)))
    assert _scored(br.sklearn.make_scorer(right), [0, 0, 1, 2], [0, 0, 1, 1]) == 3
    assert _scored(br.sklearn.make_scorer(right, scaled="margin"), [0, 0, 1, 2], [0, 0, 1, 1]) == 1


def test_weights_count_observations() -> None:
    """They are routed to a scorer that asks; a weight of 2 is a row twice, and 0 leaves it out."""
    weights = np.arange(120) % 3
    model, rows = LogisticRegression().fit(X, Y), np.repeat(np.arange(120), weights)
    for name in ("f1", "f1_rescaled", "AUC"):
        scorer = br.sklearn.scorers(name, weights="frequency")[name]
        found = scorer(model, X, Y, sample_weight=weights)
        assert found == pytest.approx(scorer(model, X[rows], Y[rows]), rel=1e-12)
        for bad in (weights / 2, -weights, weights[:5]):
            with pytest.raises(InvalidWeightsError, match="sample_weight must"):
                scorer(model, X, Y, sample_weight=bad)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = scorer.set_score_request(sample_weight=True)
        fresh = LogisticRegression().set_fit_request(sample_weight=False)
        params = {"sample_weight": weights}
        scores = cross_validate(fresh, X, Y, scoring=asked, cv=2, params=params)
    assert np.isfinite(scores["test_score"]).all()
    with pytest.warns(UndefinedMeasureWarning, match="all weights are 0"):
        assert math.isnan(scorer(model, X, Y, sample_weight=np.zeros(120)))
    macro, labels = (
        br.sklearn.make_scorer("f1_macro", weights="frequency"),
        ([0, 1, 2, 2], [0, 1, 2, 0]),
    )
    large = np.full(4, 10**12)  # counted, and not laid out
    assert _scored(macro, *labels, sample_weight=large) == _scored(macro, *labels)
    nothing = br.sklearn.make_scorer("hamming_loss", undefined=-1.0, weights="frequency")
    assert _scored(nothing, *labels, sample_weight=np.zeros(4)) == -1


def test_labels_of_text_and_of_several_classes() -> None:
    """The positive class is given once for all scorers; three classes have no column of one."""
    text = np.where(Y == 1, "ill", "well")
    model = LogisticRegression().fit(X, text)
    ours = br.sklearn.scorers("f1", pos_label="ill")["f1"](model, X, text)
    assert ours == metrics.f1_score(text, model.predict(X), pos_label="ill")
    with pytest.raises(ValueError, match="pos_label must say"):
        br.sklearn.make_scorer("f1")(model, X, text)
    animals = LogisticRegression().fit(X, ANIMALS)
    with pytest.raises(BaserateError, match="one-dimensional"):
        br.sklearn.make_scorer("AUC", pos_label="dog")(animals, X, ANIMALS)
    for scorer in (
        br.sklearn.make_scorer("f1"),
        br.sklearn.make_scorer("accuracy", scaled="dutch_scaler"),
    ):
        with pytest.raises(InvalidLabelsError):
            scorer(animals, X, ANIMALS)


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install; the names of `scorers` are as strict."""
    with pytest.raises(UnknownMeasureError, match="unknown measure 'f1_worth'"):
        br.sklearn.scorers("f1_worth")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingDependencyError, match="pip install scikit-learn"):
        br.sklearn.make_scorer("f1")


def test_a_fold_without_spread_has_a_number_to_rank_by() -> None:
    """R² of equal truths is what scikit-learn says; its worth is nothing."""
    fitted = br.sklearn.BestConstantRegressor("MAE").fit(X[:5], np.arange(5.0))
    same = np.full(5, 2.5)
    with pytest.warns(Warning, match="R2 is undefined: all true numbers are the same"):
        plain = br.sklearn.make_scorer("R2")(fitted, X[:5], same)
    assert plain == metrics.r2_score(same, fitted.predict(X[:5]))
    with pytest.warns(Warning, match="R2 is undefined"):
        assert br.sklearn.make_scorer("R2", scaled=True)(fitted, X[:5], same) == 0
