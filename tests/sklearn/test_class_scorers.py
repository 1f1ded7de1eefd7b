"""Scorers of several classes, in scikit-learn's own cross-validation."""

from __future__ import annotations

import math
import warnings
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate

import baserate as br
from baserate.core.measure import Direction
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidMeasureError,
    UndefinedMeasureWarning,
    UnknownMeasureError,
)
from baserate.measures.classes import CLASS_MEASURES
from baserate.observed.classes import ConfusionMatrix
from baserate.sklearn.scoring import ranked_score, ranked_worth
from baserate.tasks import TASKS
from sklearn import metrics

if TYPE_CHECKING:
    from baserate.measures.classes_record import ClassMeasure

RNG = np.random.default_rng(5)
Y = RNG.choice(["cat", "dog", "eel"], 240, p=[0.6, 0.3, 0.1])
X = (Y == "dog")[:, np.newaxis] + 2.0 * (Y == "eel")[:, np.newaxis] + RNG.normal(0, 0.7, (240, 1))
FOLDS = KFold(4, shuffle=True, random_state=1)
BINARY, SEVERAL = TASKS["binary"], TASKS["multiclass"]
SHARED = ("accuracy", "MCC", "kappa", "balanced accuracy", "G-mean")
# scikit-learn's scorer, or its function, for every measure that it has, written by hand.
THEIRS: dict[str, Any] = {
    "accuracy": metrics.accuracy_score,
    "Hamming loss": metrics.hamming_loss,
    "kappa": metrics.cohen_kappa_score,
    "linear kappa": lambda y, p: metrics.cohen_kappa_score(y, p, weights="linear"),
    "quadratic kappa": lambda y, p: metrics.cohen_kappa_score(y, p, weights="quadratic"),
    "MCC": metrics.matthews_corrcoef,
    "balanced accuracy": metrics.balanced_accuracy_score,
    "adjusted balanced accuracy": lambda y, p: metrics.balanced_accuracy_score(y, p, adjusted=True),
} | {
    f"{average} {name}": lambda y, p, average=average, function=function: function(
        y, p, average=average, **({} if average == "micro" else {"zero_division": 0})
    )
    for average, (name, function) in product(
        ("macro", "weighted", "micro"),
        {
            "F1": metrics.f1_score,
            "precision": metrics.precision_score,
            "recall": metrics.recall_score,
            "Jaccard": metrics.jaccard_score,
        }.items(),
    )
}


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


def _sign(measure: ClassMeasure) -> int:
    return 1 if measure.direction is Direction.MAXIMIZE else -1


@pytest.mark.parametrize("measure", CLASS_MEASURES.values(), ids=lambda measure: measure.key)
def test_a_plain_score_is_scikit_learn_s(measure: ClassMeasure) -> None:
    """On random labels of up to four classes, some of them only predicted, and some of one class.

    Where scikit-learn has no finite score, the scorer still has one.
    """
    rng, theirs = np.random.default_rng(2), THEIRS.get(measure.key)
    assert theirs is not None or measure.sklearn is None
    for _ in range(30):
        classes, rows = rng.integers(1, 5), rng.integers(1, 12)
        y_true, y_pred = rng.integers(1, 1 + classes, (2, rows))
        ours = _scored(br.sklearn.make_scorer(measure), y_true, y_pred)
        assert math.isfinite(ours)
        if theirs is None:
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = float(theirs(y_true, y_pred))
        if math.isfinite(expected):
            assert ours == pytest.approx(_sign(measure) * expected, abs=1e-12)


def test_names_of_scikit_learn_s_own_scorers() -> None:
    """Under these names both libraries have the same scorer."""
    model = LogisticRegression().fit(X, Y)
    names = ["accuracy", "balanced_accuracy", "matthews_corrcoef"]
    names += [
        f"{name}_{average}"
        for name, average in product(
            ("f1", "precision", "recall", "jaccard"), ("macro", "micro", "weighted")
        )
    ]
    for name, scorer in br.sklearn.scorers(*names).items():
        theirs = metrics.get_scorer(name)(model, X, Y)
        assert scorer(model, X, Y) == pytest.approx(theirs, abs=1e-12), name


