"""The display of residuals: a histogram, and the share of errors up to each size."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib import pyplot
from sklearn.linear_model import LinearRegression

import baserate as br
from baserate.core.curve import rounded_up
from baserate.core.task import Rows
from baserate.displays.chance import Luck
from baserate.exceptions import InvalidPredictionsError, InvalidReportError
from baserate.regression.fit import Fit
from baserate.regression.frames import Limits, fits_of_frame
from baserate.report.curves import curve_figures
from baserate.report.panels import panels

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 2))
Y = 50 + 10 * X[:, 0] + RNG.normal(0, 3, 60)
MODEL = LinearRegression().fit(X, Y)
MODELS = {"line": MODEL.predict(X), "guess": RNG.normal(50, 20, 60)}


def _labels(lines: list[Any]) -> list[str]:
    return [line.get_label() for line in lines]


def test_lines_say_what_they_are() -> None:
    """The scores are in the legend of the curve whose area they are."""
    display = br.ResidualDisplay.from_predictions(Y, MODELS)
    maes = [np.abs(Y - each).mean() for each in MODELS.values()]
    constant = f"always {np.median(Y):.6g}"
    assert _labels(display.lines_[0]) == ["line", "guess"]
    assert _labels(display.free_[0]) == [constant]
    assert _labels(display.lines_[1]) == [f"line: MAE {maes[0]:.3f}", f"guess: MAE {maes[1]:.3f}"]
    assert _labels(display.free_[1]) == [f"{constant}: MAE {np.abs(Y - np.median(Y)).mean():.3f}"]
    left, right = display.axes_
    assert left.get_xlabel() == "truth − prediction"
    assert right.get_xlabel() == "absolute error"
    assert left.get_ylabel() == right.get_ylabel() == "share of observations"


def test_every_line_is_in_the_frame() -> None:
    """The drawn corners are the rows of the frame."""
    display = br.ResidualDisplay.from_predictions(Y, MODELS)
    frame = display.frame()
    for place, curve in enumerate(("Residuals", "Errors")):
        drawn = frame[(frame["curve"] == curve) & (frame["what"] == "guess")]
        np.testing.assert_array_equal(drawn[["x", "y"]], display.lines_[place][1].get_xydata())
    assert len(set(frame["what"])) == 3


@pytest.mark.parametrize("weighted", [False, True])
def test_steps_hold_every_observation_once(weighted: bool) -> None:  # noqa: FBT001
    """Their shares sum to 1, with all weight, and curves end at the share within reach."""
    truth = np.append(Y, [1e4, -2e4])
    predicted = np.append(MODELS["guess"], [50, 40])
    weights = RNG.integers(1, 4, truth.size) / 2 if weighted else None
    residuals, errors = Fit.of(truth, predicted, weights).curves
    reach = residuals.x_ends[1]
    assert reach < 100  # neither of those that are far out
    share = np.ones(truth.size) / truth.size if weights is None else weights / weights.sum()
    for points, off in (
        (residuals.points, truth - predicted),
        (residuals.chance.points, truth - float(residuals.chance.label.split()[-1])),
    ):
        x, y = np.array(points).T
        assert y[1::2][:-1].sum() == pytest.approx(1)
        edges, heights = x[::2], y[1:-1:2]
        held = np.clip((off + reach) * len(heights) / (2 * reach), 0, len(heights) - 1e-9)
        expected = np.bincount(held.astype(int), share, len(heights))
        np.testing.assert_allclose(heights, expected, atol=2e-2)
        assert np.diff(edges) == pytest.approx(np.full(len(heights), 2 * reach / len(heights)))
    for points, off in ((errors.points, truth - predicted),):
        assert points[-1][1] == pytest.approx(share[np.abs(off) <= reach].sum())
        assert errors.area == pytest.approx((np.abs(off) * share).sum())


def test_weights_decide_the_constant() -> None:
    """It is the weighted median."""
    fit = Fit.of([1.0, 2, 9], [1.0, 2, 3], [1, 1, 5])
    assert [curve.chance.label for curve in fit.curves] == ["always 9"] * 2
    assert fit.curves[1].chance.area == pytest.approx(
        br.baseline(br.Numbers([1.0, 2, 9], [1, 1, 5]), "MAE").best.value
    )


def test_axes_of_a_page_are_in_the_unit_of_the_truth() -> None:
    """Round numbers at both ends, and 0 in the middle of residuals."""
    figures = curve_figures(panels(br.evaluate(Y * 1e6, Y * 1e6 + 3e6, ["MAE"]))[0])
    residuals, errors = figures
    assert [x for _, x, _ in residuals.ticks] == ["−3e07", "0", "3e07"]
    assert [x for _, x, _ in errors.ticks] == ["0", "1.5e07", "3e07"]
    assert [y for *_, y in errors.ticks] == ["0", "0.5", "1"]
    for figure in figures:
        for _, points in figure.lines:
            placed = np.array(figure.placed(points))
            assert placed.min() >= 0
            assert placed.max() <= 1
    assert max(y for _, y in residuals.placed(residuals.curves[0].points)) > 0.6


def test_a_page_says_what_a_constant_knows() -> None:
    """Numbers and no classes; and no constant is the worst."""
    page = br.evaluate(Y, MODELS, ["MAE"]).to_html()
    assert "The same number is predicted for every row." in page
    assert "orst constant" not in page
    assert "truth − prediction" in page


def test_round_numbers() -> None:
    """At least as large, and hardly more than half as much again."""
    for value in (1e-280, 0.001, 0.9, 1, 1.01, 7.3, 99, 1e10, 3.0000001e280):
        assert value <= rounded_up(value) <= 2 * value
        assert len(f"{rounded_up(value):.12g}".strip("0.").split("e")[0]) == 1
    for value in (5e-324, 1e300, 0.0, np.inf):
        assert rounded_up(value) == value


def test_estimators_and_reports() -> None:
    """One, several, and what was judged already."""
    one = br.ResidualDisplay.from_estimator(MODEL, X, Y)
    assert one.figures[0].models == ("LinearRegression",)
    best = br.BestConstantRegressor("MAE").fit(X, Y)
    two = br.ResidualDisplay.from_estimator({"line": MODEL, "best": best}, X, Y)
    assert two.figures[1].curves[1].area == pytest.approx(two.figures[1].first.chance.area)
    report = br.evaluate(Y, MODELS, ["RMSE"])
    _, axes = pyplot.subplots(1, 2)
    assert br.ResidualDisplay.from_report(report, ax=axes).axes_ == tuple(axes)
    fits = {name: Fit.of(Y, each) for name, each in MODELS.items()}
    assert br.ResidualDisplay.from_predictions(None, fits).figures[0].models == ("line", "guess")


def test_reports_without_residuals() -> None:
    """Labels, scores, and a truth that is always the same, each say what they are."""
    labels = [0, 1, 1, 0, 1]
    for report in (
        br.evaluate(labels, labels, ["F1"]),
        br.evaluate(labels, [0.1, 0.7, 0.4, 0.2, 0.9], ["AUC"]),
        br.evaluate([2.5] * 3, [1.0, 2, 3], ["MAE"]),
    ):
        with pytest.raises(InvalidReportError, match="report must be of numbers"):
            br.ResidualDisplay.from_report(report)
    with pytest.raises(InvalidReportError, match="report must be of scores"):
        br.RankingDisplay.from_report(br.evaluate(Y, MODELS, ["MAE"]))
    different = {"a": Fit.of([1.0, 2], [1, 2]), "b": Fit.of([1.0, 2, 4], [1, 2, 3])}
    with pytest.raises(InvalidPredictionsError, match="test set"):
        br.ResidualDisplay.from_predictions(None, different)
    with pytest.raises(InvalidPredictionsError, match="ResidualDisplay shows numbers"):
        br.BaselineDisplay.from_predictions(Y, MODELS, "MAE")


def test_distribution_of_a_score_of_numbers() -> None:
    """The predictions are dealt at random, and the shaded bars are the p-value of the report."""
    verdict = br.evaluate(Y[:12], MODELS["guess"][:12], "MAE").verdicts[0]
    display = br.ScoreDistributionDisplay.from_predictions(Y[:12], MODELS["guess"][:12], "MAE")
    assert (display.score, display.p_value) == (verdict.score, verdict.p_value)
    frame = display.frame()
    assert frame["probability"].sum() == pytest.approx(1)
    shaded = frame["probability"][frame["at_least_as_good"]].sum()
    # Each tail of 999 permutations counts the model too.
    assert shaded == pytest.approx(verdict.p_value, abs=0.0011)


def test_distribution_of_a_score_of_sums_is_that_of_their_sample() -> None:
    """What stayed in an engine is dealt as its sample is: score, p-value and bars."""
    frame = pl.LazyFrame({"y": Y, "p": MODELS["guess"]})
    few = Limits(rows=10, needed=10, sample=20)
    table = fits_of_frame(frame, "y", {"m": "p"}, Rows(measures="MAE"), few).tables["m"][None]
    measure = br.get_measure("MAE")
    whole, sample = Luck.of(table, measure), Luck.of(table.sample, measure)
    assert table.sample.test_set.total < table.test_set.total == 60
    assert whole.score == sample.score == measure.score(table.sample) != measure.score(table)
