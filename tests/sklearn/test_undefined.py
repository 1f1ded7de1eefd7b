"""What a scorer returns where a measure is undefined: a value that a search can rank."""

from __future__ import annotations

import math
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GridSearchCV

import baserate as br
from baserate.core.measure import Direction
from baserate.exceptions import UndefinedMeasureError, UndefinedMeasureWarning
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from sklearn import metrics

ALL = [*TWO_CLASS_MEASURES.values(), br.fbeta(2), br.fbeta(0.5), br.get_measure("PT")]
TABLES = [
    br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
    for tp, fp, fn, tn in product((0, 2), (0, 3), (0, 5), (0, 7))
    if tp + fp + fn + tn
]
WORTHS = ("rescaled", "dutch_scaler", "margin")
# What scikit-learn returns by default, written by hand for every measure that it has.
THEIRS: dict[str, Any] = {
    "TP": lambda y, p: metrics.confusion_matrix(y, p, labels=[0, 1])[1, 1],
    "TN": lambda y, p: metrics.confusion_matrix(y, p, labels=[0, 1])[0, 0],
    "FN": lambda y, p: metrics.confusion_matrix(y, p, labels=[0, 1])[1, 0],
    "FP": lambda y, p: metrics.confusion_matrix(y, p, labels=[0, 1])[0, 1],
    "TPR": metrics.recall_score,
    "TNR": lambda y, p: metrics.recall_score(y, p, pos_label=0),
    "FNR": lambda y, p: metrics.confusion_matrix(y, p, labels=[0, 1], normalize="true")[1, 0],
    "FPR": lambda y, p: metrics.confusion_matrix(y, p, labels=[0, 1], normalize="true")[0, 1],
    "PPV": metrics.precision_score,
    "NPV": lambda y, p: metrics.precision_score(y, p, pos_label=0),
    "FDR": lambda y, p: metrics.confusion_matrix(y, p, labels=[0, 1], normalize="pred")[0, 1],
    "FOR": lambda y, p: metrics.confusion_matrix(y, p, labels=[0, 1], normalize="pred")[1, 0],
    "F1": metrics.f1_score,
    "F2": lambda y, p: metrics.fbeta_score(y, p, beta=2),
    "F0.5": lambda y, p: metrics.fbeta_score(y, p, beta=0.5),
    "J": lambda y, p: metrics.balanced_accuracy_score(y, p, adjusted=True),
    "ACC": metrics.accuracy_score,
    "BACC": metrics.balanced_accuracy_score,
    "MCC": metrics.matthews_corrcoef,
    "KAPPA": metrics.cohen_kappa_score,
    "TS": metrics.jaccard_score,
}