def test_each_fold_is_compared_with_its_own_baseline() -> None:
    """Accuracy by its commonest class, macro F1 by 1/K, both computed by hand."""
    names = ["accuracy_margin", "f1_macro", "f1_macro_rescaled", "f1_macro_margin"]
    scores = cross_validate(
        LogisticRegression(), X, Y, cv=FOLDS, scoring=br.sklearn.scorers(*names)
    )
    for fold, (train, test) in enumerate(FOLDS.split(X, Y)):
        predicted = LogisticRegression().fit(X[train], Y[train]).predict(X[test])
        _, counts = np.unique(Y[test], return_counts=True)
        accuracy = metrics.accuracy_score(Y[test], predicted)
        margin = accuracy - counts.max() / counts.sum()
        f1 = metrics.f1_score(Y[test], predicted, average="macro")
        assert scores["test_accuracy_margin"][fold] == pytest.approx(margin, abs=1e-12)
        assert scores["test_f1_macro"][fold] == pytest.approx(f1)
        assert scores["test_f1_macro_margin"][fold] == pytest.approx(f1 - 1 / 3)
        assert scores["test_f1_macro_rescaled"][fold] == pytest.approx((f1 - 1 / 3) / (2 / 3))


def test_a_loss_is_negated_unless_it_is_scaled() -> None:
    """Greater is better, as in scikit-learn."""
    y_true, y_pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]
    assert _scored(br.sklearn.make_scorer("hamming_loss"), y_true, y_pred) == pytest.approx(-1 / 6)
    assert _scored(br.sklearn.make_scorer("hamming_loss", scaled="margin"), y_true, y_pred) == (
        pytest.approx(1 / 2 - 1 / 6)
    )
    nothing = br.sklearn.make_scorer("hamming_loss", undefined=-1.0, weights="frequency")
    weights = np.zeros(6)
    assert _scored(nothing, y_true, y_pred, sample_weight=weights) == -1


@pytest.mark.parametrize("name", SHARED)
def test_a_fold_of_two_of_the_classes_means_the_same(name: str) -> None:
    """Read as two classes or as several, a fold in which two occur has one score and one worth."""
    two, several = BINARY.named(name), SEVERAL.named(name)
    assert two.direction is several.direction
    for tp, fp, fn, tn in product((0, 1, 3), repeat=4):
        if not (tp + fn and fp + tn):
            continue
        tables = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn), ConfusionMatrix([[tn, fp], [fn, tp]])
        scores = [
            ranked_score(task, table, measure).value
            for task, table, measure in zip((BINARY, SEVERAL), tables, (two, several), strict=True)
        ]
        assert scores[0] == pytest.approx(scores[1], abs=1e-12)
        for worth in ("rescaled", "margin"):
            first = ranked_worth(BINARY, tables[0], two, worth).value
            assert first == pytest.approx(
                ranked_worth(SEVERAL, tables[1], several, worth).value, abs=1e-12
            ), (tables, worth)


def test_only_these_names_are_of_two_tasks() -> None:
    """The test above has all of them."""
    both = {
        measure.key
        for measure in CLASS_MEASURES.values()
        for name in (measure.key, measure.name, *measure.aliases)
        if BINARY.named(name) is not None
    }
    assert both == set(SHARED)


@pytest.mark.parametrize("labels", [(0, 1, 2), (1, 2, 3), ("a", "b", "c"), (-1, 0, 1)])
@pytest.mark.parametrize("kind", ["", "_rescaled", "_margin"])
def test_folds_with_two_of_three_classes_are_scored(labels: tuple[Any, ...], kind: str) -> None:
    """Whichever two they are, evident or not: the names of the labels change no number."""
    y_true, y_pred = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 0])
    for first, second in ((0, 1), (1, 2), (0, 2)):
        named = np.array([labels[first], labels[second]])
        for name in SHARED:
            scorer = br.sklearn.scorers(f"{name}{kind}")[f"{name}{kind}"]
            value = _scored(scorer, named[y_true], named[y_pred])
            assert value == pytest.approx(_scored(scorer, y_true, y_pred), abs=1e-12)


