"""The score of guesses over θ, and null distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidPredictionsError,
    InvalidReportError,
    NotInReportError,
    UndefinedMeasureError,
    UnknownMeasureError,
)
from baserate.plots import BaselineDisplay, NullDistributionDisplay
from baserate.plots.display import MODELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(200) < 0.4).astype(int)
X = np.column_stack([TRUTH + RNG.normal(0, 1, 200), RNG.normal(0, 1, 200)])
GOOD = np.where(RNG.random(200) < 0.85, TRUTH, 1 - TRUTH)
POOR = np.where(RNG.random(200) < 0.1, TRUTH, 0)
RARE = br.BaseRate(positives=10, total=1000)
NOTHING = br.ConfusionMatrix(fn=10, tn=990)
MATRIX = br.ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]], labels=["a", "b", "c"])
TABLES = {
    "tree": br.ConfusionMatrix(tp=9, fp=4, fn=7, tn=11),
    "knn": br.ConfusionMatrix(tp=2, fn=14, tn=15),
}
REPORT = br.evaluate(None, TABLES, ["F1", "ACC", "MCC"])
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")


def _labels(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def test_guesses_and_models_over_theta() -> None:
    """The curve, the band, the best guess, and models, filled or hollow, at their own θ*."""
    display = BaselineDisplay.from_predictions(TRUTH, {"good": GOOD, "poor": POOR}, "F1")
    base = br.baseline(TRUTH, "F1")
    theta, expected = display.expectation_.get_data()
    np.testing.assert_allclose(expected, br.expected_score(TRUTH, "F1", theta))
    assert display.baseline_.get_ydata()[0] == base.best.value
    band = display.band_.get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (display.draws.low.min(), display.draws.high.max())
    good, poor = display.points_
    verdict = br.evaluate(TRUTH, GOOD, "F1").verdicts[0]
    assert (good.get_xdata()[0], good.get_ydata()[0]) == (GOOD.mean(), verdict.score)
    assert (good.get_markerfacecolor(), poor.get_markerfacecolor()) == (MODELS[0], "none")
    (interval,) = display.intervals_[0].get_segments()
    assert interval[:, 1].tolist() == [verdict.low, verdict.high]
    assert _labels(display.ax_) == [
        "95% of guesses",
        "expected score of a guess",
        f"best guess {base.best.value:.3f}",
        "good",
        "poor (no better)",
    ]
    assert display.ax_.get_ylabel() == "F1 score (higher is better)"
    frame = display.frame()
    assert frame["what"].tolist()[-2:] == ["good", "poor"]
    assert frame["low"].iloc[-2] == verdict.low


def test_what_is_no_failure_is_not_drawn_as_one() -> None:
    """The legend names a measure that is uninformative, and why there is no score."""
    perfect = BaselineDisplay.from_predictions(TRUTH, TRUTH, "TPR")
    assert _labels(perfect.ax_)[-1] == "model (uninformative)"
    assert perfect.points_[0].get_markerfacecolor() == MODELS[0]
    for table, key, why in (
        (NOTHING, "MCC", "predicts no positives"),
        (br.ConfusionMatrix(tp=10, fp=990), "NPV", "predicts no negatives"),
    ):
        said = BaselineDisplay.from_predictions(None, {"it": table}, key).points_[0]
        assert said.get_label() == f"it ({why})"


@pytest.mark.parametrize(
    ("positives", "total", "scale"),
    [(500, 1000, "linear"), (50, 1000, "linear"), (49, 1000, "symlog"), (0, 10, "linear")],
)
def test_rare_positives_need_a_logarithm(positives: int, total: int, scale: str) -> None:
    """Below 5% positives the axis is logarithmic."""
    base = br.baseline(br.BaseRate(positives=positives, total=total), "ACC")
    assert base.plot().ax_.get_xscale() == scale


def test_only_labels_of_two_classes_have_a_theta() -> None:
    """Others are refused with a sentence that says which pictures they have."""
    y = RNG.choice(["ant", "bee", "cow"], 60)
    rows = (y == "bee")[:, np.newaxis] + RNG.normal(0, 1, (60, 1))
    model = LogisticRegression().fit(rows, y)
    cases: list[tuple[Any, Any, str, str]] = [
        (y, model.predict(rows), "accuracy", "ConfusionMatrixDisplay several classes"),
        (TRUTH, X[:, 0], "AUC", "RankingDisplay scores"),
        (X[:, 0], X[:, 1], "MAE", "ResidualDisplay numbers"),
    ]
    for y_true, y_pred, measure, instead in cases:
        with pytest.raises(InvalidPredictionsError, match=f"two classes.*{instead}"):
            BaselineDisplay.from_predictions(y_true, y_pred, measure)
    with pytest.raises(InvalidLabelsError, match="class"):
        BaselineDisplay.from_estimator(model, rows, y, "F1")
    one = BaselineDisplay.from_estimator(model, rows, y, "F1", pos_label="bee")
    assert one.baseline.test_set.positives == np.count_nonzero(y == "bee")
    different = {"a": TABLES["tree"], "b": br.ConfusionMatrix(tp=5, fn=5, tn=190)}
    with pytest.raises(InvalidPredictionsError, match=r"one test set.*got 2"):
        BaselineDisplay.from_predictions(None, different, "F1")


@pytest.mark.parametrize(
    ("y_true", "y_pred", "measure"),
    [
        (None, br.ConfusionMatrix(tp=8, fp=6, fn=4, tn=12), "MCC"),
        (None, MATRIX, "accuracy"),
        (None, MATRIX, "macro F1"),
        (None, MATRIX, "hamming_loss"),
        (TRUTH[:24], X[:24, 0], "AUC"),
        (X[:12, 0], X[:12, 1], "MAE"),
        (
            ["a", "b", "c", "a", "b", "a"] * 5,
            np.tile(RNG.dirichlet(np.ones(3), 6), (5, 1)),
            "log loss",
        ),
        (None, br.ConfusionMatrix(tp=0, fp=5, fn=4, tn=1), COST),
    ],
)
def test_the_null_distribution_of_a_model(y_true: Any, y_pred: Any, measure: Any) -> None:
    """Bars sum to 1, those at least as good as the model to its p-value, on every kind of data."""
    verdict = br.evaluate(y_true, y_pred, measure).verdicts[0]
    display = NullDistributionDisplay.from_predictions(y_true, y_pred, measure, name="tree")
    frame = display.frame()
    assert frame["probability"].sum() == pytest.approx(1, abs=1e-4)
    shaded = frame["probability"][frame["at_least_as_good"]].sum()
    # Permutations of a report and of a distribution alone may differ in number.
    assert shaded == pytest.approx(verdict.p_value, rel=0.01, abs=0.004)
    assert display.score_.get_xdata()[0] == verdict.score
    label, *others = _labels(display.ax_)
    assert label.startswith(f"tree: {verdict.score:.4g} (p ")
    assert {*others} <= {"shuffled predictions", "at least as good"}
    assert display.ax_.get_xlabel().endswith("is better)")


def test_a_null_distribution_alone() -> None:
    """It is drawn without a model, also if it has one score."""
    alone = br.DutchDraw(br.BaseRate(positives=4, total=10), theta=0.5).score("F1").plot()
    assert (alone.reached_, alone.score_) == (None, None)
    single = br.null_distribution(br.BaseRate(positives=4, total=10), 10, "F1").plot()
    assert len(single.bars_) == 1
    assert single.ax_.get_xlabel() == "F1"


def test_no_score_has_no_null_distribution() -> None:
    """The error says why."""
    nowhere = br.Measure.custom("nowhere", lambda tp, fp, fn, tn: 1 / (tp - 0.0))
    table = br.ConfusionMatrix(tp=0, fp=5, fn=4, tn=1)
    with pytest.raises(UndefinedMeasureError, match="nowhere is undefined"):
        NullDistributionDisplay.from_predictions(None, table, nowhere)
    with pytest.raises(UndefinedMeasureError, match=r"undefined: .*only 'a'"):
        NullDistributionDisplay.from_predictions(["a"] * 3, ["a"] * 3, "linear kappa")


def test_one_measure_and_one_model_of_a_report() -> None:
    """A report with several needs one to be named; a custom measure must be given itself."""
    for display in (BaselineDisplay, NullDistributionDisplay):
        with pytest.raises(InvalidReportError, match=r"measure must be one .*'F1', 'ACC', 'MCC'"):
            display.from_report(REPORT)
        with pytest.raises(NotInReportError, match="no measure 'FDR'"):
            display.from_report(REPORT, "FDR")
        custom = br.evaluate(None, {"tree": TABLES["tree"]}, [COST, "F1"])
        display.from_report(custom, COST)
        with pytest.raises(UnknownMeasureError, match="cost"):
            display.from_report(custom, "cost")
    with pytest.raises(InvalidReportError, match=r"one model .*'tree', 'knn'.*report\['tree'\]"):
        NullDistributionDisplay.from_report(REPORT, "F1")