class Memory(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that predicts what is written in its input, or nothing."""

    def __init__(self, *, silent: bool = False) -> None:
        self.silent = silent

    def fit(self, rows: Any, y: Any) -> Memory:  # noqa: ARG002
        """Learn the classes."""
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, rows: Any) -> Any:
        """Return the first column, or zeros."""
        return np.zeros(len(rows), dtype=int) if self.silent else rows[:, 0]


def _rows(table: br.Confusion) -> tuple[Any, Any]:
    cells = (table.tp, table.fp, table.fn, table.tn)
    return np.repeat([1, 0, 1, 0], cells), np.repeat([1, 1, 0, 0], cells)


def _scored(scorer: Any, table: br.Confusion) -> float:
    """Return a scorer's value, whatever it warns of."""
    y_true, y_pred = _rows(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        return float(scorer(Memory().fit(None, None), y_pred.reshape(-1, 1), y_true))


def _is_undefined(measure: br.Measure, table: br.Confusion) -> bool:
    return bool(measure.score_or_reason(table)[1])


def _sign(measure: br.Measure) -> int:
    return 1 if measure.direction is Direction.MAXIMIZE else -1


def _theirs(measure: br.Measure, table: br.Confusion) -> float:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(THEIRS[measure.key](*_rows(table)))


def test_every_measure_of_scikit_learn_is_compared() -> None:
    """None is forgotten, and only these four have no function there."""
    assert {measure.key for measure in ALL} - set(THEIRS) == {"MK", "FM", "G2", "PT"}


@pytest.mark.parametrize("measure", ALL, ids=lambda measure: measure.key)
def test_a_scorer_returns_what_scikit_learn_does(measure: br.Measure) -> None:
    """On every table with empty cells, wherever scikit-learn has a finite value."""
    if measure.key not in THEIRS:
        return
    compared = 0
    for table in TABLES:
        theirs = _theirs(measure, table)
        if math.isfinite(theirs):
            ours = _scored(br.sklearn.make_scorer(measure), table)
            assert ours == pytest.approx(_sign(measure) * theirs, abs=1e-15), table
            compared += 1
    assert compared >= 9


@pytest.mark.parametrize("measure", ALL, ids=lambda measure: measure.key)
def test_without_scikit_learn_s_value_it_is_the_worst_draw_s(measure: br.Measure) -> None:
    """And the worst score there is, where no draw can be scored."""
    for table in TABLES:
        has_theirs = measure.key in THEIRS and math.isfinite(_theirs(measure, table))
        if has_theirs or not _is_undefined(measure, table):
            continue
        try:
            base = br.baseline(table, measure)
            worst = base.min.value if _sign(measure) == 1 else base.max.value
        except UndefinedMeasureError:
            worst = measure.codomain.lower if _sign(measure) == 1 else measure.codomain.upper
        assert _scored(br.sklearn.make_scorer(measure), table) == _sign(measure) * worst


@pytest.mark.parametrize("measure", TWO_CLASS_MEASURES.values(), ids=lambda measure: measure.key)
@pytest.mark.parametrize("worth", WORTHS)
def test_no_worth_is_nan(measure: br.Measure, worth: Any) -> None:
    """A prediction without a score has looked at no input: it is worth no more than a draw."""
    for table in TABLES:
        value = _scored(br.sklearn.make_scorer(measure, scaled=worth), table)
        assert math.isfinite(value), table
        if _is_undefined(measure, table):
            assert value <= 0, table


@pytest.mark.parametrize("name", ["f1", "mcc", "fm", "mk", "kappa", "f1_rescaled", "mcc_margin"])
def test_a_search_prefers_a_model_that_predicts_something(name: str) -> None:
    """The first candidate predicts nothing; with nan for its score, the search returned it."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 20])
    rows = np.where(rng.random(60) < 0.8, y, 1 - y).reshape(-1, 1)
    search = GridSearchCV(
        Memory(), {"silent": [True, False]}, scoring=br.sklearn.scorers(name)[name]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        search.fit(rows, y)
    assert search.best_params_ == {"silent": False}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_search_among_models_that_sometimes_predict_nothing() -> None:
    """A fold without positive predictions costs a model that fold, and no more."""
    rows = np.zeros((40, 1), dtype=int)
    y = np.tile([0, 1], 20)
    rows[:32, 0] = y[:32]  # perfect, and silent on the last of five folds
    search = GridSearchCV(
        Memory(), {"silent": [True, False]}, scoring=br.sklearn.make_scorer("f1"), cv=5
    )
    with pytest.warns(UndefinedMeasureWarning, match="P̂ > 0"):
        search.fit(rows, y)
    assert search.best_score_ == pytest.approx(0.8)


def test_the_warning_says_what_stands_in() -> None:
    """Nothing is replaced silently."""
    silent = Memory(silent=True).fit(None, None)
    with pytest.warns(UndefinedMeasureWarning, match=r"F1 is undefined.* P̂ > 0 .*; 0 stands in"):
        br.sklearn.make_scorer("f1")(silent, np.zeros((2, 1)), [0, 1])


@pytest.mark.parametrize("scaled", [False, True, "margin", "dutch_scaler"])
@pytest.mark.parametrize("key", ["F1", "FDR"])
def test_undefined_changes_it(key: str, scaled: Any) -> None:
    """What is passed as `undefined` is what the scorer returns, nan too."""
    table = br.Confusion(fn=5, tn=7)
    for value in (-2.0, 0.25, math.nan):
        scorer = br.sklearn.make_scorer(key, scaled=scaled, undefined=value)
        np.testing.assert_equal(_scored(scorer, table), value)


def test_undefined_must_be_a_number() -> None:
    """A typing error is seen when the scorer is made, and not in every fold."""
    with pytest.raises(br.exceptions.InvalidMeasureError, match="undefined must be a number"):
        br.sklearn.make_scorer("f1", undefined="zero")  # type: ignore[arg-type]


def test_a_measure_of_your_own() -> None:
    """It gets the worst draw's expected score; its codomain's worst end; or nan if neither is."""
    lift = br.Measure.custom("lift", lambda tp, fp, fn, tn: tp / (tp + fp) / (tp + fn))
    silent = br.Confusion(fn=5, tn=7)
    worst = br.baseline(silent, lift).min.value
    assert _scored(br.sklearn.make_scorer(lift), silent) == worst > 0
    never = br.Measure.custom("never", lambda *_: math.nan, codomain=(-3, 1))
    assert _scored(br.sklearn.make_scorer(never), silent) == -3
    unknown = br.Measure.custom("unknown", lambda *_: math.nan)
    assert math.isnan(_scored(br.sklearn.make_scorer(unknown), silent))


def test_a_measure_whose_perfection_is_unknown() -> None:
    """Above the baseline nothing says how much its rescaled score is; `undefined` may say it."""
    gain = br.Measure.custom(
        "gain", lambda tp, fp, fn, tn: tp - fp if fp + fn else math.nan, smooth=False
    )
    good = br.Confusion(tp=6, fp=1, fn=1, tn=10)
    assert _scored(br.sklearn.make_scorer(gain, scaled="margin"), good) > 0
    assert math.isnan(_scored(br.sklearn.make_scorer(gain, scaled=True), good))
    assert _scored(br.sklearn.make_scorer(gain, scaled=True, undefined=0.5), good) == 0.5


def test_no_observations() -> None:
    """Weights of zero leave nothing to score."""
    model = Memory().fit(None, None)
    scorer = br.sklearn.make_scorer("f1", weights="frequency")
    with pytest.warns(UndefinedMeasureWarning, match="all weights are 0"):
        value = scorer(model, np.ones((2, 1)), [0, 1], sample_weight=np.zeros(2))
    assert math.isnan(value)
