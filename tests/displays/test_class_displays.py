"""Displays of several classes, and what those of two classes say about a third."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import baserate as br
from baserate.displays.estimators import positive_class, predictions_of, scores_of
from baserate.displays.reports import two_classes
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidPredictionsError,
    UndefinedMeasureError,
)
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.catalogue import CLASS_MEASURES, get_class_measure

RNG = np.random.default_rng(4)
Y = RNG.choice(["ant", "bee", "cow"], 150, p=[0.5, 0.3, 0.2])
X = np.column_stack(
    [(Y == "bee") + RNG.normal(0, 0.6, 150), (Y == "cow") + RNG.normal(0, 0.6, 150)]
)
MODEL = LogisticRegression().fit(X, Y)
TWO = LogisticRegression().fit(X, Y == "ant")
MATRIX = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]], labels=["a", "b", "c"])


def _legend(display: Any) -> list[str]:
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_of_several_classes_none_is_positive_by_default() -> None:
    """The last of three was one against the rest, and nobody had said so."""
    assert positive_class(MODEL, None) is None
    assert positive_class(MODEL, "bee") == "bee"
    assert positive_class(TWO, None)
    assert positive_class(SimpleNamespace(), None) is None
    _, positive = predictions_of(MODEL, X, None, None, ["accuracy"])
    assert positive is None


def test_measures_of_several_classes_have_no_positive_class() -> None:
    """Macro F1 of an estimator of two classes; a measure that both have takes the last one."""
    assert predictions_of(TWO, X, None, None, ["macro F1"])[1] is None
    assert predictions_of(TWO, X, None, None, ["accuracy"])[1]
    assert predictions_of(TWO, X, None, None, None)[1]


def test_scores_are_those_of_the_class_that_is_asked_for() -> None:
    """Its own column of probabilities, or of the decision function; not the first or the last."""
    place = MODEL.classes_.tolist().index("bee")
    found = scores_of(MODEL, X, "bee")
    np.testing.assert_array_equal(found.values, MODEL.predict_proba(X)[:, place])
    machine = LinearSVC().fit(X, Y)
    np.testing.assert_array_equal(
        scores_of(machine, X, "bee").values, machine.decision_function(X)[:, place]
    )
    for wrong in (None, "dog"):
        with pytest.raises(InvalidLabelsError, match="pos_label must be one of the estimator's 3"):
            scores_of(MODEL, X, wrong)


@pytest.mark.parametrize("name", ["accuracy", "macro F1", "hamming_loss"])
def test_the_distribution_of_a_score_of_several_classes(name: str) -> None:
    """Bars are the model's predictions dealt at random, and the shaded ones are its p-value."""
    display = br.ScoreDistributionDisplay.from_predictions(None, MATRIX, name)
    assert isinstance(display.null, br.NullDistribution)
    measure = get_class_measure(name)
    p_value = br.p_value(MATRIX, measure)
    assert display.p_value == pytest.approx(p_value)
    assert display.score == measure.score(MATRIX)
    frame = display.frame()
    assert frame["probability"].sum() == pytest.approx(1)
    shaded = frame["probability"][frame["at_least_as_good"]].sum()
    assert shaded == pytest.approx(p_value)
    assert "the same predictions, shuffled" in _legend(display)


def test_the_distribution_for_an_estimator_and_one_class_against_the_rest() -> None:
    """Without a positive class all of them count; with one it is a draw."""
    several = br.ScoreDistributionDisplay.from_estimator(MODEL, X, Y, "macro F1")
    expected = ConfusionMatrix.of(Y, MODEL.predict(X))
    assert several.score == CLASS_MEASURES["macro F1"].score(expected)
    assert several.ax_.get_xlabel() == "Macro F1 Score (higher is better)"
    one = br.ScoreDistributionDisplay.from_estimator(MODEL, X, Y, "F1", pos_label="bee")
    table = br.Confusion.of(Y == "bee", MODEL.predict(X) == "bee")
    assert one.score == br.get_measure("F1").score(table)
    assert _legend(one)[0].startswith("draws of") or _legend(one)[1].startswith("draws of")


