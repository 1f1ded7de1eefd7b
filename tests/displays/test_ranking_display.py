"""Displays of scores: their curves, their luck, and what displays of labels say about them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import baserate as br
from baserate.displays import RankingDisplay
from baserate.displays.estimators import predictions_of
from baserate.exceptions import (
    InvalidPredictionsError,
    InvalidReportError,
    UndefinedMeasureError,
)
from baserate.null.histogram import Histogram
from baserate.ranking.curves import expected_average_precision
from baserate.support.formatting import p_equals

RNG = np.random.default_rng(3)
Y = (RNG.random(28) < 0.25).astype(int)
X = np.column_stack([Y + RNG.normal(0, 1.6, 28), RNG.normal(size=28)])
P = np.round(1 / (1 + np.exp(-X[:, 0])), 2)
COIN = np.round(RNG.random(28), 1)
MODEL = LogisticRegression().fit(X, Y)


def _labels(lines: list[Any]) -> list[str]:
    return [line.get_label() for line in lines]


def test_areas_are_in_the_legend() -> None:
    """Each line says its area: that of a model is its AUC or AP, and so is the baseline."""
    display = RankingDisplay.from_predictions(Y, {"ridge": P, "coin": COIN})
    rate = br.BaseRate.of(Y)
    aucs = [roc_auc_score(Y, scores) for scores in (P, COIN)]
    aps = [average_precision_score(Y, scores) for scores in (P, COIN)]
    assert _labels(display.lines_[0]) == [f"ridge: AUC {aucs[0]:.3f}", f"coin: AUC {aucs[1]:.3f}"]
    assert _labels(display.lines_[1]) == [f"ridge: AP {aps[0]:.3f}", f"coin: AP {aps[1]:.3f}"]
    assert _labels(display.free_[0]) == ["any guess: AUC 0.500"]
    assert _labels(display.free_[1]) == [
        f"a random ranking: AP {expected_average_precision(rate):.3f}",
        f"the same score for everyone: AP {Y.mean():.3f}",
    ]


def test_every_line_is_in_the_frame() -> None:
    """The drawn corners are the rows of the frame."""
    display = RankingDisplay.from_predictions(Y, {"ridge": P})
    frame = display.frame()
    drawn = frame[(frame["curve"] == "ROC curve") & (frame["what"] == "ridge")]
    np.testing.assert_array_equal(drawn[["x", "y"]], display.lines_[0][0].get_xydata())
    assert set(frame["what"]) == {
        "ridge",
        "a random ranking",
        "the same score for everyone",
        "any guess",
    }


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC(), RidgeClassifier()])
def test_estimators_give_probabilities_or_decisions(estimator: Any) -> None:
    """What an estimator has is taken, for its last class."""
    fitted = estimator.fit(X, np.where(Y, "sick", "fine"))
    display = RankingDisplay.from_estimator(fitted, X, np.where(Y, "sick", "fine"))
    response = getattr(fitted, "predict_proba", None)
    scores = response(X)[:, 1] if response else fitted.decision_function(X)
    assert display.figures[0].curves[0].area == pytest.approx(roc_auc_score(Y, scores))
    assert display.figures[0].models == (type(estimator).__name__,)


def test_the_first_class_may_be_positive() -> None:
    """A decision function is turned around for it."""
    fitted = LinearSVC().fit(X, Y)
    display = RankingDisplay.from_estimator(fitted, X, Y, pos_label=0, name="machine")
    expected = roc_auc_score(1 - Y, -fitted.decision_function(X))
    assert display.figures[0].curves[0].area == pytest.approx(expected)


def test_labels_of_an_estimator_are_no_scores() -> None:
    """An estimator without either is refused; measures of labels still get labels."""
    blind = br.DutchDrawClassifier("F1").fit(X, Y)
    if not hasattr(blind, "predict_proba"):
        with pytest.raises(InvalidPredictionsError, match="predict_proba or decision_function"):
            RankingDisplay.from_estimator(blind, X, Y)
    found, _ = predictions_of(MODEL, X, "ridge", None, ["F1"])
    assert set(found["ridge"].tolist()) <= {0, 1}


def test_draws_in_given_axes() -> None:
    """Two axes are filled; one is refused with a sentence."""
    _, axes = pyplot.subplots(1, 2)
    display = RankingDisplay.from_predictions(Y, P, ax=axes)
    assert display.axes_ == tuple(axes)
    assert axes[1].get_ylabel() == "precision"
    for wrong in (axes[:1], axes[0]):
        with pytest.raises(InvalidReportError, match="ax must be two axes"):
            RankingDisplay.from_predictions(Y, P, ax=wrong)


def test_many_models_differ_in_colour_or_line() -> None:
    """No two of a dozen models look the same."""
    scores = br.Scores.of([0, 1, 0, 1], [1, 2, 3, 4])
    models = {f"model {place}": scores for place in range(12)}
    lines = RankingDisplay.from_predictions(None, models).lines_[0]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 12


def test_reports_without_curves() -> None:
    """Labels, one class, no verdicts and several test sets each have their own sentence."""
    labels = br.evaluate(Y, Y, ["F1"])
    with pytest.raises(InvalidReportError, match="report must be of scores"):
        RankingDisplay.from_report(labels)
    one = br.evaluate([0, 0, 0], [0.1, 0.2, 0.3], ["AUC"], pos_label=1)
    with pytest.raises(InvalidReportError, match="3 observations"):
        RankingDisplay.from_report(one)
    with pytest.raises(InvalidReportError):
        RankingDisplay.from_report(br.evaluate(Y, P, ["AUC"]).failures)
    different = {"a": br.Scores.of([0, 1], [0.1, 0.2]), "b": br.Scores.of([0, 1, 1], [1, 2, 3])}
    with pytest.raises(InvalidPredictionsError, match="test set"):
        RankingDisplay.from_report(br.evaluate(None, different, ["AUC"]))


def test_distribution_of_a_score_of_scores() -> None:
    """The bars sum to 1, and those at least as good to the p-value."""
    display = br.ScoreDistributionDisplay.from_predictions(Y[:24], P[:24], "AUC", name="ridge")
    frame = display.frame()
    reached = frame.loc[frame["at_least_as_good"], "probability"].sum()
    assert frame["probability"].sum() == pytest.approx(1)
    assert reached == pytest.approx(display.p_value, abs=1e-9)
    assert display.p_value == pytest.approx(br.evaluate(Y[:24], P[:24], "AUC").verdicts[0].p_value)
    assert display.ax_.get_xlabel() == "Area under the ROC Curve (higher is better)"
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "the same predictions, shuffled" in legend


def test_distribution_of_a_measure_of_labels_at_a_threshold() -> None:
    """F1 in a report of scores is that of the labels at its threshold."""
    report = br.evaluate(Y, P, ["AUC", "F1"], threshold=0.6)
    display = br.ScoreDistributionDisplay.from_report(report, "F1")
    labels = br.ScoreDistributionDisplay.from_predictions(Y, (P >= 0.6).astype(int), "F1")
    assert display.p_value == labels.p_value
    assert display.score == labels.score == report["model", "F1"].score


def test_distribution_of_a_score_of_probabilities_needs_them() -> None:
    """A decision function is no probability, and the error names the measure and the model."""
    machine = LinearSVC().fit(X, Y)
    with pytest.raises(InvalidPredictionsError, match=r"predict_proba for log loss .*LinearSVC"):
        br.ComparisonDisplay.from_estimator(machine, X, Y, ["AUC", "log loss"])


def test_distribution_of_one_score() -> None:
    """A model that gives everyone the same score has one bar."""
    display = br.ScoreDistributionDisplay.from_predictions(Y, np.ones(28), "AUC")
    assert display.bars.probabilities.tolist() == [1.0]
    assert display.p_value == 1
    with pytest.raises(UndefinedMeasureError, match="no positives"):
        br.ScoreDistributionDisplay.from_predictions([0, 0], [0.1, 0.2], "AUC", pos_label=1)


def test_bars_of_a_law_without_a_model() -> None:
    """No bar is reached then."""
    null = br.null_distribution(br.BaseRate(positives=5, total=16), list(range(16)), "AUC")
    bars = Histogram.of(null, br.Direction.MAXIMIZE)
    assert not bars.is_reached.any()
    assert bars.probabilities.sum() == pytest.approx(1)
    assert (bars.scores * bars.probabilities).sum() == pytest.approx(0.5, abs=0.02)
    assert (bars.probabilities > 0).all()


def test_baselines_of_labels_at_a_threshold() -> None:
    """The display of draws takes the labels of a report of scores, and sends scores elsewhere."""
    report = br.evaluate(Y, {"ridge": P}, ["AUC", "F1"], threshold=0.6)
    display = br.BaselineDisplay.from_report(report, "F1")
    assert display.frame()["predicted_positives"].iloc[-1] == (P >= 0.6).sum()
    for draw in (
        lambda: br.BaselineDisplay.from_report(report, "AUC"),
        lambda: br.BaselineDisplay.from_predictions(Y, P, "AUC"),
        lambda: br.BaselineDisplay.from_test_set(br.BaseRate.of(Y), "AUC"),
    ):
        with pytest.raises(InvalidPredictionsError, match="RankingDisplay and ScoreDistribution"):
            draw()


def test_matrix_of_labels_at_a_threshold() -> None:
    """A report of scores has a matrix if it has a threshold."""
    report = br.evaluate(Y, P, ["F1"], threshold=0.6)
    display = br.MatrixDisplay.from_report(report)
    table = br.Confusion.of(Y, (P >= 0.6).astype(int))
    assert [text.get_text() for text in display.texts_] == [
        str(count or "·") for count in (table.tn, table.fp, table.fn, table.tp)
    ]
    with pytest.raises(InvalidReportError, match="evaluate scores with a threshold"):
        br.MatrixDisplay.from_report(br.evaluate(Y, P, ["AUC"]))


def test_comparisons_of_scores_and_labels() -> None:
    """Estimators are judged by scores and labels in one picture."""
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    display = br.ComparisonDisplay.from_estimator(
        {"ridge": MODEL, "tree": tree}, X, Y, ["AUC", "F1"], threshold=0.5
    )
    verdict = display.report["ridge", "F1"]
    assert verdict.score == br.get_measure("F1").score(br.Confusion.of(Y, MODEL.predict(X)))
    assert len(display.texts_) == 8
    headers = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert headers[2] == f"ridge\n{p_equals(display.report['ridge', 'AUC'].p_value)}"


def test_header_has_no_p_value_that_no_measure_has() -> None:
    """The p-value of the ranking is not that of labels; of several there is none in the header."""
    report = br.evaluate(Y, {"ridge": P}, ["F1"], threshold=0.6)
    headers = [label.get_text() for label in report.plot().ax_.get_xticklabels()]
    assert headers[2] == f"ridge\n{p_equals(report['ridge', 'F1'].p_value)}"
