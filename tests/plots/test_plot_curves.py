"""The curves of rankings and of residuals, beside those of guesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.svm import LinearSVC

import baserate as br
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.plots import RankingDisplay, ReportDisplay, ResidualDisplay

RNG = np.random.default_rng(3)
Y = (RNG.random(28) < 0.25).astype(int)
X = np.column_stack([Y + RNG.normal(0, 1.6, 28), RNG.normal(size=28)])
P = np.round(1 / (1 + np.exp(-X[:, 0])), 2)
COIN = np.round(RNG.random(28), 1)
TRUTH = 50 + 10 * X[:, 0] + RNG.normal(0, 3, 28)
NUMBERS = {"line": LinearRegression().fit(X, TRUTH).predict(X), "guess": RNG.normal(50, 20, 28)}


def _labels(lines: list[Any]) -> list[str]:
    return [line.get_label() for line in lines]


def test_areas_of_rankings_are_in_the_legend() -> None:
    """Each line says its area: that of a model is its AUC or AP, and so is the baseline."""
    display = RankingDisplay.from_predictions(Y, {"ridge": P, "coin": COIN})
    aucs = [roc_auc_score(Y, scores) for scores in (P, COIN)]
    aps = [average_precision_score(Y, scores) for scores in (P, COIN)]
    assert _labels(display.lines_[0]) == [f"ridge: AUC {aucs[0]:.3f}", f"coin: AUC {aucs[1]:.3f}"]
    assert _labels(display.lines_[1]) == [f"ridge: AP {aps[0]:.3f}", f"coin: AP {aps[1]:.3f}"]
    assert _labels(display.guesses_[0]) == ["any guess: AUC 0.500"]
    best = br.baseline(br.BaseRate.of(Y), "AP").best.value
    assert _labels(display.guesses_[1]) == [
        f"a random ranking: AP {best:.3f}",
        f"the same score for everyone: AP {Y.mean():.3f}",
    ]


@pytest.mark.parametrize(
    ("display", "truth", "models"),
    [(RankingDisplay, Y, {"a": P, "b": COIN}), (ResidualDisplay, TRUTH, NUMBERS)],
)
def test_every_line_is_in_the_frame(display: Any, truth: Any, models: Any) -> None:
    """The drawn corners are the rows of the frame."""
    drawn = display.from_predictions(truth, models)
    frame = drawn.frame()
    for place, curve in enumerate(dict.fromkeys(frame["curve"])):
        for line, name in zip(drawn.lines_[place], models, strict=True):
            found = frame[(frame["curve"] == curve) & (frame["what"] == name)]
            np.testing.assert_array_equal(found[["x", "y"]], line.get_xydata())
    assert len(set(frame["what"])) > len(models)


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC(), RidgeClassifier()])
def test_estimators_give_probabilities_or_decisions(estimator: Any) -> None:
    """What an estimator has is taken, for its last class, or for the one that is asked for."""
    labels = np.where(Y, "sick", "fine")
    fitted = estimator.fit(X, labels)
    response = getattr(fitted, "predict_proba", None)
    scores = response(X)[:, 1] if response else fitted.decision_function(X)
    for positive, name in ((None, type(estimator).__name__), ("fine", "machine")):
        given = None if positive is None else name
        display = RankingDisplay.from_estimator(fitted, X, labels, pos_label=positive, name=given)
        assert display.figures[0].curves[0].area == pytest.approx(roc_auc_score(Y, scores))
        assert display.figures[0].models == (name,)


def test_estimators_of_numbers_and_reports() -> None:
    """One, several, and what was judged already."""
    line = LinearRegression().fit(X, TRUTH)
    assert ResidualDisplay.from_estimator(line, X, TRUTH).figures[0].models == ("LinearRegression",)
    best = br.sklearn.BestConstantRegressor("MAE").fit(X, TRUTH)
    two = ResidualDisplay.from_estimator({"line": line, "best": best}, X, TRUTH)
    assert two.figures[1].curves[1].area == pytest.approx(two.figures[1].first.chance.area)
    report = br.evaluate(TRUTH, NUMBERS, ["RMSE"])
    assert ResidualDisplay.from_report(report).figures[0].models == ("line", "guess")


def test_probabilities_are_asked_for_where_they_are_needed() -> None:
    """A decision function is not a probability; the error names the measure and the model."""
    machine = LinearSVC().fit(X, Y)
    with pytest.raises(InvalidPredictionsError, match=r"predict_proba for log loss .*LinearSVC"):
        ReportDisplay.from_estimator(machine, X, Y, ["AUC", "log loss"])


def test_two_axes_are_needed() -> None:
    """One is refused with a sentence."""
    _, axes = pyplot.subplots(1, 2)
    assert RankingDisplay.from_predictions(Y, P, ax=axes).axes_ == tuple(axes)
    for wrong in (axes[:1], axes[0]):
        with pytest.raises(InvalidReportError, match="ax must be two axes"):
            RankingDisplay.from_predictions(Y, P, ax=wrong)


def test_reports_without_curves() -> None:
    """Labels, one class, one number and several test sets each have their own sentence."""
    labels = br.evaluate(Y, Y, ["F1"])
    with pytest.raises(InvalidReportError, match="report must be of scores"):
        RankingDisplay.from_report(labels)
    with pytest.raises(InvalidReportError, match="report must be of numbers"):
        ResidualDisplay.from_report(labels)
    one = br.evaluate([0, 0, 0], [0.1, 0.2, 0.3], ["AUC"], pos_label=1)
    with pytest.raises(InvalidReportError, match="3 observations"):
        RankingDisplay.from_report(one)
    with pytest.raises(InvalidReportError, match="report must be of numbers"):
        ResidualDisplay.from_report(br.evaluate([2.5] * 3, [1.0, 2, 3], ["MAE"]))
    different = {
        "a": br.RankedScores.of([0, 1], [0.1, 0.2]),
        "b": br.RankedScores.of([0, 1, 1], [1, 2, 3]),
    }
    with pytest.raises(InvalidPredictionsError, match="test set"):
        RankingDisplay.from_report(br.evaluate(None, different, ["AUC"]))