@pytest.mark.parametrize("name", ["top-2 accuracy", "log loss"])
def test_the_distribution_of_a_score_of_probabilities_of_several_classes(name: str) -> None:
    """The answers or the rows are dealt at random, and the shaded bars are the p-value."""
    rows = MODEL.predict_proba(X[:40])
    verdict = br.evaluate(Y[:40], rows, name).verdicts[0]
    display = br.ScoreDistributionDisplay.from_predictions(Y[:40], rows, name)
    assert (display.score, display.p_value) == pytest.approx((verdict.score, verdict.p_value))
    frame = display.frame()
    assert frame["probability"].sum() == pytest.approx(1)
    shaded = frame["probability"][frame["at_least_as_good"]].sum()
    assert shaded == pytest.approx(verdict.p_value, rel=0.01, abs=1e-9)
    assert "the same predictions, shuffled" in _legend(display)


def test_a_decision_for_each_pair_of_classes_is_no_score_of_a_class() -> None:
    """With six columns for four classes, only the probabilities are left."""
    found: Any = SimpleNamespace(
        classes_=np.array(list("abcd")),
        predict=lambda rows: np.array(["a", "b", "a"])[: len(rows)],
        predict_proba=lambda rows: np.tile([0.4, 0.3, 0.2, 0.1], (len(rows), 1)),
        decision_function=lambda rows: np.ones((len(rows), 6)),
    )
    assert scores_of(found, X[:3], "b").values.tolist() == [0.3] * 3
    assert scores_of(found, X[:3], "b").threshold is None


def test_a_score_that_there_is_not() -> None:
    """Kappa of one class has no score, and no distribution."""
    with pytest.raises(UndefinedMeasureError, match="undefined for this model: only the class 'a'"):
        br.ScoreDistributionDisplay.from_predictions(["a"] * 3, ["a"] * 3, "linear kappa")


def test_draws_are_of_two_classes() -> None:
    """A display of every θ has no place for several classes, and says which have."""
    verdict: Any = SimpleNamespace(performance=SimpleNamespace(table=MATRIX))
    with pytest.raises(InvalidPredictionsError, match=r"ConfusionMatrix.*MatrixDisplay"):
        two_classes(verdict)
    for test_set, measure in ((Y, "accuracy"), (Y, "macro F1"), (MATRIX, "accuracy")):
        with pytest.raises(InvalidPredictionsError, match=r"must have two classes.*MatrixDisplay"):
            br.BaselineDisplay.from_test_set(test_set, measure)
    with pytest.raises(InvalidPredictionsError, match="MatrixDisplay"):
        br.BaselineDisplay.from_predictions(Y, MODEL.predict(X), "accuracy")
    with pytest.raises(InvalidPredictionsError, match="MatrixDisplay"):
        br.BaselineDisplay.from_estimator(MODEL, X, Y, "accuracy")
    one = br.BaselineDisplay.from_test_set(Y, "F1", pos_label="bee")
    assert one.baseline.base_rate.positives == np.count_nonzero(Y == "bee")


def test_reports_and_predictions_of_several_classes_are_drawn() -> None:
    """The table of the paper, the matrix of a model, and its distribution, from one report."""
    report = br.evaluate(Y, {"tree": MODEL.predict(X), "constant": ["ant"] * 150})
    shown = br.ComparisonDisplay.from_estimator({"tree": MODEL}, X, Y)
    assert shown.report.models == ("tree",)
    assert len(report.plot().boxes_) == 6  # a constant beats no baseline
    matrix = br.MatrixDisplay.from_report(report, "tree")
    assert matrix.frame()["count"].sum() == 150
    law = br.ScoreDistributionDisplay.from_report(report["tree"], "macro F1")
    assert law.p_value == report["tree", "macro F1"].p_value


@pytest.mark.parametrize("display", [br.BaselineDisplay, br.ThresholdDisplay])
def test_three_classes_in_displays_of_two(display: Any) -> None:
    """A clear error, and no class that is positive by accident."""
    with pytest.raises(InvalidLabelsError, match="class"):
        display.from_estimator(MODEL, X, Y, "F1")