def test_the_order_of_the_classes_is_that_of_all_labels() -> None:
    """A class that is only predicted is between the others, as in scikit-learn."""
    y_true, y_pred = [1, 1, 3, 3, 1], [1, 2, 3, 2, 3]
    for power in ("linear", "quadratic"):
        theirs = metrics.cohen_kappa_score(y_true, y_pred, weights=power)
        ours = _scored(br.sklearn.make_scorer(f"{power} kappa"), y_true, y_pred)
        assert ours == pytest.approx(theirs)
        # Weights of 0 leave class 2 out, so that 1 and 3 are neighbours.
        weights = [2, 0, 3, 0, 1]
        rows = np.repeat(np.arange(5), weights)
        repeated = metrics.cohen_kappa_score(
            np.take(y_true, rows), np.take(y_pred, rows), weights=power
        )
        scorer = br.sklearn.make_scorer(f"{power} kappa", weights="frequency")
        assert _scored(scorer, y_true, y_pred, sample_weight=weights) == pytest.approx(repeated)


def test_large_weights_take_no_room() -> None:
    """A million million observations of three classes are counted, and not laid out."""
    scorer = br.sklearn.make_scorer("f1_macro", weights="frequency")
    y_true, y_pred = [0, 1, 2, 2], [0, 1, 2, 0]
    weights = np.array([1, 1, 1, 1]) * 10**12
    assert _scored(scorer, y_true, y_pred, sample_weight=weights) == _scored(scorer, y_true, y_pred)


@pytest.mark.parametrize("name", ["kappa", "linear kappa", "quadratic kappa"])
def test_where_one_class_occurs_the_right_answer_does_not_rank_lower(name: str) -> None:
    """Kappa is 0/0 if all is right there, and 0 if anything is wrong."""
    truth = [2, 2, 2]
    right, wrong = (
        _scored(br.sklearn.make_scorer(name), truth, pred) for pred in ([2, 2, 2], [2, 3, 2])
    )
    assert right == wrong == 0
    with pytest.warns(UndefinedMeasureWarning, match="only the class 2 occurs; 0 stands in"):
        br.sklearn.make_scorer(name)(
            Memory(constant=2).fit(None, truth), np.zeros((3, 1)), np.array(truth)
        )


@pytest.mark.parametrize("measure", CLASS_MEASURES.values(), ids=lambda measure: measure.key)
def test_no_worth_is_nan_and_no_constant_is_worth_more_than_nothing(measure: ClassMeasure) -> None:
    """On small tables: a prediction of one class cannot beat the best deck."""
    for counts in ((3, 2, 1), (2, 2), (4,), (1, 1, 1, 1)):
        y_true = np.repeat(np.arange(len(counts)) + 5, counts)
        for constant, worth in product({*y_true.tolist(), 9}, (True, "margin")):
            scorer = br.sklearn.make_scorer(measure, scaled=worth)
            value = _scored(scorer, y_true, np.full(y_true.size, constant))
            assert math.isfinite(value)
            assert value <= 1e-12


def _right(table: Any) -> float:
    return float(np.trace(table))


def test_a_measure_of_your_own() -> None:
    """It is scored by its function, and its worth by a search."""
    right = br.Measure.custom("right", _right, codomain=(0, math.inf))
    assert _scored(br.sklearn.make_scorer(right), [0, 0, 1, 2], [0, 0, 1, 1]) == 3
    assert _scored(br.sklearn.make_scorer(right, scaled="margin"), [0, 0, 1, 2], [0, 0, 1, 1]) == 1


def test_bad_input() -> None:
    """What cannot work is an error when the scorer is made, where that is known."""
    with pytest.raises(InvalidMeasureError, match=r"'macro F1' \(got 'dutch_scaler', which is of"):
        br.sklearn.make_scorer("macro F1", scaled="dutch_scaler")
    with pytest.raises(InvalidMeasureError, match="is of several classes"):
        br.sklearn.make_scorer("macro F1", pos_label="cat")
    with pytest.raises(UnknownMeasureError, match=r"did you mean .*'f1_macro'"):
        br.sklearn.make_scorer("f1_makro")
    model = LogisticRegression().fit(X, Y)
    for scorer in (
        br.sklearn.make_scorer("f1"),
        br.sklearn.make_scorer("accuracy", scaled="dutch_scaler"),
    ):
        with pytest.raises(InvalidLabelsError):
            scorer(model, X, Y)
